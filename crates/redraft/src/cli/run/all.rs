//! `redraft run --all`: drives several features at once, each in a thread of its own as `run` drives one, until each of
//! them has come to rest.
//!
//! Nothing is asked meanwhile: what costs money is asked about beforehand, once for all, and questions are listed at the
//! end. Which feature is next is decided in [`queue`], how all of it is shown in [`summary`]. Nothing is stored about
//! such a run itself: after a kill the same command goes on. Start at [`run_all`].

mod queue;
mod summary;

use self::queue::{Ended, Pick, Queue};
use self::summary::summary;
use super::setup::roles_left;
use super::{RunKind, Shared, budget_typed, config, drive_to, kept_budget, rules};
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::{Clock as _, Store as _, Workspace as _};
use redraft_engine::{AgentLimits, BudgetPool, Estimating};
use redraft_facts::ids::{FeatureId, Role};
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use redraft_frame::agent_choice::{self, Wanted};
use redraft_frame::agent_registry::AgentRegistry;
use redraft_frame::args::{OnCap, RunArgs};
use redraft_frame::consent_of_several::{Planned, given_for_all};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::wait_mark::WaitMark;
use redraft_frame::{rows, trust};
use redraft_reports::standing::Waits;
use redraft_views::board::Board;
use std::collections::BTreeMap;

/// Enough that waiting for answers is shared, few enough for what runs on this machine: checks, setups and the agents'
/// own programs. docs/running-all.md argues it.
const JOBS: u16 = 4;

/// The features that are not driven at once, with the mark that says so.
type Places<'a> = BTreeMap<FeatureId, WaitMark<'a>>;

pub(super) fn run_all(
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    if args.on_cap == Some(OnCap::Accept) {
        return Err(CliError::usage(
            "`--on-cap accept` would accept what is open in features that nobody has looked at, so it cannot be used \
                with `--all`",
        )
        .hint("accept it feature by feature: redraft run NNN --on-cap accept"));
    }
    let limit = args.budget.as_deref().map(budget_typed).transpose()?;
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        repo.writer()?;
        return Err(
            CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
        );
    };
    let board = Board::new(&repo, rows::rows(&ledger)?, Vec::new(), process);
    drop(ledger);
    let queue = Queue::new(&board, args);
    for line in queue.left_alone() {
        console.say(&line);
    }
    let wanted = queue.wanted();
    if !wanted.is_empty() && !agreed(&repo, &wanted, args, limit, process, console)? {
        let code = if process.clock.stopped() { ErrorCode::Interrupted } else { ErrorCode::Waiting };
        console.not_sent(&process.next("redraft run --all"), code);
        return Ok(code);
    }
    let shared = Shared { pool: limit.map(BudgetPool::new), limits: AgentLimits::shared() };
    let jobs = usize::from(args.jobs.unwrap_or(JOBS)).min(wanted.len());
    // Others see which features have no place yet.
    let places: Places<'_> = (wanted.iter().skip(jobs))
        .map(|id| (*id, WaitMark::new(&repo, process, *id)))
        .inspect(|(_, mark)| mark.begin(Waits::Place))
        .collect();
    let panicked = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|_| scope.spawn(|| work(&queue, &shared, &places, args, process, console)))
            .collect();
        threads.into_iter().map(|thread| thread.join().is_err()).fold(false, |any, one| any | one)
    });
    drop(places);
    let code = summary(&queue, board, limit, process, console)?;
    Ok(if panicked { ErrorCode::Bug } else { code })
}

/// Asks once, before anything is sent, for everything that would otherwise be asked in the middle: which agent plays,
/// and whether money may be spent. A feature that cannot be prepared says so when it is driven.
fn agreed(
    repo: &RepositoryContext,
    wanted: &[FeatureId],
    args: &RunArgs,
    limit: Option<Usd>,
    process: &ProcessContext,
    console: &Console,
) -> Result<bool, CliError> {
    let mut roles: Vec<Role> = Vec::new();
    for id in wanted {
        roles.extend(roles_left(repo, *id).unwrap_or_default());
    }
    roles.sort();
    roles.dedup();
    let command = "redraft run --all";
    let config = config(repo, args, process)?;
    trust::require_for_agents(repo, &config, &roles, command, process)?;
    trust::require_programs(repo, command, process)?;
    let needs = Wanted { repo, roles: &roles, command, yes: args.yes };
    let config = agent_choice::config_with_agents(&needs, config, process, console)?;
    let agents = AgentRegistry::new(repo, &config, process);
    let Some(ledger) = repo.reader()? else { return Ok(true) };
    let forecast = |id: FeatureId| -> Result<Planned, CliError> {
        let entries = ledger.read(Scope::Feature(id))?;
        let state = Pipeline::replay(&entries)
            .map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
        let created = repo.created(&ledger, id)?;
        // Where it has no worktree yet, there is nothing to read.
        let workspace = repo.workspace(&created).ok();
        let read = |path: &str| workspace.as_ref()?.read(path).ok().flatten();
        let mut rules = rules(repo, &config, &one(args, id), process)?;
        rules.budget = kept_budget(&ledger, Scope::Feature(id))?.unwrap_or(rules.budget);
        let estimating = Estimating { store: &ledger, agents: &agents, rules: &rules, read: &read };
        Ok(Planned { id, expected: estimating.forecast(&state)? })
    };
    let planned: Vec<Planned> = wanted.iter().filter_map(|id| forecast(*id).ok()).collect();
    given_for_all(repo, &planned, limit, args.yes, process, console)
}

/// What was typed, as if it had been typed for one of them.
fn one(args: &RunArgs, id: FeatureId) -> RunArgs {
    RunArgs {
        feature: Some(id.to_string()),
        on_cap: args.on_cap,
        on_failure: args.on_failure,
        yes: args.yes,
        merge: args.merge,
        until: args.until.clone(),
        agent: args.agent.clone(),
        policy: args.policy.clone(),
        knowledge: args.knowledge.clone(),
        certify: args.certify.clone(),
        events: args.events,
        ..RunArgs::default()
    }
}

/// Drives one feature after the other, until none is left that can go on.
fn work(
    queue: &Queue,
    shared: &Shared,
    places: &Places<'_>,
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
) {
    while !process.clock.leaving() {
        match queue.pick(process) {
            Pick::Drive(driven) => {
                if let Some(mark) = places.get(&driven.id()) {
                    mark.end();
                }
                let ended = drive_one(driven.id(), shared, args, process, console);
                driven.rests(ended, process);
            }
            Pick::Wait => queue.wait(),
            Pick::Over => return,
        }
    }
}

fn drive_one(
    id: FeatureId,
    shared: &Shared,
    args: &RunArgs,
    process: &ProcessContext,
    console: &Console,
) -> Ended {
    let console = console.of_feature(id);
    let drive = || {
        // Each has its own, as if it were the only one.
        let repo = process.repository()?;
        let manner = RunKind::OneOfSeveral(shared.clone());
        drive_to(&repo, id, &one(args, id), process, &console, manner)
    };
    let done = drive().map_err(|error| error.typed_here(process));
    let (shown, end) = console.result();
    if let Some(shown) = &shown {
        console.say(&shown.text);
    }
    if let Err(error) = &done {
        console.complain(error);
    }
    Ended { done, end, run: shown.map(|shown| shown.value) }
}
