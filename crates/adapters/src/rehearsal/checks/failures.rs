//! A failure that is listed and that no requirement or criterion handles.
//!
//! Failures are the items of sections on failures, errors and edge cases, of the PRD as well, and those risks
//! that are failures of the system. An item that says itself what happens, or names what handles it, is handled.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::rehearsal::document::{Kind, cells, plain};
use crate::rehearsal::ids::{Id, leading};
use crate::rehearsal::spec::{Part, Spec};
use crate::rehearsal::words::{answers_failure, content, failure_kinds, speaks_of_failure};
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;

pub(super) fn look(papers: &Papers<'_>) -> Looked {
    let mut looked = Looked { name: "every listed failure is handled", ..Looked::default() };
    let spec = &papers.spec;
    let mut answers: Vec<Answer> =
        spec.statements().into_iter().chain(spec.criteria()).map(|block| Answer::of(spec, block)).collect();
    answers.sort_by_key(|answer| answer.line);
    if answers.is_empty() {
        looked.note = "no requirement that could be told from the other text".to_owned();
        return looked;
    }
    let remarks = remarks(spec);
    let own = failures(spec).into_iter().map(|failure| (papers.path, spec, failure));
    let upstream = papers
        .prd
        .iter()
        .flat_map(|(path, prd)| failures(prd).into_iter().map(move |failure| (*path, prd, failure)));
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for (path, source, failure) in own.chain(upstream) {
        if !seen.insert(mark(&failure.text)) {
            continue;
        }
        count += 1;
        let how = handled(&answers, &failure).or_else(|| remarked(&remarks, &failure));
        match how {
            Some(how) => looked.settled.push((vec![mark(&failure.text)], how)),
            None => looked.defects.push(defect(papers, path, source, &failure)),
        }
    }
    looked.note = format!("{count} failures, {} requirements and criteria", answers.len());
    looked
}

struct Failure {
    line: usize,
    text: String,
    words: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
    /// Whether the item names ids; then one of them has to exist.
    cites: Option<bool>,
}

struct Answer {
    line: usize,
    words: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
    about_failure: bool,
    outright: bool,
}

impl Answer {
    fn of(spec: &Spec<'_>, block: std::ops::Range<usize>) -> Self {
        let text = spec.document.text(block.clone());
        let about_failure = speaks_of_failure(&text);
        let outright = answers_failure(&text);
        Answer {
            line: block.start,
            words: content(&text),
            kinds: failure_kinds(&text),
            about_failure,
            outright,
        }
    }
}

/// The failures a document lists without saying what happens then.
fn failures(spec: &Spec<'_>) -> Vec<Failure> {
    let document = &spec.document;
    let mut found: Vec<Failure> = Vec::new();
    for (at, line) in document.lines.iter().enumerate() {
        let risk = spec.is_in(at, Part::Risks);
        if !(risk || spec.is_in(at, Part::Failures))
            || spec.is_in(at, Part::Excluded)
            || spec.is_criterion(at)
        {
            continue;
        }
        if spec.requirements.iter().any(|r| r.block.contains(&at)) {
            continue;
        }
        let (said, block) = match line.kind {
            Kind::Item { indent: 0..=1, .. } => (document.said(at), document.block_of_item(at)),
            Kind::Row if !document.is_table_head(at) => (line.raw, at..at + 1),
            _ => continue,
        };
        let text = document.text(block.clone());
        let rest = block.len();
        if leading(said).is_some_and(|m| m.id.is_requirement()) || (risk && failure_kinds(&text).is_empty()) {
            continue;
        }
        // Ids of a kind this document does not use belong to another one.
        let known =
            |id: &&Id| spec.requirements.iter().any(|r| r.id.prefix == id.prefix) || id.is_criterion();
        let ids: Vec<&Id> = spec.named(block).filter(known).collect();
        let cites = (!ids.is_empty()).then(|| ids.iter().any(|id| spec.defines(id)));
        if cites.is_none() && says_what_happens(said, &document.text(at + 1..at + rest), line.kind) {
            continue;
        }
        let words = content(&text);
        if !words.is_empty() {
            let row = cells(said);
            // The first column may only number the failures.
            let named = row.iter().find(|cell| leading(cell).is_none()).copied().unwrap_or(said);
            let said = plain(if line.kind == Kind::Row { named } else { said });
            found.push(Failure { line: at, text: said, words, kinds: failure_kinds(&text), cites });
        }
    }
    found
}

