//! Puts together what a run of a feature needs, in the order in which it can fail without harm: nothing is sent before
//! all of it is there. Start at [`with_run`].

use super::{config, kept_budget, rules};
use crate::cli::comment;
use crate::cli::project::project_context;
use redraft_adapters::checks::ShellChecks;
use redraft_adapters::git::{GitMerging, GitWorkspace};
use redraft_adapters::inbox::FileInbox;
use redraft_adapters::shell_word::quoted;
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::Config;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Agents, Store as _, Workspace};
use redraft_engine::{Estimating, Progress, Run, RunPorts};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::{FeatureId, Role};
use redraft_facts::ticket::Scope;
use redraft_frame::agent_choice::{self, Wanted};
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::args::RunArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::prepare::{forget_ready, hold_place, prepare};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sandbox::sandbox;
use redraft_frame::sharing::{DrivenFeature, Sending};
use redraft_frame::slot_worktrees::{AsTheProjectSays, SlotWorktrees};
use redraft_frame::{consent, trust};
use redraft_roles::profile;
use redraft_views::dependencies::require_unblocked;

/// Who does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkSource {
    /// The agents of the configuration; a person who has to pay was asked first.
    Configured,
    /// A host that comes for it: for the roles that the configuration leaves to hosts, or for all where it leaves none
    /// to them.
    Host,
}

/// What is to be driven, by whom, and where progress is reported.
#[derive(Clone, Copy)]
pub(crate) struct RunRequest<'a> {
    pub(crate) repo: &'a RepositoryContext,
    pub(crate) id: FeatureId,
    pub(crate) args: &'a RunArgs,
    pub(crate) players: WorkSource,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) process: &'a ProcessContext,
    pub(crate) console: &'a Console,
}

/// The parts of a run, for the code that drives it.
#[derive(Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub(crate) repo: &'a RepositoryContext,
    pub(crate) config: &'a Config,
    pub(crate) ledger: &'a Ledger,
    pub(crate) created: &'a FeatureCreated,
    pub(crate) workspace: &'a GitWorkspace,
    pub(crate) inbox: &'a FileInbox,
}

/// The roles of the phases that are not over; no other role needs an agent.
pub(super) fn roles_left(repo: &RepositoryContext, id: FeatureId) -> Result<Vec<Role>, CliError> {
    let Some(ledger) = repo.reader()? else { return Ok(Vec::new()) };
    let entries = ledger.read(Scope::Feature(id))?;
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let left = state.phases().filter(|phase| !state.is_over(*phase) && !state.cancelled);
    let mut roles: Vec<Role> =
        left.flat_map(profile::participants).map(|profile| Role::new(profile.role)).collect();
    roles.sort();
    roles.dedup();
    Ok(roles)
}

/// Takes the feature's lock, loads the run and hands it over; none where a person who was asked about the cost said no.
pub(crate) fn with_run<T>(
    wish: &RunRequest<'_>,
    act: impl FnOnce(&mut Run<'_>, &RunContext<'_>) -> Result<T, CliError>,
) -> Result<Option<T>, CliError> {
    let done = with_lock(wish, act);
    // Whoever found the lock taken left its comment for this run, which may have looked for the last time by then. If this
    // fails, it stays where it is.
    let _ = comment::take_left(wish.repo, wish.id, wish.process);
    done
}

fn with_lock<T>(
    wish: &RunRequest<'_>,
    act: impl FnOnce(&mut Run<'_>, &RunContext<'_>) -> Result<T, CliError>,
) -> Result<Option<T>, CliError> {
    let RunRequest { repo, id, args, players, process, console, .. } = *wish;
    let command = match &args.agent {
        Some(agent) => format!("redraft run {id} --agent {}", quoted(agent)),
        None => format!("redraft run {id}"),
    };
    let roles = roles_left(repo, id)?;
    let mut config = config(repo, args, process)?;
    let used = if players == WorkSource::Configured { roles.as_slice() } else { &[] };
    trust::require_for_agents(repo, &config, used, &command, process)?;
    trust::require_programs(repo, &command, process)?;
    if players == WorkSource::Configured {
        let wanted = Wanted { repo, roles: &roles, command: &command, yes: args.yes };
        config = agent_choice::config_with_agents(&wanted, config, process, console)?;
    }
    let sharing = DrivenFeature::take(repo, &Scope::Feature(id), &config, args.take, process, console)?;
    let done = with_feature(wish, config, &roles, &command, sharing.as_ref(), act);
    // What was done is published also where the run failed.
    match sharing {
        Some(sharing) => sharing.end().and(done),
        None => done,
    }
}

