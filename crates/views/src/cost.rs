//! `redraft cost`: shows what features cost, by phase, role and round, next to what they were expected to cost.
//!
//! `reports::projections::costs` makes the sums; here they are gathered with prices and replays and handed to the
//! modules that show them: `text` and `json`, `why` for one dispatch, `svg` for a drawing. Nothing here spends or
//! decides anything.

mod json;
mod prices;
mod savings;
mod svg;
mod text;
mod why;

use crate::board::Board;
use prices::{Price, Prices};
use redraft_adapters::lock::Holder;
use redraft_adapters::sqlite::Ledger;
use redraft_core::attribution::RoleAttribution;
use redraft_core::pipeline::Pipeline;
use redraft_engine::ports::Store;
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::AgentName;
use redraft_facts::probed::MetAgent;
use redraft_facts::ticket::Scope;
use redraft_frame::args::CostArgs;
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::scope_of;
use redraft_frame::rows::{reviews, rows};
use redraft_frame::{monitor, whole_file};
use redraft_reports::projections::costs::{Accuracies, Accuracy, Costs, RoleRules, costs, rules};
use redraft_reports::projections::{self, BoardRow, Receipt, Warning, deferred_reason, not_resumed, receipt};
use savings::Loop;

/// Everything that is shown of one feature, or of the review of a document.
struct Feature {
    scope: Scope,
    document: Option<String>,
    status: RowStatus,
    costs: Costs,
    receipt: Receipt,
    agents: Vec<Billed>,
    rules: Vec<RoleRules>,
    loops: Vec<Loop>,
    /// Why conversations are not continued, as in `.meta.json`.
    deferred: Option<String>,
    warnings: Vec<Warning>,
    /// What could not be shown, and why.
    notes: Vec<String>,
    /// Who gave the verdicts that stand.
    judged_by: Vec<RoleAttribution>,
    rehearsed: bool,
}

/// An agent, what it is billed by, and how well that was predicted.
struct Billed {
    name: AgentName,
    price: Price,
    accuracy: Option<Accuracy>,
}

pub fn cost(args: CostArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    let repo = process.repository()?;
    let Some(ledger) = repo.reader()? else {
        repo.refuse_lost_ledger()?;
        return Err(nothing_yet());
    };
    if let Some(word) = &args.why {
        return why::why(word, args.feature.as_deref(), &repo, &ledger, process, console);
    }
    let features = repo.features(&ledger)?;
    let mut known: Vec<Scope> = features.iter().copied().map(Scope::Feature).collect();
    known.extend(reviews(&ledger)?.iter().map(scope_of));
    let meant = match (&args.feature, known.as_slice()) {
        (Some(word), _) => Some(repo.resolve_scope(&ledger, Some(word), process)?),
        (None, []) => return Err(nothing_yet()),
        (None, [only]) => Some(only.clone()),
        (None, _) => repo.feature_here(&features).map(Scope::Feature),
    };
    match meant {
        Some(scope) => one(scope, &args, process, &repo, &ledger, console),
        None if args.svg.is_some() => {
            let names: Vec<String> = known.iter().map(Scope::to_string).collect();
            let error = CliError::usage("a drawing shows one feature");
            Err(error.hint(format!("name one of {}", names.join(", "))))
        }
        None => all(&known, &repo, &ledger, process, console),
    }
}

/// The corrections of a feature, a line each.
fn corrections(entries: &[Entry]) -> impl Iterator<Item = String> + '_ {
    let corrected = |entry: &&Entry| matches!(entry.event, Event::CostCorrected(_));
    entries.iter().filter(corrected).map(|entry| projections::line(&entry.event))
}

/// The state of a feature or a review as its row has it; people read it in the words of `status`.
#[derive(Default)]
struct RowStatus {
    name: String,
    words: String,
}

impl RowStatus {
    fn new(row: Option<&BoardRow>) -> RowStatus {
        row.map_or_else(RowStatus::default, |row| RowStatus {
            name: row.status.clone(),
            words: row.standing_in_words(),
        })
    }

    fn in_words(&self) -> &str {
        &self.words
    }

