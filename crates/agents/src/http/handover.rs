//! Finds out whether anything of a request was handed to the service, which is when it can be billed.
//!
//! The library says why a request failed but not how far it had come, so its resolver and its connections are watched:
//! a name is looked up, a connection is made (through a proxy and TLS, where there are any), and only then bytes of the
//! request are written. Giving up before that point closes the handover, and nothing is sent any more. One exchange has
//! a thread of its own ([`super::Client::post`]), so the one under way is known by its thread. Start at [`Handover`].
//!
//! The parts of the library used here are not covered by its promises about versions; a change there would not compile.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport,
};

/// How far one exchange has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Handover(Arc<AtomicU8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// The name of the service, or of the proxy before it, is looked up.
    Resolving,
    Connecting,
    /// Bytes of the request were written, or are being written.
    Sent,
}

const RESOLVING: u8 = 0;
const CONNECTING: u8 = 1;
const SENT: u8 = 2;
/// The exchange was given up before anything was sent.
const CLOSED: u8 = 3;

thread_local! {
    static UNDER_WAY: RefCell<Handover> = RefCell::default();
}

impl Handover {
    /// Makes it the handover of the exchange on this thread.
    pub(super) fn begin(&self) {
        UNDER_WAY.set(self.clone());
    }

    pub(super) fn stage(&self) -> Stage {
        match self.0.load(Ordering::SeqCst) {
            RESOLVING => Stage::Resolving,
            SENT => Stage::Sent,
            _ => Stage::Connecting,
        }
    }

    /// Gives up; returns whether nothing was sent, and nothing will be.
    pub(super) fn close(&self) -> bool {
        let unsent = |stage: u8| (stage != SENT).then_some(CLOSED);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, unsent).is_ok()
    }

    fn resolved(&self) {
        // Where it is further already, it stays there.
        let _ = self.0.compare_exchange(RESOLVING, CONNECTING, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether bytes may be written.
    fn send(&self) -> bool {
        let open = |stage: u8| (stage != CLOSED).then_some(SENT);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, open).is_ok()
    }
}

fn under_way() -> Handover {
    UNDER_WAY.with_borrow(Clone::clone)
}

/// The library's own resolver, watched.
#[derive(Debug, Default)]
pub(super) struct Watched(DefaultResolver);

impl Resolver for Watched {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.0.resolve(uri, config, timeout)?;
        under_way().resolved();
        Ok(found)
    }
}

/// The library's own connections, watched. By the time this is called, proxy and TLS have agreed.
#[derive(Debug)]
pub(super) struct Connecting;

impl Connecting {
    pub(super) fn chain() -> impl Connector {
        DefaultConnector::default().chain(Connecting)
    }
}

impl<In: Transport> Connector<In> for Connecting {
    type Out = Connection;

    fn connect(
        &self,
        _details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<Connection>, ureq::Error> {
        Ok(chained.map(|inner| Connection(inner.boxed())))
    }
}

#[derive(Debug)]
pub(super) struct Connection(Box<dyn Transport>);

impl Transport for Connection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.0.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        if !under_way().send() {
            return Err(ureq::Error::Io(io::Error::from(io::ErrorKind::Interrupted)));
        }
        self.0.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.0.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.0.is_open()
    }

    fn is_tls(&self) -> bool {
        self.0.is_tls()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_sent_after_somebody_gave_up_and_who_is_late_hears_of_it() {
        let handover = Handover::default();
        assert_eq!(handover.stage(), Stage::Resolving);
        handover.resolved();
        assert_eq!(handover.stage(), Stage::Connecting);
        assert!(handover.close(), "nothing was sent");
        assert!(!handover.send(), "nor will be");
        let sent = Handover::default();
        assert!(sent.send() && sent.send());
        assert!(!sent.close(), "too late");
        sent.resolved();
        assert_eq!(sent.stage(), Stage::Sent);
    }
}
