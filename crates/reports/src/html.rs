//! What all pages share: a page that needs nothing else (no script, no font, no picture, no request), its style, and
//! small plots.
//!
//! Text is escaped by `maud` wherever it is put in. Colour never says anything alone. Start at [`page`]; [`plot`] draws.

pub mod plot;

use maud::{Markup, PreEscaped, html};
use redraft_facts::harmless;
use redraft_facts::prelude::*;

/// Nothing may be loaded, run or sent from a page, whatever it holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";

/// The style of every page.
pub const STYLE: &str = include_str!("html/page.css");

/// A whole page. `made_by` stands in a comment near its beginning, by which the program recognizes its own pages.
/// `class` is that of its body: `wide` for tables of many columns.
pub fn page(title: &str, made_by: &str, class: &str, body: &Markup) -> String {
    let page = html! {
        (PreEscaped(format!("<!doctype html>\n<!-- {made_by} -->\n")))
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body class=(class) { (body) }
        }
    };
    // What nobody would see could also reverse the text around it.
    let mut page = harmless::text(&page.into_string()).into_owned();
    page.push('\n');
    page
}

/// Text that can stand in an element or an attribute.
pub fn escaped(text: &str) -> String {
    html! { (text) }.into_string()
}

/// Text of several paragraphs, as it was written.
pub fn paragraphs(text: &str) -> Markup {
    html! {
        @for part in text.split("\n\n").filter(|part| !part.trim().is_empty()) {
            p.text { (part.trim()) }
        }
    }
}
