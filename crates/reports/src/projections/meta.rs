//! Renders `.meta.json`: the state of a feature, for people and tools that read files.

use redraft_core::attribution::{Attribution, RoleAttribution};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::{Loop, LoopEnd};
use redraft_facts::event::{Entry, Event};
use redraft_facts::prelude::*;
use redraft_facts::probed::{MetAgent, Resume};
use redraft_facts::text::utc;
use serde::Serialize;

#[derive(Serialize)]
struct Meta {
    v: u16,
    id: String,
    slug: String,
    status: String,
    lane: String,
    /// Why it is in its lane.
    #[serde(skip_serializing_if = "String::is_empty")]
    lane_reason: String,
    created: String,
    branch: String,
    base: String,
    /// The project it belongs to, and the features that come before it.
    project_id: Option<String>,
    depends_on_features: Vec<String>,
    /// Where the PRD came from; nothing without one.
    brainstorm_source: Option<String>,
    /// Phases that a person left out, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    skipped_phases: BTreeMap<String, String>,
    /// Features that come before it and that a person went on without, with the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unblocked: BTreeMap<String, String>,
    /// Why conversations are not continued, as `V3: why`; absent where they may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    r1_deferred_reason: Option<String>,
    /// Whether the rehearsal agent, which judges nothing, wrote or judged any of what stands.
    rehearsed: bool,
    phases: BTreeMap<String, PhaseMeta>,
}

#[derive(Serialize)]
struct PhaseMeta {
    started: String,
    completed: Option<String>,
    passes: u16,
    /// Review rounds per role's stage.
    iterations: BTreeMap<String, u16>,
    revision: Option<String>,
    findings: BTreeMap<String, u32>,
    /// Who gave the last verdict of each role in the last pass.
    judged_by: Vec<RoleAttribution>,
}

pub fn meta(entries: &[Entry]) -> String {
    let mut state = Pipeline::default();
    let mut started: BTreeMap<String, i64> = BTreeMap::new();
    let mut completed: BTreeMap<String, i64> = BTreeMap::new();
    let mut skipped: BTreeMap<String, String> = BTreeMap::new();
    let mut unblocked: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::LoopOpened(opened) => {
                started.entry(opened.phase.name().to_owned()).or_insert(entry.at_ms);
            }
            Event::PhaseSkipped(fact) => {
                skipped.insert(fact.phase.name().to_owned(), fact.why.clone());
            }
            Event::WentBack(fact) => {
                skipped.remove(fact.phase.name());
            }
            Event::Unblocked(fact) => {
                unblocked.extend(fact.dependencies.iter().map(|name| (name.clone(), fact.why.clone())));
            }
            Event::PhaseClosed(closed) => {
                completed.insert(closed.phase.name().to_owned(), entry.at_ms);
            }
            _ => {}
        }
        if pipeline::fold(&mut state, &entry.event).is_err() {
            // What is stored was accepted before; a reader that cannot follow it shows what it has so far.
            break;
        }
    }
    let Some(created) = &state.created else { return String::new() };
    let mut phases = BTreeMap::new();
    for past in state.past.iter().chain(&state.open) {
        let name = past.opened.phase.name().to_owned();
        let (begun, done) = (started.get(&name).copied(), completed.get(&name).copied());
        phases.insert(name, phase_meta(past, &state.players, begun.unwrap_or_default(), done));
    }
    let meta = Meta {
        v: 1,
        id: created.id.to_string(),
        slug: created.slug.clone(),
        status: state.life().name().to_owned(),
        lane: created.lane.name().to_owned(),
        lane_reason: created.lane_reason.clone(),
        created: entries.first().map(|entry| utc(entry.at_ms)).unwrap_or_default(),
        branch: created.branch.clone(),
        base: if created.base_branch.is_empty() { &created.base_commit } else { &created.base_branch }
            .clone(),
        project_id: created.project.clone(),
        depends_on_features: created.depends_on.clone(),
        brainstorm_source: created
            .brainstorm_source
            .clone()
            .or_else(|| created.prd.as_ref().map(|_| "prd.md".to_owned())),
        skipped_phases: skipped,
        unblocked,
        r1_deferred_reason: deferred_reason(&state.met),
        rehearsed: state.is_rehearsed(),
        phases,
    };
    let mut json = serde_json::to_string_pretty(&meta).expect("meta holds only strings, numbers and maps");
    json.push('\n');
    json
}

/// The agents that a feature works with and that are not resumed, as they were when it last met them.
pub fn not_resumed(entries: &[Entry]) -> Vec<&MetAgent> {
    let last = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::AgentsMet(met) => Some(&met.agents),
        _ => None,
    });
    last.into_iter().flatten().filter(|met| met.resume == Resume::No).collect()
}

/// The reasons why some of the agents are not resumed, each once; none where all are resumed.
pub fn deferred_reason<'a>(met: impl IntoIterator<Item = &'a MetAgent>) -> Option<String> {
    let off = met.into_iter().filter(|met| met.resume == Resume::No);
    let reasons: BTreeSet<&str> = off.map(|met| met.why.as_str()).collect();
    let reasons: Vec<&str> = reasons.into_iter().collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn phase_meta(of: &Loop, players: &Attribution, started: i64, completed: Option<i64>) -> PhaseMeta {
    let mut findings: BTreeMap<String, u32> = BTreeMap::new();
    for finding in &of.findings {
        *findings.entry(finding.status.name().to_owned()).or_default() += 1;
    }
    let iterations = of.reviewers.iter().map(|seat| {
        let rounds = of.stages.get(usize::from(seat.stage)).map_or(0, |stage| stage.rounds);
        (seat.role.to_string(), rounds)
    });
    let closed = matches!(of.end, Some(LoopEnd::Closed(_)));
    PhaseMeta {
        started: utc(started),
        completed: completed.filter(|_| closed).map(utc),
        passes: of.opened.pass,
        iterations: iterations.collect(),
        revision: of.revision.as_ref().map(|revision| revision.to_string()),
        findings,
        judged_by: players.judges(of),
    }
}
