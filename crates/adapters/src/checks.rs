//! Runs the checks of a project that a person has accepted.
//!
//! A check is a command of `redraft.toml`, run by the shell in the check folder through the same worker as agents, so
//! that it ends with the run. Its exit code decides; what it prints is evidence. Nothing here knows what a check is
//! for. Start at [`ShellChecks`].

use crate::child::{Environment, ScriptEnd, ShellCommand};
use crate::clock::SystemClock;
use redraft_engine::ports::{Check, CheckRun, Checks, Clock, RunHandle};
use redraft_facts::redact::Redactor;
use redraft_facts::text::{count, span};
use redraft_sandbox::Sandbox;
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

/// Only the end of what a check printed is kept, where the failure usually is.
const TAIL_LINES: usize = 80;
const TAIL_CHARS: usize = 8_000;

/// Runs checks by the shell.
pub struct ShellChecks<'a> {
    /// Our own binary.
    pub worker: &'a Path,
    /// A folder of its own, for what they print.
    pub out: PathBuf,
    pub environment: &'a Environment,
    pub redactor: &'a Redactor,
    pub limit_ms: u64,
    pub clock: &'a SystemClock,
    pub sandbox: &'a Sandbox,
    /// The home that they have instead of the user's; it lasts as long as what they build.
    pub home: PathBuf,
}

impl Checks for ShellChecks<'_> {
    fn run(&self, check: &Check, folder: &Path) -> Result<CheckRun, String> {
        self.run_in(check, folder, &self.out, self.limit_ms, self.clock)
    }

    fn run_beside(
        &self,
        check: &Check,
        folder: &Path,
        place: &str,
        at_most_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        let out = self.out.join(place);
        let ran = self.run_in(check, folder, &out, self.limit_ms.min(at_most_ms), watch);
        // What it printed is kept elsewhere; what stays here only takes up space.
        let _ = fs::remove_dir_all(&out);
        ran
    }
}

impl ShellChecks<'_> {
    fn run_in(
        &self,
        check: &Check,
        folder: &Path,
        out: &Path,
        limit_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        let script = ShellCommand {
            worker: self.worker,
            out,
            text: &check.command,
            folder,
            sandbox: Some((self.sandbox, Some(&self.home))),
            environment: self.environment,
            redactor: self.redactor,
            limit_ms,
        };
        let began = Clock::moment(self.clock);
        let mut tail = Tail::default();
        let ran = script.run(watch, &mut |line| tail.push(line)).map_err(|error| error.to_string())?;
        let wall_ms = Clock::moment(self.clock).ms_since(began);
        let (code, how, stopped) = match ran.end {
            ScriptEnd::Well => (Some(0), String::new(), false),
            ScriptEnd::Badly { code, how } => (code, how, false),
            ScriptEnd::Slow if limit_ms < self.limit_ms => {
                (None, format!("was ended after {}, all that was left for it", span(limit_ms)), false)
            }
            ScriptEnd::Slow => {
                (None, format!("was ended after {} (limits.check_minutes)", minutes(limit_ms)), false)
            }
            ScriptEnd::Stopped => (None, String::new(), true),
        };
        if code.is_none() && !how.is_empty() {
            tail.push(&format!("(the command {how})"));
        }
        if let Some(hint) = &ran.hint {
            tail.push(&format!("({hint})"));
        }
        let sandbox = ran.report.map(|report| report.to_string());
        Ok(CheckRun { code, wall_ms, tail: tail.text(), stopped, sandbox, refused: ran.hint })
    }
}

/// In whole minutes.
fn minutes(ms: u64) -> String {
    count(usize::try_from(ms / 60_000).unwrap_or(usize::MAX), "minute")
}

/// The last lines of an output.
#[derive(Debug, Default)]
struct Tail {
    lines: VecDeque<String>,
    left_out: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        let short: String = line.chars().take(TAIL_CHARS / 4).collect();
        self.lines.push_back(short);
        while self.lines.len() > TAIL_LINES || self.chars() > TAIL_CHARS {
            self.lines.pop_front();
            self.left_out += 1;
        }
    }

    fn chars(&self) -> usize {
        self.lines.iter().map(|line| line.chars().count() + 1).sum()
    }

    fn text(self) -> String {
        let before = match self.left_out {
            0 => String::new(),
            lines => format!("({lines} lines before this)\n"),
        };
        before + &Vec::from(self.lines).join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_minute_is_not_called_minutes() {
        assert_eq!([minutes(60_000), minutes(1_200_000)], ["1 minute", "20 minutes"]);
    }

    #[test]
    fn of_a_long_output_the_end_is_kept() {
        let mut tail = Tail::default();
        for line in 1..=500 {
            tail.push(&format!("line {line}"));
        }
        let text = tail.text();
        assert!(
            text.starts_with("(420 lines before this)\nline 421\n") && text.ends_with("\nline 500"),
            "{text}"
        );
        let mut tail = Tail::default();
        tail.push(&"x".repeat(100_000));
        tail.push("end");
        let text = tail.text();
        assert!(text.len() < TAIL_CHARS && text.ends_with("x\nend"));
    }
}
