//! Finds and ends processes: what descends from one, and what carries a mark.
//!
//! On Linux a process can make itself the reaper of its descendants, so that one whose parent ended is handed to it
//! and not to the system's first process; a walk over `/proc` then misses none. Elsewhere only the process group of a
//! program is reached.

#[cfg(target_os = "linux")]
pub use walk::{Process, adopt, below, end_all, end_marked, reap};

#[cfg(not(target_os = "linux"))]
pub use blind::{adopt, below, end_all, end_marked, reap};

#[cfg(target_os = "linux")]
mod walk {
    use rustix::process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, pidfd_send_signal,
        set_child_subreaper, wait,
    };
    use std::io;
    use std::time::Duration;

    /// Walks with a pause between them. A process that is still alive after these cannot be ended at all, such as one
    /// that waits for a broken disk.
    const WALKS_MAX: u32 = 2_000;
    const PAUSE: Duration = Duration::from_millis(2);

    /// From now on descendants are handed to this process when their parents end.
    pub fn adopt() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    /// Ends all descendants of this process, again and again until none is left: one may start another while we look.
    pub fn end_all(_program: Pid) {
        again(|| {
            let left = below(getpid());
            for pid in &left {
                // It may have ended by itself meanwhile.
                let _ = kill_process(*pid, Signal::KILL);
            }
            left.is_empty()
        });
    }

    /// Removes the ended processes that were handed to us from the system's table. Only call this once the program
    /// itself has been waited for, because it would take its status too.
    pub fn reap() {
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
    }

    /// The processes that descend from one and have not ended, the youngest generation last.
    pub fn below(pid: Pid) -> Vec<Pid> {
        let all: Vec<Process> = all().collect();
        let mut found = vec![pid];
        let mut at = 0;
        while let Some(parent) = found.get(at).copied() {
            let children = all.iter().filter(|one| one.parent == parent.as_raw_nonzero().get() && !one.ended);
            found.extend(children.map(|one| one.pid));
            at += 1;
        }
        found.split_off(1)
    }

    /// Ends every process that has this variable, as in `NAME=value`, with their descendants and the members of their
    /// process groups, again and again until none is left.
    pub fn end_marked(variable: &[u8]) {
        again(|| {
            let left = marked(variable);
            left.iter().for_each(kill);
            left.is_empty()
        });
    }

    fn again(done: impl Fn() -> bool) {
        for _ in 0..WALKS_MAX {
            if done() {
                return;
            }
            std::thread::park_timeout(PAUSE);
        }
    }

    fn marked(variable: &[u8]) -> Vec<Process> {
        let all: Vec<Process> = all().filter(|process| process.pid != getpid()).collect();
        let mut found: Vec<Process> =
            all.iter().filter(|process| carries(process, variable)).copied().collect();
        let mut at = 0;
        while let Some(Process { pid, group, .. }) = found.get(at).copied() {
            let related =
                |process: &&Process| process.parent == pid.as_raw_nonzero().get() || process.group == group;
            let new: Vec<Process> =
                all.iter().filter(related).filter(|process| !found.contains(process)).copied().collect();
            found.extend(new);
            at += 1;
        }
        found.retain(|process| !process.ended);
        found
    }

    fn carries(process: &Process, variable: &[u8]) -> bool {
        let environment = std::fs::read(format!("/proc/{}/environ", process.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable)
    }

    /// Ends exactly this process: the descriptor holds the process that has the number now, and only one started at
    /// that time.
    fn kill(process: &Process) {
        let Ok(held) = pidfd_open(process.pid, PidfdFlags::empty()) else { return };
        if Process::read(process.pid).is_some_and(|now| now.began == process.began) {
            // It may have ended by itself meanwhile.
            let _ = pidfd_send_signal(held, Signal::KILL);
        }
    }

    /// Every process of the machine.
    fn all() -> impl Iterator<Item = Process> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?));
        pids.filter_map(Process::read)
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Process {
        pub pid: Pid,
        parent: i32,
        group: i32,
        /// When it started, in ticks since boot.
        pub began: u64,
        pub ended: bool,
    }

    impl Process {
        /// Reads `PID (NAME) STATE PARENT GROUP …`; a name may hold spaces and brackets, so the fields begin after the
        /// last bracket. The start time is the 22nd field.
        pub fn read(pid: Pid) -> Option<Process> {
            const BEGAN: usize = 22 - 3;
            let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
            let stat = String::from_utf8_lossy(&stat);
            let (_, rest) = stat.rsplit_once(')')?;
            let words: Vec<&str> = rest.split_whitespace().collect();
            let number = |at: usize| words.get(at)?.parse().ok();
            let (parent, group) = (number(1)?, number(2)?);
            let began = words.get(BEGAN)?.parse().ok()?;
            let ended = matches!(*words.first()?, "Z" | "X");
            Some(Process { pid, parent, group, began, ended })
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod blind {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::io;

    pub fn adopt() -> io::Result<()> {
        Ok(())
    }

    pub fn end_all(program: Pid) {
        // The group may be gone already.
        let _ = kill_process_group(program, Signal::KILL);
    }

    pub fn reap() {}

    /// Without `/proc` they are unknown.
    pub fn below(_pid: Pid) -> Vec<Pid> {
        Vec::new()
    }

    /// Without `/proc` it is unknown whose process it is.
    pub fn end_marked(_variable: &[u8]) {}
}
