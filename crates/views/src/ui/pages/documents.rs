//! A document with the findings about it in its margin.

use crate::report::markdown::blocks;
use crate::ui::site::{Part, address};
use maud::{Markup, PreEscaped, html};
use redraft_facts::findings::Status;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use redraft_reports::view::{FindingView, RevisionView};
use std::ops::{Range, RangeInclusive};

/// What a page shows of a text; the rest is said to be left out.
const BYTES_MAX: usize = 600_000;

/// A document of the feature, for the list of them.
pub(in crate::ui) struct Listed {
    /// Its name in an address: that of its phase, or `prd`.
    pub(in crate::ui) key: String,
    pub(in crate::ui) path: String,
}

/// The one that is shown.
pub(in crate::ui) struct Opened<'a> {
    pub(in crate::ui) key: &'a str,
    pub(in crate::ui) path: &'a str,
    pub(in crate::ui) text: &'a str,
    pub(in crate::ui) findings: Vec<&'a FindingView>,
    /// Its revisions, and the one that is shown.
    pub(in crate::ui) revisions: Vec<&'a RevisionView>,
    pub(in crate::ui) at: Option<&'a RevisionView>,
}

impl Opened<'_> {
    /// Whether a comment on a line of it would be about that line; an older revision is only looked at.
    pub(in crate::ui) fn is_latest(&self) -> bool {
        self.at.map(|at| at.seq) == self.revisions.last().map(|last| last.seq)
    }
}

pub(in crate::ui) fn parts(
    scope: &Scope,
    all: &[Listed],
    opened: Option<&Opened<'_>>,
) -> Vec<(String, Markup)> {
    let place = address(scope, Part::Documents);
    let is_open = |one: &Listed| opened.is_some_and(|opened| opened.key == one.key);
    let list = html! {
        h2 { "Documents" }
        @if all.is_empty() { p { "Nothing was written yet." } }
        nav.tabs aria-label="Documents" {
            @for one in all {
                a href=(format!("{place}/{}", one.key)) aria-current=[is_open(one).then_some("page")] {
                    (name(&one.path))
                }
                " "
            }
        }
        @if let Some(opened) = opened { (about(scope, opened)) }
    };
    let mut parts = vec![("list".to_owned(), list)];
    parts.extend(opened.map(|opened| ("document".to_owned(), drawn(scope, opened))));
    parts
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn about(scope: &Scope, opened: &Opened<'_>) -> Markup {
    let place = format!("{}/{}", address(scope, Part::Documents), opened.key);
    html! {
        p.small.quiet { code { (opened.path) } }
        @if opened.revisions.len() > 1 {
            form.choose method="get" action=(place) {
                label { "Revision "
                    select name="at" {
                        @for one in opened.revisions.iter().rev() {
                            option value=(one.seq) selected[opened.at.is_some_and(|at| at.seq == one.seq)] {
                                (one.what) " by " (one.by) " (" (one.revision.short()) ")"
                            }
                        }
                    }
                }
                button { "Show" }
                a href=(format!("{}/{}", address(scope, Part::Changes), opened.key)) { "What changed" }
            }
        }
    }
}

/// A piece of a document with what was found about it.
struct Row<'a> {
    lines: RangeInclusive<u32>,
    html: String,
    findings: Vec<&'a FindingView>,
}

fn drawn(scope: &Scope, opened: &Opened<'_>) -> Markup {
    let (text, is_cut) = cut(opened.text);
    let (rows, elsewhere) = placed(text, &opened.findings);
    let place = format!("{}/{}", address(scope, Part::Documents), opened.key);
    html! {
        @if !elsewhere.is_empty() {
            details {
                summary { "Findings that have no place in this text (" (elsewhere.len()) ")" }
                div.margin { @for one in &elsewhere { (note(scope, one)) } }
            }
        }
        div.doc.beside {
            @for row in &rows {
                div.row id=(format!("L{}", row.lines.start())) {
                    @if opened.is_latest() {
                        a.gutter href=(format!("{place}?line={}#comment", row.lines.start())) {
                            span.unseen { "Comment on line " } (row.lines.start())
                        }
                    } @else {
                        span.gutter { (row.lines.start()) }
                    }
                    div.text { (PreEscaped(&row.html)) }
                    @if !row.findings.is_empty() {
                        aside.margin aria-label=(format!("Findings at line {}", row.lines.start())) {
                            @for one in &row.findings { (note(scope, one)) }
                        }
                    }
                }
            }
        }
        @if is_cut { p.cut { "The rest is left out. All of it is on the branch of the feature." } }
    }
}

