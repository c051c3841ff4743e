//! `redraft models`: lists the models, what they cost, and which of them each agent uses.

use crate::table::{Align, table};
use redraft_agents::config::{AgentConfig, Config, FILE};
use redraft_cost::price::{Card, Cards, ListedModel, PerMillion, PriceBasis, age_in_words};
use redraft_engine::ports::Clock;
use redraft_facts::ids::AgentName;
use redraft_facts::text::{one_line, utc};
use redraft_facts::usage::grouped;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::{agent_registry, trust};
use redraft_roles::profile;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The width of the list, and the length to which names of the user's own are cut for it.
const COLUMNS_MAX: usize = 100;
const NAME_CHARS_MAX: usize = 24;
const NAME_CHARS_MIN: usize = 12;

#[derive(Serialize)]
struct ModelsJson {
    v: u16,
    /// The month in which the built-in prices were read from the vendors' pages.
    read: String,
    /// How long ago that is, in words; null where the clock is behind it.
    age: Option<String>,
    models: Vec<ModelJson>,
    /// The agents of redraft.toml and of the user's own file; outside a repository, of the latter alone.
    agents: Vec<AgentJson>,
}

/// Prices are dollars per million tokens, as text, because they are exact.
#[derive(Serialize)]
struct ModelJson {
    vendor: String,
    model: String,
    aliases: Vec<String>,
    input: String,
    /// Input read from the cache.
    read: String,
    /// Input written to the cache for the default lifetime.
    write: String,
    /// The same by lifetime; empty where writing costs what input costs.
    writes: BTreeMap<&'static str, String>,
    output: String,
    context_tokens: u64,
    context_assumed: bool,
    /// `listed`, `configured` (by redraft.toml) or `unknown` (counted as the most expensive).
    basis: &'static str,
    note: String,
}

#[derive(Serialize)]
struct AgentJson {
    agent: String,
    kind: &'static str,
    model: Option<String>,
    /// The model whose prices hold.
    card: Option<String>,
    /// `known`, `unknown` (counted as the most expensive), `local` (free), `missing` (it cannot be used) or `none` (no
    /// model).
    price: &'static str,
    /// Why it cannot be used, and what to write.
    problem: Option<String>,
}

pub fn models(process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let config = match process.repository() {
        Ok(repo) => repo.config(process)?,
        // Outside of a repository the user's own file applies.
        Err(_) => Config::parse(b"", Path::new(FILE), &profile::roles(), &process.own)?,
    };
    if let Some(unused) = trust::unused_prices(&config) {
        console.say(&unused);
    }
    let cards = config.cards();
    let shown = ModelsJson {
        v: 1,
        read: cards.last_read().to_owned(),
        age: age_in_words(cards.last_read(), &utc(process.clock.now_ms())),
        models: cards.list().iter().map(model).collect(),
        agents: agents(&config, &cards),
    };
    console.show(&text(&shown), &shown);
    Ok(ErrorCode::Done)
}

fn model(listed: &ListedModel<'_>) -> ModelJson {
    let ListedModel { name, aliases, card } = listed;
    let dollars = |price: PerMillion| price.in_dollars();
    ModelJson {
        vendor: card.vendor.clone(),
        model: (*name).to_owned(),
        aliases: aliases.clone(),
        input: dollars(card.prices.input),
        read: dollars(card.prices.read),
        write: dollars(card.prices.write(card.lifetime.is)),
        writes: card
            .prices
            .writes
            .iter()
            .map(|(lifetime, price)| (lifetime.name(), dollars(*price)))
            .collect(),
        output: dollars(card.prices.output),
        context_tokens: card.context.tokens,
        context_assumed: card.context.assumed,
        basis: match card.basis {
            PriceBasis::Listed => "listed",
            PriceBasis::Configured => "configured",
            PriceBasis::Unknown => "unknown",
        },
        note: card.note.clone(),
    }
}

fn agents(config: &Config, cards: &Cards) -> Vec<AgentJson> {
    config.agents.iter().map(|(name, settings)| agent(name, settings, cards)).collect()
}

