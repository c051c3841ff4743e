//! Plants defects in a change of code: edits of lines that the change adds, which a reviewer of code should reject.
//!
//! Start at [`plant`]. The edits are textual and know a few languages just well enough (`source`); one is only made where it
//! is certainly a defect (`conditions`, `handling`, `assertion` and `constant` hold the kinds). At most one of a kind is used, none near
//! another.

mod assertion;
mod conditions;
mod constant;
mod handling;
mod source;

use crate::draw::Draw;
use crate::plant::edit::{self, Edit};
use crate::plant::{LINES_BETWEEN, Plant, PlantKind};
use redraft_documents::delta::Comparison;
use redraft_facts::prelude::*;
use source::Source;

/// A file of a change, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    /// None where the change creates it.
    pub before: Option<String>,
    /// None where the change deletes it.
    pub after: Option<String>,
}

/// A change that was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeSet {
    /// In the order of their paths.
    pub files: Vec<ChangedFile>,
    /// What its commits say of it.
    pub intent: String,
}

/// A change with defects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedChange {
    /// The files after the change, by path.
    pub files: Vec<(String, String)>,
    /// The change as a unified diff.
    pub diff: String,
    /// In the order of files and lines.
    pub plants: Vec<Plant>,
    edits: Vec<CodeEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct CodeEdit {
    kind: PlantKind,
    /// Its place in the list of files.
    file: usize,
    edit: Edit,
}

impl CodeEdit {
    fn is_apart(&self, other: &CodeEdit) -> bool {
        self.file != other.file || self.edit.is_apart(&other.edit, LINES_BETWEEN)
    }
}

/// Plants up to `count` defects, each of another kind; fewer where the change has no place for more.
pub fn plant(change: &ChangeSet, count: usize, draw: &mut Draw) -> PlantedChange {
    let mut edits: Vec<CodeEdit> = Vec::new();
    for kind in draw.shuffled(PlantKind::CODE.to_vec()) {
        if edits.len() == count {
            break;
        }
        edits.extend(chosen(change, kind, &edits, draw));
    }
    built(change, edits)
}

/// A later revision: of the defects only those at `left` are still there, and one of another kind is new where there is
/// a place for it.
pub fn revised(
    change: &ChangeSet,
    planted: &PlantedChange,
    left: &[usize],
    draw: &mut Draw,
) -> (PlantedChange, Option<Plant>) {
    let mut edits: Vec<CodeEdit> = left.iter().filter_map(|at| planted.edits.get(*at).cloned()).collect();
    let used: Vec<PlantKind> = planted.edits.iter().map(|edit| edit.kind).collect();
    let unused = PlantKind::CODE.into_iter().filter(|kind| !used.contains(kind)).collect();
    // Not where a defect was, either: that would be one not fixed.
    let new = draw.shuffled(unused).into_iter().find_map(|kind| chosen(change, kind, &planted.edits, draw));
    edits.extend(new.clone());
    let second = built(change, edits);
    let new = new.and_then(|new| second.plants.iter().find(|plant| plant.kind == new.kind).cloned());
    (second, new)
}

/// The change as it is, without a defect.
pub fn clean(change: &ChangeSet) -> PlantedChange {
    built(change, Vec::new())
}

fn chosen(change: &ChangeSet, kind: PlantKind, others: &[CodeEdit], draw: &mut Draw) -> Option<CodeEdit> {
    let texts: Vec<&str> = change.files.iter().filter_map(|file| file.after.as_deref()).collect();
    let mut places = Vec::new();
    for (at, file) in change.files.iter().enumerate() {
        let Some(after) = &file.after else { continue };
        let before = file.before.as_deref().unwrap_or_default();
        let Some(source) = Source::read(&file.path, before, after) else { continue };
        let edits = edits(kind, &source, &texts);
        // An edit that changes nothing is no defect.
        let changes = |edit: &Edit| edit::applied(after, core::slice::from_ref(edit)).0 != *after;
        let told = |edit: &Edit| edit.words.iter().all(|group| !group.is_empty());
        places.extend(edits.into_iter().filter(|edit| changes(edit) && told(edit)).map(|edit| CodeEdit {
            kind,
            file: at,
            edit,
        }));
    }
    let lines: Vec<Vec<&str>> =
        change.files.iter().map(|file| file.after.as_deref().unwrap_or_default().lines().collect()).collect();
    // Another line of the change says what a constant should be; names stand in many lines.
    let tells = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let cancels = |one: &CodeEdit, other: &CodeEdit| {
        let alone = |edit: &CodeEdit| lines.get(edit.file).cloned().unwrap_or_default();
        edit::touches(&alone(one), &one.edit, &other.edit, tells)
            || edit::touches(&alone(other), &other.edit, &one.edit, tells)
    };
    let free = |edit: &CodeEdit| others.iter().all(|other| edit.is_apart(other) && !cancels(edit, other));
    draw.shuffled(places).into_iter().find(free)
}

