//! The requests Claude Code sends during a dispatch, counted while it prints, and what they can still come to.
//!
//! The beginning of each answer says what its prompt was counted as, the end how long it was. Start at [`Requests`].

use super::stream::{list, tokens, written};
use redraft_core::price::{Card, Lifetime};
use redraft_core::usage::{Usage, Usd};
use serde_json::Value;

/// What tools add to a conversation between two requests, about; it reads no larger piece of a file at once.
const READ_TOKENS: u64 = 25_000;

#[derive(Debug, Default)]
pub(super) struct Requests {
    all: Vec<Counted>,
    /// Whether the newest answer calls a tool, so that another request will follow.
    pub(super) go_on: bool,
    /// Whether something was sent since the newest answer began, so that a request may be under way of which nobody
    /// knows what it costs.
    sent: bool,
}

#[derive(Debug)]
struct Counted {
    id: String,
    usage: Usage,
    written: Vec<(Lifetime, u64)>,
    /// Whether all of its answer was counted.
    ended: bool,
}

/// What requests are priced by.
pub(super) struct Terms<'a> {
    pub(super) card: &'a Card,
    pub(super) lifetime: Lifetime,
    pub(super) answer_tokens: u64,
    /// The prompt of the first request, estimated.
    pub(super) first_tokens: u64,
}

