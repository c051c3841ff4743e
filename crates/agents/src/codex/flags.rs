//! How Codex is called.
//!
//! It has no list of tools: files are read, searched and written by commands in its sandbox. Web search is a setting,
//! and so are servers with more tools; both are given again in every turn.

use super::{CodexSettings, SCHEMA_FILE, skills};
use crate::mcp::{self, McpServer, Needed};
use crate::programs::{CHECK_SERVER, check_server, wants_checks};
use redraft_adapters::child::Environment;
use redraft_engine::ports::{CHECK_TOOL, Request};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Variables of the user that are Codex's own business.
pub(super) const OWN: [&str; 4] = ["OPENAI_*", "CODEX_*", "RUST_LOG", "AZURE_*"];

/// What its commands can do under other names, its own search, and our server.
const OFFERED: [&str; 9] = ["Read", "List", "Glob", "Grep", "Write", "Edit", "Run", SEARCH, CHECK_TOOL];
const SEARCH: &str = "WebSearch";

/// Those of the tools that it cannot offer.
pub(super) fn missing(settings: &CodexSettings, tools: &[String]) -> Vec<String> {
    let offered = |tool: &&String| match mcp::parts(tool) {
        Some(_) => !mcp::is_missing(&settings.mcp, tool),
        None => OFFERED.contains(&tool.as_str()),
    };
    tools.iter().filter(|tool| !offered(tool)).cloned().collect()
}

/// The flags that are the same for every turn of a conversation and decide what the model is shown.
pub(super) fn fixed(settings: &CodexSettings, request: &Request) -> Vec<String> {
    let search = if request.tools.iter().any(|tool| tool == SEARCH) { "live" } else { "disabled" };
    let mut words = Vec::new();
    set(&mut words, "web_search", Value::from(search));
    if request.may_write.is_empty() {
        // A project's AGENTS.md says how to work there, which is for those who do. To a reviewer it would be orders
        // from what it judges.
        set(&mut words, "project_doc_max_bytes", Value::from(0));
        // So would its skills, and its own settings where the user has told Codex to trust the project.
        set(&mut words, "skills.include_instructions", Value::from(false));
        distrust(&mut words, &request.folder);
        // A reviewer must have what it judges in front of it. Instead of summarizing that, the service is to say that
        // the thread has become too long.
        set(&mut words, "model_auto_compact_token_limit", Value::from(i64::MAX));
    }
    for needed in mcp::needed(&settings.mcp, &request.tools) {
        server(&mut words, &needed);
    }
    words.extend(settings.extra_args.iter().cloned());
    // What its sub-agents use is in no count of the thread, so there are none; set last, so that it holds.
    set(&mut words, "agents.enabled", Value::from(false));
    words
}

/// Nothing of the folder decides how Codex works there, whatever the user's own settings say.
fn distrust(words: &mut Vec<String>, folder: &Path) {
    let real = fs::canonicalize(folder).ok().filter(|real| real != folder);
    let entry =
        |path: &Path| format!("{}={{trust_level=\"untrusted\"}}", Value::from(path.display().to_string()));
    let entries: Vec<String> =
        [Some(folder.to_owned()), real].iter().flatten().map(|path| entry(path)).collect();
    // As one table, because a key is split at every dot.
    words.extend(["-c".to_owned(), format!("projects={{{}}}", entries.join(","))]);
}

fn server(words: &mut Vec<String>, Needed { name, server, tools }: &Needed<'_>) {
    let key = |last: &str| format!("mcp_servers.{name}.{last}");
    set(words, &key("command"), Value::from(server.command.as_str()));
    set(words, &key("args"), Value::from(server.args.clone()));
    set(words, &key("env_vars"), Value::from(server.env.clone()));
    set(words, &key("enabled_tools"), Value::from(tools.clone()));
    // Nobody is there to be asked; the role's profile and the person who accepted the server have decided what may be
    // used.
    set(words, &key("default_tools_approval_mode"), Value::from("approve"));
    // Without this, a server that does not start would be left out silently.
    set(words, &key("required"), Value::from(true));
}

/// The server by which a reviewer has a check run. Its desk is another one in every dispatch, so nothing of this may
/// decide whether a conversation goes on; that it is there does ([`abilities`]).
fn checks(settings: &CodexSettings, request: &Request, out: &Path) -> Vec<String> {
    let mut words = Vec::new();
    if wants_checks(request) {
        let (command, args) = check_server(&settings.worker, out);
        let own = McpServer { command, args, env: Vec::new() };
        server(&mut words, &Needed { name: CHECK_SERVER, server: &own, tools: vec![CHECK_TOOL] });
        // How long a check may take is for the run to say.
        let seconds = request.deadlines.total_ms.div_ceil(1000);
        set(&mut words, &format!("mcp_servers.{CHECK_SERVER}.tool_timeout_sec"), Value::from(seconds));
    }
    words
}

/// Values are read as TOML; texts, lists and truth values of JSON are that, too.
fn set(words: &mut Vec<String>, key: &str, value: Value) {
    words.extend(["-c".to_owned(), format!("{key}={value}")]);
}

/// What its own sandbox lets its commands do to the disk. In ours it cannot make one, and is told to leave it off: ours
/// holds the program and its commands to the same.
pub(super) fn sandbox(settings: &CodexSettings, request: &Request) -> &'static str {
    match (settings.containment.holds(&request.folder), request.may_write.is_empty()) {
        (true, _) => "danger-full-access",
        (false, true) => "read-only",
        (false, false) => "workspace-write",
    }
}

/// What it can do, as far as that is not in its flags. There is no list of tools; what they may do is decided by the
/// sandbox.
pub(super) fn abilities(settings: &CodexSettings, request: &Request) -> Vec<String> {
    let check = wants_checks(request).then_some(CHECK_TOOL);
    [sandbox(settings, request)].into_iter().chain(check).map(str::to_owned).collect()
}

/// The whole command line after the program's name. The prompt is its input. `out` is the folder of the dispatch's
/// files.
pub(super) fn all(settings: &CodexSettings, request: &Request, out: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> =
        ["exec", "--json", "--skip-git-repo-check", "--color", "never"].map(OsString::from).into();
    words.extend(["-s".into(), sandbox(settings, request).into()]);
    words.extend(["-m".into(), settings.model.as_str().into()]);
    words.extend(["-C".into(), request.folder.clone().into_os_string()]);
    words.extend(["--output-schema".into(), out.join(SCHEMA_FILE).into()]);
    words.extend(fixed(settings, request).into_iter().map(OsString::from));
    words.extend(checks(settings, request, out).into_iter().map(OsString::from));
    if request.may_write.is_empty() {
        words.extend(skills::off(&request.folder).into_iter().map(OsString::from));
    }
    if request.resume {
        words.extend(["resume".into(), request.session.as_str().into()]);
    }
    words.push("-".into());
    words
}

pub(super) fn environment(settings: &CodexSettings, request: &Request) -> Environment {
    let named: Vec<String> = settings.pass.iter().chain(mcp::variables(&settings.mcp)).cloned().collect();
    let mut environment = settings.environment.passed(&OWN, &named);
    environment.mark(&request.ticket, request.slot);
    // It states the end of a usage limit in local time and without a zone; so we set a zone we can count on.
    environment.set("TZ", "UTC");
    environment
}
