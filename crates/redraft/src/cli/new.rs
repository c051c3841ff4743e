//! `redraft new`: makes a feature with a number, a branch and a worktree of its own.

use super::project::project_named;
use redraft_adapters::git::GitError;
use redraft_adapters::sqlite::{Ledger, new_feature_uuid};
use redraft_agents::config::{Config, WorkspaceMode};
use redraft_engine::ports::{CommitRefused, WorkspaceError};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::{FeatureId, slug};
use redraft_facts::phase::{Chosen, Lane, Phase, lane_for};
use redraft_facts::redact::Typed;
use redraft_facts::text::hash;
use redraft_facts::ticket::Scope;
use redraft_frame::args::NewArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::prepare::{hold_place, prepare};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::rows::rows;
use redraft_frame::trust;
use redraft_views::board::{goes_on, next_after};
use redraft_views::checkout_files::read_prd;
use redraft_views::dependencies::{dependencies_named, refuse_circle};
use serde::Serialize;
use std::path::Path;

/// The idea is in every prompt of its feature; a longer text belongs in a PRD, which is read once.
const IDEA_CHARS_MAX: usize = 20_000;

#[derive(Serialize)]
struct NewJson {
    v: u16,
    feature: String,
    slug: String,
    branch: String,
    base: String,
    lane: &'static str,
    lane_reason: String,
    until: &'static str,
    worktree: String,
    folder: String,
    /// Features of the same name that are not over.
    same_name: Vec<String>,
    next: String,
}

pub(crate) fn new(args: NewArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let id = create(&repo, &args, process, console)?;
    let ledger = repo.writer()?;
    let created = repo.created(&ledger, id)?;
    let worktree = repo.worktree(&created)?;
    let next = next_after(&repo, &ledger, id, process)?;
    let same_name = same_name(&ledger, &created)?;
    for other in &same_name {
        console.say(&format!(
            "feature {other} has the same name and is not over; to go on with it: {}; to give up the new one: {}",
            next_after(&repo, &ledger, *other, process)?,
            process.next(&format!("redraft decide {id} abandon"))
        ));
    }
    let shown = NewJson {
        v: 1,
        feature: id.to_string(),
        slug: created.slug.clone(),
        branch: created.branch.clone(),
        base: created.base_branch.clone(),
        lane: created.lane.name(),
        lane_reason: created.lane_reason.clone(),
        until: created.until.name(),
        worktree: worktree.display().to_string(),
        folder: created.folder(),
        same_name: same_name.iter().map(FeatureId::to_string).collect(),
        next: next.clone(),
    };
    let (branch, place) = (&created.branch, worktree.display());
    let lane = format!("lane: {}, because {}", created.lane, created.lane_reason);
    console
        .show(&format!("feature {id} on branch {branch}\n{lane}\nworktree: {place}\nnext: {next}"), &shown);
    Ok(ErrorCode::Done)
}

/// Other features that are called like this one and can still go on: the same idea may have been typed twice.
fn same_name(ledger: &Ledger, created: &FeatureCreated) -> Result<Vec<FeatureId>, CliError> {
    let rows = rows(ledger)?;
    let same = rows.iter().filter(|row| row.slug == created.slug && goes_on(row));
    Ok(same.filter_map(|row| row.id.parse().ok()).filter(|id| *id != created.id).collect())
}

