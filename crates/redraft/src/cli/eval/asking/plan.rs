//! What is said before an agent is asked, and whether a person agrees to it; and how it ended.

use super::{AskedAll, Asking, AskingStop, Job};
use redraft_adapters::lock::{Holder, Lock};
use redraft_engine::ports::{Agent, Clock as _};
use redraft_facts::text::{count, utc};
use redraft_facts::usage::Usd;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_reports::question::QuestionForm;
use std::path::Path;

/// What is known before anything is sent.
pub(in crate::cli::eval) struct Plan<'a> {
    pub(in crate::cli::eval) prompts: usize,
    pub(in crate::cli::eval) already: usize,
    pub(in crate::cli::eval) expected: Usd,
    pub(in crate::cli::eval) spent: Usd,
    pub(in crate::cli::eval) budget: Usd,
    pub(in crate::cli::eval) command: &'a str,
}

impl Plan<'_> {
    pub(in crate::cli::eval) fn told(&self, agent: &dyn Agent, jobs: &[Job], out: &Path) -> String {
        let Plan { prompts, already, expected, spent, budget, .. } = self;
        let turns = jobs.iter().map(|job| if job.before.is_some() { 2 } else { 1 }).sum::<usize>();
        let mut text = format!("{} in {}", count(*prompts, "prompt"), out.display());
        if *already > 0 {
            text.push_str(&format!(", {already} of them answered"));
        }
        text.push_str(&format!(
            "\n{} to ask of {} ({})",
            count(jobs.len(), "prompt"),
            agent.name(),
            agent.describe()
        ));
        if turns > jobs.len() {
            text.push_str(&format!(", in {turns} turns"));
        }
        text.push_str(&format!("\nexpected: about {expected}; an estimate from the sizes of the prompts"));
        if *spent > Usd(0) {
            text.push_str(&format!("\nspent on this folder before: {spent}"));
        }
        text.push_str(&format!(
            "\nbudget: at most {budget} for this folder; no request is sent that could exceed it"
        ));
        text
    }

    /// Whether a person agrees to what it may cost.
    pub(in crate::cli::eval) fn agreed(&self, asking: &Asking<'_>, yes: bool) -> Result<bool, CliError> {
        if yes || asking.agent.is_free() {
            return Ok(true);
        }
        if asking.console.can_ask() {
            let yes = format!("the prompts are sent; it never costs more than {}", self.budget);
            let form =
                QuestionForm::yes_or_no("May this money be spent?", Vec::new(), &yes, "nothing is sent");
            return Ok(asking.console.agrees(&form, &asking.process.clock));
        }
        let Plan { expected, budget, command, .. } = self;
        let message = format!(
            "nobody has agreed to what this costs: about {expected} is expected, at most {budget} in total"
        );
        Err(CliError::new(ErrorCode::Waiting, message)
            .hint(format!("to agree: {command} --yes (and --budget USD for another limit)")))
    }
}

impl AskedAll {
    /// How it ended: in a word, as an exit code, and why.
    pub(in crate::cli::eval) fn ended(&self) -> (&'static str, ErrorCode, String) {
        match &self.stop {
            Some(AskingStop::OverBudget(over)) => ("over budget", ErrorCode::Limit, over.to_string()),
            Some(AskingStop::Parked(until)) => {
                ("parked", ErrorCode::Limit, format!("its usage limit is reached until {}", utc(*until)))
            }
            Some(AskingStop::Failing) => {
                ("failing", ErrorCode::Agent, "it was stopped because the agent fails".to_owned())
            }
            Some(AskingStop::Interrupted) => {
                ("interrupted", ErrorCode::Interrupted, "interrupted".to_owned())
            }
            None if self.failed.is_empty() => ("done", ErrorCode::Done, String::new()),
            None => ("unanswered", ErrorCode::NotApproved, String::new()),
        }
    }
}

/// Makes the folder of answers, if it is not there, and keeps others from asking for the same at the same time. The lock
/// is in the folder itself, because runs in several repositories may share it.
pub(in crate::cli::eval) fn lock(out: &Path, process: &ProcessContext) -> Result<Lock, CliError> {
    std::fs::create_dir_all(out).map_err(|error| {
        CliError::new(ErrorCode::Config, format!("{} cannot be made: {error}", out.display()))
    })?;
    let holder = Holder {
        pid: std::process::id(),
        user: process.user.clone(),
        since_ms: process.clock.now_ms(),
        command: process.redactor.redact(&process.command).0.into_owned(),
        asks: false,
    };
    Ok(Lock::take(out, "asking", &holder)?)
}
