//! A number with a unit that differs from the one in the requirement it carries out.
//!
//! Two numbers are compared only where both sentences speak of the same thing in the same words: the same word stands
//! before the number, words close by are shared, and most of the requirement's words are there. Test data next to a
//! limit and numbers of a task's own are left alone. Start at [`look`].

use super::design::requirement_of;
use super::outline::{Kind, Outline, Unit};
use super::refs::{Doc, refs};
use super::remedy::{Edit, Remedy};
use super::{About, Found, category, handoff};
use crate::checks::{Looked, Papers};
use crate::document::{Document, Kind as Line};
use crate::ids::mentions;
use crate::measures::{Measure, measures};
use crate::mend::renumbered;
use crate::pace::Stopped;
use crate::spec::{Requirement, Spec};
use redraft_core::verdict::Severity;
use std::collections::BTreeSet;
use std::ops::Range;

struct Stated {
    line: usize,
    at: Range<usize>,
    /// The word right before the number.
    lead: String,
    written: String,
    measure: Measure,
}

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let Some(spec) = &papers.above.spec else {
        looked.note = "there is no specification".to_owned();
        return Ok(looked);
    };
    let document = &papers.spec.document;
    let outline = Outline::read(document, papers.phase, papers.pace)?;
    let mut count = 0;
    for unit in outline.units.iter().filter(|unit| unit.kind != Kind::Risk) {
        papers.pace.step()?;
        let requirements = requirements(document, unit, spec, &outline);
        let rules: Vec<(&Requirement, Vec<Stated>)> = requirements
            .iter()
            .map(|at| {
                let requirement = &spec.requirements[*at];
                (requirement, stated(&spec.document, requirement.block.clone()))
            })
            .collect();
        if rules.iter().all(|(_, rules)| rules.is_empty()) {
            continue;
        }
        let allowed: Vec<&Stated> = rules.iter().flat_map(|(_, rules)| rules).collect();
        for ours in stated(document, unit.block.clone()) {
            papers.pace.step()?;
            count += 1;
            let same = |rule: &&&Stated| rule.measure.kind == ours.measure.kind && equal(rule, &ours);
            if allowed.iter().any(|rule| same(&rule)) {
                let marks = vec![unit.name.clone(), ours.written.clone()];
                looked.settled.push((marks, "the number is that of its requirement now".to_owned()));
                continue;
            }
            let drift = rules.iter().find_map(|(requirement, rules)| {
                rules.iter().find(|rule| is_same_thing(rule, &ours)).map(|rule| (*requirement, rule))
            });
            if let Some((requirement, rule)) = drift {
                looked.defects.push(defect(papers, unit, &ours, requirement, rule));
            }
        }
    }
    looked.note = format!("{count} numbers compared with their requirements");
    Ok(looked)
}

/// The requirements a part names, by their place in the specification.
fn requirements(document: &Document<'_>, unit: &Unit, spec: &Spec<'_>, outline: &Outline) -> BTreeSet<usize> {
    let risks: BTreeSet<&str> = outline.of(Kind::Risk).map(|unit| unit.key.as_str()).collect();
    let mut found = BTreeSet::new();
    for at in unit.block.clone().filter(|at| document.lines[*at].kind != Line::Code) {
        for one in refs(document.lines[at].raw, false) {
            let ours = match one.doc {
                Some(Doc::Spec) => true,
                Some(_) => false,
                None => !risks.contains(one.key.as_str()),
            };
            let id = mentions(&one.key).into_iter().next().filter(|_| ours);
            found.extend(id.into_iter().flat_map(|mention| requirement_of(spec, &mention.id)));
        }
    }
    found
}

/// The numbers of some lines. What is set apart as history or an example is no rule.
fn stated(document: &Document<'_>, lines: Range<usize>) -> Vec<Stated> {
    let mut found = Vec::new();
    for line in lines {
        let text = &document.lines[line];
        if matches!(text.kind, Line::Code | Line::Heading) || text.prose.contains("e.g.") {
            continue;
        }
        for measure in measures(&text.prose) {
            let lead = text.prose[..measure.at.start].split_whitespace().next_back();
            let lead = lead.unwrap_or_default().to_lowercase();
            let written = text.raw[measure.at.clone()].to_owned();
            found.push(Stated { line, at: measure.at.clone(), lead, written, measure });
        }
    }
    found
}

fn equal(one: &Stated, other: &Stated) -> bool {
    (one.measure.value - other.measure.value).abs() <= f64::EPSILON * one.measure.value.abs()
}

fn is_same_thing(rule: &Stated, ours: &Stated) -> bool {
    let (m, n) = (&rule.measure, &ours.measure);
    let words = |measure: &Measure| -> BTreeSet<String> {
        measure.all.iter().map(|(word, _)| word.clone()).chain(measure.near.iter().cloned()).collect()
    };
    let (first, second) = (words(m), words(n));
    let shared = first.intersection(&second).count();
    let beyond = (m.number - n.number).abs() <= 1.0 && m.value.min(n.value) > 1.0;
    m.kind == n.kind
        && m.kind != "percent"
        && m.least == n.least
        && m.every == n.every
        && m.scope == n.scope
        && rule.lead == ours.lead
        && !rule.lead.is_empty()
        && !beyond
        && m.near.intersection(&n.near).count() > 0
        && shared >= 2
        && shared * 2 >= first.len().min(second.len())
}

fn defect(
    papers: &Papers<'_>,
    unit: &Unit,
    ours: &Stated,
    requirement: &Requirement,
    rule: &Stated,
) -> crate::checks::Defect {
    let found = Found {
        severity: Severity::Blocker,
        category: category(papers.phase, About::Value),
        line: ours.line,
        description: format!(
            "{} says `{}`, which its requirement does not say: `{}` has `{}`, and what is built would pass its own \
             check [read]",
            unit.called(),
            ours.written,
            requirement.name,
            rule.written
        ),
        suggestion: format!("write {} as the specification does", rule.written),
    };
    let remedy = renumbered(&ours.written, &rule.written).map_or_else(Remedy::default, |new| {
        let note = format!("{} {} now says {new}, as {} does", unit.kind.word(), unit.name, requirement.name);
        Remedy::new(note, vec![Edit::Replace { line: ours.line, at: ours.at.clone(), new }])
    });
    handoff::present(papers, found, remedy)
}
