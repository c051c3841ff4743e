//! What tools it is offered, and which commands it may run.

use super::*;

fn with_server(folder: &Path) -> ClaudeSettings {
    let server = McpServer {
        command: "npx".into(),
        args: vec!["-y".into(), "context7".into()],
        env: vec!["CONTEXT7_API_KEY".into()],
    };
    let environment = [("CONTEXT7_API_KEY", "a-secret-of-mine"), ("OTHER_API_KEY", "x")];
    let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    ClaudeSettings {
        mcp: [("context7".to_owned(), server)].into(),
        environment: Environment(environment.into()),
        max_tokens: Some(9_000),
        ..settings(folder)
    }
}

#[test]
fn the_tools_of_a_server_are_offered_by_a_file_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let settings = with_server(folder.path());
    let agent = ClaudeAgent::new(settings.clone());
    let tools =
        ["Read", "WebSearch", "mcp__context7__query-docs", "mcp__other__x"].map(str::to_owned).to_vec();
    assert_eq!(agent.missing(&tools), ["mcp__other__x"]);
    let request = Request { tools: tools[..3].to_vec(), ..request(Lifetime::Hour) };
    let words = flags::all(&settings, &request, Path::new("system.md"), folder.path());
    let after = |flag: &str| {
        let at = words.iter().position(|word| word == flag).unwrap();
        words[at + 1].to_str().unwrap().to_owned()
    };
    assert_eq!(after("--tools"), "Read,WebSearch");
    assert_eq!(after("--allowedTools"), "WebSearch,mcp__context7__query-docs");
    flags::keep_servers(&settings, &request, folder.path()).unwrap();
    let file = after("--mcp-config");
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let server = &kept["mcpServers"]["context7"];
    assert_eq!((&server["command"], &server["args"][1]), (&"npx".into(), &"context7".into()));
    assert_eq!(server["env"]["CONTEXT7_API_KEY"], "${CONTEXT7_API_KEY}");
    let environment = flags::environment(&settings, &request).0;
    let value = |name: &str| environment.get(&OsString::from(name)).and_then(|value| value.to_str());
    assert_eq!(value("CONTEXT7_API_KEY"), Some("a-secret-of-mine"));
    assert_eq!((value("OTHER_API_KEY"), value("CLAUDE_CODE_MAX_OUTPUT_TOKENS")), (None, Some("9000")));
    let bare = Request { tools: vec!["Read".to_owned()], ..request.clone() };
    let words = flags::all(&settings, &bare, Path::new("system.md"), folder.path());
    assert!(!words.iter().any(|word| word == "--mcp-config" || word == "--allowedTools"), "{words:?}");
    assert_ne!(flags::fingerprint(&settings, &bare), flags::fingerprint(&settings, &request));
}

#[test]
fn who_may_run_commands_may_run_those_that_were_accepted_and_nobody_else_has_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let words = |bash: Bash, tools: &[&str]| {
        let settings = ClaudeSettings { bash, ..settings(folder.path()) };
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let missing = ClaudeAgent::new(settings.clone()).missing(&tools);
        let request = Request { tools, ..request(Lifetime::Hour) };
        let words = flags::all(&settings, &request, Path::new("system.md"), folder.path());
        let words: Vec<String> = words.iter().map(|word| word.to_str().unwrap().to_owned()).collect();
        let at = |flag: &str| words.iter().position(|word| word == flag);
        let tools = words[at("--tools").unwrap() + 1].clone();
        let allowed = at("--allowedTools").map_or(Vec::new(), |at| {
            words[at + 1..].iter().take_while(|word| !word.starts_with("--")).cloned().collect()
        });
        (tools, allowed, missing)
    };
    let only = |commands: &[&str]| Bash::Only(commands.iter().map(|one| (*one).to_owned()).collect());
    let checks = only(&["cargo test", "make", "npm ci && npm test", "sh a,b.sh (all)"]);
    let (tools, allowed, missing) = words(checks.clone(), &["Read", "Run"]);
    assert_eq!((tools.as_str(), missing.len()), ("Read,Bash", 0));
    let rules = ["Bash(cargo test:*)", "Bash(make)", "Bash(npm ci && npm test)", "Bash(sh a,b.sh (all))"];
    assert_eq!(allowed, rules, "only a simple command may have more arguments");
    assert_eq!(words(checks, &["Read", "Grep"]).1, [""; 0], "a reviewer has no shell");
    assert_eq!(words(Bash::All, &["Run"]).1, ["Bash"]);
    assert_eq!(words(only(&[]), &["Read", "Run"]).2, ["Run"], "there is nothing to run");
}
