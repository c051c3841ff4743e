//! Reads what Claude Code prints, one JSON object a line, and keeps what counts.
//!
//! Unknown lines are skipped and broken ones counted: a newer program may say more. Start at [`Heard`].

use super::printed::{list, plus, tokens, written};
use super::requests::Requests;
use crate::billing;
use redraft_adapters::child::{OutputListener, skipped};
use redraft_facts::choice::Lifetime;
use redraft_facts::text::one_line;
use redraft_facts::usage::{Usage, Usd};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Everything of interest that it has printed so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Whether it said anything in its own form.
    pub(super) began: bool,
    /// Whether the model began an answer, which is when it is billed.
    pub(super) answering: bool,
    pub(super) result: Option<ResultLine>,
    /// Whether it ended more than once, with answers that differ.
    pub(super) contradicts: bool,
    /// When a usage limit that stopped it ends, in milliseconds since 1970.
    pub(super) limit_ends_ms: Option<i64>,
    /// Where its API key is from; `none` where it has none.
    pub(super) key_source: Option<String>,
    /// That it works within a plan, or beyond one where that is billed; none where the service reported no plan.
    pub(super) plan: Option<bool>,
    /// The status of the last request that failed and was repeated.
    pub(super) retried: Option<u16>,
    /// How often in a row it was about to try again although the service did not accept its login or key.
    pub(super) refusals: u32,
    /// Lines that were no JSON or too long.
    pub(super) unreadable: u64,
    /// Servers that did not start, with what became of them.
    failed_servers: Vec<(String, String)>,
    pub(super) requests: Requests,
    /// When the answer to its last request began, as far as it was watched.
    pub(super) asked_ms: Option<i64>,
    /// What it has done since this was last read, in a few words each.
    pub(super) doing: Vec<String>,
    /// Whether it replaced the conversation by a summary, and when.
    pub(super) compacted: Option<Compacted>,
    reads: Vec<Read>,
}

/// When a conversation was replaced by a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compacted {
    /// Before the model answered for the first time: it was never shown what it was meant to have.
    Before,
    /// On the way.
    Later,
}

#[derive(Debug)]
struct Read {
    id: String,
    file: String,
    /// Whether the tool answered, and not with an error.
    opened: bool,
}

/// The last line.
#[derive(Debug, Default)]
pub(super) struct ResultLine {
    pub(super) subtype: String,
    pub(super) is_error: bool,
    pub(super) status: Option<u16>,
    pub(super) terminal_reason: String,
    pub(super) stop_reason: String,
    pub(super) session_id: String,
    pub(super) text: String,
    pub(super) structured: Option<Value>,
    pub(super) errors: Vec<String>,
    pub(super) usage: Option<Usage>,
    /// The written tokens by lifetime.
    pub(super) written: Vec<(Lifetime, u64)>,
    pub(super) cost: Usd,
    /// What it used by model, including requests outside of the conversation; empty where it does not report that.
    pub(super) models: Vec<ModelUse>,
    /// Whether its counts include answers that broke off.
    pub(super) counts_broken: bool,
    pub(super) denials: Vec<String>,
}

/// What was used of one model.
#[derive(Debug, Default)]
pub(super) struct ModelUse {
    pub(super) model: String,
    pub(super) usage: Usage,
    /// The written tokens by lifetime, where that is reported.
    pub(super) written: Vec<(Lifetime, u64)>,
    pub(super) searches: u64,
    pub(super) cost: Usd,
}

impl Heard {
    /// Files it opened, relative to the folder where they are inside it, each once.
    pub(super) fn opened(&self, folder: &Path) -> Vec<String> {
        let mut files: Vec<String> = Vec::new();
        for read in self.reads.iter().filter(|read| read.opened) {
            let path = Path::new(&read.file);
            let name = path.strip_prefix(folder).unwrap_or(path).display().to_string();
            if !files.contains(&name) {
                files.push(name);
            }
        }
        files
    }

