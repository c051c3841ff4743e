//! The engines for Linux: Landlock for files, TCP, signals and what other processes hold; seccomp for system calls;
//! fewer capabilities for root; a network of its own; bubblewrap around all of it. None of it needs a privilege.

mod bubblewrap;
mod calls;
mod capabilities;
mod carve;
mod group;
mod hosts;
mod private_network;
mod proof;
mod rules;

use crate::engine::Engine;
use crate::level::{Gap, Level};
use crate::order::Order;
use crate::policy::{ResourceLimits, SandboxPolicy};
use crate::start::CONTAINED;
pub use group::ControlGroup;
pub(crate) use group::group;
pub(crate) use hosts::names;
use rules::Held;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// What is put before a command so that an engine holds it; `names` is the file that names are looked up in, where
/// connections are relayed. None where the engine is not there, or would be no better than the next one.
pub(crate) fn words(
    engine: Engine,
    policy: &SandboxPolicy,
    helper: &Path,
    names: Option<&Path>,
) -> Option<Vec<OsString>> {
    match engine {
        Engine::Bubblewrap => {
            let inner = bubblewrap::words(policy, helper, names)?;
            let outer = names.map(|_| [helper.into(), CONTAINED.into()]);
            Some(outer.into_iter().flatten().chain(inner).collect())
        }
        Engine::LandlockAlone if !policy.network.is_private() => None,
        Engine::LandlockAlone | Engine::Landlock => Some(vec![helper.into(), CONTAINED.into()]),
    }
}

/// Holds the calling process and everything it starts to a policy, for good. The error says why that does not work.
pub(crate) fn enter(order: &Order) -> Result<Level, String> {
    let Order { policy, engine, .. } = order;
    limit(&policy.limits).map_err(|error| format!("limits could not be set: {error}"))?;
    let private = engine.isolates(&policy.network);
    if *engine == Engine::LandlockAlone {
        enter_network(order)?;
    }
    capabilities::drop_dangerous().map_err(|error| format!("capabilities could not be given up: {error}"))?;
    let held = match rules::hold(policy, private) {
        Ok(held) => held,
        // What is not there cannot be reached, with or without rules about it.
        Err(_) if *engine == Engine::Bubblewrap => Held { abi: 0 },
        Err(why) => return Err(why),
    };
    // The filter of system calls comes last: it refuses some that the others need.
    let filtered = calls::refuse(&policy.network, private)?;
    match proof::passed(order, held, private) {
        None => Ok(Level::from_gaps(gaps(order, held, private, filtered))),
        Some(what) => Err(format!("it was tried from inside, and {what}")),
    }
}

/// Gives the process a network of its own, and hands out what listens there in the place of hosts. Bubblewrap could
/// make such a network, too, but without privileges it leaves no right to listen on low ports there.
pub(crate) fn enter_network(order: &Order) -> Result<(), String> {
    // Bubblewrap has a place for the file of names itself.
    let names = order.names.as_deref().filter(|_| order.engine != Engine::Bubblewrap);
    private_network::enter(names)?;
    match order.names {
        Some(_) => hosts::listen(&order.policy.network)
            .map_err(|error| format!("connections cannot be relayed: {error}")),
        None => Ok(()),
    }
}

/// What is known to be possible.
fn gaps(order: &Order, held: Held, private: bool, filtered: bool) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut add = |there: bool, gap: Gap| gaps.extend(there.then_some(gap));
    let own_files = order.engine == Engine::Bubblewrap;
    // Even without a port of its own, a rule about a port holds for every host.
    add(!private, Gap::Network);
    add(order.policy.network.unix || !filtered, Gap::UnixSockets);
    // Sockets with a name of their own belong to the network.
    add(own_files && !private && held.abi < 6, Gap::UnixSockets);
    add(!filtered, Gap::Calls);
    add(!order.limited, Gap::Limits);
    add(
        inherited().is_none_or(|open| open.into_iter().any(|number| number > CLOSED_BY_SHELL)),
        Gap::Descriptors,
    );
    if !own_files {
        add(true, Gap::SharedMemory);
        add(true, Gap::Attributes);
        add(true, Gap::Names);
        add(held.abi < 3, Gap::Truncation);
        add(held.abi < 5, Gap::Devices);
        add(held.abi < 6, Gap::Signals);
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

/// The largest amount of memory that a command may use here, where the policy does not say: three quarters of the
/// machine's.
pub fn usual_memory() -> u64 {
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
fn limit(limits: &ResourceLimits) -> io::Result<()> {
    let at_most = |bytes: u64| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    let file = getrlimit(Resource::Fsize).maximum.map_or(limits.file_bytes, |now| now.min(limits.file_bytes));
    setrlimit(Resource::Fsize, at_most(file))?;
    // What a crashed program held in memory would be kept in a file.
    Ok(setrlimit(Resource::Core, at_most(0))?)
}
