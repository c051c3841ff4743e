//! Tests comfort in a shell: completions, manual pages, `--quiet`, no colours, and one object for programs from every
//! command.

use crate::typed::on_a_terminal;
use crate::world::{PROGRAM, feature};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Every command that people are shown, by the name of its manual page.
fn commands(scratch: &Scratch) -> Vec<String> {
    let pages = scratch.json(["man"]);
    let pages = pages["pages"].as_array().unwrap();
    pages.iter().map(|page| page["command"].as_str().unwrap().to_owned()).collect()
}

/// What bash offers when these words were typed and the last one is to be completed.
fn offered(scratch: &Scratch, words: &[&str]) -> BTreeSet<String> {
    let script = scratch.outside().join("completions.bash");
    fs::write(&script, scratch.run(["completions", "bash"]).expect(0).stdout).unwrap();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words.len() - 1, words[words.len() - 2]);
    let typed = format!(
        "source '{}'; complete -p redraft >&2; COMP_WORDS=({}); COMP_CWORD={last}; _redraft redraft '{}' '{before}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        quoted.join(" "),
        words[last],
    );
    let folder = std::path::Path::new(PROGRAM).parent().unwrap();
    let path = std::env::join_paths([folder, std::path::Path::new("/usr/bin"), std::path::Path::new("/bin")])
        .unwrap();
    let ran = scratch.command("bash").args(["--norc", "-c", &typed]).env("PATH", path).output().unwrap();
    let ran = Ran::new(ran).expect(0);
    assert!(ran.stderr.contains("-F _redraft"), "bash knows it: {}", ran.stderr);
    ran.stdout.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values_and_nothing_hidden() {
    let scratch = Scratch::empty(PROGRAM);
    let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(offered(&scratch, &["redraft", "ru"]), set(&["run"]));
    assert_eq!(offered(&scratch, &["redraft", "show", "pro"]), set(&["prompt"]));
    assert_eq!(offered(&scratch, &["redraft", "run", "--on-c"]), set(&["--on-cap"]));
    assert_eq!(offered(&scratch, &["redraft", "run", "--on-cap", "a"]), set(&["ask", "accept"]));
    assert_eq!(offered(&scratch, &["redraft", "completions", "p"]), set(&["powershell"]));
    let all = offered(&scratch, &["redraft", ""]);
    assert!(all.contains("finish") && all.contains("hook") && !all.contains("worker"), "{all:?}");
}

#[test]
fn bash_completes_the_numbers_of_features() {
    let scratch = feature("Show the weather");
    scratch.run(["new", "--until", "specify", "Show the time"]).expect(0);
    let expected: BTreeSet<String> = ["001", "002"].map(str::to_owned).into();
    for words in [
        &["run"][..],
        &["finish"],
        &["decide"],
        &["status"],
        &["cost"],
        &["report"],
        &["log"],
        &["show", "prompt"],
        &["show", "findings"],
        &["show", "pull-request"],
    ] {
        let typed: Vec<&str> = [&["redraft"], words, &["0"]].concat();
        assert_eq!(offered(&scratch, &typed), expected, "{words:?}");
    }
    assert!(!offered(&scratch, &["redraft", "new", "0"]).contains("001"));
    let without = Scratch::empty(PROGRAM);
    assert_eq!(offered(&without, &["redraft", "run", "0"]), BTreeSet::new());
    assert_eq!(without.run(["completions", "--features"]).expect(0).stderr, "");
    assert_eq!(scratch.json(["completions", "--features"])["features"], serde_json::json!(["001", "002"]));
    scratch.run(["completions"]).expect(2);
}

