//! Tests that what a repository wants is only a wish until its user says yes, and that the yes is stored where only the
//! user writes.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, executable, feature};
use redraft_agents::config::{By, KEYS, KeyDecision};
use redraft_testkit::{Ran, Scratch};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

/// Where the user's acceptances are.
fn store(scratch: &Scratch) -> PathBuf {
    scratch.outside().join("home/.local/state/redraft/trust.toml")
}

/// Whether nothing of what the repository wants was accepted. That its state folder was made here is still known.
fn accepts_nothing(scratch: &Scratch) -> bool {
    !fs::read_to_string(store(scratch)).unwrap().contains("[[repositories.accepted]]")
}

/// A `redraft.toml` in which the key has a value that must be accepted. A key without a sample fails the test.
fn sample(key: &str, port: u16, canary: &str) -> String {
    let service = |line: &str| {
        let roles = "[roles]\ndefault = \"service\"\n";
        format!("[agents.service]\nkind = \"openai\"\nmodel = \"m\"\n{line}\n{roles}")
    };
    let program = |line: &str| format!("[agents.claude]\n{line}\n[roles]\ndefault = \"claude\"\n");
    let price = |line: &str| format!("[prices.\"new\"]\ninput = 1\noutput = 1\n{line}\n");
    match key {
        "budget" => "budget = 50\n".to_owned(),
        "limits.check_minutes" | "limits.dispatch_minutes" => format!("[limits]\n{} = 60\n", &key[7..]),
        "limits.rounds" | "limits.attempts" | "limits.gates" => format!("[limits]\n{} = 9\n", &key[7..]),
        "limits.late_rounds" | "limits.reopenings" => format!("[limits]\n{} = 2\n", &key[7..]),
        "workspace.setup" => format!("[workspace]\nsetup = \"touch {canary}\"\n"),
        "workspace.setup_minutes" => "[workspace]\nsetup_minutes = 60\n".to_owned(),
        "workspace.copy" => "[workspace]\ncopy = [\".env\"]\n".to_owned(),
        "checks.*" => format!("[checks]\ntest = \"touch {canary}\"\n"),
        "sandbox.level" => "[sandbox]\nlevel = \"off\"\n".to_owned(),
        "sandbox.git" => "[sandbox]\ngit = \"copy\"\n".to_owned(),
        "sandbox.read" | "sandbox.write" => format!("[sandbox]\n{} = [\"{canary}\"]\n", &key[8..]),
        "sandbox.network" => "[sandbox]\nnetwork = [\"all\"]\n".to_owned(),
        "sandbox.pass" => "[sandbox]\npass = [\"SOME_VARIABLE\"]\n".to_owned(),
        "hooks.autonomous" => "[hooks]\nautonomous = true\n".to_owned(),
        "notify.command" => format!("[notify]\ncommand = \"touch {canary}\"\n"),
        "agents.*.program" => program(&format!("program = \"{canary}.sh\"")),
        "agents.*.args" => program("args = [\"--debug\"]"),
        "agents.*.pass" => program("pass = [\"SOME_VARIABLE\"]"),
        "agents.*.bash" => program("bash = \"all\""),
        "agents.*.mcp.*.command" => program(&format!("[agents.claude.mcp.s]\ncommand = \"{canary}.sh\"")),
        "agents.*.mcp.*.args" => program("[agents.claude.mcp.s]\ncommand = \"x\"\nargs = [\"y\"]"),
        "agents.*.mcp.*.env" => program("[agents.claude.mcp.s]\ncommand = \"x\"\nenv = [\"Y\"]"),
        "agents.*.price" => program("price = \"local\""),
        "agents.*.model" => program("model = \"local\"\nprice = \"local\""),
        "agents.*.base_url" => service(&format!("base_url = \"http://127.0.0.1:{port}/v1\"")),
        "agents.*.key_env" => service("key_env = \"SOME_VARIABLE\""),
        "agents.*.key_file" => service(&format!("key_file = \"{canary}.key\"")),
        "agents.*.proxy" => service(&format!("proxy = \"http://127.0.0.1:{port}\"")),
        "share.remote" => "[share]\nremote = \"origin\"\n".to_owned(),
        "share.transcripts" => "[share]\nremote = \"origin\"\ntranscripts = true\n".to_owned(),
        "prices.*.input" | "prices.*.output" => price(""),
        "prices.*.read" => price("read = 0"),
        "prices.*.write" => price("write = { \"5m\" = 0 }"),
        "prices.*.lifetime" => price("lifetime = \"1h\""),
        "prices.*.context" => price("context = 9000"),
        "prices.*.minimum" => price("minimum = 9"),
        "prices.*.block" => price("block = 9"),
        "prices.*.cliffs" => price("cliffs = [{ above = 9, input_percent = 200 }]"),
        other => panic!("there is no sample for {other}"),
    }
}

