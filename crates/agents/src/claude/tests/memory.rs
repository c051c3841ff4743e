//! Whether a conversation still holds what the model was shown.

use super::{DONE, INIT, READ, kept, request, settings};
use crate::claude::{ClaudeAgent, ClaudeSettings, flags, memory};
use crate::programs::{ConversationRecord, DispatchRecord};
use redraft_adapters::child::Environment;
use redraft_engine::ports::Request;
use redraft_facts::choice::Lifetime;
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::SessionId;
use redraft_facts::usage::Usd;
use std::ffi::OsString;

const COMPACTING: &str = r#"{"type":"system","subtype":"status","status":"compacting"}"#;
const BOUNDARY: &str =
    r#"{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto"}}"#;
const SMALL: &str = r#"{"type":"system","subtype":"microcompact_boundary"}"#;
const ASKING: &str = r#"{"type":"system","subtype":"status","status":"requesting"}"#;

#[test]
fn an_answer_given_from_a_summary_counts_only_for_who_writes_and_had_begun_with_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    for told in [COMPACTING, BOUNDARY, SMALL] {
        // When it is reported, whether the conversation is resumed, whether it writes, and whether the answer counts.
        for (lines, resume, writes, counts) in [
            ([INIT, ASKING, told, READ, DONE], true, false, false),
            ([INIT, ASKING, READ, told, DONE], true, false, false),
            ([INIT, ASKING, told, READ, DONE], false, false, false),
            ([INIT, ASKING, READ, told, DONE], false, false, false),
            ([INIT, ASKING, told, READ, DONE], true, true, false),
            ([INIT, ASKING, READ, told, DONE], true, true, true),
            ([INIT, ASKING, READ, told, DONE], false, true, true),
        ] {
            kept(folder.path(), &lines);
            let asked = DispatchRecord { resume, writes, ..DispatchRecord::read(folder.path()).unwrap() };
            let end = agent.answer(&super::heard(&lines), &asked);
            let case = format!("{told} resumed {resume}, writes {writes}: {end:?}");
            match end {
                Ok(Some(outcome)) => {
                    assert!(counts, "{case}");
                    assert_eq!(outcome.session, None, "it is not continued: {case}");
                    assert!(outcome.notes.iter().any(|note| note.contains("a summary")), "{case}");
                }
                Ok(None) => panic!("{case}"),
                Err(error) => {
                    assert!(!counts, "{case}");
                    assert_eq!(
                        (error.now, error.usage.unwrap().cost),
                        (AfterFailure::FreshSession, Usd(8_280)),
                        "{case}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_resumed_prompt_that_is_shorter_than_the_last_one_has_lost_something() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    let first = |tokens: u64| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"a","model":"m","usage":{{"input_tokens":{tokens}}},"content":[]}}}}"#
        )
    };
    ConversationRecord::keep(&agent.sessions.folder(&SessionId::new("s-1")), Some(10_735), None).unwrap();
    for (tokens, resume, counts) in
        [(9_871, true, false), (10_735, true, true), (30_000, true, true), (9_871, false, true)]
    {
        let first = first(tokens);
        let lines = [INIT, &first, DONE];
        kept(folder.path(), &lines);
        let asked = DispatchRecord { resume, ..DispatchRecord::read(folder.path()).unwrap() };
        let end = agent.answer(&super::heard(&lines), &asked);
        assert_eq!(end.is_ok(), counts, "{tokens} {resume}: {end:?}");
    }
}

#[test]
fn a_resumed_review_that_was_answered_elsewhere_or_twice_or_not_at_all_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let agent = ClaudeAgent::new(settings(folder.path()));
    let with = |old: &str, new: &str| DONE.replace(old, new);
    let elsewhere = with(r#""session_id":"s-1""#, r#""session_id":"s-2""#);
    let nowhere = with(r#""session_id":"s-1","#, "");
    let rejected =
        with(r#""structured_output":{"approved":true}"#, r#""structured_output":{"approved":false}"#);
    let (refused, cut) = (with("end_turn", "refusal"), with("end_turn", "max_tokens"));
    let turns = with(r#""subtype":"success""#, r#""subtype":"error_max_turns""#);
    let strange = with(r#""subtype":"success""#, r#""subtype":"weird""#);
    // The lines, whether the conversation is resumed, whether it writes, and what becomes of it.
    for (lines, resume, writes, now) in [
        (&[INIT, DONE][..], true, false, None),
        (&[INIT, DONE, DONE], true, false, None),
        (&[INIT, &elsewhere], true, false, Some(AfterFailure::FreshSession)),
        (&[INIT, &nowhere], true, true, Some(AfterFailure::FreshSession)),
        (&[INIT, &elsewhere], false, false, None),
        (&[INIT, &rejected, DONE], false, false, Some(AfterFailure::GiveUp)),
        (&[INIT, DONE, &rejected], true, false, Some(AfterFailure::GiveUp)),
        (&[INIT, &rejected, DONE], false, true, None),
        (&[INIT, &refused], false, false, Some(AfterFailure::GiveUp)),
        (&[INIT, &cut], false, false, Some(AfterFailure::GiveUp)),
        (&[INIT, &turns], false, false, Some(AfterFailure::GiveUp)),
        (&[INIT, &strange], false, false, Some(AfterFailure::GiveUp)),
    ] {
        kept(folder.path(), lines);
        let asked = DispatchRecord { resume, writes, ..DispatchRecord::read(folder.path()).unwrap() };
        let end = agent.answer(&super::heard(lines), &asked);
        let case = format!("{lines:?}, resumed {resume}, writes {writes}: {end:?}");
        assert_eq!(end.map_err(|error| error.now).err(), now, "{case}");
    }
    // Where no request states its size, that of the answer is compared.
    ConversationRecord::keep(&agent.sessions.folder(&SessionId::new("s-1")), Some(10_735), None).unwrap();
    kept(folder.path(), &[INIT, DONE]);
    let asked = DispatchRecord { resume: true, ..DispatchRecord::read(folder.path()).unwrap() };
    assert!(agent.answer(&super::heard(&[INIT, DONE]), &asked).is_err());
}

#[test]
fn a_conversation_whose_file_was_cut_is_not_resumed_wherever_claude_keeps_it() {
    for config in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(if config { "own" } else { ".claude" });
        let projects = own.join("projects/-repo");
        std::fs::create_dir_all(&projects).unwrap();
        std::fs::create_dir_all(own.join("projects/-another")).unwrap();
        let file = projects.join("s-1.jsonl");
        std::fs::write(&file, "one\ntwo\n").unwrap();
        let name = if config { "CLAUDE_CONFIG_DIR" } else { "HOME" };
        let value = if config { own.clone() } else { folder.path().to_owned() };
        let environment = Environment([(OsString::from(name), value.into_os_string())].into());
        let settings = ClaudeSettings { environment, ..settings(folder.path()) };
        let agent = ClaudeAgent::new(settings.clone());
        let request = Request { session: SessionId::new("s-1"), ..request(Lifetime::Hour) };
        let cut = || memory::is_cut(&settings.environment, &agent.sessions, &request.session);
        assert_eq!(cut(), None, "nothing is known of it");
        memory::keep(&settings.environment, &agent.sessions, &request, &super::heard(&[]));
        std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
        assert_eq!(cut(), None);
        std::fs::write(&file, "one\n").unwrap();
        assert!(cut().unwrap().contains("4 bytes of 8"));
    }
}

#[test]
fn who_judges_is_told_that_a_conversation_is_too_long_instead_of_being_given_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(folder.path());
    for (may_write, off) in [(Vec::new(), true), (vec!["spec.md".to_owned()], false)] {
        let request = Request { may_write, ..request(Lifetime::Hour) };
        let environment = flags::environment(&settings, &request).0;
        assert_eq!(environment.contains_key(&OsString::from("DISABLE_AUTO_COMPACT")), off);
    }
}
