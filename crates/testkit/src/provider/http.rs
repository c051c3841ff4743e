//! The part of HTTP/1.1 that model clients use: reading one request, writing one response.
//!
//! Sizes are bounded while reading. It knows no protocol above HTTP. Start at [`read`] and [`Outlet`].

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Whether the client wants to send another request on this connection.
    pub(super) keep_alive: bool,
    /// Whether the client understands a chunked response.
    pub(super) chunks: bool,
}

/// Why there is no request.
#[derive(Debug)]
pub(super) enum Unread {
    /// The client left, or the provider stops.
    Gone,
    Refused {
        code: u16,
        message: String,
    },
}

/// Why a response was not delivered whole.
#[derive(Debug, PartialEq)]
pub(super) enum Ended {
    /// The reply says to drop the connection here.
    Cut,
    /// The reply says to send nothing more.
    Stalled,
    /// The client left, or the provider stops.
    Gone,
}

/// What stands before a body.
pub(super) struct Head<'a> {
    pub(super) code: u16,
    pub(super) headers: &'a [(String, String)],
    /// The size of the body, where it is known before.
    pub(super) length: Option<u64>,
}

/// A response under way.
pub(super) struct Outlet<'a> {
    stream: &'a mut TcpStream,
    framing: Framing,
    /// How many bytes of the body may still be sent before it stalls.
    allowance: Option<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Framing {
    Length,
    Chunks,
    UntilClose,
}

const MOST_BODY: u64 = 64 * 1024 * 1024;
const MOST_HEAD: u64 = 128 * 1024;

/// Reads one request, telling a client that asks first to go on.
pub(super) fn read(reader: &mut BufReader<TcpStream>, answers: &mut TcpStream) -> Result<Request, Unread> {
    let mut left = MOST_HEAD;
    let first = line(reader, &mut left)?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(refused(400, "the request line is not METHOD TARGET VERSION"));
    };
    let headers = headers(reader, &mut left)?;
    let header = |name: &str| {
        let found = headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.to_ascii_lowercase())
    };
    let is_current = version == "HTTP/1.1";
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target.to_owned(), None),
    };
    let is_chunked = header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    let length = match header("content-length") {
        Some(text) => text.parse().map_err(|_| refused(400, "content-length is not a number"))?,
        None => 0,
    };
    if !is_chunked && length > MOST_BODY {
        return Err(too_large());
    }
    if header("expect").is_some_and(|value| value.contains("100-continue")) {
        answers.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| Unread::Gone)?;
    }
    let body = if is_chunked { chunked(reader)? } else { exactly(reader, length)? };
    let keep_alive = match header("connection") {
        Some(value) if value.contains("close") => false,
        Some(value) if value.contains("keep-alive") => true,
        _ => is_current,
    };
    Ok(Request { method: method.to_owned(), path, query, headers, body, keep_alive, chunks: is_current })
}

impl<'a> Outlet<'a> {
    /// Sends the head.
    pub(super) fn begin(
        stream: &'a mut TcpStream,
        head: &Head<'_>,
        request: &Request,
        allowance: Option<u64>,
    ) -> Result<Outlet<'a>, Ended> {
        let framing = match head.length {
            Some(_) => Framing::Length,
            None if request.chunks => Framing::Chunks,
            None => Framing::UntilClose,
        };
        let reason = if head.code == 200 { "OK" } else { "Not OK" };
        let mut text = format!("HTTP/1.1 {} {reason}\r\n", head.code);
        for (name, value) in head.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        match (framing, head.length) {
            (Framing::Chunks, _) => text.push_str("transfer-encoding: chunked\r\n"),
            (_, Some(length)) => text.push_str(&format!("content-length: {length}\r\n")),
            _ => {}
        }
        let stays = request.keep_alive && framing != Framing::UntilClose;
        text.push_str(if stays { "connection: keep-alive\r\n\r\n" } else { "connection: close\r\n\r\n" });
        put(stream, text.as_bytes())?;
        Ok(Outlet { stream, framing, allowance })
    }

    /// Sends a part of the body at once.
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), Ended> {
        let allowed = match self.allowance {
            Some(left) => bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
            None => bytes.len(),
        };
        if allowed > 0 && self.framing == Framing::Chunks {
            let mut chunk = format!("{allowed:x}\r\n").into_bytes();
            chunk.extend_from_slice(&bytes[..allowed]);
            chunk.extend_from_slice(b"\r\n");
            put(self.stream, &chunk)?;
        } else {
            put(self.stream, &bytes[..allowed])?;
        }
        self.allowance = self.allowance.map(|left| left - allowed as u64);
        if self.allowance == Some(0) { Err(Ended::Stalled) } else { Ok(()) }
    }

    /// Ends the body. The result says whether the connection can be used again.
    pub(super) fn finish(self) -> Result<bool, Ended> {
        if self.framing == Framing::Chunks {
            put(self.stream, b"0\r\n\r\n")?;
        }
        Ok(self.framing != Framing::UntilClose)
    }
}

fn put(stream: &mut TcpStream, bytes: &[u8]) -> Result<(), Ended> {
    stream.write_all(bytes).map_err(|_| Ended::Gone)
}

fn headers(reader: &mut BufReader<TcpStream>, left: &mut u64) -> Result<Vec<(String, String)>, Unread> {
    let mut headers = Vec::new();
    loop {
        let line = line(reader, left)?;
        if line.is_empty() {
            return Ok(headers);
        }
        let (name, value) = line.split_once(':').ok_or_else(|| refused(400, "a header line has no colon"))?;
        headers.push((name.trim().to_owned(), value.trim().to_owned()));
    }
}

/// One line without its end, out of what is left for the head.
fn line(reader: &mut BufReader<TcpStream>, left: &mut u64) -> Result<String, Unread> {
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(*left).read_until(b'\n', &mut bytes).map_err(|_| Unread::Gone)?;
    *left -= read as u64;
    if bytes.pop() != Some(b'\n') {
        return Err(if *left == 0 { refused(431, "the head is too large") } else { Unread::Gone });
    }
    if bytes.last() == Some(&b'\r') {
        bytes.pop();
    }
    String::from_utf8(bytes).map_err(|_| refused(400, "the head is not UTF-8"))
}

fn exactly(reader: &mut BufReader<TcpStream>, length: u64) -> Result<Vec<u8>, Unread> {
    let mut body = Vec::new();
    let read = reader.by_ref().take(length).read_to_end(&mut body).map_err(|_| Unread::Gone)?;
    if read as u64 == length { Ok(body) } else { Err(Unread::Gone) }
}

fn chunked(reader: &mut BufReader<TcpStream>) -> Result<Vec<u8>, Unread> {
    let mut body = Vec::new();
    // Sizes and trailers are bounded together, so that endless tiny chunks end as well.
    let mut left = MOST_BODY;
    loop {
        let size = line(reader, &mut left)?;
        let digits = size.split(';').next().unwrap_or_default().trim();
        let size =
            u64::from_str_radix(digits, 16).map_err(|_| refused(400, "a chunk size is not a number"))?;
        if size.saturating_add(body.len() as u64) > MOST_BODY {
            return Err(too_large());
        }
        if size == 0 {
            break;
        }
        body.append(&mut exactly(reader, size)?);
        line(reader, &mut left)?;
    }
    while !line(reader, &mut left)?.is_empty() {}
    Ok(body)
}

fn too_large() -> Unread {
    refused(413, &format!("the body is larger than {MOST_BODY} bytes"))
}

fn refused(code: u16, message: &str) -> Unread {
    Unread::Refused { code, message: message.to_owned() }
}
