//! Constants that two documents give different values.
//!
//! Only declarations in code count: `const MAX_TRIES: u32 = 3`, `#define MAX_TRIES 3`, `MAX_TRIES = 3`. A variable of the
//! shell (`MAX_TRIES=3`) is an example. A document that gives a constant several values, as before and after a change, is
//! left alone.

use super::page::{LinePlace, Page};
use super::{Faults, Rule};
use redraft_facts::prelude::*;

/// The constants of a page by name: the line, and the value; none where it varies.
pub(super) type Constants = BTreeMap<String, Option<(usize, String)>>;

pub(super) fn constants(page: &Page<'_>) -> Constants {
    let mut found = Constants::new();
    for (at, line) in page.lines.iter().enumerate().filter(|(_, line)| line.place == LinePlace::Code) {
        let Some((name, value)) = declaration(line.text) else { continue };
        let known = found.entry(name.to_owned()).or_insert_with(|| Some((at, value.clone())));
        if known.as_ref().is_some_and(|(_, other)| *other != value) {
            *known = None;
        }
    }
    found
}

pub(super) fn check(constants: &Constants, earlier: &[(&Page<'_>, &Constants)], faults: &mut Faults<'_>) {
    for (name, shown) in constants {
        let Some((line, value)) = shown else { continue };
        let other = earlier.iter().find_map(|(page, known)| match known.get(name) {
            Some(Some((at, other))) if other != value => Some((page.name(), at + 1, other)),
            _ => None,
        });
        if let Some((page, at, other)) = other {
            let message = format!("`{name}` is {value}, and {other} in {page}, line {at}");
            let hint = "make them the same, or only refer to the one that counts";
            faults.add(Rule::RestatedDifferently, *line, message, hint);
        }
    }
}

/// A constant in capitals and the number it is given.
fn declaration(line: &str) -> Option<(&str, String)> {
    const WORDS: [&str; 10] =
        ["pub", "export", "public", "private", "static", "final", "const", "constexpr", "val", "let"];
    let mut rest = line.trim_end_matches(';');
    if let Some(defined) = rest.strip_prefix("#define ") {
        let (name, value) = defined.trim().split_once(' ')?;
        return Some((constant(name)?, number(value)?));
    }
    while let Some((_, after)) = rest.split_once(' ').filter(|(word, _)| WORDS.contains(word)) {
        rest = after.trim_start();
    }
    let (left, value) = rest.split_once(" = ")?;
    // The type stands behind the name (`NAME: u32`) or before it (`int NAME`).
    let left = left.split(':').next().unwrap_or(left).trim_end();
    let name = left.rsplit(' ').next().unwrap_or(left);
    Some((constant(name)?, number(value)?))
}

fn constant(name: &str) -> Option<&str> {
    let capitals = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (capitals && name.contains('_') && name.starts_with(|c: char| c.is_ascii_uppercase())).then_some(name)
}

/// Plain digits, however they are grouped; a product or a value with a unit may be the same in other words.
fn number(value: &str) -> Option<String> {
    let value = value.split(" //").next().unwrap_or(value).split(" #").next().unwrap_or(value);
    let plain: String = value.trim().trim_end_matches([';', ',']).chars().filter(|c| *c != '_').collect();
    (!plain.is_empty() && plain.chars().all(|c| c.is_ascii_digit())).then_some(plain)
}
