//! The formats in which `redraft review` reports what it found: JSON, SARIF, annotations, and nothing at all; for a change
//! and for a document.

use crate::review_base::{SAFE, UNSAFE, commit, review, topic};
use crate::review_file::LACKING;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::Value;

#[test]
fn json_has_everything_and_is_the_same_by_both_names() {
    let scratch = topic(UNSAFE);
    let shown = scratch.json(["review", "--base", "main"]);
    assert_eq!((&shown["v"], &shown["review"]), (&1.into(), &"review-001".into()));
    assert_eq!((&shown["head"], &shown["base"]), (&"topic".into(), &"main".into()));
    assert_eq!(shown["merge_base"], scratch.git(["rev-parse", "main"]).trim());
    assert_eq!(shown["commit"], scratch.git(["rev-parse", "topic"]).trim());
    let finding = &shown["findings"][0];
    assert_eq!((&finding["file"], &finding["line"]), (&"greet.sh".into(), &3.into()), "{shown}");
    assert_eq!((&finding["severity"], &finding["unverified"]), (&"blocker".into(), &Value::Null));
    let named = review(&scratch, &["--format", "json"]).expect(1);
    let named: Value = serde_json::from_str(&named.stdout).unwrap();
    assert_eq!(named["findings"], shown["findings"]);
    let both = scratch.run(["--json", "review", "--base", "main", "--format", "sarif"]).expect(2);
    assert!(both.stderr.contains("different formats"), "{}", both.stderr);
}

#[test]
fn sarif_has_what_its_schema_requires_and_the_same_fingerprint_every_time() {
    let scratch = topic(UNSAFE);
    let sarif = |scratch: &Scratch| -> Value {
        let ran = review(scratch, &["--format", "sarif"]);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stdout))
    };
    let first = sarif(&scratch);
    assert_eq!(first["version"], "2.1.0");
    assert!(first["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &first["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "redraft");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().all(|rule| rule["id"].is_string() && rule["shortDescription"]["text"].is_string()));
    let result = &run["results"][0];
    assert_eq!(
        (&result["ruleId"], &result["level"]),
        (&"security-reviewer/injection".into(), &"error".into())
    );
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    assert!(result["message"]["text"].as_str().unwrap().contains("runs a text"), "{result}");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"greet.sh".into(), &3.into())
    );
    let print = &result["partialFingerprints"]["redraftFinding/v1"];
    assert!(print.as_str().is_some_and(|print| print.len() == 32), "{result}");
    // Lines move; the fault is the same, also for a user who starts over elsewhere.
    commit(&scratch, "greet.sh", &UNSAFE.replace("# Greets", "#\n# Greets"), "explain");
    let moved = sarif(&scratch)["runs"][0]["results"][0].clone();
    assert_eq!(moved["locations"][0]["physicalLocation"]["region"]["startLine"], 4, "{moved}");
    assert_eq!(&moved["partialFingerprints"]["redraftFinding/v1"], print);
    let other = sarif(&topic(UNSAFE));
    assert_eq!(&other["runs"][0]["results"][0]["partialFingerprints"]["redraftFinding/v1"], print);
}

#[test]
fn annotations_stand_alone_on_stdout_and_hold_nothing_that_would_end_them() {
    let scratch = topic(SAFE);
    commit(&scratch, "a,b:100%.sh", UNSAFE, "greet by name");
    let ran = review(&scratch, &["--format", "github"]).expect(1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.stdout);
    assert!(
        lines[0].starts_with("::warning title=rehearsal%2C no model::No model took part: "),
        "{}",
        ran.stdout
    );
    assert!(
        lines[1]
            .starts_with("::error file=a%2Cb%3A100%25.sh,line=3,title=X1 injection (security-reviewer)::"),
        "{}",
        ran.stdout
    );
    assert!(lines[1].contains("[traced]%0ASuggested: pass the values"), "{}", ran.stdout);
    assert!(ran.stderr.contains("has 1 blocker"), "{}", ran.stderr);
}