fn edits(kind: PlantKind, source: &Source<'_>, texts: &[&str]) -> Vec<Edit> {
    match kind {
        PlantKind::Boundary => conditions::boundary(source),
        PlantKind::CheckRemoved => conditions::check_removed(source),
        PlantKind::BranchDead => conditions::branch_dead(source),
        PlantKind::ErrorSwallowed => handling::error_swallowed(source),
        PlantKind::AssertionWeakened => assertion::weakened(source),
        PlantKind::ResourceOpen => handling::resource_open(source),
        PlantKind::InputUnchecked => handling::input_unchecked(source),
        PlantKind::ConstantWrong => constant::constant_wrong(source, texts),
        _ => Vec::new(),
    }
}

fn built(change: &ChangeSet, mut edits: Vec<CodeEdit>) -> PlantedChange {
    edits.sort_by_key(|edit| (edit.file, edit.edit.lines.start));
    let (mut files, mut diff, mut plants) = (Vec::new(), String::new(), Vec::new());
    for (at, file) in change.files.iter().enumerate() {
        let own: Vec<&CodeEdit> = edits.iter().filter(|edit| edit.file == at).collect();
        let only: Vec<Edit> = own.iter().map(|edit| edit.edit.clone()).collect();
        let planted = file.after.as_deref().map(|after| edit::applied(after, &only));
        diff.push_str(&unified(file, planted.as_ref().map(|(text, _)| text.as_str())));
        let Some((text, places)) = planted else { continue };
        plants.extend(own.iter().zip(places).map(|(own, place)| Plant {
            kind: own.kind,
            file: file.path.clone(),
            line: if own.edit.new.is_empty() { place as u32 } else { place as u32 + 1 },
            lines: own.edit.new.len() as u32,
            what: own.edit.what.clone(),
            words: own.edit.words.clone(),
        }));
        files.push((file.path.clone(), text));
    }
    PlantedChange { files, diff, plants, edits }
}

/// What changed between two states of some files, as a unified diff.
pub fn delta(before: &[(String, String)], after: &[(String, String)]) -> String {
    let old = |path: &str| before.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone());
    let file = |(path, text): &(String, String)| {
        let file = ChangedFile { path: path.clone(), before: old(path), after: None };
        unified(&file, Some(text))
    };
    after.iter().map(file).collect()
}

/// The diff of one file as git writes it.
fn unified(file: &ChangedFile, after: Option<&str>) -> String {
    let ChangedFile { path, before, .. } = file;
    let body =
        Comparison::new(before.as_deref().unwrap_or_default(), after.unwrap_or_default()).unified(path);
    let hunks = body.find("@@").map_or("", |at| &body[at..]);
    let (mode, old, new) = match (before, after) {
        (None, Some(_)) => ("new file mode 100644\n", "/dev/null".to_owned(), format!("b/{path}")),
        (Some(_), None) => ("deleted file mode 100644\n", format!("a/{path}"), "/dev/null".to_owned()),
        _ => ("", format!("a/{path}"), format!("b/{path}")),
    };
    match hunks.is_empty() {
        true => String::new(),
        false => format!("diff --git a/{path} b/{path}\n{mode}--- {old}\n+++ {new}\n{hunks}"),
    }
}

/// What a finding about a kind of defect may say.
fn vocabulary(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Names in a piece of code.
fn source_names(code: &str) -> Vec<String> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.len() > 2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
