//! Takes secrets out of what is sent and of what comes back, before anything is hashed or stored.

use crate::ports::Outcome;
use redraft_facts::event::AgentIdentity;
use redraft_facts::fragment::{Fragment, Prompt};
use redraft_facts::redact::Redactor;
use redraft_facts::text;
use std::borrow::Cow;

/// An answer without secrets, before anything is done with it.
pub(crate) fn outcome_without_secrets(mut outcome: Outcome, redactor: &Redactor) -> Outcome {
    outcome.text = redactor.redact(&outcome.text).0.into_owned();
    outcome.denials = told(&outcome.denials, redactor);
    outcome.notes = told(&outcome.notes, redactor);
    outcome
}

/// What an agent reported in addition to its answer: without secrets, a line each, and no more than a person would
/// read.
pub(crate) fn told(lines: &[String], redactor: &Redactor) -> Vec<String> {
    const LINES_MAX: usize = 20;
    const CHARS_MAX: usize = 200;
    let clean = |line: &String| text::one_line(&redactor.redact(line).0, CHARS_MAX);
    let mut told: Vec<String> = lines.iter().take(LINES_MAX).map(clean).collect();
    if lines.len() > LINES_MAX {
        told.push(format!("… and {} more", lines.len() - LINES_MAX));
    }
    told
}

/// Takes secrets out before anything is hashed, stored or sent.
pub(crate) fn prompt_without_secrets(prompt: &mut Prompt, redactor: &Redactor) {
    let lists = [&mut prompt.constant, &mut prompt.feature, &mut prompt.role, &mut prompt.turn];
    let mut taken_out = false;
    for fragment in lists.into_iter().flatten() {
        if let Cow::Owned(clean) = redactor.redact(&fragment.text).0 {
            fragment.text = clean;
            taken_out = true;
        }
    }
    if taken_out {
        prompt.turn.push(Fragment::new("taken-out", TAKEN_OUT));
    }
}

/// Tells a role that it is not shown everything, so that it does not silently approve what stands in such a place.
const TAKEN_OUT: &str = "## What Was Taken Out\n\n\
    Where `[redacted:…]` stands above, the engine has taken out what looks like a secret. The file holds another text there, \
    which nobody has shown you. It need be no secret: code and data can be written so that they look like one. Judge how that \
    place is used, and where it is run, loaded or decoded, and you cannot see what it holds, say so in a finding.\n";

/// The identity of an agent, without secrets: a host chooses its own name.
pub(crate) fn player_without_secrets(player: AgentIdentity, redactor: &Redactor) -> AgentIdentity {
    let clean = |text: &str| redactor.redact(text).0.into_owned();
    let AgentIdentity { kind, program, version, model } = player;
    AgentIdentity::new(kind, &clean(&program), &clean(&version), &clean(&model))
}
