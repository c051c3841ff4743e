//! What a form asks for: whether it is still about what is there, whether it was confirmed, and what came of it.

use super::RepositorySite;
use super::looking::{Looked, overview_parts};
use crate::ui::pages::forms::{self, Sight};
use crate::ui::pages::layout::notice;
use crate::ui::site::{Answer, Part, Posted, Verb, address};
use crate::ui::writing::{Written, write as run};
use maud::Markup;
use redraft_facts::event::Decision;
use redraft_frame::errors::CliError;
use redraft_reports::question::STOP;

/// The choice that must name what it approves.
const APPROVE: &str = "approve";

pub(super) fn write(here: &RepositorySite<'_>, posted: &Posted) -> Result<Answer, CliError> {
    let Some(looked) = Looked::new(&posted.scope, here.process)? else {
        return Ok(here.missing(&format!("There is no feature {} here.", posted.scope), &posted.made));
    };
    let posted = &clean(posted, here);
    match posted.verb {
        Verb::Decide => decide(here, &looked, posted),
        Verb::Comment => comment(here, &looked, posted),
    }
}

/// What is shown again must not hold a secret either.
fn clean(posted: &Posted, here: &RepositorySite<'_>) -> Posted {
    let clean = |(name, text): &(String, String)| {
        let is_own = matches!(name.as_str(), "form" | "asked" | "moved");
        let text = if is_own { text.clone() } else { here.process.redactor.redact(text).0.into_owned() };
        (name.clone(), text)
    };
    Posted { fields: posted.fields.iter().map(clean).collect(), ..posted.clone() }
}

fn decide(here: &RepositorySite<'_>, looked: &Looked, posted: &Posted) -> Result<Answer, CliError> {
    let (sight, seen) = (looked.sight(), Sight::from_form(posted));
    let Some(asked) = looked.asked.as_ref().filter(|_| sight == seen && !sight.asked.is_empty()) else {
        return Ok(moved(here, looked, posted));
    };
    let word = posted.text("choice");
    let choice = asked.form.choices.iter().find(|choice| choice.word == word && word != STOP);
    if choice.is_none() {
        let said = notice("bad", "Choose one of the answers. Nothing was stored.", &[]);
        return Ok(again(here, looked, posted, 422, said));
    }
    let why = posted.text("why");
    let decision = Decision::ALL.into_iter().find(|decision| decision.name() == word);
    if let Some(reason) = decision.and_then(Decision::needs_reason).filter(|_| why.is_empty()) {
        let said = notice("bad", &format!("{}. Nothing was stored.", sentence(reason)), &[]);
        return Ok(again(here, looked, posted, 422, said));
    }
    if posted.text("confirmed") != word {
        let form = forms::confirm(&looked.scope, asked, posted, &posted.made);
        let parts = vec![("confirm".to_owned(), form)];
        return Ok(here.of_feature(looked, Part::Overview, 200, parts, &posted.made, true));
    }
    let mut words = vec!["decide".to_owned(), looked.scope.to_string(), word.clone()];
    words.push(format!("--seen={}", sight.asked));
    // An approval is of the revision that was looked at.
    let revision = looked.revision().filter(|_| word == APPROVE);
    words.extend(revision.map(|revision| format!("--revision={revision}")));
    words.extend(Some(why).filter(|why| !why.is_empty()).map(|why| format!("--why={why}")));
    if word == Decision::Answer.name() {
        words.extend(posted.texts("answer").into_iter().map(|answer| format!("--answer={answer}")));
    }
    stored(here, looked, posted, &words, format!("Decided: {word}."))
}

fn comment(here: &RepositorySite<'_>, looked: &Looked, posted: &Posted) -> Result<Answer, CliError> {
    let (sight, seen) = (looked.sight(), Sight::from_form(posted));
    if sight.moved != seen.moved {
        return Ok(moved(here, looked, posted));
    }
    let (text, file, line) = (posted.text("text"), posted.text("file"), posted.text("line"));
    let lacks = match () {
        () if text.is_empty() => Some("A comment needs words. Nothing was stored."),
        () if !line.is_empty() && line.parse::<u32>().is_err() => {
            Some("The line must be a number. Nothing was stored.")
        }
        () if !line.is_empty() && file.is_empty() => Some("A line needs its file. Nothing was stored."),
        () => None,
    };
    if let Some(lacks) = lacks {
        return Ok(again(here, looked, posted, 422, notice("bad", lacks, &[])));
    }
    let mut words = vec!["comment".to_owned(), format!("--seen={}", seen.moved)];
    words.extend(Some(file).filter(|file| !file.is_empty()).map(|file| format!("--file={file}")));
    words.extend(Some(line).filter(|line| !line.is_empty()).map(|line| format!("--line={line}")));
    words.extend((posted.text("note") == "yes").then(|| "--note".to_owned()));
    words.extend((posted.text("confirmed") == "yes").then(|| "--yes".to_owned()));
    // What begins with a dash is a text, too.
    words.extend(["--".to_owned(), looked.scope.to_string(), text]);
    stored(here, looked, posted, &words, "Your comment is stored.".to_owned())
}

/// Runs the command and shows what came of it: elsewhere if it is stored, so that loading that page again sends nothing.
fn stored(
    here: &RepositorySite<'_>,
    looked: &Looked,
    posted: &Posted,
    words: &[String],
    done: String,
) -> Result<Answer, CliError> {
    match run(words, here.process) {
        Written::Done { waits } => {
            let done = match waits {
                true => "Your comment is kept for the run under way, which stores it before anything else."
                    .to_owned(),
                false => done,
            };
            let number = here.remember(done);
            Ok(Answer::SeeOther(format!("{}?said={number}", address(&looked.scope, Part::Overview))))
        }
        Written::Refused { message, hints, asks: true } if posted.verb == Verb::Comment => {
            let form = forms::confirm_comment(&looked.scope, &sentence(&message), &hints, posted);
            let parts = vec![("confirm".to_owned(), form)];
            Ok(here.of_feature(looked, Part::Overview, 200, parts, &posted.made, true))
        }
        Written::Refused { message, hints, .. } => {
            let Some(now) = Looked::new(&looked.scope, here.process)? else {
                return Ok(here.missing(&message, &posted.made));
            };
            let status = if now.sight() == looked.sight() { 422 } else { 409 };
            Ok(again(here, &now, posted, status, notice("bad", &sentence(&message), &hints)))
        }
    }
}

fn moved(here: &RepositorySite<'_>, looked: &Looked, posted: &Posted) -> Answer {
    let told = "This has moved since the page was made. Nothing was stored.";
    let more = ["Below is what is there now. What you wrote is kept in its field.".to_owned()];
    // What was chosen was an answer to something else.
    let mut posted = posted.clone();
    posted.fields.retain(|(name, _)| name != "choice");
    again(here, looked, &posted, 409, notice("warn", told, &more))
}

/// The first page of the feature as it is now, with what was said and what was typed.
fn again(here: &RepositorySite<'_>, looked: &Looked, posted: &Posted, status: u16, said: Markup) -> Answer {
    let parts = overview_parts(looked, Some(said), &posted.made, Some(posted));
    here.of_feature(looked, Part::Overview, status, parts, &posted.made, true)
}

fn sentence(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}
