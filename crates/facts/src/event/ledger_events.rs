//! Facts about the ledger itself: a secret was removed from it, something could not be recovered from a damaged one, or
//! a person let another key sign it from here on.

use super::Event;
use crate::ids::BlobId;
use crate::prelude::*;
use serde::{Deserialize, Serialize};

/// A secret was removed. It is not stored here, nor is any value derived from it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redacted {
    pub by: String,
    pub why: String,
    /// The events whose bodies were replaced, with the salted hash of what they are now.
    pub events: Vec<Amended>,
    /// How many blobs were replaced.
    pub blobs: u64,
    /// How many files outside the ledger: in worktrees and in Redraft's own folder.
    pub files: u64,
    /// How many git objects were rewritten, and how many refs point elsewhere since.
    pub objects: u64,
    pub refs: u64,
}

/// An event whose body was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amended {
    pub seq: u64,
    /// In lower-case hex.
    pub hash: String,
}

/// Takes the place of an event that a damaged ledger no longer had, or that no longer fits the events left before it;
/// or reports that a blob is lost. It changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unreadable {
    /// The kind of the event; empty where that is lost too.
    pub kind: String,
    /// What was wrong with it.
    pub detail: String,
    /// The blob that is lost; none where an event is.
    pub blob: Option<BlobId>,
}

/// A person has looked at entries that their own key did not sign, and goes on from them with that key: what stands
/// before this is taken as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SigningBegan {
    /// The public key that signs from here on, in lower-case hex.
    pub key: String,
    /// The key that signed the entry before; none where nothing valid did.
    pub before: Option<String>,
    /// The first entry that is taken as it is, and what was wrong with it.
    pub accepted: u64,
    pub found: String,
    pub by: String,
}

impl Event {
    /// The blobs it names, each of which is stored with it or was before.
    pub fn blobs(&self) -> Vec<&BlobId> {
        match self {
            Event::FeatureCreated(fact) => fact.prd.iter().collect(),
            Event::LoopOpened(fact) => {
                let named = [&fact.project, &fact.bundle, &fact.bank, &fact.conventions];
                fact.profiles.values().chain(named.into_iter().flatten()).collect()
            }
            Event::Started(fact) => vec![&fact.prompt],
            Event::Answered(fact) => vec![&fact.answer],
            Event::Edited(fact) => {
                fact.compared.iter().filter_map(|compared| compared.intent.as_ref()).collect()
            }
            Event::Adopted(fact) => fact.files.iter().map(|file| &file.blob).collect(),
            Event::RetroWritten(fact) => fact.judge.iter().collect(),
            Event::Failed(fact) => fact.forgot.iter().collect(),
            Event::Raised(_)
            | Event::Lost(_)
            | Event::Drafted(_)
            | Event::Built(_)
            | Event::TakenOut(_)
            | Event::JobsSet(_)
            | Event::Enqueued(_)
            | Event::Combined(_)
            | Event::Judged(_)
            | Event::Checked(_)
            | Event::Asked(_)
            | Event::Decided(_)
            | Event::Commented(_)
            | Event::BankJudged(_)
            | Event::BankApplied(_)
            | Event::Merged(_)
            | Event::StageClosed(_)
            | Event::PhaseClosed(_)
            | Event::Cancelled(_)
            | Event::LaneSet(_)
            | Event::PhaseSkipped(_)
            | Event::WentBack(_)
            | Event::Unblocked(_)
            | Event::AgentsMet(_)
            | Event::Probed(_)
            | Event::BudgetSet(_)
            | Event::BudgetReached(_)
            | Event::CostCorrected(_)
            | Event::DriverChanged(_)
            | Event::ProposalSettled(_)
            | Event::Redacted(_)
            | Event::Unreadable(_)
            | Event::SigningBegan(_) => Vec::new(),
        }
    }
}
