use super::*;

fn chosen(idea: &str) -> (Lane, String) {
    let Chosen { lane, reason } = lane_for(idea, None, &LaneRules::default());
    (lane, reason)
}

#[test]
fn a_phase_and_a_lane_are_read_as_they_are_written() {
    for phase in Phase::DOCUMENTS {
        assert_eq!(phase.name().parse(), Ok(phase));
        assert_eq!(Phase::writing(phase.artifact()), Some(phase));
    }
    for lane in Lane::ALL {
        assert_eq!(lane.name().parse(), Ok(lane));
    }
    assert!("plan".parse::<Phase>().is_err());
    assert!("fast".parse::<Lane>().is_err());
    assert_eq!(Phase::writing("prd.md"), None);
}

#[test]
fn every_phase_builds_on_what_the_earlier_ones_wrote() {
    for (at, phase) in Phase::DOCUMENTS.into_iter().enumerate() {
        for earlier in &Phase::DOCUMENTS[..at] {
            assert!(phase.upstream().contains(&earlier.artifact()), "{phase} without {earlier}");
        }
        assert!(phase.upstream().contains(&"prd.md"));
        assert!(!phase.upstream().contains(&phase.artifact()));
    }
}

#[test]
fn a_flag_beats_every_other_rule() {
    let said = lane_for("rework auth and payments in src/a.rs", Some(Lane::Express), &LaneRules::default());
    assert_eq!((said.lane, said.reason.as_str()), (Lane::Express, "you said so"));
}

#[test]
fn a_sensitive_word_or_path_makes_it_deep_before_files_are_counted() {
    assert_eq!(chosen("Move auth into src/lib.rs"), (Lane::Deep, "the idea has the word `auth`".to_owned()));
    assert_eq!(chosen("Rename a column in db/migrations/004.sql").0, Lane::Deep);
    assert_eq!(chosen("Log more in src/crypto/mod.rs").0, Lane::Deep);
    assert_eq!(chosen("PAYMENTS by invoice").0, Lane::Deep);
    // A word that only begins alike is another word.
    assert_eq!(chosen("Show the author of a post").0, Lane::Standard);
    let rules = LaneRules { deep: vec!["infra/".to_owned(), "Billing".to_owned()] };
    assert_eq!(lane_for("change infra/main.tf", None, &rules).lane, Lane::Deep);
    assert_eq!(lane_for("show the billing page", None, &rules).lane, Lane::Deep);
    assert_eq!(lane_for("auth", None, &rules).lane, Lane::Standard);
}

#[test]
fn one_or_two_files_are_express_and_none_or_more_are_standard() {
    assert_eq!(chosen("Fix the typo in README.md").0, Lane::Express);
    assert_eq!(chosen("Say `--json` in src/cli.rs, and in docs/cli.md.").0, Lane::Express);
    assert_eq!(chosen("Say it in README.md and again in README.md").0, Lane::Express);
    assert_eq!(chosen("Touch a.rs, b.rs and c.rs"), (Lane::Standard, "the idea names 3 files".to_owned()));
    assert_eq!(chosen("Let people export a report"), (Lane::Standard, "the idea names no file".to_owned()));
    assert_eq!(chosen("").0, Lane::Standard);
}

#[test]
fn what_only_looks_like_a_file_is_none() {
    for idea in [
        "e.g. a button, i.e. a link",
        "ask ann@example.com",
        "read https://example.com/guide.html first",
        "publish on example.com",
        "support version 1.2 and v1.x",
        "Support Node.js and Vue.js clients",
        "faster. Better.",
    ] {
        assert_eq!(chosen(idea).0, Lane::Standard, "{idea}");
    }
    for idea in ["mend .gitignore", "add Makefile.am", "in ./src/main.rs", "change docs/über.md"] {
        assert_eq!(chosen(idea).0, Lane::Express, "{idea}");
    }
}

/// What a plan or a list of tasks would ask was decided before: a question there asks for the same thing again.
#[test]
fn only_whoever_specifies_or_designs_may_ask_first() {
    let may: Vec<Phase> = Phase::ALL.into_iter().filter(|phase| phase.may_ask()).collect();
    assert_eq!(may, [Phase::Specify, Phase::Design]);
}
