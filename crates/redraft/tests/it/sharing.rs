//! One feature in several clones: what a teammate sees, going on in another clone, comments and decisions from clones
//! that do not drive, numbers that were given out twice, and a run that dies in one clone and ends in a fresh one.

mod taken_out;

use crate::built::shell;
use crate::interruption::{HANGS, run_until, signal};
use crate::team::{Team, clone_of, kinds, said};
use crate::world::{PROGRAM, entries, signer};
use redraft_adapters::git::{Git, Repository};
use redraft_facts::event::{Entry, Event};
use redraft_facts::ids::FeatureUuid;
use redraft_facts::ticket::Purpose;
use redraft_sharing::{CloneId, LogWriter, Remote, Taken};
use redraft_testkit::{Ran, Scratch};
use serde_json::Value;
use std::process::Stdio;

const RUN: &[&str] = &["run", "001", "--yes", "-v"];

/// What people said and what became of it, a line each.
fn settled(entries: &[Entry]) -> Vec<String> {
    let line = |entry: &Entry| match &entry.event {
        Event::ProposalSettled(fact) => {
            Some(format!("{} {}", fact.what, fact.refused.as_deref().unwrap_or("taken in")))
        }
        _ => None,
    };
    entries.iter().filter_map(line).collect()
}

/// Takes the lease of feature 001 for a clone as a run does, and goes away without giving it up.
fn hold(scratch: &Scratch) {
    scratch.run(["sync"]).expect(0);
    let notes = std::fs::read_to_string(scratch.state().join("share.json")).unwrap();
    let notes: Value = serde_json::from_str(&notes).unwrap();
    let clone = CloneId::new(notes["clone"].as_str().unwrap()).unwrap();
    let repository = Repository::discover_with(Git::default(), &scratch.root()).unwrap();
    let writer = LogWriter { clone, by: "someone".to_owned(), place: "a desk".to_owned() };
    let remote =
        Remote { repository: &repository, name: "origin".to_owned(), writer, signer: signer(scratch) };
    let Some(Event::FeatureCreated(created)) = entries(scratch).first().map(|entry| entry.event.clone())
    else {
        unreachable!("a feature begins with its creation")
    };
    let shared = remote.read(&created.uuid).unwrap();
    assert!(matches!(remote.take(&shared, false, 1).unwrap(), Taken::Ours(_)));
}

