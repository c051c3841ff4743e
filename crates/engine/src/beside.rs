//! Agents at work side by side, and whoever dispatched them within call.
//!
//! Each works in a thread of its own; the caller's thread keeps the ledger hears what they do and answers
//! those that may come to more money than was reserved for them. Nothing here knows what a dispatch is for. Start at [`beside`].

use crate::ports::{Clock, Watch};
use redraft_core::usage::Usd;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};

/// Who answers the agents while they work. `place` is that of the work in the list.
pub(crate) trait Purse<T> {
    /// Whether the work may come to this much in all. What is granted must outlive a crash.
    fn raise(&mut self, place: usize, total: Usd) -> bool;

    /// What is being done, in the agent's words.
    fn told(&mut self, place: usize, doing: &str);

    /// The work is done; what it did not need is free for the others.
    fn done(&mut self, place: usize, end: &T);
}

enum Call<T> {
    Raise { place: usize, total: Usd, reply: SyncSender<bool> },
    Tell { place: usize, doing: String },
    Done { place: usize, end: T },
}

/// Does `work` once for each of `count` places, all at the same time. None where it ended in a panic.
pub(crate) fn beside<T: Send>(
    count: usize,
    clock: &dyn Clock,
    work: impl Fn(usize, &dyn Watch) -> T + Sync,
    purse: &mut dyn Purse<T>,
) -> Vec<Option<T>> {
    let mut ends: Vec<Option<T>> = std::iter::repeat_with(|| None).take(count).collect();
    std::thread::scope(|scope| {
        let (calls, called) = channel();
        let threads: Vec<_> = (0..count)
            .map(|place| {
                let (calls, work) = (calls.clone(), &work);
                scope.spawn(move || {
                    let watch = Watching { clock, place, calls: calls.clone() };
                    // The caller listens until the last of us is gone.
                    let _ = calls.send(Call::Done { place, end: work(place, &watch) });
                })
            })
            .collect();
        drop(calls);
        for call in called {
            match call {
                // An agent that no longer waits for its answer has been cut off already.
                Call::Raise { place, total, reply } => drop(reply.send(purse.raise(place, total))),
                Call::Tell { place, doing } => purse.told(place, &doing),
                Call::Done { place, end } => {
                    purse.done(place, &end);
                    ends[place] = Some(end);
                }
            }
        }
        for thread in threads {
            // Joined here, a panic is the caller's business and not the scope's.
            let _ = thread.join();
        }
    });
    ends
}

/// The run as an agent sees it.
struct Watching<'a, T> {
    clock: &'a dyn Clock,
    place: usize,
    calls: Sender<Call<T>>,
}

impl<T: Send> Watch for Watching<'_, T> {
    fn stopped(&self) -> bool {
        self.clock.stopped()
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.clock.wait_ms(ms)
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn tell(&self, doing: &str) {
        // The caller listens until the last of us is gone.
        let _ = self.calls.send(Call::Tell { place: self.place, doing: doing.to_owned() });
    }

    fn afford(&self, total: Usd) -> bool {
        let (reply, answer) = sync_channel(1);
        let asked = self.calls.send(Call::Raise { place: self.place, total, reply });
        asked.is_ok() && answer.recv().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Still;

    impl Clock for Still {
        fn now_ms(&self) -> i64 {
            7
        }

        fn wait_ms(&self, _ms: u64) -> bool {
            true
        }

        fn stopped(&self) -> bool {
            false
        }
    }

    /// Grants what it has, and takes back what was not needed.
    struct Pocket {
        has: u64,
        given: [u64; 3],
    }

    impl Purse<u64> for Pocket {
        fn raise(&mut self, place: usize, total: Usd) -> bool {
            let more = total.0.saturating_sub(self.given[place]);
            let fits = more <= self.has;
            if fits {
                self.has -= more;
                self.given[place] = total.0;
            }
            fits
        }

        fn told(&mut self, _place: usize, _doing: &str) {}

        fn done(&mut self, place: usize, needed: &u64) {
            self.has += self.given[place] - needed;
        }
    }

    #[test]
    fn nobody_is_given_what_another_has_and_a_panic_takes_nobody_along() {
        let spend = |place: usize, watch: &dyn Watch| {
            assert_ne!(place, 1, "this one ends in a panic, on purpose");
            (1..=100).take_while(|dollars| watch.afford(Usd(*dollars))).last().unwrap_or(0)
        };
        let mut pocket = Pocket { has: 120, given: [0; 3] };
        let ends = beside(3, &Still, spend, &mut pocket);
        let [Some(first), None, Some(third)] = ends.as_slice() else { panic!("{ends:?}") };
        assert_eq!(first + third, 120);
        assert_eq!(pocket.has, 0);
    }
}
