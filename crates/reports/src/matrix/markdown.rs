//! The trace as a table in Markdown, for a pull request or a page.
//!
//! The names of documents and files stay text: nothing in a cell can end it, begin a link or mention somebody.

use super::{CodeWork, DocumentPart, Matrix, RecordedCheck, Row, State};
use redraft_facts::prelude::*;
use redraft_facts::text::{count, one_line, utc};

/// Forges cut off a text of more than 65,536 characters; a hundred rows are what a person may look through.
const ROWS_MAX: usize = 100;
const IN_A_CELL_MAX: usize = 6;
const CHARS_MAX: usize = 90;

/// Ends with a line break; empty where there is nothing to trace.
pub fn markdown(matrix: &Matrix) -> String {
    if matrix.rows.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    out.push_str("| Requirement | Design | Plan | Task | Commit | Files | Tests | Last run |\n");
    out.push_str("|---|---|---|---|---|---|---|---|\n");
    for row in matrix.rows.iter().take(ROWS_MAX) {
        out.push_str(&line(matrix, row));
    }
    let more = matrix.rows.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        out.push_str(&format!("\n{} more: `redraft show trace` has them all.\n", count(more, "row")));
    }
    out.push_str(&format!("\n{}\n", summary(matrix)));
    for orphan in matrix.orphans.iter().take(ROWS_MAX) {
        let place = code(&format!("{}:{}", orphan.file, orphan.line));
        out.push_str(&format!("- {place} {}: {}\n", orphan.rule, escaped(&orphan.message)));
    }
    let more = matrix.orphans.len().saturating_sub(ROWS_MAX);
    if more > 0 {
        out.push_str(&format!("- and {more} more\n"));
    }
    out
}

/// What a person wants to know first.
pub(super) fn summary(matrix: &Matrix) -> String {
    let orphans = match matrix.orphans.len() {
        0 => "no orphans".to_owned(),
        some => count(some, "orphan"),
    };
    format!("{}; {orphans}.", matrix.reached_in_words())
}

fn line(matrix: &Matrix, row: &Row) -> String {
    let works: Vec<&CodeWork> = matrix.works_of(row).collect();
    let requirement = row.requirement.as_ref().map(|one| {
        let text = escaped(&one_line(&one.text, CHARS_MAX));
        format!("**{}** {text}", escaped(&one.id)).trim_end().to_owned()
    });
    let tasks = works.iter().map(|work| escaped(&task(work)));
    let commits = works.iter().flat_map(|work| &work.commits).map(|commit| code(short(commit)));
    let files = distinct(works.iter().flat_map(|work| work.code())).into_iter().map(code);
    let tests = distinct(works.iter().flat_map(|work| &work.tests)).into_iter().map(code);
    let cells = [
        requirement.unwrap_or_default(),
        cell(row.sections.iter().map(|part| escaped(&named(part)))),
        cell(row.steps.iter().map(|part| escaped(&named(part)))),
        cell(tasks),
        cell(commits),
        cell(files),
        cell(tests),
        cell(runs(&works).into_iter().map(|run| escaped(&ran(run)))),
    ];
    format!("| {} |\n", cells.join(" | "))
}

/// `1.2 Write the store (blocked)`.
pub(super) fn task(work: &CodeWork) -> String {
    let state = match &work.state {
        State::Unknown | State::Done => String::new(),
        State::Open => " (open)".to_owned(),
        State::Blocked { .. } => " (skipped)".to_owned(),
    };
    let name = format!("{} {}", work.what.name(), one_line(&work.title, CHARS_MAX));
    format!("{}{state}", name.trim_end())
}

pub(super) fn named(part: &DocumentPart) -> String {
    one_line(&part.name(), CHARS_MAX)
}

/// The last run of each check of some pieces of work.
pub(super) fn runs<'a>(works: &[&'a CodeWork]) -> Vec<&'a RecordedCheck> {
    let mut last: BTreeMap<&str, &RecordedCheck> = BTreeMap::new();
    for run in works.iter().flat_map(|work| &work.runs) {
        let known = last.entry(&run.gate).or_insert(run);
        if run.at_ms >= known.at_ms {
            *known = run;
        }
    }
    last.into_values().collect()
}

pub(super) fn ran(run: &RecordedCheck) -> String {
    let how = if run.passed { "passed" } else { "failed" };
    format!("{} {how}, {}", run.gate, utc(run.at_ms))
}

pub(super) fn short(commit: &str) -> &str {
    const CHARS: usize = 10;
    commit.char_indices().nth(CHARS).map_or(commit, |(end, _)| &commit[..end])
}

pub(super) fn distinct<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let all: BTreeSet<&str> = all.map(String::as_str).collect();
    all.into_iter().collect()
}

fn cell(entries: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = entries.collect();
    let more = all.len().saturating_sub(IN_A_CELL_MAX);
    let more = (more > 0).then(|| format!("and {more} more"));
    all.into_iter().take(IN_A_CELL_MAX).chain(more).collect::<Vec<_>>().join("<br>")
}

/// A text without any special meaning.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text, usize::MAX).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A forge would notify a person, or link to something else with that number.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            // Nor may it become an address by itself.
            ':' => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A path or a commit as code, whatever is in it.
fn code(text: &str) -> String {
    let text = one_line(text, usize::MAX).replace('|', "\\|");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let room = if longest > 0 { " " } else { "" };
    format!("{marks}{room}{text}{room}{marks}")
}
