//! Finds two places that say the same thing with different numbers.
//!
//! Two numbers are about one thing if they have the same unit, the same word stands before them, and every word of the
//! shorter sentence is in the longer one. A later document is compared with the specification, too.

use super::{CheckedDocuments, Found, Looked, Remedy};
use crate::amounts::{Stated, stated};
use crate::edit::Edit;
use crate::pace::Stopped;
use crate::parsed_document::ParsedDocument;
use redraft_facts::phase::Phase;
use redraft_facts::verdict::{Claim, Severity};
use std::collections::BTreeSet;

/// Fewer words are too few to be sure.
const WORDS_MIN: usize = 3;

pub(super) fn look(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    let earlier = checked.before.spec.map(ParsedDocument::read);
    let rules = earlier.as_ref().map(stated).unwrap_or_default();
    let own = stated(&checked.parsed);
    let mut looked = Looked { note: format!("{} numbers compared", own.len()), ..Looked::default() };
    for (at, later) in own.iter().enumerate() {
        checked.pace.step()?;
        let of_spec = rules.iter().map(|first| ("the specification, ", first));
        let mut known = of_spec.chain(own[..at].iter().map(|first| ("", first)));
        let Some((document, first)) = known.find(|(_, first)| contradict(first, later)) else { continue };
        let (right, wrong) = (&first.written, &later.written);
        // A word that every requirement uses does not count here.
        let shared = later.words.iter().filter(|word| first.words.contains(word) && *word != "system");
        let shared: Vec<&str> = shared.map(String::as_str).take(3).collect();
        let found = Found {
            severity: Severity::Blocker,
            category: category(checked.phase),
            claim: Claim::Present,
            line: later.line,
            description: format!(
                "two numbers for one thing: {document}{} says `{right}`, {} says `{wrong}` (both about: {})",
                first.place,
                later.place,
                shared.join(", ")
            ),
            suggestion: format!("decide which holds and say {right} or {wrong} in both places"),
        };
        let note = format!("line {} now says {right} instead of {wrong}", later.line + 1);
        let edit = Edit::Replace { line: later.line, at: later.amount.at.clone(), new: right.clone() };
        looked.defects.push(checked.defect(found, Remedy::new(note, vec![edit])));
    }
    Ok(looked)
}

fn category(phase: Phase) -> &'static str {
    match phase {
        Phase::Design => "consistency",
        Phase::CreatePlan => "assumption",
        Phase::CreateTasks => "plan-fidelity",
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => "clarity",
    }
}

fn contradict(first: &Stated, later: &Stated) -> bool {
    let (one, other): (BTreeSet<&String>, BTreeSet<&String>) =
        (first.words.iter().collect(), later.words.iter().collect());
    let within = if one.len() < other.len() { one.is_subset(&other) } else { other.is_subset(&one) };
    let same = first.amount.kind == later.amount.kind
        && first.amount.lead == later.amount.lead
        && !later.amount.lead.is_empty();
    same && within && one.len().min(other.len()) >= WORDS_MIN && !first.amount.is(&later.amount)
}
