//! A command that the user has accepted, run by the shell through the same worker as agents: it ends, with everything
//! it started, when the run stops, when its time is up and when the run is killed.

use super::environment::Environment;
use super::lines::StreamLine;
use super::run::{Launch, ReadEnd};
use super::worker_folder;
use redraft_engine::ports::{Deadlines, RunHandle};
use redraft_facts::redact::{Lines, Redactor};
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

impl ShellCommand<'_> {
    /// Runs it to its end, without input, and hands over each line it prints. Nothing of it is left running afterwards.
    pub fn run(&self, watch: &dyn RunHandle, each: &mut dyn FnMut(&str)) -> io::Result<ScriptEnd> {
        // The outer shell only joins both outputs, so that lines come in the order they were printed.
        let arguments: [OsString; 4] =
            ["-c".into(), r#"exec sh -c "$1" 2>&1"#.into(), "sh".into(), self.text.into()];
        let limit = self.limit_ms;
        let redactor = self.redactor.knowing(self.environment.secrets());
        let launch = Launch {
            worker: self.worker,
            out: self.out,
            program: Path::new("sh"),
            arguments: &arguments,
            folder: self.folder,
            input: "",
            environment: self.environment,
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
                let how = match (exit.code, exit.signal) {
                    (Some(code), _) => format!("ended with code {code}"),
                    (None, Some(signal)) => format!("was ended by signal {signal}"),
                    (None, None) => format!("could not be started: {}", exit.not_started),
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
