//! Logs and leases in a real git remote: publishing, racing for the lease, being fenced off, altered logs, copies.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails, and sets up with git"
)]

use redraft_adapters::git::{Git, Repository};
use redraft_adapters::sqlite::new_feature_uuid;
use redraft_adapters::trust::Trust;
use redraft_facts::event::{Cancelled, Entry};
use redraft_facts::ids::{CommentId, FeatureUuid};
use redraft_facts::phase::Phase;
use redraft_facts::text::hash;
use redraft_facts::verdict::Severity;
use redraft_sharing::{
    Anchors, CloneId, LogWriter, PackContent, Proposal, Remote, RemoteError, Said, SaidComment, SharedEntry,
    SharedFeature, Taken,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

struct Bed {
    folder: tempfile::TempDir,
}

/// A clone of the bare repository.
struct CloneOf {
    repository: Repository,
    home: PathBuf,
    id: CloneId,
}

fn git(folder: &Path, args: &[&str]) -> String {
    let done = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "commit.gpgsign=false"])
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

impl Bed {
    fn new() -> Bed {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "--bare", "remote.git"]);
        git(root, &["clone", "-q", "remote.git", "first"]);
        std::fs::write(root.join("first/a.txt"), "a\n").unwrap();
        git(&root.join("first"), &["add", "."]);
        git(&root.join("first"), &["commit", "-q", "-m", "start"]);
        git(&root.join("first"), &["push", "-q", "origin", "HEAD:main"]);
        Bed { folder }
    }

    fn remote(&self) -> PathBuf {
        self.folder.path().join("remote.git")
    }

    fn clone_as(&self, name: &str) -> CloneOf {
        let root = self.folder.path();
        if !root.join(name).exists() {
            git(root, &["clone", "-q", "-b", "main", "remote.git", name]);
        }
        let home = root.join(format!("home-{name}"));
        std::fs::create_dir_all(&home).unwrap();
        let repository = Repository::discover_with(Git::default(), &root.join(name)).unwrap();
        CloneOf { repository, home, id: CloneId::new(name).unwrap() }
    }
}

impl CloneOf {
    fn remote(&self) -> Remote<'_> {
        let home = self.home.clone();
        let trust = Trust::from_environment(|name| (name == "HOME").then(|| home.clone().into()));
        let signer = trust.signer(self.repository.known_as(), &self.repository.state_dir()).unwrap();
        let by = self.id.to_string();
        let writer = LogWriter { clone: self.id.clone(), by: by.clone(), place: by };
        Remote { repository: &self.repository, name: "origin".to_owned(), writer, signer: Arc::new(signer) }
    }

    fn fetched(&self, uuid: &FeatureUuid) -> SharedFeature {
        self.remote().fetch().unwrap();
        self.remote().read(uuid).unwrap()
    }

    fn take(&self, shared: &SharedFeature, by_force: bool) -> Taken {
        self.remote().take(shared, by_force, 5).unwrap()
    }

    fn drive(&self, uuid: &FeatureUuid) -> SharedFeature {
        match self.take(&self.fetched(uuid), false) {
            Taken::Ours(shared) => shared,
            Taken::Held(lease) => panic_held(&lease),
        }
    }
}

fn panic_held(lease: &redraft_sharing::Lease) -> ! {
    unreachable!("held by {}", lease.holder)
}

fn entries(from: u64, to: u64) -> Vec<Entry> {
    let event = |seq: u64| Cancelled { by: "ann".to_owned(), why: format!("event {seq}") }.into();
    (from..=to).map(|seq| Entry { seq, at_ms: 1, event: event(seq) }).collect()
}

fn content(entries: &[Entry]) -> PackContent {
    let entries = entries.iter().map(|entry| SharedEntry::new(entry, "salt".to_owned())).collect();
    PackContent { called: "001".to_owned(), entries, ..PackContent::default() }
}

fn saying(text: &str) -> PackContent {
    PackContent { called: "001".to_owned(), proposals: vec![comment(text)], ..PackContent::default() }
}

