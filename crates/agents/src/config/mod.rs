//! Reads `redraft.toml`, in which a project says what it wants differently, and the user's own file, which holds in
//! every repository (`user_settings`).
//!
//! `file` has the types of what was written, where everything is optional; `resolve` turns that into [`Config`], what
//! it means, with every default filled in and every value checked (`agent` has that of agents); `source` is what every table is read with. Parts of
//! that are `prices`, `models`, `mcp`, `lint`, `checks`, `notify`, `sandbox` and `secrets`, which refuses a key in the file. `acceptance`
//! decides what of `redraft.toml` a person must accept, `effective` shows which settings hold, `edit` changes one.
//! Nothing is run and no folder is searched here. Start reading at [`Config::load`].

mod acceptance;
mod agent;
mod builtin_cards;
mod checks;
mod edit;
mod effective;
mod error;
mod file;
mod lint;
mod mcp;
mod models;
mod nearest;
mod notify;
mod prices;
mod resolve;
mod sandbox;
mod secrets;
mod share;
mod source;
mod user_settings;

#[cfg(test)]
mod tests;

pub use acceptance::{By, KEYS, KeyDecision, Needed, Want};
pub use agent::{AgentConfig, BashRule, ModelAgent, ModelKind, SchemaForm, Wire};
pub use edit::edited;
pub use effective::{From, ShownSetting, settings};
pub use error::ConfigError;
pub use sandbox::SandboxConfig;
pub use user_settings::{Colour, LOCAL, LocalServer, TerminalSettings, UserSettings};

use builtin_cards::builtin_cards;
use notify::NotifyCommands;
use redraft_adapters::plain_file;
use redraft_cost::price::{Cards, PriceOverride};
use redraft_engine::DocsGate;
use redraft_engine::ports::Check;
use redraft_facts::choice::{Knowledge, Policy};
use redraft_facts::event::{Certify, Extra, Limits, MergeHistory};
use redraft_facts::findings::Threshold;
use redraft_facts::ids::{AgentName, BlobId, Role};
use redraft_facts::phase::{LaneRules, Phase};
use redraft_facts::text::hash;
use redraft_facts::usage::Usd;
use redraft_reports::projections::Thresholds;
use std::collections::BTreeMap;
use std::path::Path;

/// The file's name in the main checkout.
pub const FILE: &str = "redraft.toml";

/// A hundred times more than any configuration; a larger file is a mistake.
const BYTES_MAX: u64 = 1024 * 1024;

/// The agent that is always there: built in, offline.
pub const REHEARSAL: &str = "rehearsal";

/// What the configuration means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// What a feature may cost in all.
    pub budget: Usd,
    /// The budget that redraft.toml asks for where that is more than the user's own limit or the default; it counts
    /// once a person has accepted it.
    pub higher_budget: Option<Usd>,
    /// What of redraft.toml a person must accept before it is used.
    pub wants: Vec<Want>,
    /// Whether a person has accepted all of that; see [`Config::accept`].
    pub accepted: bool,
    pub policy: Policy,
    /// What a reviewer must know when it looks again.
    pub knowledge: Knowledge,
    pub certify: Certify,
    pub threshold: Threshold,
    pub limits: Limits,
    /// How long one dispatch may take.
    pub dispatch_minutes: u64,
    pub workspace: WorkspaceConfig,
    /// The thresholds at which the watch over several features warns.
    pub monitor: Thresholds,
    /// How the lane of a new feature is chosen.
    pub lanes: LaneRules,
    /// Which mechanical faults are looked for in documents.
    pub lint: redraft_documents::lint::LintSettings,
    /// What code must pass before anybody reviews it, in the order of the file.
    pub checks: Vec<Check>,
    /// How long one of them may take.
    pub check_minutes: u64,
    /// What is done to code between its last task and its first review.
    pub extras: Vec<Extra>,
    /// How many tasks are carried out side by side.
    pub jobs: u16,
    pub finish: FinishConfig,
    /// The phases after which a person is asked to approve.
    pub asks_after: Vec<Phase>,
    /// What the project's commands may reach.
    pub sandbox: SandboxConfig,
    /// The remote through which features are shared with other clones.
    pub share: ShareConfig,
    /// Whether an interactive agent that stops is reminded of unfinished work.
    pub autonomous: bool,
    /// The commands that tell a person who is not looking; see [`Config::notify_command`].
    notify: NotifyCommands,
    /// Every agent that can be named: those of the files, those named like a kind, the built-in one.
    pub agents: BTreeMap<AgentName, AgentConfig>,
    /// Which file an agent's settings come from; an agent that stands in none is as it is without settings.
    pub origins: BTreeMap<AgentName, Origin>,
    /// Who works for a role that `roles` does not list; none where nobody was named.
    pub default_agent: Option<AgentName>,
    pub roles: BTreeMap<Role, AgentName>,
    /// What both files say about prices; see [`Config::cards`].
    pub prices: Vec<PriceOverride>,
    /// What the user's own file says about prices, which holds until a person has accepted the prices of redraft.toml.
    pub own_prices: Vec<PriceOverride>,
    /// A hash of the file's bytes; of no bytes when there is no file.
    pub hash: BlobId,
}

