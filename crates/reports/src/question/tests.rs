use super::*;
use redraft_facts::event::AuthorQuestion;

const EVERY: [Decision; 12] = Decision::ALL;

fn every_about() -> Vec<About> {
    use redraft_facts::ids::{FindingId, Role, TaskId};
    vec![
        About::Cap { stage: 0 },
        About::Agent { role: Role::new("spec-reviewer") },
        About::Gate,
        About::Unchanged,
        About::Certificate,
        About::Author { questions: Vec::new() },
        About::Task { id: TaskId::new("1.1") },
        About::Divergence,
        About::Begin,
        About::Lessons,
        About::Deferred,
        About::Disagreement { finding: FindingId::new("S1") },
        About::Approval,
    ]
}

fn form(about: About) -> QuestionForm {
    let text = "design-reviewer did not approve\n  a second line".to_owned();
    let question = Question { pass: 1, number: 1, about, text, choices: EVERY.to_vec() };
    QuestionForm::new(&question, &Pipeline::default())
}

#[test]
fn enter_leaves_every_question_open() {
    let safe = QuestionForm::yes_or_no("Merge it?", Vec::new(), "merge", "leave the branch");
    assert_eq!(safe.meant("").unwrap().word, "no");
    for about in every_about() {
        let form = form(about);
        assert_eq!(form.meant("").unwrap().word, STOP);
        assert_eq!(form.choices.iter().filter(|choice| choice.default).count(), 1);
    }
}

#[test]
fn every_choice_says_what_follows_and_the_default_is_in_capitals() {
    for about in every_about() {
        let form = form(about);
        for choice in &form.choices {
            assert!(!choice.consequence.is_empty() && choice.consequence.chars().count() < 90, "{choice:?}");
        }
        assert!(form.prompt().ends_with("comment or STOP? "), "{}", form.prompt());
        assert!(form.what.ends_with('?'), "{}", form.what);
    }
    let lines = form(About::Cap { stage: 0 }).lines();
    assert_eq!(lines[0], "question: The review rounds are used up. What should happen next?");
    assert_eq!(lines[1], "  design-reviewer did not approve");
    assert!(
        lines.contains(
            &"    retry     one more round: it is reviewed once more, after a revision where one is needed"
                .to_owned()
        ),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "    STOP      decide later; nothing is sent until then");
}

#[test]
fn only_whole_words_answer_except_for_yes_and_no() {
    let form = form(About::Cap { stage: 0 });
    for (typed, meant) in [
        ("accept", Some("accept")),
        (" ACCEPT ", Some("accept")),
        ("a", None),
        ("yes", None),
        ("Stop", Some("stop")),
    ] {
        assert_eq!(form.meant(typed).map(|choice| choice.word.as_str()), meant, "{typed}");
    }
    let asked = QuestionForm::yes_or_no("Go on?", Vec::new(), "on", "off");
    for (typed, meant) in [("y", Some("yes")), ("YES", Some("yes")), ("n", Some("no")), ("maybe", None)] {
        assert_eq!(asked.meant(typed).map(|choice| choice.word.as_str()), meant, "{typed}");
    }
    assert_eq!(asked.prompt(), "yes or NO? ");
    let about = About::Begin;
    let question = Question {
        pass: 1,
        number: 1,
        about,
        text: String::new(),
        choices: vec![Decision::Go, Decision::Abandon],
    };
    let begin = QuestionForm::new(&question, &Pipeline::default());
    for (typed, meant) in [
        ("yes", Some("go")),
        ("Y", Some("go")),
        ("no", Some("stop")),
        ("n", Some("stop")),
        ("g", None),
        ("s", None),
        ("abandon", Some("abandon")),
    ] {
        assert_eq!(begin.meant(typed).map(|choice| choice.word.as_str()), meant, "{typed}");
    }
}

#[test]
fn what_an_author_asks_is_told_and_asked_in_the_same_words() {
    let one = |question: &str, assumed: &str| AuthorQuestion {
        question: question.to_owned(),
        assumed: assumed.to_owned(),
    };
    let questions = vec![one("Which database?", "Postgres"), one("Which unit?", "")];
    let text =
        "spec-author has 2 questions before it drafts\n  1. Which database? (else: Postgres)".to_owned();
    let about = About::Author { questions };
    let question = Question { pass: 1, number: 1, about, text, choices: vec![Decision::Answer] };
    let form = QuestionForm::new(&question, &Pipeline::default());
    assert_eq!(
        form.why,
        [
            "spec-author has 2 questions before it drafts",
            "  1. Which database? (it would assume: Postgres)",
            "  2. Which unit? (it would leave that open)",
        ]
    );
}
