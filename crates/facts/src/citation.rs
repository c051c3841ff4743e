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

/// Whether a quote stands in a text. `…` and `...` leave something out: the parts must follow in order.
pub fn quote_occurs(quote: &str, text: &str) -> bool {
    let text = fold(text);
    // Dots and quotation marks may be meant literally, so the plain reading comes first.
    if text.contains(&fold(quote)) {
        return true;
    }
    let mut rest = text.as_str();
    quote_parts(quote).iter().all(|part| match rest.find(part.as_str()) {
        Some(start) => {
            rest = rest.get(start + part.len()..).unwrap_or("");
            true
        }
        None => false,
    })
}

/// What a quote really quotes: folded, without marks around it, cut where it leaves something out.
pub fn quote_parts(quote: &str) -> Vec<String> {
    let whole = fold(quote).replace('…', "...");
    let bare = whole.trim_matches(['"', '\'', '`', '“', '”', '‘', '’']);
    bare.split("...").map(str::trim).filter(|part| !part.is_empty()).map(ToOwned::to_owned).collect()
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
}
