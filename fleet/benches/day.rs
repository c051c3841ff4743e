//! A day of 10,000 features against the book of the office, in simulated time: how long features wait, how large the book
//! gets, and what keeping it costs. Workers go and come back as machines do. `cargo bench --bench day`; nothing here
//! talks to a server.

use redraft_fleet::book::{Book, Grant, Offer, Request, Settlement};
use redraft_fleet::past::{Past, Slip};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::time::{Duration, Instant};

const DAY_S: u64 = 24 * 3600;
const FEATURES: usize = 10_000;
const REPOSITORIES: usize = 200;
const WORKERS: usize = 150;
const PLACES: u32 = 4;
/// Of the repositories, each worker has one in this many.
const ONE_IN: usize = 10;
const DRIVES: u32 = 3;
/// A drive takes between these.
const DRIVE_S: (u64, u64) = (300, 2_100);
/// A person answers after up to this long.
const ANSWER_S: u64 = 2 * 3600;
/// How often a worker goes, and how long its silence is not noticed and it then stays away.
const GOES_EVERY_S: u64 = DAY_S;
const NOTICED_S: u64 = 90;
const AWAY_S: u64 = 600;
const PORTION: u64 = 2_000_000;
/// Events of the office's history for a drive, the most that the trials had.
const EVENTS_A_DRIVE: u64 = 17;
/// After which the office goes on with an empty history.
const EVENTS_MAX: u64 = 8_000;

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Happens {
    Asks(usize),
    /// The drive with this number ends, if nothing has ended it before.
    Ends(usize, u32),
    Goes(usize),
    Noticed(usize),
    Back(usize),
}

struct Feature {
    past: Past,
    asked_s: u64,
    asks: u32,
    granted: Option<Grant>,
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }
}

fn repository(feature: usize) -> String {
    format!("git@example.invalid:team/repository-{}.git", feature % REPOSITORIES)
}

fn offer(worker: usize) -> Offer {
    let has = |at: &usize| at % ONE_IN == worker % ONE_IN;
    let repositories: BTreeSet<String> = (0..REPOSITORIES).filter(has).map(repository).collect();
    Offer { repositories, agents: ["claude".to_owned()].into(), places: PLACES, ..Offer::default() }
}

fn name(worker: usize) -> String {
    format!("worker-{worker:03}.example.invalid")
}

