//! Compares what a reviewer cites with what is there: paths, quotes, headings.
//!
//! Reviewers shorten paths and re-wrap what they quote, so equality of bytes is too strict everywhere here. What a
//! match means is decided by the callers: `documents::delta`, `core::evidence` and [`crate::findings`].

use crate::prelude::*;

/// White space folded to single blanks, none at the ends.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// A path without `./` before it and blanks around it.
pub fn plain_path(path: &str) -> &str {
    let mut path = path.trim();
    while let Some(rest) = path.strip_prefix("./") {
        path = rest;
    }
    path
}

/// Whether two paths name one file: equal, or one is the end of the other, cut at a `/`.
pub fn same_file(one: &str, other: &str) -> bool {
    let (one, other) = (plain_path(one), plain_path(other));
    let ends_with =
        |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    !one.is_empty() && !other.is_empty() && (one == other || ends_with(one, other) || ends_with(other, one))
}

/// Whether a quote stands in a text. `…` and `...` leave something out: the parts must follow in order. So does the
/// marker of a secret. Marks of Markdown, dashes and quotation marks may differ: models drop or change them when they
/// quote.
pub fn quote_occurs(quote: &str, text: &str) -> bool {
    let folded = fold(text);
    let parts = quote_parts(quote);
    // Dots and quotation marks may be meant literally, so the plain reading comes first.
    if folded.contains(&fold(quote)) || follow(&parts, &folded) {
        return true;
    }
    let bare: Vec<String> = parts.iter().map(|part| unmarked(part)).filter(|part| !part.is_empty()).collect();
    !bare.is_empty() && follow(&bare, &unmarked(text))
}

/// Whether these stand in a text, one after the other.
fn follow(parts: &[String], text: &str) -> bool {
    let mut rest = text;
    parts.iter().all(|part| match rest.find(part.as_str()) {
        Some(start) => {
            rest = rest.get(start + part.len()..).unwrap_or("");
            true
        }
        None => false,
    })
}

/// What a quote really quotes: folded, without marks around it, cut where it leaves something out.
pub fn quote_parts(quote: &str) -> Vec<String> {
    let whole = without_markers(&fold(quote)).replace('…', "...");
    let bare = whole.trim_matches(['"', '\'', '`', '“', '”', '‘', '’']);
    bare.split("...").map(str::trim).filter(|part| !part.is_empty()).map(ToOwned::to_owned).collect()
}

/// A quote in which the marker of each secret leaves out what it stands for.
fn without_markers(quote: &str) -> String {
    const BEGINS: &str = "[redacted";
    let (mut out, mut rest) = (String::new(), quote);
    while let Some(start) = rest.find(BEGINS) {
        let Some(length) = rest[start..].find(']') else { break };
        out.push_str(&rest[..start]);
        out.push_str("...");
        rest = &rest[start + length + 1..];
    }
    out.push_str(rest);
    out
}

/// A text without emphasis, code marks and what begins a line in Markdown; with plain dashes and quotation marks; folded.
fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push(' ');
        for sign in without_beginning(line).chars() {
            match sign {
                '*' | '_' | '`' => {}
                '–' | '—' | '−' => out.push('-'),
                '“' | '”' | '„' | '«' | '»' => out.push('"'),
                '‘' | '’' => out.push('\''),
                sign => out.push(sign),
            }
        }
    }
    fold(&out)
}

/// A line without the marks of headings, quotations and items before it.
fn without_beginning(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let numbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < rest.len());
        let marked = rest.strip_prefix(['#', '>', '-', '+', '*', '|']);
        match item.or(marked) {
            Some(after) if after.starts_with(' ') || after.is_empty() || after.starts_with(['#', '>']) => {
                rest = after.trim_start();
            }
            _ => return rest,
        }
    }
}

/// The words of a heading, without its marks and in lower case.
pub fn heading(text: &str) -> String {
    fold(text.trim().trim_start_matches('#')).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_be_cited_by_the_end_of_its_path() {
        for (one, other, same) in [
            ("docs/x/spec.md", "docs/x/spec.md", true),
            ("spec.md", "docs/x/spec.md", true),
            ("/home/me/docs/x/spec.md", "docs/x/spec.md", true),
            ("./spec.md", " docs/x/spec.md", true),
            ("pec.md", "docs/x/spec.md", false),
            ("y/spec.md", "docs/x/spec.md", false),
            ("", "docs/x/spec.md", false),
        ] {
            assert_eq!(same_file(one, other), same, "{one} {other}");
            assert_eq!(same_file(other, one), same, "{other} {one}");
        }
    }

    #[test]
    fn a_quote_may_be_wrapped_shortened_or_marked_but_not_changed() {
        let text = "When a key is revoked\n  the service shall answer 401 ...rest within 5 s.";
        for (quote, occurs) in [
            ("a key is revoked the service", true),
            ("When a key … shall answer 401", true),
            ("When a key...5 s.", true),
            ("401 ...rest", true),
            ("\"the service shall answer\"", true),
            ("`revoked`", true),
            ("shall answer 401 … When a key", false),
            ("shall answer 403", false),
            ("…", true),
        ] {
            assert_eq!(quote_occurs(quote, text), occurs, "{quote}");
        }
    }

    #[test]
    fn a_quote_may_lack_the_marks_of_markdown() {
        let text = "## Limits\n\n- **AC1 (R1):** `POST /links` with `expires_at` N+1 gets 201 — at once\n  and “today”\n\
                    2. the second\n> - it's `quoted_here`\n";
        for (quote, occurs) in [
            ("AC1 (R1): POST /links with expires_at N+1 gets 201 - at once and \"today\"", true),
            ("- AC1 (R1): POST /links", true),
            ("gets 201 – at once", true),
            ("Limits AC1", true),
            ("the second it’s quoted_here", true),
            ("POST /links with expires_at N+2", false),
            ("AC2 (R1): POST /links", false),
            ("__", false),
        ] {
            assert_eq!(quote_occurs(quote, text), occurs, "{quote}");
        }
    }

    #[test]
    fn the_marker_of_a_secret_stands_for_what_was_there() {
        let text = "The key is q7Zr2Lw9Xk4Tn8Vb, and it is printed.\n";
        assert!(quote_occurs("The key is [redacted:assignment], and it is printed.", text));
        assert!(!quote_occurs("The key is [redacted:assignment], and it is hidden.", text));
        assert!(!quote_occurs("The word is [redacted:assignment], and it is printed.", text));
    }
}
