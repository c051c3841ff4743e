//! Running a command: one of those a person has accepted, word for word, and nothing else.
//!
//! There is no shell: a command is a program and its arguments. It runs in the working folder behind the worker, so that
//! nothing of it outlives the call or us, with variables that hold no key. Its output is data for the model.

use super::{Refusal, ToolResult, said};
use crate::child::{End, Environment, Launch, Line};
use crate::mcp::quoted;
use redraft_core::text::span;
use redraft_core::ticket::Ticket;
use redraft_engine::ports::{Deadlines, Watch};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What a model is shown of an output, from its end: that is where a failure is told.
const OUTPUT_BYTES_MAX: usize = 24 << 10;

/// The commands a role may run, and how.
#[derive(Debug, Clone)]
pub struct Commands {
    /// Each a program and its arguments, accepted by a person.
    pub accepted: Vec<Vec<String>>,
    /// Our own binary.
    pub worker: PathBuf,
    /// Where the output of each dispatch is kept, by ticket.
    pub runs: PathBuf,
    /// The user's variables; what may be a key is not passed on.
    pub environment: Environment,
    /// How long one command may take.
    pub limit_ms: u64,
}

impl Commands {
    /// Runs the command that was asked for in these words.
    pub(super) fn run(
        &self,
        wanted: &str,
        folder: &Path,
        ticket: &Ticket,
        watch: &dyn Watch,
    ) -> Result<ToolResult, Refusal> {
        let found = self.accepted.iter().find(|words| shown(words) == wanted.trim());
        let Some((program, arguments)) = found.and_then(|words| words.split_first()) else {
            return Err(Refusal::Denied(format!(
                "`{}` is not a command you may run; you may run {}",
                wanted.trim(),
                self.named()
            )));
        };
        let limit = self.limit_ms;
        let mut environment = self.environment.without_keys();
        environment.mark(ticket);
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let launch = Launch {
            worker: &self.worker,
            out: &self.runs.join(ticket.to_string()).join("run"),
            program: Path::new(program),
            arguments: &arguments,
            folder,
            input: "",
            environment: &environment,
            secrets: self.environment.secrets(),
            unkept: &[],
            deadlines: Deadlines { connect_ms: limit, first_byte_ms: limit, idle_ms: limit, total_ms: limit },
        };
        let mut output = Output::default();
        let finished = launch.run(watch, &mut |line| output.take(line));
        let finished = finished.map_err(|error| Refusal::Failed(format!("`{wanted}`: {error}")))?;
        let how = match finished.end {
            End::Stopped => return Err(Refusal::Failed("the run was asked to stop".to_owned())),
            End::Vanished => "was ended from outside".to_owned(),
            End::Slow(_) => format!("was ended after {}", span(limit)),
            End::Exited(exit) => match (exit.code, exit.signal) {
                (Some(code), _) => format!("ended with code {code}"),
                (None, Some(signal)) => format!("was ended by signal {signal}"),
                (None, None) => {
                    return Err(Refusal::Failed(format!(
                        "`{wanted}` cannot be started: {}",
                        exit.not_started
                    )));
                }
            },
        };
        said(format!("`{wanted}` {how}\n{}", output.text(&finished.stderr)))
    }

    fn named(&self) -> String {
        let all: Vec<String> = self.accepted.iter().map(|words| format!("`{}`", shown(words))).collect();
        if all.is_empty() { "no command".to_owned() } else { all.join(", ") }
    }
}

/// A command as it is accepted and asked for.
fn shown(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// The last lines of an output.
#[derive(Default)]
struct Output {
    lines: VecDeque<Vec<u8>>,
    held: usize,
    dropped: usize,
}

impl Output {
    fn take(&mut self, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong => b"(a line too long to be shown)".to_vec(),
            Line::Part => return,
        };
        self.held += line.len() + 1;
        self.lines.push_back(line);
        while self.held > OUTPUT_BYTES_MAX && self.lines.len() > 1 {
            let gone = self.lines.pop_front().map_or(0, |line| line.len() + 1);
            self.held -= gone;
            self.dropped += gone;
        }
    }

    fn text(self, stderr: &str) -> String {
        let mut text = String::new();
        if self.dropped > 0 {
            text.push_str(&format!("({} bytes before this are left out)\n", self.dropped));
        }
        for line in self.lines {
            let end = line.len().saturating_sub(OUTPUT_BYTES_MAX);
            text.push_str(&String::from_utf8_lossy(&line[end..]));
            text.push('\n');
        }
        if !stderr.trim().is_empty() {
            text.push_str(&format!("standard error:\n{}\n", stderr.trim_end()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_output_the_end_is_shown() {
        let mut output = Output::default();
        for number in 0..10_000 {
            output.take(Line::Whole(format!("line {number}").into_bytes()));
        }
        output.take(Line::TooLong);
        let text = output.text("and a warning\n");
        assert!(text.len() < OUTPUT_BYTES_MAX + 200, "{}", text.len());
        assert!(
            text.starts_with('(') && text.contains(" bytes before this are left out)\n"),
            "{}",
            &text[..80]
        );
        assert!(text.ends_with("line 9999\n(a line too long to be shown)\nstandard error:\nand a warning\n"));
        let mut one = Output::default();
        one.take(Line::Whole(vec![b'x'; 2 * OUTPUT_BYTES_MAX]));
        assert!(one.text("").len() <= OUTPUT_BYTES_MAX + 1);
    }
}
