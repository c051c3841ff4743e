//! Ends a program whose processes together use too much memory, or are too many.
//!
//! They are counted several times a second. That stops an accident before the machine is unusable; it is no wall.

use super::descendants;
use redraft_sandbox::Limits;
use rustix::process::Pid;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::park_timeout;
use std::time::Duration;

/// Short enough for a program that doubles its processes each hundredth of a second, and a small part of a core.
const PAUSE: Duration = Duration::from_millis(200);

/// A program that is watched.
pub(super) struct Watch(Arc<Mutex<Option<String>>>);

impl Watch {
    /// The limit that was broken, worded to follow "was ended because".
    pub(super) fn broken(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Watches everything that descends from this process, until it ends.
pub(super) fn watch(limits: Limits, program: Pid) -> io::Result<Watch> {
    let broken = Arc::new(Mutex::new(None));
    let told = Arc::clone(&broken);
    let memory_max = limits.memory_bytes.unwrap_or_else(redraft_sandbox::usual_memory);
    std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        loop {
            park_timeout(PAUSE);
            if let Some(limit) = over(&descendants::usage(), memory_max, limits.processes) {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
                descendants::end_all(program);
                return;
            }
        }
    })?;
    Ok(Watch(broken))
}

/// What a tree of processes uses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) processes: usize,
    pub(super) memory_bytes: u64,
}

fn over(usage: &Usage, memory_max: u64, processes_max: usize) -> Option<String> {
    if usage.processes > processes_max {
        return Some(format!("it had more than {processes_max} processes"));
    }
    let megabytes = memory_max >> 20;
    (usage.memory_bytes > memory_max).then(|| format!("it used more than {megabytes} MB of memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_named() {
        let usage = |processes, memory_bytes| Usage { processes, memory_bytes };
        assert_eq!(over(&usage(10, 1 << 20), 1 << 20, 10), None);
        assert_eq!(over(&usage(11, 0), 1 << 20, 10).as_deref(), Some("it had more than 10 processes"));
        let memory = over(&usage(1, (1 << 20) + 1), 1 << 20, 10);
        assert_eq!(memory.as_deref(), Some("it used more than 1 MB of memory"));
    }
}
