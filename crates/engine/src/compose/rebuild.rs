//! Rebuilds every prompt of a feature from its events and the revisions git keeps: the proof that the same events and
//! inputs give the same bytes.

use super::{LoopFacts, LoopTexts, Offered, Texts, compose};
use crate::ending::EngineError;
use crate::ports::{Store, Workspace, WorkspaceError};
use crate::redacting::prompt_without_secrets;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::event::{Entry, Event};
use redraft_facts::fragment::Prompt;
use redraft_facts::ids::BlobId;
use redraft_facts::redact::Redactor;
use redraft_facts::ticket::Ticket;

/// A prompt as it was sent, and as it comes out when it is built again.
pub struct Rebuilt {
    pub ticket: Ticket,
    pub stored: BlobId,
    pub prompt: Prompt,
}

/// Builds every prompt of a feature again, from its events and the revisions git keeps.
pub fn rebuild(
    store: &dyn Store,
    workspace: &dyn Workspace,
    entries: &[Entry],
    redactor: &Redactor,
) -> Result<Vec<Rebuilt>, EngineError> {
    let mut rebuilt = Vec::new();
    let mut state = Pipeline::default();
    for entry in entries {
        if let (Event::Started(started), Some(created), Some(open)) =
            (&entry.event, &state.created, &state.open)
        {
            let order = pipeline::pending(&state).into_iter().find_map(|effect| match effect {
                Effect::Dispatch(order) if order.ticket == started.ticket => Some(order),
                _ => None,
            });
            if let Some(order) = order {
                let strategy = started.choice.strategy;
                let offered = Offered { kind: started.player.kind, missing: &started.missing };
                let texts = Texts::new(workspace, store);
                let loop_texts = LoopTexts::load(store, &open.opened)?;
                let setting = LoopFacts { pipeline: &state, loop_texts: &loop_texts };
                let mut composed = compose(&texts, setting, created, open, &order, strategy, offered)?;
                composed.extend(started.recall.as_ref());
                prompt_without_secrets(&mut composed.prompt, redactor);
                let (ticket, stored) = (started.ticket.clone(), started.prompt.clone());
                rebuilt.push(Rebuilt { ticket, stored, prompt: composed.prompt });
            }
        }
        state = pipeline::step(&state, &entry.event).map_err(|rejected| WorkspaceError::File {
            path: format!("event {}", entry.seq),
            detail: rejected.to_string(),
        })?;
    }
    Ok(rebuilt)
}
