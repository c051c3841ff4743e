//! What requests cost that brought no whole answer, or whose service reported nonsense.

use super::*;
use redraft_testkit::provider::Charge;

#[test]
fn a_stream_that_is_cut_costs_what_was_told_and_apart_from_that_the_longest_answer_there_can_be() {
    let once = World::answering(vec![Reply::Json(verdict())]);
    let AnthropicSettings { card, bounds, .. } = once.anthropic_settings();
    let once = once.run(&once.anthropic(), &once.fresh()).unwrap().usage;
    let longest = card.dearest(0, bounds.answer_tokens, Lifetime::FiveMinutes);
    for events in [1, 3, 4] {
        let cut = Reply::Json(verdict()).cut_after(events);
        let world = World::answering(vec![cut.clone(), Reply::Json(verdict())]);
        let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
        let told = outcome.usage.cost - outcome.unknown;
        assert_eq!(outcome.usage.input(), once.input() * 2, "cut after {events}: what was read was told");
        assert!(told > once.cost && told < once.cost + once.cost, "{told} {once:?}");
        assert!(outcome.unknown > Usd(0) && outcome.unknown <= longest, "{}", outcome.unknown);
        assert!(told + outcome.unknown >= once.cost + longest, "cut after {events}: {}", outcome.unknown);
        // Without an answer in the end, all that was granted counts.
        let world = World::answering(vec![cut.clone()]);
        assert_eq!(world.error().usage, None, "cut after {events}");
        // This protocol counts only at its end, so of a stream that is cut before that nothing is known.
        let world = World::answering(vec![cut, Reply::Json(verdict())]);
        let chat = world.openai(OpenAiWire::Chat, AnswerForm::JsonSchema);
        let outcome = world.run(&chat, &world.fresh()).unwrap();
        let asked = world.watch.afforded.lock().unwrap().clone();
        let unknown = if events < 4 { asked[0] } else { Usd(0) };
        assert_eq!((outcome.unknown, asked.len()), (unknown, 2), "cut after {events}: {asked:?}");
    }
}

#[test]
fn a_200_whose_body_is_no_stream_shows_the_servers_words() {
    let overloaded = r#"{"error":{"code":"overloaded_error","message":"all lines are busy"}}"#;
    for (body, tries, words) in [
        (
            r#"{"type":"error","error":{"type":"permission_error","message":"not for you"}}"#,
            1,
            "permission_error: not for you",
        ),
        (r#"{"error":{"message":"the model is asleep"}}"#, 4, "the model is asleep (after 4 tries)"),
        (r#"{"error":"no such model"}"#, 4, "no such model (after 4 tries)"),
        (overloaded, 4, "overloaded_error: all lines are busy (after 4 tries)"),
        (
            "<html>please log in</html>",
            1,
            "the answer is not a stream of events: `<html>please log in</html>`",
        ),
        ("", 1, "the answer is not a stream of events: it is empty"),
    ] {
        for wire in [None, Some(OpenAiWire::Chat), Some(OpenAiWire::Responses { reasoning: false })] {
            let world = World::answering(vec![Reply::Garbage(body.as_bytes().to_vec())]);
            let agent = match wire {
                None => world.anthropic(),
                Some(wire) => world.openai(wire, AnswerForm::JsonSchema),
            };
            let error = world.run(&agent, &world.fresh()).unwrap_err();
            assert!(error.detail.ends_with(words), "{wire:?}: {error}");
            assert_eq!(world.provider.requests().len(), tries, "{wire:?}: {error}");
            // A service that reports an error has done nothing for it; what a page of HTML cost is unknown.
            assert_eq!(error.usage.is_some(), body.starts_with('{'), "{wire:?}: {error}");
        }
    }
}

#[test]
fn what_an_error_reports_to_have_used_is_counted() {
    let used = r#""usage":{"prompt_tokens":1000,"completion_tokens":10}"#;
    let chat =
        format!("data: {{\"error\":{{\"code\":\"invalid_request_error\",\"message\":\"m\"}},{used}}}\n\n");
    let failed = r#""error":{"code":"invalid_request_error","message":"m"},"usage":{"input_tokens":1000,"output_tokens":10}"#;
    let responses = format!("data: {{\"type\":\"response.failed\",\"response\":{{{failed}}}}}\n\n");
    for (wire, body) in [(OpenAiWire::Chat, chat), (OpenAiWire::Responses { reasoning: false }, responses)] {
        let world = World::answering(vec![Reply::Garbage(body.into_bytes())]);
        let error = world.run(&world.openai(wire, AnswerForm::JsonSchema), &world.fresh()).unwrap_err();
        let usage = error.usage.unwrap();
        assert_eq!((usage.input(), usage.output), (1_000, 10), "{wire:?}: {error}");
    }
}

#[test]
fn absurd_counts_neither_wrap_nor_end_in_a_panic_and_count_as_untold() {
    let all = u64::MAX;
    for bill in [
        Charge { uncached: all, written_5m: 0, written_1h: 0, written_30m: 0, read: 0 },
        Charge { uncached: 0, written_5m: 0, written_1h: 0, written_30m: 0, read: all },
    ] {
        let world = World::answering(vec![Reply::Json(verdict()).billed(bill, all)]);
        let outcome = world.run(&world.anthropic(), &world.fresh()).unwrap();
        let most = world.watch.afforded.lock().unwrap()[0];
        assert!(outcome.unknown > Usd(0) && outcome.usage.cost <= most, "{outcome:?} {most}");
    }
}
