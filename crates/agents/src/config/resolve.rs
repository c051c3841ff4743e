//! Turns what was written into what it means: defaults, bounds, names that exist, paths that stay inside.
//!
//! Reads no file and runs nothing. [`resolve`] is the only entry point.

mod agents;

use super::error::ConfigError;
use super::file::{ConfigFile, LimitsFile, MonitorFile, OwnFile, WorkspaceFile};
use super::source::Source;
use super::user_settings::{LOCAL, LocalServer};
use super::{Config, Origin, WorkspaceConfig, WorkspaceMode, acceptance, checks};
use redraft_engine::DocsGate;
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, Limits, MergeHistory};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::phase::Phase;
use redraft_facts::text::is_git_folder;
use redraft_facts::usage::Usd;
use redraft_reports::projections::{FEATURES_MAX, Thresholds};
use std::collections::BTreeMap;
use toml::Spanned;

const CERTIFY: [(&str, Certify); 3] =
    [("resume", Certify::Resume), ("fresh", Certify::Fresh), ("off", Certify::Off)];

const THRESHOLD: [(&str, Threshold); 2] = [("strict", Threshold::Strict), ("blockers", Threshold::Blockers)];

const HISTORY: [(&str, MergeHistory); 2] = [("keep", MergeHistory::Keep), ("squash", MergeHistory::Squash)];

const DOCS: [(&str, DocsGate); 3] =
    [("off", DocsGate::Off), ("remind", DocsGate::Remind), ("require", DocsGate::Require)];

const MODES: [(&str, WorkspaceMode); 2] =
    [("worktree", WorkspaceMode::Worktree), ("in-place", WorkspaceMode::InPlace)];

/// The key of `[roles]` that is no role.
const DEFAULT: &str = "default";

/// The phases that a person can be asked to approve; the last one is asked about when it is merged.
const PHASES: [(&str, Phase); 5] = [
    ("specify", Phase::Specify),
    ("design", Phase::Design),
    ("create-plan", Phase::CreatePlan),
    ("create-tasks", Phase::CreateTasks),
    ("implement", Phase::Implement),
];

