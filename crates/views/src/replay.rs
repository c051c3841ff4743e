//! `redraft replay`: costs recorded loops again under every policy.

pub mod ledger;
mod read;
mod report;

use redraft_cost::cost::replay::{
    AskedLifetime, Assumed, Knowledge, Measured, RecordedLoop, ReplayMode, ReplayOutcome, Reviewer, play,
};
use redraft_cost::cost::{Amount, CERTAIN, Pace, Terms, lifetimes};
use redraft_cost::price::{Card, Cards};
use redraft_documents::tokens::{Family, Ratios};
use redraft_facts::choice::Lifetime;
use redraft_frame::args::{KnowledgeCommand as KnowledgeArg, ReplayArgs, ReplayRole};
use redraft_frame::console::Console;
use redraft_frame::errors::{CliError, ErrorCode};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::trust;
use report::Object;

/// The model whose prices hold when none is named.
const MODEL: &str = "claude-opus-5.5";
/// Further faults are counted and not reported one by one.
const NOTES_MAX: usize = 1_000;

/// The sums for one card.
struct CardSum {
    model: String,
    ttl: Lifetime,
    terms: Terms,
    ratios: Ratios,
    outcomes: Vec<(ReplayMode, ReplayOutcome)>,
    /// Only where they are shown.
    loops: Vec<LoopSum>,
}

struct LoopSum {
    name: String,
    artifact: String,
    reviews: usize,
    /// In the order of the outcomes.
    inputs: Vec<Amount>,
    not_cached: Vec<u64>,
    seed_trips: u64,
    guarded_trips: u64,
}

pub fn replay(args: ReplayArgs, process: &ProcessContext, console: &Console) -> Result<ErrorCode, CliError> {
    if args.files.is_empty() && args.ledger.is_none() {
        let error = CliError::usage("no file of recorded loops was named");
        return Err(error.hint("name a file, or use the loops of this repository: redraft replay --ledger"));
    }
    let mut notes = Notes::default();
    let mut cards = cards(&args, process, &mut notes)?;
    let assumed = assumed(&args);
    let (mut loops, mut reviews) = (0, 0);
    let mut take = |measured: &Measured, whose: Reviewer, pace: &Pace, asked: AskedLifetime| {
        loops += 1;
        reviews += measured.reviews();
        let reviewer = args.role.map_or(whose, reviewer);
        for card in &mut cards {
            card.add(measured, &Assumed { reviewer, asked, ..assumed }, pace, console.json);
        }
    };
    // A file need not be from one repository, nor in the order of time; only with the flag that says so do loops teach
    // later ones.
    let mut pace = Pace::default();
    for file in &args.files {
        let path = process.folder.join(file);
        let faults = &mut |fault| notes.add(fault);
        let mut take = |recorded: RecordedLoop| {
            let measured = recorded.measured();
            take(&measured, Reviewer::Domain, &pace, AskedLifetime::Longest);
            if args.learn {
                measured.teach_pace(&mut pace);
            }
        };
        read::read(&path, &mut take, faults).map_err(|error| {
            CliError::usage(format!("{} cannot be read: {error}", path.display()))
                .hint("name a file of recorded loops, one JSON object per line, plain or .gz")
        })?;
    }
    if let Some(feature) = &args.ledger {
        let mut take = |measured: &Measured, whose: Reviewer, pace: &Pace| {
            take(measured, whose, pace, AskedLifetime::Usual)
        };
        ledger::read(process, feature.as_deref(), &mut take, &mut |fault| notes.add(fault))?;
    }
    if loops == 0 {
        notes.add("no loop was found, so there is nothing to replay: every total is 0".to_owned());
    }
    if cards.iter().any(|card| card.terms.is_free()) {
        notes.add(
            "if nothing costs money, compare `not_cached`, the tokens not read from the cache".to_owned(),
        );
    }
    let notes = notes.told();
    if console.json {
        let mut objects: Vec<_> = cards.iter().map(report::object).collect();
        console.object(&match objects.pop() {
            Some(card) if args.prices.len() <= 1 => Object::One { v: 1, card, notes },
            last => Object::Several { v: 1, cards: objects.into_iter().chain(last).collect(), notes },
        });
    } else {
        let texts: Vec<String> = cards.iter().map(|card| report::text(card, reviews, loops)).collect();
        if loops > 0 {
            console.data(texts.join("\n").trim_end());
        }
        for note in notes {
            console.say(&note);
        }
    }
    Ok(if loops == 0 { ErrorCode::NotApproved } else { ErrorCode::Done })
}

/// The price cards: the built-in ones, and inside a repository those of its redraft.toml before them.
fn known(process: &ProcessContext, notes: &mut Notes) -> Cards {
    let Ok(repo) = process.repository() else { return Cards::builtin() };
    match repo.config(process) {
        Ok(config) => {
            trust::unused_prices(&config).into_iter().for_each(|unused| notes.add(unused));
            config.cards()
        }
        Err(error) => {
            notes.add(format!("the built-in prices are used, because {}", error.message));
            Cards::builtin()
        }
    }
}

