//! Plays the roles of code against each other: what is built is run, what is planted is found, what is found is mended.

use super::build::{Built, Cannot, carry_out};
use super::class::Class;
use super::job::Job;
use super::judge::judge;
use super::{CodeReviewFocus, Files, World, deepen, fix, simplify};
use crate::ask::Open;
use crate::drafts::Kit;
use crate::parsed_document::{Need, marks};
use redraft_facts::verdict::{AnswerStatus, Severity, Verdict};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A requirement for every kind of work.
const SENTENCES: [(&str, &str); 11] = [
    ("R1", "When a person asks for it, the system shall reset a password by email and show the result."),
    (
        "R2",
        "When it is in use, the system shall make sure that a person can sign in again within five minutes.",
    ),
    (
        "R3",
        "When it is in use, the system shall make sure that nobody can find out whether an address is known.",
    ),
    (
        "R4",
        "When the input about x is incomplete or malformed, the system shall refuse it and name the part.",
    ),
    (
        "R5",
        "When a step on x takes longer than 30 seconds, the system shall stop it and keep the earlier state.",
    ),
    ("R6", "When work on x ends, the system shall record who started it, when, and with which result."),
    (
        "R7",
        "If a \"step\" on `x` hangs, the system shall refuse the operation, keep the earlier state and say why.",
    ),
    ("R8", "If two people work on x at the same time, the system shall refuse the operation and say why."),
    ("R9", "If the link is opened after it has expired, the system shall refuse the operation and say why."),
    ("R10", "When a person asks for it, the system shall display the open orders."),
    ("R11", "When a person asks for it, the system shall turn the page dark and show the result."),
];

const KIT: Kit = Kit { ending: ".sh", test: "sh tests/run.sh", known: true };

fn needs() -> Vec<(String, Need)> {
    let need = |(name, text): &(&str, &str)| {
        (name.to_string(), Need { name: name.to_string(), text: text.to_string(), criteria: Vec::new() })
    };
    SENTENCES.iter().map(need).collect()
}

fn jobs(needs: &[(String, Need)]) -> Vec<Job> {
    needs.iter().map(|(key, need)| super::build::job_for(need, key, "reset-password", ".sh")).collect()
}

fn world<'a>(files: &'a Files, needs: &'a [(String, Need)]) -> World<'a> {
    World {
        files,
        needs,
        jobs: &[],
        left_out: &[],
        whole: true,
        calls: &[],
        kit: KIT,
        leaves_out_code: false,
    }
}

/// Everything that is built for all requirements, one task after the other.
fn built() -> (Files, Vec<(String, Need)>) {
    let needs = needs();
    let mut files = Files::new();
    for job in jobs(&needs) {
        let Built { files: new, .. } = carry_out(&[job], &world(&files, &needs)).unwrap();
        files.extend(new);
    }
    (files, needs)
}

