//! `redraft ui`, and a page of it that is open: by what its script does, or in a real browser.

use crate::resident_kb;
use redraft_testkit::Scratch;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything should take.
const WAIT: Duration = Duration::from_secs(300);

pub(crate) struct Server {
    child: Child,
    address: String,
    visitor: Visitor,
}

#[derive(Clone)]
struct Visitor {
    port: u16,
    cookie: String,
}

/// A page that follows: it is told that something changed, and asks for itself again.
pub(crate) struct Page(Receiver<(Instant, String)>);

impl Server {
    pub(crate) fn new(scratch: &Scratch) -> Server {
        let mut server = Server::started(scratch);
        let (_, path) = server.address.rsplit_once("/enter/").unwrap();
        let answer = server.visitor.ask(&format!("/enter/{path}"));
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        server.visitor.cookie = cookie.split(';').next().unwrap().to_owned();
        server
    }

    /// Nobody has used its address.
    fn started(scratch: &Scratch) -> Server {
        let mut command = scratch.redraft(["ui", "--no-open", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut printed = String::new();
        let shown: Value = loop {
            printed.push_str(&lines.next().unwrap());
            if let Ok(shown) = serde_json::from_str(&printed) {
                break shown;
            }
        };
        let port = u16::try_from(shown["port"].as_u64().unwrap()).unwrap();
        let address = shown["address"].as_str().unwrap().to_owned();
        Server { child, address, visitor: Visitor { port, cookie: String::new() } }
    }

    pub(crate) fn resident_kb(&self) -> i64 {
        resident_kb(self.child.id())
    }

    /// Opens a page as a browser does.
    pub(crate) fn follow(&self, path: &'static str) -> Page {
        let (tell, pages) = channel();
        let visitor = self.visitor.clone();
        std::thread::spawn(move || {
            let mut changes = BufReader::new(visitor.send("/changes")).lines().map_while(Result::ok);
            while changes.by_ref().any(|line| line.starts_with("data: ")) {
                let page = visitor.ask(path);
                if tell.send((Instant::now(), page)).is_err() {
                    return;
                }
            }
        });
        Page(pages)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Visitor {
    fn send(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let (port, cookie) = (self.port, &self.cookie);
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    /// The answer; nothing where the server has ended.
    fn ask(&self, path: &str) -> String {
        let mut answer = Vec::new();
        let _ = self.send(path).read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).replace("\r\n", "\n")
    }
}

impl Page {
    /// Waits until it is there.
    pub(crate) fn loaded(&self) {
        self.0.recv_timeout(WAIT).unwrap();
    }

    /// When the page with this had arrived.
    pub(crate) fn shows(&self, mark: &str) -> Instant {
        loop {
            let (at, page) = self.0.recv_timeout(WAIT).unwrap();
            // The first event of the list is the newest.
            let newest = page.split("<ol class=\"time\">").nth(1).and_then(|list| list.split("</li>").next());
            if newest.is_some_and(|line| line.contains(mark)) {
                return at;
            }
        }
    }
}

/// What a page takes in Chromium, in words.
pub(crate) fn in_a_browser(scratch: &Scratch, path: &str) -> Result<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/watching/browser.mjs");
    let installed = root.join("build/pages");
    if !installed.join("node_modules/playwright-core").is_dir() {
        return Err("run .ci/pages first, which installs what drives the browser".to_owned());
    }
    let server = Server::started(scratch);
    let mut command = scratch.command("node");
    command.arg(script).args([&server.address, path]).arg(installed);
    let done = command.output().map_err(|error| format!("node: {error}"))?;
    let said = String::from_utf8_lossy(&done.stdout).trim().to_owned();
    if done.status.success() { Ok(said) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) }
}