/// What both files mean together: the user's own holds everywhere, the repository's wins.
pub(super) fn resolve(
    file: &ConfigFile,
    source: &Source<'_>,
    (own, own_source): (&OwnFile, &Source<'_>),
    local: Option<&LocalServer>,
) -> Result<Config, ConfigError> {
    let mut config = Config::default();
    if let Some(local) = local {
        config.agents.insert(AgentName::new(LOCAL), local.agent());
    }
    let limit = own_source.own(&mut config, own)?;
    source.refuse_keys(file)?;
    let asked = file.budget.as_ref().map(|budget| source.budget(budget)).transpose()?;
    config.budget = limit.unwrap_or(config.budget);
    match asked {
        Some(asked) if asked > config.budget => config.higher_budget = Some(asked),
        Some(asked) => config.budget = asked,
        None => {}
    }
    let review = &file.review;
    source.word(&mut config.policy, review.policy.as_ref(), "a policy", &policies())?;
    source.word(&mut config.knowledge, review.knowledge.as_ref(), "a value of knowledge", &knowledge())?;
    source.word(&mut config.certify, review.certify.as_ref(), "a value of certify", &CERTIFY)?;
    source.word(&mut config.threshold, review.threshold.as_ref(), "a threshold", &THRESHOLD)?;
    source.limits(&mut config.limits, &file.limits)?;
    let minutes = file.limits.dispatch_minutes.as_ref();
    source.number(&mut config.dispatch_minutes, minutes, "dispatch_minutes", 1..=600)?;
    config.workspace = source.workspace(&file.workspace)?;
    source.monitor(&mut config.monitor, &file.monitor)?;
    if let Some(deep) = &file.lanes.deep {
        config.lanes.deep = deep.iter().map(|word| source.lane_word(word)).collect::<Result<_, _>>()?;
    }
    config.lint = source.lint(&file.lint)?;
    config.checks = source.checks(&file.checks)?;
    source.number(&mut config.check_minutes, file.limits.check_minutes.as_ref(), "check_minutes", 1..=600)?;
    config.extras = checks::extras(&file.implement);
    source.number(&mut config.jobs, file.implement.jobs.as_ref(), "jobs", 1..=64)?;
    source.word(&mut config.finish.history, file.finish.history.as_ref(), "a value of history", &HISTORY)?;
    source.word(&mut config.finish.docs, file.finish.docs.as_ref(), "a value of docs", &DOCS)?;
    config.finish.retro = file.finish.retro.as_ref().is_none_or(|said| *said.get_ref());
    for written in file.ask.after.iter().flatten() {
        let mut phase = Phase::Specify;
        source.word(&mut phase, Some(written), "a phase to approve", &PHASES)?;
        config.asks_after.push(phase);
    }
    config.sandbox = source.sandbox(&file.sandbox)?;
    config.share = source.share(&file.share)?;
    config.autonomous = file.hooks.autonomous.as_ref().is_some_and(|said| *said.get_ref());
    config.notify.repository = source.notify_command(file.notify.command.as_ref())?;
    config.own_prices.clone_from(&config.prices);
    let prices = source.prices(&file.prices)?;
    config.prices.retain(|known| !prices.iter().any(|price| price.model == known.model));
    config.prices.extend(prices);
    source.agents(&mut config, &file.agents, Origin::Repository)?;
    if file.roles.keys().any(|key| key.get_ref() == DEFAULT) {
        // Naming who plays every role means every role.
        config.roles.clear();
    }
    source.roles(&mut config, &file.roles)?;
    config.wants = acceptance::wants(source.text, &config, limit.map(|limit| limit.0 as f64 / 1_000_000.0));
    Ok(config)
}

impl Source<'_> {
    /// What the user's own file says; returns the user's own limit on what a feature may cost.
    fn own(&self, config: &mut Config, file: &OwnFile) -> Result<Option<Usd>, ConfigError> {
        self.refuse_keys_of_agents(&file.agents)?;
        self.manners(file)?;
        config.notify.own = self.notify_command(file.notify.command.as_ref())?;
        config.prices = self.prices(&file.prices)?;
        self.agents(config, &file.agents, Origin::User)?;
        self.roles(config, &file.roles)?;
        file.budget.as_ref().map(|budget| self.budget(budget)).transpose()
    }

    fn budget(&self, written: &Spanned<f64>) -> Result<Usd, ConfigError> {
        let dollars = *written.get_ref();
        if !(dollars.is_finite() && (0.0..=1_000_000.0).contains(&dollars)) {
            let message = format!("budget = {dollars} is out of bounds (0 to 1000000 dollars)");
            return Err(self.wrong(&written.span(), message));
        }
        Ok(Usd((dollars * 1_000_000.0).round() as u64))
    }

    /// A word or a path; an empty one would match every idea.
    fn lane_word(&self, written: &Spanned<String>) -> Result<String, ConfigError> {
        match written.get_ref().trim() {
            "" => Err(self.wrong(&written.span(), "an empty word would make every feature deep".to_owned())),
            word => Ok(word.to_owned()),
        }
    }

    /// Repair turns are not here: one per attempt is part of what an attempt is.
    fn limits(&self, limits: &mut Limits, file: &LimitsFile) -> Result<(), ConfigError> {
        self.number(&mut limits.rounds, file.rounds.as_ref(), "rounds", 1..=20)?;
        self.number(&mut limits.attempts, file.attempts.as_ref(), "attempts", 1..=10)?;
        self.number(&mut limits.gates, file.gates.as_ref(), "gates", 1..=10)?;
        self.number(&mut limits.late_rounds, file.late_rounds.as_ref(), "late_rounds", 0..=5)?;
        self.number(&mut limits.reopenings, file.reopenings.as_ref(), "reopenings", 0..=3)
    }

    fn monitor(&self, monitor: &mut Thresholds, file: &MonitorFile) -> Result<(), ConfigError> {
        self.number(&mut monitor.features, file.features.as_ref(), "features", 1..=FEATURES_MAX as i64)?;
        let percents = [
            (&mut monitor.fallbacks_percent, &file.fallbacks_percent, "fallbacks_percent"),
            (&mut monitor.guard_trips_percent, &file.guard_trips_percent, "guard_trips_percent"),
            (&mut monitor.unconfirmed_percent, &file.unconfirmed_percent, "unconfirmed_percent"),
        ];
        for (target, written, key) in percents {
            self.number(target, written.as_ref(), key, 0..=100)?;
        }
        Ok(())
    }

    fn workspace(&self, file: &WorkspaceFile) -> Result<WorkspaceConfig, ConfigError> {
        let mut mode = WorkspaceMode::default();
        self.word(&mut mode, file.mode.as_ref(), "a mode", &MODES)?;
        let mut copy = Vec::new();
        for path in file.copy.iter().flatten() {
            self.inside(path)?;
            copy.push(path.get_ref().clone());
        }
        let setup = match &file.setup {
            Some(command) if command.get_ref().contains('\0') => {
                return Err(self.wrong(&command.span(), "a command cannot hold a NUL character".to_owned()));
            }
            Some(command) if !command.get_ref().trim().is_empty() => Some(command.get_ref().clone()),
            Some(_) | None => None,
        };
        let mut workspace = WorkspaceConfig { mode, setup, copy, ..WorkspaceConfig::default() };
        let minutes = file.setup_minutes.as_ref();
        self.number(&mut workspace.setup_minutes, minutes, "setup_minutes", 1..=600)?;
        Ok(workspace)
    }

    /// A path that stays in the folder of the file, on every system: both separators count everywhere.
    fn inside(&self, path: &Spanned<String>) -> Result<(), ConfigError> {
        let text = path.get_ref();
        let refused = |why: &str| {
            let wrong = self.wrong(&path.span(), format!("the path `{text}` {why}"));
            Err(wrong.hint("give a path relative to the folder of this file, such as `.env`"))
        };
        let mut parts = text.split(['/', '\\']);
        match parts.next() {
            _ if text.trim().is_empty() => return refused("is empty"),
            _ if text.contains('\0') => return refused("holds a NUL character"),
            Some("") => return refused("is not relative"),
            Some(first) if first.contains(':') => return refused("is not relative"),
            Some(first) if is_git_folder(first) => return refused("belongs to git"),
            Some(_) | None => {}
        }
        if text.split(['/', '\\']).any(|part| part == "..") {
            return refused("leads out of the folder");
        }
        Ok(())
    }

    fn roles(
        &self,
        config: &mut Config,
        file: &BTreeMap<Spanned<String>, Spanned<String>>,
    ) -> Result<(), ConfigError> {
        for (key, name) in file {
            let role = Role::new(key.get_ref().clone());
            let agent = AgentName::new(name.get_ref().clone());
            if !config.agents.contains_key(&agent) {
                let known = config.agents.keys().map(AgentName::as_str);
                let message = format!("there is no agent `{agent}`");
                let list: Vec<&str> = known.clone().collect();
                let message = format!("{message} (known: {})", list.join(", "));
                return Err(self.wrong(&name.span(), message).meant(agent.as_str(), known));
            }
            if role.as_str() == DEFAULT {
                config.default_agent = Some(agent);
            } else if self.roles.contains(&role) {
                config.roles.insert(role, agent);
            } else {
                let known = self.roles.iter().map(Role::as_str).chain([DEFAULT]);
                let message = format!("there is no role `{role}`");
                return Err(self.wrong(&key.span(), message).meant(role.as_str(), known));
            }
        }
        Ok(())
    }
}

fn policies() -> [(&'static str, Policy); Policy::ALL.len()] {
    Policy::ALL.map(|policy| (policy.name(), policy))
}

fn knowledge() -> [(&'static str, Knowledge); Knowledge::ALL.len()] {
    Knowledge::ALL.map(|knowledge| (knowledge.name(), knowledge))
}
