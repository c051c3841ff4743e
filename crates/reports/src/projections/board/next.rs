//! The command that goes on from where a feature stands.

use redraft_facts::event::BudgetReached;
use redraft_facts::prelude::*;

/// A budget with which the next dispatch and another like it would fit, in whole dollars.
fn enough(short: &BudgetReached) -> u64 {
    let whole = |usd: u64| usd.div_ceil(1_000_000);
    let spent = short.limit.0.saturating_sub(short.left.0);
    // The needed amount may come from a service that reports nonsense.
    whole(spent.saturating_add(short.needed.0.saturating_mul(2))).max(whole(short.limit.0) + 1)
}

pub(super) fn next(
    status: &str,
    ready: bool,
    id: &str,
    choices: &Option<Vec<String>>,
    short: Option<&BudgetReached>,
) -> String {
    match (status, choices) {
        ("approved" | "accepted" | "closed", _) if ready => format!("redraft finish {id} --merge"),
        // Without a choice it shows the question and what can be answered.
        ("waiting", Some(_)) => format!("redraft decide {id}"),
        ("abandoned" | "approved" | "accepted" | "closed", _) => "redraft new \"your idea\"".to_owned(),
        _ => match short {
            Some(short) => format!("redraft run {id} --budget {}", enough(short)),
            None => format!("redraft run {id}"),
        },
    }
}
