//! The text for a pull request, and what a hostile text cannot do to it.

use crate::finish::{IDEA, code, coded, configure, main_moves};
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
        [&format!("# {IDEA}"), "## Who wrote and approved it", "## Trace", "## Checks", "## Receipt"]
    );
    assert!(text.contains("7 of 7 requirements reached by a task; no orphans."), "{text}");
    assert!(text.contains("- sound: `test ! -e broken` passed\n"), "{text}");
    assert!(text.contains("- merge: passed; merges into main at "), "{text}");
    assert!(text.contains("finish.1/retro/retro-facilitator/1.1"), "{text}");
    let object = scratch.json(["show", "pull-request", "001"]);
    let wanted = (json!(1), json!("001"), json!("main"), json!(IDEA), json!(false));
    let found = ["v", "feature", "base", "title", "merged"].map(|key| object[key].clone());
    assert_eq!(found, <[_; 5]>::from(wanted));
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
        ["## Who wrote and approved it", "## Trace", "## Checks", "## Receipt"],
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
