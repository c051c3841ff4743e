mod unreached;

use super::*;
use redraft_facts::event::AfterFailure;
use redraft_facts::usage::{Payment, Usd};
use std::io::{Read as _, Write as _};

fn overloaded() -> Reply {
    Reply::error(529, "overloaded_error", "try later")
}

#[test]
fn a_refused_key_asks_a_person_at_once() {
    for reply in [
        Reply::error(401, "authentication_error", "invalid x-api-key"),
        Reply::error(403, "permission_error", "not yours"),
        Reply::ErrorInStream { kind: "permission_error".to_owned(), message: "not yours".to_owned() },
    ] {
        let world = World::answering(vec![reply]);
        let error = world.error();
        assert_eq!((error.now, world.provider.requests().len()), (AfterFailure::AskPerson, 1), "{error}");
        assert!(world.waits().is_empty() && !error.interrupted);
    }
}

#[test]
fn a_wrong_request_gives_up_with_the_vendors_words() {
    let world = World::answering(vec![Reply::error(400, "invalid_request_error", "max_tokens: too many")]);
    let error = world.error();
    assert_eq!(error.now, AfterFailure::GiveUp);
    assert_eq!(error.detail, "sonnet: status 400: max_tokens: too many");
}

#[test]
fn retry_after_is_honoured() {
    let limited = Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after", "7");
    let world = World::answering(vec![limited, Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let waits = world.waits();
    assert!(matches!(waits.as_slice(), [ms] if (7_000..8_000).contains(ms)), "{waits:?}");
    let bodies = world.bodies();
    assert_eq!(bodies[0], bodies[1]);
}

#[test]
fn a_retry_after_that_is_a_date_is_honoured_by_the_clock_of_the_dispatch() {
    let date = "Wed, 21 Oct 2026 07:28:00 GMT";
    for (now_ms, least) in [(1_792_567_680_000 - 7_000, 7_000), (1_792_567_680_000 + 7_000, 0)] {
        let limited = Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after", date);
        let world = World::answering(vec![limited, Reply::Json(verdict())]);
        world.watch.now_ms.store(now_ms, Ordering::SeqCst);
        world.run(&world.anthropic(), &world.fresh()).unwrap();
        let waits = world.waits();
        assert!(matches!(waits.as_slice(), [ms] if (least..least + 1_000).contains(ms)), "{waits:?}");
    }
}

#[test]
fn a_retry_after_beyond_the_deadline_is_left_to_the_engine() {
    let limited = Reply::error(429, "rate_limit_error", "slow down").with_header("retry-after", "3600");
    let world = World::answering(vec![limited]);
    let error = world.error();
    assert!(matches!(error.now, AfterFailure::Wait(ms) if ms >= 3_600_000), "{error:?}");
    assert!(world.waits().is_empty());
}

#[test]
fn a_storm_of_overload_ends_after_four_tries_with_a_longer_wait() {
    let world = World::answering(vec![overloaded()]);
    let error = world.error();
    assert!(matches!(error.now, AfterFailure::Wait(ms) if ms >= 60_000), "{error:?}");
    assert!(error.detail.contains("status 529: try later (after 4 tries)"), "{error}");
    assert_eq!(world.provider.requests().len(), 4);
    let waits = world.waits();
    assert!(waits.len() == 3 && waits.is_sorted(), "{waits:?}");
}

#[test]
fn what_passes_by_itself_is_tried_again() {
    for reply in [
        overloaded(),
        Reply::error(500, "api_error", "sorry"),
        Reply::Json(verdict()).cut_after(4),
        Reply::Close,
        Reply::ErrorInStream { kind: "overloaded_error".to_owned(), message: "try later".to_owned() },
    ] {
        let world = World::answering(vec![reply.clone(), Reply::Json(verdict())]);
        let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&outcome.text).unwrap(), verdict(), "{reply:?}");
        assert_eq!((world.waits().len(), world.provider.requests().len()), (1, 2), "{reply:?}");
    }
}

#[test]
fn nonsense_is_not_taken_for_an_answer() {
    for bytes in [&b"<html>hello</html>"[..], b"data: {nonsense\n\n", b"data: \xff\xfe\n\n", b""] {
        let world = World::answering(vec![Reply::Garbage(bytes.to_vec())]);
        let error = world.error();
        assert_eq!((error.now, world.provider.requests().len()), (AfterFailure::GiveUp, 1), "{error}");
    }
}

