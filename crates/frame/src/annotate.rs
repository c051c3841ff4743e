//! Writes findings in the formats that code hosts read: SARIF 2.1.0 and the annotations of GitHub Actions.
//!
//! Only the formats are here; callers know what is found and how grave it is.

use serde_json::{Value, json};

/// `::error file=…,line=…,title=…::message`, in which some characters must be escaped. Without a file it is attached to
/// no line.
pub fn annotation(level: &str, file: &str, line: u32, title: &str, message: &str) -> String {
    let place = match (file, line) {
        ("", _) => String::new(),
        (file, 0) => format!("file={},", property(file)),
        (file, line) => format!("file={},line={line},", property(file)),
    };
    format!("::{level} {place}title={}::{}", property(title), data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// How a run went that came to its end.
#[derive(Default)]
pub struct Execution {
    /// Why nothing was judged, if nothing was: readers of the list of results alone must not take it for an approval.
    pub failed: Option<String>,
    /// What readers of the log alone must know, a sentence each.
    pub notes: Vec<String>,
    /// More about the run, for programs: an object, or nothing.
    pub properties: Value,
    /// The name of the log among others of the same commit, if there may be others.
    pub log: Option<String>,
}

/// A whole log of one run.
pub fn sarif(rules: &[Value], results: &[Value]) -> Value {
    log(json!({"tool": {"driver": driver(rules)}, "results": results}))
}

/// The same with how the run went: notes become notifications; properties are given for the tool and for the run,
/// because readers look at either.
pub fn sarif_of(rules: &[Value], results: &[Value], execution: &Execution) -> Value {
    let failed = execution.failed.iter().map(|why| ("error", why));
    let notes: Vec<(&str, &String)> =
        failed.chain(execution.notes.iter().map(|note| ("note", note))).collect();
    let mut run = json!({
        "tool": {"driver": driver(rules)},
        "invocations": [invocation(execution.failed.is_none(), &notes)],
        "results": results,
    });
    if execution.properties.is_object() {
        run["tool"]["driver"]["properties"] = execution.properties.clone();
        run["properties"] = execution.properties.clone();
    }
    if let Some(id) = &execution.log {
        run["automationDetails"] = json!({"id": id});
    }
    log(run)
}

/// The log of a run that never started, so that its empty list is not taken for an approval.
pub fn sarif_failed(reason: &str, log: Option<String>) -> Value {
    sarif_of(&[], &[], &Execution { failed: Some(reason.to_owned()), log, ..Execution::default() })
}

fn log(run: Value) -> Value {
    json!({"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]})
}

fn driver(rules: &[Value]) -> Value {
    json!({"name": "redraft", "version": env!("CARGO_PKG_VERSION"), "rules": rules})
}

fn invocation(successful: bool, notes: &[(&str, &String)]) -> Value {
    let notified: Vec<Value> =
        notes.iter().map(|(level, note)| json!({"level": level, "message": {"text": note}})).collect();
    json!({"executionSuccessful": successful, "toolExecutionNotifications": notified})
}

/// Where a result is.
pub fn location(path: &str, line: u32) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": address(path)},
        "region": {"startLine": line.max(1)},
    }})
}

/// A path as part of an address; everything that could mean something else is written as its bytes.
fn address(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    if path.starts_with('/') { format!("file://{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_would_end_a_part_of_an_annotation_is_written_otherwise() {
        assert_eq!(
            annotation("error", "a,b:c.sh", 3, "50%: x, y", "100%\r\nof it::error file=x::y"),
            "::error file=a%2Cb%3Ac.sh,line=3,title=50%25%3A x%2C y::100%25%0D%0Aof it::error file=x::y"
        );
        assert_eq!(annotation("notice", "", 3, "t", "m"), "::notice title=t::m");
        assert_eq!(annotation("warning", "a.sh", 0, "t", "m"), "::warning file=a.sh,title=t::m");
    }

    #[test]
    fn a_review_that_did_not_come_about_is_no_empty_success() {
        let failed = sarif_failed("no agent is there", None);
        // What SARIF 2.1.0 requires of a log, a run, a tool, an invocation and a notification.
        assert_eq!(failed["version"], "2.1.0");
        let run = &failed["runs"][0];
        assert_eq!(run["tool"]["driver"]["name"], "redraft");
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let told = &invocation["toolExecutionNotifications"][0];
        assert_eq!(
            (&told["level"], &told["message"]["text"]),
            (&"error".into(), &"no agent is there".into())
        );
        assert_eq!(run["results"], json!([]));
    }

    #[test]
    fn how_a_run_went_stands_in_its_invocation_and_its_properties() {
        let properties = json!({"rehearsed": true});
        let log = sarif_of(
            &[],
            &[],
            &Execution { notes: vec!["look here".to_owned()], properties, ..Execution::default() },
        );
        let run = &log["runs"][0];
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
        let told = &run["invocations"][0]["toolExecutionNotifications"][0];
        assert_eq!((&told["level"], &told["message"]["text"]), (&"note".into(), &"look here".into()));
        assert_eq!(
            (&run["properties"], &run["tool"]["driver"]["properties"]),
            (&json!({"rehearsed": true}), &json!({"rehearsed": true}))
        );
        let failed = Execution { failed: Some("nobody judged".to_owned()), ..Execution::default() };
        let failed = &sarif_of(&[], &[], &failed)["runs"][0]["invocations"][0];
        assert_eq!(failed["executionSuccessful"], false);
        let told = &failed["toolExecutionNotifications"][0];
        assert_eq!((&told["level"], &told["message"]["text"]), (&"error".into(), &"nobody judged".into()));
        let plain = &sarif_of(&[], &[], &Execution::default())["runs"][0];
        assert!(plain.get("properties").is_none() && plain["tool"]["driver"].get("properties").is_none());
        assert!(plain.get("automationDetails").is_none());
        let named = sarif_failed("nobody judged", Some("redraft/a.md/".to_owned()));
        assert_eq!(named["runs"][0]["automationDetails"]["id"], "redraft/a.md/");
    }

    #[test]
    fn a_path_is_an_address_and_a_line_is_at_least_the_first() {
        let place = location("src/über uns#1.sh", 0);
        let place = &place["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/%C3%BCber%20uns%231.sh");
        assert_eq!(place["region"]["startLine"], 1);
        assert_eq!(address("/tmp/x"), "file:///tmp/x");
    }
}
