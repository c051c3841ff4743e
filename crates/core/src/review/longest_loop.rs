//! Computes how long a loop can be.

use redraft_facts::event::Limits;

/// The most dispatches (lost ones apart) of a loop that no person touches, whatever the agents do.
///
/// Every rejecting wave uses up a round of some stage, or the one reopening, or ends in a question. Between two
/// waves the author may fail gates up to the limit and may change nothing twice. Each conclusion takes at most
/// `attempts` sends, a reviewer's each with its repair turns. A decision or an edit by a person starts the
/// count again.
/// `tasks` is how many there are to carry out. Each may fail gates like a draft; what follows the last task is done
/// once, except for tests, which are written again after the code was mended for them.
pub fn dispatches_max(limits: &Limits, stages: u64, roles: u64, tasks: u64) -> u64 {
    let Limits { rounds, attempts, repairs, gates, reopenings, .. } = *limits;
    let rejecting_waves = stages * (u64::from(rounds) + 1) + u64::from(reopenings) + 1;
    let waves = rejecting_waves + 1;
    let author = waves * u64::from(gates.max(1)) * 2;
    // In one wave's epoch a role reviews or validates once; fresh eyes look once.
    let reviewers = waves * (roles * 2 + 1);
    const EXTRAS: u64 = 5;
    let extras = if tasks > 0 { EXTRAS } else { 0 };
    let makers = tasks * u64::from(gates.max(1)) * 2 + extras;
    (author + makers) * u64::from(attempts) + reviewers * u64::from(attempts) * (1 + u64::from(repairs))
}
