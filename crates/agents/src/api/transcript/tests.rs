use super::*;

fn ticket(text: &str) -> Ticket {
    text.parse().unwrap()
}

fn done(ticket: &str) -> Done {
    let parts = vec!["a".to_owned()];
    Done { ticket: ticket.to_owned(), asked_ms: 5, prompt_tokens: 7, parts, lifetime: None }
}

const FIRST: &str = "031/specify.1/review/spec-reviewer/1.1";
const SECOND: &str = "031/specify.1/review/spec-reviewer/2.1";
const THIRD: &str = "031/specify.1/review/spec-reviewer/3.1";

/// Two finished turns and half of a third.
fn world() -> (tempfile::TempDir, Transcripts, SessionId) {
    let folder = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::new(folder.path());
    let session = SessionId::new("../a b");
    let head = Head { fingerprint: "f".to_owned(), system: "[1, 2]".to_owned(), ..Head::default() };
    let mut transcript = transcripts.open(&session, head).unwrap();
    for (number, ticket) in [(1, FIRST), (2, SECOND)] {
        transcript.add(format!("{{\"asked\": {number}}}")).unwrap();
        transcript.add(format!("{{\"said\": {number}}}")).unwrap();
        transcript.finish(done(ticket)).unwrap();
    }
    transcript.add("{\"asked\": 3}".to_owned()).unwrap();
    (folder, transcripts, session)
}

const FINISHED: [&str; 4] = ["{\"asked\": 1}", "{\"said\": 1}", "{\"asked\": 2}", "{\"said\": 2}"];

#[test]
fn a_half_turn_is_dropped_for_good_and_the_rest_is_byte_identical() {
    let (folder, transcripts, session) = world();
    let transcript = transcripts.load(&session, &ticket(THIRD)).unwrap().unwrap();
    assert_eq!(transcript.messages(), FINISHED);
    assert_eq!(transcript.head.system, "[1, 2]");
    assert_eq!(transcript.last(), Some(&done(SECOND)));
    let files: Vec<_> =
        folder.path().join("sessions").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "the name stays in the folder and nothing else is left");
    assert!(!fs::read_to_string(&files[0]).unwrap().contains("3}"));
}

#[test]
fn a_torn_line_is_not_read() {
    let (_folder, transcripts, session) = world();
    let file = transcripts.file(&session);
    let whole = fs::read_to_string(&file).unwrap();
    let beginning = whole.find('\n').unwrap() + 1;
    for cut in beginning..whole.len() {
        if !whole.is_char_boundary(cut) {
            continue;
        }
        fs::write(&file, &whole[..cut]).unwrap();
        let transcript = transcripts.load(&session, &ticket(THIRD)).unwrap().unwrap();
        let messages = transcript.messages();
        assert!([0, 2, 4].contains(&messages.len()), "{messages:?}");
        assert_eq!(messages, FINISHED[..messages.len()]);
    }
}

#[test]
fn a_repeated_attempt_forgets_the_turn_of_the_earlier_one() {
    let (_folder, transcripts, session) = world();
    let again = ticket("031/specify.1/review/spec-reviewer/2.2");
    assert_eq!(transcripts.load(&session, &again).unwrap().unwrap().messages(), FINISHED[..2]);
    // And it stays forgotten.
    assert_eq!(transcripts.load(&session, &ticket(THIRD)).unwrap().unwrap().messages(), FINISHED[..2]);
}

#[test]
fn the_first_version_of_the_file_stays_readable_and_others_are_refused_by_name() {
    let (_folder, transcripts, session) = world();
    let file = transcripts.file(&session);
    let v1 = concat!(
        r#"{"opened":{"v":1,"head":{"fingerprint":"f","system":"","tools":"[]","schema":""}}}"#,
        "\n",
        r#"{"message":"{\"a\":1}"}"#,
        "\n",
        r#"{"done":{"ticket":"031/specify.1/review/spec-reviewer/1.1","asked_ms":1,"prompt_tokens":2,"parts":[]}}"#,
        "\n",
    );
    fs::write(&file, v1).unwrap();
    assert_eq!(transcripts.load(&session, &ticket(SECOND)).unwrap().unwrap().messages(), ["{\"a\":1}"]);
    fs::write(&file, v1.replace("\"v\":1", "\"v\":2")).unwrap();
    let error = transcripts.load(&session, &ticket(SECOND)).unwrap_err().to_string();
    assert!(error.contains("version 2"), "{error}");
    for bad in ["", "garbage\n", r#"{"message":"x"}"#] {
        fs::write(&file, bad).unwrap();
        assert!(transcripts.load(&session, &ticket(SECOND)).is_err(), "{bad}");
    }
    assert!(transcripts.load(&SessionId::new("other"), &ticket(SECOND)).unwrap().is_none());
}
