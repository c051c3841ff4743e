//! Scores references: done criteria, dependencies, and which lines of the other documents are reached.

use super::{read, share};
use redraft_documents::task_id;
use redraft_documents::tasks::{self, Task, TaskList};
use redraft_documents::trace::{self, FoundTarget, TargetDocument, Targets};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The labels of one task.
#[derive(Debug, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) feature: String,
    task_id: String,
    done_field: Option<String>,
    done_criteria: Option<String>,
    depends_on: Vec<String>,
    refs: Vec<Label>,
}

#[derive(Debug, Deserialize)]
struct Label {
    raw: String,
    kind: String,
    id: Option<String>,
    target_file: Option<String>,
    target_line: Option<u32>,
    #[serde(default)]
    alt_lines: Vec<u32>,
    /// Where it leads, if out of the feature's folder.
    external: Option<serde_json::Value>,
}

#[derive(Default)]
struct Counts {
    tasks: usize,
    done: usize,
    done_found: usize,
    done_field: usize,
    depends: usize,
    resolvable: usize,
    reached: usize,
    elsewhere: usize,
    asked: usize,
    asked_wrong: usize,
    resolved: usize,
    unlabelled: usize,
}

impl Counts {
    /// A task that is not found misses everything in its labels.
    fn unread(&mut self, label: &Labelled) {
        self.tasks += 1;
        self.done += usize::from(label.done_criteria.is_some());
        self.resolvable += label.refs.iter().filter_map(Label::target).count();
    }
}

impl Label {
    /// The file and line it leads to, if that is one of the feature's.
    fn target(&self) -> Option<(&str, u32)> {
        let inside = self.external.is_none();
        Some((self.target_file.as_deref()?, self.target_line?)).filter(|_| inside)
    }
}

pub(crate) fn score(labels: &[Labelled], features: &Path, misses: bool) -> Result<String, String> {
    let mut counts = Counts::default();
    let mut told = String::new();
    let mut by_feature: BTreeMap<&str, Vec<&Labelled>> = BTreeMap::new();
    for label in labels {
        by_feature.entry(&label.feature).or_default().push(label);
    }
    for (feature, labels) in by_feature {
        let folder = features.join(feature);
        let text = read(&folder.join("tasks.md"))?;
        let list = tasks::read(&text).unwrap_or_else(|error| {
            told.push_str(&format!("{feature}: {error}\n"));
            TaskList { tasks: Vec::new(), notes: Vec::new() }
        });
        let texts: BTreeMap<TargetDocument, String> = (TargetDocument::ALL.into_iter())
            .filter_map(|kind| Some((kind, std::fs::read_to_string(folder.join(kind.file())).ok()?)))
            .collect();
        let targets: BTreeMap<TargetDocument, Targets<'_>> =
            texts.iter().map(|(kind, text)| (*kind, Targets::find(text))).collect();
        for label in labels {
            let name = format!("{feature} {}", label.task_id);
            let Some(task) = list.find(&label.task_id) else {
                told.push_str(&format!("{name} is not read\n"));
                counts.unread(label);
                continue;
            };
            fields(&name, label, task, &mut counts, &mut told);
            references(&name, label, task, &targets, &mut counts, &mut told);
        }
    }
    Ok(format!(
        "{}{} tasks\ndone criteria: found {}, of those the labelled field {}\ndepends on: equal {}\n\
         references: reached {}, wrong {}\n  asked for by their labelled id: reached {}, wrong {}\n  \
         targets that no label has {}\n",
        if misses { told.as_str() } else { "" },
        counts.tasks,
        share(counts.done_found, counts.done),
        share(counts.done_field, counts.done_found),
        share(counts.depends, counts.tasks),
        share(counts.reached, counts.resolvable),
        share(counts.elsewhere, counts.resolvable),
        share(counts.asked, counts.resolvable),
        share(counts.asked_wrong, counts.resolvable),
        share(counts.unlabelled, counts.resolved),
    ))
}

