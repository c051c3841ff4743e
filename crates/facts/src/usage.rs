//! Tokens and money, counted in whole units so that sums are exact.

use crate::prelude::*;
use core::fmt;
use core::ops::{Add, AddAssign, Sub};
use serde::{Deserialize, Serialize};

/// What one dispatch used, in tokens, by price class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    #[serde(deserialize_with = "bounded")]
    pub uncached: u64,
    #[serde(deserialize_with = "bounded")]
    pub written: u64,
    #[serde(deserialize_with = "bounded")]
    pub read: u64,
    #[serde(deserialize_with = "bounded")]
    pub output: u64,
    pub cost: Usd,
}

/// Services have reported as many tokens as a number can hold. A larger count is cut down to this, so that sums and
/// averages over whole ledgers stay true; the cost is kept as reported.
pub const TOKENS_MAX: u64 = 1_000_000_000_000;

fn bounded<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    u64::deserialize(from).map(|tokens| tokens.min(TOKENS_MAX))
}

impl Usage {
    /// The same with counts that can be added up.
    #[must_use]
    pub fn bounded(self) -> Usage {
        let Usage { uncached, written, read, output, cost } = self;
        let [uncached, written, read, output] =
            [uncached, written, read, output].map(|tokens| tokens.min(TOKENS_MAX));
        Usage { uncached, written, read, output, cost }
    }

    pub fn input(&self) -> u64 {
        self.uncached.saturating_add(self.written).saturating_add(self.read)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.uncached = self.uncached.saturating_add(other.uncached);
        self.written = self.written.saturating_add(other.written);
        self.read = self.read.saturating_add(other.read);
        self.output = self.output.saturating_add(other.output);
        self.cost = self.cost + other.cost;
    }
}

/// Millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Usd(pub u64);

impl Add for Usd {
    type Output = Usd;

    fn add(self, other: Usd) -> Usd {
        Usd(self.0.saturating_add(other.0))
    }
}

impl Sub for Usd {
    type Output = Usd;

    /// Never less than nothing.
    fn sub(self, other: Usd) -> Usd {
        Usd(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Half a unit of the last digit counts as one; sums are never made of what is shown.
        let shown = self.0.saturating_add(50) / 100;
        write!(f, "${}.{:04}", shown / 10_000, shown % 10_000)
    }
}

/// Who pays for an answer, as far as its agent can tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payment {
    /// Not reported. Taken to be billed.
    #[default]
    Unknown,
    /// Billed by its tokens: an API key, a cloud's account, usage beyond a plan.
    Key,
    /// Covered by the subscription the agent is logged in with.
    Subscription,
    /// The agent's own login, which may be a subscription.
    Login,
}

/// What dispatches cost, split by what is known about it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Money {
    /// Billed.
    pub spent: Usd,
    /// What a subscription covered, at list prices.
    pub covered: Usd,
    /// The same for what was paid through a login that may be a subscription.
    pub login: Usd,
    /// An upper bound for what may have been charged: no bill says whether it was.
    pub unknown: Usd,
    /// How many dispatches that upper bound is about.
    pub unknown_bills: u32,
}

impl Money {
    /// What a budget counts: everything, because each part of it may be charged.
    pub fn counted(&self) -> Usd {
        self.spent + self.covered + self.login + self.unknown
    }

    /// Adds a known cost.
    pub fn add_cost(&mut self, cost: Usd, payment: Payment) {
        let part = match payment {
            Payment::Unknown | Payment::Key => &mut self.spent,
            Payment::Subscription => &mut self.covered,
            Payment::Login => &mut self.login,
        };
        *part = *part + cost;
    }

    /// In one line, what is unknown apart from what was spent: `$0.1200 + at most $0.5509 unknown`.
    pub fn in_a_line(&self) -> String {
        let Money { spent, covered, login, unknown, .. } = *self;
        let mut line = spent.to_string();
        if unknown > Usd(0) {
            line.push_str(&format!(" + at most {unknown} unknown"));
        }
        if covered > Usd(0) {
            line.push_str(&format!(" + {covered} covered by a subscription"));
        }
        if login > Usd(0) {
            line.push_str(&format!(" + {login} through a login"));
        }
        line
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        self.spent = self.spent + other.spent;
        self.covered = self.covered + other.covered;
        self.login = self.login + other.login;
        self.unknown = self.unknown + other.unknown;
        self.unknown_bills += other.unknown_bills;
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_counts_of_tokens_are_bounded_wherever_they_come_from_and_money_is_not() {
        let all = u64::MAX;
        let told =
            format!(r#"{{"uncached":{all},"written":{all},"read":{all},"output":{all},"cost":{all}}}"#);
        let read: Usage = serde_json::from_str(&told).unwrap();
        let made = Usage { uncached: all, written: all, read: all, output: all, cost: Usd(all) };
        assert_eq!(read, made.bounded());
        assert_eq!((read.input(), read.output, read.cost), (3 * TOKENS_MAX, TOKENS_MAX, Usd(all)));
        assert_eq!(made.input(), all, "and before that nothing wraps");
        let mut sum = made;
        sum += made;
        assert_eq!((sum.input(), sum.cost), (all, Usd(all)));
        let usual = Usage { uncached: 1, written: 2, read: 3, output: 4, cost: Usd(5) };
        assert_eq!(usual.bounded(), usual);
    }

    #[test]
    fn money_and_counts_are_shown_in_full() {
        assert_eq!(Usd(5_012_345).to_string(), "$5.0123");
        for (micro, shown) in [
            (0, "$0.0000"),
            (49, "$0.0000"),
            (50, "$0.0001"),
            (149, "$0.0001"),
            (150, "$0.0002"),
            (999_949, "$0.9999"),
            (999_950, "$1.0000"),
            (5_012_350, "$5.0124"),
            (u64::MAX, "$18446744073709.5516"),
        ] {
            assert_eq!(Usd(micro).to_string(), shown, "{micro}");
        }
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(100), "100");
    }
}
