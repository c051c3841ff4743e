//! Finds requirements that no acceptance criterion mentions.
//!
//! A criterion names the id or stands below the requirement. Where no criterion names any id, ids are not used for
//! tracing, and nothing is reported.

use super::{CheckedDocuments, Defect, Found, Looked, remedy};
use crate::pace::Stopped;
use crate::parsed_document::{Wanted, names};
use redraft_facts::verdict::{Claim, Severity};

pub(super) fn look(checked: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    let parsed = &checked.parsed;
    let wanted = parsed.wanted();
    let lines = parsed.criteria(&wanted);
    let requirements: Vec<Wanted> = wanted.into_iter().filter(|one| !one.is_criterion).collect();
    let naming = |one: &Wanted| lines.iter().find(|at| names(parsed.line(**at), &one.id));
    let mut looked = Looked::default();
    let mut left = Vec::new();
    for one in &requirements {
        checked.pace.step()?;
        let own = parsed.outline.at(one.line).filter(|section| section.lines.start == one.line);
        let below = || lines.iter().find(|at| own.is_some_and(|section| section.lines.contains(at)));
        match naming(one).or_else(below) {
            Some(at) => looked.settled.push((one.id.clone(), format!("line {} names {}", at + 1, one.id))),
            None => left.push(one),
        }
    }
    if !looked.settled.is_empty() {
        looked.defects = left.iter().map(|one| defect(checked, one, &lines)).collect();
    }
    let open = looked.defects.len();
    looked.note = format!(
        "{} requirements with an id, {} criteria, {open} without one",
        requirements.len(),
        lines.len()
    );
    Ok(looked)
}

fn defect(checked: &CheckedDocuments<'_>, one: &Wanted, lines: &[usize]) -> Defect {
    let mut searched: Vec<String> = lines.iter().map(|at| checked.parsed.section_name(*at)).collect();
    searched.dedup();
    let found = Found {
        severity: Severity::Blocker,
        category: "testability",
        claim: Claim::Absent,
        line: one.line,
        description: format!(
            "no acceptance criterion mentions requirement `{}` of {} (searched {})",
            one.id,
            checked.parsed.section_name(one.line),
            searched.join(", ")
        ),
        suggestion: format!("add a criterion that names {} and can be seen to pass or fail", one.id),
    };
    checked.defect(found, remedy::one_more_criterion(&checked.parsed, one, lines))
}
