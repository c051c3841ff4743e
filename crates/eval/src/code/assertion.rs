//! Assertions that hold whatever happens.

use super::handling::{edit, is_balanced};
use super::source::{Language, Source};
use crate::plant::edit::Edit;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

const WEAK: [&str; 20] = [
    "assert",
    "assertion",
    "asserts",
    "always",
    "cannot fail",
    "can never fail",
    "never fails",
    "weak",
    "weakened",
    "vacuous",
    "anything",
    "any value",
    "tautology",
    "tautological",
    "passes",
    "no longer",
    "compare",
    "compared",
    "compares",
    "test",
];

/// An assertion holds whatever the code does.
pub(super) fn weakened(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in source.new_lines().filter(|at| source.is_test(*at)) {
        let (line, indent, bare) = (source.lines[at], source.indent(at), source.bare(at));
        let new = match source.language {
            Language::Rust => arguments(line, bare, "assert_eq!(", ");")
                .map(|(first, _)| format!("{indent}assert!(matches!({first}, _));")),
            Language::Python => python_assertion(line, bare),
            Language::Script => script_assertion(line, bare),
            Language::Go => ["assert.Equal(t, ", "require.Equal(t, "].iter().find_map(|call| {
                let (_, second) = arguments(line, bare, call, ")")?;
                let package = call.split('.').next().unwrap_or_default();
                Some(format!("{indent}{package}.NotNil(t, {second})"))
            }),
            Language::Shell => None,
        };
        if let Some(new) = new {
            let what = format!("an assertion no longer compares: {}", one_line(line.trim(), 100));
            edits.push(edit(source, at..at + 1, vec![new], &WEAK, what));
        }
    }
    edits
}

/// The two arguments of a call that is the whole line.
fn arguments<'a>(line: &'a str, bare: &str, call: &str, end: &str) -> Option<(&'a str, &'a str)> {
    let from = bare.find(call).filter(|from| bare[..*from].trim().is_empty())? + call.len();
    let to = bare.trim_end().strip_suffix(end)?.len();
    let (inner, bare) = (line.get(from..to)?, bare.get(from..to)?);
    let mut depth = 0_i32;
    let commas: Vec<usize> = (bare.char_indices())
        .filter_map(|(at, c)| {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            (c == ',' && depth == 0).then_some(at)
        })
        .collect();
    let [comma] = commas.as_slice() else { return None };
    (depth == 0).then(|| (inner[..*comma].trim(), inner[comma + 1..].trim()))
}

fn python_assertion(line: &str, bare: &str) -> Option<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    if let Some((first, _)) = arguments(line, bare, "self.assertEqual(", ")") {
        return Some(format!("{indent}self.assertIsNotNone({first})"));
    }
    let code = bare.trim_start();
    let equal =
        bare.find(" == ").filter(|_| code.starts_with("assert ") && bare.matches(" == ").count() == 1)?;
    let plain =
        ![" and ", " or ", " if ", " for "].iter().any(|word| bare.contains(word)) && !bare.contains(", ");
    let left = line.get(indent.len() + "assert ".len()..equal)?;
    (plain && is_balanced(left)).then(|| format!("{indent}assert {left} is not None"))
}

fn script_assertion(line: &str, bare: &str) -> Option<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    if !bare.trim_start().starts_with("expect(") || bare.contains(".not.") {
        return None;
    }
    let call = [".toBe(", ".toEqual(", ".toStrictEqual("].iter().find_map(|call| bare.find(call))?;
    let ends = bare.trim_end().ends_with(");") || bare.trim_end().ends_with(')');
    let left = line.get(indent.len()..call)?;
    (ends && is_balanced(bare)).then(|| format!("{indent}{left}.toBeDefined();"))
}