#[test]
fn every_shell_gets_every_command_and_nothing_hidden() {
    let scratch = Scratch::empty(PROGRAM);
    let commands = commands(&scratch);
    for (shell, begins) in [
        ("bash", "_redraft()"),
        ("zsh", "#compdef redraft"),
        ("fish", "complete -c redraft"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName 'redraft'"),
    ] {
        let script = scratch.run(["completions", shell]).expect(0).stdout;
        assert!(script.contains(begins), "{shell}");
        for command in &commands {
            let last = command.rsplit(' ').next().unwrap();
            assert!(script.contains(last), "{shell}: {command}");
        }
        assert!(!script.contains("worker"), "{shell}");
        let object = scratch.json(["completions", shell]);
        assert_eq!(
            (&object["shell"], object["script"].as_str()),
            (&shell.into(), Some(script.as_str())),
            "{shell}"
        );
    }
    scratch.run(["completions", "tcsh"]).expect(2);
}

#[test]
fn every_command_has_a_manual_page_with_its_options_and_examples() {
    let scratch = Scratch::empty(PROGRAM);
    let ran = scratch.run(["man", "share/man1"]).expect(0);
    let folder = scratch.root().join("share/man1");
    let commands = commands(&scratch);
    assert!(ran.stdout.starts_with(&format!("{} pages in ", commands.len())), "{}", ran.stdout);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), commands.len());
    for command in &commands {
        let name = command.replace(' ', "-");
        let page = fs::read_to_string(folder.join(format!("{name}.1"))).unwrap();
        let heading = format!("\n.TH {name} 1 ");
        assert!(page.contains(&heading), "{name}: {}", page.lines().nth(2).unwrap_or_default());
        for expected in ["\n.SH NAME\n", "\n.SH SYNOPSIS\n", "\\-\\-json", "Exit codes:"] {
            assert!(page.contains(expected), "{name}: {expected}");
        }
        assert!(
            command == "redraft" || page.contains("\n.SH EXAMPLES AND EXIT CODES\nExamples:\n.nf\n  "),
            "{name}"
        );
        assert_eq!(page.matches("\n.nf\n").count(), page.matches("\n.fi\n").count(), "{name}");
        assert!(
            !page.contains("help(1)") && !page.contains("worker(1)") && !page.contains("redraft\\-worker"),
            "{name}"
        );
    }
    assert!(fs::read_to_string(folder.join("redraft-run.1")).unwrap().contains("\\-\\-budget"));
    let main = scratch.run(["man"]).expect(0).stdout;
    assert_eq!(main.trim_end(), fs::read_to_string(folder.join("redraft.1")).unwrap().trim_end());
}

#[test]
fn pages_are_replaced_by_their_next_version_and_other_files_are_not() {
    let scratch = Scratch::empty(PROGRAM);
    scratch.run(["man", "man1"]).expect(0);
    let page = scratch.root().join("man1/redraft-run.1");
    let whole = fs::read_to_string(&page).unwrap();
    fs::write(&page, &whole[..whole.len() / 2]).unwrap();
    scratch.run(["man", "man1"]).expect(0);
    assert_eq!(fs::read_to_string(&page).unwrap(), whole);
    fs::write(&page, "mine").unwrap();
    let ran = scratch.run(["man", "man1"]).expect(2);
    assert!(ran.stderr.contains("redraft-run.1 already exists"), "{}", ran.stderr);
    assert_eq!(fs::read_to_string(&page).unwrap(), "mine");
    fs::write(scratch.root().join("file"), "").unwrap();
    let ran = scratch.run(["man", "file"]).expect(3);
    assert!(ran.stderr.contains("file cannot be created"), "{}", ran.stderr);
    let ran = Ran::new(scratch.redraft(["man", "x"]).env("REDRAFT_TICKET", "t").output().unwrap()).expect(2);
    assert!(ran.stderr.contains("an agent at work on t cannot write pages"), "{}", ran.stderr);
}

