//! Why a request brought no answer, in one form for all protocols, and whether it can have cost something.

use super::wire::{Fault, reported};
use crate::billing;
use crate::http::{HttpError, Response};
use redraft_facts::text::one_line;
use redraft_facts::usage::Usd;
use serde_json::Value;

pub(super) enum Trouble {
    Http(HttpError),
    Status {
        status: u16,
        retry_after: Option<String>,
        fault: Fault,
    },
    Stream(Fault),
    /// It was stopped because it could have cost this much.
    Overspent(Usd),
}

impl From<HttpError> for Trouble {
    fn from(error: HttpError) -> Trouble {
        Trouble::Http(error)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Stream(fault)
    }
}

impl Trouble {
    /// Whether the service bills nothing for such a request, if it has not begun to answer.
    pub(super) fn is_unbilled(&self) -> bool {
        match self {
            Trouble::Http(error) => error.is_before_sending(),
            Trouble::Status { status, .. } => billing::is_refusal(*status),
            Trouble::Stream(Fault::Reported { .. }) => true,
            Trouble::Stream(Fault::Cut | Fault::Garbage(_)) | Trouble::Overspent(_) => false,
        }
    }
}

/// What a status other than success means.
pub(super) fn refused(response: Response<'_>) -> Result<Trouble, HttpError> {
    let (status, retry_after) = (response.status, response.retry_after.clone());
    let body = response.beginning()?;
    let fault = said_in(&body).unwrap_or(Fault::Garbage(body));
    Ok(Trouble::Status { status, retry_after, fault })
}

/// What a 200 means whose body is no stream: the server's own error where it has one, else how the body begins.
pub(super) fn unstreamed(body: &str) -> Fault {
    const SHOWN_CHARS_MAX: usize = 200;
    said_in(body).unwrap_or_else(|| {
        let shown = one_line(body, SHOWN_CHARS_MAX);
        let shown = if shown.is_empty() { "it is empty".to_owned() } else { format!("`{shown}`") };
        Fault::Garbage(format!("the answer is not a stream of events: {shown}"))
    })
}

/// The error that a body reports, in any vendor's form.
fn said_in(body: &str) -> Option<Fault> {
    let value: Value = serde_json::from_str(body).ok()?;
    match &value["error"] {
        error @ Value::Object(_) => Some(reported(error)),
        Value::String(words) => Some(reported(&serde_json::json!({"message": words}))),
        _ => None,
    }
}

/// Whether a conversation was refused because it has outgrown the model.
pub(super) fn is_too_long(status: Option<u16>, kind: &str, detail: &str) -> bool {
    let says = |words: &str| detail.to_lowercase().contains(words);
    status == Some(413)
        || matches!(kind, "context_length_exceeded" | "request_too_large")
        || says("prompt is too long")
        || says("context length")
        || says("context size")
}
