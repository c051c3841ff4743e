//! Lists what the readers find in one document, a fact in a line.

use redraft_documents::bank::{Bank, BankFile};
use redraft_documents::context::{Artifacts, select};
use redraft_documents::project_context::{goals, milestones};
use redraft_documents::sections::Outline;
use redraft_documents::tasks;
use redraft_documents::tokens::kinds;
use redraft_reports::matrix::{Sources, build};

/// Lines are counted from 1.
pub(super) fn list(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    outline(text, &mut out);
    tasks_of(text, &mut out);
    ids(text, &mut out);
    entries(text, &mut out);
    out.extend(goals(text).into_iter().map(|goal| format!("goal {goal}")));
    for milestone in milestones(text) {
        out.push(format!("milestone {} {}", milestone.name, milestone.features.join(" ")));
    }
    out.push(format!("characters by kind {:?}", kinds(text)));
    out
}

fn outline(text: &str, out: &mut Vec<String>) {
    let outline = Outline::parse(text);
    for section in outline.sections() {
        let (first, end) = (section.lines.start + 1, section.lines.end);
        out.push(format!(
            "section {first}-{end} own to {} level {} {}",
            section.own.end, section.level, section.title
        ));
    }
    for block in outline.blocks() {
        let (first, end) = (block.lines.start + 1, block.lines.end);
        out.push(format!("code {first}-{end} closed {} {}", block.closed, block.label));
    }
}

fn tasks_of(text: &str, out: &mut Vec<String>) {
    let list = match tasks::read(text) {
        Ok(list) => list,
        Err(none) => return out.push(format!("no tasks: {none}")),
    };
    let outline = Outline::parse(text);
    let artifacts = Artifacts { prd: None, spec: None, design: Some(text), plan: Some(text) };
    for task in &list.tasks {
        let (first, end, form) = (task.line, task.end_line, task.form.name());
        out.push(format!("task {first}-{end} {form} {} {:?} {}", task.id, task.aliases, task.title));
        out.push(format!("  ticked {} needs {:?}", task.is_ticked(&outline), task.depends_on));
        out.push(format!("  done {:?}", task.done));
        out.extend(
            task.refs.iter().map(|one| format!("  refers to {} {} {:?}", one.kind.name(), one.id, one.basis)),
        );
        out.extend(task.unread.iter().map(|one| format!("  unread {one}")));
        let groups: Vec<&str> = task.groups.iter().map(|group| group.title.as_str()).collect();
        out.push(format!("  under {groups:?}"));
        for artifact in select(task, &artifacts).artifacts {
            let parts: Vec<String> =
                artifact.sections.iter().map(|part| format!("{}-{}", part.line, part.end_line)).collect();
            out.push(format!("  sent with {}", parts.join(" ")));
        }
    }
    out.extend(list.notes.iter().map(|note| format!("note {} {}", note.line, note.text)));
}

/// The ids that a trace of this document as the specification finds, and what it calls the rest.
fn ids(text: &str, out: &mut Vec<String>) {
    let matrix =
        build(&Sources { spec: Some(text), design: Some(text), tasks: Some(text), ..Sources::default() });
    for row in &matrix.rows {
        if let Some(one) = &row.requirement {
            out.push(format!("id {} {} criterion {} {}", one.line, one.id, one.is_criterion, one.text));
        }
        let parts: Vec<String> =
            row.sections.iter().map(|part| format!("{} {}", part.line, part.id)).collect();
        out.push(format!("  served by {} works {:?}", parts.join(", "), row.works));
    }
    out.extend(matrix.orphans.iter().map(|orphan| format!("orphan {orphan:?}")));
}

fn entries(text: &str, out: &mut Vec<String>) {
    for entry in Bank::read(&[(BankFile::Pattern, text.to_owned())]).entries {
        let chars = entry.text.chars().count();
        out.push(format!("entry {}-{} {chars} characters {}", entry.line, entry.end_line, entry.name));
    }
}
