//! `redraft config`: shows which settings hold here and which file sets them; `set` and `unset` change one setting of a
//! file.
//!
//! A file is written whole or not at all, and only if it can be used afterwards.

use crate::args::{ConfigArgs, ConfigCommand};
use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::found_agents::{DEFAULT_ROLE, found};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use crate::whole_file::staged;
use redraft_adapters::plain_file;
use redraft_agents::config::{self, Config, ConfigError, From, ShownSetting, Want, edited, settings};
use redraft_facts::harmless::name;
use redraft_facts::ids::Role;
use redraft_roles::profile;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Which file is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigPlace {
    /// The user's own.
    User,
    /// `redraft.toml` of the repository.
    Repository,
}

impl ConfigPlace {
    fn asked(repo: bool) -> ConfigPlace {
        if repo { ConfigPlace::Repository } else { ConfigPlace::User }
    }
}

pub fn config(args: ConfigArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    // A repository is not needed for the user's own file.
    let repo = process.repository();
    match args.command {
        None => show(repo.ok().as_ref(), process, console),
        Some(ConfigCommand::Set(set)) => {
            let place = ConfigPlace::asked(set.repo);
            let repo = needed(repo, place)?;
            change(place, &set.key, Some(&set.value), repo.as_ref(), process, console)
        }
        Some(ConfigCommand::Unset(unset)) => {
            let place = ConfigPlace::asked(unset.repo);
            let repo = needed(repo, place)?;
            change(place, &unset.key, None, repo.as_ref(), process, console)
        }
    }
}

fn needed(
    repo: Result<RepositoryContext, CliError>,
    place: ConfigPlace,
) -> Result<Option<RepositoryContext>, CliError> {
    match place {
        ConfigPlace::Repository => repo.map(Some),
        ConfigPlace::User => Ok(repo.ok()),
    }
}

#[derive(Serialize)]
struct WrittenJson<'a> {
    v: u16,
    key: &'a str,
    file: String,
    /// Whether the file was changed.
    written: bool,
}

fn change(
    place: ConfigPlace,
    key: &str,
    value: Option<&str>,
    repo: Option<&RepositoryContext>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let (file, written) = put(place, key, value, repo, process)?;
    let shown = file.display();
    let text = match (value, written) {
        (Some(value), true) => format!("{shown} now says {key} = {value}"),
        (Some(value), false) => format!("{shown} already says {key} = {value}"),
        (None, true) => format!("{key} was removed from {shown}"),
        (None, false) => format!("{shown} does not set {key}"),
    };
    console.show(&text, &WrittenJson { v: 1, key, file: file.display().to_string(), written });
    Ok(ErrorCode::Done)
}

/// Writes one setting; returns the file it is in.
pub fn write(
    place: ConfigPlace,
    key: &str,
    value: &str,
    repo: &RepositoryContext,
    process: &ProcessContext,
) -> Result<PathBuf, CliError> {
    put(place, key, Some(value), Some(repo), process).map(|(file, _)| file)
}

