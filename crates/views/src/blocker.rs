//! How a feature that is in another's way is shown, and the commands that get past it.

use redraft_adapters::shell_word::quoted;
use redraft_documents::dependency::Blocker;
use serde::Serialize;

#[derive(Serialize)]
pub struct BlockerJson {
    pub feature: String,
    status: &'static str,
    phase: String,
    #[serde(skip)]
    shown: String,
}

impl BlockerJson {
    pub fn new(blocker: &Blocker) -> BlockerJson {
        let Blocker { name, life, phase, .. } = blocker;
        BlockerJson {
            feature: name.clone(),
            status: life.name(),
            phase: phase.clone(),
            shown: blocker.shown(),
        }
    }
}

/// `blocked by 003-keys (specify), 004-limits (abandoned)`.
pub fn blocked_by(blockers: &[BlockerJson]) -> String {
    let names: Vec<&str> = blockers.iter().map(|blocker| blocker.shown.as_str()).collect();
    format!("blocked by {}", names.join(", "))
}

/// The command that goes on with a feature although others are in its way.
pub fn unblocking(id: &str) -> String {
    format!("redraft run {id} --unblock \"why\"")
}

/// The command that takes over a feature that the ledger does not know.
pub fn adopting(name: &str) -> String {
    format!("redraft adopt {}", quoted(format!("docs/features/{name}")))
}
