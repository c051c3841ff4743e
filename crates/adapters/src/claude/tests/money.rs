//! What an answer costs, by which prices.

use super::{DONE, INIT, kept, request, settings};
use crate::child::Environment;
use crate::claude::{ClaudeAgent, ClaudeSettings, flags};
use redraft_core::price::{Card, Cards, Changes, Cliff, Lifetime, Override, PerMillion, Repriced, Says};
use redraft_core::usage::{Payment, Usage, Usd};
use redraft_engine::ports::Request;
use std::path::Path;

fn changed(changes: Changes) -> Card {
    let model = "claude-sonnet-4-5".to_owned();
    let says = Override { model: model.clone(), says: Says::Changes(changes) };
    Cards::builtin().with_overrides(vec![says]).unwrap().find(&model).unwrap().clone()
}

#[test]
fn what_an_answer_costs_is_said_by_the_card_whatever_the_program_says() {
    let folder = tempfile::tempdir().unwrap();
    let cost = |card: &Card, lines: &[&str]| {
        kept(folder.path(), lines);
        let settings = ClaudeSettings { card: card.clone(), ..settings(folder.path()) };
        ClaudeAgent::new(settings).recovered(folder.path()).unwrap().usage.cost
    };
    let dear = DONE.replace("0.0125", "2.00");
    let untold = dear.replace("\"usage\":", "\"unknown\":");
    let free = Cards::builtin().find("local").unwrap().clone();
    assert_eq!(cost(&free, &[INIT, &dear]), Usd(0));
    assert_eq!(cost(&free, &[INIT, &untold]), Usd(0), "not even where it tells no tokens");
    let cheap = changed(Changes { input: Some(PerMillion(300_000)), ..Changes::default() });
    // 10 at 0.3, 2,000 written at 0.375, 500 read at 0.03, 40 out at 15.
    assert_eq!(cost(&cheap, &[INIT, &dear]), Usd(3 + 750 + 15 + 600));
    assert_eq!(cost(&cheap, &[INIT, &untold]), Usd(2_000_000), "nothing else is known");
    let unknown = Cards::builtin().conservative();
    let listed = Cards::builtin().find("claude-sonnet-4-5").unwrap().clone();
    let usage = Usage { uncached: 10, written: 2_000, read: 500, output: 40, cost: Usd(0) };
    let written = [(Lifetime::FiveMinutes, 2_000)];
    assert_eq!(cost(&unknown, &[INIT, &dear]), unknown.cost_by_lifetime(&usage, &written, 2_510));
    assert!(cost(&unknown, &[INIT, &dear]) > cost(&listed, &[INIT, &dear]));
}

#[test]
fn who_pays_is_told_by_the_source_of_the_key_the_plan_and_the_variables_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let init = |source: &str| INIT.replace("\"cwd\"", &format!("\"apiKeySource\":\"{source}\",\"cwd\""));
    // As 2.1.197 prints them: with a login always, with a key or a token of a gateway never.
    let plan = |overage: bool| {
        format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"allowed","isUsingOverage":{overage}}}}}"#
        )
    };
    let paid = |lines: &[&str], variables: &[(&str, &str)]| {
        kept(folder.path(), lines);
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into()));
        let environment = Environment(variables.collect());
        let settings = ClaudeSettings { environment, ..settings(folder.path()) };
        ClaudeAgent::new(settings).recovered(folder.path()).unwrap().payment
    };
    let none = init("none");
    assert_eq!(paid(&[INIT, DONE], &[]), Payment::Unknown, "an older program does not say it");
    assert_eq!(paid(&[&init("ANTHROPIC_API_KEY"), DONE], &[]), Payment::Key);
    assert_eq!(paid(&[&init("/login managed key"), DONE], &[]), Payment::Key);
    assert_eq!(paid(&[&none, &plan(false), DONE], &[]), Payment::Subscription);
    assert_eq!(paid(&[&none, &plan(true), DONE], &[]), Payment::Key, "beyond the plan it is billed");
    assert_eq!(paid(&[&none, DONE], &[]), Payment::Login);
    assert_eq!(paid(&[&none, DONE], &[("ANTHROPIC_AUTH_TOKEN", "abc")]), Payment::Key);
    assert_eq!(paid(&[&none, DONE], &[("CLAUDE_CODE_USE_BEDROCK", "1")]), Payment::Key);
    assert_eq!(paid(&[&none, DONE], &[("CLAUDE_CODE_USE_BEDROCK", "0")]), Payment::Login);
}

#[test]
fn an_answer_that_tells_no_tokens_and_no_cost_may_have_cost_what_was_reserved() {
    let folder = tempfile::tempdir().unwrap();
    let unknown = |lines: &[&str]| {
        kept(folder.path(), lines);
        let outcome = ClaudeAgent::new(settings(folder.path())).recovered(folder.path()).unwrap();
        (outcome.usage.cost, outcome.unknown)
    };
    let untold = DONE.replace("\"usage\":", "\"unknown\":");
    assert_eq!(unknown(&[INIT, &untold.replace("0.0125", "0")]), (Usd(77_000), Usd(77_000)));
    assert_eq!(unknown(&[INIT, &untold]), (Usd(12_500), Usd(0)), "the program says what it cost");
    assert_eq!(unknown(&[INIT, DONE]).1, Usd(0));
}

#[test]
fn a_cliff_is_passed_by_a_request_and_not_by_the_sum_of_several() {
    let folder = tempfile::tempdir().unwrap();
    let twice = Repriced::Multiply { input_percent: 200, output_percent: 200 };
    let cliffs = Some(vec![Cliff { above_tokens: 2_000, then: twice }]);
    let card = changed(Changes { cliffs, ..Changes::default() });
    let agent = ClaudeAgent::new(ClaudeSettings { card, ..settings(folder.path()) });
    let cost = |lines: &[&str]| {
        kept(folder.path(), lines);
        agent.recovered(folder.path()).unwrap().usage.cost
    };
    let one = |id: &str, tokens: u64| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","usage":{{"input_tokens":{tokens}}}}}}}"#
        )
    };
    assert_eq!(cost(&[INIT, &one("a", 1_255), &one("b", 1_255), DONE]), Usd(8_280));
    assert_eq!(cost(&[INIT, &one("a", 10), &one("b", 2_500), DONE]), Usd(16_560));
    assert_eq!(cost(&[INIT, DONE]), Usd(16_560), "nobody knows how large they were");
}

#[test]
fn the_program_holds_itself_to_a_sum_only_where_list_prices_are_paid() {
    let folder = tempfile::tempdir().unwrap();
    let told = |card: Card| {
        let settings = ClaudeSettings { card, ..settings(folder.path()) };
        let request = Request { max_usd: Some(Usd(1_500_000)), ..request(Lifetime::Hour) };
        let words = flags::all(&settings, &request, Path::new("system.md"), folder.path());
        let at = words.iter().position(|word| word == "--max-budget-usd")?;
        Some(words[at + 1].to_str().unwrap().to_owned())
    };
    let cards = Cards::builtin();
    assert_eq!(told(cards.find("claude-sonnet-4-5").unwrap().clone()).as_deref(), Some("1.500000"));
    assert_eq!(told(cards.conservative()).as_deref(), Some("1.500000"));
    assert_eq!(told(cards.find("local").unwrap().clone()), None);
    assert_eq!(told(changed(Changes { input: Some(PerMillion(1)), ..Changes::default() })), None);
}
