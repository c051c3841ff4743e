//! What needs no process: lines, variables, deadlines, versions, fingerprints. The worker itself is tested through the
//! real binary.

use super::environment::Environment;
use super::lines::{Bounded, StreamLine};
use super::program::number;
use super::run::{Slow, late};
use super::session::{DispatchRecord, Fingerprint, Sessions};
use redraft_engine::ports::{Deadlines, Moment};
use redraft_facts::ids::SessionId;
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
    seen.mark(&ticket.parse().unwrap());
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

#[test]
fn a_version_is_found_in_what_programs_say() {
    assert_eq!(number("2.1.197 (Claude Code)\n").as_deref(), Some("2.1.197"));
    assert_eq!(number("codex-cli 0.166.0\n").as_deref(), Some("0.166.0"));
    assert_eq!(number("command not found"), None);
}

fn fingerprint() -> Fingerprint {
    Fingerprint {
        v: Fingerprint::VERSION,
        program: "claude".into(),
        version: "2.1.197".into(),
        model: "claude-sonnet-4-5".into(),
        flags: vec!["--strict-mcp-config".into()],
        system_sha256: "aa".into(),
        tools: vec!["Read".into(), "Grep".into()],
        schema_sha256: "bb".into(),
        folder: "/repo".into(),
    }
}

#[test]
fn a_conversation_whose_name_could_be_an_option_or_a_path_does_not_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path());
    for name in ["-cmcp_servers.x.command=sh", "--dangerously-skip-permissions", "../odd name", "", "a\nb"] {
        let id = SessionId::new(name);
        // As an archive would bring it.
        sessions.begin(&id, &fingerprint()).unwrap();
        assert!(sessions.folder(&id).starts_with(folder.path().join("sessions")), "{name}");
        let refusal = sessions.refusal(&id, &fingerprint()).unwrap();
        assert_eq!(refusal, "its name could be an option of the program", "{name}");
    }
}

#[test]
fn a_conversation_goes_on_only_under_the_circumstances_it_was_begun_under() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = Sessions::new(folder.path());
    let id = SessionId::new("odd_name");
    assert_eq!(
        sessions.refusal(&id, &fingerprint()).unwrap(),
        "nothing is known about conversation odd_name"
    );
    sessions.begin(&id, &fingerprint()).unwrap();
    assert_eq!(sessions.refusal(&id, &fingerprint()), None);
    assert!(sessions.folder(&id).starts_with(folder.path().join("sessions")));
    type Change = fn(&mut Fingerprint);
    let changes: [(&str, Change); 8] = [
        ("program", |now| now.program = "x".into()),
        ("version 2.2.0, begun with 2.1.197", |now| now.version = "2.2.0".into()),
        ("model", |now| now.model = "x".into()),
        ("flags", |now| now.flags.clear()),
        ("system text", |now| now.system_sha256 = "x".into()),
        ("tools Read, begun with Read Grep", |now| now.tools.truncate(1)),
        ("schema", |now| now.schema_sha256 = "x".into()),
        ("folder", |now| now.folder = "/other".into()),
    ];
    for (named, change) in changes {
        let mut now = fingerprint();
        change(&mut now);
        let refusal = sessions.refusal(&id, &now).unwrap();
        assert!(refusal.starts_with(&format!("fingerprint differs: {named}")), "{refusal}");
    }
    std::fs::write(sessions.folder(&id).join("fingerprint.json"), "{\"v\":1").unwrap();
    assert!(sessions.refusal(&id, &fingerprint()).unwrap().contains("cannot be read"));
}

#[test]
fn the_kept_files_are_read_and_written_again_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    // Never change this: a later program may continue a run that left it.
    let v1 = concat!(
        r#"{"v":1,"ticket":"031/specify.1/review/spec-reviewer/2.1","session":"s","resume":true,"folder":"/repo","#,
        r#""fingerprint":{"v":1,"program":"claude","version":"2.1.197","model":"claude-sonnet-4-5","#,
        r#""flags":["--strict-mcp-config"],"system_sha256":"aa","tools":["Read","Grep"],"schema_sha256":"bb","#,
        r#""folder":"/repo"},"reserved":12,"limit":null,"writes":false}"#,
    );
    std::fs::write(folder.path().join("asked.json"), v1).unwrap();
    let asked = DispatchRecord::read(folder.path()).unwrap();
    assert_eq!((&asked.fingerprint, asked.reserved, asked.resume), (&fingerprint(), 12, true));
    asked.keep(folder.path()).unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("asked.json")).unwrap(), v1);
    let newer = format!("\"v\":{}", DispatchRecord::VERSION + 1);
    std::fs::write(folder.path().join("asked.json"), v1.replacen("\"v\":1", &newer, 1)).unwrap();
    assert_eq!(DispatchRecord::read(folder.path()), None);
}
