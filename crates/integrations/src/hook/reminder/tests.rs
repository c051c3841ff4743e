use super::*;
use crate::hook::session::tests::{row, seen};
use redraft_facts::usage::Usd;
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::Standing;

#[test]
fn only_work_that_an_agent_can_do_now_is_owed() {
    let with = |change: fn(&mut BoardRow)| {
        let mut one = row("001", "one");
        change(&mut one);
        owed(&seen(vec![one]), None).is_some()
    };
    assert!(with(|_| {}));
    assert!(!with(|row| row.status = "waiting".to_owned()), "a person is asked");
    assert!(!with(|row| row.status = "approved".to_owned()), "nothing is owed");
    assert!(!with(|row| row.parked_until_ms = Some(9_999)), "parked");
    assert!(with(|row| row.parked_until_ms = Some(1)), "a park that is over");
    let short = |row: &mut BoardRow| {
        let (needed_micro_usd, left_micro_usd, limit_micro_usd) = (Usd(2), Usd(1), Usd(9));
        row.standing = Standing::OverBudget { needed_micro_usd, left_micro_usd, limit_micro_usd };
    };
    assert!(!with(short), "money is a person's");
    assert!(!with(|row| row.life = "planned".to_owned()), "nobody has begun it");
    let mut planned = row("001", "one");
    planned.life = "planned".to_owned();
    assert!(
        owed(&seen(vec![planned]), Some("feature/001-one")).is_some(),
        "but the session stands on its branch"
    );
}

#[test]
fn it_names_the_feature_the_command_and_that_stopping_is_allowed() {
    let text = reminder(&seen(vec![row("001", "one")])[0]);
    assert!(text.contains("001-one, phase design") && text.contains("`redraft run 001`"), "{text}");
    assert!(text.contains("stop") && text.contains("once for each state"), "{text}");
}
