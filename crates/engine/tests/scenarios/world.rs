//! The ports that have two implementations, as a process finds them.

use redraft_engine::boundary::Boundaries;
use redraft_engine::ports::{
    Check, CheckFolder, Checks, Clock, Comment, CommentBox, Inbox, Merging, Slots, Store, StoreError,
    Workspace,
};
use redraft_facts::ids::{CommentId, FeatureId, Revision};
use redraft_facts::ticket::Scope;
use redraft_testkit::fakes::{
    CheckRule, Crash, FakeCheckFolder, FakeMerging, FakeRepository, FakeSlots, FakeWorkspace,
    MemoryCommentBox, MemoryInbox, MemoryStore, Outside, ScriptedChecks, StillClock,
};
use std::sync::Arc;

pub(crate) const FEATURE: FeatureId = FeatureId(1);
pub(crate) const SLUG: &str = "feature";
pub(crate) const BRANCH: &str = "feature/001-feature";
/// What is on `main` when a world begins.
pub(crate) const FIRST: [(&str, &str); 3] =
    [("README.md", "# a project\n"), ("src/x.rs", "fn x() {}\n"), (".gitignore", "*.log\nbuild/\n")];
/// What makes a check folder ready.
pub(crate) const SETUP: &str = "make ready";

/// What one process works with.
pub(crate) struct Ports<'a> {
    pub(crate) store: &'a dyn Store,
    pub(crate) workspace: &'a dyn Workspace,
    pub(crate) slots: &'a dyn Slots,
    pub(crate) inbox: &'a dyn Inbox,
    pub(crate) check_folder: &'a dyn CheckFolder,
    pub(crate) merging: &'a dyn Merging,
}

/// A repository with a feature's worktree and a ledger, which outlive every process.
pub(crate) trait World {
    fn outside(&self) -> Arc<dyn Outside>;

    /// The commit the feature began on.
    fn base(&self) -> String;

    /// A new process: it remembers nothing of those before it.
    fn process(&self, boundaries: &Boundaries, act: &mut dyn FnMut(&Ports<'_>));

    /// What the ledger can do in addition to the port.
    fn ledger(&self) -> Box<dyn LedgerAt + '_>;

    /// What runs the project's checks, in a process that nobody has asked to stop yet.
    fn checks(&self) -> Box<dyn ChecksAt + '_>;

    /// The clock of a process that nobody has asked for anything yet, on a machine whose time of day is so much ahead.
    fn clock(&self, ahead_ms: i64) -> Box<dyn ClockAt>;

    /// The box that people leave comments in, as a new process finds it.
    fn comments(&self) -> Box<dyn CommentsAt + '_>;
}

/// One process's view of the ledger, with what commands ask of it.
pub(crate) trait LedgerAt {
    fn store(&self) -> &dyn Store;
    /// The board, or none where it was dropped.
    fn board(&self) -> Option<Vec<(String, u64, String)>>;
    /// How many events it looked at.
    fn check(&self) -> u64;
    fn redact(&self, decided_on: u64, bodies: &[(u64, String)]) -> Result<u64, StoreError>;
    fn amended(&self) -> Vec<(u64, u64)>;
    /// Makes an event one that a later program has written.
    fn make_newer(&self, seq: u64);
    /// Somebody removes it.
    fn remove(&self);
}

/// What runs checks, with what decides how they end.
pub(crate) trait ChecksAt {
    fn port(&self) -> &dyn Checks;
    /// A check with this command. On the fake it does what the rule says, which must be what the shell does with it.
    fn check(&self, command: &str, rule: CheckRule) -> Check;
    /// The user asks the run to stop.
    fn stop(&self);
}

/// A clock, with what the user asks of its process.
pub(crate) trait ClockAt {
    fn port(&self) -> &dyn Clock;
    /// To stop at once.
    fn stop(&self);
    /// To begin nothing new.
    fn leave(&self);
}

/// The box of comments, with what happens to it from outside.
pub(crate) trait CommentsAt {
    fn inbox(&self) -> &dyn CommentBox;
    /// Somebody leaves a comment.
    fn put(&self, scope: &Scope, comment: &Comment) -> Result<(), String>;
    /// A newer program leaves one.
    fn put_newer(&self, scope: &Scope, id: &CommentId);
    /// Whether something is still there, readable or not.
    fn holds(&self, scope: &Scope, id: &CommentId) -> bool;
    fn aside(&self, scope: &Scope) -> Vec<Comment>;
    /// From now on nothing can be read or changed.
    fn spoil(&self, scope: &Scope);
}

/// Asks one process something.
pub(crate) fn with<T>(world: &dyn World, ask: impl FnOnce(&Ports<'_>) -> T) -> T {
    let (mut ask, mut answer) = (Some(ask), None);
    world.process(&Boundaries::default(), &mut |ports| {
        answer = ask.take().map(|ask| ask(ports));
    });
    answer.expect("a process is opened once")
}

pub(crate) struct FakeWorld {
    pub(crate) crash: Arc<Crash>,
    pub(crate) repository: Arc<FakeRepository>,
    pub(crate) store: MemoryStore,
    pub(crate) inbox: MemoryInbox,
    comments: MemoryCommentBox,
    base: String,
}

impl FakeWorld {
    pub(crate) fn new() -> FakeWorld {
        let crash = Arc::new(Crash::default());
        let repository = FakeRepository::new(Arc::clone(&crash), BRANCH, &FIRST);
        let base = repository.tip("main").unwrap();
        let (store, inbox) = (MemoryStore::new(Arc::clone(&crash)), MemoryInbox::new(Arc::clone(&crash)));
        let comments = MemoryCommentBox::new(Arc::clone(&crash));
        FakeWorld { crash, repository, store, inbox, comments, base }
    }
}

impl World for FakeWorld {
    fn outside(&self) -> Arc<dyn Outside> {
        Arc::clone(&self.repository) as Arc<dyn Outside>
    }

    fn base(&self) -> String {
        self.base.clone()
    }

    fn process(&self, _boundaries: &Boundaries, act: &mut dyn FnMut(&Ports<'_>)) {
        let workspace = FakeWorkspace::open(&self.repository);
        let check_folder = FakeCheckFolder::new(&self.repository, Some(SETUP.to_owned()));
        let merging = FakeMerging::new(&self.repository);
        let slots = FakeSlots::new(&self.repository);
        act(&Ports {
            store: &self.store,
            workspace: &workspace,
            slots: &slots,
            inbox: &self.inbox,
            check_folder: &check_folder,
            merging: &merging,
        });
    }

    fn ledger(&self) -> Box<dyn LedgerAt + '_> {
        Box::new(self.store.again())
    }

    fn checks(&self) -> Box<dyn ChecksAt + '_> {
        let clock = Arc::new(StillClock::default());
        let checks = ScriptedChecks::new(self.outside(), Arc::clone(&clock));
        Box::new(FakeChecks { checks, clock })
    }

    fn clock(&self, ahead_ms: i64) -> Box<dyn ClockAt> {
        let clock = StillClock::default();
        clock.jump_to_ms(clock.now_ms() + ahead_ms);
        Box::new(clock)
    }

    fn comments(&self) -> Box<dyn CommentsAt + '_> {
        Box::new(&self.comments)
    }
}

struct FakeChecks {
    checks: ScriptedChecks,
    clock: Arc<StillClock>,
}

impl ChecksAt for FakeChecks {
    fn port(&self) -> &dyn Checks {
        &self.checks
    }

