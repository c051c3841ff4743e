//! The requests Claude Code sends during a dispatch, counted while it prints, and what they can still cost.
//!
//! The beginning of each answer states the size of its prompt, the end its own length. Start at [`Requests`].

use super::printed::{list, plus, tokens, written};
use crate::billing;
use redraft_cost::price::Card;
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::{Usage, Usd};
use serde_json::Value;

/// Roughly what tools add to a conversation between two requests; it reads no larger piece of a file at once.
const READ_TOKENS: u64 = 25_000;
/// A web search is a request of its own, of which nothing is printed: at most this many searches (`max_uses`), roughly
/// this many tokens of what was found, and its answer.
const SEARCHES_MAX: u64 = 8;
const FOUND_TOKENS: u64 = 25_000;
/// No text has fewer characters to a token.
const CHARS_PER_TOKEN_MIN: u64 = 2;

#[derive(Debug, Default)]
pub(super) struct Requests {
    all: Vec<Counted>,
    /// Whether the newest answer calls a tool, so that another request will follow.
    pub(super) go_on: bool,
    /// Whether something was sent since the newest answer began, so that a request of unknown cost may be under way.
    sent: bool,
    /// Whether everything it prints is heard, even what is not kept.
    pub(super) live: bool,
    /// Answers that broke off before anything of them was printed: how many have a request that is still to be
    /// repeated, and the prompts of those whose request was repeated.
    vanishing: usize,
    vanished: Vec<u64>,
    /// How many requests are known to have been repeated or answered.
    settled: usize,
    /// Web searches that were asked for and are not done.
    searching: Vec<String>,
    /// At most how many tokens the answer of each finished search had.
    searched: Vec<u64>,
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
    /// Whether the web may be searched.
    pub(super) searches: bool,
}

