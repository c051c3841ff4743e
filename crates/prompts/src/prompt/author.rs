//! The fragments about an author's first draft: whether it may ask first, the answers it got, and how much is wanted.

use super::brief::Brief;
use redraft_facts::fragment::Fragment;
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

const QUESTIONS: &str = include_str!("../../texts/questions.md");

/// The maximum length of a question or an answer in a prompt.
const CHARS_MAX: usize = 2_000;

/// The permission to ask before anything is written; given once.
pub(super) fn may_ask(brief: &Brief<'_>) -> Option<Fragment> {
    brief.may_ask.then(|| Fragment::new("may-ask", QUESTIONS))
}

/// What the author asked, and the answers. Both are data, so each stays on its line.
pub(super) fn answers(brief: &Brief<'_>) -> Option<Fragment> {
    if brief.answers.is_empty() {
        return None;
    }
    let last = if brief.may_ask { "" } else { " There is no second time to ask." };
    let text = format!(
        "## Answers\n\n\
         You asked before drafting, and this was said. It is decided. Where nobody answered, go on with what you would \
         assume, and state it in the document as an assumption.{last}\n\n{}",
        answered(brief)
    );
    Some(Fragment::new("answers", text))
}

/// Each question with its answer.
pub(super) fn answered(brief: &Brief<'_>) -> String {
    let mut text = String::new();
    for (at, one) in brief.answers.iter().enumerate() {
        let said = match (one_line(one.answer, CHARS_MAX), one_line(one.assumed, CHARS_MAX)) {
            (answer, _) if !answer.is_empty() => format!("Answer: {answer}"),
            (_, assumed) if !assumed.is_empty() => format!("Not answered; to be assumed: {assumed}"),
            _ => "Not answered".to_owned(),
        };
        text.push_str(&format!("{}. {}\n   {said}\n", at + 1, one_line(one.question, CHARS_MAX)));
    }
    text
}

/// How much is wanted where no reviewer will read it.
pub(super) fn mini(brief: &Brief<'_>) -> Option<Fragment> {
    let text = "## A Mini-Spec\n\n\
         This is a small change that goes straight to code: write a mini-spec, about a page. It has the problem in two \
         sentences, the requirements with their acceptance criteria, what is excluded, and what you assumed or leave open; \
         leave out every other section. No reviewer judges it before the code is written, only mechanical checks do, so what it does not say will not be built.\n";
    brief.mini.then(|| Fragment::new("mini-spec", text))
}
