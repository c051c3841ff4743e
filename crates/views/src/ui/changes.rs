//! Tells open pages that something changed: server-sent events that hold a number and nothing else. The page then asks
//! for itself again.

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Response, header};
use hyper::body::Frame;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

/// How often something is said although nothing changed, so that both sides notice when the other one is gone.
const ALIVE: Duration = Duration::from_secs(15);

/// How long a browser waits before it comes back.
const RETRY_MS: u64 = 1_000;

/// The numbers of the changes, from the present one on. `place` is given back when the page goes away.
pub(super) fn stream(mut version: watch::Receiver<u64>, place: OwnedSemaphorePermit) -> Response<Body> {
    let (tell, told) = mpsc::channel::<Bytes>(1);
    tokio::spawn(async move {
        let _place = place;
        let mut said = format!("retry: {RETRY_MS}\n{}", event(*version.borrow_and_update()));
        while tell.send(Bytes::from(said)).await.is_ok() {
            let changed = tokio::select! {
                // The page is gone, and somebody else may have its place at once.
                () = tell.closed() => return,
                changed = tokio::time::timeout(ALIVE, version.changed()) => changed,
            };
            said = match changed {
                Ok(Ok(())) => event(*version.borrow_and_update()),
                // The server ends.
                Ok(Err(_)) => return,
                Err(_) => ": still here\n\n".to_owned(),
            };
        }
    });
    let mut response = Response::new(Body::new(Told(told)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response
}

fn event(version: u64) -> String {
    format!("data: {version}\n\n")
}

struct Told(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Told {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|told| told.map(|bytes| Ok(Frame::data(bytes))))
    }
}
