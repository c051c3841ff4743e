//! `redraft eval` on a change of code, and with role texts of one's own.

use crate::eval::holding;
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

const BEFORE: &str = "def load(name):\n    return read(name)\n";
const AFTER: &str = "\
# Names have at most 64 letters.
NAME_LETTERS_MAX = 64


def load(name):
    if not is_valid(name):
        raise ValueError(name)
    if len(name) > NAME_LETTERS_MAX:
        return None
    return read(name)


def save(link, name):
    try:
        store(link)
    except OSError as error:
        raise StoreError(error)
    with open(name) as file:
        file.write(link.text)


def kind(link):
    if link.is_empty():
        return 'empty'
    elif link.is_short():
        return 'short'
    return 'long'
";
const TEST: &str = "from links import load\n\n\ndef test_long():\n    assert load('x' * 65) == None\n";

/// A repository whose branch `names` adds a limit to `links.py`.
fn changed() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    scratch.write("links.py", BEFORE);
    scratch.git(["add", "-A"]);
    scratch.git(["commit", "-qm", "links"]);
    let main = scratch.git(["branch", "--show-current"]);
    scratch.git(["branch", "base", main.trim()]);
    scratch.git(["checkout", "-qb", "names"]);
    scratch.write("links.py", AFTER);
    scratch.write("tests/test_links.py", TEST);
    scratch.git(["add", "-A"]);
    scratch.git(["commit", "-qm", "Names are limited to 64 letters"]);
    scratch
}

fn case(scratch: &Scratch, id: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(scratch.root().join(format!("cases/{id}/case.json"))).unwrap())
        .unwrap()
}