/// The words of the key as they are shown for that sample.
fn shown(key: &str) -> String {
    let agent = if ["base_url", "key_env", "key_file", "proxy"].iter().any(|end| key.ends_with(end)) {
        "service"
    } else {
        "claude"
    };
    let key =
        key.replace("agents.*.mcp.*", "agents.claude.mcp.s").replace("agents.*", &format!("agents.{agent}"));
    key.replace("prices.*", "prices.new").replace("checks.*", "checks.test")
}

/// A command with a Claude Code and a key on hand, all of which leave a trace when they are used.
fn command(scratch: &Scratch, words: &[&str]) -> Command {
    let mut command = scratch.redraft(words);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(scratch.outside().join("bin")).chain(std::env::split_paths(&path));
    command.env("PATH", std::env::join_paths(folders).unwrap());
    command.env("OPENAI_API_KEY", "not-a-real-key").env("SOME_VARIABLE", "whatever it holds");
    command
}

#[test]
fn every_wish_of_an_unaccepted_file_stops_what_would_use_it_before_anything_is_sent_read_or_started() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export the monthly report as CSV"]).expect(0);
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    let canary = scratch.outside().join("canary").display().to_string();
    fs::create_dir(scratch.outside().join("bin")).unwrap();
    // Commands that only look ask for its version; anything else leaves a trace.
    let program = format!("#!/bin/sh\n[ \"$*\" = --version ] && echo 2.1.325 && exit 0\ntouch {canary}\n");
    executable(&scratch, "../bin/claude", &program);
    executable(&scratch, "../canary.sh", &format!("#!/bin/sh\ntouch {canary}\n"));
    // Opening it would wait forever.
    assert!(scratch.command("mkfifo").arg(format!("{canary}.key")).status().unwrap().success());
    scratch.write(".env", "KEY=local\n");
    let mut asked = 0;
    for (key, decision) in KEYS {
        let by = match decision {
            KeyDecision::Harmless => continue,
            KeyDecision::Asks(by) | KeyDecision::AsksIfFree(by) => by,
            KeyDecision::AsksAbove(by, _) | KeyDecision::AsksUnless(by, _) => by,
        };
        scratch.write_unaccepted("redraft.toml", &sample(key, port, &canary));
        let words: &[&[&str]] = match by {
            By::EveryRun => &[&["run", "001", "--yes"], &["review", "README.md", "--yes"]],
            By::Agent => &[&["run", "001", "--yes"], &["review", "README.md", "--yes"], &["doctor", "--yes"]],
            By::Checks => &[&["run", "001", "--yes"]],
            By::Worktrees => &[&["new", "another idea"]],
            // What a session is told is tested with the hooks.
            By::Hooks => &[],
            By::Sharing => &[&["sync"]],
            // A run goes on without telling anybody; tested with the notices.
            By::Notices => &[],
        };
        let line = format!("{} = ", shown(key));
        for words in words {
            let ran = Ran::new(command(&scratch, words).output().unwrap());
            assert_eq!(ran.code, Some(6), "{key} {words:?}: {}{}", ran.stdout, ran.stderr);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains(&line) && said.contains("redraft trust"), "{key} {words:?}: {said}");
            asked += 1;
        }
        // Commands that only look are not stopped, and show that it does not hold.
        for words in [&["status"][..], &["log"], &["models"], &["cost", "001"], &["config"]] {
            let ran = Ran::new(command(&scratch, words).output().unwrap());
            assert_eq!(ran.code, Some(0), "{key} {words:?}: {}", ran.stderr);
        }
        let config: serde_json::Value =
            serde_json::from_slice(&command(&scratch, &["config", "--json"]).output().unwrap().stdout)
                .unwrap();
        let settings = config["settings"].as_array().unwrap();
        let found = settings.iter().find(|one| one["key"].as_str().unwrap().starts_with(&shown(key)));
        assert_eq!(found.unwrap()["accepted"], false, "{key}");
        let listed = scratch.run(["trust"]).expect(6);
        assert!(listed.stdout.contains(&line), "{key}: {}", listed.stdout);
        assert!(server.accept().is_err(), "{key}: nobody has come to the server");
        assert!(!fs::exists(&canary).unwrap(), "{key}: nothing was started");
        assert!(accepts_nothing(&scratch));
    }
    assert!(asked > 40, "{asked}");
    scratch.write_unaccepted("redraft.toml", "");
    let log = scratch.json(["log"]);
    let sent =
        |event: &&serde_json::Value| event["kind"] == "started" && event["body"]["agent"] != "rehearsal";
    assert_eq!(log["events"].as_array().unwrap().iter().find(sent), None);
}

