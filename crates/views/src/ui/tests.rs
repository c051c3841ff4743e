//! The server as a hostile browser meets it, over real connections: a test for each way in, and each says that nothing
//! was read and nothing was written. What is served is a fake that counts.

mod hostile;
mod limits;
mod standings;

use super::keys::Keys;
use super::serving::{Patience, Server, listen};
use super::site::{Answer, Posted, Site, Wanted};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What a form needs to be one of ours.
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

#[derive(Default)]
struct Fake {
    pages: AtomicUsize,
    writes: Mutex<Vec<Posted>>,
    moves: AtomicUsize,
    stop: AtomicBool,
    /// Whether a page waits for changes, as it is told.
    watched: AtomicBool,
    /// The size of every page.
    bytes: usize,
}

impl Site for Fake {
    fn page(&self, _: &Wanted) -> Answer {
        self.pages.fetch_add(1, Ordering::SeqCst);
        Answer::Page { status: 200, html: format!("PAGE{}", "x".repeat(self.bytes)) }
    }

    fn write(&self, posted: &Posted) -> Answer {
        self.writes.lock().unwrap().push(posted.clone());
        Answer::SeeOther("/feature/001".to_owned())
    }

    fn follow(&self, moved: &mut dyn FnMut(), is_watched: &dyn Fn() -> bool) {
        let mut seen = 0;
        while !self.stop.load(Ordering::SeqCst) {
            self.watched.store(is_watched(), Ordering::SeqCst);
            let moves = self.moves.load(Ordering::SeqCst);
            (seen..moves).for_each(|_| moved());
            seen = moves;
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

/// A server under test, and what a browser that was let in knows.
struct Served<'a> {
    site: &'a Fake,
    port: u16,
    word: String,
    form: String,
}

/// Runs a server as long as the test does.
fn serving(site: &Fake, patience: Patience, test: impl FnOnce(&Served<'_>)) {
    let (listener, keys) = (listen(0).unwrap(), Keys::new());
    let served = Served {
        site,
        port: listener.local_addr().unwrap().port(),
        word: keys.entry().unwrap(),
        form: keys.form().to_owned(),
    };
    let server = Server { listener, keys, patience };
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(site, &|| site.stop.load(Ordering::SeqCst), &|| {}).unwrap());
        // Also when the test fails.
        let _stop = Stop(site);
        test(&served);
    });
}

struct Stop<'a>(&'a Fake);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::SeqCst);
    }
}

/// An answer: its status, and everything as it came.
struct Got {
    status: u16,
    all: String,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        let head = self.all.split("\r\n\r\n").next().unwrap_or_default();
        let mut lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(called, _)| called.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Served<'_> {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes as they are and reads until the server closes.
    fn raw(&self, request: &str) -> Got {
        let mut stream = self.connect();
        // A server that refuses may close before it has read everything.
        let _ = stream.write_all(request.as_bytes());
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8_lossy(&all).into_owned();
        let status = all.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Got { status, all }
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(&format!("{request}\r\n{body}"))
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// Uses the address, as the browser does; the cookie as it is sent back.
    fn enter(&self) -> String {
        let got = self.ask("GET", &format!("/enter/{}", self.word), &[("Host", &self.host())], "");
        assert_eq!((got.status, got.header("location")), (303, Some("/")), "{}", got.all);
        got.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    /// A form as our own page sends it, with these headers in place of its own. An empty one is left out.
    fn post(&self, cookie: &str, other: &[(&str, &str)], body: &str) -> Got {
        let (host, origin) = (self.host(), self.origin());
        let own = [
            ("Host", host.as_str()),
            ("Cookie", cookie),
            ("Origin", origin.as_str()),
            ("Sec-Fetch-Site", "same-origin"),
            FORM,
        ];
        let own = own.into_iter().filter(|(name, _)| other.iter().all(|(other, _)| other != name));
        let headers: Vec<(&str, &str)> =
            own.chain(other.iter().copied()).filter(|(_, value)| !value.is_empty()).collect();
        self.ask("POST", "/feature/001/decide", &headers, body)
    }

    fn body(&self) -> String {
        format!("form={}&choice=accept&why=it+is+fine%0D%0Areally", self.form)
    }

    /// Nothing was read and nothing was written since the server began.
    fn untouched(&self, got: &Got) {
        let writes = self.site.writes.lock().unwrap().len();
        assert_eq!((self.site.pages.load(Ordering::SeqCst), writes), (0, 0), "{}", got.all);
        assert!(!got.all.contains("PAGE"), "{}", got.all);
        assert!(!got.all.to_lowercase().contains("access-control-"), "{}", got.all);
        assert!(!got.all.contains(&self.form) && !got.all.contains(&self.word), "{}", got.all);
    }
}
