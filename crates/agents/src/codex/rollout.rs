//! Reads what Codex notes about a thread while it works: after every answer, what the thread has used until then.
//!
//! On its output Codex reports that only at the end of a turn, which is too late for a budget. Its notes are a file of
//! its own in its home folder; it is only read, and where it is missing or has another form, nothing is known. Start at
//! [`Rollout`].

use super::totals::Totals;
use redraft_adapters::child::Environment;
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longer lines hold no counts.
const LINE_BYTES_MAX: u64 = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Rollout {
    file: Option<PathBuf>,
    /// How far it has been read.
    at: u64,
    last: Option<Noted>,
    /// Answers that were noted since the turn began.
    answers: u32,
    /// The prompt of the first of them, and the length of all answers but the last.
    first_prompt: Option<u64>,
    /// The longest that the conversation was after any of them, in tokens.
    largest: u64,
    said_before: u64,
    /// Whether Codex replaced the thread by a summary since then.
    compacted: bool,
    /// Whether the notes state how much of a plan is used.
    plan: bool,
}

/// What the thread has used, counted after its last answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted {
    pub(super) total: Totals,
    /// The conversation as the last answer left it, in tokens.
    pub(super) context: u64,
    /// How much of that was the last answer.
    pub(super) said: u64,
}

impl Rollout {
    /// The notes of a thread.
    pub(super) fn find(environment: &Environment, thread: &str) -> Rollout {
        let file = home(environment).and_then(|home| find(&home.join("sessions"), thread));
        Rollout { file, ..Rollout::default() }
    }

    /// The same, from here on: what they already hold belongs to earlier turns. Some of it may be repeated.
    pub(super) fn onwards(mut self) -> Rollout {
        self.news();
        let Rollout { file, at, last, .. } = self;
        Rollout { file, at, last, ..Rollout::default() }
    }

    /// Where they are.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The newest counts, if any were noted since the last look.
    pub(super) fn news(&mut self) -> Option<Noted> {
        let mut file = File::open(self.file.as_ref()?).ok()?;
        file.seek(SeekFrom::Start(self.at)).ok()?;
        let before = self.last;
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        // A line without an end is still being written.
        while lines.read_until(b'\n', &mut line).is_ok() && line.ends_with(b"\n") {
            self.at += line.len() as u64;
            self.take(&line);
            line.clear();
        }
        self.last.filter(|_| self.last != before)
    }

    fn take(&mut self, line: &[u8]) {
        self.compacted |= tells_summary(line);
        let counts = if line.len() as u64 <= LINE_BYTES_MAX { counts(line) } else { None };
        self.plan |= counts.as_ref().is_some_and(tells_plan);
        let Some(noted) = counts.as_ref().and_then(noted).filter(|noted| self.last != Some(*noted)) else {
            return;
        };
        if self.answers > 0 {
            self.said_before = self.said_before.saturating_add(self.last.map_or(0, |last| last.said));
        }
        self.first_prompt.get_or_insert(noted.context.saturating_sub(noted.said));
        self.largest = self.largest.max(noted.context);
        (self.last, self.answers) = (Some(noted), self.answers.saturating_add(1));
    }

    /// The prompt of the first request of the turn, in tokens.
    pub(super) fn first_prompt(&self) -> Option<u64> {
        self.first_prompt.filter(|tokens| *tokens > 0)
    }

    /// The longest that the conversation was in the turn, in tokens; it may have been replaced by a summary since.
    pub(super) fn largest(&self) -> Option<u64> {
        Some(self.largest).filter(|tokens| *tokens > 0)
    }

    /// The fewest tokens the next prompt of this thread can have. What the model thought on the way may be left out of
    /// it, and nothing else.
    pub(super) fn least_next(&self) -> Option<u64> {
        let last = self.last.filter(|_| self.answers > 0)?;
        Some(last.context.saturating_sub(last.said).saturating_sub(self.said_before))
    }

    /// Whether the thread was replaced by a summary in this turn.
    pub(super) fn is_compacted(&self) -> bool {
        self.compacted
    }

    pub(super) fn has_plan(&self) -> bool {
        self.plan
    }

    /// How many answers were noted; none where there are no notes.
    pub(super) fn answers(&self) -> Option<u32> {
        Some(self.answers).filter(|answers| *answers > 0)
    }
}

/// Whether a line says that the thread was replaced by a summary, which follows and may be long.
fn tells_summary(line: &[u8]) -> bool {
    const BEGINNING: usize = 160;
    const MARK: &[u8] = b"\"type\":\"compacted\"";
    line[..line.len().min(BEGINNING)].windows(MARK.len()).any(|window| window == MARK)
}

/// A line with counts.
fn counts(line: &[u8]) -> Option<Value> {
    // Most lines are something else, and long.
    let has = |mark: &[u8]| line.windows(mark.len()).any(|window| window == mark);
    if !has(b"\"token_usage_record\"") && !has(b"\"token_count\"") {
        return None;
    }
    serde_json::from_slice(line).ok()
}

