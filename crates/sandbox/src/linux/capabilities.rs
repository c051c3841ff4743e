//! Root keeps what builds and tests need and gives up what reaches past files: mounting, tracing, raw devices.

use rustix::io::{Errno, Result};
use rustix::thread::{CapabilitySet, capabilities, remove_capability_from_bounding_set, set_capabilities};

/// As containers give them, without devices and raw sockets.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// For a user without capabilities there is nothing to do: none can be gained later.
pub(super) fn drop_dangerous() -> Result<()> {
    let mut sets = capabilities(None)?;
    if sets.permitted.is_empty() {
        return Ok(());
    }
    if sets.effective.contains(CapabilitySet::SETPCAP) {
        for one in (!KEPT).iter() {
            match remove_capability_from_bounding_set(one) {
                // An older kernel does not know it.
                Ok(()) | Err(Errno::INVAL) => {}
                Err(error) => return Err(error),
            }
        }
    }
    sets.permitted &= KEPT;
    sets.effective &= KEPT;
    sets.inheritable &= KEPT;
    set_capabilities(None, sets)
}
