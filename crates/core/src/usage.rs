//! Tokens and money, counted in whole units so that sums are exact.

use crate::prelude::*;
use core::fmt;
use core::ops::{Add, AddAssign};
use serde::{Deserialize, Serialize};

/// What one dispatch used, in tokens, by price class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    pub uncached: u64,
    pub written: u64,
    pub read: u64,
    pub output: u64,
    pub cost: Usd,
}

impl Usage {
    pub fn input(&self) -> u64 {
        self.uncached + self.written + self.read
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.uncached += other.uncached;
        self.written += other.written;
        self.read += other.read;
        self.output += other.output;
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

impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Half a unit of the last digit counts as one; sums are never made of what is shown.
        let shown = self.0.saturating_add(50) / 100;
        write!(f, "${}.{:04}", shown / 10_000, shown % 10_000)
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