fn put(
    place: ConfigPlace,
    key: &str,
    value: Option<&str>,
    repo: Option<&RepositoryContext>,
    process: &ProcessContext,
) -> Result<(PathBuf, bool), CliError> {
    let file = file_of(place, repo, process)?;
    let unreadable = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be read: {error}", file.display()))
    };
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(unreadable)?,
    };
    let mut refused = None;
    // `agents.x.model = 5` is meant as text, and only the schema of the file shows that.
    for as_text in [false, true] {
        let new = edited(&text, key, value, as_text).map_err(CliError::usage)?;
        let Some(new) = new else { return Ok((file, false)) };
        match checked(place, &file, &new, process) {
            Ok(()) => return keep(&file, &new).map(|()| (file, true)),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let error = refused.map_or_else(|| CliError::usage(format!("`{key}` cannot be set")), CliError::from);
    Err(error.hint("nothing was written"))
}

fn file_of(
    place: ConfigPlace,
    repo: Option<&RepositoryContext>,
    process: &ProcessContext,
) -> Result<PathBuf, CliError> {
    let named = match (place, repo) {
        (ConfigPlace::Repository, Some(repo)) => Some(repo.repository.main_checkout().join(config::FILE)),
        (ConfigPlace::Repository, None) => None,
        (ConfigPlace::User, _) => process.own.file.clone(),
    };
    let named = named.ok_or_else(|| {
        CliError::new(ErrorCode::Config, "there is no folder for your own configuration")
            .hint("set HOME or XDG_CONFIG_HOME")
    })?;
    if let (ConfigPlace::Repository, Some(repo), true) = (place, repo, named.is_symlink()) {
        plain_file::inside(repo.repository.main_checkout(), &named)
            .map_err(|error| CliError::new(ErrorCode::Config, format!("{}: {error}", named.display())))?;
    }
    // Where the path is a link, the file it leads to is changed, and the link stays.
    Ok(std::fs::canonicalize(&named).unwrap_or(named))
}

/// Whether the file could be used with this text.
fn checked(place: ConfigPlace, file: &Path, text: &str, process: &ProcessContext) -> Result<(), ConfigError> {
    let roles = profile::roles();
    match place {
        ConfigPlace::Repository => Config::parse(text.as_bytes(), file, &roles, &process.own).map(drop),
        ConfigPlace::User => Config::check_own(text.as_bytes(), file, &roles, &process.own),
    }
}

fn keep(file: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: std::io::Error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be written: {error}", file.display()))
            .hint("nothing was changed; make it writable or free some space")
    };
    let folder = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let replaced = std::fs::metadata(file).ok();
    let written = staged(file, text, replaced.as_ref(), ".redraft-config-").map_err(failed)?;
    written.persist(file).map(drop).map_err(|error| failed(error.error))
}

#[derive(Serialize)]
struct ConfigJson {
    v: u16,
    settings: Vec<SettingJson>,
    /// A budget of redraft.toml that is higher than the user's own and not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    higher_budget_micro_usd: Option<u64>,
    agents: Vec<AgentJson>,
    user_file: Option<String>,
    repository_file: Option<String>,
}

#[derive(Serialize)]
struct SettingJson {
    key: String,
    value: String,
    /// `default`, `user` or `redraft.toml`.
    from: &'static str,
    /// Whether it is used: settings of redraft.toml that a person must accept wait for that.
    accepted: bool,
}

#[derive(Serialize)]
struct AgentJson {
    name: String,
    /// What it is, or why it cannot be used.
    what: String,
    usable: bool,
    /// The roles it plays.
    roles: Vec<String>,
}

fn show(
    repo: Option<&RepositoryContext>,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let roles = profile::roles();
    let (config, raised) = match repo {
        Some(repo) => {
            let config = repo.config(process)?;
            let raised = config.is_accepted() && config.higher_budget.is_some();
            (config, raised)
        }
        None => (Config::parse(b"", Path::new(config::FILE), &roles, &process.own)?, false),
    };
    let repository = repo.map(|repo| repo.repository.main_checkout().join(config::FILE));
    let all = settings(repository.as_deref(), &process.own, raised)?;
    let agents = match repo {
        Some(repo) => agents(repo, &config, process),
        None => Vec::new(),
    };
    let shown = |path: &PathBuf| path.display().to_string();
    let user_file = process.own.file.as_ref();
    let unaccepted = config.unaccepted(|_| true);
    let waits = |setting: &ShownSetting| {
        let is_in =
            |want: &&Want| setting.key == want.key || setting.key.starts_with(&format!("{}.", want.key));
        setting.from == From::Repository && unaccepted.iter().any(is_in)
    };
    let mut text = table(&all, &waits);
    if !unaccepted.is_empty() {
        text.push_str(
            "\nsettings marked as not accepted are not used until you accept them: redraft trust\n",
        );
    }
    if let Some(higher) = config.higher_budget.filter(|_| !raised) {
        text.push_str(&format!(
            "\nredraft.toml asks for a budget of {higher}; yours is lower and counts until you accept the higher \
                one: redraft trust\n"
        ));
    }
    text.push_str(&who(&config, &agents));
    text.push_str(&format!("\nyour own configuration: {}\n", described(user_file)));
    text.push_str(&format!("this repository's: {}\n", described(repository.as_ref())));
    if config.default_agent.is_none() {
        let name = agents.iter().find(|agent| agent.usable).map_or("NAME", |agent| agent.name.as_str());
        text.push_str(&format!(
            "next: {}",
            process.next(&format!("redraft config set {DEFAULT_ROLE} {name}"))
        ));
    }
    let settings = all.into_iter().map(|setting| SettingJson {
        accepted: !waits(&setting),
        key: setting.key,
        value: setting.value,
        from: setting.from.name(),
    });
    let object = ConfigJson {
        v: 1,
        settings: settings.collect(),
        higher_budget_micro_usd: config.higher_budget.filter(|_| !raised).map(|usd| usd.0),
        agents,
        user_file: user_file.map(shown),
        repository_file: repository.as_ref().map(shown),
    };
    console.show(&text, &object);
    Ok(ErrorCode::Done)
}

