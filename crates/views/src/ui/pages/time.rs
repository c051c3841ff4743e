//! What happened, the newest first, a page at a time: a feature may have a hundred thousand events.

use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::text::utc;
use redraft_reports::pages::Limits;
use redraft_reports::view::{Happening, Overview};

/// What fits on a page that nobody has to wait for.
const LINES_MAX: usize = 200;

pub(in crate::ui) fn line(one: &Happening) -> Markup {
    const CHARS_MAX: usize = 2_000;
    let limits = Limits { text_chars: CHARS_MAX, ..Limits::GENEROUS };
    html! { li { time { (utc(one.at_ms)) " · " (one.seq) } (limits.text(&one.text)) } }
}

/// `before` is the event that the page ends before; `all` shows how things were done, too.
pub(in crate::ui) fn parts(overview: &Overview, before: Option<u64>, all: bool) -> Vec<(String, Markup)> {
    let wanted = |one: &&Happening| before.is_none_or(|before| one.seq < before) && (all || !one.is_detail);
    let mut shown: Vec<&Happening> =
        overview.timeline.iter().rev().filter(wanted).take(LINES_MAX + 1).collect();
    let older = if shown.len() > LINES_MAX {
        shown.pop().and_then(|_| shown.last()).map(|one| one.seq)
    } else {
        None
    };
    let place = address(&overview.row.scope(), Part::Time);
    let detail = if all { "&all=1" } else { "" };
    let part = html! {
        h2 { "Time line" }
        p.small {
            @if all { a href=(place) { "Leave out how things were done" } }
            @else { a href=(format!("{place}?all=1")) { "Show every event" } }
            @if before.is_some() { " · " a href=(format!("{place}?{}", detail.trim_start_matches('&'))) { "To the newest" } }
        }
        @if shown.is_empty() { p { "Nothing happened before that." } }
        ol.time { @for one in &shown { (line(one)) } }
        @if let Some(seq) = older { p { a href=(format!("{place}?before={seq}{detail}")) { "Older events" } } }
    };
    vec![("time".to_owned(), part)]
}
