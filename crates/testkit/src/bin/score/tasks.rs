//! Scores tasks: which are found, with which titles, ends and forms.

use super::{read, share};
use redraft_documents::tasks::{self, Task};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The labels of one `tasks.md`.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    pub(crate) feature: String,
    pub(crate) tasks: Vec<Labelled>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Labelled {
    pub(crate) id: String,
    title: String,
    line: u32,
    end_line: u32,
    form: String,
    /// Why it may be counted either way.
    ambiguous: Option<String>,
    #[serde(default)]
    aliases: Vec<String>,
}

#[derive(Default)]
struct Counts {
    labelled: usize,
    found: usize,
    read: usize,
    right: usize,
    titles: usize,
    ends: usize,
    forms: usize,
}

pub(crate) fn score(files: &[File], features: &Path, misses: bool) -> Result<String, String> {
    let mut counts = Counts::default();
    let mut told = String::new();
    for file in files {
        let text = read(&features.join(&file.feature).join("tasks.md"))?;
        let tasks = match tasks::read(&text) {
            Ok(list) => list.tasks,
            Err(error) => {
                told.push_str(&format!("{}: {error}\n", file.feature));
                Vec::new()
            }
        };
        one_file(file, &tasks, &mut counts, &mut told);
    }
    let found = counts.found;
    Ok(format!(
        "{}{} files\ntasks: precision {}, recall {}\n  of those found: titles {}, ends {}, forms {}\n",
        if misses { told.as_str() } else { "" },
        files.len(),
        share(counts.right, counts.read),
        share(counts.found, counts.labelled),
        share(counts.titles, found),
        share(counts.ends, found),
        share(counts.forms, found),
    ))
}

fn one_file(file: &File, tasks: &[Task], counts: &mut Counts, told: &mut String) {
    let mut labels: BTreeMap<u32, Vec<&Labelled>> = BTreeMap::new();
    for label in &file.tasks {
        labels.entry(label.line).or_default().push(label);
    }
    let name = &file.feature;
    for task in tasks {
        let at = labels.get(&task.line).map(Vec::as_slice).unwrap_or_default();
        let label = at.iter().find(|label| label.id == task.id || label.aliases.contains(&task.id));
        match label {
            // What may be counted either way is not counted.
            Some(label) if label.ambiguous.is_some() => {}
            None if at.iter().any(|label| label.ambiguous.is_some()) => {}
            Some(label) => {
                counts.read += 1;
                counts.right += 1;
                counts.found += 1;
                let title = plain(&label.title) == plain(&task.title);
                let end = label.end_line == task.end_line;
                counts.titles += usize::from(title);
                counts.ends += usize::from(end);
                counts.forms += usize::from(label.form == task.form.name());
                if !title {
                    told.push_str(&format!(
                        "{name} {} title `{}`, read `{}`\n",
                        label.id, label.title, task.title
                    ));
                }
                if !end {
                    told.push_str(&format!(
                        "{name} {} ends {}, read {}\n",
                        label.id, label.end_line, task.end_line
                    ));
                }
            }
            None => {
                counts.read += 1;
                told.push_str(&format!(
                    "{name} line {} is no task, read {} {}\n",
                    task.line, task.id, task.title
                ));
            }
        }
    }
    for label in file.tasks.iter().filter(|label| label.ambiguous.is_none()) {
        counts.labelled += 1;
        let matches = |task: &&Task| {
            task.line == label.line && (task.id == label.id || label.aliases.contains(&task.id))
        };
        if !tasks.iter().any(|task| matches(&task)) {
            told.push_str(&format!("{name} line {} is task {} and is not read\n", label.line, label.id));
        }
    }
}

/// A title without Markdown's marks.
fn plain(title: &str) -> String {
    let bare: String = title.chars().filter(|c| !matches!(c, '*' | '_' | '`')).collect();
    bare.split_whitespace().collect::<Vec<_>>().join(" ")
}
