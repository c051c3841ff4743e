//! What Codex says about a request that did not work, and whether it was refused. It says so in words only, so words
//! decide.

use crate::billing;

/// The status of a request that was refused, as Codex words it: `unexpected status 503 Service Unavailable: …`, or
/// `exceeded retry limit, last status: 429 Too Many Requests`.
pub(super) fn status(said: &str) -> Option<u16> {
    let after = ["unexpected status ", "last status: "].iter().find_map(|words| {
        let (_, rest) = said.split_once(words)?;
        Some(rest)
    })?;
    let digits = after.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|status| (100..=999).contains(status))
}

/// Whether what Codex says about a request means that the service did not begin to answer it.
pub(super) fn is_refused(message: &str) -> bool {
    // An answer that broke off may have been written for a while, whatever the reason sounds like.
    const BROKE_OFF: &str = "stream disconnected";
    const REFUSED: [&str; 10] = [
        "invalid_request_error",
        "usage limit",
        "quota",
        "context window",
        "high demand",
        "at capacity",
        "rate limit",
        "overloaded",
        "missing environment variable",
        "not logged in",
    ];
    let said = message.to_lowercase();
    match status(&said) {
        Some(status) => billing::is_refusal(status),
        None if said.contains(BROKE_OFF) => false,
        None => REFUSED.iter().any(|words| said.contains(words)),
    }
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