#[test]
fn who_wants_to_hear_nothing_hears_only_errors_and_still_gets_the_data() {
    let (loud, quiet) = (feature("Show the weather"), feature("Show the weather"));
    let (told, silent) = (loud.run(["run", "001"]).expect(0), quiet.run(["run", "001", "--quiet"]).expect(0));
    assert!(told.stderr.contains("spec-reviewer approved") && silent.stderr.is_empty(), "{}", silent.stderr);
    let place =
        |ran: &Ran, scratch: &Scratch| ran.stdout.replace(&scratch.root().display().to_string(), "ROOT");
    assert_eq!(place(&told, &loud), place(&silent, &quiet));
    let wrong = quiet.run(["-q", "status", "009"]).expect(2);
    assert!(wrong.stderr.starts_with("error: ") && wrong.stderr.contains("hint: "), "{}", wrong.stderr);
    let usage = quiet.run(["-q", "status", "--bogus"]).expect(2);
    assert!(usage.stderr.contains("--bogus"), "{}", usage.stderr);
    assert_eq!(quiet.run(["demo", "-q"]).expect(0).stderr, "");
}

#[test]
fn questions_are_asked_also_of_who_wants_to_hear_nothing_with_what_they_are_about() {
    let scratch = feature("Show the weather");
    scratch.write_unaccepted("redraft.toml", "[limits]\nrounds = 1\n[workspace]\nsetup = \"touch x\"\n");
    let said = on_a_terminal(&scratch, &["trust", "--quiet"], "yes\n", 0);
    assert!(said.contains("touch x") && said.contains("May redraft do this here?"), "{said}");
    let said = on_a_terminal(&scratch, &["run", "001", "--quiet"], "stop\n", 6);
    assert!(said.contains("did not approve within 1 round") && said.contains("or STOP?"), "{said}");
    assert!(!said.contains("rejected: "), "{said}");
}

#[test]
fn help_and_errors_have_no_colours_on_a_terminal_either() {
    let scratch = Scratch::empty(PROGRAM);
    for (words, code) in [(&["run", "--bogus"][..], 2), (&["status"], 2)] {
        let said = on_a_terminal(&scratch, words, "", code);
        assert!(said.contains("error: ") && !said.contains('\x1b'), "{said:?}");
    }
    for variables in [&[][..], &[("NO_COLOR", "1")], &[("CLICOLOR_FORCE", "1")]] {
        let mut help = scratch.redraft(["run", "--help"]);
        let help = Ran::new(help.envs(variables.iter().copied()).output().unwrap()).expect(0);
        assert!(!help.stdout.contains('\x1b'), "{variables:?}");
    }
}

