//! The warnings over several features: `run`, `cost` and `status` report what happens too often, with the remedy.

use crate::models::{ANTHROPIC, run, with_agent};
use crate::world::{PROGRAM, bodies, entries, events};
use redraft_core::pipeline::{self, Pipeline};
use redraft_core::tally::required;
use redraft_facts::choice::Strategy;
use redraft_facts::event::Event;
use redraft_testkit::Scratch;
use serde_json::{Value, json};

/// Both reviewers find their conversation gone in their second round.
const FORGETFUL: &str = "[[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n\
    [[rule]]\nticket = \"*/review/phase-reviewer/2.1\"\ndo = \"lose-session\"\n";

fn finished(scratch: &Scratch, number: usize) -> redraft_testkit::Ran {
    scratch.run(["new", "--until", "specify", &format!("Export report number {number} as CSV")]).expect(0);
    scratch.run(["run", &number.to_string(), "--yes", "--policy", "resume"]).expect(0)
}

fn kinds(shown: &Value) -> Vec<&str> {
    shown["warnings"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect()
}

#[test]
fn conversations_that_are_often_gone_are_told_after_three_finished_features() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.scenario(FORGETFUL);
    let told = "resumed dispatches had to be sent again to a fresh conversation";
    for number in 1..=2 {
        let ran = finished(&scratch, number);
        assert!(!ran.stderr.contains("warning:"), "{number}: {}", ran.stderr);
    }
    assert_eq!(kinds(&scratch.json(["status"])), Vec::<&str>::new());
    let ran = finished(&scratch, 3);
    let tally = |field: &str| -> u64 {
        let rows = scratch.json(["status"])["features"].as_array().unwrap().clone();
        rows.iter().map(|row| row["tally"][field].as_u64().unwrap()).sum()
    };
    let events = events(&scratch);
    let resumed = bodies(&events, "started").filter(|body| body["choice"]["strategy"] == "resume").count();
    let gone = bodies(&events, "failed").filter(|body| body["now"] == "fresh_session").count();
    assert_eq!((tally("resumes"), tally("fallbacks")), (resumed as u64, gone as u64));
    assert!(gone * 5 > resumed, "{gone} of {resumed}");
    let warning = format!("warning: {gone} of {resumed} {told}");
    let cost = scratch.run(["cost", "003"]).expect(0);
    let status = scratch.run(["status"]).expect(0);
    for (what, stderr) in [("run", &ran.stderr), ("cost", &cost.stderr), ("status", &status.stderr)] {
        assert!(
            stderr.contains(&warning)
                && stderr.contains("\n  remedy: look at the agent with `redraft doctor`"),
            "{what}: {stderr}"
        );
    }
    assert!(!status.stdout.contains("warning"), "talk is not data: {}", status.stdout);
    for words in [&["status"][..], &["cost"], &["cost", "001"], &["run", "001"]] {
        assert_eq!(kinds(&scratch.json(words)), ["resume-fallbacks"], "{words:?}");
    }

    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[monitor]\nfallbacks_percent = 90\n"));
    assert_eq!(kinds(&scratch.json(["status"])), Vec::<&str>::new());
    scratch.write("redraft.toml", &format!("{config}[monitor]\nfeatures = 4\n"));
    assert_eq!(kinds(&scratch.json(["cost"])), Vec::<&str>::new());
    scratch.write("redraft.toml", &format!("{config}[monitor]\nfeatures = 99\n"));
    let ran = scratch.run(["run", "001"]).expect(3);
    assert!(ran.stderr.contains("features = 99 is out of bounds (1 to 20)"), "{}", ran.stderr);
    scratch.run(["status"]).expect(0);
}

#[test]
fn guard_trips_are_counted_among_the_re_reviews() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "--until", "specify", "Export the monthly report as CSV"]).expect(0);
    scratch.run(["run", "001", "--yes", "--policy", "seed"]).expect(0);
    let tally = scratch.json(["status"])["features"][0]["tally"].clone();
    let events = events(&scratch);
    let again: Vec<&Value> = bodies(&events, "started")
        .filter(|body| body["ticket"].as_str().unwrap().contains("/review/") && !body["since"].is_null())
        .collect();
    let tripped = again.iter().filter(|body| body["choice"]["strategy"] == "lazy").count();
    assert_eq!((&tally["re_reviews"], &tally["guard_trips"]), (&json!(again.len()), &json!(tripped)));
    assert!(!again.is_empty());
}

