//! Compares what a reviewer cites with what is there: paths, quotes, headings.
//!
//! Reviewers shorten paths and re-wrap what they quote, so equality of bytes is too strict everywhere here. What a
//! match means is decided by the callers: `documents::delta`, `documents::evidence` and [`crate::findings`].

use crate::prelude::*;
use crate::redact::Redactor;

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

/// Whether a quote stands in a text. `…` and `...` leave something out: the parts must follow in order. A quote in which
/// a secret was replaced is compared with the text without its secrets, for which the redactor must be the one that replaced
/// it.
pub fn quote_occurs(quote: &str, text: &str, redactor: &Redactor) -> bool {
    let folded = fold(text);
    // Dots and quotation marks may be meant literally, so the plain reading comes first.
    if folded.contains(&fold(quote)) || follow(&quote_parts(quote), &folded) {
        return true;
    }
    quote.contains(REDACTED) && {
        let redacted = fold(&redactor.redact(text).0);
        redacted.contains(&fold(quote)) || follow(&quote_parts(quote), &redacted)
    }
}

/// A quote and a text of the file it is from, in every reading in which the two may be compared: as they are, without the
/// marks of Markdown, without secrets. The text is given line by line, and no line is empty.
pub fn readings(quote: &str, path: &str, text: &str, redactor: &Redactor) -> Vec<(String, Vec<String>)> {
    let lines = |text: &str, fold: fn(&str) -> String| -> Vec<String> {
        text.lines().map(fold).filter(|line| !line.is_empty()).collect()
    };
    let mut readings = vec![(fold(quote), lines(text, fold))];
    if is_markdown(path) {
        readings.push((unmarked(quote), lines(text, unmarked)));
    }
    if quote.contains(REDACTED) {
        readings.push((fold(quote), lines(&redactor.redact(text).0, fold)));
    }
    readings
}

/// The same for Markdown, where marks, dashes and quotation marks may differ: models drop or change them when they quote.
pub fn quote_occurs_in_markdown(quote: &str, text: &str, redactor: &Redactor) -> bool {
    let bare = quote_parts(&unmarked(quote));
    let long_enough = bare.iter().any(|part| part.chars().count() >= BARE_CHARS_MIN);
    quote_occurs(quote, text, redactor) || long_enough && follow(&bare, &unmarked(text))
}

/// Whether a path is that of a Markdown file.
pub fn is_markdown(path: &str) -> bool {
    let lower = path.to_lowercase();
    [".md", ".markdown", ".mdx"].iter().any(|end| lower.ends_with(end))
}

/// How markers of secrets begin.
const REDACTED: &str = "[redacted";

/// Without its marks, a shorter quote may stand anywhere.
const BARE_CHARS_MIN: usize = 8;

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
    let whole = fold(quote).replace('…', "...");
    let bare = whole.trim_matches(['"', '\'', '`', '“', '”', '‘', '’']);
    bare.split("...").map(str::trim).filter(|part| !part.is_empty()).map(ToOwned::to_owned).collect()
}

/// A text without emphasis, code marks and what begins a line in Markdown; with plain dashes and quotation marks; folded.
/// An underscore within a name and a star between blanks are no emphasis.
pub fn unmarked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push(' ');
        let line = without_beginning(line);
        let (mut before, mut signs) = (' ', line.chars().peekable());
        while let Some(sign) = signs.next() {
            let after = signs.peek().copied().unwrap_or(' ');
            match sign {
                '`' => {}
                '_' if !(before.is_alphanumeric() && after.is_alphanumeric()) => {}
                '*' if !(before.is_whitespace() && after.is_whitespace()) => {}
                '–' | '—' | '−' => out.push('-'),
                '“' | '”' | '„' | '«' | '»' => out.push('"'),
                '‘' | '’' => out.push('\''),
                sign => out.push(sign),
            }
            before = sign;
        }
    }
    fold(&out)
}

/// A line without the marks of headings, quotations and items before it. What stands before a number may be its sign.
fn without_beginning(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let numbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let item = numbered.strip_prefix(['.', ')']).filter(|_| numbered.len() < rest.len());
        let marked = rest.strip_prefix(['#', '>', '-', '+', '*', '|']);
        let Some(after) = item.or(marked) else { return rest };
        let text = after.trim_start();
        let is_sign = text.starts_with(|c: char| c.is_ascii_digit());
        let is_mark = after.starts_with(' ') || after.is_empty() || after.starts_with(['#', '>']);
        if !is_mark || is_sign {
            return rest;
        }
        rest = text;
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
            assert_eq!(quote_occurs(quote, text, &Redactor::default()), occurs, "{quote}");
        }
    }

    #[test]
    fn a_quote_of_markdown_may_lack_its_marks_and_nothing_else() {
        let text = "## Limits\n\n- **AC1 (R1):** `POST /links` with `expires_at` N+1 gets 201 — at once\n  and “today”\n\
                    - `max_retries` is 2 * n, < 100 ms\n- + 5 % at most\n2. the second\n> - it's `quoted_here`\n";
        for (quote, occurs) in [
            ("AC1 (R1): POST /links with expires_at N+1 gets 201 - at once and \"today\"", true),
            ("- AC1 (R1): POST /links", true),
            ("gets 201 – at once", true),
            ("## Limits\n\n- AC1 (R1): POST", true),
            ("- + 5 % at most\n2. the second\n> it’s quoted_here", true),
            ("POST /links with expires_at N+2", false),
            ("AC2 (R1): POST /links", false),
            ("maxretries is 2 * n", false),
            ("max_retries is 2 ** n", false),
            ("max_retries is 2 n, < 100", false),
            ("max_retries … > 100 ms", false),
            ("- 5 % at most and more", false),
            ("* * 2 * *", false),
        ] {
            assert_eq!(quote_occurs_in_markdown(quote, text, &Redactor::default()), occurs, "{quote}");
        }
        // Elsewhere every mark counts.
        assert!(!quote_occurs("AC1 (R1): POST /links", text, &Redactor::default()));
        assert!(is_markdown("docs/Spec.MD") && !is_markdown("src/main.rs"));
    }

    #[test]
    fn a_quote_with_a_secret_replaced_is_compared_with_the_text_without_its_secrets() {
        let token = ["gh", "p_q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2W"].concat();
        let text = format!("The key is {token}, and it is printed.\npassword = os.environ[\"PW\"]\n");
        let by_shape = Redactor::default();
        assert!(quote_occurs("The key is [redacted:github-token], and it is printed.", &text, &by_shape));
        for wrong in [
            "The key is [redacted:github-token], and it is hidden.",
            "The key is [redacted:npm-token], and it is printed.",
            "password = [redacted:assignment]",
            "[redacted anything]",
        ] {
            assert!(!quote_occurs(wrong, &text, &by_shape), "{wrong}");
        }
        // No shape gives this one away; only the run knows it.
        let (text, quote) = ("say(\"correct horse battery\")\n", "say(\"[redacted:known]\")");
        let knowing = Redactor::new(vec!["correct horse battery".to_owned()]);
        assert!(quote_occurs(quote, text, &knowing) && !quote_occurs(quote, text, &by_shape));
        let (quote, lines) = readings(quote, "x.py", text, &knowing).pop().unwrap();
        assert_eq!(lines, [quote]);
    }
}
