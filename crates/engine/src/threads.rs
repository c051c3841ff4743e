//! Runs agents side by side in threads, with a supervisor that answers them.
//!
//! Each agent works in a thread of its own. The caller's thread, which keeps the ledger, hears what they do and answers
//! those that may need more money than was reserved for them. An agent whose prompt begins like another's can wait
//! until that one has begun to answer: by then a cache holds what they share, and it is paid for once. Nothing here
//! knows what a dispatch is for. Start at [`side_by_side`].

use crate::ports::{Clock, Moment, RunHandle};
use redraft_facts::usage::Usd;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Answers the agents while they work. `place` is the position of the work in the list.
pub(crate) trait Supervisor<T> {
    /// Whether the work may cost this much in all. What is granted must outlive a crash.
    fn raise(&mut self, place: usize, total: Usd) -> bool;

    /// The work has cost this much, granted or not. This must outlive a crash, too.
    fn owe(&mut self, place: usize, total: Usd);

    /// What is being done, in the agent's words.
    fn told(&mut self, place: usize, doing: &str);

    /// The work is done; what it did not need is free for the others.
    fn done(&mut self, place: usize, end: &T);
}

enum Call<T> {
    Raise { place: usize, total: Usd, reply: SyncSender<bool> },
    Owe { place: usize, total: Usd, reply: SyncSender<()> },
    Tell { place: usize, doing: String },
    Done { place: usize, end: T },
}

/// Does `work` once for each place of `after`, all at the same time; a place that names another waits until that one
/// has begun to answer, has reported something or is done. None where the work ended in a panic.
pub(crate) fn side_by_side<T: Send>(
    after: &[Option<usize>],
    clock: &dyn Clock,
    work: impl Fn(usize, &dyn RunHandle) -> T + Sync,
    supervisor: &mut dyn Supervisor<T>,
) -> Vec<Option<T>> {
    let mut ends: Vec<Option<T>> = std::iter::repeat_with(|| None).take(after.len()).collect();
    let begun = Begun { places: Mutex::new(vec![false; after.len()]), changed: Condvar::new() };
    std::thread::scope(|scope| {
        let (calls, called) = channel();
        let threads: Vec<_> = after
            .iter()
            .enumerate()
            .map(|(place, after)| {
                let (calls, work, begun) = (calls.clone(), &work, &begun);
                scope.spawn(move || {
                    // Also where it ends in a panic, or the others would wait forever.
                    let _end = Ending { place, begun };
                    if let Some(first) = after {
                        begun.wait_for(*first, clock);
                    }
                    let watch = Watching { clock, place, calls: calls.clone(), begun };
                    // The caller listens until the last of us is gone.
                    let _ = calls.send(Call::Done { place, end: work(place, &watch) });
                })
            })
            .collect();
        drop(calls);
        for call in called {
            match call {
                // An agent that no longer waits for its answer was cut off already.
                Call::Raise { place, total, reply } => drop(reply.send(supervisor.raise(place, total))),
                Call::Owe { place, total, reply } => {
                    supervisor.owe(place, total);
                    // Nothing depends on whether it still waits.
                    let _ = reply.send(());
                }
                Call::Tell { place, doing } => supervisor.told(place, &doing),
                Call::Done { place, end } => {
                    supervisor.done(place, &end);
                    ends[place] = Some(end);
                }
            }
        }
        for thread in threads {
            // A panic of a thread that is joined here reaches the caller, not the scope.
            let _ = thread.join();
        }
    });
    ends
}

/// Which places have begun to answer.
struct Begun {
    places: Mutex<Vec<bool>>,
    changed: Condvar,
}

impl Begun {
    fn note(&self, place: usize) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(begun) = places.get_mut(place).filter(|begun| !**begun) {
            *begun = true;
            self.changed.notify_all();
        }
    }

    /// Waits until a place has begun, or the run is asked to stop.
    fn wait_for(&self, place: usize, clock: &dyn Clock) {
        const LOOK_AGAIN: Duration = Duration::from_millis(50);
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        while !places.get(place).copied().unwrap_or(true) && !clock.stopped() {
            let waited = self.changed.wait_timeout(places, LOOK_AGAIN);
            places = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Notes a place as begun when its thread is over.
struct Ending<'a> {
    place: usize,
    begun: &'a Begun,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.begun.note(self.place);
    }
}

