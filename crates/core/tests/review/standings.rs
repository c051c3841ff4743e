//! Where a feature stands, for every sequence of events and after every one of them: above all, it is said to wait for a
//! person exactly when it does.

use super::draws::*;
use super::world::*;
use core::cell::RefCell;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::review::Effect;
use redraft_facts::event::*;
use redraft_facts::findings::Status;
use redraft_facts::phase::{Lane, Phase};
use redraft_facts::prelude::*;
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_facts::usage::Usd;
use redraft_reports::html::escaped;
use redraft_reports::narration::Narrator;
use redraft_reports::pages::parts::chip;
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::{Standing, Surroundings};
use redraft_reports::view::{AskedView, Overview, PhaseState, PhaseView};

/// Histories that are drawn, each with every beginning of it.
const HISTORIES: u32 = 1_000;

/// A world that also meets usage limits and budgets, or is a document by itself.
fn any_history() -> impl Strategy<Value = World> {
    let draws = proptest::collection::vec(any::<u8>(), 1..200);
    let more =
        (prop_oneof![Just(0u8), 0u8..40], prop_oneof![Just(0u8), 0u8..10], proptest::bool::weighted(0.2));
    (any_rules(), any_habits(), draws, more).prop_map(|(rules, habits, draws, (parks, short, alone))| {
        let habits = Habits { parks, short, turns: if alone { 0 } else { habits.turns }, ..habits };
        let alone_in = |rules: Rules| Rules { alone, lane: Lane::Standard, until: Phase::Specify, ..rules };
        World::new(if alone { alone_in(rules) } else { rules }, habits, draws)
    })
}

/// What the events say about a feature, kept apart from the machine: what was sent and has not ended, which limits
/// were reached, whether the budget is too small.
#[derive(Default)]
struct Told {
    under_way: BTreeSet<Ticket>,
    handed_out: BTreeSet<Ticket>,
    parked: BTreeSet<String>,
    short: Option<BudgetReached>,
}

impl Told {
    fn take(&mut self, event: &Event, state: &Pipeline) {
        match event {
            Event::Started(fact) => {
                self.under_way.insert(fact.ticket.clone());
                self.parked.remove(fact.agent.as_str());
                self.short = None;
                if fact.pull {
                    self.handed_out.insert(fact.ticket.clone());
                }
            }
            Event::Answered(fact) => drop(self.handed_out.remove(&fact.ticket)),
            Event::Failed(Failed { ticket, now, .. }) => {
                if let AfterFailure::ParkUntil(_) = now {
                    self.parked.insert("fake".to_owned());
                }
                self.end(ticket);
            }
            Event::Lost(Lost { ticket, .. })
            | Event::Drafted(Drafted { ticket, .. })
            | Event::Built(Built { ticket, .. })
            | Event::Judged(Judged { ticket, .. })
            | Event::RetroWritten(RetroWritten { ticket: Some(ticket), .. })
            | Event::BankJudged(BankJudged { ticket: Some(ticket), .. }) => self.end(ticket),
            Event::BudgetReached(fact) => self.short = Some(fact.clone()),
            Event::BudgetSet(set) => {
                let counted = state.money.counted();
                self.short = self.short.take().filter(|short| counted + short.needed > set.limit);
            }
            _ => {}
        }
    }

    fn end(&mut self, ticket: &Ticket) {
        self.under_way.remove(ticket);
        self.handed_out.remove(ticket);
    }
}

