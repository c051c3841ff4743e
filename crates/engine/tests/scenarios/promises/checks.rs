//! The guarantees of what runs the project's checks.

use super::kept_by_both;
use crate::world::{ChecksAt, World, paths, with};
use redraft_engine::ports::{CheckRun, Moment, RunHandle};
use redraft_facts::usage::Usd;
use redraft_testkit::fakes::CheckRule;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

kept_by_both! {
    its_code_decides_and_what_it_printed_is_kept,
    it_runs_in_its_folder_and_finds_what_setup_left_there,
    of_a_long_output_the_end_is_kept,
    what_is_secret_is_not_kept,
    a_time_limit_or_a_signal_ends_it_without_a_code,
    a_check_of_a_run_that_is_stopped_says_nothing,
    what_cannot_be_begun_is_an_error_and_the_next_check_is_not_affected,
    two_at_the_same_time_do_not_mix,
}

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
/// Waits without an end.
const ENDLESS: &str = "echo still at it; exec tail -f /dev/null";

/// Watches a check by a clock of its own, which moves on each time it is looked at.
struct Watch {
    step_ms: u64,
    now_ms: AtomicU64,
    stopped: bool,
}

impl Watch {
    /// A clock that moves by so much; with one millisecond, a minute is longer than any check of these tests takes.
    fn of(step_ms: u64) -> Watch {
        Watch { step_ms, now_ms: AtomicU64::new(0), stopped: false }
    }
}

impl RunHandle for Watch {
    fn stopped(&self) -> bool {
        self.stopped
    }

