//! For every history: the lines that `--events` prints, folded by somebody else, tell where the feature stands, and so do
//! the board and the page of the feature. The row is what `status --json` prints.
//!
//! Lines and rows are compared after every event, the board is drawn whenever the row stands otherwise than before, and
//! the page of the feature, which costs as much as the history is long, after a number of events drawn at random and at
//! the end: two pages for each history, so that a thousand histories take seconds.

use crate::board::{Board, Seen};
use crate::tests::histories::review::{HISTORIES, any_history, moment, sampled};
use crate::ui::pages::{board, feature};
use maud::Markup;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use redraft_core::pipeline::{self, Pipeline};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ticket::Scope;
use redraft_frame::story::EventJson;
use redraft_reports::html::escaped;
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::Standing;
use redraft_reports::view::Overview;
use serde_json::Value;

#[test]
fn page_and_event_stream_say_where_a_feature_stands_after_every_event_of_every_history() {
    let config = ProptestConfig { cases: HISTORIES, failure_persistence: None, ..ProptestConfig::default() };
    let tried = TestRunner::new(config).run(&any_history(), |log| {
        let (mut state, mut told) = (Pipeline::default(), Pipeline::default());
        let mut drawn = None;
        let (around, looked_at) = (moment(&log), sampled(&log));
        for (events, entry) in (1..).zip(&log) {
            pipeline::fold(&mut state, &entry.event).unwrap();
            let line = printed(&state, entry);
            pipeline::fold(&mut told, &read(&line)?).unwrap();
            let standing = Standing::new(&state).now(&around);
            let row = BoardRow::new(&told, line["at_ms"].as_i64().unwrap()).now(&around);
            prop_assert_eq!(&row, &BoardRow::new(&state, entry.at_ms).now(&around));
            prop_assert_eq!((&row.standing, row.waits_for_you), (&standing, standing.waits_for_you()));
            if looked_at.contains(&events) {
                let overview = Overview::new(&log[..events], &around).unwrap();
                prop_assert_eq!(&overview.row, &row);
                on_its_page(&overview)?;
            }
            if drawn.replace(standing.clone()).as_ref() != Some(&standing) {
                on_the_board(row)?;
            }
        }
        Ok(())
    });
    tried.unwrap();
}

/// A line of `--events`, as a program reads it.
fn printed(state: &Pipeline, entry: &Entry) -> Value {
    let scope = state.created.as_ref().map_or(Scope::Repo, |created| created.scope());
    let line = serde_json::to_string(&EventJson::new(&scope, entry)).unwrap();
    serde_json::from_str(&line).unwrap()
}

fn read(line: &Value) -> Result<Event, TestCaseError> {
    let (kind, version) = (line["kind"].as_str().unwrap(), line["version"].as_u64().unwrap());
    let event = Event::decode(kind, u16::try_from(version).unwrap(), &line["body"].to_string());
    event.map_err(|error| TestCaseError::fail(format!("{error:?}: {line}")))
}

fn html(parts: Vec<(String, Markup)>) -> String {
    parts.into_iter().map(|(_, part)| part.into_string()).collect()
}

fn on_the_board(row: BoardRow) -> Result<(), TestCaseError> {
    let (waits, words) = (row.waits_for_you, escaped(&row.standing_in_words()));
    let is_review = row.subject().is_some();
    let seen = |row| Seen {
        row,
        blocked_by: Vec::new(),
        held_by: None,
        asked: None,
        waiting_comments: 0,
        refused_comments: Vec::new(),
    };
    let (reviews, features) = if is_review { (vec![row], vec![]) } else { (vec![], vec![seen(row)]) };
    let shown = Board { features, reviews, begin: String::new() };
    prop_assert_eq!(board::waiting(&shown), usize::from(waits));
    let page = html(board::parts(&shown));
    prop_assert!(page.contains(&words), "{}: {}", &words, &page);
    prop_assert_eq!(page.contains("1 waits for you."), waits, "{}", &page);
    prop_assert_eq!(page.contains("Nothing waits for you."), !waits, "{}", &page);
    prop_assert_eq!(page.contains("<h2>Waiting for you</h2>"), waits, "{}", &page);
    prop_assert_eq!(page.contains("<h2>All</h2>"), !waits, "{}", &page);
    prop_assert_eq!(page.contains("chip warn"), waits, "{}", &page);
    Ok(())
}

fn on_its_page(overview: &Overview) -> Result<(), TestCaseError> {
    let (row, head) = (&overview.row, feature::head(overview).into_string());
    prop_assert!(head.contains(&escaped(&row.standing_in_words())), "{}", &head);
    prop_assert_eq!(head.contains("waiting for you"), row.waits_for_you, "{}", &head);
    let page = html(feature::parts(overview));
    let (under_way, cut_off) = (page.contains("<h2>Under way</h2>"), page.contains("<h2>Cut off</h2>"));
    prop_assert_eq!(under_way || cut_off, !overview.under_way.is_empty(), "{}", &page);
    let all_cut_off = overview.under_way.iter().all(|one| one.is_cut_off);
    prop_assert_eq!(cut_off, !overview.under_way.is_empty() && all_cut_off, "{}", &page);
    prop_assert!(page.contains(&format!("<code>{}</code>", escaped(&row.next))), "{}", &page);
    Ok(())
}
