//! The provider's threads: one that accepts, one for each connection.
//!
//! Dropping [`Server`] waits for all of them; every wait inside ends when the sockets are shut down or the stop flag is
//! set. What is answered is decided in `exchange`.

use super::ProviderSettings;
use super::exchange::{self, After};
use super::http::{self, Unread};
use super::script::Script;
use super::shared::{Connection, Shared};
use std::io::{BufReader, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

pub(super) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    pub(super) fn start(settings: ProviderSettings, script: Box<dyn Script>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
        let address = listener.local_addr().expect("a bound listener has an address");
        let shared = Arc::new(Shared::new(settings, script));
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
