//! `[sandbox]`: what the project's own commands may reach in addition to their folder.

use super::error::ConfigError;
use super::file::SandboxFile;
use super::source::Source;
use redraft_sandbox::{Network, SandboxRule};
use toml::Spanned;

const LEVELS: [(&str, SandboxRule); 3] =
    [("auto", SandboxRule::Auto), ("strict", SandboxRule::Strict), ("off", SandboxRule::Off)];

const GIT: [(&str, bool); 2] = [("none", false), ("copy", true)];

/// The sandbox of the project's own commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    pub rule: SandboxRule,
    /// Paths that may be read: absolute, from `~`, or relative to the main checkout.
    pub read: Vec<String>,
    /// Paths that may be written, too.
    pub write: Vec<String>,
    pub network: Network,
    /// Variables of the environment that are passed on in addition to the usual ones.
    pub pass: Vec<String>,
    /// Whether git finds a copy of the latest history.
    pub git: bool,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        SandboxConfig {
            rule: SandboxRule::Auto,
            read: Vec::new(),
            write: Vec::new(),
            network: Network::local(),
            pass: Vec::new(),
            git: false,
        }
    }
}

impl Source<'_> {
    pub(super) fn sandbox(&self, file: &SandboxFile) -> Result<SandboxConfig, ConfigError> {
        let mut sandbox = SandboxConfig::default();
        self.word(&mut sandbox.rule, file.level.as_ref(), "a level of the sandbox", &LEVELS)?;
        self.word(&mut sandbox.git, file.git.as_ref(), "a value of git", &GIT)?;
        sandbox.read = self.paths(file.read.as_deref())?;
        sandbox.write = self.paths(file.write.as_deref())?;
        for word in file.network.iter().flatten() {
            let wider = sandbox.network.widened([word.get_ref().as_str()]);
            sandbox.network = wider.map_err(|word_| {
                let message = format!("`{word_}` is not a network of the sandbox");
                self.wrong(&word.span(), message).hint(
                    "known: the name of a host, as in packages.example.com or localhost:5432; tcp:PORT, tcp, udp, unix, all",
                )
            })?;
        }
        sandbox.pass = file.pass.iter().flatten().map(|name| name.get_ref().clone()).collect();
        Ok(sandbox)
    }

    fn paths(&self, written: Option<&[Spanned<String>]>) -> Result<Vec<String>, ConfigError> {
        let check = |path: &Spanned<String>| match path.get_ref().trim() {
            "" => Err(self.wrong(&path.span(), "an empty path opens nothing".to_owned())),
            text if text.contains('\0') => {
                Err(self.wrong(&path.span(), "a path cannot hold a NUL character".to_owned()))
            }
            text => Ok(text.to_owned()),
        };
        written.unwrap_or_default().iter().map(check).collect()
    }
}
