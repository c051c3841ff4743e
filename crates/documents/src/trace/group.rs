//! Reads what the heading of a group of tasks refers to, for those of its tasks that name nothing themselves, and what
//! stands in brackets in any title.
//!
//! Start at [`inherited`].

use super::place::Lead;
use super::range::{first_of_range, is_lettered};
use super::read::read;
use super::words::{About, home, kind_of};
use super::{CountsWhen, Reference, TargetDocument};
use crate::task_id::{self, Shape};
use redraft_facts::prelude::*;

/// What a heading above tasks refers to: a step or item of the plan that it repeats, or the ids in its title.
pub fn inherited(title: &str) -> Vec<Reference> {
    let text = title.trim_start_matches(['*', '_', ' ']);
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let lower = first.to_lowercase();
    let mut found = match task_id::leading(text, false) {
        // `### 1.1 Title` repeats the plan's own numbers.
        Some(id) if id.shape == Shape::Dotted => {
            vec![of_plan(id.text, id.text.to_owned(), CountsWhen::Plain)]
        }
        _ if lower == "plan" => read(leading_part(text), About::Anything),
        _ if ["step", "item"].contains(&lower.as_str()) && begins_with_digit(rest) => {
            read(leading_part(text), About::Document(TargetDocument::Plan))
        }
        _ => read(title, About::Ids),
    };
    found.extend(in_brackets(title));
    found.extend(repeated(text));
    let mut seen: BTreeSet<(TargetDocument, String)> = BTreeSet::new();
    found.retain(|one| seen.insert((one.kind, one.id.to_lowercase())));
    found.into_iter().map(|one| Reference { inherited: true, ..one }).collect()
}

/// What the title of a task refers to: ids that can be nothing else, and what stands in brackets.
pub fn in_title(title: &str) -> Vec<Reference> {
    let mut found = read(title, About::Ids);
    // A task may have ids in its title that no document has.
    found.extend(in_brackets(title).map(|one| Reference { basis: CountsWhen::IfDefined, ..one }));
    found
}

fn of_plan(raw: &str, id: String, basis: CountsWhen) -> Reference {
    Reference {
        raw: raw.to_owned(),
        kind: TargetDocument::Plan,
        id,
        named: false,
        inherited: true,
        basis,
        noun: None,
    }
}

/// The heading of the plan, or of another document for an id with letters, that a group may repeat: `Phase 2: Store`.
fn repeated(title: &str) -> Option<Reference> {
    const RAW_CHARS_MAX: usize = 80;
    let lead = Lead::parse(title)?;
    let beginning = title[..title.len() - lead.after.len()].trim();
    let id = match &lead.noun {
        Some(noun) => format!("{noun} {}", lead.id),
        None if is_lettered(lead.id) => lead.id.to_owned(),
        None => return None,
    };
    // `Task 3` is of the list itself, and so is the subject of one of its user stories.
    if lead
        .noun
        .as_deref()
        .is_some_and(|noun| ["task", "step", "item"].contains(&noun) || kind_of(noun).is_some())
    {
        return None;
    }
    let letters: String = lead.id.chars().take_while(char::is_ascii_uppercase).collect();
    let kind = home(&letters).filter(|_| lead.noun.is_none()).unwrap_or(TargetDocument::Plan);
    let raw = redraft_facts::text::one_line(beginning, RAW_CHARS_MAX);
    Some(Reference { kind, ..of_plan(&raw, id, CountsWhen::IfRepeated(lead.after.to_owned())) })
}

/// What stands in brackets of any kind, and after the last dash, if that is nothing but ids: `Gate — F-2 + F-5`.
fn in_brackets(title: &str) -> impl Iterator<Item = Reference> {
    const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];
    let inside = BRACKETS.into_iter().flat_map(|(open, close)| {
        let opened = title.split(open).skip(1);
        opened.filter_map(move |rest| rest.split_once(close).map(|(inside, _)| inside))
    });
    inside.chain(listed_behind(title)).flat_map(of_bracket)
}

fn listed_behind(title: &str) -> Option<&str> {
    let tails = [" — ", " – ", " - ", " -- "].into_iter().filter_map(|dash| Some(title.rsplit_once(dash)?.1));
    let tail = tails.min_by_key(|tail| tail.len())?.trim();
    let mut words = tail.split([' ', ',', ';', '/', '+', '&']).filter(|word| !word.is_empty());
    let is_id = |word: &str| is_lettered(first_of_range(word)) || ["and", "und"].contains(&word);
    words.all(is_id).then_some(tail)
}

/// What a remark in a title refers to: a step of the plan, ids, or parts after their document: `(Step 5, alone)`,
/// `(C1 + C2)`, `(implements TD-2, plan Phase 2)`.
fn of_bracket(inside: &str) -> Vec<Reference> {
    const VERBS: [&str; 9] =
        ["implements", "covers", "see", "per", "from", "refs", "ref", "traces", "satisfies"];
    let (first, rest) = inside.split_once(' ').unwrap_or((inside, ""));
    if ["step", "item"].contains(&first.to_lowercase().as_str()) && begins_with_digit(rest) {
        let one = inside.split([',', ';', '—', '–']).next().unwrap_or_default();
        return read(one, About::Document(TargetDocument::Plan));
    }
    let verb = VERBS.contains(&first.trim_end_matches(':').to_lowercase().as_str());
    let text = if verb { rest.trim_start() } else { inside };
    let document = text.split([' ', ':']).next().is_some_and(|word| kind_of(&word.to_lowercase()).is_some());
    let end = text.find(|c: char| !task_id::is_inner(c)).unwrap_or(text.len());
    if !document && !is_lettered(first_of_range(&text[..end])) {
        return Vec::new();
    }
    let mut found = read(text, About::Anything);
    // `C1`, `TD-2`; many things are called `C.1`, and `P1` is a priority.
    found.retain(|one| one.named || one.kind != TargetDocument::Plan && !is_dotted_letter(&one.id));
    found
}

/// `C.1`
fn is_dotted_letter(id: &str) -> bool {
    id.trim_start_matches(|c: char| c.is_ascii_uppercase()).starts_with('.')
}

fn begins_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A title up to the sign after its number.
fn leading_part(title: &str) -> &str {
    title.split([':', '—', '–', '(']).next().unwrap_or(title)
}