#[test]
fn a_change_is_planted_asked_of_every_reviewer_and_counted() {
    let scratch = changed();
    let planted = scratch.json(["eval", "plant", "cases", "--base", "base", "--cases", "4", "--plants", "5"]);
    let ids: Vec<&str> = planted["cases"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert!(ids.len() >= 3, "{planted}");
    assert!(planted["kinds"].as_object().unwrap().len() >= 6, "{planted}");
    let again = scratch.json(["eval", "plant", "again", "--base", "base", "--cases", "4", "--plants", "5"]);
    assert_eq!(planted, again);
    let id = planted["cases"][1].as_str().unwrap();
    assert_eq!(id, "base-names.code.1");
    let first = case(&scratch, id);
    let plant = &first["plants"][0];
    let file = plant["file"].as_str().unwrap();
    let text = fs::read_to_string(scratch.root().join(format!("cases/{id}/files/{file}"))).unwrap();
    assert_ne!(text, if file == "links.py" { AFTER } else { TEST }, "{first}");
    let clean = fs::read_to_string(scratch.root().join("cases/base-names.code.0/files/links.py")).unwrap();
    assert_eq!(clean, AFTER);

    let run = [
        "eval",
        "run",
        "cases",
        "--agent",
        "rehearsal",
        "--arm",
        "ours",
        "--arm",
        "plain",
        "--arm",
        "ours+resume+2",
    ];
    let ran = scratch.run(run).expect(0);
    // Three roles and once plain; of those with a later revision three roles again.
    let later = ids.iter().filter(|id| case(&scratch, id)["second"].is_object()).count();
    let prompts = 4 * ids.len() + 3 * later;
    assert!(ran.stdout.contains(&format!("{prompts} of {prompts} prompts answered")), "{ran:?}");
    let prompt = format!("cases/answers/rehearsal/{id}.ours-inline-1.implementation-reviewer.prompt.md");
    let prompt = fs::read_to_string(scratch.root().join(prompt)).unwrap();
    assert!(
        prompt.contains("+++ b/links.py") && prompt.contains("Names are limited to 64 letters"),
        "{prompt}"
    );
    let right = json!({"approved": false, "summary": "seen", "answers": [], "checks": [], "verified": [], "files_read": [],
        "issues": first["plants"].as_array().unwrap().iter().map(|plant| {
            let words: Vec<&str> = plant["words"].as_array().unwrap().iter().map(|group| group[0].as_str().unwrap()).collect();
            json!({"severity": "blocker", "category": "flow", "claim": "present", "file": plant["file"], "line": plant["line"],
                "section": "", "quote": "", "description": words.join(" and "), "suggestion": "", "same_as": ""})
        }).collect::<Vec<_>>()});
    let answer = format!("cases/answers/rehearsal/{id}.ours-inline-1.code-quality-reviewer.answer.json");
    scratch.write(&answer, &right.to_string());
    let scored = scratch.json(["eval", "score", "cases"]);
    let arm = |name: &str| {
        scored["arms"].as_array().unwrap().iter().find(|arm| arm["arm"] == name).unwrap().clone()
    };
    let of_case = |name: &str| {
        let reviews = scored["reviews"].as_array().unwrap().iter();
        reviews
            .filter(|line| line["arm"] == name && line["case"] == id)
            .map(|line| line["scored"]["plants"].clone())
            .next()
            .unwrap()
    };
    let all = of_case("ours-inline-1");
    assert!(all.as_array().unwrap().iter().all(|caught| caught == "blocking"), "{all}");
    let quality = of_case("ours-inline-1.code-quality-reviewer");
    assert!(
        quality.as_array().unwrap().len() < all.as_array().unwrap().len(),
        "only its own kinds count: {quality}"
    );
    assert_eq!(arm("ours-inline-1")["answered"], ids.len());
    assert_eq!(arm("plain-inline-1")["blocking"]["of"], planted["plants"]);
}

#[test]
fn a_role_text_of_ones_own_is_asked_for_its_role() {
    let scratch = changed();
    scratch.run(["eval", "plant", "cases", "--base", "base", "--cases", "1"]).expect(0);
    let text = |name: &str| {
        format!("---\nname: {name}\ndescription: mine\n---\n\n# Mine\n\nLook at {name} things.\n")
    };
    scratch.write("mine/security-reviewer.md", &text("security-reviewer"));
    let file = scratch.json(["eval", "export", "cases", "one", "--arm", "mine/security-reviewer.md"]);
    assert_eq!(file["prompts"].as_array().unwrap().len(), 2, "one role, two cases: {file}");
    let folder = scratch.json(["eval", "export", "cases", "all", "--arm", "mine"]);
    assert_eq!(folder["prompts"].as_array().unwrap().len(), 6, "{folder}");
    let read = |name: &str| {
        fs::read_to_string(
            scratch.root().join(format!("all/base-names.code.1.mine-inline-1.{name}.prompt.md")),
        )
        .unwrap()
    };
    assert!(read("security-reviewer").contains("Look at security-reviewer things."));
    assert!(!read("code-quality-reviewer").contains("things."));
    scratch.write("mine/spec-reviewer.md", &text("spec-reviewer"));
    let refused =
        scratch.run(["eval", "export", "cases", "none", "--arm", "mine/spec-reviewer.md"]).expect(2);
    assert!(refused.stderr.contains("is for a role that reviews none of these cases"), "{refused:?}");
    // Each reviewer of documents takes its own, too.
    for (document, role) in [
        ("spec", "spec-reviewer"),
        ("design", "design-reviewer"),
        ("plan", "plan-reviewer"),
        ("tasks", "task-reviewer"),
    ] {
        scratch.write(&format!("mine/{role}.md"), &text(role));
        let name = format!("{document}.md");
        scratch.write(
            &format!("docs/features/001-x/{name}"),
            "# It\n\n- R1: a request without a token is rejected.\n",
        );
        scratch.run(["eval", "plant", document, &format!("docs/features/001-x/{name}")]).expect(0);
        let out = format!("{document}-out");
        scratch.run(["eval", "export", document, &out, "--arm", &format!("mine/{role}.md")]).expect(0);
        let prompt = format!("{out}/001-x.{document}.0.{role}-inline-1.prompt.md");
        let prompt = fs::read_to_string(scratch.root().join(prompt)).unwrap();
        assert!(prompt.contains(&format!("Look at {role} things.")), "{prompt}");
    }
}

#[test]
fn a_change_that_cannot_be_planted_is_named() {
    let scratch = changed();
    let refused = scratch.run(["eval", "plant", "cases", "--base", "nothing"]).expect(2);
    assert!(refused.stderr.contains("`--base nothing` does not name a commit"), "{refused:?}");
    let empty = scratch.run(["eval", "plant", "cases", "--base", "names"]).expect(2);
    assert!(empty.stderr.contains("names changes no text since names"), "{empty:?}");
    let neither = scratch.run(["eval", "plant", "cases"]).expect(2);
    assert!(neither.stderr.contains("<FILE>"), "{neither:?}");
    scratch.git(["checkout", "-qb", "words", "base"]);
    scratch.write("notes.txt", "if n > 3\n");
    scratch.git(["add", "-A"]);
    scratch.git(["commit", "-qm", "notes"]);
    let none = scratch.run(["eval", "plant", "cases", "--base", "base"]).expect(0);
    assert!(none.stdout.contains("the change since base has no place for a defect"), "{none:?}");
}

#[test]
fn a_secret_of_a_change_is_in_no_case() {
    let scratch = changed();
    let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
    scratch.write("links.py", &format!("{AFTER}\n# The key is {token}.\n"));
    scratch.git(["commit", "-qam", &format!("Use {token}")]);
    scratch.run(["eval", "plant", "cases", "--base", "base"]).expect(0);
    let (with, all) = holding(&scratch.root().join("cases"), &token);
    assert!(with.is_empty() && all >= 4, "{all} files, of them with the secret {with:?}");
}
