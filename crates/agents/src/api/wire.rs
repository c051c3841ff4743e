//! What the vendors' protocols have in common, as far as a conversation with tools needs it.
//!
//! A [`Wire`] turns prompts and tool results into messages and a conversation into a request; a [`Listener`] turns the
//! events of one answer back into messages. Both only shape values: nothing here sends, waits, counts money or stores.

use crate::http::retry;
use crate::http::sse::Event;
use crate::tools::{Tool, ToolResult};
use redraft_engine::ports::Cache;
use redraft_facts::choice::{Lifetime, Marks};
use redraft_facts::fragment::Prompt;
use serde_json::Value;
use std::ops::AddAssign;

pub(super) trait Wire: Send + Sync {
    /// Everything besides model, tools, schema and system text that a continued conversation depends on.
    fn signature(&self) -> String;

    /// What follows the base URL.
    fn path(&self) -> &'static str;

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    fn tools(&self, tools: &[Tool]) -> String;

    /// The system text and the first message of a conversation, as they are stored and sent each time.
    fn open(&self, prompt: &Prompt) -> Opening;

    /// A later message of ours.
    fn say(&self, text: &str) -> String;

    fn results(&self, results: &[(Call, ToolResult)]) -> Vec<String>;

    /// The whole request.
    fn body(&self, ask: &Ask<'_>) -> String;

    fn listen(&self) -> Box<dyn Listener>;

    fn cache(&self) -> Cache;

    /// The lifetimes a request may ask for, the longest first; none where the vendor decides.
    fn sold(&self) -> &'static [Lifetime];

    /// What becomes of the lifetimes asked for: the longest for which anything is written, and that of the newest
    /// message, if that is kept. None where the vendor decides.
    fn lifetimes(&self, asked: &Marks) -> Option<(Lifetime, Option<Lifetime>)>;
}

/// One answer on its way.
pub(super) trait Listener {
    /// Takes one event; true when the answer is complete.
    fn hear(&mut self, event: &Event) -> Result<bool, Fault>;

    fn counted(&self) -> Counted;

    /// Whether the model has said why it stopped, so that nothing more will be written.
    fn is_whole(&self) -> bool;

    /// Whether anything of an answer arrived, words or not: from then on an error is not free.
    fn has_begun(&self) -> bool;

    /// What the model has written so far, whether or not it is counted yet.
    fn length(&self) -> Length;

    /// What was said. `scrub` hides secrets in texts and in what tools are called with; everything else stays as it was
    /// received.
    fn said(self: Box<Self>, scrub: &dyn Fn(&str) -> String) -> Result<Said, Fault>;
}

/// All values are raw JSON, empty where there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) system: String,
    pub(super) message: String,
}

/// What a tool is called with, without secrets; unchanged where there are none.
pub(super) fn scrubbed_input(input: &str, scrub: &dyn Fn(&str) -> String) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(input) else { return scrub(input) };
    if scrub_strings(&mut value, scrub) { value.to_string() } else { input.to_owned() }
}

/// Whether any string, names included, was changed.
fn scrub_strings(value: &mut Value, scrub: &dyn Fn(&str) -> String) -> bool {
    match value {
        Value::String(text) => {
            let clean = scrub(text);
            let found = clean != *text;
            *text = clean;
            found
        }
        Value::Array(items) => {
            // All of them, not only up to the first that holds something.
            items.iter_mut().map(|item| scrub_strings(item, scrub)).filter(|found| *found).count() > 0
        }
        Value::Object(fields) => {
            let mut found = false;
            let cleaned = std::mem::take(fields).into_iter().map(|(name, mut item)| {
                let clean = scrub(&name);
                found |= scrub_strings(&mut item, scrub) | (clean != name);
                (clean, item)
            });
            *fields = cleaned.collect();
            found
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A request about to be built; all values are raw JSON.
pub(super) struct Ask<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u64,
    pub(super) system: &'a str,
    pub(super) tools: &'a str,
    pub(super) schema: &'a str,
    pub(super) messages: &'a [&'a str],
    /// For the constant fragments, the feature and the role fragments, and all that follows them.
    pub(super) marks: &'a Marks,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// What goes into the conversation, as received.
    pub(super) messages: Vec<String>,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    pub(super) end: End,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// None where the model wrote something that is no JSON.
    pub(super) input: Option<Value>,
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Answered,
    Tools,
    /// It wants to go on once the same conversation is sent again.
    Paused,
    /// The allowed length was reached.
    Truncated,
    Refused,
    /// The conversation no longer fits the model.
    Full,
}

/// What one request used, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) uncached: u64,
    pub(super) read: u64,
    pub(super) written: Vec<(Lifetime, u64)>,
    /// Also written, for as long as the vendor keeps it: its protocol names no lifetime.
    pub(super) kept: u64,
    pub(super) output: u64,
    /// Whether the service reported what went in, and how long the answer became.
    pub(super) input_told: bool,
    pub(super) output_told: bool,
}

/// A bill as OpenAI's protocols report it, each number only if it was reported.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OpenAiCounts {
    pub(super) input: Option<u64>,
    /// Of the input.
    pub(super) read: Option<u64>,
    pub(super) kept: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) reasoning: Option<u64>,
    pub(super) total: Option<u64>,
}

