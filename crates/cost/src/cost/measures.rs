//! What the ledger's bills show about an agent: how dense its tokens are, what it adds to a prompt, how often its cache
//! answers, how long its answers are, and how often one of its roles calls tools without being told to.
//!
//! A fold over dispatches of all features ([`Measures::take`]) that keeps the last few hundred of each agent and card;
//! [`Measures::agent`] moves stated assumptions towards them. It is for money only: it never decides what a prompt
//! says.

use super::send::{Exploring, PER_CALL};
use super::terms::CERTAIN;
use crate::price::plain_name;
use alloc::collections::VecDeque;
use redraft_documents::tokens::{Billed, Chars, Family, Ratios};
use redraft_facts::choice::{Prediction, Strategy};
use redraft_facts::event::Event;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::Usage;

/// How many dispatches of an agent are looked at; the newest count.
pub const LOOKED_AT: usize = 300;
/// The assumption that the cache answers weighs as much as this many tokens that could be read.
const ASSUMED_READ: u64 = 100_000;
/// The assumption about answers weighs as much as this many of them.
const ASSUMED_ANSWERS: u64 = 3;
/// Tokens of a reviewer's answer, and of all that an author says and writes.
const ANSWER: u64 = 1_500;
const WRITTEN: u64 = 4_000;
/// The assumption that a reviewer calls no tool of its own accord weighs as much as this many dispatches.
const ASSUMED_CALLS: u64 = 3;
/// A first bill of more than this many times what was expected counts several requests, whatever else it says.
const SEVERAL_REQUESTS: u64 = 2;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    flights: BTreeMap<Ticket, Flight>,
    samples: BTreeMap<(AgentName, String), VecDeque<Sample>>,
}

/// What is known about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAgent {
    pub ratios: Ratios,
    /// Tokens of its own tools and system text.
    pub overhead: u64,
    /// In parts of [`CERTAIN`].
    pub hit_rate: u32,
    /// Tokens of a reviewer's answer, and of what an author says and writes in one dispatch.
    pub answer: u64,
    pub written: u64,
    /// The calls the role makes of its own accord, whatever it is sent.
    pub exploring: Exploring,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Flight {
    agent: AgentName,
    strategy: Strategy,
    author: bool,
    prediction: Prediction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Sample {
    ticket: Ticket,
    role: Role,
    /// What a fresh dispatch without files to open was billed for: all its requests together, and the last of them.
    requests: Option<(u64, u64)>,
    chars: Chars,
    /// The input of a first dispatch that was one request: counted as one, or without a file that was opened.
    first: Option<u64>,
    /// What would have been read if the cache had answered, and how much of that was.
    readable: u64,
    read: u64,
    output: u64,
    author: bool,
}

impl Measures {
    /// Kinds of events that change something here; a reader may leave out all others.
    pub const KINDS: [&'static str; 5] = ["started", "answered", "failed", "lost", "cost-corrected"];

    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Started(fact) => {
                let Some(prediction) = fact.choice.prediction.clone() else { return };
                let author = matches!(fact.ticket.purpose, Purpose::Draft | Purpose::Revise);
                let (agent, strategy) = (fact.agent.clone(), fact.choice.strategy);
                self.flights.insert(fact.ticket.clone(), Flight { agent, strategy, author, prediction });
            }
            Event::Answered(fact) => {
                let Some(flight) = self.flights.remove(&fact.ticket) else { return };
                // A bill of zero does not count as one.
                if fact.usage.input() == 0 {
                    return;
                }
                let opened_nothing = fact.opened.as_ref().is_some_and(Vec::is_empty);
                let one_request = fact.requests.map_or(opened_nothing, |requests| requests == 1);
                let sample = Sample::new(&fact.ticket, &flight, &fact.usage, one_request);
                let card = plain_name(&flight.prediction.card);
                let samples = self.samples.entry((flight.agent, card)).or_default();
                samples.push_back(sample);
                if samples.len() > LOOKED_AT {
                    samples.pop_front();
                }
            }
            Event::Failed(fact) => {
                self.flights.remove(&fact.ticket);
            }
            Event::Lost(fact) => {
                self.flights.remove(&fact.ticket);
            }
            // What its service reported was wrong, so nothing is learnt from it.
            Event::CostCorrected(fact) => {
                for samples in self.samples.values_mut() {
                    samples.retain(|sample| sample.ticket != fact.ticket);
                }
            }
            _ => {}
        }
    }

    /// What is known about an agent in a role, whose tokens are billed by this card. `overhead` is the assumed size of
    /// its own texts.
    pub fn agent(
        &self,
        agent: &AgentName,
        role: &Role,
        card: &str,
        family: Family,
        overhead: u64,
    ) -> KnownAgent {
        let assumed = Ratios::measured(family);
        let empty = VecDeque::new();
        let samples = self.samples.get(&(agent.clone(), plain_name(card))).unwrap_or(&empty);
        let estimate = |sample: &Sample| assumed.all_tokens(&sample.chars);
        let firsts: Vec<(&Sample, u64)> = samples
            .iter()
            .filter_map(|sample| Some((sample, sample.first?)))
            .filter(|(sample, input)| *input <= (estimate(sample) + overhead) * SEVERAL_REQUESTS)
            .collect();
        let bills: Vec<Billed> =
            firsts.iter().map(|(sample, input)| Billed { chars: sample.chars, tokens: *input }).collect();
        let (ratios, overhead) = assumed.calibrated(overhead, &bills);
        let answers = |author: bool| {
            samples.iter().filter(move |sample| sample.author == author).map(|sample| sample.output)
        };
        let first = |sample: &Sample| ratios.all_tokens(&sample.chars) + overhead;
        let of_role = samples.iter().filter(|sample| sample.role == *role);
        let explored = of_role.filter_map(|sample| Some(explored(first(sample), sample.requests?)));
        KnownAgent {
            exploring: mean(explored),
            ratios,
            overhead,
            hit_rate: hit_rate(samples.iter()),
            answer: drawn(ANSWER, ASSUMED_ANSWERS, answers(false)),
            written: drawn(WRITTEN, ASSUMED_ANSWERS, answers(true)),
        }
    }
}

