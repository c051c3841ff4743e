//! The clock of the machine is set, or the machine sleeps, while something works: a limit counts only the time that
//! passed.

use redraft_adapters::child::{Environment, ScriptEnd, ShellCommand};
use redraft_adapters::clock::SystemClock;
use redraft_engine::ports::{Clock, Moment, RunHandle};
use redraft_facts::redact::Redactor;
use redraft_facts::usage::Usd;
use redraft_testkit::Scratch;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// A time of day that jumps each time it is read, on a machine whose monotonic time goes on as usual. A sleep looks the
/// same.
struct Jumping {
    clock: SystemClock,
    jump_ms: i64,
    ahead_ms: AtomicI64,
}

impl RunHandle for Jumping {
    fn stopped(&self) -> bool {
        false
    }

    fn wait_ms(&self, ms: u64) -> bool {
        Clock::wait_ms(&self.clock, ms)
    }

    fn now_ms(&self) -> i64 {
        Clock::now_ms(&self.clock) + self.ahead_ms.fetch_add(self.jump_ms, Ordering::SeqCst)
    }

    fn moment(&self) -> Moment {
        Clock::moment(&self.clock)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: Usd) -> bool {
        true
    }
}

fn ended(scratch: &Scratch, jump_ms: i64, text: &str, limit_ms: u64) -> ScriptEnd {
    let watch =
        Jumping { clock: SystemClock::new(std::sync::Arc::default()), jump_ms, ahead_ms: AtomicI64::new(0) };
    let script = ShellCommand {
        worker: Path::new(env!("CARGO_BIN_EXE_redraft")),
        out: &scratch.outside().join("out"),
        text,
        folder: scratch.outside(),
        sandbox: None,
        environment: &Environment(std::env::vars_os().collect()),
        redactor: &Redactor::default(),
        limit_ms,
    };
    script.run(&watch, &mut |_| {}).unwrap().end
}

#[test]
fn a_clock_that_is_set_ends_nothing_that_works_and_spares_nothing_that_hangs() {
    let scratch = Scratch::empty(env!("CARGO_BIN_EXE_redraft"));
    for jump_ms in [0, 6 * MINUTE_MS, 31 * MINUTE_MS, 8 * 60 * MINUTE_MS, DAY_MS, -DAY_MS, -60 * MINUTE_MS] {
        let works = ended(&scratch, jump_ms, "read -r _ < /dev/null; echo done", 10 * 60_000);
        assert_eq!(works, ScriptEnd::Well, "a jump of {jump_ms} ms");
        let hangs = ended(&scratch, jump_ms, "exec tail -f /dev/null", 150);
        assert_eq!(hangs, ScriptEnd::Slow, "a jump of {jump_ms} ms");
    }
}

#[test]
fn what_has_stopped_itself_is_ended_at_its_limit() {
    let scratch = Scratch::empty(env!("CARGO_BIN_EXE_redraft"));
    assert_eq!(ended(&scratch, 0, "(sleep 5005 &) ; kill -STOP $$; echo done", 300), ScriptEnd::Slow);
}
