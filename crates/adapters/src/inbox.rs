//! Finished answers as files: `runs/TICKET/outcome.json` in the state folder.
//!
//! An answer is written whole under another name and then renamed, so a file that is there is complete. What the agent
//! wrote to the worktree is on disk before its answer: an answer that was kept is adopted, whatever became of the run.

use crate::barrier::{Barrier, sync_folder};
use crate::child::STDOUT;
use crate::plain_file::{self, UnreadableFile};
use crate::signing::{self, Signer};
use redraft_engine::ports::{Inbox, Outcome};
use redraft_facts::event::RanCheck;
use redraft_facts::ticket::{Scope, Ticket};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const VERSION: u16 = 1;

/// What an answer is called until all of it is there.
const PART: &str = "outcome.json.part";

pub struct FileInbox {
    runs: PathBuf,
    barrier: Option<Arc<Barrier>>,
    /// Without it nothing is signed, and whatever is there is taken.
    signer: Option<Arc<Signer>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u16,
    session: String,
    outcome: Outcome,
    /// In hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// A check that ran for a dispatch, in a file of its own: `ran-1.json`, `ran-2.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptRun {
    v: u16,
    session: String,
    ran: RanCheck,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

/// More than ever run for one dispatch.
const RAN_MAX: usize = 100;

impl FileInbox {
    pub fn new(state: &Path) -> Self {
        Self { runs: state.join("runs"), barrier: None, signer: None }
    }

    /// Makes every answer wait until what was written with it is on disk.
    #[must_use]
    pub fn behind(self, barrier: Arc<Barrier>) -> Self {
        Self { barrier: Some(barrier), ..self }
    }

    /// Signs every answer, and takes none that is not signed with this key.
    #[must_use]
    pub fn signed_by(self, signer: Option<Arc<Signer>>) -> Self {
        Self { signer, ..self }
    }

    /// The folder with everything that the program of a dispatch printed (`stdout`, `stderr`); none where no program worked
    /// on it.
    pub fn printed(&self, ticket: &Ticket) -> Option<PathBuf> {
        let folder = self.runs.join(ticket.to_string());
        folder.join(STDOUT).is_file().then_some(folder)
    }

