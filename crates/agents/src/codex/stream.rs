//! Reads what Codex prints, one JSON object a line, and keeps what counts.
//!
//! Unknown lines are skipped and broken ones counted. An item of type `error` is a remark and not a failed turn, and so
//! is an `error` line while Codex goes on trying. Start at [`Heard`].

use super::remark::{is_refused, is_unconnected};
use super::totals::Totals;
use redraft_adapters::child::{OutputListener, skipped};
use redraft_facts::text::one_line;
use serde_json::Value;

/// Everything of interest that it has printed so far.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) thread: String,
    /// Whether the model said or did anything, which is when it is billed.
    pub(super) at_work: bool,
    /// What it began to do besides speaking; another request follows each of these.
    pub(super) begun: u64,
    /// Those of them that are done.
    pub(super) done: u64,
    /// The last message.
    pub(super) text: String,
    /// The thread's counts; only a completed turn has them.
    pub(super) total: Option<Totals>,
    /// Why the turn failed.
    pub(super) failed: Option<String>,
    /// The last remark about something that did not work.
    pub(super) remark: Option<String>,
    /// Whether a remark was about something other than a connection that was not made.
    pub(super) connected: bool,
    /// Whether an answer may have broken off: a request failed on the way and was not simply refused.
    pub(super) cut: bool,
    /// How often that was.
    pub(super) cuts: u64,
    /// How often in a row it reported that it has no connection.
    pub(super) unconnected: u32,
    /// Web searches, as far as it reported that it began or ended one.
    pub(super) searches: u64,
    searching: u64,
    searched: u64,
    /// Calls of a server's tools that failed.
    failed_calls: Vec<String>,
    /// When it went on to its last request, as far as it was watched.
    pub(super) asked_ms: Option<i64>,
    /// What it has begun since this was last read, in a few words each.
    pub(super) doing: Vec<String>,
    /// Lines that were no JSON or too long.
    pub(super) unreadable: u64,
}

impl OutputListener for Heard {
    fn miss(&mut self) {
        self.unreadable += 1;
    }

    fn hear(&mut self, line: &Value) {
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        // An item of type `error` is a remark of the program.
        self.at_work |= line["item"].is_object() && line["item"]["type"] != "error";
        let speaks =
            ["agent_message", "reasoning", "error"].map(|kind| line["item"]["type"] == kind).contains(&true);
        self.done += u64::from(line["type"] == "item.completed" && !speaks);
        if self.at_work {
            self.unconnected = 0;
        }
        match line["type"].as_str() {
            Some("thread.started") => self.thread = word(&line["thread_id"]),
            Some("item.started") => {
                self.begun += 1;
                self.doing.push(doing(&line["item"]));
                self.searching += u64::from(line["item"]["type"] == "web_search");
                self.searches = self.searches.max(self.searching);
            }
            Some("item.completed") if line["item"]["type"] == "agent_message" => {
                self.text = word(&line["item"]["text"]);
            }
            Some("item.completed") if line["item"]["type"] == "mcp_tool_call" => self.called(&line["item"]),
            Some("item.completed") if line["item"]["type"] == "web_search" => {
                self.searched += 1;
                self.searches = self.searches.max(self.searched);
            }
            Some("turn.completed") => {
                self.total = Some(self.total.unwrap_or_default().max(Totals::parse(&line["usage"])));
            }
            Some("turn.failed") => self.failed = Some(word(&line["error"]["message"])),
            Some("error") => {
                let message = word(&line["message"]);
                let unconnected = is_unconnected(&message);
                self.connected |= !unconnected;
                // The last remark is said again as the reason why the turn failed.
                let cut = !unconnected && !is_refused(&message);
                self.cuts += u64::from(cut && is_repeated(&message));
                self.cut |= cut;
                self.unconnected = if unconnected { self.unconnected + 1 } else { 0 };
                self.remark = Some(message);
            }
            _ => {}
        }
    }
}

impl Heard {
    /// What a person should know about how it went.
    pub(super) fn notes(&self) -> Vec<String> {
        self.failed_calls.iter().cloned().chain(skipped(self.unreadable)).collect()
    }

    /// One request, if everything was heard and it did nothing but speak: every other request follows something that it
    /// did. None where it did something, because several things can be done after one answer.
    pub(super) fn requests(&self) -> Option<u32> {
        (self.begun == 0 && self.done == 0 && self.unreadable == 0).then_some(1)
    }

    fn called(&mut self, item: &Value) {
        if item["status"] != "failed" {
            return;
        }
        let word = |value: &Value| one_line(value.as_str().unwrap_or_default(), 120);
        let (server, tool, why) =
            (word(&item["server"]), word(&item["tool"]), word(&item["error"]["message"]));
        self.failed_calls.push(format!("{tool} of server {server} failed: {why}"));
    }
}

/// Whether it goes on trying: `Reconnecting... 1/5 (…)`.
fn is_repeated(message: &str) -> bool {
    message.starts_with("Reconnecting")
}

/// `runs /bin/bash -lc 'cat note.txt'`, or the kind of thing it does.
fn doing(item: &Value) -> String {
    let word = |name: &str| item[name].as_str();
    let what = match (word("type"), word("command"), word("tool")) {
        (_, Some(command), _) => format!("runs {command}"),
        (_, None, Some(tool)) => format!("calls {tool}"),
        (kind, None, None) => kind.unwrap_or_default().replace('_', " "),
    };
    one_line(&what, 200)
}