fn comment(text: &str) -> Proposal {
    let said = SaidComment {
        phase: Phase::Specify,
        reopens: None,
        severity: Severity::Blocker,
        file: String::new(),
        line: 0,
        text: text.to_owned(),
    };
    let (id, seen) = (CommentId::new(text), redraft_sharing::Point::default());
    Proposal { id, seen, at_ms: 1, by: "bob".to_owned(), said: Said::Comment(said) }
}

#[test]
fn what_a_driver_publishes_is_read_elsewhere_with_all_it_rests_on() {
    let bed = Bed::new();
    let (ann, bob) = (bed.clone_as("ann"), bed.clone_as("bob"));
    let uuid = new_feature_uuid();
    let folder = ann.repository.main_checkout().to_owned();
    std::fs::write(folder.join("secret-place.md"), "spec\n").unwrap();
    git(&folder, &["checkout", "-q", "-b", "feature/001-x"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-q", "-m", "draft"]);
    let (tip, tree) = (git(&folder, &["rev-parse", "HEAD"]), git(&folder, &["rev-parse", "HEAD^{tree}"]));
    let anchors: Anchors = [("specify.1/1".to_owned(), tree.clone())].into();
    let texts = [(hash(b"the prd\n"), "the prd\n".to_owned())].into();
    let what = PackContent { texts, tip: tip.clone(), ..content(&entries(1, 3)) };
    let shared = ann.remote().add(&ann.drive(&uuid), what, &anchors).unwrap();
    let shared = ann.remote().publish(&shared, false).unwrap();
    let second = entries(4, 5);
    let shared = ann.remote().add(&shared, content(&second), &anchors).unwrap();
    ann.remote().publish(&shared, true).unwrap();

    let there = bob.fetched(&uuid);
    let history = there.feature.history().unwrap();
    assert!(history.is_whole && history.late.is_empty());
    let read: Vec<_> = history.entries.iter().map(|one| one.entry.event().unwrap()).collect();
    assert_eq!(read, entries(1, 5).into_iter().map(|entry| entry.event).collect::<Vec<_>>());
    assert_eq!((there.feature.called(), there.feature.tip()), ("001", Some(tip.as_str())));
    assert_eq!(there.feature.logs[&ann.id].packs[0].texts[&hash(b"the prd\n")], "the prd\n");
    assert_eq!(bob.remote().anchors(&there).unwrap(), anchors);
    // The commit and the tree came with the log; a plain clone has neither.
    let here = bob.repository.main_checkout();
    assert_eq!(git(here, &["cat-file", "-t", &tip]), "commit");
    assert_eq!(git(here, &["cat-file", "-t", &tree]), "tree");
    // Given up, it is anybody's.
    let shared = bob.drive(&uuid);
    assert_eq!(shared.feature.lease().unwrap().fence, 2);
    let third = entries(6, 6);
    bob.remote()
        .publish(&bob.remote().add(&shared, content(&third), &Anchors::new()).unwrap(), true)
        .unwrap();
    assert_eq!(ann.fetched(&uuid).feature.history().unwrap().entries.len(), 6);
}

#[test]
fn of_clones_that_take_a_lease_at_once_one_gets_it() {
    const ROUNDS: usize = 8;
    let bed = Bed::new();
    let clones: Vec<CloneOf> = ["ann", "bob", "ci"].iter().map(|name| bed.clone_as(name)).collect();
    for round in 0..ROUNDS {
        let uuid = new_feature_uuid();
        let known: Vec<SharedFeature> = clones.iter().map(|clone| clone.fetched(&uuid)).collect();
        let taken: Vec<Taken> = std::thread::scope(|scope| {
            let all: Vec<_> = clones
                .iter()
                .zip(&known)
                .map(|(clone, known)| scope.spawn(move || clone.take(known, false)))
                .collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let winners: Vec<usize> =
            (0..clones.len()).filter(|at| matches!(taken[*at], Taken::Ours(_))).collect();
        assert_eq!(winners.len(), 1, "round {round}: {taken:?}");
        let winner = &clones[winners[0]].id;
        for one in &taken {
            if let Taken::Held(lease) = one {
                assert_eq!(lease.holder, *winner);
            }
        }
    }
}

#[test]
fn a_driver_that_was_fenced_off_is_told_and_publishes_no_event() {
    let bed = Bed::new();
    let (ann, bob) = (bed.clone_as("ann"), bed.clone_as("bob"));
    let uuid = new_feature_uuid();
    let first = entries(1, 2);
    let mine = ann.remote().add(&ann.drive(&uuid), content(&first), &Anchors::new()).unwrap();
    let mine = ann.remote().publish(&mine, false).unwrap();
    let held = bob.take(&bob.fetched(&uuid), false);
    assert!(matches!(held, Taken::Held(lease) if lease.holder == ann.id));
    let Taken::Ours(theirs) = bob.take(&bob.fetched(&uuid), true) else {
        panic_held(mine.feature.lease().unwrap())
    };
    // Ann does not know yet, and goes on.
    let late = entries(3, 4);
    let mine = ann.remote().add(&mine, content(&late), &Anchors::new()).unwrap();
    let told = ann.remote().publish(&mine, false).unwrap_err();
    assert!(matches!(&told, RemoteError::Fenced { lease, .. } if lease.holder == bob.id), "{told}");
    let other = entries(3, 3);
    bob.remote()
        .publish(&bob.remote().add(&theirs, content(&other), &Anchors::new()).unwrap(), true)
        .unwrap();
    for clone in [&ann, &bob] {
        let history = clone.fetched(&uuid).feature.history().unwrap();
        assert_eq!(history.entries.len(), 3);
        assert_eq!(history.entries[2].clone, bob.id);
    }
}

#[test]
fn proposals_arrive_from_clones_that_do_not_drive_and_nothing_is_forced() {
    let bed = Bed::new();
    let (ann, bob) = (bed.clone_as("ann"), bed.clone_as("bob"));
    let uuid = new_feature_uuid();
    let first = entries(1, 1);
    let mine = ann.remote().add(&ann.drive(&uuid), content(&first), &Anchors::new()).unwrap();
    let mine = ann.remote().publish(&mine, false).unwrap();
    for text in ["one", "two"] {
        let theirs = bob.remote().add(&bob.fetched(&uuid), saying(text), &Anchors::new()).unwrap();
        bob.remote().publish(&theirs, false).unwrap();
    }
    // The driver publishes without having seen them.
    let second = entries(2, 2);
    ann.remote()
        .publish(&ann.remote().add(&mine, content(&second), &Anchors::new()).unwrap(), false)
        .unwrap();
    for clone in [&ann, &bob] {
        let history = clone.fetched(&uuid).feature.history().unwrap();
        let said: Vec<&str> = history.proposals.iter().map(|one| one.proposal.id.as_str()).collect();
        assert_eq!((history.entries.len(), said), (2, vec!["one", "two"]));
    }
    // Every ref of the remote only ever grew: nobody may move one back there, and all of this went through.
    git(&bed.remote(), &["config", "receive.denyNonFastForwards", "true"]);
    git(&bed.remote(), &["config", "receive.denyDeletes", "true"]);
    let third = entries(3, 3);
    let mine = ann.fetched(&uuid);
    ann.remote().publish(&ann.remote().add(&mine, content(&third), &Anchors::new()).unwrap(), true).unwrap();
}

#[test]
fn a_log_that_was_altered_or_cut_in_the_remote_is_named() {
    let bed = Bed::new();
    let (ann, bob) = (bed.clone_as("ann"), bed.clone_as("bob"));
    let uuid = new_feature_uuid();
    let mut mine = ann.drive(&uuid);
    for at in 1..=2 {
        let more = entries(at, at);
        mine = ann
            .remote()
            .publish(&ann.remote().add(&mine, content(&more), &Anchors::new()).unwrap(), false)
            .unwrap();
    }
    bob.fetched(&uuid);
    let log = format!("refs/redraft/1/{uuid}/ann");
    let tip = git(&bed.remote(), &["rev-parse", &log]);
    // Cut: whoever had more is told.
    git(&bed.remote(), &["update-ref", &log, &format!("{tip}~1")]);
    let told = bob.remote().fetch().unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].to_string().contains("the log of clone ann"), "{}", told[0]);
    // Whoever had nothing sees that something is missing.
    let ci = bed.clone_as("ci");
    let history = ci.fetched(&uuid).feature.history().unwrap();
    assert!(!history.is_whole && history.entries.len() == 1);
    // Another content in a commit of its own, as somebody with the right to push can make it.
    let text = git(&bed.remote(), &["show", &format!("{tip}:text")]).replace("event 2", "event 9");
    let work = bob.repository.main_checkout();
    std::fs::write(work.join("text"), text).unwrap();
    let blob = git(work, &["hash-object", "-w", "text"]);
    let signature = git(work, &["rev-parse", &format!("{tip}:signature")]);
    std::fs::write(
        work.join("lines"),
        format!("100644 blob {signature}\tsignature\n100644 blob {blob}\ttext\n"),
    )
    .unwrap();
    let tree = String::from_utf8(
        Command::new("sh").current_dir(work).args(["-c", "git mktree < lines"]).output().unwrap().stdout,
    )
    .unwrap();
    let forged = git(work, &["commit-tree", tree.trim(), "-p", &format!("{tip}~1"), "-m", "forged"]);
    git(work, &["push", "-q", "origin", &format!("{forged}:{log}")]);
    let forged = ci.fetched(&uuid);
    assert_eq!(forged.feature.altered.len(), 1);
    let told = forged.feature.altered[0].to_string();
    assert!(told.contains("the log of clone ann") && told.contains("no valid signature"), "{told}");
}

#[test]
fn a_copy_of_a_clone_is_found_out_before_anything_is_lost() {
    let bed = Bed::new();
    let ann = bed.clone_as("ann");
    let uuid = new_feature_uuid();
    let first = entries(1, 1);
    let mine = ann.remote().add(&ann.drive(&uuid), content(&first), &Anchors::new()).unwrap();
    ann.remote().publish(&mine, false).unwrap();
    let root = bed.folder.path();
    for (name, from) in [("copy", "ann"), ("home-copy", "home-ann")] {
        assert!(
            Command::new("cp")
                .arg("-a")
                .arg(root.join(from))
                .arg(root.join(name))
                .status()
                .unwrap()
                .success()
        );
    }
    let copy = CloneOf { id: ann.id.clone(), ..bed.clone_as("copy") };
    let second = entries(2, 2);
    let mine = ann.remote().add(&ann.fetched(&uuid), content(&second), &Anchors::new()).unwrap();
    ann.remote().publish(&mine, false).unwrap();
    // A copy that is only behind reads its own log as the remote has it.
    copy.remote().fetch().unwrap();
    assert_eq!(copy.remote().read(&uuid).unwrap().feature.history().unwrap().entries.len(), 2);
    // One that wrote something else is told.
    let older = root.join("copy/.git");
    git(
        &older,
        &["update-ref", &format!("refs/redraft/1/{uuid}/ann"), &format!("refs/redraft/1/{uuid}/ann")],
    );
    let stale = SharedFeature::clone(&mine_before(&copy, &uuid));
    copy.remote().add(&stale, saying("x"), &Anchors::new()).unwrap();
    assert!(matches!(copy.remote().read(&uuid), Err(RemoteError::Twin { .. })));
}

/// What the copy would know if it had not fetched.
fn mine_before(copy: &CloneOf, uuid: &FeatureUuid) -> SharedFeature {
    let folder = copy.repository.main_checkout();
    let fetched = format!("refs/redraft-remote/origin/1/{uuid}/ann");
    let newest = git(folder, &["rev-parse", &fetched]);
    git(folder, &["update-ref", "-d", &fetched]);
    let shared = copy.remote().read(uuid).unwrap();
    git(folder, &["update-ref", &fetched, &newest]);
    shared
}
