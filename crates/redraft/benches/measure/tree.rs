//! What a loop costs with every process it starts, beside a shell script that only commits and compares.

use redraft_testkit::Scratch;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const ROUNDS: usize = 5;
const SPEC: &str = "docs/features/001-a-feature/spec.md";

/// A repository and a script that adds, commits and compares the document once a round, as durably as a run does.
pub(crate) fn script(program: &str, text: impl Fn(usize) -> String) -> (Scratch, Command) {
    let scratch = Scratch::repository(program);
    let durable = "-c core.fsync=all -c core.fsyncMethod=fsync";
    let mut lines = format!("set -e\nmkdir -p docs/features/001-a-feature\nf={SPEC}\n");
    for round in 0..ROUNDS {
        let file = scratch.outside().join(format!("round-{round}"));
        fs::write(&file, text(round)).unwrap();
        lines.push_str(&format!(
            "cat '{}' > $f\ngit {durable} add $f\ngit {durable} commit -q -m 'round {round}'\ngit diff HEAD~1 > /dev/null\n",
            file.display()
        ));
    }
    let mut command = scratch.command("sh");
    command.arg("-c").arg(lines);
    (scratch, command)
}

/// The processor time of a command and everything it started. Single runs are too short for the kernel's clock of
/// 10 ms, so this is for sums over many.
pub(crate) fn processor_time(command: &mut Command) -> Duration {
    let before = of_children();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success());
    of_children() - before
}

/// The most memory a command and everything it started had at one time, in KB: shared pages are counted once, divided
/// among those who share them. Looked at in between, so that a short peak may be missed.
pub(crate) fn peak_kb(command: &mut Command) -> (u64, u64) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let program = fs::read_link(format!("/proc/{}/exe", child.id())).unwrap_or_default();
    let (mut all, mut own) = (0, 0);
    while child.try_wait().unwrap().is_none() {
        let (mut sum, mut left) = (0, vec![child.id()]);
        while let Some(pid) = left.pop() {
            // A process that is about to start git has the memory of the one that starts it.
            let is_copy = pid != child.id()
                && fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program);
            if !is_copy {
                sum += field_kb(pid, "Pss:");
            }
            left.extend(children(pid));
        }
        all = all.max(sum);
        own = own.max(field_kb(child.id(), "Pss_Anon:"));
    }
    (all, own)
}

fn field_kb(pid: u32, name: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of = |thread: &Path| fs::read_to_string(thread.join("children")).unwrap_or_default();
    let texts: Vec<String> = threads.map(|thread| of(&thread.path())).collect();
    texts.iter().flat_map(|text| text.split_whitespace()).filter_map(|pid| pid.parse().ok()).collect()
}

/// User and system time of all children that were waited for, and of theirs.
fn of_children() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks: u64 = [13, 14].iter().map(|at| fields[*at].parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 10)
}
