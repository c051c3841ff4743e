//! Reads names of things outside the ledger from stored events.
//!
//! A ledger may come with an archive, and its author could have written anything there. These names become arguments of
//! git and parts of paths, so they are refused here if they could be anything else: an option, a range, a path that
//! leads elsewhere. A stored event that has such a name cannot be read.

use crate::prelude::*;
use serde::de::{Deserialize, Deserializer, Error};

/// The id of a commit or a tree: letters and digits. Empty where there is none.
pub(crate) fn object_id<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let is_id = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    checked(from, is_id, "the id of a commit or a tree")
}

/// A branch, by its short name or as `refs/heads/…`. Empty where there is none.
pub(crate) fn branch<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let is_branch =
        |text: &str| !text.starts_with('-') && !text.contains("..") && !text.contains(char::is_control);
    checked(from, is_branch, "the name of a branch")
}

/// A UUID as it is usually written, in lower case.
pub(crate) fn uuid<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_uuid = |text: &str| {
        text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => is_hex(byte),
            })
    };
    checked(from, is_uuid, "a UUID")
}

/// A part of a folder's name.
pub(crate) fn part_of_a_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let is_part = |text: &str| !text.contains(['/', '\\']) && !text.contains(char::is_control);
    checked(from, is_part, "part of a folder's name")
}

fn checked<'de, D: Deserializer<'de>>(
    from: D,
    is_one: impl Fn(&str) -> bool,
    expected: &str,
) -> Result<String, D::Error> {
    let text = String::deserialize(from)?;
    if is_one(&text) { Ok(text) } else { Err(D::Error::custom(format!("{text:?} is not {expected}"))) }
}

#[cfg(test)]
mod tests {
    use crate::event::Event;
    use crate::prelude::*;
    use serde_json::{Value, json};

    /// Every event that names something of git's or a folder, with the fields that do.
    fn events() -> Vec<(&'static str, Value, &'static [&'static str])> {
        let created = json!({"id": 1, "uuid": "6a658c6d-be4d-4cd1-a5cc-dd57b152e7c6", "slug": "x", "idea": "i", "lane": "standard", "base_branch": "main",
            "base_commit": "c0ffee", "branch": "feature/001-x", "prd": null,
            "in_place": false, "until": "finish", "lane_reason": "", "project": null, "depends_on": [], "document": null,
            "brainstorm_source": null, "change": null});
        let ticket = "031/specify.1/review/spec-reviewer/2.1";
        let started = json!({"ticket": ticket, "agent": "a", "sees": "aa", "since": "bb",
            "choice": {"strategy": "lazy", "why": "w"}, "prompt": "00", "prompt_chars": 1, "context_chars": 1,
            "session": null, "tree": {"head": "c0", "branch": "refs/heads/x", "index": "aa", "work": "bb"},
            "reserved": 0, "expires_ms": 0, "markers": [],
            "missing": [], "told": [], "pull": false,
            "player": {"kind": "rehearsal", "program": "redraft", "version": "1.0", "model": ""}});
        let edited =
            json!({"revision": "aa", "commit": "c0ffee", "by": "ann", "first": false, "compared": null});
        vec![
            ("feature-created", created, &["/uuid", "/slug", "/base_branch", "/base_commit", "/branch"]),
            (
                "started",
                started,
                &["/sees", "/since", "/tree/head", "/tree/branch", "/tree/index", "/tree/work"],
            ),
            ("edited", edited, &["/revision", "/commit"]),
            ("bank-applied", json!({"commit": "c0ffee", "notes": []}), &["/commit"]),
        ]
    }

    #[test]
    fn an_event_whose_names_could_be_an_option_or_a_path_elsewhere_is_not_read() {
        for (kind, body, fields) in events() {
            assert!(Event::decode(kind, 1, &body.to_string()).is_ok(), "{kind}");
            for field in fields {
                let bad: &[&str] = match *field {
                    "/uuid" => &[
                        "",
                        "u",
                        "6A658C6D-be4d-4cd1-a5cc-dd57b152e7c6",
                        "../658c6d-be4d-4cd1-a5cc-dd57b152e7c6",
                    ],
                    "/slug" => &["../../elsewhere", "x/y", "x\ny"],
                    "/base_branch" | "/branch" | "/tree/branch" => &["--output=x", "a..b", "a\nb"],
                    _ => &["--output=x", "HEAD~1", "a..b", "a:b", "c0ffee\n"],
                };
                for word in bad {
                    let mut body = body.clone();
                    *body.pointer_mut(field).expect("a field of the event") = json!(word);
                    let read = Event::decode(kind, 1, &body.to_string());
                    let told = read.expect_err("it is refused").to_string();
                    assert!(told.contains(" is not "), "{kind} {field}: {told}");
                }
            }
        }
    }
}
