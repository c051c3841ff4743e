//! Makes probes: a throw-away repository in the state folder, the probe itself, and what is known after it.
//!
//! The caller holds the agent's lock, so anything found there was left by a process that is gone.

use super::Patient;
use super::machine::{Place, new_repository};
use super::report::AgentReport;
use crate::cli::run::deadlines;
use redraft_adapters::git::GitWorkspace;
use redraft_engine::ports::{Agent, Store};
use redraft_engine::probe::{Probe, ProbeEnd, ProbeParts, Recovered, recover};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::AgentName;
use redraft_facts::probed::{Probed, Resume};
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::story::Story;
use redraft_prompts::probe::Records;
use redraft_reports::projections;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) struct Probing<'a> {
    pub(super) place: &'a Place,
    pub(super) process: &'a ProcessContext,
    pub(super) console: &'a Console,
    /// What each probe may cost.
    pub(super) budget: Usd,
}

/// The result of an attempt.
pub(super) struct Tried {
    pub(super) code: ErrorCode,
    /// Why there is no result, or why it is incomplete.
    pub(super) note: String,
}

/// The folder a probe of this agent works in.
pub(super) fn folder(repo: &RepositoryContext, agent: &AgentName) -> PathBuf {
    repo.state.join("probes").join(agent.as_str())
}

impl Probing<'_> {
    /// Ends what a killed probe left behind: its open dispatch and its folder.
    pub(super) fn recover(&self, name: &AgentName, agent: Option<&dyn Agent>) -> Result<(), CliError> {
        let (ledger, clock) = (&self.place.ledger, &self.process.clock);
        let Recovered { adopted, lost, reserved } =
            recover(ledger, clock, &self.process.redactor, name, agent)?;
        // Only now is it certain that no process works in it.
        drop(Room(folder(&self.place.repo, name)));
        if lost > 0 {
            self.console.say(&format!(
                "{name}: an earlier probe was cut off; what it cost is unknown, at most {reserved}"
            ));
        }
        if adopted > 0 {
            self.console.say(&format!(
                "{name}: an earlier probe was cut off after its agent had answered; the answer is stored with its cost"
            ));
        }
        Ok(())
    }

    pub(super) fn probe(&self, agent: &Arc<dyn Agent>) -> Result<Tried, CliError> {
        let Place { repo, config, ledger, .. } = self.place;
        let room = Room::make(folder(repo, &agent.name()))?;
        let repository = new_repository(&room.0)?;
        let workspace = GitWorkspace::open(&repository, repository.main_checkout(), "main")?;
        let parts = ProbeParts {
            store: ledger,
            workspace: &workspace,
            clock: &self.process.clock,
            boundaries: &self.process.boundaries,
            progress: &Story::new(self.console, false),
            redactor: &self.process.redactor,
        };
        let deadlines = deadlines(config.dispatch_minutes * 60_000);
        let probe = Probe::load(parts, Arc::clone(agent), self.budget, deadlines)?;
        Ok(match probe.run() {
            // Ctrl-C reaches git as well.
            Err(_) if self.process.stopped() => interrupted(),
            Err(error) => return Err(error.into()),
            Ok(ProbeEnd::Interrupted) => interrupted(),
            Ok(ProbeEnd::OverBudget(over)) => Tried {
                code: ErrorCode::Limit,
                note: format!("{over}; without --budget, a probe may cost at most `budget` in redraft.toml"),
            },
            Ok(ProbeEnd::Probed { trouble: Some(trouble), .. }) => {
                Tried { code: ErrorCode::Agent, note: trouble }
            }
            Ok(ProbeEnd::Probed { probed, trouble: None }) if probed.has_failed() => {
                Tried { code: ErrorCode::NotApproved, note: String::new() }
            }
            Ok(ProbeEnd::Probed { .. }) => Tried { code: ErrorCode::Done, note: String::new() },
        })
    }

    /// What the ledger knows of an agent, the probe that was just made included.
    pub(super) fn report(&self, patient: Patient, tried: Tried) -> Result<AgentReport, CliError> {
        let ledger = &self.place.ledger;
        let Patient { name, kind, setup, agent, expected, reserved, .. } = patient;
        let mut records = Records::default();
        ledger.each_of(&Records::KINDS, &mut |scope, entry| records.take(scope, &entry.event))?;
        let entries = ledger.read(Scope::Agent(name.clone()))?;
        let version = agent.as_ref().map(|agent| agent.describe()).unwrap_or_default();
        let able = agent.is_none_or(|agent| agent.abilities().resume != Resume::No);
        let known = records.resumable(&name, &version);
        let last = last(&entries, &version);
        let receipt = projections::receipt(&entries);
        Ok(AgentReport {
            resume: if able { known.resume } else { Resume::No },
            why: if able { known.why } else { "V2: the agent keeps no conversations".to_owned() },
            checks: last.map(|(probed, _)| probed.checks.clone()).unwrap_or_default(),
            cache_share: last.and_then(|(probed, _)| probed.cache_share),
            probed_at_ms: last.map(|(_, at_ms)| at_ms),
            cost: last.map_or(Usd(0), |(probed, _)| probed.cost),
            spent: receipt.spent.cost,
            unknown: receipt.unknown_micro_usd,
            name: name.to_string(),
            kind,
            version,
            setup,
            expected,
            reserved,
            note: tried.note,
            code: tried.code,
        })
    }
}

/// The last probe of this version.
fn last<'a>(entries: &'a [Entry], version: &str) -> Option<(&'a Probed, i64)> {
    entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Probed(probed) if probed.version == version => Some((probed, entry.at_ms)),
        _ => None,
    })
}

fn interrupted() -> Tried {
    Tried {
        code: ErrorCode::Interrupted,
        note: "interrupted; the same command begins a new probe".to_owned(),
    }
}

/// A folder that is removed with everything in it.
struct Room(PathBuf);

impl Room {
    fn make(folder: PathBuf) -> Result<Room, CliError> {
        let named = |error: std::io::Error| {
            CliError::new(ErrorCode::Config, format!("{}: {error}", folder.display()))
        };
        fs::create_dir_all(&folder).map_err(named)?;
        let folder = fs::canonicalize(&folder).map_err(named)?;
        Ok(Room(folder))
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // The next probe of this agent tries again.
        let _ = fs::remove_dir_all(&self.0);
    }
}
