//! All features, what waits for a person first.

use crate::board::{Board, Seen};
use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::text::{one_line, utc};
use redraft_facts::usage::Usd;
use redraft_reports::pages::parts::chip;
use redraft_reports::projections::BoardRow;

const IDEA_CHARS_MAX: usize = 160;
const QUESTION_CHARS_MAX: usize = 600;
/// More than anybody looks through; the others are in `redraft status`.
const ROWS_MAX: usize = 300;

/// How many wait for a person.
pub(in crate::ui) fn waiting(board: &Board) -> usize {
    board.rows().filter(|row| row.waits_for_you).count()
}

pub(in crate::ui) fn parts(board: &Board) -> Vec<(String, Markup)> {
    let holder = |row: &BoardRow| {
        let own = board.features.iter().find(|seen: &&Seen| seen.row.scope() == row.scope());
        own.and_then(|seen| seen.held_by.as_ref())
    };
    let mut all: Vec<&BoardRow> = board.rows().collect();
    // The newest first among equals.
    all.sort_by_key(|row| (row.standing.rank(), std::cmp::Reverse(row.updated_ms)));
    let (waiting, others): (Vec<&BoardRow>, Vec<&BoardRow>) = all.iter().partition(|row| row.waits_for_you);
    let card = |row: &BoardRow| {
        html! {
            article.card {
                header {
                    h3 { a href=(address(&row.scope(), Part::Overview)) { (name(row)) } }
                    (chip(row))
                }
                @if row.subject().is_none() { p { (one_line(&row.idea, IDEA_CHARS_MAX)) } }
                @if let Some(question) = &row.question { p.text.small { (cut(question)) } }
                p.small.quiet {
                    @if !row.phase.is_empty() { (row.phase) ", " }
                    (row.done.len()) " of " (row.phases.len()) " phases done"
                    @if row.open_findings > 0 { ", " (row.open_findings) " findings open" }
                    ", " (Usd(row.spent_micro_usd)) " billed"
                    @if let Some(holder) = holder(row) { ", driven by process " (holder.pid) }
                    ", last event " (utc(row.updated_ms))
                }
                p.small { span.quiet { "next: " } code { (row.next) } }
            }
        }
    };
    let summary = match waiting.len() {
        0 => "Nothing waits for you.".to_owned(),
        1 => "1 waits for you.".to_owned(),
        some => format!("{some} wait for you."),
    };
    let mut parts = vec![(
        "head".to_owned(),
        html! { h1 { "Features" } p.quiet { (redraft_facts::text::count(all.len(), "feature")) ". " (summary) } },
    )];
    if all.is_empty() {
        let next = board.next().command;
        parts.push((
            "none".to_owned(),
            html! { p { "There is no feature here yet. Next: " code { (next) } } },
        ));
    }
    if !waiting.is_empty() {
        let part = html! { h2 { "Waiting for you" } @for row in &waiting { (card(row)) } };
        parts.push(("waiting".to_owned(), part));
    }
    if !others.is_empty() {
        let part = html! {
            h2 { @if waiting.is_empty() { "All" } @else { "Others" } }
            @for row in others.iter().take(ROWS_MAX) { (card(row)) }
            @if others.len() > ROWS_MAX { p.cut { "Older ones: " code { "redraft status" } } }
        };
        parts.push(("others".to_owned(), part));
    }
    parts
}

fn name(row: &BoardRow) -> String {
    match row.subject() {
        Some(subject) => format!("Review of {}", one_line(&subject, IDEA_CHARS_MAX)),
        None => row.name(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUESTION_CHARS_MAX) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} […]", text[..end].trim_end()),
    }
}