/// How features are shared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShareConfig {
    /// As git knows it; none where nothing is shared.
    pub remote: Option<String>,
    /// Whether prompts and answers are shared, too.
    pub transcripts: bool,
}

/// The file that an agent's settings come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's own; what stands there, the user has accepted by writing it.
    User,
    /// `redraft.toml`.
    Repository,
}

/// How a feature ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FinishConfig {
    /// What becomes of its commits when it is merged.
    pub history: MergeHistory,
    /// What is done where it changes no documentation.
    pub docs: DocsGate,
    /// Whether somebody is asked what the feature teaches.
    pub retro: bool,
}

/// Where a new feature is worked on, and how its worktree is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceConfig {
    pub mode: WorkspaceMode,
    /// A command to run in it, once the user has accepted it.
    pub setup: Option<String>,
    /// How long that may take.
    pub setup_minutes: u64,
    /// Files to copy from the main checkout, relative to its root.
    pub copy: Vec<String>,
}

/// Where a new feature is worked on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkspaceMode {
    /// In a worktree of its own; the user's checkout is not touched.
    #[default]
    Worktree,
    /// In the main checkout, on the feature's branch.
    InPlace,
}

/// A name that no agent has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{name}` (known: {})", .known.join(", "))]
pub struct UnknownAgent {
    pub name: String,
    pub known: Vec<String>,
    /// The one that was probably meant.
    pub near: Option<String>,
}

impl Config {
    /// Reads `redraft.toml` of a folder and the user's own file; without them, everything has its default. `roles` are
    /// those that `[roles]` may name.
    pub fn load(folder: &Path, roles: &[Role], own: &UserSettings) -> Result<Config, ConfigError> {
        let path = folder.join(FILE);
        let bytes = match plain_file::read_inside(folder, FILE, BYTES_MAX) {
            Err(error) if error.is_absent(&path) => Vec::new(),
            read => read.map_err(|error| {
                ConfigError::new(&path, error.to_string())
                    .hint("replace or remove it; `redraft init` writes one with every default")
            })?,
        };
        Config::parse(&bytes, &path, roles, own)
    }

    /// The same for bytes that came from elsewhere, e.g. from a commit. Paths inside are relative to the folder
    /// of `path`, which is also what errors name.
    pub fn parse(
        bytes: &[u8],
        path: &Path,
        roles: &[Role],
        own: &UserSettings,
    ) -> Result<Config, ConfigError> {
        let own_path = own.file.as_deref().unwrap_or(Path::new(""));
        let own_bytes = own.file.as_deref().map_or(Ok(Vec::new()), read_if_there)?;
        Config::both((bytes, path), (&own_bytes, own_path), roles, own.local.as_ref())
    }

    /// Whether the user's own file could be used if it held these bytes.
    pub fn check_own(
        bytes: &[u8],
        path: &Path,
        roles: &[Role],
        own: &UserSettings,
    ) -> Result<(), ConfigError> {
        Config::both((b"", Path::new(FILE)), (bytes, path), roles, own.local.as_ref()).map(drop)
    }

    fn both(
        (bytes, path): (&[u8], &Path),
        (own_bytes, own_path): (&[u8], &Path),
        roles: &[Role],
        local: Option<&LocalServer>,
    ) -> Result<Config, ConfigError> {
        let own_text = error::text(own_bytes, own_path)?;
        let own_file = file::read_own(own_text, own_path)?;
        let text = error::text(bytes, path)?;
        let file = file::read(text, path)?;
        let source = source::Source { text, path, roles };
        let own_source = source::Source { text: own_text, path: own_path, roles };
        let mut config = resolve::resolve(&file, &source, (&own_file, &own_source), local)?;
        config.hash = hash(bytes);
        Ok(config)
    }

