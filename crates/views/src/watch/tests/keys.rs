//! What keys do: nothing is done by one of them alone.

use super::super::app::{App, Pane, Wish};
use super::{NOW_MS, app, asked, busy, many, screen, standing};
use crate::watch::snapshot::Snapshot;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use redraft_facts::event::AuthorQuestion;
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_reports::question::AnswerChoice;
use redraft_reports::standing::Standing;

/// Presses keys a second apart: letters, and words in angle brackets.
fn press(app: &mut App, keys: &[&str]) -> Wish {
    let mut wish = Wish::Nothing;
    for (at, key) in keys.iter().enumerate() {
        let code = match *key {
            "enter" => KeyCode::Enter,
            "esc" => KeyCode::Esc,
            "up" => KeyCode::Up,
            "down" => KeyCode::Down,
            "tab" => KeyCode::Tab,
            "page" => KeyCode::PageDown,
            letter => KeyCode::Char(letter.chars().next().unwrap()),
        };
        app.drawn(NOW_MS + at as i64 * 1_000 - 500);
        wish = app.key(code.into(), NOW_MS + at as i64 * 1_000);
    }
    wish
}

fn typed(app: &mut App, text: &str) {
    for letter in text.chars() {
        app.key(KeyCode::Char(letter).into(), NOW_MS);
    }
}

