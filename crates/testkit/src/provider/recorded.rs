//! A request as the provider remembers it. It interprets nothing; `conversation` does.

use serde_json::Value;

/// One request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// Its place among all requests since the start, from 0; a reset does not start over.
    pub order: usize,
    pub method: String,
    /// Without the query.
    pub path: String,
    /// What follows the question mark, undecoded.
    pub query: Option<String>,
    /// As sent, in order.
    pub headers: Vec<(String, String)>,
    /// The exact bytes, after any transfer encoding was undone.
    pub body: Vec<u8>,
    /// The parsed body; null when it is not JSON.
    pub json: Value,
}

impl RecordedRequest {
    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(each, _)| each.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}
