//! What a task refers to, by its fields, its title, its text and the headings above it.

use super::candidate::Candidate;
use super::field::Field;
use super::{Group, Task};
use crate::sections::Outline;
use crate::task_id::key;
use crate::trace::{self, Reference};
use redraft_facts::prelude::*;

/// What a task refers to by its fields and its title; for documents of which those name no part, what its groups refer
/// to.
pub(super) fn references(
    one: &Candidate<'_>,
    fields: &[Field<'_>],
    groups: &[Group],
    text: &str,
) -> Vec<Reference> {
    use trace::TargetDocument;
    let mut refs: Vec<Reference> = Vec::new();
    for field in fields {
        refs.extend(trace::references(field.label, &field.text));
    }
    let named = |refs: &[Reference]| -> BTreeSet<TargetDocument> {
        refs.iter().filter(|one| one.basis == trace::CountsWhen::Plain).map(|one| one.kind).collect()
    };
    // The specification goes in whole, so more of its ids narrow nothing.
    let known = named(&refs);
    refs.extend(
        trace::in_title(one.tagged)
            .into_iter()
            .filter(|one| one.kind == TargetDocument::Spec || !known.contains(&one.kind)),
    );
    // Names in the text add to explicit references, and are not enough to leave out everything else.
    let known = named(&refs);
    if known.contains(&TargetDocument::Plan) || known.contains(&TargetDocument::Design) {
        refs.extend(text.lines().flat_map(trace::mentions).take(MENTIONS_MAX));
    }
    // A task that names only its requirements still belongs to the step it stands under.
    let above: Vec<Vec<Reference>> =
        groups.iter().rev().map(|group| trace::inherited(&group.title)).collect();
    // `P1` may mean the plan, so only the plan can show whether a part of it is named.
    let unsure = !refs.iter().any(|one| one.kind == TargetDocument::Plan && one.named);
    for kind in TargetDocument::ALL {
        let repeated_only = known.contains(&kind);
        if repeated_only && !(kind == TargetDocument::Plan && unsure) {
            continue;
        }
        let of = |refs: &[Reference], repeats: bool| -> Vec<Reference> {
            let fits = |one: &&Reference| one.kind == kind && one.repeats() == repeats;
            refs.iter().filter(fits).cloned().collect()
        };
        // A name belongs to the innermost group that names something. Only the plan can show which of its headings are
        // repeated.
        let named = above.iter().map(|refs| of(refs, false)).find(|refs| !refs.is_empty() && !repeated_only);
        refs.extend(named.unwrap_or_else(|| above.iter().flat_map(|refs| of(refs, true)).collect()));
    }
    let mut seen: BTreeSet<(TargetDocument, String)> = BTreeSet::new();
    refs.retain(|one| seen.insert((one.kind, one.id.to_lowercase())));
    refs
}

/// The lines of a task that are no code.
pub(super) fn prose(outline: &Outline<'_>, start: usize, end: usize) -> String {
    let lines = outline.lines().iter().enumerate().take(end).skip(start);
    lines.filter(|(at, _)| !outline.is_code(*at)).map(|(_, line)| *line).collect()
}

/// A task whose text names more titles is not a task but a document.
const MENTIONS_MAX: usize = 20;

/// Leaves out ids of the list's own tasks, which may be in any field, unless a document is named for them.
pub(super) fn without_own(tasks: &mut [Task]) {
    let own: BTreeSet<String> = tasks.iter().flat_map(Task::keys).collect();
    let lettered = |id: &str| id.starts_with(|c: char| c.is_ascii_uppercase()) && !id.contains(' ');
    for task in tasks {
        task.refs.retain(|one| one.named || !lettered(&one.id) || !own.contains(&key(&one.id)));
    }
}

/// Fields that should refer to something and do not.
pub(super) fn unread(fields: &[Field<'_>], refs: &[Reference]) -> Vec<String> {
    const CHARS_MAX: usize = 120;
    // A reason in words is fine if there is a reference elsewhere.
    let silent = |field: &&Field<'_>| {
        let own = trace::is_for_references(field.label) && !trace::says_none(&field.text);
        let plain = |one: &Reference| one.basis == trace::CountsWhen::Plain;
        own && !trace::references(field.label, &field.text).iter().any(plain)
    };
    let told = |field: &Field<'_>| {
        let text = redraft_facts::text::one_line(&field.text, CHARS_MAX);
        format!("`{}: {text}` names no part of a document", field.label)
    };
    match refs.iter().any(Reference::must_lead) {
        true => Vec::new(),
        false => fields.iter().filter(silent).map(told).collect(),
    }
}
