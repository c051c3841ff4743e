//! Sending: choose how, store that we will, send, keep what comes back. How it is chosen is in `choosing`.

use crate::beside::beside;
use crate::building::is_code;
use crate::choosing::Chosen;
use crate::compose::{Papers, source};
use crate::driver::{EngineError, Parts, Run, Stop};
use crate::ports::{Agent, AgentError, Cache, Outcome, Request, Resume, Watch};
use crate::purse::{End, Keeper};
use redraft_core::event::{Answered, Failed, Now, Panel, Player, Started, TreeMark};
use redraft_core::ids::{AgentName, Revision, SessionId};
use redraft_core::pipeline;
use redraft_core::policy::{Choice, Strategy};
use redraft_core::price::{Budget, OverBudget};
use redraft_core::probe::{AgentsMet, MetAgent, Resumable};
use redraft_core::profile;
use redraft_core::project;
use redraft_core::prompt::{Fragment, Prompt, schema_for};
use redraft_core::redact::Redactor;
use redraft_core::review::{Effect, Order};
use redraft_core::text;
use redraft_core::ticket::{Purpose, Ticket};
use redraft_core::usage::{Usage, Usd};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A dispatch whose start is stored.
pub(crate) struct Sent {
    request: Request,
    agent: Arc<dyn Agent>,
    mark: TreeMark,
    reserved: Usd,
}

/// What became of it.
struct Back {
    sent: Sent,
    result: Result<Outcome, AgentError>,
    wall_ms: u64,
}