/// An item like "Disk full: the upload is refused", a row with an answer, a sentence with a consequence.
fn says_what_happens(said: &str, below: &str, kind: Kind) -> bool {
    if kind == Kind::Row {
        return cells(said).iter().filter(|cell| cell.split_whitespace().count() > 1).count() > 1;
    }
    let parts =
        [": ", ":** ", ":**", "** ", " → ", " -> ", " => ", " — ", " – ", " - ", "; ", ". ", " (", "\n"];
    let text = format!("{said}\n{below}");
    let text = text.trim_end();
    let split = parts.iter().find_map(|part| text.split_once(part));
    let answered = split.is_some_and(|(_, answer)| answer.split_whitespace().count() > 2);
    let lower = text.to_lowercase();
    let modal = [
        " shall ",
        " must ",
        " should ",
        " will ",
        " returns ",
        " is refused",
        " is rejected",
        " are refused",
    ];
    answered
        || modal.iter().any(|word| lower.contains(word))
        || lower.contains(", the ")
        || lower.contains(", then ")
}

fn handled(answers: &[Answer], failure: &Failure) -> Option<String> {
    match failure.cites {
        Some(true) => return Some(format!("line {} names what handles it", failure.line + 1)),
        // What it names is gone, and words alone would only find its neighbours.
        Some(false) => return None,
        None => {}
    }
    let common = |word: &&String| {
        let holding = answers.iter().filter(|answer| answer.words.contains(*word)).count();
        holding * 3 > answers.len() && holding > 2
    };
    let own: BTreeSet<&String> = failure.words.iter().filter(|word| !common(word)).collect();
    let handles = |answer: &&Answer| {
        let all = failure.words.iter().filter(|word| answer.words.contains(*word)).count();
        let rare = own.iter().filter(|word| answer.words.contains(**word)).count();
        let same_kind = failure.kinds.intersection(&answer.kinds).next().is_some();
        let most = all * 5 >= failure.words.len() * 3;
        let enough = all > 1 || failure.words.len() == 1;
        answer.about_failure && ((same_kind && all > 0) || (most && enough) || rare * 2 >= own.len().max(2))
            || answer.outright && rare > 0
    };
    let found = answers.iter().find(handles)?;
    Some(format!("line {} handles it", found.line + 1))
}

/// Lines outside all lists of failures and beside all requirements that may still say what happens.
fn remarks(spec: &Spec<'_>) -> Vec<(usize, BTreeSet<String>)> {
    let apart = [Part::Failures, Part::Risks, Part::Goals, Part::Excluded, Part::Questions, Part::Background];
    let lines = spec.document.lines.iter().enumerate();
    let prose = lines.filter(|(_, line)| matches!(line.kind, Kind::Text | Kind::Item { .. } | Kind::Row));
    let here = prose.filter(|(at, _)| !apart.iter().any(|part| spec.is_in(*at, *part)));
    here.map(|(at, line)| (at, content(line.raw))).collect()
}

/// A remark answers a failure only if it speaks of nearly all of it.
fn remarked(remarks: &[(usize, BTreeSet<String>)], failure: &Failure) -> Option<String> {
    let speaks = |(_, words): &&(usize, BTreeSet<String>)| {
        let shared = words.intersection(&failure.words).count();
        shared > 1 && shared * 5 >= failure.words.len() * 3
    };
    let found = remarks.iter().filter(|_| failure.cites.is_none()).find(speaks);
    found.map(|(line, _)| format!("line {} says what happens then", line + 1))
}

fn defect(papers: &Papers<'_>, path: &str, source: &Spec<'_>, failure: &Failure) -> Defect {
    let section = source.document.section(failure.line);
    let name = mark(&failure.text);
    let place = if path == papers.path { String::new() } else { " of the PRD".to_owned() };
    Defect {
        wrong: Wrong::NoHandling { failure: failure.text.clone() },
        severity: Severity::Blocker,
        category: "assumptions",
        claim: Claim::Absent,
        file: path.to_owned(),
        line: failure.line,
        section: section.to_owned(),
        quote: quote(source.document.lines[failure.line].raw),
        description: format!(
            "no requirement or criterion handles the failure `{name}` of {}{place}",
            section_name(section)
        ),
        suggestion: "add a requirement that says what the system does then, and its criterion".to_owned(),
    }
}
