//! Tests features that are carried through all phases: every document is written from those before it, rejected where
//! it is wrong, and mended until its reviewers approve.

use super::course::{Course, Way};
use redraft_facts::fragment::Fragment;
use redraft_facts::phase::Phase;
use redraft_roles::profile::participants;

const IDEAS: [&str; 10] = [
    "Add rate limits per API key",
    "Let users export their notes as PDF",
    "Password reset by email, with a link that expires",
    "Dark mode",
    "Import bookmarks from a browser file, skip duplicates, and show how many were added",
    "Cache search results for 10 seconds",
    "日本語の検索を追加する",
    "Webhooks: retry failed deliveries 5 times, give up after 2 hours, and keep a log of every attempt for 30 days",
    "Make it possible to merge two customer records when they describe one person",
    "x",
];

/// The result of a phase: the document, and the rounds of each reviewer.
#[derive(Debug, PartialEq)]
struct Played {
    text: String,
    rounds: [usize; 2],
}

fn settle(course: &mut Course, role: &'static str) -> usize {
    let mut verdict = course.fresh(role, Way::Lazy);
    let mut rounds = 1;
    while !verdict.approved {
        assert!(rounds < 4, "{role}: {verdict:#?}\n{}", course.text());
        let answer = course.revise();
        assert!(answer.approved, "{answer:#?}");
        assert!(
            answer.answers.iter().all(|answer| answer.status.name() == "fixed"),
            "{role}: {answer:#?}\n{}",
            course.text()
        );
        verdict = course.resumed(role);
        rounds += 1;
    }
    rounds
}

fn play(course: &mut Course, phase: Phase) -> Played {
    course.enter(phase);
    let (_, answer) = course.author(Vec::new());
    assert!(answer.approved && course.is_written(), "{answer:#?}");
    let [_, domain, handoff] = participants(phase) else { panic!("three roles in {phase}") };
    let rounds = [settle(course, domain.role), settle(course, handoff.role)];
    let verdict = course.resumed(domain.role);
    assert!(
        verdict.approved,
        "the hand-off's changes leave the approval standing: {verdict:#?}\n{}",
        course.text()
    );
    Played { text: course.text(), rounds }
}

fn play_all(idea: &str) -> Vec<Played> {
    let mut course = Course::new(idea, "");
    Phase::DOCUMENTS.into_iter().map(|phase| play(&mut course, phase)).collect()
}

#[test]
fn every_idea_becomes_an_approved_task_list_with_a_rejected_review_in_each_phase() {
    for idea in IDEAS {
        let played = play_all(idea);
        for (phase, played) in Phase::DOCUMENTS.into_iter().zip(&played) {
            assert!(played.rounds[0] > 1, "{idea}: {phase} was approved at once\n{}", played.text);
        }
        let tasks = &played[3].text;
        assert!(tasks.matches("### Task ").count() > 2, "{tasks}");
        assert_eq!(tasks.matches("### Task ").count(), tasks.matches("**Done when:**").count(), "{tasks}");
    }
}

#[test]
fn the_same_idea_gives_the_same_documents() {
    for idea in [IDEAS[2], IDEAS[7]] {
        assert_eq!(play_all(idea), play_all(idea), "{idea}");
    }
}

#[test]
fn a_fresh_reviewer_agrees_with_the_one_that_came_back() {
    let mut course = Course::new(IDEAS[7], "");
    for phase in Phase::DOCUMENTS {
        play(&mut course, phase);
        for role in participants(phase).iter().skip(1).map(|profile| profile.role) {
            let verdict = course.fresh(role, Way::Inline);
            assert!(verdict.approved && verdict.issues.is_empty(), "{phase} {role}: {verdict:#?}");
        }
    }
}

#[test]
fn an_author_that_is_told_to_ask_asks_first_and_takes_in_the_answers() {
    let scenario = "[[rule]]\nticket = \"*/draft/*\"\ndo = \"ask\"\ntext = \"Which formats?|PDF\\nFor whom?|everybody\"\n";
    for phase in Phase::DOCUMENTS {
        let mut course = Course::new(IDEAS[1], "");
        for before in Phase::DOCUMENTS.into_iter().take_while(|before| *before < phase) {
            play(&mut course, before);
        }
        let texts: Vec<(&str, String)> = Phase::DOCUMENTS
            .into_iter()
            .take_while(|before| *before < phase)
            .map(|before| {
                course.phase = before;
                (before.artifact(), course.text())
            })
            .collect();
        let mut course = Course::new(IDEAS[1], scenario);
        for (name, text) in &texts {
            course.put(name, text);
        }
        course.enter(phase);
        let (_, asked) = course.author(vec![Fragment::new("may-ask", "## If You Must Ask First\n")]);
        assert!(!asked.approved && !course.is_written(), "{phase}: {asked:#?}");
        let questions: Vec<(&str, &str)> = asked
            .issues
            .iter()
            .map(|issue| (issue.description.as_str(), issue.suggestion.as_str()))
            .collect();
        assert_eq!(questions, [("Which formats?", "PDF"), ("For whom?", "everybody")]);
        assert!(asked.issues.iter().all(|issue| issue.category == "question" && issue.quote.is_empty()));
        let said = "## Answers\n\nYou asked.\n\n1. Which formats?\n   Answer: PDF and CSV\n2. For whom?\n   Not answered; to be assumed: everybody\n";
        let (_, drafted) = course.author(vec![Fragment::new("answers", said)]);
        assert!(drafted.approved, "{drafted:#?}");
        let text = course.text();
        assert!(text.contains("- Decided by the user: Which formats? PDF and CSV.\n"), "{text}");
        assert!(text.contains("- Assumed, because nobody answered: For whom? everybody.\n"), "{text}");
    }
}

/// A reviewer's answers to fixed findings, by the words of the finding.
#[test]
fn a_fixed_finding_is_said_to_be_fixed_by_what_its_own_check_saw() {
    const NOTES: [(&str, &str); 4] = [
        ("no acceptance criterion mentions requirement `", " names R"),
        ("no element of the design carries requirement `", " is named now"),
        ("two numbers for one thing: ", "the document no longer says it"),
        (" does not say when it is done", "the document no longer says it"),
    ];
    let mut course = Course::new("Let people reset a forgotten password by email", "");
    let mut seen = vec![0; NOTES.len()];
    for phase in Phase::DOCUMENTS {
        course.enter(phase);
        course.author(Vec::new());
        let [_, domain, _] = participants(phase) else { panic!("three roles in {phase}") };
        course.fresh(domain.role, Way::Lazy);
        let open = course.open[domain.role].clone();
        course.revise();
        let verdict = course.resumed(domain.role);
        assert!(verdict.approved, "{verdict:#?}");
        for (id, issue) in open {
            let answer = verdict.answers.iter().find(|answer| answer.id == id).unwrap();
            let row = NOTES.iter().position(|(words, _)| issue.description.contains(words));
            if let Some(row) = row {
                assert_eq!(answer.status.name(), "fixed", "{answer:?}");
                assert!(answer.note.contains(NOTES[row].1), "{id}: {answer:?}, {}", issue.description);
                seen[row] += 1;
            }
        }
    }
    assert!(seen.iter().all(|times| *times > 0), "every row has been met: {seen:?}");
}
