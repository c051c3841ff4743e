//! What a feature's workflow remembers between two drives, and what it owes the office. A value.

use crate::book::Settlement;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Past {
    /// The id of the workflow's first run.
    pub run: String,
    /// The worker that has the worktree.
    pub at: Option<String>,
    /// What the feature had cost when that was last heard.
    pub total_micro_usd: u64,
    /// What may have been spent where nobody can look any more.
    pub lost_micro_usd: u64,
    /// Grants of drives that nobody has reported on.
    pub open: Vec<Slip>,
    /// Failures without progress in between.
    pub failures: u32,
    /// What the next drive asks for, where the usual portion was too small.
    pub wish_micro_usd: Option<u64>,
    /// The worker that drove it is gone, so another one may take it.
    pub take: bool,
    pub drives: u32,
}

/// A promise that was handed to a worker.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Slip {
    pub id: String,
    pub worker: String,
    pub amount_micro_usd: u64,
}

impl Past {
    /// A drive reported what the feature has cost by now.
    pub fn reported(&mut self, total_micro_usd: u64) {
        self.counted_less(total_micro_usd);
        self.total_micro_usd = total_micro_usd;
        self.open.clear();
    }

    /// Somebody looked at the feature from a worker, after drives that did not report. What was spent elsewhere and not
    /// published is seen by nobody there, so promises to others count as spent, unless they gave the feature up, which
    /// they do after publishing all.
    pub fn looked(&mut self, worker: &str, total_micro_usd: u64, elsewhere: bool) {
        let grown = total_micro_usd.saturating_sub(self.total_micro_usd);
        let others: Vec<&Slip> = self.open.iter().filter(|slip| slip.worker != worker).collect();
        let promised: u64 = others.iter().map(|slip| slip.amount_micro_usd).sum();
        let several = self.open.len() > 1;
        if !others.is_empty() && (elsewhere || several) {
            self.lost_micro_usd += promised.saturating_sub(grown);
        }
        self.reported(total_micro_usd);
    }

    /// Nobody can look: everything that was promised counts as spent.
    pub fn written_off(&mut self) {
        self.lost_micro_usd += self.open.iter().map(|slip| slip.amount_micro_usd).sum::<u64>();
        self.open.clear();
    }

    /// A shared history that says less than was heard before has lost something that was paid for.
    fn counted_less(&mut self, total_micro_usd: u64) {
        self.lost_micro_usd += self.total_micro_usd.saturating_sub(total_micro_usd);
    }

    pub fn settlement(&self, before_micro_usd: u64, grants: Vec<String>) -> Settlement {
        Settlement {
            run: self.run.clone(),
            grants,
            spent_micro_usd: self.total_micro_usd.saturating_sub(before_micro_usd),
            lost_micro_usd: self.lost_micro_usd,
            ..Settlement::default()
        }
    }
}
