//! What the logs and leases are called, in the remote and here.

use crate::point::CloneId;
use redraft_facts::ids::FeatureUuid;
use std::fmt;

/// All logs and leases, under these names in the remote; a clone's own log also here.
pub(crate) const SHARED: &str = "refs/redraft/1";

/// Begins the names under which a clone keeps what it has fetched.
const FETCHED: &str = "refs/redraft-remote";

/// The last part of a lease's name. No clone is called that.
const DRIVER: &str = "driver";

/// A clone's log of a feature: `CLONE`, and `CLONE.2` once something was taken out of it.
pub(crate) fn log(feature: &FeatureUuid, clone: &CloneId, edition: u32) -> String {
    let ending = if edition > 1 { format!(".{edition}") } else { String::new() };
    format!("{SHARED}/{feature}/{clone}{ending}")
}

/// The lease of a feature.
pub(crate) fn lease(feature: &FeatureUuid) -> String {
    format!("{SHARED}/{feature}/{DRIVER}")
}

/// The folder of what was fetched from a remote.
pub(crate) fn fetched(remote: &str) -> String {
    format!("{FETCHED}/{remote}/1")
}

/// What a ref of a feature is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    Lease,
    Log(CloneId, u32),
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Lease => f.write_str("the lease"),
            Name::Log(clone, _) => write!(f, "the log of clone {}", clone.short()),
        }
    }
}

/// Reads what follows the folder: `UUID/CLONE`.
pub(crate) fn parse(rest: &str) -> Option<(FeatureUuid, Name)> {
    let (feature, name) = rest.split_once('/')?;
    let feature: FeatureUuid = serde_json::from_value(feature.into()).ok()?;
    if name == DRIVER {
        return Some((feature, Name::Lease));
    }
    let (clone, edition) = match name.split_once('.') {
        None => (name, 1),
        Some((clone, edition)) => (clone, edition.parse().ok().filter(|edition: &u32| *edition > 1)?),
    };
    Some((feature, Name::Log(CloneId::new(clone)?, edition)))
}