impl Sample {
    fn new(ticket: &Ticket, flight: &Flight, billed: &Usage, was_one_request: bool) -> Sample {
        let Flight { strategy, author, prediction, .. } = flight;
        // A dispatch without calls reads nothing if the cache does not answer, so its expected read is in proportion to
        // the hit rate. One with calls reads again what it has just written, which says nothing about the cache.
        let without_calls = !author && *strategy != Strategy::Lazy;
        let readable = match u64::from(prediction.hit_rate) {
            0 => 0,
            rate => prediction.usage.read.saturating_mul(u64::from(CERTAIN)) / rate,
        };
        // Several requests were expected if all their input is more than what the conversation has in the end.
        let in_the_end = prediction.leaves.conversation.map_or(u64::MAX, |one| one.tokens);
        let one_request = prediction.usage.input() <= in_the_end;
        // Counted in the tokens of the bill: where texts are less dense than was thought, no more could be read.
        let (told, thought) = (u128::from(billed.input()), u128::from(prediction.usage.input()));
        let in_its_tokens = (u128::from(readable) * told).checked_div(thought).unwrap_or_default();
        let readable = readable.min(u64::try_from(in_its_tokens).unwrap_or(u64::MAX));
        let readable = if without_calls && one_request { readable } else { 0 };
        let fresh = matches!(strategy, Strategy::Inline | Strategy::Digest) && !author;
        let last = billed.uncached.saturating_add(billed.written).saturating_add(billed.read.min(readable));
        let first = *strategy != Strategy::Resume && without_calls && was_one_request;
        Sample {
            ticket: ticket.clone(),
            role: ticket.role.clone(),
            requests: fresh.then_some((billed.input(), last)),
            chars: prediction.chars,
            first: first.then_some(billed.input()),
            readable,
            read: billed.read.min(readable),
            output: billed.output,
            author: *author,
        }
    }
}

/// The calls of a dispatch whose first request has this many tokens, worked out from all its requests together and the
/// last one. Each call sends again everything that was said before, so the mean request lies between the first and the
/// last.
fn explored(first: u64, (all, last): (u64, u64)) -> Exploring {
    let last = last.max(first);
    let requests = (all * 2 + (first + last) / 2).checked_div(first + last).unwrap_or(1).max(1);
    let calls = u32::try_from(requests - 1).unwrap_or(u32::MAX);
    let said = (requests - 1) * PER_CALL;
    Exploring { calls, tokens: if calls == 0 { 0 } else { (last - first).saturating_sub(said) } }
}

/// The mean, in which several dispatches without any call are counted as well.
fn mean(explored: impl Iterator<Item = Exploring>) -> Exploring {
    let start = (0_u64, 0_u64, ASSUMED_CALLS);
    let (calls, tokens, count) = explored.fold(start, |(calls, tokens, count), one| {
        (calls + u64::from(one.calls), tokens.saturating_add(one.tokens), count + 1)
    });
    Exploring {
        calls: u32::try_from((calls + count / 2) / count).unwrap_or(u32::MAX),
        tokens: tokens / count,
    }
}

/// A mean in which the assumption counts as several values.
fn drawn(assumed: u64, weight: u64, values: impl Iterator<Item = u64>) -> u64 {
    let (sum, count) = values.fold((0_u64, 0_u64), |(sum, count), one| (sum.saturating_add(one), count + 1));
    assumed.saturating_mul(weight).saturating_add(sum) / (weight + count)
}

fn hit_rate<'a>(samples: impl Iterator<Item = &'a Sample>) -> u32 {
    let start = (ASSUMED_READ, ASSUMED_READ);
    let (read, readable) =
        samples.fold(start, |(read, readable), one| (read + one.read, readable + one.readable));
    let parts = u128::from(read) * u128::from(CERTAIN) / u128::from(readable.max(1));
    u32::try_from(parts).unwrap_or(CERTAIN).min(CERTAIN)
}
