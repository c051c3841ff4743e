//! Token counts over the life of a thread, and what one dispatch added to them.

use crate::billing;
use crate::programs::{read_kept, write_kept};
use redraft_facts::usage::{Usage, Usd};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;
use std::{fs, io};

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
    pub(super) fn parse(usage: &Value) -> Totals {
        let count = |name: &str| billing::count(&usage[name]).unwrap_or_default();
        Totals {
            input: count("input_tokens"),
            read: count("cached_input_tokens"),
            written: count("cache_write_input_tokens"),
            output: count("output_tokens"),
        }
    }

    /// The larger of both, count by count: what a thread has used never becomes less.
    pub(super) fn max(self, other: Totals) -> Totals {
        Totals {
            input: self.input.max(other.input),
            read: self.read.max(other.read),
            written: self.written.max(other.written),
            output: self.output.max(other.output),
        }
    }

    /// A dispatch begins in a thread whose notes have come to `noted`. What an earlier one used without coming to an
    /// end has been counted as what was reserved for it, so it is no part of this one.
    pub(super) fn begin(thread: &Path, ticket: &str, noted: Totals) -> io::Result<()> {
        let last = Kept::read(thread)?.map(|kept| kept.after).unwrap_or_default();
        let now = if noted.input > last.input { noted } else { last };
        fs::create_dir_all(thread)?;
        let kept = Kept { v: VERSION, ticket: ticket.to_owned(), before: now, after: now };
        write_kept(&thread.join(FILE), &kept)
    }

    /// The counts before this dispatch; stores the ones after it.
    pub(super) fn before(thread: &Path, ticket: &str, after: Totals) -> io::Result<Totals> {
        let before = match Kept::read(thread)? {
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

impl Kept {
    fn read(thread: &Path) -> io::Result<Option<Kept>> {
        match read_kept::<Kept>(&thread.join(FILE))? {
            Some(kept) if kept.v != VERSION => {
                Err(io::Error::other(format!("{FILE} has version {}, not {VERSION}", kept.v)))
            }
            kept => Ok(kept),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(input: u64) -> Totals {
        Totals { input, read: input / 2, written: 0, output: input / 10 }
    }

    #[test]
    fn what_a_failed_turn_used_is_not_counted_again_by_the_next() {
        let thread = tempfile::tempdir().unwrap();
        let folder = thread.path().join("t-1");
        assert_eq!(Totals::before(&folder, "1.1", at(100)).unwrap(), Totals::default());
        Totals::begin(&folder, "2.1", at(100)).unwrap();
        // That one failed after it had used 150; the next sees this in the notes.
        Totals::begin(&folder, "2.2", at(250)).unwrap();
        assert_eq!(Totals::last(&folder), Some(at(250)), "what is reserved for it begins there, too");
        for _ in 0..2 {
            let before = Totals::before(&folder, "2.2", at(300)).unwrap();
            assert_eq!(at(300).since(&before).input(), 50, "taken in twice, it still counts once");
        }
        for unknown in [Totals::default(), at(200)] {
            Totals::begin(&folder, "3.1", unknown).unwrap();
            assert_eq!(Totals::last(&folder), Some(at(300)), "notes that are gone or behind change nothing");
        }
    }
}
