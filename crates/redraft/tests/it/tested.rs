//! Tests that what is approved and merged was tested: checks see the commit and nothing else, and what an agent does
//! besides is undone or reported. The agent is a program that does what a script says.

use crate::world::{PROGRAM, bodies, events, executable};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::fs;

const IDEA: &str = "Greet people in the shell";

/// Answers like Claude Code whose model has done what a script says, as the `$n`th dispatch.
const PROGRAM_TEXT: &str = r#"#!/bin/sh
[ "$1" = --version ] && echo 9.9.9 && exit 0
while [ $# -gt 1 ]; do case "$1" in --session-id|--resume) id=$2;; esac; shift; done
cat > /dev/null
n=$(($(cat OUTSIDE/n 2> /dev/null || echo 0) + 1))
echo $n > OUTSIDE/n
(. OUTSIDE/act.sh) > OUTSIDE/said 2>&1
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"%s","total_cost_usd":0.01,' "$id"
printf '%s\n' '"usage":{"input_tokens":10,"output_tokens":10},"result":"done"}'
"#;

/// Lets this role be played by a program that does what the script says, in the worktree.
fn played(scratch: &Scratch, role: &str, config: &str, act: &str) {
    let outside = scratch.outside().display().to_string();
    executable(scratch, "program.sh", &PROGRAM_TEXT.replace("OUTSIDE", &outside));
    fs::write(scratch.outside().join("act.sh"), act).unwrap();
    let agent =
        "[agents.odd]\nkind = \"claude\"\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./program.sh\"\n";
    // What a sandbox prevents must be undone where there is none.
    let off = "[sandbox]\nlevel = \"off\"\n";
    scratch.write("redraft.toml", &format!("{config}\n{off}{agent}[roles]\n{role} = \"odd\"\n"));
    scratch.run(["trust", "--yes"]).expect(0);
}

fn commit(scratch: &Scratch, path: &str, text: &str) {
    scratch.write(path, text);
    scratch.git(["add", path]);
    scratch.git(["commit", "-q", "-m", path]);
}

/// A repository whose test wants a greeting of `code.sh`.
fn greeting() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    commit(&scratch, "tests/run.sh", "sh code.sh | grep -q hello\n");
    commit(&scratch, ".gitignore", "local/\ncache\ninstalled\n");
    scratch
}

const CHECKED: &str = "[checks]\ntests = \"sh tests/run.sh\"\n[limits]\ngates = 1\nattempts = 1\n";

/// The project's checks of code, in order.
fn checks(events: &[Value]) -> Vec<&Value> {
    bodies(events, "checked").filter(|body| body["gate"] == "tests").collect()
}

fn told(events: &[Value]) -> String {
    let answered = bodies(events, "answered");
    let lines = answered.flat_map(|body| [&body["undone"], &body["notes"]]);
    lines
        .flat_map(|lines| lines.as_array().unwrap())
        .map(|line| format!("{}\n", line.as_str().unwrap()))
        .collect()
}