#[test]
fn what_no_bill_says_is_told_apart_from_what_was_billed() {
    let world = World::answering(vec![Reply::Close, Reply::Json(verdict())]);
    let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
    let world = World::answering(vec![Reply::Json(verdict())]);
    let once = world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!((once.unknown, once.payment), (Usd(0), Payment::Key));
    assert_eq!(outcome.usage.cost, outcome.unknown + once.usage.cost, "the first may have been billed");
    assert!(outcome.unknown > Usd(0));
}

#[test]
fn a_redirect_is_not_followed() {
    let away = Reply::Status {
        code: 307,
        headers: vec![("location".to_owned(), "/v1/models".to_owned())],
        body: String::new(),
    };
    let world = World::answering(vec![away]);
    assert_eq!(world.error().now, AfterFailure::GiveUp);
    assert_eq!(world.provider.requests().len(), 1);
}

#[test]
fn an_answer_of_100_megabytes_is_refused() {
    let world = World::answering(vec![Reply::Huge { bytes: 100 * 1024 * 1024 }]);
    let error = world.error();
    assert_eq!(error.now, AfterFailure::GiveUp);
    assert!(error.detail.contains("larger than 33554432 bytes"), "{error}");
    let asked = world.watch.afforded.lock().unwrap().clone();
    let million = world.anthropic_settings().card.dearest(0, 1_000_000, Lifetime::FiveMinutes);
    assert!(error.usage.is_none() && asked.last() > Some(&million), "{:?} {asked:?}", error.usage);
}

/// No time that a test could ever need.
const AGES_MS: u64 = 1_000_000_000;

#[test]
fn silence_ends_at_the_deadline_it_breaks() {
    let begun = || Reply::text("a long answer ".repeat(50)).stalled_after(600);
    for (reply, deadlines, said) in [
        (Reply::Stall, (30_000, AGES_MS, AGES_MS), "no first byte within 30 s"),
        (begun(), (AGES_MS, 60_000, AGES_MS), "nothing more within 1 min"),
        (begun(), (AGES_MS, AGES_MS, 90_000), "not finished within 1 min 30 s"),
        (Reply::Stall, (AGES_MS, AGES_MS, 90_000), "not finished within 1 min 30 s"),
    ] {
        let world = World::answering(vec![reply]);
        world.watch.step_ms.store(10_000, Ordering::SeqCst);
        let (first_byte_ms, idle_ms, total_ms) = deadlines;
        let deadlines = Deadlines { connect_ms: first_byte_ms, first_byte_ms, idle_ms, total_ms };
        let error = world.run(&world.anthropic(), &Request { deadlines, ..world.fresh() }).unwrap_err();
        assert_eq!(error.now, AfterFailure::GiveUp);
        assert!(error.detail.ends_with(said), "{error}");
    }
}

#[test]
fn a_stop_is_obeyed_while_nothing_arrives() {
    for reply in [Reply::Stall, Reply::text("words ".repeat(500)).stalled_after(700)] {
        let world = World::answering(vec![reply]);
        world.watch.stop_after.store(6, Ordering::SeqCst);
        let error = world.error();
        assert!(error.interrupted, "{error}");
    }
}

