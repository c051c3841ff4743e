//! Issues that repeat an earlier finding, or each other.

use super::*;

#[test]
fn a_finding_that_is_repeated_stays_open_even_if_it_is_said_to_be_fixed() {
    let again = Issue { same_as: "s1".to_owned(), ..issue(Severity::Warning, 3, "quite other words") };
    let repeat = |answers: Vec<FindingAnswer>| Round {
        known: open(&["S1"]),
        answers,
        issues: vec![again.clone()],
        ..Round::default()
    };
    repeat(vec![]).check(&["kept S1: found again"]);
    repeat(vec![answer("S1", AnswerStatus::NotFixed)]).check(&["kept S1: S1 was looked at"]);
    for (status, note) in [
        (AnswerStatus::Fixed, "kept S1: said to be fixed, but found again"),
        (AnswerStatus::Withdrawn, "kept S1: said to be withdrawn, but found again"),
    ] {
        let reconciled = repeat(vec![answer("S1", status)]).check(&[note]);
        has_note(&reconciled, "it stays open");
        assert_eq!(reconciled.unanswered, []);
    }
}

#[test]
fn a_repeat_is_known_by_its_place_and_its_words() {
    let words = "nobody says who may delete a key of kind S1";
    let place = |file: &str, line, section: &str, quote: &str| Issue {
        file: file.to_owned(),
        section: section.to_owned(),
        quote: quote.to_owned(),
        ..issue(Severity::Warning, line, words)
    };
    let mut known = finding("S1", Status::Open);
    known.section = "## Keys".to_owned();
    known.quote = "a key is\ndeleted".to_owned();
    for (issue, repeats) in [
        (place(FILE, 53, "", ""), true),
        (place("spec.md", 47, "", ""), true),
        (place(FILE, 54, "", ""), false),
        (place("docs/other.md", 50, "keys", ""), false),
        (place("", 50, "", ""), false),
        (place("", 0, "Keys", ""), true),
        (place(FILE, 9, "", "a key is deleted"), true),
        (place(FILE, 0, "", ""), false),
        (
            Issue { description: "nobody says who may delete a key".to_owned(), ..place(FILE, 50, "", "") },
            true,
        ),
        (Issue { description: "nobody says who may do it".to_owned(), ..place(FILE, 50, "", "") }, false),
    ] {
        let round = Round { known: vec![known.clone()], issues: vec![issue.clone()], ..Round::default() };
        let expected: &[&str] = match repeats {
            true => &["kept S1: found again"],
            false => &["kept S1: not answered", "raised S2 warning open"],
        };
        round.check(expected);
    }
}

#[test]
fn issues_that_say_nowhere_are_compared_by_their_words() {
    let nowhere =
        Issue { file: String::new(), ..issue(Severity::Warning, 0, "the goals are not measurable") };
    let mut known = finding("S1", Status::Open);
    (known.file, known.line, known.description) = (String::new(), 0, nowhere.description.clone());
    Round { known: vec![known], issues: vec![nowhere], ..Round::default() }.check(&["kept S1: found again"]);
}

#[test]
fn exactly_six_tenths_of_the_words_are_enough() {
    assert!(enough_shared_words("a b c d", "a b c e"));
    assert!(!enough_shared_words("a b c d e f g", "a b c d h i j"));
    assert!(!enough_shared_words("", ""));
    assert!(enough_shared_words("Who, may: DELETE?", "who may delete"));
}

#[test]
fn a_repeat_of_a_closed_finding_reopens_it() {
    for status in [Status::Fixed, Status::Withdrawn] {
        let again = issue(Severity::Warning, 51, "nobody says who may delete a key of kind S1");
        let round = Round { known: vec![finding("S1", status)], issues: vec![again], ..Round::default() };
        round.check(&[&format!("reopened S1: was {}, found again", status.name())]);
    }
}

#[test]
fn an_open_finding_is_preferred_to_a_settled_one() {
    let ruled = finding("S1", Status::Ruled);
    let open = Finding { description: ruled.description.clone(), ..finding("S2", Status::Open) };
    let again = issue(Severity::Warning, 50, &ruled.description);
    Round { known: vec![ruled, open], issues: vec![again], ..Round::default() }
        .check(&["kept S2: found again"]);
}

#[test]
fn a_graver_repeat_and_one_that_holds_at_last_restate_the_finding() {
    let again =
        |severity| Issue { same_as: "S1".to_owned(), quote: "new".to_owned(), ..issue(severity, 7, "anew") };
    let mut doubtful = finding("S1", Status::Open);
    doubtful.unverified = Some("the quote is not in docs/spec.md".to_owned());
    let restate = |known: &Finding, severity, unverified: Option<String>| Round {
        known: vec![known.clone()],
        issues: vec![again(severity)],
        unverified: vec![unverified],
        ..Round::default()
    };
    let sure = finding("S1", Status::Open);
    let bad = || Some("no".to_owned());
    restate(&sure, Severity::Blocker, None).check(&["restated S1 blocker: found again"]);
    restate(&sure, Severity::Blocker, bad()).check(&["kept S1: found again"]);
    restate(&sure, Severity::Suggestion, None).check(&["kept S1: found again"]);
    restate(&doubtful, Severity::Warning, bad()).check(&["kept S1: found again"]);
    let changes =
        restate(&doubtful, Severity::Warning, None).check(&["restated S1 warning: found again"]).changes;
    let mut after = vec![doubtful];
    apply(&mut after, &changes);
    assert_eq!((after.len(), &after[0].unverified, after[0].line, after[0].round), (1, &None, 7, 1));
    restate(&finding("S1", Status::Fixed), Severity::Blocker, None)
        .check(&["reopened S1: was fixed, found again", "restated S1 blocker: was fixed, found again"]);
}

#[test]
fn two_issues_that_say_the_same_become_one() {
    let issues = vec![
        issue(Severity::Suggestion, 5, "nobody says who may delete"),
        issue(Severity::Blocker, 7, "nobody says who may delete"),
        issue(Severity::Blocker, 6, "Nobody says who may delete!"),
        issue(Severity::Warning, 40, "nobody says who may delete"),
    ];
    let unverified = vec![None, None, Some("no".to_owned())];
    let round = Round { issues, unverified, ..Round::default() };
    let reconciled = round.check(&["raised S1 blocker open", "raised S2 warning open"]);
    has_note(&reconciled, "3 issues say the same and became S1");
    let Some(FindingChange::Raised(finding)) = reconciled.changes.first() else { panic!("{reconciled:?}") };
    assert_eq!((finding.line, &finding.unverified), (7, &None), "the one that holds speaks for all");
}

#[test]
fn two_repeats_of_one_finding_count_once() {
    let again = Issue { same_as: "S1".to_owned(), ..issue(Severity::Warning, 5, "x") };
    Round { known: open(&["S1"]), issues: vec![again.clone(), again], ..Round::default() }
        .check(&["kept S1: found again"]);
}

#[test]
fn a_repeat_is_never_deferred() {
    let again = issue(Severity::Warning, 50, "nobody says who may delete a key of kind S1");
    Round { known: open(&["S1"]), issues: vec![again], delta: Some(delta()), ..Round::default() }
        .check(&["kept S1: found again"]);
}