fn fields(name: &str, label: &Labelled, task: &Task, counts: &mut Counts, told: &mut String) {
    counts.tasks += 1;
    let read = task.done.as_ref().map(|done| plain(&done.text)).unwrap_or_default();
    match &label.done_criteria {
        Some(criteria) => {
            counts.done += 1;
            let wanted = plain(criteria);
            if !wanted.is_empty() && read.contains(&wanted) {
                counts.done_found += 1;
                let field = task.done.as_ref().map(|done| done.field.as_str());
                counts.done_field += usize::from(field == label.done_field.as_deref());
            } else {
                told.push_str(&format!("{name} is done `{wanted}`, read `{read}`\n"));
            }
        }
        None if !read.is_empty() => told.push_str(&format!("{name} has no done criteria, read `{read}`\n")),
        None => {}
    }
    let labelled: BTreeSet<String> = label.depends_on.iter().map(|id| task_id::key(id)).collect();
    let found: BTreeSet<String> = task.depends_on.iter().map(|id| task_id::key(id)).collect();
    counts.depends += usize::from(labelled == found);
    if labelled != found {
        told.push_str(&format!("{name} depends on {:?}, read {:?}\n", label.depends_on, task.depends_on));
    }
}

fn references(
    name: &str,
    label: &Labelled,
    task: &Task,
    targets: &BTreeMap<TargetDocument, Targets<'_>>,
    counts: &mut Counts,
    told: &mut String,
) {
    let mut right: BTreeSet<(&str, u32)> = BTreeSet::new();
    // What was read, where each reference leads.
    let mut read: Vec<(String, &str, FoundTarget)> = Vec::new();
    for (one, (kind, found)) in task.refs.iter().zip(trace::locate_all(&task.refs, targets)) {
        read.push((format!("{} {}", kind.name(), one.id), kind.file(), found));
    }
    for one in &label.refs {
        let Some((file, line)) = one.target() else { continue };
        counts.resolvable += 1;
        let lines: Vec<u32> = [line].into_iter().chain(one.alt_lines.iter().copied()).collect();
        right.extend(lines.iter().map(|line| (file, *line)));
        let id = one.id.as_deref().unwrap_or(&one.raw);
        let leads =
            |found: &FoundTarget| matches!(found, FoundTarget::One(target) if lines.contains(&target.line));
        if read.iter().any(|(_, at, found)| *at == file && leads(found)) {
            counts.reached += 1;
        } else {
            let same = |words: &str| words.rsplit(' ').next() == id.rsplit(' ').next();
            let wrong =
                read.iter().find(|(words, _, found)| same(words) && matches!(found, FoundTarget::One(_)));
            counts.elsewhere += usize::from(wrong.is_some());
            told.push_str(&format!("{name} {} ({}) is in {file}:{line}, read {read:?}\n", one.raw, one.kind));
        }
        let kind = TargetDocument::ALL.into_iter().find(|kind| kind.file() == file);
        match kind.and_then(|kind| targets.get(&kind)).map(|targets| targets.resolve(id)) {
            Some(found) if leads(&found) => counts.asked += 1,
            Some(FoundTarget::One(target)) => {
                counts.asked_wrong += 1;
                told.push_str(&format!("{name} asked for {id} in {file}:{line}, found {}\n", target.line));
            }
            found => told.push_str(&format!("{name} asked for {id} in {file}:{line}, found {found:?}\n")),
        }
    }
    for (words, file, found) in &read {
        if let FoundTarget::One(target) = found {
            counts.resolved += 1;
            let labelled = right.contains(&(*file, target.line));
            counts.unlabelled += usize::from(!labelled);
            if !labelled {
                told.push_str(&format!(
                    "{name} {words} leads to {file}:{}, which no label has\n",
                    target.line
                ));
            }
        }
    }
}

/// A text without Markdown's marks and line ends.
fn plain(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(c, '*' | '_' | '`')).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}
