//! Checks that look at the files they are given, by simple rules.

use super::clock::StillClock;
use super::{Outside, locked};
use redraft_engine::ports::{Check, CheckRun, Checks, Clock, RunHandle};
use redraft_facts::redact::Redactor;
use redraft_facts::text::span;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// How long a check may take.
const LIMIT_MS: u64 = 20 * 60_000;
/// Only the end of what a check printed is kept.
const TAIL_LINES: usize = 80;
const TAIL_CHARS: usize = 8_000;

/// What a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckRule {
    /// Passes where a file holds this text.
    Wants { file: String, text: String },
    /// Fails where all of these files hold these texts.
    Refuses(Vec<(String, String)>),
    /// Fails once, and passes from then on.
    FailsOnce,
    /// A person writes this file of the feature's worktree while it runs for the first time; it passes.
    WhilePersonWrites { file: String, text: String },
    /// Writes a file into the folder, and passes.
    Writes { file: String, text: String },
    /// Changes a file of git's own, and passes.
    WritesGit { file: String, text: String },
    /// Prints this, and ends with this code.
    Prints { text: String, code: i32 },
    /// Is ended by a signal.
    Killed,
    /// Is ended by its time limit.
    NeverEnds,
    /// The run is asked to stop while it runs.
    Stopped,
    /// Cannot be begun.
    NotThere,
}

/// Runs commands by the rules they were given; a command without a rule passes.
pub struct ScriptedChecks {
    outside: Arc<dyn Outside>,
    clock: Arc<StillClock>,
    rules: Mutex<Vec<(String, CheckRule)>>,
    ran: Mutex<Vec<String>>,
}

impl ScriptedChecks {
    pub fn new(outside: Arc<dyn Outside>, clock: Arc<StillClock>) -> ScriptedChecks {
        ScriptedChecks { outside, clock, rules: Mutex::default(), ran: Mutex::default() }
    }

    /// From now on this command does that, and nothing else.
    pub fn set(&self, command: &str, rule: CheckRule) {
        let mut rules = locked(&self.rules);
        rules.retain(|(of, _)| of != command);
        rules.push((command.to_owned(), rule));
    }

    fn forget(&self, command: &str) {
        locked(&self.rules).retain(|(of, _)| of != command);
    }

    /// The commands that were run, in order.
    pub fn ran(&self) -> Vec<String> {
        locked(&self.ran).clone()
    }

    fn run_within(
        &self,
        check: &Check,
        folder: &Path,
        limit_ms: u64,
        stopped: bool,
    ) -> Result<CheckRun, String> {
        if !self.outside.has_folder(folder) {
            return Err("no such file or directory".to_owned());
        }
        locked(&self.ran).push(check.command.clone());
        let rule =
            locked(&self.rules).iter().find(|(of, _)| *of == check.command).map(|(_, rule)| rule.clone());
        let rule = if stopped { Some(CheckRule::Stopped) } else { rule };
        Ok(match rule {
            None => ended(Some(0), "fine"),
            Some(CheckRule::Wants { file, text }) => {
                let found = self.outside.look_in(folder, &file).unwrap_or_default();
                match found.contains(&text) {
                    true => ended(Some(0), "fine"),
                    false => ended(Some(1), &format!("{file} does not say {text}")),
                }
            }
            Some(CheckRule::Refuses(both)) => {
                let holds = |(file, text): &(String, String)| {
                    self.outside.look_in(folder, file).is_some_and(|found| found.contains(text))
                };
                let told = |(file, text): &(String, String)| format!("{file} says {text}");
                match both.iter().all(holds) {
                    true => ended(Some(1), &both.iter().map(told).collect::<Vec<_>>().join(" and ")),
                    false => ended(Some(0), "fine"),
                }
            }
            Some(CheckRule::FailsOnce) => {
                self.forget(&check.command);
                ended(Some(1), "it failed by chance")
            }
            Some(CheckRule::WhilePersonWrites { file, text }) => {
                self.forget(&check.command);
                self.outside.put(&file, &text);
                ended(Some(0), "fine")
            }
            Some(CheckRule::Writes { file, text }) => {
                self.outside.put_in(folder, &file, &text);
                ended(Some(0), "fine")
            }
            Some(CheckRule::WritesGit { file, text }) => {
                self.outside.put_git(&file, &text);
                ended(Some(0), "fine")
            }
            Some(CheckRule::Prints { text, code }) => ended(Some(code), &text),
            Some(CheckRule::Killed) => ended(None, "(the command was ended by signal 9)"),
            Some(CheckRule::NeverEnds) => {
                self.clock.pass_ms(limit_ms);
                let after = match limit_ms < LIMIT_MS {
                    true => format!("{}, all that was left for it", span(limit_ms)),
                    false => format!("{} minutes (limits.check_minutes)", LIMIT_MS / 60_000),
                };
                let how = format!("still at it\n(the command was ended after {after})");
                CheckRun { wall_ms: limit_ms, ..ended(None, &how) }
            }
            Some(CheckRule::Stopped) => CheckRun { stopped: true, ..ended(None, "still at it") },
            Some(CheckRule::NotThere) => return Err("no such file or directory".to_owned()),
        })
    }
}

/// A check that took no time, with the end of what it printed.
fn ended(code: Option<i32>, printed: &str) -> CheckRun {
    let printed = Redactor::default().redact(printed).0.into_owned();
    let lines: Vec<String> =
        printed.lines().map(|line| line.chars().take(TAIL_CHARS / 4).collect()).collect();
    let mut left_out = lines.len().saturating_sub(TAIL_LINES);
    let chars = |lines: &[String]| lines.iter().map(|line| line.chars().count() + 1).sum::<usize>();
    while chars(&lines[left_out..]) > TAIL_CHARS {
        left_out += 1;
    }
    let before = match left_out {
        0 => String::new(),
        lines => format!("({lines} lines before this)\n"),
    };
    let tail = before + &lines[left_out..].join("\n");
    CheckRun { code, wall_ms: 0, tail, stopped: false, sandbox: None, refused: None }
}

impl Checks for ScriptedChecks {
    fn run(&self, check: &Check, folder: &Path) -> Result<CheckRun, String> {
        self.run_within(check, folder, LIMIT_MS, self.clock.stopped())
    }

    fn run_beside(
        &self,
        check: &Check,
        folder: &Path,
        _place: &str,
        at_most_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        let run = self.run_within(check, folder, LIMIT_MS.min(at_most_ms), watch.stopped())?;
        // Told apart from what it printed before.
        Ok(CheckRun { tail: format!("{}, once more", run.tail), ..run })
    }
}
