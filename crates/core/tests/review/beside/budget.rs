//! What tasks that are carried out side by side may cost together.

use super::*;
use redraft_cost::price::{Budget, OverBudget};
use redraft_facts::usage::{Usage, Usd};

const LIMIT: Usd = Usd(40);

/// What is left, as a run counts it: what was billed, and what everybody who is at work has set aside.
fn budget(state: &Pipeline) -> Budget {
    let flights = open(state).into_iter().flat_map(Loop::flights).map(|(_, flight)| flight);
    let at_work = flights.filter(|flight| flight.answered.is_none()).map(|flight| flight.started.reserved);
    let in_flight = at_work.fold(Usd(0), |sum, reserved| sum + reserved);
    Budget { limit: LIMIT, spent: state.money.counted(), in_flight }
}

/// Sends what fits, as a run does, and has it cost what it may or end for lack of money. False where nothing fits.
fn send(world: &mut World, number: u8) -> Result<bool, OverBudget> {
    for effect in pending(&world.state) {
        let Effect::Dispatch(order) = effect else { continue };
        let dearest =
            Usd(1 + u64::from(number % 5)).max(order.needs.clone().map_or(Usd(0), |(_, needs)| needs));
        budget(&world.state).reserve(dearest)?;
        let strategy = order.allowed[0];
        world.happen(Started { reserved: dearest, ..sent(&order, strategy, false) });
        return Ok(true);
    }
    Ok(false)
}

fn end(world: &mut World, ticket: Ticket, number: u8) {
    let reserved = open(&world.state).unwrap().seat_of(&ticket).unwrap().flight().unwrap().started.reserved;
    let used = |cost: Usd| Usage { uncached: 1, cost, ..Usage::default() };
    let failed = |now: AfterFailure, usage: Option<Usage>| Failed {
        ticket: ticket.clone(),
        now,
        detail: "d".into(),
        usage,
        undone: vec![],
        forgot: None,
    };
    match number % 6 {
        0 => world.happen(failed(AfterFailure::OverBudget(reserved + Usd(3)), Some(used(reserved)))),
        1 => world.happen(failed(AfterFailure::GiveUp, None)),
        2 => world.happen(Lost { ticket, cost: reserved, undone: vec![] }),
        _ => world.answer(ticket, used(Usd(reserved.0.min(1 + u64::from(number % 3))))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nobody_is_sent_when_what_is_left_would_not_pay_for_the_dearest_end(
        mut world in any_beside(),
        numbers in proptest::collection::vec(any::<u8>(), 300),
    ) {
        world.habits = Habits { conflicts: world.habits.conflicts, gate_fails: world.habits.gate_fails, ..CALM };
        // What each task is known to need since it was cut off.
        let mut needs: BTreeMap<TaskId, Usd> = BTreeMap::new();
        for number in numbers {
            let owed = pending(&world.state);
            for effect in &owed {
                let Effect::Dispatch(order) = effect else { continue };
                let Some(id) = task_of(&order.ticket) else { continue };
                let known = needs.get(id).copied();
                prop_assert_eq!(order.needs.as_ref().map(|(_, needs)| *needs), known, "{}", order.ticket);
            }
            let out: Vec<Ticket> = owed.iter().filter_map(|effect| match effect {
                Effect::Recover(ticket) => Some(ticket.clone()),
                _ => None,
            }).collect();
            let sends = owed.iter().any(|effect| matches!(effect, Effect::Dispatch(_)));
            if sends && (out.is_empty() || number % 2 == 0) {
                match send(&mut world, number) {
                    Ok(sent) => prop_assert!(sent),
                    Err(over) => {
                        prop_assert!(over.needed > over.left);
                        if out.is_empty() {
                            break;
                        }
                    }
                }
            }
            if let Some(ticket) = out.into_iter().next() {
                end(&mut world, ticket, number);
            } else if owed.is_empty() || matches!(owed[..], [Effect::Ask(_)]) {
                break;
            } else if !sends {
                world.play(1);
            }
            if let Some(Event::Failed(Failed { ticket, now: AfterFailure::OverBudget(needed), .. })) = world.log.last().map(|entry| &entry.event) {
                task_of(ticket).map(|id| needs.insert(id.clone(), *needed));
            }
            if let Some(Event::Built(Built { ticket, .. })) = world.log.last().map(|entry| &entry.event) {
                task_of(ticket).map(|id| needs.remove(id));
            }
            let budget = budget(&world.state);
            prop_assert!(budget.spent + budget.in_flight <= LIMIT, "{budget:?}");
        }
    }
}
