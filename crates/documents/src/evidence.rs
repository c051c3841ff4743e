//! Checks whether what a finding cites is really there.
//!
//! Reviewers cite files they did not open, lines that do not exist and words nobody wrote. This module compares a
//! citation with the text of the tree and says what does not hold; it does not know what follows from that. Start
//! reading at [`check`].

use crate::trace::TargetDocument;
use redraft_facts::citation;
use redraft_facts::prelude::*;
use redraft_facts::redact::Redactor;
use redraft_facts::text::one_line;
use redraft_facts::verdict::{Claim, Issue};

/// Where what an issue cites was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// In the file it names, as far as that can be checked.
    AsCited,
    /// In the document under review: it names another file and quotes what the document says about it.
    InArtifact,
    /// In what a check of the project printed about the code under review.
    Printed,
}

/// Where an issue may have what it quotes, in addition to the file it names.
#[derive(Debug, Clone, Copy, Default)]
pub struct QuoteSources<'a> {
    /// The document under review; empty for code.
    pub artifact: &'a str,
    /// What the project's checks printed about the code under review.
    pub printed: &'a [&'a str],
}

/// Checks the file, line and quote of an issue. `text_of` gives the text of a file by the path as cited, without
/// `./` before it. The error says what does not hold.
///
/// An issue that cites no file cannot be checked and holds. One that claims something is absent must name a file
/// that exists; its line and quote only mark the place where it looked, or what it looked for. In code (`in_code`) the
/// file itself may be what is absent. A quote that a file does not have may stand in the artifact, because a false
/// statement about code or a README is cited with its file, or in what a check printed. `redactor` is the one that took the
/// secrets out of the issue.
pub fn check(
    issue: &Issue,
    in_code: bool,
    elsewhere: QuoteSources<'_>,
    redactor: &Redactor,
    text_of: &dyn Fn(&str) -> Option<String>,
) -> Result<Found, String> {
    let QuoteSources { artifact, printed } = elsewhere;
    let file = citation::plain_path(&issue.file);
    if file.is_empty() {
        return Ok(Found::AsCited);
    }
    // A path is as long as an agent likes; the message is kept and shown.
    let name = one_line(file, 120);
    let text = text_of(file);
    let is_in = |path: &str, text: &str| match citation::is_markdown(path) {
        true => citation::quote_occurs_in_markdown(&issue.quote, text, redactor),
        false => citation::quote_occurs(&issue.quote, text, redactor),
    };
    // What a document that this one is made from is said to say must stand there.
    let may_be_elsewhere = !artifact.is_empty() && !is_parent(file);
    let in_artifact = || may_be_elsewhere && text_of(artifact).is_some_and(|text| is_in(artifact, &text));
    let quoted = !issue.quote.trim().is_empty();
    if issue.claim == Claim::Absent && (in_code || text.is_some()) {
        let is_here = |text: &String| is_in(file, text);
        let elsewhere = quoted && !text.as_ref().is_some_and(is_here) && in_artifact();
        return Ok(if elsewhere { Found::InArtifact } else { Found::AsCited });
    }
    let Some(text) = text else {
        // A document may speak of a file that does not exist.
        let told = quoted && in_artifact();
        return if told { Ok(Found::InArtifact) } else { Err(format!("there is no file {name}")) };
    };
    let lines = text.lines().count();
    if u64::from(issue.line) > lines as u64 {
        let unit = if lines == 1 { "line" } else { "lines" };
        return Err(format!("{name} has {lines} {unit}, line {} is cited", issue.line));
    }
    match !quoted || is_in(file, &text) {
        true => Ok(Found::AsCited),
        false if in_artifact() => Ok(Found::InArtifact),
        false if printed.iter().any(|text| citation::quote_occurs(&issue.quote, text, redactor)) => {
            Ok(Found::Printed)
        }
        false => Err(format!("the quote is not in {name}")),
    }
}

