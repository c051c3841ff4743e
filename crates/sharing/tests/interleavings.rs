//! Three clones and a remote, in thousands of orders: work while others work, pushes that are lost or repeated, leases
//! that are taken, a clone that is restored from an older copy, clocks that are days apart. The remote is as unkind as
//! git's: it takes a log or a lease only where nothing of it is lost, and both together or neither.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::prelude::*;
use redraft_facts::event::{Cancelled, Entry};
use redraft_facts::ids::{CommentId, FeatureUuid};
use redraft_facts::phase::Phase;
use redraft_facts::verdict::Severity;
use redraft_sharing::{
    CloneId, Feature, History, Lease, Log, LogWriter, Pack, PackContent, Point, Proposal, Said, SaidComment,
    SharedEntry,
};
use std::collections::{BTreeMap, BTreeSet};

const DAY_MS: i64 = 86_400_000;

fn uuid() -> FeatureUuid {
    FeatureUuid::new("6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6")
}

#[derive(Clone, Default)]
struct Server {
    leases: Vec<Lease>,
    logs: BTreeMap<CloneId, Vec<Pack>>,
    /// What was accepted as part of the history, in order, and every proposal that arrived.
    events: Vec<String>,
    proposals: BTreeSet<String>,
}

impl Server {
    /// Takes a log and leases if they only add to what is there.
    fn push(&mut self, clone: &CloneId, packs: &[Pack], leases: Option<&[Lease]>) -> bool {
        let known = self.logs.get(clone).map_or(&[][..], Vec::as_slice);
        let leases_fit = leases.is_none_or(|leases| leases.starts_with(&self.leases));
        if !packs.starts_with(known) || !leases_fit {
            return false;
        }
        let new = &packs[known.len()..];
        self.proposals.extend(new.iter().flat_map(|pack| &pack.proposals).map(|one| one.id.to_string()));
        if let Some(leases) = leases {
            self.leases = leases.to_vec();
            let fence = leases.last().unwrap().fence;
            let driven = new.iter().filter(|pack| pack.fence == fence);
            self.events.extend(driven.flat_map(|pack| &pack.entries).map(|entry| entry.body.clone()));
        }
        if !packs.is_empty() {
            self.logs.insert(clone.clone(), packs.to_vec());
        }
        true
    }
}

/// A clone as it would be found on its disk.
#[derive(Clone)]
struct Place {
    writer: LogWriter,
    known: Feature,
    /// How often it had to write under another name.
    names: u32,
    clock_ms: i64,
    said: u32,
}

impl Place {
    fn new(name: &str, clock_ms: i64) -> Place {
        let writer =
            LogWriter { clone: CloneId::new(name).unwrap(), by: name.to_owned(), place: name.to_owned() };
        Place { writer, known: Feature::new(uuid()), names: 0, clock_ms, said: 0 }
    }

    fn key(&self) -> String {
        format!("key of {}", self.writer.clone)
    }

    fn own(&self) -> &[Pack] {
        self.known.logs.get(&self.writer.clone).map_or(&[], |log| &log.packs)
    }

    fn fetch(&mut self, server: &Server) {
        let mut own = self.own().to_vec();
        let there = server.logs.get(&self.writer.clone).cloned().unwrap_or_default();
        if there.starts_with(&own) {
            own = there;
        } else if !own.starts_with(&there) {
            // Another copy of this clone has published: this one goes on under another name, and says again what it
            // had said since.
            let common = own.iter().zip(&there).take_while(|(one, other)| one == other).count();
            let unsaid: Vec<Proposal> =
                own[common..].iter().flat_map(|pack| pack.proposals.clone()).collect();
            self.names += 1;
            let name = format!("{}-{}", self.writer.by, self.names);
            let taken = server.logs.keys().any(|clone| clone.as_str() == name);
            self.writer.clone =
                CloneId::new(&if taken { format!("{name}-x{}", self.said) } else { name }).unwrap();
            self.take_in(server, Vec::new());
            if !unsaid.is_empty() {
                self.add(Vec::new(), unsaid);
            }
            return;
        }
        self.take_in(server, own);
    }

    fn take_in(&mut self, server: &Server, own: Vec<Pack>) {
        let mut feature = Feature::new(uuid());
        feature.leases = server.leases.clone();
        let mut logs = server.logs.clone();
        logs.insert(self.writer.clone.clone(), own);
        for (clone, packs) in logs {
            for pack in packs {
                let key = format!("key of {clone}");
                feature.push(pack, &key).unwrap();
            }
        }
        self.known = feature;
    }

    fn add(&mut self, entries: Vec<SharedEntry>, proposals: Vec<Proposal>) {
        let key = self.key();
        let content = PackContent { called: "001".to_owned(), entries, proposals, ..PackContent::default() };
        let pack = self.known.next_pack(&self.writer, content);
        self.known.push(pack, &key).unwrap();
    }

