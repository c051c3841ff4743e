//! The same world with the real git, SQLite and files, in a throw-away folder.

mod checks;
mod clock;
mod comments;
mod outside;
mod slots;

use crate::stage::created;
use crate::world::{
    BRANCH, ChecksAt, ClockAt, CommentsAt, FEATURE, FIRST, LedgerAt, Ports, SETUP, SLUG, World,
};
use redraft_adapters::git::{Git, GitCheckFolder, GitMerging, GitWorkspace, Repository};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::{Ledger, OpenMode, Redaction};
use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{Store, StoreError};
use redraft_facts::ticket::Scope;
use redraft_frame::slot_worktrees::SlotWorktrees;
use redraft_testkit::Scratch;
use redraft_testkit::fakes::Outside;
use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) struct RealWorld {
    place: Arc<Place>,
    base: String,
}

/// Where everything is, for acts from outside.
struct Place {
    scratch: Scratch,
    worktree: PathBuf,
    git: Git,
}

impl RealWorld {
    pub(crate) fn new() -> RealWorld {
        let scratch = Scratch::empty("redraft");
        scratch.git(["init", "-q", "-b", "main"]);
        scratch.git(["config", "--global", "user.name", "Test Person"]);
        scratch.git(["config", "--global", "user.email", "person@example.invalid"]);
        for (path, text) in FIRST {
            scratch.write_unaccepted(path, text);
        }
        scratch.git(["add", "."]);
        scratch.git(["commit", "-q", "-m", "first"]);
        let base = scratch.git(["rev-parse", "HEAD"]);
        let home = scratch.outside().join("home/.gitconfig");
        let git = Git::default()
            .with_env("GIT_CONFIG_NOSYSTEM", Some("1".into()))
            .with_env("GIT_CONFIG_GLOBAL", Some(home.into()));
        let repository = Repository::discover_with(git.clone(), &scratch.root()).unwrap();
        let place = repository.feature_place(FEATURE, SLUG).unwrap();
        assert_eq!(place.branch, BRANCH);
        repository.ensure_feature(&place.branch, &base, &place.worktree).unwrap();
        let worktree = place.worktree;
        RealWorld { place: Arc::new(Place { scratch, worktree, git }), base }
    }

    fn repository(&self) -> Repository {
        self.place.repository()
    }
}

impl World for RealWorld {
    fn outside(&self) -> Arc<dyn Outside> {
        Arc::clone(&self.place) as Arc<dyn Outside>
    }

    fn base(&self) -> String {
        self.base.clone()
    }

    fn process(&self, boundaries: &Boundaries, act: &mut dyn FnMut(&Ports<'_>)) {
        let repository = self.repository();
        // Every command begins like this: it clears up what a killed one left.
        repository.recover_interrupted_move().unwrap();
        let state = repository.state_dir();
        let store = Ledger::open(&state, OpenMode::Write).unwrap();
        let workspace = GitWorkspace::open(&repository, &self.place.worktree, BRANCH).unwrap();
        workspace.sweep();
        let inbox = FileInbox::new(&state);
        inbox.sweep(&Scope::Feature(FEATURE));
        let merging = GitMerging { repository: &repository, branch: BRANCH.to_owned(), boundaries };
        let check_folder =
            GitCheckFolder::new(&repository, &FEATURE.to_string(), Some(SETUP.to_owned()), Vec::new());
        let (created, own) = (created(self), self.place.worktree.clone());
        let slots = SlotWorktrees::new(&repository, &state, &created, own, slots::Unfurnished);
        act(&Ports {
            store: &store,
            workspace: &workspace,
            slots: &slots,
            inbox: &inbox,
            check_folder: &check_folder,
            merging: &merging,
        });
    }

    fn ledger(&self) -> Box<dyn LedgerAt + '_> {
        let state = self.repository().state_dir();
        Box::new(RealLedger { ledger: Ledger::open(&state, OpenMode::Write).unwrap(), state })
    }

    fn checks(&self) -> Box<dyn ChecksAt + '_> {
        Box::new(checks::RealChecks::new(self.place.scratch.outside()))
    }

    fn clock(&self, ahead_ms: i64) -> Box<dyn ClockAt> {
        Box::new(clock::RealClock::new(ahead_ms))
    }

    fn comments(&self) -> Box<dyn CommentsAt + '_> {
        Box::new(comments::RealComments::new(&self.repository().state_dir()))
    }
}

struct RealLedger {
    ledger: Ledger,
    state: PathBuf,
}

impl LedgerAt for RealLedger {
    fn store(&self) -> &dyn Store {
        &self.ledger
    }

    fn board(&self) -> Option<Vec<(String, u64, String)>> {
        let rows = self.ledger.board().unwrap();
        let rows = rows.into_iter().map(|(scope, seq, row)| (scope.to_string(), seq, row)).collect();
        Some(rows).filter(|_| self.ledger.has_board().unwrap())
    }

    fn check(&self) -> u64 {
        self.ledger.check().unwrap().events
    }

    fn redact(&self, decided_on: u64, bodies: &[(u64, String)]) -> Result<u64, StoreError> {
        let (by, why, blobs) = ("tester", "a secret", &[]);
        self.ledger.redact(&Redaction {
            decided_on,
            at_ms: 0,
            by,
            why,
            bodies,
            blobs,
            files: 0,
            objects: 0,
            refs: 0,
        })
    }

    fn amended(&self) -> Vec<(u64, u64)> {
        self.ledger.amended().unwrap()
    }

    fn make_newer(&self, seq: u64) {
        let raw = Connection::open(Ledger::file(&self.state)).unwrap();
        // Triggers protect what must never change.
        let find = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
        let names: Vec<String> =
            raw.prepare(find).unwrap().query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for name in names {
            raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
        }
        raw.execute("UPDATE events SET kind_version = 999 WHERE seq = ?1", [i64::try_from(seq).unwrap()])
            .unwrap();
    }

    fn remove(&self) {
        fs::remove_file(Ledger::file(&self.state)).unwrap();
    }
}

impl Place {
    fn repository(&self) -> Repository {
        Repository::discover_with(self.git.clone(), &self.scratch.root()).unwrap()
    }

    fn here<const N: usize>(&self, words: [&str; N]) -> String {
        self.scratch.git_in(&self.worktree, words)
    }

    fn elsewhere(&self) -> PathBuf {
        self.scratch.outside().join("elsewhere")
    }

    fn clear(&self, path: &str) -> PathBuf {
        let full = self.worktree.join(path);
        if full.is_dir() && !full.is_symlink() {
            fs::remove_dir_all(&full).unwrap();
        } else if full.symlink_metadata().is_ok() {
            fs::remove_file(&full).unwrap();
        }
        for above in full.parent().unwrap().ancestors().take_while(|above| *above != self.worktree) {
            if above.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
                fs::remove_file(above).unwrap();
            }
        }
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        full
    }
}
