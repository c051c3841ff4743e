//! A scale from zero to the largest amount, with round numbers at its lines.

use redraft_facts::usage::grouped;

/// Lines above the lowest one: few enough to read, enough to compare by.
const LINES: u64 = 4;

pub(super) struct Axis {
    step: u64,
    lines: u64,
}

impl Axis {
    pub(super) fn up_to(most: u64) -> Axis {
        let step = round_up(most.div_ceil(LINES).max(1));
        Axis { step, lines: most.div_ceil(step).max(1) }
    }

    /// The height of an amount, as a share.
    pub(super) fn share(&self, amount: u64) -> f64 {
        amount as f64 / (self.step * self.lines) as f64
    }

    /// Each line with its label: in dollars with as many decimals as the step needs, or as plain numbers.
    pub(super) fn ticks(&self, dollars: bool) -> Vec<(u64, String)> {
        let mut decimals = 6;
        let mut step = self.step;
        while dollars && decimals > 2 && step.is_multiple_of(10) {
            step /= 10;
            decimals -= 1;
        }
        let label = |value: u64| match dollars {
            true => format!("${:.decimals$}", value as f64 / 1_000_000.0),
            false => grouped(value),
        };
        (0..=self.lines).map(|line| line * self.step).map(|value| (value, label(value))).collect()
    }
}

/// The next 1, 2 or 5 with zeros.
fn round_up(least: u64) -> u64 {
    let mut power = 1_u64;
    loop {
        for digit in [1, 2, 5] {
            let step = power.saturating_mul(digit);
            if step >= least {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_at_round_numbers_and_the_largest_amount_fits() {
        let labels = |most, dollars| -> Vec<String> {
            Axis::up_to(most).ticks(dollars).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(41_200, true), ["$0.00", "$0.02", "$0.04", "$0.06"]);
        assert_eq!(labels(900, true), ["$0.0000", "$0.0005", "$0.0010"]);
        assert_eq!(labels(9_000, false), ["0", "5,000", "10,000"]);
        assert_eq!(labels(0, false), ["0", "1"]);
        assert_eq!(labels(7, true)[1], "$0.000002");
        for most in [1, 3, 999, 12_345, u64::from(u32::MAX)] {
            let share = Axis::up_to(most).share(most);
            assert!(share > 0.4 && share <= 1.0, "{most}: {share}");
        }
    }
}
