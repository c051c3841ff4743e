//! Sends one POST at a time to a model's server and reads its answer piece by piece.
//!
//! The blocking work happens on a thread of its own, so that the caller sees a stop or a deadline at once, whatever the
//! network does. Nothing here knows a vendor: the caller knows what the bytes mean, [`sse`] splits them into events and
//! [`retry`] says what a failure means. Start at [`Client::post`].

mod handover;
mod proxy;
pub(crate) mod retry;
pub(crate) mod sse;
#[cfg(test)]
mod tests;

use handover::{Connecting, Handover, Stage, Watched};
use redraft_engine::ports::{Deadlines, Moment, RunHandle};
use redraft_facts::text::span;
use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Sends requests. It follows no redirect, so a key goes to the configured server and to no other.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    agent: ureq::Agent,
    /// Host and port of the proxy, as it may be shown; none where there is none.
    proxy: Option<String>,
}

/// The head of an answer, and the body still on its way. Dropping it ends the exchange.
pub(crate) struct Response<'a> {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    pieces: Receiver<Piece>,
    limits: RequestLimits<'a>,
    taken: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("the run was asked to stop")]
    Stopped {
        /// Whether that was before anything was sent.
        unsent: bool,
    },
    #[error("no connection within {}", span(*.0))]
    Connect(u64),
    #[error("no first byte within {}", span(*.0))]
    FirstByte(u64),
    #[error("nothing more within {}", span(*.0))]
    Idle(u64),
    #[error("not finished within {}", span(*.0))]
    Total(u64),
    #[error("the answer is larger than {0} bytes")]
    TooLarge(u64),
    #[error("the connection broke: {0}")]
    Broken(String),
    /// There was no connection at all, so nothing was sent.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The name of the service has no address here.
    #[error("offline: no address was found for {host} ({why}); look at the network, or at the name")]
    Offline { host: String, why: String },
    #[error("{0}")]
    Refused(String),
}

impl HttpError {
    /// Whether the server can have read nothing of the request.
    pub(crate) fn is_before_sending(&self) -> bool {
        match self {
            HttpError::Connect(_)
            | HttpError::Unreachable(_)
            | HttpError::Offline { .. }
            | HttpError::Refused(_) => true,
            HttpError::Stopped { unsent } => *unsent,
            HttpError::FirstByte(_)
            | HttpError::Idle(_)
            | HttpError::Total(_)
            | HttpError::TooLarge(_)
            | HttpError::Broken(_) => false,
        }
    }
}

impl HttpError {
    /// What giving up means where nothing was sent: there was no connection in all that time.
    fn before_sending(self, connect_ms: u64) -> HttpError {
        match self {
            HttpError::Stopped { .. } => HttpError::Stopped { unsent: true },
            HttpError::FirstByte(_) | HttpError::Total(_) => HttpError::Connect(connect_ms),
            other => other,
        }
    }
}

/// When the exchange must be over. `began` is when the whole dispatch began, of which this may be a later request.
#[derive(Clone, Copy)]
pub(crate) struct RequestLimits<'a> {
    pub(crate) deadlines: Deadlines,
    pub(crate) began: Moment,
    pub(crate) watch: &'a dyn RunHandle,
}

/// A verdict with all its tool calls has some hundred kilobytes; its stream has each word in an event of its own, which
/// is a hundred times that.
pub(crate) const BODY_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// How much is read of a body that is no answer, for the message of an error.
pub(crate) const BEGINNING_BYTES_MAX: usize = 64 * 1024;
const PIECE_BYTES: usize = 16 * 1024;
/// The thread is at most this far ahead of its reader, which bounds the memory of an endless answer.
const PIECES_AHEAD: usize = 4;
/// How often a silent exchange looks at the clock and the stop flag.
const SLICE: Duration = Duration::from_millis(20);

enum Piece {
    Head { status: u16, retry_after: Option<String> },
    Bytes(Vec<u8>),
    End,
    Failed(HttpError),
}