    /// Removes everything kept of a dispatch, and the folders around it that are empty then.
    pub fn forget(&self, ticket: &Ticket) -> std::io::Result<()> {
        let folder = self.runs.join(ticket.to_string());
        match fs::remove_dir_all(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        for above in folder.ancestors().skip(1).take_while(|above| *above != self.runs) {
            // One that is not empty stays, and with it those above.
            if fs::remove_dir(above).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// Removes answers of a scope whose writing was interrupted. The caller holds the scope's lock.
    pub fn sweep(&self, scope: &Scope) {
        let mut folders = vec![self.runs.join(scope.to_string())];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                } else if entry.file_name() == PART {
                    // One that stays is written over by the next attempt.
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    fn mark(
        &self,
        what: &str,
        ticket: &Ticket,
        session: &str,
        kept: &impl Serialize,
    ) -> Result<Option<String>, String> {
        signing::mark(self.signer.as_deref(), what, &[&ticket.to_string(), session], kept)
    }

    fn has_mark(
        &self,
        what: &str,
        ticket: &Ticket,
        session: &str,
        kept: &impl Serialize,
        found: Option<&String>,
    ) -> bool {
        signing::has_mark(self.signer.as_deref(), what, &[&ticket.to_string(), session], kept, found)
    }

    fn ran_file(&self, ticket: &Ticket, number: usize) -> PathBuf {
        self.runs.join(ticket.to_string()).join(format!("ran-{number}.json"))
    }

    fn file(&self, ticket: &Ticket) -> PathBuf {
        self.runs.join(ticket.to_string()).join("outcome.json")
    }
}

/// Keeps signatures of answers apart from those of anything else.
const ANSWER: &str = "redraft kept answer 1";

/// The same for checks, each with its place among them.
fn ran_word(number: usize) -> String {
    format!("redraft kept check 1 {number}")
}

impl Inbox for FileInbox {
    fn put(&self, ticket: &Ticket, session: &str, outcome: &Outcome) -> Result<(), String> {
        let file = self.file(ticket);
        let folder = file.parent().unwrap_or(&self.runs);
        let named = |error: std::io::Error| format!("{}: {error}", file.display());
        fs::create_dir_all(folder).map_err(named)?;
        let signature = self.mark(ANSWER, ticket, session, outcome)?;
        let kept = Kept { v: VERSION, session: session.to_owned(), outcome: outcome.clone(), signature };
        let bytes = serde_json::to_vec(&kept).map_err(|error| error.to_string())?;
        let part = folder.join(PART);
        // Opening a pipe would wait for a reader forever.
        if let Err(not @ UnreadableFile::NotAFile(_)) = plain_file::check(&part) {
            return Err(format!("{}: {not}; move it away", part.display()));
        }
        let mut writing = fs::File::create(&part).map_err(named)?;
        writing.write_all(&bytes).map_err(named)?;
        match &self.barrier {
            Some(barrier) => barrier.hold(),
            None => writing.sync_all(),
        }
        .map_err(named)?;
        fs::rename(&part, &file).and_then(|()| sync_folder(folder)).map_err(named)
    }

    fn get(&self, ticket: &Ticket, session: &str) -> Result<Option<Outcome>, String> {
        let file = self.file(ticket);
        let bytes = match plain_file::read_own_file(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("{}: {error}", file.display())),
        };
        match serde_json::from_slice::<Kept>(&bytes) {
            Ok(Kept { v: VERSION, session: of, outcome, signature })
                if of == session && self.has_mark(ANSWER, ticket, session, &outcome, signature.as_ref()) =>
            {
                Ok(Some(outcome))
            }
            // Another version's or another ledger's answer cannot be trusted to mean the same, and one that we have not
            // signed to be the agent's; the dispatch counts as lost.
            Ok(_) | Err(_) => Ok(None),
        }
    }

    fn put_ran(&self, ticket: &Ticket, session: &str, ran: &RanCheck) -> Result<(), String> {
        let number = self.ran(ticket, session)?.len() + 1;
        let file = self.ran_file(ticket, number);
        let named = |error: std::io::Error| format!("{}: {error}", file.display());
        fs::create_dir_all(file.parent().unwrap_or(&self.runs)).map_err(named)?;
        let signature = self.mark(&ran_word(number), ticket, session, ran)?;
        let kept = KeptRun { v: VERSION, session: session.to_owned(), ran: ran.clone(), signature };
        let bytes = serde_json::to_vec(&kept).map_err(|error| error.to_string())?;
        let part = file.with_extension("part");
        // A link in its place would be written through.
        let _ = fs::remove_file(&part);
        fs::write(&part, bytes).and_then(|()| fs::rename(&part, &file)).map_err(named)
    }

    fn ran(&self, ticket: &Ticket, session: &str) -> Result<Vec<RanCheck>, String> {
        let mut all = Vec::new();
        for number in 1..=RAN_MAX {
            let file = self.ran_file(ticket, number);
            let bytes = match plain_file::read_own_file(&file) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) => return Err(format!("{}: {error}", file.display())),
            };
            match serde_json::from_slice::<KeptRun>(&bytes) {
                Ok(KeptRun { v: VERSION, session: of, ran, signature })
                    if of == session
                        && self.has_mark(&ran_word(number), ticket, session, &ran, signature.as_ref()) =>
                {
                    all.push(ran);
                }
                // Another ledger's; the next one is written over it.
                Ok(_) | Err(_) => break,
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgetting_a_dispatch_leaves_its_neighbours_and_no_empty_folders() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileInbox::new(folder.path());
        let [one, two, other]: [Ticket; 3] = [
            "031/specify.1/review/spec-reviewer/2.1".parse().unwrap(),
            "031/specify.1/review/spec-reviewer/2.2".parse().unwrap(),
            "032/specify.1/review/spec-reviewer/2.1".parse().unwrap(),
        ];
        for ticket in [&one, &two, &other] {
            inbox.put(ticket, "s", &Outcome::default()).unwrap();
        }
        inbox.forget(&one).unwrap();
        inbox.forget(&one).unwrap();
        assert_eq!(inbox.get(&one, "s"), Ok(None));
        assert!(inbox.get(&two, "s").unwrap().is_some());
        inbox.forget(&two).unwrap();
        assert!(!folder.path().join("runs/031").exists());
        assert!(inbox.get(&other, "s").unwrap().is_some());
    }

    #[test]
    fn what_checks_printed_is_found_again_in_order_and_not_in_another_conversation() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileInbox::new(folder.path());
        let ticket: Ticket = "031/implement.1/review/security-reviewer/1.1".parse().unwrap();
        let ran = |output: &str| RanCheck {
            gate: "tests".into(),
            command: "make test".into(),
            code: Some(1),
            wall_ms: 2,
            output: output.into(),
        };
        assert_eq!(inbox.ran(&ticket, "s"), Ok(Vec::new()));
        inbox.put_ran(&ticket, "earlier", &ran("of an earlier ledger")).unwrap();
        inbox.put_ran(&ticket, "s", &ran("one")).unwrap();
        inbox.put_ran(&ticket, "s", &ran("two")).unwrap();
        assert_eq!(inbox.ran(&ticket, "s"), Ok(vec![ran("one"), ran("two")]));
        assert_eq!(inbox.ran(&ticket, "earlier"), Ok(Vec::new()));
        inbox.forget(&ticket).unwrap();
        assert_eq!(inbox.ran(&ticket, "s"), Ok(Vec::new()));
    }

    fn signer(home: &Path, state: &Path) -> Option<Arc<Signer>> {
        let home = home.as_os_str().to_owned();
        let trust =
            crate::trust::Trust::from_environment(|name| (name == "XDG_STATE_HOME").then(|| home.clone()));
        let place = crate::trust::RepositoryPlace { git: state, checkout: state };
        Some(Arc::new(trust.signer(place, state).unwrap()))
    }

    #[test]
    fn an_answer_that_somebody_planted_is_not_taken() {
        let [folder, home, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let inbox = || FileInbox::new(folder.path());
        let own = inbox().signed_by(signer(home.path(), folder.path()));
        let [ours, reviewers]: [Ticket; 2] = [
            "031/specify.1/draft/spec-author/2.1".parse().unwrap(),
            "031/specify.1/review/spec-reviewer/2.1".parse().unwrap(),
        ];
        let said = |text: &str| Outcome { text: text.into(), ..Outcome::default() };
        own.put(&ours, "s", &said("approved")).unwrap();
        assert_eq!(own.get(&ours, "s"), Ok(Some(said("approved"))));
        let planted: [(&str, &dyn Fn()); 4] = [
            ("without a signature", &|| inbox().put(&reviewers, "s", &said("approved")).unwrap()),
            ("of another key", &|| {
                let theirs = inbox().signed_by(signer(other.path(), folder.path()));
                theirs.put(&reviewers, "s", &said("approved")).unwrap();
            }),
            ("of another dispatch", &|| {
                fs::copy(own.file(&ours), own.file(&reviewers)).unwrap();
            }),
            ("with other words", &|| {
                own.put(&reviewers, "s", &said("rejected")).unwrap();
                let text = fs::read_to_string(own.file(&reviewers)).unwrap();
                fs::write(own.file(&reviewers), text.replace("rejected", "approved")).unwrap();
            }),
        ];
        for (how, plant) in planted {
            plant();
            assert!(inbox().get(&reviewers, "s").unwrap().is_some(), "{how}: it is there, in the right form");
            assert_eq!(own.get(&reviewers, "s"), Ok(None), "{how}");
        }
    }

    #[test]
    fn a_check_that_somebody_planted_is_not_taken() {
        let [folder, home] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let own = FileInbox::new(folder.path()).signed_by(signer(home.path(), folder.path()));
        let ticket: Ticket = "031/implement.1/review/security-reviewer/1.1".parse().unwrap();
        let ran = |code: i32| RanCheck {
            gate: "tests".into(),
            command: "make test".into(),
            code: Some(code),
            wall_ms: 2,
            output: String::new(),
        };
        own.put_ran(&ticket, "s", &ran(1)).unwrap();
        FileInbox::new(folder.path()).put_ran(&ticket, "s", &ran(0)).unwrap();
        assert_eq!(own.ran(&ticket, "s"), Ok(vec![ran(1)]));
        fs::copy(own.ran_file(&ticket, 1), own.ran_file(&ticket, 2)).unwrap();
        assert_eq!(own.ran(&ticket, "s"), Ok(vec![ran(1)]), "the first once more");
    }

    #[test]
    fn a_sweep_removes_half_answers_of_its_scope_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileInbox::new(folder.path());
        let [own, other]: [Ticket; 2] = [
            "031/specify.1/review/spec-reviewer/2.1".parse().unwrap(),
            "032/specify.1/review/spec-reviewer/2.1".parse().unwrap(),
        ];
        for ticket in [&own, &other] {
            inbox.put(ticket, "s", &Outcome::default()).unwrap();
            fs::write(inbox.file(ticket).with_file_name(PART), "{").unwrap();
        }
        inbox.sweep(&own.scope);
        assert!(!inbox.file(&own).with_file_name(PART).exists());
        assert!(inbox.get(&own, "s").unwrap().is_some());
        assert!(inbox.file(&other).with_file_name(PART).exists());
    }

    #[test]
    fn an_answer_is_found_again_and_a_torn_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileInbox::new(folder.path());
        let ticket: Ticket = "031/specify.1/review/spec-reviewer/2.1".parse().unwrap();
        assert_eq!(inbox.get(&ticket, "s"), Ok(None));
        let outcome = Outcome { text: "yes".into(), ..Outcome::default() };
        inbox.put(&ticket, "s", &outcome).unwrap();
        assert_eq!(inbox.get(&ticket, "s"), Ok(Some(outcome)));
        assert_eq!(inbox.get(&ticket, "another"), Ok(None));
        fs::write(inbox.file(&ticket), "{\"v\":1,\"outc").unwrap();
        assert_eq!(inbox.get(&ticket, "s"), Ok(None));
        for version in [0, VERSION + 1] {
            let other = STORED.replacen("{\"v\":1", &format!("{{\"v\":{version}"), 1);
            fs::write(inbox.file(&ticket), other).unwrap();
            assert_eq!(inbox.get(&ticket, "s"), Ok(None), "version {version}");
        }
    }

    /// Never change this: a later program may continue a run that left it.
    const STORED: &str = concat!(
        r#"{"v":1,"session":"s","outcome":{"text":"yes","session":"c","usage":{"uncached":1,"written":2,"read":3,"#,
        r#""output":4,"cost":5},"opened":["a.md"],"denials":["Bash"],"notes":["n"],"formless":false,"asked_ms":6,"#,
        r#""requests":7,"hand":{"conversation":"a window","same":true},"payment":"subscription","unknown":8}}"#,
    );

    #[test]
    fn a_kept_answer_is_read_and_written_again_byte_for_byte() {
        let folder = tempfile::tempdir().unwrap();
        let inbox = FileInbox::new(folder.path());
        let ticket: Ticket = "031/specify.1/review/spec-reviewer/2.1".parse().unwrap();
        let file = inbox.file(&ticket);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, STORED).unwrap();
        let outcome = inbox.get(&ticket, "s").unwrap().unwrap();
        fs::remove_file(&file).unwrap();
        inbox.put(&ticket, "s", &outcome).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), STORED);
    }
}
