//! Kinds that change a sentence or an item.

use super::edit::Edit;
use super::shape::{Item, Shape, has_any, has_word, ids, telling};
use redraft_facts::prelude::*;

const FAILURES: [&str; 16] = [
    "fail",
    "error",
    "invalid",
    "timeout",
    "times out",
    "unavailable",
    "unreachable",
    "missing",
    "refuse",
    "reject",
    "expire",
    "denied",
    "crash",
    "conflict",
    "corrupt",
    "malformed",
];

/// An item that says what happens on a failure is removed.
pub(super) fn failure_dropped(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let mut edits = Vec::new();
    for item in shape.items() {
        let said = item.lines.clone().map(|at| shape.line(at)).collect::<Vec<_>>().join(" ");
        let words = telling(&said);
        // Behaviour in a case, and not a risk, a question or a note about the work.
        let in_a_case = has_word(&said, &["if", "when", "on", "unless", "while"]);
        if !has_any(&said, &FAILURES) || !in_a_case || !says_behaviour(&item.chapter) || words.len() < 3 {
            continue;
        }
        let named = ids(item.text).into_iter().take(1).map(str::to_owned);
        edits.push(Edit {
            lines: item.lines.clone(),
            new: Vec::new(),
            what: format!("removed: {}", redraft_facts::text::one_line(&said, 120)),
            words: vec![named.chain(words.iter().cloned()).collect()],
        });
    }
    edits
}

/// Whether a chapter says what is built, and not how the work is done or what is left open.
fn says_behaviour(chapter: &str) -> bool {
    const NOT: [&str; 24] = [
        "risk",
        "mitigation",
        "question",
        "note",
        "reference",
        "history",
        "review",
        "appendix",
        "rationale",
        "alternative",
        "background",
        "problem",
        "goal",
        "step",
        "task",
        "plan",
        "test",
        "rollout",
        "rollback",
        "decision",
        "scope",
        "done",
        "verification",
        "dependencies",
    ];
    !is_excluded(chapter) && !has_any(chapter, &NOT)
}

/// Whether a chapter lists what is not done.
fn is_excluded(chapter: &str) -> bool {
    has_any(chapter, &["out of scope", "non-goal", "not in scope", "excluded", "not included", "exclusions"])
}

/// A requirement also asks for something that the scope excludes.
pub(super) fn against_scope(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let items = shape.items();
    let mut requirements = items.iter().filter(|item| {
        has_any(&item.chapter, &["requirement", "functional", "behaviour", "behavior"])
            && !is_excluded(&item.chapter)
    });
    let Some(last) = requirements.next_back() else { return Vec::new() };
    let mut edits = Vec::new();
    for item in items.iter().filter(|item| is_excluded(&item.chapter)) {
        // Its subject, without what is said about it.
        let plain = item.text.trim_start_matches(['*', '_', '`', ' ']);
        let plain = plain.strip_prefix("No ").or_else(|| plain.strip_prefix("no ")).unwrap_or(plain);
        let subject = plain.split(['.', ';', ':', '(', '—']).next().unwrap_or_default();
        let subject = subject.trim().trim_end_matches(['*', '_', '`']);
        let words = telling(subject);
        if subject.chars().count() < 8 || words.is_empty() {
            continue;
        }
        let at = last.lines.end - 1;
        let line = shape.line(at).trim_end();
        let end = if line.ends_with(['.', '!', '?']) { "" } else { "." };
        edits.push(Edit {
            lines: at..at + 1,
            new: vec![format!("{line}{end} The first version also has this: {subject}.")],
            words: vec![words],
            what: format!("a requirement asks for `{subject}`, which the scope excludes"),
        });
    }
    edits
}

/// A name in code is changed in the last of the lines that use it.
pub(super) fn interface_changed(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, line) in shape.page.lines.iter().enumerate() {
        let literal = redraft_documents::page::span::contents(line.text);
        let of_code = line.place.is_code().then_some(line.text);
        for name in literal.chain(of_code).flat_map(names) {
            let lines = places.entry(name).or_default();
            if lines.last() != Some(&at) {
                lines.push(at);
            }
        }
    }
    let mut edits = Vec::new();
    for (name, lines) in places.iter().filter(|(_, lines)| lines.len() > 1) {
        let Some(last) = lines.last().copied() else { continue };
        let new = renamed(name);
        let line = shape.line(last);
        // A longer name with this one in it would be changed, too.
        if places.contains_key(new.as_str()) || line.matches(name).count() != 1 {
            continue;
        }
        edits.push(Edit {
            lines: last..last + 1,
            new: vec![line.replacen(name, &new, 1)],
            words: vec![vec![(*name).to_owned(), new.clone()]],
            what: format!("`{new}` where another line says `{name}`"),
        });
    }
    edits
}

/// The same name as somebody writes it who has not looked it up: a part is missing, or two are in the other order.
fn renamed(name: &str) -> String {
    let inner = name.trim_matches('_');
    let parts: Vec<&str> = inner.split('_').filter(|part| !part.is_empty()).collect();
    let other = match parts.as_slice() {
        [first, second] => format!("{second}_{first}"),
        [first, _, rest @ ..] => format!("{first}_{}", rest.join("_")),
        _ => match inner.strip_suffix('s') {
            Some(one) => one.to_owned(),
            None => format!("{inner}s"),
        },
    };
    name.replacen(inner, &other, 1)
}

/// Names of two or more words: `expires_at`, `linkCount`.
fn names(code: &str) -> Vec<&str> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let joined = |name: &&str| {
        let bytes = name.as_bytes();
        let inner = name.trim_matches('_');
        let humps = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        name.len() >= 6 && (inner.contains('_') || humps) && bytes.iter().any(u8::is_ascii_lowercase)
    };
    code.split(|c: char| !word(c)).filter(joined).collect()
}

