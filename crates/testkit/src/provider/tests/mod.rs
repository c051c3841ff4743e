//! The provider as a client sees it, through plain sockets.
//!
//! [`Client`] is the smallest HTTP client that can distinguish a complete body from a broken one.

mod cache;
mod conversations;
mod faults;
mod prefixes;
mod protocol;
mod transport;

use super::Provider;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

struct Client {
    reader: BufReader<TcpStream>,
}

#[derive(Debug)]
struct Response {
    code: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Whether the body ended as its headers said.
    whole: bool,
}

impl Client {
    fn connect(provider: &Provider) -> Client {
        let url = provider.base_url();
        let stream = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
        // A provider that hangs must fail its test instead of hanging it.
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Client { reader: BufReader::new(stream) }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.reader.get_mut().write_all(bytes).unwrap();
    }

    fn post(&mut self, path: &str, body: &Value) -> Response {
        self.send_post(path, body);
        self.response().expect("a response")
    }

    fn send_post(&mut self, path: &str, body: &Value) {
        let body = body.to_string();
        let length = body.len();
        self.send(
            format!("POST {path} HTTP/1.1\r\nhost: test\r\ncontent-length: {length}\r\n\r\n{body}")
                .as_bytes(),
        );
    }

    fn leave(&mut self) {
        self.reader.get_mut().shutdown(Shutdown::Both).unwrap();
    }

    fn head(&mut self) -> Option<(u16, Vec<(String, String)>)> {
        let status = self.line()?;
        let code = status.split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else { return Some((code, headers)) };
            headers.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Nothing when the connection ended before a head.
    fn response(&mut self) -> Option<Response> {
        let (code, headers) = self.head()?;
        let mut response = Response { code, headers, body: Vec::new(), whole: false };
        let length = response.header("content-length").map(|length| length.parse().unwrap());
        if let Some(length) = length {
            self.reader.by_ref().take(length).read_to_end(&mut response.body).unwrap();
            response.whole = response.body.len() as u64 == length;
        } else if response.header("transfer-encoding").is_some() {
            response.whole = self.chunks(&mut response.body).is_some();
        } else {
            self.reader.read_to_end(&mut response.body).unwrap();
            response.whole = true;
        }
        Some(response)
    }

    fn chunks(&mut self, body: &mut Vec<u8>) -> Option<()> {
        while self.chunk(body)? > 0 {}
        Some(())
    }

    fn chunk(&mut self, body: &mut Vec<u8>) -> Option<usize> {
        let size = usize::from_str_radix(&self.line()?, 16).unwrap();
        let start = body.len();
        body.resize(start + size, 0);
        self.reader.read_exact(&mut body[start..]).ok()?;
        assert_eq!(self.line()?, "");
        Some(size)
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        Some(line.strip_suffix("\r\n")?.to_owned())
    }

    /// Says that no more requests come, and returns everything that still arrives. A provider that stalls sends nothing
    /// and closes; one that only seemed to stall sends its rest first.
    fn rest(&mut self) -> Vec<u8> {
        self.reader.get_mut().shutdown(Shutdown::Write).unwrap();
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).unwrap();
        rest
    }

    fn is_closed(&mut self) -> bool {
        self.reader.read(&mut [0]).unwrap() == 0
    }
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The data of every event of a stream; `[DONE]` as a string.
    fn events(&self) -> Vec<Value> {
        let data = self.text().split("\n\n").filter_map(|event| {
            let data = event.lines().find_map(|line| line.strip_prefix("data: "))?;
            Some(serde_json::from_str(data).unwrap_or(json!(data)))
        });
        data.collect()
    }

    /// The names of a stream's events, a run of equal ones named once.
    fn event_names(&self) -> Vec<String> {
        let names = self.text().lines().filter_map(|line| Some(line.strip_prefix("event: ")?.to_owned()));
        let mut names: Vec<String> = names.collect();
        names.dedup();
        names
    }
}

/// A small valid request in each protocol.
fn small(path: &str, stream: bool) -> Value {
    let message = json!([{"role": "user", "content": "hello"}]);
    match path {
        "/v1/messages" => json!({"model": "m", "max_tokens": 100, "stream": stream, "messages": message}),
        "/v1/chat/completions" => json!({"model": "m", "stream": stream, "messages": message}),
        _ => json!({"model": "m", "stream": stream, "input": message}),
    }
}

/// The text with which a small request is answered.
pub(super) fn asked(provider: &Provider) -> String {
    answered(CHAT, false, &Client::connect(provider).post(CHAT, &small(CHAT, false)))
}

const MESSAGES: &str = "/v1/messages";
const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";
const ALL: [&str; 3] = [MESSAGES, CHAT, RESPONSES];

/// The text of an answer, whichever protocol and form it has.
fn answered(path: &str, stream: bool, response: &Response) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if !stream {
        let body = response.json();
        return match path {
            MESSAGES => text(&body["content"][0]["text"]),
            CHAT => text(&body["choices"][0]["message"]["content"]),
            _ => text(&body["output"][0]["content"][0]["text"]),
        };
    }
    let pieces = response.events().into_iter().map(|event| match path {
        MESSAGES => text(&event["delta"]["text"]),
        CHAT => text(&event["choices"][0]["delta"]["content"]),
        _ => text(&event["delta"]),
    });
    pieces.collect()
}
