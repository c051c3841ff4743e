//! Two places that give different numbers for one thing.
//!
//! This file collects the numbers and brings those together that could be about one thing, by the words they have
//! in common; `alike` decides. Start at [`look`].

use super::alike::{Stated, conflict};
use super::{Defect, Looked, Papers, Wrong, quote, section_name};
use crate::document::{cells, has_any};
use crate::ids::{Id, mentions};
use crate::measures::{Measure, measures};
use crate::pace::Stopped;
use crate::passages::{Passage, passages};
use crate::spec::{Part, Spec, after_id};
use crate::subject::Role;
use crate::words::{content, content_word};
use redraft_core::verdict::{Claim, Severity};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// With how many earlier numbers one is compared. Ordinary documents have fewer that share a word; in huge ones
/// the numbers that share the rarest words come first.
const COMPARED_MAX: usize = 64;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let stated = AllStated::of(papers)?;
    let mut looked = Looked::default();
    let mut reported = vec![false; stated.all.len()];
    let mut known: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
    for later in 0..stated.all.len() {
        let keys = keys(&stated.all[later]);
        let mut earlier = None;
        for at in nearest(&known, &keys) {
            papers.pace.step()?;
            if !reported[at] && conflict(&stated, at, later) {
                earlier = Some(at);
                break;
            }
        }
        if let Some(earlier) = earlier {
            reported[later] = true;
            looked.defects.push(defect(papers, &stated.all[earlier], &stated.all[later]));
        }
        for key in keys {
            known.entry(key).or_default().push(later);
        }
    }
    looked.note = format!("{} numbers with a unit compared", stated.all.len());
    Ok(looked)
}

/// What a number is filed under: its kind with each word close by, and its kind with each requirement.
fn keys(stated: &Stated) -> Vec<Vec<String>> {
    let Measure { kind, near, subject, .. } = &stated.measure;
    let words: BTreeSet<&String> = near.iter().chain(&subject.things).collect();
    let by_word = words.into_iter().map(|word| vec![kind.clone(), word.clone()]);
    let by_id = stated.ids.iter().map(|id| vec![kind.clone(), format!("{id:?}")]);
    by_word.chain(by_id).chain([vec![kind.clone()]]).collect()
}

/// Earlier numbers filed under one of the keys, in order; where there are many, those with the rarest keys.
fn nearest(known: &HashMap<Vec<String>, Vec<usize>>, keys: &[Vec<String>]) -> BTreeSet<usize> {
    let mut filed: Vec<&Vec<usize>> = keys.iter().filter_map(|key| known.get(key)).collect();
    filed.sort_by_key(|numbers| numbers.len());
    let mut found = BTreeSet::new();
    for numbers in filed {
        let room = COMPARED_MAX.saturating_sub(found.len());
        found.extend(numbers.iter().copied().take(room));
    }
    found
}

/// Every number of a document that states a rule.
pub(super) struct AllStated {
    pub(super) all: Vec<Stated>,
    /// The numbers of each passage.
    by_passage: HashMap<usize, Vec<usize>>,
    /// The values given for a kind and each word close by, to know whether there are only two.
    pub(super) values: HashMap<(String, String), BTreeMap<u64, BTreeSet<usize>>>,
}

impl AllStated {
    fn of(papers: &Papers<'_>) -> Result<Self, Stopped> {
        let spec = &papers.spec;
        let mut found = AllStated { all: Vec::new(), by_passage: HashMap::new(), values: HashMap::new() };
        let apart =
            [Part::Background, Part::Excluded, Part::Questions, Part::Risks, Part::Tracing, Part::Goals];
        for (index, passage) in passages(&spec.document, papers.pace)?.iter().enumerate() {
            papers.pace.step()?;
            let line = passage.lines.start;
            if !spec.is_in_any(line, &apart) && !spec.document.is_table_head(line) {
                found.read(spec, index, passage);
            }
        }
        Ok(found)
    }

    fn read(&mut self, spec: &Spec<'_>, index: usize, passage: &Passage) {
        let line = passage.lines.start;
        let text = without_ids(&passage.text);
        let measures = measures(&text);
        if measures.is_empty() {
            return;
        }
        let line_words = Rc::new(content(&format!("{} {text}", spec.document.section(line))));
        let mut ids: BTreeSet<Id> =
            spec.named(passage.lines.clone()).filter(|id| id.is_requirement()).cloned().collect();
        ids.extend(spec.owners(line).iter().map(|owner| spec.requirements[*owner].id.clone()));
        let criterion = spec.is_criterion(line);
        let title = Rc::new(title(spec.document.said(line)));
        let ids = Rc::new(ids);
        for mut measure in measures {
            let sentence = &text[measure.sentence.1.clone()];
            let Some((line, place)) = passage.place(&measure.at) else { continue };
            if has_any(sentence, NOT_A_RULE) || criterion && is_test_data(&text, &measure) {
                continue;
            }
            if let Some(role) = column_role(spec, line, place.start) {
                measure.subject.role = role;
            }
            let raw = spec.document.lines[line].raw;
            let unit: String = raw[place.clone()].chars().filter(|c| c.is_alphabetic()).collect();
            self.file(Stated {
                line,
                at: place,
                passage: index,
                section: spec.document.section_index(line),
                criterion,
                ids: Rc::clone(&ids),
                title: Rc::clone(&title),
                line_words: Rc::clone(&line_words),
                unit,
                measure,
            });
        }
    }

