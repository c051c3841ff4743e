//! Makes a feature's worktree ready: branch, folder, PRD, copied files, the project's own setup command. A feature in
//! place needs only its branch and PRD, because people have set up everything else in the main checkout.
//!
//! Every step can be repeated, so a run that finds a half-made worktree does it again. The caller holds the feature's
//! lock; the repository's lock is held only while git makes the worktree, so that a long setup blocks nobody.

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use crate::sandbox::sandbox;
use redraft_adapters::child::{Environment, ScriptEnd, ShellCommand};
use redraft_adapters::git::GitError;
use redraft_adapters::lock::Lock;
use redraft_adapters::plain_file::{self, Copied};
use redraft_adapters::shell_word::quoted_path;
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::{Config, Needed};
use redraft_engine::ports::{Clock, Store, Trailers, Workspace};
use redraft_facts::event::{Event, FeatureCreated};
use redraft_facts::ids::Revision;
use redraft_facts::text::{count, one_line};
use redraft_facts::ticket::Scope;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

pub fn prepare(
    repo: &RepositoryContext,
    ledger: &Ledger,
    created: &FeatureCreated,
    config: &Config,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let ready = repo.state.join("ready").join(created.id.to_string());
    let worktree = repo.worktree(created)?;
    if created.in_place {
        let _lock = repo.lock_repository(process, console)?;
        repo.repository.enter_feature(&created.branch, &created.base_commit, &process.boundaries)?;
        process.boundaries.pass("a worktree is there");
        if !ready.exists() {
            bring_prd(repo, ledger, created)?;
            bring_documents(repo, ledger, created)?;
            note(repo, &ready)?;
        }
        return Ok(());
    }
    if ready.exists() && worktree.is_dir() {
        return Ok(());
    }
    require_trust(repo, config, created, process)?;
    // A folder that was removed and is made again has to be set up again, even if that takes several attempts.
    remove(&ready)?;
    let lock = repo.lock_repository(process, console)?;
    let made = repo.repository.ensure_feature(&created.branch, &created.base_commit, &worktree);
    made.map_err(|error| match error {
        // Ctrl-C reaches git as well.
        GitError::Failed { .. } if process.clock.stopped() => interrupted(created, process),
        error => error.into(),
    })?;
    drop(lock);
    process.boundaries.pass("a worktree is there");
    tell_submodules(&worktree, config, console);
    bring_prd(repo, ledger, created)?;
    bring_documents(repo, ledger, created)?;
    let out = repo.state.join("setup").join(created.id.to_string());
    let environment = &process.environment;
    let furniture = Furniture { folder: &worktree, out: &out, environment, sets_up: true };
    furnish(&furniture, repo, created, config, process, console)?;
    note(repo, &ready)
}

/// What a worktree is furnished with.
pub(crate) struct Furniture<'a> {
    pub(crate) folder: &'a Path,
    /// Where the setup command's output is kept.
    pub(crate) out: &'a Path,
    pub(crate) environment: &'a Environment,
    /// Whether the setup command is run.
    pub(crate) sets_up: bool,
}

/// Copies the files that the project names, and runs its setup command.
pub(crate) fn furnish(
    furniture: &Furniture<'_>,
    repo: &RepositoryContext,
    created: &FeatureCreated,
    config: &Config,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let Furniture { folder, out, environment, sets_up } = *furniture;
    for name in &config.workspace.copy {
        copy(repo.repository.main_checkout(), folder, name, console)?;
    }
    let Some(command) = config.workspace.setup.as_ref().filter(|_| sets_up) else { return Ok(()) };
    let sandbox = sandbox(repo, config, process);
    let script = ShellCommand {
        worker: &process.exe,
        out,
        text: command,
        folder,
        sandbox: Some((&sandbox, None)),
        environment,
        redactor: &process.redactor,
        limit_ms: config.workspace.setup_minutes * 60_000,
    };
    set_up(&script, created, process, console)
}

/// Notes that everything was done.
fn note(repo: &RepositoryContext, ready: &Path) -> Result<(), CliError> {
    let named =
        |error: std::io::Error| CliError::new(ErrorCode::Config, format!("{}: {error}", ready.display()));
    fs::create_dir_all(ready.parent().unwrap_or(&repo.state)).map_err(named)?;
    // A run that finds the note does not look at the worktree again.
    repo.repository.barrier().hold().map_err(named)?;
    fs::write(ready, "1\n").map_err(named)
}

/// Makes the next run prepare the worktree again.
pub fn forget_ready(repo: &RepositoryContext, created: &FeatureCreated) -> Result<(), CliError> {
    remove(&repo.state.join("ready").join(created.id.to_string()))
}

/// The one lock of the main checkout, held by a process that works in it, in addition to the feature's own.
pub fn hold_place(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    process: &ProcessContext,
) -> Result<Option<Lock>, CliError> {
    created.in_place.then(|| repo.lock("in-place", process)).transpose()
}

fn bring_prd(repo: &RepositoryContext, ledger: &Ledger, created: &FeatureCreated) -> Result<(), CliError> {
    let Some(blob) = &created.prd else { return Ok(()) };
    let workspace = repo.workspace(created)?;
    let path = format!("{}/prd.md", created.folder());
    // A power cut may have left it empty.
    if workspace.read(&path)?.is_none_or(|there| there.is_empty()) {
        workspace.write(&path, &ledger.blob(blob)?)?;
    }
    let seq = ledger.last_seq(Scope::Feature(created.id))?;
    let trailers = Trailers { seq, ..Trailers::default() };
    workspace.commit(&[path], &format!("redraft: PRD of feature {}", created.id), &trailers)?;
    Ok(())
}

