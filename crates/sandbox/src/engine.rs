//! The means that hold a command to its policy, and what one of them has reached.

use crate::level::Level;
use crate::policy::Network;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fmt, fs, io};

/// From the one that holds most to the one that works on most machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// A file system of its own that has only what is granted, and within it the same rules as below.
    Bubblewrap,
    /// Landlock and seccomp, with a network of its own.
    LandlockAlone,
    /// Landlock and seccomp in the network of the machine.
    Landlock,
}

impl Engine {
    /// In the order in which they are tried.
    pub const ALL: [Engine; 3] = [Engine::Bubblewrap, Engine::LandlockAlone, Engine::Landlock];

    /// Whether what it starts has a network of its own.
    pub(crate) fn isolates(self, network: &Network) -> bool {
        self != Engine::Landlock && network.is_private()
    }

    pub fn name(self) -> &'static str {
        match self {
            Engine::Bubblewrap => "bubblewrap",
            Engine::LandlockAlone => "Landlock, private network",
            Engine::Landlock => "Landlock",
        }
    }
}

/// How far a command was held, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxReport {
    /// None where nothing holds it.
    pub engine: Option<Engine>,
    pub level: Level,
}

impl SandboxReport {
    pub fn none(why: &str) -> SandboxReport {
        SandboxReport { engine: None, level: Level::None(why.to_owned()) }
    }

    pub fn write(&self, file: &Path) -> io::Result<()> {
        fs::write(file, serde_json::to_vec(self).map_err(io::Error::other)?)
    }

    /// None where there is none that can be read.
    pub fn read(file: &Path) -> Option<SandboxReport> {
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }
}

impl fmt::Display for SandboxReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.engine {
            Some(engine) if self.level.holds() => write!(f, "{} ({})", self.level, engine.name()),
            _ => self.level.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Gap;

    #[test]
    fn a_report_names_its_engine_where_something_is_held() {
        let report = |engine, level| SandboxReport { engine, level }.to_string();
        let partial = Level::Partial(vec![Gap::Limits]);
        assert_eq!(report(Some(Engine::Bubblewrap), partial), "partial: limits (bubblewrap)");
        assert_eq!(report(Some(Engine::Landlock), Level::Enforced), "enforced (Landlock)");
        assert_eq!(report(Some(Engine::Landlock), Level::None("why".to_owned())), "none: why");
    }
}
