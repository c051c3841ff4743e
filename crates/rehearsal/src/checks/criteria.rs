//! Finds requirements that no acceptance criterion mentions.
//!
//! A criterion names the id or stands below the requirement. Where no criterion names any id, ids are not used for
//! tracing, and nothing is reported.

use super::{CheckedDocuments, Defect, Found, Looked, remedy};
use crate::pace::Stopped;
use crate::parsed_document::{Wanted, names};
use redraft_facts::verdict::{Claim, Severity};

pub(super) fn look(papers: &CheckedDocuments<'_>) -> Result<Looked, Stopped> {
    let paper = &papers.paper;
    let wanted = paper.wanted();
    let lines = paper.criteria(&wanted);
    let requirements: Vec<Wanted> = wanted.into_iter().filter(|one| !one.is_criterion).collect();
    let naming = |one: &Wanted| lines.iter().find(|at| names(paper.line(**at), &one.id));
    let mut looked = Looked::default();
    let mut left = Vec::new();
    for one in &requirements {
        papers.pace.step()?;
        let own = paper.outline.at(one.line).filter(|section| section.lines.start == one.line);
        let below = || lines.iter().find(|at| own.is_some_and(|section| section.lines.contains(at)));
        match naming(one).or_else(below) {
            Some(at) => looked.settled.push((one.id.clone(), format!("line {} names {}", at + 1, one.id))),
            None => left.push(one),
        }
    }
    if !looked.settled.is_empty() {
        looked.defects = left.iter().map(|one| defect(papers, one, &lines)).collect();
    }
    let open = looked.defects.len();
    looked.note = format!(
        "{} requirements with an id, {} criteria, {open} without one",
        requirements.len(),
        lines.len()
    );
    Ok(looked)
}

fn defect(papers: &CheckedDocuments<'_>, one: &Wanted, lines: &[usize]) -> Defect {
    let mut searched: Vec<String> = lines.iter().map(|at| papers.paper.section_name(*at)).collect();
    searched.dedup();
    let found = Found {
        severity: Severity::Blocker,
        category: "testability",
        claim: Claim::Absent,
        line: one.line,
        description: format!(
            "no acceptance criterion mentions requirement `{}` of {} (searched {})",
            one.id,
            papers.paper.section_name(one.line),
            searched.join(", ")
        ),
        suggestion: format!("add a criterion that names {} and can be seen to pass or fail", one.id),
    };
    papers.defect(found, remedy::one_more_criterion(&papers.paper, one, lines))
}
