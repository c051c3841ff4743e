//! Errors that are swallowed, resources that stay open, input that nobody checks.

use super::conditions::{guards, looks_at_input, without};
use super::source::{Language, Source};
use super::vocabulary;
use crate::plant::edit::Edit;
use core::ops::Range;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

pub(super) fn edit(
    source: &Source<'_>,
    lines: Range<usize>,
    new: Vec<String>,
    words: &[&str],
    what: String,
) -> Edit {
    Edit { words: vec![source.names(lines.clone()), vocabulary(words)], lines, new, what }
}

const SWALLOWED: [&str; 16] = [
    "swallow",
    "swallowed",
    "swallows",
    "ignore",
    "ignored",
    "ignores",
    "discard",
    "discarded",
    "error",
    "errors",
    "failure",
    "fails",
    "failed",
    "exception",
    "silently",
    "lost",
];

/// A failure is noticed and nobody is told.
pub(super) fn error_swallowed(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in source.new_code() {
        let (code, indent, line) = (source.trimmed(at), source.indent(at), source.lines[at]);
        let swallowed = |lines: Range<usize>, new: Vec<String>| {
            let what = format!("an error is swallowed: {}", one_line(line.trim(), 100));
            edit(source, lines, new, &SWALLOWED, what)
        };
        match source.language {
            Language::Rust => {
                let statement = code.ends_with(")?;") && !code.starts_with(['.', '}', ')']);
                let keeps = ["let ", "return ", "if ", "match "].iter().any(|word| code.starts_with(word))
                    || code.contains(" = ");
                let call = line.trim_end().strip_suffix("?;");
                if let Some(call) = call.filter(|_| statement && !keeps && is_balanced(code)) {
                    edits
                        .push(swallowed(at..at + 1, vec![format!("{indent}let _ = {};", call.trim_start())]));
                }
            }
            Language::Python if code.starts_with("except") && code.ends_with(':') => {
                let Some(body) = source.block(at) else { continue };
                let raises = body.len() == 1 && source.trimmed(body.start).starts_with("raise");
                if raises && source.is_new(at..body.end) {
                    let inner = source.indent(body.start);
                    edits.push(swallowed(at..body.end, vec![line.to_owned(), format!("{inner}pass")]));
                }
            }
            Language::Script if code.contains("catch") && code.ends_with('{') => {
                let Some(body) = source.block(at) else { continue };
                let throws = body.len() == 1 && source.trimmed(body.start).starts_with("throw ");
                if throws && source.is_new(at..body.end) {
                    edits.push(swallowed(at..body.end, vec![line.to_owned()]));
                }
            }
            Language::Go if code.starts_with("if err := ") && code.ends_with("; err != nil {") => {
                let Some(body) = source.block(at) else { continue };
                let call = line
                    .trim()
                    .strip_prefix("if err := ")
                    .and_then(|rest| rest.strip_suffix("; err != nil {"));
                let returns = body.len() == 1 && source.trimmed(body.start).starts_with("return ");
                let closed = source.trimmed(body.end) == "}";
                if let Some(call) = call.filter(|_| returns && closed && source.is_new(at..body.end + 1)) {
                    edits.push(swallowed(at..body.end + 1, vec![format!("{indent}_ = {call}")]));
                }
            }
            Language::Shell => {
                const DOES: [&str; 10] =
                    ["cp ", "mv ", "git ", "make ", "curl ", "tar ", "mkdir ", "install ", "npm ", "cargo "];
                let strict = source
                    .lines
                    .iter()
                    .any(|line| line.trim_start().starts_with("set -e") || line.contains("errexit"));
                let does = DOES.iter().any(|word| code.starts_with(word));
                if strict && does && !code.contains(['|', '&', ';', '\\', '{', '(']) {
                    edits.push(swallowed(at..at + 1, vec![format!("{} || true", line.trim_end())]));
                }
            }
            Language::Python | Language::Script | Language::Go => {}
        }
    }
    edits
}

