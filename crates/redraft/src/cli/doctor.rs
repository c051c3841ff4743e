//! `redraft doctor`: checks whether this machine and its agents can do the work, and whether conversations can be
//! continued.
//!
//! First it checks what can be seen without asking any agent (`machine`, `setup`), then it probes each agent: at once
//! where it is free, after a yes where it costs money. [`redraft_engine::probe`] explains what a probe is. The result
//! is stored, also in the features that use the agent (`features`), and every later run keeps to it. Start at
//! [`doctor`].

mod features;
mod machine;
mod probing;
mod repair;
mod report;
mod setup;

pub(crate) use machine::throw_away;

use machine::Machine;
use probing::{Probing, Tried};
use redraft_adapters::lock::Lock;
use redraft_agents::config::{Config, REHEARSAL};
use redraft_engine::ports::Agent;
use redraft_facts::ids::{AgentName, Role};
use redraft_facts::usage::Usd;
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::args::DoctorArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::question::QuestionForm;
use redraft_roles::profile;
use report::{AgentReport, Line, Report};
use std::sync::Arc;

pub(crate) fn doctor(
    args: DoctorArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if args.repair {
        return repair::repair(args.yes, process, console);
    }
    let Machine { lines, place } = machine::look(process)?;
    let Some(place) = place else {
        let report = Report { machine: lines, ..Report::default() };
        console.show(&report.text(), &report.json());
        return Ok(ErrorCode::Config);
    };
    let names = selected(&place.config, args.agent.as_deref())?;
    let cast = AgentRegistry::new(&place.repo, &place.config, process);
    let budget = super::run::budget(args.budget.as_deref(), &place.config)?;
    let probing = Probing { place: &place, process, console, budget };
    let mut patients = Vec::new();
    for name in names {
        let lock = place.repo.lock(&format!("agent-{name}"), process)?;
        let agent = cast.named(&name).ok();
        probing.recover(&name, agent.as_deref())?;
        patients.push(Patient::new(name, lock, &place.config, &cast, &place.repo));
    }
    let consent = consent(&patients, &args, process, console);
    let mut code = Worst::default();
    code.note(if lines.iter().all(|line| line.ok) { ErrorCode::Done } else { ErrorCode::Config });
    let mut agents = Vec::new();
    for patient in patients {
        let (report, ended) = examine(patient, &probing, consent)?;
        features::tell(&report, &place, process, console)?;
        code.note(ended);
        agents.push(report);
        if ended == ErrorCode::Interrupted {
            break;
        }
    }
    let offers = if args.agent.is_some() { Vec::new() } else { setup::offers(&place.config, process) };
    let next = next(&agents, code.0, args.agent.as_deref());
    let report = Report { machine: lines, agents, offers, stored: place.stored(), next };
    console.show(&report.text(), &report.json());
    Ok(code.0)
}

/// An agent before it is probed.
struct Patient {
    name: AgentName,
    kind: &'static str,
    setup: Vec<Line>,
    /// None where something is missing that it needs.
    agent: Option<Arc<dyn Agent>>,
    /// Where it must be reachable, if the user configured that.
    base_url: Option<String>,
    expected: Usd,
    reserved: Usd,
    /// One probe of an agent at a time.
    _lock: Lock,
}

impl Patient {
    fn new(
        name: AgentName,
        lock: Lock,
        config: &Config,
        cast: &AgentRegistry<'_>,
        repo: &RepositoryContext,
    ) -> Patient {
        let settings = config.agents.get(&name);
        let made = cast.named(&name);
        let setup::Setup { kind, lines, base_url, expected } =
            setup::check(&config.cards(), settings, &made, &cast.process().environment);
        let agent = made.ok();
        let deadlines = super::run::deadlines(config.dispatch_minutes * 60_000);
        let reserve = |agent: &Arc<dyn Agent>| {
            redraft_engine::probe::highest_cost(agent.as_ref(), &probing::folder(repo, &name), deadlines)
        };
        let reserved = agent.as_ref().map(reserve).unwrap_or_default();
        Patient { kind, setup: lines, agent, base_url, expected, reserved, name, _lock: lock }
    }

    fn is_paid(&self) -> bool {
        self.agent.as_ref().is_some_and(|agent| !agent.is_free())
    }
}

/// The exit code of the worst problem found.
struct Worst(ErrorCode);

impl Default for Worst {
    fn default() -> Self {
        Worst(ErrorCode::Done)
    }
}

