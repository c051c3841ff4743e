//! Whether a plan carries out every requirement and every part of the design, and whether each step has a check.
//!
//! A requirement is carried out by a step that names it or by one that names an element which carries it. Start at
//! [`covered`].

use super::design::Design;
use super::needs::is_made;
use super::outline::{Kind, Label, Outline, Unit};
use super::refs::{Doc, refs};
use super::remedy::{Edit, Remedy};
use super::{Found, handoff};
use crate::checks::{DEFECTS_MAX, Defect, Looked, Papers, mark};
use crate::document::{Document, Kind as Line};
use crate::pace::Stopped;
use crate::spec::Spec;
use crate::words::content;
use redraft_core::phase::Phase;
use redraft_core::text::one_line;
use redraft_core::verdict::Severity;
use std::collections::BTreeSet;

/// Everything a document names of another one, by key.
pub(super) fn named_of(document: &Document<'_>, doc: Doc) -> BTreeSet<String> {
    let lines = document.lines.iter().filter(|line| line.kind != Line::Code);
    let found = lines.flat_map(|line| refs(line.raw, false));
    found.filter(|one| one.doc.is_none_or(|named| named == doc)).map(|one| one.key).collect()
}

pub(super) fn covered(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let outline = Outline::read(document, Phase::CreatePlan, papers.pace)?;
    let spec = papers.above.spec.as_ref();
    let design = papers.above.design.as_ref();
    let read = design.map(|design| Design::read(design, spec, papers.pace)).transpose()?;
    let named = named_of(document, Doc::Design);
    let text = document.text(0..document.lines.len()).to_lowercase();
    let mut elements = Vec::new();
    if let Some(read) = &read {
        elements = read.outline.units.iter().filter(|unit| is_made(unit.kind)).collect();
        let done = |unit: &&&Unit| named.contains(&unit.key) || says(&text, &unit.title);
        let count = elements.iter().filter(|unit| named.contains(&unit.key)).count();
        if count > 0 && count * 2 >= elements.len() {
            for unit in &elements {
                papers.pace.step()?;
                if done(&unit) {
                    looked.settled.push((vec![unit.name.clone()], "a step names it now".to_owned()));
                } else {
                    let listed = looked.defects.len() < DEFECTS_MAX;
                    let what = ("Design", unit.name.as_str());
                    looked.defects.push(no_step(papers, &outline, what, &unit.title, listed));
                }
            }
        }
    }
    let mut requirements = 0;
    if let Some(spec) = spec {
        requirements = spec.requirements.len();
        look_at_requirements(papers, spec, &outline, read.as_ref(), &named, &mut looked)?;
    }
    looked.note =
        format!("{} steps, {} elements, {requirements} requirements", outline.units.len(), elements.len());
    Ok(looked)
}

fn look_at_requirements(
    papers: &Papers<'_>,
    spec: &Spec<'_>,
    outline: &Outline,
    design: Option<&Design>,
    elements: &BTreeSet<String>,
    looked: &mut Looked,
) -> Result<(), Stopped> {
    let document = &papers.spec.document;
    let named = named_of(document, Doc::Spec);
    let mut done = Vec::new();
    for (index, requirement) in spec.requirements.iter().enumerate() {
        papers.pace.step()?;
        let key = super::outline::key(&requirement.name);
        let carried = design.is_some_and(|design| {
            design.carriers(index).any(|at| elements.contains(&design.outline.units[at].key))
        });
        done.push(named.contains(&key) || carried);
    }
    let count = done.iter().filter(|done| **done).count();
    if count == 0 || count * 2 < done.len() {
        return Ok(());
    }
    for (requirement, done) in spec.requirements.iter().zip(&done) {
        if *done {
            looked.settled.push((vec![requirement.name.clone()], "a step carries it out now".to_owned()));
        } else {
            let statement = spec.statement(requirement);
            let listed = looked.defects.len() < DEFECTS_MAX;
            let what = ("Spec", requirement.name.as_str());
            looked.defects.push(no_step(papers, outline, what, &statement, listed));
        }
    }
    Ok(())
}

/// Whether a title of some length stands in a text, so that it is meant though its id is not named.
fn says(text: &str, title: &str) -> bool {
    title.split_whitespace().count() > 1 && text.contains(&title.to_lowercase())
}

fn no_step(
    papers: &Papers<'_>,
    outline: &Outline,
    (of, name): (&str, &str),
    words: &str,
    listed: bool,
) -> Defect {
    let document = &papers.spec.document;
    let line = outline.units.last().map_or(0, |unit| unit.line);
    let whose = if of == "Design" { "of the design" } else { "of the specification" };
    let found = Found {
        severity: Severity::Blocker,
        category: "feasibility",
        line,
        description: format!(
            "no step of the plan carries out `{name}` {whose} ({}), so nobody will build it; every step was searched \
             for its id [read]",
            mark(words)
        ),
        suggestion: "name it in the step that does it, or exclude it with a reason".to_owned(),
    };
    // What is not listed is mended once it is.
    let remedy = match listed {
        true => give_to_step(document, outline, &format!("{of} {name}"), words),
        false => Remedy::default(),
    };
    handoff::absent(papers, found, remedy)
}

/// Lets the step whose words are nearest carry it out.
fn give_to_step(document: &Document<'_>, outline: &Outline, name: &str, words: &str) -> Remedy {
    let wanted = content(words);
    let near = |unit: &&Unit| content(&document.text(unit.block.clone())).intersection(&wanted).count();
    let Some(unit) = outline.units.iter().rev().max_by_key(near) else { return Remedy::default() };
    let note = format!("{} {} now carries out {name}", unit.kind.word(), unit.name);
    Remedy::new(note, vec![implement(document, unit, name)])
}

