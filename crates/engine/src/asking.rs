//! Asks a person. The machine decides what is asked and what an answer settles; `person` stores the answer.

use crate::ending::EngineError;
use crate::estimating::Estimating;
use crate::journal::Journal;
use crate::ports::{Agents, Workspace};
use crate::values::Rules;
use redraft_facts::event::{About, Asked, Question};
use redraft_facts::forecast::Forecast;

/// Asks questions.
pub(crate) struct Asking<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) workspace: &'r dyn Workspace,
    pub(crate) agents: &'r dyn Agents,
    pub(crate) rules: &'r Rules,
}

impl Asking<'_, '_> {
    /// Stores that this is asked; false where it was asked before.
    pub(crate) fn ask(&mut self, question: &Question) -> Result<bool, EngineError> {
        if self.journal.was_asked(question) {
            return Ok(false);
        }
        let estimate = self.expected(question)?;
        self.journal.record(Asked { question: question.clone(), estimate })?;
        Ok(true)
    }

    /// The expected cost from here on, for the question before code is written; none where nothing costs money.
    fn expected(&self, question: &Question) -> Result<Option<Forecast>, EngineError> {
        if question.about != About::Begin {
            return Ok(None);
        }
        let workspace = self.workspace;
        let read = |path: &str| workspace.read(path).ok().flatten();
        let (store, agents) = (self.journal.writer().store, self.agents);
        let forecast =
            Estimating { store, agents, rules: self.rules, read: &read }.forecast(self.journal.state())?;
        Ok(Some(forecast).filter(|forecast| !forecast.roles.is_empty()))
    }
}