fn check(state: &Pipeline, told: &Told, alone: bool) -> Result<&'static str, TestCaseError> {
    let standing = Standing::new(state);
    let effects = pipeline::pending(state);
    let sends = effects.iter().any(|effect| matches!(effect, Effect::Dispatch(_)));
    let over = state.cancelled || state.merged.is_some();
    let asks = !over && effects.iter().any(|effect| matches!(effect, Effect::Ask(_)));
    let writes = |effect: &Effect| match effect {
        Effect::Dispatch(order) => matches!(order.ticket.purpose, Purpose::Revise | Purpose::Draft),
        _ => false,
    };
    let left_to_a_person = alone && matches!(effects.as_slice(), [only] if writes(only));
    let unpaid = told.short.is_some() && told.under_way.len() == told.handed_out.len() && sends;
    let rests = alone && matches!(effects.as_slice(), [Effect::ClosePhase { .. }]);
    // Exactly where the machine asks, the document is left to its writer, or there is no money.
    let waits = asks || left_to_a_person || (unpaid && !rests);
    prop_assert_eq!(standing.waits_for_you(), waits, "{:?} {:?}", &standing, &effects);
    prop_assert_eq!(matches!(standing, Standing::Asked { .. }), asks);
    if let Standing::Asked { phase, number, .. } = &standing {
        let open = state.open.as_ref().unwrap();
        prop_assert_eq!((*phase, *number), (open.opened.phase, open.decided + 1));
    }
    // Where agents of ours are at work, that and nothing else is said.
    let at_work = told.under_way.len() > told.handed_out.len();
    prop_assert_eq!(matches!(standing, Standing::Working { .. }), at_work, "{:?} {:?}", &standing, &effects);
    if let Standing::Working { dispatches } = &standing {
        prop_assert_eq!(*dispatches as usize, told.under_way.len());
    }
    // What can go on at once is never said to wait, and what is over has nothing to do.
    let parked = matches!(standing, Standing::Parked { .. });
    prop_assert!(!parked || (sends && !told.parked.is_empty()), "{:?}", &standing);
    let ended =
        matches!(standing, Standing::Done | Standing::ReadyToMerge | Standing::Merged | Standing::Abandoned);
    prop_assert_eq!(ended, effects.is_empty() || over || rests, "{:?} {:?}", &standing, &effects);
    agrees(state, &standing)?;
    Ok(standing.name())
}

/// The row that `status --json` shows says the same, at any moment.
fn agrees(state: &Pipeline, standing: &Standing) -> Result<(), TestCaseError> {
    let row = BoardRow::new(state, 0);
    prop_assert_eq!(&row.standing, standing);
    prop_assert_eq!(row.status == "waiting", matches!(standing, Standing::Asked { .. }));
    prop_assert_eq!(row.question.is_some(), matches!(standing, Standing::Asked { .. }));
    let stored = serde_json::to_string(&row).unwrap();
    prop_assert_eq!(&serde_json::from_str::<BoardRow>(&stored).unwrap(), &row);
    for (now_ms, is_driven) in [(0, false), (0, true), (i64::MAX, false), (i64::MAX, true)] {
        let around = Surroundings { now_ms, is_driven, ..Surroundings::default() };
        let (row, now) = (row.clone().now(&around), standing.clone().now(&around));
        prop_assert_eq!((&row.standing, row.waits_for_you), (&now, now.waits_for_you()));
        // Every page says it in these words, on the board and at the head of a feature's own.
        let chip = chip(&row).into_string();
        prop_assert!(chip.contains(&escaped(&row.standing_in_words())), "{}", &chip);
        prop_assert_eq!(chip.contains("waiting for you"), row.waits_for_you, "{}", &chip);
        prop_assert_eq!(now.clone().now(&around), now.clone(), "said twice, it is the same");
        // A process that drives it makes a question no less one, and without one nobody works.
        let works = matches!(now, Standing::Working { .. });
        prop_assert!(is_driven || !works);
        prop_assert_eq!(matches!(now, Standing::Asked { .. }), matches!(standing, Standing::Asked { .. }));
        prop_assert!(is_driven || now.waits_for_you() == standing.waits_for_you());
        prop_assert!(now_ms == 0 || now.parked_until_ms().is_none(), "a park that is over");
        // A run that asks on its terminal waits, unless it is over or an event asks already.
        let asking = standing.clone().now(&Surroundings { asks: is_driven, ..around.clone() });
        let is_over = matches!(now.name(), "ready-to-merge" | "merged" | "done" | "abandoned");
        prop_assert!(!is_driven || asking.waits_for_you() != is_over, "{asking:?}");
        prop_assert!(is_driven || asking == now);
        let with_hosts = matches!(now, Standing::WithHosts { .. });
        prop_assert!(now_ms == 0 || (!with_hosts && row.out.is_empty()), "a lease that is over");
    }
    Ok(())
}

/// The story of a phase that closes names whom a person's ruling stood in for.
fn told_at_its_end(event: &Event, state: &Pipeline) -> Result<(), TestCaseError> {
    let Event::PhaseClosed(fact) = event else { return Ok(()) };
    let Some(last) = state.latest().filter(|_| fact.phase != Phase::Finish) else { return Ok(()) };
    let told = Narrator::new(false).tell(event, state).join("\n");
    let ruled: Vec<_> = last.reviewers.iter().filter(|seat| seat.ruled()).collect();
    prop_assert_eq!(told.contains(" in place of "), !ruled.is_empty(), "{}", &told);
    prop_assert!(ruled.iter().all(|seat| told.contains(seat.role.as_str())), "{}", &told);
    let unread = fact.approvals.is_empty() && ruled.is_empty();
    prop_assert_eq!(told.contains("no reviewer has approved it"), unread, "{}", &told);
    Ok(())
}