/// Whether a path names one of the documents that others are made from.
fn is_parent(path: &str) -> bool {
    TargetDocument::ALL.iter().any(|document| citation::same_file(path, document.file()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::verdict::Severity;

    fn check(
        issue: &Issue,
        in_code: bool,
        elsewhere: QuoteSources<'_>,
        text_of: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Found, String> {
        super::check(issue, in_code, elsewhere, &Redactor::default(), text_of)
    }

    fn issue(claim: Claim, file: &str, line: u32, quote: &str) -> Issue {
        Issue {
            severity: Severity::Blocker,
            category: String::new(),
            claim,
            file: file.to_owned(),
            line,
            section: "Anything".to_owned(),
            quote: quote.to_owned(),
            description: "d".to_owned(),
            suggestion: String::new(),
            same_as: String::new(),
        }
    }

    fn checked(claim: Claim, file: &str, line: u32, quote: &str) -> Result<Found, String> {
        let issue = issue(claim, file, line, quote);
        let text = "# Spec\n\nWhen a key is revoked\nthe service answers 401.\n";
        check(&issue, false, QuoteSources::default(), &|path| (path == "docs/x.md").then(|| text.to_owned()))
    }

    #[test]
    fn in_code_a_file_may_be_what_is_absent_and_nothing_can_be_present_in_it() {
        let issue = |claim| issue(claim, "tests/limit.sh", 0, "");
        assert_eq!(
            check(&issue(Claim::Absent), true, QuoteSources::default(), &|_| None),
            Ok(Found::AsCited)
        );
        let wrong = Err("there is no file tests/limit.sh".to_owned());
        assert_eq!(check(&issue(Claim::Absent), false, QuoteSources::default(), &|_| None), wrong);
        assert_eq!(check(&issue(Claim::Present), true, QuoteSources::default(), &|_| None), wrong);
    }

    #[test]
    fn a_quote_may_stand_in_the_document_under_review_instead_of_the_file_it_is_about() {
        let texts = |path: &str| match path {
            "src/service.py" => Some("def expire(): pass\n".to_owned()),
            "docs/spec.md" => Some("The service has `Service.remove`.\n".to_owned()),
            _ => None,
        };
        let spec = QuoteSources { artifact: "docs/spec.md", printed: &[] };
        let about = |quote: &str| issue(Claim::Present, "src/service.py", 0, quote);
        assert_eq!(check(&about("Service.remove"), false, spec, &texts), Ok(Found::InArtifact));
        assert_eq!(check(&about("def expire()"), false, spec, &texts), Ok(Found::AsCited));
        let absent = |quote: &str| issue(Claim::Absent, "src/service.py", 0, quote);
        assert_eq!(check(&absent("Service.remove"), false, spec, &texts), Ok(Found::InArtifact));
        assert_eq!(check(&absent("Service.purge"), false, spec, &texts), Ok(Found::AsCited));
        let gone = issue(Claim::Present, "src/gone.py", 3, "Service.remove");
        assert_eq!(check(&gone, false, spec, &texts), Ok(Found::InArtifact));
        let readme = |path: &str| match path {
            "README.md" | "docs/prd.md" => Some("# Keys\n".to_owned()),
            _ => texts(path),
        };
        let about_readme = issue(Claim::Present, "README.md", 0, "The service has Service.remove");
        assert_eq!(check(&about_readme, false, spec, &readme), Ok(Found::InArtifact));
        // What it is made from must say it itself.
        let about_prd = issue(Claim::Present, "docs/prd.md", 0, "The service has Service.remove");
        let wrong = Err("the quote is not in docs/prd.md".to_owned());
        assert_eq!(check(&about_prd, false, spec, &readme), wrong);
        let wrong = Err("the quote is not in src/service.py".to_owned());
        assert_eq!(check(&about("Service.purge"), false, spec, &texts), wrong);
        assert_eq!(check(&about("Service.remove"), true, QuoteSources::default(), &texts), wrong);
    }

    #[test]
    fn a_quote_may_stand_in_what_a_check_printed_and_a_made_up_one_does_not() {
        let texts = |path: &str| (path == "src/limit.sh").then(|| "limit=10\n".to_owned());
        let printed =
            QuoteSources { printed: &["running 7 tests\nexpected 10, got 9"], ..QuoteSources::default() };
        let about = |file: &str, line, quote: &str| issue(Claim::Present, file, line, quote);
        assert_eq!(
            check(&about("src/limit.sh", 1, "expected 10, got 9"), true, printed, &texts),
            Ok(Found::Printed)
        );
        let made_up = Err("the quote is not in src/limit.sh".to_owned());
        assert_eq!(check(&about("src/limit.sh", 1, "expected 10, got 8"), true, printed, &texts), made_up);
        // Whatever was printed, the place must be there.
        let gone = Err("there is no file src/gone.sh".to_owned());
        assert_eq!(check(&about("src/gone.sh", 1, "expected 10, got 9"), true, printed, &texts), gone);
    }

    #[test]
    fn a_claim_of_presence_holds_when_file_line_and_quote_are_there() {
        for (file, line, quote) in [
            ("docs/x.md", 0, ""),
            ("./docs/x.md", 4, ""),
            ("docs/x.md", 3, "key is revoked the service"),
            ("docs/x.md", 0, "When a key … answers 401"),
            ("docs/x.md", 0, "When a key...401."),
            ("docs/x.md", 0, "  "),
        ] {
            assert_eq!(
                checked(Claim::Present, file, line, quote),
                Ok(Found::AsCited),
                "{file} {line} {quote}"
            );
        }
    }

    #[test]
    fn what_does_not_hold_is_named() {
        for (claim, file, line, quote, why) in [
            (Claim::Present, "docs/y.md", 1, "", "there is no file docs/y.md"),
            (Claim::Absent, "docs/y.md", 0, "", "there is no file docs/y.md"),
            (Claim::Present, "docs/x.md", 40, "", "docs/x.md has 4 lines, line 40 is cited"),
            (Claim::Present, "docs/x.md", 4, "answers 403", "the quote is not in docs/x.md"),
            (Claim::Present, "docs/x.md", 0, "answers … When", "the quote is not in docs/x.md"),
        ] {
            assert_eq!(checked(claim, file, line, quote), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_claim_of_absence_needs_no_quote_in_the_file() {
        assert_eq!(checked(Claim::Absent, "docs/x.md", 0, "a limit per key"), Ok(Found::AsCited));
        assert_eq!(checked(Claim::Absent, "docs/x.md", 40, ""), Ok(Found::AsCited));
    }

    #[test]
    fn without_a_file_nothing_can_be_checked() {
        for claim in [Claim::Present, Claim::Absent] {
            assert_eq!(checked(claim, " ", 40, "nobody wrote this"), Ok(Found::AsCited));
        }
    }
}
