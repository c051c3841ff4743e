//! What a person accepts before an agent with a model may cost, start or reach anything.

use super::{ANTHROPIC, run, with_agent};
use crate::world::{PROGRAM, executable};
use redraft_testkit::Scratch;

#[test]
fn money_is_agreed_to_once_before_the_first_paid_dispatch() {
    let (scratch, provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "-v"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("\n  model, claude-sonnet-4.5 at ") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    let about = |line: &str| {
        let amount = line.split_once("about $").unwrap().1.split_once(' ').unwrap().0.to_owned();
        (amount.parse::<f64>().unwrap() * 10_000.0).round() as u64
    };
    let roles: Vec<u64> = ran
        .stderr
        .lines()
        .filter(|line| line.ends_with(" dispatches") && line.starts_with("    "))
        .map(about)
        .collect();
    assert_eq!(roles.len(), 3, "{}", ran.stderr);
    let sum = ran.stderr.lines().find(|line| line.contains(": 3 roles, about $")).map(about).unwrap();
    // Each is rounded where it is shown.
    assert!(sum.abs_diff(roles.iter().sum()) <= 2 && sum > 1_000, "{}", ran.stderr);
    let sum = format!("about ${}.{:04}", sum / 10_000, sum % 10_000);
    for words in [
        &format!("expected: {sum} for 8 dispatches\n"),
        "  an estimate from the sizes of the roles' texts and of the documents, with 3 review rounds a phase",
        "budget: at most $5.0000 for the whole feature",
    ] {
        assert!(ran.stderr.contains(words), "{words}: {}", ran.stderr);
    }
    assert!(!ran.stderr.contains("will stop before the end"), "{}", ran.stderr);
    let small = run(&scratch, &["run", "001", "--budget", "0.05"]);
    assert!(
        small.stderr.contains("the budget has $0.0500 left, which is less: the run will stop before the end"),
        "{}",
        small.stderr
    );
    let json = run(&scratch, &["run", "001", "--json"]);
    assert_eq!(json.code, Some(6));
    assert!(json.stdout.contains(&format!("{sum} is expected, at most $5.0000")), "{}", json.stdout);
    assert!(provider.requests().is_empty());
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "0.01"]);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(provider.requests().is_empty(), "the dearest outcome did not fit, so nothing was sent");
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(5), "a budget is kept across restarts: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001", "--yes", "--budget", "5"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(!ran.stdout.contains("cost: $0.0000 billed"), "{}", ran.stdout);
}

#[test]
fn an_agent_that_was_not_agreed_to_is_asked_about_although_another_has_begun() {
    let (scratch, provider) = with_agent(ANTHROPIC);
    scratch.write("scenario.toml", "usd_per_dispatch = 1.0\n");
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[agents.rehearsal]\nscenario = \"scenario.toml\"\n"));
    let ran = run(&scratch, &["run", "001", "--agent", "rehearsal", "--budget", "1"]);
    assert_eq!(ran.code, Some(5), "free of charge, so nobody is asked: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(provider.requests().is_empty());
}

/// A program that says its version and refuses everything else.
const REFUSING: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\necho no >&2\nexit 1\n";

#[test]
fn a_server_of_tools_is_started_only_after_a_person_has_accepted_its_command() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    executable(&scratch, "claude.sh", REFUSING);
    let server = "[agents.claude.mcp.context7]\ncommand = \"no-such-server\"\nenv = [\"TEST_MODEL_KEY\"]\n";
    let config = format!(
        "[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n{server}[roles]\nspec-author = \"claude\"\n"
    );
    scratch.write_unaccepted("redraft.toml", &config);
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    let shown = scratch.run(["trust", "--yes"]).expect(0);
    for line in [
        "agents.claude.mcp.context7.command = \"no-such-server\"\n",
        "agents.claude.mcp.context7.env = [\"TEST_MODEL_KEY\"]\n",
    ] {
        assert!(ran.stderr.contains(line) && shown.stdout.contains(line), "{line}: {}", ran.stderr);
    }
    let unset = scratch.run(["run", "001", "--yes"]).expect(3);
    assert!(
        unset.stderr.contains("the server context7 needs TEST_MODEL_KEY, which is not set"),
        "{}",
        unset.stderr
    );
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(4), "accepted, so the program is started, and refuses: {}", ran.stderr);
    scratch.write_unaccepted("redraft.toml", &config.replace("no-such-server", "another-server"));
    let ran = run(&scratch, &["run", "001", "--yes"]);
    assert_eq!(ran.code, Some(6), "another command is another question: {}", ran.stderr);
    let ran = run(&scratch, &["run", "001", "--agent", "rehearsal"]);
    assert_ne!(ran.code, Some(6), "an agent that does not play starts nothing: {}", ran.stderr);
}

