//! Runs a command: one of those a person has accepted, word for word, and nothing else.
//!
//! What a model asks for is compared and never run: what runs is the text that was accepted, by the shell, as the
//! engine runs it. It runs in the working folder through the worker, so that nothing of it outlives the call or us,
//! with variables that hold no key. Its output is data for the model.

use super::{Refusal, ToolResult, said};
use redraft_adapters::child::{Environment, ScriptEnd, ShellCommand};
use redraft_engine::ports::RunHandle;
use redraft_facts::redact::Redactor;
use redraft_facts::text::span;
use redraft_facts::ticket::Ticket;
use redraft_sandbox::Sandbox;
use serde_json::json;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How much of an output a model is shown, from its end: that is where a failure is reported.
const OUTPUT_BYTES_MAX: usize = 24 << 10;

/// The commands a role may run, and how.
#[derive(Debug, Clone)]
pub struct Commands {
    /// Each a line for the shell, accepted by a person.
    pub accepted: Vec<String>,
    /// Our own binary.
    pub worker: PathBuf,
    /// Where the output of each dispatch is kept, by ticket.
    pub runs: PathBuf,
    /// The user's variables; what may be a key is not passed on.
    pub environment: Environment,
    /// Knows what must not be kept or shown.
    pub redactor: Redactor,
    /// How long one command may take.
    pub limit_ms: u64,
    /// What it may reach; everything, where there is none.
    pub sandbox: Option<Sandbox>,
    /// How far that holds here, once it was tried.
    pub reached: Arc<OnceLock<Option<String>>>,
}

impl Commands {
    /// How far commands are held here: tried before the first dispatch, and again before each command.
    pub(crate) fn reached(&self) -> Option<String> {
        let tried = || {
            let sandbox = self.sandbox.as_ref()?;
            let passed = self.environment.of_commands(&sandbox.pass);
            let report = sandbox.reached(None, (&self.environment.0, &passed.0), &self.worker);
            report.map(|report| report.to_string())
        };
        self.reached.get_or_init(tried).clone()
    }

    /// Runs the command that was asked for in these words.
    pub(super) fn run(
        &self,
        wanted: &str,
        (folder, slot): (&Path, Option<u16>),
        ticket: &Ticket,
        watch: &dyn RunHandle,
    ) -> Result<ToolResult, Refusal> {
        let Some(accepted) = self.accepted.iter().find(|accepted| accepted.trim() == wanted.trim()) else {
            return Err(Refusal::Denied(format!(
                "`{}` is not a command you may run; you may run {}",
                wanted.trim(),
                self.named()
            )));
        };
        let mut environment = self.environment.without_keys();
        environment.mark(ticket, slot);
        let script = ShellCommand {
            worker: &self.worker,
            out: &self.runs.join(ticket.to_string()).join("run"),
            text: accepted,
            folder,
            sandbox: self.sandbox.as_ref().map(|sandbox| (sandbox, None)),
            environment: &environment,
            // What is not passed on must not be found in other ways either.
            redactor: &self.redactor.knowing(self.environment.secrets()),
            limit_ms: self.limit_ms,
        };
        let mut output = Output::default();
        let ran = script.run(watch, &mut |line| output.take(line));
        let ran = ran.map_err(|error| Refusal::Failed(format!("`{accepted}`: {error}")))?;
        if let Some(hint) = &ran.hint {
            output.take(&format!("({hint}; a person has to do that)"));
        }
        let how = match ran.end {
            ScriptEnd::Well => "ended with code 0".to_owned(),
            ScriptEnd::Badly { how, .. } => how,
            ScriptEnd::Slow => format!("was ended after {}", span(self.limit_ms)),
            ScriptEnd::Stopped => return Err(Refusal::Failed("the run was asked to stop".to_owned())),
        };
        said(format!("`{accepted}` {how}\n{}", output.text()))
    }

    /// The form of a call, in which the commands are named: nothing else can be asked for.
    pub(super) fn schema(&self) -> String {
        let command = json!({"type": "string", "enum": self.accepted, "description": "word for word"});
        json!({
            "type": "object",
            "properties": {"command": command},
            "required": ["command"],
            "additionalProperties": false
        })
        .to_string()
    }

    fn named(&self) -> String {
        let all: Vec<String> = self.accepted.iter().map(|accepted| format!("`{accepted}`")).collect();
        if all.is_empty() { "no command".to_owned() } else { all.join(", ") }
    }
}

/// The last lines of an output.
#[derive(Default)]
struct Output {
    lines: VecDeque<String>,
    held: usize,
    dropped: usize,
}

impl Output {
    fn take(&mut self, line: &str) {
        self.held += line.len() + 1;
        self.lines.push_back(line.to_owned());
        while self.held > OUTPUT_BYTES_MAX && self.lines.len() > 1 {
            let gone = self.lines.pop_front().map_or(0, |line| line.len() + 1);
            self.held -= gone;
            self.dropped += gone;
        }
    }

    fn text(self) -> String {
        let mut text = String::new();
        if self.dropped > 0 {
            text.push_str(&format!("({} bytes before this are left out)\n", self.dropped));
        }
        for line in self.lines {
            let from = line.ceil_char_boundary(line.len().saturating_sub(OUTPUT_BYTES_MAX));
            text.push_str(&line[from..]);
            text.push('\n');
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
            output.take(&format!("line {number}"));
        }
        let text = output.text();
        assert!(text.len() < OUTPUT_BYTES_MAX + 200, "{}", text.len());
        assert!(
            text.starts_with('(') && text.contains(" bytes before this are left out)\n"),
            "{}",
            &text[..80]
        );
        assert!(text.ends_with("line 9998\nline 9999\n"));
        let mut one = Output::default();
        one.take(&"ü".repeat(OUTPUT_BYTES_MAX));
        assert!(one.text().len() <= OUTPUT_BYTES_MAX + 1);
    }
}
