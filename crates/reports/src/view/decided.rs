//! Who decided what: people who were asked or changed the course, and the roles that built.

use crate::decisions::{DecisionKind, Resolution, resolutions};
use crate::projections::line_in;
use redraft_core::pipeline::Pipeline;
use redraft_facts::event::{Asked, Decided, Decision, Entry, Event};
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionView {
    pub at_ms: i64,
    pub sort: DecisionSort,
    pub phase: Option<Phase>,
    /// A person's name, or a role.
    pub by: String,
    /// What was asked; empty where nobody asked.
    pub asked: String,
    /// What was chosen; empty where there was no choice.
    pub choice: String,
    pub text: String,
    /// The task it was made in.
    pub task: Option<String>,
    /// The findings it settles or touches.
    pub findings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecisionSort {
    /// A person answered a question.
    Answer,
    /// A person changed the course without being asked; the text says who.
    Course,
    /// Whoever built decided, deviated from the plan, or has a concern.
    Decision,
    Deviation,
    Concern,
}

impl DecisionSort {
    pub fn name(self) -> &'static str {
        match self {
            DecisionSort::Answer => "answer",
            DecisionSort::Course => "course",
            DecisionSort::Decision => "decision",
            DecisionSort::Deviation => "deviation",
            DecisionSort::Concern => "concern",
        }
    }
}

pub(super) fn decisions(state: &Pipeline, entries: &[Entry]) -> Vec<DecisionView> {
    let Some(created) = &state.created else { return Vec::new() };
    let mut all: Vec<DecisionView> =
        resolutions(&created.scope(), entries).into_iter().filter_map(reported).collect();
    let (mut asked, mut phase): (Option<&Asked>, Option<Phase>) = (None, None);
    for entry in entries {
        match &entry.event {
            Event::LoopOpened(opened) => phase = Some(opened.phase),
            Event::Asked(fact) => asked = Some(fact),
            Event::Decided(fact) => {
                let asked = asked.take().filter(|asked| asked.question.number == fact.number);
                all.push(answer(fact, asked, entry.at_ms, fact.phase.or(phase)));
            }
            event => all.extend(course(event, phase).map(|by| DecisionView {
                at_ms: entry.at_ms,
                sort: DecisionSort::Course,
                phase,
                by,
                asked: String::new(),
                choice: String::new(),
                text: line_in(event, phase, None),
                task: None,
                findings: Vec::new(),
            })),
        }
    }
    all.sort_by_key(|one| one.at_ms);
    all
}

/// What roles said in their reports. What people decided is taken from the events themselves: it also holds what
/// settles nothing, such as that code may be written.
fn reported(one: Resolution) -> Option<DecisionView> {
    let sort = match one.kind {
        DecisionKind::Decision => DecisionSort::Decision,
        DecisionKind::Deviation => DecisionSort::Deviation,
        DecisionKind::Concern => DecisionSort::Concern,
        DecisionKind::Ruling => return None,
    };
    Some(DecisionView {
        at_ms: one.at_ms,
        sort,
        phase: Some(one.phase),
        by: one.by,
        asked: one.asked,
        choice: String::new(),
        text: one.text,
        task: one.work.and_then(|work| work.task),
        findings: one.findings.iter().map(|tied| tied.id.to_string()).collect(),
    })
}

fn answer(fact: &Decided, asked: Option<&Asked>, at_ms: i64, phase: Option<Phase>) -> DecisionView {
    let answers = fact.answers.iter().filter(|answer| !answer.trim().is_empty()).cloned();
    let why = Some(fact.why.clone()).filter(|why| !why.trim().is_empty());
    let said: Vec<String> = if fact.choice == Decision::Answer { answers.collect() } else { Vec::new() };
    DecisionView {
        at_ms,
        sort: DecisionSort::Answer,
        phase,
        by: fact.by.clone(),
        asked: asked.map(|asked| asked.question.text.clone()).unwrap_or_default(),
        choice: fact.choice.name().to_owned(),
        text: said.into_iter().chain(why).collect::<Vec<_>>().join("\n"),
        task: None,
        findings: fact.ruled.iter().map(ToString::to_string).collect(),
    }
}

/// The person who changed the course of the feature by this, if it is such an event.
fn course(event: &Event, phase: Option<Phase>) -> Option<String> {
    match event {
        Event::LaneSet(fact) => Some(fact.by.clone()),
        Event::PhaseSkipped(fact) => Some(fact.by.clone()),
        Event::WentBack(fact) => Some(fact.by.clone()),
        Event::Commented(fact) => Some(fact.by.clone()),
        Event::Unblocked(fact) => Some(fact.by.clone()),
        Event::BudgetSet(fact) => Some(fact.by.clone()),
        Event::CostCorrected(fact) => Some(fact.by.clone()),
        Event::Cancelled(fact) => Some(fact.by.clone()),
        Event::Merged(fact) => Some(fact.by.clone()),
        Event::Adopted(fact) => Some(fact.by.clone()),
        // In the last phase it is the branch that moved.
        Event::Edited(fact) if phase != Some(Phase::Finish) => Some(fact.by.clone()),
        _ => None,
    }
}