#[test]
fn nothing_is_sent_to_an_address_that_only_the_file_knows_before_a_person_has_accepted_it() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    let config = |settings: &str| {
        let agent = "[agents.service]\nkind = \"openai\"\nmodel = \"qwen\"\nprice = \"local\"\nkey_env = \"TEST_MODEL_KEY\"\n";
        let text = format!("{agent}{settings}[roles]\nspec-author = \"service\"\n");
        scratch.write_unaccepted("redraft.toml", &text);
    };
    for (settings, shown) in [
        ("base_url = \"https://elsewhere.test/v1\"\n", "base_url = \"https://elsewhere.test/v1\"\n"),
        ("base_url = \"http://127.0.0.1:9/v1\"\n", "base_url = \"http://127.0.0.1:9/v1\"\n"),
        ("proxy = \"http://proxy.test:3128\"\n", "proxy = \"http://proxy.test:3128\"\n"),
        ("proxy = \"http://me:pass-word@proxy.test:3128\"\n", "proxy = \"http://…@proxy.test:3128\"\n"),
        ("proxy = \"none\"\n", "proxy = \"none\"\n"),
    ] {
        config(settings);
        let ran = run(&scratch, &["run", "001", "--yes"]);
        assert_eq!(ran.code, Some(6), "{}", ran.stderr);
        let lines = [
            format!("agents.service.{shown}"),
            "agents.service.key_env = \"TEST_MODEL_KEY\"\n".to_owned(),
            "agents.service.price = \"local\"\n".to_owned(),
        ];
        lines.iter().for_each(|line| assert!(ran.stderr.contains(line), "{line}: {}", ran.stderr));
        let ran = run(&scratch, &["doctor", "--agent", "service", "--yes"]);
        assert_eq!(ran.code, Some(6), "{}", ran.stderr);
        assert!(ran.stdout.contains("hint: look at it and accept it: redraft trust"), "{}", ran.stdout);
        assert!(ran.stdout.ends_with("next: redraft trust\n"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("install it") && !ran.stdout.contains("pass-word"), "{}", ran.stdout);
        let listed = scratch.run(["trust"]).expect(6);
        lines.iter().for_each(|line| assert!(listed.stdout.contains(line), "{line}: {}", listed.stdout));
    }
    config("base_url = \"https://me:pass-word@elsewhere.test/v1\"\n");
    for words in [&["run", "001", "--yes"][..], &["doctor", "--agent", "service", "--yes"], &["trust"]] {
        let ran = run(&scratch, words);
        assert_eq!(ran.code, Some(3), "{words:?}: {}", ran.stderr);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(
            said.contains("redraft.toml:6: `agents.service.base_url` holds what looks like a secret"),
            "{said}"
        );
        assert!(!said.contains("pass-word"), "{said}");
    }
}

/// The same, and leaves a trace of being started at all.
const TRACING: &str =
    "#!/bin/sh\ntouch \"$HOME/started\"\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\nexit 1\n";

#[test]
fn a_program_that_only_the_file_knows_is_not_started_before_a_person_has_accepted_it() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "a feature"]).expect(0);
    executable(&scratch, "tool/claude", TRACING);
    let was_started = || scratch.outside().join("home/started").exists();
    let config = |settings: &str| {
        let roles = "[roles]\nspec-author = \"claude\"\n";
        scratch.write_unaccepted(
            "redraft.toml",
            &format!("[agents.claude]\nmodel = \"claude-sonnet-4.5\"\n{settings}{roles}"),
        );
    };
    let on_path = |words: &[&str]| {
        let mut command = scratch.command("sh");
        command.args(["-c", "PATH=\"$0:$PATH\" exec \"$@\""]).arg(scratch.root().join("tool"));
        redraft_testkit::Ran::new(command.arg(PROGRAM).args(words).output().unwrap())
    };
    for (settings, shown) in [
        ("program = \"tool/claude\"\n", "agents.claude.program = \"tool/claude\"\n"),
        ("args = [\"--settings\", \"a b\"]\n", "agents.claude.args = [\"--settings\", \"a b\"]\n"),
    ] {
        config(settings);
        let ran = on_path(&["run", "001", "--yes"]).expect(6);
        assert!(ran.stderr.contains(shown), "{}", ran.stderr);
        let ran = on_path(&["doctor", "--agent", "claude", "--yes"]).expect(6);
        assert!(ran.stdout.contains("accept it: redraft trust"), "{}", ran.stdout);
        let listed = scratch.run(["trust"]).expect(6);
        assert!(listed.stdout.contains(shown), "{}", listed.stdout);
        assert!(!was_started(), "{settings}");
    }
    scratch.run(["trust", "--yes"]).expect(0);
    on_path(&["run", "001", "--yes"]).expect(4);
    assert!(was_started(), "accepted, so it is started, and refuses");
    std::fs::remove_file(scratch.outside().join("home/started")).unwrap();
    config("program = \"claude\"\nargs = []\n");
    on_path(&["decide", "001", "retry", "--why", "again"]);
    on_path(&["run", "001", "--yes"]).expect(4);
    assert!(was_started(), "the usual program, called as usual, needs nobody's word");
}
