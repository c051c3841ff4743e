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

fn alike(path: &str, common: usize, then: char) -> Value {
    // Before the text stands {"content":" with 12 characters.
    let text = format!("{}{}", "x".repeat(common - 12), then.to_string().repeat(600));
    let message = json!([{"content": text, "role": "user"}]);
    let name = if path == CHAT { "messages" } else { "input" };
    json!({"model": "m", name: message})
}

fn cached_tokens(client: &mut Client, path: &str, body: &Value) -> u64 {
    let usage = &client.post(path, body).json()["usage"];
    let (details, total) = match path {
        CHAT => ("prompt_tokens_details", "prompt_tokens"),
        _ => ("input_tokens_details", "input_tokens"),
    };
    assert!(usage[total].as_u64().unwrap() > 1_024, "the total includes what was cached");
    usage[details]["cached_tokens"].as_u64().unwrap()
}
