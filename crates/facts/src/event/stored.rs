//! All kinds of events with the version of their stored form, and how they are written and read.
//!
//! One list, `events!`, names every kind once; a kind that gains a field gets its next number there. What the facts
//! mean is documented with their types in [`super`].

use super::*;
use crate::probed::{AgentsMet, Probed};

/// Why a stored event could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error(
        "event kind `{kind}` version {version} was written by a newer redraft; this one reads up to version {known}"
    )]
    Newer { kind: String, version: u16, known: u16 },
    #[error("event kind `{kind}` is not known to this redraft")]
    UnknownKind { kind: String },
    #[error("a stored `{kind}` event does not have the form of its version: {detail}")]
    Malformed { kind: String, detail: String },
}

macro_rules! events {
    ($($kind:literal $version:literal $name:ident),+ $(,)?) => {
        #[expect(clippy::large_enum_variant, reason = "a third of all events are of the largest kind")]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $($name($name),)+
        }

        /// Every kind with the version this program writes.
        #[cfg(test)]
        const KINDS: &[(&str, u16)] = &[$(($kind, $version),)+];

        impl Event {
            /// The stored name of the kind.
            pub fn kind(&self) -> &'static str {
                match self { $(Event::$name(_) => $kind,)+ }
            }

            /// The version this program writes.
            pub fn version(&self) -> u16 {
                match self { $(Event::$name(_) => $version,)+ }
            }

            /// The stored form.
            pub fn encode(&self) -> String {
                let json = match self { $(Event::$name(body) => serde_json::to_string(body),)+ };
                json.expect("events hold only strings, numbers, lists and text-keyed structs")
            }

            /// Reads a stored form.
            pub fn decode(kind: &str, version: u16, body: &str) -> Result<Event, DecodeError> {
                match kind {
                    $($kind => {
                        if version > $version {
                            return Err(DecodeError::Newer { kind: kind.to_owned(), version, known: $version });
                        }
                        serde_json::from_str(body).map(Event::$name).map_err(|error| DecodeError::Malformed {
                            kind: kind.to_owned(),
                            detail: error.to_string(),
                        })
                    })+
                    _ => Err(DecodeError::UnknownKind { kind: kind.to_owned() }),
                }
            }
        }

        $(impl From<$name> for Event {
            fn from(body: $name) -> Event {
                Event::$name(body)
            }
        })+
    };
}

events! {
    "feature-created" 1 FeatureCreated,
    "loop-opened" 1 LoopOpened,
    "started" 1 Started,
    "answered" 1 Answered,
    "raised" 1 Raised,
    "failed" 1 Failed,
    "lost" 1 Lost,
    "drafted" 1 Drafted,
    "built" 1 Built,
    "taken-out" 1 TakenOut,
    "jobs-set" 1 JobsSet,
    "enqueued" 1 Enqueued,
    "combined" 1 Combined,
    "judged" 1 Judged,
    "edited" 1 Edited,
    "checked" 1 Checked,
    "asked" 1 Asked,
    "decided" 1 Decided,
    "commented" 1 Commented,
    "retro-written" 1 RetroWritten,
    "bank-judged" 1 BankJudged,
    "bank-applied" 1 BankApplied,
    "merged" 1 Merged,
    "stage-closed" 1 StageClosed,
    "phase-closed" 1 PhaseClosed,
    "cancelled" 1 Cancelled,
    "adopted" 1 Adopted,
    "lane-set" 1 LaneSet,
    "phase-skipped" 1 PhaseSkipped,
    "went-back" 1 WentBack,
    "unblocked" 1 Unblocked,
    "agents-met" 1 AgentsMet,
    "probed" 1 Probed,
    "budget-set" 1 BudgetSet,
    "budget-reached" 1 BudgetReached,
    "cost-corrected" 1 CostCorrected,
    "driver-changed" 1 DriverChanged,
    "proposal-settled" 1 ProposalSettled,
    "redacted" 1 Redacted,
    "unreadable" 1 Unreadable,
    "signing-began" 1 SigningBegan,
}

#[cfg(test)]
mod tests;
