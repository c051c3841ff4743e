//! Tests what a feature teaches when it ends: a page that exists whatever happens to the agent, new entries of the
//! knowledge bank, and older ones that are judged, the first time only as a proposal.

use crate::finish::{CODE, IDEA, code, coded, configure, last, main_moves, retro};
use crate::world::{PROGRAM, bodies, events};
use redraft_testkit::Scratch;
use serde_json::{Value, json};
use std::fs;

pub(crate) const ANTI: &str = "docs/knowledge-bank/anti-patterns.md";
pub(crate) const HEUR: &str = "docs/knowledge-bank/heuristics.md";

const OLDER: &str = "# Anti-Patterns\n\n<!-- by hand -->\n\n\
### Anti-Pattern: Limits that nobody holds\n\
A limit in `src/export-monthly-report/limit.sh` is written down and never tested.\n\
- Observed in: an earlier review\n- Last observed: 2020-01-01\n- Observation count: 1\n\n\
### Anti-Pattern: Elsewhere\nColours of buttons that differ from page to page.\n- Last observed: 2020-01-01\n";
const OLDER_HEURISTICS: &str = "# Heuristics\n\n\
### Ways in stay apart\nNever let `src/export-monthly-report/entry.sh` call more than it must.\n- Source: a chat\n";

/// What the facilitator says: a new lesson, one older confirmed, one challenged.
pub(crate) fn says() -> String {
    let retro = json!({
        "observations": [{"text": "Of all phases implement took {implement.rounds} rounds.", "evidence": "I1"}],
        "recommendations": [],
        "anti_patterns": [{"name": "Constants copied from memory", "text": "A limit was written from another requirement.",
            "provenance": "I1 in implement", "confidence": "high"}],
        "patterns": [], "heuristics": [],
    });
    let judged = json!({"judgements": [
        {"entry": "Limits that nobody holds", "judgement": "confirmed"},
        {"entry": "Ways in stay apart", "judgement": "challenged",
         "contradiction": "here entry.sh calls every part and was approved", "cites": [format!("{CODE}/entry.sh")]},
        {"entry": "Elsewhere", "judgement": "confirmed"},
    ]});
    let rule = |purpose: &str, text: &Value| {
        format!("[[rule]]\nticket = \"*/{purpose}/retro-facilitator/*\"\ndo = \"say\"\ntext = '''{text}'''\n")
    };
    rule("retro", &retro) + &rule("judge", &judged)
}

/// A repository with a bank of three entries, two of which concern the feature.
pub(crate) fn with_bank(rules: &str) -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    main_moves(&scratch, "tests/run.sh", "");
    main_moves(&scratch, ANTI, OLDER);
    main_moves(&scratch, HEUR, OLDER_HEURISTICS);
    configure(&scratch, "", rules);
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    code(&scratch, "001");
    scratch
}

fn bank(scratch: &Scratch, feature: &str) -> [String; 2] {
    [ANTI, HEUR].map(|path| fs::read_to_string(scratch.worktree(feature).join(path)).unwrap())
}

fn rule(purpose: &str, act: &str) -> String {
    format!("[[rule]]\nticket = \"*/{purpose}/retro-facilitator/*\"\ndo = \"{act}\"\n")
}

/// A page without words: it has the reason and no lesson, and the feature ends nevertheless.
#[track_caller]
fn is_plain(scratch: &Scratch, why: &str) {
    let page = retro(scratch, "001");
    assert!(page.contains("Nobody's words are here, only what was counted: "), "{page}");
    assert!(page.contains(why), "{why}: {page}");
    assert!(page.contains("| all | 3 |"), "the figures are there: {page}");
    let told = events(scratch);
    let written = last(&told, "retro-written");
    assert!(written["plain"].as_str().unwrap().contains(why), "{written}");
    assert_eq!((&written["added"], &written["relevant"]), (&json!([]), &json!([])));
    assert_eq!(bodies(&told, "bank-judged").count(), 0, "figures alone judge nothing");
    assert_eq!(bank(scratch, "001"), [OLDER, OLDER_HEURISTICS]);
    let row = &scratch.json(["status"])["features"][0];
    assert_eq!((&row["status"], &row["ready"]), (&json!("approved"), &json!(true)));
}

#[test]
fn a_facilitator_that_fails_or_talks_rubbish_leaves_a_plain_page() {
    let scratch = with_bank(&rule("retro", "fail"));
    scratch.run(["finish"]).expect(0);
    is_plain(&scratch, "the scenario");
    let scratch = with_bank(&rule("retro", "garbage"));
    scratch.run(["finish"]).expect(0);
    is_plain(&scratch, "the answer holds");
    let sent = bodies(&events(&scratch), "started")
        .filter(|body| body["ticket"].to_string().contains("/retro/"))
        .count();
    assert_eq!(sent, 1, "what cannot be read is not asked for again");
}

