//! What Codex notes of a thread while it works: after every answer, what the thread has used until then.
//!
//! On its output Codex tells that only at the end of a turn, which is too late for a budget. Its notes are a file of its
//! own in its home folder; it is only read, and where it is missing or looks otherwise, nothing is known. Start at
//! [`Rollout`].

use super::totals::Totals;
use crate::child::Environment;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longer lines are no counts.
const LINE_BYTES_MAX: u64 = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Rollout {
    file: Option<PathBuf>,
    /// How far it has been read.
    at: u64,
}

/// What the thread has used, counted after its last answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted {
    pub(super) total: Totals,
    /// The conversation as the last answer left it, in tokens.
    pub(super) context: u64,
}

impl Rollout {
    /// The notes of a thread, from here on: what is in them already belongs to earlier turns.
    pub(super) fn of(environment: &Environment, thread: &str, resumed: bool) -> Rollout {
        let file = home(environment).and_then(|home| find(&home.join("sessions"), thread));
        let written = file.as_ref().filter(|_| resumed).and_then(|file| fs::metadata(file).ok());
        Rollout { file, at: written.map_or(0, |metadata| metadata.len()) }
    }

    /// The counts that were noted since the last look.
    pub(super) fn news(&mut self) -> Vec<Noted> {
        let mut news = Vec::new();
        let Some(Ok(mut file)) = self.file.as_ref().map(File::open) else { return news };
        if file.seek(SeekFrom::Start(self.at)).is_err() {
            return news;
        }
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        // A line without an end is still being written.
        while lines.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
            self.at += line.len() as u64;
            if line.len() as u64 <= LINE_BYTES_MAX {
                news.extend(noted(&line));
            }
            line.clear();
        }
        news
    }
}

fn noted(line: &[u8]) -> Option<Noted> {
    // Most lines are something else, and long.
    let mark = b"\"token_count\"";
    line.windows(mark.len()).find(|window| window == mark)?;
    let line: Value = serde_json::from_slice(line).ok()?;
    let info =
        Some(&line["payload"]).filter(|payload| payload["type"] == "token_count").map(|it| &it["info"])?;
    let counts = |usage: &Value| usage.is_object().then(|| Totals::of(usage));
    let (total, last) = (counts(&info["total_token_usage"])?, counts(&info["last_token_usage"])?);
    Some(Noted { total, context: last.input + last.output })
}

fn home(environment: &Environment) -> Option<PathBuf> {
    let value = |name: &str| environment.0.get(OsStr::new(name)).filter(|value| !value.is_empty());
    value("CODEX_HOME")
        .map(PathBuf::from)
        .or_else(|| value("HOME").map(|home| Path::new(home).join(".codex")))
}

/// `sessions/2026/11/15/rollout-…-THREAD.jsonl`, the newest days first.
fn find(sessions: &Path, thread: &str) -> Option<PathBuf> {
    if thread.is_empty() {
        return None;
    }
    let ending = format!("-{thread}.jsonl");
    let days = inside(sessions).into_iter().flat_map(|year| inside(&year)).flat_map(|month| inside(&month));
    days.flat_map(|day| inside(&day)).find(|file| file.to_string_lossy().ends_with(&ending))
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|left, right| right.cmp(left));
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const COUNT: &str = r#"{"ordinal":13,"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":3000,"cached_input_tokens":1000,"cache_write_input_tokens":0,"output_tokens":30},"last_token_usage":{"input_tokens":2000,"cached_input_tokens":500,"output_tokens":20}}}}"#;

    fn folder(thread: &str) -> (tempfile::TempDir, Environment, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let day = home.path().join("sessions/2026/11/15");
        fs::create_dir_all(&day).unwrap();
        fs::create_dir_all(home.path().join("sessions/2026/11/16")).unwrap();
        let file = day.join(format!("rollout-2026-11-15T12-28-04-{thread}.jsonl"));
        let environment = Environment([("CODEX_HOME".into(), home.path().into())].into());
        (home, environment, file)
    }

    #[test]
    fn counts_are_read_as_they_are_noted_and_each_once() {
        let (_home, environment, file) = folder("t-1");
        let half = COUNT.len() / 2;
        fs::write(&file, format!("{{\"type\":\"session_meta\"}}\n{COUNT}\nno JSON\n{}", &COUNT[..half]))
            .unwrap();
        let mut rollout = Rollout::of(&environment, "t-1", false);
        let total = Totals { input: 3_000, read: 1_000, written: 0, output: 30 };
        assert_eq!(rollout.news(), [Noted { total, context: 2_020 }]);
        assert_eq!(rollout.news(), [], "the rest of the line is not there yet");
        let mut more = fs::OpenOptions::new().append(true).open(&file).unwrap();
        writeln!(more, "{}", &COUNT[half..]).unwrap();
        assert_eq!(rollout.news().len(), 1);
        assert_eq!(rollout.news(), []);
        let mut resumed = Rollout::of(&environment, "t-1", true);
        assert_eq!(resumed.news(), [], "those are of earlier turns");
    }

    #[test]
    fn without_notes_or_with_strange_ones_nothing_is_known() {
        let (_home, environment, file) = folder("t-1");
        assert_eq!(Rollout::of(&environment, "t-1", false).news(), []);
        assert_eq!(Rollout::of(&environment, "", false).news(), []);
        assert_eq!(Rollout::of(&Environment::default(), "t-1", false).news(), []);
        for strange in
            ["{\"token_count\":1}", "\"token_count\"", r#"{"payload":{"type":"token_count","info":null}}"#]
        {
            fs::write(&file, format!("{strange}\n")).unwrap();
            assert_eq!(Rollout::of(&environment, "t-1", false).news(), [], "{strange}");
        }
    }
}
