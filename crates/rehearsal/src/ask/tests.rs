use super::*;
use redraft_facts::fragment::Fragment;
use redraft_facts::text;

fn prompt(fragments: &[(&str, String)]) -> Prompt {
    let turn = fragments.iter().map(|(name, text)| Fragment::new(name, text.clone())).collect();
    Prompt { turn, ..Prompt::default() }
}

fn header(path: &str, body: &str) -> String {
    format!("{path}: {} lines, {} bytes\n\n", body.lines().count(), body.len())
}

#[test]
fn a_document_is_read_byte_for_byte_whatever_it_contains() {
    let bodies = [
        "plain\n",
        "no end",
        "````\nfence\n````\n",
        "",
        "a\r\nb\r\n",
        "\n\n",
        "x/y.md: 1 lines, 3 bytes\n\n```\nabc\n```\n",
    ];
    for body in bodies {
        let text = format!("## Spec Under Review\n\n{}", header("docs/x/spec.md", body));
        let ask = Ask::read(&prompt(&[("artifact", text + &text::fenced("markdown", body))]));
        assert_eq!(ask.under_review.as_deref(), Some("docs/x/spec.md"), "{body:?}");
        assert_eq!(ask.text("docs/x/spec.md"), Some(body), "{body:?}");
        assert_eq!(ask.given.len(), 1, "{body:?}");
    }
}

#[test]
fn a_header_without_text_gives_the_path_only() {
    let text = "## Spec Under Review\n\ndocs/x/spec.md: 12 lines, 300 bytes\n".to_owned();
    let ask = Ask::read(&prompt(&[("artifact", text)]));
    assert_eq!((ask.under_review.as_deref(), ask.text("docs/x/spec.md")), (Some("docs/x/spec.md"), None));
}

#[test]
fn upstream_documents_are_taken_from_the_prompt_where_they_stand_in_it() {
    let (prd, spec) = ("# PRD\n\n- G1\n", "# Spec\n");
    let mut text = format!("## Shared Artifacts\n\n### PRD\n\n{}", header("d/prd.md", prd));
    text.push_str(&text::fenced("markdown", prd));
    text.push_str(&format!("\n### Spec\n\n- Spec: {}", header("d/spec.md", spec)));
    text.push_str(&text::fenced("markdown", spec));
    let ask = Ask::read(&prompt(&[("shared-artifacts", text)]));
    assert_eq!((ask.path("PRD"), ask.text("d/prd.md")), (Some("d/prd.md"), Some(prd)));
    assert_eq!((ask.path("spec"), ask.text("d/spec.md")), (Some("d/spec.md"), Some(spec)));
}

#[test]
fn a_part_of_a_document_is_not_taken_for_the_whole() {
    let part = "## Limits\n\n- one\n";
    let text =
        format!("## Sections\n\nd/spec.md: 90 lines, 4,000 bytes\n\n{}", text::fenced("markdown", part));
    let delta = "## Delta\n\n```diff\n--- a/d/spec.md\n+++ b/d/spec.md\n@@ -1 +1 @@\n-a\n+b\n```\n";
    let ask = Ask::read(&prompt(&[("touched-sections", text), ("delta", delta.to_owned())]));
    assert_eq!((ask.under_review.as_deref(), ask.text("d/spec.md")), (Some("d/spec.md"), None));
    assert_eq!(ask.excerpt.unwrap().text().trim(), "", "which lines it is nobody said");
}

#[test]
fn parts_of_a_document_keep_their_line_numbers() {
    let body = |text: &str| text::fenced("markdown", text);
    let text = format!(
        "## Spec Under Review, in Part\n\nd/spec.md: 7 lines, 99 bytes\n\nLines 2 to 3:\n\n{}\nLines 6 to 6:\n\n{}",
        body("## B\n```\n"),
        body("last")
    );
    let excerpt = Ask::read(&prompt(&[("touched-sections", text)])).excerpt.unwrap();
    assert_eq!((excerpt.path.as_str(), excerpt.text().as_str()), ("d/spec.md", "\n## B\n```\n\n\nlast\n\n"));
    let held: Vec<usize> = (0..8).filter(|line| excerpt.holds(*line)).collect();
    assert_eq!(held, [1, 2, 5]);
}

#[test]
fn the_task_the_files_of_the_change_and_what_was_left_out_are_read() {
    let task =
        format!("## Task 1.1: Do\n\nCarry out this:\n\n{}\nmore", text::fenced("markdown", "### 1.1 Do\n"));
    let files = "## Files\n\n- src/a b.sh: +28 -0, new\n- src/old.sh: +0 -4, deleted\n- x.png: binary, new\n- src/c.rs: +8 -2, lines 1, 5 to 11\n";
    let left = "## Tasks Left Out\n\nA person decided:\n\n- 2.3 Build Turns: too much\n";
    let ask = Ask::read(&prompt(&[
        ("task", task),
        ("implementation-files", files.to_owned()),
        ("left-out", left.to_owned()),
        ("done-before", "## Tasks Done Before\n\nDone:\n\n- 1.0 Begin\n".to_owned()),
    ]));
    assert_eq!(ask.task.as_deref(), Some("### 1.1 Do\n"));
    assert_eq!(ask.files, ["src/a b.sh", "src/c.rs"]);
    assert_eq!(ask.left_out, ["2.3", "1.0"]);
}

#[test]
fn a_missing_prd_is_no_path() {
    let text =
        "## Required Artifacts\n\n- PRD: No PRD — feature created without brainstorm\n- Spec: a/spec.md\n";
    let ask = Ask::read(&prompt(&[("required-artifacts", text.to_owned())]));
    assert_eq!((ask.path("PRD"), ask.path("Spec")), (None, Some("a/spec.md")));
}

#[test]
fn open_findings_are_read_with_place_and_quote() {
    let text = "## Open Findings\n\n- [S1] [blocker] [testability] no `R1` (see it) (at: a/spec.md:12 (Requirements))\n  Quote: \"- R1: x\"\n  Suggestion: add\n- [S2] [warning] [clarity] y (at: no place given)\n";
    let ask = Ask::read(&prompt(&[("open-findings", text.to_owned())]));
    assert_eq!(ask.open.len(), 2);
    assert_eq!(ask.open[0].description, "no `R1` (see it)");
    assert_eq!(ask.open[0].place, "a/spec.md:12 (Requirements");
    assert_eq!(ask.open[0].quote, "- R1: x");
    assert_eq!(ask.open[1].severity, Some(Severity::Warning));
}
