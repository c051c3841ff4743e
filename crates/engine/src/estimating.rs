//! Gathers the facts for an estimate: which agent plays which role at which price, what there is to read, how many
//! tasks there are, and what earlier features needed. The estimate itself is [`redraft_reports::estimate`]. Nothing is
//! sent or stored.

use crate::ending::EngineError;
use crate::ports::{Agents, Store};
use crate::values::Rules;
use redraft_core::pipeline::Pipeline;
use redraft_documents::tasks;
use redraft_facts::forecast::Forecast;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::usage::Usd;
use redraft_reports::estimate::{self, BillHistory, PaidAgent, Play, Reading, Tasks};
use redraft_roles::profile::RoleText;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The inputs of an estimate.
#[derive(Clone, Copy)]
pub struct Estimating<'a> {
    pub store: &'a dyn Store,
    pub agents: &'a dyn Agents,
    pub rules: &'a Rules,
    /// A file of the worktree, by its path; none where it is missing or unreadable.
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Estimating<'_> {
    /// What the rest of a feature is likely to cost.
    pub fn forecast(&self, state: &Pipeline) -> Result<Forecast, EngineError> {
        let Rules { extras, finish, certify, revises, until, budget, .. } = self.rules;
        let history = self.history()?;
        let tasks = self.tasks(state, &history);
        let play = Play { extras, retro: finish.retro, certify: *certify, revises: *revises };
        let mut parts = estimate::parts(state, play, tasks);
        parts.retain(|part| until.is_none_or(|until| part.phase <= until));
        let document = |name: &str| {
            let created = state.created.as_ref()?;
            let path = match &created.document {
                Some(document) if name == created.until.artifact() => document.clone(),
                _ => created.path_of(name),
            };
            Some(String::from_utf8_lossy(&(self.read)(&path)?).chars().count() as u64)
        };
        let own = self.rules.profiles.iter();
        let own = own.filter_map(|(role, text)| Some((role.clone(), RoleText::parse(text, role).ok()?)));
        let reading = Reading {
            document: &document,
            coming: state.phases().filter(|phase| !state.is_over(*phase)).collect(),
            own: own.collect(),
        };
        let left = Usd(budget.0.saturating_sub(state.money.counted().0));
        let player = |role: &Role| self.player(role);
        Ok(estimate::forecast(&parts, tasks, &player, &reading, &history, left))
    }

    /// None for a role that costs nothing here.
    fn player(&self, role: &Role) -> Option<PaidAgent> {
        let agent = self.agents.agent_for(role).ok()?;
        if agent.is_free() || agent.abilities().pull {
            return None;
        }
        let billing = agent.billing();
        Some(PaidAgent {
            agent: agent.name(),
            card: billing.card,
            model: billing.model,
            overhead: billing.overhead,
        })
    }

    fn history(&self) -> Result<BillHistory, EngineError> {
        let mut history = BillHistory::default();
        // Only agents that cost money show what an agent that costs money needs.
        let asked: RefCell<BTreeMap<AgentName, bool>> = RefCell::default();
        let counts = |name: &AgentName| {
            let paid = || self.agents.named(name).is_ok_and(|agent| !agent.is_free());
            *asked.borrow_mut().entry(name.clone()).or_insert_with(paid)
        };
        self.store
            .each_of(&BillHistory::KINDS, &mut |scope, entry| history.take(scope, &entry.event, &counts))?;
        Ok(history)
    }

    fn tasks(&self, state: &Pipeline, history: &BillHistory) -> Tasks {
        let Some(created) = &state.created else { return Tasks::None };
        let builds = state.phases().any(|phase| phase == Phase::Implement && !state.is_over(phase));
        if !builds || created.is_review() {
            return Tasks::None;
        }
        let planned = state.open.as_ref().filter(|open| open.opened.phase == Phase::Implement);
        if let Some(open) = planned {
            let owed = open.opened.tasks.iter().filter(|task| !task.ticked);
            return Tasks::Known(number(owed.count()));
        }
        // Where no list is made, the specification is the one task.
        if created.lane == Lane::Express || state.left_out(Phase::CreateTasks).is_some() {
            return Tasks::Known(1);
        }
        let text = (self.read)(&created.path_of(Phase::CreateTasks.artifact()));
        let list = text.and_then(|text| tasks::read(&String::from_utf8_lossy(&text)).ok());
        match list {
            Some(list) => Tasks::Known(number(list.tasks.len())),
            None => Tasks::Assumed(history.usual_tasks().unwrap_or(Tasks::USUAL)),
        }
    }
}

fn number(tasks: usize) -> u32 {
    u32::try_from(tasks).unwrap_or(u32::MAX)
}
