//! Tests `redraft ui` as a browser meets it: what its pages show, that looking changes nothing, and that a form stores
//! what a person would have typed, if what they saw is still there.

use crate::world::{PROGRAM, entries, feature};
use redraft_facts::event::Event;
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

/// A server, and the browser that was let in.
pub(crate) struct Ui {
    child: Child,
    pub(crate) port: u16,
    cookie: String,
}

impl Drop for Ui {
    fn drop(&mut self) {
        // The hardest end there is, after every test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ui {
    pub(crate) fn new(scratch: &Scratch) -> Ui {
        let mut command = scratch.redraft(["ui", "--no-open", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut printed = String::new();
        while serde_json::from_str::<Value>(&printed).is_err() {
            printed.push_str(&lines.next().expect("it prints an object"));
        }
        assert!(printed.starts_with("{  \"v\": 1,"), "{printed}");
        let shown: Value = serde_json::from_str(&printed).unwrap();
        let address = shown["address"].as_str().unwrap();
        let port = u16::try_from(shown["port"].as_u64().unwrap()).unwrap();
        let origin = format!("http://127.0.0.1:{port}");
        let mut ui = Ui { child, port, cookie: String::new() };
        let (status, answer) = ui.ask("GET", address.strip_prefix(&origin).unwrap(), "");
        assert_eq!(status, 303, "{answer}");
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        ui.cookie = cookie.split(';').next().unwrap().to_owned();
        ui
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let (port, cookie) = (self.port, &self.cookie);
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n\
                Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.replace("\r\n", "\n"))
    }

    pub(crate) fn page(&self, path: &str) -> String {
        let (status, answer) = self.ask("GET", path, "");
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }
}

/// A feature that waits for a person after one round.
fn waiting() -> Scratch {
    let scratch = feature("Show the weather");
    scratch.write_unaccepted("redraft.toml", "[roles]\ndefault = \"rehearsal\"\n[limits]\nrounds = 1\n");
    scratch.run(["run", "001"]).expect(5);
    scratch
}

/// What a hidden field of a page holds.
fn field(page: &str, name: &str) -> String {
    let begins = format!("name=\"{name}\" value=\"");
    let rest = page.split(&begins).nth(1).unwrap_or_else(|| panic!("no {name} in {page}"));
    rest.split('"').next().unwrap().to_owned()
}

/// The parts of a form that a person does not fill in.
fn hidden(page: &str) -> String {
    let [form, asked, moved] = ["form", "asked", "moved"].map(|name| field(page, name));
    format!("form={form}&asked={asked}&moved={moved}")
}

const PAGES: [&str; 12] = [
    "/",
    "/feature/001",
    "/feature/001/documents",
    "/feature/001/documents/specify",
    "/feature/001/changes",
    "/feature/001/findings",
    "/feature/001/tasks",
    "/feature/001/trace",
    "/feature/001/prompts",
    "/feature/001/costs",
    "/feature/001/time?all=1",
    "/feature/001?said=1",
];

#[test]
fn every_page_says_what_status_says_and_looking_changes_nothing() {
    let scratch = waiting();
    let state = |scratch: &Scratch| {
        let refs = scratch.git(["for-each-ref"]);
        (entries(scratch).len(), refs, scratch.git(["status", "--porcelain"]))
    };
    let before = state(&scratch);
    let ui = Ui::new(&scratch);
    for path in PAGES {
        let page = ui.page(path);
        assert!(page.contains("waiting for you: the review rounds are used up"), "{path}: {page}");
        assert!(!page.contains("http://") && !page.contains("https://"), "{path} leads elsewhere: {page}");
    }
    assert_eq!(state(&scratch), before);
    let sent = entries(&scratch);
    let sent = sent.iter().rev().find(|entry| matches!(entry.event, Event::Started(_))).unwrap();
    let page = ui.page(&format!("/feature/001/prompts/{}", sent.seq));
    let prompt = scratch.json(["show", "prompt", "001"]);
    let fragments = prompt["fragments"].as_array().unwrap();
    assert!(!fragments.is_empty());
    for fragment in fragments {
        let escaped = redraft_reports::html::escaped(fragment["text"].as_str().unwrap());
        assert!(page.contains(&escaped), "{}", fragment["name"]);
    }
    for path in [
        "/feature/002",
        "/feature/001/documents/..%2f..%2f..%2fredraft.toml",
        "/feature/001/documents/nothing",
        "/feature/001/changes/finish",
        "/feature/001/prompts/1",
        "/feature/001/prompts/x",
    ] {
        assert_eq!(ui.ask("GET", path, "").0, 404, "{path}");
    }
}

#[test]
fn a_decision_is_confirmed_first_and_then_stored_as_if_it_was_typed() {
    let scratch = waiting();
    let ui = Ui::new(&scratch);
    let before = entries(&scratch).len();
    let page = ui.page("/feature/001");
    let first = format!("{}&choice=accept&why=good+enough", hidden(&page));
    let (status, page) = ui.ask("POST", "/feature/001/decide", &first);
    assert!(status == 200 && page.contains("Is this what you want?"), "{page}");
    assert_eq!(entries(&scratch).len(), before, "nothing is stored yet");
    let (status, answer) = ui.ask("POST", "/feature/001/decide", &format!("{first}&confirmed=accept"));
    assert_eq!(status, 303, "{answer}");
    let place = answer.lines().find_map(|line| line.strip_prefix("location: ")).unwrap();
    assert!(ui.page(place).contains("Decided: accept."));
    let all = entries(&scratch);
    let decided = all.iter().find_map(|entry| match &entry.event {
        Event::Decided(decided) => Some(decided),
        _ => None,
    });
    assert_eq!(decided.unwrap().why, "good enough");
    // The same form again is about what no longer stands.
    let (status, page) = ui.ask("POST", "/feature/001/decide", &format!("{first}&confirmed=accept"));
    assert!(status == 409 && page.contains("moved since"), "{page}");
    assert_eq!(entries(&scratch).len(), all.len());
}

#[test]
fn what_has_moved_lacks_a_reason_or_is_no_choice_is_not_stored() {
    let scratch = waiting();
    let ui = Ui::new(&scratch);
    let page = ui.page("/feature/001");
    let own = hidden(&page);
    let before = entries(&scratch).len();
    for (more, expected) in [
        ("choice=accept", 422),
        ("choice=go&confirmed=go", 422),
        ("choice=stop&confirmed=stop", 422),
        ("choice=--help&confirmed=--help", 422),
        ("", 422),
    ] {
        let (status, answer) = ui.ask("POST", "/feature/001/decide", &format!("{own}&{more}"));
        assert_eq!(status, expected, "{more}: {answer}");
    }
    // The question, and the event since which the phase and its revision stand.
    for (path, name) in [("/feature/001/decide", "asked"), ("/feature/001/comment", "moved")] {
        let moved = own.replace(&format!("{name}={}", field(&page, name)), &format!("{name}=1"));
        let body = format!("{moved}&choice=abandon&confirmed=abandon&text=hello");
        let (status, answer) = ui.ask("POST", path, &body);
        assert!(status == 409 && answer.contains("Nothing was stored"), "{path}: {answer}");
    }
    assert_eq!(entries(&scratch).len(), before);
}

#[test]
fn no_secret_is_in_any_byte() {
    let secret = "sk-ant-api03-0123456789abcdefghijklmnop";
    let scratch = waiting();
    // Somebody commits it past the program.
    let folder = scratch.artifacts("001");
    let text = fs::read_to_string(folder.join("spec.md")).unwrap();
    fs::write(folder.join("spec.md"), format!("{text}\n{secret}\n")).unwrap();
    scratch.git_in(&scratch.worktree("001"), ["commit", "-qam", "a key"]);
    let ui = Ui::new(&scratch);
    let own = hidden(&ui.page("/feature/001"));
    let (_, answer) = ui.ask("POST", "/feature/001/decide", &format!("{own}&choice=retry&why={secret}"));
    assert!(answer.contains("Is this what you want?") && !answer.contains(secret), "{answer}");
    for path in PAGES {
        assert!(!ui.page(path).contains(secret), "{path}");
    }
}

#[test]
fn it_is_refused_where_it_cannot_be_served() {
    let scratch = feature("Show the weather");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = scratch.run(["ui", "--no-open", "--port", &port]).expect(3);
    assert!(ran.stderr.contains(&format!("port {port} of 127.0.0.1 cannot be used")), "{}", ran.stderr);
    assert!(ran.stderr.contains("redraft ui --port N"), "{}", ran.stderr);
    let nowhere = Scratch::empty(PROGRAM);
    nowhere.run(["ui", "--no-open"]).expect(2);
    let mut agent = scratch.redraft(["ui", "--no-open"]);
    let ran = Ran::new(agent.env("REDRAFT_TICKET", "t").output().unwrap()).expect(2);
    assert!(ran.stderr.contains("an agent at work on t cannot serve others"), "{}", ran.stderr);
}

#[test]
fn a_repository_without_features_has_a_page_and_ctrl_c_ends_it() {
    let scratch = Scratch::repository(PROGRAM);
    let mut ui = Ui::new(&scratch);
    assert!(ui.page("/").contains("There is no feature here yet"));
    let pid = ui.child.id().to_string();
    assert!(scratch.command("kill").args(["-INT", &pid]).status().unwrap().success());
    assert!(ui.child.wait().unwrap().success());
}
