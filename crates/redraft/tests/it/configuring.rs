//! `redraft config`: which settings hold, where they come from, and changing them.

use crate::world::{PROGRAM, entries, feature};
use redraft_testkit::Scratch;
use serde_json::Value;
use std::fs;

fn setting<'a>(shown: &'a Value, key: &str) -> Option<(&'a str, &'a str)> {
    let all = shown["settings"].as_array().unwrap();
    let found = all.iter().find(|setting| setting["key"] == key)?;
    Some((found["value"].as_str().unwrap(), found["from"].as_str().unwrap()))
}

#[test]
fn a_setting_is_written_shown_with_its_file_and_taken_out_again() {
    let scratch = Scratch::repository(PROGRAM);
    scratch.configure("# mine\n");
    assert_eq!(setting(&scratch.json(["config"]), "roles.default"), None);
    scratch.run(["config", "set", "roles.default", "rehearsal"]).expect(0);
    scratch.run(["config", "set", "budget", "2.5"]).expect(0);
    scratch.run(["config", "set", "review.policy", "inline", "--repo"]).expect(0);
    let shown = scratch.json(["config"]);
    assert_eq!(setting(&shown, "roles.default"), Some(("\"rehearsal\"", "user")));
    assert_eq!(setting(&shown, "budget"), Some(("2.5", "user")));
    assert_eq!(setting(&shown, "review.policy"), Some(("\"inline\"", "redraft.toml")));
    assert_eq!(setting(&shown, "limits.rounds"), Some(("5", "default")));
    let own = fs::read_to_string(scratch.own_config()).unwrap();
    assert!(own.contains("# mine") && own.contains("budget = 2.5"), "{own}");
    let text = scratch.run(["config"]).expect(0).stdout;
    assert!(text.contains("rehearsal: built in, no model; plays every role"), "{text}");
    assert!(text.contains(&format!("your own configuration: {}", scratch.own_config().display())), "{text}");
    scratch.run(["config", "unset", "budget"]).expect(0);
    assert_eq!(setting(&scratch.json(["config"]), "budget"), Some(("5.0", "default")));
    let again = scratch.json(["config", "set", "roles.default", "rehearsal"]);
    assert_eq!(again["written"], false, "it says so already");
}

#[test]
fn what_could_not_be_used_is_not_written() {
    let scratch = Scratch::repository(PROGRAM);
    let before = fs::read_to_string(scratch.own_config()).unwrap();
    for (words, code, why) in [
        (&["config", "set", "roles.default", "nobody"][..], 3, "there is no agent `nobody`"),
        (&["config", "set", "roles.spec-revewer", "claude"], 3, "did you mean `spec-reviewer`?"),
        (&["config", "set", "review.policy", "inline"], 3, "belongs in the redraft.toml of a repository"),
        (&["config", "set", "budget", "much"], 3, "nothing was written"),
        (&["config", "set", "a b", "c"], 2, "`a b` is not a key"),
        (&["config", "set", "agents.claude.key_env", "sk-ant-api03-0123456789abcdefghijklmnop"], 3, "secret"),
        (&["config", "set", "review.policy", "inlin", "--repo"], 3, "did you mean `inline`?"),
    ] {
        let ran = scratch.run(words).expect(code);
        assert!(ran.stderr.contains(why), "{words:?}: {}", ran.stderr);
        assert!(!ran.stderr.contains("abcdefghijklmnop"), "a key is not repeated: {}", ran.stderr);
    }
    assert_eq!(fs::read_to_string(scratch.own_config()).unwrap(), before);
    assert!(!scratch.root().join("redraft.toml").exists());
}

#[test]
fn the_users_own_file_is_changed_outside_of_a_repository_and_through_a_link() {
    let scratch = Scratch::empty(PROGRAM);
    let real = scratch.outside().join("dotfiles.toml");
    fs::write(&real, "").unwrap();
    fs::remove_file(scratch.own_config()).unwrap();
    std::os::unix::fs::symlink(&real, scratch.own_config()).unwrap();
    scratch.run(["config", "set", "roles.default", "codex"]).expect(0);
    assert_eq!(fs::read_to_string(&real).unwrap(), "[roles]\ndefault = \"codex\"\n");
    assert!(fs::symlink_metadata(scratch.own_config()).unwrap().is_symlink());
    assert_eq!(setting(&scratch.json(["config"]), "roles.default"), Some(("\"codex\"", "user")));
    scratch.run(["config", "set", "budget", "1", "--repo"]).expect(2);
    let mut homeless = scratch.redraft(["config", "set", "budget", "1"]);
    let output = homeless.env_remove("HOME").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("set HOME or XDG_CONFIG_HOME"));
}

#[test]
fn a_higher_budget_of_the_repository_holds_once_a_person_has_accepted_it() {
    let scratch = feature("Show the weather");
    scratch.configure("colour = \"never\"\nbudget = 2\n[roles]\ndefault = \"rehearsal\"\n");
    scratch.write_unaccepted("redraft.toml", "budget = 9\n");
    let ran = scratch.run(["run", "001"]).expect(6);
    assert!(ran.stderr.contains("budget = 9 where your own limit is 2\n"), "{ran:?}");
    let shown = scratch.json(["config"]);
    assert_eq!(setting(&shown, "budget"), Some(("2", "user")));
    assert_eq!(shown["higher_budget_micro_usd"], 9_000_000);
    let ran = scratch.run(["trust", "--yes"]).expect(0);
    assert!(ran.stdout.contains("budget = 9 where your own limit is 2\n"), "{ran:?}");
    assert_eq!(setting(&scratch.json(["config"]), "budget"), Some(("9", "redraft.toml")));
    scratch.run(["run", "001"]).expect(0);
    let entries = entries(&scratch);
    assert!(entries.iter().any(|entry| matches!(entry.event, redraft_facts::event::Event::PhaseClosed(_))));
}
