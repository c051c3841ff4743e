//! A failure that is listed and that no requirement or criterion handles.
//!
//! Failures are the items of sections on failures, errors and edge cases, of the PRD as well, and those risks
//! that are failures of the system. An item that says itself what happens, or names what handles it, is handled.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::rehearsal::document::{Kind, cells, plain};
use crate::rehearsal::ids::{Id, leading};
use crate::rehearsal::index::Index;
use crate::rehearsal::pace::{Pace, Stopped};
use crate::rehearsal::spec::{Part, Spec};
use crate::rehearsal::words::{Said, circumstance, content};
use redraft_core::verdict::{Claim, Severity};
use std::collections::BTreeSet;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let mut looked = Looked::default();
    let (spec, pace) = (&papers.spec, papers.pace);
    let answers = Answers::of(spec, pace)?;
    if answers.all.is_empty() {
        looked.note = "no requirement that could be told from the other text".to_owned();
        return Ok(looked);
    }
    let remarks = Remarks::of(spec, pace)?;
    let mut listed: Vec<(&str, &Spec<'_>, Failure)> = Vec::new();
    listed.extend(failures(spec, pace)?.into_iter().map(|failure| (papers.path, spec, failure)));
    if let Some((path, prd)) = papers.prd {
        listed.extend(failures(prd, pace)?.into_iter().map(|failure| (path, prd, failure)));
    }
    let mut seen = BTreeSet::new();
    for (path, source, failure) in listed {
        pace.step()?;
        if !seen.insert(mark(&failure.text)) {
            continue;
        }
        match answers.handling(&failure).or_else(|| remarks.on(&failure)) {
            Some(how) => looked.settled.push((vec![mark(&failure.text)], how)),
            None => looked.defects.push(defect(papers, path, source, &failure)),
        }
    }
    looked.note = format!("{} failures, {} requirements and criteria", seen.len(), answers.all.len());
    Ok(looked)
}

struct Failure {
    line: usize,
    text: String,
    words: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
    /// What is going on when it happens, and the word that says most about that.
    during: Option<(BTreeSet<String>, String)>,
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
        let said = Said::of(&spec.document.text(block.clone()));
        Answer {
            line: block.start,
            words: said.content(),
            kinds: said.failure_kinds(),
            about_failure: said.speaks_of_failure(),
            outright: said.answers_failure(),
        }
    }
}