    fn drives(&self) -> bool {
        self.known.lease_of(&self.writer.clone).is_some()
    }

    fn work(&mut self, events: u8) {
        let entries = (0..events).map(|_| {
            self.said += 1;
            let why = format!("{} {}", self.writer.clone, self.said);
            let event = Cancelled { by: self.writer.by.clone(), why }.into();
            SharedEntry::new(&Entry { seq: 1, at_ms: self.clock_ms, event }, "salt".to_owned())
        });
        let entries = entries.collect();
        self.add(entries, Vec::new());
    }

    fn propose(&mut self) {
        self.said += 1;
        let id = CommentId::new(format!("{}.{}", self.writer.clone, self.said));
        let comment = SaidComment {
            phase: Phase::Specify,
            reopens: None,
            severity: Severity::Blocker,
            file: String::new(),
            line: 0,
            text: "no".to_owned(),
        };
        let seen = self.known.history().unwrap().end;
        let (at_ms, by) = (self.clock_ms, self.writer.by.clone());
        self.add(Vec::new(), vec![Proposal { id, seen, at_ms, by, said: Said::Comment(comment) }]);
    }

    /// Pushes as a driver or not; if the answer is lost, this clone knows nothing of it.
    fn publish(&mut self, server: &mut Server, gives_up: bool, answered: bool) {
        for _ in 0..2 {
            let steps = self.known.next_leases(&self.writer.clone, gives_up);
            let leases: Vec<Lease> = self.known.leases.iter().chain(&steps).cloned().collect();
            let moved = (!steps.is_empty()).then_some(leases.as_slice());
            let done = server.push(&self.writer.clone.clone(), self.own(), moved);
            if done {
                if answered {
                    self.known.leases = leases;
                }
                return;
            }
            self.fetch(server);
        }
    }

    fn take(&mut self, server: &mut Server, by_force: bool) {
        let Ok(lease) = self.known.wanted_lease(&self.writer, by_force, self.clock_ms) else { return };
        if Some(&lease) == self.known.lease() {
            return;
        }
        let leases: Vec<Lease> = self.known.leases.iter().cloned().chain([lease]).collect();
        if leases.starts_with(&server.leases) {
            server.leases.clone_from(&leases);
            self.known.leases = leases;
        } else {
            self.fetch(server);
        }
    }
}

