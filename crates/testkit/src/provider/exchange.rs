//! Plays one request: routes it, asks the script, and delivers the reply in the way it asks for.
//!
//! It knows sockets only through `http::Outlet` and threads only through `shared::Shared`. Start at
//! [`exchange`].

use super::answer::{self, Frame, Piece, Turn, generated};
use super::cache::Charge;
use super::dialect::{Dialect, Frames, Prompt};
use super::http::{Ended, Head, Outlet, Request};
use super::script::Reply;
use super::shared::Shared;
use super::{RecordedRequest, prompt, responses};
use serde_json::{Value, json};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// What happens to the connection.
#[derive(Debug, PartialEq)]
pub(super) enum After {
    /// It takes another request.
    Continue,
    Close,
    /// It stays open and silent until the client leaves.
    Linger,
}

/// How a reply is delivered.
#[derive(Default)]
struct Manner {
    cut_after: Option<usize>,
    stall_after: Option<u64>,
    pause: Option<Duration>,
    held: bool,
    held_after: Option<usize>,
    /// The charge instead of the one by the rules, and how many tokens the answer has.
    billed: Option<(Charge, u64)>,
}

/// One request and where its answer goes.
struct Exchange<'a> {
    shared: &'a Shared,
    request: &'a Request,
    recorded: Arc<RecordedRequest>,
    started: Duration,
    stream: &'a mut TcpStream,
}

pub(super) fn exchange(shared: &Shared, request: &Request, stream: &mut TcpStream) -> After {
    let (recorded, started) = shared.record(request);
    let exchange = Exchange { shared, request, recorded, started, stream };
    match exchange.play() {
        Ok(true) if request.keep_alive => After::Continue,
        Ok(_) | Err(Ended::Cut | Ended::Gone) => After::Close,
        Err(Ended::Stalled) => After::Linger,
    }
}

/// Answers something that could not be read as a request.
pub(super) fn refuse(stream: &mut TcpStream, code: u16, message: &str) -> After {
    let body = json!({"error": {"type": "invalid_request_error", "message": message}}).to_string();
    let request = Request {
        method: String::new(),
        path: String::new(),
        query: None,
        headers: Vec::new(),
        body: Vec::new(),
        keep_alive: false,
        chunks: false,
    };
    let head = Head { code, headers: &[content_type(JSON)], length: Some(body.len() as u64) };
    let sent = Outlet::begin(stream, &head, &request, None).and_then(|mut out| out.send(body.as_bytes()));
    // A socket closed with unread bytes in it would take the answer away from the client.
    match sent.is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
        true => After::Linger,
        false => After::Close,
    }
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream; charset=utf-8";
/// The provider's clock starts here, in seconds, so that timestamps look real.
const EPOCH: u64 = 1_800_000_000;

