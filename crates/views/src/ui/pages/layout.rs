//! What all pages share: head, way back, parts that can be renewed one by one.

use crate::ui::site::Made;
use maud::{DOCTYPE, Markup, html};
use redraft_facts::harmless;

/// A page before it is drawn.
pub(in crate::ui) struct Page<'a> {
    pub(in crate::ui) title: String,
    /// The repository's name.
    pub(in crate::ui) called: &'a str,
    pub(in crate::ui) nav: Option<Markup>,
    pub(in crate::ui) parts: Vec<(String, Markup)>,
    pub(in crate::ui) made: &'a Made,
    /// Whether it stays as it is: what follows from a form is no page to be renewed.
    pub(in crate::ui) is_still: bool,
}

impl Page<'_> {
    pub(in crate::ui) fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width,initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) " · Redraft" }
                    link rel="icon" href="/icon.svg";
                    link rel="stylesheet" href="/style.css";
                    script src="/live.js" defer {}
                }
                body.ui data-version=(self.made.version) data-still=[self.is_still.then_some("yes")] {
                    a.skip href="#main" { "To the content" }
                    header.bar {
                        a.brand href="/" { "Redraft" }
                        span.quiet { (self.called) }
                        noscript { span.quiet.small { "Load the page again to see what is new." } }
                    }
                    p #live role="status" hidden {}
                    @if let Some(nav) = &self.nav { nav.parts aria-label="Pages of this feature" { (nav) } }
                    main #main {
                        @for (id, part) in &self.parts {
                            section id=(id) data-part { (part) }
                        }
                    }
                    footer { "Everything here is folded from the ledger. Closing this page changes nothing." }
                }
            }
        };
        // What nobody would see could also reverse the text around it.
        harmless::text(&page.into_string()).into_owned()
    }
}

/// Something to be said above everything else.
pub(in crate::ui) fn notice(class: &str, text: &str, more: &[String]) -> Markup {
    html! {
        div class=(format!("notice {class}")) role="alert" {
            p.text { strong { (text) } }
            @for line in more { p.text { (line) } }
        }
    }
}