impl Client {
    /// A proxy is used only where one is handed in.
    pub(crate) fn new(proxy: Option<&str>) -> Result<Client, HttpError> {
        let proxy = proxy.map(ureq::Proxy::new).transpose();
        let proxy = proxy.map_err(|_| HttpError::Refused("the proxy is not a URL".to_owned()))?;
        let shown = proxy.as_ref().map(|proxy| format!("{}:{}", proxy.host(), proxy.port()));
        // The certificates that the machine trusts, so that a company's own work.
        let tls = ureq::tls::TlsConfig::builder().root_certs(ureq::tls::RootCerts::PlatformVerifier).build();
        let config = ureq::Agent::config_builder()
            .tls_config(tls)
            .proxy(proxy)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("redraft/", env!("CARGO_PKG_VERSION")))
            .build();
        let agent = ureq::Agent::with_parts(config, Connecting::chain(), Watched::default());
        Ok(Client { agent, proxy: shown })
    }

    /// Sends a body and returns as soon as the head of the answer is there, whatever its status.
    pub(crate) fn post<'a>(
        &self,
        url: &str,
        headers: &[(&str, String)],
        body: String,
        limits: RequestLimits<'a>,
    ) -> Result<Response<'a>, HttpError> {
        let request = self.request(url, headers, body, limits.deadlines)?;
        let (sender, pieces) = sync_channel(PIECES_AHEAD);
        let (client, deadlines) = (self.clone(), limits.deadlines);
        let handover = Handover::default();
        let theirs = handover.clone();
        let started = std::thread::Builder::new()
            .name("http".to_owned())
            .spawn(move || exchange(&client, request, deadlines, &theirs, &sender));
        started.map_err(|error| HttpError::Unreachable(format!("no thread for the request: {error}")))?;
        let asked = limits.watch.moment();
        let Deadlines { connect_ms, first_byte_ms, .. } = limits.deadlines;
        let waiting = limits.next(
            &pieces,
            asked,
            connect_ms.saturating_add(first_byte_ms),
            HttpError::FirstByte(first_byte_ms),
        );
        // Giving up before anything was sent also makes sure that nothing is sent later.
        let given_up =
            |error: HttpError| if handover.close() { error.before_sending(connect_ms) } else { error };
        match waiting.map_err(given_up)? {
            Piece::Head { status, retry_after } => {
                Ok(Response { status, retry_after, pieces, limits, taken: 0 })
            }
            Piece::Failed(error) => Err(error),
            Piece::Bytes(_) | Piece::End => Err(HttpError::Broken("a body without a head".to_owned())),
        }
    }

    fn request(
        &self,
        url: &str,
        headers: &[(&str, String)],
        body: String,
        deadlines: Deadlines,
    ) -> Result<ureq::http::Request<String>, HttpError> {
        let mut builder = ureq::http::Request::post(url).header("content-type", "application/json");
        for (name, value) in headers {
            // Marked, because one of them is the key: the library never shows marked values.
            let value = ureq::http::HeaderValue::from_str(value).map(|mut value| {
                value.set_sensitive(true);
                value
            });
            let bad =
                |_| HttpError::Refused(format!("the header {name} has characters that HTTP cannot carry"));
            builder = builder.header(*name, value.map_err(bad)?);
        }
        let request = builder.body(body).map_err(|_| HttpError::Refused(format!("`{url}` is not a URL")))?;
        let ms = |ms: u64| Some(Duration::from_millis(ms.max(1)));
        // These only end the thread should its reader be gone: the reader itself goes by the run's clock.
        let configured = self
            .agent
            .configure_request(request)
            .timeout_connect(ms(deadlines.connect_ms))
            .timeout_recv_response(ms(deadlines.first_byte_ms))
            .timeout_per_read(ms(deadlines.idle_ms.max(deadlines.first_byte_ms)))
            .timeout_global(ms(deadlines.total_ms));
        Ok(configured.build())
    }
}

impl Response<'_> {
    /// The next bytes of the body; none at its end.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        let idle_ms = self.limits.deadlines.idle_ms;
        let now = self.limits.watch.moment();
        match self.limits.next(&self.pieces, now, idle_ms, HttpError::Idle(idle_ms))? {
            Piece::Bytes(bytes) => {
                self.taken = self.taken.saturating_add(bytes.len() as u64);
                if self.taken > BODY_BYTES_MAX {
                    return Err(HttpError::TooLarge(BODY_BYTES_MAX));
                }
                Ok(Some(bytes))
            }
            Piece::End => Ok(None),
            Piece::Failed(error) => Err(error),
            Piece::Head { .. } => Err(HttpError::Broken("a second head".to_owned())),
        }
    }

    /// The beginning of the body as text, for the message of an error.
    pub(crate) fn beginning(mut self) -> Result<String, HttpError> {
        let mut body = Vec::new();
        while body.len() < BEGINNING_BYTES_MAX {
            match self.next() {
                Ok(Some(bytes)) => body.extend_from_slice(&bytes),
                Ok(None) => break,
                Err(stopped @ HttpError::Stopped { .. }) => return Err(stopped),
                // Half an error message is better than none, and the status is known.
                Err(_) => break,
            }
        }
        body.truncate(BEGINNING_BYTES_MAX);
        Ok(String::from_utf8_lossy(&body).into_owned())
    }
}