/// The length of a text that was not counted in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) chars: u64,
    /// Those of them that may be a token each.
    wide: u64,
}

/// Why there was no whole answer, in the vendor's words where it had some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Reported {
        kind: String,
        message: String,
    },
    /// The answer broke off.
    Cut,
    /// Nothing this protocol knows.
    Garbage(String),
}

impl Counted {
    /// Takes in the counts that one of OpenAI's protocols reports. Counts of one answer never shrink.
    pub(super) fn take(&mut self, told: OpenAiCounts) {
        let read = told.read.unwrap_or(self.read);
        let sum = |left: Option<u64>, right: Option<u64>| Some(left?.saturating_add(right?));
        if let Some(input) = told.input {
            // Both parts are within the whole, unless the total says otherwise.
            let rest =
                told.total.zip(sum(told.input, told.output)).map(|(all, named)| all.checked_sub(named));
            let is_beside = read > 0 && rest == Some(Some(read));
            let input = if is_beside { input.saturating_add(read) } else { input };
            if input >= self.input() {
                self.put_in(input, read, told.kept.unwrap_or(self.kept));
            }
            self.input_told = true;
        }
        // Some vendors count thoughts apart from the answer and report them only in the total or by themselves.
        let rest = told.total.filter(|_| self.input_told).map(|total| total.saturating_sub(self.input()));
        let beside = sum(told.output, told.reasoning.filter(|tokens| Some(*tokens) > told.output));
        if let Some(output) = told.output.max(rest).max(beside) {
            self.output = self.output.max(output);
            self.output_told = true;
        }
    }

    fn put_in(&mut self, input: u64, read: u64, kept: u64) {
        self.read = read.min(input);
        self.kept = kept.min(input - self.read);
        self.uncached = input - self.read - self.kept;
    }

    /// Whether the service reported what it put in.
    pub(super) fn has_input(&self) -> bool {
        self.input_told && self.input() > 0
    }

    /// Whether this is the whole bill of an answer that has arrived. One of no tokens, or of hardly any compared with
    /// what arrived, says nothing: no text has that many characters to a token.
    pub(super) fn is_whole(&self, arrived: Length) -> bool {
        const CHARS_PER_TOKEN_MAX: u64 = 32;
        let is_plausible = self.output.saturating_mul(CHARS_PER_TOKEN_MAX) >= arrived.chars;
        self.has_input() && self.output_told && is_plausible
    }

    pub(super) fn all_written(&self) -> u64 {
        self.written.iter().fold(self.kept, |sum, (_, tokens)| sum.saturating_add(*tokens))
    }

    pub(super) fn input(&self) -> u64 {
        self.uncached.saturating_add(self.read).saturating_add(self.all_written())
    }
}

impl Length {
    pub(super) fn from_text(text: &str) -> Length {
        let chars = text.chars().count() as u64;
        Length { chars, wide: text.chars().filter(|one| !one.is_ascii()).count() as u64 }
    }

    /// An estimate that must not stop a run too early.
    pub(super) fn tokens(self) -> u64 {
        const CHARS_PER_TOKEN: u64 = 4;
        (self.chars - self.wide).div_ceil(CHARS_PER_TOKEN).saturating_add(self.wide)
    }
}

impl AddAssign for Length {
    fn add_assign(&mut self, more: Length) {
        self.chars = self.chars.saturating_add(more.chars);
        self.wide = self.wide.saturating_add(more.wide);
    }
}

/// All texts inside a value, however deep.
pub(super) fn texts(value: &Value) -> Length {
    let mut sum = Length::default();
    match value {
        Value::String(text) => sum += Length::from_text(text),
        Value::Array(items) => items.iter().for_each(|item| sum += texts(item)),
        Value::Object(fields) => fields.values().for_each(|item| sum += texts(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    sum
}

/// The data of an event.
pub(super) fn parsed(event: &Event) -> Result<Value, Fault> {
    serde_json::from_str(&event.data)
        .map_err(|error| Fault::Garbage(format!("an event is not JSON: {error}")))
}

/// The error object of any of the vendors.
pub(super) fn reported(error: &Value) -> Fault {
    let word = |pointer: &str| error.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    // OpenAI's `code` is the precise word where there is one. Anthropic's is `type`, but it puts a spend limit under
    // `rate_limit_error`, and only the details show it.
    let kind = retry::kind(&[word("/code"), word("/type"), word("/details/error_code")]);
    let message = Some(word("/message")).filter(|message| !message.is_empty());
    let message = message.map_or_else(|| error.to_string(), str::to_owned);
    Fault::Reported { kind: kind.to_owned(), message }
}

/// The texts of fragments as one, separated by an empty line; none where there is nothing to say.
pub(super) fn joined<'a>(
    fragments: impl IntoIterator<Item = &'a redraft_facts::fragment::Fragment>,
) -> Option<String> {
    let texts: Vec<&str> = fragments
        .into_iter()
        .map(|fragment| fragment.text.trim_end())
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
