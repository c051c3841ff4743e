//! What the hand-off of a later phase needs: references that lead somewhere, and nothing dropped on the way.
//!
//! Also where a defect of any look gets its place and its quote. Start at [`references`] and [`parent`].

use super::outline::{Label, Outline};
use super::refs::{Doc, Ref, refs};
use super::remedy::{Edit, Remedy};
use super::{DROPPED, Found, design, plan, tasks};
use crate::checks::{Defect, Looked, Papers, Wrong, quote};
use crate::document::{Document, Kind as Line};
use crate::ids::mentions;
use crate::pace::Stopped;
use crate::spec::Spec;
use redraft_core::phase::Phase;
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;

/// A defect whose quoted words are at fault.
pub(super) fn present(papers: &Papers<'_>, found: Found, remedy: Remedy) -> Defect {
    defect(papers, found, remedy, Claim::Present)
}

/// A defect that something is not there; the quote says beside what it should stand.
pub(super) fn absent(papers: &Papers<'_>, found: Found, remedy: Remedy) -> Defect {
    defect(papers, found, remedy, Claim::Absent)
}

fn defect(papers: &Papers<'_>, found: Found, remedy: Remedy, claim: Claim) -> Defect {
    let document = &papers.spec.document;
    let Found { severity, category, line, description, suggestion } = found;
    Defect {
        wrong: Wrong::Remedy(remedy),
        severity,
        category,
        claim,
        file: papers.path.to_owned(),
        line,
        section: document.lines.get(line).map(|_| document.section(line).to_owned()).unwrap_or_default(),
        quote: document.lines.get(line).map(|line| quote(line.raw)).unwrap_or_default(),
        description,
        suggestion,
    }
}

/// What the document before asks for and this one does not carry on, in the words of the hand-off.
pub(super) fn parent(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = match papers.phase {
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => Looked::default(),
        Phase::Design => design::carried(papers)?,
        Phase::CreatePlan => plan::covered(papers)?,
        Phase::CreateTasks => tasks::tasked(papers)?,
    };
    for defect in &mut looked.defects {
        defect.category = "traceability";
        defect.description = format!("{DROPPED}{}", defect.description);
    }
    Ok(looked)
}

/// The ids a document defines: those of its parts and, for a specification, of requirements and criteria.
struct Known {
    keys: BTreeSet<String>,
    /// What parts such as `1.2` belong to.
    groups: BTreeSet<String>,
    /// The letters that more than one of them has.
    families: BTreeSet<String>,
}

impl Known {
    fn of(paper: &Spec<'_>, phase: Phase, papers: &Papers<'_>) -> Result<Self, Stopped> {
        let mut keys: BTreeSet<String> = BTreeSet::new();
        if phase == Phase::Specify {
            // Whatever a specification names anywhere is taken to exist: goals, failures, cases.
            for line in &paper.document.lines {
                papers.pace.step()?;
                keys.extend(
                    refs(line.raw, false).into_iter().filter(|one| one.doc.is_none()).map(|one| one.key),
                );
            }
        } else {
            let outline = Outline::read(&paper.document, phase, papers.pace)?;
            keys.extend(outline.units.into_iter().map(|unit| unit.key));
        }
        let mut families = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for key in &keys {
            let family = letters(key);
            if !seen.insert(family.clone()) {
                families.insert(family);
            }
        }
        let groups = keys.iter().filter_map(|key| Some(key.rsplit_once('.')?.0.to_owned())).collect();
        Ok(Known { keys, groups, families })
    }

    /// Whether a key is of a kind this document has and yet not among them. A group stands for its parts, a part for
    /// what it is a part of.
    fn lacks(&self, key: &str) -> bool {
        let whole = key.split('.').next().unwrap_or(key);
        let known = self.keys.contains(key)
            || self.groups.contains(key)
            || (key.starts_with(char::is_alphabetic) && self.keys.contains(whole));
        self.families.contains(&letters(key)) && !known
    }
}

fn letters(key: &str) -> String {
    key.chars().take_while(|c| c.is_alphabetic()).collect()
}