/// The failures a document lists without saying what happens then.
fn failures(spec: &Spec<'_>, pace: &Pace<'_>) -> Result<Vec<Failure>, Stopped> {
    let document = &spec.document;
    let prefixes: BTreeSet<&str> = spec.requirements.iter().map(|r| r.id.prefix.as_str()).collect();
    let mut found: Vec<Failure> = Vec::new();
    for (at, line) in document.lines.iter().enumerate() {
        pace.step()?;
        let risk = spec.is_in(at, Part::Risks);
        if !(risk || spec.is_in(at, Part::Failures))
            || spec.is_in_any(at, &[Part::Excluded, Part::Background])
            || spec.is_criterion(at)
        {
            continue;
        }
        if !spec.owners(at).is_empty() {
            continue;
        }
        let (said, block) = match line.kind {
            Kind::Item { indent: 0..=1, .. } => (document.said(at), document.block_of_item(at)),
            Kind::Row if !document.is_table_head(at) => (line.raw, at..at + 1),
            _ => continue,
        };
        let text = document.text(block.clone());
        let rest = block.len();
        if leading(said).is_some_and(|m| m.id.is_requirement())
            || (risk && Said::of(&text).failure_kinds().is_empty())
        {
            continue;
        }
        // Ids of a kind this document does not use belong to another one.
        let known = |id: &&Id| prefixes.contains(id.prefix.as_str()) || id.is_criterion();
        let ids: Vec<&Id> = spec.named(block).filter(known).collect();
        let cites = (!ids.is_empty()).then(|| ids.iter().any(|id| spec.defines(id)));
        if cites.is_none() && says_what_happens(said, &document.text(at + 1..at + rest), line.kind) {
            continue;
        }
        let whole = Said::of(&text);
        let words = whole.content();
        if !words.is_empty() {
            let row = cells(said);
            // The first column may only number the failures.
            let named = row.iter().find(|cell| leading(cell).is_none()).copied().unwrap_or(said);
            let said = plain(if line.kind == Kind::Row { named } else { said });
            let (kinds, during) = (whole.failure_kinds(), circumstance(&said));
            found.push(Failure { line: at, text: said, words, kinds, during, cites });
        }
    }
    Ok(found)
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

/// Requirements and criteria, in the order of their lines.
struct Answers {
    all: Vec<Answer>,
    index: Index,
}

impl Answers {
    fn of(spec: &Spec<'_>, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let mut all = Vec::new();
        for block in spec.statements().into_iter().chain(spec.criteria()) {
            pace.step()?;
            all.push(Answer::of(spec, block));
        }
        all.sort_by_key(|answer| answer.line);
        let index = Index::of(all.iter().map(|answer| &answer.words), pace)?;
        Ok(Answers { all, index })
    }

    fn handling(&self, failure: &Failure) -> Option<String> {
        match failure.cites {
            Some(true) => return Some(format!("line {} names what handles it", failure.line + 1)),
            // What it names is gone, and words alone would only find its neighbours.
            Some(false) => return None,
            None => {}
        }
        let common = |word: &String| {
            let holding = self.index.holding(word);
            holding * 3 > self.all.len() && holding > 2
        };
        let own: BTreeSet<&String> = failure.words.iter().filter(|word| !common(word)).collect();
        let (words, rare_words) = (self.index.query(&failure.words), self.index.query(own.iter().copied()));
        let handles = |at: &usize| {
            let answer = &self.all[*at];
            let all = self.index.shared(*at, &words);
            let rare = self.index.shared(*at, &rare_words);
            if !speaks_of_circumstance(&answer.words, failure) {
                return false;
            }
            let same_kind = failure.kinds.intersection(&answer.kinds).next().is_some();
            // An answer to another kind of failure of the same thing is no answer to this one.
            let other_kind = !same_kind && !failure.kinds.is_empty() && !answer.kinds.is_empty();
            let most = all * 5 >= failure.words.len() * 3;
            let enough = all > 1 || failure.words.len() == 1;
            answer.about_failure
                && ((same_kind && all > 0) || (most && enough) || rare * 2 >= own.len().max(2))
                || answer.outright && rare > 0 && (!other_kind || all * 2 >= failure.words.len())
        };
        let found = self.index.sharing(&words).into_iter().find(handles)?;
        Some(format!("line {} handles it", self.all[found].line + 1))
    }
}

/// Whether an answer has in mind what is going on when the failure happens, if the failure says so.
fn speaks_of_circumstance(answer: &BTreeSet<String>, failure: &Failure) -> bool {
    failure.during.as_ref().is_none_or(|(words, last)| {
        let shared = words.intersection(answer).count();
        answer.contains(last) || shared * 3 >= words.len() * 2
    })
}

/// Lines outside all lists of failures and beside all requirements that may still say what happens.
struct Remarks {
    lines: Vec<usize>,
    words: Vec<BTreeSet<String>>,
    index: Index,
}

impl Remarks {
    fn of(spec: &Spec<'_>, pace: &Pace<'_>) -> Result<Self, Stopped> {
        let apart =
            [Part::Failures, Part::Risks, Part::Goals, Part::Excluded, Part::Questions, Part::Background];
        let (mut lines, mut words) = (Vec::new(), Vec::new());
        for (at, line) in spec.document.lines.iter().enumerate() {
            pace.step()?;
            let prose = matches!(line.kind, Kind::Text | Kind::Item { .. } | Kind::Row);
            if prose && !spec.is_in_any(at, &apart) {
                lines.push(at);
                words.push(content(line.raw));
            }
        }
        let index = Index::of(words.iter(), pace)?;
        Ok(Remarks { lines, words, index })
    }

    /// A remark answers a failure only if it speaks of nearly all of it.
    fn on(&self, failure: &Failure) -> Option<String> {
        let query = self.index.query(&failure.words);
        let speaks = |at: &usize| {
            let shared = self.index.shared(*at, &query);
            let most = shared > 1 && shared * 5 >= failure.words.len() * 3;
            most && speaks_of_circumstance(&self.words[*at], failure)
        };
        let near = if failure.cites.is_none() { self.index.sharing(&query) } else { Vec::new() };
        let found = near.into_iter().find(speaks)?;
        Some(format!("line {} says what happens then", self.lines[found] + 1))
    }
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
