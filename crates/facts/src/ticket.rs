//! A ticket names one dispatch: for whom, why, in which round, at which attempt.
//!
//! Shown and stored as `031/specify.1/review/spec-reviewer/2.1`, and for one task as
//! `031/implement.1/task-1.2/implement/implementer/1.1`. Every prompt, answer, commit and session is
//! filed under its ticket, so the text form is a stored format: see the round-trip test below.

use crate::ids::{AgentName, BadId, FeatureId, ReviewId, Role, TaskId};
use crate::phase::Phase;
use crate::prelude::*;
use core::fmt;
use core::str::FromStr;
use serde::{Deserialize, Serialize};

/// Whose events these are. Every append is checked against the last event of its scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Feature(FeatureId),
    /// The review of one document by itself.
    Review(ReviewId),
    /// What is known of an agent itself, whichever feature it works for.
    Agent(AgentName),
    Repo,
}

const AGENT: &str = "agent-";
const REVIEW: &str = "review-";

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Feature(id) => write!(f, "{id}"),
            Scope::Review(id) => write!(f, "{REVIEW}{id}"),
            Scope::Agent(name) => write!(f, "{AGENT}{name}"),
            Scope::Repo => f.write_str("repo"),
        }
    }
}

impl FromStr for Scope {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        if let Some(id) = word.strip_prefix(REVIEW) {
            return id.parse().map(Scope::Review).map_err(|_| BadId::new(word, "a scope"));
        }
        match (word, word.strip_prefix(AGENT)) {
            ("repo", _) => Ok(Scope::Repo),
            (_, Some(name)) if !name.is_empty() && !name.contains('/') => {
                Ok(Scope::Agent(AgentName::new(name)))
            }
            _ => word.parse().map(Scope::Feature).map_err(|_| BadId::new(word, "a scope")),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// The author writes the first version.
    Draft,
    /// The author answers findings or a failed gate.
    Revise,
    /// A reviewer judges a revision.
    Review,
    /// A reviewer that approved an older revision says whether that still holds.
    Validate,
    /// Fresh eyes on the closing revision.
    Certify,
    /// One more turn in the same conversation, because the answer could not be used.
    Repair,
    /// The implementer carries out one task.
    Implement,
    /// Code that works is made simpler.
    Simplify,
    /// Tests are devised without a look at the code.
    Outline,
    /// Those tests are written.
    Tests,
    /// What a finished feature teaches is put into words.
    Retro,
    /// Lessons of earlier features are compared with this one.
    Judge,
    /// A turn of a probe: whether the agent's conversations can be continued.
    Probe,
}

impl Purpose {
    pub const ALL: [Purpose; 13] = [
        Purpose::Draft,
        Purpose::Revise,
        Purpose::Review,
        Purpose::Validate,
        Purpose::Certify,
        Purpose::Repair,
        Purpose::Implement,
        Purpose::Simplify,
        Purpose::Outline,
        Purpose::Tests,
        Purpose::Retro,
        Purpose::Judge,
        Purpose::Probe,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Purpose::Draft => "draft",
            Purpose::Revise => "revise",
            Purpose::Review => "review",
            Purpose::Validate => "validate",
            Purpose::Certify => "certify",
            Purpose::Repair => "repair",
            Purpose::Implement => "implement",
            Purpose::Simplify => "simplify",
            Purpose::Outline => "outline",
            Purpose::Tests => "tests",
            Purpose::Retro => "retro",
            Purpose::Judge => "judge",
            Purpose::Probe => "probe",
        }
    }

    /// Whether its answer is a verdict; the others change files, or prepare to.
    pub fn judges(self) -> bool {
        matches!(self, Purpose::Review | Purpose::Validate | Purpose::Certify | Purpose::Repair)
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What part of a phase a dispatch is for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Whole,
    Task(TaskId),
}

const TASK: &str = "task-";

/// One dispatch. `round` runs on through the pass for each role and purpose; `attempt` counts sends of it. In a
/// probe the pass is the number of the probe and the round its turn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket {
    pub scope: Scope,
    pub phase: Phase,
    pub pass: u16,
    pub unit: Unit,
    pub purpose: Purpose,
    pub role: Role,
    pub round: u16,
    pub attempt: u16,
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ticket { scope, phase, pass, unit, purpose, role, round, attempt } = self;
        write!(f, "{scope}/{phase}.{pass}/")?;
        if let Unit::Task(task) = unit {
            write!(f, "{TASK}{task}/")?;
        }
        write!(f, "{purpose}/{role}/{round}.{attempt}")
    }
}

impl FromStr for Ticket {
    type Err = BadId;

    fn from_str(word: &str) -> Result<Self, BadId> {
        let bad = || BadId::new(word, "a ticket like 031/specify.1/review/spec-reviewer/2.1");
        let parts: Vec<&str> = word.split('/').collect();
        let (unit, parts) = match parts.as_slice() {
            [scope, phase, task, rest @ ..] if rest.len() == 3 => {
                let task = task.strip_prefix(TASK).filter(|task| !task.is_empty()).ok_or_else(bad)?;
                (Unit::Task(TaskId::new(task)), [&[*scope, *phase], rest].concat())
            }
            _ => (Unit::Whole, parts),
        };
        let [scope, phase, purpose, role, tail] = parts.as_slice() else { return Err(bad()) };
        let (phase, pass) = phase.split_once('.').ok_or_else(bad)?;
        let (round, attempt) = tail.split_once('.').ok_or_else(bad)?;
        let purpose = Purpose::ALL.into_iter().find(|p| p.name() == *purpose).ok_or_else(bad)?;
        if role.is_empty() {
            return Err(bad());
        }
        Ok(Ticket {
            scope: scope.parse().map_err(|_| bad())?,
            phase: phase.parse().map_err(|_| bad())?,
            pass: pass.parse().map_err(|_| bad())?,
            unit,
            purpose,
            role: Role::new(*role),
            round: round.parse().map_err(|_| bad())?,
            attempt: attempt.parse().map_err(|_| bad())?,
        })
    }
}

macro_rules! serde_as_text {
    ($name:ty) => {
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
serde_as_text!(Ticket);
serde_as_text!(Scope);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_survives_its_text_form() {
        for text in [
            "031/specify.1/review/spec-reviewer/2.1",
            "1000/specify.12/draft/spec-author/1.3",
            "agent-claude/specify.3/probe/prober/2.1",
            "review-003/document.1/review/document-reviewer/2.1",
            "031/implement.1/task-1.2/implement/implementer/1.1",
            "031/implement.2/task-Final.1/implement/implementer/3.2",
            "031/implement.1/simplify/code-simplifier/1.1",
        ] {
            assert_eq!(text.parse::<Ticket>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_not_a_ticket_is_refused_by_name() {
        for text in [
            "",
            "031",
            "031/specify/review/spec-reviewer/2.1",
            "031/specify.1/nap/x/1.1",
            "031/specify.1/review//1.1",
            "agent-/specify.1/probe/prober/1.1",
            "031/implement.1/task-/implement/implementer/1.1",
            "031/implement.1/1.2/implement/implementer/1.1",
        ] {
            let error = text.parse::<Ticket>().unwrap_err();
            assert!(error.to_string().starts_with(&format!("`{text}` is not a ticket")), "{error}");
        }
    }
}