/// Puts the documents of an adopted feature on its branch, as they were found. Later work there is left alone.
fn bring_documents(
    repo: &RepositoryContext,
    ledger: &Ledger,
    created: &FeatureCreated,
) -> Result<(), CliError> {
    let entries = ledger.read(Scope::Feature(created.id))?;
    let adopted = entries.iter().find_map(|entry| match &entry.event {
        Event::Adopted(adopted) => Some(adopted),
        _ => None,
    });
    let Some(adopted) = adopted.filter(|adopted| !adopted.files.is_empty()) else { return Ok(()) };
    let workspace = repo.workspace(created)?;
    let base = Revision::new(&created.base_commit);
    for file in &adopted.files {
        let (there, found) = (workspace.read(&file.path)?, ledger.blob(&file.blob)?);
        // A base that git no longer has says nothing; then what is there stays.
        let nothing = there.as_ref().is_none_or(Vec::is_empty);
        let untouched = nothing || there == workspace.read_at(&base, &file.path).ok().flatten();
        if untouched && there.as_ref() != Some(&found) {
            workspace.write(&file.path, &found)?;
        }
    }
    let paths: Vec<String> = adopted.files.iter().map(|file| file.path.clone()).collect();
    let trailers = Trailers { seq: ledger.last_seq(Scope::Feature(created.id))?, ..Trailers::default() };
    workspace.commit(
        &paths,
        &format!("redraft: documents of feature {} as adopted", created.id),
        &trailers,
    )?;
    Ok(())
}

/// Git leaves the folders of submodules empty in a new worktree. The main checkout comes first: git keeps one address for
/// all worktrees, and takes a relative one from where it is first asked.
fn tell_submodules(worktree: &Path, config: &Config, console: &Console) {
    let handled = config.workspace.setup.as_ref().is_some_and(|setup| setup.contains("submodule"));
    if worktree.join(".gitmodules").is_file() && !handled {
        let folder = quoted_path(worktree);
        console.say(&format!(
            "this repository has submodules, and their folders are empty in the new worktree; to fill them, first in your \
             checkout: git submodule update --init --recursive, then: git -C {folder} submodule update --init --recursive"
        ));
        console.say(
            "worktrees and folders for checks that are made later fill them with this in [workspace] in redraft.toml: \
             setup = \"git submodule update --init --recursive\"",
        );
    }
}

/// Copies a file that git does not track, such as `.env`, from the main checkout.
fn copy(from: &Path, to: &Path, name: &str, console: &Console) -> Result<(), CliError> {
    match plain_file::copy_inside(from, to, name) {
        Ok(Copied::Done | Copied::There) => Ok(()),
        Ok(Copied::Absent) => {
            console
                .say(&format!("[workspace] copy: {name} is not in the main checkout, so it is not copied"));
            Ok(())
        }
        Err(error) => Err(CliError::new(ErrorCode::Config, format!("[workspace] copy: {name}: {error}"))
            .hint("or remove it from `copy`, and let `setup` create it")),
    }
}

/// Requires that a person has accepted exactly what `redraft.toml` names, before it is run or copied.
fn require_trust(
    repo: &RepositoryContext,
    config: &Config,
    created: &FeatureCreated,
    process: &ProcessContext,
) -> Result<(), CliError> {
    let then = format!("redraft run {} (the feature exists)", created.id);
    crate::trust::require(repo, config, &then, |needed| *needed == Needed::ByWorktrees, process)
}

/// Runs the command to its end. Whatever else happens, the next run begins it again.
fn set_up(
    script: &ShellCommand<'_>,
    created: &FeatureCreated,
    process: &ProcessContext,
    console: &Console,
) -> Result<(), CliError> {
    let command = script.text;
    if process.clock.stopped() {
        return Err(interrupted(created, process));
    }
    console.say(&format!("setting up the worktree: {command}"));
    let ended = script.run(&process.clock, &mut |line| console.say(&format!("  {}", one_line(line, 400))));
    let explained = ended.as_ref().ok().and_then(|ran| ran.hint.clone());
    let failed = |detail: String| {
        let error = CliError::new(ErrorCode::Config, format!("[workspace] setup `{command}` {detail}"));
        let error = explained.clone().into_iter().fold(error, CliError::hint);
        error
            .hint(format!("what it printed is in {}", script.output().display()))
            .hint("fix it; if you change it in redraft.toml, accept it again: redraft trust")
    };
    match ended.map(|ran| ran.end) {
        Ok(ScriptEnd::Well) => Ok(()),
        Ok(ScriptEnd::Stopped) => Err(interrupted(created, process)),
        Ok(ScriptEnd::Badly { how, .. }) => Err(failed(how)),
        Ok(ScriptEnd::Slow) => {
            let minutes = count((script.limit_ms / 60_000) as usize, "minute");
            Err(failed(format!("was ended after {minutes}"))
                .hint("[workspace] setup_minutes in redraft.toml gives it more time"))
        }
        Err(error) => Err(failed(format!("could not be started: {error}"))),
    }
}

fn interrupted(created: &FeatureCreated, process: &ProcessContext) -> CliError {
    let id = created.id;
    CliError::new(
        ErrorCode::Interrupted,
        format!("interrupted; feature {id} exists, its worktree is not ready yet"),
    )
    .hint(format!("to continue: {}", process.next(&format!("redraft run {id}"))))
}

fn remove(file: &Path) -> Result<(), CliError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(CliError::new(ErrorCode::Config, format!("{}: {error}", file.display())))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
