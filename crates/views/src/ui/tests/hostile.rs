use super::{FORM, Fake, Got, Patience, Served, serving};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::Ordering;

fn hostile(test: impl FnOnce(&Served<'_>)) {
    serving(&Fake::default(), Patience::default(), test);
}

/// Everything that is served.
const PATHS: [&str; 9] = [
    "/",
    "/feature/001",
    "/feature/001/documents",
    "/feature/001/prompts/7",
    "/style.css",
    "/live.js",
    "/icon.svg",
    "/changes",
    "/nothing",
];

#[test]
fn who_opens_the_address_reads_and_writes() {
    hostile(|served| {
        let cookie = served.enter();
        let host = served.host();
        for path in ["/", "/feature/001", "/feature/review-002/documents/prd", "/style.css", "/live.js"] {
            let got = served.ask("GET", path, &[("Host", &host), ("Cookie", &cookie)], "");
            assert_eq!(got.status, 200, "{path}: {}", got.all);
        }
        assert_eq!(served.site.pages.load(Ordering::SeqCst), 3);
        let got = served.post(&cookie, &[], &served.body());
        assert_eq!((got.status, got.header("location")), (303, Some("/feature/001")), "{}", got.all);
        let writes = served.site.writes.lock().unwrap();
        let [posted] = writes.as_slice() else { panic!("{writes:?}") };
        assert_eq!(posted.text("choice"), "accept");
        assert_eq!(posted.text("why"), "it is fine\nreally");
    });
}

#[test]
fn another_host_is_refused_before_anything_else() {
    hostile(|served| {
        let port = served.port;
        let cookie = served.enter();
        for host in [
            "evil.example",
            &format!("evil.example:{port}"),
            &format!("127.0.0.1.evil.example:{port}"),
            "127.0.0.1",
            "localhost",
            &format!("127.0.0.1:{}", port.wrapping_add(1)),
            &format!("0.0.0.0:{port}"),
            &format!("127.1:{port}"),
            &format!("2130706433:{port}"),
            &format!("localhost.:{port}"),
            &format!("user@127.0.0.1:{port}"),
        ] {
            for path in PATHS {
                let got = served.ask("GET", path, &[("Host", host), ("Cookie", &cookie)], "");
                assert!(matches!(got.status, 421 | 400), "{host}: {}", got.all);
                served.untouched(&got);
            }
        }
        let got = served.ask("GET", "/", &[("Cookie", &cookie)], "");
        assert!(matches!(got.status, 421 | 400), "{}", got.all);
        let own = served.host();
        let twice = [("Host", own.as_str()), ("Host", "evil.example"), ("Cookie", &cookie)];
        let got = served.ask("GET", "/", &twice, "");
        assert!(matches!(got.status, 421 | 400), "{}", got.all);
        // In the first line of the request, which counts more than the header.
        let absolute = format!("http://evil.example:{port}/");
        let got = served.ask("GET", &absolute, &[("Host", &own), ("Cookie", &cookie)], "");
        assert_eq!(got.status, 421, "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn a_name_that_was_made_to_lead_here_is_refused_although_it_is_its_own_origin() {
    hostile(|served| {
        let cookie = served.enter();
        let host = format!("rebound.example:{}", served.port);
        let origin = format!("http://{host}");
        let own = [("Host", host.as_str()), ("Sec-Fetch-Site", "same-origin"), ("Cookie", &cookie)];
        for path in PATHS {
            let got = served.ask("GET", path, &own, "");
            assert_eq!(got.status, 421, "{}", got.all);
            served.untouched(&got);
        }
        let got = served.post(&cookie, &[("Host", &host), ("Origin", &origin)], &served.body());
        assert_eq!(got.status, 421, "{}", got.all);
        served.untouched(&got);
        let got = served.ask("GET", &format!("/enter/{}", served.word), &[("Host", &host)], "");
        assert_eq!(got.status, 421, "{}", got.all);
    });
}

#[test]
fn a_foreign_origin_writes_nothing() {
    hostile(|served| {
        let cookie = served.enter();
        for origin in [
            "https://evil.example",
            &format!("https://127.0.0.1:{}", served.port),
            &format!("http://127.0.0.1:{}.evil.example", served.port),
            // The same server under its other name is another origin.
            &format!("http://localhost:{}", served.port),
            &format!("http://127.0.0.1:{}/", served.port),
        ] {
            let got = served.post(&cookie, &[("Origin", origin)], &served.body());
            assert_eq!(got.status, 403, "{origin}: {}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn a_null_origin_writes_nothing() {
    hostile(|served| {
        let got = served.post(&served.enter(), &[("Origin", "null")], &served.body());
        assert_eq!(got.status, 403, "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn an_absent_origin_writes_nothing() {
    hostile(|served| {
        let cookie = served.enter();
        for other in [&[("Origin", "")][..], &[("Origin", ""), ("Sec-Fetch-Site", "")]] {
            let got = served.post(&cookie, other, &served.body());
            assert_eq!(got.status, 403, "{}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn two_origins_write_nothing() {
    hostile(|served| {
        let (cookie, own) = (served.enter(), served.origin());
        let two = [("Origin", own.as_str()), ("Origin", "https://evil.example")];
        let got = served.post(&cookie, &two, &served.body());
        assert_eq!(got.status, 403, "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn without_a_cookie_nothing_is_served() {
    hostile(|served| {
        let host = served.host();
        for path in PATHS {
            let got = served.ask("GET", path, &[("Host", &host)], "");
            assert_eq!(got.status, 403, "{path}: {}", got.all);
            served.untouched(&got);
        }
        let got = served.post("", &[], &served.body());
        assert_eq!(got.status, 403, "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn with_a_wrong_cookie_nothing_is_served() {
    hostile(|served| {
        let cookie = served.enter();
        let (name, value) = cookie.split_once('=').unwrap();
        let other = format!("redraft-{}={value}", served.port.wrapping_add(1));
        let mut shorter = cookie.clone();
        shorter.pop();
        for wrong in
            [format!("{name}="), format!("{name}={}", served.word), shorter, other, format!("x{cookie}")]
        {
            for path in PATHS {
                let got = served.ask("GET", path, &[("Host", &served.host()), ("Cookie", &wrong)], "");
                assert_eq!(got.status, 403, "{wrong}: {}", got.all);
                served.untouched(&got);
            }
            let got = served.post(&wrong, &[], &served.body());
            assert_eq!(got.status, 403, "{wrong}: {}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn a_wrong_word_in_the_address_lets_nobody_in() {
    hostile(|served| {
        let host = served.host();
        for word in ["", "x", &served.word[1..], &format!("{}0", served.word), &served.form] {
            let got = served.ask("GET", &format!("/enter/{word}"), &[("Host", &host)], "");
            assert!(matches!(got.status, 403 | 404), "{word}: {}", got.all);
            assert_eq!(got.header("set-cookie"), None);
        }
        // None of these has used up the right one, nor do methods that only look.
        let right = format!("/enter/{}", served.word);
        for method in ["HEAD", "OPTIONS"] {
            assert_eq!(served.ask(method, &right, &[("Host", &host)], "").status, 405);
        }
        assert!(matches!(served.ask("POST", &right, &[("Host", &host)], "").status, 403 | 405));
        served.enter();
    });
}

#[test]
fn the_address_is_good_once() {
    hostile(|served| {
        served.enter();
        let got = served.ask("GET", &format!("/enter/{}", served.word), &[("Host", &served.host())], "");
        assert_eq!((got.status, got.header("set-cookie")), (403, None), "{}", got.all);
        assert!(got.all.contains("was used"), "{}", got.all);
    });
}

#[test]
fn the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    hostile(|served| {
        let host = served.host();
        let got = served.ask("GET", &format!("/enter/{}", served.word), &[("Host", &host)], "");
        let cookie = got.header("set-cookie").unwrap();
        assert!(cookie.starts_with(&format!("redraft-{}=", served.port)), "{cookie}");
        for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert!(!cookie.contains("Domain") && !cookie.contains("Max-Age") && !cookie.contains("Expires"));
    });
}

/// A browser that sent the cookie all the same, and hid where it comes from.
#[test]
fn a_form_of_another_page_writes_nothing() {
    hostile(|served| {
        let cookie = served.enter();
        for site in ["cross-site", "same-site", "none"] {
            let got = served.post(&cookie, &[("Sec-Fetch-Site", site)], &served.body());
            assert_eq!(got.status, 403, "{site}: {}", got.all);
            served.untouched(&got);
        }
        for word in ["choice=accept", "form=&choice=accept", &format!("form={}x", served.form), ""] {
            let got = served.post(&cookie, &[], word);
            assert_eq!(got.status, 403, "{word}: {}", got.all);
            served.untouched(&got);
        }
        for sort in ["text/plain", "application/json", "multipart/form-data; boundary=x"] {
            let got = served.post(&cookie, &[("Content-Type", sort)], &served.body());
            assert_eq!(got.status, 415, "{sort}: {}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn another_page_cannot_even_read() {
    hostile(|served| {
        let cookie = served.enter();
        for site in ["cross-site", "same-site"] {
            for path in PATHS {
                let own = [("Host", &served.host()[..]), ("Cookie", &cookie), ("Sec-Fetch-Site", site)];
                let got = served.ask("GET", path, &own, "");
                assert_eq!(got.status, 403, "{site} {path}: {}", got.all);
                served.untouched(&got);
            }
        }
    });
}

#[test]
fn who_asks_first_whether_it_may_may_not() {
    hostile(|served| {
        let cookie = served.enter();
        for path in PATHS.into_iter().chain(["/feature/001/decide", "*"]) {
            let own = [
                ("Host", &served.host()[..]),
                ("Origin", "https://evil.example"),
                ("Access-Control-Request-Method", "POST"),
                ("Access-Control-Request-Private-Network", "true"),
                ("Cookie", &cookie),
            ];
            let got = served.ask("OPTIONS", path, &own, "");
            assert!(matches!(got.status, 405 | 400), "{path}: {}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn other_methods_do_nothing_and_looking_changes_nothing() {
    hostile(|served| {
        let cookie = served.enter();
        let own = [("Host", &served.host()[..]), ("Cookie", &cookie)];
        for method in ["HEAD", "PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "get"] {
            let got = served.ask(method, "/feature/001/decide", &own, "");
            assert!(matches!(got.status, 405 | 400 | 421), "{method}: {}", got.all);
            served.untouched(&got);
        }
        for path in ["/feature/001/decide?choice=accept&confirmed=accept", "/feature/001/comment"] {
            let got = served.ask("GET", path, &own, "");
            assert_eq!(got.status, 405, "{path}: {}", got.all);
            served.untouched(&got);
        }
    });
}

/// Other programs of this machine serve pages, too, and a browser sends them our cookie.
#[test]
fn a_page_on_another_port_reads_and_writes_nothing() {
    hostile(|served| {
        let cookie = served.enter();
        let other = format!("http://127.0.0.1:{}", served.port.wrapping_add(1));
        let got =
            served.post(&cookie, &[("Origin", &other), ("Sec-Fetch-Site", "same-site")], &served.body());
        assert_eq!(got.status, 403, "{}", got.all);
        served.untouched(&got);
        // A browser that does not say where it comes from still says the Origin of a write.
        let got = served.post(&cookie, &[("Origin", &other), ("Sec-Fetch-Site", "")], &served.body());
        assert_eq!(got.status, 403, "{}", got.all);
        served.untouched(&got);
    });
}

#[test]
fn nothing_listens_but_one_address_of_loopback() {
    hostile(|served| {
        assert!(TcpStream::connect(("::1", served.port)).is_err(), "IPv6");
        assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), served.port)).is_err(), "its neighbour");
        let cookie = served.enter();
        for host in [format!("[::1]:{}", served.port), "[::1]".to_owned()] {
            let got = served.ask("GET", "/", &[("Host", &host), ("Cookie", &cookie)], "");
            assert!(matches!(got.status, 421 | 400), "{}", got.all);
            served.untouched(&got);
        }
    });
}

#[test]
fn no_path_leads_out() {
    hostile(|served| {
        let cookie = served.enter();
        for path in [
            "/../../../etc/passwd",
            "/feature/../../etc/passwd",
            "/feature/..%2f..%2f..%2fetc%2fpasswd",
            "/feature/%2e%2e/documents",
            "/feature/1",
            "/feature/+01",
            "/feature/repo",
            "/feature/agent-x",
            "/feature/001/..%2f..",
            "/feature/001/documents/a/b",
            "/feature/001%00",
            "//feature/001",
            "/style.css/../feature/001",
        ] {
            let got = served.ask("GET", path, &[("Host", &served.host()), ("Cookie", &cookie)], "");
            assert!(matches!(got.status, 404 | 400), "{path}: {}", got.all);
            served.untouched(&got);
        }
    });
}

/// Whatever the answer, a browser is told to load nothing from elsewhere, to show it in no frame, and to keep nothing.
#[test]
fn every_answer_says_what_may_be_done_with_it() {
    fn said(got: &Got) {
        let policy = got.header("content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self'"), "{}", got.all);
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(got.header(name), Some(value), "{}", got.all);
        }
        assert!(!got.all.to_lowercase().contains("access-control-"), "{}", got.all);
    }
    hostile(|served| {
        let host = served.host();
        said(&served.ask("GET", "/", &[("Host", &host)], ""));
        said(&served.ask("GET", "/", &[("Host", "evil.example")], ""));
        said(&served.ask("OPTIONS", "/", &[("Host", &host)], ""));
        said(&served.ask("GET", "/enter/x", &[("Host", &host)], ""));
        let cookie = served.enter();
        for path in PATHS.into_iter().filter(|path| *path != "/changes") {
            said(&served.ask("GET", path, &[("Host", &host), ("Cookie", &cookie)], ""));
        }
        said(&served.post(&cookie, &[], &served.body()));
        said(&served.ask(
            "POST",
            "/",
            &[("Host", &host), ("Cookie", &cookie), ("Origin", &served.origin()), FORM],
            "a=b",
        ));
    });
}
