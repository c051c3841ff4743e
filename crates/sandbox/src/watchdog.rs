//! Ends a program whose processes together use too much memory, or are too many.
//!
//! They are counted several times a second. That stops an accident before the machine is unusable; it is no wall.

use crate::policy::ResourceLimits;
use crate::processes;
use rustix::process::Pid;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::park_timeout;
use std::time::Duration;

/// Short enough for a program that doubles its processes each hundredth of a second, and a small part of a core.
const PAUSE: Duration = Duration::from_millis(200);

/// A program that is watched.
#[derive(Debug)]
pub struct Watch(Arc<Mutex<Option<String>>>);

impl Watch {
    /// The limit that was broken, worded to follow "was ended because".
    pub fn broken(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Watches everything that descends from this process, until it ends; `end` ends all of it.
pub fn watch(limits: ResourceLimits, end: impl FnOnce() + Send + 'static) -> io::Result<Watch> {
    let broken = Arc::new(Mutex::new(None));
    let told = Arc::clone(&broken);
    let memory_max = limits.memory_bytes.unwrap_or_else(crate::usual_memory);
    std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
        loop {
            park_timeout(PAUSE);
            if let Some(limit) = over(&usage(), memory_max, limits.processes) {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
                end();
                return;
            }
        }
    })?;
    Ok(Watch(broken))
}

/// What a tree of processes uses.
#[derive(Debug, Default, PartialEq, Eq)]
struct Usage {
    processes: usize,
    memory_bytes: u64,
}

/// What the descendants use together. Memory that they share counts for each, so that it is never too little.
fn usage() -> Usage {
    let kilobytes = |process: &u32| {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let held = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        held.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    };
    let all = descendants();
    let memory_bytes = all.iter().filter_map(kilobytes).sum::<u64>() * 1024;
    Usage { processes: all.len(), memory_bytes }
}

/// By what each process says about its children, without a look at every process of the machine; where the kernel does
/// not say, by such a look. Outside of Linux nothing is counted.
fn descendants() -> Vec<u32> {
    let own = std::process::id();
    if Path::new(&format!("/proc/{own}/task/{own}/children")).exists() { told(own) } else { looked(own) }
}

fn told(own: u32) -> Vec<u32> {
    let mut found = vec![own];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let threads = fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
        }
        at += 1;
    }
    found.split_off(1)
}

fn looked(own: u32) -> Vec<u32> {
    let below = Pid::from_raw(own.cast_signed()).map(processes::below).unwrap_or_default();
    below.into_iter().map(|pid| pid.as_raw_nonzero().get().cast_unsigned()).collect()
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

    /// Not every kernel says what the children of a process are.
    #[cfg(target_os = "linux")]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "starts the processes that are counted")]
    fn a_grandchild_is_found_whether_or_not_the_kernel_tells_children() {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo $!; read end; kill $!"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let grandchild: u32 = line.trim().parse().unwrap();
        let own = std::process::id();
        for found in [looked(own), descendants()] {
            assert!(found.contains(&child.id()) && found.contains(&grandchild), "{found:?}");
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