pub(super) fn is_balanced(code: &str) -> bool {
    code.matches('(').count() == code.matches(')').count()
        && code.matches('{').count() == code.matches('}').count()
        && code.matches('[').count() == code.matches(']').count()
}

const OPEN: [&str; 24] = [
    "leak",
    "leaks",
    "leaked",
    "close",
    "closed",
    "closes",
    "open",
    "opened",
    "release",
    "released",
    "unlock",
    "unlocked",
    "cleanup",
    "clean up",
    "cleaned",
    "removed",
    "remove",
    "handle",
    "descriptor",
    "cancel",
    "cancelled",
    "dispose",
    "free",
    "wait",
];

/// What was opened is no longer closed.
pub(super) fn resource_open(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for at in source.new_code() {
        let (code, line) = (source.trimmed(at), source.lines[at]);
        let ends = |ends: &[&str]| ends.iter().any(|end| code.ends_with(end));
        let begins = |begins: &[&str]| begins.iter().any(|begin| code.starts_with(begin));
        let closes = match source.language {
            Language::Go => {
                code.starts_with("defer ")
                    && ends(&[
                        ".Close()",
                        ".Unlock()",
                        ".RUnlock()",
                        "cancel()",
                        ".Done()",
                        ".Stop()",
                        ".Rollback()",
                    ])
            }
            Language::Python => {
                ends(&[".close()", ".release()", ".unlock()", ".terminate()"]) && !code.contains(" = ")
            }
            Language::Script => {
                let plain = !code.contains("=") && !code.starts_with("return");
                plain
                    && (ends(&[
                        ".close();",
                        ".close()",
                        ".release();",
                        ".release()",
                        ".destroy();",
                        ".destroy()",
                        ".disconnect();",
                    ]) || begins(&["clearTimeout(", "clearInterval("])
                        || code.contains(".removeEventListener("))
            }
            Language::Rust => {
                let plain = !code.contains(" = ") && !code.starts_with("return") && is_balanced(code);
                plain
                    && (ends(&[
                        ".unlock()?;",
                        ".shutdown()?;",
                        ".close()?;",
                        ".wait()?;",
                        ".close().await?;",
                    ]) || begins(&["fs::remove_file(", "std::fs::remove_file(", "fs::remove_dir_all("]))
            }
            Language::Shell => {
                begins(&["trap "]) && code.contains("EXIT")
                    || begins(&["rm -f \"$tmp", "rm -rf \"$tmp", "flock -u"])
            }
        };
        if closes && alone(source, at) {
            let what = format!("no longer closed: removed {}", one_line(line.trim(), 100));
            edits.push(edit(source, at..at + 1, Vec::new(), &OPEN, what));
        }
        edits.extend(without_with(source, at));
    }
    edits
}

/// Whether a statement can go without leaving an empty block.
fn alone(source: &Source<'_>, at: usize) -> bool {
    let opens = at.checked_sub(1).is_some_and(|before| {
        let code = source.trimmed(before);
        code.ends_with(['{', ':']) || code.ends_with("then") || code.ends_with("do") || !is_statement(code)
    });
    let closes = |code: &str| code.starts_with('}') || code == "fi" || code == "done";
    let last = at + 1 >= source.lines.len()
        || closes(source.trimmed(at + 1))
        || source.indent(at + 1).len() < source.indent(at).len();
    !(opens && last)
}

fn is_statement(code: &str) -> bool {
    !code.ends_with(['(', ',', '.', '=', '\\'])
}

/// `with open(x) as f:` becomes `f = open(x)`.
fn without_with(source: &Source<'_>, at: usize) -> Option<Edit> {
    if source.language != Language::Python {
        return None;
    }
    let line = source.lines[at];
    let (call, name) = line.trim().strip_prefix("with ")?.strip_suffix(':')?.rsplit_once(" as ")?;
    let one = !call.contains(", ") || is_balanced(call);
    let name_is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !call.contains('(') || !one || !name_is_plain {
        return None;
    }
    let body = source.block(at)?;
    if !source.is_new(at..body.end) {
        return None;
    }
    let (outer, inner) = (source.indent(at), source.indent(body.start));
    let dedented = body.clone().map(|at| match source.lines[at].strip_prefix(inner) {
        Some(rest) => format!("{outer}{rest}"),
        None => source.lines[at].to_owned(),
    });
    let new = [format!("{outer}{name} = {call}")].into_iter().chain(dedented).collect();
    let what = format!("no longer closed: `{}`", one_line(call, 80));
    Some(Edit { words: vec![source.names(at..at + 1), vocabulary(&OPEN)], lines: at..body.end, new, what })
}

