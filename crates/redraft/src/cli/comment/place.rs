//! What a comment is about: its phase, and the place in a file.

use redraft_core::pipeline::Pipeline;
use redraft_facts::event::FeatureCreated;
use redraft_facts::harmless;
use redraft_facts::ids::FindingId;
use redraft_facts::phase::Phase;
use redraft_frame::args::CommentArgs;
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use std::path::{Component, Path};

pub(super) struct Place {
    pub(super) phase: Phase,
    /// Relative to the worktree; empty where no file was named.
    pub(super) file: String,
    /// 0 where no line was named.
    pub(super) line: u32,
}

impl Place {
    pub(super) fn new(
        repo: &RepositoryContext,
        state: &Pipeline,
        args: &CommentArgs,
        reopens: Option<&FindingId>,
    ) -> Result<Place, CliError> {
        let Some(created) = &state.created else { return Err(CliError::usage("there is no such feature")) };
        let unknown = |error: redraft_facts::ids::BadId| CliError::usage(error.to_string());
        let said: Option<Phase> = args.phase.as_deref().map(str::parse).transpose().map_err(unknown)?;
        let (file, of_file) = match &args.file {
            None => (String::new(), None),
            Some(file) => {
                let (file, phase) = named(repo, created, file)?;
                require_line(repo, created, &file, args.line)?;
                (file, Some(phase))
            }
        };
        let again = reopens.and_then(|id| state.comments.phase_of(id));
        let under_way = || match state.phase() {
            // The end has no author; what is merged was built.
            Some(Phase::Finish) | None => last_made(state),
            phase => phase,
        };
        let phase = again.or(said).or(of_file).or_else(under_way);
        let Some(phase) = phase.filter(|phase| passes(state, *phase)) else {
            let name = phase.map(Phase::name).unwrap_or("a phase");
            let all: Vec<&str> = created
                .lane
                .phases()
                .iter()
                .filter(|phase| passes(state, **phase))
                .map(|one| one.name())
                .collect();
            return Err(CliError::usage(format!(
                "feature {} has nothing in {name} to comment on",
                created.id
            ))
            .hint(format!("say which phase you mean, with --phase: {}", all.join(", "))));
        };
        Ok(Place { phase, file, line: args.line.unwrap_or(0) })
    }
}

/// Whether the feature passes through a phase that has an author.
fn passes(state: &Pipeline, phase: Phase) -> bool {
    let made = !matches!(phase, Phase::Finish | Phase::Document);
    made && state.created.as_ref().is_some_and(|created| {
        created.lane.phases().contains(&phase) && (phase <= created.until || state.is_over(phase))
    })
}

fn last_made(state: &Pipeline) -> Option<Phase> {
    state.phases().filter(|phase| passes(state, *phase) && state.is_over(*phase)).last()
}

/// The file as it is stored, and the phase that writes it. A document may be named without its folder.
fn named(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    file: &str,
) -> Result<(String, Phase), CliError> {
    let outside = || {
        CliError::usage(format!("{} is not a file of the feature", harmless::name(file)))
            .hint("name it relative to the repository, such as src/export.rs, or spec.md")
    };
    let worktree = repo.worktree(created)?;
    let path = Path::new(file);
    let inside = path.strip_prefix(&worktree).unwrap_or(path);
    let plain = inside.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let parts: Vec<&str> = inside
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
            _ => None,
        })
        .collect();
    let name = parts.join("/");
    if !plain || name.is_empty() || parts.contains(&"") {
        return Err(outside());
    }
    if let Some(phase) = Phase::writing(&name) {
        return Ok((created.path_of(&name), phase));
    }
    let folder = format!("{}/", created.folder());
    if let Some(document) = name.strip_prefix(&folder) {
        let phase = Phase::writing(document).ok_or_else(|| {
            CliError::usage(format!("{} is not written by a phase", harmless::name(file)))
                .hint("comment on spec.md, design.md, plan.md, tasks.md or on the code")
        })?;
        return Ok((name.clone(), phase));
    }
    if worktree.is_dir() && !worktree.join(&name).is_file() {
        return Err(CliError::usage(format!(
            "there is no file {} in the feature's worktree",
            harmless::name(&name)
        ))
        .hint(format!("its files are in {}", worktree.display())));
    }
    Ok((name, Phase::Implement))
}

fn require_line(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    file: &str,
    line: Option<u32>,
) -> Result<(), CliError> {
    let Some(line) = line else { return Ok(()) };
    let path = repo.worktree(created)?.join(file);
    // What cannot be read has no lines to compare with; what is not there yet neither.
    let Ok(bytes) = std::fs::read(&path) else { return Ok(()) };
    let lines = String::from_utf8_lossy(&bytes).lines().count();
    match usize::try_from(line).is_ok_and(|line| line <= lines) {
        true => Ok(()),
        false => Err(CliError::usage(format!("{} has {lines} lines", harmless::name(file)))
            .hint("name one of them, or leave --line out")),
    }
}
