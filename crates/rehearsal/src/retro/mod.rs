//! Looks back on a feature: what it teaches, and which earlier lessons it confirms.
//!
//! Everything follows by rules from the prompt; nothing is opened, and no lesson or feature is known here. Start at
//! [`Work::look_back`]; `bundle` takes apart what is sent, `teach` makes observations and one lesson from what
//! reviewers found, `weigh` judges earlier lessons by it.

mod bundle;
mod teach;
mod weigh;

use crate::Act;
use crate::broken;
use crate::session::Memory;
use crate::turn::{Turned, Work};
use redraft_engine::ports::AgentError;
use redraft_facts::ticket::Purpose;

impl Work<'_> {
    pub(super) fn look_back(&self) -> Result<Turned, AgentError> {
        let bundle = self.request.prompt.get("bundle");
        let bundle = bundle.ok_or_else(|| broken("the prompt holds nothing to look back on"))?;
        let answer = match self.request.ticket.purpose {
            Purpose::Judge => weigh::weigh(bundle),
            _ => teach::teach(bundle, self.act == Some(Act::Count)),
        };
        let text = serde_json::to_string_pretty(&answer);
        let text = text.map_err(|error| broken(&format!("the answer: {error}")))?;
        Ok(Turned { text, memory: Memory::default(), opened: Vec::new() })
    }
}
