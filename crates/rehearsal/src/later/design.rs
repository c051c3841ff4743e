//! Whether a design carries every requirement, and whether every component serves one.
//!
//! Only a design that names requirements by their ids is judged: where most are named, one that is not has been
//! forgotten. Start at [`carried`].

use super::needs::trace;
use super::outline::{Kind, Outline, Unit};
use super::refs::{Doc, refs};
use super::remedy::{Edit, Remedy};
use super::{Found, handoff};
use crate::checks::{DEFECTS_MAX, Defect, Looked, Papers, mark};
use crate::document::{Document, Kind as Line, cells};
use crate::ids::{Id, mentions};
use crate::pace::{Pace, Stopped};
use crate::spec::{Requirement, Spec};
use crate::words::content;
use redraft_core::phase::Phase;
use redraft_core::text::one_line;
use redraft_core::verdict::Severity;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A design read with the requirements each of its lines names.
pub(super) struct Design {
    pub(super) outline: Outline,
    /// Per line, the requirements of the specification that it names, by their place there.
    pub(super) named: Vec<Vec<usize>>,
    /// Per requirement, the parts that carry it: those whose lines name it, and those named beside it.
    carriers: Vec<BTreeSet<usize>>,
}

impl Design {
    pub(super) fn read(design: &Spec<'_>, spec: Option<&Spec<'_>>, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let document = &design.document;
        let outline = Outline::read(document, Phase::Design, pace)?;
        let risks: BTreeSet<&str> = outline.of(Kind::Risk).map(|unit| unit.key.as_str()).collect();
        let mut named = Vec::with_capacity(document.lines.len());
        for at in 0..document.lines.len() {
            pace.step()?;
            named.push(spec.map(|spec| named_in(document, at, spec, &risks)).unwrap_or_default());
        }
        let mut holders: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, unit) in outline.units.iter().enumerate() {
            for at in unit.block.clone() {
                holders.entry(at).or_default().push(index);
            }
        }
        let mut carriers = vec![BTreeSet::new(); spec.map_or(0, |spec| spec.requirements.len())];
        for (at, here) in named.iter().enumerate().filter(|(_, here)| !here.is_empty()) {
            pace.step()?;
            let beside =
                refs(document.lines[at].raw, false).into_iter().filter(|one| one.doc != Some(Doc::Spec));
            let mut parts: BTreeSet<usize> = beside.filter_map(|one| outline.find(&one.key)).collect();
            parts.extend(holders.get(&at).into_iter().flatten());
            for requirement in here {
                carriers[*requirement].extend(&parts);
            }
        }
        Ok(Design { outline, named, carriers })
    }

    /// The requirements a part serves: those its lines name, and those a row or line names beside its id.
    pub(super) fn serves(&self, unit: &Unit) -> BTreeSet<usize> {
        unit.block.clone().flat_map(|at| self.named[at].iter().copied()).collect()
    }

    /// The parts that carry a requirement.
    pub(super) fn carriers(&self, requirement: usize) -> impl Iterator<Item = usize> {
        self.carriers.get(requirement).into_iter().flatten().copied()
    }
}

