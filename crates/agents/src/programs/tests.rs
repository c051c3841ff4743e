//! What needs no process: versions, fingerprints, kept files.

use super::program::number;
use super::session::{DispatchRecord, Fingerprint, Sessions};
use redraft_facts::ids::SessionId;

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
