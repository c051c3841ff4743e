//! The server: accepts connections on loopback, at most so many at once, and none that takes for ever.
//!
//! The asynchronous code is in this file, `routes`, `changes`, `jobs` and `write_timeout`, on a runtime of one thread
//! ([decision 18](../../../../docs/decisions/0018-a-runtime-for-the-page.md)). Everything that reads or starts something
//! is done by plain threads.

use super::gate::Gate;
use super::jobs::{Jobs, WORKERS, work};
use super::keys::Keys;
use super::routes::{STREAMS_MAX, Shared, router};
use super::site::Site;
use super::write_timeout::Patient;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, watch};

/// The most connections at once: several windows, each with a stream of its own.
const CONNECTIONS_MAX: usize = 64;
/// The most that the head of a request may have. A browser's has about one kilobyte.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADERS_MAX: usize = 64;
/// How often the signal that ends the server is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How long others may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Until the head of a request has come, also of the next one on the same connection.
    pub(super) head: Duration,
    /// Until some of what is sent is taken.
    pub(super) stall: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { head: Duration::from_secs(15), stall: Duration::from_secs(20) }
    }
}

/// A place on loopback, and nowhere else. 0 is any port that is free.
pub(super) fn listen(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

pub(super) struct Server {
    pub(super) listener: TcpListener,
    pub(super) keys: Keys,
    pub(super) patience: Patience,
}

impl Server {
    /// Serves until `stopped` says so. `entered` is told when somebody has used the address.
    pub(super) fn serve(
        self,
        site: &dyn Site,
        stopped: &(dyn Fn() -> bool + Sync),
        entered: &dyn Fn(),
    ) -> io::Result<()> {
        let port = self.listener.local_addr()?.port();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (jobs, pages, writes) = Jobs::new();
        let (moved, version) = watch::channel(0);
        let (tell, mut told) = mpsc::channel(1);
        let shared = Arc::new(Shared {
            gate: Gate { port, keys: self.keys },
            jobs,
            version,
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
            entered: tell,
        });
        std::thread::scope(|scope| {
            for worker in 0..WORKERS {
                let pages = &pages;
                scope.spawn(move || work(pages, worker, site));
            }
            scope.spawn(|| work(&writes, 0, site));
            scope.spawn(|| {
                // One end is the server's own, and each open page has another.
                let is_watched = || moved.receiver_count() > 1;
                site.follow(&mut || moved.send_modify(|version| *version += 1), &is_watched);
            });
            let served = runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(self.listener)?;
                tokio::spawn(accept(listener, shared, self.patience));
                while !stopped() {
                    if let Ok(Some(())) = tokio::time::timeout(LOOK_AGAIN, told.recv()).await {
                        entered();
                    }
                }
                Ok(())
            });
            // With its connections go the ends of the queues, and with these the workers.
            drop(runtime);
            served
        })
    }
}

async fn accept(listener: tokio::net::TcpListener, shared: Arc<Shared>, patience: Patience) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let routes = router(shared);
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            // What the system lets in from elsewhere is not served.
            Ok((stream, from)) if from.ip().is_loopback() => stream,
            Ok(_) => continue,
            // No file is left for it; it may be in a moment.
            Err(_) => {
                tokio::time::sleep(LOOK_AGAIN).await;
                continue;
            }
        };
        let service = TowerToHyperService::new(routes.clone());
        tokio::spawn(async move {
            let _place = place;
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(patience.head)
                .max_buf_size(HEAD_BYTES_MAX)
                .max_headers(HEADERS_MAX)
                .serve_connection(TokioIo::new(Patient::new(stream, patience.stall)), service);
            // Whoever broke it off knows why.
            let _ = connection.await;
        });
    }
}
