//! Tells what happens in a feature or a review as a story: who works on what and with which agent, what was found, what
//! was mended, what the checks said.
//!
//! A function of the events and the state they fold to. `run`, `finish`, `review` and `demo` print what it returns, and
//! nothing else tells a run. Tickets and revisions are left out: [`crate::projections::line`] has them. Start at
//! [`Narrator::tell`].

mod sentences;
mod side_by_side;
#[cfg(test)]
mod tests;

use crate::projections::line_in;
use crate::question::chosen;
use redraft_core::pipeline::Pipeline;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{About, Asked, Event, Judged, Judgement, Started};
use redraft_facts::ids::TaskId;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::text::{indented, one_line};
use redraft_facts::ticket::Ticket;
use sentences::{
    answered, begins, built, changes, closed, drafted, failed, headline, lost, noticed, on_the_merge,
};
pub use sentences::{not_continued, task_of};

/// What was told so far, as far as the next sentence depends on it.
#[derive(Debug, Default)]
pub struct Narrator {
    /// Whether a person is asked on the spot, in words that repeat what led to the question.
    asks: bool,
    /// How each dispatch under way was sent.
    sent: BTreeMap<Ticket, Strategy>,
    /// The agent that was named last in this loop. One that stays the same is named once.
    player: String,
    /// Gates whose last result was told as a failure.
    failing: BTreeSet<String>,
    /// What waits to become part of the feature.
    waiting: BTreeSet<Ticket>,
    /// Tasks that were sent back, until they are finished again.
    returned: BTreeSet<TaskId>,
    held: Option<Held>,
}

/// A line that the next event may complete, or say better.
#[derive(Debug)]
enum Held {
    /// The beginning of a phase, until it is known who works on it.
    Headline(String),
    /// What was done to the code, until its check has a result. The first line is completed by that.
    Built(Vec<String>),
    /// A check that failed: its own words, with which a question may repeat it, and the line.
    Failed(String, String),
}

impl Held {
    fn lines(self) -> Vec<String> {
        match self {
            Held::Headline(line) | Held::Failed(_, line) => vec![line],
            Held::Built(lines) => lines,
        }
    }
}

impl Narrator {
    /// `asks`: whether questions are asked on a terminal while this is told.
    pub fn new(asks: bool) -> Narrator {
        Narrator { asks, ..Narrator::default() }
    }

    /// What there is to say about an event, a line each; `state` has it folded in. Indented lines belong to the phase
    /// above them.
    pub fn tell(&mut self, event: &Event, state: &Pipeline) -> Vec<String> {
        let mut lines = Vec::new();
        match (self.held.take(), event) {
            (Some(Held::Headline(line)), Event::Started(fact)) => {
                self.player = fact.player.shown(&fact.agent);
                lines.push(format!("{line}, with {}", self.player));
            }
            // Which agents there are is told where each begins to work.
            (Some(held @ Held::Headline(_)), Event::AgentsMet(fact))
                if not_continued(&fact.agents).is_empty() =>
            {
                self.held = Some(held);
            }
            (Some(Held::Built(mut lines)), Event::Checked(fact))
                if fact.passed && !fact.command.is_empty() =>
            {
                if let Some(first) = lines.first_mut() {
                    first.push_str(&format!("; `{}` passed", one_line(&fact.command, 60)));
                }
                self.failing.remove(&fact.gate);
                lines.extend(noticed(fact));
                lines.extend(self.sent_back(state));
                return lines;
            }
            (held, Event::JobsSet(fact)) => return self.jobs_set(held, fact),
            (Some(Held::Failed(said, line)), Event::Asked(fact)) if repeats(fact, &said) => {
                if !self.asks {
                    self.held = Some(Held::Failed(said, line));
                }
                return lines;
            }
            (held, _) => lines.extend(held.into_iter().flat_map(Held::lines)),
        }
        lines.extend(self.told(event, state));
        lines
    }

    /// The run has ended: what was held back, unless its result says the same.
    pub fn end(&mut self, in_result: bool) -> Vec<String> {
        match self.held.take() {
            Some(Held::Failed(..)) if in_result => Vec::new(),
            held => held.map(Held::lines).unwrap_or_default(),
        }
    }

