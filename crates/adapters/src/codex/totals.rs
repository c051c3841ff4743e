//! Token counts over the life of a thread, and what one dispatch added to them.

use crate::child::{read_kept, write_kept};
use redraft_core::usage::{Usage, Usd};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::Path;

const VERSION: u16 = 1;
const FILE: &str = "totals.json";

/// What a thread has used since it began. `input` includes what was read from or written to the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Totals {
    pub(super) input: u64,
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) output: u64,
}

/// The counts before and after the last dispatch, so that its answer can be taken in twice and still counts once.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    v: u16,
    ticket: String,
    before: Totals,
    after: Totals,
}

impl Totals {
    /// As Codex writes them.
    pub(super) fn of(usage: &Value) -> Totals {
        let count = |name: &str| usage[name].as_u64().unwrap_or_default();
        Totals {
            input: count("input_tokens"),
            read: count("cached_input_tokens"),
            written: count("cache_write_input_tokens"),
            output: count("output_tokens"),
        }
    }

    /// The counts before this dispatch; stores the ones after it.
    pub(super) fn before(thread: &Path, ticket: &str, after: Totals) -> io::Result<Totals> {
        let kept: Option<Kept> = read_kept(&thread.join(FILE))?;
        let before = match kept {
            Some(kept) if kept.v != VERSION => {
                return Err(io::Error::other(format!("{FILE} has version {}, not {VERSION}", kept.v)));
            }
            Some(kept) if kept.ticket == ticket => kept.before,
            Some(kept) => kept.after,
            None => Totals::default(),
        };
        fs::create_dir_all(thread)?;
        write_kept(&thread.join(FILE), &Kept { v: VERSION, ticket: ticket.to_owned(), before, after })?;
        Ok(before)
    }

    /// The latest counts of a thread; none when nothing is known of it.
    pub(super) fn last(thread: &Path) -> Option<Totals> {
        read_kept::<Kept>(&thread.join(FILE)).ok().flatten().map(|kept| kept.after)
    }

    /// What was added, still without a price.
    pub(super) fn since(&self, before: &Totals) -> Usage {
        let read = self.read.saturating_sub(before.read);
        let written = self.written.saturating_sub(before.written);
        let input = self.input.saturating_sub(before.input);
        let uncached = input.saturating_sub(read).saturating_sub(written);
        Usage { uncached, written, read, output: self.output.saturating_sub(before.output), cost: Usd(0) }
    }
}