#[test]
fn a_teammate_sees_a_feature_and_goes_on_with_it() {
    let team = Team::new(&["--until", "design", "--ask", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(6);
    let bob = team.another();
    // What a clone says before anything was fetched.
    let status = bob.run(["status"]).expect(0);
    assert!(status.stdout.contains("redraft sync"), "{}", status.stdout);
    let sync = bob.json(["sync"]);
    assert_eq!(sync["arrived"], serde_json::json!(["001"]), "{sync}");
    assert_eq!(kinds(&entries(&bob)), kinds(&entries(&team.ann)));
    let (mine, theirs) = (team.ann.json(["show", "findings", "001"]), bob.json(["show", "findings", "001"]));
    assert_eq!(mine["findings"], theirs["findings"]);
    bob.run(["status", "--verify"]).expect(0);
    // The decision of one is carried out by the other, and then the other way round.
    let asked = bob.json(["decide", "001"]);
    let revision = asked["revision"].as_str().unwrap().to_owned();
    bob.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    team.ann.run(["run", "001", "--yes"]).expect(0);
    bob.run(["sync"]).expect(0);
    let history = entries(&bob);
    assert_eq!(kinds(&history), kinds(&entries(&team.ann)));
    assert_eq!(kinds(&history).iter().filter(|kind| **kind == "driver-changed").count(), 3);
    // What each has spent adds up to the whole.
    let cost = bob.json(["cost", "001"]);
    let clones = cost["by_clone"].as_array().unwrap();
    let sent: Vec<u64> = clones.iter().map(|one| one["sum"]["dispatches"].as_u64().unwrap()).collect();
    assert_eq!((clones.len(), sent[1]), (2, 0), "bob has only decided: {cost}");
    assert_eq!(Some(sent[0]), cost["sum"]["dispatches"].as_u64());
    // Each dispatch was sent once, and none went on with a conversation of another clone.
    assert!(!kinds(&history).contains(&"lost"));
    let resumed_after =
        history.iter().skip_while(|entry| entry.event.kind() != "decided").find_map(|entry| {
            match &entry.event {
                Event::Started(started) => Some(started.choice.strategy.name()),
                _ => None,
            }
        });
    assert_ne!(resumed_after, Some("resume"));
    // The branch came along, with the files that were approved.
    let branch = "feature/001-export-the-orders";
    assert_eq!(bob.git(["rev-parse", branch]), team.ann.git(["rev-parse", branch]));
    assert_eq!(bob.git(["rev-parse", &format!("origin/{branch}")]).len(), 40);
    let nothing = bob.run(["sync"]).expect(0);
    assert!(nothing.stdout.starts_with("nothing arrived\nnothing sent\n"), "{}", nothing.stdout);
}

#[test]
fn prompts_answers_and_secrets_stay_at_home() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    let secret = ["hunter2", "correct", "horse", "battery"].join("-");
    let mut run = team.ann.redraft(["run", "001", "--yes"]);
    Ran::new(run.env("EXPORT_API_KEY", &secret).output().unwrap()).expect(0);
    let comment = format!("the key {secret} must not be in it");
    let mut said = team.ann.redraft(["comment", "001", &comment, "--note"]);
    Ran::new(said.env("EXPORT_API_KEY", &secret).output().unwrap()).expect(0);
    let ledger = redraft_adapters::sqlite::Ledger::open(
        &team.ann.state(),
        redraft_adapters::sqlite::OpenMode::ReadOnly,
    )
    .unwrap();
    let mut home = Vec::new();
    for entry in entries(&team.ann) {
        if matches!(entry.event, Event::Started(_) | Event::Answered(_)) {
            use redraft_engine::ports::Store as _;
            home.extend(entry.event.blobs().into_iter().map(|id| ledger.blob(id).unwrap()));
        }
    }
    assert!(home.len() > 8, "prompts and answers are there");
    // Every object of the remote, whatever leads to it.
    let listed = team.ann.git_in(&team.remote(), ["cat-file", "--batch-all-objects", "--batch-check"]);
    let objects: Vec<String> = listed
        .lines()
        .filter(|line| !line.contains(" tree "))
        .filter_map(|line| line.split(' ').next())
        .map(|id| team.ann.git_in(&team.remote(), ["cat-file", "-p", id]))
        .collect();
    assert!(objects.iter().any(|text| text.contains("\"kind\":\"judged\"")), "the history is there");
    assert!(objects.iter().any(|text| text.contains("must not be in it")), "the comment is there");
    for text in &objects {
        assert!(!text.contains(&secret), "{text}");
        // In JSON a line break is written out.
        let plain = text.replace("\\n", "\n").replace("\\\"", "\"");
        for kept in &home {
            let kept = String::from_utf8_lossy(kept);
            assert!(!plain.contains(kept.trim()), "a prompt or an answer left: {kept}");
        }
    }
}

#[test]
fn whoever_does_not_drive_comments_and_decides_and_the_driver_takes_it_in() {
    let team = Team::new(&["--until", "specify", "--ask", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(6);
    let (bob, ci) = (team.another(), team.another());
    bob.run(["sync"]).expect(0);
    hold(&ci);
    // Nobody else drives meanwhile, and what they say is a proposal.
    let held = team.ann.run(["run", "001", "--yes"]).expect(7);
    assert!(said(&held).contains("a desk") && said(&held).contains("--take"), "{}", said(&held));
    let before = entries(&bob).len();
    let comment = bob.run(["comment", "001", "name the unit", "--note"]).expect(0);
    assert!(said(&comment).contains("counts once that clone has taken it in"), "{}", said(&comment));
    let revision = bob.json(["decide", "001"])["revision"].as_str().unwrap().to_owned();
    let decided = bob.json(["decide", "001", "approve", "--revision", &revision]);
    assert_eq!(decided["proposed"], true);
    assert_eq!(entries(&bob).len(), before, "nothing was stored in the history");
    let waits = bob.run(["status"]).expect(0);
    assert!(
        waits.stdout.contains("comment: name the unit (waits for the clone that drives)"),
        "{}",
        waits.stdout
    );
    // What cannot be stored where the feature is driven is not proposed either.
    assert!(said(&bob.run(["decide", "001", "go"]).expect(2)).contains("go"));
    // The driver comes back.
    ci.run(["run", "001", "--yes"]).expect(0);
    let history = entries(&ci);
    assert_eq!(settled(&history), ["comment taken in", "approve taken in"]);
    for scratch in [&team.ann, &bob] {
        scratch.run(["sync"]).expect(0);
        assert_eq!(kinds(&entries(scratch)), kinds(&history));
        let status = scratch.run(["status"]).expect(0);
        assert!(!status.stdout.contains("waits for"), "{}", status.stdout);
    }
}

#[test]
fn two_decisions_on_one_question_wait_for_a_person() {
    let team = Team::new(&["--until", "specify", "--ask", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(6);
    let (bob, ci) = (team.another(), team.another());
    bob.run(["sync"]).expect(0);
    hold(&ci);
    let revision = bob.json(["decide", "001"])["revision"].as_str().unwrap().to_owned();
    bob.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    team.ann.run(["decide", "001", "abandon", "--why", "not needed"]).expect(0);
    let told = ci.run(["run", "001", "--yes"]).expect(6);
    assert!(said(&told).contains("decided otherwise; that waits for you"), "{}", said(&told));
    assert_eq!(settled(&entries(&ci)), Vec::<String>::new(), "neither is taken in");
    let status = ci.run(["status"]).expect(0);
    assert_eq!(status.stdout.matches("another one decided otherwise").count(), 2, "{}", status.stdout);
    // A person at the driver's settles it, and both are told.
    ci.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    ci.run(["run", "001", "--yes"]).expect(0);
    let all = settled(&entries(&ci));
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all.iter().all(|line| line.contains("had decided approve")), "{all:?}");
}

#[test]
fn a_decision_that_comes_after_another_one_was_stored_waits_for_a_person_too() {
    let team = Team::new(&["--until", "design", "--ask", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(6);
    let (bob, remote) = (team.another(), team.remote());
    bob.run(["sync"]).expect(0);
    let revision = bob.json(["decide", "001"])["revision"].as_str().unwrap().to_owned();
    // Bob is on a train, and Ann decides and goes on.
    bob.git(["remote", "set-url", "origin", "/nowhere/at/all.git"]);
    bob.run(["decide", "001", "abandon", "--why", "not needed"]).expect(0);
    team.ann.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    let mut begun = team.ann.redraft(["run", "001", "--yes"]);
    Ran::new(begun.env("REDRAFT_ABORT_AT_BOUNDARY", "20").output().unwrap());
    bob.git(["remote", "set-url", "origin", remote.to_str().unwrap()]);
    let sent = bob.run(["sync"]).expect(0);
    assert!(sent.stdout.contains("sent"), "{}", sent.stdout);
    let told = team.ann.run(["run", "001", "--yes"]).expect(6);
    assert!(said(&told).contains("not knowing that"), "{}", said(&told));
    assert!(said(&told).contains("had decided approve, which is carried out"), "{}", said(&told));
    assert_eq!(settled(&entries(&team.ann)).len(), 1);
    team.ann.run(["decide", "001", "accept", "--why", "we agreed on it"]).expect(0);
    team.ann.run(["run", "001", "--yes"]).expect(0);
    // Everybody sees the same, and nobody is asked again.
    bob.run(["sync"]).expect(0);
    assert_eq!(kinds(&entries(&bob)), kinds(&entries(&team.ann)));
    assert_eq!(settled(&entries(&bob)), settled(&entries(&team.ann)));
}

#[test]
fn a_shared_run_that_is_interrupted_publishes_what_it_did_and_gives_the_feature_up() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    team.ann.write("scenario.toml", HANGS);
    let agent = "[agents.rehearsal]\nkind = \"rehearsal\"\nscenario = \"scenario.toml\"\n";
    team.ann.write_unaccepted("redraft.toml", &format!("[share]\nremote = \"origin\"\n\n{agent}"));
    team.ann.accept();
    let (child, _) = run_until(&team.ann, RUN, Stdio::piped(), "review/spec-reviewer/1.1 sent");
    signal(&team.ann, &child, "-INT");
    Ran::new(child.wait_with_output().unwrap()).expect(130);
    let bob = team.another();
    bob.run(["sync"]).expect(0);
    assert_eq!(kinds(&entries(&bob)), kinds(&entries(&team.ann)));
    assert!(kinds(&entries(&bob)).contains(&"drafted"));
    bob.run(["run", "001", "--yes"]).expect(0);
}

#[test]
fn code_goes_on_in_another_clone_with_what_the_first_one_had_outlined() {
    let folder = tempfile::tempdir().unwrap();
    let remote = folder.path().join("remote.git");
    let ann = shell("[[rule]]\nticket = \"*/tests/test-deepener/1.1\"\ndo = \"hang\"\n", "sh tests/run.sh");
    let config = std::fs::read_to_string(ann.root().join("redraft.toml")).unwrap();
    ann.write_unaccepted("redraft.toml", &format!("[share]\nremote = \"origin\"\n\n{config}"));
    ann.accept();
    ann.git(["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    ann.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    ann.git(["add", "-A"]);
    ann.git(["commit", "-q", "-m", "share"]);
    ann.git(["push", "-q", "origin", "main"]);
    ann.run(["new", "--lane", "standard", "Count the orders of a day"]).expect(0);
    let (child, _) = run_until(&ann, RUN, Stdio::piped(), "tests/test-deepener/1.1 sent");
    signal(&ann, &child, "-INT");
    Ran::new(child.wait_with_output().unwrap()).expect(130);
    let outlined = |entry: &Entry| matches!(&entry.event, Event::Answered(fact) if fact.ticket.purpose == Purpose::Outline);
    assert!(entries(&ann).iter().any(outlined));
    let bob = clone_of(&remote, "Bob");
    bob.write("scenario.toml", "");
    bob.run(["sync"]).expect(0);
    bob.run(["run", "001", "--yes"]).expect(0);
    ann.run(["sync"]).expect(0);
    assert_eq!(kinds(&entries(&bob)), kinds(&entries(&ann)));
}

/// Whether a text is in anything that the logs in the remote lead to.
fn in_logs(team: &Team, text: &str) -> bool {
    let listed = team.ann.git_in(&team.remote(), ["rev-list", "--objects", "--glob=refs/redraft/1"]);
    let mut ids = listed.lines().filter_map(|line| line.split(' ').next());
    ids.any(|id| team.ann.git_in(&team.remote(), ["cat-file", "-p", id]).contains(text))
}

#[test]
fn a_number_that_two_clones_gave_out_means_two_features() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    let bob = team.another();
    bob.run(["new", "--until", "specify", "Import the orders"]).expect(0);
    team.ann.run(["run", "001", "--yes"]).expect(0);
    bob.run(["run", "001", "--yes"]).expect(0);
    bob.run(["sync"]).expect(0);
    team.ann.run(["sync"]).expect(0);
    let slugs = |scratch: &Scratch| -> Vec<String> {
        let status = scratch.json(["status"]);
        let features = status["features"].as_array().unwrap();
        features
            .iter()
            .map(|one| format!("{} {}", one["id"].as_str().unwrap(), one["slug"].as_str().unwrap()))
            .collect()
    };
    assert_eq!(slugs(&team.ann), ["001 export-the-orders", "001b import-the-orders"]);
    assert_eq!(slugs(&bob), ["001 import-the-orders", "001b export-the-orders"]);
    // Under either name it is the same feature, and each clone can go on with both.
    team.ann.run(["comment", "001b", "name the unit", "--yes"]).expect(0);
    team.ann.run(["run", "001b", "--yes"]).expect(0);
    bob.run(["sync"]).expect(0);
    let here = bob.json(["show", "findings", "001"]);
    assert!(here.to_string().contains("name the unit"), "{here}");
    bob.run(["status", "--verify"]).expect(0);
    team.ann.run(["status", "--verify"]).expect(0);
    // The next number is free in both.
    let next = team.ann.json(["new", "--until", "specify", "Archive the orders"]);
    assert_eq!(next["feature"], "002");
}

#[test]
fn a_clone_that_went_on_after_another_had_taken_over_keeps_its_work_under_another_name() {
    let team = Team::new(&["--until", "design", "--ask", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(6);
    let bob = team.another();
    hold(&team.ann);
    // Out of reach, this clone decides and goes on: it has the lease.
    team.ann.git(["remote", "set-url", "origin", "/nowhere/at/all.git"]);
    let revision = team.ann.json(["decide", "001"])["revision"].as_str().unwrap().to_owned();
    team.ann.run(["decide", "001", "approve", "--revision", &revision]).expect(0);
    // Meanwhile another one takes over, and says what that means.
    bob.run(["sync"]).expect(0);
    bob.run(["run", "001", "--yes"]).expect(7);
    let taken = bob.run(["run", "001", "--yes", "--take"]).expect(6);
    assert!(said(&taken).contains("nothing that it has not published becomes part"), "{}", said(&taken));
    bob.run(["comment", "001", "name the unit", "--yes"]).expect(0);
    team.ann.git(["remote", "set-url", "origin", team.remote().to_str().unwrap()]);
    let late = entries(&team.ann).len();
    let sync = team.ann.run(["sync"]).expect(0);
    assert!(said(&sync).contains("has taken over"), "{}", said(&sync));
    let status = team.ann.json(["status"]);
    let ids: Vec<&str> =
        status["features"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["001", "001b"]);
    assert!(entries(&team.ann).len() > late, "what was decided here is still there");
    assert_eq!(status["features"][0]["status"], "abandoned");
    // Both clones go on with what bob did.
    team.ann.run(["run", "001b", "--yes"]).expect(6);
    bob.run(["sync"]).expect(0);
    assert!(kinds(&entries(&bob)).contains(&"commented"));
}

#[test]
fn a_remote_that_was_altered_is_named_and_nothing_is_taken_over_from_it() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    team.ann.run(["run", "001", "--yes"]).expect(0);
    let bob = team.another();
    bob.run(["sync"]).expect(0);
    let refs = team.ann.git_in(&team.remote(), ["for-each-ref", "--format=%(refname)", "refs/redraft/1"]);
    let log = refs.lines().find(|name| !name.ends_with("driver")).unwrap();
    team.ann.git_in(&team.remote(), ["update-ref", log, &format!("{log}~1")]);
    let told = bob.run(["sync"]).expect(1);
    assert!(said(&told).contains("is not as its writer left it"), "{}", said(&told));
    let lease = refs.lines().find(|name| name.ends_with("driver")).unwrap();
    let uuid = lease.split('/').nth(3).unwrap();
    assert!(said(&told).contains(FeatureUuid::new(uuid).as_str()));
    // The clone it belongs to puts back what was cut off.
    team.ann.run(["sync"]).expect(0);
    bob.run(["sync"]).expect(0);
}

#[test]
fn what_a_newer_program_noted_is_left_alone() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    team.ann.run(["sync"]).expect(0);
    let notes = team.ann.state().join("share.json");
    let newer = std::fs::read_to_string(&notes).unwrap().replacen("\"v\":1", "\"v\":2", 1);
    std::fs::write(&notes, &newer).unwrap();
    let told = team.ann.run(["sync"]).expect(3);
    assert!(said(&told).contains("share.json has version 2"), "{}", said(&told));
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), newer);
}

#[test]
fn what_cannot_be_shared_says_how_it_could_be() {
    let scratch = Scratch::repository(PROGRAM);
    assert!(scratch.run(["share"]).expect(0).stdout.contains("features are not shared"));
    assert!(said(&scratch.run(["sync"]).expect(2)).contains("redraft share --remote origin"));
    assert!(said(&scratch.run(["share", "--remote", "origin"]).expect(2)).contains("git remote add origin"));
    scratch.git(["remote", "add", "origin", "/nowhere/at/all.git"]);
    let shown = scratch.run(["share", "--remote", "origin"]).expect(6);
    assert!(said(&shown).contains("prompts and answers stay here"), "{}", said(&shown));
    assert!(!scratch.root().join("redraft.toml").exists(), "nothing was written");
    let away = scratch.run(["share", "--remote", "origin", "--yes"]).expect(3);
    assert!(said(&away).contains("git ls-remote origin"), "{}", said(&away));
    // A feature can be worked on where it began, and its history is sent later.
    scratch.run(["new", "--until", "specify", "Export the orders"]).expect(0);
    let alone = scratch.run(["run", "001", "--yes"]).expect(3);
    assert!(said(&alone).contains("comments and decisions can be made now"), "{}", said(&alone));
}