/// A finding, short; all of it is on the page of findings.
fn note(scope: &Scope, one: &FindingView) -> Markup {
    const CHARS_MAX: usize = 700;
    let severity = match one.severity {
        Severity::Blocker => "chip bad",
        Severity::Warning => "chip warn",
        Severity::Suggestion => "chip quiet",
    };
    let outcome = if one.status == Status::Open { "warn" } else { "good" };
    let whole = format!("{}#{}-{}", address(scope, Part::Findings), one.phase, one.id);
    html! {
        div.note {
            p.small {
                a href=(whole) { strong { (one.id) } } " "
                span class=(severity) { (one.severity.name()) } " "
                span class=(outcome) { (one_line(&one.outcome, 120)) }
            }
            p { (one_line(&one.description, CHARS_MAX)) }
            p.small.quiet { (one.role) ", round " (one.round) }
        }
    }
}

fn cut(text: &str) -> (&str, bool) {
    if text.len() <= BYTES_MAX {
        return (text, false);
    }
    let end = text[..floor(text, BYTES_MAX)].rfind('\n').unwrap_or(0);
    (&text[..end], true)
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Each piece of the text with its findings, and those that have no place in it.
fn placed<'a>(text: &str, findings: &[&'a FindingView]) -> (Vec<Row<'a>>, Vec<&'a FindingView>) {
    let (mut rows, words) = rows(text);
    let mut elsewhere = Vec::new();
    for one in findings {
        match spot(&rows, &words, &one.quote, one.line, one.status == Status::Open) {
            Some(at) => rows[at].findings.push(one),
            None => elsewhere.push(*one),
        }
    }
    (rows, elsewhere)
}

/// The pieces of a text, and the plain words of each.
fn rows<'a>(text: &str) -> (Vec<Row<'a>>, Vec<String>) {
    let line_at = |at: usize| text[..floor(text, at.min(text.len()))].matches('\n').count() as u32 + 1;
    let row = |(range, html): (Range<usize>, String)| {
        // The space after a list belongs to it.
        let last = range.start + text[range.clone()].trim_end().len().saturating_sub(1);
        let lines = line_at(range.start)..=line_at(last);
        (Row { lines, html, findings: Vec::new() }, plain(&text[range]))
    };
    blocks(text).into_iter().map(row).unzip()
}

/// The piece in which a finding stands: where its quote stands now. What is open and quotes nothing that is there stands
/// at the line it was found in; what was mended and is gone stands nowhere.
fn spot(rows: &[Row<'_>], words: &[String], quote: &str, line: u32, is_open: bool) -> Option<usize> {
    let quote = plain(quote);
    let quoted = || words.iter().position(|words| words.contains(&quote)).filter(|_| !quote.is_empty());
    let is_at = |row: &Row<'_>| line > 0 && *row.lines.start() <= line;
    quoted().or_else(|| rows.iter().rposition(is_at).filter(|_| is_open))
}

/// Words without marks and line breaks, which a quote may leave out.
fn plain(text: &str) -> String {
    const CHARS_MAX: usize = 200_000;
    let words = text.chars().take(CHARS_MAX).filter(|sign| !matches!(sign, '*' | '`' | '_' | '>' | '#'));
    words.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_stands_where_its_quote_is_now_else_at_its_line_while_it_is_open() {
        let text = "# Title\n\nThe first *paragraph*\nhas two lines.\n\n- a\n- b\n\nThe last one.\n";
        let (rows, words) = rows(text);
        let lines: Vec<(u32, u32)> = rows.iter().map(|row| (*row.lines.start(), *row.lines.end())).collect();
        assert_eq!(lines, [(1, 1), (3, 4), (6, 7), (9, 9)]);
        for (quote, line, is_open, expected) in [
            ("first paragraph has two", 1, false, Some(1)),
            ("first paragraph\n  has two", 9, true, Some(1)),
            ("", 7, true, Some(2)),
            ("", 7, false, None),
            ("words that are gone", 9, true, Some(3)),
            ("words that are gone", 9, false, None),
            ("", 0, true, None),
            ("", 99, true, Some(3)),
        ] {
            assert_eq!(spot(&rows, &words, quote, line, is_open), expected, "{quote} {line} {is_open}");
        }
    }

    #[test]
    fn html_in_documents_is_shown_and_not_obeyed() {
        let opened = Opened {
            key: "specify",
            path: "docs/<x>/spec.md",
            text: "<script>alert(1)</script>\n\n<img src=x onerror=y>\n\n[x](javascript:alert(1))\n",
            findings: Vec::new(),
            revisions: Vec::new(),
            at: None,
        };
        let all = [Listed { key: "specify".to_owned(), path: opened.path.to_owned() }];
        let page: String = parts(&"001".parse().unwrap(), &all, Some(&opened))
            .into_iter()
            .map(|(_, part)| part.into_string())
            .collect();
        for raw in ["<script", "<img", "docs/<x>", "href=\"javascript"] {
            assert!(!page.contains(raw), "{raw}: {page}");
        }
        assert!(page.contains("&lt;script&gt;"), "{page}");
    }
}
