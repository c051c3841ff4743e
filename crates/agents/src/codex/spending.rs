//! What a dispatch to Codex has cost and may still cost, while it works.
//!
//! Counts come from Codex's notes; each step it begins that is not counted yet is one more request, with nothing read
//! from the cache and a whole answer. Start at [`Spending`].

use super::rollout::{Noted, Rollout};
use super::totals::Totals;
use redraft_cost::price::{Card, UNLIMITED_ANSWER_TOKENS};
use redraft_facts::usage::{Usage, Usd};

/// What a step adds to the conversation: the output of a command, of which Codex passes on no more, and its own words.
const STEP_TOKENS: u64 = 12_000;
/// The longest answer that is expected; Codex has no setting for it.
pub(super) const ANSWER_TOKENS: u64 = UNLIMITED_ANSWER_TOKENS;

pub(super) struct Spending<'a> {
    card: &'a Card,
    /// The thread's counts before this dispatch.
    before: Totals,
    rollout: Rollout,
    noted: Option<Noted>,
    /// The first prompt, estimated.
    first_tokens: u64,
    /// Steps begun since the last count.
    steps: u64,
    /// What answers that broke off can have cost, which Codex counts nowhere.
    broken: Usd,
    /// What web searches cost, which it counts nowhere either.
    searches: Usd,
}

impl<'a> Spending<'a> {
    pub(super) fn new(card: &'a Card, before: Totals, first_tokens: u64) -> Spending<'a> {
        Spending {
            card,
            before,
            rollout: Rollout::default(),
            noted: None,
            first_tokens,
            steps: 0,
            broken: Usd(0),
            searches: Usd(0),
        }
    }

    pub(super) fn read(&mut self, rollout: Rollout) {
        self.rollout = rollout;
    }

    /// Codex begins to do something, after which it will send another request.
    pub(super) fn step(&mut self) {
        self.steps += 1;
    }

    /// An answer broke off; how long it had become is unknown.
    pub(super) fn breaks_off(&mut self) {
        self.look();
        let tokens = self.context_now().saturating_add(self.steps.saturating_mul(STEP_TOKENS));
        self.broken = self.broken + self.card.dearest(tokens, ANSWER_TOKENS, self.card.lifetime.is);
    }

    /// The number of web searches so far.
    pub(super) fn searched(&mut self, count: u64) {
        self.searches = self.card.searches(count);
    }

    pub(super) fn broken(&self) -> Usd {
        self.broken
    }

    pub(super) fn searches(&self) -> Usd {
        self.searches
    }

    /// What was counted of this dispatch, with what its searches cost; none where nothing was counted.
    pub(super) fn counted(&mut self) -> Option<Usage> {
        self.look();
        let noted = self.noted?;
        let usage = noted.total.since(&self.before);
        let cost = self.priced(&noted) + self.searches;
        Some(Usage { cost, ..usage }).filter(|usage| usage.input() > 0)
    }

    /// What it can have cost by now.
    pub(super) fn until_now(&mut self) -> Usd {
        let counted = self.counted().map_or(self.searches, |usage| usage.cost);
        counted + self.broken
    }

    /// What it can have cost where it was not watched: what is noted, and one request that is not.
    pub(super) fn unwatched(&mut self) -> Option<Usd> {
        let context = self.context()?;
        let next = context.saturating_add(STEP_TOKENS);
        Some(self.until_now() + self.card.dearest(next, ANSWER_TOKENS, self.card.lifetime.is))
    }

    /// The longest that the conversation was, in tokens.
    pub(super) fn largest(&self) -> Option<u64> {
        self.rollout.largest()
    }

    pub(super) fn rollout(&self) -> &Rollout {
        &self.rollout
    }

    fn context_now(&self) -> u64 {
        self.noted.map_or(self.first_tokens, |noted| noted.context)
    }

    /// Takes in what was noted since the last look.
    pub(super) fn look(&mut self) {
        if let Some(noted) = self.rollout.news() {
            (self.noted, self.steps) = (Some(noted), 0);
        }
    }

    /// The conversation as the last counted answer left it, in tokens.
    pub(super) fn context(&mut self) -> Option<u64> {
        self.look();
        self.noted.map(|noted| noted.context)
    }

    /// The answers that were counted, which are the requests that were billed; none where none was counted.
    pub(super) fn answers(&self) -> Option<u32> {
        self.rollout.answers()
    }

    /// Whether the notes state how much of a plan is used.
    pub(super) fn has_plan(&self) -> bool {
        self.rollout.has_plan()
    }

    /// What it can have cost when the request after the next one is answered.
    pub(super) fn at_most(&self) -> Usd {
        let counted = self.noted.as_ref().map_or(Usd(0), |noted| self.priced(noted));
        let (context, open) = (self.context_now(), self.steps + 2);
        (0..open).fold(counted + self.broken + self.searches, |sum, step| {
            let tokens = context.saturating_add(step.saturating_mul(STEP_TOKENS));
            sum + self.card.dearest(tokens, ANSWER_TOKENS, self.card.lifetime.is)
        })
    }

    /// A conversation grows until a summary replaces it, so no request was larger than the conversation at its longest.
    fn priced(&self, noted: &Noted) -> Usd {
        let largest = noted.context.max(self.rollout.largest().unwrap_or_default());
        self.card.cost(&noted.total.since(&self.before), largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_cost::price::Cards;

    #[test]
    fn steps_that_nobody_counted_are_as_dear_as_they_can_be_until_they_are() {
        let card = Cards::builtin().find("gpt-6-sol").unwrap().clone();
        let dearest = |input: u64| card.dearest(input, ANSWER_TOKENS, card.lifetime.is);
        let before = Totals { input: 100, read: 50, written: 0, output: 10 };
        let mut spending = Spending::new(&card, before, 20_000);
        assert_eq!(spending.at_most(), dearest(20_000) + dearest(32_000));
        spending.step();
        assert_eq!(spending.at_most(), dearest(20_000) + dearest(32_000) + dearest(44_000));
        spending.noted = Some(Noted {
            total: Totals { input: 21_100, read: 1_050, written: 0, output: 210 },
            context: 21_200,
            said: 200,
        });
        spending.steps = 0;
        let usage = Usage { uncached: 20_000, read: 1_000, output: 200, ..Usage::default() };
        assert_eq!(spending.at_most(), card.cost(&usage, 21_000) + dearest(21_200) + dearest(33_200));
    }
}
