//! Lets a program go on only while there is money for what it may still do.
//!
//! A program sends its requests by itself, so its spending is granted one request ahead: when more is refused, the
//! request it has begun is still paid for, and it is cut off before the next one. The program's listener decides what a
//! request can cost, and whether anything the program does can still help. Start at [`Meter`].

use redraft_engine::ports::{RunBehind, RunHandle};
use redraft_facts::usage::Usd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The run as a program's listener sees it: also stopped once the program was cut off.
pub struct Meter<'a> {
    watch: &'a dyn RunHandle,
    granted: AtomicU64,
    /// What was refused; 0 for nothing.
    refused: AtomicU64,
    is_cut: AtomicBool,
    /// Whether it was ended for a reason other than money.
    is_ended: AtomicBool,
}

impl<'a> Meter<'a> {
    pub fn new(watch: &'a dyn RunHandle) -> Meter<'a> {
        let (granted, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        let (is_cut, is_ended) = (AtomicBool::new(false), AtomicBool::new(false));
        Meter { watch, granted, refused, is_cut, is_ended }
    }

    /// The program may cost up to `total` from now on. Once refused, nothing more is asked for.
    pub fn expect(&self, total: Usd) {
        if self.refused().is_some() || total <= self.granted() {
            return;
        }
        let kept = if self.watch.afford(total) { &self.granted } else { &self.refused };
        kept.store(total.0, Ordering::SeqCst);
    }

    /// The program has cost this much, or may have. What was granted is known already.
    pub fn owes(&self, total: Usd) {
        if total > self.granted() {
            self.watch.owes(total);
        }
    }

    /// The program goes on to another request; ends it if there is no money for that.
    pub fn goes_on(&self) {
        if self.refused().is_some() {
            self.is_cut.store(true, Ordering::SeqCst);
        }
    }

    /// Ends the program at once, because nothing it still does can help.
    pub fn end(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
    }

    /// Whether it was ended by [`Meter::end`], and not because the run was asked to stop.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::SeqCst) && !self.watch.stopped()
    }

    /// What it could have cost, if it was cut off.
    pub fn over_budget(&self) -> Option<Usd> {
        self.refused().filter(|_| self.is_cut.load(Ordering::SeqCst) && !self.watch.stopped())
    }

    /// The most it can have cost.
    pub fn granted(&self) -> Usd {
        Usd(self.granted.load(Ordering::SeqCst))
    }

    fn refused(&self) -> Option<Usd> {
        Some(Usd(self.refused.load(Ordering::SeqCst))).filter(|total| *total > Usd(0))
    }
}

impl RunBehind for Meter<'_> {
    fn behind(&self) -> &dyn RunHandle {
        self.watch
    }

    fn is_over(&self) -> bool {
        [&self.is_cut, &self.is_ended].iter().any(|why| why.load(Ordering::SeqCst)) || self.watch.stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_engine::ports::Moment;
    use std::sync::Mutex;

    /// A run with this much money, and the sums it was asked for or told of.
    struct Rich(Usd, Mutex<Vec<Usd>>);

    impl RunHandle for Rich {
        fn stopped(&self) -> bool {
            false
        }

        fn wait_ms(&self, _ms: u64) -> bool {
            true
        }

        fn now_ms(&self) -> i64 {
            0
        }

        fn moment(&self) -> Moment {
            Moment::after(std::time::Duration::ZERO)
        }

        fn tell(&self, _doing: &str) {}

        fn afford(&self, total: Usd) -> bool {
            self.1.lock().unwrap().push(total);
            total <= self.0
        }

        fn owes(&self, total: Usd) {
            self.1.lock().unwrap().push(total);
        }
    }

    #[test]
    fn what_it_has_come_to_is_told_where_it_is_more_than_was_granted() {
        let rich = Rich(Usd(10), Mutex::default());
        let meter = Meter::new(&rich);
        for (expected, owed) in [(4, 3), (9, 9), (12, 11)] {
            meter.expect(Usd(expected));
            meter.owes(Usd(owed));
        }
        assert_eq!(*rich.1.lock().unwrap(), [Usd(4), Usd(9), Usd(12), Usd(11)], "only the last passes 9");
    }

    #[test]
    fn a_program_that_is_ended_was_not_cut_off_for_money() {
        let rich = Rich(Usd(10), Mutex::default());
        let meter = Meter::new(&rich);
        meter.expect(Usd(4));
        assert_eq!((meter.is_ended(), meter.stopped()), (false, false));
        meter.end();
        assert_eq!((meter.is_ended(), meter.stopped(), meter.over_budget()), (true, true, None));
    }

    #[test]
    fn a_program_is_cut_off_when_it_goes_on_after_it_was_refused_more() {
        let rich = Rich(Usd(10), Mutex::default());
        let meter = Meter::new(&rich);
        for total in [4, 3, 10] {
            meter.expect(Usd(total));
            meter.goes_on();
        }
        assert_eq!((meter.granted(), meter.over_budget(), meter.stopped()), (Usd(10), None, false));
        meter.expect(Usd(11));
        assert_eq!((meter.over_budget(), meter.stopped()), (None, false), "what it does now is paid for");
        meter.goes_on();
        assert_eq!((meter.over_budget(), meter.stopped()), (Some(Usd(11)), true));
        assert_eq!(meter.granted(), Usd(10));
        assert_eq!(*rich.1.lock().unwrap(), [Usd(4), Usd(10), Usd(11)], "asked only for more");
    }
}
