//! Plays a recorded review loop again under different policies.
//!
//! Start at [`play`]; [`RecordedLoop::measured`] turns texts into sizes. A loop is one role's reviews: version `i` is
//! reviewed at time `i`, with the same upstream artifacts in every round. Where loops come from is the caller's
//! business.

use super::bound::bound;
use super::decide::{Ahead, DecisionFacts, decide};
use super::hindsight::{Coming, hindsight};
use super::pace::Pace;
use super::plan::{ExpectedRounds, PlanFacts};
use super::recorded::MeasuredRound;
pub use super::recorded::{Measured, RecordedLoop, RecordedPass, Review, Reviewer, reviewed};
use super::send::{Exploring, ReviewBill, Round, Sent, Sizes, Way, send};
use super::terms::Terms;
use redraft_documents::tokens::Ratios;
pub use redraft_facts::choice::Knowledge;
use redraft_facts::choice::{Cached, Content, Marks, Strategy};
use redraft_facts::prelude::*;

/// What is assumed for every loop, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assumed {
    /// Tools and system text.
    pub system: u64,
    pub rubric: u64,
    pub findings: u64,
    pub answer: u64,
    pub per_call: u64,
    pub reviewer: Reviewer,
    pub knowledge: Knowledge,
    pub asked: AskedLifetime,
}

/// The lifetimes asked for by policies that do not weigh them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedLifetime {
    /// Everything they write, for the longest lifetime.
    Longest,
    /// What a run asks for under them ([`Terms::usual`]).
    Usual,
}

impl Default for Assumed {
    fn default() -> Self {
        Assumed {
            system: 3_500,
            rubric: 450,
            findings: 250,
            answer: 1_500,
            per_call: 120,
            reviewer: Reviewer::Domain,
            knowledge: Knowledge::Full,
            asked: AskedLifetime::Longest,
        }
    }
}

/// How a loop is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplayMode {
    Inject,
    Inline,
    Lazy,
    Seed,
    Guarded,
    Resume,
    Digest,
    Cost,
    Hindsight,
    Bound,
}

impl ReplayMode {
    pub const ALL: [ReplayMode; 10] = [
        ReplayMode::Inject,
        ReplayMode::Inline,
        ReplayMode::Lazy,
        ReplayMode::Seed,
        ReplayMode::Guarded,
        ReplayMode::Resume,
        ReplayMode::Digest,
        ReplayMode::Cost,
        ReplayMode::Hindsight,
        ReplayMode::Bound,
    ];

    pub fn name(self) -> &'static str {
        match self {
            ReplayMode::Inject => "inject",
            ReplayMode::Inline => "inline",
            ReplayMode::Lazy => "lazy",
            ReplayMode::Seed => "seed",
            ReplayMode::Guarded => "guarded",
            ReplayMode::Resume => "resume",
            ReplayMode::Digest => "digest",
            ReplayMode::Cost => "cost",
            ReplayMode::Hindsight => "hindsight",
            ReplayMode::Bound => "bound",
        }
    }
}

/// The cost of a loop, or of several, under one policy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplayOutcome {
    pub bill: ReviewBill,
    /// How often each strategy was used.
    pub strategies: BTreeMap<&'static str, u64>,
    /// Re-reviews that a rule about the size of the delta sent to a fresh conversation.
    pub guard_trips: u64,
    /// Reviews that no way of the policy could fit into the model's context.
    pub too_large: u64,
}

impl ReplayOutcome {
    pub fn add(&mut self, other: &ReplayOutcome) {
        self.bill.add(&other.bill);
        for (strategy, count) in &other.strategies {
            *self.strategies.entry(strategy).or_default() += count;
        }
        self.guard_trips += other.guard_trips;
        self.too_large += other.too_large;
    }

    fn sent(&mut self, strategy: &'static str, sent: &Sent) {
        self.bill.add(&sent.bill);
        *self.strategies.entry(strategy).or_default() += 1;
        self.too_large += u64::from(!sent.fits);
    }
}

impl Measured {
    pub fn reviews(&self) -> usize {
        self.rounds.len()
    }

    fn sizes(&self, ratios: &Ratios, assumed: &Assumed) -> Sizes {
        Sizes {
            system: assumed.system,
            rubric: assumed.rubric,
            upstream: self.upstream.iter().map(|chars| ratios.tokens(*chars, Content::Markdown)).sum(),
            files: u32::try_from(self.upstream.len()).unwrap_or(u32::MAX),
            findings: assumed.findings,
            guidance: 0,
            answer: assumed.answer,
            per_call: assumed.per_call,
            artifact_by_path: assumed.reviewer == Reviewer::Phase,
            exploring: Exploring::default(),
        }
    }

