//! What people did and were asked: edits, questions, decisions, comments.

use redraft_facts::event::{About, Asked, Commented, Decided, Decision, Edited};
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;
use redraft_facts::verdict::Severity;

pub(super) fn asked(fact: &Asked) -> String {
    let choices: Vec<&str> = fact.question.choices.iter().map(|choice| choice.name()).collect();
    // An author's questions follow, a line each.
    let (first, more) = fact.question.text.split_once('\n').unwrap_or((&fact.question.text, ""));
    let more = if more.is_empty() { String::new() } else { format!("\n{more}") };
    format!("asked: {first} ({}){more}", choices.join(", "))
}

pub(super) fn decided(fact: &Decided) -> String {
    let why = if fact.why.is_empty() { String::new() } else { format!(": {}", one_line(&fact.why, 120)) };
    let names: Vec<&str> = fact.unseen.iter().map(Role::as_str).collect();
    let unseen =
        if names.is_empty() { String::new() } else { format!(" (not reviewed by {})", names.join(", ")) };
    let what = match (&fact.about, fact.choice) {
        (About::Disagreement { .. }, Decision::Uphold | Decision::Overrule) => {
            format!(" {}", fact.disputed_in_words())
        }
        _ => String::new(),
    };
    format!("{} decided {}{what}{unseen}{why}", fact.by, fact.choice.name())
}

pub(super) fn commented(fact: &Commented) -> String {
    let (by, id, text) = (&fact.by, &fact.finding, one_line(&fact.text, 300));
    match (fact.reopens, fact.severity) {
        (true, _) => format!("{by} opened {id} of {} again: {text}", fact.phase),
        (false, Severity::Blocker) => format!("{by} commented on {} ({id}): {text}", fact.phase),
        (false, _) => format!("{by} noted on {} ({id}): {text}", fact.phase),
    }
}

pub(super) fn edited(fact: &Edited, phase: Option<Phase>) -> String {
    let did = if fact.first { "handed in" } else { "edited" };
    let what = match (&fact.compared, phase) {
        (Some(_), _) => "change",
        (None, Some(Phase::Implement)) if fact.first => {
            let revision = fact.revision.short();
            return format!(
                "what the branch holds besides the documents is part of the change: revision {revision}"
            );
        }
        (None, Some(Phase::Implement)) => "code",
        (None, Some(Phase::Finish)) => {
            return format!("the merge result has changed: revision {}", fact.revision.short());
        }
        (None, _) => "document",
    };
    format!("{} {did} the {what}: revision {}", fact.by, fact.revision.short())
}
