//! Which file of a folder becomes which document of the feature.

use super::kind::FileKind;
use super::{Artifact, Folder, Layout, UnderstoodFolder, kind};
use redraft_facts::prelude::*;

/// Decides which file becomes which document. Of several candidates, the one with the nearest name counts.
pub(super) fn choose_documents(folder: &Folder, feature: &mut UnderstoodFolder) {
    let mut chosen: BTreeMap<FileKind, Vec<usize>> = BTreeMap::new();
    for (at, artifact) in
        feature.artifacts.iter().enumerate().filter(|(_, found)| found.kind.file().is_some())
    {
        chosen.entry(artifact.kind).or_default().push(at);
    }
    for (kind, mut candidates) in chosen {
        let Some(target) = kind.file() else { continue };
        candidates.sort_by_key(|at| rank(&feature.artifacts[*at], target));
        let parts: Vec<usize> =
            candidates.iter().copied().filter(|at| is_delta(folder, &feature.artifacts[*at])).collect();
        let Some(first) = candidates.first().copied() else { continue };
        if parts.contains(&first) {
            for at in &parts {
                feature.artifacts[*at].target = Some(target.to_owned());
            }
            if parts.len() > 1 {
                let note = format!("{target} is made of {} files, in the order of their names", parts.len());
                feature.notes.push(note);
            }
        } else {
            feature.artifacts[first].target = Some(target.to_owned());
        }
        let taken = feature.artifacts[first].file.clone();
        for at in candidates.iter().filter(|at| **at != first && !parts.contains(at)) {
            let other = &feature.artifacts[*at].file;
            feature.notes.push(format!("{other} is a {} too; {taken} is taken for it", kind.name()));
        }
    }
    for artifact in &mut feature.artifacts {
        let free = artifact.target.is_none() && !artifact.kind.is_written_anew();
        // A file whose name could overwrite a document stays where it is.
        let name = artifact.file.to_lowercase();
        if free && FileKind::ALL.iter().all(|kind| kind.file() != Some(name.as_str())) {
            artifact.target = Some(artifact.file.clone());
        }
    }
}

fn is_delta(folder: &Folder, artifact: &Artifact) -> bool {
    matches!(folder.layout, Layout::OpenSpec { .. })
        && artifact.kind == FileKind::Spec
        && artifact.file.starts_with("specs/")
}

/// The smaller, the nearer to the document's own name.
fn rank(artifact: &Artifact, target: &str) -> (usize, bool, bool, usize, String) {
    let depth = artifact.file.matches('/').count();
    let lower = artifact.file.to_lowercase();
    (depth, lower != target, artifact.how != kind::NAME, artifact.file.len(), artifact.file.clone())
}
