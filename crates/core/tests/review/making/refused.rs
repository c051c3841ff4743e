//! Checks that fail because of their sandbox, which no author can mend.

use super::*;

const REFUSED: &str = "it was refused the network; add to redraft.toml: network = [\"tcp:443\"]";

/// Lets the gate that is due fail.
pub(crate) fn fails(world: &mut World, refused: Option<&str>) {
    let [Effect::Check { revision, gate, .. }] = &pending(&world.state)[..] else {
        panic!("{:?}", pending(&world.state))
    };
    let checkout = Checkout {
        commit: "c".into(),
        tree: revision.clone(),
        empty: true,
        prepared: BlobId::new("p"),
        same_as: None,
        notes: vec![],
        sandbox: Some("partial: limits (bubblewrap)".into()),
        refused: refused.map(str::to_owned),
    };
    world.happen(Checked {
        pass: 1,
        revision: revision.clone(),
        gate: gate.clone(),
        passed: false,
        evidence: "e".into(),
        command: "c".into(),
        code: Some(1),
        wall_ms: 1,
        output: String::new(),
        checkout: Some(checkout),
    });
}

fn is_author_asked(world: &World) -> bool {
    matches!(&pending(&world.state)[..], [Effect::Dispatch(order)] if order.ticket.purpose == Purpose::Implement)
}

#[test]
fn a_person_is_asked_before_an_author_is_paid_for_what_a_sandbox_refused() {
    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r1", false);
    fails(&mut world, Some(REFUSED));
    let question = asked(&world);
    assert_eq!(question.about, About::Gate);
    assert!(question.text.contains(REFUSED), "{}", question.text);
    // Once the setting is there, the check is run again and nothing else happens.
    decide(&mut world, Decision::Retry);
    assert!(matches!(pending(&world.state)[..], [Effect::Check { .. }]), "{:?}", pending(&world.state));
}

#[test]
fn a_refusal_that_a_person_leaves_as_it_is_goes_to_the_author() {
    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r1", false);
    fails(&mut world, Some(REFUSED));
    decide(&mut world, Decision::Retry);
    fails(&mut world, Some(REFUSED));
    assert!(is_author_asked(&world), "{:?}", pending(&world.state));
}

#[test]
fn a_failure_of_another_kind_goes_to_the_author_at_once() {
    let mut world = building(1, false);
    answered(&mut world, Purpose::Implement);
    built(&mut world, "r1", false);
    fails(&mut world, None);
    assert!(is_author_asked(&world), "{:?}", pending(&world.state));
}
