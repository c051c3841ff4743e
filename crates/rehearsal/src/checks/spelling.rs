//! One term in two spellings: `log-in` and `login`, `data base` and `database`, `GitHub` and `Github`, `colour` and
//! `color`.
//!
//! Code, links and file names are left alone. So are pairs that are both right: a verb and its noun (`set up`,
//! `setup`), an adverb and its adjective (`every day`, `everyday`), a hyphen that only grammar asks for.

use super::english::one_english;
use super::{Defect, Looked, Papers, Wrong, quote, section_name};
use crate::document::Document;
use crate::pace::{Pace, Stopped};
use redraft_core::verdict::{Claim, Severity};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    let document = &papers.spec.document;
    let terms = terms(document, papers.pace)?;
    let mut looked = Looked { note: format!("{} words compared", terms.len()), ..Looked::default() };
    let mut groups: BTreeMap<String, Vec<&Term>> = BTreeMap::new();
    for term in &terms {
        papers.pace.step()?;
        let group = groups.entry(term.key()).or_default();
        if !group.iter().any(|known| known.text == term.text) {
            group.push(term);
        }
    }
    let mut pairs: Vec<(&Term, &Term)> = Vec::new();
    for group in groups.values() {
        let all = group.iter().enumerate();
        let mut found = all.flat_map(|(at, first)| group[at + 1..].iter().map(move |other| (*first, *other)));
        pairs.extend(found.find(|(first, other)| other.differs_from(first)));
    }
    pairs.sort_by_key(|(_, other)| (other.line, other.at.start));
    looked.defects = pairs.into_iter().map(|(first, other)| defect(papers, first, other)).collect();
    Ok(looked)
}

/// Where a spelling stands in prose, also as a plural or with a capital.
pub(crate) fn places(
    document: &Document<'_>,
    spelling: &str,
    pace: &Pace<'_>,
) -> Result<Vec<(usize, Range<usize>)>, Stopped> {
    let form = |text: &str| text.to_lowercase().trim_end_matches('s').to_owned();
    let cased = inner_capital(spelling)
        || form(spelling) == spelling.to_lowercase() && spelling.starts_with(char::is_uppercase);
    let same = |term: &&Term| {
        let base = singular(&term.text);
        if cased { base == singular(spelling) } else { form(&term.text) == form(spelling) }
    };
    let terms = terms(document, pace)?;
    Ok(terms.iter().filter(same).map(|term| (term.line, term.at.clone())).collect())
}

#[derive(Debug)]
struct Term {
    text: String,
    line: usize,
    at: Range<usize>,
}

impl Term {
    /// The same for every spelling of a term.
    fn key(&self) -> String {
        one_english(&singular(&self.text.to_lowercase().replace(['-', ' '], "")))
    }

    fn differs_from(&self, first: &Term) -> bool {
        let (a, b) = (singular(&first.text), singular(&self.text));
        let (small_a, small_b) = (a.to_lowercase(), b.to_lowercase());
        if small_a != small_b {
            let together = |text: &str| singular(&text.replace(['-', ' '], ""));
            // What differs in letters has one key only because England and America spell it differently.
            if together(&small_a) != together(&small_b) {
                return !small_a.contains(' ') && !small_b.contains(' ');
            }
            // A hyphen against a gap is grammar; only the joined form makes either of them a second spelling.
            let joined = |text: &str| !text.contains(['-', ' ']);
            // A name such as `SessionStart` is no spelling of the words it is made of.
            let name = [&a, &b].into_iter().any(|text| joined(text) && inner_capital(text));
            return joined(&small_a) != joined(&small_b) && !name && !both_right(&small_a, &small_b);
        }
        if a.contains(['-', ' ']) {
            return false;
        }
        // Capitals inside a name count; a capital at the start of a sentence or a word in capitals does not.
        let shown =
            |text: &str| inner_capital(text) || (text.starts_with(char::is_uppercase) && !shouted(text));
        a != b && (inner_capital(&a) || inner_capital(&b)) && shown(&a) && shown(&b)
    }
}

