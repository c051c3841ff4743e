//! Dependencies between steps or tasks: that they exist, stand before what needs them, and lead into no circle.
//!
//! Positions count, not numbers: a step that was added later has the next free number wherever it stands. Start at
//! [`order()`].

use super::outline::{Label, Outline, Unit};
use super::refs::{Doc, Ref, refs};
use super::remedy::{Edit, Remedy};
use super::{About, Found, category, handoff};
use crate::checks::{Looked, Papers};
use crate::document::Document;
use crate::pace::Stopped;
use redraft_core::phase::Phase;
use redraft_core::verdict::Severity;
use std::collections::BTreeSet;

/// What depends on what.
pub(super) struct Graph {
    /// Per part, those it depends on.
    pub(super) needs: Vec<BTreeSet<usize>>,
}

impl Graph {
    pub(super) fn of(document: &Document<'_>, outline: &Outline) -> Self {
        let needs = outline.units.iter().enumerate().map(|(at, unit)| {
            let meant = dependencies(document, unit).into_iter().flat_map(|one| outline.meant(&one.key));
            meant.filter(|other| *other != at).collect()
        });
        Graph { needs: needs.collect() }
    }

    /// Everything a part depends on, directly or through others.
    pub(super) fn reaches(&self, from: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = self.needs[from].iter().copied().collect();
        while let Some(at) = open.pop() {
            if found.insert(at) {
                open.extend(&self.needs[at]);
            }
        }
        found
    }

    /// A circle, as a walk from part to part; none if there is none.
    fn circle(&self) -> Option<Vec<usize>> {
        let mut done = vec![false; self.needs.len()];
        for start in 0..self.needs.len() {
            let mut walk: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut on_walk = BTreeSet::new();
            let open = |at: usize| (at, self.needs[at].iter().rev().copied().collect::<Vec<usize>>());
            if !done[start] {
                walk.push(open(start));
                on_walk.insert(start);
            }
            while let Some((at, left)) = walk.last_mut() {
                let Some(next) = left.pop() else {
                    done[*at] = true;
                    on_walk.remove(at);
                    walk.pop();
                    continue;
                };
                if on_walk.contains(&next) {
                    return Some(walk.into_iter().map(|(at, _)| at).skip_while(|at| *at != next).collect());
                }
                if !done[next] {
                    walk.push(open(next));
                    on_walk.insert(next);
                }
            }
        }
        None
    }
}

/// What a part says it depends on, in its own document.
fn dependencies(document: &Document<'_>, unit: &Unit) -> Vec<Ref> {
    let Some(field) = unit.field(Label::Depends) else { return Vec::new() };
    let own = |one: &Ref| match one.doc {
        None => true,
        Some(Doc::Plan) => unit.kind == super::outline::Kind::Step,
        Some(Doc::Tasks) => unit.kind == super::outline::Kind::Task,
        Some(_) => false,
    };
    refs(&field.text(document), true).into_iter().filter(own).collect()
}

pub(super) fn order(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    if !matches!(papers.phase, Phase::CreatePlan | Phase::CreateTasks) {
        return Ok(looked);
    }
    let document = &papers.spec.document;
    let outline = Outline::read(document, papers.phase, papers.pace)?;
    let mut graph = Graph::of(document, &outline);
    let mut edges = 0;
    let mut turning = BTreeSet::new();
    for _ in 0..outline.units.len() {
        papers.pace.step()?;
        let Some(circle) = graph.circle() else { break };
        turning.extend(circle.iter().copied());
        let (from, to) = back_edge(&circle);
        looked.defects.push(circular(papers, &outline, &circle, (from, to)));
        graph.needs[from].remove(&to);
    }
    let graph = Graph::of(document, &outline);
    for (at, unit) in outline.units.iter().enumerate() {
        papers.pace.step()?;
        let mut late: Option<usize> = None;
        for one in dependencies(document, unit) {
            edges += 1;
            let meant = outline.meant(&one.key);
            let known_form = one.key.starts_with(|c: char| c.is_ascii_digit())
                == unit.key.starts_with(|c: char| c.is_ascii_digit());
            if meant.is_empty() && known_form {
                looked.defects.push(missing(papers, unit, &one));
            }
            for other in meant {
                let circular = turning.contains(&at) && turning.contains(&other);
                if other > at && !circular {
                    late = late.max(Some(other));
                }
            }
        }
        // One place is one finding, however many stand after it.
        match late {
            Some(other) => looked.defects.push(too_early(papers, &outline, &graph, (at, other))),
            None => {
                let marks = vec![unit.name.clone()];
                looked.settled.push((marks, "what it depends on stands before it now".to_owned()));
            }
        }
    }
    looked.note = format!("{} parts, {edges} dependencies", outline.units.len());
    Ok(looked)
}

/// The edge of a circle to give up: one that leads from an earlier part to a later one.
fn back_edge(circle: &[usize]) -> (usize, usize) {
    let next = |index: usize| circle[(index + 1) % circle.len()];
    let edges = (0..circle.len()).map(|index| (circle[index], next(index)));
    edges.min_by_key(|(from, to)| (from > to, *from)).unwrap_or((circle[0], circle[0]))
}

