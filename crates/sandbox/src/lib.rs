//! What a command may reach, and the means of holding it to that.
//!
//! [`SandboxPolicy`] is a value: which paths, which network, how much. [`profile`] makes the one for the project's
//! own commands, [`Sandbox`] what of a repository and a machine that is. [`Starter::start`] starts a command that is
//! held to a policy by the first [`Engine`] that works here: it starts a helper, which closes the doors behind
//! itself, tries what must not work, says in a [`SandboxReport`] how far it got and becomes the command
//! ([`contained`]). A [`Relay`] leads out of a network of its own to the hosts that a policy names.
//! [`CommandSurroundings::hint`] explains what a command that was held back has printed. [`processes`] finds and ends
//! what a command has started. Nothing here knows checks, git or what a ledger is. Start at [`Starter::start`].

#[cfg(target_os = "linux")]
mod contained;
mod engine;
mod handover;
mod hint;
mod host;
mod level;
#[cfg(target_os = "linux")]
mod linux;
mod needs;
mod order;
#[cfg(not(target_os = "linux"))]
mod other;
mod policy;
pub mod processes;
pub mod profile;
mod project;
mod relay;
pub mod search_path;
mod start;
mod watchdog;

#[cfg(target_os = "linux")]
pub use contained::contained;
pub use engine::{Engine, SandboxReport};
pub use hint::LastLines;
pub use host::{HTTPS, NetworkHost, hosts_of};
pub use level::{Gap, Level};
#[cfg(target_os = "linux")]
pub use linux::{ControlGroup, usual_memory};
#[cfg(target_os = "linux")]
use linux::{group, names, words};
pub use needs::{Needs, Reach};
#[cfg(not(target_os = "linux"))]
pub use other::{ControlGroup, contained, usual_memory};
#[cfg(not(target_os = "linux"))]
use other::{group, names, words};
pub use policy::{Access, Forbidden, Grant, Least, Network, ResourceLimits, SandboxPolicy, Tcp};
pub use project::{CommandSurroundings, HistoryCopy, Sandbox, SandboxRule, Variables};
pub use relay::Relay;
pub use start::{CONTAINED, CommandGuard, Make, StartedCommand, Starter};
pub use watchdog::{Watch, watch};
