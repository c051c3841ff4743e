//! A command that the user has accepted, run by the shell through the same worker as agents: it ends, with everything
//! it started, when the run stops, when its time is up and when the run is killed.

use super::environment::Environment;
use super::lines::StreamLine;
use super::run::{Launch, ReadEnd};
use super::worker_folder;
use redraft_engine::ports::{Deadlines, RunHandle};
use redraft_facts::redact::{Lines, Redactor};
use redraft_sandbox::{LastLines, Sandbox, SandboxPolicy, SandboxReport};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// One command, ready to be run.
#[derive(Debug)]
pub struct ShellCommand<'a> {
    /// Our own binary.
    pub worker: &'a Path,
    /// A folder of its own, for what it prints.
    pub out: &'a Path,
    pub text: &'a str,
    /// Where it runs.
    pub folder: &'a Path,
    /// What it may reach, and the home it has if that is to last; everything and the user's, where there is none.
    pub sandbox: Option<(&'a Sandbox, Option<&'a Path>)>,
    pub environment: &'a Environment,
    /// Knows what must not be kept or shown in addition to the secrets of the environment.
    pub redactor: &'a Redactor,
    pub limit_ms: u64,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptEnd {
    Well,
    /// Its exit code, if it got that far, and what happened, worded to follow the command's name: `ended with code 1`.
    Badly {
        code: Option<i32>,
        how: String,
    },
    /// Its time was up.
    Slow,
    /// The run was asked to stop.
    Stopped,
}

/// How a command ended and what is to be said about its sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptRun {
    pub end: ScriptEnd,
    /// How far it was held; none where it was not meant to be, or could not be started.
    pub report: Option<SandboxReport>,
    /// Why it probably failed, and the setting that would change that.
    pub hint: Option<String>,
}

/// What the outer shell does: it joins both outputs, so that lines come in the order they were printed.
const JOINED: &str = r#"exec sh -c "$1" 2>&1"#;
/// In a sandbox it also closes what was open when we were started and would go through every wall.
const CLOSED_AND_JOINED: &str = r#"exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; exec sh -c "$1" 2>&1"#;

impl ShellCommand<'_> {
    /// Runs it to its end, without input, and hands over each line it prints. Nothing of it is left running afterwards.
    pub fn run(&self, watch: &dyn RunHandle, each: &mut dyn FnMut(&str)) -> io::Result<ScriptRun> {
        let Some((sandbox, home)) = self.sandbox else {
            let end = self.run_in(self.environment, None, watch, each)?;
            return Ok(ScriptRun { end, report: None, hint: None });
        };
        let passed = self.environment.of_commands(&sandbox.pass);
        let variables = (&self.environment.0, &passed.0);
        let surroundings = sandbox.make_ready(self.folder, home, variables, self.worker)?;
        let environment = Environment(surroundings.environment.clone());
        let policy = surroundings.policy.as_ref();
        let mut last = LastLines::default();
        let mut both = |line: &str| {
            last.push(line);
            each(line);
        };
        let end = self.run_in(&environment, policy, watch, &mut both)?;
        let report = surroundings.report(&self.out.join(worker_folder::REPORT));
        let failed = matches!(end, ScriptEnd::Badly { .. });
        let hint = failed.then(|| surroundings.hint(report.as_ref(), &last.text())).flatten();
        Ok(ScriptRun { end, report, hint })
    }

    fn run_in(
        &self,
        environment: &Environment,
        policy: Option<&SandboxPolicy>,
        watch: &dyn RunHandle,
        each: &mut dyn FnMut(&str),
    ) -> io::Result<ScriptEnd> {
        let outer = if policy.is_some() { CLOSED_AND_JOINED } else { JOINED };
        let arguments: [OsString; 4] = ["-c".into(), outer.into(), "sh".into(), self.text.into()];
        let limit = self.limit_ms;
        let redactor = self.redactor.knowing(self.environment.secrets());
        let launch = Launch {
            worker: self.worker,
            out: self.out,
            program: Path::new("sh"),
            arguments: &arguments,
            folder: self.folder,
            input: "",
            environment,
            policy: policy.cloned(),
            secrets: redactor.known().to_vec(),
            unkept: &[],
            deadlines: Deadlines { connect_ms: limit, first_byte_ms: limit, idle_ms: limit, total_ms: limit },
        };
        let mut lines = Lines::new(&redactor);
        let mut hear = |line: StreamLine| match line {
            StreamLine::Whole(bytes) => lines.push(&String::from_utf8_lossy(&bytes), each),
            StreamLine::TooLong => lines.push("(a line too long to be shown)", each),
            StreamLine::Part => {}
        };
        let ended = launch.run(watch, &mut hear);
        lines.finish(each);
        Ok(match ended?.end {
            ReadEnd::Stopped => ScriptEnd::Stopped,
            ReadEnd::Slow(_) => ScriptEnd::Slow,
            ReadEnd::Vanished => ScriptEnd::Badly { code: None, how: "was ended from outside".to_owned() },
            ReadEnd::Exited(exit) if exit.code == Some(0) => ScriptEnd::Well,
            ReadEnd::Exited(exit) => {
                let how = match (exit.over, exit.code, exit.signal) {
                    (Some(limit), _, _) => format!("was ended because {limit}"),
                    (None, Some(code), _) => format!("ended with code {code}"),
                    (None, None, Some(signal)) => format!("was ended by signal {signal}"),
                    (None, None, None) => format!("could not be started: {}", exit.not_started),
                };
                ScriptEnd::Badly { code: exit.code, how }
            }
        })
    }

    /// The file that keeps everything it printed.
    pub fn output(&self) -> PathBuf {
        self.out.join(worker_folder::STDOUT)
    }
}
