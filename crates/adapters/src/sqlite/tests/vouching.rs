//! What somebody without the user's key did to the ledger is not taken for the user's own.

use super::*;
use crate::signing::Signer;
use crate::sqlite::chain::{Chain, Link, body_hash};
use crate::trust::{RepositoryPlace, Trust};
use std::path::Path;

fn signer(home: &Path, folder: &TempDir) -> Arc<Signer> {
    let home = home.as_os_str().to_owned();
    let trust = Trust::from_environment(|name| (name == "XDG_STATE_HOME").then(|| home.clone()));
    let place = RepositoryPlace { git: folder.path(), checkout: folder.path() };
    Arc::new(trust.signer(place, folder.path()).unwrap())
}

/// A ledger, the home of its user, and how that user opens it.
struct World {
    folder: TempDir,
    home: TempDir,
}

impl World {
    /// With some events of two features.
    fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
        let ledger = world.own();
        put(&ledger, FIRST, "one");
        put(&ledger, SECOND, "two");
        put(&ledger, FIRST, "three");
        drop(ledger);
        world.checked().unwrap();
        world
    }

    fn own(&self) -> Ledger {
        write(&self.folder).signed_by(signer(self.home.path(), &self.folder))
    }

    fn checked(&self) -> Result<Ledger, StoreError> {
        let ledger = self.own();
        ledger.check()?;
        Ok(ledger)
    }

    fn head(&self) -> std::path::PathBuf {
        let heads = self.home.path().join("redraft/heads");
        std::fs::read_dir(heads).unwrap().next().unwrap().unwrap().path()
    }

    /// Whose each entry is: `m` mine, `-` nobody's, `o` another key's, `x` of something else.
    fn whose(&self) -> String {
        let mine = SignedBy::Key(signer(self.home.path(), &self.folder).public());
        let letter = |stretch: &Stretch| match stretch.signed {
            signed if signed == mine => "m",
            SignedBy::Nobody => "-",
            SignedBy::Key(_) => "o",
            SignedBy::Invalid => "x",
        };
        let all = read_only(&self.folder).unwrap().stretches().unwrap();
        all.iter().map(|one| letter(one).repeat((one.last - one.first + 1) as usize)).collect()
    }

    /// Refused with these words by whoever would add to it, and shown to whoever looks.
    fn refuses(&self, said: &str) {
        let refused = self.checked().map(drop).unwrap_err();
        assert!(matches!(refused, StoreError::Unproven { .. }), "{refused}");
        assert!(refused.to_string().contains(said), "{refused}, not: {said}");
        let ledger = self.own();
        let decided_on = ledger.last_seq(FIRST).unwrap();
        let more = ledger.append(events(FIRST, decided_on, &[event("more")])).unwrap_err();
        assert_eq!(more.to_string(), refused.to_string());
        read_only(&self.folder).unwrap().read(FIRST).unwrap();
    }
}

#[test]
fn every_entry_is_signed_and_the_next_command_goes_on() {
    let world = World::new();
    assert_eq!(world.whose(), "mmm");
    let ledger = world.checked().unwrap();
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one", "three"]);
    put(&ledger, FIRST, "four");
    assert_eq!(world.whose(), "mmmm");
    assert_eq!(ledger.begin_stretch("ada", 1).unwrap(), None, "there is nothing to accept");
}

#[test]
fn an_appended_event_with_a_right_chain_is_not_the_users() {
    let world = World::new();
    put(&write(&world.folder), FIRST, "approved by somebody");
    world.refuses("event 4 is not signed, and the one before it is");
}

#[test]
fn an_event_that_is_appended_during_a_run_stops_that_run() {
    let world = World::new();
    let ledger = world.checked().unwrap();
    put(&write(&world.folder), SECOND, "approved by somebody");
    let decided_on = ledger.last_seq(FIRST).unwrap();
    let refused = ledger.append(events(FIRST, decided_on, &[event("more")])).unwrap_err();
    assert!(refused.to_string().contains("event 4 is not signed"), "{refused}");
    let read = ledger.read(SECOND).unwrap_err();
    assert!(matches!(read, StoreError::Unproven { .. }), "{read}");
    assert_eq!(world.whose(), "mmm-");
}

#[test]
fn events_that_are_written_anew_with_all_that_follow_are_not_the_users() {
    for with_note in [true, false] {
        let world = World::new();
        tamper(&world.folder, "DELETE FROM events WHERE seq > 1; DELETE FROM board");
        let forger = write(&world.folder);
        put(&forger, SECOND, "another verdict");
        put(&forger, FIRST, "three");
        if !with_note {
            std::fs::remove_file(world.head()).unwrap();
        }
        world.refuses(match with_note {
            true => "event 3 is not the one that you had stored",
            false => "event 2 is not signed, and the one before it is",
        });
    }
}

#[test]
fn an_event_that_is_written_anew_with_a_right_checksum_of_its_own_is_not_read() {
    let world = World::new();
    let (body, salt) = (event("another").encode(), [7; 16]);
    let hash = body_hash(&salt, &body);
    let writer: String = raw(&world.folder)
        .query_row("SELECT value FROM meta WHERE key = 'writer'", [], |row| row.get(0))
        .unwrap();
    let link =
        Link { writer: &writer, at_ms: 1000, scope: "001", kind: "cancelled", version: 1, body_hash: &hash };
    let forged = Chain::after(Tip::default()).extend(&link);
    tamper(&world.folder, "");
    let sql = "UPDATE events SET body = ?1, salt = ?2, body_hash = ?3, chain = ?4 WHERE seq = 1";
    raw(&world.folder).execute(sql, (body, salt, hash, forged.chain)).unwrap();
    // By itself it is in order, so who only looks at this feature sees nothing wrong with its first event.
    tamper(&world.folder, "DELETE FROM events WHERE seq = 3");
    assert_eq!(whys(&read_only(&world.folder).unwrap().read(FIRST).unwrap()), ["another"]);
    std::fs::remove_file(world.head()).unwrap();
    let refused = world.own().read(FIRST).unwrap_err();
    assert!(refused.to_string().contains("event 2 does not match its checksum"), "{refused}");
}