/// The same for a feature that nobody else drives.
fn with_feature<T>(
    wish: &RunRequest<'_>,
    config: Config,
    roles: &[Role],
    command: &str,
    sharing: Option<&DrivenFeature<'_>>,
    act: impl FnOnce(&mut Run<'_>, &RunContext<'_>) -> Result<T, CliError>,
) -> Result<Option<T>, CliError> {
    let RunRequest { repo, id, args, players, progress, process, console } = *wish;
    let mut rules = rules(repo, &config, args, process)?;
    let lock = repo.lock(&id.to_string(), process)?;
    repo.recover_interrupted_move(console)?;
    let ledger = repo.writer()?;
    repo.refuse_cleaned(id)?;
    let created = repo.created(&ledger, id)?;
    if args.budget.is_none() {
        rules.budget = kept_budget(&ledger, Scope::Feature(id))?.unwrap_or(rules.budget);
    }
    console.budget(rules.budget);
    rules.project = project_context(repo, &ledger, &created, console)?;
    require_unblocked(repo, &ledger, id, args.unblock.as_ref(), process, console)?;
    let _place = hold_place(repo, &created, process)?;
    prepare(repo, &ledger, &created, &config, process, console)?;
    let workspace = repo.workspace(&created)?;
    workspace.sweep();
    let inbox = repo.inbox()?;
    inbox.sweep(&created.scope());
    let comments = repo.comment_box()?;
    let agents = match players {
        WorkSource::Configured => AgentRegistry::new(repo, &config, process),
        WorkSource::Host => AgentRegistry::for_host(repo, &config, process),
    };
    if players == WorkSource::Configured {
        for role in roles {
            // An unusable configuration is reported before anything is sent.
            agents.agent_for(role).map_err(|detail| CliError::new(ErrorCode::Config, detail))?;
        }
        let read = |path: &str| workspace.read(path).ok().flatten();
        let estimating = Estimating { store: &ledger, agents: &agents, rules: &rules, read: &read };
        let (created, yes) = (&created, args.yes);
        let asked = consent::ConsentSubject { repo, created, command, lock: &lock, yes };
        if !consent::given(&asked, estimating, &agents, process, console)? {
            return Ok(None);
        }
    }
    let progress = Sending { inner: progress, sharing };
    let check_folder = repo.check_folder(&created, &config);
    let sandbox = sandbox(repo, &config, process);
    let checks = ShellChecks {
        worker: &process.exe,
        out: repo.state.join("checks").join(id.to_string()),
        environment: &process.environment,
        redactor: &process.redactor,
        limit_ms: config.check_minutes * 60_000,
        clock: &process.clock,
        sandbox: &sandbox,
        home: check_folder.home(),
    };
    let merging = GitMerging {
        repository: &repo.repository,
        branch: created.branch.clone(),
        boundaries: &process.boundaries,
    };
    let prepares = AsTheProjectSays { repo, config: &config, created: &created, process, console };
    let slots =
        SlotWorktrees::new(&repo.repository, &repo.state, &created, repo.worktree(&created)?, prepares);
    let parts = RunPorts {
        slots: &slots,
        check_folder: &check_folder,
        merging: &merging,
        store: &ledger,
        workspace: &workspace,
        inbox: &inbox,
        comments: &comments,
        clock: &process.clock,
        boundaries: &process.boundaries,
        checks: &checks,
        progress: &progress,
        agents: &agents,
        redactor: &process.redactor,
    };
    let mut run = Run::load(parts, rules, id)?;
    if players == WorkSource::Host {
        run.serve();
    }
    let stage = RunContext {
        repo,
        config: &config,
        ledger: &ledger,
        created: &created,
        workspace: &workspace,
        inbox: &inbox,
    };
    let done = act(&mut run, &stage);
    if run.state().cancelled {
        repo.put_checks_away(&created);
    }
    if workspace.was_made_anew() {
        // What was copied and set up there is gone with it; the next run brings it again.
        forget_ready(repo, &created)?;
    }
    done.map(Some)
}
