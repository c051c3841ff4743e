//! The provider's threads and what they share: one that accepts, one for each connection.
//!
//! Dropping [`Server`] waits for all of them; every wait inside ends when the sockets are shut down or the stop flag is
//! set. What is answered is decided in `exchange`.

use super::cache::{Charge, PromptCache};
use super::exchange::{self, After};
use super::http::{self, Unread};
use super::prefixes::PrefixCache;
use super::script::{Reply, Script};
use super::{ProviderSettings, RecordedRequest};
use serde_json::Value;
use std::any::Any;
use std::io::{BufReader, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

pub(super) struct Shared {
    pub(super) settings: ProviderSettings,
    script: Mutex<Box<dyn Script>>,
    state: Mutex<State>,
    /// Notified of every arrival, release and the stop.
    changed: Condvar,
}

/// Everything the threads change together.
pub(super) struct State {
    stopping: bool,
    pub(super) now: Duration,
    pub(super) prompts: PromptCache,
    pub(super) prefixes: PrefixCache,
    pub(super) bills: Vec<Charge>,
    requests: Vec<Arc<RecordedRequest>>,
    arrived: usize,
    asked: usize,
    releases: usize,
    connections: Vec<Connection>,
    /// The payload of a script's first panic.
    panic: Option<Box<dyn Any + Send>>,
}

struct Connection {
    /// Shared with the thread, so that it can be shut down from outside.
    socket: TcpStream,
    thread: JoinHandle<()>,
}

impl Server {
    pub(super) fn start(settings: ProviderSettings, script: Box<dyn Script>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = State {
            stopping: false,
            now: Duration::ZERO,
            prompts: PromptCache::new(settings.minimum_cacheable),
            prefixes: PrefixCache::default(),
            bills: Vec::new(),
            requests: Vec::new(),
            arrived: 0,
            asked: 0,
            releases: 0,
            connections: Vec::new(),
            panic: None,
        };
        let (script, state, changed) = (Mutex::new(script), Mutex::new(state), Condvar::new());
        let shared = Arc::new(Shared { settings, script, state, changed });
        let inside = Arc::clone(&shared);
        let acceptor = spawn("provider accepts", move || accept(&inside, &listener));
        Server { address, shared, acceptor: Some(acceptor) }
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.state().stopping = true;
        self.shared.changed.notify_all();
        // Only a connection wakes a thread that is accepting.
        if TcpStream::connect(self.address).is_ok()
            && let Some(acceptor) = self.acceptor.take()
        {
            // A panic of the acceptor left its message on stderr; the connections still have to end.
            let _ = acceptor.join();
        }
        let connections = std::mem::take(&mut self.shared.state().connections);
        for connection in &connections {
            // It fails when the client was faster, which is what we want.
            let _ = connection.socket.shutdown(Shutdown::Both);
        }
        for connection in connections {
            self.shared.end(connection);
        }
        let panic = self.shared.state().panic.take();
        if let Some(panic) = panic.filter(|_| !thread::panicking()) {
            resume_unwind(panic);
        }
    }
}

impl Shared {
    /// A panic while the state is held leaves it consistent: no update spans two steps.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn requests(&self) -> Vec<RecordedRequest> {
        self.state().requests.iter().map(|request| RecordedRequest::clone(request)).collect()
    }

    pub(super) fn reset_requests(&self) {
        self.state().requests.clear();
    }

    pub(super) fn wait_for_requests(&self, count: usize, limit: Duration) -> Option<Vec<RecordedRequest>> {
        let missing = |state: &mut State| state.requests.len() < count;
        let waited = self.changed.wait_timeout_while(self.state(), limit, missing);
        let (state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        let requests = state.requests.iter().map(|request| RecordedRequest::clone(request)).collect();
        (!timeout.timed_out()).then_some(requests)
    }

    pub(super) fn advance(&self, by: Duration) {
        self.state().now += by;
    }

    pub(super) fn release(&self) {
        self.state().releases += 1;
        self.changed.notify_all();
    }

    /// Waits in real time; false when the provider stops meanwhile.
    pub(super) fn pause(&self, pause: Duration) -> bool {
        let going_on = |state: &mut State| !state.stopping;
        let waited = self.changed.wait_timeout_while(self.state(), pause, going_on);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.stopping
    }

    /// Waits for a release and takes it; false when the provider stops meanwhile.
    pub(super) fn wait_for_release(&self) -> bool {
        let held = |state: &mut State| state.releases == 0 && !state.stopping;
        let waited = self.changed.wait_while(self.state(), held);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.stopping {
            return false;
        }
        state.releases -= 1;
        true
    }

    /// Remembers a request and the time it started.
    pub(super) fn record(&self, request: &http::Request) -> (Arc<RecordedRequest>, Duration) {
        let json = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        let mut recorded = RecordedRequest {
            order: 0,
            method: request.method.clone(),
            path: request.path.clone(),
            query: request.query.clone(),
            headers: request.headers.clone(),
            body: request.body.clone(),
            json,
        };
        let mut state = self.state();
        recorded.order = state.arrived;
        state.arrived += 1;
        let recorded = Arc::new(recorded);
        state.requests.push(Arc::clone(&recorded));
        self.changed.notify_all();
        (recorded, state.now)
    }

    /// Asks the script, and returns how many times it was asked before. A script that panics closes the connection; the
    /// owner of the provider gets the panic.
    pub(super) fn ask(&self, request: &RecordedRequest) -> (Reply, usize) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = self.state();
        let index = state.asked;
        state.asked += 1;
        drop(state);
        let reply = catch_unwind(AssertUnwindSafe(|| script.reply(request, index)));
        (reply.unwrap_or_else(|panic| self.keep(panic)), index)
    }

    fn keep(&self, panic: Box<dyn Any + Send>) -> Reply {
        self.state().panic.get_or_insert(panic);
        Reply::Close
    }

    fn end(&self, connection: Connection) {
        if let Err(panic) = connection.thread.join() {
            self.keep(panic);
        }
    }
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener) {
    for stream in listener.incoming() {
        let mut state = shared.state();
        if state.stopping {
            return;
        }
        let over = |connection: &mut Connection| connection.thread.is_finished();
        let finished: Vec<Connection> = state.connections.extract_if(.., over).collect();
        // A connection that failed before it was accepted, or cannot be shut down later, is not served.
        if let Ok(stream) = stream
            && let Ok(socket) = stream.try_clone()
        {
            let inside = Arc::clone(shared);
            let thread = spawn("provider serves", move || serve(&inside, stream));
            state.connections.push(Connection { socket, thread });
        }
        drop(state);
        finished.into_iter().for_each(|connection| shared.end(connection));
    }
}

/// Serves one connection until it ends.
fn serve(shared: &Shared, stream: TcpStream) {
    let mut open = Open(stream);
    // Small events must not wait for more; a failure only makes them late.
    let _ = open.0.set_nodelay(true);
    let Ok(reading) = open.0.try_clone() else { return };
    let mut reader = BufReader::new(reading);
    loop {
        let after = match http::read(&mut reader, &mut open.0) {
            Ok(request) => exchange::exchange(shared, &request, &mut open.0),
            Err(Unread::Refused { code, message }) => exchange::refuse(&mut open.0, code, &message),
            Err(Unread::Gone) => After::Close,
        };
        match after {
            After::Continue => {}
            After::Close => return,
            After::Linger => return drain(&mut reader),
        }
    }
}

/// Reads and forgets until the client leaves or the socket is shut down.
fn drain(reader: &mut impl Read) {
    let mut buffer = [0; 4_096];
    while reader.read(&mut buffer).is_ok_and(|read| read > 0) {}
}

/// Shuts the connection down on every way out. Dropping the stream would not be enough: the server keeps a clone.
struct Open(TcpStream);

impl Drop for Open {
    fn drop(&mut self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    thread::Builder::new().name(name.to_owned()).spawn(run).expect("the system grants a thread")
}