impl Run<'_> {
    /// Sends all orders of one round side by side and stores what comes back, in the order they were sent. Those
    /// that do not fit the budget together wait until the others are billed; if none fits, that is the end.
    pub(crate) fn dispatch(&mut self, orders: Vec<Order>) -> Result<Option<Stop>, EngineError> {
        if orders.is_empty() {
            return Ok(None);
        }
        let mark = self.mark_round()?;
        let mut budget = Budget {
            limit: self.rules.budget,
            spent: self.journal.state().money.counted(),
            in_flight: Usd(0),
        };
        let mut sent = Vec::new();
        for order in orders {
            match self.start(&order, &mark, budget)? {
                Ok(started) => {
                    budget.in_flight = budget.in_flight + started.reserved;
                    sent.push(started);
                }
                Err(over) if sent.is_empty() => {
                    return Ok(Some(Stop::OverBudget { ticket: order.ticket, over }));
                }
                Err(_) => break,
            }
        }
        share(&mut sent, budget.left());
        let backs = self.send_all(sent)?;
        let (mut wait_ms, mut parked) = (0, None);
        for back in backs {
            match self.store_back(back)? {
                Some(Now::Wait(ms)) => wait_ms = ms.max(wait_ms),
                Some(Now::ParkUntil(until_ms)) => parked = parked.max(Some(until_ms)),
                _ => {}
            }
        }
        let goes_on =
            || pipeline::pending(self.journal.state()).iter().any(|next| matches!(next, Effect::Dispatch(_)));
        if wait_ms > 0 && parked.is_none() && goes_on() {
            self.parts.clock.wait_ms(wait_ms);
        }
        Ok(parked.map(Stop::Parked))
    }

    /// Looks whether a round can be sent at all, and marks where the worktree stands before it.
    pub(crate) fn mark_round(&mut self) -> Result<TreeMark, EngineError> {
        self.experience.catch_up(&self.journal);
        let first = self.kept_mark.is_empty();
        // Nothing is committed to a change that is only reviewed.
        if first && self.change.is_none() {
            self.parts.workspace.may_commit(self.journal.open_loop()?.artifact())?;
        }
        self.meet_agents()?;
        let mark = self.parts.workspace.mark(&self.projections())?;
        let builds = is_code(&self.journal.open_loop()?.opened) && self.change.is_none();
        self.unseen = if builds { Some(self.parts.workspace.unseen()?) } else { None };
        if self.kept_mark != mark.work {
            // What a crash is undone to must outlive `git gc`.
            self.parts
                .workspace
                .keep(&format!("{}/mark", self.created.id), &Revision::new(mark.work.clone()))?;
            self.kept_mark.clone_from(&mark.work);
        }
        Ok(mark)
    }

    /// Stores which agents the loop works with and whether they may be resumed, whenever that has changed.
    fn meet_agents(&mut self) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let roles = open.seats().map(|seat| &seat.role);
        let mut met: BTreeMap<AgentName, MetAgent> = BTreeMap::new();
        for role in roles {
            let agent = self.parts.agents.agent_for(role).map_err(EngineError::Agent)?;
            let Resumable { resume, why } = self.resumable(agent.as_ref());
            let (agent, version) = (agent.name(), agent.describe());
            met.insert(agent.clone(), MetAgent { agent, version, resume, why });
        }
        let agents: Vec<MetAgent> = met.into_values().collect();
        if agents == self.journal.state().met {
            return Ok(());
        }
        self.journal.record(AgentsMet { agents })
    }

    /// Whether an agent may be resumed: what it can do by itself, and what probes and earlier dispatches showed.
    pub(crate) fn resumable(&self, agent: &dyn Agent) -> Resumable {
        match agent.abilities().resume {
            Resume::No => {
                Resumable { resume: Resume::No, why: "V2: the agent keeps no conversations".to_owned() }
            }
            Resume::Yes | Resume::Unproved => {
                self.experience.records.resumable(&agent.name(), &agent.describe())
            }
        }
    }

    pub(crate) fn start(
        &mut self,
        order: &Order,
        mark: &TreeMark,
        budget: Budget,
    ) -> Result<Result<Sent, OverBudget>, EngineError> {
        self.experience.catch_up(&self.journal);
        let agent = self.parts.agents.agent_for(&order.ticket.role).map_err(EngineError::Agent)?;
        let panels = &self.journal.open_loop()?.opened.panels;
        let (tools, missing) = tools(&order.ticket, panels, self.setting().papers, agent.as_ref());
        let pull = agent.abilities().pull;
        let order = &if pull { for_host(order) } else { order.clone() };
        let Chosen { mut composed, mut choice, marks, markers } =
            self.choose(order, agent.as_ref(), &missing)?;
        if pull {
            choice = Choice::new(choice.strategy, "a host reads by itself and tells no cost");
        }
        redact(&mut composed.prompt, self.parts.redactor);
        let resume = choice.strategy == Strategy::Resume;
        let conversation = order.conversation.as_ref().filter(|_| resume);
        let session = match conversation {
            Some(conversation) => conversation.id.clone(),
            None => SessionId::new(self.parts.store.session_name(&order.ticket.to_string())),
        };
        let prompt_chars = composed.prompt.chars();
        let request = Request {
            ticket: order.ticket.clone(),
            prompt: composed.prompt,
            marks,
            tools,
            schema: schema_for(order.ticket.purpose),
            session: session.clone(),
            resume,
            folder: self.place_of(&order.ticket)?,
            may_write: self.may_write(&order.ticket)?,
            shares: !resume && self.has_peers(&order.ticket)?,
            deadlines: self.rules.deadlines,
            max_usd: Some(budget.left()),
        };
        let needs = order.needs.as_ref().filter(|(name, _)| *name == agent.name()).map(|(_, needs)| *needs);
        let reserved = agent.reserve(&request).max(needs.unwrap_or_default());
        if let Err(over) = budget.reserve(reserved) {
            return Ok(Err(over));
        }
        let blob = serde_json::to_vec(&request.prompt).unwrap_or_default();
        let started = Started {
            ticket: order.ticket.clone(),
            agent: agent.name(),
            sees: order.sees.clone(),
            since: order.since.clone(),
            choice,
            prompt: text::hash(&blob),
            prompt_chars,
            context_chars: conversation
                .map_or(composed.context_chars, |conversation| conversation.context_chars),
            session: Some(session),
            tree: mark.clone(),
            reserved,
            expires_ms: self.parts.clock.now_ms().saturating_add_unsigned(self.rules.deadlines.total_ms),
            markers,
            missing,
            told: composed.told,
            pull,
            player: redacted(agent.player(), self.parts.redactor),
        };
        self.parts.boundaries.pass("before a start is stored");
        self.journal.append(vec![started.into()], &[blob])?;
        self.parts.boundaries.pass("after a start is stored");
        Ok(Ok(Sent { request, agent, mark: mark.clone(), reserved }))
    }

    /// The artifact for an author, code for who builds, nothing for a reviewer.
    pub(crate) fn may_write(&self, ticket: &Ticket) -> Result<Vec<String>, EngineError> {
        let open = self.journal.open_loop()?;
        Ok(match ticket.purpose {
            purpose if purpose.judges() => Vec::new(),
            // It thinks of tests before anybody looks at code.
            Purpose::Outline | Purpose::Probe => Vec::new(),
            // The page is made of its answer, so that every number on it is the ledger's.
            Purpose::Retro | Purpose::Judge => Vec::new(),
            _ if is_code(&open.opened) => self.may_build(),
            _ => vec![open.artifact().to_owned()],
        })
    }

    /// Where a dispatch works: in the worktree, but who thinks of tests before looking at code beside the documents alone,
    /// because some agents can read all that is in the folder they are started in.
    pub(crate) fn place_of(&self, ticket: &Ticket) -> Result<PathBuf, EngineError> {
        if ticket.purpose != Purpose::Outline {
            return Ok(self.parts.workspace.folder());
        }
        let panels = &self.journal.open_loop()?.opened.panels;
        let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, panels);
        let names = profile.iter().flat_map(|profile| profile.artifacts);
        let mut files: Vec<String> = names.map(|name| self.created.path_of(name)).collect();
        files.extend(source(&self.created).map(str::to_owned));
        Ok(self.parts.workspace.apart(&files)?)
    }

    /// Whether several reviewers are asked about the same at once, so that their prompts begin alike.
    fn has_peers(&self, ticket: &Ticket) -> Result<bool, EngineError> {
        let panels = &self.journal.open_loop()?.opened.panels;
        let sits = |panel: &Panel| panel.roles.iter().any(|seat| seat.role == ticket.role);
        Ok(ticket.purpose.judges() && panels.iter().any(|panel| panel.roles.len() > 1 && sits(panel)))
    }

    /// What may differ after a dispatch without being undone: what the role may write, and our own projections.
    pub(crate) fn may_differ(&self, ticket: &Ticket) -> Result<Vec<String>, EngineError> {
        let mut paths = self.may_write(ticket)?;
        paths.extend(self.projections());
        Ok(paths)
    }

    pub(crate) fn projections(&self) -> Vec<String> {
        project::FILES.iter().map(|name| self.created.path_of(name)).collect()
    }

    fn send_all(&mut self, sent: Vec<Sent>) -> Result<Vec<Back>, EngineError> {
        let parts = self.parts;
        let tickets = sent.iter().map(|sent| sent.request.ticket.clone()).collect();
        let mut keeper =
            Keeper { run: self, tickets, done: BTreeMap::new(), trouble: None, owed: BTreeMap::new() };
        let work = |place: usize, watch: &dyn Watch| send(&parts, &sent[place], watch);
        let ends = beside(&after(&sent), parts.clock, work, &mut keeper);
        let Keeper { trouble, owed, .. } = keeper;
        let backs = sent.into_iter().zip(ends).map(|(sent, end)| {
            let (result, wall_ms) = end.unwrap_or_else(|| Err(crashed()))?;
            Ok(Back { sent, result, wall_ms })
        });
        match trouble {
            None => backs.collect(),
            Some(trouble) => {
                let backs = backs.filter_map(Result::ok).collect();
                // Whoever held the ledger may have let go of it; if not, what happened is the first trouble.
                let _ = self.store_late(backs, &owed);
                Err(trouble)
            }
        }
    }

    /// Stores what was spent and answered while the ledger could not be written. Who was cut off for that reason has not
    /// failed; the next run settles it.
    fn store_late(&mut self, backs: Vec<Back>, owed: &BTreeMap<Ticket, Usd>) -> Result<(), EngineError> {
        for (ticket, total) in owed {
            self.owe(ticket, *total)?;
        }
        for back in backs.into_iter().filter(|back| back.result.is_ok()) {
            self.store_back(back)?;
        }
        Ok(())
    }

    /// An answer without secrets, before anything is done with it.
    pub(crate) fn clean(&self, outcome: Outcome) -> Outcome {
        clean(outcome, self.parts.redactor)
    }

    /// Stores one end; returns what the agent's error means for the next step.
    fn store_back(&mut self, back: Back) -> Result<Option<Now>, EngineError> {
        let Back { sent, result, wall_ms } = back;
        let ticket = sent.request.ticket;
        match result {
            Ok(outcome) => self.store_answer(&ticket, &sent.mark, outcome, wall_ms).map(|()| None),
            Err(error) if error.interrupted => {
                let cost = error.usage.map(|usage| usage.cost);
                self.lose(&ticket, &sent.mark, cost).map(|()| None)
            }
            Err(error) => {
                // A failed attempt leaves nothing behind, not even what its role may write.
                let undone =
                    self.parts.workspace.restore(&sent.mark, &self.projections(), &ticket.to_string())?;
                let AgentError { now, detail, usage, .. } = error;
                let usage = usage.map(Usage::bounded);
                let now = bounded(now, self.parts.clock.now_ms());
                let mut detail = text::one_line(&self.parts.redactor.redact(&detail).0, 200);
                for left in self.parts.workspace.left_refs(&ticket.to_string())? {
                    detail.push_str(&format!("; {left}"));
                }
                self.parts.boundaries.pass("before a failure is stored");
                self.journal.record(Failed { ticket, now, detail, usage, undone })?;
                self.parts.boundaries.pass("after a failure is stored");
                Ok(Some(now))
            }
        }
    }

    /// What an agent left in the worktree that no commit holds: nobody reviews it, and no check sees it. Told once.
    fn left_unseen(&mut self) -> Result<Option<String>, EngineError> {
        const NAMED_MAX: usize = 10;
        let Some(before) = &self.unseen else { return Ok(None) };
        let now = self.parts.workspace.unseen()?;
        let new: Vec<&str> = now.difference(before).map(String::as_str).collect();
        let shown: Vec<String> = new.iter().take(NAMED_MAX).map(|line| text::one_line(line, 120)).collect();
        let more = match new.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let told = format!("left in the worktree and in no commit: {}{more}", shown.join(", "));
        let told = (!shown.is_empty()).then_some(told);
        self.unseen = Some(now);
        Ok(told)
    }

    pub(crate) fn store_answer(
        &mut self,
        ticket: &Ticket,
        mark: &TreeMark,
        outcome: Outcome,
        wall_ms: u64,
    ) -> Result<(), EngineError> {
        let undone = self.parts.workspace.restore(mark, &self.may_differ(ticket)?, &ticket.to_string())?;
        let mut left = self.parts.workspace.left_refs(&ticket.to_string())?;
        left.extend(self.left_unseen()?);
        let blob = outcome.text.into_bytes();
        let answered = Answered {
            ticket: ticket.clone(),
            answer: text::hash(&blob),
            usage: outcome.usage.bounded(),
            session: outcome.session,
            opened: outcome.opened,
            undone,
            wall_ms,
            denials: outcome.denials,
            notes: outcome.notes.into_iter().chain(left).collect(),
            formless: outcome.formless,
            asked_ms: outcome.asked_ms,
            requests: outcome.requests,
            hand: outcome.hand,
            payment: outcome.payment,
            unknown: outcome.unknown,
        };
        self.journal.append(vec![answered.into()], &[blob])?;
        self.parts.boundaries.pass("the answer is stored");
        Ok(())
    }
}

