//! Compares recorded bodies in the very bytes they were sent in: whether a later request continues an earlier one
//! without changing any of them.
//!
//! A service that caches beginnings compares bytes, and so must a test: a value that was parsed and written again hides
//! spaces, the order of fields and how a character was escaped. Start at [`continues`].

use super::RecordedRequest;
use serde_json::{Deserializer, Value};

/// What stands before the conversation.
const HEADS: [&str; 3] = ["system", "instructions", "tools"];
/// Where a protocol keeps the conversation.
const LISTS: [&str; 2] = ["messages", "input"];
/// Where a cache boundary is set. Boundaries move with a conversation and are not part of what is cached.
const MARK: &str = ",\"cache_control\":{";

impl RecordedRequest {
    /// A field of the body as it was sent; none where there is no such field.
    pub fn raw(&self, name: &str) -> Option<&str> {
        let mut rest = std::str::from_utf8(&self.body).ok()?.trim_start().strip_prefix('{')?;
        loop {
            let (key, after) = value(rest)?;
            let (field, after) = value(after.trim_start().strip_prefix(':')?)?;
            if serde_json::from_str::<String>(key).ok()? == name {
                return Some(field);
            }
            rest = after.trim_start().strip_prefix(',')?;
        }
    }

    /// The items of a list of the body as they were sent; empty where there is no such list.
    pub fn raw_items(&self, name: &str) -> Vec<&str> {
        let mut items = Vec::new();
        let mut rest = self.raw(name).and_then(|list| list.strip_prefix('['));
        while let Some((item, after)) = rest.and_then(value) {
            items.push(item);
            rest = after.trim_start().strip_prefix(',');
        }
        items
    }
}

/// Whether everything the earlier request sent is at the beginning of the later one, byte for byte, without cache
/// boundaries. Returns how many items of the conversation that is, or the first difference.
pub fn continues(earlier: &RecordedRequest, later: &RecordedRequest) -> Result<usize, String> {
    for head in HEADS {
        let (before, after) = (earlier.raw(head), later.raw(head));
        same(head, before.unwrap_or_default(), after.unwrap_or_default())?;
    }
    let items = |request: &RecordedRequest| -> Vec<String> {
        LISTS.iter().flat_map(|list| request.raw_items(list)).map(unmarked).collect()
    };
    let (before, after) = (items(earlier), items(later));
    if before.is_empty() || after.len() <= before.len() {
        return Err(format!("{} items are followed by {}", before.len(), after.len()));
    }
    for (place, (before, after)) in before.iter().zip(&after).enumerate() {
        same(&format!("item {place}"), before, after)?;
    }
    Ok(before.len())
}

/// The first value of a text, and what follows it.
fn value(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    values.next()?.ok()?;
    Some(text.split_at(values.byte_offset()))
}

/// Without the boundaries. Inside a string the quotes would be escaped, so nothing else looks like one.
fn unmarked(item: &str) -> String {
    let mut pieces = item.split(MARK);
    let mut bare = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        bare.push_str(piece.split_once('}').map_or(piece, |(_, rest)| rest));
    }
    bare
}

fn same(what: &str, before: &str, after: &str) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    let at = before.bytes().zip(after.bytes()).take_while(|(one, other)| one == other).count();
    let from =
        |text: &str| String::from_utf8_lossy(&text.as_bytes()[at..]).chars().take(120).collect::<String>();
    Err(format!("{what} differs from byte {at} on: `{}`, then `{}`", from(before), from(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> RecordedRequest {
        RecordedRequest {
            order: 0,
            method: "POST".to_owned(),
            path: "/v1/messages".to_owned(),
            query: None,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
            json: serde_json::from_str(body).unwrap_or_default(),
        }
    }

    #[test]
    fn parts_are_found_in_the_bytes_they_were_sent_in() {
        let request = request("{ \"n\":1.0,\"a\" : [ {\"x\": \"\\u0041]\"} ,2,\"three\" ], \"s\":null }");
        assert_eq!(request.raw("n"), Some("1.0"));
        assert_eq!(request.raw("a"), Some("[ {\"x\": \"\\u0041]\"} ,2,\"three\" ]"));
        assert_eq!(request.raw_items("a"), ["{\"x\": \"\\u0041]\"}", "2", "\"three\""]);
        assert_eq!((request.raw("s"), request.raw("none")), (Some("null"), None));
        assert!(request.raw_items("s").is_empty() && request.raw_items("none").is_empty());
        assert_eq!(self::request("no JSON").raw("a"), None);
    }

    #[test]
    fn a_conversation_goes_on_only_if_no_byte_of_it_changed() {
        let marked = r#"{"t":"one","cache_control":{"type":"ephemeral"}}"#;
        let with = |system: &str, items: &str| {
            request(&format!(r#"{{"system":"{system}","messages":[{items}],"stream":true}}"#))
        };
        let first = with("s", marked);
        let goes_on = |items: &str| continues(&first, &with("s", items));
        assert_eq!(goes_on(&format!(r#"{{"t":"one"}},{marked}"#)), Ok(1));
        for changed in [r#"{"t": "one"},2"#, r#"{"t":"\u006fne"},2"#, r#"{"t":"one","z":1},2"#] {
            assert!(goes_on(changed).is_err_and(|why| why.starts_with("item 0 differs")), "{changed}");
        }
        assert!(goes_on(r#"{"t":"one"}"#).is_err(), "nothing was added");
        assert!(
            continues(&first, &with("S", r#"{"t":"one"},2"#)).is_err_and(|why| why.starts_with("system"))
        );
    }
}
