//! Explains why a program ended without an answer, where nothing it said does.

use redraft_adapters::child::{Finished, ReadEnd};
use redraft_engine::ports::AgentError;
use redraft_facts::event::AfterFailure;
use redraft_facts::text::count;

pub struct NoAnswer<'a> {
    pub program: &'a str,
    /// What it should have printed: `no result`.
    pub lacking: &'a str,
    /// Whether it said anything in its own form.
    pub began: bool,
    pub unreadable: u64,
    /// The last trouble it reported, for one that was too slow.
    pub remark: String,
}

impl NoAnswer<'_> {
    /// `said` is the last thing it wrote to standard error.
    pub fn explain(&self, finished: &Finished, said: &str) -> (AfterFailure, String) {
        let NoAnswer { program, lacking, began, unreadable, remark } = self;
        match &finished.end {
            ReadEnd::Stopped => (AfterFailure::GiveUp, "the run was asked to stop".to_owned()),
            ReadEnd::Slow(slow) => (AfterFailure::GiveUp, format!("{program} {slow}{remark}")),
            ReadEnd::Vanished => (AfterFailure::GiveUp, format!("{program} was ended from outside")),
            ReadEnd::Exited(exit) if !exit.not_started.is_empty() => {
                (AfterFailure::AskPerson, format!("{program} cannot be started: {}", exit.not_started))
            }
            ReadEnd::Exited(exit) => {
                let how = match (exit.code, exit.signal) {
                    (_, Some(signal)) => format!("signal {signal}"),
                    (code, None) => format!("code {}", code.unwrap_or_default()),
                };
                let unreadable = match unreadable {
                    0 => String::new(),
                    lines => format!(", {}", count(*lines as usize, "unreadable line")),
                };
                let said = if said.is_empty() { String::new() } else { format!(": {said}") };
                let detail = format!("{program} ended with {how} and {lacking}{unreadable}{said}");
                // It ended before it began: the command line or the login was refused, and would be again.
                let refused = !began && exit.signal.is_none();
                (if refused { AfterFailure::AskPerson } else { AfterFailure::GiveUp }, detail)
            }
        }
    }

    /// Adds to the error what this kind of end says about the cost, and whether the run was asked to stop.
    pub fn error(&self, finished: &Finished, error: AgentError) -> AgentError {
        let by_itself = matches!(&finished.end, ReadEnd::Exited(exit) if exit.signal.is_none());
        AgentError {
            usage: error.usage.or(AgentError::UNBILLED.filter(|_| !self.began && by_itself)),
            interrupted: finished.end == ReadEnd::Stopped,
            ..error
        }
    }
}
