//! Tests code: tasks that are carried out, checked by the engine, reviewed and mended; and what may go wrong on the
//! way.

use crate::documents::PRD;
use crate::world::{PROGRAM, bodies, events, executable};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

const IDEA: &str = "Let people export the monthly report as CSV";

/// Runs every file of tests.
const RUN: &str = "failed=0\nfor file in tests/*/*.sh; do\n  if [ -e \"$file\" ]; then sh \"$file\" || failed=1; fi\ndone\nexit $failed\n";

/// A repository in shell whose tests are run by the engine, with a feature whose task list is approved.
pub(crate) fn planned(rules: &str) -> Scratch {
    planned_with(rules, "sh tests/run.sh")
}

pub(crate) fn planned_with(rules: &str, check: &str) -> Scratch {
    let scratch = shell(rules, check);
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    scratch.run(["run", "--yes", "--until", "create-tasks"]).expect(0);
    scratch
}

pub(crate) fn shell(rules: &str, check: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("tests/run.sh", RUN);
    scratch.git(["add", "tests/run.sh"]);
    scratch.git(["commit", "-q", "-m", "tests"]);
    scratch.scenario(rules);
    let agents = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("[checks]\ntests = '''{check}'''\n{agents}"));
    scratch.run(["trust", "--yes"]).expect(0);
    scratch
}

fn rule(ticket: &str, act: &str) -> String {
    format!("[[rule]]\nticket = \"{ticket}\"\ndo = \"{act}\"\ntimes = 1\n")
}

