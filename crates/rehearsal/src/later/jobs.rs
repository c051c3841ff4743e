//! What somebody who carries out tasks takes from the documents: jobs, requirements, and the calls a design names.
//!
//! Reads documents and knows nothing of code. Start at [`jobs`].

use super::drafts::{self, Need};
use super::needs::paths;
use super::outline::{Kind, Label, Outline, key};
use super::refs::{Doc, refs};
use crate::document::Document;
use crate::pace::{Pace, Stopped};
use crate::spec::Spec;
use redraft_core::phase::Phase;

/// A task as whoever carries it out reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The files it writes, those of tests among them.
    pub(crate) files: Vec<String>,
    /// The requirement it carries out, by its id for comparing.
    pub(crate) requirement: Option<String>,
    /// The parts of the design it builds, as they are written.
    pub(crate) elements: Vec<String>,
    /// The test that shows it, if it names one.
    pub(crate) test: Option<String>,
}

/// The jobs of a task list, or of the text of one task.
pub(crate) fn jobs(text: &str, pace: &Pace<'_>) -> Result<Vec<Job>, Stopped> {
    let document = Document::parse(text, pace)?;
    let outline = Outline::read(&document, Phase::CreateTasks, pace)?;
    let mut found = Vec::new();
    for unit in &outline.units {
        pace.step()?;
        let field = |label| unit.field(label).map(|field| field.text(&document)).unwrap_or_default();
        let named = refs(&field(Label::Implements), false);
        let of = |doc| named.iter().filter(move |one| one.doc == Some(doc));
        found.push(Job {
            name: unit.name.clone(),
            title: unit.title.clone(),
            files: paths(&field(Label::Files)),
            requirement: of(Doc::Spec).next().map(|one| one.key.clone()),
            elements: of(Doc::Design).map(|one| format!("Design {}", one.name)).collect(),
            test: test_named(&field(Label::Do)).or_else(|| test_named(&field(Label::Done))),
        });
    }
    Ok(found)
}

/// The requirements of a specification, with their ids for comparing.
pub(crate) fn requirements(spec: &Spec<'_>) -> Vec<(String, Need)> {
    drafts::needs(spec).into_iter().map(|need| (key(&need.name), need)).collect()
}

/// The calls that the interfaces of a design name: the interface and the name of the call.
pub(crate) fn calls(design: &Spec<'_>, pace: &Pace<'_>) -> Result<Vec<(String, String)>, Stopped> {
    let outline = Outline::read(&design.document, Phase::Design, pace)?;
    let call = |unit: &super::outline::Unit| {
        let text = design.document.text(unit.block.clone());
        let span =
            text.split('`').skip(1).step_by(2).find(|span| span.contains('(') && span.contains(':'))?;
        let name = span.split('(').next().unwrap_or_default().trim();
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_')
            .then(|| (unit.name.clone(), name.to_owned()))
    };
    Ok(outline.of(Kind::Interface).filter_map(call).collect())
}

/// The first name in backticks that could be that of a test: no path, no command.
fn test_named(text: &str) -> Option<String> {
    let plain = |name: &&str| {
        name.len() > 3 && name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.split('`').skip(1).step_by(2).find(plain).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_read_with_its_files_its_requirement_and_its_test() {
        let text = "### Task 2.1: Build Turns\n\n**Implements:** Plan 2.2, Design C2, Design I2, Spec R8\n\
            **Files:** `src/a/turns.sh` (new), `tests/a/turns.sh` (new)\n**Depends on:** 1.1\n\n**Do:**\n\
            1. Write the test `r8_refuse` and see it fail.\n2. Make it pass.\n\n**Done when:**\n- `r8_refuse` passes.\n";
        let jobs = jobs(text, &Pace::calm()).unwrap();
        let expected = Job {
            name: "2.1".to_owned(),
            title: "Build Turns".to_owned(),
            files: vec!["src/a/turns.sh".to_owned(), "tests/a/turns.sh".to_owned()],
            requirement: Some("R8".to_owned()),
            elements: vec!["Design C2".to_owned(), "Design I2".to_owned()],
            test: Some("r8_refuse".to_owned()),
        };
        assert_eq!(jobs, [expected]);
        assert_eq!(super::jobs("# A specification\n\n- R1: x\n", &Pace::calm()).unwrap(), []);
    }
}