fn words(wish: Wish) -> Vec<String> {
    match wish {
        Wish::Run(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_run_asks_on_its_own_terminal_is_answered_there() {
    let mut detail = busy("x");
    detail.overview.row = standing(detail.overview.row, Standing::AskedThere);
    detail.overview.row.next = "redraft watch 031".to_owned();
    let mut app = app(vec![detail], true);
    press(&mut app, &["d"]);
    let text = screen(&mut app, 100, 24);
    assert!(app.dialog.is_none() && text.contains("started on: answer there"), "{text}");
    assert!(!text.contains("redraft watch"), "nobody is sent where they are: {text}");
}

#[test]
fn a_decision_needs_a_choice_a_reason_and_a_confirmation() {
    let mut app = app(vec![asked()], true);
    // Enter takes the default, which leaves the question open.
    assert_eq!(press(&mut app, &["d", "enter"]), Wish::Nothing);
    assert!(app.dialog.is_none());
    press(&mut app, &["d", "up", "up", "enter"]);
    typed(&mut app, "good enough");
    assert_eq!(press(&mut app, &["enter"]), Wish::Nothing);
    assert!(screen(&mut app, 80, 24).contains("Decide 031 accept"), "{}", screen(&mut app, 80, 24));
    app.drawn(NOW_MS + 5_000);
    let run = words(app.key(KeyCode::Char('y').into(), NOW_MS + 6_000));
    assert_eq!(run, ["decide", "031", "accept", "--why=good enough", "--seen=7"]);
    assert!(screen(&mut app, 80, 24).contains("at work: redraft decide 031 accept"));
    press(&mut app, &["d"]);
    assert!(app.dialog.is_none(), "one thing at a time");
    app.said(true, "feature 031: decided accept");
    assert!(screen(&mut app, 80, 24).contains("decided accept"));
}

#[test]
fn a_confirmation_counts_only_some_time_after_it_was_drawn() {
    let mut app = app(vec![asked()], true);
    press(&mut app, &["d", "up", "enter", "enter"]);
    let yes = |app: &mut App, at_ms: i64| app.key(KeyCode::Char('y').into(), NOW_MS + at_ms);
    assert_eq!(
        yes(&mut app, 60_000),
        Wish::Nothing,
        "nobody has seen what is asked, however slow the drawing is"
    );
    app.drawn(NOW_MS + 70_000);
    // What was read before it was drawn, or follows at once, may have been pasted; so may many of them.
    for at_ms in [69_000, 70_100, 70_300, 70_500] {
        assert_eq!(yes(&mut app, at_ms), Wish::Nothing, "{at_ms}");
    }
    app.drawn(NOW_MS + 70_500);
    assert!(app.dialog.is_some());
    assert!(matches!(yes(&mut app, 70_750), Wish::Run(_)));
}

#[test]
fn anything_but_a_yes_is_a_no() {
    for last in ["n", "enter", "esc", "x"] {
        let mut app = app(vec![asked()], true);
        assert_eq!(press(&mut app, &["d", "up", "enter", "enter", last]), Wish::Nothing, "{last}");
        assert!(app.dialog.is_none() && app.busy.is_none());
    }
}

#[test]
fn an_authors_questions_are_answered_one_by_one() {
    let mut detail = asked();
    let asked = detail.question.as_mut().unwrap();
    let question = |text: &str| AuthorQuestion { question: text.into(), assumed: "SQLite".into() };
    asked.questions = vec![question("Which database?"), question("Which port?")];
    asked.form.choices.insert(
        0,
        AnswerChoice { word: "answer".into(), consequence: "answer its questions".into(), default: false },
    );
    let mut app = app(vec![detail], true);
    press(&mut app, &["d", "up", "up", "up", "enter"]);
    assert!(screen(&mut app, 80, 24).contains("Which database? (it would assume: SQLite)"));
    typed(&mut app, "-- Postgres");
    press(&mut app, &["enter"]);
    // A pasted line break ends nothing.
    app.paste("90\n90\ny");
    assert!(screen(&mut app, 80, 24).contains("> 90 90 y_"), "{}", screen(&mut app, 80, 24));
    press(&mut app, &["enter"]);
    app.drawn(NOW_MS);
    let run = words(app.key(KeyCode::Char('y').into(), NOW_MS + 9_000));
    assert_eq!(run, ["decide", "031", "answer", "--answer=-- Postgres", "--answer=90 90 y", "--seen=7"]);
}

#[test]
fn a_question_that_is_gone_cannot_be_answered() {
    let mut app = app(vec![asked()], true);
    press(&mut app, &["d", "up", "enter"]);
    let mut next = asked();
    next.question.as_mut().unwrap().number = (1, 2);
    let rows = vec![next.overview.row.clone()];
    app.show(Snapshot { rows, detail: Some(next), ..Snapshot::default() });
    assert!(app.dialog.is_none());
    assert!(screen(&mut app, 80, 24).contains("the feature has moved on"));
}

#[test]
fn a_run_is_stopped_and_a_comment_made_only_after_a_yes() {
    let mut app = app(vec![busy("x")], true);
    assert_eq!(press(&mut app, &["s", "n"]), Wish::Nothing);
    let stopped = words(press(&mut app, &["s", "y"]));
    assert_eq!(stopped, ["stop", "031"]);
    app.said(true, "stopped");
    press(&mut app, &["x", "c"]);
    typed(&mut app, "use Postgres, not files");
    let said = words(press(&mut app, &["enter", "y"]));
    assert_eq!(said, ["comment", "--seen=1", "--", "031", "use Postgres, not files"]);
    let mut idle = super::app(vec![asked()], true);
    press(&mut idle, &["s"]);
    assert!(idle.dialog.is_none() && screen(&mut idle, 80, 24).contains("there is nothing to stop"));
}

#[test]
fn one_moves_between_features_and_panes_by_keys_alone() {
    let mut app = app(many(), false);
    assert!(screen(&mut app, 80, 24).contains("> 003"));
    press(&mut app, &["down", "down"]);
    assert!(screen(&mut app, 80, 24).contains("> 001"));
    press(&mut app, &["enter", "tab", "tab"]);
    assert_eq!((&app.opened, app.pane), (&Some(Scope::Feature(FeatureId(1))), Pane::Diff));
    assert!(app.wanted().diff);
    press(&mut app, &["]"]);
    assert_eq!(app.opened, Some(Scope::Feature(FeatureId(4))));
    press(&mut app, &["4", "esc"]);
    assert_eq!((&app.opened, app.pane), (&None, Pane::Log));
    // The chosen one stays chosen where the list changes, and a feature that is gone is left.
    press(&mut app, &["enter"]);
    app.show(Snapshot { rows: app.snapshot.rows.iter().take(2).cloned().collect(), ..Snapshot::default() });
    assert_eq!(app.opened, None);
    assert!(screen(&mut app, 80, 24).contains("004 is no longer here"));
    assert_eq!(press(&mut app, &["q"]), Wish::Quit);
    let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    press(&mut app, &["?"]);
    assert_eq!(app.key(control_c, NOW_MS), Wish::Quit, "also from a dialog");
}

#[test]
fn a_pane_scrolls_to_what_is_searched_for() {
    let mut detail = busy("x");
    detail.overview.findings = (0..50).map(|at| super::finding(at, &format!("text {at} ends"))).collect();
    let mut app = app(vec![detail], true);
    press(&mut app, &["2"]);
    screen(&mut app, 80, 24);
    press(&mut app, &["/"]);
    typed(&mut app, "TEXT 7 ends");
    press(&mut app, &["enter"]);
    let first = |app: &mut App| screen(app, 80, 24).lines().nth(2).unwrap_or_default().to_owned();
    assert!(first(&mut app).contains("text 7 ends"), "{}", screen(&mut app, 80, 24));
    press(&mut app, &["page"]);
    assert!(!first(&mut app).contains("text 7 ends"));
    press(&mut app, &["/"]);
    typed(&mut app, "nowhere");
    press(&mut app, &["enter"]);
    screen(&mut app, 80, 24);
    assert!(screen(&mut app, 80, 24).contains("`nowhere` is not here"));
}
