//! The tools as hosts see them. Every word here is in each of their conversations, so there are few.

use super::CliError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) schema: Value,
    /// Whether it changes nothing.
    pub(crate) reads: bool,
}

pub(crate) const NAMES: [&str; 9] =
    ["status", "next", "check", "submit", "decide", "findings", "context", "cost", "lint"];

/// How a host works with it, told once when it connects. Claude Code (2.1.197) also tells it to the subagents that do
/// the work, for whom it is not meant: hence the first sentence.
pub(crate) const INSTRUCTIONS: &str = "\
If your prompt has a part called Rules for Every Role, do what it says and skip this. Redraft keeps the process; you do the work. Repeat: call `next`. On `work`, start a fresh subagent \
in the foreground (`run_in_background: false`) and tell it: work in `folder` with no more than `tools`, change nothing but \
`writes`, read `prompt_file` to its end and do what it says; where `tools` have Check, it may call `check` with the `ticket`. Do not read that file yourself. Then `submit` the subagent's \
last message unchanged as `text`, with a `conversation` name of its own. If you can send a subagent that has answered another message, pass these names as \
`kept` with every `next` ([] at first); where `work` then has a `conversation`, that one reads `prompt_file`, not a fresh \
one, and you submit under its name. Never \
review in a conversation that wrote the text. On `decide`, ask the person and pass on their words, with `seen` and `revision` as given; never choose for \
them. On `wait`, call again after `retry_after_s`. On `held`, `stopped` or `done`, tell the person what it says and the \
command it names, and stop. If `submit` answers `refused`, do what `why` says.";

pub(crate) fn all() -> Vec<Tool> {
    let feature = json!({ "type": ["string", "integer"], "description": "Number of the feature, e.g. 031. Not needed when only one is active." });
    let of = || form(json!({ "feature": feature }), &[]);
    let text = |description: &str| json!({ "type": "string", "description": description });
    let list = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    vec![
        Tool {
            name: "status",
            description: "Where each feature stands, and the next command for it.",
            schema: of(),
            reads: true,
        },
        Tool {
            name: "next",
            description: "The next piece of work of a feature, after everything that needs no agent has been done (reading \
                          answers, gates, checks, closing phases). `state` is work, decide, wait, held, done or stopped. \
                          Work that was given and not submitted is given again.",
            schema: form(
                json!({
                    "feature": feature,
                    "beside": list("Tickets you are still working on, so that you get another one."),
                    "kept": list("Names of the conversations you can go on with, [] at first. Only if you can: you are then sent what is new to them."),
                }),
                &[],
            ),
            reads: false,
        },
        Tool {
            name: "check",
            description: "For a reviewer of code whose `tools` have Check: runs one of the project's checks once more, on a \
                          copy of what it reviews, and says what that printed.",
            schema: form(
                json!({
                    "ticket": text("As `next` gave it."),
                    "name": text("Name of the check."),
                    "test": text("Name of one test, where only that is to be run."),
                }),
                &["ticket", "name"],
            ),
            reads: true,
        },
        Tool {
            name: "submit",
            description: "Hands in the result of a ticket. Answers accepted, or refused (stale, repeated, unknown, expired, \
                          same_hand, no_result) and why.",
            schema: form(
                json!({
                    "ticket": text("As `next` gave it."),
                    "text": text("The last message of whoever did the work, unchanged; for a reviewer the JSON that its prompt asks for."),
                    "conversation": text("Name of the conversation that did the work, one of its own for each subagent. The same name for writing and reviewing a text is a review by the same hand, which most lanes refuse."),
                }),
                &["ticket", "text", "conversation"],
            ),
            reads: false,
        },
        Tool {
            name: "decide",
            description: "Passes on what a person decided about the open question. Only a person's own words: ask them first.",
            schema: form(
                json!({
                    "feature": feature,
                    "choice": text("One of the options of the question."),
                    "why": text("The person's reason; needed for accept, uphold, overrule and comment."),
                    "revision": text("The `revision` that the person looked at; needed for approve."),
                    "seen": json!({ "type": "integer", "description": "The `seen` of the question that the person was asked." }),
                    "answers": list("For choice answer: one text for each question, in order; \"\" leaves one to its assumption."),
                }),
                &["choice"],
            ),
            reads: false,
        },
        Tool {
            name: "findings",
            description: "The findings of a feature's reviewers, with severity, place and status.",
            schema: of(),
            reads: true,
        },
        Tool {
            name: "context",
            description: "Which sections of spec, design and plan a task is about, by file and lines, and why.",
            schema: form(json!({ "feature": feature, "task": text("Id of the task, e.g. 1.2.") }), &["task"]),
            reads: true,
        },
        Tool {
            name: "cost",
            description: "What a feature cost so far, by phase. What a host did is counted as unknown.",
            schema: of(),
            reads: true,
        },
        Tool {
            name: "lint",
            description: "Mechanical faults in documents: truncated text, duplicate ids, circular dependencies, placeholders and so on.",
            schema: form(
                json!({ "target": text("A feature's number, a file or a folder. Without it every feature.") }),
                &[],
            ),
            reads: true,
        },
    ]
}

pub(crate) fn form(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// What a call was given, or what is wrong with it.
pub(super) fn read<T: DeserializeOwned>(tool: &str, arguments: &Map<String, Value>) -> Result<T, CliError> {
    serde_json::from_value(Value::Object(arguments.clone())).map_err(|error| {
        let names =
            all().into_iter().find(|one| one.name == tool).map(|one| one.schema["properties"].clone());
        let names: Vec<String> = names
            .as_ref()
            .and_then(Value::as_object)
            .map(|all| all.keys().cloned().collect())
            .unwrap_or_default();
        CliError::usage(format!("`{tool}`: {error}")).hint(format!("it takes {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::super::reply::tokens;
    use super::*;

    /// As they stand in a host's request: name, description and schema.
    fn shown() -> String {
        let one = |tool: &Tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema });
        Value::Array(all().iter().map(one).collect()).to_string()
    }

    #[test]
    fn there_are_at_most_nine_tools_in_under_three_thousand_tokens() {
        let names: Vec<&str> = all().iter().map(|tool| tool.name).collect();
        assert_eq!(names, NAMES);
        assert!(names.len() <= 9);
        let all = tokens(&shown()) + tokens(INSTRUCTIONS);
        assert!(all < 3_000, "{all} tokens");
        // Twice what is estimated, as a bound that needs no estimate: no tokenizer has more tokens than bytes.
        assert!(shown().len() + INSTRUCTIONS.len() < 9_000);
    }

    #[test]
    fn what_a_call_lacks_or_has_too_much_is_named() {
        #[derive(serde::Deserialize, Debug)]
        #[serde(deny_unknown_fields)]
        struct Takes {
            #[expect(dead_code, reason = "only read")]
            task: String,
        }
        let lacking = read::<Takes>("context", &Map::new()).unwrap_err();
        assert!(lacking.message.contains("task"), "{}", lacking.message);
        assert_eq!(lacking.hints, ["it takes feature, task"]);
    }
}