/// Next to its counts Codex notes the limits of the plan it is logged in with. With a key there is no plan.
fn tells_plan(line: &Value) -> bool {
    line["payload"]["rate_limits"]["plan_type"].is_string()
}

/// A record of one answer; versions that write none repeat their counts a moment later.
fn noted(line: &Value) -> Option<Noted> {
    let payload = &line["payload"];
    let (total, last) = match (line["type"].as_str(), payload["type"].as_str()) {
        (Some("token_usage_record"), _) => (&payload["thread_token_usage"], &payload["usage"]),
        (_, Some("token_count")) => {
            (&payload["info"]["total_token_usage"], &payload["info"]["last_token_usage"])
        }
        _ => return None,
    };
    let counts = |usage: &Value| usage.is_object().then(|| Totals::parse(usage));
    let (total, last) = (counts(total)?, counts(last)?);
    Some(Noted { total, context: last.input.saturating_add(last.output), said: last.output })
}

/// Where Codex keeps its files.
pub(super) fn home(environment: &Environment) -> Option<PathBuf> {
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

    fn folder(thread: &str) -> (tempfile::TempDir, Environment, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let day = home.path().join("sessions/2026/11/15");
        fs::create_dir_all(&day).unwrap();
        fs::create_dir_all(home.path().join("sessions/2026/11/16")).unwrap();
        let file = day.join(format!("rollout-2026-11-15T12-28-04-{thread}.jsonl"));
        let environment = Environment([("CODEX_HOME".into(), home.path().into())].into());
        (home, environment, file)
    }

    fn count(input: u64) -> String {
        let (total, last) = (3_000 + input, input);
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total},"cached_input_tokens":1000,"output_tokens":30}},"last_token_usage":{{"input_tokens":{last},"output_tokens":20}}}}}}}}"#
        )
    }

    fn record(input: u64) -> String {
        let (total, last) = (3_000 + input, input);
        format!(
            r#"{{"type":"token_usage_record","payload":{{"usage":{{"input_tokens":{last},"output_tokens":20}},"thread_token_usage":{{"input_tokens":{total},"cached_input_tokens":1000,"output_tokens":30}}}}}}"#
        )
    }

    fn noted(input: u64) -> Option<Noted> {
        let total = Totals { input: 3_000 + input, read: 1_000, written: 0, output: 30 };
        Some(Noted { total, context: input + 20, said: 20 })
    }

    #[test]
    fn a_plan_is_known_by_its_limits_and_a_key_has_none() {
        let (_home, environment, file) = folder("t-2");
        let limited = |plan: &str| {
            let limits =
                format!(r#""rate_limits":{{"primary":{{"used_percent":3.0}},"plan_type":{plan}}},"info""#);
            count(700).replace("\"info\"", &limits)
        };
        for (line, plan) in [(limited("\"plus\""), true), (limited("null"), false), (count(700), false)] {
            fs::write(&file, format!("{line}\n")).unwrap();
            let mut rollout = Rollout::find(&environment, "t-2");
            assert_eq!((rollout.news(), rollout.has_plan()), (noted(700), plan), "{line}");
        }
    }

    #[test]
    fn counts_are_read_as_they_are_noted_and_each_once() {
        let (_home, environment, file) = folder("t-1");
        let second = record(800);
        let (half, rest) = second.split_at(60);
        fs::write(&file, format!("{{\"type\":\"session_meta\"}}\n{}\nno JSON\n{half}", record(700))).unwrap();
        let mut rollout = Rollout::find(&environment, "t-1");
        assert_eq!(rollout.news(), noted(700));
        assert_eq!(rollout.news(), None, "the rest of the line is not there yet");
        let mut more = fs::OpenOptions::new().append(true).open(&file).unwrap();
        writeln!(more, "{rest}\n{}", record(900)).unwrap();
        assert_eq!(rollout.news(), noted(900), "the newest says all");
        writeln!(more, "{}", count(900)).unwrap();
        assert_eq!(rollout.news(), None, "said again");
        assert_eq!(rollout.answers(), Some(3), "what is said again is no answer more");
        writeln!(more, "{}", count(950)).unwrap();
        assert_eq!(rollout.news(), noted(950), "some versions write only these");
        let mut later = Rollout::find(&environment, "t-1").onwards();
        assert_eq!((later.news(), later.answers()), (None, None), "those are of earlier turns");
    }

    #[test]
    fn without_notes_or_with_strange_ones_nothing_is_known() {
        let (_home, environment, file) = folder("t-1");
        assert_eq!(Rollout::find(&environment, "t-1").news(), None);
        assert_eq!(Rollout::find(&environment, "").news(), None);
        assert_eq!(Rollout::find(&Environment::default(), "t-1").news(), None);
        for strange in [
            "{\"token_count\":1}",
            "\"token_count\"",
            r#"{"payload":{"type":"token_count","info":null}}"#,
            r#"{"type":"token_usage_record","payload":3}"#,
        ] {
            fs::write(&file, format!("{strange}\n")).unwrap();
            assert_eq!(Rollout::find(&environment, "t-1").news(), None, "{strange}");
        }
    }
}