/// Gives out a number, stores the feature, then builds its worktree. A crash in between is mended by `run`.
pub(crate) fn create(
    repo: &RepositoryContext,
    args: &NewArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<FeatureId, CliError> {
    check_idea(&args.idea)?;
    let config = repo.config(process)?;
    trust::require_programs(repo, "the same command again", process)?;
    let idea = &args.idea.clean(&process.redactor);
    let course = course(args, idea, &config)?;
    let project = args.project.as_deref().map(|word| project_named(repo, word)).transpose()?;
    let prd = args.prd.as_deref().map(|file| read_prd(repo, file, process)).transpose()?;
    repo.recover_interrupted_move(console)?;
    let head = repo.repository.head()?;
    // Whatever would stop the feature from being made is found before a number is given out.
    let in_place = config.workspace.mode == WorkspaceMode::InPlace;
    repo.repository.make_room(!in_place)?;
    if !repo.repository.has_identity()? {
        return Err(WorkspaceError::Commit(CommitRefused::NoIdentity).into());
    }
    let lock = repo.lock_repository(process, console)?;
    let ledger = repo.first_writer(console)?;
    let depends_on = dependencies_named(repo, &ledger, &args.depends_on)?;
    let given = ledger.scopes()?.into_iter().filter_map(|scope| match scope {
        Scope::Feature(id) => Some(id),
        Scope::Review(_) | Scope::Agent(_) | Scope::Repo => None,
    });
    if in_place {
        require_vacancy(repo, &ledger, head.branch.as_deref())?;
    }
    let given = given.chain(repo.repository.feature_numbers()?);
    let last = given.map(FeatureId::number).max().unwrap_or(0);
    let id: FeatureId = (last + 1).to_string().parse().map_err(|_| {
        CliError::usage(format!("there is no feature number after {last}"))
            .hint("rename that branch or folder")
    })?;
    let slug = slug(idea);
    refuse_circle(repo, &ledger, (id, &format!("{id}-{slug}")), &depends_on)?;
    let place = repo.repository.feature_place(id, &slug)?;
    let created = FeatureCreated {
        id,
        uuid: new_feature_uuid(),
        slug,
        idea: idea.to_owned(),
        lane: course.lane,
        base_branch: head.branch.clone().unwrap_or_default(),
        base_commit: head.commit,
        branch: place.branch,
        prd: prd.as_deref().map(hash),
        in_place,
        until: course.until,
        lane_reason: course.reason,
        project,
        depends_on,
        document: None,
        brainstorm_source: args.prd.as_deref().and_then(|file| source(repo, &process.folder.join(file))),
        change: None,
        ask_after: course.ask_after,
    };
    let blobs: Vec<Vec<u8>> = prd.into_iter().collect();
    process.boundaries.pass("before a feature is stored");
    process.journal(&ledger, Scope::Feature(id))?.append(vec![created.clone().into()], &blobs)?;
    process.boundaries.pass("after a feature is stored");
    if head.branch.is_none() {
        console.say(&format!("HEAD is detached; feature {id} begins at that commit"));
    }
    if !in_place && repo.repository.is_dirty()? {
        console.say("uncommitted changes in your checkout stay there and are not part of the feature");
    }
    drop(lock);
    if let Some(hook) = repo.repository.commit_hook() {
        console.say(&format!(
            "this repository has a {hook} hook; redraft's commits do not run hooks, so put what must pass into \
                [checks] in redraft.toml"
        ));
    }
    let _lock = repo.lock(&id.to_string(), process)?;
    let _place = hold_place(repo, &created, process)?;
    prepare(repo, &ledger, &created, &config, process, console).map_err(|error| match error.code {
        // These errors say themselves how to go on.
        ErrorCode::Waiting | ErrorCode::Interrupted => error,
        _ => error
            .hint(format!(
                "feature {id} exists; once that is fixed: {}",
                process.next(&format!("redraft run {id}"))
            ))
            .hint(format!("or abandon it: {}", process.next(&format!("redraft decide {id} abandon")))),
    })?;
    Ok(id)
}

/// How far and by which lane a feature goes.
struct Course {
    lane: Lane,
    reason: String,
    until: Phase,
    /// After which phases a person is asked to approve.
    ask_after: Vec<Phase>,
}

fn course(args: &NewArgs, idea: &str, config: &Config) -> Result<Course, CliError> {
    let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
    let said = args.lane.as_deref().map(str::parse).transpose().map_err(unknown)?;
    let Chosen { lane, reason } = lane_for(idea, said, &config.lanes);
    let until = args.until.as_deref().map(str::parse).transpose().map_err(unknown)?.unwrap_or(lane.last());
    if !lane.phases().contains(&until) {
        let error = CliError::usage(format!("lane {lane} has no phase {until} ({reason})"));
        return Err(error.hint("choose another lane: --lane standard"));
    }
    let mut ask_after = Vec::new();
    for word in &args.ask {
        let phase: Phase = word.trim().parse().map_err(unknown)?;
        let passes = lane.phases().contains(&phase) && phase <= until;
        if phase == Phase::Finish {
            return Err(CliError::usage(
                "`--ask finish` is not possible: that phase is not approved, only merged",
            )
            .hint("what it made is merged only when you say so: redraft finish --merge"));
        }
        if !passes {
            return Err(CliError::usage(format!(
                "the feature does not pass through {phase}, so nobody can approve it"
            ))
            .hint(format!("it is in lane {lane} until {until}")));
        }
        if !ask_after.contains(&phase) {
            ask_after.push(phase);
        }
    }
    Ok(Course { lane, reason, until, ask_after })
}

/// Where a PRD came from, if that is a place in the repository.
fn source(repo: &RepositoryContext, file: &Path) -> Option<String> {
    let file = std::fs::canonicalize(file).ok()?;
    let inside = file.strip_prefix(repo.repository.here()).ok()?;
    Some(inside.to_string_lossy().into_owned())
}

/// Refuses to begin a feature in the main checkout while there is anything that it could take along or displace.
fn require_vacancy(repo: &RepositoryContext, ledger: &Ledger, branch: Option<&str>) -> Result<(), CliError> {
    let (here, main) = (repo.repository.here(), repo.repository.main_checkout());
    if here != main {
        let message = "a feature in place must begin in the main checkout, and this is a worktree";
        return Err(CliError::usage(message).hint(format!("cd {}", main.display())));
    }
    for scope in ledger.scopes()? {
        let Scope::Feature(id) = scope else { continue };
        let other = repo.created(ledger, id)?;
        if other.in_place && Some(other.branch.as_str()) == branch {
            let base = if other.base_branch.is_empty() { &other.base_commit } else { &other.base_branch };
            return Err(CliError::usage(format!("feature {id} is in place in {}", main.display()))
                .hint(format!("go back to the branch where the new one should begin: git switch {base}"))
                .hint("or give each feature its own worktree: [workspace] mode = \"worktree\""));
        }
    }
    if repo.repository.is_dirty()? {
        return Err(GitError::Dirty(main.to_owned()).into());
    }
    Ok(())
}

/// Checks whether a text can be an idea.
pub(crate) fn check_idea(idea: &Typed) -> Result<(), CliError> {
    if idea.is_empty() {
        return Err(CliError::usage("the idea is empty")
            .hint("redraft new \"let people reset a forgotten password\""));
    }
    let chars = idea.chars();
    if chars > IDEA_CHARS_MAX {
        let error = format!("the idea has {chars} characters; at most {IDEA_CHARS_MAX} are allowed");
        return Err(CliError::usage(error)
            .hint("say it in a sentence and put the rest into a file: redraft new \"…\" --prd FILE"));
    }
    Ok(())
}
