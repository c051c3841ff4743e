//! Prompts as they were sent, and answers as they came.

use crate::ui::site::{Part, address};
use maud::{Markup, html};
use redraft_facts::fragment::Prompt;
use redraft_facts::text::{span, utc};
use redraft_facts::ticket::Scope;
use redraft_facts::usage::grouped;
use redraft_reports::view::{SentView, work};

const ROWS_MAX: usize = 100;
/// A page with more is no pleasure in any browser.
const TEXT_BYTES_MAX: usize = 1_000_000;

/// The newest first; `before` is the event that the page ends before.
pub(in crate::ui) fn list(scope: &Scope, sent: &[SentView], before: Option<u64>) -> Vec<(String, Markup)> {
    let mut shown: Vec<&SentView> = sent
        .iter()
        .rev()
        .filter(|one| before.is_none_or(|before| one.seq < before))
        .take(ROWS_MAX + 1)
        .collect();
    let older =
        if shown.len() > ROWS_MAX { shown.pop().and_then(|_| shown.last()).map(|one| one.seq) } else { None };
    let place = address(scope, Part::Prompts);
    let part = html! {
        h2 { "Prompts" }
        p.quiet { (redraft_facts::text::count(sent.len(), "dispatch")) ", the newest first." }
        @for one in &shown {
            article.card {
                header {
                    h3 { a href=(format!("{place}/{}", one.seq)) { (one.ticket.role) ", " (work(&one.ticket)) } }
                    span class=(format!("chip {}", class(one))) { (one.end) }
                }
                p.small.quiet {
                    (one.ticket.phase) ", " (one.by) ", " (one.strategy) ", "
                    (grouped(one.prompt_chars)) " characters, " (utc(one.at_ms))
                    @if one.wall_ms > 0 { ", took " (span(one.wall_ms)) }
                }
            }
        }
        @if let Some(seq) = older { p { a href=(format!("{place}?before={seq}")) { "Older ones" } } }
    };
    vec![("prompts".to_owned(), part)]
}

fn class(one: &SentView) -> &'static str {
    match one.end {
        "answered" => "good",
        "failed" | "lost" => "bad",
        _ => "quiet",
    }
}

/// One of them. A text that is gone or damaged is said to be.
pub(in crate::ui) fn one(
    scope: &Scope,
    sent: &SentView,
    prompt: Result<Prompt, String>,
    answer: Option<Result<String, String>>,
) -> Vec<(String, Markup)> {
    let about = html! {
        p { a href=(address(scope, Part::Prompts)) { "All prompts" } }
        h2 { (sent.ticket.role) ", " (work(&sent.ticket)) }
        p { span class=(format!("chip {}", class(sent))) { (sent.end) } }
        p.small { code { (sent.ticket.to_string()) } }
        p.small.quiet {
            (sent.by) ", " (sent.strategy) ": " (sent.why) ". Sent " (utc(sent.at_ms))
            @if sent.wall_ms > 0 { ", took " (span(sent.wall_ms)) }
            @if let Some(usage) = &sent.usage {
                ". " (grouped(usage.input())) " tokens in, " (grouped(usage.read)) " of them from the cache; "
                (grouped(usage.output)) " out; " (usage.cost)
            }
        }
        @if !sent.detail.is_empty() { p.text.bad { (cut(&sent.detail)) } }
        @if !sent.notes.is_empty() { ul.small { @for note in &sent.notes { li { (note) } } } }
    };
    let prompt = html! {
        h2 { "Prompt" }
        @match &prompt {
            Ok(prompt) => {
                p.quiet.small { "In the order it was sent; what changes least comes first." }
                @for (stability, fragment) in prompt.fragments() {
                    details open[stability.name() == "turn"] {
                        summary {
                            (fragment.name) " "
                            span.quiet.small { (stability.name()) ", " (grouped(fragment.text.len() as u64)) " bytes" }
                        }
                        pre.sent tabindex="0" { (cut(&fragment.text)) }
                    }
                }
            }
            Err(why) => p.bad { (why) },
        }
    };
    let answered = html! {
        h2 { "Answer" }
        @match &answer {
            Some(Ok(text)) => pre.sent tabindex="0" { (cut(text)) },
            Some(Err(why)) => p.bad { (why) },
            None => p.quiet { "There is none." },
        }
    };
    vec![("about".to_owned(), about), ("prompt".to_owned(), prompt), ("answer".to_owned(), answered)]
}

fn cut(text: &str) -> String {
    if text.len() <= TEXT_BYTES_MAX {
        return text.to_owned();
    }
    let end = (0..=TEXT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{} […]", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::fragment::Fragment;
    use redraft_facts::ids::BlobId;

    #[test]
    fn what_agents_were_sent_and_said_is_shown_and_not_obeyed() {
        let sent = SentView {
            seq: 7,
            at_ms: 0,
            ticket: "001/specify.1/review/spec-reviewer/1.1".parse().unwrap(),
            by: "<i>agent</i>".to_owned(),
            strategy: "inline",
            why: "<b>why</b>".to_owned(),
            prompt: BlobId::new("0"),
            prompt_chars: 3,
            answer: None,
            end: "failed",
            detail: "<script>1</script>".to_owned(),
            wall_ms: 0,
            usage: None,
            notes: vec!["<img src=x>".to_owned()],
        };
        let fragment = Fragment::new("<u>name</u>", "</pre><script>2</script>");
        let prompt = Prompt { turn: vec![fragment], ..Prompt::default() };
        let scope = "001".parse().unwrap();
        let answer = Some(Ok("</pre><script>3</script>".to_owned()));
        let one = one(&scope, &sent, Ok(prompt), answer);
        let all = one.into_iter().chain(list(&scope, &[sent], None));
        let page: String = all.map(|(_, part)| part.into_string()).collect();
        for raw in ["<i>", "<b>", "<u>", "<img", "<script", "</pre><s"] {
            assert!(!page.contains(raw), "{raw}: {page}");
        }
        assert!(page.contains("&lt;script&gt;2") && page.contains("&lt;script&gt;3"), "{page}");
    }

    #[test]
    fn a_text_that_is_too_long_is_cut_between_letters() {
        let long = "ä".repeat(TEXT_BYTES_MAX);
        let shown = cut(&long);
        assert!(shown.ends_with(" […]") && shown.len() <= TEXT_BYTES_MAX + 10, "{}", shown.len());
        assert_eq!(cut("short"), "short");
    }
}
