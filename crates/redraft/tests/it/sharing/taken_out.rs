//! A secret that is taken out of a feature which several clones share.

use super::in_logs;
use crate::team::{Team, kinds, said};
use crate::world::{entries, executable};
use redraft_testkit::Scratch;

#[test]
fn what_is_taken_out_of_one_clone_is_published_anew_and_others_follow() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    // It looks like nothing that is kept out.
    let secret = ["zanzibar", "horse", "4711"].join("-");
    team.ann.run(["comment", "001", &format!("the store opens with {secret}"), "--note"]).expect(0);
    team.ann.run(["run", "001", "--yes"]).expect(0);
    let bob = team.another();
    bob.run(["sync"]).expect(0);
    let holds = |scratch: &Scratch| format!("{:?}", entries(scratch)).contains(&secret);
    assert!(holds(&team.ann) && holds(&bob) && in_logs(&team, &secret));
    let before = entries(&bob);
    let taken = crate::ledger_redact::redact(&team.ann, &["--yes"], &secret);
    assert!(!holds(&team.ann), "{}", said(&taken));
    assert!(said(&taken).contains("revoke the secret"), "{}", said(&taken));
    assert!(!in_logs(&team, &secret), "the remote has the log without it");
    let logs = team.ann.git_in(&team.remote(), ["for-each-ref", "--format=%(refname)", "refs/redraft/1"]);
    let logs: Vec<&str> = logs.lines().filter(|name| !name.ends_with("/driver")).collect();
    assert!(logs.iter().any(|name| name.ends_with(".2")) && logs.len() == 1, "{logs:?}");
    // Whoever had it follows, and whoever comes new never sees it.
    let told = bob.run(["sync"]).expect(0);
    assert!(said(&told).contains("it is taken out of the ledger here, too"), "{}", said(&told));
    assert!(!holds(&bob));
    assert_eq!(kinds(&entries(&bob)), kinds(&before), "nothing else changes");
    bob.run(["status", "--verify"]).expect(0);
    let carol = team.another();
    carol.run(["sync"]).expect(0);
    assert_eq!(entries(&carol).len(), before.len());
    assert!(!holds(&carol));
    for scratch in [&team.ann, &bob, &carol] {
        let nothing = scratch.run(["sync"]).expect(0);
        assert!(nothing.stdout.starts_with("nothing arrived\nnothing sent\n"), "{}", nothing.stdout);
    }
    // The feature goes on from there.
    bob.run(["comment", "001", "also export the dates", "--yes"]).expect(0);
    bob.run(["run", "001", "--yes"]).expect(0);
    team.ann.run(["sync"]).expect(0);
    assert_eq!(kinds(&entries(&bob)), kinds(&entries(&team.ann)));
}

#[test]
fn a_redaction_that_is_killed_anywhere_is_published_by_the_next_one() {
    let secret = ["zanzibar", "horse", "4711"].join("-");
    for boundary in 1.. {
        let team = Team::new(&["--until", "specify", "Export the orders"]);
        team.ann.run(["comment", "001", &format!("the store opens with {secret}")]).expect(0);
        assert!(in_logs(&team, &secret), "a comment is published at once");
        let mut dies = team.ann.redraft(["ledger", "redact", "--yes"]);
        let dies = dies.env("REDRAFT_ABORT_AT_BOUNDARY", boundary.to_string());
        let died = crate::ledger_redact::told(dies, &secret).code != Some(0);
        if died {
            crate::ledger_redact::redact(&team.ann, &["--yes"], &secret).expect(0);
        }
        assert!(!in_logs(&team, &secret), "{boundary}");
        team.ann.run(["sync"]).expect(0);
        let bob = team.another();
        bob.run(["sync"]).expect(0);
        assert_eq!(kinds(&entries(&bob)), kinds(&entries(&team.ann)), "{boundary}");
        if !died {
            assert!(boundary > 5, "it passes more boundaries");
            break;
        }
    }
}

#[test]
fn a_log_that_the_remote_keeps_is_named_and_taken_away_when_it_may_be() {
    let team = Team::new(&["--until", "specify", "Export the orders"]);
    let secret = ["zanzibar", "horse", "4711"].join("-");
    team.ann.run(["comment", "001", &format!("the store opens with {secret}")]).expect(0);
    let hook = team.remote().join("hooks/update");
    executable(
        &team.ann,
        hook.to_str().unwrap(),
        "#!/bin/sh\ncase $3 in *[!0]*) exit 0;; *) echo nothing is removed here >&2; exit 1;; esac",
    );
    let told = crate::ledger_redact::redact(&team.ann, &["--yes"], &secret).expect(1);
    assert!(said(&told).contains("to try again: redraft sync"), "{}", said(&told));
    assert!(in_logs(&team, &secret));
    let again = team.ann.run(["sync"]).expect(0);
    assert!(said(&again).contains("keeps an earlier edition"), "{}", said(&again));
    std::fs::remove_file(&hook).unwrap();
    team.ann.run(["sync"]).expect(0);
    assert!(!in_logs(&team, &secret));
}
