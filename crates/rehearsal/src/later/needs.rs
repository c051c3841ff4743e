//! What a step or task uses of another without depending on it, and files that two write at once.
//!
//! Only parts that say what they depend on are judged, and a use is only one where the name that another part
//! produces stands in code. Start at [`look`].

use super::order::{Graph, add_dependency};
use super::outline::{Kind, Label, Outline, Unit};
use super::{About, Found, category, handoff};
use crate::checks::{Looked, Papers};
use crate::document::Document;
use crate::pace::Stopped;
use crate::spec::{Requirement, Spec};
use crate::words::content;
use redraft_core::verdict::Severity;
use std::collections::{BTreeMap, BTreeSet};

/// Above so many parts only the first are compared: nobody reviews more in one document.
const UNITS_MAX: usize = 600;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let document = &papers.spec.document;
    let outline = Outline::read(document, papers.phase, papers.pace)?;
    let graph = Graph::of(document, &outline);
    let mut looked = Looked::default();
    let mut seen = BTreeSet::new();
    let mut report = |user: usize, maker: usize, what: &str, produced: bool, looked: &mut Looked| {
        if !seen.insert((user, maker)) {
            return;
        }
        let (unit, other) = (&outline.units[user], &outline.units[maker]);
        let description = if produced {
            format!(
                "{} uses `{what}` of {} without depending on it, so it may be begun before that is made [read]",
                unit.called(),
                other.called()
            )
        } else {
            format!(
                "{} and {} both write `{what}` and neither depends on the other, so two may change it at once [read]",
                unit.called(),
                other.called()
            )
        };
        let line = unit.field(Label::Depends).map_or(unit.line, |field| field.lines.start);
        let found = Found {
            severity: Severity::Warning,
            category: category(papers.phase, About::Order),
            line,
            description,
            suggestion: format!("add {} to what it depends on", other.name),
        };
        let remedy = add_dependency(document, unit, other);
        looked.defects.push(handoff::present(papers, found, remedy));
    };
    let count = outline.units.len().min(UNITS_MAX);
    let judged = |at: usize| at < count && outline.units[at].field(Label::Depends).is_some();
    let makers = makers(document, &outline, count);
    for at in (0..count).filter(|at| judged(*at)) {
        papers.pace.step()?;
        let behind = graph.reaches(at);
        for name in used(document, &outline.units[at]) {
            let Some(Some(maker)) = makers.get(&name) else { continue };
            let unordered = *maker != at && !behind.contains(maker) && !graph.reaches(*maker).contains(&at);
            if unordered && judged(*maker) {
                report(at, *maker, &name, true, &mut looked);
            }
        }
    }
    for (path, writers) in files(document, &outline, count) {
        for pair in writers.windows(2) {
            papers.pace.step()?;
            let (first, second) = (pair[0], pair[1]);
            let ordered = graph.reaches(second).contains(&first) || graph.reaches(first).contains(&second);
            if !ordered && judged(first) && judged(second) {
                report(second, first, &path, false, &mut looked);
            }
        }
    }
    looked.note = format!("{} parts, {} names made by one of them", outline.units.len(), makers.len());
    Ok(looked)
}

/// The names each part says it produces; none for a name that several produce.
fn makers(document: &Document<'_>, outline: &Outline, count: usize) -> BTreeMap<String, Option<usize>> {
    let mut found: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for (at, unit) in outline.units.iter().enumerate().take(count) {
        let Some(field) = unit.field(Label::Produces) else { continue };
        for name in code_names(&field.text(document)) {
            let maker = found.entry(name).or_insert(Some(at));
            if *maker != Some(at) {
                *maker = None;
            }
        }
    }
    found
}

/// The names in code that a part speaks of, outside of what it produces itself.
fn used(document: &Document<'_>, unit: &Unit) -> BTreeSet<String> {
    let own = unit.field(Label::Produces).map_or(0..0, |field| field.lines.clone());
    let lines = unit.block.clone().filter(|at| !own.contains(at));
    lines.flat_map(|at| code_names(document.lines[at].raw)).collect()
}

/// The files parts write, in the order of the document.
fn files(document: &Document<'_>, outline: &Outline, count: usize) -> BTreeMap<String, Vec<usize>> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, unit) in outline.units.iter().enumerate().take(count) {
        let Some(field) = unit.field(Label::Files) else { continue };
        let text = field.text(document);
        for path in paths(&text) {
            let writers = found.entry(path).or_default();
            if writers.last() != Some(&at) {
                writers.push(at);
            }
        }
    }
    found
}

/// The paths of a field that are written: what is only read is said to be.
pub(super) fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in text.split([',', '\n', ';']) {
        let lower = piece.to_lowercase();
        if ["(read", "read only", "read-only", "unchanged", "(see"].iter().any(|word| lower.contains(word)) {
            continue;
        }
        let bare = piece.split('`').nth(1).unwrap_or_else(|| {
            piece.trim().trim_start_matches(['-', '*', ' ']).split_whitespace().next().unwrap_or_default()
        });
        if bare.contains(['/', '.']) && !bare.contains(' ') && bare.chars().any(char::is_alphanumeric) {
            found.push(bare.trim_end_matches(['.', ':']).to_owned());
        }
    }
    found
}

/// Identifiers in code spans, without what they are called with.
fn code_names(raw: &str) -> Vec<String> {
    let spans = raw.split('`').skip(1).step_by(2);
    let names = spans.map(|span| span.split(['(', '<', '{', ' ']).next().unwrap_or_default());
    let real = names.filter(|name| {
        let word = name.chars().all(|c| c.is_alphanumeric() || "_:.".contains(c));
        name.len() >= 4 && word && !name.contains('.') && name.chars().any(char::is_alphabetic)
    });
    real.map(str::to_owned).collect()
}

/// The requirement whose words are nearest to a part's; none where nothing is shared.
pub(super) fn trace<'s>(document: &Document<'_>, unit: &Unit, spec: &'s Spec<'_>) -> Option<&'s Requirement> {
    let words = content(&document.text(unit.block.clone()));
    let shared =
        |requirement: &&Requirement| content(&spec.statement(requirement)).intersection(&words).count();
    spec.requirements.iter().rev().max_by_key(shared).filter(|best| shared(best) > 1)
}

/// Whether a kind of element needs a step of its own.
pub(super) fn is_made(kind: Kind) -> bool {
    matches!(kind, Kind::Component | Kind::Interface)
}