    /// Who plays a role; none where no one was named for it.
    pub fn agent_of(&self, role: &Role) -> Option<&AgentName> {
        self.roles.get(role).or(self.default_agent.as_ref())
    }

    /// The same with every role played by one agent.
    pub fn played_by(mut self, name: &str) -> Result<Config, UnknownAgent> {
        let agent = AgentName::new(name);
        if !self.agents.contains_key(&agent) {
            let known = self.agents.keys().map(AgentName::as_str);
            return Err(UnknownAgent {
                name: name.to_owned(),
                near: nearest::nearest(name, known.clone()).map(str::to_owned),
                known: known.map(str::to_owned).collect(),
            });
        }
        self.default_agent = Some(agent);
        self.roles.clear();
        Ok(self)
    }

    /// The price cards: the built-in ones and on top of them what the files say. Prices of redraft.toml that nobody has
    /// accepted do not count.
    pub fn cards(&self) -> Cards {
        let prices = if self.unaccepted_prices().is_empty() { &self.prices } else { &self.own_prices };
        let cards = builtin_cards().clone().with_overrides(prices.clone());
        cards.expect("they were laid over the same cards when the file was read")
    }

    /// The same with everything that redraft.toml wants.
    #[must_use]
    pub fn accept(mut self) -> Config {
        self.accepted = true;
        self.budget = self.higher_budget.unwrap_or(self.budget);
        self
    }
}

impl Default for WorkspaceConfig {
    fn default() -> Self {
        WorkspaceConfig { mode: WorkspaceMode::default(), setup: None, setup_minutes: 10, copy: Vec::new() }
    }
}

impl Default for Config {
    fn default() -> Self {
        let mut agents: BTreeMap<AgentName, AgentConfig> = ModelKind::ALL
            .map(|kind| (AgentName::new(kind.name()), AgentConfig::Model(Box::new(ModelAgent::usual(kind)))))
            .into();
        agents.insert(AgentName::new(REHEARSAL), AgentConfig::Rehearsal { scenario: None });
        Config {
            budget: Usd(5_000_000),
            higher_budget: None,
            wants: Vec::new(),
            accepted: false,
            policy: Policy::Cost,
            knowledge: Knowledge::Full,
            certify: Certify::Resume,
            threshold: Threshold::Blockers,
            limits: Limits::default(),
            dispatch_minutes: 30,
            jobs: 1,
            workspace: WorkspaceConfig::default(),
            monitor: Thresholds::default(),
            lanes: LaneRules::default(),
            lint: redraft_documents::lint::LintSettings::default(),
            checks: Vec::new(),
            check_minutes: 20,
            extras: Extra::ALL.to_vec(),
            finish: FinishConfig { history: MergeHistory::Keep, docs: DocsGate::Remind, retro: true },
            asks_after: Vec::new(),
            sandbox: SandboxConfig::default(),
            autonomous: false,
            share: ShareConfig::default(),
            notify: NotifyCommands::default(),
            agents,
            origins: BTreeMap::new(),
            default_agent: None,
            roles: BTreeMap::new(),
            prices: Vec::new(),
            own_prices: Vec::new(),
            hash: hash(b""),
        }
    }
}

/// A file's bytes; none where it is not there.
fn read_if_there(path: &Path) -> Result<Vec<u8>, ConfigError> {
    match plain_file::read(path, BYTES_MAX) {
        Err(error) if error.is_absent(path) => Ok(Vec::new()),
        read => read.map_err(|error| ConfigError::new(path, error.to_string())),
    }
}

/// The file that `redraft init` writes: every key with its default, as a comment. Lines of explanation begin
/// with `# `, settings with `#` alone.
pub fn template() -> &'static str {
    include_str!("template.toml")
}

/// The same with these checks as settings.
pub fn template_with(checks: &[Check]) -> String {
    const HEAD: &str = "#[checks]\n";
    if checks.is_empty() {
        return template().to_owned();
    }
    let line =
        |check: &Check| format!("{} = {}\n", check.name, serde_json::Value::from(check.command.as_str()));
    let lines: String = checks.iter().map(line).collect();
    let (before, after) = template().split_once(HEAD).unwrap_or((template(), ""));
    // The comments that explain the table stand between its name and its lines.
    let told = after.lines().take_while(|line| line.starts_with("# ")).map(|line| format!("{line}\n"));
    let told: String = told.collect();
    format!("{before}[checks]\n{told}{lines}{}", &after[told.len()..])
}
