//! Chooses how a dispatch is sent: composes the prompts that can be sent, gathers what is known about prices, caches
//! and bills, and asks the policy.
//!
//! Facts are gathered here and decided on in `cost` ([`choose`]); nothing here sends or stores. Start at
//! [`Choosing::choose`].

use crate::compose::{Composed, Offered, Texts, compose, seat};
use crate::ending::EngineError;
use crate::experience::Experience;
use crate::host::KeptConversations;
use crate::journal::Writer;
use crate::ports::{Abilities, Agent, Billing, Cache, Resume, WorkspaceError};
use crate::values::{LoopFacts, LoopTexts};
use crate::worktree::Worktree;
use redraft_core::pipeline::Pipeline;
use redraft_core::review::{Conversation, DispatchOrder, Loop, Seat, shown_round};
use redraft_cost::cost::{
    self, Ahead, ExpectedRounds, KnownAgent, Marking, Prompts, Reader, Terms, prompt_chars,
};
use redraft_cost::policy::{PolicyFacts, Priced, ResumedFacts, choose};
use redraft_documents::tokens::Family;
use redraft_facts::choice::{self, Cached, Choice, Content, Lifetime, Marks, Policy, Strategy};
use redraft_facts::event::{Entry, Event};
use redraft_facts::probed::Recall;
use redraft_facts::text;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_prompts::prompt;
use redraft_roles::profile::{self, ProfileKind};
use std::collections::BTreeMap;

/// How a dispatch will be sent.
pub(crate) struct Chosen {
    pub(crate) composed: Composed,
    pub(crate) choice: Choice,
    pub(crate) marks: Marks,
    /// What the history says about it.
    pub(crate) markers: Vec<String>,
    /// What it gives to remember, or asks for.
    pub(crate) recall: Option<Recall>,
}

/// The prompts of one order, and what kept others from being made.
struct Options<'a> {
    texts: Texts<'a>,
    composed: BTreeMap<Strategy, Composed>,
    /// Strategies that may be used for it.
    allowed: Vec<Strategy>,
    /// What changed since the role last looked can no longer be determined.
    lost: Option<String>,
}

/// What a choice is made from.
pub(crate) struct Choosing<'r> {
    pub(crate) state: &'r Pipeline,
    pub(crate) entries: &'r [Entry],
    pub(crate) writer: Writer<'r>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) loop_texts: &'r LoopTexts,
    pub(crate) experience: &'r Experience,
    pub(crate) kept: &'r KeptConversations,
}

