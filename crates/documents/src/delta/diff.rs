//! Reads the unified diff that git prints.
//!
//! Inside a hunk only the counts of its first line say where it ends: a removed line that begins with `-- ` looks
//! like the head of another file.

use super::{Delta, DeltaLine, FileDelta, Hunk, LineKind};
use redraft_facts::prelude::*;

pub(super) fn parse(diff: &str) -> Delta {
    let mut reader = Reader::default();
    for line in diff.strip_suffix('\n').unwrap_or(diff).split('\n') {
        if !reader.hunk_line(line) {
            reader.head_line(line);
        }
    }
    Delta { files: reader.files }
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDelta>,
    /// Lines of the current hunk that are still to come, before and after the change.
    old_left: u32,
    new_left: u32,
    /// The path after `---`, until the one after `+++` is known.
    old_path: Option<String>,
    /// Whether the last file was begun by `diff --git` and has not yet seen its `---`.
    headed: bool,
}

impl Reader {
    /// Takes a line of the current hunk. False when no hunk is open or the line cannot belong to it.
    fn hunk_line(&mut self, line: &str) -> bool {
        let Some(hunk) = self.files.last_mut().and_then(|file| file.hunks.last_mut()) else { return false };
        if line.starts_with('\\') {
            if let Some(last) = hunk.lines.last_mut() {
                last.ended = false;
            }
            return true;
        }
        // Some tools strip the blank of an empty context line.
        let (kind, text) = match line.as_bytes().first() {
            Some(b'+') if self.new_left > 0 => (LineKind::Added, line.get(1..)),
            Some(b'-') if self.old_left > 0 => (LineKind::Removed, line.get(1..)),
            Some(b' ') if self.old_left > 0 && self.new_left > 0 => (LineKind::Context, line.get(1..)),
            None if self.old_left > 0 && self.new_left > 0 => (LineKind::Context, Some("")),
            _ => {
                (self.old_left, self.new_left) = (0, 0);
                return false;
            }
        };
        self.old_left -= u32::from(kind != LineKind::Added);
        self.new_left -= u32::from(kind != LineKind::Removed);
        hunk.lines.push(DeltaLine { kind, text: text.unwrap_or("").to_owned(), ended: true });
        true
    }

    fn head_line(&mut self, line: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Some(paths) = line.strip_prefix("diff --git ") {
            self.files.push(FileDelta { path: path_of_both(paths), ..FileDelta::default() });
            self.headed = true;
        } else if let Some(path) = line.strip_prefix("--- ") {
            self.old_path = Some(unquoted(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            self.name_file(&unquoted(path));
        } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(hunk_head) {
            (self.old_left, self.new_left) = (hunk.old_lines, hunk.new_lines);
            if let Some(file) = self.files.last_mut() {
                file.hunks.push(hunk);
            }
        } else if let Some(file) = self.files.last_mut().filter(|_| self.headed) {
            file.created |= line.starts_with("new file mode");
            file.deleted |= line.starts_with("deleted file mode");
            file.binary |= line.starts_with("Binary files ") || line == "GIT binary patch";
            if let Some(path) = line.strip_prefix("rename to ").or(line.strip_prefix("copy to ")) {
                file.path = unquoted(path);
            }
        }
    }

    /// `---` and `+++` name the file better than `diff --git` can, and are all that other tools print.
    fn name_file(&mut self, new: &str) {
        let Some(old) = self.old_path.take() else { return };
        if !self.headed {
            self.files.push(FileDelta::default());
        }
        self.headed = false;
        let Some(file) = self.files.last_mut() else { return };
        file.created |= old == "/dev/null";
        file.deleted |= new == "/dev/null";
        file.path = if new == "/dev/null" { without_side(&old, "a/") } else { without_side(new, "b/") };
    }
}

fn without_side(path: &str, side: &str) -> String {
    path.strip_prefix(side).unwrap_or(path).to_owned()
}

/// The path in `a/x b/x`, which is printed without marks even if it has blanks: both halves are the same.
fn path_of_both(paths: &str) -> String {
    let paths = unquoted_start(paths).unwrap_or_else(|| {
        let half = paths.get(..paths.len() / 2).unwrap_or(paths);
        half.to_owned()
    });
    without_side(paths.trim_end(), "a/")
}

fn unquoted_start(text: &str) -> Option<String> {
    text.starts_with('"').then(|| unquoted(text))
}

/// `-1,4 +1,6 @@ heading`
fn hunk_head(text: &str) -> Option<Hunk> {
    let (ranges, heading) = text.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let (old_start, old_lines) = range(old.strip_prefix('-')?)?;
    let (new_start, new_lines) = range(new.strip_prefix('+')?)?;
    let heading = heading.trim().to_owned();
    Some(Hunk { old_start, old_lines, new_start, new_lines, heading, lines: Vec::new() })
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

/// A path as git prints it: between quotes with escapes if it has unusual bytes, with a tab after it if it has
/// blanks.
fn unquoted(text: &str) -> String {
    let Some(quoted) = text.strip_prefix('"') else {
        return text.split('\t').next().unwrap_or(text).to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(first @ b'0'..=b'3') => {
                    let mut digit = || rest.next().map_or(0, |byte| byte.wrapping_sub(b'0') & 7);
                    bytes.push(((first - b'0') << 6) | (digit() << 3) | digit());
                }
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                Some(b'r') => bytes.push(b'\r'),
                Some(b'a') => bytes.push(7),
                Some(b'b') => bytes.push(8),
                Some(b'v') => bytes.push(11),
                Some(b'f') => bytes.push(12),
                Some(other) => bytes.push(other),
                None => break,
            },
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