fn written(files: &Files) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[expect(clippy::disallowed_methods, reason = "runs what was written")]
fn run(folder: &Path, path: &str) -> Output {
    Command::new("sh").arg(folder.join(path)).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

fn open_ones(verdict: &Verdict) -> Vec<Open> {
    let open = |(at, issue): (usize, &redraft_facts::verdict::Issue)| Open {
        id: format!("I{}", at + 1),
        severity: Some(issue.severity),
        category: issue.category.clone(),
        description: issue.description.clone(),
        place: format!("{}:{}", issue.file, issue.line),
        quote: issue.quote.clone(),
        marks: marks(&issue.description).map(str::to_owned).collect(),
    };
    verdict.issues.iter().enumerate().map(open).collect()
}

#[test]
fn every_kind_of_work_has_a_program_whose_test_passes_with_it_and_fails_without_it() {
    let (files, needs) = built();
    let folder = written(&files);
    for test in files.keys().filter(|path| path.starts_with("tests/")) {
        let output = run(folder.path(), test);
        assert!(output.status.success(), "{test}: {output:?}");
        assert!(lines(&output).iter().all(|line| line.starts_with("ok ")), "{test}: {output:?}");
    }
    let kinds: Vec<Class> = needs.iter().map(|(_, need)| Class::classify(&need.text)).collect();
    for (at, kind) in kinds.iter().enumerate() {
        assert!(!kinds[..at].contains(kind), "{kind:?} is there twice and another not at all");
    }
    for (job, (_, need)) in jobs(&needs).iter().zip(&needs) {
        // Its function has another name now.
        let call = Class::classify(&need.text).call("reset_password", &need.text);
        let mut without = files.clone();
        let program = without.get_mut(&job.files[0]).unwrap();
        assert!(program.contains(&format!("\n{call}() ")), "{call} in {program}");
        *program = program.replace(&format!("\n{call}() "), &format!("\nnot_{call}() "));
        let output = run(written(&without).path(), &job.files[1]);
        assert!(!output.status.success(), "the tests of {} pass without {call}", need.name);
    }
}

#[test]
fn what_was_built_is_the_same_every_time_and_complete_the_second_time() {
    let (files, needs) = built();
    assert_eq!(built().0, files);
    let again = carry_out(&jobs(&needs), &world(&files, &needs)).unwrap();
    assert_eq!(again.files, Files::new());
    let verdict = again.report.verdict("1");
    assert_eq!(verdict.summary, "Task already complete");
    let said = verdict.checks.iter().find(|check| check.name == "already-complete").unwrap();
    assert!(said.passed && said.note.contains("hold_reset_password"), "{said:?}");
}

#[test]
fn a_second_task_extends_the_file_of_the_first() {
    let (files, _) = built();
    let input = &files["src/reset-password/input.sh"];
    let named: Vec<&str> =
        input.lines().filter_map(|line| line.strip_prefix("# Spec ")?.split(':').next()).collect();
    assert_eq!(named, ["R4", "R7", "R9"]);
    assert_eq!(input.matches("#!/bin/sh").count(), 1);
    let entry = &files["src/reset-password/entry.sh"];
    assert_eq!(entry.matches("\nstart_reset_password() (\n").count(), 1, "{entry}");
}

#[test]
fn the_slip_is_found_by_the_implementation_reviewer_alone_and_mended_with_a_test() {
    let (files, needs) = built();
    for eye in [CodeReviewFocus::Quality, CodeReviewFocus::Security] {
        assert!(judge(&[eye], &world(&files, &needs), &[]).approved, "{eye:?}");
    }
    let verdict = judge(&[CodeReviewFocus::Implementation], &world(&files, &needs), &[]);
    assert_eq!(verdict.issues.len(), 1, "{:?}", verdict.issues);
    let issue = &verdict.issues[0];
    assert_eq!((issue.severity, issue.category.as_str()), (Severity::Blocker, "misunderstood"));
    assert_eq!(
        (issue.file.as_str(), issue.quote.as_str()),
        ("src/reset-password/limit.sh", "limit_seconds=300")
    );
    let text = &files[&issue.file];
    assert_eq!(text.lines().nth(issue.line as usize - 1), Some("limit_seconds=300"));
    assert!(
        !verdict.approved
            && !verdict.checks.iter().find(|check| check.name == "spec-compliance").unwrap().passed
    );

    let open = open_ones(&verdict);
    let (changed, answer) = fix::fix(&world(&files, &needs), &open, false);
    assert_eq!(answer.answers[0].status, AnswerStatus::Fixed, "{answer:?}");
    let mut mended = files.clone();
    mended.extend(changed);
    assert!(mended["src/reset-password/limit.sh"].contains("\nlimit_seconds=30\n"));
    // A continued conversation is told its findings in few words.
    let recalled: Vec<Open> = open.iter().map(|open| Open { quote: String::new(), ..open.clone() }).collect();
    for open in [&open, &recalled] {
        let after = judge(&[CodeReviewFocus::Implementation], &world(&mended, &needs), open);
        assert!(after.approved && after.answers[0].status == AnswerStatus::Fixed, "{after:?}");
        let before = judge(&[CodeReviewFocus::Implementation], &world(&files, &needs), open);
        assert!(!before.approved && before.answers[0].status == AnswerStatus::NotFixed, "{before:?}");
    }
    let folder = written(&mended);
    let output = run(folder.path(), "tests/reset-password/limit.sh");
    assert!(lines(&output).contains(&"ok r5_limit_seconds_is_30".to_owned()), "{output:?}");
    mended.insert("src/reset-password/limit.sh".to_owned(), files["src/reset-password/limit.sh"].clone());
    assert!(
        !run(written(&mended).path(), "tests/reset-password/limit.sh").status.success(),
        "the test holds it"
    );
}

#[test]
fn a_requirement_that_nobody_carried_out_is_found_and_built() {
    let (mut files, needs) = built();
    files.remove("src/reset-password/record.sh");
    files.remove("tests/reset-password/record.sh");
    let verdict = judge(&[CodeReviewFocus::Implementation], &world(&files, &needs), &[]);
    let open: Vec<Open> = open_ones(&verdict).into_iter().filter(|open| open.category == "missing").collect();
    assert_eq!(open.len(), 1, "{:?}", verdict.issues);
    assert_eq!(open[0].marks[0], "R6");
    let (changed, answer) = fix::fix(&world(&files, &needs), &open, false);
    assert!(changed.contains_key("src/reset-password/record.sh"), "{answer:?}");
    // When only a part is shown, nothing can be missing.
    let part = World { whole: false, ..world(&files, &needs) };
    let verdict = judge(&[CodeReviewFocus::Implementation], &part, &[]);
    assert!(verdict.issues.iter().all(|issue| issue.category != "missing"), "{:?}", verdict.issues);
}

#[test]
fn forms_that_are_nearly_always_wrong_are_found_and_others_are_not() {
    let needs = needs();
    let found = |eye: CodeReviewFocus, path: &str, text: &str| {
        let files = Files::from([(path.to_owned(), text.to_owned())]);
        let part = World { whole: false, ..world(&files, &needs) };
        judge(&[eye], &part, &[]).issues.into_iter().map(|issue| issue.category).collect::<Vec<_>>()
    };
    let wrong = [
        (CodeReviewFocus::Quality, "src/a.sh", "# TODO: later\n", "yagni"),
        (CodeReviewFocus::Quality, "src/a.rs", "fn a() {\n    b().unwrap();\n}\n", "flow"),
        (CodeReviewFocus::Security, "src/a.sh", "eval \"$1\"\n", "injection"),
        (CodeReviewFocus::Security, "src/a.sh", "sh -c \"ls $1\"\n", "injection"),
        (CodeReviewFocus::Security, "src/a.js", "const apiSecret = 'k3y-of-the-house';\n", "exposure"),
        (CodeReviewFocus::Security, "src/a.sh", "echo \"no account for $1\"\n", "exposure"),
    ];
    for (eye, path, text, category) in wrong {
        assert_eq!(found(eye, path, text), [category], "{text}");
    }
    let right = [
        (CodeReviewFocus::Quality, "src/a.sh", "# what is TODO elsewhere\n"),
        (CodeReviewFocus::Quality, "src/a.rs", "#[cfg(test)]\nmod tests {\n    b().unwrap();\n}\n"),
        (CodeReviewFocus::Quality, "tests/a.rs", "fn a() {\n    b().unwrap();\n}\n"),
        (CodeReviewFocus::Security, "src/a.sh", "sh -c 'echo \"$$\"'\n"),
        (CodeReviewFocus::Security, "src/a.sh", "password=$1\nsecret=\"$(cat file)\"\n"),
        (CodeReviewFocus::Security, "src/a.sh", "# eval \"$1\"\n"),
    ];
    for (eye, path, text) in right {
        assert_eq!(found(eye, path, text), Vec::<String>::new(), "{text}");
    }
    let long = format!("f() {{\n{}}}\n", "  true\n".repeat(90));
    assert_eq!(found(CodeReviewFocus::Quality, "src/a.sh", &long), ["kiss"]);
}

#[test]
fn a_task_in_another_language_is_refused_with_the_way_out() {
    let needs = needs();
    let mut job = jobs(&needs).remove(0);
    job.files = vec!["src/a/turns.rs".to_owned(), "tests/a/turns.rs".to_owned()];
    let files = Files::new();
    let Err(Cannot(said)) = carry_out(&[job], &world(&files, &needs)) else { panic!("it was carried out") };
    assert!(said.contains(".rs files") && said.contains("another agent"), "{said}");
}

#[test]
fn the_tests_of_the_outline_are_written_pass_and_are_written_once() {
    let (files, needs) = built();
    let outline = deepen::outline(&needs);
    let listed: String = outline
        .checks
        .iter()
        .enumerate()
        .map(|(at, one)| format!("{}. {}: {}\n", at + 1, one.name, one.note))
        .collect();
    assert!(listed.contains("r2-at-the-limit: R2. ") && listed.contains("300 seconds"), "{listed}");
    let (new, verdict) = deepen::write(&listed, &world(&files, &needs), false);
    let path = "tests/reset-password/deeper.sh";
    assert_eq!(new.keys().collect::<Vec<_>>(), [path]);
    let said = &verdict.checks[0].note;
    assert!(said.contains("r5-limit: left out, it cannot be seen without waiting that long"), "{said}");
    let mut all = files.clone();
    all.extend(new);
    let output = run(written(&all).path(), path);
    assert!(output.status.success() && lines(&output).len() >= 8, "{output:?}");
    assert_eq!(deepen::write(&listed, &world(&all, &needs), false).0, Files::new());

    // When it is told to, it tests the limit of the documents, which the code does not keep.
    let (new, _) = deepen::write(&listed, &world(&files, &needs), true);
    let mut all = files.clone();
    all.extend(new);
    let output = run(written(&all).path(), path);
    assert!(lines(&output).contains(&"not ok r5_limit_is_30".to_owned()), "{output:?}");
    let (mended, said) = fix::fix(&world(&all, &needs), &[], true);
    assert!(said.summary.contains("sets `limit_seconds` to 30"), "{}", said.summary);
    all.extend(mended);
    assert!(run(written(&all).path(), path).status.success());
}

#[test]
fn a_test_without_its_code_is_completed_when_the_check_fails() {
    let needs = needs();
    let empty = Files::new();
    let job = jobs(&needs).remove(7);
    let forgetful = World { leaves_out_code: true, ..world(&empty, &needs) };
    let files = carry_out(std::slice::from_ref(&job), &forgetful).unwrap().files;
    assert!(!run(written(&files).path(), &job.files[1]).status.success());
    let mut all = files.clone();
    all.extend(carry_out(std::slice::from_ref(&job), &world(&files, &needs)).unwrap().files);
    assert!(run(written(&all).path(), &job.files[1]).status.success());
}

#[test]
fn the_code_that_is_built_has_one_thing_to_make_simpler() {
    let (files, _) = built();
    let (changed, done) = simplify::simplify(&files);
    assert_eq!(changed.keys().collect::<Vec<_>>(), ["src/reset-password/entry.sh"], "{done:?}");
    let mut simpler = files.clone();
    simpler.extend(changed);
    assert!(run(written(&simpler).path(), "tests/reset-password/entry.sh").status.success());
    assert_eq!(simplify::simplify(&simpler).0, Files::new());
}
