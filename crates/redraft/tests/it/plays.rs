//! Whole features as a list of steps that can be begun again at any of them, for tests that disturb one.
//!
//! The set-up is made once. Before each `run` the folder is copied, so that a test puts one back instead of playing all
//! that came before; it stays at the same path, because git keeps absolute ones.

use crate::leftovers::scraps;
use crate::world::{Left, PROGRAM, answered, entries, left};
use redraft_facts::event::{Entry, Event, Judged, Judgement};
use redraft_facts::phase::Phase;
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const SWITCH: &str = "REDRAFT_ABORT_AT_BOUNDARY";

const IDEA: &str = "Export the monthly report as CSV";

/// With a price, so that what a lost attempt reserved can be seen on the receipt.
const PRICES: &str = "usd_per_million_input = 3.0\nusd_per_million_output = 15.0\n";

/// What is done to a feature, one after the other.
pub(crate) enum Step {
    /// `redraft run`, which ends with this code.
    Run(i32),
    /// Another command, which ends well.
    Redraft(&'static [&'static str]),
}

pub(crate) struct Play {
    pub(crate) scratch: Scratch,
    steps: Vec<Step>,
    /// The folder before each `run`, and which step that is.
    kept: Vec<(usize, tempfile::TempDir)>,
    /// What an undisturbed play leaves behind.
    expected: Left,
    /// Dispatches of the undisturbed play.
    pub(crate) dispatches: usize,
}

impl Play {
    /// A feature that was made before, with this configuration, played undisturbed once.
    fn of(scratch: Scratch, config: &str, steps: Vec<Step>) -> Play {
        let agent = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
        scratch.write("redraft.toml", &format!("{config}{agent}"));
        scratch.write("scenario.toml", PRICES);
        let mut kept = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            if matches!(step, Step::Run(_)) {
                let copy = tempfile::tempdir().unwrap();
                copy_all(&scratch.root(), copy.path());
                kept.push((at, copy));
            }
            step.take(&scratch, "undisturbed");
        }
        let expected = left(&scratch);
        let started =
            entries(&scratch).iter().filter(|entry| matches!(entry.event, Event::Started(_))).count();
        Play { scratch, steps, kept, expected, dispatches: started }
    }

    /// Fails unless the undisturbed play contains this event: the one it is played for.
    fn with(self, wanted: impl Fn(&Event) -> bool) -> Play {
        assert!(entries(&self.scratch).iter().any(|entry| wanted(&entry.event)), "the play misses its point");
        self
    }

    /// The numbers of the steps that are runs.
    pub(crate) fn runs(&self) -> Vec<usize> {
        self.kept.iter().map(|(at, _)| *at).collect()
    }

    /// Puts the folder back to what it was before this run.
    pub(crate) fn begin_at(&self, run: usize) {
        let (_, copy) = self.kept.iter().find(|(at, _)| *at == run).unwrap();
        self.put_back(copy.path());
    }

    pub(crate) fn put_back(&self, copy: &Path) {
        fs::remove_dir_all(self.scratch.root()).unwrap();
        copy_all(copy, &self.scratch.root());
        self.scratch.accept();
    }

    /// The folder as it is now.
    pub(crate) fn copy(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        copy_all(&self.scratch.root(), copy.path());
        copy
    }

    /// The command of a run, not yet started, and the code it ends with if it is not disturbed.
    pub(crate) fn command(&self, run: usize) -> Command {
        assert!(matches!(self.steps[run], Step::Run(_)), "step {run} is no run");
        self.scratch.redraft(["run", "--yes", "001"])
    }

    pub(crate) fn code_of(&self, run: usize) -> i32 {
        let Step::Run(code) = self.steps[run] else { panic!("step {run} is no run") };
        code
    }

    /// True when this run died at the boundary; false when it came to its end before.
    pub(crate) fn dies(&self, run: usize, boundary: u64) -> bool {
        let code = self.code_of(run);
        let ran = Ran::new(self.command(run).env(SWITCH, boundary.to_string()).output().unwrap());
        match ran.code {
            None => true,
            Some(found) if found == code => false,
            Some(found) => panic!("boundary {boundary}: code {found}: {}", ran.stderr),
        }
    }

    /// Plays on from this run, which may have been disturbed before, and finds the same as if it had not been.
    #[track_caller]
    pub(crate) fn recovers(&self, run: usize, what: &str) {
        for step in &self.steps[run..] {
            step.take(&self.scratch, what);
        }
        self.ended_well(what);
    }

    /// No run follows this one, so that its end is the end of the play.
    pub(crate) fn is_last(&self, run: usize) -> bool {
        run + 1 == self.steps.len()
    }

    /// Neither git nor the ledger finds anything damaged.
    #[track_caller]
    pub(crate) fn is_sound(&self, what: &str) {
        let verified = self.scratch.run(["status", "--verify"]);
        assert_eq!(verified.code, Some(0), "{what}: {}{}", verified.stdout, verified.stderr);
        let mut fsck = self.scratch.command("git");
        let fsck = Ran::new(fsck.args(["fsck", "--full", "--no-dangling"]).output().unwrap());
        assert_eq!(fsck.code, Some(0), "{what}: {}{}", fsck.stdout, fsck.stderr);
    }

    #[track_caller]
    pub(crate) fn ended_well(&self, what: &str) {
        let scratch = &self.scratch;
        assert_eq!(left(scratch), self.expected, "{what}");
        let entries = entries(scratch);
        let tally = answered(scratch);
        for entry in &entries {
            let Event::Answered(fact) = &entry.event else { continue };
            let ticket = fact.ticket.to_string();
            assert_eq!(tally.get(&ticket), Some(&1), "{what}: {ticket} in the agent's own log");
        }
        let lost: Vec<u64> = entries.iter().filter_map(cost_of_lost).collect();
        assert!(lost.iter().all(|cost| *cost > 0), "{what}: a lost attempt had something reserved");
        let receipt = redraft_reports::projections::receipt(&entries);
        let of_lost = receipt.lines.iter().filter(|line| line.end == "lost");
        let unknown: u64 = of_lost.map(|line| line.at_most_micro_usd.0).sum();
        assert_eq!(unknown, lost.iter().sum::<u64>(), "{what}: lost money on the receipt");
        let status = scratch.git_in(&scratch.worktree("001"), ["status", "--porcelain"]);
        assert_eq!(status, "", "{what}: the worktree is clean");
        assert!(scraps(scratch).is_empty(), "{what}: {:?}", scraps(scratch));
    }
}

