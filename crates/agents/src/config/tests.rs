mod agents;
mod checks;
mod documented;
mod own;
mod secrets;
mod wrong;

use super::effective::uncommented;
use super::*;
use crate::mcp::McpServer;
use redraft_cost::price::PerMillion;
use redraft_documents::lint::{ArtifactKind, ExpectedPart, LintLevel, LintSettings, Rule};
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::Usage;
use redraft_sandbox::Network;
use redraft_sandbox::SandboxRule;
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

fn roles() -> Vec<Role> {
    ["spec-author", "spec-reviewer", "phase-reviewer"].map(Role::new).to_vec()
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text.as_bytes(), Path::new("project/redraft.toml"), &roles(), &UserSettings::default())
}

/// The error as a person sees it.
fn error(text: &str) -> String {
    let error = parse(text).unwrap_err();
    match &error.hint {
        Some(hint) => format!("{error} | {hint}"),
        None => error.to_string(),
    }
}

#[test]
fn without_a_file_everything_has_its_default() {
    let folder = TempDir::new().unwrap();
    let config = Config::load(folder.path(), &roles(), &UserSettings::default()).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(
        config.limits,
        Limits { rounds: 5, attempts: 3, repairs: 1, gates: 3, late_rounds: 1, reopenings: 1 }
    );
    assert_eq!(config.agent_of(&Role::new("spec-reviewer")), None, "nobody was named");
    assert_eq!(config.wants, []);
    assert_eq!(
        config.threshold,
        Threshold::Blockers,
        "a warning holds up nothing unless somebody wants it to"
    );
}

#[test]
fn the_template_means_the_defaults_commented_and_uncommented() {
    for text in [template().to_owned(), uncommented()] {
        let config = parse(&text).unwrap();
        assert_eq!(config.hash, hash(text.as_bytes()));
        // Written down, even the usual level of the sandbox is asked about: it may take away one that was accepted.
        let wants: Vec<&str> = config.wants.iter().map(|want| want.key.as_str()).collect();
        let expected: &[&str] = if text == template() { &[] } else { &["sandbox.level"] };
        assert_eq!(wants, expected);
        let same = Config { hash: hash(b""), wants: Vec::new(), ..config };
        assert_eq!(same, Config::default(), "{text}");
    }
    assert_ne!(template(), uncommented());
}

#[test]
fn the_template_names_every_key_and_explains_each_in_the_line_above() {
    let table: toml::Table = uncommented().parse().unwrap();
    let written: BTreeSet<String> = table
        .iter()
        .flat_map(|(table, keys)| match keys.as_table() {
            Some(keys) => keys.keys().map(|key| format!("{table}.{key}")).collect(),
            None => vec![table.clone()],
        })
        .collect();
    // Each list of keys comes from the types themselves: an unknown key is answered with those that are known.
    let mut known = BTreeSet::from(["budget".to_owned()]);
    for table in [
        "review",
        "limits",
        "workspace",
        "monitor",
        "lanes",
        "lint",
        "implement",
        "finish",
        "ask",
        "hooks",
        "share",
        "notify",
        "sandbox",
    ] {
        let hint = parse(&format!("[{table}]\nxxxxxxxxxx = 1")).unwrap_err().hint.unwrap();
        let keys = hint.strip_prefix("known here: ").unwrap().split(", ");
        known.extend(keys.map(|key| format!("{table}.{key}")));
    }
    assert_eq!(written, known);
    let hint = parse("[agents.x]\nxxxxxxxxxx = 1").unwrap_err().hint.unwrap();
    for key in hint.strip_prefix("known here: ").unwrap().split(", ") {
        assert!(template().contains(&format!("{key} = ")), "{key} is not in the template");
    }
    let lines: Vec<&str> = template().lines().collect();
    for pair in lines.windows(2) {
        if pair[1].starts_with('#') && pair[1].contains(" = ") && !pair[1].starts_with("# ") {
            assert!(pair[0].starts_with("# "), "{} has no explanation", pair[1]);
        }
    }
}

