//! `redraft demo`: plays a whole feature in a throw-away repository, offline, with the rehearsal agent.

use super::{new, run};
use redraft_adapters::git::{self, Repository};
use redraft_adapters::shell_word::quoted_path;
use redraft_agents::config::REHEARSAL;
use redraft_facts::event::FeatureCreated;
use redraft_facts::redact::Typed;
use redraft_facts::text::one_line;
use redraft_facts::ticket::Scope;
use redraft_frame::args::{DemoArgs, NewArgs, OnCap, RunArgs};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::trust;
use std::path::{Path, PathBuf};

const IDEA: &str = "Let people reset a forgotten password by email";
const PRD: &str = include_str!("demo-prd.md");

const IDEA_FILE: &str = "ideas/password-reset.md";

/// The files of the repository: a small shop in shell, so that its tests run on every machine that has git.
const FILES: [(&str, &str); 8] = [
    ("README.md", "# A small web shop\n\nIt exists to show `redraft demo`. Tests: `sh tests/run.sh`\n"),
    ("redraft.toml", "[checks]\ntests = \"sh tests/run.sh\"\n\n[roles]\ndefault = \"rehearsal\"\n"),
    ("src/accounts.sh", include_str!("demo/accounts.sh")),
    ("tests/accounts.sh", include_str!("demo/accounts.test.sh")),
    ("tests/run.sh", include_str!("demo/run.sh")),
    ("docs/knowledge-bank/anti-patterns.md", include_str!("demo/anti-patterns.md")),
    ("docs/knowledge-bank/heuristics.md", include_str!("demo/heuristics.md")),
    (IDEA_FILE, PRD),
];

pub(crate) fn demo(
    args: DemoArgs,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let own_idea = args.idea.is_some();
    let typed = args.idea.unwrap_or_else(|| Typed::from(IDEA));
    // Before anything is made.
    new::check_idea(&typed)?;
    let idea = typed.clean(&process.redactor);
    let temporary = tempfile::Builder::new().prefix("redraft-demo-").tempdir();
    let temporary = temporary
        .map_err(|error| CliError::new(ErrorCode::Config, format!("no temporary folder: {error}")))?;
    let place = match &args.keep {
        Some(keep) => kept(&process.folder.join(keep))?,
        None => temporary.path().join("repository"),
    };
    console.say(&format!("demo: a repository in {}, the idea: {}", place.display(), one_line(&idea, 200)));
    let begun = args.keep.as_ref().and_then(|_| begun(&place));
    if let Some(other) = begun.as_ref().filter(|created| created.idea != idea) {
        let other = one_line(&other.idea, 100);
        return Err(CliError::usage(format!("{} holds a demo with another idea: {other}", place.display()))
            .hint("name that idea to continue with it, or name a folder that does not exist yet"));
    }
    let repo = match &begun {
        Some(_) => RepositoryContext::find(&place)?,
        None => {
            let repository = make_repository(&place, own_idea)?;
            RepositoryContext::open(repository)
        }
    };
    if args.keep.is_some() {
        // The user can look at it and go on with it; without a home that has to wait for `redraft trust`.
        let config = repo.config(process)?;
        let owned = repo.require_own_state().and_then(|()| trust::accept_own(&repo, &config, process));
        if let Err(error) = owned {
            if error.code == ErrorCode::Waiting {
                // It only looks like an earlier demo.
                return Err(error);
            }
            console.say(&format!("the commands it runs are accepted for this demo only: {}", error.message));
        }
    }
    // Only the demo has written what it runs.
    let repo = RepositoryContext { is_own: true, ..repo };
    let prd = (!own_idea).then(|| place.join(IDEA_FILE));
    let feature = NewArgs {
        ask: Vec::new(),
        idea: typed,
        prd,
        lane: Some("standard".to_owned()),
        until: None,
        project: None,
        depends_on: Vec::new(),
    };
    let id = match begun {
        Some(created) => {
            console.say("it was begun before and continues from where it stands");
            created.id
        }
        None => new::create(&repo, &feature, process, console)?,
    };
    let args_run = RunArgs {
        on_cap: Some(OnCap::Stop),
        yes: true,
        merge: args.merge,
        // Whatever the user's own configuration says: a demo sends nothing and costs nothing.
        agent: Some(REHEARSAL.to_owned()),
        ..RunArgs::default()
    };
    let program = &process.program;
    let ending = match &args.keep {
        Some(_) => {
            let command = |name: &str| format!("{program} -C {} {name}", quoted_path(&place));
            let cost = Some(command("cost"));
            let next = if args.merge { command("status") } else { command(&format!("finish {id} --merge")) };
            run::Ending { cost, text: format!("folder: {}\nnext: {next}", place.display()), next }
        }
        None => {
            let next = format!("{program} new \"your idea\"");
            let text = format!(
                "the repository was deleted; to keep the next one: {program} demo --keep DIR\n\
                 next: {next}, in your own repository"
            );
            run::Ending { cost: None, text, next }
        }
    };
    run::drive_to(&repo, id, &args_run, process, console, run::RunKind::Demo(ending))
}

