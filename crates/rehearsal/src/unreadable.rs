//! Reads a file that may hold bytes that are not UTF-8 as text, and writes it back with those bytes as they were.
//!
//! Knows bytes and lines, not documents. Unreadable bytes become U+FFFD in the text. A line that has some is recognized
//! in the changed text by its full text, and gets its old bytes back; where that is not certain, nothing is written.
//! Start at [`Readable::new`].

use std::collections::HashMap;

pub(super) struct Readable {
    pub(super) text: String,
    /// Lines with unreadable bytes, by the text they are read as, in order.
    lines: HashMap<String, Vec<Vec<u8>>>,
}

impl Readable {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut lines: HashMap<String, Vec<Vec<u8>>> = HashMap::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if std::str::from_utf8(line).is_err() {
                let text = String::from_utf8_lossy(line).into_owned();
                lines.entry(text).or_default().push(line.to_vec());
            }
        }
        // No unreadable sequence crosses the end of a line, so the whole text is the texts of the lines.
        Readable { text: String::from_utf8_lossy(bytes).into_owned(), lines }
    }

    /// The bytes of a changed text, or none if a line with unreadable bytes was changed, lost or doubled.
    pub(super) fn restored(&self, text: &str) -> Option<Vec<u8>> {
        let mut left: HashMap<&str, std::slice::Iter<'_, Vec<u8>>> =
            self.lines.iter().map(|(line, bytes)| (line.as_str(), bytes.iter())).collect();
        let mut bytes = Vec::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            match left.get_mut(line) {
                Some(old) => bytes.extend(old.next()?),
                None => bytes.extend(line.as_bytes()),
            }
        }
        left.values().all(|rest| rest.len() == 0).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_cannot_be_read_are_kept_wherever_their_lines_move() {
        let old = b"# A\ncaf\xe9\nplain\ncaf\xe8\n\xff\n";
        let file = Readable::new(old);
        assert_eq!(file.text, "# A\ncaf\u{fffd}\nplain\ncaf\u{fffd}\n\u{fffd}\n");
        assert_eq!(file.restored(&file.text).as_deref(), Some(&old[..]));
        let changed = file.text.replace("plain\n", "changed\nand more\n");
        assert_eq!(
            file.restored(&changed),
            Some(b"# A\ncaf\xe9\nchanged\nand more\ncaf\xe8\n\xff\n".to_vec())
        );
    }

    #[test]
    fn a_line_that_cannot_be_restored_stops_the_writing() {
        let file = Readable::new(b"a\xff\nb\n");
        for changed in ["A\u{fffd}\nb\n", "b\n", "a\u{fffd}\na\u{fffd}\nb\n"] {
            assert_eq!(file.restored(changed), None, "{changed:?}");
        }
        assert_eq!(Readable::new(b"a\n").restored("b\u{fffd}\n"), Some("b\u{fffd}\n".into()));
    }
}
