//! The guarantees of a clock.

use super::kept_by_both;
use crate::world::World;

kept_by_both! {
    a_wait_is_as_long_as_was_asked_for_and_counts_for_limits,
    a_process_that_is_stopped_waits_for_nothing,
    a_process_that_leaves_still_waits_for_what_is_under_way,
    the_time_of_day_may_be_wrong_and_limits_do_not_notice,
}

const HOUR_MS: i64 = 3_600_000;

fn a_wait_is_as_long_as_was_asked_for_and_counts_for_limits(world: &dyn World) {
    let at = world.clock(0);
    let before = at.port().moment();
    assert!(at.port().wait_ms(0), "a wait for nothing is no stop");
    assert!(at.port().wait_ms(3));
    let after = at.port().moment();
    assert!(after.ms_since(before) >= 3, "{before:?} {after:?}");
    assert!(at.port().moment() >= after, "it never goes back");
}

fn a_process_that_is_stopped_waits_for_nothing(world: &dyn World) {
    let at = world.clock(0);
    assert_eq!((at.port().stopped(), at.port().leaving()), (false, false));
    at.stop();
    let before = at.port().moment();
    assert!(!at.port().wait_ms(u64::MAX));
    assert!(!at.port().wait_ms(0));
    assert!(at.port().moment().ms_since(before) < 60_000, "it did not wait first");
    assert_eq!((at.port().stopped(), at.port().leaving()), (true, true), "who stops also leaves");
}

fn a_process_that_leaves_still_waits_for_what_is_under_way(world: &dyn World) {
    let at = world.clock(0);
    at.leave();
    assert_eq!((at.port().stopped(), at.port().leaving()), (false, true));
    assert!(at.port().wait_ms(1));
}

fn the_time_of_day_may_be_wrong_and_limits_do_not_notice(world: &dyn World) {
    let (right, ahead) = (world.clock(0), world.clock(24 * HOUR_MS));
    let behind = world.clock(-24 * HOUR_MS);
    assert!(right.port().now_ms() > 1_700_000_000_000, "it is counted in milliseconds since 1970");
    assert!(ahead.port().now_ms() - right.port().now_ms() > 23 * HOUR_MS);
    assert!(right.port().now_ms() - behind.port().now_ms() > 23 * HOUR_MS);
    for at in [ahead, behind] {
        let before = at.port().moment();
        assert!(at.port().wait_ms(1));
        assert!(at.port().moment().ms_since(before) < 60_000);
    }
}