/// The run as an agent sees it.
struct Watching<'a, T> {
    clock: &'a dyn Clock,
    place: usize,
    calls: Sender<Call<T>>,
    begun: &'a Begun,
}

impl<T: Send> RunHandle for Watching<'_, T> {
    fn stopped(&self) -> bool {
        self.clock.stopped()
    }

    fn wait_ms(&self, ms: u64) -> bool {
        self.clock.wait_ms(ms)
    }

    fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    fn moment(&self) -> Moment {
        self.clock.moment()
    }

    fn begun(&self) {
        self.begun.note(self.place);
    }

    fn tell(&self, doing: &str) {
        self.begun.note(self.place);
        // The caller listens until the last of us is gone.
        let _ = self.calls.send(Call::Tell { place: self.place, doing: doing.to_owned() });
    }

    fn afford(&self, total: Usd) -> bool {
        let (reply, answer) = sync_channel(1);
        let asked = self.calls.send(Call::Raise { place: self.place, total, reply });
        asked.is_ok() && answer.recv().unwrap_or(false)
    }

    fn owes(&self, total: Usd) {
        let (reply, stored) = sync_channel(1);
        if self.calls.send(Call::Owe { place: self.place, total, reply }).is_ok() {
            // Whether it was stored is the caller's business.
            let _ = stored.recv();
        }
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

        fn moment(&self) -> Moment {
            Moment::after(Duration::ZERO)
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

    impl Supervisor<u64> for Pocket {
        fn raise(&mut self, place: usize, total: Usd) -> bool {
            let more = total.0.saturating_sub(self.given[place]);
            let fits = more <= self.has;
            if fits {
                self.has -= more;
                self.given[place] = total.0;
            }
            fits
        }

        fn owe(&mut self, _place: usize, _total: Usd) {}

        fn told(&mut self, _place: usize, _doing: &str) {}

        fn done(&mut self, place: usize, needed: &u64) {
            self.has += self.given[place] - needed;
        }
    }

    #[test]
    fn nobody_is_given_what_another_has_and_a_panic_takes_nobody_along() {
        let spend = |place: usize, watch: &dyn RunHandle| {
            assert_ne!(place, 1, "this one ends in a panic, on purpose");
            (1..=100).take_while(|dollars| watch.afford(Usd(*dollars))).last().unwrap_or(0)
        };
        let mut pocket = Pocket { has: 120, given: [0; 3] };
        let ends = side_by_side(&[None; 3], &Still, spend, &mut pocket);
        let [Some(first), None, Some(third)] = ends.as_slice() else { panic!("{ends:?}") };
        assert_eq!(first + third, 120);
        assert_eq!(pocket.has, 0);
    }

    /// What each did, in order.
    struct Diary;

    impl Supervisor<()> for Diary {
        fn raise(&mut self, _place: usize, _total: Usd) -> bool {
            true
        }

        fn owe(&mut self, _place: usize, _total: Usd) {}

        fn told(&mut self, _place: usize, _doing: &str) {}

        fn done(&mut self, _place: usize, _end: &()) {}
    }

    #[test]
    fn those_that_share_its_words_begin_once_the_first_has_begun_to_answer_or_is_gone() {
        let diary = Mutex::new(Vec::new());
        let write = |line: String| diary.lock().unwrap().push(line);
        let answer = |place: usize, watch: &dyn RunHandle| {
            write(format!("{place} is sent"));
            if place == 0 {
                write("0 answers".to_owned());
                watch.begun();
            }
        };
        side_by_side(&[None, Some(0), Some(0)], &Still, answer, &mut Diary);
        let lines = diary.into_inner().unwrap();
        assert_eq!(lines[..2], ["0 is sent", "0 answers"], "{lines:?}");
        assert_eq!(lines.len(), 4);

        let fails = |place: usize, _watch: &dyn RunHandle| {
            assert_ne!(place, 0, "this one ends in a panic, on purpose")
        };
        assert_eq!(side_by_side(&[None, Some(0)], &Still, fails, &mut Diary), [None, Some(())]);
    }
}