/// The requirements a line names. Where the design has risks of the same name, only what is said to be of the
/// specification counts, or stands in a table of requirements.
fn named_in(document: &Document<'_>, at: usize, spec: &Spec<'_>, risks: &BTreeSet<&str>) -> Vec<usize> {
    let line = &document.lines[at];
    if line.kind == Line::Code {
        return Vec::new();
    }
    let traces = || {
        let words = ["requirement", "coverage", "traceab", "mapping", "spec"];
        let head = document.table_head(at).map(|head| document.lines[head].raw.to_lowercase());
        let titled =
            document.titles(at).any(|title| words.iter().any(|word| title.to_lowercase().contains(word)));
        titled || head.is_some_and(|head| words.iter().any(|word| head.contains(word)))
    };
    let mut found = Vec::new();
    for one in refs(line.raw, false) {
        let ours = match one.doc {
            Some(Doc::Spec) => true,
            Some(_) => false,
            None => !risks.contains(one.key.as_str()) || traces(),
        };
        let written = mentions(&one.key).into_iter().next().map(|mention| mention.id);
        if let Some(id) = written.filter(|_| ours) {
            found.extend(requirement_of(spec, &id));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

pub(super) fn requirement_of(spec: &Spec<'_>, id: &Id) -> Vec<usize> {
    let fits = |(_, requirement): &(usize, &Requirement)| requirement.id.covers(id);
    spec.requirements.iter().enumerate().filter(fits).map(|(at, _)| at).collect()
}

pub(super) fn carried(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let Some(spec) = &papers.above.spec else {
        looked.note = "there is no specification".to_owned();
        return Ok(looked);
    };
    let design = Design::read(&papers.spec, Some(spec), papers.pace)?;
    let named: BTreeSet<usize> = design.named.iter().flatten().copied().collect();
    let total = spec.requirements.len();
    looked.note = format!("{} of {total} requirements named", named.len());
    if named.len() * 2 < total || named.is_empty() {
        looked.note.push_str(", too few to tell what was forgotten");
        return Ok(looked);
    }
    for (index, requirement) in spec.requirements.iter().enumerate() {
        papers.pace.step()?;
        if named.contains(&index) {
            let how = "the design names it now".to_owned();
            looked.settled.push((vec![requirement.name.clone()], how));
        } else {
            let listed = looked.defects.len() < DEFECTS_MAX;
            looked.defects.push(forgotten(papers, spec, &design, requirement, listed));
        }
    }
    Ok(looked)
}

fn forgotten(
    papers: &Papers<'_>,
    spec: &Spec<'_>,
    design: &Design,
    requirement: &Requirement,
    listed: bool,
) -> Defect {
    let statement = spec.statement(requirement);
    let document = &papers.spec.document;
    let line = if listed { mapping_rows(document, design).last().copied().unwrap_or(0) } else { 0 };
    // What is not listed is mended once it is.
    let remedy = match listed {
        true => add_carrier(document, design, requirement, &statement),
        false => Remedy::default(),
    };
    let found = Found {
        severity: Severity::Blocker,
        category: "completeness",
        line,
        description: format!(
            "no element of the design carries requirement `{}` of the specification ({}), so it will not be planned; \
             its id was searched for in the whole document [read]",
            requirement.name,
            mark(&statement)
        ),
        suggestion: "name the element that meets it, in its own text and in the table of requirements"
            .to_owned(),
    };
    handoff::absent(papers, found, remedy)
}

/// The rows of the table that says which elements meet which requirement.
fn mapping_rows(document: &Document<'_>, design: &Design) -> Vec<usize> {
    let own: HashSet<usize> = design.outline.units.iter().map(|unit| unit.line).collect();
    let row = |at: &usize| {
        document.lines[*at].kind == Line::Row
            && !document.is_table_head(*at)
            && !design.named[*at].is_empty()
            && !own.contains(at)
    };
    (0..document.lines.len()).filter(row).collect()
}

/// Gives the requirement to the component whose words are nearest, in its text and in the table.
fn add_carrier(
    document: &Document<'_>,
    design: &Design,
    requirement: &Requirement,
    statement: &str,
) -> Remedy {
    let words = content(statement);
    let near = |unit: &Unit| {
        let own = content(&document.text(unit.block.clone()));
        own.intersection(&words).count()
    };
    let components: Vec<&Unit> = design.outline.of(Kind::Component).collect();
    let pool: Vec<&Unit> =
        if components.is_empty() { design.outline.units.iter().collect() } else { components };
    let Some(unit) = pool.iter().rev().max_by_key(|unit| near(unit)) else { return Remedy::default() };
    let mut edits = vec![serve(document, unit, &format!("Spec {}", requirement.name), statement)];
    if let Some(last) = mapping_rows(document, design).last() {
        let columns = cells(document.lines[*last].raw).len();
        let spec_named = document.lines[*last].raw.contains("Spec ");
        let name = if spec_named { format!("Spec {}", requirement.name) } else { requirement.name.clone() };
        let first = leads_with_requirement(document, *last);
        let (left, right) = if first { (name, unit.name.clone()) } else { (unit.name.clone(), name) };
        let mut row = vec![left, right];
        row.resize(columns.max(2), String::new());
        edits.push(Edit::Insert { after: Some(*last), lines: vec![format!("| {} |", row.join(" | "))] });
    }
    Remedy::new(format!("{} now carries {}", unit.name, requirement.name), edits)
}

fn leads_with_requirement(document: &Document<'_>, row: usize) -> bool {
    let first = cells(document.lines[row].raw).first().copied().unwrap_or_default().to_owned();
    mentions(&first).iter().any(|mention| mention.id.is_requirement())
}

/// Says in the text of a part that it serves one more.
fn serve(document: &Document<'_>, unit: &Unit, name: &str, statement: &str) -> Edit {
    if let Some(field) = unit.field(super::outline::Label::Implements) {
        let line = field.lines.start;
        let end = document.lines[line].raw.trim_end().len();
        let comma = if field.at.start < end { ", " } else { " " };
        return Edit::Replace { line, at: end..end, new: format!("{comma}{name}") };
    }
    let last = unit.block.clone().rev().find(|at| document.lines[*at].kind != Line::Blank);
    let said = format!("{name}: {}", one_line(statement, 200));
    match document.lines[unit.line].kind {
        Line::Row => {
            let raw = document.lines[unit.line].raw.trim_end();
            let end = raw.trim_end_matches('|').trim_end().len();
            Edit::Replace { line: unit.line, at: end..end, new: format!(" ({name})") }
        }
        _ => {
            let lead =
                if matches!(document.lines[unit.line].kind, Line::Item { .. }) { "  - " } else { "- " };
            let gap = last.is_none_or(|at| document.lines[at].kind == Line::Text && lead == "- ");
            let mut lines = vec![format!("{lead}Serves {said}")];
            if gap {
                lines.insert(0, String::new());
            }
            Edit::Insert { after: last, lines }
        }
    }
}

pub(super) fn serving(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let Some(spec) = &papers.above.spec else {
        looked.note = "there is no specification".to_owned();
        return Ok(looked);
    };
    let design = Design::read(&papers.spec, Some(spec), papers.pace)?;
    let document = &papers.spec.document;
    let mut beside: BTreeSet<usize> = BTreeSet::new();
    for requirement in 0..spec.requirements.len() {
        papers.pace.step()?;
        beside.extend(design.carriers(requirement));
    }
    let units: Vec<(usize, &Unit)> =
        design.outline.units.iter().enumerate().filter(|(_, unit)| unit.kind == Kind::Component).collect();
    let serving = units.iter().filter(|(at, _)| beside.contains(at)).count();
    looked.note = format!("{serving} of {} components name a requirement", units.len());
    if serving * 2 < units.len() || serving == 0 {
        return Ok(looked);
    }
    for (at, unit) in units {
        if beside.contains(&at) {
            looked.settled.push((vec![unit.name.clone()], "it names a requirement now".to_owned()));
            continue;
        }
        let found = Found {
            severity: Severity::Warning,
            category: "complexity",
            line: unit.line,
            description: format!(
                "{} ({}) serves no requirement: neither its text nor a line beside its id names one [read]",
                unit.called(),
                mark(&unit.title)
            ),
            suggestion: "name the requirement it is there for, or leave it out".to_owned(),
        };
        let remedy = match trace(document, unit, spec) {
            Some(requirement) => {
                let statement = spec.statement(requirement);
                let edit = serve(document, unit, &format!("Spec {}", requirement.name), &statement);
                let note = format!("{} now says that it serves {}", unit.name, requirement.name);
                Remedy::new(note, vec![edit])
            }
            None => left_out(document, unit),
        };
        looked.defects.push(handoff::present(papers, found, remedy));
    }
    Ok(looked)
}

/// Leaves out a part that no requirement needs and nothing else in the document speaks of.
fn left_out(document: &Document<'_>, unit: &Unit) -> Remedy {
    let outside = (0..document.lines.len()).filter(|at| !unit.block.contains(at));
    let spoken_of = outside.into_iter().any(|at| {
        refs(document.lines[at].raw, false)
            .iter()
            .any(|one| one.key == unit.key && one.doc != Some(Doc::Spec))
    });
    if spoken_of {
        return Remedy::default();
    }
    let edits = unit.block.clone().map(|line| Edit::Remove { line }).collect();
    Remedy::new(format!("{} is left out: no requirement needs it", unit.name), edits)
}
