//! Conditions that are off by one, gone, or can never hold.

use super::source::{Language, Source};
use super::vocabulary;
use crate::plant::edit::Edit;
use core::ops::Range;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// Comparisons, and the same with the other boundary.
const OPERATORS: [(&str, &str); 4] = [(" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= ")];
const IN_SHELL: [(&str, &str); 4] =
    [(" -le ", " -lt "), (" -ge ", " -gt "), (" -lt ", " -le "), (" -gt ", " -ge ")];

/// A limit includes what it excluded, or the other way round.
pub(super) fn boundary(source: &Source<'_>) -> Vec<Edit> {
    let operators = if source.language == Language::Shell { IN_SHELL } else { OPERATORS };
    let mut edits = Vec::new();
    for at in source.new_code() {
        let bare = source.bare(at);
        let line = source.lines[at];
        if source.language == Language::Rust
            && source.trimmed(at).starts_with("for ")
            && bare.matches("..=").count() == 1
        {
            edits.extend(bare.find("..=").map(|place| changed(source, at, place, "..=", "..", line)));
            continue;
        }
        if !decides(source.trimmed(at)) {
            continue;
        }
        let found: Vec<(usize, &str, &str)> = operators
            .iter()
            .flat_map(|(old, new)| bare.match_indices(old).map(|(place, _)| (place, *old, *new)))
            .collect();
        // Two boundaries in one line may be a range, which says it in its own way.
        let [(place, old, new)] = found.as_slice() else { continue };
        if is_limit(&bare[place + old.len()..]) || is_limit_before(&bare[..*place]) {
            edits.push(changed(source, at, *place, old, new, line));
        }
    }
    edits
}

fn changed(source: &Source<'_>, at: usize, place: usize, old: &str, new: &str, line: &str) -> Edit {
    Edit {
        lines: at..at + 1,
        new: vec![format!("{}{new}{}", &line[..place], &line[place + old.len()..])],
        words: vec![
            source.names(at..at + 1),
            vocabulary(&[
                "boundary",
                "off-by-one",
                "off by one",
                "inclusive",
                "exclusive",
                "equal",
                "exactly",
                "edge",
                "limit",
                "strict",
                "strictly",
                "at least",
                "at most",
                "one more",
                "one less",
                "last",
                "first",
                "zero",
                "empty",
                old.trim(),
                new.trim(),
            ]),
        ],
        what: format!("`{}` where the change had `{}`", new.trim(), old.trim()),
    }
}

/// Whether a line decides by a comparison.
fn decides(code: &str) -> bool {
    let code = code.trim_start_matches(['}', ' ']);
    ["if ", "if(", "else if ", "elif ", "while ", "while(", "for (", "for(", "[ ", "[[ "]
        .iter()
        .any(|word| code.starts_with(word))
        || code.starts_with("return ") && !code.contains('{')
}

/// Whether a comparison is with a limit: a number, a constant or a length. Of two values that move, either boundary may be
/// right.
fn is_limit(after: &str) -> bool {
    let word: String = after
        .trim_start_matches(['(', ' ', '"', '$', '{'])
        .chars()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
        .collect();
    limit_word(&word, after)
}

fn is_limit_before(before: &str) -> bool {
    let word: String = before
        .trim_end()
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '(' | ')'))
        .collect();
    let word: String = word.chars().rev().collect();
    word.ends_with(".len()")
        || word.ends_with(".length")
        || word.starts_with("len(")
        || word.ends_with(".size()")
}

fn limit_word(word: &str, after: &str) -> bool {
    let last = word.rsplit([':', '.']).next().unwrap_or(word);
    let number =
        last.chars().all(|c| c.is_ascii_digit() || c == '_') && last.contains(|c: char| c.is_ascii_digit());
    let constant =
        last.len() > 2 && last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let length =
        after.trim_start().starts_with("len(") || word.ends_with(".len") || word.ends_with(".length");
    // Whatever is as long as nothing: `>= 0` is checked by every compiler's lint.
    (number && last != "0") || constant || length
}

