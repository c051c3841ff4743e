//! One limit over what several features spend together, beside each feature's own [`Budget`](super::Budget).
//!
//! A feature's share is what it has spent since it takes part, and what is promised to its dispatches under way. Nothing
//! is sent before the most it can cost is promised here; who asks, and in which order, is decided elsewhere.

use super::OverBudget;
use redraft_facts::prelude::*;
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;

/// What all of them may spend together, and what each has of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedBudget {
    limit: Usd,
    shares: BTreeMap<Scope, Share>,
}

/// What one feature has of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Billed since it takes part, and what its lost dispatches had reserved.
    pub spent: Usd,
    /// Promised to its dispatches that have not ended yet.
    pub in_flight: Usd,
}

impl Share {
    fn all(self) -> Usd {
        self.spent + self.in_flight
    }
}

impl SharedBudget {
    pub fn new(limit: Usd) -> SharedBudget {
        SharedBudget { limit, shares: BTreeMap::new() }
    }

    pub fn limit(&self) -> Usd {
        self.limit
    }

    /// What nobody has. Spending past the limit leaves nothing, never less.
    pub fn left(&self) -> Usd {
        Usd(self.limit.0.saturating_sub(self.counted().0))
    }

    /// What all have together, spent or promised.
    pub fn counted(&self) -> Usd {
        self.shares.values().fold(Usd(0), |sum, share| sum + share.all())
    }

    pub fn share(&self, who: &Scope) -> Share {
        self.shares.get(who).copied().unwrap_or_default()
    }

    /// Whether something is promised to others, part of which may come back.
    pub fn others_in_flight(&self, who: &Scope) -> bool {
        self.shares.iter().any(|(other, share)| other != who && share.in_flight > Usd(0))
    }

    /// Gives a feature this share, or says why it does not fit and changes nothing. A share that does not grow always
    /// fits: what costs nothing can go on where all money is gone.
    pub fn reserve(&mut self, who: &Scope, share: Share) -> Result<(), OverBudget> {
        let needed = Usd(share.all().0.saturating_sub(self.share(who).all().0));
        let left = self.left();
        if needed > left {
            return Err(OverBudget { needed, left, limit: self.limit });
        }
        self.settle(who, share);
        Ok(())
    }

    /// Counts what a feature really has: what is spent does not depend on the limit.
    pub fn settle(&mut self, who: &Scope, share: Share) {
        self.shares.insert(who.clone(), share);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use redraft_facts::ids::FeatureId;

    const LIMIT: u64 = 100;

    fn feature(number: u32) -> Scope {
        Scope::Feature(FeatureId(number))
    }

    #[derive(Debug, Clone)]
    enum Deed {
        /// One more dispatch, which may cost this much.
        Reserve(u64),
        /// The first dispatch under way may cost this much more.
        Raise(u64),
        /// It has ended and has cost this part of what it reserved, in percent.
        Spend(u64),
        /// It was never heard of again: what it reserved counts as spent.
        Lose,
    }

    fn deed() -> impl Strategy<Value = Deed> {
        prop_oneof![
            3 => (0..70_u64).prop_map(Deed::Reserve),
            2 => (1..40_u64).prop_map(Deed::Raise),
            2 => (0..=100_u64).prop_map(Deed::Spend),
            1 => Just(Deed::Lose),
        ]
    }

    /// A feature that keeps to what it is granted, with its own count of what it has.
    #[derive(Default)]
    struct Feature {
        spent: u64,
        flights: Vec<u64>,
    }

    impl Feature {
        fn share(&self) -> Share {
            Share { spent: Usd(self.spent), in_flight: Usd(self.flights.iter().sum()) }
        }

        /// Its share if the first dispatch under way, or a new one, cost this much more.
        fn with(&self, more: u64) -> Share {
            Share { in_flight: self.share().in_flight + Usd(more), ..self.share() }
        }
    }

    proptest! {
        #[test]
        fn no_interleaving_of_features_passes_the_limit(
            deeds in prop::collection::vec((0..3_u32, deed()), 1..80),
        ) {
            let mut shared = SharedBudget::new(Usd(LIMIT));
            let mut features: [Feature; 3] = Default::default();
            for (number, deed) in deeds {
                let (who, feature) = (feature(number), &mut features[number as usize]);
                match deed {
                    Deed::Reserve(dearest) => {
                        let (before, granted) = (shared.left(), shared.reserve(&who, feature.with(dearest)));
                        prop_assert_eq!(granted.is_ok(), Usd(dearest) <= before);
                        if granted.is_ok() {
                            feature.flights.push(dearest);
                        }
                    }
                    Deed::Raise(more) if !feature.flights.is_empty() => {
                        if shared.reserve(&who, feature.with(more)).is_ok() {
                            feature.flights[0] += more;
                        }
                    }
                    Deed::Spend(percent) if !feature.flights.is_empty() => {
                        feature.spent += feature.flights.remove(0) * percent / 100;
                        shared.settle(&who, feature.share());
                    }
                    Deed::Lose if !feature.flights.is_empty() => {
                        feature.spent += feature.flights.remove(0);
                        shared.settle(&who, feature.share());
                    }
                    Deed::Raise(_) | Deed::Spend(_) | Deed::Lose => {}
                }
                let all: u64 = features.iter().map(|one| one.share().all().0).sum();
                prop_assert!(all <= LIMIT, "{all} is promised");
                prop_assert_eq!(shared.counted(), Usd(all));
                prop_assert_eq!(shared.left(), Usd(LIMIT - all));
            }
        }
    }

    #[test]
    fn what_costs_nothing_goes_on_where_others_have_spent_everything() {
        let (first, second) = (feature(1), feature(2));
        let mut shared = SharedBudget::new(Usd(10));
        shared.settle(&first, Share { spent: Usd(30), in_flight: Usd(0) });
        assert_eq!(shared.left(), Usd(0));
        assert!(shared.reserve(&second, Share::default()).is_ok());
        let over = shared.reserve(&second, Share { spent: Usd(0), in_flight: Usd(1) });
        assert_eq!(over, Err(OverBudget { needed: Usd(1), left: Usd(0), limit: Usd(10) }));
        assert_eq!(shared.share(&second), Share::default());
        assert!(!shared.others_in_flight(&second));
    }
}
