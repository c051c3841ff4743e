use super::*;
use redraft_core::tally::{GUARD, Tally};
use redraft_cost::policy::{PolicyFacts, ResumedFacts, choose};
use redraft_facts::choice::{Policy, Strategy};
use redraft_facts::ticket::Purpose;

fn tally(resumes: u32, fallbacks: u32) -> Tally {
    Tally { resumes, fallbacks, ..Tally::default() }
}

#[test]
fn nothing_is_said_before_enough_features_are_finished_and_a_rate_at_its_threshold_is_fine() {
    let usual = Thresholds::default();
    let bad = tally(5, 2);
    assert_eq!(warnings(&[], &Thresholds { features: 0, ..usual }), []);
    assert_eq!(warnings(&[bad, bad], &usual), []);
    let told = warnings(&[bad, bad, bad], &usual);
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].what, told[0].count, told[0].of, told[0].percent), ("resume-fallbacks", 6, 15, 40));
    assert_eq!(
        told[0].text,
        "6 of 15 resumed dispatches had to be sent again to a fresh conversation (40 %, more than 20 %) in the last 3 \
         finished features"
    );
    assert_eq!(warnings(&[tally(5, 1); 3], &usual), [], "exactly a fifth");
    assert_eq!(warnings(&[tally(0, 0); 3], &usual), [], "nothing was resumed");
    assert_eq!(warnings(&[bad; 3], &Thresholds { fallbacks_percent: 40, ..usual }), []);
}

#[test]
fn each_rate_has_its_own_threshold_and_remedy() {
    let all = Tally { resumes: 4, fallbacks: 4, re_reviews: 4, guard_trips: 3, lazy: 4, unconfirmed: 1 };
    let told = warnings(&[all; 3], &Thresholds::default());
    let told: Vec<(&str, u32, u8)> =
        told.iter().map(|one| (one.what, one.percent, one.threshold_percent)).collect();
    let expected = [("resume-fallbacks", 100, 20), ("guard-trips", 75, 50), ("unconfirmed-reads", 25, 20)];
    assert_eq!(told, expected);
}

#[test]
fn a_remedy_shows_because_only_the_latest_features_count() {
    let mut features = vec![tally(10, 10); 30];
    features.extend([tally(10, 0); FEATURES_MAX]);
    assert_eq!(warnings(&features, &Thresholds::default()), []);
    features.truncate(30 + FEATURES_MAX - 5);
    assert_eq!(warnings(&features, &Thresholds::default())[0].count, 50);
}

#[test]
fn the_reason_of_a_guard_is_recognised_and_no_other_reason_is() {
    let both = [Strategy::Lazy, Strategy::Resume];
    for policy in Policy::ALL {
        for (chars, fits) in [(100, true), (100_000, false)] {
            let resumed = Some(ResumedFacts {
                prompt_chars: chars,
                first_chars: 1_000,
                context_chars: 8_000,
                fresh_chars: 8_000,
            });
            let facts = PolicyFacts { policy, purpose: Purpose::Review, resumed, priced: None };
            let choice = choose(&facts, &both).unwrap();
            let guard = matches!(policy, Policy::Seed | Policy::Guarded) && !fits;
            let fresh = choice.strategy != Strategy::Resume;
            assert_eq!(fresh && choice.why.contains(GUARD), guard, "{policy:?}: {}", choice.why);
        }
    }
}
