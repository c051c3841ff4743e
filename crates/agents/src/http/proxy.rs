//! Reports what went wrong between us and a proxy. Nothing of a request is sent before the tunnel through it stands, so
//! whatever happens until then costs nothing.
//!
//! The proxy is known by host and port only: the rest of its address may hold a password.

use super::HttpError;

/// What a person can do about a proxy, whoever named it.
const WAY_OUT: &str = "correct `proxy` of the agent or HTTPS_PROXY, or set `proxy = \"none\"`";

/// The error as one of the proxy, where it is; `failed` is what it would be without a proxy.
pub(super) fn trouble(proxy: &str, error: &ureq::Error, failed: &HttpError) -> Option<HttpError> {
    match (error, failed) {
        (ureq::Error::ConnectProxyFailed(said), _) => Some(refused(proxy, status(said))),
        // With a proxy, nothing else can have been unreachable.
        (_, HttpError::Unreachable(why)) => {
            Some(HttpError::Unreachable(format!("the proxy {proxy} cannot be reached: {why}; {WAY_OUT}")))
        }
        (_, HttpError::Offline { why, .. }) => Some(HttpError::Unreachable(format!(
            "the proxy {proxy} cannot be reached: no address was found for it ({why}); {WAY_OUT}"
        ))),
        (_, HttpError::Connect(_)) => {
            Some(HttpError::Unreachable(format!("{failed} through the proxy {proxy}; {WAY_OUT}")))
        }
        _ => None,
    }
}

/// A proxy that says no will say it again; one that cannot reach the service may reach it later.
fn refused(proxy: &str, status: Option<u16>) -> HttpError {
    const NEEDS_A_LOGIN: u16 = 407;
    const TIMEOUT: u16 = 408;
    const TOO_MANY: u16 = 429;
    match status {
        Some(NEEDS_A_LOGIN) => HttpError::Refused(format!(
            "the proxy {proxy} wants a user name and password (status {NEEDS_A_LOGIN}); put them into HTTPS_PROXY, \
             as http://USER:PASSWORD@{proxy}"
        )),
        Some(status @ 400..500) if ![TIMEOUT, TOO_MANY].contains(&status) => HttpError::Refused(format!(
            "the proxy {proxy} refuses to connect to the service (status {status}); {WAY_OUT}"
        )),
        Some(status) => HttpError::Unreachable(format!(
            "the proxy {proxy} did not connect to the service (status {status}); {WAY_OUT}"
        )),
        None => HttpError::Unreachable(format!("the proxy {proxy} did not answer as a proxy; {WAY_OUT}")),
    }
}

/// The status in the library's words for it: `proxy server responded 403/Forbidden`.
fn status(said: &str) -> Option<u16> {
    said.split(|c: char| !c.is_ascii_digit()).find(|word| word.len() == 3)?.parse().ok()
}