#[test]
fn every_key_changes_what_it_says() {
    let folder = TempDir::new().unwrap();
    let text = r#"
        [review]
        policy = "seed"
        knowledge = "scoped"
        certify = "fresh"
        threshold = "strict"
        [limits]
        rounds = 20
        attempts = 1
        gates = 2
        late_rounds = 0
        reopenings = 3
        dispatch_minutes = 600
        check_minutes = 5
        [checks]
        unit = "npm test"
        a-last = "  npm run e2e "
        [implement]
        simplify = false
        jobs = 3
        [finish]
        history = "squash"
        docs = "require"
        retro = false
        [ask]
        after = ["specify", "implement"]
        [hooks]
        autonomous = true

        [share]
        remote = "team"
        transcripts = true
        [notify]
        command = "tell me"
        [sandbox]
        level = "strict"
        read = ["~/data"]
        write = ["/tmp"]
        network = ["tcp:443", "unix"]
        pass = ["MY_*"]
        git = "copy"
        [workspace]
        mode = "in-place"
        setup = "npm ci"
        setup_minutes = 600
        copy = [".env", "config/local.toml"]
        [monitor]
        features = 20
        fallbacks_percent = 0
        guard_trips_percent = 100
        unconfirmed_percent = 7
        [lanes]
        deep = ["infra/", "billing"]
        [lint]
        vague_words = ["soon"]
        rules = { empty = "error", placeholder = "off" }
        sections = { plan = ["Steps | Order"] }
        [agents.quick]
        kind = "rehearsal"
        scenario = "scenarios/quick.json"
        [roles]
        default = "quick"
        spec-reviewer = "rehearsal"
    "#;
    fs::write(folder.path().join(FILE), text).unwrap();
    let config = Config::load(folder.path(), &roles(), &UserSettings::default()).unwrap();
    let rehearsal = AgentConfig::Rehearsal { scenario: None };
    let quick = AgentConfig::Rehearsal { scenario: Some(folder.path().join("scenarios/quick.json")) };
    let expected = Config {
        budget: Usd(5_000_000),
        policy: Policy::Seed,
        knowledge: Knowledge::Scoped,
        certify: Certify::Fresh,
        threshold: Threshold::Strict,
        limits: Limits { rounds: 20, attempts: 1, repairs: 1, gates: 2, late_rounds: 0, reopenings: 3 },
        dispatch_minutes: 600,
        jobs: 3,
        workspace: WorkspaceConfig {
            mode: WorkspaceMode::InPlace,
            setup: Some("npm ci".to_owned()),
            setup_minutes: 600,
            copy: vec![".env".to_owned(), "config/local.toml".to_owned()],
        },
        monitor: Thresholds {
            features: 20,
            fallbacks_percent: 0,
            guard_trips_percent: 100,
            unconfirmed_percent: 7,
        },
        lanes: LaneRules { deep: vec!["infra/".to_owned(), "billing".to_owned()] },
        lint: LintSettings {
            // A level that is the usual one changes nothing.
            levels: BTreeMap::from([(Rule::Placeholder, LintLevel::Off)]),
            sections: BTreeMap::from([(
                ArtifactKind::Plan,
                vec![ExpectedPart::parse("Steps | Order").unwrap()],
            )]),
            vague_words: Some(vec!["soon".to_owned()]),
        },
        checks: vec![
            Check { name: "unit".to_owned(), command: "npm test".to_owned() },
            Check { name: "a-last".to_owned(), command: "npm run e2e".to_owned() },
        ],
        check_minutes: 5,
        extras: vec![Extra::Deepen],
        finish: FinishConfig { history: MergeHistory::Squash, docs: DocsGate::Require, retro: false },
        asks_after: vec![Phase::Specify, Phase::Implement],
        sandbox: SandboxConfig {
            rule: SandboxRule::Strict,
            read: vec!["~/data".to_owned()],
            write: vec!["/tmp".to_owned()],
            network: Network::local().widened(["tcp:443", "unix"]).unwrap(),
            pass: vec!["MY_*".to_owned()],
            git: true,
        },
        autonomous: true,
        share: ShareConfig { remote: Some("team".to_owned()), transcripts: true },
        notify: notify::NotifyCommands { own: None, repository: Some("tell me".to_owned()) },
        agents: {
            let mut agents = Config::default().agents;
            agents.extend([(AgentName::new("quick"), quick), (AgentName::new("rehearsal"), rehearsal)]);
            agents
        },
        default_agent: Some(AgentName::new("quick")),
        higher_budget: None,
        origins: [(AgentName::new("quick"), Origin::Repository)].into(),
        roles: BTreeMap::from([(Role::new("spec-reviewer"), AgentName::new("rehearsal"))]),
        prices: Vec::new(),
        own_prices: Vec::new(),
        wants: config.wants.clone(),
        accepted: false,
        hash: hash(text.as_bytes()),
    };
    assert_eq!(config, expected);
    assert_eq!(config.agent_of(&Role::new("spec-reviewer")), Some(&AgentName::new("rehearsal")));
    assert_eq!(config.agent_of(&Role::new("spec-author")), Some(&AgentName::new("quick")));
}