/// What each can be told that it may cost at the most. What nobody reserved is divided, so that no dollar is promised
/// twice; who keeps to [`Watch::afford`] may come to more.
fn share(sent: &mut [Sent], left: Usd) {
    let each = left.0 / (sent.len() as u64).max(1);
    for Sent { request, reserved, .. } in sent {
        request.max_usd = Some(*reserved + Usd(each));
    }
}

/// Who waits for whom: of several new conversations with one agent that caches, the first pays for what they share, and
/// the others begin when it has begun to answer.
fn after(sent: &[Sent]) -> Vec<Option<usize>> {
    let shares = |sent: &Sent| !sent.request.resume && sent.agent.abilities().cache != Cache::None;
    let first = |place: usize| {
        let same = |other: &Sent| shares(other) && other.agent.name() == sent[place].agent.name();
        sent[..place].iter().position(same)
    };
    (0..sent.len()).map(|place| first(place).filter(|_| shares(&sent[place]))).collect()
}

fn send(parts: &Parts<'_>, sent: &Sent, watch: &dyn Watch) -> End {
    let began = parts.clock.moment();
    let result = sent.agent.run(&sent.request, watch);
    let result = result.map(|outcome| clean(outcome, parts.redactor));
    // What cannot be continued is not remembered, or the machine would order a turn in it.
    let able = sent.agent.abilities().resume != Resume::No;
    let result = result.map(|outcome| Outcome { session: outcome.session.filter(|_| able), ..outcome });
    parts.boundaries.pass("the agent answered");
    if let Ok(outcome) = &result {
        let ticket = &sent.request.ticket;
        let kept = parts.inbox.put(ticket, sent.request.session.as_str(), outcome);
        kept.map_err(|detail| EngineError::Inbox { ticket: ticket.clone(), detail })?;
        parts.boundaries.pass("the answer is kept");
    }
    Ok((result, parts.clock.moment().ms_since(began)))
}

