//! Checks whether anything listens where a service is said to be, without sending anything there.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Opens a connection to the host of an http or https address and closes it again. The error says what was tried.
pub fn reach(base_url: &str, within: Duration) -> Result<(), String> {
    let (host, port) =
        place(base_url).ok_or_else(|| format!("`{}` is not an http or https address", shown(base_url)))?;
    let named = |error: std::io::Error| format!("{host}:{port}: {error}");
    let mut last = format!("{host}:{port}: the name has no address");
    for address in (host.as_str(), port).to_socket_addrs().map_err(named)? {
        match TcpStream::connect_timeout(&address, within) {
            Ok(_) => return Ok(()),
            Err(error) => last = named(error),
        }
    }
    Err(last)
}

/// An address as it may be shown: without user and password.
pub fn shown(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let scheme = &address[..address.len() - rest.len()];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match (authority.rsplit_once('@'), rest.rsplit_once('@')) {
        (Some((_, host)), _) => format!("{scheme}…@{host}{path}"),
        // A slash in a password ends what looks like the host, which then is none.
        (None, Some((_, host))) if place(address).is_none() => format!("{scheme}…@{host}"),
        (None, _) => address.to_owned(),
    }
}

/// Host and port of an address.
pub(super) fn place(base_url: &str) -> Option<(String, u16)> {
    let (rest, usual) = match (base_url.strip_prefix("https://"), base_url.strip_prefix("http://")) {
        (Some(rest), _) => (rest, 443),
        (None, Some(rest)) => (rest, 80),
        (None, None) => return None,
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, usual),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn host_and_port_are_found_in_every_kind_of_address() {
        for (url, host, port) in [
            ("http://127.0.0.1:8080/v1", "127.0.0.1", 8080),
            ("https://api.example.com", "api.example.com", 443),
            ("http://[::1]:9/x", "::1", 9),
            ("http://[::1]", "::1", 80),
            ("https://user:word@host:1/x", "host", 1),
        ] {
            assert_eq!(place(url), Some((host.to_owned(), port)), "{url}");
        }
        for url in ["ftp://x", "http://", "http://host:port", ""] {
            assert_eq!(place(url), None, "{url}");
        }
    }

    #[test]
    fn an_address_is_shown_without_who_may_use_it() {
        for (address, words) in [
            ("http://host:1/x", "http://host:1/x"),
            ("none", "none"),
            ("http://me:word@host:1/x?q", "http://…@host:1/x?q"),
            ("https://me@host", "https://…@host"),
            ("socks5://me:wo@rd@host", "socks5://…@host"),
            ("me:word@host:3128", "…@host:3128"),
            ("http://me:wo/rd@host", "http://…@host"),
            ("http://me:w:/#?o@host/x", "http://…@host/x"),
            // The host is where requests are sent, and is always shown.
            ("https://elsewhere.test/x@host", "https://elsewhere.test/x@host"),
        ] {
            assert_eq!(shown(address), words);
        }
        assert!(!reach("ftp://me:word@host", Duration::from_secs(1)).unwrap_err().contains("word"));
    }

    #[test]
    fn a_listener_is_reached_and_a_closed_port_is_named() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        assert_eq!(reach(&url, Duration::from_secs(5)), Ok(()));
        drop(listener);
        let error = reach(&url, Duration::from_secs(5)).unwrap_err();
        assert!(error.starts_with("127.0.0.1:"), "{error}");
    }
}