    fn check(&self, command: &str, rule: CheckRule) -> Check {
        self.checks.set(command, rule);
        Check { name: "check".to_owned(), command: command.to_owned() }
    }

    fn stop(&self) {
        self.clock.stop();
    }
}

impl ClockAt for StillClock {
    fn port(&self) -> &dyn Clock {
        self
    }

    fn stop(&self) {
        StillClock::stop(self);
    }

    fn leave(&self) {
        StillClock::leave(self);
    }
}

impl CommentsAt for &MemoryCommentBox {
    fn inbox(&self) -> &dyn CommentBox {
        *self
    }

    fn put(&self, scope: &Scope, comment: &Comment) -> Result<(), String> {
        MemoryCommentBox::put(self, scope, comment.clone())
    }

    fn put_newer(&self, scope: &Scope, id: &CommentId) {
        MemoryCommentBox::put_newer(self, scope, id);
    }

    fn holds(&self, scope: &Scope, id: &CommentId) -> bool {
        MemoryCommentBox::holds(self, scope, id)
    }

    fn aside(&self, scope: &Scope) -> Vec<Comment> {
        MemoryCommentBox::aside(self, scope)
    }

    fn spoil(&self, _: &Scope) {
        self.refuse("the disk is gone");
    }
}

impl LedgerAt for MemoryStore {
    fn store(&self) -> &dyn Store {
        self
    }

    fn board(&self) -> Option<Vec<(String, u64, String)>> {
        let rows = MemoryStore::board(self)?;
        Some(rows.into_iter().map(|(scope, seq, row)| (scope.to_string(), seq, row)).collect())
    }

    fn check(&self) -> u64 {
        MemoryStore::check(self).unwrap()
    }

    fn redact(&self, decided_on: u64, bodies: &[(u64, String)]) -> Result<u64, StoreError> {
        MemoryStore::redact(self, decided_on, bodies)
    }

    fn amended(&self) -> Vec<(u64, u64)> {
        MemoryStore::amended(self)
    }

    fn make_newer(&self, seq: u64) {
        MemoryStore::make_newer(self, seq);
    }

    fn remove(&self) {
        MemoryStore::remove(self);
    }
}

pub(crate) fn paths(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A revision that does not exist.
pub(crate) fn nowhere() -> Revision {
    Revision::new("0123456789012345678901234567890123456789")
}