    fn told(&mut self, event: &Event, state: &Pipeline) -> Vec<String> {
        let one = |line: String| vec![format!("  {line}")];
        match event {
            Event::LoopOpened(fact) => {
                self.player.clear();
                self.failing.clear();
                self.held = Some(Held::Headline(headline(fact, state)));
                Vec::new()
            }
            Event::Started(fact) => self.started(fact, state),
            Event::AgentsMet(fact) => not_continued(&fact.agents),
            Event::Answered(fact) => answered(fact),
            Event::Failed(fact) => one(failed(fact)),
            Event::Lost(fact) => one(lost(fact)),
            Event::Drafted(fact) => {
                let lines = drafted(fact);
                if fact.ticket.phase != Phase::Implement {
                    return lines;
                }
                self.held = Some(Held::Built(lines));
                Vec::new()
            }
            Event::Enqueued(fact) => self.enqueued(fact),
            Event::Combined(fact) => self.combined(fact, state),
            Event::Built(fact) => match self.landed(fact) {
                Some(line) => vec![line],
                None => {
                    self.held = Some(Held::Built(vec![built(fact)]));
                    Vec::new()
                }
            },
            Event::Judged(fact) => self.judged(fact, state),
            Event::Checked(fact) if !fact.passed => {
                let line = format!("  {}", line_in(event, phase(state), None));
                self.failing.insert(fact.gate.clone());
                let back = self.sent_back(state);
                if !back.is_empty() {
                    return [vec![line], back].concat();
                }
                let said = fact.in_a_line(CHARS_ENOUGH).trim_end_matches('…').to_owned();
                self.held = Some(Held::Failed(said, line));
                Vec::new()
            }
            Event::Checked(fact) if phase(state) == Some(Phase::Finish) => {
                [one(on_the_merge(fact)), noticed(fact)].concat()
            }
            Event::Checked(fact) => {
                let again = self.failing.remove(&fact.gate).then(|| format!("  gate {} passed", fact.gate));
                again.into_iter().chain(noticed(fact)).chain(self.sent_back(state)).collect()
            }
            // The estimate is told even where the question is answered beforehand.
            Event::Asked(fact) if fact.question.about == About::Begin && !self.asks => begins(fact),
            // A person is asked in the words of the question, by whoever drives the feature.
            Event::Raised(_) | Event::StageClosed(_) | Event::Asked(_) => Vec::new(),
            Event::Decided(fact) => one(chosen(fact)),
            Event::PhaseClosed(fact) => one(closed(fact, state)),
            Event::BudgetReached(fact) => {
                let (role, needed, left, limit) = (&fact.ticket.role, fact.needed, fact.left, fact.limit);
                one(format!("{role} was not sent: it may cost {needed}, and {left} of {limit} is left"))
            }
            other => one(indented(&line_in(other, phase(state), None), 2)),
        }
    }

    /// Names the agent where it is another one than before.
    fn started(&mut self, fact: &Started, state: &Pipeline) -> Vec<String> {
        self.sent.insert(fact.ticket.clone(), fact.choice.strategy);
        let player = fact.player.shown(&fact.agent);
        if player == self.player {
            return Vec::new();
        }
        let line = format!("  {} {}, with {player}", fact.ticket.role, task_of(&fact.ticket, state));
        self.player = player;
        vec![line]
    }

    fn judged(&mut self, fact: &Judged, state: &Pipeline) -> Vec<String> {
        let role = &fact.ticket.role;
        let resumed = self.sent.remove(&fact.ticket) == Some(Strategy::Resume);
        let again = if resumed { ", resumed: it was sent only what changed" } else { "" };
        let said = match &fact.judgement {
            Judgement::Approved | Judgement::Rejected => sentences::judged(fact),
            Judgement::Repair { why } => {
                return vec![format!(
                    "  {role} gave an answer that cannot be used, and is asked again: {why}"
                )];
            }
            Judgement::NoVerdict { why } => return vec![format!("  {role} gave no verdict: {why}")],
        };
        let mut lines = vec![format!("  {role} {said}{again}")];
        lines.extend(changes(&fact.changes, state));
        lines
    }
}

/// So much of what a check said tells it from another one.
const CHARS_ENOUGH: usize = 60;

/// Whether a question repeats how a check failed.
fn repeats(fact: &Asked, said: &str) -> bool {
    !said.is_empty() && fact.question.text.contains(said)
}

fn phase(state: &Pipeline) -> Option<Phase> {
    state.latest().map(|latest| latest.opened.phase)
}
