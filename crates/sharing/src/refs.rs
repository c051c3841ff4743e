//! What the logs and leases are called, in the remote and here.

use crate::point::CloneId;
use redraft_facts::ids::FeatureUuid;

/// All logs and leases, under these names in the remote; a clone's own log also here.
pub(crate) const SHARED: &str = "refs/redraft/1";

/// Begins the names under which a clone keeps what it has fetched.
const FETCHED: &str = "refs/redraft-remote";

/// The last part of a lease's name. No clone is called that.
const DRIVER: &str = "driver";

/// A clone's log of a feature.
pub(crate) fn log(feature: &FeatureUuid, clone: &CloneId) -> String {
    format!("{SHARED}/{feature}/{clone}")
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
    Log(CloneId),
}

/// Reads what follows the folder: `UUID/CLONE`.
pub(crate) fn parse(rest: &str) -> Option<(FeatureUuid, Name)> {
    let (feature, name) = rest.split_once('/')?;
    let feature: FeatureUuid = serde_json::from_value(feature.into()).ok()?;
    let name = if name == DRIVER { Name::Lease } else { Name::Log(CloneId::new(name)?) };
    Some((feature, name))
}
