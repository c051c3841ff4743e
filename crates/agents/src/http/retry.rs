//! Decides what a failed request means: wait and send it again, or stop, and how. It sends nothing.

use redraft_facts::event::AfterFailure;
use std::time::UNIX_EPOCH;

/// One failed try.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Failure<'a> {
    /// Which try this was, from 1.
    pub(crate) attempt: u32,
    /// None where no status arrived: the connection broke.
    pub(crate) status: Option<u16>,
    pub(crate) retry_after_ms: Option<u64>,
    /// The vendor's word for it, such as `overloaded_error`; may be empty. See [`kind`].
    pub(crate) kind: &'a str,
    /// The vendor's sentence; may be empty.
    pub(crate) message: &'a str,
    /// What is left of the dispatch's time.
    pub(crate) left_ms: u64,
    /// Any number; spreads clients that failed together.
    pub(crate) random: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    Wait(u64),
    Stop(AfterFailure),
}

pub(crate) const TRIES_MAX: u32 = 4;
/// A name that has no address after this many tries, some seconds in all, will have none in a minute either: a person
/// has to look at the network.
const OFFLINE_TRIES_MAX: u32 = 3;
const FIRST_MS: u64 = 1_000;
const LONGEST_MS: u64 = 30_000;
/// After all tries the engine is told to wait at least this long before it dispatches again.
const EXHAUSTED_MS: u64 = 60_000;

/// Words for a limit on money. They come with statuses and types that also stand for things that pass by themselves.
const CAPS: [&str; 8] = [
    "enforced_spend_limit_reached",
    "billing_error",
    "insufficient_quota",
    "credit_balance_exhausted",
    "organization_spend_limit_exceeded",
    "organization_usage_limit_exceeded",
    "project_spend_limit_exceeded",
    "billing_hard_limit_reached",
];

/// How Anthropic words it where no field says it.
const CAP_SENTENCES: [&str; 4] = [
    "reached your api usage limits",
    "reached your specified api usage limits",
    "reached your specified workspace api usage limits",
    "credit balance is too low",
];

pub(crate) fn next(failure: &Failure<'_>) -> Retry {
    if is_cap(failure) {
        return Retry::Stop(AfterFailure::AskPerson);
    }
    match meaning(failure.status, failure.kind) {
        Meaning::Refused => Retry::Stop(AfterFailure::AskPerson),
        Meaning::Wrong => Retry::Stop(AfterFailure::GiveUp),
        Meaning::Passing => passing(failure),
    }
}

/// What is next where the name of the service has no address.
pub(crate) fn next_offline(failure: &Failure<'_>) -> Retry {
    if failure.attempt >= OFFLINE_TRIES_MAX {
        return Retry::Stop(AfterFailure::AskPerson);
    }
    passing(failure)
}

/// The word that decides, out of all that an error has, the most precise first: a limit on money wherever it stands,
/// else the first there is.
pub(crate) fn kind<'a>(words: &[&'a str]) -> &'a str {
    let cap = words.iter().find(|word| CAPS.contains(word));
    cap.or_else(|| words.iter().find(|word| !word.is_empty())).copied().unwrap_or_default()
}

/// What is left of `retry-after`: seconds, or a date, which may have passed. A server that writes anything else gets
/// the usual back-off.
pub(crate) fn retry_after_ms(header: Option<&str>, now_ms: i64) -> Option<u64> {
    let header = header?.trim();
    if let Some(until_ms) = date_ms(header) {
        return Some(u64::try_from(until_ms.saturating_sub(now_ms)).unwrap_or(0));
    }
    let seconds: f64 = header.parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then_some((seconds * 1000.0).ceil() as u64)
}

/// A date of HTTP in milliseconds since 1970.
fn date_ms(text: &str) -> Option<i64> {
    let since = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

fn is_cap(failure: &Failure<'_>) -> bool {
    let says = || {
        let message = failure.message.to_lowercase();
        CAP_SENTENCES.iter().any(|words| message.contains(words))
    };
    // A sentence counts less than a field: a service that says when to come back is believed.
    CAPS.contains(&failure.kind) || (failure.retry_after_ms.is_none() && says())
}

enum Meaning {
    /// No repetition helps; somebody must change a key, a limit or a name.
    Refused,
    /// This request is not accepted as it is.
    Wrong,
    Passing,
}

/// The kind is asked first, because an error inside a 200 has no other sign.
fn meaning(status: Option<u16>, kind: &str) -> Meaning {
    match kind {
        "authentication_error"
        | "permission_error"
        | "not_found_error"
        | "invalid_api_key"
        | "model_not_found" => return Meaning::Refused,
        "invalid_request_error" | "request_too_large" | "context_length_exceeded"
            if !matches!(status, Some(401..=404)) =>
        {
            return Meaning::Wrong;
        }
        "overloaded_error"
        | "rate_limit_error"
        | "rate_limit_exceeded"
        | "api_error"
        | "timeout_error"
        | "server_error" => return Meaning::Passing,
        _ => {}
    }
    match status {
        Some(401..=404) => Meaning::Refused,
        Some(408 | 409 | 425 | 429 | 500..) | None => Meaning::Passing,
        // An unknown error inside a stream that began well.
        Some(200) => Meaning::Passing,
        Some(_) => Meaning::Wrong,
    }
}

fn passing(failure: &Failure<'_>) -> Retry {
    let Failure { attempt, retry_after_ms, left_ms, random, .. } = *failure;
    let doubled = FIRST_MS.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_MS);
    // Between half and all of the step, so that it grows and still spreads.
    let spread = doubled / 2 + random % (doubled / 2 + 1);
    let wait_ms = retry_after_ms.map_or(spread, |asked| asked.saturating_add(random % FIRST_MS));
    if attempt >= TRIES_MAX || wait_ms >= left_ms {
        return Retry::Stop(AfterFailure::Wait(wait_ms.max(EXHAUSTED_MS)));
    }
    Retry::Wait(wait_ms)
}
