//! What can be reached where connections are relayed, and where they cannot be.

use super::table::{Attempt, TABLE};
use super::{BUBBLEWRAP, PRELUDE, World, expected};
use redraft_sandbox::{Engine, Network, StartedCommand};
use std::fs;
use std::io::Write;
use std::net::TcpListener;

/// Attempts that a way to some hosts could have made possible.
const NEAR_A_RELAY: [&str; 8] =
    ["connect", "datagram", "ping", "packets", "look up", "mount", "namespace", "/etc"];

#[test]
fn a_relay_leads_to_the_named_hosts_and_to_no_others() {
    for engine in [Engine::Bubblewrap, Engine::LandlockAlone] {
        let world = World::new();
        let service = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = service.local_addr().unwrap().port();
        let words = [format!("localhost:{port}"), "service.redraft.invalid".to_owned()];
        let network = Network::local().widened(words.iter().map(String::as_str)).unwrap();
        let policy = world.policy(&network);
        let level = world.reached(&policy, engine).level;
        if !level.holds() {
            let is_there = engine == Engine::Bubblewrap && std::env::var_os(BUBBLEWRAP).is_some();
            assert!(!is_there, "{}: {level}", engine.name());
            continue;
        }
        assert!(!level.to_string().contains("network"), "{level}");
        let server = std::thread::spawn(move || service.accept().unwrap().0.write_all(b"served").unwrap());
        let text = format!(
            "import sys, subprocess
assert sys.stdin.read() == 'input', 'its input'
c = socket.create_connection(('localhost', {port})); assert c.recv(9) == b'served', 'the service here'
a = socket.getaddrinfo('service.redraft.invalid', 443)[0][4][0]; assert a.startswith('127.77.'), a
c = socket.create_connection((a, 443)); assert c.recv(9) == b'', 'a host that is not there'
try: socket.create_connection((a, 80)); assert False, 'another port'
except ConnectionRefusedError: pass
try: socket.getaddrinfo('other.redraft.invalid', 443); assert False, 'another name'
except socket.gaierror: pass
assert 'CapEff:\\t0000000000000000' in open('/proc/self/status').read() or os.geteuid() == 0, 'rights'"
        );
        let words = ["python3".into(), "-c".into(), format!("{PRELUDE}\n{text}").into()];
        fs::write(world.path("input"), "input").unwrap();
        let input = fs::File::open(world.path("input")).unwrap();
        let started = world.with(engine, |starter| starter.start(&policy, &words, Some(input)).unwrap());
        let StartedCommand { child, bounds, .. } = started;
        let ended = child.wait_with_output().unwrap();
        drop(bounds);
        assert!(ended.status.success(), "{}: {}", engine.name(), String::from_utf8_lossy(&ended.stderr));
        server.join().unwrap();
        let near = |attempt: &&Attempt| NEAR_A_RELAY.iter().any(|word| attempt.name.contains(word));
        for attempt in TABLE.iter().filter(near) {
            let (done, said) = world.try_it(attempt, Some((&policy, engine)));
            assert_eq!(done, expected(attempt, &level), "{}: {}: {said}", engine.name(), attempt.name);
        }
    }
}

#[test]
fn without_a_relay_the_ports_of_hosts_are_open_and_the_level_says_so() {
    let world = World::new();
    let low = world.low.as_ref().unwrap().local_addr().unwrap().port();
    let words = [format!("localhost:{low}")];
    let network = Network::local().widened(words.iter().map(String::as_str)).unwrap();
    let policy = world.policy(&network);
    let attempt = TABLE.iter().find(|attempt| attempt.name == "connect to a forbidden port").unwrap();
    let (done, said) = world.try_it(attempt, Some((&policy, Engine::Landlock)));
    assert!(done, "{said}");
    assert!(world.reached(&policy, Engine::Landlock).to_string().starts_with("partial: network"));
}