    /// The numbers of a passage; of one with very many, the first.
    pub(super) fn in_passage(&self, passage: usize) -> impl Iterator<Item = &Stated> {
        let numbers = self.by_passage.get(&passage).into_iter().flatten();
        numbers.take(COMPARED_MAX).map(|at| &self.all[*at])
    }

    fn file(&mut self, stated: Stated) {
        let at = self.all.len();
        self.by_passage.entry(stated.passage).or_default().push(at);
        let Measure { kind, near, subject, value, .. } = &stated.measure;
        let words = near.iter().chain(&subject.things).cloned().chain([String::new()]);
        for word in words {
            let given = self.values.entry((kind.clone(), word)).or_default();
            given.entry(value.to_bits()).or_default().insert(stated.passage);
        }
        self.all.push(stated);
    }
}

/// The text with the ids of requirements and criteria blanked out: they name nothing that is measured.
fn without_ids(text: &str) -> String {
    let mut out = text.to_owned();
    for mention in mentions(text) {
        if mention.id.is_requirement() || mention.id.is_criterion() {
            out.replace_range(mention.at.clone(), &" ".repeat(mention.at.len()));
        }
    }
    out
}

/// The words of a title in bold at the start of a text; an id is none.
fn title(said: &str) -> BTreeSet<String> {
    let inner = said.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let titled = inner.filter(|(title, rest)| {
        title.ends_with([':', '.']) || rest.trim_start().starts_with([':', '—', '–'])
    });
    titled.map(|(title, _)| content(&after_id(title))).unwrap_or_default()
}

/// What the column of a table says about the number in a cell.
fn column_role(spec: &Spec<'_>, line: usize, at: usize) -> Option<Role> {
    let head = spec.document.table_head(line)?;
    let column = spec.document.lines[line].raw[..at].matches('|').count();
    let leading = usize::from(spec.document.lines[line].raw.trim_start().starts_with('|'));
    let titles = cells(spec.document.lines[head].raw);
    let title = titles.get(column.checked_sub(leading)?)?;
    match () {
        () if has_any(title, &["default", "initial"]) => Some(Role::Default),
        () if has_any(title, &["min", "least", "lower"]) => Some(Role::Least),
        () if has_any(title, &["max", "most", "limit", "upper"]) => Some(Role::Most),
        () => None,
    }
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
    "for instance",
    "example",
    "such as",
    "originally",
    "no longer",
    "on average",
    "usually",
];

/// A number in the preparation of a criterion ("Given 6 attempts, when …") is chosen by the test, not by a rule.
fn is_test_data(prose: &str, measure: &Measure) -> bool {
    let start = measure.sentence.1.start;
    let before = prose[start..measure.at.start].to_lowercase();
    let prepared = before.rfind("given ").max(before.rfind("when ")).is_some_and(|from| {
        let since = &before[from..];
        !since.contains(" then ") && !since.contains(',')
    });
    let staged = STAGED.iter().any(|word| before.contains(word));
    // "Given 120 requests, the next one is refused" tests the very limit.
    let after = prose[measure.at.end..measure.sentence.1.end].to_lowercase();
    let next = ordinal(measure.number + 1.0);
    let at_limit =
        after.contains(" next ") || after.contains(" one more ") || after.contains(&format!(" {next} "));
    // "A photo of 5 MB is refused" tests the limit with something beyond it.
    let tried = before.trim_end().ends_with(" of") && TRIED.iter().any(|word| after.contains(word));
    staged || tried && !measure.bound || prepared && !measure.threshold && !at_limit
}

/// What a test finds out about a thing of some size.
const TRIED: &[&str] = &[
    "is refused",
    "are refused",
    "is rejected",
    "are rejected",
    "is accepted",
    "are accepted",
    "works",
    "fails",
    "succeed",
];

/// Words of a test that sets something up.
const STAGED: &[&str] = &["mock", "seed", "stub", "fake", "inject", "simulat", "fixture", "insert ", "wait "];

/// `121st`, `22nd`, `3rd`, `14th`.
fn ordinal(number: f64) -> String {
    let ending = match (number % 100.0, number % 10.0) {
        (teen, _) if (11.0..=13.0).contains(&teen) => "th",
        (_, 1.0) => "st",
        (_, 2.0) => "nd",
        (_, 3.0) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn defect(papers: &Papers<'_>, earlier: &Stated, later: &Stated) -> Defect {
    let document = &papers.spec.document;
    let text = |stated: &Stated| document.lines[stated.line].raw[stated.at.clone()].to_owned();
    let place = |stated: &Stated| section_name(document.section(stated.line));
    let words_of = |stated: &Stated| -> BTreeSet<String> {
        stated.measure.near.union(&stated.measure.subject.things).cloned().collect()
    };
    let shared: BTreeSet<String> = words_of(earlier).intersection(&words_of(later)).cloned().collect();
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
        wrong: Wrong::TwoNumbers { line: later.line, at: later.at.clone(), right },
    }
}