    /// What a person should know about how it went.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |(name, status): &(String, String)| {
            format!("the tools of server {name} were not there: it is {status}")
        };
        self.failed_servers.iter().map(note).chain(skipped(self.unreadable)).collect()
    }

    fn compacts(&mut self) {
        let now = if self.answering { Compacted::Later } else { Compacted::Before };
        self.compacted.get_or_insert(now);
    }

    /// Reported again at the beginning of every turn.
    fn servers(&mut self, servers: &Value) {
        let word = |value: &Value| one_line(value.as_str().unwrap_or_default(), 80);
        let told = servers.as_array().into_iter().flatten();
        let told = told.map(|server| (word(&server["name"]), word(&server["status"])));
        self.failed_servers = told.filter(|(_, status)| status != "connected").collect();
    }

    fn asked_to_read(&mut self, content: &Value) {
        for block in
            list(content).iter().filter(|block| block["type"] == "tool_use" && block["name"] == "Read")
        {
            let (Some(id), Some(file)) = (block["id"].as_str(), block["input"]["file_path"].as_str()) else {
                continue;
            };
            self.reads.push(Read { id: id.to_owned(), file: file.to_owned(), opened: false });
        }
    }

    fn was_answered(&mut self, content: &Value) {
        for block in list(content).iter().filter(|block| block["type"] == "tool_result") {
            let asked = self.reads.iter_mut().find(|read| block["tool_use_id"] == read.id.as_str());
            if let Some(read) = asked {
                read.opened = block["is_error"] != true;
            }
        }
    }
}

impl OutputListener for Heard {
    fn hear(&mut self, line: &Value) {
        self.requests.hear(line);
        match (line["type"].as_str(), line["subtype"].as_str()) {
            (Some("system"), Some("init")) => {
                self.began = true;
                self.servers(&line["mcp_servers"]);
                self.key_source = line["apiKeySource"].as_str().map(str::to_owned);
            }
            (Some("system"), Some("status")) if line["status"] == "compacting" => self.compacts(),
            (Some("system"), Some("compact_boundary" | "microcompact_boundary")) => self.compacts(),
            (Some("system"), Some("api_retry")) => {
                self.retried = line["error_status"].as_u64().and_then(|status| u16::try_from(status).ok());
                self.refusals += u32::from(matches!(self.retried, Some(401 | 403)));
            }
            (Some("stream_event"), _) if line["event"]["type"] == "message_start" => {
                (self.answering, self.refusals) = (true, 0);
            }
            (Some("assistant"), _) => {
                // Errors come in the form of an answer of no model.
                self.answering |= line["message"]["model"] != "<synthetic>";
                self.asked_to_read(&line["message"]["content"]);
                self.doing.extend(list(&line["message"]["content"]).iter().filter_map(doing));
            }
            (Some("user"), _) => self.was_answered(&line["message"]["content"]),
            (Some("rate_limit_event"), _) => {
                let told = &line["rate_limit_info"];
                // What was billed once stays billed, whatever is reported later.
                self.plan = Some(told["isUsingOverage"] != true && self.plan != Some(false));
                if told["status"] == "rejected" {
                    let seconds = told["resetsAt"].as_f64();
                    self.limit_ends_ms = seconds.map(|seconds| (seconds * 1000.0) as i64);
                }
            }
            (Some("result"), _) => {
                let result = ResultLine::parse(line);
                let earlier = self.result.take();
                let said = earlier.as_ref().and_then(|earlier| earlier.structured.as_ref());
                self.contradicts |= said.is_some_and(|said| result.structured.as_ref() != Some(said));
                self.result = Some(match earlier {
                    Some(earlier) => result.after(earlier),
                    None => result,
                });
            }
            _ => {}
        }
    }

    fn miss(&mut self) {
        self.unreadable += 1;
    }
}

impl ResultLine {
    fn parse(line: &Value) -> ResultLine {
        let word = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let usage = &line["usage"];
        // Newer versions add up what all turns of a conversation used, and report separately what this one did.
        let since = line["model_usage_since_last_result"].as_object();
        let by_model = since.or_else(|| line["modelUsage"].as_object());
        let models: Vec<ModelUse> = by_model.into_iter().flatten().map(ModelUse::parse).collect();
        let cost = match since {
            Some(_) => models.iter().fold(Usd(0), |sum, one| sum + one.cost),
            None => dollars(&line["total_cost_usd"]),
        };
        ResultLine {
            subtype: word("subtype"),
            is_error: line["is_error"] == true,
            status: line["api_error_status"].as_u64().and_then(|status| u16::try_from(status).ok()),
            terminal_reason: word("terminal_reason"),
            stop_reason: word("stop_reason"),
            session_id: word("session_id"),
            text: word("result"),
            structured: line.get("structured_output").filter(|value| !value.is_null()).cloned(),
            errors: list(&line["errors"]).iter().map(plain).collect(),
            usage: usage.is_object().then(|| tokens(usage)),
            written: written(&usage["cache_creation"]),
            cost,
            models,
            counts_broken: since.is_some(),
            denials: denials(&line["permission_denials"]),
        }
    }

