use super::*;
use std::collections::BTreeSet;
use tempfile::TempDir;

fn roles() -> Vec<Role> {
    ["spec-author", "spec-reviewer", "phase-reviewer"].map(Role::new).to_vec()
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text.as_bytes(), Path::new("project/redraft.toml"), &roles())
}

/// The error as a person sees it.
fn error(text: &str) -> String {
    let error = parse(text).unwrap_err();
    match &error.hint {
        Some(hint) => format!("{error} | {hint}"),
        None => error.to_string(),
    }
}

/// The template with every setting switched on.
fn uncommented() -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
        Some(_) | None => format!("{line}\n"),
    };
    template().lines().map(line).collect()
}

#[test]
fn without_a_file_everything_has_its_default() {
    let folder = TempDir::new().unwrap();
    let config = Config::load(folder.path(), &roles()).unwrap();
    assert_eq!(config, Config::default());
    assert_eq!(
        config.limits,
        Limits { rounds: 5, attempts: 3, repairs: 1, gates: 3, late_rounds: 1, reopenings: 1 }
    );
    assert_eq!(config.agent_of(&Role::new("spec-reviewer")).as_str(), "rehearsal");
    assert_eq!(config.commands(), []);
}

#[test]
fn the_template_means_the_defaults_commented_and_uncommented() {
    for text in [template().to_owned(), uncommented()] {
        let config = parse(&text).unwrap();
        assert_eq!(config.hash, hash(text.as_bytes()));
        assert_eq!(Config { hash: hash(b""), ..config }, Config::default(), "{text}");
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
    let mut known =
        BTreeSet::from(["budget".to_owned(), "agents.rehearsal".to_owned(), "roles.default".to_owned()]);
    for table in ["review", "limits", "workspace"] {
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
        certify = "fresh"
        threshold = "blockers"
        [limits]
        rounds = 20
        attempts = 1
        gates = 2
        late_rounds = 0
        reopenings = 3
        dispatch_minutes = 600
        [workspace]
        setup = "npm ci"
        copy = [".env", "config/local.toml"]
        [agents.quick]
        kind = "rehearsal"
        scenario = "scenarios/quick.json"
        [roles]
        default = "quick"
        spec-reviewer = "rehearsal"
    "#;
    fs::write(folder.path().join(FILE), text).unwrap();
    let config = Config::load(folder.path(), &roles()).unwrap();
    let rehearsal = AgentConfig::Rehearsal { scenario: None };
    let quick = AgentConfig::Rehearsal { scenario: Some(folder.path().join("scenarios/quick.json")) };
    let expected = Config {
        budget: Usd(5_000_000),
        policy: Policy::Seed,
        certify: Certify::Fresh,
        threshold: Threshold::Blockers,
        limits: Limits { rounds: 20, attempts: 1, repairs: 1, gates: 2, late_rounds: 0, reopenings: 3 },
        dispatch_minutes: 600,
        workspace: WorkspaceConfig {
            setup: Some("npm ci".to_owned()),
            copy: vec![".env".to_owned(), "config/local.toml".to_owned()],
        },
        agents: BTreeMap::from([(AgentName::new("quick"), quick), (AgentName::new("rehearsal"), rehearsal)]),
        default_agent: AgentName::new("quick"),
        roles: BTreeMap::from([(Role::new("spec-reviewer"), AgentName::new("rehearsal"))]),
        hash: hash(text.as_bytes()),
    };
    assert_eq!(config, expected);
    assert_eq!(config.agent_of(&Role::new("spec-reviewer")).as_str(), "rehearsal");
    assert_eq!(config.agent_of(&Role::new("spec-author")).as_str(), "quick");
}

#[test]
fn a_wrong_key_is_shown_with_its_line_and_the_key_that_was_meant() {
    let file = "project/redraft.toml";
    for (text, expected) in [
        ("[review]\n\npolcy = \"seed\"", ":3: there is no key `polcy` here | did you mean `policy`?"),
        ("[reveiw]\n", ":1: there is no key `reveiw` here | did you mean `review`?"),
        ("[review]\nrounds = 3", ":2: there is no key `rounds` here | `rounds` belongs in [limits]"),
        ("rounds = 3", ":1: there is no key `rounds` here | `rounds` belongs in [limits]"),
        ("[workspace]\nshell = 1", ":2: there is no key `shell` here | known here: setup, copy"),
        (
            "[agents.a]\nkind = \"rehearsal\"\nscenaro = \"x\"",
            ":3: there is no key `scenaro` here | did you mean `scenario`?",
        ),
        (
            "[roles]\nspec-reviwer = \"rehearsal\"",
            ":2: there is no role `spec-reviwer` | did you mean `spec-reviewer`?",
        ),
    ] {
        assert_eq!(error(text), format!("{file}{expected}"));
    }
}

#[test]
fn a_wrong_value_is_shown_with_its_line_and_the_value_that_was_meant() {
    let file = "project/redraft.toml";
    for (text, expected) in [
        (
            "[review]\npolicy = \"gaurded\"",
            ":2: `gaurded` is not a policy (known: seed, guarded, fresh, resume) | did you mean `guarded`?",
        ),
        (
            "[review]\ncertify = \"offf\"",
            ":2: `offf` is not a value of certify (known: resume, fresh, off) | did you mean `off`?",
        ),
        ("[review]\nthreshold = \"lenient\"", ":2: `lenient` is not a threshold (known: strict, blockers)"),
        (
            "[agents.a]\nkind = \"robot\"",
            ":2: `robot` is not a kind of agent (known: rehearsal, claude, codex, anthropic, openai)",
        ),
        ("[agents.a]\n", ":1: the agent `a` has no kind | add a line such as `kind = \"claude\"`"),
        (
            "[agents.claude]\n",
            ":1: the agent `claude` names no model | add a line such as `model = \"claude-sonnet-5.5\"`",
        ),
        (
            "[agents.claude]\nmodel = \"m\"\nscenario = \"x\"",
            ":3: `scenario` means nothing for an agent of kind claude | known here: kind, model, program, price, max_tokens, pass, args",
        ),
        (
            "[agents.openai]\nmodel = \"m\"\nwire = \"telex\"",
            ":3: `telex` is not a wire (known: chat, responses)",
        ),
        (
            "[roles]\ndefault = \"rehersal\"",
            ":2: there is no agent `rehersal` (known: rehearsal) | did you mean `rehearsal`?",
        ),
        ("[limits]\nrounds = \"5\"", ":2: invalid type: string \"5\", expected a whole number"),
        ("[limits]\nrounds = 1.5", ":2: invalid type: floating point `1.5`, expected a whole number"),
        ("review = 3", ":1: invalid type: integer `3`, expected a table"),
    ] {
        assert_eq!(error(text), format!("{file}{expected}"));
    }
}

#[test]
fn every_limit_has_its_bounds() {
    for (key, least, most) in [
        ("rounds", 1, 20),
        ("attempts", 1, 10),
        ("gates", 1, 10),
        ("late_rounds", 0, 5),
        ("reopenings", 0, 3),
        ("dispatch_minutes", 1, 600),
    ] {
        for fine in [least, most] {
            parse(&format!("[limits]\n{key} = {fine}")).unwrap();
        }
        for (wrong, near) in [(least - 1, least), (most + 1, most), (i64::MAX, most), (i64::MIN, least)] {
            assert_eq!(
                error(&format!("[limits]\n{key} = {wrong}")),
                format!(
                    "project/redraft.toml:2: {key} = {wrong} is out of bounds ({least} to {most}) \
                     | the nearest valid value is {near}"
                )
            );
        }
    }
    let unknown = error("[limits]\nrepairs = 1");
    assert!(unknown.starts_with("project/redraft.toml:2: there is no key `repairs` here"), "{unknown}");
}

#[test]
fn a_path_cannot_leave_the_folder_on_any_system() {
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a\\..\\x",
        "\\\\host\\x",
        "C:\\x",
        "c:x",
        ".git/config",
        ".GIT",
    ] {
        let copy = error(&format!("[workspace]\ncopy = ['.env',\n '{path}']"));
        assert!(copy.starts_with(&format!("project/redraft.toml:3: the path `{path}` ")), "{copy}");
        if !path.is_empty() {
            let scenario = error(&format!("[agents.a]\nkind = 'rehearsal'\nscenario = '{path}'"));
            assert!(
                scenario.starts_with(&format!("project/redraft.toml:3: the path `{path}` ")),
                "{scenario}"
            );
        }
    }
    parse("[workspace]\ncopy = ['..env', 'a/...', './b', '.gitignore']").unwrap();
}

#[test]
fn a_name_of_an_agent_is_a_plain_word() {
    for name in ["'a b'", "''", "Ada", "'a/b'"] {
        let error = error(&format!("\n[agents.{name}]\nkind = 'rehearsal'"));
        assert!(error.starts_with("project/redraft.toml:2: `"), "{error}");
        assert!(error.contains("cannot be the name of an agent"), "{error}");
    }
}

#[test]
fn the_commands_have_a_hash_of_their_own() {
    let with = |text: &str| parse(text).unwrap();
    let install = with("[workspace]\nsetup = \"npm ci\"");
    assert_eq!(install.commands(), [Command { key: "workspace.setup", text: "npm ci" }]);
    let also = with("[limits]\nrounds = 2\n[workspace]\nsetup = \"npm ci\"");
    assert_eq!(install.commands_hash(), also.commands_hash());
    assert_ne!(install.hash, also.hash);
    let other = with("[workspace]\nsetup = \"npm ci \"");
    assert_ne!(install.commands_hash(), other.commands_hash());
    assert_eq!(with("[workspace]\nsetup = \" \"").commands(), []);
}

#[test]
fn text_that_is_no_toml_is_shown_with_its_line() {
    for (bytes, line) in [
        (&b"[review]\npolicy = \n"[..], 2),
        (b"[review\n", 1),
        (b"[limits]\nrounds = 1\nrounds = 2", 3),
        (b"# fine\n# \xff", 2),
    ] {
        let error = Config::parse(bytes, Path::new("redraft.toml"), &roles()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(!error.message.contains('\n'), "{error}");
    }
    assert_eq!(parse("\u{feff}[limits]\nrounds = 2").unwrap().limits.rounds, 2);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_not_a_missing_file() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(FILE)).unwrap();
    let error = Config::load(folder.path(), &roles()).unwrap_err();
    assert!(error.to_string().contains("redraft.toml: it cannot be read"), "{error}");
}

#[test]
fn an_agent_with_a_model_is_read_whole() {
    let text = "[agents.local]\nkind = \"openai\"\nmodel = \"qwen\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
                wire = \"responses\"\nschema = \"none\"\nprice = \"local\"\nmax_tokens = 2000\n[roles]\ndefault = \"local\"\n";
    let config = Config::parse(text.as_bytes(), Path::new("redraft.toml"), &roles()).unwrap();
    let AgentConfig::Model(agent) = &config.agents[&AgentName::new("local")] else { panic!("not a model") };
    assert_eq!(
        (agent.kind, agent.wire, agent.schema),
        (ModelKind::OpenAi, Wire::Responses, SchemaForm::None)
    );
    assert_eq!((agent.model.as_str(), agent.max_tokens), ("qwen", 2000));
    assert_eq!(config.default_agent, AgentName::new("local"));
    let defaults =
        Config::parse(b"[agents.claude]\nmodel = \"m\"\n", Path::new("redraft.toml"), &roles()).unwrap();
    assert!(
        matches!(&defaults.agents[&AgentName::new("claude")], AgentConfig::Model(agent) if agent.kind == ModelKind::Claude)
    );
}