/// A folder that is new or empty, or that an interrupted demo left before it had begun its feature: a demo never writes
/// among a user's own files.
fn kept(folder: &Path) -> Result<PathBuf, CliError> {
    let named =
        |error: std::io::Error| CliError::usage(format!("{} cannot be used: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(named)?;
    let place = std::fs::canonicalize(folder).map_err(named)?;
    if begun(&place).is_some() {
        return Ok(place);
    }
    for entry in std::fs::read_dir(&place).map_err(named)? {
        let path = entry.map_err(named)?.path();
        if !is_ours(&place, &path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let error = CliError::usage(format!("{} is not empty", folder.display()));
            return Err(error.hint(format!(
                "it holds {name}, which no demo made; name a folder that does not exist yet"
            )));
        }
    }
    Ok(place)
}

/// The feature that an earlier demo began in this folder. A repository of the user's own has other files.
fn begun(place: &Path) -> Option<FeatureCreated> {
    let ours = ["README.md", "redraft.toml"].iter().all(|name| is_ours(place, &place.join(name)));
    let repo = RepositoryContext::find(place).ok().filter(|_| ours)?;
    let ledger = repo.reader().ok().flatten()?;
    let feature = ledger.scopes().ok()?.into_iter().find(|scope| matches!(scope, Scope::Feature(_)))?;
    repo.created_in(&ledger, feature).ok()
}

/// Whether a demo has made this, perhaps not to its end.
fn is_ours(place: &Path, path: &Path) -> bool {
    let name = path.strip_prefix(place).unwrap_or(path);
    let is_it = |(file, text): &(&str, &str)| {
        Path::new(file) == name && std::fs::read_to_string(path).is_ok_and(|found| text.starts_with(&found))
    };
    match path.is_dir() {
        true if [".git", ".redraft"].map(Path::new).contains(&name) => true,
        // A folder of ours holds nothing else; other folders are not looked into.
        true if FILES.iter().any(|(file, _)| Path::new(file).starts_with(name)) => {
            let mut entries = std::fs::read_dir(path).into_iter().flatten();
            entries.all(|entry| entry.is_ok_and(|entry| is_ours(place, &entry.path())))
        }
        true => false,
        false => FILES.iter().any(is_it),
    }
}

fn make_repository(place: &Path, own_idea: bool) -> Result<Repository, CliError> {
    let named =
        |error: std::io::Error| CliError::new(ErrorCode::Config, format!("{}: {error}", place.display()));
    std::fs::create_dir_all(place).map_err(named)?;
    let files = || FILES.into_iter().filter(|(name, _)| !own_idea || *name != IDEA_FILE);
    for (name, text) in files() {
        let path = place.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(place)).map_err(named)?;
        std::fs::write(path, text).map_err(named)?;
    }
    // One that an interrupted demo made is used as it is.
    if place.join(".git").is_dir()
        && let Ok(repository) = Repository::discover(place)
        && repository.head().is_ok()
    {
        return Ok(repository);
    }
    let names: Vec<&str> = files().map(|(name, _)| name).collect();
    Ok(git::create_repository(place, &names)?)
}
