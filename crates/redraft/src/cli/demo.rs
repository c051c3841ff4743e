//! `redraft demo`: a whole feature in a throw-away repository, offline, with the rehearsal agent.

use super::args::{DemoArgs, NewArgs, OnCap, RunArgs};
use super::console::Console;
use super::errors::{CliError, Code};
use super::site::{Site, Surroundings};
use super::{new, run};
use redraft_adapters::git::{self, Repository};
use redraft_adapters::shell_word::quoted_path;
use redraft_core::text::one_line;
use std::path::{Path, PathBuf};

const IDEA: &str = "Let people reset a forgotten password by email";
const PRD: &str = include_str!("demo-prd.md");

pub(crate) fn demo(args: DemoArgs, around: &Surroundings, console: &Console) -> Result<Code, CliError> {
    let own_idea = args.idea.is_some();
    let idea = args.idea.unwrap_or_else(|| IDEA.to_owned());
    // Before anything is made.
    new::check_idea(&idea)?;
    let temporary = tempfile::Builder::new().prefix("redraft-demo-").tempdir();
    let temporary =
        temporary.map_err(|error| CliError::new(Code::Config, format!("no temporary folder: {error}")))?;
    let place = match &args.keep {
        Some(keep) => kept(&around.folder.join(keep))?,
        None => temporary.path().join("repository"),
    };
    console.say(&format!("demo: a repository in {}, the idea: {}", place.display(), one_line(&idea, 200)));
    let repository = make_repository(&place, own_idea)?;
    let state = repository.state_dir();
    let site = Site { repository, state };
    let prd = (!own_idea).then(|| place.join("ideas/password-reset.md"));
    let feature = NewArgs {
        idea,
        prd,
        lane: Some("standard".to_owned()),
        until: None,
        project: None,
        depends_on: Vec::new(),
    };
    let id = new::create(&site, &feature, around, console)?;
    let args_run = RunArgs { on_cap: Some(OnCap::Stop), ..RunArgs::default() };
    let program = &around.program;
    let ending = match &args.keep {
        Some(_) => {
            let command = |name| format!("{program} -C {} {name}", quoted_path(&place));
            let (costs, next) = (command("cost"), command("status"));
            run::Ending { text: format!("costs: {costs}\nfolder: {}\nnext: {next}", place.display()), next }
        }
        None => {
            let next = format!("{program} new \"your idea\"");
            let text = format!(
                "the repository is gone again; to keep the next one: {program} demo --keep DIR\n\
                 next: {next}, in a repository of your own"
            );
            run::Ending { text, next }
        }
    };
    run::drive_to(&site, id, &args_run, around, console, Some(ending))
}

/// A folder that is new or empty: a demo never writes among somebody's files.
fn kept(folder: &Path) -> Result<PathBuf, CliError> {
    let named =
        |error: std::io::Error| CliError::usage(format!("{} cannot be used: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(named)?;
    if std::fs::read_dir(folder).map_err(named)?.next().is_some() {
        let error = CliError::usage(format!("{} is not empty", folder.display()));
        let begun = folder.join(".git/redraft/ledger.db").exists();
        let on = format!("a demo was begun there; to go on with it: redraft -C {} run", quoted_path(folder));
        return Err(if begun { error.hint(on) } else { error }.hint("name a folder that does not exist yet"));
    }
    std::fs::canonicalize(folder).map_err(named)
}

fn make_repository(place: &Path, own_idea: bool) -> Result<Repository, CliError> {
    let named = |error: std::io::Error| CliError::new(Code::Config, format!("{}: {error}", place.display()));
    std::fs::create_dir_all(place).map_err(named)?;
    let mut files = vec![
        ("README.md", "# A small web shop\n\nIt exists to show `redraft demo`.\n"),
        ("package.json", "{\n  \"name\": \"shop\",\n  \"scripts\": { \"test\": \"node --test\" }\n}\n"),
    ];
    if !own_idea {
        std::fs::create_dir_all(place.join("ideas")).map_err(named)?;
        files.push(("ideas/password-reset.md", PRD));
    }
    for (name, text) in &files {
        std::fs::write(place.join(name), text).map_err(named)?;
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    Ok(git::create_repository(place, &names)?)
}