/// The cards to replay with. Among several, a card that does not sell the requested lifetime is left out.
fn cards(args: &ReplayArgs, process: &ProcessContext, notes: &mut Notes) -> Result<Vec<CardSum>, CliError> {
    let (builtin, known) = (Cards::builtin(), known(process, notes));
    let models = if args.prices.is_empty() { vec![MODEL.to_owned()] } else { args.prices.clone() };
    let wanted = args.ttl.as_deref().map(str::parse::<Lifetime>).transpose();
    let wanted = wanted.map_err(|error| CliError::usage(error.to_string()))?;
    let mut sums = Vec::new();
    let mut left_out = Vec::new();
    for model in &models {
        let card = known.find(model).map_err(|error| CliError::usage(error.to_string()))?;
        if builtin.find(model) != Ok(card) {
            notes.add(format!("{model}: the prices come from redraft.toml"));
        }
        match lifetime(card, wanted) {
            Ok(ttl) => sums.push(CardSum::new(model, card, ttl, args.hit_rate)),
            Err(sold) => {
                left_out.push(format!("{model} has no cache lifetime of {}, only {sold}", sold_as(wanted)))
            }
        }
    }
    if sums.is_empty() {
        let error = CliError::usage(left_out.join("; "));
        return Err(error.hint("name one of these with --ttl, or leave --ttl out for the longest"));
    }
    left_out.into_iter().for_each(|note| notes.add(format!("{note}; left out")));
    Ok(sums)
}

/// The requested lifetime, or the longest the card sells; the error says what it sells.
fn lifetime(card: &Card, wanted: Option<Lifetime>) -> Result<Lifetime, String> {
    let sold = lifetimes(card);
    let names: Vec<&str> = sold.iter().map(|lifetime| lifetime.name()).collect();
    match wanted {
        Some(wanted) => sold.contains(&wanted).then_some(wanted).ok_or_else(|| names.join(" and ")),
        None => Ok(sold.last().copied().unwrap_or(card.lifetime.is)),
    }
}

fn sold_as(wanted: Option<Lifetime>) -> &'static str {
    wanted.map_or("any time", Lifetime::name)
}

fn assumed(args: &ReplayArgs) -> Assumed {
    let usual = Assumed::default();
    Assumed {
        system: args.overhead_tokens.unwrap_or(usual.system),
        answer: args.output_tokens.unwrap_or(usual.answer),
        knowledge: match args.knowledge {
            KnowledgeArg::Full => Knowledge::Full,
            KnowledgeArg::Scoped => Knowledge::Scoped,
        },
        ..usual
    }
}

fn reviewer(role: ReplayRole) -> Reviewer {
    match role {
        ReplayRole::Domain => Reviewer::Domain,
        ReplayRole::Phase => Reviewer::Phase,
    }
}

impl CardSum {
    fn new(model: &str, card: &Card, ttl: Lifetime, hit_rate: f64) -> CardSum {
        let parts = (hit_rate * f64::from(CERTAIN)).round() as u32;
        CardSum {
            model: model.to_owned(),
            ttl,
            terms: Terms::from_card(card, ttl)
                .with_hit_rate(parts)
                .with_context(card.context_for(model).tokens),
            ratios: Ratios::measured(Family::for_model(model)),
            outcomes: ReplayMode::ALL.map(|policy| (policy, ReplayOutcome::default())).to_vec(),
            loops: Vec::new(),
        }
    }

    fn add(&mut self, measured: &Measured, assumed: &Assumed, pace: &Pace, keep: bool) {
        let mut one = LoopSum {
            name: measured.name.clone(),
            artifact: measured.artifact.clone(),
            reviews: measured.reviews(),
            inputs: Vec::new(),
            not_cached: Vec::new(),
            seed_trips: 0,
            guarded_trips: 0,
        };
        for (policy, sum) in &mut self.outcomes {
            let outcome = play(*policy, measured, &self.terms, &self.ratios, assumed, pace);
            sum.add(&outcome);
            one.inputs.push(outcome.bill.input_amount);
            one.not_cached.push(outcome.bill.uncached + outcome.bill.written.iter().sum::<u64>());
            match policy {
                ReplayMode::Seed => one.seed_trips = outcome.guard_trips,
                ReplayMode::Guarded => one.guarded_trips = outcome.guard_trips,
                _ => {}
            }
        }
        if keep {
            self.loops.push(one);
        }
    }

    fn sum(&self, wanted: ReplayMode) -> ReplayOutcome {
        let found = self.outcomes.iter().find(|(policy, _)| *policy == wanted);
        found.map(|(_, outcome)| outcome.clone()).unwrap_or_default()
    }
}

/// What went wrong, reported in order and never without bound.
#[derive(Default)]
struct Notes {
    told: Vec<String>,
    untold: usize,
}

impl Notes {
    fn add(&mut self, note: String) {
        if self.told.len() < NOTES_MAX { self.told.push(note) } else { self.untold += 1 }
    }

    fn told(mut self) -> Vec<String> {
        if self.untold > 0 {
            self.told.push(format!("and {} more", self.untold));
        }
        self.told
    }
}
