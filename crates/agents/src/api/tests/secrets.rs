use super::super::settings::checked_url;
use super::*;
use std::path::Path;

/// Everything in a folder, as one text.
fn everything(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            all.push_str(&everything(&entry.path()));
        } else {
            all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap()));
        }
    }
    all
}

#[test]
fn a_secret_of_a_prompt_or_a_file_is_neither_sent_nor_stored() {
    let world =
        World::answering(vec![read_spec(), Reply::text(format!("the key is {CANARY}")), Reply::text("ok")]);
    fs::write(world.folder.path().join("work/docs/spec.md"), format!("key = {CANARY}\n")).unwrap();
    let mut request = world.fresh();
    for list in [&mut request.prompt.constant, &mut request.prompt.role, &mut request.prompt.turn] {
        list.push(Fragment::new("leak", format!("use {CANARY} for it")));
    }
    for agent in [world.anthropic(), world.openai(OpenAiWire::Chat, AnswerForm::None)] {
        let outcome = world.run(&agent, &request).unwrap();
        assert!(!format!("{outcome:?}").contains(CANARY), "{outcome:?}");
    }
    for body in world.bodies() {
        assert!(!body.contains(CANARY) && body.contains("[redacted:"), "{body}");
    }
    let stored = everything(&world.state());
    assert!(stored.contains("reviewer does") && !stored.contains(CANARY));
}

#[test]
fn a_secret_that_a_model_calls_a_tool_with_is_neither_sent_back_nor_stored() {
    let call =
        || Reply::tool("Read", serde_json::json!({"path": format!("{CANARY}/x"), "deep": [{"k": CANARY}]}));
    let world = World::answering(vec![
        call(),
        Reply::text("ok"),
        call(),
        Reply::text("ok"),
        call(),
        Reply::text("ok"),
    ]);
    let responses = OpenAiWire::Responses { reasoning: false };
    let agents = [
        world.anthropic(),
        world.openai(OpenAiWire::Chat, AnswerForm::None),
        world.openai(responses, AnswerForm::None),
    ];
    for agent in agents {
        world.run(&agent, &world.fresh()).unwrap();
    }
    let bodies = world.bodies();
    assert_eq!(bodies.len(), 6);
    for body in bodies {
        assert!(!body.contains(CANARY), "{body}");
    }
    let stored = everything(&world.state());
    assert!(stored.contains("[redacted:") && !stored.contains(CANARY));
}

#[test]
fn the_key_shows_in_no_error_and_no_debug_form() {
    let world = World::scripted(|request: &RecordedRequest, _: usize| {
        let key = request.header("x-api-key").unwrap_or_default().to_owned();
        Reply::error(400, "invalid_request_error", &format!("{key} is not accepted; {key}"))
    });
    // Not even where the redactor does not know it.
    let settings = AnthropicSettings { redactor: Redactor::default(), ..world.anthropic_settings() };
    let shown = format!("{settings:?}");
    let agent = ApiAgent::anthropic(settings).unwrap();
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    assert!(error.detail.contains("is not accepted"), "{error}");
    for text in
        [shown, format!("{agent:?}"), format!("{error:?}"), agent.describe(), everything(&world.state())]
    {
        assert!(!text.contains(CANARY), "{text}");
    }
}

#[test]
fn a_key_that_http_cannot_carry_is_refused_without_being_shown() {
    let world = World::answering(vec![Reply::text("never asked")]);
    let key = Key::new("canary-\u{1}-7f3a9c");
    let agent = ApiAgent::anthropic(AnthropicSettings { key, ..world.anthropic_settings() }).unwrap();
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    assert!(error.detail.contains("x-api-key") && !error.detail.contains("7f3a9c"), "{error}");
    assert!(world.provider.requests().is_empty());
}

#[test]
fn a_key_travels_in_the_clear_to_this_machine_only() {
    for url in
        ["http://127.0.0.1:8080/v1/", "http://localhost", "http://[::1]:80/v1", "https://api.example.com/v1"]
    {
        assert_eq!(checked_url(url, true).as_deref(), Ok(url.trim_end_matches('/')));
    }
    for url in ["http://api.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com/v1"] {
        assert!(checked_url(url, true).unwrap_err().contains("use https"), "{url}");
        assert!(checked_url(url, false).is_ok());
    }
    for url in ["", "api.example.com", "ftp://x", "https://", "https://me:secret@api.example.com"] {
        let error = checked_url(url, false).unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }
}
