//! How far a policy is really held.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What was reached. It is computed from what the kernel granted and what was tried, never from what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Enforced,
    /// Held, except for these.
    Partial(Vec<Gap>),
    /// Nothing can be relied on; says why.
    None(String),
}

/// Something that a policy forbids and that is possible nevertheless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    Network,
    UnixSockets,
    Signals,
    Truncation,
    Devices,
    Calls,
    Descriptors,
    SharedMemory,
    Attributes,
    Names,
    Limits,
}

impl Gap {
    pub const ALL: [Gap; 11] = [
        Gap::Network,
        Gap::UnixSockets,
        Gap::Signals,
        Gap::Truncation,
        Gap::Devices,
        Gap::Calls,
        Gap::Descriptors,
        Gap::SharedMemory,
        Gap::Attributes,
        Gap::Names,
        Gap::Limits,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Gap::Network => "network",
            Gap::UnixSockets => "unix sockets",
            Gap::Signals => "signals",
            Gap::Truncation => "truncation",
            Gap::Devices => "devices",
            Gap::Calls => "system calls",
            Gap::Descriptors => "descriptors",
            Gap::SharedMemory => "shared memory",
            Gap::Attributes => "attributes",
            Gap::Names => "names",
            Gap::Limits => "limits",
        }
    }

    /// What is possible, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Gap::Network => {
                "other hosts can be reached over TCP on the ports that the system gives to servers of tests, and as far \
                 as the configuration says"
            }
            Gap::UnixSockets => "services that listen on sockets of the file system can be reached",
            Gap::Signals => "processes of the same user can be sent signals",
            Gap::Truncation => "files of the same user can be emptied",
            Gap::Devices => "devices that are open already can be given commands",
            Gap::Calls => "no system call is refused on this processor",
            Gap::Descriptors => "files that were open when redraft was started are still open",
            Gap::SharedMemory => "shared memory of the same user can be read and written",
            Gap::Attributes => {
                "modes, owners and times of the user's files and priorities of processes can be changed"
            }
            Gap::Names => "it can be seen which files exist and which processes run, but not what they hold",
            Gap::Limits => {
                "memory and processes are counted several times a second, not limited by the kernel"
            }
        }
    }
}

impl Level {
    /// The gaps, without repetition; none of them make it enforced.
    pub(crate) fn from_gaps(mut gaps: Vec<Gap>) -> Level {
        gaps.sort_unstable();
        gaps.dedup();
        if gaps.is_empty() { Level::Enforced } else { Level::Partial(gaps) }
    }

    /// Whether a command is held back at all.
    pub fn holds(&self) -> bool {
        !matches!(self, Level::None(_))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Enforced => f.write_str("enforced"),
            Level::Partial(gaps) => {
                let names: Vec<&str> = gaps.iter().map(|gap| gap.name()).collect();
                write!(f, "partial: {}", names.join(", "))
            }
            Level::None(why) => write!(f, "none: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_names_its_gaps_once_and_in_order() {
        let level = Level::from_gaps(vec![Gap::Limits, Gap::Network, Gap::Limits]);
        assert_eq!(level.to_string(), "partial: network, limits");
        assert_eq!(Level::from_gaps(Vec::new()).to_string(), "enforced");
        assert!(!Level::None("old kernel".to_owned()).holds());
    }

    #[test]
    fn the_list_of_gaps_has_each_once() {
        let mut names: Vec<&str> = Gap::ALL.iter().map(|gap| gap.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Gap::ALL.len());
    }
}
