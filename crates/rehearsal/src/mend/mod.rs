//! Mending: one defect, one change of the document, everything else byte for byte as it was.
//!
//! Whatever the document looks like, the change takes the form its neighbours have: the same list marker, the
//! next id, one more row of the same table. Start at [`mend`]. What cannot be mended gives none, and the caller
//! leaves the document alone.

mod criterion;
mod gate;
mod in_place;
mod requirement;

use super::checks::Wrong;
use super::pace::{Pace, Stopped};
use super::spec::Spec;
pub(super) use gate::mend_gate;
pub(super) use in_place::renumbered;

/// The new text and what was done, or none.
pub(super) struct Mended {
    pub(super) text: String,
    pub(super) note: String,
}

pub(super) fn mend(
    text: &str,
    spec: &Spec<'_>,
    wrong: &Wrong,
    pace: &Pace<'_>,
) -> Result<Option<Mended>, Stopped> {
    Ok(match wrong {
        Wrong::NoRequirements => requirement::add_first(text, spec, pace)?,
        Wrong::EmptyAcceptance { line } => criterion::fill_section(text, spec, *line),
        Wrong::NoCriterion { requirement } => criterion::add(text, spec, *requirement),
        Wrong::NoRequirement { id, goal } => requirement::add_for_goal(text, spec, id, goal, pace)?,
        Wrong::NoHandling { failure } => requirement::add_for_failure(text, spec, failure, pace)?,
        Wrong::TwoNumbers { line, at, right } => in_place::number(text, *line, at.clone(), right),
        Wrong::TwoSpellings { right, wrong } => in_place::spelling(text, spec, right, wrong, pace)?,
        Wrong::NoOwner { line } => in_place::owner(text, spec, *line),
        Wrong::DeadReference { line, at } => in_place::reference(text, *line, at.clone()),
        Wrong::Remedy(remedy) => remedy.apply(text).map(|text| Mended { text, note: remedy.note.clone() }),
    })
}

/// The next name of a series: `AC-09` gives `AC-10`, with the same letters, dash and padding.
fn next_name(template: &str, number: u32) -> String {
    let digits = template.find(|c: char| c.is_ascii_digit()).unwrap_or(template.len());
    let width = template[digits..].bytes().take_while(u8::is_ascii_digit).count();
    let padded = template[digits..].starts_with('0');
    let number = if padded { format!("{number:0width$}") } else { number.to_string() };
    format!("{}{number}", &template[..digits])
}

/// The marker of the next item of a list: the same bullet, or the next number, the box not ticked.
fn next_marker(lead: &str) -> String {
    let lead = lead.replace("[x]", "[ ]").replace("[X]", "[ ]");
    let start = lead.len() - lead.trim_start().len();
    let digits = lead[start..].bytes().take_while(u8::is_ascii_digit).count();
    match lead[start..start + digits].parse::<u32>() {
        Ok(number) => format!("{}{}{}", &lead[..start], number + 1, &lead[start + digits..]),
        Err(_) => lead,
    }
}
