//! For every history and after each of its events, the screen says of a feature what its row says: where it stands, and
//! whether it waits for a person. What the page and `--events` say is tried in `ui`.

use super::{NOW_MS, app, busy, screen};
use crate::tests::histories::review::{HISTORIES, any_history, moment, sampled};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use redraft_core::pipeline::{self, Pipeline};
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::{Standing, Surroundings};
use redraft_reports::view::Overview;
use std::collections::BTreeSet;

#[test]
fn the_screen_says_where_a_feature_stands_after_every_event_of_every_history() {
    let config = ProptestConfig { cases: HISTORIES, failure_persistence: None, ..ProptestConfig::default() };
    let seen = std::cell::RefCell::new(BTreeSet::new());
    let tried = TestRunner::new(config).run(&any_history(), |log| {
        let mut state = Pipeline::default();
        let mut drawn = None;
        let around = moment(&log);
        for entry in &log {
            pipeline::fold(&mut state, &entry.event).unwrap();
            let standing = Standing::new(&state).now(&around);
            seen.borrow_mut().insert(standing.name());
            // The list is drawn from the row alone: what stands as before is drawn as before. That the row says the
            // same as the machine, event for event, is tried in `core`.
            if drawn.replace(standing.clone()).as_ref() != Some(&standing) {
                let row = BoardRow::new(&state, entry.at_ms).now(&around);
                prop_assert_eq!(&row.standing, &standing);
                in_list(&row, &standing)?;
            }
        }
        let around = Surroundings { now_ms: NOW_MS, is_driven: true, ..Surroundings::default() };
        for events in sampled(&log) {
            opened(Overview::new(&log[..events], &around).unwrap())?;
        }
        Ok(())
    });
    tried.unwrap();
    assert!(seen.into_inner().len() >= 10, "few ways to stand were met");
}

fn in_list(row: &BoardRow, standing: &Standing) -> Result<(), TestCaseError> {
    let mut detail = busy("x");
    detail.overview.row = row.clone();
    let text = screen(&mut app(vec![detail], false), 120, 6);
    prop_assert!(text.contains(&row.standing_in_words()), "{} {}", row.standing_in_words(), &text);
    prop_assert_eq!(text.contains("1 waits for you"), standing.waits_for_you(), "{}", &text);
    prop_assert_eq!(text.contains("nothing waits for you"), !standing.waits_for_you(), "{}", &text);
    prop_assert_eq!(text.contains("\nwaiting for you\n"), standing.waits_for_you(), "{}", &text);
    let works = matches!(standing, Standing::Working { .. } | Standing::WithHosts { .. });
    prop_assert_eq!(text.contains("\nworking\n"), works, "{}", &text);
    Ok(())
}

fn opened(overview: Overview) -> Result<(), TestCaseError> {
    let (words, under_way) = (overview.standing_in_words.clone(), overview.under_way.len());
    let mut detail = busy("x");
    detail.scope = overview.row.scope();
    detail.overview = overview;
    let text = screen(&mut app(vec![detail], true), 120, 40);
    prop_assert!(text.lines().nth(2).is_some_and(|line| line == words), "{}: {}", &words, &text);
    let is_under_way = text.contains("\nunder way\n") || text.contains("\ncut off\n");
    prop_assert_eq!(is_under_way, under_way > 0, "{}", &text);
    Ok(())
}