pub(super) fn references(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let outline = Outline::read(document, papers.phase, papers.pace)?;
    let own = Known::of(&papers.spec, papers.phase, papers)?;
    let above = &papers.above;
    let mut others: Vec<(Doc, &str, Known)> = Vec::new();
    for (doc, name, phase, paper) in [
        (Doc::Spec, "the specification", Phase::Specify, &above.spec),
        (Doc::Design, "the design", Phase::Design, &above.design),
        (Doc::Plan, "the plan", Phase::CreatePlan, &above.plan),
    ] {
        if let Some(paper) = paper {
            others.push((doc, name, Known::of(paper, phase, papers)?));
        }
    }
    let dependencies: BTreeSet<usize> = outline
        .units
        .iter()
        .flat_map(|unit| unit.field(Label::Depends).map(|field| field.lines.clone()).into_iter().flatten())
        .collect();
    let own_doc = match papers.phase {
        Phase::Specify | Phase::Implement | Phase::Finish | Phase::Document => Doc::Spec,
        Phase::Design => Doc::Design,
        Phase::CreatePlan => Doc::Plan,
        Phase::CreateTasks => Doc::Tasks,
    };
    let mut count = 0;
    let mut seen = BTreeSet::new();
    for (at, line) in document.lines.iter().enumerate() {
        papers.pace.step()?;
        let ordered = papers.phase != Phase::Design && dependencies.contains(&at);
        if line.kind == Line::Code || ordered {
            continue;
        }
        for one in refs(line.raw, false) {
            count += 1;
            let dead = match one.doc {
                Some(doc) if doc == own_doc => own.lacks(&one.key).then_some("this document"),
                Some(doc) => {
                    let named = others.iter().find(|(known, ..)| *known == doc);
                    named.filter(|(.., known)| known.lacks(&one.key)).map(|(_, name, _)| *name)
                }
                None => {
                    let elsewhere = others.iter().any(|(.., known)| {
                        known.keys.contains(&one.key) || known.families.contains(&letters(&one.key))
                    });
                    let elsewhere =
                        elsewhere || in_prd(papers, &one) || one.key.starts_with(char::is_numeric);
                    (own.lacks(&one.key) && !elsewhere).then_some("this document")
                }
            };
            match dead {
                Some(name) if seen.insert((at, one.key.clone())) => {
                    looked.defects.push(dead_reference(papers, at, &one, name));
                }
                Some(_) => {}
                None => looked.settled.push((vec![one.name.clone()], "it leads to something now".to_owned())),
            }
        }
    }
    looked.note = format!("{count} references followed");
    Ok(looked)
}

fn in_prd(papers: &Papers<'_>, one: &Ref) -> bool {
    papers.prd.is_some_and(|(_, prd)| {
        let ids = mentions(&one.key);
        ids.first().is_some_and(|mention| {
            (0..prd.document.lines.len())
                .any(|at| prd.named(at..at + 1).any(|known| known.covers(&mention.id)))
        })
    })
}

fn dead_reference(papers: &Papers<'_>, at: usize, one: &Ref, name: &str) -> Defect {
    let document = &papers.spec.document;
    let found = Found {
        severity: Severity::Blocker,
        category: "traceability",
        line: at,
        description: format!(
            "a line of “{}” refers to `{}`, which {name} does not have, so the next phase looks for something that is not there [read]",
            document.section(at).replace('`', ""),
            one.name
        ),
        suggestion: "name what is meant, or take the reference out".to_owned(),
    };
    present(papers, found, taken_out(document, at, one))
}

/// The line without the reference, where it is one of a list.
fn taken_out(document: &Document<'_>, at: usize, one: &Ref) -> Remedy {
    let raw = document.lines[at].raw;
    let note = format!("took {} out of line {}", one.name, at + 1);
    let mut start = one.at.start;
    // The name of its document goes with it.
    for word in ["Spec ", "Design ", "Plan ", "Step ", "Task ", "spec ", "design ", "plan ", "step ", "task "]
    {
        if raw[..start].ends_with(word) {
            start -= word.len();
        }
    }
    let (before, after) = (&raw[..start], &raw[one.at.end..]);
    for joint in [", ", "; ", " and ", "/"] {
        if let Some(kept) = before.strip_suffix(joint) {
            let at_range = kept.len()..one.at.end;
            return Remedy::new(note, vec![Edit::Replace { line: at, at: at_range, new: String::new() }]);
        }
        if let Some(rest) = after.strip_prefix(joint) {
            let end = raw.len() - rest.len();
            return Remedy::new(note, vec![Edit::Replace { line: at, at: start..end, new: String::new() }]);
        }
    }
    if before.ends_with('(') && after.starts_with(')') {
        let from = before[..before.len() - 1].trim_end().len();
        let range = from..one.at.end + 1;
        return Remedy::new(note, vec![Edit::Replace { line: at, at: range, new: String::new() }]);
    }
    Remedy::default()
}
