use super::retry::{Failure, Retry, TRIES_MAX, kind, next, retry_after_ms};
use super::sse::{BadStream, EVENT_BYTES_MAX, Event, Events};
use proptest::prelude::*;
use redraft_facts::event::AfterFailure;

fn events(bytes: &[u8]) -> Vec<Event> {
    Events::default().push(bytes).unwrap()
}

fn event(name: &str, data: &str) -> Event {
    Event { name: name.to_owned(), data: data.to_owned() }
}

#[test]
fn events_end_with_an_empty_line_in_any_line_ending() {
    for end in ["\n", "\r\n", "\r"] {
        let text =
            format!("event: one{end}data: a{end}data:b{end}{end}: comment{end}data{end}{end}id: 7{end}{end}");
        assert_eq!(events(text.as_bytes()), [event("one", "a\nb"), event("", "")], "{end:?}");
    }
}

#[test]
fn an_event_without_its_end_is_none_yet() {
    let mut stream = Events::default();
    assert_eq!(stream.push(b"data: half").unwrap(), []);
    assert_eq!(stream.push(b" whole\n").unwrap(), []);
    assert_eq!(stream.push(b"\n").unwrap(), [event("", "half whole")]);
}

#[test]
fn an_endless_event_is_refused_before_it_fills_the_memory() {
    let piece = vec![b'x'; 1024 * 1024];
    let mut stream = Events::default();
    stream.push(b"data: ").unwrap();
    let pushes = (0..).take(EVENT_BYTES_MAX).take_while(|_| stream.push(&piece).is_ok()).count();
    assert_eq!(pushes, 7);
    assert_eq!(stream.push(&piece), Err(BadStream::TooLarge));
    let mut lines = Events::default();
    let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
    let pushes = (0..).take(EVENT_BYTES_MAX).take_while(|_| lines.push(&line).is_ok()).count();
    assert!(pushes <= 8, "{pushes}");
    assert_eq!(Events::default().push(b"data: \xff\n\n"), Err(BadStream::NotText));
}

proptest! {
    #[test]
    fn pieces_of_any_size_give_the_same_events(
        text in "(data: [a-zé]{0,5}|event:x|:|\r|\n|\r\n|data|\n\n){0,40}",
        cuts in proptest::collection::vec(0_usize..200, 0..10),
    ) {
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let mut stream = Events::default();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        let pieced: Vec<Event> = pieces.flat_map(|piece| stream.push(piece).unwrap()).collect();
        prop_assert_eq!(pieced, events(bytes));
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(events) = Events::default().push(&bytes) {
            prop_assert!(events.len() <= bytes.len());
        }
    }

    #[test]
    fn a_wait_is_never_shorter_than_asked_for_nor_longer_than_the_time_left(
        attempt in 1_u32..9, asked in proptest::option::of(0_u64..100_000), left_ms in 0_u64..200_000, random: u64,
    ) {
        let failure = Failure { attempt, status: Some(429), retry_after_ms: asked, kind: "", message: "", left_ms, random };
        match next(&failure) {
            Retry::Wait(ms) => prop_assert!(ms >= asked.unwrap_or(500) && ms < left_ms && attempt < TRIES_MAX),
            Retry::Stop(now) => prop_assert!(matches!(now, AfterFailure::Wait(ms) if ms >= asked.unwrap_or(0))),
        }
    }
}

fn decided(status: Option<u16>, kind: &str, attempt: u32, random: u64) -> Retry {
    next(&Failure { attempt, status, retry_after_ms: None, kind, message: "", left_ms: 600_000, random })
}

