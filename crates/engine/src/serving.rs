//! Serves hosts: hands out work and takes what they submit. Between the two no process holds the feature.

use crate::driver::Run;
use crate::ending::EngineError;
use crate::host::{HostWork, KeptConversations, Submission, SubmissionRefusal};
use crate::ports::{AgentError, CHECK_TOOL};
use crate::rechecking::CheckGrant;
use crate::spending::budget;
use crate::starting::{Short, tools};
use crate::values::RunPorts;
use redraft_core::pipeline;
use redraft_core::review::{DispatchOrder, Effect};
use redraft_cost::price::OverBudget;
use redraft_facts::choice::Strategy;
use redraft_facts::event::{AfterFailure, Event, Failed, Started};
use redraft_facts::fragment::Prompt;
use redraft_facts::ticket::Ticket;
use redraft_prompts::prompt::schema_for;

impl Run<'_> {
    /// Sends nothing itself: whatever is to be sent is left to hosts, or to another run.
    pub fn serve(&mut self) {
        self.serves = true;
    }

    /// Hears which conversations the host can still go on with; none where it keeps none. Takes back what is out to be
    /// done in another one, but for what the host says it has: that conversation is lost, and the work is given again as
    /// a whole.
    pub fn hear_kept(&mut self, names: Option<&[String]>, beside: &[Ticket]) -> Result<(), EngineError> {
        self.kept = KeptConversations::named(names, self.parts.redactor);
        let is_lost = |started: &&Started| {
            let goes_on = started.session.as_ref().is_some_and(|session| self.kept.has(session));
            started.choice.strategy == Strategy::Resume && !goes_on && !beside.contains(&started.ticket)
        };
        let out = self.journal.state().open.iter().flat_map(|open| open.handed_out());
        let lost: Vec<Ticket> = out.filter(is_lost).map(|started| started.ticket.clone()).collect();
        lost.iter().try_for_each(|ticket| self.recover(ticket))
    }

    /// Ends what a crash left open, reads what was answered, and returns what is out with hosts: after this, nothing
    /// else is under way.
    pub fn finish_open_dispatches(&mut self) -> Result<Vec<(Ticket, i64)>, EngineError> {
        loop {
            self.take_comments()?;
            let out = self.out()?;
            let is_out = |ticket: &Ticket| out.iter().any(|(one, _)| one == ticket);
            let next = pipeline::pending(self.journal.state()).into_iter().find(|effect| match effect {
                Effect::Recover(ticket) => !is_out(ticket),
                Effect::Snapshot(_) | Effect::Judge(_) => true,
                _ => false,
            });
            match next {
                Some(Effect::Recover(ticket)) => self.recover(&ticket)?,
                Some(Effect::Snapshot(ticket) | Effect::Judge(ticket)) => self.conclude(&ticket)?,
                _ => return Ok(out),
            }
        }
    }

    /// Stores that a host has this to do. Afterwards something else may be pending: a host cannot take a turn in a
    /// conversation that it does not have, so that turn is ordered again.
    pub fn hand_out(&mut self, order: &DispatchOrder) -> Result<Result<(), OverBudget>, EngineError> {
        let budget = budget(&self.journal, self.rules.budget);
        let mut starting = self.starting();
        let mark = starting.mark_round()?;
        if let Err(Short::Own(over) | Short::Shared(over)) = starting.start(order, &mark, budget)? {
            return Ok(Err(over));
        }
        let started = self.journal.started(&order.ticket);
        let resumed = started.filter(|started| started.choice.strategy == Strategy::Resume);
        if let Some(started) = resumed.filter(|started| !self.kept.continues(order, &started.agent)) {
            let ticket = order.ticket.clone();
            let own = order.conversation.as_ref().is_some_and(|talk| talk.agent == started.agent);
            let detail = match own {
                true => "the host no longer has the conversation".to_owned(),
                false => "a host cannot continue a conversation with another agent".to_owned(),
            };
            let (now, usage, undone) = (AfterFailure::FreshSession, AgentError::UNBILLED, Vec::new());
            self.journal.record(Failed { ticket, now, detail, usage, undone, forgot: None })?;
        }
        Ok(Ok(()))
    }

    /// What a host that has a ticket is given, as often as it asks; none where it is not out.
    pub fn work(&self, ticket: &Ticket) -> Result<Option<HostWork>, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(None) };
        let Some(started) = open.handed_out().find(|started| started.ticket == *ticket) else {
            return Ok(None);
        };
        let blob = self.parts.store.blob(&started.prompt)?;
        let unreadable = |error: serde_json::Error| {
            EngineError::Agent(format!("the stored prompt of {ticket} cannot be read: {error}"))
        };
        let prompt: Prompt = serde_json::from_slice(&blob).map_err(unreadable)?;
        let agent = self.parts.agents.agent_for(&ticket.role).map_err(EngineError::Agent)?;
        let (mut tools, _) = tools(ticket, &open.opened.panels, &self.loop_texts, agent.as_ref());
        let grant =
            CheckGrant::for_dispatch(open, ticket, started.sees.as_ref(), agent.player().kind, &self.rules);
        tools.extend(grant.map(|_| CHECK_TOOL.to_owned()));
        Ok(Some(HostWork {
            ticket: ticket.clone(),
            prompt,
            tools,
            schema: schema_for(ticket.purpose),
            folder: self.worktree().place_of(open, ticket)?,
            writes: self.worktree().may_write(open, ticket),
            expires_ms: started.expires_ms,
            conversation: started
                .session
                .as_ref()
                .filter(|_| started.choice.strategy == Strategy::Resume)
                .map(|session| session.to_string()),
        }))
    }

    /// What a host that has a ticket may have run, and until when; none where nothing may be.
    pub fn may_check(&self, ticket: &Ticket) -> Result<Option<(CheckGrant, i64)>, EngineError> {
        let Some(open) = &self.journal.state().open else { return Ok(None) };
        let Some(started) = open.handed_out().find(|started| started.ticket == *ticket) else {
            return Ok(None);
        };
        let agent = self.parts.agents.agent_for(&ticket.role).map_err(EngineError::Agent)?;
        let grant =
            CheckGrant::for_dispatch(open, ticket, started.sees.as_ref(), agent.player().kind, &self.rules);
        let session = started.session.as_ref().map_or("", |session| session.as_str());
        Ok(grant.map(|grant| (grant.in_session(session), started.expires_ms)))
    }

    /// Stores the result of a piece of work. The next drive finds out what it means.
    pub fn submit(
        &mut self,
        submission: &Submission<'_>,
    ) -> Result<Result<(), (SubmissionRefusal, String)>, EngineError> {
        let RunPorts { inbox, redactor, clock, boundaries, .. } = self.parts;
        let ticket = submission.ticket;
        boundaries.pass("before a submission is kept");
        let kept =
            submission.keep(self.journal.state(), self.journal.entries(), inbox, redactor, clock.now_ms())?;
        let outcome = match kept {
            Ok(outcome) => outcome,
            Err(refused) => return Ok(Err(refused)),
        };
        boundaries.pass("a submission is kept");
        // It was found to be out.
        let Some(started) = self.journal.started(ticket) else { return Ok(Ok(())) };
        let wall_ms = self.parts.clock.now_ms().saturating_sub(self.began_ms(ticket)).max(0) as u64;
        self.returning().store_answer(ticket, &started.tree, outcome, wall_ms)?;
        Ok(Ok(()))
    }

    fn began_ms(&self, ticket: &Ticket) -> i64 {
        let started = |event: &Event| matches!(event, Event::Started(fact) if fact.ticket == *ticket);
        let entry = self.journal.entries().iter().rev().find(|entry| started(&entry.event));
        entry.map_or(self.parts.clock.now_ms(), |entry| entry.at_ms)
    }
}
