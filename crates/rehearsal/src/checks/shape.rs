//! A document without what the other checks compare: no requirement at all, or an acceptance section with
//! nothing in it.
//!
//! Without this check such a document would pass all the others, because they would have nothing to say.

use super::{Defect, Looked, Papers, Wrong, mark, quote};
use crate::document::{Kind, has_any};
use crate::pace::Stopped;
use crate::spec::{Part, Spec};
use crate::words::content;
use redraft_core::verdict::{Claim, Severity};

pub(super) fn look(papers: &Papers<'_>) -> Result<Looked, Stopped> {
    papers.pace.step()?;
    let spec = &papers.spec;
    let mut looked = Looked::default();
    if asks_nothing(spec) {
        looked.defects.push(defect(papers, 0, Wrong::NoRequirements));
    } else if let Some(line) = empty_acceptance(spec) {
        looked.defects.push(defect(papers, line, Wrong::EmptyAcceptance { line }));
    } else {
        looked.settled.push((vec![NOTHING.to_owned()], "there are requirements now".to_owned()));
        for heading in &spec.document.headings {
            looked.settled.push((vec![mark(&heading.title)], "the section has criteria now".to_owned()));
        }
    }
    looked.note = format!("{} requirements, {} criteria", spec.statements().len(), spec.criteria().len());
    Ok(looked)
}

/// Whether this check has something to say; what others would say then follows from it.
pub(super) fn is_hollow(papers: &Papers<'_>) -> bool {
    asks_nothing(&papers.spec) || empty_acceptance(&papers.spec).is_some()
}

const NOTHING: &str = "no requirement";

/// Whether no line asks anything of the system: neither in a section for it, nor by id, nor by its words.
fn asks_nothing(spec: &Spec<'_>) -> bool {
    let asks = [
        " shall ",
        " must ",
        " should ",
        " will ",
        " can ",
        " cannot ",
        " may ",
        " needs to ",
        " has to ",
        " is refused",
        " are refused",
    ];
    let apart = [Part::Excluded, Part::Goals, Part::Questions, Part::Risks, Part::Background];
    let asked = (0..spec.document.lines.len()).any(|at| {
        let line = &spec.document.lines[at];
        let prose = matches!(line.kind, Kind::Item { .. } | Kind::Row | Kind::Text);
        prose && !spec.is_in_any(at, &apart) && has_any(line.raw, &asks)
    });
    let stated = || spec.statements().into_iter().any(|block| says_something(spec, block));
    !asked && !stated() && spec.criteria().is_empty()
}

/// The heading of an acceptance section that holds nothing, where no other place holds a criterion either.
fn empty_acceptance(spec: &Spec<'_>) -> Option<usize> {
    let document = &spec.document;
    let empty = document.headings.iter().enumerate().find(|(at, heading)| {
        let block = document.block_of_heading(*at);
        let only_title = *at == 0 && heading.level == 1 && document.headings.len() > 1;
        let own = spec.is_in(heading.line, Part::Acceptance) && !spec.is_in(heading.line, Part::Requirements);
        own && !only_title && !says_something(spec, block.start + 1..block.end)
    });
    let (_, heading) = empty?;
    let any = spec.criteria().into_iter().any(|unit| says_something(spec, unit));
    (!any).then_some(heading.line)
}

/// Whether lines say more than that there is nothing to say.
fn says_something(spec: &Spec<'_>, lines: std::ops::Range<usize>) -> bool {
    lines.into_iter().any(|at| {
        let line = &spec.document.lines[at];
        let prose = matches!(line.kind, Kind::Item { .. } | Kind::Row | Kind::Text | Kind::Code);
        let head = line.kind == Kind::Row && spec.document.is_table_head(at);
        let said = spec.document.said(at).to_lowercase();
        let none = ["none", "n/a", "nothing", "to be", "tbd", "-", "—", "<!--", "```"];
        prose && !head && !none.iter().any(|word| said.starts_with(word)) && !content(&said).is_empty()
    })
}

fn defect(papers: &Papers<'_>, line: usize, wrong: Wrong) -> Defect {
    let document = &papers.spec.document;
    let section = document.section(line);
    let (claim, description, suggestion) = match wrong {
        Wrong::EmptyAcceptance { .. } => (
            Claim::Present,
            format!("the section `{}` is empty: nothing says how any requirement is checked", mark(section)),
            "write a criterion for every requirement that can be seen to pass or fail",
        ),
        _ => (
            Claim::Absent,
            format!("the document states `{NOTHING}`: nothing in it says what the system has to do"),
            "state each thing the system has to do as a requirement with an id and a criterion",
        ),
    };
    Defect {
        wrong,
        severity: Severity::Blocker,
        category: "testability",
        claim,
        file: papers.path.to_owned(),
        line,
        section: section.to_owned(),
        quote: quote(document.lines.get(line).map_or("", |line| line.raw)),
        description,
        suggestion: suggestion.to_owned(),
    }
}