    /// The same without its details, for a column.
    fn in_short(&self) -> &str {
        self.words.split_once(": ").map_or(&self.words, |(first, _)| first)
    }
}

fn nothing_yet() -> CliError {
    CliError::usage("there is no feature here yet").hint("begin one: redraft new \"your idea\"")
}

fn one(
    scope: Scope,
    args: &CostArgs,
    process: &ProcessContext,
    repo: &RepositoryContext,
    ledger: &Ledger,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let entries = ledger.read(scope.clone())?;
    let costs = costs_of(&scope, &entries, repo);
    let prices = Prices::load(repo, process);
    let accuracies = accuracies(ledger)?;
    let rows = rows(ledger)?;
    let board = Board::new(repo, rows.clone(), reviews(ledger)?, process);
    let row = board.rows().find(|row| scope_of(row) == scope);
    let billed = |name: &AgentName| Billed {
        name: name.clone(),
        price: prices.price(name),
        accuracy: accuracies.for_agent(name),
    };
    let off = not_resumed(&entries);
    let told = |met: &&MetAgent| format!("{}: conversations are not continued: {}", met.agent, met.reason());
    let notes = prices.note().into_iter().chain(prices.unused()).chain(repo.cleaned_notice(&scope));
    let state =
        Pipeline::replay(&entries).map_err(|error| CliError::new(ErrorCode::Config, error.to_string()))?;
    let feature = Feature {
        judged_by: state.judged_by(),
        rehearsed: state.is_rehearsed(),
        document: row.and_then(|row| row.subject()),
        status: RowStatus::new(row),
        agents: costs.agents().into_iter().map(billed).collect(),
        rules: rules(costs.dispatches()),
        loops: savings::loops(&scope, &entries, &costs, &prices, repo, ledger)?,
        warnings: monitor::watch(repo, &rows, process),
        notes: notes.chain(off.iter().map(told)).chain(corrections(&entries)).collect(),
        deferred: deferred_reason(off),
        receipt: receipt(&entries),
        costs,
        scope,
    };
    if let Some(file) = &args.svg {
        let path = process.folder.join(file);
        whole_file::write(&path, &svg::draw(&feature), args.force, &svg::OWN)?;
        console.say(&format!("wrote {}", redraft_facts::harmless::name(&path.to_string_lossy())));
    }
    let command = process.next(&format!("redraft cost {} --all", feature.scope));
    console.show(&text::feature(&feature, args.all, &command), &json::feature(&feature));
    monitor::say(&feature.warnings, console);
    Ok(ErrorCode::Done)
}

/// The costs of a feature. What was started and not ended is under way only while a process works on the feature.
fn costs_of(scope: &Scope, entries: &[Entry], repo: &RepositoryContext) -> Costs {
    let mut costs = costs(entries);
    if Holder::at_work(&repo.state, &scope.to_string()).is_none() {
        costs.interrupted();
    }
    costs
}

/// How predictions compare with bills, over the whole ledger.
fn accuracies(ledger: &Ledger) -> Result<Accuracies, CliError> {
    let mut accuracies = Accuracies::default();
    ledger.each_of(&Accuracies::KINDS, &mut |_, entry| accuracies.take(&entry.event))?;
    Ok(accuracies)
}

/// A line for each feature and each review, and their sum.
fn all(
    known: &[Scope],
    repo: &RepositoryContext,
    ledger: &Ledger,
    process: &ProcessContext,
    console: &Console,
) -> Result<ErrorCode, CliError> {
    let rows = rows(ledger)?;
    let mut features = Vec::new();
    let board = Board::new(repo, rows.clone(), reviews(ledger)?, process);
    for scope in known {
        let costs = costs_of(scope, &ledger.read(scope.clone())?, repo);
        let row = board.rows().find(|row| scope_of(row) == *scope);
        let rehearsed = row.is_some_and(|row| row.rehearsed);
        features.push((scope.clone(), RowStatus::new(row), costs, rehearsed));
    }
    let warnings = monitor::watch(repo, &rows, process);
    console.show(&text::features(&features), &json::features(&features, &warnings));
    monitor::say(&warnings, console);
    Ok(ErrorCode::Done)
}
