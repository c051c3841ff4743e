use super::{FORM, Fake, Patience, Served, serving};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn hasty() -> Patience {
    Patience { head: Duration::from_millis(300), stall: Duration::from_millis(300) }
}

fn bytes_left(stream: &mut TcpStream) -> usize {
    let mut left = Vec::new();
    // A connection that was reset ends like one that was closed.
    let _ = stream.read_to_end(&mut left);
    left.len()
}

#[test]
fn what_is_too_large_is_refused() {
    serving(&Fake::default(), Patience::default(), |served| {
        let cookie = served.enter();
        let body = format!("form={}&why={}", served.form, "x".repeat(200_000));
        let got = served.post(&cookie, &[], &body);
        assert_eq!(got.status, 413, "{}", got.all);
        served.untouched(&got);
        let got = served.post(&cookie, &[("X-Long", &"x".repeat(40_000))], &served.body());
        assert!(matches!(got.status, 431 | 400 | 0), "{}", got.all);
        served.untouched(&got);
        let many: String = (0..200).map(|number| format!("X-{number}: y\r\n")).collect();
        let got = served
            .raw(&format!("GET / HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n{many}\r\n", served.host()));
        assert!(matches!(got.status, 431 | 400 | 0), "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn who_is_slow_to_ask_is_not_waited_for() {
    serving(&Fake::default(), hasty(), |served| {
        for begun in ["", "GET / HTTP/1.1\r\nHost: 127"] {
            let mut stream = served.connect();
            stream.write_all(begun.as_bytes()).unwrap();
            let since = Instant::now();
            bytes_left(&mut stream);
            assert!(since.elapsed() < Duration::from_secs(10), "{begun}");
        }
        // A second request on the same connection is not waited for either.
        let mut stream = served.connect();
        write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\n\r\n", served.host()).unwrap();
        let since = Instant::now();
        assert!(bytes_left(&mut stream) > 0);
        assert!(since.elapsed() < Duration::from_secs(10));
    });
}

#[test]
fn who_does_not_read_is_let_go() {
    const BYTES: usize = 48 * 1024 * 1024;
    serving(&Fake { bytes: BYTES, ..Fake::default() }, hasty(), |served| {
        let cookie = served.enter();
        let mut stream = served.connect();
        write!(stream, "GET / HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", served.host()).unwrap();
        let since = Instant::now();
        while since.elapsed() < Duration::from_millis(1_500) {
            std::thread::park_timeout(Duration::from_millis(100));
        }
        assert!(bytes_left(&mut stream) < BYTES, "it was sent as far as nobody had to be waited for");
    });
}

#[test]
fn many_connections_hold_up_others_only_for_a_moment() {
    serving(&Fake::default(), hasty(), |served| {
        let cookie = served.enter();
        let _idle: Vec<TcpStream> = (0..200).map(|_| served.connect()).collect();
        let got = served.ask("GET", "/", &[("Host", &served.host()), ("Cookie", &cookie)], "");
        assert_eq!(got.status, 200, "{}", got.all);
    });
}

fn stream(served: &Served<'_>, cookie: &str) -> TcpStream {
    let mut stream = served.connect();
    write!(stream, "GET /changes HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\n\r\n", served.host()).unwrap();
    stream
}

/// Reads until this is there.
fn until(stream: &mut TcpStream, wanted: &str) -> String {
    let mut all = String::new();
    let mut some = [0; 4096];
    while !all.contains(wanted) {
        let read = stream.read(&mut some).unwrap();
        assert!(read > 0, "closed before {wanted}: {all}");
        all.push_str(&String::from_utf8_lossy(&some[..read]));
    }
    all
}

#[test]
fn an_open_page_is_told_that_something_changed_and_nothing_else() {
    serving(&Fake::default(), Patience::default(), |served| {
        let cookie = served.enter();
        let mut told = stream(served, &cookie);
        let head = until(&mut told, "data: 0\n\n");
        assert!(head.contains("text/event-stream") && head.contains("no-store"), "{head}");
        for number in 1..=3 {
            served.site.moves.fetch_add(1, Ordering::SeqCst);
            until(&mut told, &format!("data: {number}\n\n"));
        }
        assert_eq!(served.site.pages.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn the_site_knows_whether_a_page_waits_for_changes() {
    serving(&Fake::default(), Patience::default(), |served| {
        let cookie = served.enter();
        let becomes = |wanted: bool| {
            let found = || served.site.watched.load(Ordering::SeqCst) == wanted;
            (0..2_000).any(|_| {
                found() || {
                    std::thread::park_timeout(Duration::from_millis(5));
                    false
                }
            })
        };
        served.ask("GET", "/", &[("Host", &served.host()), ("Cookie", &cookie)], "");
        assert!(becomes(false), "a page that was only read waits for nothing");
        let mut told = stream(served, &cookie);
        until(&mut told, "data: 0");
        assert!(becomes(true));
        drop(told);
        assert!(becomes(false), "whoever is gone is noticed, although there is nothing to say");
    });
}

#[test]
fn only_so_many_pages_are_told_at_once_and_who_leaves_makes_room() {
    serving(&Fake::default(), Patience::default(), |served| {
        let cookie = served.enter();
        let mut open: Vec<TcpStream> = (0..super::super::routes::STREAMS_MAX)
            .map(|_| {
                let mut one = stream(served, &cookie);
                until(&mut one, "data: 0");
                one
            })
            .collect();
        until(&mut stream(served, &cookie), "503");
        open.pop();
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(10) {
            let mut one = stream(served, &cookie);
            if until(&mut one, "\r\n\r\n").starts_with("HTTP/1.1 200") {
                return;
            }
        }
        panic!("nobody made room");
    });
}

#[test]
fn a_form_that_comes_in_drops_is_not_waited_for_for_ever() {
    serving(&Fake::default(), Patience::default(), |served| {
        let cookie = served.enter();
        let mut slow = served.connect();
        let (name, sort) = FORM;
        write!(
            slow,
            "POST /feature/001/decide HTTP/1.1\r\nHost: {}\r\nCookie: {cookie}\r\nOrigin: {}\r\n{name}: {sort}\r\nContent-Length: 100\r\n\r\nform=",
            served.host(),
            served.origin()
        )
        .unwrap();
        let said = until(&mut slow, "\r\n\r\n");
        assert!(said.starts_with("HTTP/1.1 408"), "{said}");
        assert!(served.site.writes.lock().unwrap().is_empty());
    });
}
