//! What an end of Claude Code means. Its exit code says next to nothing; the last line decides, and where there is
//! none, what it wrote to standard error.

use super::stream::{Heard, ResultLine};
use crate::billing;
use crate::programs::NoAnswer;
use redraft_adapters::child::{Finished, ReadEnd};
use redraft_facts::event::AfterFailure;
use redraft_facts::text::one_line;

/// The program has repeated the request itself already.
const BUSY_MS: u64 = 30_000;
const UNREACHABLE_MS: u64 = 10_000;

/// Why the last line is not an answer; none when it is.
pub(super) fn failure(heard: &Heard, result: &ResultLine, resumed: bool) -> Option<(AfterFailure, String)> {
    if let Some(why) = unanswered(result).filter(|_| !result.is_error) {
        let said = result.errors.join("; ");
        let detail = if said.is_empty() { why } else { format!("{why}: {said}") };
        return Some((by_kind(result).unwrap_or(AfterFailure::GiveUp), format!("claude: {detail}")));
    }
    if !result.is_error {
        return None;
    }
    let said = match result.text.is_empty() {
        true => result.errors.join("; "),
        false => result.text.clone(),
    };
    let status = result.status.map(|status| format!("{status}: ")).unwrap_or_default();
    let detail = format!("claude {status}{}", if said.is_empty() { &result.subtype } else { &said });
    let said = said.to_lowercase();
    let now = lost(&said)
        .or_else(|| too_long(heard, result, &said, resumed))
        .or_else(|| by_kind(result))
        .or_else(|| limit(heard, &said))
        .or_else(|| result.status.map(|status| by_status(status, &said)))
        .unwrap_or_else(|| by_words(&said));
    Some((now, detail))
}

/// Why a last line that does not call itself an error is still no whole answer.
fn unanswered(result: &ResultLine) -> Option<String> {
    match (result.subtype.as_str(), result.stop_reason.as_str()) {
        ("success", "refusal") => Some("the model refused to answer".to_owned()),
        ("success", "max_tokens") => Some("the answer was cut off at the longest it may be".to_owned()),
        ("success", _) => None,
        (other, _) => Some(format!("it ended as `{}`, which is not an answer", one_line(other, 40))),
    }
}

/// Whether a failed dispatch cost nothing: the model began no answer, and its service refused or was not reached.
pub(super) fn is_unbilled(heard: &Heard, result: &ResultLine) -> bool {
    let said = format!("{} {}", result.text, result.errors.join(" ")).to_lowercase();
    let refused = result.status.is_some_and(billing::is_refusal);
    // A prompt that is too long by the program's own count is not sent at all.
    let unsent =
        ["unable to connect to api", "econnrefused", "not logged in", "no conversation found", TOO_LONG];
    let refused = refused && !heard.requests.has_vanished();
    !heard.answering && (refused || unsent.iter().any(|words| said.contains(words)))
}

/// The service does not know or accept the login, and would not at the next attempt either.
pub(super) fn shut_out(heard: &Heard) -> (AfterFailure, String) {
    let status = heard.retried.map(|status| format!(" {status}")).unwrap_or_default();
    let detail =
        format!("claude{status}: the login or key was refused; correct the key, or log in with `claude`");
    (AfterFailure::AskPerson, detail)
}

/// Why there is no last line.
pub(super) fn silence(heard: &Heard, finished: &Finished) -> (AfterFailure, String) {
    let stderr = finished.stderr.trim();
    if matches!(finished.end, ReadEnd::Exited(_)) {
        if let Some(now) = lost(&stderr.to_lowercase()) {
            return (now, stderr.to_owned());
        }
        // The next attempt has a name of its own.
        if stderr.contains("already in use") {
            return (AfterFailure::GiveUp, stderr.to_owned());
        }
    }
    why(heard).explain(finished, stderr)
}

/// The explanation where nothing else is known.
pub(super) fn why(heard: &Heard) -> NoAnswer<'static> {
    let refused = |status: u16| format!(", last refused with {status}");
    NoAnswer {
        program: "claude",
        lacking: "no result",
        began: heard.began,
        unreadable: heard.unreadable,
        remark: heard.retried.map(refused).unwrap_or_default(),
    }
}

/// The program no longer has the conversation. Depending on its version and on what it is asked to print, this is a
/// last line or a sentence on standard error.
fn lost(said: &str) -> Option<AfterFailure> {
    said.contains("no conversation found").then_some(AfterFailure::FreshSession)
}

/// How it reports a prompt that does not fit, by its own count or the service's.
const TOO_LONG: &str = "prompt is too long";

/// A conversation that has become too long is started again. A new one that is too long from the start would be so
/// again; one that became so on the way may not.
fn too_long(heard: &Heard, result: &ResultLine, said: &str, resumed: bool) -> Option<AfterFailure> {
    let named = ["prompt_too_long", "blocking_limit"].contains(&result.terminal_reason.as_str());
    let is_long = named || result.status == Some(413) || said.contains(TOO_LONG);
    is_long.then_some(match (resumed, heard.answering) {
        (true, _) => AfterFailure::FreshSession,
        (false, true) => AfterFailure::GiveUp,
        (false, false) => AfterFailure::AskPerson,
    })
}

/// Ends that the program names.
fn by_kind(result: &ResultLine) -> Option<AfterFailure> {
    match result.subtype.as_str() {
        "error_max_budget_usd" => Some(AfterFailure::OverBudget(result.cost)),
        "error_max_turns" | "error_max_structured_output_retries" | "error_during_execution" => {
            Some(AfterFailure::GiveUp)
        }
        _ => (result.stop_reason == "refusal").then_some(AfterFailure::GiveUp),
    }
}

/// A limit of the user's plan, as opposed to a busy service.
fn limit(heard: &Heard, said: &str) -> Option<AfterFailure> {
    const LIMITS: [&str; 8] = [
        "hit your",
        "usage limit reached",
        "spend limit",
        "credit balance",
        "out of usage credits",
        "reached your api usage limits",
        "specified api usage limits",
        "specified workspace api usage limits",
    ];
    let reached = heard.limit_ends_ms.is_some() || LIMITS.iter().any(|words| said.contains(words));
    let ends_ms = || heard.limit_ends_ms.or_else(|| stamped(said));
    reached.then(|| ends_ms().map_or(AfterFailure::AskPerson, AfterFailure::ParkUntil))
}

/// Older versions end the sentence with the time: `usage limit reached|1749924000`.
fn stamped(said: &str) -> Option<i64> {
    let (_, seconds) = said.rsplit_once('|')?;
    seconds.trim().parse::<i64>().ok()?.checked_mul(1000)
}

fn by_status(status: u16, said: &str) -> AfterFailure {
    match status {
        408 | 409 | 429 | 500..=599 => AfterFailure::Wait(BUSY_MS),
        // A model that does not exist, a request that is refused as it is, a login that does not count.
        400..=499 => AfterFailure::AskPerson,
        _ => by_words(said),
    }
}

fn by_words(said: &str) -> AfterFailure {
    const LOGIN: [&str; 4] = ["not logged in", "/login", "invalid api key", "authentication"];
    const UNREACHABLE: [&str; 5] =
        ["unable to connect", "timed out", "connection error", "overloaded", "econn"];
    if LOGIN.iter().any(|words| said.contains(words)) {
        return AfterFailure::AskPerson;
    }
    match UNREACHABLE.iter().any(|words| said.contains(words)) {
        true => AfterFailure::Wait(UNREACHABLE_MS),
        false => AfterFailure::GiveUp,
    }
}
