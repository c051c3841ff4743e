//! Puts together what a run of a feature needs, in the order in which it can fail without harm: nothing is sent before
//! all of it is there. Start at [`with_run`].

use super::{config, kept_budget, rules};
use crate::cli::dependencies::require_unblocked;
use crate::cli::project::project_context;
use redraft_adapters::checks::ShellChecks;
use redraft_adapters::git::{GitMerging, GitWorkspace};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::Config;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Agents, Store as _, Workspace};
use redraft_engine::{Estimating, Parts, Progress, Run};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::{FeatureId, Role};
use redraft_facts::ticket::Scope;
use redraft_frame::agent_choice::{self, Wanted};
use redraft_frame::args::RunArgs;
use redraft_frame::cast::Cast;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, Code};
use redraft_frame::prepare::{forget_ready, hold_place, prepare};
use redraft_frame::site::{Site, Surroundings};
use redraft_frame::{consent, trust};
use redraft_roles::profile;

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Players {
    /// The agents of the configuration; who is asked to pay has been asked first.
    Configured,
    /// A host that comes for it: for the roles that the configuration leaves to hosts, or for all where it leaves none.
    Host,
}

/// What is to be driven, as whom, and who is told.
#[derive(Clone, Copy)]
pub(crate) struct Wish<'a> {
    pub(crate) site: &'a Site,
    pub(crate) id: FeatureId,
    pub(crate) args: &'a RunArgs,
    pub(crate) players: Players,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) around: &'a Surroundings,
    pub(crate) console: &'a Console,
}

/// What a run stands on, for whoever drives it.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub(crate) site: &'a Site,
    pub(crate) config: &'a Config,
    pub(crate) ledger: &'a Ledger,
    pub(crate) created: &'a FeatureCreated,
    pub(crate) workspace: &'a GitWorkspace,
    pub(crate) inbox: &'a FileInbox,
}

/// The roles of the phases that are not over; nobody else has to be there.
fn roles_left(site: &Site, id: FeatureId) -> Result<Vec<Role>, CliError> {
    let Some(ledger) = site.reader()? else { return Ok(Vec::new()) };
    let entries = ledger.read(Scope::Feature(id))?;
    let state = Pipeline::replay(&entries).map_err(|error| CliError::new(Code::Config, error.to_string()))?;
    let left = state.phases().filter(|phase| !state.is_over(*phase) && !state.cancelled);
    let mut roles: Vec<Role> = left.flat_map(profile::cast).map(|profile| Role::new(profile.role)).collect();
    roles.sort();
    roles.dedup();
    Ok(roles)
}

/// Takes the feature's lock, loads the run and hands it over; none where a person who was asked about the cost said no.
pub(crate) fn with_run<T>(
    wish: &Wish<'_>,
    act: impl FnOnce(&mut Run<'_>, &Stage<'_>) -> Result<T, CliError>,
) -> Result<Option<T>, CliError> {
    let Wish { site, id, args, players, progress, around, console } = *wish;
    let command = format!("redraft run {id}");
    let roles = roles_left(site, id)?;
    let mut config = config(site, args, around)?;
    let used = if players == Players::Configured { roles.as_slice() } else { &[] };
    trust::require_for_agents(site, &config, used, &command, around)?;
    trust::require_programs(site, &command, around)?;
    if players == Players::Configured {
        let wanted = Wanted { site, roles: &roles, command: &command, yes: args.yes };
        config = agent_choice::settled(&wanted, config, around, console)?;
    }
    let mut rules = rules(site, &config, args, around)?;
    let _lock = site.lock(&id.to_string(), around)?;
    site.settle(console)?;
    let ledger = site.writer()?;
    let created = site.created(&ledger, id)?;
    if args.budget.is_none() {
        rules.budget = kept_budget(&ledger, Scope::Feature(id))?.unwrap_or(rules.budget);
    }
    rules.project = project_context(site, &ledger, &created, console)?;
    require_unblocked(site, &ledger, id, args.unblock.as_ref(), around, console)?;
    let _place = hold_place(site, &created, around)?;
    prepare(site, &ledger, &created, &config, around, console)?;
    let workspace = site.workspace(&created)?;
    workspace.sweep();
    let inbox = FileInbox::new(&site.state).behind(site.repository.barrier());
    inbox.sweep(&created.scope());
    let agents = match players {
        Players::Configured => Cast::new(site, &config, around),
        Players::Host => Cast::for_host(site, &config, around),
    };
    if players == Players::Configured {
        for role in &roles {
            // A configuration that cannot work is told before anything is sent.
            agents.agent_for(role).map_err(|detail| CliError::new(Code::Config, detail))?;
        }
        let read = |path: &str| workspace.read(path).ok().flatten();
        let estimating = Estimating { store: &ledger, agents: &agents, rules: &rules, read: &read };
        let asked = consent::Asked { site, created: &created, command: &command, yes: args.yes };
        if !consent::given(&asked, estimating, &agents, around, console)? {
            return Ok(None);
        }
    }
    let checks = ShellChecks {
        worker: &around.exe,
        out: site.state.join("checks").join(id.to_string()),
        environment: &around.environment,
        redactor: &around.redactor,
        limit_ms: config.check_minutes * 60_000,
        clock: &around.clock,
    };
    let merging = GitMerging {
        repository: &site.repository,
        branch: created.branch.clone(),
        boundaries: &around.boundaries,
    };
    let check_folder = site.check_folder(&created, &config);
    let parts = Parts {
        check_folder: &check_folder,
        merging: &merging,
        store: &ledger,
        workspace: &workspace,
        inbox: &inbox,
        clock: &around.clock,
        boundaries: &around.boundaries,
        checks: &checks,
        progress,
        agents: &agents,
        redactor: &around.redactor,
    };
    let mut run = Run::load(parts, rules, id)?;
    if players == Players::Host {
        run.serve();
    }
    let stage = Stage {
        site,
        config: &config,
        ledger: &ledger,
        created: &created,
        workspace: &workspace,
        inbox: &inbox,
    };
    let done = act(&mut run, &stage);
    if run.state().cancelled {
        site.put_checks_away(&created);
    }
    if workspace.was_made_anew() {
        // What was copied and set up there went with it; the next run brings it again.
        forget_ready(site, &created)?;
    }
    done.map(Some)
}
