//! What the provider's threads share: the script, the requests so far, the caches, and its clock.

use super::cache::{Charge, PromptCache};
use super::http;
use super::prefixes::PrefixCache;
use super::script::{Reply, Script};
use super::{ProviderSettings, RecordedRequest};
use serde_json::Value;
use std::any::Any;
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub(super) struct Shared {
    pub(super) settings: ProviderSettings,
    script: Mutex<Box<dyn Script>>,
    state: Mutex<State>,
    /// Notified of every arrival, release and the stop.
    pub(super) changed: Condvar,
}

/// Everything the threads change together.
pub(super) struct State {
    pub(super) stopping: bool,
    pub(super) now: Duration,
    pub(super) prompts: PromptCache,
    pub(super) prefixes: PrefixCache,
    pub(super) bills: Vec<Charge>,
    requests: Vec<Arc<RecordedRequest>>,
    arrived: usize,
    asked: usize,
    releases: usize,
    pub(super) connections: Vec<Connection>,
    /// The payload of a script's first panic.
    pub(super) panic: Option<Box<dyn Any + Send>>,
}

/// A client, and the thread that serves it.
pub(super) struct Connection {
    /// Shared with the thread, so that it can be shut down from outside.
    pub(super) socket: TcpStream,
    pub(super) thread: JoinHandle<()>,
}

impl Shared {
    pub(super) fn new(settings: ProviderSettings, script: Box<dyn Script>) -> Shared {
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
        Shared { settings, script, state, changed }
    }

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

    pub(super) fn end(&self, connection: Connection) {
        if let Err(panic) = connection.thread.join() {
            self.keep(panic);
        }
    }
}
