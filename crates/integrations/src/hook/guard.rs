//! Decides what an agent's tools must not change, and words the refusal.
//!
//! Two things are protected: the state (the ledger and everything next to it), which cannot be brought back, and the
//! projections next to the artifacts of a feature, which would be overwritten. Reading is never refused, and neither is
//! anything that is not plainly named: a false alarm stops honest work, a miss is caught by the ledger's own checks and
//! by `redraft status --rebuild`. The caller finds out which file a path really means.

use super::feature_view::quote;
use super::shell;
use redraft_facts::prelude::*;
use redraft_reports::projections::{BoardRow, FILES};
use serde_json::{Value, json};

/// What must not be changed by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protected {
    /// Something in the state folder.
    State,
    /// A projection of a feature.
    Projection { feature: String, name: String, file: &'static str },
}

/// The longest path that is repeated in a refusal.
const PATH_BYTES_MAX: usize = 200;

/// The paths that a tool would write to, as its input has them. None for tools that only read, and for those that are not
/// known.
pub fn written(tool: &str, input: &Value) -> Vec<String> {
    let field = |name: &str| input.get(name).and_then(Value::as_str);
    match tool {
        "Edit" | "Write" | "MultiEdit" => field("file_path").map(str::to_owned).into_iter().collect(),
        "NotebookEdit" => field("notebook_path").map(str::to_owned).into_iter().collect(),
        "Bash" => field("command").map(shell::written).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// An input for the same tool that succeeds and touches nothing but `note`, a file that is not there yet. None for tools
/// that are never refused.
pub fn harmless(tool: &str, note: &str, text: &str) -> Option<Value> {
    match tool {
        "Write" => Some(json!({"file_path": note, "content": text})),
        "Edit" => Some(json!({"file_path": note, "old_string": "", "new_string": text})),
        "MultiEdit" => Some(json!({"file_path": note, "edits": [{"old_string": "", "new_string": text}]})),
        "NotebookEdit" => Some(json!({"notebook_path": note, "new_source": text})),
        "Bash" => Some(json!({"command": "true # refused by Redraft", "description": "Do nothing"})),
        _ => None,
    }
}

/// What a file of a checkout is, by its path from the checkout's root. Only features of the ledger have projections:
/// files in other folders belong to other tools.
pub fn projection(path: &[&str], rows: &[BoardRow]) -> Option<Protected> {
    let [folder, file] = of_feature(path)?;
    let row = rows.iter().find(|row| row.name() == folder)?;
    // For a finished feature only its record is kept; the other names are free again.
    let kept = if row.done.iter().any(|phase| phase == "finish") { &FILES[..1] } else { &FILES[..] };
    let file = kept.iter().find(|kept| **kept == file)?;
    Some(Protected::Projection { feature: row.id.clone(), name: folder.to_owned(), file })
}

/// Whether it could be a projection at all, before any ledger is opened: the folder's name and the file's.
pub fn of_feature<'a>(path: &[&'a str]) -> Option<[&'a str; 2]> {
    match path {
        ["docs", "features", folder, file] if FILES.contains(file) => Some([folder, file]),
        _ => None,
    }
}

impl Protected {
    /// The key by which refusals are counted: all of the state is one thing.
    pub fn thing(&self) -> String {
        match self {
            Protected::State => "state".to_owned(),
            Protected::Projection { name, file, .. } => format!("{name}/{file}"),
        }
    }

    /// What the agent is told: what it is, and what to do instead. The same each time.
    pub fn refusal(&self, path: &str) -> String {
        let path = quote(path, PATH_BYTES_MAX);
        match self {
            Protected::State => format!(
                "Redraft: {path} is part of Redraft's own state, which only its commands change. Instead: `redraft status` \
                 (where features stand), `redraft log` (what happened), `redraft decide` (answer a question), `redraft run` \
                 (go on). Do not try it in another way; whoever really wants it does it outside of this session."
            ),
            Protected::Projection { feature, file, .. } => {
                let instead = match *file {
                    ".review-history.md" => {
                        format!("`redraft log {feature} --as review-history` prints it")
                    }
                    "implementation-log.md" => {
                        format!("`redraft log {feature} --as implementation-log` prints it")
                    }
                    _ => format!(
                        "`redraft status {feature}` shows where it stands, `redraft decide {feature}` and `redraft phase` \
                         change that"
                    ),
                };
                format!(
                    "Redraft: {path} is computed from the ledger, and what is written into it by hand is lost. Instead: \
                     {instead}; `redraft status --rebuild` writes the file anew. Do not try it in another way."
                )
            }
        }
    }
}

#[cfg(test)]
mod tests;