    fn wait_ms(&self, _: u64) -> bool {
        !self.stopped
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn moment(&self) -> Moment {
        Moment::after(Duration::from_millis(self.now_ms.fetch_add(self.step_ms, Ordering::SeqCst)))
    }

    fn tell(&self, _: &str) {}

    fn afford(&self, _: Usd) -> bool {
        true
    }
}

/// The check folder at the first commit.
fn folder(world: &dyn World) -> PathBuf {
    with(world, |ports| ports.check_folder.check_out(&world.base(), true).unwrap().folder)
}

fn printing(text: &str, code: i32) -> CheckRule {
    CheckRule::Prints { text: text.to_owned(), code }
}

fn run(checks: &dyn ChecksAt, folder: &Path, command: &str, rule: CheckRule) -> CheckRun {
    checks.port().run(&checks.check(command, rule), folder).unwrap()
}

fn its_code_decides_and_what_it_printed_is_kept(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    for (command, tail, code) in [
        ("echo fine", "fine", 0),
        ("echo of course, it says error", "of course, it says error", 0),
        ("echo first; echo 'it fails' 1>&2; exit 3", "first\nit fails", 3),
        ("printf 'no break at the end'; exit 255", "no break at the end", 255),
        // What it left running does not hold it up.
        ("tail -f /dev/null & echo done", "done", 0),
    ] {
        let found = run(&*checks, &folder, command, printing(tail, code));
        let found = (found.code, found.tail.as_str(), found.stopped, found.sandbox);
        assert_eq!(found, (Some(code), tail, false, None), "{command}");
    }
    let absent = "sh: no-such-program: not found";
    let found = run(&*checks, &folder, "no-such-program", printing(absent, 127));
    assert_eq!(found.code, Some(127), "the shell was there, so the check has run");
    assert!(found.tail.contains("no-such-program"), "{found:?}");
}

fn it_runs_in_its_folder_and_finds_what_setup_left_there(world: &dyn World) {
    let (folder, checks, out) = (folder(world), world.checks(), world.outside());
    let wants = |file: &str, text: &str| CheckRule::Wants { file: file.to_owned(), text: text.to_owned() };
    let writes = |file: &str, text: &str| CheckRule::Writes { file: file.to_owned(), text: text.to_owned() };
    let code = |command: &str, rule: CheckRule| run(&*checks, &folder, command, rule).code;
    assert_eq!(code("grep 'a project' README.md", wants("README.md", "a project")), Some(0));
    let absent = code("grep -s made made.md || exit 1", wants("made.md", "made"));
    assert_eq!(absent, Some(1), "nothing has made it yet");
    assert_eq!(code("echo made > made.md", writes("made.md", "made\n")), Some(0));
    assert_eq!(out.look_in(&folder, "made.md").as_deref(), Some("made\n"));
    assert_eq!(out.look("made.md"), None, "the worktree is not touched");
    with(world, |ports| {
        assert_eq!(ports.check_folder.set_up().unwrap(), paths(&[]));
        ports.check_folder.check_out(&world.base(), false).unwrap();
    });
    assert_eq!(code("grep 'made' made.md", wants("made.md", "made")), Some(0), "it stays as setup left it");
}

fn of_a_long_output_the_end_is_kept(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    let lines: Vec<String> = (1..=500).map(|line| format!("line {line}")).collect();
    let counting = "i=1; while [ $i -le 500 ]; do echo line $i; i=$((i + 1)); done; exit 1";
    let found = run(&*checks, &folder, counting, printing(&lines.join("\n"), 1));
    assert_eq!(found.code, Some(1));
    assert_eq!(found.tail, format!("(420 lines before this)\n{}", lines[420..].join("\n")));
    let long = format!("{}\nend", "x".repeat(100_000));
    let found =
        run(&*checks, &folder, "head -c 100000 /dev/zero | tr '\\0' x; echo; echo end", printing(&long, 0));
    assert!(found.tail.ends_with("x\nend") && found.tail.chars().count() <= 8_000, "{found:?}");
}

fn what_is_secret_is_not_kept(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    let key = format!("ghp_{}", "a8Kd03LmZq7Vt5Wc1Rb9Ny4Jh2Pf6Sg0Xe3U");
    let printed = format!("using {key} now");
    let found = run(&*checks, &folder, &format!("echo '{printed}'; exit 1"), printing(&printed, 1));
    assert!(!found.tail.contains(&key), "{found:?}");
    assert!(found.tail.starts_with("using ") && found.tail.ends_with(" now"), "{found:?}");
}

fn a_time_limit_or_a_signal_ends_it_without_a_code(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    let check = checks.check(ENDLESS, CheckRule::NeverEnds);
    for (at_most_ms, why) in [
        (5 * MINUTE_MS, "(the command was ended after 5 min, all that was left for it)"),
        (5 * HOUR_MS, "(the command was ended after 20 minutes (limits.check_minutes))"),
    ] {
        let found = checks.port().run_beside(&check, &folder, "a", at_most_ms, &Watch::of(HOUR_MS)).unwrap();
        assert_eq!((found.code, found.stopped), (None, false), "{found:?}");
        assert!(found.tail.contains(why), "{found:?}");
    }
    let found = run(&*checks, &folder, "kill -9 $$", CheckRule::Killed);
    assert_eq!((found.code, found.stopped), (None, false));
    assert_eq!(found.tail, "(the command was ended by signal 9)");
}

fn a_check_of_a_run_that_is_stopped_says_nothing(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    // On the fake it would pass if nobody stopped it.
    let check = checks.check(ENDLESS, printing("fine", 0));
    let watch = Watch { stopped: true, ..Watch::of(1) };
    let found = checks.port().run_beside(&check, &folder, "a", HOUR_MS, &watch).unwrap();
    assert_eq!((found.code, found.stopped), (None, true), "nobody waits for it: {found:?}");
    let fine = checks.check("echo fine", printing("fine", 0));
    assert_eq!(checks.port().run(&fine, &folder).unwrap().code, Some(0), "the run itself goes on");
    checks.stop();
    let found = checks.port().run(&check, &folder).unwrap();
    assert_eq!((found.code, found.stopped), (None, true), "{found:?}");
}

fn what_cannot_be_begun_is_an_error_and_the_next_check_is_not_affected(world: &dyn World) {
    let (gone, checks) = (folder(world), world.checks());
    let check = checks.check("echo fine", printing("fine", 0));
    with(world, |ports| ports.check_folder.put_away().unwrap());
    assert!(checks.port().run(&check, &gone).is_err());
    assert!(checks.port().run_beside(&check, &gone, "a", HOUR_MS, &Watch::of(1)).is_err());
    let there = folder(world);
    let found = checks.port().run(&check, &there).unwrap();
    assert_eq!((found.code, found.tail.as_str()), (Some(0), "fine"));
}

fn two_at_the_same_time_do_not_mix(world: &dyn World) {
    let (folder, checks) = (folder(world), world.checks());
    let made = CheckRule::Writes { file: "meeting".to_owned(), text: String::new() };
    run(&*checks, &folder, "mkfifo meeting", made);
    // Neither goes on until both are there.
    let one = checks.check("echo one > meeting; echo from one", printing("from one", 0));
    let two = checks.check("cat meeting > /dev/null; echo from two; exit 2", printing("from two", 2));
    let port = checks.port();
    let (one, two) = thread::scope(|scope| {
        let start = |check, place| {
            let folder = &folder;
            scope.spawn(move || port.run_beside(check, folder, place, MINUTE_MS, &Watch::of(100)).unwrap())
        };
        let (one, two) = (start(&one, "one"), start(&two, "two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!((one.code, two.code), (Some(0), Some(2)), "{one:?} {two:?}");
    assert!(one.tail.contains("from one") && !one.tail.contains("two"), "{one:?}");
    assert!(two.tail.contains("from two") && !two.tail.contains("one"), "{two:?}");
}