/// A change that shows only in the agent's folder. What is in the commit fails its test.
#[test]
fn what_only_the_agents_folder_holds_passes_no_check() {
    let broken = "echo broken > code.sh\n";
    // The file is older than the index, so that git need not read it: it reads files that are as new as the index.
    let same = "touch -d @1700000000 tests/run.sh; git update-index -q --refresh\n\
                was=$(wc -c < tests/run.sh); printf 'exit 0\\n' > ../new; while [ $(wc -c < ../new) -lt $was ]; do printf '#' >> ../new; done\n\
                touch -r tests/run.sh ../new; cat ../new > tests/run.sh; touch -r ../new tests/run.sh; rm ../new\n";
    let cases = [
        ("skip-worktree", format!("{broken}git update-index --skip-worktree tests/run.sh; echo exit 0 > tests/run.sh"),
            "made git look at tests/run.sh again"),
        ("assume-unchanged", format!("{broken}git update-index --assume-unchanged tests/run.sh; echo exit 0 > tests/run.sh"),
            "made git look at tests/run.sh again"),
        ("an ignored file", "mkdir local; echo 'echo hello' > local/lib.sh; echo '. ./local/lib.sh' > code.sh".to_owned(),
            "left in the worktree and in no commit: ignored local/"),
        ("a repository inside", "git init -q lib; echo 'echo hello' > lib/lib.sh; echo '. ./lib/lib.sh' > code.sh".to_owned(),
            "left in the worktree and in no commit: the repository lib/"),
        ("same size and time, believed by the user's settings", format!("{broken}{same}"), ""),
        ("same size and time, by settings of its own", format!("{broken}git config core.trustctime false; git config core.checkStat minimal\n{same}"),
            "undid all of the attempt"),
        ("a clean filter", format!("{broken}cp tests/run.sh ../was; git config filter.same.clean \"cat $PWD/../was\"\n\
            echo 'tests/run.sh filter=same' >> $(git rev-parse --git-common-dir)/info/attributes; echo exit 0 > tests/run.sh"),
            "undid all of the attempt"),
        ("a pattern of git's own", "echo lib.sh >> $(git rev-parse --git-common-dir)/info/exclude; echo 'echo hello' > lib.sh; echo '. ./lib.sh' > code.sh".to_owned(),
            "undid all of the attempt"),
    ];
    for (name, act, expected) in cases {
        let scratch = greeting();
        if name.ends_with("the user's settings") {
            scratch.git(["config", "core.trustctime", "false"]);
            scratch.git(["config", "core.checkStat", "minimal"]);
        }
        played(&scratch, "implementer", CHECKED, &act);
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        let before = scratch.git(["rev-parse", "main"]);
        let ran = scratch.run(["run", "--yes"]).expect(6);
        let said = fs::read_to_string(scratch.outside().join("said")).unwrap();
        let events = events(&scratch);
        assert!(told(&events).contains(expected), "{name}: {}\n{said}\n{}", told(&events), ran.stderr);
        assert!(
            checks(&events).iter().all(|check| check["passed"] == false),
            "{name}: {:?}",
            checks(&events)
        );
        assert!(bodies(&events, "phase-closed").all(|body| body["phase"] != "implement"), "{name}");
        assert_ne!(scratch.run(["finish", "--merge", "--yes"]).code, Some(0), "{name}");
        assert_eq!(scratch.git(["rev-parse", "main"]), before, "{name}");
    }
}

#[test]
fn honest_work_passes_where_the_commit_is_alone() {
    let scratch = greeting();
    played(&scratch, "implementer", CHECKED, "echo 'echo hello' > code.sh");
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    scratch.run(["run", "--yes", "--until", "implement"]);
    let events = events(&scratch);
    let first = checks(&events)[0].clone();
    assert_eq!((&first["passed"], &first["checkout"]["empty"]), (&true.into(), &true.into()), "{first}");
    let built = bodies(&events, "built").next().unwrap();
    assert_eq!(first["checkout"]["commit"], built["commit"], "the commit that is reviewed");
    assert_eq!(
        scratch.git(["worktree", "list"]).lines().count(),
        2,
        "git lists the feature's and the user's own"
    );
}

