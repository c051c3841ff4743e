//! Asks once before several features are driven that cost money: what each is likely to cost, and the most that all of
//! them can cost together.
//!
//! That a person agreed is stored for each feature, as [`crate::consent`] does for one.

use crate::console::Console;
use crate::errors::{CliError, ErrorCode};
use crate::process_context::ProcessContext;
use crate::repository_context::RepositoryContext;
use redraft_facts::forecast::Forecast;
use redraft_facts::ids::FeatureId;
use redraft_facts::text::count;
use redraft_facts::usage::Usd;
use redraft_reports::question::QuestionForm;
use std::collections::BTreeSet;

/// What one of them is likely to cost from here on.
pub struct Planned {
    pub id: FeatureId,
    /// With what is left of its own budget.
    pub expected: Forecast,
}

impl Planned {
    /// The agents that cost money.
    fn paid(&self) -> Vec<&str> {
        let paid: BTreeSet<&str> = self.expected.roles.iter().map(|one| one.agent.as_str()).collect();
        paid.into_iter().collect()
    }
}

/// Whether a person agrees, or agreed before to every agent of every feature. `limit` is what all of them may spend
/// together, where one was given.
pub fn given_for_all(
    repo: &RepositoryContext,
    planned: &[Planned],
    limit: Option<Usd>,
    yes: bool,
    process: &ProcessContext,
    console: &Console,
) -> Result<bool, CliError> {
    let place = repo.repository.known_as();
    let mut new = Vec::new();
    for one in planned {
        if !process.trust.may_pay(place, &one.id.to_string(), &one.paid())? {
            new.push(one);
        }
    }
    let agree =
        || new.iter().try_for_each(|one| process.trust.agree_to_pay(place, &one.id.to_string(), &one.paid()));
    if new.is_empty() {
        return Ok(true);
    }
    if yes {
        agree()?;
        return Ok(true);
    }
    let likely = planned.iter().fold(Usd(0), |sum, one| sum + one.expected.cost());
    let budgets = planned.iter().filter(|one| !one.expected.roles.is_empty());
    let budgets = budgets.fold(Usd(0), |sum, one| sum + one.expected.left);
    let most = limit.map_or(budgets, |limit| limit.min(budgets));
    let why = told(planned, likely, most);
    if console.can_ask() {
        console.say_before_asking(&why);
        let form = QuestionForm::yes_or_no(
            "May this money be spent?",
            Vec::new(),
            "work on all of them is sent, within that limit",
            "nothing is sent",
        );
        let agreed = console.agrees(&form, &process.clock);
        if agreed {
            agree()?;
        }
        return Ok(agreed);
    }
    console.say(&why);
    let named: Vec<String> = new.iter().map(|one| one.id.to_string()).collect();
    let message = format!(
        "nobody has agreed to spend money on {} yet: about {likely} is expected for all, at most {most} in total",
        named.join(", ")
    );
    Err(CliError::new(ErrorCode::Waiting, message)
        .hint("to agree: redraft run --all --yes (and --budget USD for another limit over all)"))
}

/// A line for each feature that costs money, and the sum.
fn told(planned: &[Planned], likely: Usd, most: Usd) -> String {
    let mut text = "these features cost money:\n".to_owned();
    for Planned { id, expected } in planned.iter().filter(|one| !one.expected.roles.is_empty()) {
        let agents: BTreeSet<&str> = expected.roles.iter().map(|one| one.agent.as_str()).collect();
        let agents: Vec<&str> = agents.into_iter().collect();
        let dispatches = count(expected.dispatches() as usize, "dispatch");
        text.push_str(&format!(
            "  {id}: about {} for {dispatches} of {}; {} of its own budget is left\n",
            expected.cost(),
            agents.join(", "),
            expected.left
        ));
    }
    text.push_str(&format!(
        "expected for all: about {likely}, an estimate; at most {most}: no request is sent that could exceed it"
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::forecast::RoleForecast;
    use redraft_facts::ids::{AgentName, Role};

    #[test]
    fn each_feature_is_named_with_its_cost_and_the_sum_is_last() {
        let planned = |id: u32, cents: u64| {
            let role = RoleForecast {
                role: Role::new("spec-author"),
                agent: AgentName::new("claude"),
                cost: Usd(cents * 10_000),
                dispatches: 3,
                features: 0,
            };
            let roles = if cents == 0 { Vec::new() } else { vec![role] };
            let expected = Forecast { roles, tasks: None, tasks_assumed: false, left: Usd(5_000_000) };
            Planned { id: FeatureId(id), expected }
        };
        let text = told(&[planned(1, 50), planned(2, 0), planned(3, 25)], Usd(750_000), Usd(8_000_000));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert_eq!(
            lines[1],
            "  001: about $0.5000 for 3 dispatches of claude; $5.0000 of its own budget is left"
        );
        assert!(lines[2].starts_with("  003: about $0.2500"), "{text}");
        assert!(lines[3].contains("about $0.7500") && lines[3].contains("at most $8.0000"), "{text}");
    }
}
