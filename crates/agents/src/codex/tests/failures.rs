//! Turns that failed: what they mean, and what they cost.

use super::*;

#[test]
fn a_failure_says_what_to_do_next() {
    let now = |message: &str, resumed| outcome::failure(message, resumed, 0).0;
    for message in [
        "exceeded retry limit, last status: 429 Too Many Requests",
        "unexpected status 500 Internal Server Error",
        "stream disconnected before completion",
        "We're currently experiencing high demand",
    ] {
        assert!(matches!(now(message, true), AfterFailure::Wait(ms) if ms > 0), "{message}");
    }
    for message in [
        "unexpected status 401 Unauthorized: bad key",
        "You've hit your usage limit. Try again later.",
        "Quota exceeded. Check your plan and billing details.",
        "Missing environment variable: `OPENAI_API_KEY`",
        "unexpected status 400 Bad Request",
    ] {
        assert_eq!(now(message, true), AfterFailure::AskPerson, "{message}");
    }
    // The status decides and no other number: an address, a port or the service's own words may hold any.
    for (status, waits) in
        [(400, false), (401, false), (403, false), (404, false), (422, false), (408, true), (429, true)]
            .into_iter()
            .chain([(500, true), (502, true), (503, true), (504, true), (529, true)])
    {
        for elsewhere in ["40137", "42999", "50301", "40040", "401"] {
            for message in [
                format!(
                    "unexpected status {status} Word: no, url: http://127.0.0.1:{elsewhere}/v1/responses"
                ),
                format!("exceeded retry limit, last status: {status} Word, request id: {elsewhere}"),
            ] {
                let expected = if waits { AfterFailure::Wait(30_000) } else { AfterFailure::AskPerson };
                assert_eq!(now(&message, true), expected, "{message}");
            }
            let cut =
                format!("stream disconnected before completion: http://127.0.0.1:{elsewhere}/v1/responses");
            assert_eq!(now(&cut, true), AfterFailure::Wait(30_000), "{cut}");
            let odd = format!("something nobody has seen, {elsewhere}");
            assert_eq!(now(&odd, true), AfterFailure::GiveUp, "{odd}");
        }
    }
    let full = "Codex ran out of room in the model's context window.";
    assert_eq!((now(full, true), now(full, false)), (AfterFailure::FreshSession, AfterFailure::AskPerson));
    assert_eq!(now("something nobody has seen", true), AfterFailure::GiveUp);
}

