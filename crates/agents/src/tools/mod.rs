//! The small tool set of agents that have none of their own: looking at files, changing the few a role may change, and
//! running commands a person has accepted.
//!
//! Every path goes through [`place`], which never leaves the working folder and never enters `.git`. Whatever is
//! refused is answered with a text that names the path, because the model is its reader. Nothing here knows a vendor's
//! protocol. Start at [`Toolbox::call`].

mod change;
mod files;
mod look;
mod place;
mod run;
mod search;
#[cfg(test)]
mod tests;
mod until;

use place::Folder;
use redraft_engine::ports::{ALL_FILES, CHECK_TOOL, CheckWish, Moment, RunHandle, covers};
use redraft_facts::ticket::Ticket;
pub use run::Commands;
use serde_json::Value;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use until::Until;

/// The tools of one dispatch.
#[derive(Debug)]
pub(crate) struct Toolbox {
    folder: Folder,
    may_write: Vec<String>,
    offered: Vec<Tool>,
    commands: Option<Commands>,
    /// When the dispatch must be over, by the clock of its watch.
    until: Option<Moment>,
    /// The number of the worktree of its own that it works in, beside others.
    slot: Option<u16>,
}

/// What a model is told about a tool. The bytes are constant, except for the commands of one that runs them: they stand
/// at the beginning of every cached prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// A JSON Schema of the input.
    pub(crate) schema: Cow<'static, str>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// The file that was read, relative to the folder.
    pub(crate) opened: Option<String>,
    /// Whether a rule refused the call, rather than the call being mistaken.
    pub(crate) denied: bool,
}

/// Why a tool did nothing; the text goes to the model.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Refusal {
    /// The role may not do this.
    Denied(String),
    /// It could not be done.
    Failed(String),
}

const RUN: &str = "Run";
const LIST: &str = "List";
const GLOB: &str = "Glob";

/// In sending order.
pub(crate) static TOOLS: [Tool; 8] = [
    Tool {
        name: "Read",
        description: "Reads a text file and returns its lines with their numbers. Give offset (first line, from 1) \
                      and limit (number of lines) for a part of a large file.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"path":{"type":"string","description":"relative to the working folder"},"offset":{"type":"integer","minimum":1},"limit":{"type":"integer","minimum":1}},"required":["path"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: LIST,
        description: "Lists the entries of a folder; folders end in a slash. Without a path it lists the working \
                      folder.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"path":{"type":"string","description":"relative to the working folder"}},"required":[],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: GLOB,
        description: "Finds files by pattern: * matches within a name, ? one character, ** any number of folders. \
                      Files that git ignores are left out. Example: docs/**/*.md",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"pattern":{"type":"string","description":"relative to the working folder"}},"required":["pattern"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: "Grep",
        description: "Finds the lines that contain a text. The text is taken literally, not as a regular expression. \
                      Give glob to search certain files only and ignore_case for any case. Files that git ignores are \
                      left out.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"text":{"type":"string"},"glob":{"type":"string","description":"which files, e.g. src/**/*.rs"},"ignore_case":{"type":"boolean"}},"required":["text"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: "Write",
        description: "Writes a whole file. Only files that your task lets you change can be written.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"path":{"type":"string","description":"relative to the working folder"},"content":{"type":"string"}},"required":["path","content"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: "Edit",
        description: "Replaces one passage of a file. old_text must occur exactly once, so give enough of its \
                      surroundings. Only files that your task lets you change can be changed.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"path":{"type":"string","description":"relative to the working folder"},"old_text":{"type":"string"},"new_text":{"type":"string"}},"required":["path","old_text","new_text"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: RUN,
        description: "Runs one of the project's own commands in the working folder, and returns how it ended and the end \
                      of what it printed. No other command can be run.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"command":{"type":"string","description":"exactly as you were told it"}},"required":["command"],"additionalProperties":false}"#,
        ),
    },
    Tool {
        name: CHECK_TOOL,
        description: "Runs one of the project's checks once more, on a copy of what you review, and returns how it ended \
                      and the end of what it printed. Nothing else can be run.",
        schema: Cow::Borrowed(
            r#"{"type":"object","properties":{"name":{"type":"string","description":"of the check, as you were told it"},"test":{"type":"string","description":"the name of one test, where only that is to be run"}},"required":["name"],"additionalProperties":false}"#,
        ),
    },
];

/// The tools of [`TOOLS`] that are among the names, in constant order. Names of other agents' tools are left out.
/// Profiles know no tool that lists a folder, because programs do that by `Glob`; ours finds files only, so a role that
/// may use it may list folders, too.
pub(crate) fn offered(names: &[String], commands: Option<&Commands>) -> Vec<Tool> {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let told = |tool: &Tool| match commands.filter(|_| tool.name == RUN) {
        Some(commands) => Tool { schema: Cow::Owned(commands.schema()), ..tool.clone() },
        None => tool.clone(),
    };
    TOOLS.iter().filter(|tool| has(tool.name) || (tool.name == LIST && has(GLOB))).map(told).collect()
}

/// Those of the names that are no tool of ours; without accepted commands there is nothing to run.
pub(crate) fn missing(names: &[String], commands: Option<&Commands>) -> Vec<String> {
    let can_run = commands.is_some_and(|commands| !commands.accepted.is_empty());
    let ours = |name: &&String| {
        TOOLS.iter().any(|tool| tool.name == name.as_str()) && (can_run || name.as_str() != RUN)
    };
    names.iter().filter(|name| !ours(name)).cloned().collect()
}