/// Adds a name to what a step or task implements.
pub(super) fn implement(document: &Document<'_>, unit: &Unit, name: &str) -> Edit {
    if let Some(field) = unit.field(Label::Implements) {
        let line = field.lines.start;
        let end = field.at.start + document.lines[line].raw[field.at.clone()].trim_end().len();
        let comma = if end > field.at.start { ", " } else { " " };
        return Edit::Replace { line, at: end..end, new: format!("{comma}{name}") };
    }
    match document.lines[unit.line].kind {
        Line::Heading => {
            let lines = vec![String::new(), format!("**Implements:** {name}")];
            Edit::Insert { after: Some(unit.line), lines }
        }
        _ => {
            let raw = document.lines[unit.line].raw.trim_end();
            let end = raw.trim_end_matches('|').trim_end().len();
            Edit::Replace { line: unit.line, at: end..end, new: format!(" ({name})") }
        }
    }
}

pub(super) fn checked(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let document = &papers.spec.document;
    let outline = Outline::read(document, Phase::CreatePlan, papers.pace)?;
    let has: Vec<bool> = outline.units.iter().map(|unit| has_check(document, unit)).collect();
    let count = has.iter().filter(|has| **has).count();
    looked.note = format!("{count} of {} steps have a check", has.len());
    if count * 2 < has.len() || count == 0 {
        return Ok(looked);
    }
    for (unit, has) in outline.units.iter().zip(has) {
        papers.pace.step()?;
        if has {
            looked.settled.push((vec![unit.name.clone()], "it has a check now".to_owned()));
            continue;
        }
        let found = Found {
            severity: Severity::Warning,
            category: "tdd-order",
            line: unit.line,
            description: format!(
                "{} ({}) has no check that fails without it, so nothing shows when it is done; its whole text was \
                 searched for a test or a command [read]",
                unit.called(),
                mark(&unit.title)
            ),
            suggestion: "name the test or the command that fails before the step and passes after it"
                .to_owned(),
        };
        looked.defects.push(handoff::absent(papers, found, add_check(papers, document, unit)));
    }
    Ok(looked)
}

fn has_check(document: &Document<'_>, unit: &Unit) -> bool {
    let labelled = [Label::Check, Label::Done].into_iter().filter_map(|label| unit.field(label));
    let mut said = labelled.map(|field| field.text(document));
    if said.any(|text| text.chars().any(char::is_alphanumeric)) {
        return true;
    }
    // Paths and names say nothing about what is checked.
    let names = [Label::Files, Label::Implements, Label::Depends, Label::Produces, Label::Check];
    let named = |at: &usize| {
        let mut fields = unit.fields.iter().filter(|field| names.contains(&field.label));
        *at == unit.line && document.lines[*at].kind == Line::Heading
            || fields.any(|field| field.lines.contains(at))
    };
    let prose = unit.block.clone().filter(|at| !named(at)).map(|at| document.lines[at].raw.to_lowercase());
    let words =
        ["test", "tests", "tested", "verify", "verified", "check", "checked", "assert", "passes", "shows"];
    prose.into_iter().any(|line| line.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word)))
}

fn add_check(papers: &Papers<'_>, document: &Document<'_>, unit: &Unit) -> Remedy {
    let observed = papers.above.spec.as_ref().and_then(|spec| criterion_for(document, unit, spec));
    let test = super::drafts::test_file(document, unit);
    let named = test.map_or_else(|| "a test".to_owned(), |path| format!("`{path}` (new)"));
    let shown = observed.unwrap_or_else(|| format!("{} can be seen to work from outside", small_title(unit)));
    let check = format!("**Check:** {named}, written first; it fails until this holds: {shown}");
    let note = format!("step {} has a check", unit.name);
    let empty = unit.field(Label::Check).map(|field| (field.lines.start, field.at.clone()));
    if let Some((line, at)) = empty {
        let new = check.trim_start_matches("**Check:** ").to_owned();
        return Remedy::new(note, vec![Edit::Replace { line, at, new }]);
    }
    match document.lines[unit.line].kind {
        Line::Row => Remedy::default(),
        Line::Item { .. } => {
            let last = unit.block.end - 1;
            Remedy::new(note, vec![Edit::Insert { after: Some(last), lines: vec![format!("  - {check}")] }])
        }
        _ => {
            let last = unit.fields.last().map(|field| field.last(document));
            let end = unit.block.clone().rev().find(|at| document.lines[*at].kind != Line::Blank);
            let after = last.or(end);
            let listed = after.is_some_and(|at| document.lines[at].raw.trim_start().starts_with("- **"));
            let lead = if listed { "- " } else { "" };
            Remedy::new(note, vec![Edit::Insert { after, lines: vec![format!("{lead}{check}")] }])
        }
    }
}

fn small_title(unit: &Unit) -> String {
    one_line(&unit.title, 80)
}

/// What the acceptance criterion of a requirement says that a step or task names.
pub(super) fn criterion_for(document: &Document<'_>, unit: &Unit, spec: &Spec<'_>) -> Option<String> {
    let text = document.text(unit.block.clone());
    let keys: BTreeSet<String> = refs(&text, false)
        .into_iter()
        .filter(|one| one.doc.is_none_or(|doc| doc == Doc::Spec))
        .map(|one| one.key)
        .collect();
    let needs = super::drafts::needs(spec);
    let own = needs.iter().find(|need| keys.contains(&super::outline::key(&need.name)));
    own.and_then(|need| need.criteria.first().cloned().or_else(|| Some(need.text.clone())))
}

/// Whether a plan's part is a step.
pub(super) fn steps(outline: &Outline) -> impl Iterator<Item = &Unit> {
    outline.of(Kind::Step)
}