/// The purposes and roles that were asked in the phase, in order, tasks left out.
fn asked(events: &[Value]) -> Vec<String> {
    let tickets = bodies(events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
    let code = tickets.filter(|ticket| ticket.contains("/implement.1/") && !ticket.contains("/task-"));
    code.map(|ticket| ticket.split('/').skip(2).take(2).collect::<Vec<_>>().join(" ")).collect()
}

fn passes(scratch: &Scratch) -> String {
    let mut command = scratch.command("sh");
    let output = command.arg("tests/run.sh").current_dir(scratch.worktree("001")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn tasks_become_reviewed_code_and_only_stale_approvals_are_validated() {
    let scratch = planned("");
    let ran = scratch.run(["run", "--yes"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is approved"), "{}", ran.stdout);
    let costs = scratch.run(["cost", "--all"]).expect(0).stdout;
    assert!(costs.contains("\n  task 1.1, implement 1.1 "), "{costs}");
    assert!(!costs.contains("is not a path"), "{costs}");
    assert!(costs.contains("001/implement.1/security-reviewer"), "{costs}");
    let events = events(&scratch);
    let rejected = bodies(&events, "judged").filter(|body| body["judgement"] == "rejected");
    let rejected: Vec<&Value> =
        rejected.filter(|body| body["ticket"].as_str().unwrap().contains("/implement.1/")).collect();
    assert_eq!(rejected.len(), 1, "one defect is found, by one reviewer");
    let issue = &rejected[0]["verdict"]["issues"][0];
    assert_eq!(issue["category"], "misunderstood");
    assert!(issue["quote"].as_str().unwrap().starts_with("limit_seconds="), "{issue}");
    assert_eq!(
        asked(&events),
        [
            "outline test-deepener",
            "tests test-deepener",
            "simplify code-simplifier",
            "review implementation-reviewer",
            "review code-quality-reviewer",
            "review security-reviewer",
            "revise implementer",
            "review implementation-reviewer",
            "validate code-quality-reviewer",
            "validate security-reviewer"
        ]
    );
    let said = passes(&scratch);
    assert!(said.lines().all(|line| line.starts_with("ok ") || line.contains("are allowed")), "{said}");
    assert!(said.contains("ok r") && said.contains("_limit_seconds_is_"), "{said}");
    // The engine ran the tests after every task, and after whatever else changed the code.
    let built: Vec<&Value> =
        bodies(&events, "built").filter(|body| !body["files"].as_array().unwrap().is_empty()).collect();
    let tasks = built.iter().filter(|body| body["ticket"].as_str().unwrap().contains("/task-")).count();
    let checks: Vec<&Value> = bodies(&events, "checked").filter(|body| body["gate"] == "tests").collect();
    assert_eq!(
        (tasks, checks.len()),
        (8, built.len() + 3),
        "one more for what the finding changed, one in an empty folder after a simplifier that changed nothing, one at the end"
    );
    assert!(checks.iter().all(|body| body["passed"] == true && body["command"] == "sh tests/run.sh"));
    scratch.run(["show", "prompt", "--verify"]).expect(0);
    let back = scratch.run(["phase", "back", "001", "implement", "--why", "once more"]).expect(0).stdout;
    assert!(back.contains("back at implement; edit the code now if you want to change it"), "{back}");
    let undone = bodies(&events, "answered")
        .filter(|body| body["undone"].as_array().is_some_and(|all| !all.is_empty()));
    assert_eq!(undone.count(), 0, "nothing had to be put back");
}

#[test]
fn ac_20_a_task_that_fails_is_asked_about_and_the_run_goes_on_without_it() {
    let rules = "[[rule]]\nticket = \"*/task-2.2/*\"\ndo = \"unchanged\"\n";
    let scratch = planned(rules);
    let ran = scratch.run(["run", "--yes"]).expect(6);
    assert!(
        ran.stdout.contains("it changed nothing") || ran.stderr.contains("it changed nothing"),
        "{ran:?}"
    );
    scratch.run(["decide", "001", "skip", "--why", "not now"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let log = scratch.run(["log", "001", "--as", "implementation-log"]).expect(0).stdout;
    assert!(log.contains("not now"), "{log}");
    passes(&scratch);
}

#[test]
fn on_failure_says_beforehand_what_becomes_of_a_task_that_cannot_be_carried_out() {
    let rules = "[[rule]]\nticket = \"*/task-2.2/*\"\ndo = \"unchanged\"\n";
    let scratch = planned(rules);
    let attempts = |scratch: &Scratch| {
        let events = events(scratch);
        bodies(&events, "started")
            .filter(|body| body["ticket"].as_str().unwrap().contains("/task-2.2/"))
            .count()
    };
    scratch.run(["run", "--yes"]).expect(6);
    let asked = attempts(&scratch);
    // Once more for each task and run, and then it waits: a task that never works is not tried forever.
    scratch.run(["run", "--yes", "--on-failure", "retry"]).expect(6);
    assert_eq!(attempts(&scratch), 2 * asked);
    let shown = scratch.json(["status"]);
    assert_eq!(shown["features"][0]["tasks"], serde_json::json!({"done": 2, "blocked": 0, "total": 8}));
    let ran = scratch.run(["run", "--yes", "--on-failure", "skip", "--json"]).expect(0);
    let ran: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran["tasks"], serde_json::json!({"done": 7, "blocked": 1, "total": 8}));
    let told = scratch.run(["status"]).expect(0).stdout;
    assert!(told.contains("7 tasks done, 1 skipped or blocked"), "{told}");
    let log = scratch.run(["log", "001", "--as", "implementation-log"]).expect(0).stdout;
    assert!(log.contains("## Task 2.2: blocked\n- **Reason:** --on-failure skip"), "{log}");
    assert!(log.ends_with("\n7 tasks done, 1 skipped or blocked\n"), "{log}");
}

#[test]
fn no_check_runs_before_a_person_has_accepted_it_and_nothing_is_sent_until_then() {
    let scratch = shell("", "sh tests/run.sh");
    let file = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    let other = file.replace("sh tests/run.sh", "touch ran-by-nobody; sh tests/run.sh");
    scratch.write_unaccepted("redraft.toml", &other);
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    let refused = scratch.run(["run", "--yes"]).expect(6);
    for part in ["\"touch ran-by-nobody; sh tests/run.sh\"", "redraft trust", "--until create-tasks"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    assert_eq!(bodies(&events(&scratch), "started").count(), 0);
    scratch.run(["run", "--yes", "--until", "create-tasks"]).expect(0);
    scratch.run(["run", "--yes"]).expect(6);
    assert!(!scratch.worktree("001").join("ran-by-nobody").exists());
    assert!(!scratch.root().join("ran-by-nobody").exists());
    scratch.run(["trust", "--yes"]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
}

#[test]
fn ac_1_and_ac_5_every_task_is_a_dispatch_and_a_commit_of_its_own_and_an_entry_of_the_log() {
    let scratch = planned("");
    scratch.run(["run", "--yes"]).expect(0);
    let events = events(&scratch);
    let tickets = bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap().to_owned());
    let tasks: Vec<String> = tickets.filter(|ticket| ticket.contains("/implement.1/task-")).collect();
    assert_eq!(tasks.len(), 8);
    let text = |name: &str| fs::read_to_string(scratch.artifacts("001").join(name)).unwrap();
    let log = scratch.run(["log", "001", "--as", "implementation-log"]).expect(0).stdout;
    let entries: Vec<String> =
        log.lines().filter(|line| line.starts_with("## Task ")).map(str::to_owned).collect();
    let listed: Vec<String> = text("tasks.md")
        .lines()
        .filter_map(|line| line.trim_start_matches('#').trim().strip_prefix("Task "))
        .map(|task| format!("## Task {task}"))
        .collect();
    assert_eq!(entries, listed, "in the order of the list");
    let mut git = scratch.command("git");
    let output = git.args(["log", "--format=%(trailers:key=Redraft-Ticket,valueonly)"]);
    let output = output.current_dir(scratch.worktree("001")).output().unwrap();
    let trailers = String::from_utf8_lossy(&output.stdout).into_owned();
    for ticket in &tasks {
        assert_eq!(
            trailers.lines().filter(|line| line.ends_with(ticket.as_str())).count(),
            1,
            "{ticket}: {trailers}"
        );
    }
    for part in ["- **Files changed:** ", "- **Decisions:** ", "- **Deviations:** ", "- **Concerns:** "] {
        assert!(log.matches(part).count() >= tasks.len(), "{part}: {log}");
    }
    // What a check printed is kept with its command, its exit code and its time.
    let checks: Vec<&Value> = bodies(&events, "checked").filter(|body| body["gate"] == "tests").collect();
    let last = checks.last().unwrap();
    assert_eq!((&last["command"], &last["code"]), (&"sh tests/run.sh".into(), &0.into()));
    assert!(last["output"].as_str().unwrap().contains("ok r"), "{last}");
    assert!(last["wall_ms"].as_u64().is_some());
}

#[test]
fn a_failing_check_that_a_person_goes_on_with_is_told_to_reviewers_and_ends_in_accepted() {
    let scratch = shell("", "exit 3");
    scratch.write(
        "redraft.toml",
        &format!(
            "[implement]\nsimplify = false\ndeepen = false\n[limits]\ngates = 1\n{}",
            fs::read_to_string(scratch.root().join("redraft.toml")).unwrap()
        ),
    );
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    for _ in 0..4 {
        if scratch.run(["run", "--yes"]).code == Some(0) {
            break;
        }
        scratch.run(["decide", "001", "accept", "--why", "no tests here"]).expect(0);
    }
    let ran = scratch.run(["run", "--yes"]).expect(0);
    assert!(ran.stdout.contains("feature 001 is accepted"), "{}", ran.stdout);
    let prompt = scratch.run(["show", "prompt", "001", "--role", "implementation-reviewer"]).expect(0).stdout;
    assert!(prompt.contains("failed, and a person decided to go on"), "{prompt}");
}

#[test]
fn ac_21_a_report_that_leaves_parts_out_is_noted_and_holds_nothing_up() {
    let scratch = planned(&rule("*/task-2.1/implement/*", "partial"));
    scratch.run(["run", "--yes"]).expect(0);
    let events = events(&scratch);
    let noted = bodies(&events, "built")
        .find(|body| body["ticket"].as_str().unwrap().contains("/task-2.1/"))
        .unwrap();
    assert!(
        noted["notes"][0].as_str().unwrap().starts_with("the report leaves out: files-changed"),
        "{noted}"
    );
    assert_eq!(noted["report"]["decisions"], "none");
}

#[test]
fn work_that_is_claimed_and_not_there_is_found_by_the_reviewer_and_built() {
    let scratch = planned(&rule("*/task-2.1/implement/*", "already"));
    scratch.run(["run", "--yes"]).expect(0);
    let events = events(&scratch);
    let claimed = bodies(&events, "built")
        .find(|body| body["ticket"].as_str().unwrap().contains("/task-2.1/"))
        .unwrap();
    assert_eq!((claimed["already"].as_bool(), claimed["files"].as_array().unwrap().len()), (Some(true), 0));
    let missing = bodies(&events, "judged")
        .flat_map(|body| body["verdict"]["issues"].as_array().unwrap())
        .any(|issue| issue["category"] == "missing");
    assert!(missing, "a claim proves nothing");
    passes(&scratch);
}

#[test]
fn a_test_from_the_documents_that_the_code_does_not_pass_has_the_code_mended() {
    let scratch = planned("[[rule]]\nticket = \"*/tests/test-deepener/*\"\ndo = \"diverge\"\n");
    scratch.run(["run", "--yes"]).expect(0);
    let events = events(&scratch);
    let failed: Vec<&Value> = bodies(&events, "checked")
        .filter(|body| body["passed"] == false && body["gate"] == "tests")
        .collect();
    assert_eq!(failed.len(), 1);
    assert!(failed[0]["evidence"].as_str().unwrap().contains("limit_is_"), "{}", failed[0]);
    let order = asked(&events);
    let place = |what: &str| order.iter().position(|one| one == what).unwrap();
    assert!(place("revise implementer") < place("review implementation-reviewer"), "{order:?}");
    let rejected = bodies(&events, "judged").any(|body| {
        body["judgement"] == "rejected" && body["ticket"].as_str().unwrap().contains("/implement.1/")
    });
    assert!(!rejected, "the reviewers find nothing that is left");
}

#[test]
fn in_lane_express_the_specification_is_the_task_and_one_reviewer_looks_with_all_eyes() {
    let scratch = shell("", "sh tests/run.sh");
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let events = events(&scratch);
    let roles: Vec<String> = asked(&events).into_iter().filter(|one| one.starts_with("review ")).collect();
    assert!(roles.iter().all(|one| one == "review implementation-reviewer"), "{roles:?}");
    let judged = bodies(&events, "judged").next().unwrap();
    let checks: Vec<&str> = judged["verdict"]["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    for name in ["spec-compliance", "kiss", "injection"] {
        assert!(checks.contains(&name), "{name} in {checks:?}");
    }
    // Nobody has reviewed the mini-spec, so this reviewer is the only one that can see that it is about something else.
    let ticket = "001/implement.1/review/implementation-reviewer/1.1";
    let told = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
    assert!(told.contains("## What Was Asked For") && told.contains(IDEA), "{told}");
    passes(&scratch);
}

#[test]
fn a_repository_in_another_language_is_told_that_another_agent_is_needed() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("package.json", "{}\n");
    scratch.git(["add", "package.json"]);
    scratch.git(["commit", "-q", "-m", "package"]);
    scratch.run(["new", "--lane", "standard", IDEA]).expect(0);
    let ran = scratch.run(["run", "--yes"]).expect(6);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("knows no form for .js files"), "{said}");
}

#[test]
fn a_run_killed_in_the_middle_of_a_check_leaves_no_process_behind() {
    // Holds the pipe open, with children that ignore signals.
    let check = "exec 3>../../../../shared/pipe; echo begun >&3; (trap '' TERM HUP INT; sleep 6001 & sleep 6002) & sleep 6003";
    let scratch = shell("", check);
    let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &(config + &scratch.opened()));
    scratch.run(["trust", "--yes"]).expect(0);
    let path = scratch.shared().join("pipe");
    let made = scratch.command("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    let mut run =
        scratch.redraft(["run", "--yes"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut held = fs::File::open(&path).unwrap();
    let mut first = [0; 6];
    held.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"begun\n");
    run.kill().unwrap();
    run.wait().unwrap();
    // The pipe ends when the last of those that hold it has ended.
    let mut rest = Vec::new();
    held.read_to_end(&mut rest).unwrap();
    // The worker that ended them needs a moment to end itself.
    let began = Instant::now();
    let left = || scratch.processes().into_iter().filter(|one| one.contains("sleep 600")).collect::<Vec<_>>();
    while !left().is_empty() && began.elapsed() < Duration::from_secs(60) {}
    assert_eq!(left(), [""; 0]);
}

#[test]
fn of_a_prd_a_task_is_sent_the_problem_and_the_goals() {
    let scratch = shell("", "sh tests/run.sh");
    let prd = format!("{PRD}\n## Notes\n\nThe pilot ran in spring.\n");
    fs::write(scratch.outside().join("prd.md"), prd).unwrap();
    scratch.run(["new", "--lane", "standard", IDEA, "--prd", "../prd.md"]).expect(0);
    scratch.run(["run", "--yes", "--policy", "inline", "--until", "implement"]).expect(0);
    let tickets: Vec<String> = bodies(&events(&scratch), "started")
        .map(|body| body["ticket"].as_str().unwrap().to_owned())
        .collect();
    let task = tickets.iter().find(|ticket| ticket.contains("/implementer/")).unwrap();
    let told = scratch.run(["show", "prompt", "--ticket", task]).expect(0).stdout;
    assert!(told.contains("Every download is recorded for the auditor."), "{told}");
    assert!(!told.contains("The pilot ran in spring."), "{told}");
}

/// An implementer that never gets anything done, so that only what it was told is of interest.
const IDLE: &str = "#!/bin/sh\n[ \"$1\" = --version ] && echo 9.9.9 && exit 0\ncat > /dev/null\nexit 1\n";

#[test]
fn whoever_may_add_words_to_a_command_is_told_that_a_check_can_run_one_test() {
    for (agent, is_told) in [("claude", true), ("rehearsal", false)] {
        let scratch = shell("", "sh tests/run.sh");
        executable(&scratch, "claude.sh", IDLE);
        let config = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
        let claude = "[agents.claude]\nmodel = \"claude-sonnet-4.5\"\nprogram = \"./claude.sh\"\n";
        let roles = format!("[roles]\ndefault = \"rehearsal\"\nimplementer = \"{agent}\"\n");
        scratch.write("redraft.toml", &format!("{config}{claude}{roles}"));
        scratch.run(["trust", "--yes"]).expect(0);
        scratch.run(["new", "--lane", "express", IDEA]).expect(0);
        scratch.run(["run", "--yes", "--until", "implement"]);
        let events = events(&scratch);
        let mut tickets = bodies(&events, "started").map(|body| body["ticket"].as_str().unwrap());
        let ticket = tickets.find(|ticket| ticket.contains("/implementer/")).unwrap();
        let told = scratch.run(["show", "prompt", "--ticket", ticket]).expect(0).stdout;
        let words = "`sh tests/run.sh`, also with what its tool takes to run one test behind it";
        assert_eq!(told.contains(words), is_told, "{agent}: {told}");
    }
}
