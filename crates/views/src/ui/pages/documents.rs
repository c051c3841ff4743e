//! A document with the findings about it in its margin.

use crate::report::markdown::blocks;
use crate::ui::site::{Part, address};
use maud::{Markup, PreEscaped, html};
use redraft_facts::findings::Status;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use redraft_facts::verdict::Severity;
use redraft_reports::view::{FindingView, RevisionView};
use std::ops::RangeInclusive;

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
                    a.gutter href=(format!("{place}?line={}#comment", row.lines.start())) {
                        span.unseen { "Comment on line " } (row.lines.start())
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

/// Each piece of the text with its findings, and those that have no place in it. A finding stands where its quote
/// stands now. What is open and quotes nothing that is there stands at the line it was found in; what was mended and
/// is gone stands nowhere.
fn placed<'a>(text: &str, findings: &[&'a FindingView]) -> (Vec<Row<'a>>, Vec<&'a FindingView>) {
    let line_at = |at: usize| text[..floor(text, at.min(text.len()))].matches('\n').count() as u32 + 1;
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut words: Vec<String> = Vec::new();
    for (range, html) in blocks(text) {
        // The space after a list belongs to it.
        let last = range.start + text[range.clone()].trim_end().len().saturating_sub(1);
        words.push(plain(&text[range.clone()]));
        rows.push(Row { lines: line_at(range.start)..=line_at(last), html, findings: Vec::new() });
    }
    let mut elsewhere = Vec::new();
    for one in findings {
        let quote = plain(&one.quote);
        let quoted = || words.iter().position(|words| words.contains(&quote));
        let is_at = |row: &Row<'_>| one.line > 0 && *row.lines.start() <= one.line;
        let at = match quote.is_empty() {
            false => quoted(),
            true => None,
        };
        let by_line = || rows.iter().rposition(is_at).filter(|_| one.status == Status::Open);
        match at.or_else(by_line) {
            Some(at) => rows[at].findings.push(one),
            None => elsewhere.push(*one),
        }
    }
    (rows, elsewhere)
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
    use redraft_facts::phase::Phase;

    fn finding(id: &str, line: u32, quote: &str, status: Status) -> FindingView {
        FindingView {
            phase: Phase::Specify,
            id: id.to_owned(),
            role: "spec-reviewer".to_owned(),
            by: String::new(),
            round: 1,
            severity: Severity::Blocker,
            category: String::new(),
            status,
            description: "<b>bold</b> claim".to_owned(),
            suggestion: String::new(),
            file: "spec.md".to_owned(),
            line,
            place: format!("spec.md:{line}"),
            quote: quote.to_owned(),
            late: false,
            unverified: None,
            outcome: status.name().to_owned(),
            said: Vec::new(),
        }
    }

    #[test]
    fn a_finding_stands_where_its_quote_is_now_else_at_its_line_while_it_is_open() {
        let text = "# Title\n\nThe first *paragraph*\nhas two lines.\n\n- a\n- b\n\nThe last one.\n";
        let all = [
            finding("S1", 1, "first paragraph has two", Status::Fixed),
            finding("S2", 7, "", Status::Open),
            finding("S3", 9, "words that are gone", Status::Fixed),
            finding("S4", 9, "words that are gone", Status::Open),
            finding("S5", 0, "", Status::Open),
        ];
        let (rows, elsewhere) = placed(text, &all.iter().collect::<Vec<_>>());
        let ids = |findings: &[&FindingView]| findings.iter().map(|one| one.id.clone()).collect::<Vec<_>>();
        let shown: Vec<(u32, u32, Vec<String>)> =
            rows.iter().map(|row| (*row.lines.start(), *row.lines.end(), ids(&row.findings))).collect();
        let none = Vec::<String>::new;
        assert_eq!(
            shown,
            [
                (1, 1, none()),
                (3, 4, vec!["S1".to_owned()]),
                (6, 7, vec!["S2".to_owned()]),
                (9, 9, vec!["S4".to_owned()])
            ]
        );
        assert_eq!(ids(&elsewhere), ["S3", "S5"]);
    }

    #[test]
    fn html_in_documents_and_findings_is_shown_and_not_obeyed() {
        let open = finding("S1", 1, "", Status::Open);
        let opened = Opened {
            key: "specify",
            path: "docs/<x>/spec.md",
            text: "<script>alert(1)</script>\n\n<img src=x onerror=y>\n",
            findings: vec![&open],
            revisions: Vec::new(),
            at: None,
        };
        let all = [Listed { key: "specify".to_owned(), path: opened.path.to_owned() }];
        let page: String = parts(&"001".parse().unwrap(), &all, Some(&opened))
            .into_iter()
            .map(|(_, part)| part.into_string())
            .collect();
        for raw in ["<script", "<img", "<b>bold", "docs/<x>"] {
            assert!(!page.contains(raw), "{raw}: {page}");
        }
        assert!(page.contains("&lt;script&gt;") && page.contains("&lt;b&gt;bold"), "{page}");
    }
}
