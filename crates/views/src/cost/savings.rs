//! Computes what each reviewer's loop would have cost under the other policies, by replaying it.
//!
//! Replays are compared with a replay of what was done, with the strategies and cache marks that were really sent, and
//! never with the bill, so that both have the same assumptions. Where a bill is unknown, or the replay is far from it, nothing is claimed.

use super::prices::{Price, Prices};
use crate::replay::ledger::{pace, paces, with_texts};
use redraft_adapters::sqlite::Ledger;
use redraft_core::bills::Bill;
use redraft_cost::cost::replay::{AskedLifetime, Assumed, RecordedPass, Reviewer, as_sent, reviewed};
use redraft_cost::cost::{BOUNDARIES_MAX, CERTAIN, Marking, Pace, Terms, lifetimes};
use redraft_cost::price::Card;
use redraft_documents::tokens::{Family, Ratios};
use redraft_engine::ports::Workspace;
use redraft_facts::choice::{Content, Lifetime, Marks, Strategy};
use redraft_facts::event::Entry;
use redraft_facts::ids::AgentName;
use redraft_facts::ticket::{Purpose, Scope};
use redraft_facts::usage::{Usage, grouped};
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections::costs::{Costs, Dispatch, Replayed, not_cached, played, replayed};
use std::collections::BTreeSet;

/// One reviewer's reviews in one pass.
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) reviews: usize,
    pub(super) replay: Result<Replay, String>,
}

pub(super) struct Replay {
    pub(super) model: String,
    pub(super) ttl: Lifetime,
    pub(super) hit_rate: u32,
    /// Whether nothing costs money; then tokens are compared.
    pub(super) free: bool,
    pub(super) billed: Usage,
    /// As it was sent.
    pub(super) own: Replayed,
    pub(super) others: Vec<Replayed>,
}

pub(super) fn loops(
    scope: &Scope,
    entries: &[Entry],
    costs: &Costs,
    prices: &Prices,
    repo: &RepositoryContext,
    ledger: &Ledger,
) -> Result<Vec<Loop>, CliError> {
    let found = reviewed(entries);
    if found.is_empty() || prices.note().is_some() {
        return Ok(Vec::new());
    }
    // Without a worktree the bills remain; only the texts are missing.
    let workspace = repo.created_in(ledger, scope.clone()).and_then(|created| repo.workspace(&created));
    let paces = paces(ledger, found.iter())?;
    let replay = |one: &RecordedPass| match &workspace {
        Ok(workspace) => replay(one, costs, prices, workspace, &pace(&paces, one)),
        Err(error) => Err(error.message.clone()),
    };
    let looped = found.iter().map(|one| Loop {
        name: one.name.clone(),
        reviews: one.reviews.len(),
        replay: replay(one),
    });
    Ok(looped.collect())
}

fn replay(
    one: &RecordedPass,
    costs: &Costs,
    prices: &Prices,
    workspace: &dyn Workspace,
    pace: &Pace,
) -> Result<Replay, String> {
    let sent = of_loop(one, costs);
    let mut billed = Usage::default();
    for dispatch in &sent {
        match dispatch.bill {
            Bill::Known(usage) => billed += usage,
            Bill::Unknown { .. } => return Err(format!("the bill of {} is unknown", dispatch.name())),
            Bill::UnderWay => return Err(format!("{} is {}", dispatch.name(), dispatch.end)),
        }
    }
    let agents: BTreeSet<&AgentName> = sent.iter().map(|dispatch| &dispatch.agent).collect();
    let agent = match agents.into_iter().collect::<Vec<_>>().as_slice() {
        [only] => *only,
        _ => return Err("more than one agent reviewed it".to_owned()),
    };
    let price = prices.price(agent);
    let (model, card) = match (&price, price.card()) {
        (_, Some(found)) => found,
        (Price::Missing(why), None) => return Err(why.clone()),
        (_, None) => return Err(format!("the prices of {agent} are unknown")),
    };
    let policy = sent.first().and_then(|dispatch| {
        costs
            .phases
            .iter()
            .find(|phase| phase.phase == dispatch.ticket.phase && phase.pass == dispatch.ticket.pass)
    });
    let own = policy.and_then(|phase| played(phase.policy)).ok_or("its policy cannot be replayed")?;
    // Every policy is replayed with what this agent can be asked for, as far as its past requests show it.
    let (marking, offered) = asked_for(one, card);
    let ttl = offered.last().copied().unwrap_or(card.lifetime.is);
    let hit_rate =
        sent.iter().filter_map(|one| one.prediction()).next_back().map_or(CERTAIN, |one| one.hit_rate);
    let terms =
        Terms::from_card(card, ttl).with_hit_rate(hit_rate).with_context(card.context_for(model).tokens);
    let terms = terms.marked_by(marking, &offered);
    let reviewer = one.reviewer();
    let knowledge = policy.map_or_else(Default::default, |phase| phase.knowledge);
    let measured = with_texts(one, workspace)?.measured();
    let ratios = Ratios::measured(Family::for_model(model));
    let usual = Assumed { reviewer, knowledge, asked: AskedLifetime::Usual, ..Assumed::default() };
    let assumed = assumed(usual, &sent, &billed, measured.first(), &ratios);
    let all = replayed(&measured, &terms, &ratios, &assumed, pace);
    let others = all.into_iter().filter(|one| one.played != own).collect();
    let done = as_sent(&one.reviews, &measured, &terms, &ratios, &assumed);
    let done = done.ok_or("it continued a conversation that began outside this loop")?;
    let own = Replayed { played: own, usage: done.bill.usage(&terms) };
    if !is_near(&own.usage, &billed, terms.is_free()) {
        let amount = |usage: &Usage| match terms.is_free() {
            true => format!("{} tokens not read from the cache", grouped(not_cached(usage))),
            false => usage.cost.to_string(),
        };
        return Err(format!(
            "replayed as it was sent, it comes to ~{}, but {} was billed, so no comparison is possible",
            amount(&own.usage),
            amount(&billed)
        ));
    }
    Ok(Replay { model: model.to_owned(), ttl, hit_rate, free: terms.is_free(), billed, own, others })
}

