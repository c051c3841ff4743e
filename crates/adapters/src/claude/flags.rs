//! How Claude Code is called.
//!
//! What stands before the first byte of a conversation must not change from turn to turn, or the whole of it is paid for
//! again: no settings of the project, no instructions that name the state of git, no header that differs by task.

use super::ClaudeSettings;
use crate::child::Environment;
use redraft_core::price::Lifetime;
use redraft_core::usage::Usd;
use redraft_engine::ports::Request;
use std::ffi::OsString;
use std::path::Path;

/// Variables of the user that are Claude Code's own business.
pub(super) const OWN: [&str; 10] = [
    "ANTHROPIC_*",
    "CLAUDE_*",
    "AWS_*",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "CLOUD_ML_REGION",
    "API_TIMEOUT_MS",
    "IS_SANDBOX",
    "MAX_STRUCTURED_OUTPUT_RETRIES",
    "MAX_THINKING_TOKENS",
    "DISABLE_PROMPT_CACHING*",
];

/// Set by a Claude Code that started us; a second one must not take itself for a part of the first.
const NOT_OURS: [&str; 3] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"];

/// Retries of its own; waiting longer is up to the run, which can be stopped.
const RETRIES: &str = "2";

/// The flags that are the same for every turn of a conversation and decide what the model is shown.
pub(super) fn fixed(settings: &ClaudeSettings) -> Vec<String> {
    let mut flags: Vec<String> = ["--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands"]
        .map(str::to_owned)
        .into();
    if settings.lifetime > Lifetime::FiveMinutes {
        // Not a flag but a variable; it is as much a part of every request.
        flags.push(format!("{LONG_CACHE}=1"));
    }
    flags.extend(settings.extra_args.iter().cloned());
    flags
}

const LONG_CACHE: &str = "ENABLE_PROMPT_CACHING_1H";

/// The tools in the program's words.
pub(super) fn tools(settings: &ClaudeSettings, request: &Request) -> Vec<String> {
    let translated = |tool: &String| settings.tool_map.get(tool).unwrap_or(tool).clone();
    request.tools.iter().map(translated).collect()
}

/// The whole command line after the program's name. The turn itself is its input.
pub(super) fn all(settings: &ClaudeSettings, request: &Request, system: &Path) -> Vec<OsString> {
    let session = if request.resume { "--resume" } else { "--session-id" };
    let mode = if request.may_write.is_empty() { "default" } else { "acceptEdits" };
    let mut words: Vec<OsString> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(OsString::from).into();
    // Pieces of an answer are signs of life during a long one.
    words.push("--include-partial-messages".into());
    words.extend([session.into(), request.session.as_str().into()]);
    words.extend(["--model".into(), settings.model.as_str().into()]);
    words.extend(["--system-prompt-file".into(), system.into()]);
    words.extend(["--tools".into(), tools(settings, request).join(",").into()]);
    words.extend(["--permission-mode".into(), mode.into()]);
    words.extend(["--json-schema".into(), request.schema.into()]);
    words.extend(["--max-turns".into(), settings.max_turns.to_string().into()]);
    if let Some(Usd(millionths)) = request.max_usd {
        let dollars = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        words.extend(["--max-budget-usd".into(), dollars.into()]);
    }
    let variable = format!("{LONG_CACHE}=1");
    words.extend(fixed(settings).into_iter().filter(|flag| *flag != variable).map(OsString::from));
    words
}

pub(super) fn environment(settings: &ClaudeSettings, request: &Request) -> Environment {
    let mut environment = settings.environment.passed(&OWN, &settings.pass);
    environment.mark(&request.ticket);
    for name in NOT_OURS {
        environment.0.remove(&OsString::from(name));
    }
    for name in [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
        "DISABLE_TELEMETRY",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_AUTOUPDATER",
    ] {
        environment.set(name, "1");
    }
    // With it the first bytes of every request differ by task, so that no two tasks could share a cached beginning.
    environment.set("CLAUDE_CODE_ATTRIBUTION_HEADER", "0");
    environment.default_to("CLAUDE_CODE_MAX_RETRIES", RETRIES);
    if settings.lifetime > Lifetime::FiveMinutes {
        environment.set(LONG_CACHE, "1");
    }
    environment
}
