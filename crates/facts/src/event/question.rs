//! Questions that only a person can settle, and the answers. How an answer changes a loop is in `core::review`.

use crate::forecast::Forecast;
use crate::ids::{CommentId, FindingId, Revision, Role, TaskId};
use crate::phase::Phase;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// Something only a person can decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    pub pass: u16,
    /// Counts the questions of a loop, so that an answer cannot be taken for another one's.
    pub number: u32,
    pub about: About,
    pub text: String,
    pub choices: Vec<Decision>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum About {
    /// A stage used up its rounds.
    Cap { stage: u16 },
    /// A role could not be made to answer.
    Agent { role: Role },
    /// Gates failed too often in a row.
    Gate,
    /// The author changed nothing, twice.
    Unchanged,
    /// Fresh eyes found blockers again after the phase had been reopened.
    Certificate,
    /// The author asks before it drafts.
    Author { questions: Vec<AuthorQuestion> },
    /// The implementer could not carry out a task.
    Task { id: TaskId },
    /// Tests written from the documents fail, and the code was mended for them as often as it may be.
    Divergence,
    /// The documents are there, and code is written next.
    Begin,
    /// Older lessons were judged here for the first time.
    Lessons,
    /// The feature ends, and blockers were put off that nobody has ruled on.
    Deferred,
    /// An author declined a finding, its reviewer kept it, and neither gives way; or a person's comment is not met, and
    /// nobody else can say whether it may stay so.
    Disagreement { finding: FindingId },
    /// Everybody has approved, and a person wants to look at it before the phase closes.
    Approval,
    /// Somebody in another clone decided otherwise, not knowing that the question had been answered.
    SecondDecision { id: CommentId },
}

/// What an author must know before it drafts, and what it would assume.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorQuestion {
    pub question: String,
    pub assumed: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Go on as it is; what is open is settled by this ruling.
    Accept,
    /// The person has fixed it: a new pass, with new conversations.
    Rerun,
    /// Try the same again.
    Retry,
    /// Give the feature up.
    Abandon,
    /// Here is what the author asked for.
    Answer,
    /// The author goes on with what it would assume, and says so in the document.
    Assume,
    /// Go on without this task.
    Skip,
    /// Begin.
    Go,
    /// The finding holds, and the author must change the file.
    Uphold,
    /// The finding does not hold.
    Overrule,
    /// A person has looked at this revision and approves it.
    Approve,
    /// It is to be changed, in a way the person says. Such an answer is stored as a comment.
    Comment,
}

impl Decision {
    pub const ALL: [Decision; 12] = [
        Decision::Accept,
        Decision::Rerun,
        Decision::Retry,
        Decision::Abandon,
        Decision::Answer,
        Decision::Assume,
        Decision::Skip,
        Decision::Go,
        Decision::Uphold,
        Decision::Overrule,
        Decision::Approve,
        Decision::Comment,
    ];

    /// Why it is not taken without a reason: it settles a finding, or is told to whoever must act on it.
    pub fn needs_reason(self) -> Option<&'static str> {
        match self {
            Decision::Accept => Some("accepting is a ruling and needs a reason"),
            Decision::Uphold => Some("upholding a finding needs a reason, which its author is told"),
            Decision::Overrule => Some("overruling a finding needs a reason, which is kept with it"),
            Decision::Comment => Some("a comment needs words, which its author is told"),
            Decision::Rerun
            | Decision::Retry
            | Decision::Abandon
            | Decision::Answer
            | Decision::Assume
            | Decision::Skip
            | Decision::Go
            | Decision::Approve => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Decision::Accept => "accept",
            Decision::Rerun => "rerun",
            Decision::Retry => "retry",
            Decision::Abandon => "abandon",
            Decision::Answer => "answer",
            Decision::Assume => "assume",
            Decision::Skip => "skip",
            Decision::Go => "go",
            Decision::Uphold => "uphold",
            Decision::Overrule => "overrule",
            Decision::Approve => "approve",
            Decision::Comment => "comment",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub question: Question,
    /// The expected further cost, shown with the question before code is written.
    pub estimate: Option<Forecast>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    pub pass: u16,
    pub number: u32,
    pub about: About,
    pub choice: Decision,
    pub by: String,
    pub why: String,
    /// The findings this settles.
    pub ruled: Vec<FindingId>,
    /// The revision it is about.
    pub revision: Option<Revision>,
    /// The roles whose approval this replaces although they never saw that revision.
    pub unseen: Vec<Role>,
    /// What the author is told, one text for each of its questions; an empty one leaves it to its assumption.
    pub answers: Vec<String>,
    /// The phase it was asked in.
    pub phase: Option<Phase>,
    /// With `uphold`: what others found of the same defect, which holds as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "super::list_or_null")]
    pub upheld: Vec<FindingId>,
}

impl Decided {
    /// The findings that a disagreement was decided about, the one that a person was asked about first; none where
    /// something else was asked.
    pub fn disputed(&self) -> Vec<FindingId> {
        let About::Disagreement { finding } = &self.about else { return Vec::new() };
        let others = self.ruled.iter().chain(&self.upheld).filter(|other| *other != finding);
        core::iter::once(finding).chain(others).cloned().collect()
    }

    /// The same as people read it: `X1, Q1`.
    pub fn disputed_in_words(&self) -> String {
        let ids: Vec<String> = self.disputed().iter().map(ToString::to_string).collect();
        ids.join(", ")
    }
}