const UNCHECKED: [&str; 26] = [
    "validate",
    "validated",
    "validation",
    "unvalidated",
    "invalid",
    "sanitize",
    "sanitized",
    "unsanitized",
    "escape",
    "escaped",
    "unescaped",
    "quote",
    "quoted",
    "unquoted",
    "injection",
    "inject",
    "traversal",
    "untrusted",
    "input",
    "check",
    "checked",
    "unchecked",
    "malformed",
    "arbitrary",
    "splitting",
    "globbing",
];

/// Calls that make a text harmless.
const HARMLESS: [&str; 14] = [
    "shlex.quote",
    "html.escape",
    "escapeHtml",
    "escape_html",
    "encodeURIComponent",
    "urllib.parse.quote",
    "quote_plus",
    "url.QueryEscape",
    "url.PathEscape",
    "html.EscapeString",
    "template.HTMLEscapeString",
    "filepath.Clean",
    "path.basename",
    "secure_filename",
];

/// What comes from outside is used as it is.
pub(super) fn input_unchecked(source: &Source<'_>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for guard in guards(source).into_iter().filter(|guard| looks_at_input(&guard.condition)) {
        let names = source.names(guard.lines.clone());
        edits.push(Edit { words: vec![names, vocabulary(&UNCHECKED)], ..without(source, guard) });
    }
    for at in source.new_code() {
        let (code, line, bare) = (source.trimmed(at), source.lines[at], source.bare(at));
        let push = |new: String, what: String, edits: &mut Vec<Edit>| {
            edits.push(edit(
                source,
                at..at + 1,
                if new.is_empty() { Vec::new() } else { vec![new] },
                &UNCHECKED,
                what,
            ));
        };
        let call = HARMLESS.iter().find_map(|name| {
            let place = bare.find(&format!("{name}("))?;
            Some((place, place + name.len()))
        });
        if let Some((place, open)) = call
            && let Some(close) = closing(bare, open)
            && !line[open + 1..close].contains(',')
        {
            let new = format!("{}{}{}", &line[..place], &line[open + 1..close], &line[close + 1..]);
            push(new, format!("used as it is: {}", one_line(line[place..=close].trim(), 80)), &mut edits);
        }
        let validates = ["validate", "self.validate", "check_valid", "ensure_valid", "assert_valid"];
        let statement = validates.iter().any(|word| code.starts_with(word))
            && is_balanced(code)
            && code.contains('(')
            && !code.contains(" = ");
        if statement && (code.ends_with(')') || code.ends_with(';')) && alone(source, at) {
            push(
                String::new(),
                format!("no longer validated: removed {}", one_line(line.trim(), 80)),
                &mut edits,
            );
        }
        if source.language == Language::Shell
            && let Some(new) = unquoted(line, code)
        {
            push(new, "a variable is used without quotes".to_owned(), &mut edits);
        }
    }
    edits
}

/// Where the bracket that opens at a place is closed.
fn closing(bare: &str, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in bare.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// A command with its first quoted variable bare: `rm -rf "$dir"`.
fn unquoted(line: &str, code: &str) -> Option<String> {
    const DOES: [&str; 6] = ["rm ", "cp ", "mv ", "cd ", "mkdir ", "chmod "];
    DOES.iter().find(|word| code.starts_with(**word))?;
    let from = line.find(" \"$")? + 1;
    let rest = &line[from + 1..];
    let to = rest.find('"')?;
    let name = &rest[..to];
    let plain = name[1..].chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '{' | '}'));
    plain.then(|| format!("{}{name}{}", &line[..from], &rest[to + 1..]))
}
