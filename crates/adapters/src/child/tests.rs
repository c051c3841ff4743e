//! What needs no process: lines, variables, deadlines. The worker itself is tested through the real binary.

use super::environment::Environment;
use super::lines::{Bounded, StreamLine};
use super::run::{Slow, late};
use redraft_engine::ports::{Deadlines, Moment};
use std::ffi::OsString;
use std::io::{BufReader, Read};
use std::time::Duration;

fn lines(bytes: impl Read, max: usize) -> Vec<StreamLine> {
    let mut reading = Bounded::new(BufReader::with_capacity(8, bytes), max);
    let mut all = Vec::new();
    while let Some(step) = reading.step().unwrap() {
        all.push(step);
    }
    all.retain(|line| *line != StreamLine::Part);
    all
}

fn whole(text: &str) -> StreamLine {
    StreamLine::Whole(text.into())
}

#[test]
fn lines_come_whole_however_the_bytes_arrive_and_the_last_needs_no_break() {
    assert_eq!(
        lines(&b"one\n\na longer line than the buffer\nlast"[..], 100),
        [whole("one"), whole(""), whole("a longer line than the buffer"), whole("last")]
    );
    assert_eq!(lines(&b""[..], 100), []);
    assert_eq!(lines(&b"exactly 10\n"[..], 10), [whole("exactly 10")]);
}

#[test]
fn a_line_of_twenty_megabytes_is_read_over_without_being_kept() {
    let long = std::io::repeat(b'x').take(20 << 20);
    let all = lines((&b"before\n"[..]).chain(long).chain(&b"\nafter\n"[..]), 16 << 20);
    assert_eq!(all, [whole("before"), StreamLine::TooLong, whole("after")]);
    assert_eq!(lines(std::io::repeat(b'x').take(50), 10), [StreamLine::TooLong]);
}

#[test]
fn an_agent_sees_the_named_variables_and_no_other() {
    let pairs = [
        ("PATH", "/bin"),
        ("LC_TIME", "C"),
        ("ANTHROPIC_API_KEY", "sk-ant-0123456789"),
        ("OPENAI_API_KEY", "sk-0123456789"),
        ("MY_PROXY_TOKEN", "abcdefgh"),
        ("AWFUL", "x"),
        ("PATHS", "x"),
    ];
    let all = Environment(pairs.map(|(name, value)| (OsString::from(name), OsString::from(value))).into());
    let mut seen = all.passed(&["ANTHROPIC_*"], &["MY_PROXY_TOKEN".to_owned()]);
    let ticket = "031/specify.1/review/spec-reviewer/2.1";
    seen.mark(&ticket.parse().unwrap(), Some(3));
    assert_eq!(seen.0.remove(&OsString::from("REDRAFT_SLOT")), Some(OsString::from("3")));
    // What was set before us is not ours.
    seen.set("REDRAFT_SLOT", "7");
    seen.mark(&ticket.parse().unwrap(), None);
    seen.default_to("PATH", "/elsewhere");
    let names: Vec<&str> = seen.0.keys().map(|name| name.to_str().unwrap()).collect();
    assert_eq!(
        names,
        ["ANTHROPIC_API_KEY", "GIT_TERMINAL_PROMPT", "LC_TIME", "MY_PROXY_TOKEN", "PATH", "REDRAFT_TICKET"]
    );
    assert_eq!(seen.0[&OsString::from("REDRAFT_TICKET")], ticket);
    assert_eq!(seen.0[&OsString::from("PATH")], "/bin");
    assert_eq!(seen.secrets(), ["sk-ant-0123456789", "abcdefgh"]);
    assert!(!format!("{seen:?}").contains("0123456789"), "values are not shown");
}

#[test]
fn each_deadline_counts_from_its_own_beginning() {
    let deadlines = Deadlines { connect_ms: 1, first_byte_ms: 10, idle_ms: 20, total_ms: 50 };
    let at = |ms| Moment::after(Duration::from_millis(ms));
    let late = |heard: Option<u64>, now| late(deadlines, at(100), heard.map(at), at(now));
    assert_eq!(late(None, 109), None);
    assert_eq!(late(None, 110), Some(Slow::FirstByte(10)));
    assert_eq!(late(Some(105), 124), None);
    assert_eq!(late(Some(105), 125), Some(Slow::Idle(20)));
    assert_eq!(late(Some(149), 150), Some(Slow::Total(50)));
}
