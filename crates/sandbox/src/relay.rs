//! Passes connections on from a network that has nothing in it to the hosts of a policy, and to no others.
//!
//! It neither reads nor changes what is said. Start at [`Relay::begin`].

use crate::host::NetworkHost;
use rustix::net::Shutdown;
use std::io;
use std::net::{self, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// At once. A program that needs more has lost count of them, and each costs two threads.
const CONNECTIONS_MAX: usize = 256;
/// As long as programs wait themselves; a host that is not there must not hold a connection for longer.
const CONNECT_WITHIN: Duration = Duration::from_secs(30);

/// Passes on until it is dropped. What is connected by then goes on.
#[derive(Debug, Default)]
pub struct Relay(Vec<TcpListener>);

impl Relay {
    /// Whoever connects to a listener is connected to the host at the same place of the list.
    pub(crate) fn begin(
        listeners: Vec<TcpListener>,
        hosts: impl Iterator<Item = NetworkHost>,
    ) -> io::Result<Relay> {
        let relay = Relay(listeners);
        let open = Arc::new(AtomicUsize::new(0));
        for (listener, host) in relay.0.iter().zip(hosts) {
            let (listener, open) = (listener.try_clone()?, Arc::clone(&open));
            thread::Builder::new()
                .name(format!("relay {}", host.name))
                .spawn(move || accept(&listener, &host, &open))?;
        }
        Ok(relay)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        for listener in &self.0 {
            // It wakes the thread that accepts; if that fails, the thread ends with the process.
            let _ = rustix::net::shutdown(listener, Shutdown::Both);
        }
    }
}

fn accept(listener: &TcpListener, host: &NetworkHost, open: &Arc<AtomicUsize>) {
    // An error means that it was shut down, or that nothing more can be accepted.
    while let Ok((caller, _)) = listener.accept() {
        if open.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (host, counted) = (host.clone(), Arc::clone(open));
        let begun = thread::Builder::new().name(format!("relay {}", host.name)).spawn(move || {
            // The caller sees that its connection ends.
            let _ = pass_on(&caller, &host);
            counted.fetch_sub(1, Ordering::Relaxed);
        });
        if begun.is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Until both sides have said everything.
fn pass_on(caller: &TcpStream, host: &NetworkHost) -> io::Result<()> {
    let service = connect(host)?;
    // What is small should not wait for more.
    caller.set_nodelay(true)?;
    service.set_nodelay(true)?;
    thread::scope(|scope| {
        scope.spawn(|| copy(caller, &service));
        copy(&service, caller);
    });
    Ok(())
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    // A side that broke off has nothing more to say or to hear.
    if io::copy(&mut from, &mut to).is_err() {
        let _ = from.shutdown(net::Shutdown::Both);
    }
    let _ = to.shutdown(net::Shutdown::Write);
}

fn connect(host: &NetworkHost) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    for address in (host.name.as_str(), host.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_WITHIN) {
            Ok(service) => return Ok(service),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn here() -> (TcpListener, u16) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        (listener, port)
    }

    #[test]
    fn both_sides_are_heard_to_their_end_and_nobody_after_it_is_dropped() {
        let (service, there) = here();
        let (listener, port) = here();
        let host = NetworkHost::new("localhost", there);
        let relay = Relay::begin(vec![listener], std::iter::once(host)).unwrap();
        let server = thread::spawn(move || {
            let (mut caller, _) = service.accept().unwrap();
            let mut said = String::new();
            caller.read_to_string(&mut said).unwrap();
            caller.write_all(said.to_uppercase().as_bytes()).unwrap();
        });
        let mut caller = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let words = "said ".repeat(100_000);
        let mut writing = caller.try_clone().unwrap();
        let said = words.clone();
        let writer = thread::spawn(move || {
            writing.write_all(said.as_bytes()).unwrap();
            writing.shutdown(net::Shutdown::Write).unwrap();
        });
        let mut answer = String::new();
        caller.read_to_string(&mut answer).unwrap();
        assert_eq!(answer, words.to_uppercase());
        writer.join().unwrap();
        server.join().unwrap();
        drop(relay);
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    }

    #[test]
    fn a_service_that_is_not_there_ends_the_connection() {
        let (service, there) = here();
        drop(service);
        let (listener, port) = here();
        let host = NetworkHost::new("localhost", there);
        let _relay = Relay::begin(vec![listener], std::iter::once(host)).unwrap();
        let mut caller = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut answer = Vec::new();
        // Whether it is told as an end or as an error depends on what arrived first.
        let _ = caller.read_to_end(&mut answer);
        assert!(answer.is_empty());
    }
}
