//! Performs one effect, and takes in what came back or was changed by others.

use super::Run;
use crate::building::title;
use crate::ending::{EngineError, Stop};
use crate::values::Subject;
use redraft_core::review::Effect;
use redraft_facts::event::{JobsSet, Question, StageClosed};
use redraft_facts::ids::Revision;
use redraft_facts::phase::Phase;
use redraft_facts::ticket::{Purpose, Ticket};

impl<'a> Run<'a> {
    pub(super) fn perform(&mut self, effect: Effect) -> Result<(), EngineError> {
        match effect {
            Effect::Open { phase: Phase::Finish, pass } => {
                let subject = self.finishing().subject()?;
                let bundle = Some(self.learning().bundle()?);
                let subject = Subject { bundle, ..subject };
                self.opening().begin(Phase::Finish, pass, subject)
            }
            Effect::Open { phase, pass } => self.opening().open(phase, pass),
            Effect::Check { revision, gate, empty } => self.check(revision, gate, empty),
            Effect::CloseStage { stage, outcome, round, revision } => {
                let pass = self.journal.open_loop()?.opened.pass;
                self.journal.record(StageClosed { pass, stage, outcome, round, revision })
            }
            Effect::TakeOut { before, files } => self.building().take_out(&before, files),
            Effect::Combine { tasks } => self.landing().combine(&tasks),
            Effect::Land { ticket, step } => {
                let title = title(self.journal.open_loop()?, &ticket);
                self.landing().land(&ticket, &step, &title)
            }
            Effect::WriteRetro { why } => self.learning().write_retro(None, None, Some(why)),
            Effect::LeaveBank { why } => self.learning().record_bank_unchanged(None, why),
            Effect::ApplyLessons => self.learning().apply_lessons(),
            Effect::ClosePhase { revision } => {
                if self.journal.open_loop()?.opened.phase == Phase::Finish {
                    self.learning().complete_retro()?;
                }
                self.closing().close_phase(revision)?;
                self.read_at = Some(self.journal.state().seq);
                Ok(())
            }
            // Taken out of the list before it comes here.
            Effect::Dispatch(_)
            | Effect::Ask(_)
            | Effect::Recover(_)
            | Effect::Snapshot(_)
            | Effect::Judge(_) => Ok(()),
        }
    }

    /// Carries out as many tasks at once as this run may: a host is given one after the other, and the main checkout is
    /// one place. What is out with a host is waited for. Puts the worktrees away when the last task has ended.
    pub(super) fn set_jobs(&mut self) -> Result<(), EngineError> {
        let Some(implementing) =
            self.journal.state().open.as_ref().and_then(|open| open.implementing.as_ref())
        else {
            return Ok(());
        };
        let Some((_, task)) = implementing.current() else {
            return self.put_slots_away();
        };
        let agent = self.parts.agents.agent_for(&task.seat.role).map_err(EngineError::Agent)?;
        let alone = self.serves || self.created.in_place || agent.abilities().pull;
        let jobs = if alone { 1 } else { self.rules.jobs };
        if implementing.landing.jobs == jobs {
            return Ok(());
        }
        self.journal.record(JobsSet { jobs, by: self.rules.person.clone() })
    }

    /// Removes the worktrees of tasks; whatever stood there is kept.
    pub(super) fn put_slots_away(&mut self) -> Result<(), EngineError> {
        if !std::mem::replace(&mut self.slots_away, true) {
            self.parts.slots.remove_all()?;
        }
        Ok(())
    }

    fn check(&mut self, revision: Revision, gate: String, empty: bool) -> Result<(), EngineError> {
        let open = self.journal.open_loop()?;
        let (is_end, is_code) = (open.finishing.is_some(), open.opened.is_code());
        if is_end {
            return self.finishing().check_merge(revision, gate);
        }
        if is_code {
            return self.checking().check_code(revision, gate, empty);
        }
        self.document_gates().check(revision, gate)
    }

    /// Reads an answer that came back.
    pub(crate) fn conclude(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        match ticket.purpose {
            purpose if purpose.judges() => self.concluding().judge(ticket),
            Purpose::Draft | Purpose::Revise => self.concluding().snapshot(ticket),
            Purpose::Retro => self.learning().store_retrospective(ticket),
            Purpose::Judge => self.learning().store_bank_judgement(ticket),
            _ => match self.journal.started(ticket).and_then(|started| started.slot) {
                Some(slot) => {
                    let title = title(self.journal.open_loop()?, ticket);
                    self.landing().enqueue(ticket, &slot, &title)
                }
                None => self.building().built(ticket),
            },
        }
    }

    pub(crate) fn recover(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let before = self.journal.state().money.counted();
        let slot = self.journal.started(ticket).and_then(|started| started.slot);
        let own = slot.map(|slot| self.parts.slots.as_it_is(slot.number, &slot.base)).transpose()?;
        self.recovering(own.as_deref()).recover(ticket)?;
        let after = self.journal.state().money.counted();
        if let Some(draw) = &mut self.draw {
            draw.was_spent_before(after - before);
        }
        Ok(())
    }

    /// Takes in what others changed: a person's edit, another state of a change under review, a branch that moved.
    pub(super) fn take_in_edits(&mut self) -> Result<bool, EngineError> {
        let is_end = self.journal.state().open.as_ref().is_some_and(|open| open.finishing.is_some());
        if self.change.is_some() {
            let mut change = self.change.take();
            let taken = change.as_mut().map(|change| self.edits().take_in_change(change));
            self.change = change;
            return taken.unwrap_or(Ok(false));
        }
        if is_end { self.finishing().take_in_merge() } else { self.edits().take_in() }
    }

    pub(super) fn ask(&mut self, question: Question) -> Result<Stop, EngineError> {
        if self.asking().ask(&question)? {
            self.project()?;
        }
        Ok(Stop::Asking(question))
    }
}
