//! What a dispatch costs where Codex reports it in part, twice, or not at all.

use super::super::remark::is_refused;
use super::super::spending::Spending;
use super::*;

const COMMAND: &str = r#"{"type":"item.started","item":{"id":"w","type":"web_search","query":"q"}}"#;

fn line(input: u64, output: u64, total: u64) -> String {
    format!(
        "{{\"type\":\"token_usage_record\",\"payload\":{{\"usage\":{{\"input_tokens\":{input},\"output_tokens\":{output}}},\
         \"thread_token_usage\":{{\"input_tokens\":{total},\"output_tokens\":{output}}}}}}}\n"
    )
}

/// An agent with Codex's notes of the thread.
fn with_notes(folder: &Path, notes: &str) -> CodexAgent {
    let day = folder.join("home/sessions/2026/11/17");
    std::fs::create_dir_all(&day).unwrap();
    std::fs::write(day.join("rollout-2026-11-17T07-28-37-th-1.jsonl"), notes).unwrap();
    let environment = Environment([("CODEX_HOME".into(), folder.join("home").into())].into());
    let agent = agent(folder);
    CodexAgent::new(CodexSettings {
        environment,
        card: Cards::builtin().find("gpt-6-sol").unwrap().clone(),
        ..agent.settings
    })
}

#[test]
fn counts_that_cannot_be_are_untold_and_two_ends_of_a_turn_never_count_less() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let bill = |ends: &[&str]| {
        let lines: Vec<&str> = [BEGUN, LAST].into_iter().chain(ends.iter().copied()).collect();
        kept(folder.path(), 1, false, &lines);
        let outcome = agent.recovered(folder.path()).unwrap();
        (outcome.usage.input(), outcome.usage.output, outcome.unknown > Usd(0))
    };
    assert_eq!(bill(&[&done(u64::MAX, 0, u64::MAX)]), (0, 0, true));
    assert_eq!(bill(&[&done(20_000, 0, 0)]), (20_000, 0, true), "its words are there");
    assert_eq!(bill(&[&done(20_000, 0, 900).replace("900", "900.0")]), (20_000, 900, false));
    assert_eq!(bill(&[&done(200_000, 0, 900), &done(100, 0, 10)]), (200_000, 900, false));
}

#[test]
fn what_a_status_or_a_word_means_for_the_bill() {
    for (message, is) in [
        ("unexpected status 503 Service Unavailable: busy", true),
        ("exceeded retry limit, last status: 429 Too Many Requests", true),
        ("unexpected status 524 : error code: 524", false),
        ("You have hit your usage limit", true),
        ("stream disconnected before completion: Rate limit reached", false),
        ("Reconnecting... 1/5 (stream disconnected before completion: The model is overloaded)", false),
    ] {
        assert_eq!(is_refused(message), is, "{message}");
    }
}

#[test]
fn an_adopted_answer_counts_what_broke_off_and_what_was_searched() {
    let folder = tempfile::tempdir().unwrap();
    let agent = with_notes(folder.path(), &line(20_000, 500, 20_000));
    let bill = |between: &[&str]| {
        let end = done(20_000, 0, 500);
        let lines: Vec<&str> = [BEGUN].iter().chain(between).chain(&[LAST, &end]).copied().collect();
        kept(folder.path(), 1, false, &lines);
        let outcome = agent.recovered(folder.path()).unwrap();
        (outcome.usage.cost, outcome.unknown)
    };
    let (plain, nothing) = bill(&[]);
    assert_eq!(nothing, Usd(0));
    assert_eq!(bill(&[COMMAND, COMMAND]), (plain + Usd(20_000), Usd(0)), "begun is searched");
    let (cost, unknown) = bill(&[AGAIN]);
    assert_eq!((cost, unknown > plain), (plain + unknown, true));
}

#[test]
fn an_answer_in_another_thread_costs_its_searches_and_what_broke_off_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |counted: Counted| {
        kept(folder.path(), 2, true, &[]);
        let asked = DispatchRecord::read(folder.path()).unwrap();
        let mut heard = Heard::default();
        for line in [&BEGUN.replace("th-1", "th-2"), LAST, &done(1_000, 0, 10)] {
            heard.take(StreamLine::Whole(line.as_bytes().to_vec()));
        }
        let error = agent(folder.path()).answer(&heard, &asked, SCHEMA, 0, counted).unwrap_err();
        error.usage.unwrap().cost
    };
    let plain = cost(Counted::default());
    let more = Counted { searches: Usd(80_000), broken: Usd(200_000), ..Counted::default() };
    assert_eq!(cost(more), plain + Usd(280_000));
}

#[test]
fn a_request_above_a_cliff_keeps_its_price_after_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let notes = format!("{}{}", line(300_000, 500, 300_000), line(20_000, 500, 320_000));
    let agent = with_notes(folder.path(), &notes);
    let card = agent.settings.card.clone();
    let mut spending = Spending::new(&card, Totals::default(), 0);
    spending.read(Rollout::find(&agent.settings.environment, "th-1"));
    let usage = Usage { uncached: 320_000, output: 500, ..Usage::default() };
    assert!(card.cost(&usage, 300_500) > card.cost(&usage, 20_500), "the card has a cliff");
    assert_eq!(spending.counted().unwrap().cost, card.cost(&usage, 300_500));
}

#[test]
fn a_program_that_nobody_watched_has_come_to_what_its_notes_say_and_a_request_more() {
    let folder = tempfile::tempdir().unwrap();
    let agent = with_notes(folder.path(), &line(30_000, 8_000, 900_000));
    let ticket = "031/specify.1/review/spec-reviewer/1.1";
    let out = folder.path().join("runs").join(ticket);
    std::fs::create_dir_all(&out).unwrap();
    kept(&out, 1, false, &[BEGUN, FIRST]);
    assert_eq!(agent.unwatched(&ticket.parse().unwrap()), None, "it was not abandoned");
    std::fs::write(out.join("worker.lock"), "").unwrap();
    let usage = Usage { uncached: 900_000, output: 8_000, ..Usage::default() };
    let known = agent.settings.card.cost(&usage, 38_000);
    assert!(agent.unwatched(&ticket.parse().unwrap()).unwrap() > known);
}
