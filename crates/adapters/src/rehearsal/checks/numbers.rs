//! Two sections that give different numbers for one thing.
//!
//! Numbers are compared when they have the same kind of unit and words close to them in common. They are taken
//! to be about different things as soon as something around them differs that could be the reason: per user and
//! per address, a connect timeout and a read timeout, at least and at most, test data one step beyond a limit.

use super::{Defect, Looked, Papers, Wrong, quote, section_name};
use crate::rehearsal::document::{Kind, has_any};
use crate::rehearsal::ids::Id;
use crate::rehearsal::measures::{Measure, measures};
use crate::rehearsal::spec::{Part, Spec};
use crate::rehearsal::words::{content, content_word};
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;

pub(super) fn look(papers: &Papers<'_>) -> Looked {
    let stated = stated(&papers.spec);
    let mut looked =
        Looked { name: "no two sections give different numbers for one thing", ..Looked::default() };
    let mut reported: Vec<usize> = Vec::new();
    for later in 0..stated.len() {
        let earlier = (0..later).find(|earlier| {
            !reported.contains(earlier) && conflict(&stated, &stated[*earlier], &stated[later])
        });
        if let Some(earlier) = earlier {
            reported.push(later);
            looked.defects.push(defect(papers, &stated[earlier], &stated[later]));
        }
    }
    looked.note = format!("{} numbers with a unit compared", stated.len());
    looked
}

/// A measure where it is stated.
struct Stated {
    line: usize,
    section: Option<usize>,
    criterion: bool,
    /// The requirements the line belongs to or names.
    ids: BTreeSet<Id>,
    measure: Measure,
    /// What the whole line is about.
    line_words: BTreeSet<String>,
    unit: String,
}

fn stated(spec: &Spec<'_>) -> Vec<Stated> {
    let mut found = Vec::new();
    let apart = [Part::Background, Part::Excluded, Part::Questions, Part::Risks, Part::Tracing, Part::Goals];
    for (line, text) in spec.document.lines.iter().enumerate() {
        let silent = matches!(text.kind, Kind::Code | Kind::Heading | Kind::Blank | Kind::Divider);
        if silent || apart.iter().any(|part| spec.is_in(line, *part)) || has_any(&text.prose, NOT_A_RULE) {
            continue;
        }
        let from = match text.kind {
            Kind::Item { text, .. } => text,
            _ => 0,
        };
        let mut ids: BTreeSet<Id> =
            spec.named(line..line + 1).filter(|id| id.is_requirement()).cloned().collect();
        ids.extend(spec.requirements.iter().filter(|r| r.block.contains(&line)).map(|r| r.id.clone()));
        let criterion = spec.is_criterion(line);
        for mut measure in measures(&text.prose[from..]) {
            measure.at = measure.at.start + from..measure.at.end + from;
            if criterion && is_test_data(&text.prose, &measure) {
                continue;
            }
            let section = spec.document.section_index(line);
            let unit: String = text.raw[measure.at.clone()].chars().filter(|c| c.is_alphabetic()).collect();
            let line_words = content(&text.prose);
            found.push(Stated { line, section, criterion, ids: ids.clone(), measure, line_words, unit });
        }
    }
    found
}

/// Sentences about how things are, were or might be.
const NOT_A_RULE: &[&str] = &[
    "today",
    "currently",
    "previously",
    "formerly",
    "instead of",
    "rather than",
    "used to",
    "e.g.",
    "for example",
    "example",
    "such as",
    "originally",
    "no longer",
];

/// A number in the preparation of a criterion ("Given 6 attempts, when …") is chosen by the test, not by a rule.
fn is_test_data(prose: &str, measure: &Measure) -> bool {
    let before = prose[..measure.at.start].to_lowercase();
    let prepared = before.rfind("given ").max(before.rfind("when ")).is_some_and(|from| {
        let since = &before[from..];
        !since.contains(" then ") && !since.contains(',')
    });
    prepared && !measure.threshold
}

fn conflict(all: &[Stated], a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    let comparable = a.section != b.section
        && m.kind == n.kind
        && m.kind != "percent"
        && (m.value - n.value).abs() > f64::EPSILON * m.value.abs()
        && m.least == n.least
        && m.every == n.every
        && bounds_agree(a, b)
        && (m.scope == n.scope || m.scope.is_empty() != n.scope.is_empty());
    if !comparable || beside(all, a, n) || beside(all, b, m) || one_step(a, b) || modified(m, n) {
        return false;
    }
    let (first, second) = (words(m), words(n));
    let shared = first.intersection(&second).count();
    let either = first.union(&second).count().max(1);
    // What is counted is the same by definition; for a count something else has to agree, too.
    let more = m.near.intersection(&n.near).filter(|word| **word != m.kind).count();
    let bare = first.len().min(second.len()) <= 1;
    let close = more > 0 || (m.near.contains(&m.kind) && (bare || shared > 1));
    let subset = shared == first.len().min(second.len()) && shared > 0;
    let tied = a.ids.iter().any(|id| b.ids.iter().any(|other| id.covers(other)))
        && a.ids.len().max(b.ids.len()) == 1;
    let apart = !tied && !a.ids.is_empty() && !b.ids.is_empty();
    if tied {
        let same_line = a.line_words.intersection(&b.line_words).count() > 2;
        let bounds = m.bound && n.bound && a.unit == b.unit && same_line;
        return shared > 0 && close || (shared > 2 || bounds) && lone(all, a) && lone(all, b);
    }
    let alike = if apart { shared * 2 >= either } else { shared * 5 >= either * 2 };
    let one_sided = m.scope != n.scope;
    close
        && ((alike && shared > 0 && (!one_sided || shared * 2 >= either))
            || (subset && !apart && !one_sided && only_two(all, a, b)))
}