#[test]
fn a_guard_that_trips_too_often_is_told_with_its_remedy() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.run(["new", "Export the monthly report as CSV"]).expect(0);
    let config =
        "[limits]\nattempts = 1\n[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
    scratch.write("redraft.toml", config);
    // A person writes a lot before the second review takes place, so that its delta is larger than a fresh start.
    scratch.write(
        "scenario.toml",
        "[[rule]]\nticket = \"*/review/spec-reviewer/2.*\"\ndo = \"overloaded\"\nwait_ms = 1\n",
    );
    scratch.run(["run", "001", "--yes", "--policy", "seed"]).expect(4);
    let worktree = scratch.worktree("001");
    let spec = worktree.join("docs/features").join(worktree.file_name().unwrap()).join("spec.md");
    let text = std::fs::read_to_string(&spec).unwrap();
    let more = "Accountants read the report before they close the month.\n".repeat(400);
    std::fs::write(&spec, format!("{text}\n## Background\n\n{more}")).unwrap();
    scratch.write("scenario.toml", "");
    let quiet = scratch.run(["run", "001", "--yes"]).expect(0);
    let tally = scratch.json(["status"])["features"][0]["tally"].clone();
    let (trips, of) = (tally["guard_trips"].as_u64().unwrap(), tally["re_reviews"].as_u64().unwrap());
    assert!(trips > 0, "{tally}");
    assert!(!quiet.stderr.contains("warning:"), "one feature is too few: {}", quiet.stderr);
    let percent = (trips * 100).div_ceil(of) - 1;
    let monitor =
        |percent: u64| format!("{config}[monitor]\nfeatures = 1\nguard_trips_percent = {percent}\n");
    scratch.write("redraft.toml", &monitor(percent));
    let words = format!(
        "warning: {trips} of {of} re-reviews were sent to a fresh conversation because the change was too large"
    );
    for command in [&["status"][..], &["cost", "001"], &["run", "001"]] {
        let told = scratch.run(command).expect(0).stderr;
        assert!(
            told.contains(&words) && told.contains("remedy: `policy = \"cost\"` under [review]"),
            "{told}"
        );
    }
    scratch.write("redraft.toml", &monitor(percent + 1));
    let told = scratch.run(["status"]).expect(0).stderr;
    assert!(!told.contains("warning:"), "at its threshold: {told}");
}

#[test]
fn an_agent_that_does_not_open_what_it_was_told_to_read_is_counted() {
    // The script of this model never opens a file; the phase reviewer is told to read the specification.
    let (scratch, _provider) = with_agent(ANTHROPIC);
    let ran = run(&scratch, &["run", "001", "--yes", "--policy", "resume"]);
    assert_eq!(ran.code, Some(0), "{}\n{}", ran.stdout, ran.stderr);
    let tally = scratch.json(["status"])["features"][0]["tally"].clone();
    let lazy = tally["lazy"].as_u64().unwrap();
    assert!(lazy > 0, "{tally}");
    assert_eq!(tally["unconfirmed"], json!(lazy));
    let config = std::fs::read_to_string(scratch.root().join("redraft.toml")).unwrap();
    scratch.write("redraft.toml", &format!("{config}[monitor]\nfeatures = 1\n"));
    let told = scratch.run(["status"]).expect(0).stderr;
    assert!(
        told.contains("fresh dispatches did not open every file they were told to read (100 %"),
        "{told}"
    );
    assert!(told.contains("remedy: `policy = \"inline\"`"), "{told}");
}

#[test]
fn what_counts_as_required_is_the_list_of_the_prompt() {
    let prd = "# Reports\n\nPeople want the monthly report as CSV.\n";
    for with_prd in [false, true] {
        let scratch = Scratch::repository(PROGRAM);
        scratch.write("idea.md", prd);
        let words: &[&str] = if with_prd {
            &["new", "--until", "specify", "Reports", "--prd", "idea.md"]
        } else {
            &["new", "--until", "specify", "Reports"]
        };
        scratch.run(words).expect(0);
        scratch.run(["run", "001", "--yes", "--policy", "fresh"]).expect(0);
        let mut state = Pipeline::default();
        let (mut seen, mut ordered) = (0, 0);
        for entry in entries(&scratch) {
            if let (Event::Started(started), Some(open)) = (&entry.event, &state.open) {
                assert_eq!(started.choice.strategy, Strategy::Lazy);
                let ticket = started.ticket.to_string();
                let prompt = scratch.json(["show", "prompt", "--ticket", &ticket]);
                let fragments = prompt["fragments"].as_array().unwrap();
                let list = fragments.iter().find(|one| one["name"] == "required-artifacts").unwrap();
                let text = |one: &serde_json::Value| one["text"].as_str().unwrap().to_owned();
                let by_need = fragments.iter().any(|one| text(one).contains(" are for reference: "));
                let listed: Vec<String> = text(list)
                    .lines()
                    .filter_map(|line| line.strip_prefix("- ")?.split_once(": ").map(|(_, path)| path))
                    .filter(|path| path.starts_with("docs/") && !by_need)
                    .map(str::to_owned)
                    .collect();
                assert_eq!(required(state.created.as_ref(), open, started), listed, "{ticket}");
                seen += 1;
                ordered += usize::from(!listed.is_empty());
            }
            pipeline::fold(&mut state, &entry.event).unwrap();
        }
        assert!(seen >= 4 && (1..seen).contains(&ordered), "{ordered} of {seen}");
        let tally = scratch.json(["status"])["features"][0]["tally"].clone();
        assert_eq!(tally["unconfirmed"], json!(0), "the rehearsal agent reads what it is told to");
    }
}