fn agent(name: &AgentName, settings: &AgentConfig, cards: &Cards) -> AgentJson {
    let (kind, model) = match settings {
        AgentConfig::Rehearsal { .. } => ("rehearsal", None),
        AgentConfig::Pull => ("pull", None),
        AgentConfig::Model(model) => (model.kind.name(), Some(model.as_ref())),
    };
    let found = model.map(|model| agent_registry::card(cards, model));
    let price = match &found {
        None => "none",
        Some(Err(_)) => "missing",
        Some(Ok(card)) if card.basis == PriceBasis::Unknown => "unknown",
        Some(Ok(card)) if card.is_free() => "local",
        Some(Ok(_)) => "known",
    };
    let wanted = model.map(|model| model.price.as_ref().unwrap_or(&model.model));
    let card = |card: &Card| {
        let spelled = wanted.and_then(|wanted| cards.vendors_name(wanted));
        spelled.or_else(|| card.models.first().cloned())
    };
    AgentJson {
        agent: name.to_string(),
        kind,
        model: model.map(|model| model.model.clone()),
        card: found.as_ref().and_then(|found| found.as_ref().ok()).and_then(card),
        price,
        problem: found.and_then(Result::err),
    }
}

/// The list with names as long as there is room for.
fn list(models: &[ModelJson]) -> String {
    use Align::{Left, Right};
    let cut_to = |chars: usize| {
        let head = ["vendor", "model", "or", "input", "read", "write", "output", "context"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for model in models {
            let mark = if model.basis == "listed" { "" } else { "*" };
            rows.push(vec![
                one_line(&model.vendor, NAME_CHARS_MIN),
                format!("{}{mark}", one_line(&model.model, chars)),
                one_line(&model.aliases.join(", "), NAME_CHARS_MAX),
                model.input.clone(),
                model.read.clone(),
                model.write.clone(),
                model.output.clone(),
                grouped(model.context_tokens),
            ]);
        }
        table(&[Left, Left, Left, Right, Right, Right, Right, Right], &rows)
    };
    let fits = |text: &String| text.lines().all(|line| line.chars().count() <= COLUMNS_MAX);
    let widest = (NAME_CHARS_MIN..=NAME_CHARS_MAX).rev().map(cut_to).find(fits);
    widest.unwrap_or_else(|| cut_to(NAME_CHARS_MIN))
}

fn text(shown: &ModelsJson) -> String {
    let mut text = list(&shown.models);
    text.push_str("\ndollars per million tokens: input, read from the cache, written to the cache, output\n");
    text.push_str("context: how many tokens the model can hold, 200,000 if its vendor gives no number\n");
    let age = shown.age.as_ref().map(|age| format!(", {age}")).unwrap_or_default();
    text.push_str(&format!("prices read in {}{age}\n", shown.read));
    if shown.models.iter().any(|model| model.basis != "listed") {
        text.push_str("* from [prices] in redraft.toml\n");
    }
    for (note, models) in notes(shown) {
        text.push_str(&format!("{}:\n  {note}\n", models.join(", ")));
    }
    if !shown.agents.is_empty() {
        let mut rows = vec![["agent", "kind", "model", "price"].map(str::to_owned).to_vec()];
        rows.extend(shown.agents.iter().map(row));
        text.push_str(&format!("\n{}", table(&[Align::Left; 4], &rows)));
    }
    for agent in &shown.agents {
        if let Some(problem) = &agent.problem {
            text.push_str(&format!("\n[agents.{}] {problem}\n", agent.agent));
        }
    }
    text.trim_end().to_owned()
}

fn row(agent: &AgentJson) -> Vec<String> {
    let model = agent.model.as_deref().unwrap_or("no model");
    let card = agent.card.as_deref().unwrap_or_default();
    let price = match agent.price {
        "known" if Some(card) == agent.model.as_deref() => "known".to_owned(),
        "known" => format!("known, the price of {}", one_line(card, NAME_CHARS_MAX)),
        "unknown" => "unknown, counted as the most expensive".to_owned(),
        "local" => "local, costs nothing".to_owned(),
        "missing" => "no price card, see below".to_owned(),
        _ => String::new(),
    };
    vec![
        one_line(&agent.agent, NAME_CHARS_MAX),
        agent.kind.to_owned(),
        one_line(model, NAME_CHARS_MAX),
        price,
    ]
}

/// The notes about prices, each once for all models it holds for.
fn notes(shown: &ModelsJson) -> BTreeMap<&str, Vec<&str>> {
    let mut notes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for model in shown.models.iter().filter(|model| !model.note.is_empty()) {
        notes.entry(&model.note).or_default().push(&model.model);
    }
    notes
}