#[test]
fn silence_is_explained_by_what_ended_it() {
    let exit = |stderr: &str| {
        let exit = serde_json::from_str(r#"{"v":1,"code":1,"signal":null,"not_started":""}"#).unwrap();
        Finished { end: ReadEnd::Exited(exit), stderr: stderr.into(), report: None }
    };
    let mut heard = Heard::default();
    let lost = exit(
        "WARNING: no aliases\nError: thread/resume failed: no rollout found for thread id X (code -32600)\n",
    );
    assert_eq!(outcome::silence(&heard, &lost).0, AfterFailure::FreshSession);
    assert_eq!(outcome::silence(&heard, &exit("error: unexpected argument")).0, AfterFailure::AskPerson);
    heard.take(StreamLine::Whole(BEGUN.into()));
    heard.take(StreamLine::TooLong);
    let (now, detail) = outcome::silence(&heard, &exit("killed"));
    assert_eq!(now, AfterFailure::GiveUp);
    assert_eq!(detail, "codex ended with code 1 and no completed turn, 1 unreadable line: killed");
}

#[test]
fn a_usage_limit_parks_until_the_time_it_names() {
    let noon_ms = 12 * 60 * 60 * 1000;
    let said = "You've hit your usage limit. Upgrade to Pro (https://…) or try again at 3:04 PM.";
    assert_eq!(outcome::failure(said, false, noon_ms).0, AfterFailure::ParkUntil((15 * 60 + 5) * 60_000));
    let later = "You've hit your usage limit. Try again at Jan 3rd, 1970 12:00 AM.";
    assert_eq!(outcome::failure(later, true, noon_ms).0, AfterFailure::ParkUntil(2 * 86_400_000 + 60_000));
    let other = "The tool said: try again at 3:04 PM.";
    assert_eq!(outcome::failure(other, true, noon_ms).0, AfterFailure::GiveUp, "not a limit");
}

/// As 0.166.0 says it, every few seconds and forever.
const WAITING: &str = r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#;

#[test]
fn a_turn_that_only_waited_for_the_network_cost_nothing_and_is_ended_after_a_few_times() {
    let heard = |lines: &[&str]| {
        let mut heard = Heard::default();
        lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
        heard
    };
    let offline = heard(&[BEGUN, REMARK, WAITING, WAITING, WAITING]);
    assert!(outcome::never_connected(&offline) && offline.unconnected == outcome::UNCONNECTED_MAX);
    let (now, detail) = outcome::offline(&offline);
    assert_eq!(now, AfterFailure::AskPerson);
    assert!(detail.starts_with("codex is offline: Reconnecting... waiting for network"), "{detail}");
    let cut = r#"{"type":"error","message":"Reconnecting... 1/5 (stream disconnected before completion)"}"#;
    for (lines, why) in [
        (&[BEGUN, cut, WAITING][..], "a request was out before"),
        (&[BEGUN, WAITING, FIRST], "it answers"),
        (&[BEGUN], "nothing was said of a connection"),
    ] {
        let heard = heard(lines);
        assert!(!outcome::never_connected(&heard) && heard.unconnected < outcome::UNCONNECTED_MAX, "{why}");
    }
}

#[test]
fn what_was_refused_or_never_sent_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let usage = |lines: &[&str], resume: bool| {
        kept(folder.path(), 1, resume, lines);
        let asked = DispatchRecord::read(folder.path()).unwrap();
        let mut heard = Heard::default();
        lines.iter().for_each(|line| heard.take(StreamLine::Whole(line.as_bytes().to_vec())));
        agent.answer(&heard, &asked, SCHEMA, 0, Counted::default()).unwrap_err().usage
    };
    let failed = |message: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#);
    for message in [
        "unexpected status 401 Unauthorized: bad key",
        "exceeded retry limit, last status: 429 Too Many Requests",
        "{'error':{'code':'invalid_request_error','message':'no such model'}}",
        "You've hit your usage limit. Try again later.",
        "Missing environment variable: `OPENAI_API_KEY`",
        "unexpected status 503 Service Unavailable: busy, url: http://127.0.0.1:20502/v1/responses",
        "unexpected status 529 <unknown status code>: busy, url: http://127.0.0.1:1/v1/responses",
        "We’re currently experiencing high demand, which may cause temporary errors.",
        "Selected model is at capacity. Please try a different model.",
        "rate limit exceeded: busy now",
    ] {
        let again = format!(r#"{{"type":"error","message":"Reconnecting... 1/5 ({message})"}}"#);
        assert_eq!(
            usage(&[BEGUN, REMARK, &again, &again, &failed(message)], false),
            AgentError::UNBILLED,
            "{message}"
        );
        assert_eq!(
            usage(&[BEGUN, REMARK, AGAIN, &failed(message)], false),
            None,
            "{message}: an answer had broken off before"
        );
        assert_eq!(
            usage(&[BEGUN, FIRST, &failed(message)], false),
            None,
            "{message}: it was answered before"
        );
    }
    let cut = "stream disconnected before completion";
    assert_eq!(usage(&[BEGUN, &failed(cut)], false), None, "it may have been billed");
    for message in [
        "stream disconnected before completion: error sending request for url (https://x.invalid/v1/responses)",
        "Connection failed: error sending request",
        "error trying to connect: dns error: failed to lookup address information",
        "Connection refused (os error 111)",
    ] {
        assert_eq!(usage(&[BEGUN, &failed(message)], false), AgentError::UNBILLED, "{message}");
        assert_eq!(
            usage(&[BEGUN, FIRST, &failed(message)], false),
            None,
            "{message}: it was answered before"
        );
        let cut = format!(r#"{{"type":"error","message":"Reconnecting... 1/5 ({cut})"}}"#);
        assert_eq!(
            usage(&[BEGUN, &cut, &failed(message)], false),
            None,
            "{message}: a request was out before"
        );
    }
    let other = BEGUN.replace("th-1", "th-2");
    let elsewhere = usage(&[&other, LAST, &done(1_000, 0, 10)], true).unwrap();
    assert_eq!((elsewhere.uncached, elsewhere.output), (1_000, 10), "a new thread's counts are its own");
    assert!(elsewhere.cost > Usd(0));
}

#[test]
fn what_was_answered_before_a_refusal_is_what_a_failed_turn_cost() {
    let folder = tempfile::tempdir().unwrap();
    let usage = Usage { uncached: 900, output: 30, cost: Usd(77), ..Usage::default() };
    let counted = Counted { usage: Some(usage), ..Counted::default() };
    let failed = |message: &str| format!(r#"{{"type":"turn.failed","error":{{"message":"{message}"}}}}"#);
    let cost = |lines: &[&str]| watched(folder.path(), lines, counted).unwrap_err().usage;
    let busy = failed("unexpected status 503 Service Unavailable: busy");
    assert_eq!(cost(&[BEGUN, FIRST, &busy]), Some(usage));
    assert_eq!(cost(&[BEGUN, FIRST, AGAIN, &busy]), None, "an answer broke off, which is in no count");
    assert_eq!(cost(&[BEGUN, FIRST, &failed("stream disconnected before completion")]), None);
    assert_eq!(cost(&[BEGUN, FIRST, &failed("unexpected status 504 Gateway Timeout")]), None, "it may go on");
}

#[test]
fn an_answer_given_without_what_the_thread_held_does_not_count() {
    let summary = format!(
        "{{\"timestamp\":\"t\",\"ordinal\":2,\"type\":\"compacted\",\"payload\":{{\"message\":\"{}\"}}}}\n",
        "long ".repeat(40_000)
    );
    let count = |total: u64, input: u64| {
        format!(
            "{{\"type\":\"token_usage_record\",\"payload\":{{\"usage\":{{\"input_tokens\":{input},\"output_tokens\":20}},\
             \"thread_token_usage\":{{\"input_tokens\":{total},\"output_tokens\":30}}}}}}\n"
        )
    };
    // What the turn adds to the notes; whether it is a resumed one, and whether it writes; what becomes of it.
    for (notes, resume, writes, taken, goes_on) in [
        (count(14_000, 9_500), true, false, true, true),
        (count(14_000, 8_000), true, false, false, false),
        (count(14_000, 8_000), true, true, false, false),
        (count(14_000, 8_000), false, false, true, true),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), true, false, false, false),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), true, true, true, false),
        (format!("{}{summary}{}", count(14_000, 9_500), count(15_000, 900)), false, false, false, false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let day = folder.path().join("sessions/2026/11/17");
        std::fs::create_dir_all(&day).unwrap();
        let file = day.join("rollout-2026-11-17T07-28-37-th-1.jsonl");
        std::fs::write(&file, count(5_000, 9_000)).unwrap();
        let environment = Environment([("CODEX_HOME".into(), folder.path().into())].into());
        let agent = agent(folder.path());
        let thread = agent.sessions.folder(&SessionId::new("th-1"));
        let mut before = Rollout::find(&environment, "th-1");
        before.news();
        ConversationRecord::keep(&thread, before.least_next(), before.file()).unwrap();
        let mut rollout = Rollout::find(&environment, "th-1").onwards();
        std::fs::write(&file, format!("{}{notes}", count(5_000, 9_000))).unwrap();
        rollout.news();
        kept(folder.path(), 2, resume, &[]);
        let asked = DispatchRecord { writes, ..DispatchRecord::read(folder.path()).unwrap() };
        let answer = Outcome { session: Some(SessionId::new("th-1")), ..Outcome::default() };
        let end = agent.remembered(answer, &asked, &rollout);
        let told = format!("{resume} {writes} {} characters: {end:?}", notes.len());
        assert_eq!(end.is_ok(), taken, "{told}");
        if let Err(error) = &end {
            assert_eq!(
                (error.now, error.usage),
                (AfterFailure::FreshSession, Some(Usage::default())),
                "{told}"
            );
        }
        assert_eq!(end.is_ok_and(|answer| answer.session.is_some()), goes_on, "{told}");
    }
}
