//! The cache of the OpenAI protocols: two prompts that begin alike.

use super::super::{Provider, Reply};
use super::{CHAT, Client, RESPONSES};
use serde_json::{Value, json};
use std::time::Duration;

#[test]
fn openai_caches_a_common_beginning_from_1024_tokens_in_steps_of_128() {
    // The messages of both begin alike for this many characters, four of which are a token.
    let rows = [(4_095, 0), (4_096, 1_024), (4_607, 1_024), (4_608, 1_152), (8_192, 2_048)];
    for path in [CHAT, RESPONSES] {
        for (common, cached) in rows {
            let provider = Provider::answering(vec![Reply::text("ok")]);
            let mut client = Client::connect(&provider);
            assert_eq!(cached_tokens(&mut client, path, &alike(path, common, 'a')), 0);
            assert_eq!(
                cached_tokens(&mut client, path, &alike(path, common, 'b')),
                cached,
                "{path} {common}"
            );
        }
    }
}

#[test]
fn an_openai_prefix_is_kept_five_minutes_by_model_and_whatever_the_items_are_called() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let mut body = alike(RESPONSES, 4_096, 'a');
    body["input"][0]["id"] = json!("msg_one");
    assert_eq!(cached_tokens(&mut client, RESPONSES, &body), 0);
    body["input"][0]["id"] = json!("msg_two");
    provider.advance(Duration::from_secs(299));
    assert!(cached_tokens(&mut client, RESPONSES, &body) >= 1_024);
    provider.advance(Duration::from_secs(299));
    assert!(cached_tokens(&mut client, RESPONSES, &body) >= 1_024, "a use refreshes it");
    provider.advance(Duration::from_secs(300));
    assert_eq!(cached_tokens(&mut client, RESPONSES, &body), 0);
    body["model"] = json!("another");
    assert_eq!(cached_tokens(&mut client, RESPONSES, &body), 0);
}

#[test]
fn a_newer_model_bills_what_it_writes_and_reads_it_at_the_end_of_an_earlier_prompt_only() {
    for path in [CHAT, RESPONSES] {
        let provider = Provider::answering(vec![Reply::text("ok")]);
        let mut client = Client::connect(&provider);
        let mut ask = |body: &Value| {
            let (usage, details) = used(&mut client, path, body);
            let number = |value: &Value| value.as_u64().unwrap();
            let total = number(usage.get("prompt_tokens").unwrap_or(&usage["input_tokens"]));
            (total, number(&details["cached_tokens"]), number(&details["cache_write_tokens"]))
        };
        let mut body = alike(path, 8_192, 'a');
        body["model"] = json!("gpt-6-sol");
        let (first, ..) = ask(&body);
        assert_eq!(ask(&body), (first, first, 0), "{path}: the same again is read whole");
        let name = if path == CHAT { "messages" } else { "input" };
        body[name].as_array_mut().unwrap().push(json!({"content": "b".repeat(400), "role": "user"}));
        let (second, read, written) = ask(&body);
        assert!(second > first && (read, written) == (first, second - first), "{path} {read} {written}");
        let mut other = alike(path, 8_192, 'b');
        other["model"] = json!("gpt-6-sol");
        assert_eq!(ask(&other), (first, 0, first), "{path}: a common beginning is no breakpoint");
        provider.advance(Duration::from_secs(1_799));
        assert_eq!(ask(&body), (second, second, 0), "{path}");
        provider.advance(Duration::from_secs(1_800));
        assert_eq!(ask(&body), (second, 0, second), "{path}: half an hour after its last use it is gone");
        body[name] = json!([{"content": "short", "role": "user"}]);
        assert!(matches!(ask(&body), (1.., 0, 0)), "{path}: below the minimum nothing is kept");
        let bills = provider.bills();
        assert_eq!((bills[0].written_30m, bills[0].uncached), (first, 0), "{path}");
    }
}

#[test]
fn models_up_to_gpt_5_5_and_those_of_others_count_no_writes() {
    for (model, counts) in [
        ("gpt-5.5", false),
        ("gpt-5-mini", false),
        ("gpt-4o", false),
        ("gpt-oss-20b", false),
        ("deepseek-v4-flash", false),
        ("gpt-5.6", true),
        ("gpt-5.10-mini", true),
        ("gpt-6.1-terra", true),
    ] {
        let provider = Provider::answering(vec![Reply::text("ok")]);
        let mut body = alike(CHAT, 8_192, 'a');
        body["model"] = json!(model);
        let (_, details) = used(&mut Client::connect(&provider), CHAT, &body);
        assert_eq!(details.get("cache_write_tokens").is_some(), counts, "{model}");
    }
}

fn alike(path: &str, common: usize, then: char) -> Value {
    // Before the text stands {"content":" with 12 characters.
    let text = format!("{}{}", "x".repeat(common - 12), then.to_string().repeat(600));
    let message = json!([{"content": text, "role": "user"}]);
    let name = if path == CHAT { "messages" } else { "input" };
    json!({"model": "m", name: message})
}

fn cached_tokens(client: &mut Client, path: &str, body: &Value) -> u64 {
    let (usage, details) = used(client, path, body);
    let total = usage.get("prompt_tokens").unwrap_or(&usage["input_tokens"]);
    assert!(total.as_u64().unwrap() > 1_024, "the total includes what was cached");
    details["cached_tokens"].as_u64().unwrap()
}

/// What a request used, and how the cache dealt with its prompt.
fn used(client: &mut Client, path: &str, body: &Value) -> (Value, Value) {
    let usage = client.post(path, body).json()["usage"].clone();
    let details = if path == CHAT { "prompt_tokens_details" } else { "input_tokens_details" };
    let details = usage[details].clone();
    (usage, details)
}