pub(crate) fn clean(mut outcome: Outcome, redactor: &Redactor) -> Outcome {
    outcome.text = redactor.redact(&outcome.text).0.into_owned();
    outcome.denials = told(&outcome.denials, redactor);
    outcome.notes = told(&outcome.notes, redactor);
    outcome
}

/// What an agent told beside its answer: without secrets, a line each, and not more than somebody would read.
pub(crate) fn told(lines: &[String], redactor: &Redactor) -> Vec<String> {
    const LINES_MAX: usize = 20;
    const CHARS_MAX: usize = 200;
    let clean = |line: &String| text::one_line(&redactor.redact(line).0, CHARS_MAX);
    let mut told: Vec<String> = lines.iter().take(LINES_MAX).map(clean).collect();
    if lines.len() > LINES_MAX {
        told.push(format!("… and {} more", lines.len() - LINES_MAX));
    }
    told
}

/// Takes secrets out before anything is hashed, stored or sent.
pub(crate) fn redact(prompt: &mut Prompt, redactor: &Redactor) {
    let lists = [&mut prompt.constant, &mut prompt.feature, &mut prompt.role, &mut prompt.turn];
    let mut taken_out = false;
    for fragment in lists.into_iter().flatten() {
        if let Cow::Owned(clean) = redactor.redact(&fragment.text).0 {
            fragment.text = clean;
            taken_out = true;
        }
    }
    if taken_out {
        prompt.turn.push(Fragment::new("taken-out", TAKEN_OUT));
    }
}