#[test]
fn an_end_that_is_cut_off_and_an_older_copy_are_noticed() {
    let world = World::new();
    tamper(&world.folder, "DELETE FROM events WHERE seq = 3; DELETE FROM board");
    world.refuses("it ends with event 2, and you had stored event 3");
    let world = World::new();
    let folder = |from: &Path, to: &Path| {
        for file in std::fs::read_dir(from).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    };
    let older = tempfile::tempdir().unwrap();
    folder(world.folder.path(), older.path());
    put(&world.checked().unwrap(), SECOND, "four");
    folder(older.path(), world.folder.path());
    world.refuses("it ends with event 3, and you had stored event 4");
    // A person who had put it back says so, once.
    assert_eq!(world.own().begin_stretch("ada", 5).unwrap().map(|doubt| doubt.first), Some(4));
    put(&world.checked().unwrap(), SECOND, "another four");
}

#[test]
fn a_ledger_without_its_signatures_is_not_taken_for_an_old_one() {
    let world = World::new();
    tamper(&world.folder, "UPDATE events SET signature = NULL");
    world.refuses("event 1 is not signed");
    let world = World::new();
    let of_another =
        "UPDATE events SET signature = (SELECT signature FROM events WHERE seq = 2) WHERE seq = 3";
    tamper(&world.folder, of_another);
    world.refuses("the signature of event 3 is wrong");
    assert_eq!(world.whose(), "mmx");
}

#[test]
fn another_ledger_of_the_same_user_cannot_take_its_place() {
    let (world, other) = (World::new(), World::new());
    let theirs = write(&other.folder).signed_by(signer(world.home.path(), &other.folder));
    theirs.begin_stretch("ada", 1).unwrap();
    drop(theirs);
    for file in files(&other.folder) {
        std::fs::copy(other.folder.path().join(&file), world.folder.path().join(&file)).unwrap();
    }
    world.refuses("it is not the ledger that you wrote here before");
}

#[test]
fn entries_of_another_key_are_added_to_once_a_person_has_accepted_them() {
    let world = World::new();
    let other = tempfile::tempdir().unwrap();
    let theirs = write(&world.folder).signed_by(signer(other.path(), &world.folder));
    let decided_on = theirs.last_seq(FIRST).unwrap();
    theirs.append(events(FIRST, decided_on, &[event("theirs")])).unwrap_err();
    assert_eq!(theirs.begin_stretch("eve", 4).unwrap().map(|doubt| doubt.first), Some(1));
    put(&theirs, FIRST, "theirs");
    drop(theirs);
    world.refuses("event 4 is signed with another key");
    assert_eq!(world.whose(), "mmmoo");
    let doubt = world.own().begin_stretch("ada", 5).unwrap().unwrap();
    assert_eq!(doubt.first, 4);
    let ledger = world.checked().unwrap();
    assert_eq!(whys(&ledger.read(FIRST).unwrap()), ["one", "three", "theirs"]);
    put(&ledger, FIRST, "mine");
    assert_eq!(world.whose(), "mmmoomm");
    let said = ledger.read(Scope::Repo).unwrap();
    let Some(Event::SigningBegan(began)) = said.last().map(|entry| &entry.event) else { panic!("{said:?}") };
    assert_eq!((began.accepted, began.by.as_str()), (4, "ada"));
    let [mine, theirs] = [&world.home, &other].map(|home| signer(home.path(), &world.folder).public().hex());
    assert_eq!((&began.key, began.before.as_ref()), (&mine, Some(&theirs)));
}

#[test]
fn a_ledger_from_before_there_were_signatures_goes_on() {
    let world = World { folder: tempfile::tempdir().unwrap(), home: tempfile::tempdir().unwrap() };
    put(&write(&world.folder), FIRST, "old");
    put(&write(&world.folder), SECOND, "old");
    put(&world.checked().unwrap(), FIRST, "new");
    assert_eq!(world.whose(), "--m");
    // Without a look at the whole file, the entries after the old one vouch for it.
    assert_eq!(whys(&world.own().read(FIRST).unwrap()), ["old", "new"]);
    put(&write(&world.folder), SECOND, "forged");
    world.refuses("event 4 is not signed");
}

#[test]
fn two_processes_of_the_user_go_on_beside_each_other() {
    let world = World::new();
    let (one, other) = (world.checked().unwrap(), world.checked().unwrap());
    for _ in 0..3 {
        put(&one, FIRST, "one");
        put(&other, SECOND, "other");
        assert_eq!(one.read(SECOND).unwrap(), other.read(SECOND).unwrap());
    }
    assert_eq!(world.whose(), "m".repeat(9));
}

#[test]
fn what_could_not_be_stored_leaves_no_trace() {
    let world = World::new();
    let ledger = world.checked().unwrap();
    ledger.append(events(FIRST, 1, &[event("on an older event")])).unwrap_err();
    put(&ledger, FIRST, "four");
    world.checked().unwrap();
}

#[test]
fn signatures_come_through_export_and_import() {
    let world = World::new();
    let mut lines = Vec::new();
    Ledger::export(world.folder.path(), &mut lines).unwrap();
    std::fs::remove_dir_all(world.folder.path()).unwrap();
    std::fs::create_dir(world.folder.path()).unwrap();
    Ledger::import(world.folder.path(), &mut lines.as_slice(), 0).unwrap();
    assert_eq!(world.whose(), "mmm");
}
