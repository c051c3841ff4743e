//! How Claude Code is called.
//!
//! What comes before the first byte of a conversation must not change from turn to turn, or all of it is paid for
//! again: no settings of the project, no instructions that name the state of git, no header that differs by task.

use super::{Bash, ClaudeSettings};
use crate::mcp;
use crate::programs::{CHECK_SERVER, check_server, wants_checks};
use redraft_adapters::child::Environment;
use redraft_cost::price::PriceBasis;
use redraft_engine::ports::{CHECK_TOOL, Request};
use redraft_facts::choice::Lifetime;
use redraft_facts::text::takes_more;
use redraft_facts::usage::Usd;
use serde_json::{Map, Value, json};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::{fs, io};

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

/// Set by a Claude Code that started us; a second one must not think it is part of the first.
const NOT_OURS: [&str; 3] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID"];

/// Pieces of an answer on its way. They are signs of life and nothing else, and a secret could hide in several of them.
pub(super) const UNKEPT: [&str; 1] = [r#"{"type":"stream_event""#];

/// Retries of its own; waiting longer is up to the run, which can be stopped.
const RETRIES: &str = "2";

/// The flags that are the same for every turn of a conversation and decide what the model is shown.
pub(super) fn fixed(settings: &ClaudeSettings) -> Vec<String> {
    let mut flags: Vec<String> = ["--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands"]
        .map(str::to_owned)
        .into();
    flags.extend(settings.extra_args.iter().cloned());
    flags
}

/// One lifetime holds for all boundaries of a request, and the newest of them is the conversation's. It is no part of
/// what is cached, so it may change from turn to turn.
pub(super) fn lifetime(request: &Request) -> Lifetime {
    let conversation = request.marks.tail.unwrap_or(Lifetime::FiveMinutes);
    if conversation > Lifetime::FiveMinutes { Lifetime::Hour } else { Lifetime::FiveMinutes }
}

/// Everything except model, tools and texts that a conversation depends on.
pub(super) fn fingerprint(settings: &ClaudeSettings, request: &Request) -> Vec<String> {
    let mut flags = fixed(settings);
    let servers = mcp::needed(&settings.mcp, &request.tools);
    flags.extend(servers.iter().map(|needed| format!("{}: {}", needed.name, needed.server.shown())));
    flags
}

/// The file with the servers of a dispatch, for `--mcp-config`. Values of variables are filled in by the program.
const SERVERS: &str = "mcp.json";

fn has_servers(settings: &ClaudeSettings, request: &Request) -> bool {
    wants_checks(request) || !mcp::needed(&settings.mcp, &request.tools).is_empty()
}

/// Writes the servers that the role's tools need, if it needs any.
pub(super) fn keep_servers(settings: &ClaudeSettings, request: &Request, out: &Path) -> io::Result<()> {
    let needed = mcp::needed(&settings.mcp, &request.tools);
    if !has_servers(settings, request) {
        return Ok(());
    }
    let server = |needed: &mcp::Needed<'_>| {
        let names = needed.server.env.iter();
        let env: Map<String, Value> =
            names.map(|name| (name.clone(), json!(format!("${{{name}}}")))).collect();
        let value = json!({"command": needed.server.command, "args": needed.server.args, "env": env});
        (needed.name.to_owned(), value)
    };
    let mut servers: Map<String, Value> = needed.iter().map(server).collect();
    if wants_checks(request) {
        let (command, args) = check_server(&settings.worker, out);
        servers.insert(CHECK_SERVER.to_owned(), json!({"command": command, "args": args, "env": {}}));
    }
    fs::write(out.join(SERVERS), json!({"mcpServers": servers}).to_string())
}

/// The profiles' name for the tool that runs commands, and the program's.
const RUN: &str = "Run";
const BASH: &str = "Bash";

/// Those of the tools that it cannot offer. A shell in which nothing may be run does not count.
pub(super) fn missing(settings: &ClaudeSettings, tools: &[String]) -> Vec<String> {
    let nothing = settings.bash == Bash::Only(Vec::new());
    let is_missing = |tool: &&String| mcp::is_missing(&settings.mcp, tool) || (nothing && *tool == RUN);
    tools.iter().filter(is_missing).cloned().collect()
}

/// The rules that allow, beforehand, the tools and commands it would otherwise ask permission for.
fn allowed(settings: &ClaudeSettings, tools: &[String]) -> Vec<String> {
    let asks = |tool: &&str| matches!(*tool, "WebSearch" | "WebFetch") || mcp::parts(tool).is_some();
    let named: Vec<&str> = tools.iter().map(String::as_str).filter(asks).collect();
    let named = (!named.is_empty()).then(|| named.join(","));
    let commands = match &settings.bash {
        _ if !tools.iter().any(|tool| tool == BASH) => Vec::new(),
        Bash::Only(commands) => commands.iter().map(|command| rule(command)).collect(),
        Bash::All => vec![BASH.to_owned()],
    };
    // A word each, because a command may hold a comma.
    named.into_iter().chain(commands).collect()
}

