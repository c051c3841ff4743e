//! Counts what needs no labels: how many references of all tasks lead to one place, to several, or nowhere.

use super::share;
use redraft_documents::tasks;
use redraft_documents::trace::{self, FoundTarget, Reference, TargetDocument, Targets};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn score(features: &Path, wanted: impl Fn(&str) -> bool, misses: bool) -> Result<String, String> {
    let listed = std::fs::read_dir(features).map_err(|error| format!("{}: {error}", features.display()))?;
    let mut folders: Vec<_> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    let (mut lists, mut count, mut references) = (0, 0, 0);
    let (mut one, mut several) = (0, 0);
    let mut told = String::new();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(folder.join("tasks.md")) else { continue };
        if !wanted(&name) {
            continue;
        }
        lists += 1;
        let list = match tasks::read(&text) {
            Ok(list) => list,
            Err(error) => {
                told.push_str(&format!("{name}: {error}\n"));
                continue;
            }
        };
        let texts: BTreeMap<TargetDocument, String> = (TargetDocument::ALL.into_iter())
            .filter_map(|kind| Some((kind, std::fs::read_to_string(folder.join(kind.file())).ok()?)))
            .collect();
        let targets: BTreeMap<TargetDocument, Targets<'_>> =
            texts.iter().map(|(kind, text)| (*kind, Targets::find(text))).collect();
        count += list.tasks.len();
        for task in &list.tasks {
            // A document that is not there cannot be looked into.
            let located = task.refs.iter().zip(trace::locate_all(&task.refs, &targets));
            // Nor does a name or a group of tasks count as a reference to something that no document defines.
            let counts = |reference: &Reference, found: &FoundTarget| {
                reference.must_lead() || *found != FoundTarget::None
            };
            for (reference, located) in
                located.filter(|(one, (kind, found))| targets.contains_key(kind) && counts(one, found))
            {
                references += 1;
                match located {
                    (_, FoundTarget::One(_)) => one += 1,
                    (kind, found) => {
                        several += usize::from(found != FoundTarget::None);
                        let (id, raw, kind) = (&reference.id, &reference.raw, kind.name());
                        told.push_str(&format!(
                            "{name} {}: {kind} {id}, written `{raw}`: {found:?}\n",
                            task.id
                        ));
                    }
                }
            }
        }
    }
    let misses = if misses { told.as_str() } else { "" };
    let (one, several) = (share(one, references), share(several, references));
    Ok(format!(
        "{misses}{lists} lists, {count} tasks\nreferences that lead to one place {one}, to several {several}\n"
    ))
}