/// Said to a role that is not shown everything, so that nothing is approved in silence that stands in such a place.
const TAKEN_OUT: &str = "## What Was Taken Out\n\n\
    Where `[redacted:…]` stands above, the engine has taken out what looks like a secret. The file holds another text there, \
    which nobody has shown you. It need be no secret: code and data can be written so that they look like one. Judge how that \
    place is used, and where it is run, loaded or decoded, and you cannot see what it holds, say so in a finding.\n";

/// A host says itself what it is called.
pub(crate) fn redacted(player: Player, redactor: &Redactor) -> Player {
    let clean = |text: &str| redactor.redact(text).0.into_owned();
    let Player { kind, program, version, model } = player;
    Player::new(kind, &clean(&program), &clean(&version), &clean(&model))
}

/// An order as a host is given it: whole, because it continues no conversation here, and to be read by itself.
fn for_host(order: &Order) -> Order {
    let mut order = order.clone();
    if order.allowed.contains(&Strategy::Lazy) {
        order.allowed = vec![Strategy::Lazy];
    }
    order
}

/// The tools of a role: those its agent offers, and those it does not.
pub(crate) fn tools(
    ticket: &Ticket,
    panels: &[Panel],
    papers: &Papers,
    agent: &dyn Agent,
) -> (Vec<String>, Vec<String>) {
    let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, panels);
    let named = profile.map(|profile| match papers.profiles.get(&ticket.role) {
        Some(own) => own.tools(profile),
        None => profile.tools.to_vec(),
    });
    let mut tools: Vec<String> = named.unwrap_or_default().into_iter().map(str::to_owned).collect();
    let missing = agent.missing(&tools);
    tools.retain(|tool| !missing.contains(tool));
    (tools, missing)
}

/// Nobody sits through a long wait; the run is parked instead, and not for ever: a limit that lasts longer is met again.
fn bounded(now: Now, now_ms: i64) -> Now {
    const WAIT_MS_MAX: u64 = 15 * 60 * 1000;
    const PARK_MS_MAX: u64 = 7 * 24 * 60 * 60 * 1000;
    match now {
        Now::Wait(ms) if ms > WAIT_MS_MAX => {
            Now::ParkUntil(now_ms.saturating_add_unsigned(ms.min(PARK_MS_MAX)))
        }
        Now::ParkUntil(until_ms) => Now::ParkUntil(until_ms.min(now_ms.saturating_add_unsigned(PARK_MS_MAX))),
        now => now,
    }
}

pub(crate) fn crashed() -> EngineError {
    EngineError::Agent("an agent's thread ended in a panic; this is a bug in redraft".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_becomes_a_park_that_ends() {
        assert_eq!(bounded(Now::Wait(60_000), 1_000), Now::Wait(60_000));
        assert_eq!(bounded(Now::Wait(86_400_000), 1_000), Now::ParkUntil(86_401_000));
        assert_eq!(bounded(Now::Wait(u64::MAX), 1_000), Now::ParkUntil(604_801_000));
        assert_eq!(bounded(Now::ParkUntil(86_401_000), 1_000), Now::ParkUntil(86_401_000));
        assert_eq!(bounded(Now::ParkUntil(i64::MAX), 1_000), Now::ParkUntil(604_801_000));
        assert_eq!(bounded(Now::GiveUp, 1_000), Now::GiveUp);
    }
}
