//! When a page changes although nothing is stored: a usage limit ends, or what a host has expires. The board says when
//! that is, and is read only while somebody looks.

use crate::following::due_ms;
use redraft_reports::projections::BoardRow;

#[derive(Debug, Default)]
pub(super) struct Dues {
    due_ms: Option<i64>,
    /// Since when something has changed and the board was not read.
    unread_since_ms: Option<i64>,
}

impl Dues {
    /// Whether a page may have changed. `rows` reads the board.
    pub(super) fn moved(
        &mut self,
        changed: bool,
        now_ms: i64,
        is_watched: bool,
        rows: impl FnOnce() -> Vec<BoardRow>,
    ) -> bool {
        let moved = changed || self.due_ms.is_some_and(|due_ms| due_ms <= now_ms);
        if moved {
            self.due_ms = None;
            self.unread_since_ms.get_or_insert(now_ms);
        }
        // What became due while nobody looked is due at once.
        if is_watched && let Some(since_ms) = self.unread_since_ms.take() {
            self.due_ms = due_ms(&rows(), since_ms);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_core::pipeline::Pipeline;
    use std::cell::Cell;

    #[test]
    fn the_board_is_read_only_while_somebody_looks_and_nothing_that_is_due_is_missed() {
        let (mut dues, read) = (Dues::default(), Cell::new(0));
        let parked = BoardRow { parked_until_ms: Some(5_000), ..BoardRow::new(&Pipeline::default(), 0) };
        let mut at = |now_ms, changed, is_watched| {
            let moved = dues.moved(changed, now_ms, is_watched, || {
                read.set(read.get() + 1);
                vec![parked.clone()]
            });
            (moved, read.get())
        };
        assert_eq!(at(1_000, true, false), (true, 0), "a page that comes back must know that it is behind");
        assert_eq!(at(1_050, true, false), (true, 0));
        assert_eq!(at(6_000, false, false), (false, 0));
        // Somebody looks: the limit has ended meanwhile.
        assert_eq!(at(6_050, false, true), (false, 1));
        assert_eq!(at(6_100, false, true), (true, 2));
        assert_eq!(at(6_150, false, true), (false, 2));
        assert_eq!(at(6_200, true, true), (true, 3));
    }
}