impl Toolbox {
    /// Tools that work inside `folder` and change only the files of `may_write`, both as the engine gives them.
    pub(crate) fn new(
        folder: &std::path::Path,
        may_write: &[String],
        names: &[String],
    ) -> Result<Toolbox, String> {
        let folder = Folder::new(folder)?;
        let (may_write, offered) = (may_write.to_vec(), offered(names, None));
        Ok(Toolbox { folder, may_write, offered, commands: None, until: None, slot: None })
    }

    /// The same with commands to run.
    pub(crate) fn with_commands(self, commands: Option<Commands>) -> Toolbox {
        Toolbox { commands, ..self }
    }

    /// The same for work beside others.
    pub(crate) fn in_slot(self, slot: Option<u16>) -> Toolbox {
        Toolbox { slot, ..self }
    }

    /// The same for a dispatch that must be over at this time.
    pub(crate) fn with_deadline(self, until: Moment) -> Toolbox {
        Toolbox { until: Some(until), ..self }
    }

    /// Does what a model asked for. Mistakes and refusals are results, too.
    pub(crate) fn call(
        &self,
        name: &str,
        input: &Value,
        ticket: &Ticket,
        watch: &dyn RunHandle,
    ) -> ToolResult {
        match self.perform(name, input, ticket, watch) {
            Ok(result) => result,
            Err(Refusal::Denied(text)) => ToolResult { text, is_error: true, denied: true, opened: None },
            Err(Refusal::Failed(text)) => ToolResult { text, is_error: true, denied: false, opened: None },
        }
    }

    fn perform(
        &self,
        name: &str,
        input: &Value,
        ticket: &Ticket,
        watch: &dyn RunHandle,
    ) -> Result<ToolResult, Refusal> {
        if !self.offered.iter().any(|tool| tool.name == name) {
            let known: Vec<&str> = self.offered.iter().map(|tool| tool.name).collect();
            return Err(Refusal::Denied(format!(
                "there is no tool `{name}` here; use one of {}",
                known.join(", ")
            )));
        }
        match name {
            "Read" => {
                let path = self.folder.relative(required(input, "path")?)?;
                let text = look::read(&self.folder, &path, number(input, "offset"), number(input, "limit"))?;
                Ok(ToolResult { text, opened: Some(path), ..ToolResult::default() })
            }
            LIST => said(look::list(&self.folder, &self.folder.relative(optional(input, "path", "."))?)?),
            GLOB => {
                let until = Until::new(watch, self.until);
                said(search::glob(&self.folder, required(input, "pattern")?, until)?)
            }
            "Grep" => {
                let any_case = input["ignore_case"].as_bool().unwrap_or(false);
                said(search::grep(
                    &self.folder,
                    required(input, "text")?,
                    optional(input, "glob", "**"),
                    any_case,
                    Until::new(watch, self.until),
                )?)
            }
            "Write" => {
                let path = self.writable(input)?;
                said(change::write(&path, required(input, "content")?)?)
            }
            RUN => match &self.commands {
                Some(commands) => {
                    let place = (self.folder.root(), self.slot);
                    commands.run(required(input, "command")?, place, ticket, watch)
                }
                None => Err(Refusal::Denied("you may run no command".to_owned())),
            },
            CHECK_TOOL => {
                let (name, test) =
                    (required(input, "name")?.to_owned(), optional(input, "test", "").to_owned());
                // We wait for it here, so there is nobody who could go.
                let told = watch.check(&CheckWish { name, test }, &AtomicBool::new(false));
                said(told.map_err(Refusal::Failed)?)
            }
            _ => {
                let path = self.writable(input)?;
                said(change::edit(&path, required(input, "old_text")?, required(input, "new_text")?)?)
            }
        }
    }

    /// The place of a file this role may change.
    fn writable(&self, input: &Value) -> Result<Writable, Refusal> {
        let path = self.folder.relative(required(input, "path")?)?;
        if !covers(&self.may_write, path.as_bytes()) {
            let may = may(&self.may_write);
            return Err(Refusal::Denied(format!(
                "`{path}` may not be changed in this task; you may change {may}"
            )));
        }
        let place = self.folder.for_writing(&path)?;
        Ok(Writable { path, place })
    }
}

/// What a list of paths stands for, in words.
fn may(paths: &[String]) -> String {
    let (out, held): (Vec<&str>, Vec<&str>) =
        paths.iter().map(String::as_str).partition(|path| path.starts_with('!'));
    let held = match held.as_slice() {
        [] => return "no file".to_owned(),
        held if held.contains(&ALL_FILES) => "every file".to_owned(),
        held => held.join(", "),
    };
    let out: Vec<&str> = out.iter().map(|path| &path[1..]).collect();
    if out.is_empty() { held } else { format!("{held} but {}", out.join(", ")) }
}

/// A file whose path was checked for writing.
struct Writable {
    path: String,
    place: PathBuf,
}

fn said(text: String) -> Result<ToolResult, Refusal> {
    Ok(ToolResult { text, ..ToolResult::default() })
}

fn required<'a>(input: &'a Value, field: &str) -> Result<&'a str, Refusal> {
    input[field].as_str().ok_or_else(|| Refusal::Failed(format!("the input needs `{field}` as a text")))
}

fn optional<'a>(input: &'a Value, field: &str, otherwise: &'a str) -> &'a str {
    input[field].as_str().filter(|text| !text.is_empty()).unwrap_or(otherwise)
}

fn number(input: &Value, field: &str) -> Option<u64> {
    input[field].as_u64()
}
