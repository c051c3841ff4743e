//! The forms: deciding, confirming a decision, and commenting. Each names what was seen when it was made.

use super::layout::notice;
use crate::ui::site::{Made, Part, Posted, address};
use maud::{Markup, html};
use redraft_facts::ticket::Scope;
use redraft_reports::question::STOP;
use redraft_reports::view::AskedView;

/// What a form is about. It is refused when that has moved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::ui) struct Sight {
    /// The event in which the question was asked; empty where there is none.
    pub(in crate::ui) asked: String,
    /// The event since which the same phase is open at the same revision.
    pub(in crate::ui) moved: String,
}

impl Sight {
    /// What a form was made from.
    pub(in crate::ui) fn from_form(posted: &Posted) -> Sight {
        Sight { asked: posted.text("asked"), moved: posted.text("moved") }
    }
}

fn hidden(made: &Made, sight: &Sight) -> Markup {
    html! {
        input type="hidden" name="form" value=(made.form);
        input type="hidden" name="asked" value=(sight.asked);
        input type="hidden" name="moved" value=(sight.moved);
    }
}

/// What is asked, and the form in which it is answered. `typed` is what was typed before, where that could not be used.
pub(in crate::ui) fn question(
    scope: &Scope,
    asked: &AskedView,
    sight: &Sight,
    made: &Made,
    typed: Option<&Posted>,
) -> Markup {
    let text = |name: &str| typed.map(|typed| typed.text(name)).unwrap_or_default();
    let answers = typed.map(|typed| typed.texts("answer")).unwrap_or_default();
    let choices = || asked.form.choices.iter().filter(|choice| choice.word != STOP);
    html! {
        div.you {
            h2 { "Waiting for you: " (asked.form.what) }
            @for line in &asked.form.why { p.text { (line.trim_end()) } }
            @if asked.seq.is_some() {
                form method="post" action=(format!("{}/decide", address(scope, Part::Overview))) {
                    (hidden(made, sight))
                    @for (at, one) in asked.questions.iter().enumerate() {
                        label.field { (one.question)
                            span.quiet.small { " Without an answer it assumes: " (one.assumed) }
                            textarea name="answer" rows="2" { (answers.get(at).map(String::as_str).unwrap_or_default()) }
                        }
                    }
                    fieldset {
                        legend { "Your decision" }
                        @for choice in choices() {
                            label.choice {
                                input type="radio" name="choice" value=(choice.word) required checked[text("choice") == choice.word];
                                span { strong { (choice.word) } ": " (choice.consequence) }
                            }
                        }
                    }
                    label.field { "Why"
                        span.quiet.small { " It is kept with the decision." }
                        textarea name="why" rows="3" { (text("why")) }
                    }
                    button { "Go on to confirm" }
                    span.quiet.small { " Nothing is stored before you have confirmed it." }
                }
            } @else {
                p { "The run was cut off before it had asked. Go on with it: " code { "redraft run " (scope) } }
            }
        }
    }
}

/// The second step: what would be stored, in full, and one button that does it.
pub(in crate::ui) fn confirm(scope: &Scope, asked: &AskedView, posted: &Posted, made: &Made) -> Markup {
    let word = posted.text("choice");
    let choice = asked.form.choices.iter().find(|choice| choice.word == word);
    let consequence = choice.map(|choice| choice.consequence.as_str()).unwrap_or_default();
    let (why, answers) = (posted.text("why"), posted.texts("answer"));
    html! {
        div.you {
            h2 { "Is this what you want?" }
            p { (asked.form.what) }
            p { strong { (word) } ": " (consequence) }
            @for (one, answer) in asked.questions.iter().zip(&answers) {
                p.text { span.quiet { (one.question) } "\n" (answer) }
            }
            @if !why.is_empty() { blockquote { p.text { (why) } } }
            form method="post" action=(format!("{}/decide", address(scope, Part::Overview))) {
                (hidden(made, &Sight::from_form(posted)))
                input type="hidden" name="choice" value=(word);
                input type="hidden" name="why" value=(why);
                @for answer in &answers { input type="hidden" name="answer" value=(answer); }
                input type="hidden" name="confirmed" value=(word);
                button.main { "Yes, " (word) }
                " " a href=(address(scope, Part::Overview)) { "No, go back" }
            }
        }
    }
}

/// Where a comment may be about: a document, and a line in it.
#[derive(Debug, Clone, Default)]
pub(in crate::ui) struct Spot {
    pub(in crate::ui) file: String,
    pub(in crate::ui) line: String,
}

pub(in crate::ui) fn comment(
    scope: &Scope,
    spot: &Spot,
    sight: &Sight,
    made: &Made,
    typed: Option<&Posted>,
) -> Markup {
    let text = |name: &str| typed.map(|typed| typed.text(name)).unwrap_or_default();
    let (file, line) = match typed {
        Some(_) => (text("file"), text("line")),
        None => (spot.file.clone(), spot.line.clone()),
    };
    html! {
        h2 { "Comment" }
        form method="post" action=(format!("{}/comment", address(scope, Part::Overview))) {
            (hidden(made, sight))
            label.field { "What should be different"
                textarea name="text" rows="3" required { (text("text")) }
            }
            div.pair {
                label.field { "File" span.quiet.small { " if it is about one" }
                    input type="text" name="file" value=(file) autocomplete="off" spellcheck="false";
                }
                label.field { "Line"
                    input type="number" name="line" min="1" value=(line);
                }
            }
            label.choice {
                input type="checkbox" name="note" value="yes" checked[text("note") == "yes"];
                span { "Only a note: it may stay as it is" }
            }
            button { "Comment" }
            span.quiet.small { " It becomes a finding of yours, which the author must answer and the reviewers see." }
        }
    }
}

/// The second step of a comment that would open a closed phase again: what that means, and one button that does it.
pub(in crate::ui) fn confirm_comment(
    scope: &Scope,
    message: &str,
    meaning: &[String],
    posted: &Posted,
) -> Markup {
    // How it is typed in a terminal is no help here.
    let lines = meaning.iter().filter(|line| !line.contains("--yes"));
    html! {
        div.you {
            h2 { "Is this what you want?" }
            p { (message) "." }
            @for line in lines { p.text { (line) } }
            blockquote { p.text { (posted.text("text")) } }
            form method="post" action=(format!("{}/comment", address(scope, Part::Overview))) {
                (hidden(&posted.made, &Sight::from_form(posted)))
                @for name in ["text", "file", "line"] {
                    input type="hidden" name=(name) value=(posted.text(name));
                }
                input type="hidden" name="confirmed" value="yes";
                button.main { "Yes, go back there" }
                " " a href=(address(scope, Part::Overview)) { "No, go back to the page" }
            }
        }
    }
}

/// What became of a form.
pub(in crate::ui) fn outcome(text: &str) -> Markup {
    notice("good", text, &[])
}
