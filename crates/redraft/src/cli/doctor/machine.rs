//! Checks what can be seen of the machine and the repository without asking an agent.

use super::report::Line;
use redraft_adapters::disk;
use redraft_adapters::git::{self, Git, GitError, MINIMUM, Repository};
use redraft_adapters::sqlite::Ledger;
use redraft_agents::config::{self, Config, Want};
use redraft_facts::text::count;
use redraft_facts::usage::grouped;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::sandbox::sandbox;
use redraft_sandbox::Level;
use redraft_sandbox::SandboxRule;
use std::fs;
use std::path::Path;

/// A ledger, prompts and answers of many features fit into it.
const FREE_BYTES_MIN: u64 = 100 * 1024 * 1024;

/// What was seen; without a place nothing can be probed.
pub(super) struct Machine {
    pub(super) lines: Vec<Line>,
    pub(super) place: Option<Place>,
}

/// Where probes are made and stored.
pub(super) struct Place {
    pub(super) repo: RepositoryContext,
    pub(super) config: Config,
    pub(super) ledger: Ledger,
    /// Outside of a repository everything happens in here, and is gone afterwards.
    throw_away: Option<tempfile::TempDir>,
}

impl Place {
    pub(super) fn stored(&self) -> bool {
        self.throw_away.is_none()
    }
}

/// Stops where the state folder is somebody else's; everything else is reported in lines.
pub(super) fn look(process: &ProcessContext) -> Result<Machine, CliError> {
    let mut lines = Vec::new();
    let place = see(process, &mut lines)?;
    Ok(Machine { lines, place })
}

fn see(process: &ProcessContext, lines: &mut Vec<Line>) -> Result<Option<Place>, CliError> {
    match Git::default().check_version() {
        Ok(version) => lines.push(Line::ok("git", format!("{version}; {MINIMUM} or newer is needed"))),
        Err(error) => {
            let hint = format!("install git {MINIMUM} or newer");
            lines.push(Line::bad("git", error.to_string(), hint));
            return Ok(None);
        }
    }
    let Some((repo, throw_away)) = repo(process, lines) else { return Ok(None) };
    match repo.require_own_state() {
        Err(error) if error.code == ErrorCode::Waiting => return Err(error),
        Err(error) => return Ok(told("state folder", error, lines)),
        Ok(()) => {}
    }
    let state = repo.state.clone();
    lines.push(match writable(&state) {
        Ok(()) => Line::ok("state folder", format!("{} can be written", state.display())),
        Err(error) => {
            let hint = format!("make {} writable", state.display());
            Line::bad("state folder", format!("{}: {error}", state.display()), hint)
        }
    });
    lines.push(match disk::free_bytes(&state) {
        Ok(free) if free >= FREE_BYTES_MIN => Line::ok("free space", megabytes(free)),
        Ok(free) => {
            Line::bad("free space", megabytes(free), format!("free at least {}", megabytes(FREE_BYTES_MIN)))
        }
        Err(error) => Line::bad("free space", error.to_string(), "check the disk and its permissions"),
    });
    let ledger = match repo.writer().and_then(|ledger| Ok((ledger.tip()?, ledger))) {
        Ok((tip, ledger)) => {
            let events = count(usize::try_from(tip.seq).unwrap_or(usize::MAX), "event");
            lines.push(Line::ok("ledger", format!("{events}, all checksums match")));
            Some(ledger)
        }
        Err(error) => told("ledger", error, lines),
    };
    let config = match throw_away.is_some() {
        true => elsewhere(process, lines),
        false => configuration(&repo, process, lines),
    };
    if let Some(config) = &config {
        lines.push(contained(&repo, config, process));
    }
    let place = |(config, ledger)| Place { repo, config, ledger, throw_away };
    Ok(config.zip(ledger).map(place))
}

/// The current repository, or a throw-away one where there is none.
fn repo(
    process: &ProcessContext,
    lines: &mut Vec<Line>,
) -> Option<(RepositoryContext, Option<tempfile::TempDir>)> {
    match Repository::discover(&process.folder) {
        Ok(repository) => {
            lines.push(Line::ok("repository", repository.main_checkout().display().to_string()));
            Some((RepositoryContext::open(repository), None))
        }
        Err(GitError::NotARepository(folder)) => {
            let detail = format!("{} is not in a repository, so nothing is stored", folder.display());
            lines.push(Line::ok("repository", detail));
            throw_away()
                .map(|(repo, folder)| (repo, Some(folder)))
                .map_err(|error| {
                    lines.push(Line::bad("temporary folder", error.message, error.hints.join("; ")));
                })
                .ok()
        }
        Err(error) => told("repository", error.into(), lines),
    }
}

