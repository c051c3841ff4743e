//! What changed between two revisions of a phase.

use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::phase::Phase;
use redraft_facts::text::{count, utc};
use redraft_facts::ticket::Scope;
use redraft_reports::view::RevisionView;

/// More than anybody reads on a page.
const LINES_MAX: usize = 4_000;

/// The two that are compared, by the events they are from.
pub(in crate::ui) struct Compared<'a> {
    pub(in crate::ui) from: &'a RevisionView,
    pub(in crate::ui) to: &'a RevisionView,
    /// A unified diff, or why there is none.
    pub(in crate::ui) diff: Result<String, String>,
}

/// Those that were asked for, else the last two; none where there are fewer.
pub(in crate::ui) fn chosen<'a>(
    all: &[&'a RevisionView],
    from: Option<u64>,
    to: Option<u64>,
) -> Option<(&'a RevisionView, &'a RevisionView)> {
    let by = |seq: Option<u64>| seq.and_then(|seq| all.iter().find(|one| one.seq == seq).copied());
    let [.., last_but_one, last] = all else { return None };
    Some((by(from).unwrap_or(last_but_one), by(to).unwrap_or(last)))
}

pub(in crate::ui) fn parts(
    scope: &Scope,
    phases: &[Phase],
    phase: Option<Phase>,
    all: &[&RevisionView],
    compared: Option<&Compared<'_>>,
) -> Vec<(String, Markup)> {
    let place = address(scope, Part::Changes);
    let choice = html! {
        h2 { "Changes between revisions" }
        @if phases.is_empty() { p { "Nothing was written yet." } }
        nav.tabs aria-label="Phases" {
            @for one in phases {
                a href=(format!("{place}/{one}")) aria-current=[(Some(*one) == phase).then_some("page")] { (one) } " "
            }
        }
        @if let (Some(compared), Some(phase)) = (compared, phase) {
            form.choose method="get" action=(format!("{place}/{phase}")) {
                (select("from", "From", all, compared.from))
                (select("to", "To", all, compared.to))
                button { "Compare" }
            }
        } @else if let [only] = all {
            p { "There is one revision only: " (told(only)) "." }
        }
    };
    let mut parts = vec![("choice".to_owned(), choice)];
    if let Some(compared) = compared {
        let part = match &compared.diff {
            Ok(diff) => drawn(diff),
            Err(why) => html! { p.bad { (why) } },
        };
        parts.push(("diff".to_owned(), part));
    }
    parts
}

fn select(name: &str, label: &str, all: &[&RevisionView], chosen: &RevisionView) -> Markup {
    html! {
        label { (label) " "
            select name=(name) {
                @for one in all.iter().rev() {
                    option value=(one.seq) selected[one.seq == chosen.seq] { (told(one)) }
                }
            }
        }
    }
}

fn told(one: &RevisionView) -> String {
    let pass = if one.pass > 1 { format!("pass {}, ", one.pass) } else { String::new() };
    format!("{pass}{} by {}, {} ({})", one.what, one.by, utc(one.at_ms), one.revision.short())
}

/// Lines that were added or removed, by a sign, a colour and an element that says so.
fn drawn(diff: &str) -> Markup {
    let lines: Vec<&str> = diff.lines().collect();
    let (mut added, mut removed) = (0, 0);
    let mut is_head = true;
    let mut drawn: Vec<(&str, &str)> = Vec::new();
    for line in &lines {
        let class = match line.as_bytes().first() {
            _ if line.starts_with("diff ") => {
                is_head = true;
                "file"
            }
            Some(b'@') => {
                is_head = false;
                "at"
            }
            _ if is_head => continue,
            Some(b'+') => {
                added += 1;
                "ins"
            }
            Some(b'-') => {
                removed += 1;
                "del"
            }
            _ => "",
        };
        drawn.push((class, line));
    }
    html! {
        @if drawn.is_empty() {
            p { "They are equal." }
        } @else {
            p.quiet { (count(added, "line")) " added, " (removed) " removed." }
            pre.diff tabindex="0" {
                @for (class, line) in drawn.iter().take(LINES_MAX) {
                    @match *class {
                        "ins" => ins { (line) "\n" },
                        "del" => del { (line) "\n" },
                        "file" => b { (file(line)) "\n" },
                        "at" => i { (line) "\n" },
                        _ => span { (line) "\n" },
                    }
                }
            }
            @if drawn.len() > LINES_MAX { p.cut { (drawn.len() - LINES_MAX) " more lines are left out." } }
        }
    }
}

/// The file that a part of a diff is about.
fn file(line: &str) -> &str {
    line.rsplit_once(" b/").map_or(line, |(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::ids::Revision;

    fn revision(seq: u64) -> RevisionView {
        let (by, what) = ("spec-author".to_owned(), format!("revise {seq}"));
        let revision = Revision::new(format!("{seq:040}"));
        RevisionView { seq, at_ms: 0, phase: Phase::Specify, pass: 1, revision, by, what }
    }

    #[test]
    fn the_last_two_are_compared_unless_others_are_asked_for() {
        let all: Vec<RevisionView> = [3, 7, 9].into_iter().map(revision).collect();
        let all: Vec<&RevisionView> = all.iter().collect();
        let seqs = |from, to| chosen(&all, from, to).map(|(from, to)| (from.seq, to.seq));
        assert_eq!(seqs(None, None), Some((7, 9)));
        assert_eq!(seqs(Some(3), None), Some((3, 9)));
        assert_eq!(seqs(Some(9), Some(3)), Some((9, 3)));
        assert_eq!(seqs(Some(4), Some(99)), Some((7, 9)), "what is not there is not asked for");
        assert!(chosen(&all[..1], None, None).is_none());
    }

    #[test]
    fn a_difference_is_shown_and_not_obeyed() {
        let diff = "diff --git a/spec.md b/spec.md\nindex 1..2 100644\n--- a/spec.md\n+++ b/spec.md\n@@ -1,2 +1,2 @@\n same\n-<script>old\n+--- new\n";
        let page = drawn(diff).into_string();
        assert!(page.contains("1 line added, 1 removed"), "{page}");
        assert!(
            page.contains("<del>-&lt;script&gt;old\n</del>") && page.contains("<ins>+--- new\n</ins>"),
            "{page}"
        );
        assert!(page.contains("<b>spec.md\n</b>"), "{page}");
        assert!(!page.contains("index 1..2") && drawn("").into_string().contains("equal"), "{page}");
    }
}
