//! Finds the proxy through which a service is reached: the agent's own, or the one the user's environment names.
//!
//! Variables are handed in and read as other programs read them. This machine is never reached through a proxy, because
//! keys may be sent to it in the clear.

use super::reach::place;
use redraft_adapters::child::Environment;
use std::ffi::OsStr;
use std::net::IpAddr;

/// Written instead of an address, for a service that is reached without a proxy whatever the environment says.
const NO_PROXY: &str = "none";

/// The proxy for this base URL; none where it is reached directly. The error says which setting cannot be used, and
/// never what a variable holds, which may be a password.
pub fn proxy(
    base_url: &str,
    setting: Option<&str>,
    environment: &Environment,
) -> Result<Option<String>, String> {
    let Some((host, port)) = place(base_url) else { return Ok(None) };
    if is_here(&host) {
        return Ok(None);
    }
    if let Some(setting) = setting {
        return own(setting);
    }
    if excepted(&variable(environment, &["NO_PROXY", "no_proxy"]).unwrap_or_default(), &host, port) {
        return Ok(None);
    }
    let names: &[&str] = match base_url.starts_with("https://") {
        true => &["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        false => &["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"],
    };
    let Some(found) = variable(environment, names) else { return Ok(None) };
    // Many write only the host and the port.
    let found = if found.contains("://") { found } else { format!("http://{found}") };
    match is_proxy(&found) {
        true => Ok(Some(found)),
        false => Err(format!("the proxy that {} names is not an http or https address", names.join(", "))),
    }
}

fn own(setting: &str) -> Result<Option<String>, String> {
    if setting == NO_PROXY {
        return Ok(None);
    }
    if setting.contains('@') {
        return Err("proxy holds a user name or password; set HTTPS_PROXY instead".to_owned());
    }
    match is_proxy(setting) {
        true => Ok(Some(setting.to_owned())),
        false => Err(format!("proxy `{setting}` is neither an http or https address nor `{NO_PROXY}`")),
    }
}

fn is_proxy(url: &str) -> bool {
    place(url).is_some()
}

/// Whether an address is on this machine, so that nothing that is sent there leaves it.
pub(crate) fn stays_here(url: &str) -> bool {
    place(url).is_some_and(|(host, _)| is_here(&host))
}

pub(super) fn is_here(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The first that is set and not empty.
fn variable(environment: &Environment, names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(|name| environment.0.get(OsStr::new(name))?.to_str());
    values.map(str::trim).find(|value| !value.is_empty()).map(str::to_owned)
}

/// Whether a list such as `localhost, .internal, example.com:8443, *` names the host, or a domain it belongs to.
fn excepted(list: &str, host: &str, port: u16) -> bool {
    let host = host.to_ascii_lowercase();
    let mut entries = list.split([',', ' ']).map(str::trim).filter(|entry| !entry.is_empty());
    entries.any(|entry| {
        let (name, only) = match entry.rsplit_once(':') {
            Some((name, only)) if !name.contains(':') => (name, only.parse::<u16>().ok()),
            _ => (entry, None),
        };
        let name = name.trim_start_matches("*.").trim_start_matches('.').to_ascii_lowercase();
        let below = || host.strip_suffix(&name).is_some_and(|rest| rest.ends_with('.'));
        entry == "*" || ((host == name || below()) && only.is_none_or(|only| only == port))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    const SERVICE: &str = "https://api.example.com/v1";

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let pairs = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Environment(pairs.collect())
    }

    fn found(base_url: &str, setting: Option<&str>, variables: &[(&str, &str)]) -> Option<String> {
        proxy(base_url, setting, &environment(variables)).unwrap()
    }

    #[test]
    fn the_agents_own_proxy_wins_over_the_environment() {
        let set = [("HTTPS_PROXY", "http://env:1"), ("NO_PROXY", "*")];
        assert_eq!(found(SERVICE, Some("http://own:2"), &set), Some("http://own:2".to_owned()));
        assert_eq!(found(SERVICE, Some("none"), &set[..1]), None);
        for wrong in ["socks5://x", "own", "http://"] {
            assert!(proxy(SERVICE, Some(wrong), &environment(&[])).unwrap_err().contains(wrong), "{wrong}");
        }
        let secret = proxy(SERVICE, Some("http://me:word@own:2"), &environment(&[])).unwrap_err();
        assert!(secret.contains("HTTPS_PROXY") && !secret.contains("word@"), "{secret}");
    }

    #[test]
    fn variables_are_read_as_other_programs_read_them() {
        let set = [("HTTPS_PROXY", "http://up:1"), ("http_proxy", "low:2"), ("ALL_PROXY", "http://all:3")];
        assert_eq!(found(SERVICE, None, &set), Some("http://up:1".to_owned()));
        assert_eq!(found("http://api.example.com", None, &set), Some("http://low:2".to_owned()));
        assert_eq!(found(SERVICE, None, &set[2..]), Some("http://all:3".to_owned()));
        assert_eq!(found(SERVICE, None, &[("HTTPS_PROXY", " ")]), None);
        let wrong = proxy(SERVICE, None, &environment(&[("HTTPS_PROXY", "socks5://me:word@x")])).unwrap_err();
        assert!(wrong.contains("HTTPS_PROXY") && !wrong.contains("word"), "{wrong}");
    }

    #[test]
    fn exceptions_name_hosts_domains_and_ports() {
        let through = |list: &str| {
            found(SERVICE, None, &[("HTTPS_PROXY", "http://up:1"), ("no_proxy", list)]).is_some()
        };
        for list in
            ["*", "api.example.com", ".example.com", "example.com", "x, *.example.com:443", "API.Example.com"]
        {
            assert!(!through(list), "{list}");
        }
        for list in ["", "xample.com", "api.example.com:8443", "other", "com.example"] {
            assert!(through(list), "{list}");
        }
    }

    #[test]
    fn this_machine_is_never_reached_through_a_proxy() {
        for url in ["http://127.0.0.1:8080/v1", "http://localhost:1", "http://[::1]:9"] {
            assert_eq!(found(url, Some("http://own:2"), &[("http_proxy", "http://up:1")]), None, "{url}");
        }
    }
}
