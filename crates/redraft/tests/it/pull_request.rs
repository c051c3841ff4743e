//! The text for a pull request, and what a hostile text cannot do to it.

use crate::documents::CLEAN;
use crate::finish::{IDEA, begun, code, coded, configure, main_moves};
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::json;

#[test]
fn the_text_of_a_pull_request_is_made_of_trace_checks_and_receipt() {
    let scratch = coded("", "");
    scratch.run(["finish"]).expect(0);
    let text = scratch.run(["show", "pull-request"]).expect(0).stdout;
    let sections: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        sections,
        [
            &format!("# {IDEA}"),
            "## Who wrote and approved it",
            "## Trace",
            "## Looked up by reviewers",
            "## Checks",
            "## Receipt"
        ]
    );
    assert!(
        text.contains("5 of 5 requirements and 4 of 4 criteria reached by a task; no orphans."),
        "{text}"
    );
    assert!(!text.contains("**Not finished"), "{text}");
    assert!(text.contains("- sound: `test ! -e broken` passed (sandbox "), "{text}");
    assert!(text.contains("- merge: passed; merges into main at "), "{text}");
    assert!(text.contains("finish.1/retro/retro-facilitator/1.1"), "{text}");
    let object = scratch.json(["show", "pull-request", "001"]);
    let wanted = (json!(1), json!("001"), json!("main"), json!(IDEA), json!(false), json!(true));
    let found = ["v", "feature", "base", "title", "merged", "finished"].map(|key| object[key].clone());
    assert_eq!(found, <[_; 6]>::from(wanted));
    assert!(object["branch"].as_str().unwrap().starts_with("feature/001-"));
    assert_eq!(format!("# {IDEA}\n\n{}", object["body"].as_str().unwrap()).trim_end(), text.trim_end());
    scratch.run(["finish", "--merge"]).expect(0);
    assert_eq!(scratch.json(["show", "pull-request", "001"])["merged"], true);
}

#[test]
fn there_is_a_text_before_the_end_and_none_without_a_feature() {
    let scratch = Scratch::repository(PROGRAM);
    let none = scratch.run(["show", "pull-request"]).expect(2);
    assert!(none.stderr.contains("redraft new"), "{}", none.stderr);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    let text = scratch.run(["show", "pull-request"]).expect(0).stdout;
    assert!(text.starts_with(&format!("# {IDEA}\n")) && !text.contains("## Checks"), "{text}");
}

/// The state of a feature, and what its text says about it before anything else.
#[test]
fn the_text_of_a_feature_that_is_not_finished_says_so_and_what_is_left() {
    let second = |scratch: &Scratch, wanted: &str, finished: bool| {
        let text = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
        let paragraphs: Vec<&str> = text.split("\n\n").collect();
        assert!(paragraphs[1].starts_with("Feature 001-"), "{text}");
        assert_eq!(paragraphs[2], wanted, "{text}");
        assert_eq!(scratch.json(["show", "pull-request", "001"])["finished"], finished, "{text}");
    };
    let scratch = begun("", "");
    let all = "still to do: specify, implement, finish.";
    second(&scratch, &format!("**Not finished:** this feature is in specify; {all}"), false);
    code(&scratch, "001");
    second(&scratch, "**Not finished:** this feature is in finish; still to do: finish.", false);
    main_moves(&scratch, "broken", "");
    scratch.run(["finish"]).expect(6);
    let fails = "**Not finished:** this feature is in finish; still to do: finish; the check sound fails.";
    second(&scratch, fails, false);
    scratch.run(["decide", "001", "accept", "--why", "it is known"]).expect(0);
    scratch.run(["finish"]).expect(0);
    second(&scratch, "**A check fails:** the check sound fails, and a person decided to continue.", true);

    let scratch = begun("", "");
    scratch.run(["run"]).expect(6);
    scratch.run(["decide", "001", "abandon", "--why", "no need"]).expect(0);
    second(&scratch, "**Abandoned:** nobody works on this feature any more.", false);
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    scratch.run(["run", "--yes"]).expect(0);
    let far = "this feature ends with specify, and the merge result was not checked";
    second(&scratch, &format!("**Not finished:** {far}."), false);
}