fn main() {
    let mut dice = Dice(0x5eed_cafe_f00d);
    let mut book = Book { v: 1, budget_micro_usd: Some(u64::MAX / 2), ..Book::default() };
    book.accounts = (0..5).map(|at| (format!("account-{at}"), 120)).collect();
    let mut queue = BinaryHeap::new();
    for worker in 0..WORKERS {
        book.announce(name(worker), offer(worker));
        queue.push(Reverse((dice.below(GOES_EVERY_S), Happens::Goes(worker))));
    }
    let mut features: Vec<Feature> = Vec::new();
    for number in 0..FEATURES {
        let run = format!("00000000-0000-4000-8000-{number:012}");
        let past = Past { run, ..Past::default() };
        features.push(Feature { past, asked_s: 0, asks: 0, granted: None });
        queue.push(Reverse((dice.below(DAY_S), Happens::Asks(number))));
    }
    let by_run: BTreeMap<String, usize> =
        features.iter().enumerate().map(|(at, feature)| (feature.past.run.clone(), at)).collect();
    let (mut waits, mut given, mut lost, mut ended) = (Vec::new(), 0u64, 0u64, 0usize);
    let (mut most_open, mut most_bytes, mut most_waiting) = (0, 0, 0);
    let (mut keeping, mut slowest) = (Duration::ZERO, Duration::ZERO);
    let mut last_s = 0;
    while let Some(Reverse((now_s, happens))) = queue.pop() {
        match happens {
            Happens::Asks(at) => {
                let feature = &mut features[at];
                feature.asks += 1;
                feature.asked_s = now_s;
                book.ask(Request {
                    id: format!("{}.{}", feature.past.run, feature.asks),
                    workflow: feature.past.run.clone(),
                    run: feature.past.run.clone(),
                    repository: repository(at),
                    account: format!("account-{}", at % 5),
                    amount_micro_usd: PORTION,
                    prefers: feature.past.at.clone(),
                    ..Request::default()
                });
            }
            Happens::Ends(at, asks) => {
                let feature = &mut features[at];
                let Some(grant) = feature.granted.take_if(|_| feature.asks == asks) else { continue };
                feature.past.reported(feature.past.total_micro_usd + PORTION / 4);
                feature.past.drives += 1;
                let is_over = feature.past.drives == DRIVES;
                book.settle(Settlement { ended: is_over, ..feature.past.settlement(0, vec![grant.id]) });
                ended += usize::from(is_over);
                if !is_over {
                    queue.push(Reverse((now_s + dice.below(ANSWER_S), Happens::Asks(at))));
                }
            }
            Happens::Goes(worker) => {
                queue.push(Reverse((now_s + NOTICED_S, Happens::Noticed(worker))));
                queue.push(Reverse((now_s + AWAY_S, Happens::Back(worker))));
            }
            Happens::Noticed(worker) => {
                let gone = name(worker);
                for (at, feature) in features.iter_mut().enumerate() {
                    let Some(grant) = feature.granted.take_if(|grant| grant.worker == gone) else { continue };
                    lost += 1;
                    // Another worker looks, and finds what was published: nothing of this portion.
                    feature.past.looked("another", feature.past.total_micro_usd, true);
                    feature.past.at = None;
                    let silent = Some(gone.clone());
                    book.settle(Settlement { silent, ..feature.past.settlement(0, vec![grant.id]) });
                    queue.push(Reverse((now_s, Happens::Asks(at))));
                }
                book.leave(&gone);
            }
            Happens::Back(worker) => book.announce(name(worker), offer(worker)),
        }
        let begun = Instant::now();
        let grants = book.give();
        let took = begun.elapsed();
        keeping += took;
        slowest = slowest.max(took);
        for grant in grants {
            let at = by_run[&grant.workflow];
            let feature = &mut features[at];
            given += 1;
            waits.push(now_s - feature.asked_s);
            let (id, worker) = (grant.id.clone(), grant.worker.clone());
            feature.past.open.push(Slip { id, worker: worker.clone(), amount_micro_usd: PORTION });
            feature.past.at = Some(worker);
            feature.granted = Some(grant);
            let takes_s = DRIVE_S.0 + dice.below(DRIVE_S.1 - DRIVE_S.0);
            queue.push(Reverse((now_s + takes_s, Happens::Ends(at, feature.asks))));
        }
        let open: usize = book.features.values().map(|entry| entry.grants.len()).sum();
        most_open = most_open.max(open);
        most_waiting = most_waiting.max(book.waiting.len());
        if given.is_multiple_of(100) {
            most_bytes = most_bytes.max(serde_json::to_vec(&book).map_or(0, |bytes| bytes.len()));
        }
        last_s = now_s;
    }
    waits.sort_unstable();
    let at = |part: f64| waits[((waits.len() - 1) as f64 * part) as usize];
    let events = given * EVENTS_A_DRIVE;
    assert_eq!(ended, FEATURES, "every feature ends");
    assert!(book.features.is_empty() && book.waiting.is_empty(), "nothing is left in the book");
    println!(
        "{FEATURES} features in {REPOSITORIES} repositories, {WORKERS} workers with {PLACES} places each"
    );
    println!(
        "drives: {given}, of them lost with a worker: {lost}; at most {most_open} at a time; over after {} h",
        last_s / 3600
    );
    println!(
        "waited for a place: median {} s, 95th percentile {} s, most {} s; at most {most_waiting} at a time",
        at(0.5),
        at(0.95),
        at(1.0)
    );
    println!(
        "the book: at most {} KB; the office's history: {events} events, {} times a new one",
        most_bytes / 1024,
        events / EVENTS_MAX
    );
    println!(
        "`give`: {:.1} ms on the average, {:.1} ms at most",
        keeping.as_secs_f64() * 1000.0 / given as f64,
        slowest.as_secs_f64() * 1000.0
    );
}