    /// The last of several such lines, with what the earlier ones were about: each reports the usage of its own turn,
    /// while the use by model is a sum of all turns unless it says that it is not.
    fn after(self, earlier: ResultLine) -> ResultLine {
        let usage = match (self.usage, earlier.usage) {
            (Some(now), Some(before)) => Some(plus(before, now)),
            (now, before) => now.or(before),
        };
        let (cost, models) = match (self.counts_broken, self.models.is_empty()) {
            (true, _) => (earlier.cost + self.cost, earlier.models.into_iter().chain(self.models).collect()),
            (false, true) => (earlier.cost.max(self.cost), earlier.models),
            (false, false) => (earlier.cost.max(self.cost), self.models),
        };
        let written = earlier.written.into_iter().chain(self.written).collect();
        ResultLine { usage, written, cost, models, ..self }
    }

    /// The answer in the form that was asked for; otherwise whatever it said, which is only for the record.
    pub(super) fn answer(&self) -> String {
        self.structured.as_ref().map_or_else(|| self.text.clone(), Value::to_string)
    }

    /// For a line that ended well: whether its answer is not in the form that was asked for. A form is always asked
    /// for, and a model that does not give it is reminded once and then let off.
    pub(super) fn is_formless(&self) -> bool {
        self.structured.is_none()
    }
}

impl ModelUse {
    fn parse((model, told): (&String, &Value)) -> ModelUse {
        let count = |name: &str| billing::count(&told[name]).unwrap_or_default();
        let names = [
            (Lifetime::FiveMinutes, "cacheCreationEphemeral5mInputTokens"),
            (Lifetime::Hour, "cacheCreationEphemeral1hInputTokens"),
        ];
        let written = names.into_iter().map(|(lifetime, name)| (lifetime, count(name)));
        ModelUse {
            model: model.clone(),
            usage: Usage {
                uncached: count("inputTokens"),
                written: count("cacheCreationInputTokens"),
                read: count("cacheReadInputTokens"),
                output: count("outputTokens"),
                cost: Usd(0),
            },
            written: written.filter(|(_, tokens)| *tokens > 0).collect(),
            searches: count("webSearchRequests"),
            cost: dollars(&told["costUSD"]),
        }
    }
}

/// A sum as the program writes it; nothing where it is no number.
fn dollars(told: &Value) -> Usd {
    let told = told.as_f64().filter(|dollars| dollars.is_finite() && *dollars > 0.0);
    Usd(told.map_or(0, |dollars| (dollars * 1e6).ceil() as u64))
}

/// What a tool is used on.
fn object(input: &Value) -> &str {
    let names = ["file_path", "command", "path", "pattern", "url", "query"];
    names.iter().find_map(|name| input[name].as_str()).unwrap_or_default()
}

/// `Read docs/spec.md`, or that it answers; none for what it thinks.
fn doing(block: &Value) -> Option<String> {
    match (block["type"].as_str()?, block["name"].as_str()) {
        ("text", _) => Some("speaks".to_owned()),
        ("tool_use", Some("StructuredOutput")) => Some("answers".to_owned()),
        ("tool_use", Some(tool)) => Some(one_line(&format!("{tool} {}", object(&block["input"])), 200)),
        _ => None,
    }
}

/// `Write docs/spec.md`, each once.
fn denials(denied: &Value) -> Vec<String> {
    let mut names = BTreeSet::new();
    for denial in list(denied) {
        let tool = denial["tool_name"].as_str().unwrap_or("a tool");
        let what = format!("{tool} {}", object(&denial["tool_input"]));
        names.insert(one_line(&what, 200));
    }
    names.into_iter().collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