#[test]
fn nothing_to_review_is_told_in_every_form_and_leaves_nothing_behind() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.git(["switch", "--quiet", "-c", "topic"]);
    let ran = review(&scratch, &[]).expect(0);
    assert_eq!(ran.stdout, "topic has changed nothing since main: there is nothing to review\n");
    let shown = scratch.json(["review", "--base", "main"]);
    assert_eq!((&shown["outcome"], &shown["review"]), (&"nothing".into(), &Value::Null));
    let sarif: Value =
        serde_json::from_str(&review(&scratch, &["--format", "sarif"]).expect(0).stdout).unwrap();
    assert_eq!(sarif["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(review(&scratch, &["--format", "github"]).expect(0).stdout, "");
    assert!(!scratch.root().join(".redraft").exists());
    assert!(!scratch.state().exists(), "not even a ledger");
}

#[test]
fn a_document_is_reported_in_the_same_forms_with_the_lines_it_has_now() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("docs/api/spec.md", LACKING);
    let in_form = |form: &str| scratch.run(["review", "docs/api/spec.md", "--format", form]).expect(1);
    let sarif = || -> Value { serde_json::from_str(&in_form("sarif").stdout).unwrap() };
    let log = sarif();
    let run = &log["runs"][0];
    let result = &run["results"][0];
    assert!(result["ruleId"].as_str().unwrap().starts_with("spec-reviewer/"), "{result}");
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
    let line = |log: &Value| {
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "docs/api/spec.md");
        place["region"]["startLine"].as_u64().unwrap()
    };
    let was = line(&log);
    assert!(was > 1, "{result}");
    let properties = &run["properties"];
    assert_eq!((&properties["file"], &properties["as"]), (&"docs/api/spec.md".into(), &"spec".into()));
    assert_eq!((&properties["rehearsed"], &properties["outcome"]), (&true.into(), &"findings".into()));
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    // Code scanning replaces a log by the next one of the same name, so each document has its own.
    assert_eq!(run["automationDetails"]["id"], "redraft/docs/api/spec.md/");
    let ran = in_form("github");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("::warning title=rehearsal%2C no model::No model took part: "), "{lines:?}");
    let place = format!("::error file=docs/api/spec.md,line={was},title=S1 ");
    assert!(lines[1].starts_with(&place), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("::")), "{lines:?}");
    assert!(ran.stderr.contains("docs/api/spec.md has findings"), "{}", ran.stderr);
    let object = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let json = object(in_form("json").stdout);
    assert_eq!(json["findings"], scratch.json(["review", "docs/api/spec.md"])["findings"]);
    let table = in_form("table").stdout;
    assert_eq!(table, scratch.run(["review", "docs/api/spec.md"]).expect(1).stdout);
    // Nobody was asked in between, and what is above moves what is below.
    let asked = scratch.json(["cost", "review-001"]);
    scratch.write("docs/api/spec.md", &LACKING.replace("# Export\n", "# Export\n\nOf orders.\n"));
    let moved = sarif();
    assert_eq!(line(&moved), was + 2, "{moved}");
    assert_eq!(
        moved["runs"][0]["results"][0]["partialFingerprints"],
        log["runs"][0]["results"][0]["partialFingerprints"]
    );
    assert_ne!(scratch.json(["cost", "review-001"]), asked, "the edit was sent");
}

#[test]
fn a_document_that_could_not_be_judged_has_a_log_that_says_so() {
    let scratch = Scratch::repository(PROGRAM);
    let log = |path: &str, code: i32| -> Value {
        let ran = scratch.run(["review", path, "--format", "sarif"]).expect(code);
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))["runs"]
            [0]
        .clone()
    };
    scratch.write("notes.md", "# Notes\n\nTBD\n");
    for (path, code) in [("there-is-none.md", 2), ("notes.md", 1)] {
        let run = log(path, code);
        assert_eq!(run["invocations"][0]["executionSuccessful"], false, "{path}: {run}");
        assert_eq!(run["results"], Value::Array(Vec::new()), "{path}: {run}");
        assert_eq!(run["automationDetails"]["id"], format!("redraft/{path}/"));
    }
    let ran = scratch.run(["review", "notes.md", "--format", "github"]).expect(1);
    assert!(ran.stdout.starts_with("::error title=check "), "{}", ran.stdout);
}
