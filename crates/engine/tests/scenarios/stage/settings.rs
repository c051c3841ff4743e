//! The feature and the rules of a scenario, and what its settings change of them.

use super::Stage;
use crate::script::Setting;
use crate::world::{BRANCH, FEATURE, SETUP, SLUG, World};
use redraft_documents::lint::{self, LintLevel, Rule};
use redraft_engine::ports::{Deadlines, Resume};
use redraft_engine::{DocsGate, Finish, Rules};
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, FeatureCreated, Limits, PlayerKind};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{BlobId, FeatureUuid};
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::usage::Usd;
use std::collections::BTreeMap;

impl Stage<'_> {
    pub(super) fn set(&mut self, setting: &Setting, created: &mut FeatureCreated) {
        let limits = &mut self.rules.limits;
        let agent = |name: &str| match name {
            "scripted" => self.agents.first(),
            name => self.agents.add(name),
        };
        match setting {
            Setting::Until(phase) => created.until = *phase,
            Setting::RestsAfter(phase) => self.rules.until = Some(*phase),
            Setting::Lane(lane) => created.lane = *lane,
            Setting::Certify(certify) => self.rules.certify = *certify,
            Setting::Policy(policy) => self.rules.policy = *policy,
            Setting::Threshold(rule) => self.rules.threshold = *rule,
            Setting::Budget(limit) => self.rules.budget = *limit,
            Setting::Rounds(rounds) => limits.rounds = *rounds,
            Setting::Attempts(attempts) => limits.attempts = *attempts,
            Setting::Repairs(repairs) => limits.repairs = *repairs,
            Setting::Gates(gates) => limits.gates = *gates,
            // Nothing is another for it; only no crash is played.
            Setting::OrderMatters => {}
            Setting::Jobs(jobs) => self.rules.jobs = *jobs,
            Setting::Convention(file, text) => self.rules.conventions.push((file.clone(), text.clone())),
            Setting::Check(check) => self.rules.checks.push(check.clone()),
            Setting::Extra(extra) => self.rules.extras.push(*extra),
            Setting::AsksFirst => self.rules.asks_first = true,
            Setting::AsksAfter(phase) => self.rules.asks_after.push(*phase),
            Setting::AuthorRests => self.rules.revises = false,
            Setting::Retrospective => self.rules.finish.retro = true,
            Setting::RequiresDocumentation => self.rules.finish.docs = DocsGate::Require,
            Setting::Setup => self.rules.finish.setup = Some(SETUP.to_owned()),
            Setting::NoBase => created.base_branch.clear(),
            Setting::Cast(role, agent) => self.agents.cast(role, agent.as_deref()),
            Setting::Forgets(name) => agent(name).forget(),
            Setting::Rechecks(name) => agent(name).be(PlayerKind::Anthropic),
            Setting::Forgetful(name) => agent(name).change(|able| able.resume = Resume::No),
            Setting::Host(name) => agent(name).change(|able| able.pull = true),
            Setting::Dear(name, reserved, cost) => agent(name).price(*reserved, *cost),
            Setting::Lacks(name, tool) => agent(name).lack(tool),
            Setting::Unwatched(name, total) => agent(name).go_on_unwatched(*total),
        }
    }
}

pub(crate) fn created(world: &dyn World) -> FeatureCreated {
    FeatureCreated {
        id: FEATURE,
        uuid: FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6"),
        slug: SLUG.to_owned(),
        idea: "Export the monthly report as CSV".to_owned(),
        lane: Lane::Standard,
        base_branch: "main".to_owned(),
        base_commit: world.base(),
        branch: BRANCH.to_owned(),
        prd: None,
        in_place: false,
        until: Phase::Specify,
        lane_reason: String::new(),
        project: None,
        depends_on: Vec::new(),
        document: None,
        brainstorm_source: None,
        ask_after: Vec::new(),
        change: None,
    }
}

/// The rules of a scenario that sets no others.
pub(super) fn rules() -> Rules {
    let ms = 60_000;
    Rules {
        limits: Limits::default(),
        threshold: Threshold::Strict,
        certify: Certify::Resume,
        policy: Policy::Resume,
        knowledge: Knowledge::Full,
        config: BlobId::new("00"),
        deadlines: Deadlines { connect_ms: ms, first_byte_ms: ms, idle_ms: ms, total_ms: 60 * ms },
        budget: Usd(50_000_000),
        person: "tester".to_owned(),
        revises: true,
        until: None,
        profiles: Default::default(),
        project: None,
        conventions: Vec::new(),
        lint: lint::LintSettings { levels: levels(), ..lint::LintSettings::default() },
        checks: Vec::new(),
        tells_checks: true,
        extras: Vec::new(),
        jobs: 1,
        asks_first: false,
        asks_after: Vec::new(),
        finish: Finish { docs: DocsGate::Off, ..Finish::default() },
    }
}

/// Documents of scenarios are short, so only what is plainly wrong counts: nothing there, or a placeholder.
fn levels() -> BTreeMap<Rule, LintLevel> {
    let kept = [Rule::Missing, Rule::Empty, Rule::Placeholder, Rule::NoTasks];
    Rule::ALL.into_iter().filter(|rule| !kept.contains(rule)).map(|rule| (rule, LintLevel::Off)).collect()
}
