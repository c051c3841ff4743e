//! `redraft watch` on a virtual terminal, and `redraft stop`: who looks changes nothing, and what is decided on the
//! screen is decided.

pub(crate) mod virtual_terminal;

use crate::world::{PROGRAM, bodies, events, feature};
use redraft_testkit::{Ran, Scratch};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use virtual_terminal::Watching;

const IDEA: &str = "Show the weather";

/// A feature whose author has asked something.
fn asking() -> Scratch {
    let scratch = feature(IDEA);
    scratch.scenario("[[rule]]\nticket = \"001/*/draft/*\"\ndo = \"ask\"\ntext = \"Which unit?|Celsius\"\n");
    scratch.run(["run", "001"]).expect(6);
    scratch
}

/// A run whose reviewer never answers, already waiting for it.
fn hanging(scratch: &Scratch) -> Child {
    scratch.scenario("[[rule]]\nticket = \"001/*/review/spec-reviewer/1.1\"\ndo = \"hang\"\n");
    let mut command = scratch.redraft(["run", "001", "-v"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut talk = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("review/spec-reviewer/1.1 sent") {
        line.clear();
        assert!(talk.read_line(&mut line).unwrap() > 0, "the run ended early");
    }
    // Read on, so that the run never waits for us.
    std::thread::spawn(move || std::io::copy(&mut talk, &mut std::io::sink()));
    child
}

#[test]
fn a_person_decides_on_the_screen_and_the_ledger_has_it() {
    let scratch = asking();
    let before = events(&scratch).len();
    let mut watching = Watching::new(&scratch, &["watch"], (80, 24), &[]);
    watching.until("1 waits for you");
    watching.press("\r");
    watching.until("press d to decide");
    watching.press("d");
    watching.until("> STOP");
    assert!(watching.text().contains("Which unit? (it would assume: Celsius)"), "{}", watching.text());
    // Up from the default: abandon, assume.
    watching.press("\x1b[A\x1b[A\r");
    watching.until("why assume");
    watching.press("as you like\r");
    watching.until("Decide 001 assume");
    assert!(watching.text().contains("“as you like”"), "{}", watching.text());
    assert_eq!(events(&scratch).len(), before, "nothing is stored before it is confirmed");
    watching.press_later("y");
    watching.until("decided assume");
    watching.until("ready to continue");
    let events = events(&scratch);
    let decided: Vec<_> = bodies(&events, "decided").collect();
    assert_eq!(decided[0]["choice"], "assume");
    assert_eq!(decided[0]["why"], "as you like");
    watching.press("x");
    watching.press("q");
    assert_eq!(watching.ended(), Some(0));
    assert!(watching.gave_back());
}

#[test]
fn neither_leaving_nor_killing_the_view_is_noticed_by_the_run() {
    let scratch = feature(IDEA);
    let mut run = hanging(&scratch);
    let stored = events(&scratch).len();
    let mut one = Watching::new(&scratch, &["watch", "001"], (80, 24), &[]);
    let mut other = Watching::new(&scratch, &["watch"], (60, 24), &[]);
    one.until("under way");
    assert!(one.text().contains("spec-reviewer review (rehearsal"), "{}", one.text());
    other.until("working: 1 dispatch under way");
    one.press("\x03");
    assert_eq!(one.ended(), Some(0), "Ctrl-C ends the view");
    assert!(one.gave_back());
    other.kill("-KILL");
    assert_eq!(other.ended(), None);
    assert!(run.try_wait().unwrap().is_none(), "the run goes on");
    assert_eq!(events(&scratch).len(), stored);
    let status = scratch.json(["status"]);
    assert_eq!(status["features"][0]["standing"]["is"], "working", "{status}");

    let mut third = Watching::new(&scratch, &["watch", "001"], (80, 24), &[]);
    third.until("driven by `redraft run 001 -v`");
    third.press("s");
    third.until("Run `redraft stop 001`? y/N");
    third.press("n");
    third.until("s stop");
    assert!(run.try_wait().unwrap().is_none(), "only a yes stops it");
    third.press("s");
    third.until("Run `redraft stop 001`? y/N");
    third.press_later("y");
    third.until("feature 001 is stopped");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    third.until("ready to continue");
    third.press("xq");
    assert_eq!(third.ended(), Some(0));
}

#[test]
fn what_happens_elsewhere_appears_by_itself_at_any_size() {
    let scratch = Scratch::repository(PROGRAM);
    let mut watching = Watching::new(&scratch, &["watch"], (200, 50), &[]);
    watching.until("There is no feature here yet.");
    scratch.run(["new", "--until", "specify", IDEA]).expect(0);
    watching.until("001 show-the-weather  planned");
    for size in [(80, 24), (60, 24), (10, 3), (60, 24)] {
        watching.resize(size);
    }
    scratch.run(["run", "001"]).expect(0);
    watching.until("approved");
    watching.press("\r4");
    watching.until("specify closed");
    watching.press("2");
    watching.until("settled: ");
    watching.press("?");
    watching.until("choose a feature");
    watching.press("q");
    watching.press("q");
    assert_eq!(watching.ended(), Some(0));
}

#[test]
fn the_terminal_is_given_back_when_the_view_is_told_to_end() {
    let scratch = feature(IDEA);
    for (name, code) in [("-TERM", 130), ("-HUP", 130), ("-INT", 130)] {
        let mut watching = Watching::new(&scratch, &["watch"], (80, 24), &[]);
        watching.until("001 show-the-weather");
        watching.kill(name);
        assert_eq!(watching.ended(), Some(code), "{name}");
        assert!(watching.gave_back(), "{name}");
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let scratch = asking();
    scratch.configure("colour = \"auto\"\n[roles]\ndefault = \"rehearsal\"\n");
    for (words, variables, coloured) in [
        (&["watch"][..], &[][..], true),
        (&["watch"], &[("NO_COLOR", "1")], false),
        (&["watch", "--color", "never"], &[], false),
        (&["watch", "--color", "always"], &[("NO_COLOR", "1")], true),
    ] {
        let mut watching = Watching::new(&scratch, words, (80, 24), variables);
        watching.until("1 waits for you");
        watching.press("q");
        assert_eq!(watching.ended(), Some(0));
        assert_eq!(watching.has_colours(), coloured, "{words:?} {variables:?}");
    }
}

#[test]
fn without_a_terminal_the_other_commands_are_named() {
    let scratch = asking();
    let ran = scratch.run(["watch"]).expect(2);
    assert!(ran.stderr.contains("redraft status") && ran.stderr.contains("redraft log"), "{}", ran.stderr);
    let shown = scratch.json(["watch", "001"]);
    assert_eq!((&shown["v"], &shown["waiting"]), (&1.into(), &1.into()));
    assert_eq!(shown["features"][0]["standing"]["is"], "asked");
    assert_eq!(shown["detail"]["feature"]["standing"], shown["features"][0]["standing"]);
    let ran = scratch.run(["watch", "002"]).expect(2);
    assert!(ran.stderr.contains("002"), "{}", ran.stderr);
}

#[test]
fn stop_asks_the_process_that_drives_and_says_what_became_of_it() {
    let scratch = feature(IDEA);
    let ran = scratch.run(["stop", "001"]).expect(0);
    assert!(ran.stdout.contains("nobody drives feature 001"), "{}", ran.stdout);
    let run = hanging(&scratch);
    let stopped = scratch.json(["stop", "001"]);
    assert_eq!((&stopped["ended"], &stopped["asked"]["pid"]), (&true.into(), &run.id().into()), "{stopped}");
    assert_eq!(stopped["next"], "redraft run 001");
    let ran = Ran::new(run.wait_with_output().unwrap()).expect(130);
    assert!(ran.stdout.contains("feature 001 is interrupted"), "{}", ran.stdout);
    assert_eq!(scratch.json(["stop", "001"])["asked"], serde_json::Value::Null);
    let mut agent = scratch.redraft(["stop", "001"]);
    let refused =
        Ran::new(agent.env("REDRAFT_TICKET", "001/specify.1/draft/spec-author/1.1").output().unwrap());
    assert!(refused.expect(2).stderr.contains("cannot stop a run"));
}