impl Worst {
    fn note(&mut self, code: ErrorCode) {
        const GRAVEST_FIRST: [ErrorCode; 7] = [
            ErrorCode::Interrupted,
            ErrorCode::Config,
            ErrorCode::Agent,
            ErrorCode::Limit,
            ErrorCode::NotApproved,
            ErrorCode::Waiting,
            ErrorCode::Done,
        ];
        let rank = |code: ErrorCode| GRAVEST_FIRST.iter().position(|known| *known == code).unwrap_or(0);
        if rank(code) < rank(self.0) {
            self.0 = code;
        }
    }
}

fn selected(config: &Config, word: Option<&str>) -> Result<Vec<AgentName>, CliError> {
    let Some(word) = word else {
        let used = |name: &&AgentName| name.as_str() == REHEARSAL || is_used(config, name);
        return Ok(config.agents.keys().filter(used).cloned().collect());
    };
    let name = AgentName::new(word);
    if config.agents.contains_key(&name) {
        return Ok(vec![name]);
    }
    let known: Vec<&str> = config.agents.keys().map(AgentName::as_str).collect();
    Err(CliError::usage(format!("there is no agent `{word}`"))
        .hint(format!("the agents are: {}", known.join(", "))))
}

/// Whether an agent stands in a file or plays a role.
fn is_used(config: &Config, name: &AgentName) -> bool {
    let plays = |role: &Role| config.agent_of(role) == Some(name);
    config.origins.contains_key(name) || profile::roles().iter().any(plays)
}

/// Whether agents that cost money are probed; asked once for all of them.
fn consent(patients: &[Patient], args: &DoctorArgs, process: &ProcessContext, console: &Console) -> bool {
    let paid: Vec<&Patient> = patients.iter().filter(|patient| patient.is_paid()).collect();
    if paid.is_empty() {
        return false;
    }
    console.say_before_asking("a probe sends three dispatches; these agents cost money:");
    for Patient { name, agent, expected, reserved, .. } in &paid {
        let what = agent.as_ref().map(|agent| agent.describe()).unwrap_or_default();
        console.say_before_asking(&format!("  {name}: {what}: about {expected}, {reserved} is reserved"));
    }
    if args.yes || !console.can_ask() {
        return args.yes;
    }
    let (yes, no) = ("the probes are sent and paid for", "they are checked without a probe");
    console.agrees(&QuestionForm::yes_or_no("May they be probed?", Vec::new(), yes, no), &process.clock)
}

/// Probes one agent if that is possible and allowed, and reports what is known about it then.
fn examine(
    mut patient: Patient,
    probing: &Probing<'_>,
    consent: bool,
) -> Result<(AgentReport, ErrorCode), CliError> {
    let mut tried = Tried { code: ErrorCode::Done, note: String::new() };
    match (&patient.agent, patient.is_paid() && !consent) {
        (None, _) => {
            (tried.code, tried.note) = match patient.setup.iter().any(Line::wants_acceptance) {
                true => (
                    ErrorCode::Waiting,
                    "not probed: nobody has accepted the settings in redraft.toml".to_owned(),
                ),
                false => (ErrorCode::Config, "not probed: something it needs is missing".to_owned()),
            };
        }
        (Some(_), true) => {
            tried.code = ErrorCode::Waiting;
            tried.note = "not probed: nobody has agreed to what it costs".to_owned();
        }
        (Some(agent), false) => {
            let reachable = patient.base_url.as_deref().map(setup::reachable);
            let is_there = reachable.as_ref().is_none_or(|line| line.ok);
            patient.setup.extend(reachable);
            if is_there {
                tried = probing.probe(agent)?;
            } else {
                tried.code = ErrorCode::Agent;
                tried.note = "not probed: its server does not answer".to_owned();
            }
        }
    }
    let code = tried.code;
    Ok((probing.report(patient, tried)?, code))
}

fn next(agents: &[AgentReport], code: ErrorCode, only: Option<&str>) -> String {
    let waiting = agents.iter().find(|agent| agent.code == ErrorCode::Waiting);
    if agents.iter().any(|agent| agent.setup.iter().any(Line::wants_acceptance)) {
        return "redraft trust".to_owned();
    }
    let again = only.map(|name| format!("redraft doctor --agent {name}"));
    match (code, waiting) {
        (ErrorCode::Waiting, Some(agent)) => format!("redraft doctor --agent {} --yes", agent.name),
        (ErrorCode::Done, _) => "redraft new \"your idea\"".to_owned(),
        _ => again.unwrap_or_else(|| "redraft doctor".to_owned()),
    }
}
