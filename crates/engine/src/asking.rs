//! Asks a person and has their answer stored ([`Journal::decide`](crate::Journal::decide)). What is asked and what it
//! settles is the machine's business.

use crate::driver::{EngineError, Run};
use crate::estimating::Estimating;
use redraft_core::estimate::Forecast;
use redraft_core::event::{About, Asked, Decision, Question};
use redraft_core::phase::{Lane, Phase};
use redraft_core::redact::Typed;
use redraft_core::review::Rejected;

impl Run<'_> {
    /// Stores a person's answer to the open question.
    pub fn decide(
        &mut self,
        choice: Decision,
        why: impl Into<Typed>,
        answers: Vec<impl Into<Typed>>,
    ) -> Result<(), EngineError> {
        let answers: Vec<Typed> = answers.into_iter().map(Into::into).collect();
        self.journal.decide(&self.rules.person, choice, &why.into(), &answers)?;
        self.project()
    }

    /// Stores that a person chose another lane or another end for the feature.
    pub fn set_lane(&mut self, lane: Lane, until: Phase, why: impl Into<Typed>) -> Result<(), EngineError> {
        let (by, why) = (self.rules.person.clone(), why.into());
        if !self.journal.set_lane(lane, until, &by, &why)? {
            let what = format!("lane {lane} until {until}");
            return Err(EngineError::Bug(Rejected { what }));
        }
        self.project()
    }

    pub(crate) fn ask(&mut self, question: Question) -> Result<Question, EngineError> {
        if !self.journal.was_asked(&question) {
            let estimate = self.expected(&question)?;
            self.journal.record(Asked { question: question.clone(), estimate })?;
            self.project()?;
        }
        Ok(question)
    }

    /// What is expected from here on, for the question before code is written; none where nothing costs money.
    fn expected(&self, question: &Question) -> Result<Option<Forecast>, EngineError> {
        if question.about != About::Begin {
            return Ok(None);
        }
        let workspace = self.parts.workspace;
        let read = |path: &str| workspace.read(path).ok().flatten();
        let (store, agents) = (self.parts.store, self.parts.agents);
        let forecast =
            Estimating { store, agents, rules: &self.rules, read: &read }.forecast(self.journal.state())?;
        Ok(Some(forecast).filter(|forecast| !forecast.roles.is_empty()))
    }
}