fn bodies(history: &History) -> Vec<String> {
    history.entries.iter().map(|one| one.entry.body.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn in_every_order_all_clones_find_one_history_and_nothing_is_lost(
        acts in prop::collection::vec((0_usize..3, 0_u8..10, any::<bool>()), 1..40)
    ) {
        let mut server = Server::default();
        let mut places =
            [Place::new("ann", 0), Place::new("bob", DAY_MS), Place::new("ci", -DAY_MS)];
        let mut copies = places.clone();
        let mut published: Vec<String> = Vec::new();
        for (who, act, yes) in acts {
            let place = &mut places[who];
            match act {
                0 => place.fetch(&server),
                1 | 2 if place.drives() => place.work(act),
                1..=3 => place.propose(),
                4 | 5 => place.publish(&mut server, act == 5, true),
                6 => place.publish(&mut server, yes, false),
                7 => place.take(&mut server, yes),
                8 => copies[who] = place.clone(),
                // The copy has the time of its own disk and the same name.
                _ => *place = copies[who].clone(),
            }
            // What was part of the history stays that.
            prop_assert!(server.events.starts_with(&published));
            published.clone_from(&server.events);
            let seen = bodies(&places[who].known.history().unwrap());
            prop_assert!(
                server.events.starts_with(&seen),
                "{} sees {seen:?}, but there is {:?}", places[who].writer.clone, server.events
            );
        }
        // At last everybody is there, and says what is left to say.
        for _ in 0..2 {
            for place in &mut places {
                place.fetch(&server);
                place.publish(&mut server, false, true);
            }
        }
        for place in &mut places {
            place.fetch(&server);
        }
        let found: Vec<History> = places.iter().map(|place| place.known.history().unwrap()).collect();
        for (history, place) in found.iter().zip(&places) {
            prop_assert!(history.is_whole);
            prop_assert_eq!(bodies(history), server.events.clone());
            let proposed: Vec<String> = history.proposals.iter().map(|one| one.proposal.id.to_string()).collect();
            let ids: BTreeSet<String> = proposed.iter().cloned().collect();
            prop_assert_eq!(&ids, &server.proposals);
            prop_assert_eq!(&history.proposals, &found[0].proposals, "{} has another order", place.writer.clone);
        }
    }
}

/// A log of two packs and the leases for it.
fn published() -> (Vec<Lease>, Log) {
    let mut server = Server::default();
    let mut ann = Place::new("ann", 0);
    ann.take(&mut server, false);
    ann.work(2);
    ann.publish(&mut server, false, true);
    ann.work(1);
    ann.publish(&mut server, true, true);
    let log = ann.known.logs.remove(&ann.writer.clone).unwrap();
    (server.leases, log)
}

fn read(leases: &[Lease], log: &Log) -> Result<History, String> {
    let mut feature = Feature::new(uuid());
    feature.leases = leases.to_vec();
    for pack in &log.packs {
        feature.push(pack.clone(), &log.key)?;
    }
    feature.history().map_err(|altered| altered.to_string())
}

#[test]
fn a_log_or_a_lease_that_was_altered_is_named() {
    let (leases, log) = published();
    assert_eq!(read(&leases, &log).unwrap().entries.len(), 3);
    let with = |change: &dyn Fn(&mut Vec<Lease>, &mut Vec<Pack>)| {
        let (mut leases, mut log) = (leases.clone(), log.clone());
        change(&mut leases, &mut log.packs);
        read(&leases, &log)
    };
    type Change<'a> = &'a dyn Fn(&mut Vec<Lease>, &mut Vec<Pack>);
    let changes: [(&str, Change<'_>); 9] = [
        ("does not follow the pack before", &|_, packs| packs[0].entries[1].body = "{}".to_owned()),
        ("not the one that was written", &|_, packs| {
            packs[0].entries[1] = packs[0].entries[1].replaced("{}".to_owned());
        }),
        ("does not follow the pack before", &|_, packs| packs[0].place = "elsewhere".to_owned()),
        ("does not follow the pack before", &|_, packs| drop(packs.remove(0))),
        ("clock goes backwards", &|_, packs| packs[1].clock = 1),
        ("do not go on where they should", &|_, packs| packs[1].after = Point::default()),
        ("not those that its lease speaks of", &|_, packs| drop(packs[1].entries.pop())),
        ("does not follow the one before", &|leases, _| drop(leases.remove(0))),
        ("does not follow the one before", &|leases, _| leases[1].at = Point::default()),
    ];
    for (at, (expected, change)) in changes.into_iter().enumerate() {
        match with(change) {
            Err(told) => assert!(told.contains(expected), "{at}: {told}"),
            Ok(history) => assert!(!history.is_whole && at == 6, "{at}: nobody noticed: {history:?}"),
        }
    }
    // The last pack is only covered by the lease.
    let last = with(&|_, packs| packs[1].entries[0].body = "{}".to_owned());
    assert!(last.unwrap_err().contains("not those that its lease speaks of"));
    // Of a log whose end is missing, its beginning counts, and it is known that more was there.
    let short = with(&|_, packs| drop(packs.pop())).unwrap();
    assert!(!short.is_whole && short.entries.len() == 2);
}

#[test]
fn an_edition_without_a_body_is_the_same_history_and_nothing_else_may_change_with_it() {
    let (leases, log) = published();
    let edition = |change: &dyn Fn(&mut Vec<Pack>)| {
        let mut packs = log.packs.clone();
        change(&mut packs);
        let mut next = Log::new(log.clone.clone(), 2, log.key.clone());
        for pack in packs {
            let before = next.packs.last().map(Pack::checksum).unwrap_or_default();
            next.push(Pack { before, ..pack }, &log.key).unwrap();
        }
        next
    };
    let without = edition(&|packs| packs[0].entries[1] = packs[0].entries[1].replaced("{}".to_owned()));
    assert!(without.goes_on_from(&log));
    let logs = [(log.clone.clone(), without)].into();
    let (before, after) =
        (read(&leases, &log).unwrap(), History::from_logs(&uuid(), &leases, &logs).unwrap());
    assert_eq!((before.end, before.entries.len()), (after.end, after.entries.len()));
    assert_eq!(after.entries[1].entry.body, "{}");
    for other in [
        edition(&|packs| drop(packs.pop())),
        edition(&|packs| packs[0].entries[1].body = "{}".to_owned()),
        edition(&|packs| packs[1].fence += 1),
    ] {
        assert!(!other.goes_on_from(&log), "{other:?}");
    }
}

#[test]
fn what_a_driver_writes_after_another_has_taken_over_counts_nowhere() {
    let mut server = Server::default();
    let (mut ann, mut bob) = (Place::new("ann", 0), Place::new("bob", 0));
    ann.take(&mut server, false);
    ann.work(1);
    ann.publish(&mut server, false, true);
    bob.fetch(&server);
    bob.take(&mut server, false);
    assert!(!bob.drives(), "a lease that is held is not taken without force");
    bob.take(&mut server, true);
    assert!(bob.drives());
    ann.work(1);
    ann.publish(&mut server, false, true);
    assert!(!ann.drives());
    bob.work(2);
    bob.publish(&mut server, true, true);
    for place in [&mut ann, &mut bob] {
        place.fetch(&server);
        let history = place.known.history().unwrap();
        assert_eq!(history.entries.len(), 3);
        assert_eq!(history.late.get(&CloneId::new("ann").unwrap()), Some(&1));
    }
}
