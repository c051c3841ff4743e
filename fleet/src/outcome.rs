//! What follows from how a drive ended: a function of the report. The codes are those of `docs/exit-codes.md`.

use crate::order::{Question, Report};
use serde::{Deserialize, Serialize};

/// Failures in a row after which a person is asked.
pub const FAILURES_MAX: u32 = 10;

/// What `redraft run --json` says of a feature that was given up.
const ABANDONED: &str = "abandoned";

#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Nothing is left to do for the fleet.
    End(Ending),
    /// A person must say how to go on.
    Rest(Rest),
    /// An agent's limit is over then.
    Park { until_ms: i64 },
    /// The portion was too small for the next dispatch.
    More { needed_micro_usd: u64 },
    /// Once more, at once.
    Again,
    /// Once more after a pause: it counts as a failure.
    Later(String),
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Done,
    Abandoned,
    Stopped,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Rest {
    /// What is asked, or went wrong.
    pub text: String,
    /// None where it is no question of the feature's.
    pub question: Option<Question>,
}

/// What follows from a drive.
pub fn next(report: &Report, failures: u32) -> Next {
    let said = || report.error.clone().unwrap_or_else(|| report.outcome.clone());
    let rest = |text: String| Next::Rest(Rest { text, question: None });
    if report.stopped {
        return Next::End(Ending::Stopped);
    }
    let next = match report.exit {
        Some(0) => Next::End(Ending::Done),
        Some(1) if report.outcome == ABANDONED => Next::End(Ending::Abandoned),
        // It was to be merged, and is not reviewed or fails its checks.
        Some(1) => rest(said()),
        Some(5) => limit(report),
        Some(4 | 6) => match &report.question {
            Some(question) => {
                let text = question.text.clone();
                Next::Rest(Rest { text, question: Some(question.clone()) })
            }
            None => rest(said()),
        },
        // Another process or clone has it, and may give it up; or the disk, the remote or the configuration is at fault.
        Some(3 | 7) => Next::Later(said()),
        Some(130) if report.leaving => Next::Again,
        Some(130) => rest("it was stopped by somebody on its machine".to_owned()),
        Some(2 | 70) => rest(said()),
        Some(other) => rest(format!("redraft ended with code {other}: {}", said())),
        None => Next::Later(report.error.clone().unwrap_or_else(|| "redraft was killed".to_owned())),
    };
    match next {
        Next::Later(why) if failures + 1 >= FAILURES_MAX => {
            rest(format!("{why} (tried {FAILURES_MAX} times)"))
        }
        next => next,
    }
}

fn limit(report: &Report) -> Next {
    let rest = |text: &str| Next::Rest(Rest { text: text.to_owned(), question: report.question.clone() });
    match (report.parked_until_ms, report.needed_micro_usd) {
        (Some(until_ms), _) => Next::Park { until_ms },
        (None, Some(needed_micro_usd)) => Next::More { needed_micro_usd },
        (None, None) => match &report.question {
            Some(question) => rest(&question.text),
            None => rest("a limit was reached"),
        },
    }
}

/// The pause before the next try: doubled with each failure, up to 64 times the first.
pub fn pause_ms(first_ms: u64, failures: u32) -> u64 {
    first_ms.saturating_mul(1 << failures.min(6))
}
