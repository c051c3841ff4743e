//! Limits as the vendors write them: which are waited for and which need a person.

use super::*;
use redraft_facts::event::AfterFailure;

#[test]
fn a_spend_cap_asks_a_person_at_once_in_whichever_field_the_vendor_says_it() {
    let regain = "You will regain access on 2026-12-01 at 00:00 UTC.";
    let own = |whose: &str| format!("You have reached your specified {whose}API usage limits. {regain}");
    let tier = "You have reached your API usage limits: your organization has crossed its threshold.";
    let poor = "Your credit balance is too low to access the Anthropic API.";
    let (limited, wrong) = ("rate_limit_error", "invalid_request_error");
    for reply in [
        Reply::anthropic_error(429, limited, Some("enforced_spend_limit_reached"), "over the threshold"),
        Reply::anthropic_error(429, limited, None, tier),
        Reply::anthropic_error(400, wrong, None, &own("")),
        Reply::anthropic_error(400, wrong, None, &own("workspace ")),
        Reply::anthropic_error(400, wrong, None, poor),
        Reply::anthropic_error(402, "billing_error", None, "payment failed"),
    ] {
        let world = World::answering(vec![reply]);
        assert_asks_at_once(&world, &world.error());
    }
    for (kind, code) in [
        ("insufficient_quota", Some("insufficient_quota")),
        ("insufficient_quota", Some("credit_balance_exhausted")),
        ("insufficient_quota", Some("organization_spend_limit_exceeded")),
        ("insufficient_quota", Some("a_code_of_next_year")),
        ("insufficient_quota", None),
        ("requests", Some("project_spend_limit_exceeded")),
        ("requests", Some("organization_usage_limit_exceeded")),
    ] {
        for wire in [OpenAiWire::Chat, OpenAiWire::Responses { reasoning: true }] {
            let world = World::answering(vec![Reply::openai_error(429, kind, code, "over the limit")]);
            let error = world.run(&world.openai(wire, AnswerForm::JsonSchema), &world.fresh()).unwrap_err();
            assert_asks_at_once(&world, &error);
        }
    }
}

fn assert_asks_at_once(world: &World, error: &AgentError) {
    assert_eq!((error.now, world.provider.requests().len()), (AfterFailure::AskPerson, 1), "{error}");
    assert_eq!((world.waits(), error.interrupted), (Vec::new(), false), "{error}");
    assert_eq!(error.usage, AgentError::UNBILLED, "{error}");
}

#[test]
fn a_rate_limit_as_the_vendors_write_it_is_waited_for() {
    let anthropic =
        Reply::anthropic_error(429, "rate_limit_error", None, "This request would exceed your rate limit.");
    let world = World::answering(vec![anthropic, Reply::Json(verdict())]);
    world.run(&world.anthropic(), &world.fresh()).unwrap();
    assert_eq!(world.waits().len(), 1);
    let openai =
        Reply::openai_error(429, "tokens", Some("rate_limit_exceeded"), "Rate limit reached for gpt-6-sol");
    let world = World::answering(vec![openai, Reply::Json(verdict())]);
    world.run(&world.openai(OpenAiWire::Chat, AnswerForm::JsonSchema), &world.fresh()).unwrap();
    assert_eq!(world.waits().len(), 1);
}