#[test]
fn an_idea_cannot_forge_a_heading_hide_the_rest_or_call_people() {
    let idea =
        "Export CSV <!-- hidden <details> @everyone ``` | # Checks [x](javascript:alert) \u{202e}reversed";
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    configure(&scratch, "", "");
    scratch.run(["new", "--lane", "express", idea]).expect(0);
    code(&scratch, "001");
    scratch.run(["finish"]).expect(0);
    let text = scratch.run(["show", "pull-request"]).expect(0).stdout;
    for part in ["<!--", "<details>", "@everyone", "\u{202e}"] {
        assert!(!text.contains(part), "{part:?}: {text}");
    }
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings[1..],
        ["## Who wrote and approved it", "## Trace", "## Looked up by reviewers", "## Checks", "## Receipt"],
        "{text}"
    );
    let fences = text.lines().filter(|line| line.starts_with("```")).count();
    assert_eq!(fences, 2, "only around the receipt: {text}");
    // A row has as many cells as the table, whatever stands in it.
    let rows: Vec<usize> = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.replace("\\|", "").matches('|').count())
        .collect();
    assert!(rows.len() > 2 && rows.iter().all(|bars| *bars == rows[0]), "{rows:?}: {text}");
    assert!(text.lines().next().unwrap().contains("\\[x](javascript:alert)"), "{text}");
    let title = scratch.json(["show", "pull-request"])["title"].clone();
    assert_eq!(title, idea.replace('\u{202e}', "\u{fffd}"), "a title is no Markdown");
}

/// A finding that was put off because it is about text that nobody changed is not lost on the way to the reader.
#[test]
fn the_text_lists_what_was_deferred() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    let file = "docs/features/001-let-people-export-the-monthly-report/spec.md";
    let written = scratch.worktree("001").join(file);
    std::fs::create_dir_all(written.parent().unwrap()).unwrap();
    std::fs::write(&written, CLEAN).unwrap();
    let issue = |severity: &str, quote: &str, says: &str| {
        json!({
            "severity": severity, "category": "clarity", "claim": "present", "file": file, "line": 0, "section": "",
            "quote": quote, "description": says, "suggestion": "say it", "same_as": ""
        })
    };
    let says = |ticket: &str, approved: bool, answers: serde_json::Value, issues: serde_json::Value| {
        let verdict = json!({
            "files_read": [], "checks": [], "verified": [], "issues": issues, "answers": answers, "summary": "s",
            "approved": approved
        });
        format!("[[rule]]\nticket = \"*/review/{ticket}\"\ndo = \"say\"\ntimes = 1\ntext = '''{verdict}'''\n")
    };
    let first = issue("blocker", "within 10 seconds", "ten seconds are not enough for a large report [read]");
    let second = issue("warning", "an error is shown", "nobody says which words the error has [read]");
    let fixed = json!([{"id": "S1", "status": "fixed", "note": "it says twenty"}]);
    let mend = format!(
        "[[rule]]\nticket = \"*/revise/spec-author/*\"\ndo = \"edit\"\npath = \"{file}\"\ntext = '''{}'''\n",
        CLEAN.replace("within 10 seconds", "within 20 seconds")
    );
    scratch.scenario(&format!(
        "{}{}{mend}",
        says("spec-reviewer/1.*", false, json!([]), json!([first])),
        says("spec-reviewer/2.*", false, fixed, json!([second]))
    ));
    scratch.run(["run", "--yes"]).expect(0);
    let found = scratch.json(["show", "findings", "001"]).to_string();
    assert!(found.contains("\"deferred\""), "{found}");
    let text = scratch.run(["show", "pull-request", "001"]).expect(0).stdout;
    assert!(text.contains("## Deferred findings\n") && text.contains("S2 [warning]"), "{text}");
}
