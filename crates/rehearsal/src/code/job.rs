//! Reads what an implementer takes from the documents: jobs, requirements, and the calls a design names.
//!
//! Knows documents and not code. Start at [`jobs`].

use crate::drafts::call;
use crate::parsed_document::{Need, ParsedDocument, marks, needs};
use redraft_documents::task_id::key;
use redraft_documents::tasks::{self, Task};
use redraft_documents::trace::TargetDocument;

/// A task as its implementer reads it.
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
pub(crate) fn jobs(text: &str) -> Vec<Job> {
    let parsed = ParsedDocument::read(text);
    let list = tasks::read(text).map(|list| list.tasks).unwrap_or_default();
    let job = |task: &Task| {
        let field = |label: &str| parsed.field(task.lines(), label).unwrap_or_default();
        let named = |kind: TargetDocument| task.refs.iter().filter(move |one| one.kind == kind);
        Job {
            name: task.id.clone(),
            title: task.title.clone(),
            files: marks(&field("Files")).filter(|path| path.contains('/')).map(str::to_owned).collect(),
            requirement: named(TargetDocument::Spec).next().map(|one| key(&one.id)),
            elements: named(TargetDocument::Design).map(|one| format!("Design {}", one.id)).collect(),
            test: test_named(&field("Do")).or_else(|| test_named(&field("Done when"))),
        }
    };
    // A specification may look like a list of tasks; a task that names no file cannot be carried out.
    list.iter().map(job).filter(|job| !job.files.is_empty()).collect()
}

/// The requirements of a specification, with their ids for comparing.
pub(crate) fn requirements(spec: &str) -> Vec<(String, Need)> {
    needs(spec).into_iter().map(|need| (key(&need.name), need)).collect()
}

/// The calls that the interfaces of a design name: the interface and the name of the call.
pub(crate) fn calls(design: &str) -> Vec<(String, String)> {
    let parsed = ParsedDocument::read(design);
    let found = parsed.outline.sections().iter().filter_map(|section| {
        let id = section.title.split([':', ' ']).next().filter(|id| id.len() > 1 && id.starts_with('I'))?;
        id[1..].bytes().all(|b| b.is_ascii_digit()).then_some(())?;
        let call = call(&parsed.outline.text(section.own.clone()))?;
        let name = call.split('(').next().unwrap_or_default().trim();
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        plain.then(|| (id.to_owned(), name.to_owned()))
    });
    found.collect()
}

/// The first name in backticks that could be that of a test: neither a path nor a command.
fn test_named(text: &str) -> Option<String> {
    let plain = |name: &&str| {
        name.len() > 3 && name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    marks(text).find(plain).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_read_with_its_files_its_requirement_and_its_test() {
        let text = "### Task 2.1: Build Turns\n\n**Implements:** Plan 2.2, Design C2, Design I2, Spec R8\n\
            **Files:** `src/a/turns.sh` (new), `tests/a/turns.sh` (new)\n**Depends on:** 1.1\n\n**Do:**\n\
            1. Write the test `r8_refuse` and see it fail.\n2. Make it pass.\n\n**Done when:**\n- `r8_refuse` passes.\n";
        let expected = Job {
            name: "2.1".to_owned(),
            title: "Build Turns".to_owned(),
            files: vec!["src/a/turns.sh".to_owned(), "tests/a/turns.sh".to_owned()],
            requirement: Some(key("R8")),
            elements: vec!["Design C2".to_owned(), "Design I2".to_owned()],
            test: Some("r8_refuse".to_owned()),
        };
        assert_eq!(jobs(text), [expected]);
        assert_eq!(jobs("# A specification\n\n- R1: x\n"), []);
    }
}
