//! Who is let in. Loopback is no boundary: any page that a browser shows can send requests here, and a name that leads
//! to another machine can be made to lead to this one.
//!
//! Every request passes [`Gate::admit`] before anything is looked up or read: the Host it names, its method, where a
//! browser says that it comes from, the cookie, and for a write the Origin and the form of its body. The hidden word of
//! a form is checked where the form is read. The order matters: who does not know the cookie learns nothing but that.

use super::keys::Keys;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};

/// Where the one path begins that is served without a cookie.
pub(super) const ENTER: &str = "/enter/";

/// What a form is sent as. Another type would mean that no form of ours sent it.
const FORM: &str = "application/x-www-form-urlencoded";

pub(super) struct Gate {
    pub(super) port: u16,
    pub(super) keys: Keys,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Host,
    Method,
    Elsewhere,
    Used,
    Cookie,
    Origin,
    Form,
    Missing,
    TooLarge,
    Busy,
    Slow,
}

impl Gate {
    /// The names under which it is served. An address of IPv6 is none of them: nothing listens there.
    fn hosts(&self) -> [String; 2] {
        // Browsers leave out the port that everybody knows.
        let port = if self.port == 80 { String::new() } else { format!(":{}", self.port) };
        [format!("127.0.0.1{port}"), format!("localhost{port}")]
    }

    /// The cookie's name. A browser sends a cookie to all ports of a machine, so the name holds ours.
    pub(super) fn cookie_name(&self) -> String {
        format!("redraft-{}", self.port)
    }

    pub(super) fn admit(&self, request: &Parts) -> Result<(), Refusal> {
        let host = self.host(request)?;
        // Nothing here needs another method; what asks first whether it may come from elsewhere may not.
        let is_write = match request.method {
            Method::GET => false,
            Method::POST => true,
            _ => return Err(Refusal::Method),
        };
        if request.uri.path().starts_with(ENTER) && !is_write {
            return Ok(());
        }
        // Browsers that are too old to say it are held off by the cookie and the Origin.
        let site = one(&request.headers, "sec-fetch-site")?;
        if site.is_some_and(|site| site != "same-origin" && (is_write || site != "none")) {
            return Err(Refusal::Elsewhere);
        }
        if !self.has_cookie(&request.headers) {
            return Err(Refusal::Cookie);
        }
        if is_write {
            let origin = one(&request.headers, header::ORIGIN.as_str())?;
            if origin != Some(&format!("http://{host}")) {
                return Err(Refusal::Origin);
            }
            let sort = one(&request.headers, header::CONTENT_TYPE.as_str())?.unwrap_or_default();
            if !sort.split(';').next().is_some_and(|sort| sort.trim().eq_ignore_ascii_case(FORM)) {
                return Err(Refusal::Form);
            }
        }
        Ok(())
    }

    /// The one Host that a request names, if it is ours.
    fn host<'a>(&self, request: &'a Parts) -> Result<&'a str, Refusal> {
        let named = one(&request.headers, header::HOST.as_str()).map_err(|_| Refusal::Host)?;
        let named = named.ok_or(Refusal::Host)?;
        let own = self.hosts();
        let is_own = |name: &str| own.iter().any(|own| own == name);
        // A request may name it twice, once in its first line.
        let first_line = request.uri.authority().map(|authority| authority.as_str());
        let fits = is_own(named) && first_line.is_none_or(|name| name == named);
        if fits { Ok(named) } else { Err(Refusal::Host) }
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let name = self.cookie_name();
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut cookies = lines.flat_map(|line| line.split(';')).filter_map(|one| one.trim().split_once('='));
        cookies.any(|(called, word)| called == name && self.keys.is_cookie(word))
    }
}

/// The value of a header that may stand there once.
fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(only), None) => only.to_str().map(Some).map_err(|_| Refusal::Elsewhere),
        (Some(_), Some(_)) => Err(Refusal::Elsewhere),
    }
}

impl Refusal {
    pub(super) fn status(self) -> StatusCode {
        match self {
            Refusal::Host => StatusCode::MISDIRECTED_REQUEST,
            Refusal::Method => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Elsewhere | Refusal::Used | Refusal::Cookie | Refusal::Origin => StatusCode::FORBIDDEN,
            Refusal::Form => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::Missing => StatusCode::NOT_FOUND,
            Refusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Slow => StatusCode::REQUEST_TIMEOUT,
        }
    }

    /// What a person reads who comes across it.
    pub(super) fn in_words(self) -> &'static str {
        match self {
            Refusal::Host => "This is served under 127.0.0.1 and localhost only.",
            Refusal::Method => "Only reading pages and sending forms is possible here.",
            Refusal::Elsewhere => {
                "This request comes from another page. Type the address into the browser, or open it from the terminal."
            }
            Refusal::Used => {
                "This address works only once, and it was used. If that was not you, end the program in the terminal. For a \
                    new address, start it again: redraft ui"
            }
            Refusal::Cookie => {
                "Open the address that the terminal shows: redraft ui. If you have just opened it, load this page again."
            }
            Refusal::Origin => "This form was not sent from this page. Nothing was changed.",
            Refusal::Form => "This page has no such form. Nothing was changed.",
            Refusal::Missing => "There is no such page.",
            Refusal::TooLarge => "What was sent is too large. Nothing was changed.",
            Refusal::Busy => "There are too many requests. Load the page again in a moment.",
            Refusal::Slow => {
                "It took too long. Load the page again; the ledger says what happened: redraft log"
            }
        }
    }
}
