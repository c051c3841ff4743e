//! Models that decline to answer, in the words of each protocol.

use super::*;
use redraft_facts::event::AfterFailure;

fn assert_refused(world: &World, agent: &ApiAgent) {
    let error = world.run(agent, &world.fresh()).unwrap_err();
    assert_eq!((error.now, world.provider.requests().len()), (AfterFailure::GiveUp, 1), "{error}");
    assert!(error.detail.contains("the model refused to answer"), "{error}");
    assert!(error.usage.is_some_and(|usage| usage.cost.0 > 0), "a refusal is billed: {error:?}");
}

const CHAT: OpenAiWire = OpenAiWire::Chat;
const RESPONSES: OpenAiWire = OpenAiWire::Responses { reasoning: true };

#[test]
fn a_refusal_is_no_answer_over_any_protocol() {
    let refusing = || World::answering(vec![Reply::Refusal("I will not review this.".to_owned())]);
    let world = refusing();
    assert_refused(&world, &world.anthropic());
    for wire in [CHAT, RESPONSES] {
        let world = refusing();
        assert_refused(&world, &world.openai(wire, AnswerForm::JsonSchema));
    }
}

#[test]
fn what_a_filter_has_cut_off_is_refused_too() {
    let chat = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"appro\"}}]}\n\n\
                data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\n\
                data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":3}}\n\n\
                data: [DONE]\n\n";
    let responses = json!({"type": "response.incomplete", "response": {"status": "incomplete",
        "incomplete_details": {"reason": "content_filter"}, "usage": {"input_tokens": 100, "output_tokens": 3}}});
    let responses = format!("data: {responses}\n\n");
    for (wire, stream) in [(CHAT, chat.to_owned()), (RESPONSES, responses)] {
        let world = World::answering(vec![Reply::Garbage(stream.into_bytes())]);
        assert_refused(&world, &world.openai(wire, AnswerForm::JsonSchema));
    }
}