#[test]
fn no_request_is_sent_that_could_cost_more_than_there_is() {
    // Not even the first fits.
    let world = World::answering(vec![Reply::text("answer")]);
    world.watch.budget.store(1, Ordering::SeqCst);
    let error = world.error();
    let AfterFailure::OverBudget(needed) = error.now else { panic!("{error:?}") };
    assert_eq!((world.provider.requests().len(), error.usage), (0, AgentError::UNBILLED));
    assert!(error.detail.contains(&format!("could have cost {needed}")), "{error}");
    // With that much the first is sent, and the answer is paid for.
    world.watch.budget.store(needed.0, Ordering::SeqCst);
    let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert!(outcome.usage.cost <= needed, "{} of {needed}", outcome.usage.cost);
    assert!(world.anthropic().highest_cost(&world.fresh()) >= needed, "reserved from the start");
    // Tools are called over and over: as often as there is money, and each request was asked for before it was sent.
    let world = World::answering(vec![read_spec()]);
    let budget = Usd(needed.0 + 10_000);
    world.watch.budget.store(budget.0, Ordering::SeqCst);
    let settings = world.anthropic_settings();
    let bounds = Bounds { turns: 100, ..settings.bounds };
    let agent = ApiAgent::anthropic(AnthropicSettings { bounds, ..settings }).unwrap();
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    let AfterFailure::OverBudget(more) = error.now else { panic!("{error:?}") };
    let (sent, spent) = (world.provider.requests().len(), error.usage.unwrap().cost);
    assert!(sent > 1 && spent <= budget && more > budget, "{sent} {spent} {more}");
    assert_eq!(world.watch.afforded.lock().unwrap().last(), Some(&more));
    assert!(more < spent + needed + needed, "{more} is what was spent and one more request");
}