fn described(file: Option<&PathBuf>) -> String {
    match file {
        Some(path) if path.exists() => path.display().to_string(),
        Some(path) => format!("{} (not there)", path.display()),
        None => "none".to_owned(),
    }
}

fn table(all: &[ShownSetting], waits: &dyn Fn(&ShownSetting) -> bool) -> String {
    let width =
        |of: &dyn Fn(&ShownSetting) -> usize, most: usize| all.iter().map(of).max().unwrap_or(0).min(most);
    let keys = width(&|setting| setting.key.chars().count(), 40);
    let values = width(&|setting| setting.value.chars().count(), 40);
    let line = |setting: &ShownSetting| {
        let mark = if waits(setting) { " (not accepted)" } else { "" };
        let (key, value) = (name(&setting.key), name(&setting.value));
        format!("{key:keys$}  {value:values$}  {}{mark}\n", setting.from.name())
    };
    all.iter().map(line).collect()
}

fn agents(repo: &RepositoryContext, config: &Config, process: &ProcessContext) -> Vec<AgentJson> {
    let plays = |name: &str| {
        let of = |role: &Role| config.agent_of(role).is_some_and(|agent| agent.as_str() == name);
        let roles = profile::roles().into_iter().filter(of);
        roles.map(|role| role.to_string()).collect::<Vec<_>>()
    };
    let mut agents: Vec<AgentJson> = found(repo, config, process)
        .into_iter()
        .map(|one| {
            let (usable, what) = match one.what {
                Ok(what) => (true, what),
                Err(why) => (false, why),
            };
            AgentJson { roles: plays(one.name.as_str()), name: one.name.to_string(), what, usable }
        })
        .collect();
    let rehearsed = plays(config::REHEARSAL);
    if !rehearsed.is_empty() {
        let what = "built in, no model".to_owned();
        agents.push(AgentJson { name: config::REHEARSAL.to_owned(), what, usable: true, roles: rehearsed });
    }
    agents
}

fn who(config: &Config, agents: &[AgentJson]) -> String {
    let all = profile::roles().len();
    let mut text = "\nagents found here:\n".to_owned();
    for agent in agents {
        let plays = match agent.roles.len() {
            0 => "plays no role".to_owned(),
            count if count == all => "plays every role".to_owned(),
            _ => format!("plays {}", agent.roles.join(", ")),
        };
        let what = if agent.usable { agent.what.clone() } else { format!("cannot be used: {}", agent.what) };
        text.push_str(&format!("  {}: {}; {plays}\n", agent.name, name(&what)));
    }
    if agents.is_empty() {
        text.push_str("  none\n");
    }
    if config.default_agent.is_none() && config.roles.is_empty() {
        text.push_str("no agent is set to play the roles; on a terminal, `run` and `review` ask for one\n");
    }
    text
}