/// How the agent marks and for how long, from the marks it was sent; where none were recorded, like a service that is
/// told every place.
fn asked_for(one: &RecordedPass, card: &Card) -> (Marking, Vec<Lifetime>) {
    let marks: Vec<Marks> = one.reviews.iter().filter_map(|review| review.marks).collect();
    let asked: BTreeSet<Lifetime> =
        marks.iter().flat_map(|marks| [marks.system, marks.stable, marks.tail]).flatten().collect();
    let sold = lifetimes(card);
    let offered = match asked.iter().all(|lifetime| sold.contains(lifetime)) {
        true => sold,
        false => asked.into_iter().collect(),
    };
    let whole = |one: &Marks| {
        one.system.is_some()
            && one.system == one.tail
            && one.stable.is_none_or(|stable| Some(stable) == one.tail)
    };
    let marking = match marks.as_slice() {
        [] => Marking::Places(BOUNDARIES_MAX),
        all if all.iter().all(|one| *one == Marks::default()) => Marking::Nothing,
        all if all.iter().all(|one| *one == Marks { tail: one.tail, ..Marks::default() }) => {
            Marking::Conversation
        }
        all if all.iter().all(whole) => Marking::Whole,
        _ => Marking::Places(BOUNDARIES_MAX),
    };
    (marking, offered)
}

/// The usual sizes, with what is known better from this loop: the agent's own text, the rules around the first prompt's
/// documents, and its answers.
fn assumed(
    usual: Assumed,
    sent: &[&Dispatch],
    billed: &Usage,
    (upstream, artifact): (u64, u64),
    ratios: &Ratios,
) -> Assumed {
    let answers = sent.len() as u64;
    let answer = billed.output.checked_div(answers).unwrap_or(usual.answer);
    let Some(first) = sent.first() else { return usual };
    let documents = match (first.choice.strategy, usual.reviewer) {
        (Strategy::Inline, _) => upstream + artifact,
        (_, Reviewer::Domain) => artifact,
        (_, Reviewer::Phase) => 0,
    };
    let rubric = ratios.tokens(first.prompt_chars.saturating_sub(documents), Content::Markdown);
    let system = first.prediction().map_or(usual.system, |one| one.overhead);
    Assumed { system, rubric, answer, ..usual }
}

/// Whether a replay is close enough to the bill that its differences mean something: at least half of it, at most
/// twice.
fn is_near(replayed: &Usage, billed: &Usage, free: bool) -> bool {
    let amount = |usage: &Usage| if free { not_cached(usage) } else { usage.cost.0 };
    let (replayed, billed) = (amount(replayed), amount(billed));
    replayed <= billed.saturating_mul(2) && billed <= replayed.saturating_mul(2)
}

/// The dispatches that were replayed: the answered reviews and validations, and what failed on the way to them.
fn of_loop<'a>(one: &RecordedPass, costs: &'a Costs) -> Vec<&'a Dispatch> {
    let of_loop = |dispatch: &&Dispatch| {
        let ticket = &dispatch.ticket;
        let name = format!("{}/{}.{}/{}", ticket.scope, ticket.phase, ticket.pass, ticket.role);
        matches!(ticket.purpose, Purpose::Review | Purpose::Validate) && name == one.name
    };
    costs.dispatches().filter(of_loop).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::usage::Usd;

    #[test]
    fn a_replay_far_from_the_bill_compares_nothing() {
        let cost = |micro: u64| Usage { cost: Usd(micro), uncached: micro, ..Usage::default() };
        for (replayed, billed, near) in
            [(10, 10, true), (20, 10, true), (5, 10, true), (21, 10, false), (4, 10, false), (1, 0, false)]
        {
            assert_eq!(is_near(&cost(replayed), &cost(billed), false), near, "{replayed} {billed}");
            assert_eq!(is_near(&cost(replayed), &cost(billed), true), near, "{replayed} {billed}");
        }
    }
}