/// A guard: the lines of a condition whose only consequence is an error.
pub(super) struct Guard {
    pub(super) lines: Range<usize>,
    pub(super) condition: String,
}

/// Every new guard of a file.
pub(super) fn guards(source: &Source<'_>) -> Vec<Guard> {
    let mut guards = Vec::new();
    for at in source.new_code() {
        let (code, line) = (source.trimmed(at), source.lines[at].trim());
        if source.language == Language::Shell {
            let alone = ["[ ", "[[ ", "test "].iter().any(|word| code.starts_with(word));
            let gives_up =
                ["|| exit", "|| return", "|| die", "|| fail", "|| {"].iter().any(|end| code.contains(end));
            if alone && gives_up && (!code.contains('{') || code.ends_with('}')) {
                guards.push(Guard { lines: at..at + 1, condition: line.to_owned() });
            }
        }
        if source.language == Language::Rust && code.starts_with("ensure!(") && code.ends_with(");") {
            guards.push(Guard { lines: at..at + 1, condition: line.to_owned() });
        }
        let opens = match source.language {
            Language::Python => code.starts_with("if ") && code.ends_with(':'),
            Language::Shell => code.starts_with("if ") && code.ends_with("; then"),
            Language::Rust | Language::Script | Language::Go => {
                (code.starts_with("if ") || code.starts_with("if("))
                    && code.ends_with('{')
                    && !code.contains(" let ")
            }
        };
        let Some(body) = source.block(at).filter(|_| opens) else { continue };
        let close = if source.language == Language::Python { 0 } else { 1 };
        let lines = at..body.end + close;
        let closed = match source.language {
            Language::Python => !is_else(source, body.end),
            Language::Shell => source.trimmed(body.end) == "fi",
            Language::Rust | Language::Script | Language::Go => source.trimmed(body.end) == "}",
        };
        // One statement that refuses, and nothing else.
        let statement: Vec<&str> =
            body.clone().map(|at| source.lines[at].trim()).filter(|line| !line.is_empty()).collect();
        let refuses =
            statement.first().is_some_and(|first| refuses(source.language, first)) && statement.len() <= 3;
        // An error that is handed on is another kind.
        let hands_on = line.contains("err != nil") || line.contains("is_err()");
        if closed && refuses && !hands_on && source.is_new(lines.clone()) {
            guards.push(Guard { lines, condition: line.to_owned() });
        }
    }
    guards
}

fn is_else(source: &Source<'_>, at: usize) -> bool {
    let code = source.trimmed(at);
    code.starts_with("else") || code.starts_with("elif")
}

fn refuses(language: Language, statement: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| statement.starts_with(word));
    match language {
        Language::Rust => begins(&["return Err(", "bail!(", "return Some(Err("]),
        Language::Python => begins(&["raise ", "sys.exit(", "abort("]),
        Language::Script => {
            begins(&["throw ", "process.exit(", "return res.status(4", "return Promise.reject("])
        }
        Language::Go => {
            statement.starts_with("return ")
                && ["Errorf(", "errors.New(", ", Err"].iter().any(|word| statement.contains(word))
                || begins(&["http.Error(", "log.Fatal"])
        }
        Language::Shell => begins(&["exit 1", "exit 2", "return 1", "die ", "fail ", "echo "]),
    }
}

/// Words of a guard that looks at what came from outside.
const INPUT: [&str; 20] = [
    "valid",
    "isnan",
    "isinteger",
    "isdigit",
    "isnumeric",
    "is_absolute",
    "isabs",
    "traversal",
    "\"..\"",
    "'..'",
    "regex",
    "match(",
    ".test(",
    "sanitiz",
    "escape",
    "allowed",
    "content-length",
    "content_length",
    "is_ascii",
    "utf8",
];

