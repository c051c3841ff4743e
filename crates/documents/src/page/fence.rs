//! A line that may open or close a block of code.

/// Its characters, and whether something follows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) tilde: bool,
    pub(super) length: usize,
    /// Something follows, so it can open a block and cannot close one.
    pub(super) labelled: bool,
}

impl Mark {
    pub(super) fn parse(line: &str) -> Option<Mark> {
        const LENGTH_MIN: usize = 3;
        let text = line.trim();
        let fence = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let label = text.trim_start_matches(fence);
        let length = text.len() - label.len();
        // Code in a line of prose begins with backticks as well, and ends with them.
        let inline = fence == '`' && label.contains('`');
        let labelled = !label.is_empty();
        (length >= LENGTH_MIN && !inline).then_some(Mark { tilde: fence == '~', length, labelled })
    }

    pub(super) fn can_close(self, open: Mark) -> bool {
        self.tilde == open.tilde && self.length >= open.length && !self.labelled
    }

    /// Whether it may open a block inside the one that `open` began.
    pub(super) fn can_stand_in(self, open: Mark) -> bool {
        self.tilde == open.tilde && self.length >= open.length && self.labelled
    }
}

/// The text after an opening fence.
pub(super) fn label(line: &str) -> &str {
    line.trim().trim_start_matches(['`', '~']).trim()
}
