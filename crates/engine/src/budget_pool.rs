//! The one pool of money that the runs of several features draw on, each in a thread of its own, beside each feature's own
//! budget.
//!
//! A run asks here before it stores what a dispatch may cost, so that what all of them spend together never passes the
//! limit. A round that does not fit because others were promised money waits until they are billed, first come, first
//! served: reservations are for the worst case, and most of that comes back. A waiting run holds no reservation, so at
//! least one run can always continue. Start at [`BudgetPool`]; a run's own part is its [`Draw`].

use crate::ports::Clock;
use redraft_cost::price::{OverBudget, Share, SharedBudget};
use redraft_facts::ticket::Scope;
use redraft_facts::usage::Usd;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One limit over what several runs spend.
#[derive(Debug)]
pub struct BudgetPool {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inner {
    budget: SharedBudget,
    /// Who waits for money that others were promised, first come, first served.
    waiting: VecDeque<Scope>,
}

impl BudgetPool {
    pub fn new(limit: Usd) -> Arc<BudgetPool> {
        let inner = Inner { budget: SharedBudget::new(limit), waiting: VecDeque::new() };
        Arc::new(BudgetPool { inner: Mutex::new(inner), changed: Condvar::new() })
    }

    /// What all have together, spent or promised.
    pub fn counted(&self) -> Usd {
        self.lock().budget.counted()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a wait for money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waited {
    /// Something has changed, so that it may fit now.
    TryAgain,
    /// Nobody else was promised anything that could come back.
    InVain,
    /// The run is asked to stop.
    Stopped,
}

/// What one run draws on the pool. When it is dropped, nothing of it is under way any more, and what it was promised
/// and did not give back counts as spent.
#[derive(Debug)]
pub(crate) struct Draw {
    pool: Arc<BudgetPool>,
    scope: Scope,
    /// What its earlier runs have drawn.
    before: Usd,
    /// What the feature's own budget counted when this one began, and what was found out since about spending from
    /// before.
    base: Usd,
}

impl Draw {
    /// `counted`: what the feature's own budget counts so far, which is not drawn on this pool.
    pub(crate) fn new(pool: Arc<BudgetPool>, scope: Scope, counted: Usd) -> Draw {
        let before = pool.lock().budget.share(&scope).spent;
        Draw { pool, scope, before, base: counted }
    }

    fn share(&self, counted: Usd, in_flight: Usd) -> Share {
        Share { spent: self.before + Usd(counted.0.saturating_sub(self.base.0)), in_flight }
    }

    /// What was spent before this run began and found out only now is not drawn on the pool.
    pub(crate) fn was_spent_before(&mut self, cost: Usd) {
        self.base = self.base + cost;
    }

    /// What nobody has.
    pub(crate) fn left(&self) -> Usd {
        self.pool.lock().budget.left()
    }

    /// Promises money for one more dispatch of a round, unless it is another one's turn. What is free is nobody's turn.
    pub(crate) fn reserve(&self, counted: Usd, in_flight: Usd) -> Result<(), OverBudget> {
        let mut inner = self.pool.lock();
        let (share, held) = (self.share(counted, in_flight), inner.budget.share(&self.scope));
        let turn = inner.waiting.front().is_none_or(|first| *first == self.scope);
        let needed = in_flight - held.in_flight;
        // Whoever holds something goes on, or those who wait would wait for it forever.
        if !turn && held.in_flight == Usd(0) && needed > Usd(0) {
            let (left, limit) = (inner.budget.left(), inner.budget.limit());
            return Err(OverBudget { needed, left, limit });
        }
        inner.budget.reserve(&self.scope, share)?;
        inner.leave(&self.scope);
        drop(inner);
        // The next one in line may have its turn now.
        self.pool.changed.notify_all();
        Ok(())
    }

    /// Promises more money for a dispatch under way, which waits for nobody.
    pub(crate) fn raise(&self, counted: Usd, in_flight: Usd) -> Result<(), OverBudget> {
        let share = self.share(counted, in_flight);
        self.pool.lock().budget.reserve(&self.scope, share)
    }

    /// Counts what the feature really has; what it does not need is free for others.
    pub(crate) fn settle(&self, counted: Usd, in_flight: Usd) {
        let share = self.share(counted, in_flight);
        self.pool.lock().budget.settle(&self.scope, share);
        self.pool.changed.notify_all();
    }

    /// Takes a place in the line of those that wait for money; whether this is new and not in vain.
    pub(crate) fn line_up(&self, needed: Usd) -> bool {
        let mut inner = self.pool.lock();
        if inner.waiting.contains(&self.scope) || inner.is_up(&self.scope, needed) {
            return false;
        }
        inner.waiting.push_back(self.scope.clone());
        true
    }

    /// Waits in line until this much is free or nothing is promised to others any more. Called where this run holds
    /// nothing itself.
    pub(crate) fn wait(&self, needed: Usd, clock: &dyn Clock) -> Waited {
        const LOOK_AGAIN: Duration = Duration::from_millis(50);
        let mut inner = self.pool.lock();
        let waited = loop {
            if inner.is_up(&self.scope, needed) {
                break if inner.budget.left() >= needed { Waited::TryAgain } else { Waited::InVain };
            }
            if clock.leaving() {
                break Waited::Stopped;
            }
            if !inner.waiting.contains(&self.scope) {
                inner.waiting.push_back(self.scope.clone());
            }
            let waited = self.pool.changed.wait_timeout(inner, LOOK_AGAIN);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        if waited != Waited::TryAgain {
            inner.leave(&self.scope);
            self.pool.changed.notify_all();
        }
        waited
    }
}

impl Inner {
    /// Whether it is its turn, and there is nothing to wait for: what it needs is free, or nobody can give anything back.
    fn is_up(&self, who: &Scope, needed: Usd) -> bool {
        let first = self.waiting.front().is_none_or(|first| first == who);
        first && (self.budget.left() >= needed || !self.budget.others_in_flight(who))
    }

    fn leave(&mut self, who: &Scope) {
        self.waiting.retain(|other| other != who);
    }
}

impl Drop for Draw {
    fn drop(&mut self) {
        let mut inner = self.pool.lock();
        let Share { spent, in_flight } = inner.budget.share(&self.scope);
        inner.budget.settle(&self.scope, Share { spent: spent + in_flight, in_flight: Usd(0) });
        inner.leave(&self.scope);
        drop(inner);
        self.pool.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Moment;
    use redraft_facts::ids::FeatureId;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    #[derive(Default)]
    struct Going(AtomicBool);

    impl Clock for Going {
        fn now_ms(&self) -> i64 {
            0
        }

        fn moment(&self) -> Moment {
            Moment::after(Duration::ZERO)
        }

        fn wait_ms(&self, _ms: u64) -> bool {
            true
        }

        fn stopped(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }
    }

    fn draw(pool: &Arc<BudgetPool>, number: u32) -> Draw {
        Draw::new(Arc::clone(pool), Scope::Feature(FeatureId(number)), Usd(1_000))
    }

    #[test]
    fn threads_that_reserve_raise_and_spend_never_pass_the_limit_and_all_of_it_can_be_spent() {
        const LIMIT: u64 = 1_000;
        let (pool, clock) = (BudgetPool::new(Usd(LIMIT)), Going::default());
        // What is promised at this moment by the threads' own count, which is lowered before money is given back.
        let (promised, highest) = (AtomicU64::new(0), AtomicU64::new(0));
        let hold = |amount: u64| {
            let now = promised.fetch_add(amount, Ordering::SeqCst) + amount;
            highest.fetch_max(now, Ordering::SeqCst);
        };
        let spend = |number: u32| {
            let draw = draw(&pool, number);
            let mut spent = 0;
            for step in 0.. {
                let dearest = 20 + (step * 7 + u64::from(number) * 13) % 30;
                while let Err(over) = draw.reserve(Usd(1_000 + spent), Usd(dearest)) {
                    match draw.wait(over.needed, &clock) {
                        Waited::TryAgain => {}
                        Waited::InVain => return spent,
                        Waited::Stopped => panic!("nobody has stopped it"),
                    }
                }
                hold(dearest);
                let raised = draw.raise(Usd(1_000 + spent), Usd(dearest + 10)).is_ok();
                let granted = if raised { dearest + 10 } else { dearest };
                hold(granted - dearest);
                std::thread::yield_now();
                let cost = granted / 3;
                promised.fetch_sub(granted - cost, Ordering::SeqCst);
                spent += cost;
                draw.settle(Usd(1_000 + spent), Usd(0));
            }
            spent
        };
        let spent: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (1..=4).map(|number| scope.spawn(move || spend(number))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!(highest.load(Ordering::SeqCst) <= LIMIT, "{highest:?}");
        assert_eq!(pool.counted(), Usd(spent));
        // Only what the dearest dispatch might have cost is left, though most of what was reserved came back.
        assert!(spent > LIMIT - 60, "{spent}");
    }

    #[test]
    fn a_run_that_ended_with_dispatches_open_keeps_nobody_waiting_and_its_promises_count() {
        let pool = BudgetPool::new(Usd(100));
        let first = draw(&pool, 1);
        first.reserve(Usd(1_010), Usd(60)).unwrap();
        let second = draw(&pool, 2);
        let over = second.reserve(Usd(1_000), Usd(50)).unwrap_err();
        assert_eq!(over, OverBudget { needed: Usd(50), left: Usd(30), limit: Usd(100) });
        drop(first);
        assert_eq!(second.wait(Usd(50), &Going::default()), Waited::InVain);
        assert_eq!(second.left(), Usd(30));
        // Its next run finds out what became of the open dispatch; that was counted already.
        let mut again = draw(&pool, 1);
        again.was_spent_before(Usd(40));
        again.settle(Usd(1_040), Usd(0));
        assert_eq!(pool.counted(), Usd(70));
    }

    #[test]
    fn whoever_waits_first_is_served_first_and_what_is_free_waits_for_nobody() {
        let (pool, clock) = (BudgetPool::new(Usd(100)), Going::default());
        let [first, second, third] = [1, 2, 3].map(|number| draw(&pool, number));
        first.reserve(Usd(1_000), Usd(90)).unwrap();
        assert!(second.line_up(Usd(50)) && !second.line_up(Usd(50)));
        assert!(second.reserve(Usd(1_000), Usd(50)).is_err());
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| second.wait(Usd(50), &clock));
            assert!(third.reserve(Usd(1_000), Usd(5)).is_err(), "it would fit, but another one waits");
            assert!(third.reserve(Usd(1_000), Usd(0)).is_ok());
            first.settle(Usd(1_020), Usd(0));
            assert_eq!(waits.join().unwrap(), Waited::TryAgain);
        });
        second.reserve(Usd(1_000), Usd(50)).unwrap();
        third.reserve(Usd(1_000), Usd(5)).unwrap();
        clock.0.store(true, Ordering::SeqCst);
        first.reserve(Usd(1_020), Usd(30)).unwrap_err();
        assert_eq!(first.wait(Usd(30), &clock), Waited::Stopped);
    }
}