pub(super) fn looks_at_input(condition: &str) -> bool {
    let lower = condition.to_lowercase();
    INPUT.iter().any(|word| lower.contains(word))
}

/// A check before something dangerous or wrong is gone.
pub(super) fn check_removed(source: &Source<'_>) -> Vec<Edit> {
    let guards = guards(source).into_iter().filter(|guard| !looks_at_input(&guard.condition));
    guards.map(|guard| without(source, guard)).collect()
}

/// The file without a guard.
pub(super) fn without(source: &Source<'_>, guard: Guard) -> Edit {
    let Guard { lines, condition } = guard;
    Edit {
        words: vec![
            source.names(lines.clone()),
            vocabulary(&[
                "check",
                "checked",
                "unchecked",
                "missing",
                "guard",
                "validate",
                "validation",
                "validated",
                "unvalidated",
                "reject",
                "rejected",
                "refuse",
                "refused",
                "accepts",
                "accepted",
                "allowed",
                "without",
                "no longer",
            ]),
        ],
        what: format!("removed: {}", one_line(&condition, 120)),
        lines,
        new: Vec::new(),
    }
}

/// A second condition repeats the first, so what follows it never runs.
pub(super) fn branch_dead(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in source.new_code() {
        let Some((begin, condition, end)) = alternative(source.language, source, at) else { continue };
        let indent = source.indent(at);
        let before = (0..at).rev().take_while(|before| {
            let line = source.lines[*before];
            line.trim().is_empty() || source.indent(*before).len() >= indent.len()
        });
        let first = before.into_iter().find_map(|before| {
            (source.indent(before) == indent)
                .then(|| first_condition(source.language, source, before))
                .flatten()
        });
        let Some(first) = first.filter(|first| *first != condition) else { continue };
        edits.push(Edit {
            lines: at..at + 1,
            new: vec![format!("{begin}{first}{end}")],
            words: vec![
                source.names(at..at + 1).into_iter().chain(super::source_names(first)).collect(),
                vocabulary(&[
                    "dead",
                    "unreachable",
                    "never",
                    "same condition",
                    "same test",
                    "duplicate",
                    "duplicated",
                    "repeats",
                    "repeated",
                    "identical",
                    "twice",
                    "cannot",
                    "already",
                    "both",
                ]),
            ],
            what: format!("`{}` is asked twice, so the second branch never runs", one_line(first, 80)),
        });
    }
    edits
}

/// What stands before, in and after the condition of an alternative.
fn alternative<'a>(
    language: Language,
    source: &Source<'a>,
    at: usize,
) -> Option<(&'a str, &'a str, &'a str)> {
    let line = source.lines[at];
    let (words, end): (&[&str], &str) = match language {
        Language::Python => (&["elif "], ":"),
        Language::Shell => (&["elif "], "; then"),
        Language::Rust | Language::Go => (&["} else if "], " {"),
        Language::Script => (&["} else if (", "else if ("], ") {"),
    };
    let word = words.iter().find(|word| line.trim_start().starts_with(**word))?;
    let from = source.indent(at).len() + word.len();
    let to = line.trim_end().strip_suffix(end)?.len();
    let condition = line.get(from..to)?;
    (!condition.contains("let ") && !condition.is_empty()).then(|| (&line[..from], condition, &line[to..]))
}

fn first_condition<'a>(language: Language, source: &Source<'a>, at: usize) -> Option<&'a str> {
    let line = source.lines[at];
    let (begin, end) = match language {
        Language::Python => ("if ", ":"),
        Language::Shell => ("if ", "; then"),
        Language::Rust | Language::Go => ("if ", " {"),
        Language::Script => ("if (", ") {"),
    };
    let condition = line.trim().strip_prefix(begin)?.strip_suffix(end)?;
    // What is declared in it, or has an effect, is not asked twice.
    let plain = !condition.contains("let ") && !condition.contains(":=") && !condition.contains(';');
    (plain && !condition.is_empty()).then_some(condition)
}