/// Eight tasks, and a check that counts how often it was run since its folder was empty.
#[test]
fn caches_stay_from_task_to_task_and_reviewers_and_merges_rest_on_an_empty_checkout() {
    let scratch = crate::built::shell("", "echo x >> cache; wc -l < cache; sh tests/run.sh");
    commit(&scratch, ".gitignore", "cache\n");
    scratch.run(["new", "--lane", "standard", "Let people export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let told = events(&scratch);
    let all = checks(&told);
    let counted = |check: &Value| {
        check["output"].as_str().unwrap().lines().next().unwrap().trim().parse::<u32>().unwrap()
    };
    for check in &all {
        let same = check["checkout"]["same_as"].as_u64();
        if check["checkout"]["empty"] == true && same.is_none() {
            assert_eq!(counted(check), 1, "{check}");
        }
    }
    let kept: Vec<u32> =
        all.iter().filter(|check| check["checkout"]["empty"] == false).map(|check| counted(check)).collect();
    assert_eq!(kept[..3], [2, 3, 4], "the first of all found nothing there: {kept:?}");
    // Reviewers judge the code only after a result of the commit alone.
    let mut alone = false;
    for event in &told {
        let body = &event["body"];
        match event["kind"].as_str().unwrap() {
            "checked" if body["gate"] == "tests" => alone = body["checkout"]["empty"] == true,
            "built" => alone = false,
            "started" if body["ticket"].as_str().unwrap().contains("/implement.1/review/") => {
                assert!(alone, "{body}")
            }
            _ => {}
        }
    }
    // The end is based on the result of the very same files.
    let last = all.last().unwrap();
    assert!(last["checkout"]["same_as"].is_u64(), "{last}");
    let log = scratch.run(["log"]).expect(0).stdout;
    assert!(log.contains("gate tests passed (not run again: event "), "{log}");
    assert!(log.contains(", in an empty checkout)"), "{log}");
    // On another base it is another commit, and is checked before it is merged.
    commit(&scratch, "other", "");
    scratch.run(["finish", "--merge", "--yes"]).expect(0);
    assert!(!scratch.root().join(".redraft/worktrees").join(format!("check-{}", name(&scratch))).exists());
}

fn name(scratch: &Scratch) -> String {
    scratch.worktree("001").file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn setup_is_run_again_where_a_commit_needs_it_and_what_it_changes_is_told() {
    let scratch = greeting();
    let config = "[workspace]\nsetup = \"cp needed installed 2> /dev/null; echo x >> README.md\"\n\
                  [checks]\ntests = \"cmp needed installed\"\n[implement]\nsimplify = false\ndeepen = false\n";
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    scratch.run(["run", "--yes", "--until", "create-tasks"]).expect(0);
    played(&scratch, "implementer", config, "echo $n > needed");
    scratch.run(["run", "--yes", "--until", "implement"]);
    let events = events(&scratch);
    let all = checks(&events);
    assert!(all.len() > 2 && all.iter().all(|check| check["passed"] == true), "{all:?}");
    let notes = all[0]["checkout"]["notes"].as_array().unwrap();
    assert_eq!(notes, &["setup changed README.md, which was put back"].map(Value::from), "{}", all[0]);
    assert_eq!(
        scratch.git_in(&scratch.worktree("001"), ["show", "HEAD:README.md"]),
        scratch.git(["show", "main:README.md"])
    );
}

#[test]
fn what_agents_and_checks_do_to_git_itself_is_put_back_and_told() {
    let plant = "git config core.hooksPath .evil; git config alias.st '!evil'; echo evil > $(git rev-parse --git-common-dir)/hooks/pre-push";
    for by_check in [false, true] {
        let scratch = greeting();
        let git = scratch.root().join(".git");
        let before = fs::read_to_string(git.join("config")).unwrap();
        let act = match by_check {
            false => format!("echo 'echo hello' > code.sh; {plant}"),
            true => format!(
                "echo 'echo hello' > code.sh; cat > tests/run.sh <<'END'\n{plant}\nsh code.sh | grep -q hello\nEND\n"
            ),
        };
        played(&scratch, "implementer", CHECKED, &act);
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        let ran = scratch.run(["run", "--yes", "--until", "implement"]);
        assert_eq!(fs::read_to_string(git.join("config")).unwrap(), before, "by a check: {by_check}");
        assert!(!git.join("hooks/pre-push").exists(), "by a check: {by_check}");
        let events = events(&scratch);
        let lines = match by_check {
            false => told(&events),
            true => checks(&events)[0]["checkout"]["notes"].to_string(),
        };
        for part in [
            "put back .git/config, which was changed meanwhile",
            "removed .git/hooks/pre-push, which was made meanwhile",
        ] {
            assert!(lines.contains(part), "by a check: {by_check}: {lines}");
            assert!(ran.stderr.contains(part), "by a check: {by_check}: {}", ran.stderr);
        }
        assert_eq!(checks(&events)[0]["passed"], true, "the work itself is taken");
    }
}

#[test]
fn a_worktree_that_an_agent_removes_is_made_anew_and_the_run_goes_on() {
    for removed in ["rm -rf \"$w\"", "git -C MAIN worktree remove --force \"$w\""] {
        let scratch = greeting();
        let removed = removed.replace("MAIN", &scratch.root().display().to_string());
        let act =
            format!("if [ $n = 1 ]; then w=$PWD; cd /; {removed}; else echo 'echo hello' > code.sh; fi");
        played(&scratch, "implementer", &CHECKED.replace("attempts = 1", "attempts = 2"), &act);
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        let ran: Ran = scratch.run(["run", "--yes", "--until", "implement"]);
        let events = events(&scratch);
        let line =
            format!("made the worktree {} again, which had been removed", scratch.worktree("001").display());
        assert!(told(&events).contains(&line), "{}\n{}", told(&events), ran.stderr);
        assert_eq!(checks(&events)[0]["passed"], true, "{}", ran.stderr);
        assert!(!scratch.state().join("ready/001").exists(), "the next run prepares it again");
    }
}

/// The branch is what gets merged, so it must hold what was approved.
#[test]
fn a_branch_that_holds_something_else_than_the_approved_files_is_not_merged_as_it_is() {
    let scratch = crate::finish::coded("", "");
    let worktree = scratch.worktree("001");
    let index = scratch.outside().join("index").display().to_string();
    let mut git = scratch.command("sh");
    git.current_dir(&worktree).env("GIT_INDEX_FILE", &index).args([
        "-c",
        "git read-tree HEAD && echo evil | git hash-object -w --stdin > ID && \
         git update-index --add --cacheinfo 100644,$(cat ID),evil.sh && rm ID && \
         git update-ref HEAD $(git commit-tree -p HEAD -m evil $(git write-tree))",
    ]);
    assert!(git.status().unwrap().success());
    let ran = scratch.run(["finish", "--merge", "--yes"]);
    let files = scratch.git(["ls-tree", "-r", "--name-only", "main"]);
    assert!(!files.contains("evil.sh"), "{}{}", ran.stdout, ran.stderr);
}

/// A finding about code is compared with the revision, not with other files in the folder.
#[test]
fn a_finding_that_quotes_a_file_of_no_revision_does_not_hold() {
    let verdict = r#"{"approved":false,"summary":"s","answers":[],"issues":[{"severity":"blocker","category":"c","claim":"present",
        "file":"local/only-here.txt","line":1,"section":"","quote":"a line that no commit holds","description":"it is wrong there",
        "suggestion":"","same_as":""}],"checks":[],"verified":[],"files_read":[]}"#;
    let ticket = "*/implement.1/review/implementation-reviewer/1.1";
    let rule = format!("[[rule]]\nticket = \"{ticket}\"\ndo = \"say\"\ntext = '''{verdict}'''\n");
    let scratch = crate::built::planned(&rule);
    let worktree = scratch.worktree("001");
    fs::write(scratch.root().join(".git/info/exclude"), "local/\n/.redraft/worktrees/\n").unwrap();
    fs::create_dir_all(worktree.join("local")).unwrap();
    fs::write(worktree.join("local/only-here.txt"), "a line that no commit holds\n").unwrap();
    scratch.run(["run", "--yes", "--until", "implement"]).expect(0);
    let events = events(&scratch);
    let judged = bodies(&events, "judged").find(|body| {
        body["ticket"].as_str().unwrap().ends_with("/implement.1/review/implementation-reviewer/1.1")
    });
    let why = judged.unwrap()["judgement"]["repair"]["why"].as_str().unwrap_or_default();
    assert!(why.contains("there is no file local/only-here.txt"), "{judged:?}");
}
