//! Takes in what a program prints, one JSON object per line, live or from a kept file. What an object means is up to
//! the implementation. Start at [`OutputListener`].

use super::lines::{Bounded, LINE_BYTES_MAX, StreamLine};
use super::worker_folder;
use redraft_facts::text::count;
use serde_json::Value;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub trait OutputListener: Default {
    fn hear(&mut self, line: &Value);

    /// A line was no JSON object, or too long; it is counted and skipped.
    fn miss(&mut self);

    fn take(&mut self, line: StreamLine) {
        match line {
            StreamLine::Part => {}
            StreamLine::TooLong => self.miss(),
            StreamLine::Whole(bytes) if bytes.trim_ascii().is_empty() => {}
            StreamLine::Whole(bytes) => match serde_json::from_slice::<Value>(&bytes) {
                Ok(value) if value.is_object() => self.hear(&value),
                _ => self.miss(),
            },
        }
    }

    /// Reads the kept output of a dispatch; none when nothing was kept.
    fn in_folder(folder: &Path) -> Option<Self> {
        let file = File::open(folder.join(worker_folder::STDOUT)).ok()?;
        let mut lines = Bounded::new(BufReader::new(file), LINE_BYTES_MAX);
        let mut heard = Self::default();
        while let Ok(Some(line)) = lines.step() {
            heard.take(line);
        }
        Some(heard)
    }
}

/// The note to a person about skipped lines; none where there were none.
pub fn skipped(lines: u64) -> Option<String> {
    let told = || format!("unreadable output was skipped: {}", count(lines as usize, "line"));
    (lines > 0).then(told)
}
