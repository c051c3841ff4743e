//! Tests what a person reads about a run, as a whole.

use crate::documents::{PRD, planted};
use crate::world::PROGRAM;
use redraft_testkit::Scratch;
use std::fs;

/// A run with everything in it: a rejection, a lost session, a file that had to be restored, a ruling.
fn eventful() -> Scratch {
    let scratch = Scratch::repository(PROGRAM);
    fs::write(scratch.outside().join("prd.md"), PRD).unwrap();
    scratch.run(["new", "--until", "specify", "export the report", "--prd", "../prd.md"]).expect(0);
    fs::write(scratch.artifacts("001").join("spec.md"), planted()).unwrap();
    scratch.scenario(
        "[[rule]]\nticket = \"*/review/spec-reviewer/1.1\"\ndo = \"edit\"\npath = \"README.md\"\ntext = \"mine\"\n\
         [[rule]]\nticket = \"*/review/spec-reviewer/2.1\"\ndo = \"lose-session\"\n\
         [[rule]]\nticket = \"*/review/phase-reviewer/1.1\"\ndo = \"garbage\"\n",
    );
    scratch.run(["run", "001", "--policy", "resume"]).expect(0);
    scratch
}

/// Without what differs from run to run: times, ids of git and of sessions.
fn steady(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words: Vec<String> = line.split(' ').map(steady_word).collect();
        out.push_str(&words.join(" "));
        out.push('\n');
    }
    out
}

fn steady_word(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let hex = (bare.len() == 40 || bare.len() == 10) && bare.bytes().all(|b| b.is_ascii_hexdigit());
    let date = bare.len() == 10 && bare.as_bytes()[4] == b'-';
    let time = bare.len() == 8 && bare.as_bytes()[2] == b':';
    if bare.len() == 36 && bare.matches('-').count() == 4 {
        return word.replace(bare, "UUID");
    }
    match (hex && !date, date, time) {
        (true, ..) => word.replace(bare, "HEX"),
        (_, true, _) => word.replace(bare, "DATE"),
        (.., true) => word.replace(bare, "TIME"),
        _ => word.to_owned(),
    }
}

#[test]
fn the_history_the_meta_file_and_the_receipt_read_like_this() {
    let scratch = eventful();
    let folder = scratch.artifacts("001");
    let read = |name: &str| steady(&fs::read_to_string(folder.join(name)).unwrap());
    insta::assert_snapshot!("review-history", read(".review-history.md"));
    // The rehearsal agent has this program's version.
    insta::assert_snapshot!("meta", read(".meta.json").replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    let ended = scratch.run(["run", "001"]).expect(0).stdout;
    let ended: Vec<&str> = ended.lines().filter(|line| !line.starts_with("folder: ")).collect();
    let cost = scratch.run(["cost", "001", "--all"]).expect(0).stdout;
    insta::assert_snapshot!("receipt", format!("{}\n\n{cost}", ended.join("\n")));
}
