//! `redraft report`: one page that can be handed on, and an index of all features.

use crate::world::{PROGRAM, feature};
use redraft_testkit::Scratch;
use std::fs;

const IDEA: &str = "Show <b>the weather</b> & more";

fn read(scratch: &Scratch, name: &str) -> String {
    fs::read_to_string(scratch.root().join(name)).unwrap()
}

#[test]
fn a_feature_becomes_one_page_that_needs_nothing_else() {
    let scratch = feature(IDEA);
    scratch.run(["run", "001"]).expect(0);
    // What nobody has committed does not leave the machine.
    let folder = scratch.root().join(".redraft/worktrees");
    let worktree = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let documents = worktree.join("docs/features");
    let documents = fs::read_dir(documents).unwrap().next().unwrap().unwrap().path();
    let spec = fs::read_to_string(documents.join("spec.md")).unwrap();
    fs::write(documents.join("spec.md"), format!("{spec}\nnot for others\n")).unwrap();

    let ran = scratch.run(["report", "001", "-o", "r.html"]).expect(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("wrote "), "{ran:?}");
    let page = read(&scratch, "r.html");
    assert!(page.len() < 400_000, "{}", page.len());
    assert!(page.contains("Show &lt;b&gt;the weather&lt;/b&gt; &amp; more"), "{page}");
    for expected in ["<h2>Phases", "<h2>Findings", "<h2>Documents", "<h2>Costs", "<h2>Time line", "<svg"] {
        assert!(page.contains(expected), "{expected}");
    }
    for forbidden in ["<script", "src=", "url(", "not for others"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("spec.md"), "the document is there");
    assert_eq!(scratch.run(["report", "001"]).expect(0).stdout, page, "and on stdout the same");
    let coloured = scratch.run(["--color", "always", "report", "001"]).expect(0).stdout;
    assert_eq!(coloured, page, "a page has no colours of a terminal");

    // The page and `status` have it from one place.
    let (status, model) = (scratch.json(["status", "001"]), scratch.json(["report", "001"]));
    assert_eq!(model["feature"]["standing"], status["features"][0]["standing"]);
    assert_eq!(model["feature"]["next"], status["features"][0]["next"]);
    assert_eq!(model["feature"]["waits_for_you"], status["features"][0]["waits_for_you"]);
    assert!(
        !model["findings"].as_array().unwrap().is_empty() && model["costs"]["sum"].is_object(),
        "{model}"
    );

    scratch.write("mine.html", "<!doctype html><p>mine");
    let refused = scratch.run(["report", "001", "-o", "mine.html"]).expect(2);
    assert!(refused.stderr.contains("is not a page of this command"), "{}", refused.stderr);
    scratch.run(["report", "001", "-o", "mine.html", "--force"]).expect(0);
    let nowhere = scratch.run(["report", "001", "-o", "no/such/folder.html"]).expect(3);
    assert!(!nowhere.stderr.contains(".redraft-report-"), "{}", nowhere.stderr);
    scratch.run(["report", "009"]).expect(2);
    scratch.run(["report", "001", "--all"]).expect(2);
}

#[test]
fn all_features_become_an_index_with_a_page_for_each() {
    let scratch = feature(IDEA);
    scratch.run(["new", "--until", "specify", "Show the time"]).expect(0);
    scratch.run(["run", "001"]).expect(0);
    let ran = scratch.run(["report", "--all", "-o", "pages"]).expect(0);
    assert!(ran.stderr.contains("with index.html and 2 features"), "{}", ran.stderr);
    let index = read(&scratch, "pages/index.html");
    for name in fs::read_dir(scratch.root().join("pages")).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        assert!(name == "index.html" || index.contains(&format!("href=\"{name}\"")), "{name}: {index}");
    }
    assert!(index.contains("2 features; nothing waits for you."), "{index}");
    // Only the index, without links to pages that are not there.
    scratch.run(["report", "--all", "-o", "features.html"]).expect(0);
    assert!(!read(&scratch, "features.html").contains("href="));
    let object = scratch.json(["report", "--all"]);
    assert_eq!(
        (object["features"].as_array().unwrap().len(), &object["written"]),
        (2, &serde_json::json!([]))
    );
    let none = Scratch::empty(PROGRAM);
    none.run(["report"]).expect(2);
}