/// The rule that allows a command: as it is, and one that takes more also with more arguments. In a line of several
/// commands the program checks each, so whatever is appended to an allowed one is not allowed with it. Prompts say the
/// same ([`redraft_facts::text::takes_more`]).
fn rule(command: &str) -> String {
    match takes_more(command) {
        true => format!("{BASH}({command}:*)"),
        false => format!("{BASH}({command})"),
    }
}

/// The tools in the program's words.
pub(super) fn tools(settings: &ClaudeSettings, request: &Request) -> Vec<String> {
    let own = |tool: &String| match tool.as_str() {
        RUN => BASH.to_owned(),
        CHECK_TOOL => format!("mcp__{CHECK_SERVER}__{CHECK_TOOL}"),
        _ => tool.clone(),
    };
    let translated = |tool: &String| settings.tool_map.get(tool).cloned().unwrap_or_else(|| own(tool));
    request.tools.iter().map(translated).collect()
}

/// The whole command line after the program's name. The turn itself is its input.
pub(super) fn all(settings: &ClaudeSettings, request: &Request, system: &Path, out: &Path) -> Vec<OsString> {
    let session = if request.resume { "--resume" } else { "--session-id" };
    let mode = if request.may_write.is_empty() { "default" } else { "acceptEdits" };
    let mut words: Vec<OsString> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(OsString::from).into();
    // Pieces of an answer are signs of life during a long one.
    words.push("--include-partial-messages".into());
    words.extend([session.into(), request.session.as_str().into()]);
    words.extend(["--model".into(), settings.model.as_str().into()]);
    words.extend(["--system-prompt-file".into(), system.into()]);
    let tools = tools(settings, request);
    let own: Vec<&str> = tools.iter().map(String::as_str).filter(|tool| mcp::parts(tool).is_none()).collect();
    words.extend(["--tools".into(), own.join(",").into()]);
    if has_servers(settings, request) {
        words.extend(["--mcp-config".into(), out.join(SERVERS).into()]);
    }
    let allowed = allowed(settings, &tools);
    if !allowed.is_empty() {
        words.push("--allowedTools".into());
        words.extend(allowed.into_iter().map(OsString::from));
    }
    words.extend(["--permission-mode".into(), mode.into()]);
    words.extend(["--json-schema".into(), request.schema.into()]);
    words.extend(["--max-turns".into(), settings.max_turns.to_string().into()]);
    if let Some(Usd(millionths)) = request.max_usd.filter(|_| keeps_to_a_sum(settings)) {
        let dollars = format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000);
        words.extend(["--max-budget-usd".into(), dollars.into()]);
    }
    words.extend(fixed(settings).into_iter().map(OsString::from));
    words
}

/// Whether the program can hold itself to a sum. It calculates with list prices; with other prices it would stop too
/// early, or without reason.
pub(super) fn keeps_to_a_sum(settings: &ClaudeSettings) -> bool {
    !settings.card.is_free() && settings.card.basis != PriceBasis::Configured
}

/// How often it may try again with a login or key that was not accepted. A key from the environment does not change; a
/// login of the program's own may have expired, and then it is renewed before the next request.
pub(super) fn refusals_max(settings: &ClaudeSettings) -> u32 {
    let given = |name: &&str| settings.environment.0.get(OsStr::new(name)).is_some_and(|key| !key.is_empty());
    let has_key = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].iter().any(given);
    u32::from(!has_key)
}

pub(super) fn environment(settings: &ClaudeSettings, request: &Request) -> Environment {
    let named: Vec<String> = settings.pass.iter().chain(mcp::variables(&settings.mcp)).cloned().collect();
    let mut environment = settings.environment.passed(&OWN, &named);
    environment.mark(&request.ticket, request.slot);
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
    // The first request would be sent without the tools of servers that are still starting, the next one with them, and
    // other tools are another beginning.
    environment.set("MCP_CONNECTION_NONBLOCKING", "0");
    environment.set("CLAUDE_CODE_MAX_OUTPUT_TOKENS", &settings.answer_tokens().to_string());
    if request.may_write.is_empty() {
        // A reviewer must have what it judges in front of it. Instead of summarizing that, the program is to say that
        // it has become too long, before anything is sent.
        environment.set("DISABLE_AUTO_COMPACT", "1");
    }
    // Unless told, the program decides by the user's plan.
    let kept = match lifetime(request) {
        Lifetime::FiveMinutes => "FORCE_PROMPT_CACHING_5M",
        Lifetime::HalfHour | Lifetime::Hour | Lifetime::HalfDay => "ENABLE_PROMPT_CACHING_1H",
    };
    environment.set(kept, "1");
    environment
}
