//! JSON objects kept in the order and the bytes they arrived in, because a conversation is sent again byte for byte.

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

/// An object as its names and the raw JSON of their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Members(Vec<(String, String)>);

impl Members {
    /// None for anything but one object.
    pub(super) fn parse(json: &str) -> Option<Members> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let members = reader.deserialize_map(InOrder).ok()?;
        reader.end().ok()?;
        Some(Members(members))
    }

    /// The raw JSON of a value.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }

    /// The value, where it is a string.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?).ok()
    }

    /// Replaces a value where it stands, or adds it at the end.
    pub(super) fn set(&mut self, name: &str, json: String) {
        match self.0.iter_mut().find(|(each, _)| each == name) {
            Some((_, value)) => *value = json,
            None => self.0.push((name.to_owned(), json)),
        }
    }

    pub(super) fn with(mut self, name: &str, json: impl Into<String>) -> Members {
        self.set(name, json.into());
        self
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(each, _)| each != name);
    }

    pub(super) fn json(&self) -> String {
        let members: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A list of raw values.
pub(super) fn list<S: AsRef<str>>(values: &[S]) -> String {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
    format!("[{}]", values.join(","))
}

/// The raw values of a list; none for anything but a list.
pub(super) fn elements(json: &str) -> Option<Vec<String>> {
    let values: Vec<Box<RawValue>> = serde_json::from_str(json).ok()?;
    Some(values.iter().map(|value| value.get().to_owned()).collect())
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Vec<(String, String)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Box<RawValue>>()? {
            members.push((name, value.get().to_owned()));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_keeps_its_order_its_numbers_and_its_spaces_inside_values() {
        let json = r#"{"z":1.50,"a":{"y": 1, "b":[ ]},"text":"é\u0041"}"#;
        let mut members = Members::parse(json).unwrap();
        assert_eq!(members.json(), json);
        assert_eq!(members.text("text").as_deref(), Some("éA"));
        members.set("z", "2".to_owned());
        members.set("new", "null".to_owned());
        assert_eq!(members.json(), r#"{"z":2,"a":{"y": 1, "b":[ ]},"text":"é\u0041","new":null}"#);
        for other in ["", "[]", "{} {}", "{\"a\":}", "7"] {
            assert_eq!(Members::parse(other), None, "{other}");
        }
    }
}
