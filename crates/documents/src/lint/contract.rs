//! Finds functions that two documents declare with different parameters.
//!
//! A document that shows a function more than once, as before and after a change, is left alone.

use super::page::{LinePlace, Page};
use super::{Faults, Rule};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// The declarations of a page by name: the line, and the text between the brackets; none where it varies.
pub(super) type Declared = BTreeMap<String, Option<(usize, String)>>;

pub(super) fn declared(page: &Page<'_>) -> Declared {
    let mut found = Declared::new();
    for (at, line) in page.lines.iter().enumerate().filter(|(_, line)| line.place == LinePlace::Code) {
        let Some((name, rest)) = declaration(line.text) else { continue };
        let Some(parameters) = parameters(rest, &page.lines[at + 1..]) else { continue };
        let known = found.entry(name.to_owned()).or_insert_with(|| Some((at, parameters.clone())));
        if known.as_ref().is_some_and(|(_, other)| *other != parameters) {
            *known = None;
        }
    }
    found
}

pub(super) fn check(declared: &Declared, earlier: &[(&Page<'_>, &Declared)], faults: &mut Faults<'_>) {
    for (name, shown) in declared {
        let Some((line, parameters)) = shown else { continue };
        for (page, known) in earlier {
            let Some(Some((at, other))) = known.get(name) else { continue };
            if !agree(other, parameters) {
                let message = format!(
                    "`{name}` has other parameters than in {}, line {}: `({})`",
                    page.name(),
                    at + 1,
                    one_line(other, PARAMETERS_CHARS_MAX)
                );
                let hint = "make them the same, or only refer to the one that counts";
                faults.add(Rule::RestatedDifferently, *line, message, hint);
                break;
            }
        }
    }
}

/// Whether two lists of parameters can be the same: one may leave out types and defaults.
fn agree(one: &str, other: &str) -> bool {
    let (one, other) = (split(one), split(other));
    one.len() == other.len() && one.iter().zip(&other).all(|(one, other)| agree_on_one(one, other))
}

fn agree_on_one(one: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let (typed, default) =
            text.split_once('=').map_or((text, None), |(typed, value)| (typed, Some(value)));
        let (name, of_type) =
            typed.split_once(':').map_or((typed, None), |(name, of_type)| (name, Some(of_type)));
        (name.to_owned(), of_type.map(str::to_owned), default.map(str::to_owned))
    };
    let same =
        |one: &Option<String>, other: &Option<String>| one.is_none() || other.is_none() || one == other;
    let (one, other) = (parts(one), parts(other));
    one.0 == other.0 && same(&one.1, &other.1) && same(&one.2, &other.2)
}

/// At the commas that are in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0_i32, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

const PARAMETERS_CHARS_MAX: usize = 80;

/// The name a line of code declares a function under, and what follows the opening bracket.
fn declaration(line: &str) -> Option<(&str, &str)> {
    const WORDS: [&str; 4] = ["def ", "fn ", "func ", "function "];
    const BEFORE: [&str; 8] =
        ["pub ", "pub(crate) ", "async ", "export ", "default ", "static ", "const ", "unsafe "];
    let mut text = line.trim_start();
    while let Some(rest) = BEFORE.iter().find_map(|word| text.strip_prefix(word)) {
        text = rest.trim_start();
    }
    let rest = WORDS.iter().find_map(|word| text.strip_prefix(word))?;
    let (name, rest) = rest.split_once('(')?;
    let name = name.trim();
    // Every class has one of these, and tests are named twice on purpose.
    let special = name.starts_with("__") || name.starts_with("test") || name == "main" || name == "new";
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (plain && !special).then_some((name, rest))
}

/// The text up to the closing bracket, without blanks and remarks; none where something is left out.
fn parameters(rest: &str, below: &[super::page::Line<'_>]) -> Option<String> {
    const LINES_MAX: usize = 40;
    let mut depth = 1_i32;
    let mut out = String::new();
    let more =
        below.iter().take(LINES_MAX).take_while(|line| line.place == LinePlace::Code).map(|line| line.text);
    for line in core::iter::once(rest).chain(more) {
        let code = line.split(" #").next().unwrap_or(line).split("//").next().unwrap_or(line);
        if code.trim_start().starts_with('#') {
            continue;
        }
        for c in code.chars() {
            depth += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
            if depth == 0 {
                let out = out.trim_end_matches(',').replace('\'', "\"");
                return (!out.contains("...") && !out.contains('…')).then_some(out);
            }
            if !c.is_whitespace() {
                out.push(c);
            }
        }
    }
    None
}
