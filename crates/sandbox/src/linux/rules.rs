//! A policy as rules of Landlock.

use super::{carve, free_ports};
use crate::policy::{Access, Grant, SandboxPolicy, Tcp};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use std::path::Path;

/// The newest rules we ask for; an older kernel leaves some out.
const WANTED: ABI = ABI::V6;

/// What the kernel holds the thread to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// The version of Landlock that is in force, which decides what was left out.
    pub(super) abi: u8,
}

/// In a network of its own a process may connect to whatever is there.
pub(super) fn hold(policy: &SandboxPolicy, private: bool) -> Result<Held, String> {
    let wrong = |error: RulesetError| format!("the kernel took no rules: {error}");
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(WANTED)).map_err(wrong)?;
    rules = rules.scope(Scope::AbstractUnixSocket | Scope::Signal).map_err(wrong)?;
    let ports = match &policy.network.tcp {
        Tcp::Ports(ports) if !private => Some(ports),
        Tcp::Ports(_) | Tcp::All => None,
    };
    if ports.is_some() {
        rules = rules.handle_access(AccessNet::ConnectTcp).map_err(wrong)?;
    }
    let mut rules = rules.create().map_err(wrong)?;
    for grant in policy.grants.iter().filter(|grant| !leads_elsewhere(grant)) {
        for path in carve::carved(&grant.path, &grant.except) {
            rules = allow(rules, &path, grant.access).map_err(wrong)?;
        }
    }
    if let Some(ports) = ports {
        for port in free_ports().chain(ports.iter().copied()) {
            rules = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp)).map_err(wrong)?;
        }
    }
    let status = rules.restrict_self().map_err(wrong)?;
    match (status.landlock, status.ruleset) {
        (LandlockStatus::NotEnabled, _) => Err("Landlock is switched off in this kernel".to_owned()),
        (LandlockStatus::NotImplemented, _) => Err("this kernel has no Landlock".to_owned()),
        (_, RulesetStatus::NotEnforced) => Err("the kernel enforces no rules".to_owned()),
        (LandlockStatus::Available { effective_abi, .. }, _) => Ok(Held { abi: effective_abi as u8 }),
    }
}

/// A file of settings that a repository has made a link to something else.
pub(super) fn leads_elsewhere(grant: &Grant) -> bool {
    let link = |path: &Path| path.is_symlink();
    grant.access == Access::Look && (link(&grant.path) || grant.path.parent().is_some_and(link))
}

/// A path that is gone meanwhile is not an error: there is nothing to reach.
fn allow(rules: RulesetCreated, path: &Path, access: Access) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(rules) };
    let mut rights = rights(access);
    if !path.is_dir() {
        rights &= AccessFs::from_file(WANTED);
    }
    rules.add_rule(PathBeneath::new(opened, rights))
}

fn rights(access: Access) -> BitFlags<AccessFs> {
    let look = AccessFs::ReadFile | AccessFs::ReadDir;
    match access {
        Access::Write => {
            AccessFs::from_all(WANTED) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
        }
        Access::Read => look | AccessFs::Execute,
        Access::Look => look,
        Access::Use => look | AccessFs::WriteFile | AccessFs::Truncate,
    }
}
