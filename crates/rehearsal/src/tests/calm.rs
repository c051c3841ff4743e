//! A run that is never stopped; waiting takes no time.

use redraft_engine::ports::{Moment, RunHandle};
use redraft_facts::usage::Usd;
use std::time::Duration;

pub(crate) struct Calm;

impl RunHandle for Calm {
    fn stopped(&self) -> bool {
        false
    }

    fn wait_ms(&self, _ms: u64) -> bool {
        true
    }

    fn now_ms(&self) -> i64 {
        0
    }

    fn moment(&self) -> Moment {
        Moment::after(Duration::ZERO)
    }

    fn tell(&self, _doing: &str) {}

    fn afford(&self, _total: Usd) -> bool {
        true
    }
}
