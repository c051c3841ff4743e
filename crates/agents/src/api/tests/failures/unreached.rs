//! Services that are not reached: nothing was sent, so nothing is owed.

use super::*;

#[test]
fn a_server_that_is_not_there_is_tried_four_times() {
    let world = World::answering(vec![overloaded()]);
    // Nothing listens on a port that was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let base_url = format!("http://127.0.0.1:{port}");
    let agent = ApiAgent::anthropic(AnthropicSettings { base_url, ..world.anthropic_settings() }).unwrap();
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    assert!(
        matches!(error.now, AfterFailure::Wait(_))
            && error.detail.contains("no connection: io: Connection refused"),
        "{error}"
    );
    assert_eq!(world.waits().len(), 3);
}

fn elsewhere(world: &World, base_url: &str) -> ApiAgent {
    let base_url = base_url.to_owned();
    ApiAgent::anthropic(AnthropicSettings { base_url, ..world.anthropic_settings() }).unwrap()
}

#[test]
fn a_name_without_an_address_is_called_offline_costs_nothing_and_is_not_waited_for_long() {
    let world = World::answering(vec![overloaded()]);
    for base_url in ["https://nowhere.invalid", "https://nowhere.invalid:8443"] {
        let error = world.run(&elsewhere(&world, base_url), &world.fresh()).unwrap_err();
        assert!(error.detail.contains("offline: no address was found for nowhere.invalid ("), "{error}");
        assert_eq!((error.now, error.usage), (AfterFailure::AskPerson, AgentError::UNBILLED), "{error}");
    }
    let waits = world.waits();
    assert!(
        waits.len() == 4 && waits.iter().sum::<u64>() <= 6_000,
        "twice each, some seconds in all: {waits:?}"
    );
}

/// A server on loopback that does this with each connection.
fn listening(act: impl Fn(std::net::TcpStream) + Send + 'static) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || listener.incoming().flatten().for_each(act));
    address
}

#[test]
fn what_fails_before_a_byte_of_the_request_was_sent_costs_nothing_whatever_it_is() {
    // It speaks no TLS: it closes at once, says something else, or breaks off in the middle.
    let closes = listening(drop);
    let talks = listening(|mut stream| drop(stream.write_all(b"HTTP/1.1 400 what?\r\n\r\n")));
    let breaks = listening(|mut stream| {
        let _ = stream.read(&mut [0; 64]);
        let _ = stream.write_all(&[22, 3, 3]);
    });
    for address in [closes, talks, breaks] {
        let world = World::answering(vec![overloaded()]);
        let agent = elsewhere(&world, &format!("https://{address}"));
        let error = world.run(&agent, &world.fresh()).unwrap_err();
        assert_eq!(error.usage, AgentError::UNBILLED, "{error}");
    }
    // Without TLS the request is written, and what became of it is unknown.
    let world = World::answering(vec![overloaded()]);
    let closes = listening(|mut stream| drop(stream.read(&mut [0; 64])));
    let error = world.run(&elsewhere(&world, &format!("http://{closes}")), &world.fresh()).unwrap_err();
    assert_eq!(error.usage, None, "{error}");
}

#[test]
fn who_stops_before_a_connection_was_made_owes_nothing_and_nothing_is_sent_later() {
    let world = World::answering(vec![overloaded()]);
    let (sender, sent) = std::sync::mpsc::channel();
    let silent = listening(move |mut stream| {
        // A TLS greeting that is never answered, so that no connection comes to be.
        let mut heard = [0; 1];
        let _ = stream.read(&mut heard);
        let _ = sender.send(stream);
    });
    let agent = elsewhere(&world, &format!("https://{silent}"));
    world.watch.stop_after.store(5, Ordering::SeqCst);
    let error = world.run(&agent, &world.fresh()).unwrap_err();
    assert!(error.interrupted, "{error}");
    assert_eq!(error.usage, AgentError::UNBILLED, "nothing was sent");
    // Once a request is out, it is unknown whether it was billed.
    let stalled = World::answering(vec![Reply::Stall]);
    let out = |watch: &Clockwork| watch.looks.load(Ordering::SeqCst);
    stalled.watch.stop_after.store(60, Ordering::SeqCst);
    let error = stalled.error();
    assert!(error.interrupted && out(&stalled.watch) >= 60, "{error}");
    assert_eq!(stalled.provider.requests().len(), 1);
    assert_eq!(error.usage, None);
    drop(sent);
}

/// A proxy on loopback that gives each connection this answer and closes it. None: it says nothing at all.
fn refusing(answer: Option<&'static str>) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = Vec::new();
            while !asked.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read(&mut byte).unwrap_or(0) == 0 {
                    break;
                }
                asked.extend(byte);
            }
            assert!(asked.starts_with(b"CONNECT "), "{}", String::from_utf8_lossy(&asked));
            // The client may be gone already.
            let _ = stream.write_all(answer.unwrap_or_default().as_bytes());
        }
    });
    address
}

#[test]
fn a_proxy_that_makes_no_connection_costs_nothing_and_is_named_with_the_way_out() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let answering = |answer| refusing(Some(answer));
    for (proxy, asks, says) in [
        (answering("HTTP/1.1 403 Forbidden\r\n\r\n"), true, "refuses to connect to the service (status 403)"),
        (answering("HTTP/1.1 407 Who\r\n\r\n"), true, "wants a user name and password (status 407)"),
        (answering("HTTP/1.1 503 Busy\r\n\r\n"), false, "did not connect to the service (status 503)"),
        (refusing(None), false, "did not answer as a proxy"),
        (closed, false, "cannot be reached"),
    ] {
        let world = World::answering(vec![Reply::Json(verdict())]);
        let through = Some(format!("http://me:pass-word@{proxy}"));
        let settings = AnthropicSettings { proxy: through, ..world.anthropic_settings() };
        let agent = ApiAgent::anthropic(settings).unwrap();
        let error = world.run(&agent, &world.fresh()).unwrap_err();
        assert_eq!(error.usage, AgentError::UNBILLED, "{error}");
        assert!(error.detail.contains(&format!("the proxy {proxy} {says}")), "{error}");
        assert!(error.detail.contains("HTTPS_PROXY") && !error.detail.contains("pass-word"), "{error}");
        // A refusal is final; a service that cannot be reached is tried again, and that costs nothing either.
        assert_eq!(error.now == AfterFailure::AskPerson, asks, "{error}");
        assert_eq!(world.waits().is_empty(), asks, "{error}");
        assert!(asks || matches!(error.now, AfterFailure::Wait(_)), "{error}");
        assert!(world.provider.requests().is_empty());
    }
}