fn circular(
    papers: &Papers<'_>,
    outline: &Outline,
    circle: &[usize],
    edge: (usize, usize),
) -> crate::checks::Defect {
    let mut walk: Vec<&str> = circle.iter().map(|at| outline.units[*at].name.as_str()).collect();
    // The walk begins at the part that stands first, so that it has one name.
    let first = circle.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(index, _)| index);
    walk.rotate_left(first);
    let unit = &outline.units[edge.0];
    let line = unit.field(Label::Depends).map_or(unit.line, |field| field.lines.start);
    let found = Found {
        severity: Severity::Blocker,
        category: category(papers.phase, About::Order),
        line,
        description: format!(
            "{}s depend on each other in a circle: `{}`, so none of them can be begun [traced]",
            unit.kind.word(),
            walk.join(" → ")
        ),
        suggestion: "give up the dependency that the work does not need".to_owned(),
    };
    let remedy = drop_dependency(&papers.spec.document, unit, &outline.units[edge.1]);
    handoff::present(papers, found, remedy)
}

fn missing(papers: &Papers<'_>, unit: &Unit, one: &Ref) -> crate::checks::Defect {
    let document = &papers.spec.document;
    let line = unit.field(Label::Depends).map_or(unit.line, |field| field.lines.start);
    let found = Found {
        severity: Severity::Warning,
        category: category(papers.phase, About::Order),
        line,
        description: format!("{} depends on `{}`, which does not exist [read]", unit.called(), one.name),
        suggestion: "name what it really depends on, or none".to_owned(),
    };
    let remedy = match unit.field(Label::Depends) {
        Some(field) => {
            let raw = &document.lines[line].raw[field.at.clone()];
            let new = without(raw, &[one.key.as_str()]);
            Remedy::new(
                format!("{} {} no longer depends on {}", unit.kind.word(), unit.name, one.name),
                vec![Edit::Replace { line, at: field.at.clone(), new }],
            )
        }
        None => Remedy::default(),
    };
    handoff::present(papers, found, remedy)
}

fn too_early(
    papers: &Papers<'_>,
    outline: &Outline,
    graph: &Graph,
    (at, other): (usize, usize),
) -> crate::checks::Defect {
    let (unit, needed) = (&outline.units[at], &outline.units[other]);
    let line = unit.field(Label::Depends).map_or(unit.line, |field| field.lines.start);
    let found = Found {
        severity: Severity::Warning,
        category: category(papers.phase, About::Order),
        line,
        description: format!(
            "{} depends on `{}`, which stands after it: whoever works from the top is stuck there [read]",
            unit.called(),
            needed.name
        ),
        suggestion: format!("put it behind {}", needed.name),
    };
    // What depends on it goes along, so that nothing new is out of order.
    let along = (at..=other).filter(|one| *one == at || graph.reaches(*one).contains(&at));
    let blocks: Vec<_> = along.map(|one| outline.units[one].block.clone()).collect();
    let after = needed.block.end.saturating_sub(1);
    let note = format!("{} {} now stands behind {}", unit.kind.word(), unit.name, needed.name);
    handoff::present(papers, found, Remedy::new(note, vec![Edit::Move { blocks, after }]))
}

/// Takes one part out of what another depends on.
fn drop_dependency(document: &Document<'_>, unit: &Unit, other: &Unit) -> Remedy {
    let Some(field) = unit.field(Label::Depends) else { return Remedy::default() };
    let line = field.lines.start;
    let raw = &document.lines[line].raw[field.at.clone()];
    let new = without(raw, &[other.key.as_str()]);
    let note = format!("{} {} no longer depends on {}", unit.kind.word(), unit.name, other.name);
    let changed = new != raw;
    let edit = Edit::Replace { line, at: field.at.clone(), new };
    if changed { Remedy::new(note, vec![edit]) } else { Remedy::default() }
}

/// Adds one part to what another depends on.
pub(super) fn add_dependency(document: &Document<'_>, unit: &Unit, other: &Unit) -> Remedy {
    let Some(field) = unit.field(Label::Depends) else { return Remedy::default() };
    let line = field.lines.start;
    let raw = document.lines[line].raw[field.at.clone()].trim_end();
    let worded = raw.to_lowercase().contains(unit.kind.word());
    let name = if worded {
        let word = unit.kind.word();
        let capital = raw.contains(&format!("{}{}", word[..1].to_uppercase(), &word[1..]));
        let word =
            if capital { format!("{}{}", word[..1].to_uppercase(), &word[1..]) } else { word.to_owned() };
        format!("{word} {}", other.name)
    } else {
        other.name.clone()
    };
    let none = refs(raw, true).is_empty();
    let new = if none { name } else { format!("{}, {name}", raw.trim_end_matches('.')) };
    let at = field.at.start..field.at.start + raw.len();
    let note = format!("{} {} now depends on {}", unit.kind.word(), unit.name, other.name);
    Remedy::new(note, vec![Edit::Replace { line, at, new }])
}

/// A list of dependencies without some of them.
fn without(list: &str, keys: &[&str]) -> String {
    let pieces = list.split(',');
    let kept: Vec<&str> = pieces
        .map(str::trim)
        .filter(|piece| {
            let here = refs(piece, true);
            here.is_empty() || !here.iter().all(|one| keys.contains(&one.key.as_str()))
        })
        .collect();
    let kept: Vec<&str> = kept.into_iter().filter(|piece| !piece.is_empty()).collect();
    if kept.is_empty() { "none".to_owned() } else { kept.join(", ") }
}
