//! What is kept about a prompt that an agent was asked: who answered it, in how many turns, and for how much.
//!
//! Written before anything is sent, so that after a kill it is known what may have to be paid. The form has a version.

use redraft_facts::prelude::*;
use redraft_facts::usage::{Payment, Usage, Usd};
use serde::{Deserialize, Serialize};

/// The version of the stored form.
pub const VERSION: u16 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub v: u16,
    /// The name of the agent.
    pub agent: String,
    /// The program, version and model behind it.
    pub player: String,
    /// Of the prompt as it was sent.
    pub prompt_sha256: String,
    /// In the order they were sent; repeated attempts are turns, too.
    pub turns: Vec<TurnRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    pub ticket: String,
    pub turn: WhichTurn,
    /// The most it can cost, set aside before it was sent.
    pub reserved: Usd,
    /// None while it is under way, and where nobody saw its end.
    pub end: Option<RecordedEnd>,
}

/// Which turn of a conversation it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichTurn {
    /// The review that a later one continues.
    Before,
    /// The one that is counted.
    Answer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedEnd {
    /// Why there is no answer; empty where there is one.
    pub failed: String,
    /// None where nothing was reported.
    pub usage: Option<Usage>,
    /// What it counts as: the bill, or what was set aside where there is none.
    pub counted: Usd,
    pub payment: Payment,
    pub wall_ms: u64,
}

/// Why a stored record cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRecord {
    #[error("it is not a record of an answer: {0}")]
    Unreadable(String),
    #[error("it has version {0}, and this redraft reads version {VERSION}")]
    Version(u16),
}

impl Record {
    pub fn read(json: &str) -> Result<Record, BadRecord> {
        #[derive(Deserialize)]
        struct Versioned {
            v: u16,
        }
        let unreadable = |error: serde_json::Error| BadRecord::Unreadable(error.to_string());
        let Versioned { v } = serde_json::from_str(json).map_err(unreadable)?;
        if v != VERSION {
            return Err(BadRecord::Version(v));
        }
        serde_json::from_str(json).map_err(unreadable)
    }

    /// The stored form.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What all turns count as; one without an end counts as the most it can have cost.
    pub fn counted(&self) -> Usd {
        let of = |turn: &TurnRecord| turn.end.as_ref().map_or(turn.reserved, |end| end.counted);
        self.turns.iter().fold(Usd(0), |sum, turn| sum + of(turn))
    }

    /// What the answer that is counted cost, without the review that it continues and without attempts that failed.
    pub fn answer_cost(&self) -> Option<Usd> {
        let answers = self.turns.iter().filter(|turn| turn.turn == WhichTurn::Answer);
        answers
            .rev()
            .filter_map(|turn| turn.end.as_ref())
            .find(|end| end.failed.is_empty())
            .map(|end| end.counted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(turn: WhichTurn, reserved: u64, end: Option<(&str, u64)>) -> TurnRecord {
        let end = end.map(|(failed, counted)| RecordedEnd {
            failed: failed.to_owned(),
            usage: None,
            counted: Usd(counted),
            payment: Payment::Key,
            wall_ms: 7,
        });
        TurnRecord {
            ticket: "agent-eval-x/specify.1/review/spec-reviewer/1.1".to_owned(),
            turn,
            reserved: Usd(reserved),
            end,
        }
    }

    fn record() -> Record {
        Record {
            v: VERSION,
            agent: "sonnet".to_owned(),
            player: "claude".to_owned(),
            prompt_sha256: "00".to_owned(),
            turns: vec![
                turn(WhichTurn::Before, 90, Some(("", 50))),
                turn(WhichTurn::Answer, 90, Some(("busy", 1))),
                turn(WhichTurn::Answer, 90, Some(("", 20))),
                turn(WhichTurn::Answer, 90, None),
            ],
        }
    }

    #[test]
    fn what_has_no_end_counts_as_the_most_and_an_answer_by_itself() {
        assert_eq!(record().counted(), Usd(50 + 1 + 20 + 90));
        assert_eq!(record().answer_cost(), Some(Usd(20)));
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_another_version_is_refused() {
        let json = record().to_json();
        assert_eq!(Record::read(&json), Ok(record()));
        assert_eq!(Record::read(&json.replacen("\"v\": 1", "\"v\": 2", 1)), Err(BadRecord::Version(2)));
        assert!(matches!(Record::read("{\"v\": 1}"), Err(BadRecord::Unreadable(_))));
    }
}
