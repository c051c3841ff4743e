//! Agents, their models, servers and prices.

use super::*;

#[test]
fn a_model_is_sent_as_its_vendor_spells_it_and_each_kind_has_a_default() {
    let model = |text: &str| {
        let config = parse(&format!("[agents.a]\n{text}")).unwrap();
        match config.agents.get(&AgentName::new("a")) {
            Some(AgentConfig::Model(model)) => model.model.clone(),
            other => panic!("{text}: {other:?}"),
        }
    };
    for (text, sent) in [
        ("kind = 'claude'\nmodel = 'sonnet'", "claude-sonnet-5-5"),
        ("kind = 'claude'\nmodel = 'opus[1m]'", "claude-opus-5-5[1m]"),
        ("kind = 'claude'\nmodel = 'claude-sonnet-4.5'", "claude-sonnet-4-5"),
        ("kind = 'claude'\nmodel = 'claude-sonnet-4-5-20250929'", "claude-sonnet-4-5-20250929"),
        // The mark is Claude Code's; a service would not find the model.
        ("kind = 'anthropic'\nmodel = 'opus[1m]'", "claude-opus-5-5"),
        ("kind = 'anthropic'\nmodel = 'anthropic/claude-opus-4.8'", "claude-opus-4-8"),
        ("kind = 'codex'\nmodel = 'gpt-6'", "gpt-6-sol"),
        // A model without a card is sent as it is written, and so is every model where the file gives the service's
        // address.
        ("kind = 'claude'\nmodel = 'My-Own.Model'\nprice = 'unknown'", "My-Own.Model"),
        (
            "kind = 'openai'\nmodel = 'anthropic/claude-opus-4.8'\nbase_url = 'https://x/v1'",
            "anthropic/claude-opus-4.8",
        ),
        ("kind = 'openai'\nmodel = 'sonnet'\nbase_url = 'https://x/v1'", "sonnet"),
    ] {
        assert_eq!(model(text), sent, "{text}");
    }
    for kind in ModelKind::ALL.map(ModelKind::name) {
        let default = model(&format!("kind = '{kind}'"));
        assert_eq!(Some(default), redraft_cost::price::Cards::builtin().default_model(kind), "{kind}");
    }
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
fn an_agent_with_a_model_is_read_whole() {
    let text = "[agents.local]\nkind = \"openai\"\nmodel = \"qwen\"\nbase_url = \"http://127.0.0.1:8080/v1\"\n\
                wire = \"responses\"\nschema = \"none\"\nprice = \"local\"\nmax_tokens = 2000\n[roles]\ndefault = \"local\"\n";
    let config =
        Config::parse(text.as_bytes(), Path::new("redraft.toml"), &roles(), &UserSettings::default())
            .unwrap();
    let AgentConfig::Model(agent) = &config.agents[&AgentName::new("local")] else { panic!("not a model") };
    assert_eq!(
        (agent.kind, agent.wire, agent.schema),
        (ModelKind::OpenAi, Wire::Responses, SchemaForm::None)
    );
    assert_eq!((agent.model.as_str(), agent.max_tokens), ("qwen", Some(2000)));
    assert_eq!(config.default_agent, Some(AgentName::new("local")));
    let defaults = Config::parse(
        b"[agents.claude]\nmodel = \"m\"\n",
        Path::new("redraft.toml"),
        &roles(),
        &UserSettings::default(),
    )
    .unwrap();
    assert!(
        matches!(&defaults.agents[&AgentName::new("claude")], AgentConfig::Model(agent) if agent.kind == ModelKind::Claude)
    );
}

const CONTEXT7: &str = "[agents.claude]\nmodel = \"m\"\n[agents.claude.mcp.context7]\ncommand = \"npx\"\n\
    args = [\"-y\", \"@upstash/context7-mcp\"]\nenv = [\"CONTEXT7_API_KEY\"]\n";

#[test]
fn a_server_is_a_command_that_must_be_accepted() {
    let config = parse(CONTEXT7).unwrap();
    let claude = AgentName::new("claude");
    let AgentConfig::Model(agent) = &config.agents[&claude] else { panic!("not a model") };
    let server = McpServer {
        command: "npx".to_owned(),
        args: ["-y", "@upstash/context7-mcp"].map(str::to_owned).to_vec(),
        env: vec!["CONTEXT7_API_KEY".to_owned()],
    };
    assert_eq!(agent.mcp, BTreeMap::from([("context7".to_owned(), server)]));
    assert_eq!(config.wants.iter().collect::<Vec<_>>(), config.unaccepted_of(&claude));
    let lines: Vec<String> = config.wants.iter().map(Want::line).collect();
    let expected = [
        "agents.claude.mcp.context7.args = [\"-y\", \"@upstash/context7-mcp\"]",
        "agents.claude.mcp.context7.command = \"npx\"",
        "agents.claude.mcp.context7.env = [\"CONTEXT7_API_KEY\"]",
    ];
    assert_eq!(lines, expected);
    for (then, now) in
        [("npx", "npy"), ("-y", "-n"), ("CONTEXT7_API_KEY", "OTHER_KEY"), ("context7]", "other]")]
    {
        let other = parse(&CONTEXT7.replace(then, now)).unwrap();
        assert_ne!(other.wants_hash(), config.wants_hash(), "{now}");
    }
}

#[test]
fn a_wrong_server_is_shown_with_its_line() {
    let with = |lines: &str| error(&format!("[agents.claude]\nmodel = \"m\"\n[agents.claude.mcp.{lines}"));
    for (lines, expected) in [
        ("x]\n", ":3: the server `x` has no command | add a line such as `command = \"npx\"`"),
        ("x]\ncommand = \" \"", ":4: the server `x` has no command | add a line such as `command = \"npx\"`"),
        ("x]\ncomand = \"npx\"", ":4: there is no key `comand` here | did you mean `command`?"),
        (
            "a__b]\ncommand = \"x\"",
            ":3: `a__b` cannot be the name of a server | use lower-case letters, digits, `-` and single `_`",
        ),
        (
            "x]\ncommand = \"x\"\nenv = [\"A=b\"]",
            ":5: `A=b` is not the name of a variable | only names belong here; values come from your environment",
        ),
    ] {
        assert_eq!(with(lines), format!("project/redraft.toml{expected}"));
    }
}

#[test]
fn a_price_of_the_file_wins_over_the_built_in_card() {
    let text = "[prices.\"claude-sonnet-5.5\"]\ninput = 3\n[prices.\"mine\"]\ninput = 1_000.125\noutput = 4\nread = 0.1\n\
                write = { \"5m\" = 2.5, \"1h\" = 4 }\nlifetime = \"1h\"\ncontext = 32000\nminimum = 256\nblock = 64\n\
                cliffs = [{ above = 1000, input_percent = 200 }]\n[prices.\"nobody-knows\"]\nunknown = true\n";
    let cards = parse(text).unwrap().accept().cards();
    let mine = cards.find("mine").unwrap();
    assert_eq!((mine.prices.input, mine.prices.output), (PerMillion(1_000_125_000), PerMillion(4_000_000)));
    assert_eq!(mine.prices.write(Lifetime::Hour), PerMillion(4_000_000));
    assert_eq!((mine.lifetime.is, mine.context.tokens), (Lifetime::Hour, 32_000));
    assert_eq!((mine.minimum.tokens, mine.block), (Some(256), Some(64)));
    let usage = Usage { output: 1_000_000, ..Usage::default() };
    assert_eq!(mine.cost(&usage, 10).0, 4_000_000);
    assert_eq!(mine.prices_at(2_000).input, PerMillion(2_000_250_000));
    let sonnet = cards.find("claude-sonnet-5-5").unwrap();
    assert_eq!(sonnet.prices.input, PerMillion(3_000_000));
    assert!(
        cards.find("nobody-knows").unwrap().prices.input >= PerMillion(1_000_125_000),
        "as dear as the dearest"
    );
}

#[test]
fn a_wrong_price_is_shown_with_its_line() {
    for (text, expected) in [
        (
            "[prices.\"claude-sonnet-5.5\"]\ninput = 2e3",
            ":2: `2e3` is not a price; write dollars per million tokens, such as 2.50, with at most 6 decimals",
        ),
        (
            "[prices.\"claude-sonnet-5.5\"]\ninput = -1",
            ":2: `-1` is not a price; write dollars per million tokens, such as 2.50, with at most 6 decimals",
        ),
        (
            "\n[prices.\"mine\"]\ninput = 2",
            ":2: [prices.\"mine\"] cannot be used: no card has that name, so both input and output prices are \
                needed | give input and output in dollars per million tokens, or `unknown = true`",
        ),
        ("[prices.\"a\"]\nimput = 2", ":2: there is no key `imput` here | did you mean `input`?"),
        (
            "[prices.\"a\"]\nwrite = { \"2h\" = 1 }",
            ":2: `2h` is not a cache lifetime (known: 5m, 30m, 1h, 12h)",
        ),
        (
            "[prices.\"a\"]\ncontext = 0",
            ":2: context = 0 is out of bounds (1 to 100000000) | the nearest valid value is 1",
        ),
        (
            "[prices.\"a\"]\ninput = 1\noutput = 1\nunknown = true",
            ":4: a price cannot be both unknown and given | remove `unknown` or the prices",
        ),
        ("prices = 3", ":1: invalid type: integer `3`, expected a map"),
    ] {
        let found = error(text);
        let found =
            if expected.contains(" | ") { found } else { found.split(" | ").next().unwrap().to_owned() };
        assert_eq!(found, format!("project/redraft.toml{expected}"));
    }
}

#[test]
fn one_agent_may_play_every_role() {
    let text = "[agents.a]\nkind = \"rehearsal\"\n[roles]\nspec-reviewer = \"a\"\n";
    let config = parse(text).unwrap().played_by("rehearsal").unwrap();
    assert_eq!(config.agent_of(&Role::new("spec-reviewer")), Some(&AgentName::new("rehearsal")));
    let unknown = parse(text).unwrap().played_by("rehersal").unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "there is no agent `rehersal` (known: a, anthropic, claude, codex, openai, rehearsal)"
    );
    assert_eq!(unknown.near.as_deref(), Some("rehearsal"));
}

#[test]
fn a_model_that_is_free_by_its_name_needs_a_server_or_a_price() {
    for (agent, way_out) in [
        ("kind = \"claude\"\nmodel = \"local\"", "price = \"local\""),
        ("kind = \"codex\"\nmodel = \"ollama/x\"", "price = \"local\""),
        ("kind = \"anthropic\"\nmodel = \"vllm/x\"", "base_url"),
        ("kind = \"openai\"\nmodel = \"llama.cpp/x\"", "base_url"),
    ] {
        let text = format!("[agents.a]\n{agent}\n");
        let error = format!("{:?}", parse(&text).unwrap_err()).replace('\\', "");
        assert!(error.contains("costs nothing") && error.contains(way_out), "{error}");
        assert!(parse(&format!("{text}price = \"local\"\n")).is_ok(), "{text}");
    }
    let server =
        "[agents.a]\nkind = \"openai\"\nmodel = \"ollama/x\"\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    let config = parse(server).unwrap();
    let keys: Vec<&str> = config.wants.iter().map(|want| want.key.as_str()).collect();
    assert!(keys.contains(&"agents.a.model"), "{keys:?}");
}