/// What to type for each command to see its object; the order is that of a feature's life.
const TYPED: [(&str, &[&str]); 63] = [
    ("redraft config", &[]),
    ("redraft config set", &["budget", "4"]),
    ("redraft config unset", &["budget"]),
    ("redraft init", &[]),
    ("redraft new", &["Export the orders", "--until", "design"]),
    ("redraft status", &[]),
    ("redraft run", &["--until", "specify"]),
    ("redraft phase skip", &["design", "--why", "nothing to design"]),
    ("redraft phase back", &["specify", "--why", "something was forgotten"]),
    ("redraft decide", &["001"]),
    ("redraft comment", &["001", "name the unit", "--phase", "specify", "--note"]),
    ("redraft cost", &["001"]),
    ("redraft report", &["001"]),
    ("redraft watch", &["001"]),
    ("redraft stop", &["001"]),
    ("redraft share", &[]),
    ("redraft sync", &[]),
    ("redraft clean", &[]),
    ("redraft uninstall", &[]),
    (
        "redraft cost correct",
        &["001", "specify.1/draft/spec-author/1.1", "--usd", "0.12", "--why", "the bill"],
    ),
    ("redraft log", &[]),
    ("redraft lint", &[]),
    ("redraft show prompt", &["001"]),
    ("redraft show findings", &["001"]),
    ("redraft show tasks", &["tasks.md"]),
    ("redraft show schedule", &["tasks.md"]),
    ("redraft show section", &["spec.md", "FR-1"]),
    ("redraft show context", &[".", "--task", "1"]),
    ("redraft show trace", &["001"]),
    ("redraft show pull-request", &["001"]),
    ("redraft review", &["spec.md"]),
    ("redraft adopt", &["--dry-run"]),
    ("redraft project", &[]),
    ("redraft project new", &["Shop"]),
    ("redraft bank", &[]),
    ("redraft bank show", &["Whole Files"]),
    ("redraft bank keep", &["Whole Files", "--feature", "001"]),
    ("redraft bank update", &["Whole Files", "--text", "Write files whole.", "--feature", "001"]),
    ("redraft bank backfill", &[]),
    ("redraft bank retire", &["Whole Files", "--why", "everybody knows", "--feature", "001"]),
    ("redraft ledger export", &["../exported.jsonl"]),
    ("redraft ledger import", &["../exported.jsonl", "--move-aside"]),
    ("redraft doctor", &[]),
    ("redraft models", &[]),
    ("redraft trust", &[]),
    ("redraft replay", &["--ledger"]),
    ("redraft eval plant", &["cases", "spec.md"]),
    ("redraft eval export", &["cases", "prompts", "--arm", "ours"]),
    ("redraft eval score", &["cases", "prompts"]),
    ("redraft eval run", &["cases", "answers", "--agent", "rehearsal", "--arm", "ours"]),
    ("redraft eval judge", &["cases", "answers", "--agent", "rehearsal"]),
    ("redraft demo", &["--keep", "kept"]),
    ("redraft finish", &["001", "-C", "kept"]),
    ("redraft completions", &["bash"]),
    ("redraft man", &[]),
    ("redraft plugin export", &["exported"]),
    // Mistakes, reported as an object: groups without a command, and a host's work where none is out.
    ("redraft eval", &[]),
    ("redraft show", &[]),
    ("redraft phase", &[]),
    ("redraft plugin", &[]),
    ("redraft ledger", &[]),
    ("redraft ledger redact", &[]),
    ("redraft rehearse", &["001/specify.1/draft/spec-author/1.1"]),
];

#[test]
fn every_command_prints_one_object_for_programs() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("tasks.md", "# Tasks\n\n### Task 1: Write it\n\n- Done when it is written\n");
    scratch.write("spec.md", "# Spec\n\n- **FR-1:** It must be written.\n");
    let entry = "# Heuristics\n\n### Whole Files\nFiles are written whole.\n- Observation count: 1\n";
    scratch.write("docs/knowledge-bank/heuristics.md", entry);
    scratch.git(["add", "."]);
    scratch.git(["commit", "-q", "-m", "documents"]);
    let mut left: BTreeMap<String, ()> = commands(&scratch).into_iter().map(|name| (name, ())).collect();
    for (command, more) in TYPED {
        let words: Vec<&str> =
            command.split(' ').skip(1).chain(more.iter().copied()).chain(["--json"]).collect();
        let ran = scratch.run(&words);
        let object: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{command}: {error}: {ran:?}"));
        assert!(object.is_object() && ran.stdout.starts_with("{\n  \"v\": 1,"), "{command}: {}", ran.stdout);
        let mistakes = [
            "redraft eval",
            "redraft show",
            // Nothing is shared there.
            "redraft sync",
            "redraft phase",
            "redraft plugin",
            "redraft ledger",
            "redraft ledger redact",
            "redraft rehearse",
        ];
        assert_eq!(object.get("error").is_some(), mistakes.contains(&command), "{command}: {ran:?}");
        assert!(left.remove(command).is_some(), "{command} is no command any more");
    }
    // A hook prints in the host's form, a server in the protocol's; the program without a command is like any group.
    let excepted = [
        "redraft",
        "redraft hook",
        "redraft hook pre-tool-use",
        "redraft hook session-start",
        "redraft hook stop",
        "redraft mcp",
        // It prints its object and goes on serving; its own tests read it.
        "redraft ui",
    ];
    assert_eq!(left.keys().map(String::as_str).collect::<Vec<_>>(), excepted, "every command is tried here");
}
