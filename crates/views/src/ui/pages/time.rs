//! What happened, the newest first, a page at a time: a feature may have a hundred thousand events.

use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::text::utc;
use redraft_reports::pages::PageLimits;
use redraft_reports::view::{Happening, Overview};

/// What fits on a page that nobody has to wait for.
const LINES_MAX: usize = 200;

pub(in crate::ui) fn line(one: &Happening) -> Markup {
    const CHARS_MAX: usize = 2_000;
    let limits = PageLimits { text_chars: CHARS_MAX, ..PageLimits::GENEROUS };
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

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_reports::standing::Surroundings;

    #[test]
    fn a_hundred_thousand_events_are_shown_a_page_at_a_time() {
        const EVENTS: u64 = 100_000;
        let mut overview = Overview::new(&[], &Surroundings::default()).unwrap();
        overview.timeline = (1..=EVENTS)
            .map(|seq| Happening {
                seq,
                at_ms: 0,
                kind: "answered",
                phase: None,
                text: format!("line {seq} <b>"),
                is_detail: seq % 2 == 0,
            })
            .collect();
        let page = |before, all| {
            let drawn = parts(&overview, before, all).remove(0).1.into_string();
            assert!(drawn.len() < 100_000 && !drawn.contains("<b>"), "{}", drawn.len());
            drawn
        };
        let newest = page(None, true);
        assert!(newest.contains("line 100000 ") && newest.contains("line 99801 "), "{newest}");
        assert!(newest.contains("?before=99801&amp;all=1") && !newest.contains("line 99800 "), "{newest}");
        assert!(page(Some(99_801), true).contains("line 99800 "));
        assert!(!page(None, false).contains("line 100000 "), "how things were done is left out");
        let oldest = page(Some(50), true);
        assert!(oldest.contains("line 1 ") && !oldest.contains("Older events"), "{oldest}");
        assert!(page(Some(1), true).contains("Nothing happened before that"));
    }
}