/// What pages are drawn from, at the end of a history.
fn overview_agrees(log: &[Entry], state: &Pipeline) -> Result<(), TestCaseError> {
    for is_driven in [false, true] {
        let around = Surroundings { is_driven, ..Surroundings::default() };
        let overview = Overview::new(log, &around).unwrap();
        let at_ms = log.last().unwrap().at_ms;
        prop_assert_eq!(&overview.row, &BoardRow::new(state, at_ms).now(&around));
        prop_assert_eq!(&overview.row.standing, &Standing::new(state).now(&around));
        let flights = state.open.iter().flat_map(|open| open.flights()).count();
        prop_assert_eq!(overview.under_way.len(), flights);
        let cut_off = |standing: &Standing| match standing {
            Standing::Interrupted { dispatches } => *dispatches as usize,
            _ => 0,
        };
        let ours = overview.under_way.iter().filter(|one| one.is_cut_off && !one.is_with_host).count();
        prop_assert!(!is_driven || ours == 0, "somebody works on it");
        prop_assert!(ours <= cut_off(&overview.row.standing), "{:?}", overview.row.standing);
        prop_assert_eq!(overview.timeline.len(), log.len());
        // A form answers the question that stands, and names the event in which it was asked.
        let asked = AskedView::new(log).unwrap();
        prop_assert_eq!(asked.is_some(), overview.row.question.is_some());
        if let Some(seq) = asked.and_then(|asked| asked.seq) {
            let last = log.iter().rev().find(|entry| matches!(entry.event, Event::Asked(_))).unwrap();
            prop_assert_eq!(seq, last.seq);
        }
        let money = &overview.costs.sum;
        if is_driven {
            prop_assert_eq!(money.counted(), state.money.counted());
        }
        let open = overview.findings.iter().filter(|one| one.status == Status::Open).count();
        prop_assert_eq!(open, overview.row.open_findings as usize);
        let closed = |phase: &&PhaseView| {
            !matches!(phase.state, PhaseState::Ahead | PhaseState::Open | PhaseState::Skipped)
        };
        let done: Vec<&str> =
            overview.phases_in_detail.iter().filter(closed).map(|phase| phase.phase.name()).collect();
        prop_assert_eq!(done, overview.row.done.iter().map(String::as_str).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn it_waits_for_a_person_exactly_when_nothing_goes_on_without_one() {
    let config = ProptestConfig { cases: HISTORIES, failure_persistence: None, ..ProptestConfig::default() };
    let seen = RefCell::new(BTreeSet::new());
    let tried = TestRunner::new(config).run(&any_history(), |mut world| {
        world.play(STEPS_MAX);
        let (mut state, mut told) = (Pipeline::default(), Told::default());
        for entry in &world.log {
            told.take(&entry.event, &state);
            pipeline::fold(&mut state, &entry.event).unwrap();
            seen.borrow_mut().insert(check(&state, &told, world.rules.alone)?);
            told_at_its_end(&entry.event, &state)?;
        }
        overview_agrees(&world.log, &state)?;
        for end in ends(&state) {
            if let Ok(ended) = pipeline::step(&state, &end) {
                seen.borrow_mut().insert(check(&ended, &told, world.rules.alone)?);
            }
        }
        Ok(())
    });
    tried.unwrap();
    let all = "abandoned asked done findings merged over-budget parked planned ready ready-to-merge with-hosts working";
    assert_eq!(seen.into_inner().into_iter().collect::<Vec<_>>().join(" "), all, "none is left out");
}

/// What a person may do at the end of a history.
fn ends(state: &Pipeline) -> Vec<Event> {
    let by = || "someone".to_owned();
    let (into, commit, history) = ("main".into(), "c".into(), MergeHistory::Keep);
    let limit = state.money.counted() + Usd(1);
    vec![
        Cancelled { by: by(), why: "w".into() }.into(),
        Merged { into, commit, history, by: by() }.into(),
        BudgetSet { limit, by: by() }.into(),
    ]
}