impl Exchange<'_> {
    /// The result says whether the connection can be used again.
    fn play(mut self) -> Result<bool, Ended> {
        let (method, path) = (self.request.method.as_str(), self.request.path.as_str());
        if let Some(dialect) = Dialect::detect(method, path) {
            return self.model(dialect);
        }
        match (method, path) {
            ("HEAD" | "GET", "/") => self.json(200, json!({})),
            ("GET", "/v1/models") => {
                let list = models(&self.shared.settings.models);
                self.json(200, list)
            }
            ("POST", "/v1/messages/count_tokens") => self.count_tokens(),
            _ => {
                let error =
                    Dialect::Messages.error("not_found_error", &format!("no such path: {method} {path}"));
                self.json(404, error)
            }
        }
    }

    fn count_tokens(&mut self) -> Result<bool, Ended> {
        match prompt::anthropic(&self.recorded.body) {
            Ok(prompt) => {
                let chars = prompt.blocks.iter().map(|block| block.chars).sum();
                self.json(200, json!({"input_tokens": prompt::tokens(chars)}))
            }
            Err(message) => self.json(400, Dialect::Messages.error("invalid_request_error", &message)),
        }
    }

    fn model(&mut self, dialect: Dialect) -> Result<bool, Ended> {
        let prompt = match dialect.prompt(&self.recorded) {
            Ok(prompt) => prompt,
            Err(message) => return self.json(400, dialect.error("invalid_request_error", &message)),
        };
        let (reply, number) = self.shared.ask(&self.recorded);
        let (reply, manner) = unwrap(reply);
        if manner.held && !self.shared.wait_for_release() {
            return Err(Ended::Gone);
        }
        let streamed = self.recorded.json["stream"] == true;
        let usual = [content_type(if streamed { EVENTS } else { JSON })];
        match &reply {
            Reply::Stall => Err(Ended::Stalled),
            Reply::Close => Err(Ended::Cut),
            Reply::Status { code, headers, body } => {
                let mut headers = headers.clone();
                if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    headers.push(content_type(JSON));
                }
                self.deliver(*code, &headers, false, one(body.clone().into_bytes()), &manner)
            }
            Reply::Garbage(bytes) => self.deliver(200, &usual, false, one(bytes.clone()), &manner),
            Reply::ErrorInStream { kind, message } if streamed => {
                let turn = self.turn(&reply, &prompt, number, manner.billed);
                let frames = dialect.failing_stream(&turn, kind, message);
                self.deliver(200, &usual, true, frames, &manner)
            }
            Reply::ErrorInStream { kind, message } => {
                let (code, body) = match dialect {
                    Dialect::Responses => {
                        let turn = self.turn(&reply, &prompt, number, manner.billed);
                        (200, responses::failed(&turn, kind, message))
                    }
                    _ => (status_of(kind), dialect.error(kind, message)),
                };
                self.deliver(code, &usual, false, one(body.to_string().into_bytes()), &manner)
            }
            answer => {
                let turn = self.turn(answer, &prompt, number, manner.billed);
                if streamed {
                    self.deliver(200, &usual, true, dialect.stream(&turn), &manner)
                } else {
                    let whole = Box::new([dialect.whole(&turn)].into_iter());
                    self.deliver(200, &usual, false, whole, &manner)
                }
            }
        }
    }

    /// The answer, charged by the vendor's rules unless it states its own charge.
    fn turn(&self, reply: &Reply, prompt: &Prompt, number: usize, stated: Option<(Charge, u64)>) -> Turn {
        let request = &self.recorded.json;
        let model = request["model"].as_str().unwrap_or_default().to_owned();
        let id = answer::id(&self.recorded, number);
        let mut state = self.shared.state();
        let bill = match prompt {
            Prompt::Blocks(blocks) => state.prompts.bill(&model, blocks, self.started),
            Prompt::Items(items) => state.prefixes.bill(&model, items, self.started),
        };
        let (bill, output) = stated.map_or((bill, None), |(bill, output)| (bill, Some(output)));
        state.bills.push(bill);
        Turn {
            parts: answer::parts(reply, &self.recorded, &id),
            id,
            model,
            created: EPOCH + state.now.as_secs(),
            truncated: matches!(reply, Reply::Truncated(_)),
            refused: matches!(reply, Reply::Refusal(_)),
            bill,
            output,
            include_usage: request["stream_options"]["include_usage"] == true,
        }
    }

    fn json(&mut self, code: u16, body: Value) -> Result<bool, Ended> {
        let body = body.to_string().into_bytes();
        let frames: Frames<'_> = match self.request.method.as_str() {
            "HEAD" => Box::new([Frame(Vec::new())].into_iter()),
            _ => one(body),
        };
        self.deliver(code, &[content_type(JSON)], false, frames, &Manner::default())
    }

    /// Sends everything, unless the manner ends it before. Only what is not streamed has a known length.
    fn deliver(
        &mut self,
        code: u16,
        headers: &[(String, String)],
        streamed: bool,
        frames: Frames<'_>,
        manner: &Manner,
    ) -> Result<bool, Ended> {
        let mut frames = frames.peekable();
        let length = if streamed { None } else { frames.peek().map(Frame::len) };
        let head = Head { code, headers, length };
        let mut out = Outlet::begin(self.stream, &head, self.request, manner.stall_after)?;
        if manner.stall_after == Some(0) {
            return Err(Ended::Stalled);
        }
        if streamed && manner.cut_after == Some(0) {
            // A comment, which is not an event. Without a byte of the body some clients ask again by themselves and
            // report nothing.
            out.send(b": cut\n\n")?;
        }
        for (sent, frame) in frames.enumerate() {
            if manner.cut_after.is_some_and(|events| sent >= events) {
                return Err(Ended::Cut);
            }
            if manner.held_after == Some(sent) && !self.shared.wait_for_release() {
                return Err(Ended::Gone);
            }
            if let Some(pause) = manner.pause
                && !self.shared.pause(pause)
            {
                return Err(Ended::Gone);
            }
            send(&mut out, &frame)?;
        }
        // A stream with fewer events than were to be sent is still cut, before its end.
        if manner.cut_after.is_some() { Err(Ended::Cut) } else { out.finish() }
    }
}

fn send(out: &mut Outlet<'_>, frame: &Frame) -> Result<(), Ended> {
    for piece in &frame.0 {
        match piece {
            Piece::Bytes(bytes) => out.send(bytes)?,
            Piece::Generated(length) => {
                for bytes in generated(*length) {
                    out.send(&bytes)?;
                }
            }
        }
    }
    Ok(())
}

/// Separates what is answered from how.
fn unwrap(reply: Reply) -> (Reply, Manner) {
    let mut manner = Manner::default();
    let mut reply = reply;
    loop {
        reply = match reply {
            Reply::StallAfter { bytes, of } => {
                manner.stall_after = Some(bytes);
                *of
            }
            Reply::CutAfter { events, of } => {
                manner.cut_after = Some(events);
                *of
            }
            Reply::Slow { pause, of } => {
                manner.pause = Some(pause);
                *of
            }
            Reply::Billed { bill, output, of } => {
                manner.billed = Some((bill, output));
                *of
            }
            Reply::HeldAfter { events, of } => {
                manner.held_after = Some(events);
                *of
            }
            Reply::Held(of) => {
                manner.held = true;
                *of
            }
            answer => return (answer, manner),
        };
    }
}

/// The status with which the vendors report an error of this kind.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" | "rate_limit_exceeded" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}

/// Has the fields of every vendor.
fn models(names: &[String]) -> Value {
    let model = |name: &String| {
        json!({"id": name, "type": "model", "object": "model", "display_name": name, "created": EPOCH,
               "owned_by": "testkit"})
    };
    let data: Vec<Value> = names.iter().map(model).collect();
    let (first, last) = (names.first(), names.last());
    json!({"object": "list", "data": data, "has_more": false, "first_id": first, "last_id": last})
}

fn one(bytes: Vec<u8>) -> Frames<'static> {
    Box::new([Frame(vec![Piece::Bytes(bytes)])].into_iter())
}

fn content_type(kind: &str) -> (String, String) {
    ("content-type".to_owned(), kind.to_owned())
}