impl Step {
    #[track_caller]
    fn take(&self, scratch: &Scratch, what: &str) {
        let (words, code) = match self {
            Step::Run(code) => (&["run", "--yes", "001"][..], *code),
            Step::Redraft(words) => (*words, 0),
        };
        let ran = scratch.run(words);
        assert_eq!(ran.code, Some(code), "{what}: {words:?}: {}{}", ran.stdout, ran.stderr);
    }
}

fn cost_of_lost(entry: &Entry) -> Option<u64> {
    if let Event::Lost(fact) = &entry.event { Some(fact.cost.0) } else { None }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target): (PathBuf, PathBuf) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&path, &target),
            false => assert!(fs::copy(&path, &target).is_ok(), "{}", path.display()),
        }
    }
}

/// From the idea to the approval, without a disturbance.
pub(crate) fn undisturbed() -> Play {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    Play::of(scratch, "", vec![Step::Run(0)])
}

/// From the idea through every phase to an approved task list.
pub(crate) fn whole() -> Play {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--lane", "standard", "--until", "create-tasks", IDEA]).expect(0);
    let play = Play::of(scratch, "", vec![Step::Run(0)]);
    assert_eq!(play.expected.later.len(), 3, "a design, a plan and tasks");
    play
}

/// From an approved task list to reviewed code whose tests the engine runs.
pub(crate) fn built() -> Play {
    let scratch = Scratch::repository(PROGRAM);
    let tests = "failed=0\nfor file in tests/*/*.sh; do\n  if [ -e \"$file\" ]; then sh \"$file\" || failed=1; fi\ndone\nexit $failed\n";
    scratch.write("tests/run.sh", tests);
    scratch.git(["add", "tests/run.sh"]);
    scratch.git(["commit", "-q", "-m", "tests"]);
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    scratch.run(["run", "--yes", "--until", "create-tasks"]).expect(0);
    let trust = Step::Redraft(&["trust", "--yes"]);
    let config = "[checks]\ntests = \"sh tests/run.sh\"\n";
    let mut play = Play::of(scratch, config, vec![trust, Step::Run(0)]);
    let in_code = |entry: &&Entry| matches!(&entry.event, Event::Started(fact) if fact.ticket.phase == Phase::Implement);
    play.dispatches = entries(&play.scratch).iter().filter(in_code).count();
    assert!(play.expected.code.contains("src/"), "there is code: {}", play.expected.code);
    play.with(|event| matches!(event, Event::Judged(Judged { judgement: Judgement::Rejected, ticket, .. }) if ticket.phase == Phase::Implement))
}