#[test]
fn a_yes_holds_for_exactly_what_was_seen_and_unrelated_edits_ask_nothing() {
    let scratch = feature("Show the weather");
    let checks = "[checks]\ntest = \"true\"\n";
    scratch.write_unaccepted("redraft.toml", checks);
    let said = scratch.run(["trust"]).expect(6);
    assert_eq!(
        said.stdout,
        "redraft.toml wants:\n  checks.test = \"true\"\nnot accepted; to accept: redraft trust --yes\n"
    );
    let said = scratch.run(["trust", "--yes"]).expect(0);
    assert!(
        said.stdout.ends_with("accepted; redraft asks again when one of these changes\n"),
        "{}",
        said.stdout
    );
    assert_eq!(fs::metadata(store(&scratch)).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(
        !scratch.json(["log"])["events"].to_string().contains("trusted"),
        "nothing of it is in the repository"
    );
    for (also, code) in [
        ("[review]\npolicy = \"fresh\"\n", 0),
        ("[limits]\nrounds = 2\n", 0),
        ("[lanes]\ndeep = [\"x\"]\n", 0),
        ("[limits]\nrounds = 6\n", 6),
        ("[workspace]\ncopy = [\".env\"]\n", 6),
        ("[agents.codex]\npass = [\"HOME\"]\n", 6),
        ("[sandbox]\nlevel = \"off\"\n", 6),
        ("[sandbox]\nnetwork = [\"all\"]\n", 6),
    ] {
        scratch.write_unaccepted("redraft.toml", &format!("{also}{checks}"));
        scratch.run(["trust"]).expect(code);
    }
    scratch.write_unaccepted("redraft.toml", checks);
    assert!(scratch.run(["trust"]).expect(0).stdout.ends_with("accepted before\n"));
    let list = scratch.run(["trust", "--list"]).expect(0).stdout;
    for part in ["repo/.git\n", "by Test Person\n", "    checks.test = \"true\"\n", "kept in: "] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let forgotten = scratch.run(["trust", "--forget"]).expect(0).stdout;
    assert!(
        forgotten.starts_with("2 acceptances for ") && forgotten.contains("redraft will ask again"),
        "its state folder included: {forgotten}"
    );
    scratch.run(["trust"]).expect(6);
    assert!(scratch.run(["trust", "--list"]).expect(0).stdout.starts_with("nothing has been accepted yet\n"));
}

#[test]
fn a_sandbox_that_was_accepted_is_not_taken_away_without_a_yes() {
    let scratch = feature("Show the weather");
    let with = |level: &str| format!("[checks]\ntest = \"true\"\n{level}");
    scratch.write_unaccepted("redraft.toml", &with("[sandbox]\nlevel = \"strict\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
    for weaker in ["[sandbox]\nlevel = \"auto\"\n", "[sandbox]\nlevel = \"off\"\n"] {
        scratch.write_unaccepted("redraft.toml", &with(weaker));
        let said = scratch.run(["run", "--yes"]).expect(6);
        assert!(said.stderr.contains("nobody has accepted yet"), "{weaker}: {}", said.stderr);
    }
    // Without a level, nothing but the check is left to ask about.
    scratch.write_unaccepted("redraft.toml", &with(""));
    scratch.run(["trust"]).expect(6);
}

#[test]
fn a_command_cannot_show_itself_as_another_one() {
    let scratch = Scratch::repository(PROGRAM);
    let evil = "evil #\\u001b[2K\\rchecks.tests: cargo test\\u202e\\u0085\\u2028x";
    scratch.write_unaccepted("redraft.toml", &format!("[checks]\ntests = \"{evil}\"\n"));
    let line = "checks.tests = \"evil #\\u{1b}[2K\\rchecks.tests: cargo test\\u{202e}\\u{85}\\u{2028}x\"";
    let on_terminal = on_a_terminal(&scratch, &["trust"], "no\n", 6);
    for said in [scratch.run(["trust"]).expect(6).stdout, on_terminal] {
        assert!(said.contains(line), "{said:?}");
        let hides = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r');
        assert!(!said.contains(hides) && !said.contains(['\u{202e}', '\u{2028}']), "{said:?}");
    }
}

#[test]
fn another_repository_at_the_same_path_and_a_copy_elsewhere_are_asked_about_anew() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("redraft.toml", "[checks]\ntest = \"true\"\n");
    scratch.run(["trust"]).expect(0);
    let copy = scratch.outside().join("copy");
    assert!(scratch.command("cp").args(["-a", "."]).arg(&copy).status().unwrap().success());
    assert_eq!(scratch.redraft(["trust"]).current_dir(&copy).output().unwrap().status.code(), Some(6));
    // Through a link, from a subfolder and from a worktree it is the same one.
    let link = scratch.outside().join("link");
    std::os::unix::fs::symlink(scratch.root(), &link).unwrap();
    fs::create_dir(scratch.root().join("sub")).unwrap();
    for folder in [link, scratch.root().join("sub")] {
        assert_eq!(scratch.redraft(["trust"]).current_dir(folder).output().unwrap().status.code(), Some(0));
    }
    fs::rename(scratch.root(), scratch.outside().join("old")).unwrap();
    fs::rename(&copy, scratch.root()).unwrap();
    scratch.run(["trust"]).expect(6);
}

#[test]
fn without_a_place_for_acceptances_the_way_out_is_told_and_nothing_is_accepted() {
    let scratch = feature("Show the weather");
    scratch.write_unaccepted("redraft.toml", "budget = 9\n");
    let mut homeless = scratch.redraft(["trust", "--yes"]);
    let ran = Ran::new(homeless.env_remove("HOME").output().unwrap()).expect(3);
    assert!(ran.stderr.contains("neither XDG_STATE_HOME nor HOME is set"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("hint: set HOME, or set XDG_STATE_HOME to a folder of your own"),
        "{}",
        ran.stderr
    );
    let blocked = scratch.outside().join("home/.gitconfig");
    fs::write(&blocked, "").unwrap();
    let mut command = scratch.redraft(["trust", "--yes"]);
    let ran = Ran::new(command.env("XDG_STATE_HOME", &blocked).output().unwrap()).expect(3);
    assert!(
        ran.stderr.contains("cannot be written") && ran.stderr.contains("nothing was accepted"),
        "{}",
        ran.stderr
    );
    let mut elsewhere = scratch.redraft(["trust", "--yes"]);
    elsewhere.env("XDG_STATE_HOME", scratch.outside().join("state"));
    Ran::new(elsewhere.output().unwrap()).expect(0);
    assert!(scratch.outside().join("state/redraft/trust.toml").is_file());
    scratch.run(["trust", "--yes"]).expect(0);
    fs::set_permissions(store(&scratch), fs::Permissions::from_mode(0o666)).unwrap();
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("can be written by others"), "{}", ran.stderr);
    assert!(ran.stderr.contains("chmod 600"), "{}", ran.stderr);
    scratch.run(["status"]).expect(0);
}

#[test]
fn on_a_terminal_the_question_is_answered_at_once() {
    let scratch = feature("Show the weather");
    scratch.write_unaccepted("redraft.toml", "budget = 9\n[limits]\nrounds = 6\n");
    let said = on_a_terminal(&scratch, &["run", "001"], "no\n", 6);
    assert!(said.contains("May redraft do this here?") && said.contains("budget = 9"), "{said}");
    assert!(accepts_nothing(&scratch));
    on_a_terminal(&scratch, &["run", "001", "--yes"], "yes\n", 6);
    assert!(accepts_nothing(&scratch), "--yes agrees to spend, and to nothing else");
    let said = on_a_terminal(&scratch, &["run", "001"], "yes\n", 0);
    assert!(said.contains("limits.rounds = 6"), "{said}");
    let said = on_a_terminal(&scratch, &["run", "001"], "", 0);
    assert!(!said.contains("May redraft do this here?"), "{said}");
}