/// Words that refuse, and what lets through.
const OPPOSITES: [(&str, &str); 9] = [
    ("denied", "allowed"),
    ("denies", "allows"),
    ("refused", "accepted"),
    ("refuses", "accepts"),
    ("rejected", "accepted"),
    ("rejects", "accepts"),
    ("fails closed", "fails open"),
    ("fail closed", "fail open"),
    ("must not", "may"),
];

/// What is refused in case of doubt is let through.
pub(super) fn fail_safe_inverted(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let doubt =
        ["fail", "error", "unknown", "invalid", "missing", "without", "expired", "cannot", "unauth", "wrong"];
    let mut edits = Vec::new();
    for (at, line) in shape.prose().filter(|(at, _)| !shape.is_heading(*at)) {
        if is_excluded(&shape.chapter(at)) || !has_any(line, &doubt) {
            continue;
        }
        for (safe, unsafe_word) in OPPOSITES {
            let part = |c: char| c.is_alphanumeric();
            let alone = line.split_once(safe).is_some_and(|(before, after)| {
                !before.ends_with(part) && !after.starts_with(part) && !after.contains(safe)
            });
            if !alone {
                continue;
            }
            let named = ids(line).into_iter().take(1).map(str::to_owned);
            edits.push(Edit {
                lines: at..at + 1,
                new: vec![line.replacen(safe, unsafe_word, 1)],
                words: vec![named.chain(telling(line)).collect()],
                what: format!("`{unsafe_word}` in place of `{safe}`"),
            });
        }
    }
    edits
}

const COUNTS: [&str; 8] = ["two", "three", "four", "five", "six", "seven", "eight", "nine"];

/// One of an announced number of items is removed. The change covers the announcement: that is where it is noticed.
pub(super) fn promise_missing(text: &str) -> Vec<Edit> {
    let shape = Shape::read(text);
    let items = shape.items();
    let by_line: BTreeMap<usize, &Item<'_>> = items.iter().map(|item| (item.lines.start, item)).collect();
    let mut edits = Vec::new();
    for (at, line) in shape.prose().filter(|(_, line)| line.trim_end().ends_with(':')) {
        let lower = line.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        let announced = words.find_map(|word| {
            let place = COUNTS.iter().position(|count| *count == word)?;
            Some((word, place + 2))
        });
        let Some((word, count)) = announced else { continue };
        let mut next = at + 1;
        while shape.page.is_text(next) && shape.line(next).trim().is_empty() {
            next += 1;
        }
        let mut list = Vec::new();
        while let Some(item) = by_line.get(&next).filter(|_| list.len() <= count) {
            next = item.lines.end;
            list.push(*item);
        }
        if list.len() != count {
            continue;
        }
        for item in list {
            let kept = (at..next).filter(|line| !item.lines.contains(line));
            let named = [word.to_owned()].into_iter().chain(telling(item.text));
            let gone = redraft_facts::text::one_line(item.text, 60);
            edits.push(Edit {
                lines: at..next,
                new: kept.map(|line| shape.line(line).to_owned()).collect(),
                words: vec![named.collect()],
                what: format!("{count} items are announced and `{gone}` is gone"),
            });
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(edits: &[Edit]) -> Vec<&str> {
        edits.iter().flat_map(|edit| edit.new.iter().map(String::as_str)).collect()
    }

    #[test]
    fn an_item_about_a_failure_is_removed_and_what_is_excluded_is_not() {
        let text = "## Behaviour\n\n- If the store is unavailable, the answer is 503 and nothing is written.\n\
                    - Links are short.\n\n## Out of Scope\n\n- Retrying requests that failed upstream.\n";
        let edits = failure_dropped(text);
        assert_eq!(edits.len(), 1);
        assert_eq!(edits[0].lines, 2..3);
        assert!(edits[0].words[0].contains(&"unavailable".to_owned()), "{edits:?}");
    }

    #[test]
    fn a_requirement_asks_for_what_the_scope_excludes() {
        let text =
            "## Requirements\n\n- R1: Links expire\n\n## Out of scope\n\n- No admin pages: later.\n- x\n";
        let edits = against_scope(text);
        assert_eq!(new(&edits), ["- R1: Links expire. The first version also has this: admin pages."]);
    }

    #[test]
    fn a_name_is_changed_in_one_of_two_places() {
        let text =
            "The field `expires_at` is new.\n\n```py\ndef link(expires_at): pass\n```\n\n`once_only`\n";
        assert_eq!(new(&interface_changed(text)), ["def link(at_expires): pass"]);
    }

    #[test]
    fn what_is_refused_in_case_of_doubt_is_let_through() {
        let text = "- R3: a request without a token is rejected.\n- R4: a link is rejected.\n- R5: if it fails, it must notify.\n";
        assert_eq!(new(&fail_safe_inverted(text)), ["- R3: a request without a token is accepted."]);
    }

    #[test]
    fn an_item_of_an_announced_number_is_removed() {
        let text = "It has three commands:\n\n- `new` makes one\n- `list` shows them\n- `drop` removes one\n\nTwo more:\n- a\n";
        let edits = promise_missing(text);
        assert_eq!(edits.iter().map(|edit| edit.lines.clone()).collect::<Vec<_>>(), [0..5, 0..5, 0..5]);
        assert_eq!(edits[1].new, ["It has three commands:", "", "- `new` makes one", "- `drop` removes one"]);
    }
}
