//! How much of a large feature a page holds.

use redraft_facts::prelude::*;
use redraft_facts::text::count;

/// The most of each part. The tightest leave room for every part at its largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    pub document_bytes: usize,
    pub text_chars: usize,
    pub findings: usize,
    pub decisions: usize,
    pub rows: usize,
    pub events: usize,
}

/// From generous to tight: the first that gives a page of a fitting size is taken.
pub(super) const LEVELS: [PageLimits; 6] = [
    PageLimits {
        document_bytes: 100_000,
        text_chars: 20_000,
        findings: 2_000,
        decisions: 1_000,
        rows: 1_000,
        events: 1_000,
    },
    PageLimits {
        document_bytes: 60_000,
        text_chars: 6_000,
        findings: 400,
        decisions: 300,
        rows: 300,
        events: 400,
    },
    PageLimits {
        document_bytes: 25_000,
        text_chars: 2_000,
        findings: 200,
        decisions: 150,
        rows: 150,
        events: 200,
    },
    PageLimits {
        document_bytes: 8_000,
        text_chars: 800,
        findings: 100,
        decisions: 60,
        rows: 80,
        events: 100,
    },
    PageLimits { document_bytes: 2_000, text_chars: 300, findings: 50, decisions: 30, rows: 40, events: 50 },
    PageLimits { document_bytes: 0, text_chars: 120, findings: 15, decisions: 10, rows: 12, events: 20 },
];

impl PageLimits {
    /// What a page holds that may be large.
    pub const GENEROUS: PageLimits = LEVELS[0];

    /// A text, cut where it is too long.
    pub fn text(&self, text: &str) -> String {
        match text.char_indices().nth(self.text_chars) {
            None => text.to_owned(),
            Some((end, _)) => format!("{} […]", text[..end].trim_end()),
        }
    }

    /// The first lines of a document, and how many were left out.
    pub fn document<'a>(&self, text: &'a str) -> (&'a str, usize) {
        if text.len() <= self.document_bytes {
            return (text, 0);
        }
        let (mut end, mut kept) = (0, 0);
        for line in text.split_inclusive('\n') {
            if end + line.len() > self.document_bytes {
                break;
            }
            (end, kept) = (end + line.len(), kept + 1);
        }
        (&text[..end], text.lines().count().saturating_sub(kept))
    }
}

/// `12 more findings are left out`, where some are.
pub fn left_out(all: usize, max: usize, thing: &str) -> Option<String> {
    match all.saturating_sub(max) {
        0 => None,
        1 => Some(format!("1 more {thing} is left out")),
        more => Some(format!("{} are left out", count(more, &format!("more {thing}")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_counted() {
        let limits = PageLimits { document_bytes: 8, text_chars: 3, ..LEVELS[5] };
        assert_eq!(limits.text("äöü"), "äöü");
        assert_eq!(limits.text("äöüß"), "äöü […]");
        assert_eq!(limits.document("one\ntwo\n"), ("one\ntwo\n", 0));
        assert_eq!(limits.document("one\ntwo\nthree\nfour"), ("one\ntwo\n", 2));
        assert_eq!(limits.document("a line that is too long"), ("", 1));
        assert_eq!(left_out(3, 3, "finding"), None);
        assert_eq!(left_out(4, 3, "finding").as_deref(), Some("1 more finding is left out"));
        assert_eq!(left_out(9, 3, "finding").as_deref(), Some("6 more findings are left out"));
    }
}
