//! Asks a server which models it has.

use serde::Deserialize;
use std::time::Duration;

/// A server on this machine answers at once.
const WITHIN: Duration = Duration::from_secs(5);
/// More names than any server has fit into it.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct Listed {
    data: Vec<Model>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

/// The models behind an address that speaks OpenAI's protocol. Sends one request, without a key and without a prompt.
pub fn offered(base_url: &str) -> Result<Vec<String>, String> {
    let config =
        ureq::Agent::config_builder().timeout_global(Some(WITHIN)).max_redirects(0).proxy(None).build();
    let url = format!("{}/models", base_url.trim_end_matches('/'));
    let mut response = config.new_agent().get(&url).call().map_err(|error| error.to_string())?;
    let body = response.body_mut().with_config().limit(BYTES_MAX).read_to_string();
    let body = body.map_err(|error| error.to_string())?;
    let Listed { data } =
        serde_json::from_str(&body).map_err(|error| format!("its list cannot be read: {error}"))?;
    Ok(data.into_iter().map(|model| model.id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// Answers one request with this.
    fn served(body: &'static str) -> (String, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let read = stream.read(&mut bytes).unwrap();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            String::from_utf8_lossy(&bytes[..read]).into_owned()
        });
        (url, server)
    }

    #[test]
    fn a_server_is_asked_for_its_models_without_a_key() {
        let (url, server) =
            served(r#"{"object":"list","data":[{"id":"tiny","object":"model"},{"id":"large"}]}"#);
        assert_eq!(offered(&url), Ok(vec!["tiny".to_owned(), "large".to_owned()]));
        let asked = server.join().unwrap();
        assert!(asked.starts_with("GET /v1/models HTTP/1.1"), "{asked}");
        assert!(!asked.to_lowercase().contains("authorization"), "{asked}");
    }

    #[test]
    fn an_answer_that_is_no_list_is_told() {
        let (url, server) = served("hello");
        assert!(offered(&url).unwrap_err().starts_with("its list cannot be read"));
        server.join().unwrap();
    }
}
