//! Operating systems without an engine.

use crate::engine::Engine;
use crate::policy::{Network, ResourceLimits, SandboxPolicy};
use std::ffi::OsString;
use std::io;
use std::path::Path;

pub(crate) fn words(
    _engine: Engine,
    _policy: &SandboxPolicy,
    _helper: &Path,
    _names: Option<&Path>,
) -> Option<Vec<OsString>> {
    None
}

/// Nothing is looked up.
pub(crate) fn names(_network: &Network) -> String {
    String::new()
}

/// No limits.
#[derive(Debug)]
pub struct ControlGroup;

pub(crate) fn group(_limits: &ResourceLimits) -> ControlGroup {
    ControlGroup
}

impl ControlGroup {
    pub(crate) fn none() -> ControlGroup {
        ControlGroup
    }

    pub(crate) fn limits(&self) -> bool {
        false
    }

    pub(crate) fn within<T>(&mut self, spawn: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        spawn()
    }
}

/// The exit code of a helper that is never asked for.
pub fn contained(_words: &[OsString]) -> u8 {
    127
}

/// The largest amount of memory that a command may use here, where the policy does not say.
pub fn usual_memory() -> u64 {
    u64::MAX
}
