//! The fleet's money: whatever happens to workers, what is counted is at least what was spent, and never more than the
//! budget.

use proptest::prelude::*;
use redraft_fleet::book::{Book, Grant, Offer, Request, Settlement};
use redraft_fleet::past::{Past, Slip};

const BUDGET: u64 = 1_000;

/// What can happen to a feature.
#[derive(Clone, Copy, Debug)]
enum Happening {
    /// It is driven, spends a share of its portion and reports.
    Reports(u64),
    /// Its drive spends and dies; the same worker looks, and sees all of it.
    Dies(u64),
    /// Its machine goes after spending, of which it had published a share; another worker looks and takes it.
    Vanishes(u64, u64),
    /// It gives the feature up in order, publishes all, and reports nothing.
    GivesUp(u64),
    /// A settlement comes a second time.
    Repeats,
    Ends,
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        (0..=100u64).prop_map(Happening::Reports),
        (0..=100u64).prop_map(Happening::Dies),
        (0..=100u64, 0..=100u64).prop_map(|(spends, publishes)| Happening::Vanishes(spends, publishes)),
        (0..=100u64).prop_map(Happening::GivesUp),
        Just(Happening::Repeats),
        Just(Happening::Ends),
    ]
}

/// A feature, with what is true of it.
struct Feature {
    past: Past,
    /// What was really spent, by anybody.
    truth: u64,
    /// What the shared history says.
    published: u64,
    last: Option<Settlement>,
    runs: u32,
}

impl Feature {
    fn new(number: usize, runs: u32) -> Self {
        let past = Past { run: format!("{number}.{runs}"), ..Past::default() };
        Self { past, truth: 0, published: 0, last: None, runs }
    }

    fn settle(&mut self, book: &mut Book, grants: Vec<String>, ended: bool) {
        let settlement = Settlement { ended, ..self.past.settlement(0, grants) };
        book.settle(settlement.clone());
        self.last = (!ended).then_some(settlement);
    }
}

fn ask(book: &mut Book, feature: &Feature, id: &str, amount_micro_usd: u64) -> Option<Grant> {
    book.ask(Request {
        id: id.to_owned(),
        run: feature.past.run.clone(),
        repository: "shop".to_owned(),
        amount_micro_usd,
        ..Request::default()
    });
    let given = book.give().pop();
    if given.is_none() {
        book.waiting.clear();
    }
    given
}

proptest! {
    #[test]
    fn what_is_counted_is_never_less_than_what_was_spent_and_never_more_than_the_budget(
        steps in prop::collection::vec((0..4usize, happening(), 1..=200u64), 1..60),
    ) {
        let mut book = Book { budget_micro_usd: Some(BUDGET), ..Book::default() };
        let offer = Offer { repositories: ["shop".to_owned()].into(), places: 64, ..Offer::default() };
        book.announce("one".to_owned(), offer.clone());
        book.announce("two".to_owned(), offer);
        let mut features: Vec<Feature> = (0..4).map(|number| Feature::new(number, 0)).collect();
        let mut over = 0;
        for (step, (number, what, amount)) in steps.into_iter().enumerate() {
            let feature = &mut features[number];
            if let (Happening::Repeats, Some(last)) = (what, feature.last.clone()) {
                book.settle(last);
            } else if let Happening::Ends = what {
                feature.settle(&mut book, Vec::new(), true);
                over += feature.truth;
                features[number] = Feature::new(number, feature.runs + 1);
            } else if let Some(grant) = ask(&mut book, feature, &step.to_string(), amount) {
                feature.past.open.push(Slip { id: grant.id.clone(), worker: grant.worker, amount_micro_usd: amount });
                let share = |percent: u64| amount * percent / 100;
                match what {
                    Happening::Reports(percent) => {
                        feature.truth += share(percent);
                        feature.published += share(percent);
                        feature.past.reported(feature.published);
                    }
                    Happening::Dies(percent) => {
                        feature.truth += share(percent);
                        feature.published += share(percent);
                        let worker = feature.past.open[0].worker.clone();
                        feature.past.looked(&worker, feature.published, false);
                    }
                    Happening::Vanishes(percent, publishes) => {
                        feature.truth += share(percent);
                        feature.published += share(percent) * publishes / 100;
                        feature.past.looked("elsewhere", feature.published, true);
                    }
                    Happening::GivesUp(percent) => {
                        feature.truth += share(percent);
                        feature.published += share(percent);
                        feature.past.looked("elsewhere", feature.published, false);
                    }
                    Happening::Repeats | Happening::Ends => {}
                }
                feature.past.written_off();
                feature.settle(&mut book, vec![grant.id], false);
            }
            let truth: u64 = over + features.iter().map(|feature| feature.truth).sum::<u64>();
            prop_assert!(book.counted_micro_usd() >= truth, "{} counted, {truth} spent", book.counted_micro_usd());
            prop_assert!(book.counted_micro_usd() <= BUDGET);
        }
    }

    #[test]
    fn an_account_and_a_worker_never_have_more_drives_than_they_may(
        asks in prop::collection::vec((0..3u8, any::<bool>(), any::<bool>()), 1..80),
        places in 1..4u32, most in 1..4u32,
    ) {
        let mut book = Book { accounts: [("0".to_owned(), most)].into(), ..Book::default() };
        for worker in ["one", "two"] {
            let offer = Offer { repositories: ["shop".to_owned()].into(), places, ..Offer::default() };
            book.announce(worker.to_owned(), offer);
        }
        let mut given: Vec<Grant> = Vec::new();
        for (number, (account, errand, ends)) in asks.into_iter().enumerate() {
            book.ask(Request {
                id: number.to_string(), run: number.to_string(), repository: "shop".to_owned(),
                account: account.to_string(), errand, amount_micro_usd: 1, ..Request::default()
            });
            given.extend(book.give());
            let drives = |of: &dyn Fn(&Grant) -> bool| given.iter().filter(|one| !one.errand && of(one)).count() as u32;
            prop_assert!(drives(&|one| one.account == "0") <= most);
            prop_assert!(drives(&|one| one.worker == "one") <= places);
            prop_assert!(drives(&|one| one.worker == "two") <= places);
            if ends && !given.is_empty() {
                let grant = given.remove(0);
                book.settle(Settlement { run: grant.id.clone(), ended: true, ..Settlement::default() });
            }
        }
        // Whoever waits is not forgotten: with room for all, all are served.
        book.accounts.clear();
        for offer in book.workers.values_mut() {
            offer.places = 100;
        }
        book.give();
        prop_assert!(book.waiting.is_empty());
    }
}