impl Requests {
    pub(super) fn hear(&mut self, line: &Value) {
        match (line["type"].as_str(), line["event"]["type"].as_str()) {
            (Some("stream_event"), Some("message_start")) => self.begin(&line["event"]["message"], false),
            (Some("stream_event"), Some("message_delta")) => {
                let output = line["event"]["usage"]["output_tokens"].as_u64().unwrap_or_default();
                if let Some(newest) = self.all.last_mut() {
                    newest.usage.output = newest.usage.output.max(output);
                    newest.ended = true;
                }
            }
            // Errors are told in the form of an answer of no model.
            (Some("assistant"), _) if line["message"]["model"] != "<synthetic>" => {
                // An answer that was not streamed had no beginning.
                self.begin(&line["message"], true);
                // The form of the answer is asked for as a tool that ends the dispatch.
                let calls =
                    |block: &Value| block["type"] == "tool_use" && block["name"] != "StructuredOutput";
                self.go_on |= list(&line["message"]["content"]).iter().any(calls);
            }
            // What tools answered goes to the model next, and so does a request that is repeated.
            (Some("user"), _) => self.sent = true,
            (Some("system"), _) if line["subtype"] == "api_retry" => self.sent = true,
            _ => {}
        }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// The conversation as the newest request left it, in tokens.
    pub(super) fn context(&self) -> Option<u64> {
        self.all.last().map(|newest| newest.usage.input() + newest.usage.output)
    }

    /// The prompt of the largest request; none unless every one named its prompt.
    pub(super) fn largest(&self) -> Option<u64> {
        let prompts = || self.all.iter().map(|one| one.usage.input());
        prompts().max().filter(|_| prompts().all(|tokens| tokens > 0))
    }

    /// What all requests came to; none where one has no end or another may be under way.
    pub(super) fn sum(&self, card: &Card) -> Option<Usage> {
        self.answered(card).filter(|_| !self.sent)
    }

    /// What the requests came to that were answered, whatever was sent since; none where an answer has no end.
    pub(super) fn answered(&self, card: &Card) -> Option<Usage> {
        let counted = |one: &Counted| one.ended && one.usage.input() > 0;
        let known = !self.all.is_empty() && self.all.iter().all(counted);
        let add = |sum: Usage, one: &Counted| Usage {
            uncached: sum.uncached + one.usage.uncached,
            written: sum.written + one.usage.written,
            read: sum.read + one.usage.read,
            output: sum.output + one.usage.output,
            cost: sum.cost + one.cost(card, one.usage.output),
        };
        known.then(|| self.all.iter().fold(Usage::default(), add))
    }

    /// What the dispatch can have come to when the request after the newest one is answered.
    pub(super) fn at_most(&self, terms: &Terms<'_>) -> Usd {
        let Terms { card, lifetime, answer_tokens, first_tokens } = *terms;
        let after = |tokens: u64| {
            let longer = tokens.saturating_add(answer_tokens).saturating_add(READ_TOKENS);
            card.dearest(longer, answer_tokens, lifetime)
        };
        let Some((newest, done)) = self.all.split_last() else {
            return card.dearest(first_tokens, answer_tokens, lifetime) + after(first_tokens);
        };
        let done = done.iter().fold(Usd(0), |sum, one| sum + one.cost(card, one.usage.output));
        done + newest.cost(card, answer_tokens.max(newest.usage.output)) + after(newest.usage.input())
    }

    /// A request is known by its answer's name; each piece of an answer names it again. `whole`: the answer is there at
    /// once.
    fn begin(&mut self, message: &Value, whole: bool) {
        let id = message["id"].as_str().unwrap_or_default();
        if self.all.last().is_some_and(|newest| newest.id == id) {
            return;
        }
        let usage = &message["usage"];
        (self.go_on, self.sent) = (false, false);
        self.all.push(Counted {
            id: id.to_owned(),
            usage: tokens(usage),
            written: written(&usage["cache_creation"]),
            ended: whole,
        });
    }
}

impl Counted {
    fn cost(&self, card: &Card, output: u64) -> Usd {
        let usage = Usage { output, ..self.usage };
        card.cost_by_lifetime(&usage, &self.written, usage.input())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_core::price::Cards;
    use serde_json::json;

    fn heard(lines: &[Value]) -> Requests {
        let mut requests = Requests::default();
        lines.iter().for_each(|line| requests.hear(line));
        requests
    }

    fn start(id: &str, read: u64, uncached: u64) -> Value {
        let usage = json!({"input_tokens": uncached, "cache_read_input_tokens": read, "output_tokens": 1});
        let message = json!({"id": id, "model": "m", "usage": usage});
        json!({"type": "stream_event", "event": {"type": "message_start", "message": message}})
    }

    fn end(output: u64) -> Value {
        json!({"type": "stream_event", "event": {"type": "message_delta", "usage": {"output_tokens": output}}})
    }

    fn calls(id: &str, tool: &str) -> Value {
        let block = json!({"type": "tool_use", "id": "t", "name": tool, "input": {}});
        json!({"type": "assistant", "message": {"id": id, "model": "m", "content": [block]}})
    }

    #[test]
    fn a_request_is_counted_once_however_many_lines_it_has() {
        let requests = heard(&[start("a", 10, 90), calls("a", "Read"), calls("a", "Grep"), end(30)]);
        assert_eq!((requests.count(), requests.context(), requests.go_on), (1, Some(130), true));
        let requests = heard(&[start("a", 0, 9), calls("a", "Read"), end(3), start("b", 12, 1)]);
        assert_eq!((requests.count(), requests.go_on), (2, false));
        // Not streamed: the answer is there at once.
        let requests = heard(&[calls("x", "Read"), calls("y", "StructuredOutput")]);
        assert_eq!((requests.count(), requests.go_on), (2, false));
        let synthetic = json!({"type": "assistant", "message": {"id": "e", "model": "<synthetic>"}});
        assert_eq!(heard(&[synthetic]).count(), 0);
    }

    #[test]
    fn the_requests_of_a_program_that_told_no_sum_are_added_up_where_all_of_them_have_ended() {
        let card = Cards::builtin().find("claude-sonnet-4-5").unwrap().clone();
        let sum = |lines: &[Value]| heard(lines).sum(&card);
        let two = [start("a", 0, 4_000), calls("a", "Read"), end(50), start("b", 4_000, 500), end(70)];
        let usage = Usage { uncached: 4_500, read: 4_000, output: 120, ..Usage::default() };
        let cost = card.cost(&usage, 4_500);
        assert_eq!(sum(&two), Some(Usage { cost, ..usage }), "no cliff is passed, so the sum costs the same");
        assert_eq!(heard(&two).largest(), Some(4_500));
        let shown = json!({"type": "user", "message": {"content": []}});
        let again = json!({"type": "system", "subtype": "api_retry", "error_status": 529});
        for (more, why) in [
            (start("c", 9, 9), "an answer has begun and not ended"),
            (shown, "the next request may be under way"),
            (again, "a request is repeated"),
            (calls("c", "Read"), "an answer names no tokens"),
        ] {
            assert_eq!(sum(&[&two[..], &[more]].concat()), None, "{why}");
        }
        assert_eq!(sum(&[]), None, "the first request may be under way");
        assert_eq!(heard(&[start("a", 0, 4_000), calls("b", "Read")]).largest(), None);
    }

    #[test]
    fn what_is_done_is_priced_as_told_and_what_may_follow_as_dear_as_it_can_be() {
        let card = Cards::builtin().find("claude-sonnet-4-5").unwrap().clone();
        let lifetime = Lifetime::FiveMinutes;
        let terms = Terms { card: &card, lifetime, answer_tokens: 1_000, first_tokens: 5_000 };
        let dearest = |input: u64| card.dearest(input, 1_000, lifetime);
        assert_eq!(heard(&[]).at_most(&terms), dearest(5_000) + dearest(31_000));
        let told = |uncached, read, output| {
            let usage = Usage { uncached, read, output, ..Usage::default() };
            card.cost(&usage, usage.input())
        };
        let one = heard(&[start("a", 0, 4_000)]);
        assert_eq!(one.at_most(&terms), told(4_000, 0, 1_000) + dearest(30_000));
        let two = heard(&[start("a", 0, 4_000), end(50), start("b", 4_000, 500)]);
        let sum = told(4_000, 0, 50) + told(500, 4_000, 1_000) + dearest(4_500 + 26_000);
        assert_eq!(two.at_most(&terms), sum);
    }
}
