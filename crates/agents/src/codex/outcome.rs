//! What an end of Codex means. A turn that failed says why in words only, so words decide.

use super::limit;
use super::remark::{is_refused, is_unconnected, status};
use super::stream::Heard;
use crate::programs::NoAnswer;
use redraft_adapters::child::{Finished, ReadEnd};
use redraft_facts::event::AfterFailure;

/// The program has repeated the request itself already.
const BUSY_MS: u64 = 30_000;

/// What a failed turn means. The status decides where one is named, and words only where none is: an address or the
/// service's own message may hold any number.
pub(super) fn failure(message: &str, resumed: bool, now_ms: i64) -> (AfterFailure, String) {
    let said = message.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let ends_ms = limit::ends_ms(message, now_ms).filter(|_| any(&["usage limit", "rate limit"]));
    let now = if let Some(ends_ms) = ends_ms {
        AfterFailure::ParkUntil(ends_ms)
    } else if any(&["usage limit", "quota", "billing", "credits"]) {
        AfterFailure::AskPerson
    } else if any(&["context window", "context_length", "context length"]) {
        if resumed { AfterFailure::FreshSession } else { AfterFailure::AskPerson }
    } else {
        match status(&said) {
            Some(408 | 409 | 425 | 429 | 500..=599) => AfterFailure::Wait(BUSY_MS),
            Some(400..=499) => AfterFailure::AskPerson,
            Some(_) | None => by_words(&any),
        }
    };
    (now, format!("codex: {message}"))
}

fn by_words(any: &dyn Fn(&[&str]) -> bool) -> AfterFailure {
    if any(&["unauthorized", "forbidden", "missing environment variable", "not logged in"]) {
        AfterFailure::AskPerson
    } else if any(&["too many requests", "rate limit", "overloaded", "high demand", "at capacity"])
        || any(&["stream disconnected", "connection", "timed out", "timeout", "network"])
        || any(&["internal server error"])
    {
        AfterFailure::Wait(BUSY_MS)
    } else if any(&["bad request", "invalid_request", "not supported", "does not exist"]) {
        AfterFailure::AskPerson
    } else {
        AfterFailure::GiveUp
    }
}

/// Whether no answer is missing from what was counted: the last request and all that were repeated were refused, or not
/// sent.
pub(super) fn is_settled(heard: &Heard, message: &str) -> bool {
    !heard.cut && (is_refused(message) || (is_unconnected(message) && !heard.connected))
}

/// How often in a row it may report that it waits for the network, some 20 seconds in all; by itself it would never
/// give up.
pub(super) const UNCONNECTED_MAX: u32 = 3;

/// The meaning of having no connection.
pub(super) fn offline(heard: &Heard) -> (AfterFailure, String) {
    let said = heard.remark.as_deref().unwrap_or_default();
    (
        AfterFailure::AskPerson,
        format!("codex is offline: {said}; look at the network, or at the address of its service"),
    )
}

/// Whether an unfinished turn cost nothing: the model has done nothing in it, and the only trouble Codex reported is
/// that it had no connection.
pub(super) fn never_connected(heard: &Heard) -> bool {
    !heard.at_work && heard.remark.is_some() && !heard.connected
}

/// Why the turn was neither completed nor failed.
pub(super) fn silence(heard: &Heard, finished: &Finished) -> (AfterFailure, String) {
    let stderr = finished.stderr.trim();
    let last = stderr.lines().last().unwrap_or_default();
    if matches!(finished.end, ReadEnd::Exited(_)) && stderr.contains("no rollout found") {
        return (AfterFailure::FreshSession, last.to_owned());
    }
    why(heard).explain(finished, last)
}

/// The explanation where nothing else is known.
pub(super) fn why(heard: &Heard) -> NoAnswer<'static> {
    let said = |remark: &String| format!(", last said: {remark}");
    NoAnswer {
        program: "codex",
        lacking: "no completed turn",
        began: !heard.thread.is_empty(),
        unreadable: heard.unreadable,
        remark: heard.remark.as_ref().map(said).unwrap_or_default(),
    }
}