#[test]
fn a_retrospective_that_is_not_wanted_or_cannot_be_paid_for_is_made_of_figures() {
    let scratch = with_bank("");
    scratch.run(["finish", "--budget", "0.01"]).expect(0);
    is_plain(&scratch, "budget");
    let scratch = with_bank("");
    let file = fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("[finish]\nretro = false\n{file}"));
    scratch.run(["finish"]).expect(0);
    is_plain(&scratch, "`[finish] retro = false`");
    assert!(
        bodies(&events(&scratch), "started").all(|body| !body["ticket"].to_string().contains("/finish."))
    );
}

/// SC-13: people look at the first judgement before anything is rewritten.
#[test]
fn sc_13_the_first_judgement_in_a_repository_only_proposes_and_the_second_writes() {
    let scratch = with_bank(&says());
    scratch.run(["finish", "--yes"]).expect(0);
    let [anti, heuristics] = bank(&scratch, "001");
    assert!(anti.starts_with(OLDER), "older entries keep their bytes: {anti}");
    assert_eq!(heuristics, OLDER_HEURISTICS);
    let added = &anti[OLDER.len()..];
    assert!(added.contains("### Anti-Pattern: Constants copied from memory\n"), "{added}");
    assert!(added.contains("- Last observed: Feature #001\n- Observation count: 1\n"), "{added}");
    let told = events(&scratch);
    let judged = last(&told, "bank-judged");
    assert_eq!((&judged["proposed"], &judged["commit"]), (&json!(true), &json!("")));
    assert_eq!(judged["confirmed"], json!([{"kind": "anti-pattern", "name": "Limits that nobody holds"}]));
    assert_eq!(judged["challenged"][0]["lesson"]["name"], "Ways in stay apart");
    assert_eq!(last(&told, "decided")["choice"], "skip");
    assert_eq!(bodies(&told, "bank-applied").count(), 0);
    let written = last(&told, "retro-written");
    assert_eq!(
        written["relevant"].as_array().unwrap().len(),
        2,
        "nobody judges what has nothing to do with it"
    );
    assert!(retro(&scratch, "001").contains("Ways in stay apart"), "the page tells what was proposed");
    scratch.run(["new", "--lane", "express", IDEA]).expect(0);
    code(&scratch, "002");
    scratch.run(["finish", "002", "--yes"]).expect(0);
    let [anti, heuristics] = bank(&scratch, "002");
    assert!(anti.contains("- Last observed: Feature #002\n- Observation count: 2\n"), "{anti}");
    assert!(anti.contains("### Anti-Pattern: Elsewhere\nColours of buttons that differ from page to page.\n- Last observed: 2020-01-01\n"));
    assert!(anti.contains("<!-- by hand -->"), "{anti}");
    let challenge = "- Challenged: Feature #002 — here entry.sh calls every part and was approved\n";
    assert!(heuristics.contains(challenge), "{heuristics}");
    let told = scratch.json(["log", "002"])["events"].as_array().unwrap().clone();
    assert_eq!(last(&told, "bank-judged")["proposed"], false);
    let body = scratch.run(["show", "pull-request", "002"]).expect(0).stdout;
    assert!(
        body.contains("## New in the knowledge bank\n\n- anti-pattern: Constants copied from memory\n"),
        "{body}"
    );
}

#[test]
fn a_repository_without_a_bank_gets_one_with_its_first_lesson() {
    let scratch = coded("", &says());
    scratch.run(["finish", "--merge"]).expect(0);
    let anti = fs::read_to_string(scratch.root().join(ANTI)).unwrap();
    assert_eq!(anti.matches("### ").count(), 1, "{anti}");
    let listed = scratch.json(["bank"]);
    assert_eq!(listed["entries"][0]["name"], "Constants copied from memory");
    assert_eq!(bodies(&events(&scratch), "bank-judged").count(), 0, "there was nothing older");
}

#[test]
fn numbers_of_the_facilitator_do_not_reach_the_page() {
    let scratch = coded("", &rule("retro", "count"));
    scratch.run(["finish"]).expect(0);
    let page = retro(&scratch, "001");
    assert!(
        page.contains("Left out: 2 statements by the facilitator, with a number that is not in the ledger"),
        "{page}"
    );
    assert!(page.contains("No observation."), "{page}");
}