impl Choosing<'_> {
    /// Composes what may be sent, weighs it, and lets the policy pick.
    pub(crate) fn choose(
        &self,
        order: &DispatchOrder,
        agent: &dyn Agent,
        missing: &[String],
    ) -> Result<Chosen, EngineError> {
        let open = self.open_loop()?;
        let known = self.experience.resumable(agent, self.kept);
        // A conversation that was given nothing by which it could prove that it remembers is not relied on.
        let unprovable = known.resume == Resume::Unproved
            && order.conversation.as_ref().is_some_and(|talk| talk.code.is_none());
        let able = known.resume != Resume::No && !unprovable;
        let elsewhere = order.conversation.as_ref().filter(|talk| talk.agent != agent.name());
        // A turn that makes sense only in its conversation is sent there. An agent that has no such conversation says
        // so at no cost, and the machine orders a fresh one.
        let bound = !order.allowed.contains(&Strategy::Lazy);
        let talk = order.conversation.as_ref().filter(|_| bound || (able && elsewhere.is_none()));
        let offered = Offered { kind: agent.player().kind, missing };
        let mut options = self.options(order, talk.is_some(), offered)?;

        let resumed = options.composed.get(&Strategy::Resume).zip(talk);
        let fresh = options.composed.get(&Strategy::Lazy);
        let resumed = resumed.map(|(resumed, talk)| ResumedFacts {
            prompt_chars: resumed.prompt.chars(),
            first_chars: talk.first_chars,
            context_chars: talk.context_chars,
            fresh_chars: fresh.map_or(u64::MAX, |fresh| fresh.context_chars),
        });
        let facts =
            PolicyFacts { policy: open.opened.policy, purpose: order.ticket.purpose, resumed, priced: None };
        let (mut choice, marks) =
            self.weigh(order, agent, talk, &options, facts, known.resume != Resume::No)?;

        let mut markers = Vec::new();
        let mut mark = |what: &str, why: &str| {
            let role = &order.ticket.role;
            let round = seat(open, order).map_or(1, |seat| shown_round(open, seat, order.ticket.purpose));
            markers.push(text::one_line(&format!("{what}: {role} iteration {round} — {why}"), 200));
        };
        let mut reason = None;
        if let Some(lost) = &options.lost {
            mark("ANCHOR-LOST", lost);
            reason =
                Some("what changed cannot be told".to_owned()).filter(|_| facts.policy == Policy::Digest);
        }
        if let Some(talk) = elsewhere.filter(|_| choice.strategy != Strategy::Resume) {
            let why = format!("the earlier conversation is with agent {}, not {}", talk.agent, agent.name());
            mark("AGENT-CHANGED", &why);
            reason = Some(why);
        } else if !able && !bound && order.conversation.is_some() {
            let why = if unprovable { "it was given nothing to prove that it remembers" } else { &known.why };
            reason = Some(format!("{} is not resumed: {why}", agent.name()));
        }
        if let Some(reason) = reason {
            let weighed = facts.policy == Policy::Cost && choice.prediction.is_some();
            choice.why = if weighed { format!("{reason}; {}", choice.why) } else { reason };
        }
        if choice.strategy != Strategy::Resume && !missing.is_empty() {
            mark("TOOLS-MISSING", &missing.join(", "));
        }
        let mut composed = match options.composed.remove(&choice.strategy) {
            Some(composed) => composed,
            None => compose(
                &options.texts,
                self.setting(),
                self.worktree.created,
                open,
                order,
                choice.strategy,
                offered,
            )?,
        };
        let recall = self.recall(order, known.resume, talk.filter(|_| choice.strategy == Strategy::Resume));
        composed.extend(recall.as_ref());
        if let Some(prediction) = &mut choice.prediction {
            prediction.chars = prompt_chars(&composed.prompt);
        }
        Ok(Chosen { composed, choice, marks, markers, recall })
    }

    /// The code that a conversation is given or asked for, until its agent has proved in one that it remembers.
    fn recall(&self, order: &DispatchOrder, known: Resume, resumed: Option<&Conversation>) -> Option<Recall> {
        match (known, resumed) {
            (Resume::Yes | Resume::No, _) => None,
            // A repair is asked for because the form was not kept; that it is not kept again is no lack of memory.
            (Resume::Unproved, Some(_)) if order.ticket.purpose == Purpose::Repair => None,
            (Resume::Unproved, Some(talk)) => talk.code.clone().map(Recall::Asks),
            (Resume::Unproved, None) => order.begins_a_conversation().then(|| {
                // The agent sees the conversation's name, so the code must not follow from that alone.
                let seed = self.writer.store.session_name(&format!("code of {}", order.ticket));
                Recall::Gives(prompt::code(&seed))
            }),
        }
    }

    /// Composes every prompt whose size decides something; at least one can be sent. A `lazy` one is made of the same
    /// parts as an `inline` one, so it is composed only if it is chosen.
    fn options(
        &self,
        order: &DispatchOrder,
        resumable: bool,
        offered: Offered<'_>,
    ) -> Result<Options<'_>, EngineError> {
        let open = self.open_loop()?;
        let texts = Texts::new(self.worktree.workspace, self.writer.store);
        let (mut composed, mut allowed) = (BTreeMap::new(), Vec::new());
        let mut lost: Option<WorkspaceError> = None;
        for strategy in order.allowed.iter().copied() {
            match strategy {
                Strategy::Lazy => {}
                Strategy::Resume if !resumable => continue,
                Strategy::Inline | Strategy::Digest | Strategy::Resume => {
                    match compose(
                        &texts,
                        self.setting(),
                        self.worktree.created,
                        open,
                        order,
                        strategy,
                        offered,
                    ) {
                        Ok(prompt) => drop(composed.insert(strategy, prompt)),
                        Err(error @ WorkspaceError::AnchorLost(_)) => {
                            lost = Some(error);
                            continue;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            allowed.push(strategy);
        }
        match lost {
            Some(error) if allowed.is_empty() => Err(error.into()),
            lost => Ok(Options { texts, composed, allowed, lost: lost.map(|error| error.to_string()) }),
        }
    }

    /// Gathers what a prediction is based on, and asks the policy.
    fn weigh(
        &self,
        order: &DispatchOrder,
        agent: &dyn Agent,
        talk: Option<&Conversation>,
        options: &Options<'_>,
        facts: PolicyFacts<'_>,
        able: bool,
    ) -> Result<(Choice, Marks), EngineError> {
        let open = self.open_loop()?;
        let (abilities, billing) = (agent.abilities(), agent.billing());
        let card = billing.card.models.first().map(String::as_str).unwrap_or_default();
        let family = Family::for_model(&billing.model);
        let known =
            self.experience.measures.agent(&agent.name(), &order.ticket.role, card, family, billing.overhead);
        let terms = terms(&billing, &abilities).with_hit_rate(known.hit_rate);
        let seat = seat(open, order);
        let (cached, since_s) = self.cached(seat, agent, talk, &known);
        let (sizes, round) = self.prompts(order, options)?.sizes(&known);
        let seen = seat.map_or(1, |seat| seen(seat, open, order));
        let pace = self.experience.paces.for_role(order.ticket.role == open.author.role);
        let left = Some(rounds_left(open, seat, order));
        let ahead = Ahead::Expected(ExpectedRounds::after_review(seen, &round, left, pace));
        let priced = Priced {
            card,
            since_s,
            overhead: known.overhead,
            facts: cost::DecisionFacts {
                terms: &terms,
                sizes: &sizes,
                cached,
                round,
                allowed: &options.allowed,
                later: &later(open, order, &options.allowed, able),
                ahead: &ahead,
            },
        };
        // What a host pays is unknown.
        let priced = Some(&priced).filter(|_| !abilities.pull);
        let choice = choose(&PolicyFacts { priced, ..facts }, &options.allowed);
        // The machine orders nothing that cannot be sent in any way.
        let choice = choice.ok_or_else(|| EngineError::Unsendable(order.ticket.clone()))?;
        let marks = match &choice.prediction {
            Some(prediction) => prediction.marks,
            None => terms.usual(choice.strategy, &cached),
        };
        Ok((choice, marks))
    }

    /// What the cache holds for a role now, and how long ago its last request began.
    fn cached(
        &self,
        seat: Option<&Seat>,
        agent: &dyn Agent,
        talk: Option<&Conversation>,
        known: &KnownAgent,
    ) -> (Cached, Option<u64>) {
        let left = seat.and_then(|seat| seat.left.as_ref()).filter(|left| left.agent == agent.name());
        let since_s = left.and_then(|left| self.last_asked_ms(&left.ticket)).map(|at_ms| {
            let passed_ms = self.writer.clock.now_ms().saturating_sub(at_ms);
            u64::try_from(passed_ms / 1000).unwrap_or(0)
        });
        let mut cached = match (left, since_s) {
            (Some(left), Some(since_s)) => left.cached.after(since_s),
            _ => Cached::default(),
        };
        if let Some(open) = &self.state.open
            && open.opened.is_code()
            && seat.is_some_and(|seat| seat.anchor != open.revision)
        {
            // The change is part of what lasts through a round, and it is a different one now.
            cached = cached.renewed();
        }
        cached.conversation = talk.map(|talk| {
            // A conversation whose bill was not predicted is not known to be cached at all.
            let unknown = choice::CachedConversation {
                began: Strategy::Lazy,
                tokens: known.overhead + known.ratios.tokens(talk.context_chars, Content::Markdown),
                tail: None,
                earlier: None,
            };
            cached.conversation.unwrap_or(unknown)
        });
        (cached, since_s)
    }

    /// When the last request of a dispatch was sent; where that is unknown, when the dispatch was sent, which is
    /// earlier.
    fn last_asked_ms(&self, ticket: &Ticket) -> Option<i64> {
        self.entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Answered(fact) if fact.ticket == *ticket => fact.asked_ms,
            Event::Started(fact) if fact.ticket == *ticket => Some(entry.at_ms),
            _ => None,
        })
    }

    fn setting(&self) -> LoopFacts<'_> {
        LoopFacts { pipeline: self.state, loop_texts: self.loop_texts }
    }

    fn open_loop(&self) -> Result<&Loop, EngineError> {
        self.state.open.as_ref().ok_or_else(EngineError::no_open_loop)
    }

    fn prompts<'a>(
        &self,
        order: &DispatchOrder,
        options: &'a Options<'_>,
    ) -> Result<Prompts<'a>, EngineError> {
        let open = self.open_loop()?;
        let given = options.texts.given(self.worktree.created, open, order)?;
        let of = |strategy: Strategy| options.composed.get(&strategy).map(|composed| &composed.prompt);
        let kind = profile::kind(&order.ticket.role);
        Ok(Prompts {
            fresh: of(Strategy::Inline),
            digest: of(Strategy::Digest),
            resumed: of(Strategy::Resume),
            upstream: given.upstream,
            files: given.files,
            artifact: given.artifact,
            reader: match kind {
                Some(ProfileKind::Author) => Reader::Author,
                Some(ProfileKind::Phase) => Reader::Phase,
                Some(ProfileKind::Domain) | None => Reader::Domain,
            },
        })
    }
}

