//! The language in which a test scripts the provider. Nothing here knows how a reply is sent.
//!
//! Start at [`Script`] and [`Reply`].

use super::{Charge, RecordedRequest};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// Decides each reply. Closures of the same shape are scripts too.
///
/// It is asked for well-formed model requests only, one at a time. `index` counts the times it was asked,
/// from 0, so a client's `HEAD /` does not shift it; `request.order` counts everything. A script that waits
/// for something keeps the provider from being dropped; [`Reply::Held`] does not.
pub trait Script: Send {
    fn reply(&mut self, request: &RecordedRequest, index: usize) -> Reply;
}

impl<F> Script for F
where
    F: FnMut(&RecordedRequest, usize) -> Reply + Send,
{
    fn reply(&mut self, request: &RecordedRequest, index: usize) -> Reply {
        self(request, index)
    }
}

/// What the provider does with one request.
///
/// The ones with a field `of` change how another reply is delivered. They count in events of its stream or in
/// bytes of its body; a reply that is not streamed is one event.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    Text(String),
    /// Text that ends because the token limit was reached.
    Truncated(String),
    /// The model declines, and says so in these words: Anthropic by its `stop_reason`, OpenAI in a field or part of
    /// its own.
    Refusal(String),
    Tool {
        name: String,
        input: Value,
    },
    /// Several tool calls in one answer.
    Tools(Vec<ScriptedCall>),
    /// An answer in the requested schema, in the way the request asks for it: a call of the tool `StructuredOutput`
    /// where the request offers one, else the JSON as text.
    Json(Value),
    /// An HTTP answer of the test's own.
    Status {
        code: u16,
        headers: Vec<(String, String)>,
        body: String,
    },
    /// Sends nothing, not even a status, until the client leaves or the provider is dropped.
    Stall,
    /// Sends this many bytes of the body, then nothing more.
    StallAfter {
        bytes: u64,
        of: Box<Reply>,
    },
    /// Sends this many events, then drops the connection without ending the body.
    CutAfter {
        events: usize,
        of: Box<Reply>,
    },
    /// Begins a normal stream inside a 200, then reports this error. A request that wants no stream gets the
    /// vendor's error status instead.
    ErrorInStream {
        kind: String,
        message: String,
    },
    /// A 200 with the usual headers whose body is these bytes.
    Garbage(Vec<u8>),
    /// This many bytes of text, generated while they are sent.
    Huge {
        bytes: u64,
    },
    /// Drops the connection without an answer.
    Close,
    /// Waits this long, in real time, before each event.
    Slow {
        pause: Duration,
        of: Box<Reply>,
    },
    /// Billed this, whatever the cache rules say, and counted as an answer of this many tokens.
    Billed {
        bill: Charge,
        output: u64,
        of: Box<Reply>,
    },
    /// Waits for [`super::Provider::release`] before the first byte.
    Held(Box<Reply>),
    /// Sends this many events, then waits for [`super::Provider::release`] before the rest.
    HeldAfter {
        events: usize,
        of: Box<Reply>,
    },
}

/// One tool call of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptedCall {
    pub name: String,
    pub input: Value,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Reply {
        Reply::Text(text.into())
    }

    pub fn tool(name: impl Into<String>, input: Value) -> Reply {
        Reply::Tool { name: name.into(), input }
    }

    /// A status with an error body that has the fields of every vendor and says the same in each. A client that must
    /// look into a certain field is tested with [`Reply::anthropic_error`] and [`Reply::openai_error`].
    pub fn error(code: u16, kind: &str, message: &str) -> Reply {
        let error = json!({"type": kind, "code": kind, "message": message});
        let body = json!({"type": "error", "error": error}).to_string();
        Reply::Status { code, headers: Vec::new(), body }
    }

    /// A status with the body Anthropic sends. `error_code` is what its `details` have where the type is too broad, as
    /// with a spend cap, whose type is `rate_limit_error`.
    pub fn anthropic_error(code: u16, kind: &str, error_code: Option<&str>, message: &str) -> Reply {
        let mut error = json!({"type": kind, "message": message});
        if let Some(error_code) = error_code {
            error["details"] = json!({"error_code": error_code});
        }
        let body = json!({"type": "error", "error": error, "request_id": "req_011CTestTestTestTestTest"});
        Reply::Status { code, headers: Vec::new(), body: body.to_string() }
    }

    /// A status with the body OpenAI sends, whose `code` may be more precise than its `type`, or null.
    pub fn openai_error(code: u16, kind: &str, error_code: Option<&str>, message: &str) -> Reply {
        let error = json!({"message": message, "type": kind, "param": null, "code": error_code});
        Reply::Status { code, headers: Vec::new(), body: json!({"error": error}).to_string() }
    }

    /// The same status with one more header, such as `retry-after`. Other replies stay as they are.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Reply {
        if let Reply::Status { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    #[must_use]
    pub fn stalled_after(self, bytes: u64) -> Reply {
        Reply::StallAfter { bytes, of: Box::new(self) }
    }

    #[must_use]
    pub fn cut_after(self, events: usize) -> Reply {
        Reply::CutAfter { events, of: Box::new(self) }
    }

    #[must_use]
    pub fn slowly(self, pause: Duration) -> Reply {
        Reply::Slow { pause, of: Box::new(self) }
    }

    #[must_use]
    pub fn billed(self, bill: Charge, output: u64) -> Reply {
        Reply::Billed { bill, output, of: Box::new(self) }
    }

    #[must_use]
    pub fn held_after(self, events: usize) -> Reply {
        Reply::HeldAfter { events, of: Box::new(self) }
    }

    #[must_use]
    pub fn held(self) -> Reply {
        Reply::Held(Box::new(self))
    }
}

/// Plays a list; the last reply repeats.
pub(super) struct Answering {
    replies: VecDeque<Reply>,
}

impl Answering {
    pub(super) fn new(replies: Vec<Reply>) -> Answering {
        assert!(!replies.is_empty(), "a provider needs at least one reply to repeat");
        Answering { replies: replies.into() }
    }
}

impl Script for Answering {
    fn reply(&mut self, _request: &RecordedRequest, _index: usize) -> Reply {
        if self.replies.len() > 1 {
            self.replies.pop_front().expect("more than one reply is left")
        } else {
            self.replies.front().expect("the last reply is never taken").clone()
        }
    }
}
