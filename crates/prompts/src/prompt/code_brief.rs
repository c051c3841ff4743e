//! The input of a dispatch about code, in addition to what every dispatch has, as the engine hands it over.

use redraft_documents::context::ContextMode;
use redraft_facts::event::PlayerKind;
use redraft_facts::prelude::*;
use redraft_facts::text::takes_more;

/// The part of a brief that only code has.
#[derive(Debug, Clone, Copy, Default)]
pub struct CodeBrief<'a> {
    /// The change: the unified diff from the base of the phase to the revision seen.
    pub change: &'a str,
    /// The project's checks, in the order they are run. The same all through a loop.
    pub checks: &'a [ProjectCheck<'a>],
    /// How whoever builds may run them.
    pub running: Running,
    /// For a reviewer: how they ended on the revision seen.
    pub results: &'a [CheckResult<'a>],
    /// For a reviewer: whether it may have them run once more.
    pub may_recheck: bool,
    /// For a reviewer: tasks that a person went on without.
    pub left_out: &'a [LeftOut<'a>],
    /// For a reviewer: tasks that were done before the feature was adopted, each with its id and title.
    pub done_before: &'a [(&'a str, &'a str)],
    /// The problem and the goals, in the words of the PRD, where that is not given whole. The same for all tasks.
    pub wanted: Option<&'a str>,
    /// What the task list says about all its tasks. The same for all of them.
    pub constraints: Option<&'a str>,
    /// What is to be carried out, for the role that carries out a task.
    pub task: Option<&'a TaskBrief<'a>>,
    /// The outline of the tests, for the role that writes them.
    pub outline: Option<&'a str>,
    /// The files where tests were written from it before; the code was mended since.
    pub tests: &'a [String],
    /// Whether a check fails because tests that were written from the documents disagree with the code.
    pub diverges: bool,
    /// Whether the change is reviewed by itself: it need not belong to a feature, and only the people who go on with it
    /// answer its reviewers.
    pub by_itself: bool,
    /// For such a change and the reviewer that compares it with what was wanted: its description or, in a continued
    /// conversation, the description of what is new in it.
    pub intent: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectCheck<'a> {
    pub name: &'a str,
    pub command: &'a str,
}

/// In which words an agent may run a check. What a prompt allows is never more than what the agent is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Running {
    /// In its own words and no others.
    #[default]
    Exactly,
    /// A plain command also with more words behind it.
    PlainWithMore,
    /// As it likes.
    Freely,
}

impl Running {
    /// How an agent of a kind may run commands at least, whatever its configuration adds to that.
    pub fn for_agent_kind(kind: PlayerKind) -> Running {
        match kind {
            PlayerKind::Unknown | PlayerKind::Rehearsal | PlayerKind::Anthropic | PlayerKind::OpenAi => {
                Running::Exactly
            }
            PlayerKind::Claude => Running::PlainWithMore,
            PlayerKind::Codex | PlayerKind::Pull => Running::Freely,
        }
    }

    /// Whether the name of one test may follow a command.
    pub(super) fn takes_more(self, command: &str) -> bool {
        match self {
            Running::Exactly => false,
            Running::PlainWithMore => takes_more(command),
            Running::Freely => true,
        }
    }
}

/// The tool by which it asks for that.
pub const CHECK_TOOL: &str = "Check";

/// How often a reviewer may have checks run in one dispatch: enough to settle a doubt, and few enough to leave the
/// time to the review.
pub const RECHECKS_MAX: usize = 3;

/// Whether agents of a kind can ask for a check to be run once more.
pub fn may_recheck(kind: PlayerKind) -> bool {
    match kind {
        PlayerKind::Claude
        | PlayerKind::Codex
        | PlayerKind::Anthropic
        | PlayerKind::OpenAi
        | PlayerKind::Pull => true,
        PlayerKind::Unknown | PlayerKind::Rehearsal => false,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckResult<'a> {
    pub check: ProjectCheck<'a>,
    /// False where a person decided to go on with a check that fails.
    pub passed: bool,
    /// The end of what it printed.
    pub output: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut<'a> {
    pub id: &'a str,
    pub title: &'a str,
    pub why: &'a str,
}

/// One task, with the parts of the documents that concern it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskBrief<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// The file it stands in.
    pub file: &'a str,
    /// Its block of that file; empty where the whole file is the task.
    pub text: &'a str,
    /// Whether the block says when it is done.
    pub says_when_done: bool,
    /// The parts of the documents that go with it.
    pub artifacts: &'a [TaskArtifact<'a>],
    /// The tasks it depends on.
    pub depends: &'a [Dependency<'a>],
    /// Whether an earlier turn has worked on it, and its work is in the files.
    pub begun: bool,
    /// Why the last turn said that it is not done.
    pub stopped: Option<&'a str>,
    /// Why it is carried out again though its last turn was content.
    pub returned: Option<ReturnedTask<'a>>,
}

/// Why finished work did not become part of the feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReturnedTask<'a> {
    pub why: ReturnedWhy<'a>,
    /// The other tasks it has to do with, as `1.2 Title`, a line each; empty where none is known.
    pub with: &'a str,
    /// The diff of what became part of the feature since it was begun.
    pub gained: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReturnedWhy<'a> {
    /// Both have changed the same lines of these files.
    Conflict { files: &'a [String] },
    /// A check fails with it.
    Red { gate: &'a str, evidence: &'a str },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskArtifact<'a> {
    /// `design.md`
    pub name: &'a str,
    pub path: &'a str,
    pub mode: ContextMode,
    /// The sections, the whole text, or nothing, depending on the mode.
    pub text: &'a str,
    /// Why this much of it is given.
    pub reason: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dependency<'a> {
    pub id: &'a str,
    pub title: &'a str,
    /// Why a person went on without it; none where it is done.
    pub left_out: Option<&'a str>,
}