    fn rounds(&self, ratios: &Ratios) -> Vec<Coming> {
        let round = |one: &MeasuredRound| Round {
            artifact: ratios.tokens(one.artifact, Content::Markdown),
            delta: ratios.tokens(one.delta, Content::Diff),
            touched: ratios.tokens(one.touched, Content::Markdown),
        };
        self.rounds.iter().map(|one| Coming { gap_s: one.gap_s, round: round(one) }).collect()
    }
}

/// Plays a loop under a policy, with what was known at each moment, except where the policy is to know the end. `pace`
/// is what earlier loops had shown by then.
pub fn play(
    policy: ReplayMode,
    measured: &Measured,
    terms: &Terms,
    ratios: &Ratios,
    assumed: &Assumed,
    pace: &Pace,
) -> ReplayOutcome {
    let loop_ = Loop::new(measured, terms, ratios, assumed);
    match policy {
        ReplayMode::Inject => loop_.fixed(|_, _| (Strategy::Inline, false), true),
        ReplayMode::Inline => loop_.fixed(|_, _| (Strategy::Inline, false), false),
        ReplayMode::Lazy => loop_.fixed(|_, _| (Strategy::Lazy, false), false),
        ReplayMode::Resume => {
            loop_.fixed(|at, _| (if at == 0 { Strategy::Lazy } else { Strategy::Resume }, false), false)
        }
        ReplayMode::Digest => {
            loop_.fixed(|at, _| (if at == 0 { Strategy::Lazy } else { Strategy::Digest }, false), false)
        }
        ReplayMode::Seed => loop_.fixed(|at, first| loop_.guard(at, loop_.first_chars(first)), false),
        ReplayMode::Guarded => loop_.fixed(|at, first| loop_.guard(at, loop_.context_chars(first)), false),
        ReplayMode::Cost => loop_.cost(pace),
        ReplayMode::Hindsight => loop_.hindsight(),
        ReplayMode::Bound => {
            ReplayOutcome { bill: bound(terms, &loop_.sizes, &loop_.rounds), ..ReplayOutcome::default() }
        }
    }
}

/// Plays a loop as it was sent: each review by the strategy and with the marks it really had. None where that cannot
/// be played, because a conversation was continued that this loop did not begin.
pub fn as_sent(
    reviews: &[Review],
    measured: &Measured,
    terms: &Terms,
    ratios: &Ratios,
    assumed: &Assumed,
) -> Option<ReplayOutcome> {
    let loop_ = Loop::new(measured, terms, ratios, assumed);
    let mut outcome = ReplayOutcome::default();
    let mut cached = Cached::default();
    for (coming, Review { strategy, marks, .. }) in loop_.rounds.iter().zip(reviews) {
        let now = cached.after(coming.gap_s);
        let marks = marks.unwrap_or_else(|| terms.usual(*strategy, &now));
        let way = Way { strategy: *strategy, marks };
        let sent = send(terms, &loop_.sizes, &now, &coming.round, way)?;
        outcome.sent(strategy.name(), &sent);
        cached = sent.cached;
    }
    Some(outcome)
}

struct Loop<'a> {
    measured: &'a Measured,
    terms: &'a Terms,
    ratios: &'a Ratios,
    assumed: &'a Assumed,
    sizes: Sizes,
    rounds: Vec<Coming>,
}

const FIRST: [Strategy; 2] = [Strategy::Inline, Strategy::Lazy];
const FULL: [Strategy; 3] = [Strategy::Inline, Strategy::Lazy, Strategy::Resume];

