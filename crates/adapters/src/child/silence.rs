//! Why a program ended without an answer, where nothing it said explains it.

use super::run::{End, Finished};
use redraft_engine::ports::AgentError;
use redraft_facts::event::Now;
use redraft_facts::text::count;

pub struct Silence<'a> {
    pub program: &'a str,
    /// What it should have printed: `no result`.
    pub lacking: &'a str,
    /// Whether it said anything in its own form.
    pub began: bool,
    pub unreadable: u64,
    /// What it last told about trouble, for one that was too slow.
    pub remark: String,
}

impl Silence<'_> {
    /// `said` are its last words on standard error.
    pub fn explain(&self, finished: &Finished, said: &str) -> (Now, String) {
        let Silence { program, lacking, began, unreadable, remark } = self;
        match &finished.end {
            End::Stopped => (Now::GiveUp, "the run was asked to stop".to_owned()),
            End::Slow(slow) => (Now::GiveUp, format!("{program} {slow}{remark}")),
            End::Vanished => (Now::GiveUp, format!("{program} was ended from outside")),
            End::Exited(exit) if !exit.not_started.is_empty() => {
                (Now::AskPerson, format!("{program} cannot be started: {}", exit.not_started))
            }
            End::Exited(exit) => {
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
                (if refused { Now::AskPerson } else { Now::GiveUp }, detail)
            }
        }
    }

    /// The error with what this kind of end says about its cost, and whether anybody wanted it.
    pub fn error(&self, finished: &Finished, error: AgentError) -> AgentError {
        let by_itself = matches!(&finished.end, End::Exited(exit) if exit.signal.is_none());
        AgentError {
            usage: error.usage.or(AgentError::UNBILLED.filter(|_| !self.began && by_itself)),
            interrupted: finished.end == End::Stopped,
            ..error
        }
    }
}
