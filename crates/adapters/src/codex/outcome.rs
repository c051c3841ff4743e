//! What an end of Codex means. A turn that failed says why in words only, so words decide.

use super::limit;
use super::stream::Heard;
use crate::child::{End, Finished, Silence};
use redraft_core::event::Now;

/// The program has repeated the request itself already.
const BUSY_MS: u64 = 30_000;

/// What a failed turn means.
pub(super) fn failure(message: &str, resumed: bool, now_ms: i64) -> (Now, String) {
    let said = message.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let ends_ms = limit::ends_ms(message, now_ms).filter(|_| any(&["usage limit", "rate limit"]));
    let now = if let Some(ends_ms) = ends_ms {
        Now::ParkUntil(ends_ms)
    } else if any(&["usage limit", "quota", "billing", "credits"]) {
        Now::AskPerson
    } else if any(&["context window", "context_length", "context length"]) {
        if resumed { Now::FreshSession } else { Now::AskPerson }
    } else if any(&[
        "401",
        "403",
        "unauthorized",
        "forbidden",
        "missing environment variable",
        "not logged in",
    ]) {
        Now::AskPerson
    } else if any(&["429", "too many requests", "rate limit", "overloaded", "high demand", "at capacity"])
        || any(&["stream disconnected", "connection", "timed out", "timeout", "network"])
        || any(&["500", "502", "503", "504", "529", "internal server error"])
    {
        Now::Wait(BUSY_MS)
    } else if any(&["400", "404", "bad request", "invalid_request", "not supported", "does not exist"]) {
        Now::AskPerson
    } else {
        Now::GiveUp
    };
    (now, format!("codex: {message}"))
}

/// Whether a failed turn cost nothing: the model has done nothing in it, and its service refused or was not reached.
pub(super) fn is_unbilled(heard: &Heard, message: &str) -> bool {
    const REFUSED: [&str; 12] = [
        "status 400",
        "status 401",
        "status 403",
        "status 404",
        "status: 429",
        "status 429",
        "status 529",
        "invalid_request_error",
        "usage limit",
        "quota",
        "missing environment variable",
        "not logged in",
    ];
    let said = message.to_lowercase();
    let refused = || REFUSED.iter().any(|words| said.contains(words));
    !heard.at_work && (refused() || (is_unconnected(message) && !heard.connected))
}

/// Whether the words are about a connection that was not made.
pub(super) fn is_unconnected(message: &str) -> bool {
    const UNCONNECTED: [&str; 9] = [
        "connection refused",
        "error sending request",
        "error trying to connect",
        "failed to lookup address",
        "dns error",
        "network is unreachable",
        "no route to host",
        "certificate",
        "waiting for network",
    ];
    let said = message.to_lowercase();
    UNCONNECTED.iter().any(|words| said.contains(words))
}

/// So often in a row it may say that it waits for the network, which is some 20 seconds; by itself it would never give up.
pub(super) const UNCONNECTED_MAX: u32 = 3;

/// What it means that it has no connection.
pub(super) fn offline(heard: &Heard) -> (Now, String) {
    let said = heard.remark.as_deref().unwrap_or_default();
    (
        Now::AskPerson,
        format!("codex is offline: {said}; look at the network, or at the address of its service"),
    )
}

/// Whether a turn that was not ended cost nothing: the model has done nothing in it, and all that Codex said of its trouble
/// is that it had no connection.
pub(super) fn never_connected(heard: &Heard) -> bool {
    !heard.at_work && heard.remark.is_some() && !heard.connected
}

/// Why the turn neither was completed nor failed.
pub(super) fn silence(heard: &Heard, finished: &Finished) -> (Now, String) {
    let stderr = finished.stderr.trim();
    let last = stderr.lines().last().unwrap_or_default();
    if matches!(finished.end, End::Exited(_)) && stderr.contains("no rollout found") {
        return (Now::FreshSession, last.to_owned());
    }
    why(heard).explain(finished, last)
}

/// What there is to say where nothing else explains it.
pub(super) fn why(heard: &Heard) -> Silence<'static> {
    let said = |remark: &String| format!(", last said: {remark}");
    Silence {
        program: "codex",
        lacking: "no completed turn",
        began: !heard.thread.is_empty(),
        unreadable: heard.unreadable,
        remark: heard.remark.as_ref().map(said).unwrap_or_default(),
    }
}