/// A repository that is gone when the folder is dropped, for a command outside of any other.
pub(crate) fn throw_away() -> Result<(RepositoryContext, tempfile::TempDir), CliError> {
    let folder = tempfile::Builder::new().prefix("redraft-state-").tempdir();
    let folder = folder.map_err(|error| CliError::usage(format!("no temporary folder: {error}")))?;
    let repository = new_repository(folder.path())?;
    // Only this program has made it.
    Ok((RepositoryContext { is_own: true, ..RepositoryContext::open(repository) }, folder))
}

/// The configuration outside of a repository: the user's own file.
fn elsewhere(process: &ProcessContext, lines: &mut Vec<Line>) -> Option<Config> {
    let roles = redraft_roles::profile::roles();
    match Config::parse(b"", Path::new(config::FILE), &roles, &process.own) {
        Ok(found) => Some(found),
        Err(error) => told("your configuration", error.into(), lines),
    }
}

fn configuration(
    repo: &RepositoryContext,
    process: &ProcessContext,
    lines: &mut Vec<Line>,
) -> Option<Config> {
    match repo.config(process) {
        Ok(found) => {
            let there = repo.repository.main_checkout().join(config::FILE).exists();
            let what = if there {
                "is valid"
            } else {
                "does not exist; the defaults and your own configuration apply"
            };
            let unaccepted: Vec<String> = found.unaccepted(|_| true).into_iter().map(Want::line).collect();
            lines.push(match unaccepted.is_empty() {
                true => Line::ok(config::FILE, what),
                false => Line::ok(
                    config::FILE,
                    format!(
                        "is valid; nobody has accepted {}, so this is not used: redraft trust",
                        unaccepted.join(", ")
                    ),
                ),
            });
            Some(found)
        }
        Err(error) => told(config::FILE, error, lines),
    }
}

/// How far commands of the project can be held here, found out by trying.
fn contained(repo: &RepositoryContext, config: &Config, process: &ProcessContext) -> Line {
    const CHECK: &str = "sandbox";
    let sandbox = sandbox(repo, config, process);
    let passed = process.environment.of_commands(&sandbox.pass);
    let Some(report) = sandbox.reached(None, (&process.environment.0, &passed.0), &process.exe) else {
        let off = "off: checks and setup can reach whatever you can";
        return Line::ok(
            CHECK,
            format!("{off}; without [sandbox] level = \"off\" in {} they are contained", config::FILE),
        );
    };
    match (&report.level, sandbox.rule) {
        (Level::None(_), SandboxRule::Auto | SandboxRule::Off) => {
            Line::ok(CHECK, format!("{report}: checks and setup can reach whatever you can"))
        }
        (Level::Enforced, _) | (Level::Partial(_), SandboxRule::Auto | SandboxRule::Off) => {
            Line::ok(CHECK, report.to_string())
        }
        (Level::None(_) | Level::Partial(_), SandboxRule::Strict) => Line::bad(
            CHECK,
            format!("{report}, and [sandbox] level = \"strict\" asks for more: no check is run"),
            "level = \"auto\" in redraft.toml runs them as far contained as this machine can",
        ),
    }
}

fn told<T>(check: &str, error: CliError, lines: &mut Vec<Line>) -> Option<T> {
    lines.push(Line::bad(check, error.message, error.hints.join("; ")));
    None
}

/// Writes a file there and removes it.
fn writable(state: &Path) -> std::io::Result<()> {
    fs::create_dir_all(state)?;
    let file = state.join("doctor.part");
    fs::write(&file, "1\n")?;
    fs::remove_file(&file)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", grouped(bytes / (1024 * 1024)))
}

/// A repository with one commit, for a probe to work in.
pub(super) fn new_repository(folder: &Path) -> Result<Repository, CliError> {
    let file = folder.join("README.md");
    let named = |error: std::io::Error| CliError::usage(format!("{}: {error}", file.display()));
    fs::write(&file, "# A list for `redraft doctor`\n").map_err(named)?;
    Ok(git::create_repository(folder, &["README.md"])?)
}