/// Single words, words with hyphens and pairs of words, with their places.
fn terms(document: &Document<'_>, pace: &Pace<'_>) -> Result<Vec<Term>, Stopped> {
    let mut found = Vec::new();
    for (line, text) in document.lines.iter().enumerate() {
        pace.step()?;
        let words = words(&text.prose);
        for (index, at) in words.iter().enumerate() {
            found.push(Term { text: text.prose[at.clone()].to_owned(), line, at: at.clone() });
            if let Some(next) = words.get(index + 1).filter(|next| &text.prose[at.end..next.start] == " ") {
                let pair = &text.prose[at.start..next.end];
                if !pair.contains('-') && may_be_one_word(pair) {
                    found.push(Term { text: pair.to_owned(), line, at: at.start..next.end });
                }
            }
        }
    }
    Ok(found)
}

/// Letters, with hyphens only inside.
fn words(prose: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in prose.char_indices().chain([(prose.len(), ' ')]) {
        if c.is_alphanumeric() || (c == '-' && start.is_some()) || c == '\'' || c == '’' {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            let word = prose[from..at].trim_end_matches(['-', '\'', '’']);
            let letters = word.chars().all(|c| c.is_alphabetic() || c == '-');
            if letters && word.chars().count() > 2 {
                found.push(from..from + word.len());
            }
        }
    }
    found
}

/// Whether two words side by side could be the open spelling of a compound.
fn may_be_one_word(pair: &str) -> bool {
    let lower = pair.to_lowercase();
    let Some((first, second)) = lower.split_once(' ') else { return false };
    let long = first.len() > 2 && second.len() > 2;
    long && !PARTICLES.contains(second) && !LIGHT.contains(first) && !LIGHT.contains(second)
}

fn both_right(a: &str, b: &str) -> bool {
    let open = if a.len() > b.len() { a } else { b };
    RIGHT.contains(open) || open.split(['-', ' ']).any(|part| part.is_empty())
}

fn singular(text: &str) -> String {
    match text.strip_suffix('s') {
        Some(base) if base.chars().count() > 2 && !base.ends_with(['s', 'u', 'i']) => base.to_owned(),
        _ => text.to_owned(),
    }
}

/// `GitHub`, `iOS`, but not `IDs` or `API`.
fn inner_capital(text: &str) -> bool {
    text.chars().skip(1).any(char::is_uppercase) && text.chars().any(char::is_lowercase)
}

fn shouted(text: &str) -> bool {
    text.chars().all(|c| !c.is_lowercase())
}

/// After a verb these make a phrase whose noun is written as one word, and both are right.
static PARTICLES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    in on out up down off over back through around by away ahead along forward under together about into \
    onto aside between after before"
        .split_whitespace()
        .collect()
});

/// Words that stand beside another word by chance.
static LIGHT: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    the and any all for may can not are was has its per one two each every some more less time times other \
    where when what there here how who no with out over under through self non pre post day body thing way \
    ever more how like wise side part from into that this than then such also but"
        .split_whitespace()
        .collect()
});

/// Spellings that mean something else than their joined form.
static RIGHT: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    re-sign re-cover re-create re-sent re-send re-form re-present re-mark re-lease re-lay re-store re-sort \
    re-solve re-serve re-act re-count re-pose re-press re-prove re-treat co-op un-ionized set-up log-on \
    work-out every-day over-all in-line"
        .split_whitespace()
        .collect()
});

fn defect(papers: &Papers<'_>, first: &Term, other: &Term) -> Defect {
    let document = &papers.spec.document;
    let place = |term: &Term| section_name(document.section(term.line));
    let (right, wrong) = (first.text.clone(), other.text.clone());
    Defect {
        severity: Severity::Warning,
        category: "clarity",
        claim: Claim::Present,
        file: papers.path.to_owned(),
        line: other.line,
        section: document.section(other.line).to_owned(),
        quote: quote(document.lines[other.line].raw),
        description: format!(
            "one term in two spellings: `{}` in {} and `{}` in {}",
            singular(&right),
            place(first),
            singular(&wrong),
            place(other)
        ),
        suggestion: format!("write {} everywhere", singular(&right)),
        wrong: Wrong::TwoSpellings { right: singular(&right), wrong: singular(&wrong) },
    }
}
