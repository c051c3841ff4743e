//! A failure that is listed and that no requirement or criterion handles.
//!
//! Failures are the items of sections on failures, errors and edge cases, of the PRD as well, and those risks
//! that are failures of the system. An item that says itself what happens, or names what handles it, is handled.

use super::{Defect, Looked, Papers, Wrong, mark, quote, section_name};
use crate::document::{Kind, cells, plain};
use crate::ids::{Id, leading};
use crate::index::Index;
use crate::pace::{Pace, Stopped};
use crate::spec::{Part, Spec, after_id};
use crate::words::{Said, circumstance, conditions, content, events};
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
        match answers.handling(&failure).or_else(|| remarks.on(&failure, &answers)) {
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
    /// Whether something is not there or does not happen.
    denies: bool,
    /// The words for what happens.
    events: BTreeSet<String>,
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
    /// The cases it is for.
    cases: Cases,
}

struct Cases {
    /// All of them taken together.
    words: BTreeSet<String>,
    kinds: BTreeSet<&'static str>,
    denies: bool,
    /// What fails, where a case says no more than that.
    failing: BTreeSet<String>,
}

impl Cases {
    fn of(title: &str, text: &str) -> Self {
        let mut each = conditions(text);
        each.push(title.to_owned());
        let all = Said::of(&each.join("\n"));
        Cases {
            words: all.content(),
            kinds: all.failure_kinds(),
            denies: all.denies(),
            failing: each.iter().flat_map(|case| Said::of(case).failing()).collect(),
        }
    }
}

impl Answer {
    fn of(spec: &Spec<'_>, block: std::ops::Range<usize>) -> Self {
        let text = spec.document.text(block.clone());
        let said = Said::of(&text);
        // The heading of a requirement mostly names the case it is for.
        let titled = spec.document.heading_at(block.start).is_some();
        let title = if titled { after_id(spec.document.said(block.start)) } else { String::new() };
        Answer {
            line: block.start,
            words: said.content(),
            kinds: said.failure_kinds(),
            about_failure: said.speaks_of_failure(),
            outright: said.answers_failure(),
            cases: Cases::of(&title, &text),
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
            let (kinds, denies, during) = (whole.failure_kinds(), whole.denies(), circumstance(&said));
            let events = events(&said);
            found.push(Failure { line: at, text: said, words, kinds, denies, events, during, cites });
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
        // What happens in no requirement at all is hardly what one of them is for.
        let unheard = failure.events.iter().any(|word| self.index.holding(word) == 0);
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
            let known = !unheard || failure.denies || same_kind || answer.outright;
            let enough = (all > 1 || failure.words.len() == 1) && known;
            // One word of several is only what the failure happens to.
            let telling = rare * 2 >= own.len() && (rare > 1 || own.len() == 1 && rare == 1);
            is_case_of(&answer.cases, failure, &own, unheard)
                || answer.about_failure && ((same_kind && all > 0) || (most && enough) || telling)
                || answer.outright && telling && (!other_kind || all * 2 >= failure.words.len())
        };
        let found = self.index.sharing(&words).into_iter().find(handles)?;
        Some(format!("line {} handles it", self.all[found].line + 1))
    }
}

/// Whether a failure is one of the cases an answer is for: at least half of its words, and not the opposite of it.
fn is_case_of(cases: &Cases, failure: &Failure, own: &BTreeSet<&String>, unheard: bool) -> bool {
    let shared: Vec<&String> = failure.words.intersection(&cases.words).collect();
    let enough = shared.len() * 2 >= failure.words.len() && (shared.len() > 1 || failure.words.len() == 1);
    let other_kind =
        !failure.kinds.is_empty() && !cases.kinds.is_empty() && failure.kinds.is_disjoint(&cases.kinds);
    let most = shared.len() * 5 >= failure.words.len() * 3;
    // "If a backup fails" is for every way in which it can fail.
    let any_way = !cases.failing.is_disjoint(&failure.words);
    any_way
        || enough
            && shared.iter().any(|word| own.contains(word))
            && (cases.denies || !failure.denies)
            && (!unheard || failure.denies || !failure.kinds.is_disjoint(&cases.kinds))
            && (most || !other_kind)
}

