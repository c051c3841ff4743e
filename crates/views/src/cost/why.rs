//! `redraft cost --why TICKET`: explains one choice in plain words, with the numbers, and what came of it.

use super::json;
use super::text::{estimate, in_money, ratio};
use redraft_adapters::sqlite::Ledger;
use redraft_core::bills::Bill;
use redraft_cost::cost::CERTAIN;
use redraft_engine::ports::Store;
use redraft_facts::choice::{Cached, CachedPrefix as Kept, Marks, Policy, Prediction, Strategy};
use redraft_facts::ticket::{Scope, Ticket};
use redraft_facts::usage::{Usage, Usd, grouped};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::ticket_in;
use redraft_reports::projections::costs::{Accuracy, Costs, Dispatch};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct WhyJson<'a> {
    v: u16,
    dispatch: Value,
    policy: &'a str,
    why: &'a str,
    /// What the cache was expected to hold when it was sent; none where that is unknown.
    cache: Option<Cached>,
    predicted_to_billed: Option<Value>,
    text: &'a str,
}

pub(super) fn why(
    word: &str,
    feature: Option<&str>,
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let ticket = match (word.parse::<Ticket>(), feature) {
        (Ok(ticket), None) => ticket,
        _ => ticket_in(&repo.resolve_scope(ledger, feature, process)?, word)?,
    };
    let (scope, first) = match &ticket.scope {
        Scope::Feature(id) => {
            repo.feature(ledger, Some(&id.to_string()))?;
            (&ticket.scope, format!("redraft run {id}"))
        }
        Scope::Review(_) => (&ticket.scope, "redraft review FILE".to_owned()),
        Scope::Agent(_) | Scope::Repo => {
            let error = CliError::usage(format!("{ticket} is not a dispatch of a feature"));
            return Err(error.hint("`redraft log` shows what probes cost"));
        }
    };
    let costs = super::costs_of(scope, &ledger.read(scope.clone())?, repo);
    let Some(dispatch) = costs.dispatch(&ticket) else {
        let sent: Vec<String> = costs.dispatches().map(|one| one.ticket.to_string()).collect();
        let error = CliError::usage(format!("{ticket} was not sent"));
        return Err(match sent.as_slice() {
            [] => error.hint(format!("nothing has been sent yet: {first}")),
            sent => error.hint(format!("sent so far: {}", sent.join(" "))),
        });
    };
    let accuracy = super::accuracies(ledger)?.for_agent(&dispatch.agent);
    let told = Told { dispatch, policy: policy(&costs, &ticket), cache: cache(&costs, dispatch), accuracy };
    let text = told.text();
    let shown = WhyJson {
        v: 1,
        dispatch: json::dispatch(dispatch),
        policy: told.policy.map_or("", Policy::name),
        why: &dispatch.choice.why,
        cache: told.cache,
        predicted_to_billed: accuracy.as_ref().map(json::accuracy),
        text: &text,
    };
    console.show(&text, &shown);
    Ok(ErrorCode::Done)
}

fn policy(costs: &Costs, ticket: &Ticket) -> Option<Policy> {
    let found = costs.phases.iter().find(|one| one.phase == ticket.phase && one.pass == ticket.pass);
    found.map(|phase| phase.policy)
}

/// What the role's last answered dispatch with the same agent had left, after the time that had passed.
fn cache(costs: &Costs, dispatch: &Dispatch) -> Option<Cached> {
    let since_s = dispatch.prediction()?.since_s?;
    let before = costs.dispatches().take_while(|one| one.ticket != dispatch.ticket);
    let same = |one: &&Dispatch| {
        let (a, b) = (&one.ticket, &dispatch.ticket);
        a.phase == b.phase && a.pass == b.pass && a.role == b.role && one.agent == dispatch.agent
    };
    let answered = |one: &&Dispatch| !matches!(one.end, "failed" | "lost" | "under way" | "interrupted");
    let last = before.filter(same).filter(answered).last()?;
    Some(last.prediction()?.leaves.after(since_s))
}

struct Told<'a> {
    dispatch: &'a Dispatch,
    policy: Option<Policy>,
    cache: Option<Cached>,
    accuracy: Option<Accuracy>,
}