/// What an agent's tokens cost and how they are kept, from its card and from what it can do.
fn terms(billing: &Billing, abilities: &Abilities) -> Terms {
    let marking = match abilities.cache {
        Cache::Boundaries(most) => Marking::Places(most),
        Cache::SystemAndLast | Cache::AnyPrefix => Marking::Whole,
        Cache::Conversation => Marking::Conversation,
        Cache::None => Marking::Nothing,
    };
    Terms::from_card(&billing.card, Lifetime::HalfDay)
        .with_context(billing.card.context_for(&billing.model).tokens)
        .marked_by(marking, &abilities.lifetimes)
}

/// What is asked for where nothing is weighed.
pub(crate) fn usual(agent: &dyn Agent, strategy: Strategy) -> Marks {
    terms(&agent.billing(), &agent.abilities()).usual(strategy, &Cached::default())
}

/// Which dispatch of its kind this is for the role, counted from 1.
fn seen(seat: &Seat, open: &Loop, order: &DispatchOrder) -> u32 {
    let author = order.ticket.role == open.author.role;
    let counts = |purpose: &Purpose| match purpose {
        Purpose::Draft | Purpose::Revise => author,
        Purpose::Review | Purpose::Validate | Purpose::Certify => !author,
        Purpose::Repair
        | Purpose::Implement
        | Purpose::Simplify
        | Purpose::Outline
        | Purpose::Tests
        | Purpose::Retro
        | Purpose::Judge
        | Purpose::Probe => false,
    };
    let rounds = seat.rounds.iter().filter(|(purpose, _)| counts(purpose));
    1 + rounds.map(|(_, rounds)| u32::from(*rounds)).sum::<u32>()
}

/// How many more dispatches of the role the loop's limits leave.
fn rounds_left(open: &Loop, seat: Option<&Seat>, order: &DispatchOrder) -> u32 {
    let limits = &open.opened.limits;
    let left = match order.ticket.purpose {
        Purpose::Certify => limits.reopenings.saturating_sub(open.reopened),
        purpose => {
            let most = seat.map_or(limits.rounds, |seat| open.rounds_max(seat.stage));
            most.saturating_sub(seat.map_or(1, |seat| shown_round(open, seat, purpose)))
        }
    };
    u32::from(left)
}

/// What may be used for the role's later dispatches.
fn later(open: &Loop, order: &DispatchOrder, allowed: &[Strategy], able: bool) -> Vec<Strategy> {
    let fresh = order.ticket.purpose == Purpose::Certify;
    let author = order.ticket.role == open.author.role;
    let may = |strategy: &Strategy| match strategy {
        Strategy::Inline => true,
        Strategy::Lazy => allowed.contains(&Strategy::Lazy) || !allowed.contains(&Strategy::Inline),
        Strategy::Digest => !author && !fresh && open.opened.may_digest(),
        Strategy::Resume => able && !fresh,
    };
    Strategy::ALL.into_iter().filter(may).collect()
}
