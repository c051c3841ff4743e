//! The trace as a table in HTML, and as a page of its own.
//!
//! Whatever documents and files are called stays text. Colour never says anything alone. Start at [`html`].

use super::markdown::{distinct, named, ran, runs, short, summary, task};
use super::{CodeWork, DocumentPart, Matrix, Row};
use crate::html::page;
use maud::{Markup, html as markup};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

const BY: &str = "made by redraft show trace";

/// The first words of the page, by which the program recognizes its own pages.
pub const MADE_BY: &str = "<!doctype html>\n<!-- made by redraft show trace -->";

/// A whole page. `title` names the feature.
pub fn html(matrix: &Matrix, title: &str) -> String {
    let title = format!("Trace: {title}");
    let body = markup! {
        h1 { (title) }
        p.quiet { (summary(matrix)) }
        (table(matrix, &TableLimits::NONE))
        @if !matrix.orphans.is_empty() {
            h2 { "Orphans" }
            (orphans(matrix, usize::MAX))
        }
    };
    page(&title, BY, "wide", &body)
}

/// How much of a trace a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLimits {
    pub rows: usize,
    /// Commits, files and the like in one cell.
    pub in_a_cell: usize,
    /// Characters of a requirement.
    pub chars: usize,
}

impl TableLimits {
    const NONE: TableLimits = TableLimits { rows: usize::MAX, in_a_cell: usize::MAX, chars: usize::MAX };
}

pub fn table(matrix: &Matrix, limits: &TableLimits) -> Markup {
    const HEADS: [&str; 8] =
        ["Requirement", "Design section", "Plan step", "Task", "Commit", "Files", "Tests", "Last run"];
    markup! {
        div.scroll tabindex="0" {
            table.trace {
                thead { tr { @for head in HEADS { th scope="col" { (head) } } } }
                tbody { @for row in matrix.rows.iter().take(limits.rows) { (lines(matrix, row, limits)) } }
            }
        }
    }
}

pub fn orphans(matrix: &Matrix, max: usize) -> Markup {
    markup! {
        ul.plain {
            @for orphan in matrix.orphans.iter().take(max) {
                li {
                    code { (orphan.file) ":" (orphan.line) }
                    " " strong { (orphan.rule) } ": " (orphan.message) "; " span.quiet { (orphan.hint) }
                }
            }
        }
    }
}

/// One line for each task; what they share spans all of them.
fn lines(matrix: &Matrix, row: &Row, limits: &TableLimits) -> Markup {
    let works: Vec<&CodeWork> = matrix.works_of(row).take(limits.in_a_cell).collect();
    let span = works.len().max(1);
    markup! {
        tr {
            @match &row.requirement {
                Some(one) => td rowspan=(span) {
                    strong { (one.id) } " " (cut(&one.text, limits)) br;
                    code.quiet { (one.kind.file()) ":" (one.line) }
                },
                None => td.quiet rowspan=(span) { "none" },
            }
            td rowspan=(span) { (parts(&row.sections, limits)) }
            td rowspan=(span) { (parts(&row.steps, limits)) }
            @match works.first() {
                Some(work) => (cells(work, limits)),
                None => { td.bad { "no task" } td {} td {} td {} td {} }
            }
        }
        @for work in works.iter().skip(1) { tr { (cells(work, limits)) } }
    }
}

/// A text in one line, where it would be too long.
fn cut(text: &str, limits: &TableLimits) -> String {
    if text.len() <= limits.chars { text.to_owned() } else { one_line(text, limits.chars) }
}

fn parts(parts: &[DocumentPart], limits: &TableLimits) -> Markup {
    list(parts.iter().map(|part| markup! { (cut(&named(part), limits)) }), limits)
}

fn cells(work: &CodeWork, limits: &TableLimits) -> Markup {
    let code = |text: &str| markup! { code { (cut(text, limits)) } };
    let run = |run: &super::RecordedCheck| markup! { span.bad[!run.passed] { (ran(run)) } };
    markup! {
        td { (cut(&task(work), limits)) }
        td.commit { (list(work.commits.iter().map(|commit| code(short(commit))), limits)) }
        td.path { (list(distinct(work.code()).into_iter().map(code), limits)) }
        td.path { (list(work.tests.iter().map(|test| code(test)), limits)) }
        td { (list(runs(&[work]).into_iter().map(run), limits)) }
    }
}

/// What is left out is counted.
fn list(entries: impl Iterator<Item = Markup>, limits: &TableLimits) -> Markup {
    let mut items: Vec<Markup> = entries.collect();
    let more = items.len().saturating_sub(limits.in_a_cell);
    if more > 0 {
        items.truncate(limits.in_a_cell);
        items.push(markup! { span.quiet { "and " (more) " more" } });
    }
    markup! {
        @match items.as_slice() {
            [] => {},
            [one] => (one),
            many => ul { @for item in many { li { (item) } } },
        }
    }
}