impl Requests {
    pub(super) fn hear(&mut self, line: &Value) {
        match (line["type"].as_str(), line["event"]["type"].as_str()) {
            (Some("stream_event"), Some("message_start")) => self.begin(&line["event"]["message"], false),
            (Some("stream_event"), Some("message_delta")) => {
                let output = billing::count(&line["event"]["usage"]["output_tokens"]);
                // An end that does not state the length of the answer is no end for the bill.
                if let Some((newest, output)) = self.all.last_mut().zip(output) {
                    newest.usage.output = newest.usage.output.max(output);
                    newest.ended = true;
                }
            }
            // Errors come in the form of an answer of no model.
            (Some("assistant"), _) if line["message"]["model"] != "<synthetic>" => {
                // An answer that was not streamed had no beginning.
                self.begin(&line["message"], true);
                // The form of the answer is asked for as a tool that ends the dispatch.
                let calls =
                    |block: &Value| block["type"] == "tool_use" && block["name"] != "StructuredOutput";
                let content = list(&line["message"]["content"]);
                self.go_on |= content.iter().any(calls);
                let searches = content.iter().filter(|block| block["name"] == "WebSearch");
                self.searching.extend(searches.filter_map(|block| Some(block["id"].as_str()?.to_owned())));
            }
            // What tools answered goes to the model next, and so does a repeated request.
            (Some("user"), _) => {
                self.sent = true;
                list(&line["message"]["content"]).iter().for_each(|block| self.found(block));
            }
            (Some("system"), _) if line["subtype"] == "api_retry" => {
                self.sent = true;
                let status = line["error_status"].as_u64().and_then(|status| u16::try_from(status).ok());
                let refused = status.is_some_and(billing::is_refusal);
                if !refused && !self.settle_broken() {
                    self.vanishing += 1;
                }
            }
            _ => {}
        }
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// How often the web was searched, or is.
    fn searches(&self) -> usize {
        self.searching.len() + self.searched.len()
    }

    /// How many requests it has sent that are no part of the conversation, or whose answer vanished.
    pub(super) fn beside(&self) -> usize {
        self.searches() + self.vanishing + self.vanished.len()
    }

    /// The conversation as the newest request left it, in tokens.
    pub(super) fn context(&self) -> Option<u64> {
        self.all.last().map(|newest| newest.usage.input().saturating_add(newest.usage.output))
    }

    /// The prompt of the largest request; none unless every one named its prompt.
    pub(super) fn largest(&self) -> Option<u64> {
        let prompts = || self.all.iter().map(|one| one.usage.input());
        prompts().max().filter(|_| prompts().all(|tokens| tokens > 0))
    }

    /// The prompt of the first request; none where it did not name it.
    pub(super) fn first_prompt(&self) -> Option<u64> {
        self.all.first().map(|first| first.usage.input()).filter(|tokens| *tokens > 0)
    }

    /// The fewest tokens the next prompt of this conversation can have. What the model thought on the way may be left
    /// out of it, and nothing else.
    pub(super) fn least_next(&self) -> Option<u64> {
        let (newest, earlier) = self.all.split_last()?;
        self.largest()?;
        let said = earlier.iter().fold(0, |sum: u64, one| sum.saturating_add(one.usage.output));
        Some(newest.usage.input().saturating_sub(said))
    }

    /// All that was counted of its requests, without a price.
    pub(super) fn counted(&self) -> Usage {
        self.all.iter().fold(Usage::default(), |sum, one| plus(sum, one.usage))
    }

    /// What was counted of answers that broke off, and how many there were. How long they became is unknown.
    pub(super) fn broken_off(&self) -> (Usage, Vec<(Lifetime, u64)>, u64) {
        let broken = || self.all.iter().filter(|one| !one.ended);
        let usage = broken().fold(Usage::default(), |sum, one| plus(sum, one.usage));
        let written = broken().flat_map(|one| one.written.iter().copied()).collect();
        (usage, written, broken().count() as u64)
    }

    /// What all requests cost; none where one has no end or another may be under way.
    pub(super) fn sum(&self, card: &Card) -> Option<Usage> {
        let beside = self.searches() > 0 || self.has_vanished();
        self.answered(card).filter(|_| !self.sent && !beside)
    }

    /// What the answered requests cost, whatever was sent since; none where an answer has no end.
    pub(super) fn answered(&self, card: &Card) -> Option<Usage> {
        let counted = |one: &Counted| one.ended && one.usage.input() > 0;
        let known = !self.all.is_empty() && self.all.iter().all(counted);
        let add = |sum: Usage, one: &Counted| {
            plus(sum, Usage { cost: one.cost(card, one.usage.output), ..one.usage })
        };
        known.then(|| self.all.iter().fold(Usage::default(), add))
    }

    /// What the dispatch can have cost when the request after the newest one is answered.
    pub(super) fn at_most(&self, terms: &Terms<'_>) -> Usd {
        match self.all.last() {
            None => self.until_now(terms) + terms.first() + terms.after(terms.first_tokens),
            Some(newest) => self.until_now(terms) + terms.after(newest.usage.input()),
        }
    }

    /// What it can have cost by now, with the answer under way as long as it can become.
    pub(super) fn until_now(&self, terms: &Terms<'_>) -> Usd {
        let Terms { card, answer_tokens, .. } = *terms;
        let one = |one: &Counted| match one.ended {
            true => one.cost(card, one.usage.output),
            false => one.cost(card, answer_tokens.max(one.usage.output)),
        };
        let requests = self.all.iter().fold(Usd(0), |sum, each| sum + one(each));
        let searched = self.searched.iter().fold(Usd(0), |sum, said| sum + terms.search(*said));
        let searching = self.searching.iter().fold(searched, |sum, _| sum + terms.search(answer_tokens));
        let repeated = match self.all.last() {
            None => terms.first(),
            Some(newest) => terms.after(newest.usage.input()),
        };
        let vanishing = Usd(repeated.0.saturating_mul(self.vanishing as u64));
        requests + searching + self.vanished(card, answer_tokens, terms.lifetime) + vanishing
    }

    /// Whether the newest answer broke off and that was not noted yet; notes it.
    fn settle_broken(&mut self) -> bool {
        let broken = self.all.len() > self.settled && self.all.last().is_some_and(|newest| !newest.ended);
        self.settled = self.all.len();
        broken
    }

    /// Whether an answer may have broken off before anything of it was printed.
    pub(super) fn has_vanished(&self) -> bool {
        self.vanishing > 0 || !self.vanished.is_empty()
    }

    /// Whether such an answer was never followed by another, which would show how large its request was.
    pub(super) fn has_vanished_last(&self) -> bool {
        self.vanishing > 0
    }

    /// What the repeated requests can have cost whose answers broke off before anything of them was printed.
    pub(super) fn vanished(&self, card: &Card, answer_tokens: u64, lifetime: Lifetime) -> Usd {
        let one = |sum: Usd, prompt: &u64| sum + card.dearest(*prompt, answer_tokens, lifetime);
        self.vanished.iter().fold(Usd(0), one)
    }

    /// Takes in what a tool answered.
    fn found(&mut self, block: &Value) {
        let Some(at) = self.searching.iter().position(|id| block["tool_use_id"] == id.as_str()) else {
            return;
        };
        self.searching.remove(at);
        let chars = block["content"].as_str().map_or_else(|| block["content"].to_string().len(), str::len);
        self.searched.push((chars as u64).div_ceil(CHARS_PER_TOKEN_MIN));
    }

    /// A request is recognised by its answer's id; each piece of an answer repeats it. `whole`: the answer is there at
    /// once.
    fn begin(&mut self, message: &Value, whole: bool) {
        let id = message["id"].as_str().unwrap_or_default();
        if self.all.last().is_some_and(|newest| newest.id == id) {
            return;
        }
        let usage = &message["usage"];
        let repeated = std::mem::take(&mut self.vanishing);
        // It asks for an answer in one piece only where a streamed one broke off.
        let in_one_piece = whole && self.live && repeated == 0 && !self.settle_broken();
        let prompt = tokens(usage).input();
        self.vanished.extend(std::iter::repeat_n(prompt, repeated + usize::from(in_one_piece)));
        (self.go_on, self.sent) = (false, false);
        self.all.push(Counted {
            id: id.to_owned(),
            usage: tokens(usage),
            written: written(&usage["cache_creation"]),
            ended: whole,
        });
    }
}

impl Terms<'_> {
    /// What the first request can cost.
    pub(super) fn first(&self) -> Usd {
        self.card.dearest(self.first_tokens, self.answer_tokens, self.lifetime)
    }

    /// What one more request can cost that follows a prompt of this many tokens, with what tools add to it.
    pub(super) fn after(&self, tokens: u64) -> Usd {
        let Terms { card, lifetime, answer_tokens, searches, .. } = *self;
        let longer = tokens.saturating_add(answer_tokens).saturating_add(READ_TOKENS);
        let search = if searches { self.search(answer_tokens) } else { Usd(0) };
        card.dearest(longer, answer_tokens, lifetime) + search
    }

    /// What a web search can cost whose answer has this many tokens.
    fn search(&self, answer_tokens: u64) -> Usd {
        let Terms { card, lifetime, .. } = *self;
        card.searches(SEARCHES_MAX) + card.dearest(FOUND_TOKENS, answer_tokens, lifetime)
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
    use redraft_cost::price::Cards;
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
        let terms =
            Terms { card: &card, lifetime, answer_tokens: 1_000, first_tokens: 5_000, searches: false };
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
