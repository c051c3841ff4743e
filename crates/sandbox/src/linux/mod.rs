//! The engine for Linux: Landlock for files, TCP, signals and what other processes hold; seccomp for system calls;
//! fewer capabilities for root. All of it holds for one thread and its descendants and needs no privilege.

mod calls;
mod capabilities;
mod carve;
mod proof;
mod rules;

use crate::level::{Gap, Level};
use crate::policy::{Limits, Policy, Tcp};
use rules::Held;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::io;

pub(crate) fn enter(policy: &Policy) -> Level {
    // The filter of system calls comes last: it refuses some that the others need.
    let entered = capabilities::drop_dangerous()
        .map_err(|error| format!("capabilities could not be given up: {error}"))
        .and_then(|()| rules::hold(policy))
        .and_then(|held| Ok((held, calls::refuse(&policy.network)?)));
    let (held, filtered) = match entered {
        Ok(entered) => entered,
        Err(why) => return Level::None(why),
    };
    match proof::passed(policy, held) {
        None => Level::of(gaps(policy, held, filtered)),
        Some(what) => Level::None(format!("it was tried from inside, and {what}")),
    }
}

/// What is known to be possible.
fn gaps(policy: &Policy, held: Held, filtered: bool) -> Vec<Gap> {
    let network = &policy.network;
    let mut gaps = vec![Gap::SharedMemory, Gap::Attributes, Gap::Names, Gap::Limits];
    // Even without a port of its own, a rule about a port holds for every host.
    gaps.push(Gap::Network);
    let older = |abi: u8, gap: Gap| (held.abi < abi).then_some(gap);
    gaps.extend(
        [older(3, Gap::Truncation), older(5, Gap::Devices), older(6, Gap::Signals)].into_iter().flatten(),
    );
    if network.unix || !filtered {
        gaps.push(Gap::UnixSockets);
    }
    if !filtered {
        gaps.push(Gap::Calls);
    }
    if inherited().is_none_or(|open| open.into_iter().any(|number| number > CLOSED_BY_SHELL)) {
        gaps.push(Gap::Descriptors);
    }
    gaps
}

/// The highest descriptor that every shell can close; see the worker.
const CLOSED_BY_SHELL: u32 = 9;

/// The descriptors that a program started now would inherit, without the first three. None if that is not known.
fn inherited() -> Option<Vec<u32>> {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let numbers = fs::read_dir("/proc/self/fd").ok()?.flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let passed = |number: &u32| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).map(str::trim);
        flags
            .and_then(|flags| u32::from_str_radix(flags, 8).ok())
            .is_some_and(|flags| flags & CLOSE_ON_EXEC == 0)
    };
    Some(numbers.filter(|number| *number > 2).filter(passed).collect())
}

/// Three quarters of the machine's memory.
pub(crate) fn usual_memory() -> u64 {
    let total = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix(" kB")?.parse::<u64>().ok()
    });
    total.map_or(u64::MAX, |kilobytes| kilobytes * 1024 / 4 * 3)
}

/// Whether the kernel has said no because of a rule.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied)
}

/// The ports that the system gives to servers that ask for any: every second one of a range, because Linux keeps the
/// others for the near end of connections. Each port is a rule, so half of them is half of the time.
fn free_ports() -> impl Iterator<Item = u16> + Clone {
    let text = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let mut words = text.split_whitespace().map(str::parse);
    let (first, last) = match (words.next(), words.next()) {
        (Some(Ok(first)), Some(Ok(last))) => (first, last),
        _ => (32_768, 60_999),
    };
    (first..=last).skip(1).step_by(2)
}

/// Limits of the calling process that its children inherit.
pub(crate) fn limit(limits: &Limits) -> io::Result<()> {
    let at_most = |bytes: u64| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    let file = getrlimit(Resource::Fsize).maximum.map_or(limits.file_bytes, |now| now.min(limits.file_bytes));
    setrlimit(Resource::Fsize, at_most(file))?;
    // What a crashed program held in memory would be kept in a file.
    Ok(setrlimit(Resource::Core, at_most(0))?)
}

/// Whether some TCP connections are refused.
fn limits_tcp(policy: &Policy) -> bool {
    policy.network.tcp != Tcp::All
}
