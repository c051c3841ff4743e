//! Decides whether one more dispatch fits a budget. Where the sums come from is the ledger's business.

use redraft_facts::usage::Usd;

/// A budget as it stands before a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    pub limit: Usd,
    /// Billed so far, and what lost dispatches had reserved.
    pub spent: Usd,
    /// Reserved for dispatches that have not ended yet.
    pub in_flight: Usd,
}

/// The most expensive outcome of a dispatch exceeds what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the next dispatch may cost up to {needed}, but only {left} of the budget of {limit} is left; continue with a \
        higher --budget"
)]
pub struct OverBudget {
    pub needed: Usd,
    pub left: Usd,
    pub limit: Usd,
}

impl Budget {
    /// What may still be promised. Spending past the limit leaves nothing, never less.
    pub fn left(&self) -> Usd {
        Usd(self.limit.0.saturating_sub((self.spent + self.in_flight).0))
    }

    /// The budget with the most expensive outcome of a dispatch set aside, or why that does not fit. What costs nothing
    /// always fits, so that a local model can finish a feature whose money is gone.
    pub fn reserve(self, dearest: Usd) -> Result<Budget, OverBudget> {
        let left = self.left();
        if dearest > left {
            return Err(OverBudget { needed: dearest, left, limit: self.limit });
        }
        Ok(Budget { in_flight: self.in_flight + dearest, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::prelude::*;

    #[test]
    fn a_dispatch_fits_until_spent_and_promised_money_reach_the_limit() {
        let budget = Budget { limit: Usd(5_000_000), spent: Usd(3_000_000), in_flight: Usd(1_500_000) };
        let full = budget.reserve(Usd(500_000)).unwrap();
        assert_eq!((full.left(), full.in_flight), (Usd(0), Usd(2_000_000)));
        let over = full.reserve(Usd(1)).unwrap_err();
        assert_eq!(over, OverBudget { needed: Usd(1), left: Usd(0), limit: Usd(5_000_000) });
        assert_eq!(
            budget.reserve(Usd(500_001)).unwrap_err().to_string(),
            "the next dispatch may cost up to $0.5000, but only $0.5000 of the budget of $5.0000 is left; continue \
                with a higher --budget"
        );
    }

    #[test]
    fn a_free_dispatch_fits_an_overdrawn_budget_and_nothing_else_does() {
        let overdrawn = Budget { limit: Usd(10), spent: Usd(30), in_flight: Usd(0) };
        assert_eq!(overdrawn.left(), Usd(0));
        assert!(overdrawn.reserve(Usd(0)).is_ok());
        assert!(overdrawn.reserve(Usd(1)).is_err());
    }
}