impl Told<'_> {
    fn text(&self) -> String {
        let Dispatch { ticket, agent, choice, prompt_chars, .. } = self.dispatch;
        let (strategy, policy) = (choice.strategy, self.policy.map_or("unknown", Policy::name));
        let what = match strategy {
            Strategy::Inline => "a fresh conversation with the upstream files in the prompt",
            Strategy::Lazy => "a fresh conversation, told which files to read",
            Strategy::Digest => "a fresh conversation, shown what changed and the sections around it",
            Strategy::Resume => "the same conversation, with only what changed",
        };
        let chars = grouped(*prompt_chars);
        let mut out = format!(
            "{ticket} was sent to {agent} as {}: {what}, {chars} characters.\n\nWhy (policy {policy}): {}\n",
            strategy.name(),
            choice.why
        );
        match &choice.prediction {
            Some(prediction) => {
                out.push_str(&format!("\nKnown then:\n{}", self.known(prediction)));
                out.push_str(&format!("\nExpected then (estimates):\n{}", expected(strategy, prediction)));
            }
            None => out.push_str("\nNot predicted: no expected cost was stored.\n"),
        }
        out.push_str(&format!("\nWhat came of it: {}\n", self.came()));
        if let Some(accuracy) = &self.accuracy {
            out.push_str(&format!("{}\n", ratio(agent, accuracy)));
        }
        out
    }

    fn known(&self, prediction: &Prediction) -> String {
        let role = &self.dispatch.ticket.role;
        let hit = u64::from(prediction.hit_rate) * 100 / u64::from(CERTAIN);
        let since = match prediction.since_s {
            Some(seconds) => format!("the last request of {role} began {} earlier", time(seconds)),
            None => format!("no earlier request of {role} in this loop left anything in the cache"),
        };
        let lines = [
            format!("the prices of card {}", prediction.card),
            since,
            cached(self.cache.as_ref()),
            format!("{hit} % of this agent's prompts that could be in the cache were found there"),
            format!("tools and system text of its own: about {} tokens", grouped(prediction.overhead)),
            asked(&prediction.marks),
        ];
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }

    fn came(&self) -> String {
        let Dispatch { end, bill, reserved, .. } = self.dispatch;
        let billed = match bill {
            Bill::UnderWay => return (*end).to_owned(),
            Bill::Unknown { counted } => {
                return format!(
                    "{end}; the bill is unknown, {reserved} was reserved and the budget counts {counted}"
                );
            }
            Bill::Known(usage) => usage,
        };
        let mut text = format!("{end}; billed {} for {}", billed.cost, tokens(billed));
        if let Some(prediction) = &self.dispatch.choice.prediction {
            let money = in_money(prediction);
            let amount = |usage: &Usage| {
                if money { usage.cost.0 } else { usage.uncached.saturating_add(usage.written) }
            };
            let (expected, real) = (amount(&prediction.usage), amount(billed));
            if let Some(percent) = (expected * 100).checked_div(real) {
                let what = if money { "the bill" } else { "the tokens that were not read from the cache" };
                text.push_str(&format!("; the prediction was {} % of {what}", grouped(percent)));
            }
        }
        text
    }
}

/// The chosen way first, then the others that were possible.
fn expected(strategy: Strategy, prediction: &Prediction) -> String {
    let money = in_money(prediction);
    let told = |strategy: Strategy, usage: &Usage, later: Usd| {
        let amount = estimate(usage, money);
        let unit = if money { "" } else { " tokens not read from the cache" };
        let later =
            if money { format!(", then ~{later} in the rounds expected after it") } else { String::new() };
        format!("  {}: {amount}{unit} now ({}){later}", strategy.name(), tokens(usage))
    };
    let mut out = told(strategy, &prediction.usage, prediction.later);
    out.push_str(", chosen\n");
    for other in &prediction.alternatives {
        out.push_str(&told(other.strategy, &other.usage, other.later));
        if money {
            let (mine, theirs) = (prediction.total(), other.total());
            out.push_str(&match mine <= theirs {
                true => format!(", ~{} more in total", Usd(theirs.0 - mine.0)),
                false => {
                    format!(", ~{} less in total, but not chosen by this policy", Usd(mine.0 - theirs.0))
                }
            });
        }
        out.push('\n');
    }
    if prediction.alternatives.is_empty() {
        out.push_str("  nothing else was possible\n");
    }
    out
}

fn tokens(usage: &Usage) -> String {
    let [uncached, written, read, output] =
        [usage.uncached, usage.written, usage.read, usage.output].map(grouped);
    format!("{uncached} tokens uncached, {written} written, {read} read, {output} out")
}

fn cached(cache: Option<&Cached>) -> String {
    let Some(cache) = cache else { return "nothing was known to be in the cache".to_owned() };
    let kept = |what: &str, entry: Option<Kept>| {
        entry.map(|one| format!("{} tokens {what} for another {}", grouped(one.tokens), time(one.left_s)))
    };
    let conversation = cache.conversation;
    let parts = [
        kept("of tools and system text", cache.system),
        kept("of what stays the same in every round", cache.stable),
        kept("of the conversation", conversation.and_then(|one| one.tail)),
        kept("of its beginning", conversation.and_then(|one| one.earlier)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let long = conversation.map_or(0, |one| one.tokens);
    let long =
        if long > 0 { format!(" (the conversation had {} tokens)", grouped(long)) } else { String::new() };
    match parts.as_slice() {
        [] => format!("nothing was left in the cache{long}"),
        parts => format!("left in the cache: {}{long}", parts.join(", ")),
    }
}

fn asked(marks: &Marks) -> String {
    let parts = [
        ("tools and system text", marks.system),
        ("what stays the same in every round", marks.stable),
        ("the rest", marks.tail),
    ];
    let parts: Vec<String> =
        parts.iter().filter_map(|(what, mark)| Some(format!("{what} for {}", (*mark)?))).collect();
    match parts.as_slice() {
        [] => "nothing was asked to be kept in the cache".to_owned(),
        parts => format!("asked to be kept in the cache: {}", parts.join(", ")),
    }
}

/// `45 s`, `4 min 5 s`, `1 h 2 min`.
fn time(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
