//! Asks a person and stores what they answer. What is asked and what it settles is the machine's business.

use crate::driver::{EngineError, Run};
use crate::estimating::Estimating;
use redraft_core::estimate::Forecast;
use redraft_core::event::{About, Asked, Decision, Event, LaneSet, Question};
use redraft_core::phase::{Lane, Phase};
use redraft_core::review;

impl Run<'_> {
    /// Stores a person's answer to the open question.
    pub fn decide(&mut self, choice: Decision, why: &str, answers: Vec<String>) -> Result<(), EngineError> {
        let open = self.state.open.as_ref().ok_or(EngineError::NothingAsked)?;
        let question = review::question(open).ok_or(EngineError::NothingAsked)?;
        if !question.choices.contains(&choice) {
            return Err(EngineError::NotAChoice { choice, question });
        }
        let clean = |answer: String| self.parts.redactor.redact(&answer).0.into_owned();
        let mut decided = review::decision(open, &question, choice, &self.rules.person, why);
        decided.answers = answers.into_iter().map(clean).collect();
        let mut events: Vec<Event> = Vec::new();
        if !self.already_asked(&question) {
            events.push(Asked { question, estimate: None }.into());
        }
        events.push(decided.into());
        self.append(events, &[])?;
        self.project()
    }

    /// Stores that a person chose another lane or another end for the feature.
    pub fn set_lane(&mut self, lane: Lane, until: Phase, why: &str) -> Result<(), EngineError> {
        let (by, why) = (self.rules.person.clone(), why.to_owned());
        self.append(vec![LaneSet { lane, until, by, why }.into()], &[])?;
        self.project()
    }

    pub(crate) fn ask(&mut self, question: Question) -> Result<Question, EngineError> {
        if !self.already_asked(&question) {
            let estimate = self.expected(&question)?;
            self.append(vec![Asked { question: question.clone(), estimate }.into()], &[])?;
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
        let forecast = Estimating { store, agents, rules: &self.rules, read: &read }.forecast(&self.state)?;
        Ok(Some(forecast).filter(|forecast| !forecast.roles.is_empty()))
    }

    fn already_asked(&self, question: &Question) -> bool {
        self.entries
            .iter()
            .rev()
            .any(|entry| matches!(&entry.event, Event::Asked(asked) if asked.question == *question))
    }
}