/// Whether an answer has in mind what is going on when the failure happens, if the failure says so.
fn speaks_of_circumstance(answer: &BTreeSet<String>, failure: &Failure) -> bool {
    failure.during.as_ref().is_none_or(|(words, last)| {
        let shared = words.intersection(answer).count();
        answer.contains(last) || shared * 3 >= words.len() * 2
    })
}

/// Lines outside all lists of failures and beside all requirements and criteria that may still say what happens.
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
        let mut asked = vec![false; spec.document.lines.len()];
        for block in spec.statements().into_iter().chain(spec.criteria()) {
            pace.step()?;
            asked[block].fill(true);
        }
        for (at, line) in spec.document.lines.iter().enumerate() {
            pace.step()?;
            let prose = matches!(line.kind, Kind::Text | Kind::Item { .. } | Kind::Row);
            if prose && !asked[at] && !spec.is_in_any(at, &apart) {
                lines.push(at);
                words.push(content(line.raw));
            }
        }
        let index = Index::of(words.iter(), pace)?;
        Ok(Remarks { lines, words, index })
    }

    /// A remark answers a failure only if it speaks of nearly all of it.
    fn on(&self, failure: &Failure, answers: &Answers) -> Option<String> {
        let query = self.index.query(&failure.words);
        let speaks = |at: &usize| {
            let shared = self.index.shared(*at, &query);
            // A word that stands nowhere else is what the failure is really about.
            let heard = |word: &String| self.index.holding(word) + answers.index.holding(word) > 0;
            let silent = !failure.words.iter().all(heard);
            let most = shared > 1 && shared * 5 >= failure.words.len() * 3 && !silent;
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

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::super::tests::with_papers;

    /// Whether a failure counts as handled by these requirements, with a note that speaks of the same things.
    fn is_handled(failure: &str, requirements: &[&str]) -> bool {
        let listed: Vec<String> =
            requirements.iter().enumerate().map(|(at, says)| format!("- R{}: {says}", at + 1)).collect();
        let text =
            format!("# Spec\n\n## Requirements\n\n{}\n\n## Failures\n\n- {failure}\n", listed.join("\n"));
        with_papers(&text, None, |papers| Check::Failures.look(papers).unwrap().defects.is_empty())
    }

    #[test]
    fn a_requirement_for_the_same_things_does_not_handle_a_failure() {
        for (failure, requirements) in [
            (
                "There are no orders in the month.",
                ["The shop offers all orders of a month as one file.", "An order file holds no card number."],
            ),
            (
                "Two guests reserve the same table for the same evening.",
                [
                    "A guest can reserve a free table for an evening.",
                    "If a guest leaves, the table is cleaned.",
                ],
            ),
            (
                "A courier takes a parcel to the wrong house.",
                ["When a courier takes a parcel, its state changes.", "A parcel has at most 20 kg."],
            ),
            (
                "The badge of an employee is lost.",
                ["A badge without a photo is refused.", "If the door is open, an alarm rings."],
            ),
        ] {
            assert!(!is_handled(failure, &requirements), "{failure}");
        }
    }

    #[test]
    fn a_requirement_for_the_case_handles_it_in_other_words() {
        for (failure, requirement) in [
            ("There are no orders in the month.", "Without orders in a month the file has a header only."),
            ("There are no orders in the month.", "For a month with no orders the shop delivers a header."),
            (
                "Two guests reserve the same table for the same evening.",
                "When two guests reserve one table for an evening, the first one gets it.",
            ),
            ("The disk of the archive is full.", "If the archive fails, the operator is told."),
            ("The phone has no network.", "Without a network the phone stores what was entered."),
        ] {
            assert!(is_handled(failure, &[requirement, "A parcel is weighed."]), "{failure}: {requirement}");
        }
    }
}