#[test]
fn what_it_does_is_told_while_it_does_it() {
    let world = World::answering(vec![read_spec(), Reply::text("words ".repeat(2_000))]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let told = world.watch.told.lock().unwrap().clone();
    assert_eq!(told[..3], ["writes", "Read docs/spec.md", "writes"]);
    assert!(told.len() > 4 && told[3..].iter().all(|told| told.ends_with("characters so far")), "{told:?}");
    assert!(told.len() < 8, "not with every piece: {told:?}");
}

#[test]
fn an_answer_that_does_not_end_is_cut_off_while_it_is_streamed() {
    let world = World::answering(vec![Reply::Huge { bytes: 8 * 1024 * 1024 }]);
    world.watch.budget.store(500_000, Ordering::SeqCst);
    let error = world.error();
    assert!(matches!(error.now, AfterFailure::OverBudget(_)) && error.detail.contains("cut off"), "{error}");
    let cost = error.usage.unwrap().cost;
    assert!(cost > Usd(400_000) && cost <= Usd(500_000), "{cost}");
}

#[test]
fn a_request_that_broke_off_counts_before_the_next_one_is_sent() {
    let world = World::answering(vec![Reply::text("words ".repeat(500)).cut_after(3), Reply::text("answer")]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    let asked = world.watch.afforded.lock().unwrap().clone();
    let [first, second] = asked.as_slice() else { panic!("{asked:?}") };
    assert!(second > first, "{asked:?}");
}

#[test]
fn an_answer_that_is_no_answer_gives_up() {
    let approval = json!({"approved": true, "issues": []}).to_string();
    let reviewer = Vec::new;
    let author = || vec!["docs/spec.md".to_owned()];
    for (reply, may_write, said) in [
        (Reply::Truncated("half".to_owned()), author(), "cut at 4,000 tokens"),
        (Reply::Truncated(format!("{approval} But wait")), reviewer(), "cut at 4,000 tokens"),
        (Reply::Truncated(" \n".to_owned()), reviewer(), "cut at 4,000 tokens"),
        (Reply::text(""), reviewer(), "an empty answer"),
    ] {
        let world = World::answering(vec![reply]);
        let error = world.run(&world.anthropic(), &Request { may_write, ..world.fresh() }).unwrap_err();
        assert_eq!(error.now, AfterFailure::GiveUp);
        assert!(error.detail.contains(said), "{error}");
    }
}

#[test]
fn a_reviewers_answer_that_was_cut_is_kept_and_can_be_mended_in_the_same_conversation() {
    let half = r#"{"approved": false, "summary": "a long sto"#;
    for agent in [World::anthropic, |world: &World| world.openai(OpenAiWire::Chat, AnswerForm::JsonSchema)] {
        let world = World::answering(vec![Reply::Truncated(half.to_owned()), Reply::Json(verdict())]);
        let outcome = world.run(&agent(&world), &world.fresh()).unwrap();
        assert_eq!(outcome.text, half);
        let [note] = outcome.notes.as_slice() else { panic!("{:?}", outcome.notes) };
        assert!(note.contains("cut at 4,000 tokens"), "{note}");
        let mended = world.run(&agent(&world), &world.resumed()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&mended.text).unwrap(), verdict());
        let again = &world.bodies()[1];
        assert!(again.contains("a long sto"), "{again}");
    }
}

#[test]
fn a_conversation_that_outgrew_the_model_is_begun_anew() {
    let too_long =
        Reply::error(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum");
    let world = World::answering(vec![Reply::Json(verdict()), too_long.clone()]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!(world.run(&world.anthropic(), &world.resumed()).unwrap_err().now, AfterFailure::FreshSession);
    assert_eq!(World::answering(vec![too_long]).error().now, AfterFailure::GiveUp);
}

#[test]
fn what_was_refused_or_never_sent_costs_nothing() {
    let refused = |status, kind: &str| Reply::error(status, kind, "no");
    for reply in [
        refused(401, "authentication_error"),
        refused(403, "permission_error"),
        refused(400, "invalid_request_error"),
        refused(429, "rate_limit_error"),
        refused(503, "api_error"),
        overloaded(),
    ] {
        let world = World::answering(vec![reply.clone()]);
        assert_eq!(world.error().usage, AgentError::UNBILLED, "{reply:?}");
        let chat = world.openai(OpenAiWire::Chat, AnswerForm::JsonSchema);
        assert_eq!(world.run(&chat, &world.fresh()).unwrap_err().usage, AgentError::UNBILLED, "{reply:?}");
    }
    let world = World::answering(vec![Reply::Json(verdict())]);
    let unknown = world.run(&world.anthropic(), &world.resumed()).unwrap_err();
    assert_eq!((unknown.now, unknown.usage), (AfterFailure::FreshSession, AgentError::UNBILLED));
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base_url = format!("http://127.0.0.1:{port}");
    let agent = ApiAgent::anthropic(AnthropicSettings { base_url, ..world.anthropic_settings() }).unwrap();
    assert_eq!(world.run(&agent, &world.fresh()).unwrap_err().usage, AgentError::UNBILLED);
    assert!(world.provider.requests().is_empty());
}

#[test]
fn what_may_have_been_billed_is_not_said_to_be_free() {
    for reply in [
        Reply::Close,
        Reply::Garbage(b"<html>hello</html>".to_vec()),
        Reply::error(502, "", "bad gateway"),
        Reply::error(504, "", "gateway timeout"),
        Reply::Stall,
    ] {
        let world = World::answering(vec![reply.clone()]);
        world.watch.step_ms.store(10_000, Ordering::SeqCst);
        let error = world.error();
        assert_eq!(error.usage, None, "{reply:?}: {error}");
    }
    // One that succeeded later bills both, the first as dear as it can have been: what was granted for it.
    let world = World::answering(vec![Reply::Close, Reply::Json(verdict())]);
    let twice = world.run(&world.anthropic(), &world.fresh()).unwrap();
    let granted = world.watch.afforded.lock().unwrap()[0];
    let world = World::answering(vec![Reply::Json(verdict())]);
    let once = world.run(&world.anthropic(), &world.fresh()).unwrap().usage;
    assert_eq!((twice.unknown, twice.usage.cost), (granted, once.cost + granted));
    assert_eq!(twice.usage.input(), once.input(), "no tokens are made up");
}

#[test]
fn an_answer_whose_service_tells_no_usage_costs_the_most_it_can_have() {
    let chunk = |delta: &str, finish: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n")
    };
    let untold =
        [chunk("{\"content\":\"{}\"}", "null"), chunk("{}", "\"stop\""), "data: [DONE]\n\n".to_owned()];
    let world = World::answering(vec![Reply::Garbage(untold.concat().into_bytes()), Reply::text("{}")]);
    let agent = world.openai(OpenAiWire::Chat, AnswerForm::None);
    let untold = world.run(&agent, &world.fresh()).unwrap();
    assert!(
        untold.notes.iter().any(|note| note.contains("did not report all that it used")),
        "{:?}",
        untold.notes
    );
    let told = world.run(&agent, &world.fresh()).unwrap();
    assert_eq!(told.notes.len(), 0, "{:?}", told.notes);
    assert!(untold.usage.cost >= told.usage.cost && untold.usage.cost.0 > 0, "{untold:?} {told:?}");
    assert_eq!((untold.unknown, told.unknown), (untold.usage.cost, Usd(0)), "it is no bill");
}