/// A count is a rule only where it is bounded, and words between number and noun may tell two counts apart.
fn bounds_agree(a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    if matches!(m.kind.as_str(), "time" | "size") {
        return true;
    }
    let ruled = |s: &Stated| s.measure.bound || !s.criterion;
    let apart = m.between.is_disjoint(&n.between) && !m.between.is_empty() && !n.between.is_empty();
    (m.bound || n.bound) && ruled(a) && ruled(b) && !apart
}

/// Whether a number stands beside the other one's value, which its line then knows about.
fn beside(all: &[Stated], here: &Stated, other: &Measure) -> bool {
    let same = |s: &&Stated| s.line == here.line && s.measure.kind == other.kind;
    all.iter().filter(same).any(|s| s.measure.value == other.value)
}

/// Test data of a criterion lies one step beside the limit it tests.
fn one_step(a: &Stated, b: &Stated) -> bool {
    (a.criterion || b.criterion) && (a.measure.number - b.measure.number).abs() <= 1.0
}

/// Whether a word that both have is set apart by another word right before it: a read and a connect timeout.
fn modified(m: &Measure, n: &Measure) -> bool {
    let (first, second) = (words(m), words(n));
    m.all.iter().any(|(word, before)| {
        let Some(before) = before.as_ref().filter(|before| !second.contains(*before)) else { return false };
        let twins = n.all.iter().filter(|(twin, _)| twin == word);
        let other =
            |(_, b): &(String, Option<String>)| b.as_ref().is_some_and(|b| b != before && !first.contains(b));
        twins.into_iter().any(other)
    })
}

fn words(measure: &Measure) -> BTreeSet<String> {
    measure.all.iter().map(|(word, _)| word.clone()).chain(measure.near.iter().cloned()).collect()
}

/// Whether the line has no other number of that kind.
fn lone(all: &[Stated], here: &Stated) -> bool {
    all.iter().filter(|s| s.line == here.line && s.measure.kind == here.measure.kind).count() == 1
}

/// Whether the document gives no third number for things named by the same words.
fn only_two(all: &[Stated], a: &Stated, b: &Stated) -> bool {
    let (m, n) = (&a.measure, &b.measure);
    let shared: BTreeSet<&String> = m.near.intersection(&n.near).collect();
    let same =
        |s: &&Stated| s.measure.kind == m.kind && s.measure.near.iter().any(|word| shared.contains(word));
    all.iter().filter(same).all(|s| s.measure.value == m.value || s.line == b.line)
        || all.iter().filter(same).all(|s| s.measure.value == n.value || s.line == a.line)
}

fn defect(papers: &Papers<'_>, earlier: &Stated, later: &Stated) -> Defect {
    let document = &papers.spec.document;
    let text = |stated: &Stated| document.lines[stated.line].raw[stated.measure.at.clone()].to_owned();
    let place = |stated: &Stated| section_name(document.section(stated.line));
    let shared: BTreeSet<&String> = earlier.measure.near.intersection(&later.measure.near).collect();
    let is_shared = |word: &&str| content_word(word).is_some_and(|word| shared.contains(&word));
    let words = document.lines[later.line].prose.split(|c: char| !c.is_alphanumeric());
    let mut named: Vec<String> = words.filter(is_shared).map(str::to_lowercase).collect();
    named.dedup();
    named.truncate(3);
    let about = if named.is_empty() { String::new() } else { format!(" (both about: {})", named.join(", ")) };
    let (right, wrong) = (text(earlier), text(later));
    Defect {
        severity: Severity::Blocker,
        category: "clarity",
        claim: Claim::Present,
        file: papers.path.to_owned(),
        line: later.line,
        section: document.section(later.line).to_owned(),
        quote: quote(document.lines[later.line].raw),
        description: format!(
            "two numbers for one thing: {} says `{right}`, {} says `{wrong}`{about}",
            place(earlier),
            place(later)
        ),
        suggestion: format!("decide which holds and say {right} or {wrong} in both places"),
        wrong: Wrong::TwoNumbers { line: later.line, at: later.measure.at.clone(), right },
    }
}