impl<'a> Loop<'a> {
    fn new(measured: &'a Measured, terms: &'a Terms, ratios: &'a Ratios, assumed: &'a Assumed) -> Loop<'a> {
        let (sizes, rounds) = (measured.sizes(ratios, assumed), measured.rounds(ratios));
        Loop { measured, terms, ratios, assumed, sizes, rounds }
    }

    /// Plays a rule that says which strategy comes next, and whether a guard tripped, from the number of the round
    /// and of the one the conversation began in.
    fn fixed(&self, next: impl Fn(usize, usize) -> (Strategy, bool), uncached: bool) -> ReplayOutcome {
        let mut outcome = ReplayOutcome::default();
        let mut cached = Cached::default();
        let mut began = 0;
        for (at, coming) in self.rounds.iter().enumerate() {
            cached = if uncached { Cached::default() } else { cached.after(coming.gap_s) };
            let (strategy, tripped) = next(at, began);
            outcome.guard_trips += u64::from(tripped);
            let way = |strategy| Way {
                strategy,
                marks: if uncached { Marks::default() } else { self.marks(strategy, &cached) },
            };
            let send = |strategy| send(self.terms, &self.sizes, &cached, &coming.round, way(strategy));
            // A conversation that has grown too long cannot be continued by any policy.
            let fresh = || send(Strategy::Lazy).map(|sent| (Strategy::Lazy, sent));
            let sent = send(strategy).filter(|sent| sent.fits || strategy != Strategy::Resume);
            let Some((strategy, sent)) = sent.map(|sent| (strategy, sent)).or_else(fresh) else { continue };
            if strategy != Strategy::Resume {
                began = at;
            }
            outcome.sent(if uncached { ReplayMode::Inject.name() } else { strategy.name() }, &sent);
            cached = sent.cached;
        }
        outcome
    }

    fn marks(&self, strategy: Strategy, cached: &Cached) -> Marks {
        if self.assumed.asked == AskedLifetime::Usual {
            return self.terms.usual(strategy, cached);
        }
        let all = self.terms.lifetimes().last().copied();
        match strategy {
            Strategy::Inline => Marks { system: all, stable: all, tail: None },
            Strategy::Lazy | Strategy::Digest => Marks { system: all, stable: None, tail: all },
            Strategy::Resume => Marks { system: all, stable: None, tail: all },
        }
    }

    /// Resumes while the resumed prompt has at most half the characters of `whole`. A validation continues the
    /// conversation whatever the size.
    fn guard(&self, at: usize, whole: u64) -> (Strategy, bool) {
        if at == 0 {
            return (Strategy::Lazy, false);
        }
        if self.rounds_chars(at).validation {
            return (Strategy::Resume, false);
        }
        let prompt = self.rounds_chars(at).delta + self.text_chars(self.assumed.findings);
        if prompt * 2 > whole { (Strategy::Lazy, true) } else { (Strategy::Resume, false) }
    }

    /// The characters of the first prompt of a conversation that began in this round.
    fn first_chars(&self, began: usize) -> u64 {
        let artifact = match self.assumed.reviewer {
            Reviewer::Domain => self.rounds_chars(began).artifact,
            Reviewer::Phase => 0,
        };
        self.text_chars(self.assumed.rubric) + artifact
    }

    /// The same, plus those of every file it was told to read.
    fn context_chars(&self, began: usize) -> u64 {
        let upstream: u64 = self.measured.upstream.iter().sum();
        self.text_chars(self.assumed.rubric) + self.rounds_chars(began).artifact + upstream
    }

    fn rounds_chars(&self, at: usize) -> MeasuredRound {
        self.measured.rounds.get(at).copied().unwrap_or_default()
    }

    /// The characters of a text whose size is given in tokens.
    fn text_chars(&self, tokens: u64) -> u64 {
        const SAMPLE: u64 = 1_000_000;
        tokens * SAMPLE / self.ratios.tokens(SAMPLE, Content::Markdown).max(1)
    }

    fn cost(&self, pace: &Pace) -> ReplayOutcome {
        let mut outcome = ReplayOutcome::default();
        let mut cached = Cached::default();
        for (at, coming) in self.rounds.iter().enumerate() {
            cached = cached.after(coming.gap_s);
            let seen = u32::try_from(at + 1).unwrap_or(u32::MAX);
            let ahead = Ahead::Expected(ExpectedRounds::after_review(seen, &coming.round, None, pace));
            let later = self.later();
            let facts = DecisionFacts {
                terms: self.terms,
                sizes: &self.sizes,
                cached,
                round: coming.round,
                allowed: if at == 0 { &FIRST } else { later },
                later,
                ahead: &ahead,
            };
            let Some(decision) = decide(&facts) else { continue };
            outcome.sent(decision.way.strategy.name(), &decision.sent);
            cached = decision.sent.cached;
        }
        outcome
    }

    fn hindsight(&self) -> ReplayOutcome {
        let setting = PlanFacts { terms: self.terms, sizes: &self.sizes, later: self.later() };
        let sequence = hindsight(&setting, Cached::default(), &FIRST, &self.rounds);
        let mut outcome = ReplayOutcome::default();
        for (way, sent) in &sequence.steps {
            outcome.sent(way.strategy.name(), sent);
        }
        outcome
    }

    fn later(&self) -> &'static [Strategy] {
        match self.assumed.knowledge {
            Knowledge::Full => &FULL,
            Knowledge::Scoped => &Strategy::ALL,
        }
    }
}