#[test]
fn each_failure_has_its_own_way_out() {
    for (status, kind) in [
        (Some(401), "authentication_error"),
        (Some(403), ""),
        (Some(404), "not_found_error"),
        (Some(429), "enforced_spend_limit_reached"),
        (Some(429), "insufficient_quota"),
        (Some(429), "credit_balance_exhausted"),
        (Some(429), "project_spend_limit_exceeded"),
        (Some(401), "invalid_request_error"),
        (Some(200), "authentication_error"),
    ] {
        assert_eq!(decided(status, kind, 1, 0), Retry::Stop(AfterFailure::AskPerson), "{status:?} {kind}");
    }
    for (status, kind) in
        [(400, ""), (400, "invalid_request_error"), (413, "request_too_large"), (302, ""), (422, "")]
    {
        assert_eq!(decided(Some(status), kind, 1, 0), Retry::Stop(AfterFailure::GiveUp), "{status} {kind}");
    }
    for (status, kind) in [
        (Some(429), "rate_limit_error"),
        (Some(500), ""),
        (Some(529), ""),
        (Some(200), "overloaded_error"),
        (None, ""),
    ] {
        assert!(matches!(decided(status, kind, 1, 0), Retry::Wait(_)), "{status:?} {kind}");
    }
}

#[test]
fn the_word_that_decides_is_a_limit_on_money_wherever_it_stands() {
    for (words, decides) in [
        (["", "rate_limit_error", "enforced_spend_limit_reached"], "enforced_spend_limit_reached"),
        (["unknown_code", "insufficient_quota", ""], "insufficient_quota"),
        (["credit_balance_exhausted", "insufficient_quota", ""], "credit_balance_exhausted"),
        (["rate_limit_exceeded", "tokens", ""], "rate_limit_exceeded"),
        (["", "rate_limit_error", "something_else"], "rate_limit_error"),
        (["", "", ""], ""),
    ] {
        assert_eq!(kind(&words), decides);
    }
}

#[test]
fn a_limit_on_money_that_only_the_sentence_tells_is_no_wait_unless_the_service_says_how_long() {
    let said = |message, retry_after_ms| {
        let (status, kind) = (Some(429), "rate_limit_error");
        next(&Failure { attempt: 1, status, retry_after_ms, kind, message, left_ms: 600_000, random: 0 })
    };
    let cap = "You have reached your specified workspace API usage limits. You will regain access later.";
    assert_eq!(said(cap, None), Retry::Stop(AfterFailure::AskPerson));
    assert_eq!(said(cap, Some(7_000)), Retry::Wait(7_000));
    assert!(matches!(said("Number of requests has exceeded your rate limit", None), Retry::Wait(_)));
}

#[test]
fn waits_grow_are_spread_and_end_after_four_tries() {
    let wait = |attempt, random| match decided(Some(529), "overloaded_error", attempt, random) {
        Retry::Wait(ms) => ms,
        Retry::Stop(_) => 0,
    };
    assert_eq!([wait(1, 0), wait(2, 0), wait(3, 0), wait(4, 0)], [500, 1_000, 2_000, 0]);
    assert_ne!(wait(3, 1), wait(3, 2));
    assert_eq!(decided(Some(529), "", 4, 0), Retry::Stop(AfterFailure::Wait(60_000)));
}

#[test]
fn retry_after_is_read_as_seconds() {
    assert_eq!(retry_after_ms(Some(" 7 "), 0), Some(7_000));
    assert_eq!(retry_after_ms(Some("0.25"), 0), Some(250));
    for other in [None, Some("Wed, 21 Oct 2026 25:28:00 GMT"), Some("-1"), Some("inf"), Some("")] {
        assert_eq!(retry_after_ms(other, 0), None);
    }
}

#[test]
fn a_date_of_retry_after_is_read_in_the_forms_of_the_standard() {
    for (text, seconds) in [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ] {
        assert_eq!(retry_after_ms(Some(text), 0), Some(seconds * 1_000), "{text}");
    }
    for other in
        ["Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov +994 08:49:37 GMT"]
    {
        assert_eq!(retry_after_ms(Some(other), 0), None, "{other}");
    }
}

#[test]
fn retry_after_is_read_as_a_date_by_the_clock_that_is_handed_in() {
    const DATE: &str = "Wed, 21 Oct 2026 07:28:00 GMT";
    const DATE_MS: i64 = 1_792_567_680_000;
    for (now_ms, left_ms) in
        [(DATE_MS - 90_500, 90_500), (DATE_MS, 0), (DATE_MS + 1, 0), (i64::MAX, 0), (0, DATE_MS as u64)]
    {
        assert_eq!(retry_after_ms(Some(DATE), now_ms), Some(left_ms), "{now_ms}");
    }
}