impl RequestLimits<'_> {
    fn next(
        &self,
        pieces: &Receiver<Piece>,
        since: Moment,
        wait_ms: u64,
        late: HttpError,
    ) -> Result<Piece, HttpError> {
        loop {
            if self.watch.stopped() {
                return Err(HttpError::Stopped { unsent: false });
            }
            let now = self.watch.moment();
            let passed = |since: Moment, limit_ms: u64| now.ms_since(since) >= limit_ms;
            if passed(self.began, self.deadlines.total_ms) {
                return Err(HttpError::Total(self.deadlines.total_ms));
            }
            match pieces.recv_timeout(SLICE) {
                Ok(piece) => return Ok(piece),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(HttpError::Broken("the reading thread ended".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) if passed(since, wait_ms) => return Err(late),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Runs on its own thread. A send fails when the reader is gone, and then the exchange is over.
fn exchange(
    client: &Client,
    request: ureq::http::Request<String>,
    deadlines: Deadlines,
    handover: &Handover,
    pieces: &SyncSender<Piece>,
) {
    let send = |piece: Piece| pieces.send(piece).is_ok();
    handover.begin();
    let host = request.uri().host().unwrap_or_default().to_owned();
    let response = match client.agent.run(request) {
        Ok(response) => response,
        Err(error) => {
            let failed = match handover.stage() {
                Stage::Sent => broken(&error, deadlines),
                stage => unsent(&error, deadlines, stage, host),
            };
            let proxy = client.proxy.as_deref();
            send(Piece::Failed(
                proxy.and_then(|proxy| proxy::trouble(proxy, &error, &failed)).unwrap_or(failed),
            ));
            return;
        }
    };
    let header = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
    let head = Piece::Head { status: response.status().as_u16(), retry_after: header.map(str::to_owned) };
    if !send(head) {
        return;
    }
    let mut reader = response.into_body().into_reader();
    loop {
        let mut buffer = vec![0; PIECE_BYTES];
        let piece = match reader.read(&mut buffer) {
            Ok(0) => Piece::End,
            Ok(read) => {
                buffer.truncate(read);
                Piece::Bytes(buffer)
            }
            Err(error) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
                let other = || HttpError::Broken(error.to_string());
                Piece::Failed(inner.map_or_else(other, |inner| broken(inner, deadlines)))
            }
        };
        let last = !matches!(piece, Piece::Bytes(_));
        if !send(piece) || last {
            return;
        }
    }
}

/// Why a request that was sent brought no answer. Should the library's own time limits pass first, they mean the same
/// as ours.
fn broken(error: &ureq::Error, deadlines: Deadlines) -> HttpError {
    let Deadlines { first_byte_ms, idle_ms, total_ms, .. } = deadlines;
    match error {
        ureq::Error::Timeout(ureq::Timeout::RecvResponse) => HttpError::FirstByte(first_byte_ms),
        ureq::Error::Timeout(ureq::Timeout::PerRead) => HttpError::Idle(idle_ms),
        ureq::Error::Timeout(_) => HttpError::Total(total_ms),
        other => HttpError::Broken(other.to_string()),
    }
}

/// Why nothing of a request was sent.
fn unsent(error: &ureq::Error, deadlines: Deadlines, stage: Stage, host: String) -> HttpError {
    match error {
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            HttpError::Refused("the base URL is not a URL of a server".to_owned())
        }
        // No repetition makes a certificate trusted.
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            HttpError::Refused(format!("no safe connection: {error}"))
        }
        ureq::Error::Io(io) if io.kind() == std::io::ErrorKind::InvalidData => {
            HttpError::Refused(format!("no safe connection: {io}"))
        }
        ureq::Error::Timeout(_) if stage == Stage::Resolving => {
            HttpError::Offline { host, why: format!("no answer within {}", span(deadlines.connect_ms)) }
        }
        ureq::Error::Timeout(_) => HttpError::Connect(deadlines.connect_ms),
        ureq::Error::Io(io) if stage == Stage::Resolving => HttpError::Offline { host, why: io.to_string() },
        ureq::Error::HostNotFound => HttpError::Offline { host, why: error.to_string() },
        other => HttpError::Unreachable(other.to_string()),
    }
}
