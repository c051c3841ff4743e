//! The tests that take longest: a crash, a kill or a power cut at every place, every policy to the end, random bills.
//!
//! `cargo test -p redraft --test it -- --skip slow::` runs all others. Each prints how long it took.

mod billed_scripts;
mod crash;
mod every_policy;
mod finish_crash;
mod finish_killed;
mod hosts_crash;
#[cfg(target_os = "linux")]
mod power;
mod repair;

use std::io::{self, Write as _};
use std::time::Instant;

/// Prints how long a test took when it ends. Straight to standard error: what a test prints otherwise is shown only when
/// it fails.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }
}

impl Drop for Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "the test's own words, not the program's")]
    fn drop(&mut self) {
        let thread = std::thread::current();
        let (name, seconds) = (thread.name().unwrap_or("a slow test"), self.0.elapsed().as_secs_f64());
        let _ = writeln!(io::stderr(), "{name} took {seconds:.1} s");
    }
}
