//! Reads what an order's role is shown of the revisions: documents, the PRD wherever it is, and the changes between two
//! revisions.
//!
//! Everything is read from revisions and kept for one order, so that the prompts made for it are made of the same bytes.
//! Start at [`Texts`].

use crate::ports::{Store, Workspace, WorkspaceError};
use redraft_core::review::{DispatchOrder, Loop};
use redraft_documents::delta::{self, Delta};
use redraft_facts::event::FeatureCreated;
use redraft_facts::ids::{BlobId, Revision};
use redraft_facts::text::is_git_folder;
use redraft_reports::projections;
use redraft_roles::profile;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A file of a revision, if it has it.
type Bytes = Option<Vec<u8>>;

/// Revisions as they are read for one order: every file and every delta once, however many prompts are made of them.
pub struct Texts<'a> {
    workspace: &'a dyn Workspace,
    store: &'a dyn Store,
    files: RefCell<BTreeMap<(Revision, String), Bytes>>,
    deltas: RefCell<BTreeMap<(Revision, Revision), String>>,
}

/// Characters of what a role works with.
pub(crate) struct Given {
    /// The characters of the upstream artifacts its profile names, and how many artifacts there are.
    pub(crate) upstream: u64,
    pub(crate) files: u32,
    pub(crate) artifact: u64,
}

impl<'a> Texts<'a> {
    pub fn new(workspace: &'a dyn Workspace, store: &'a dyn Store) -> Self {
        Texts { workspace, store, files: RefCell::default(), deltas: RefCell::default() }
    }

    pub(super) fn read_at(&self, revision: &Revision, path: &str) -> Result<Option<Vec<u8>>, WorkspaceError> {
        let key = (revision.clone(), path.to_owned());
        if let Some(bytes) = self.files.borrow().get(&key) {
            return Ok(bytes.clone());
        }
        let bytes = self.workspace.read_at(revision, path)?;
        self.files.borrow_mut().insert(key, bytes.clone());
        Ok(bytes)
    }

    /// A file as the order's role is shown it. Before the first draft there is no revision except the one the loop was
    /// opened on; without that one, the PRD is what the feature was created with.
    pub(super) fn shown(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &DispatchOrder,
        path: &str,
    ) -> Result<Option<Vec<u8>>, WorkspaceError> {
        match order.sees.as_ref().or(state.opened.base.as_ref()) {
            Some(revision) => self.read_at(revision, path),
            None if created.prd.is_some() && path == prd_path(created) => self.workspace.read(path),
            None => Ok(None),
        }
    }

    /// The PRD and where it is (I8): `prd.md` next to the other artifacts, else the file that the feature came from. An
    /// unreadable PRD counts as none.
    pub(super) fn prd(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &DispatchOrder,
    ) -> Result<(String, Option<Vec<u8>>), WorkspaceError> {
        let own = prd_path(created);
        if !created.has_documents() {
            return Ok((own, None));
        }
        let found = self.shown(created, state, order, &own)?;
        let source = source(created).filter(|_| found.is_none());
        if let Some(source) = source
            && let Some(bytes) = self.shown(created, state, order, source)?
        {
            return Ok((source.to_owned(), Some(bytes)));
        }
        Ok((own, found))
    }

    pub(super) fn delta(&self, from: &Revision, to: &Revision) -> Result<String, WorkspaceError> {
        let key = (from.clone(), to.clone());
        if let Some(delta) = self.deltas.borrow().get(&key) {
            return Ok(delta.clone());
        }
        let delta = self.workspace.delta(from, to)?;
        self.deltas.borrow_mut().insert(key, delta.clone());
        Ok(delta)
    }

    /// The change of a loop about code: everything that differs from its base, apart from the feature's own documents
    /// by their names. Anything else in their folder is code, because it is merged as well.
    pub(super) fn change(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &DispatchOrder,
    ) -> Result<String, WorkspaceError> {
        match (state.base(), &order.sees) {
            (Some(base), Some(sees)) if base != sees => {
                Ok(without(&self.delta(base, sees)?, &projections::not_code(created)))
            }
            _ => Ok(String::new()),
        }
    }

    /// [`delta_of_change`], each part asked for once.
    pub(super) fn delta_of_change(
        &self,
        then: (&Revision, &Revision),
        now: (&Revision, &Revision),
    ) -> Result<String, WorkspaceError> {
        delta_of_change(then, now, &|from, to| self.delta(from, to))
    }

    /// A text that was stored, such as what an agent answered.
    pub(super) fn answer(&self, blob: &BlobId) -> Result<Vec<u8>, WorkspaceError> {
        self.store.blob(blob).map_err(|error| WorkspaceError::File {
            path: format!("the stored text {blob}"),
            detail: error.to_string(),
        })
    }

    pub(crate) fn given(
        &self,
        created: &FeatureCreated,
        state: &Loop,
        order: &DispatchOrder,
    ) -> Result<Given, WorkspaceError> {
        let ticket = &order.ticket;
        let profile = profile::of_dispatch(ticket.phase, &ticket.role, ticket.purpose, &state.opened.panels);
        let names = profile.filter(|_| created.has_documents()).map(|profile| profile.artifacts);
        let names = names.unwrap_or_default();
        let mut given = Given { upstream: 0, files: 0, artifact: 0 };
        for name in names.iter().filter(|name| **name != state.opened.phase.artifact()) {
            let bytes = match *name {
                "prd.md" => self.prd(created, state, order)?.1,
                name => self.shown(created, state, order, &created.path_of(name))?,
            };
            if let Some(bytes) = bytes {
                given.upstream += chars(&bytes);
                given.files += 1;
            }
        }
        if state.opened.is_code() {
            // A role that is not given the change opens its files.
            let change = self.change(created, state, order)?;
            given.upstream += u64::try_from(change.chars().count()).unwrap_or(u64::MAX);
            given.files += u32::try_from(Delta::parse(&change).files.len()).unwrap_or(u32::MAX);
            return Ok(given);
        }
        given.artifact =
            self.shown(created, state, order, state.artifact())?.map_or(0, |bytes| chars(&bytes));
        Ok(given)
    }
}

/// What changed between two revisions of a change that is reviewed by itself, apart from files that only its base has
/// changed: after the change was brought up to date, those are not part of it. Each revision comes with the one it was
/// compared with.
///
/// Where the base has changed a file, the change may do something else to it now although the file is as it was, such as
/// take out again what the base has mended. So what the change does to such a file now follows what changed in it.
pub(crate) fn delta_of_change(
    (then, from): (&Revision, &Revision),
    (now, to): (&Revision, &Revision),
    delta: &dyn Fn(&Revision, &Revision) -> Result<String, WorkspaceError>,
) -> Result<String, WorkspaceError> {
    let all = delta(from, to)?;
    if then == now {
        return Ok(all);
    }
    let after = delta(now, to)?;
    let (before, moved) = match (delta(then, from), delta(then, now)) {
        (Ok(before), Ok(moved)) => (before, moved),
        // What it was can no longer be determined; all of it is shown.
        (Err(WorkspaceError::AnchorLost(lost)), _) if lost == *then => return Ok(after),
        (before, moved) => (before?, moved?),
    };
    let (before, after, moved, all) = (by_file(&before), by_file(&after), by_file(&moved), by_file(&all));
    let mut kept = String::new();
    let paths: BTreeSet<&String> = all.keys().chain(after.keys()).collect();
    for path in paths {
        let (then, now) = (before.get(path), after.get(path));
        let is_own = then.is_some() || now.is_some();
        kept.extend(all.get(path).filter(|_| is_own).copied());
        let is_another = then != now || now.is_some_and(|now| !is_shown_whole(now));
        kept.extend(now.filter(|_| moved.contains_key(path) && is_another).copied());
    }
    Ok(if kept.is_empty() { all.into_values().collect() } else { kept })
}

/// The part of a diff about each file.
fn by_file(diff: &str) -> BTreeMap<String, &str> {
    delta::parts(diff).into_iter().map(|part| (part.file.path, part.text)).collect()
}

/// Whether a diff shows every byte, so that different changes look different.
fn is_shown_whole(diff: &str) -> bool {
    let hides = |line: &str| line.starts_with("Binary files ") || line.contains('\u{fffd}');
    !diff.lines().any(hides)
}

/// A diff without these files.
fn without(diff: &str, files: &[String]) -> String {
    only(diff, &|path| !files.iter().any(|file| file == path))
}

/// The wanted files of a diff. A line that begins with the diff's first word begins a file: all lines of a hunk begin
/// with a mark.
fn only(diff: &str, wanted: &dyn Fn(&str) -> bool) -> String {
    let mut kept = String::new();
    let mut file = String::new();
    let mut keep = |file: &mut String| {
        if Delta::parse(file).files.iter().all(|one| wanted(&one.path)) {
            kept.push_str(file);
        }
        file.clear();
    };
    for line in diff.split_inclusive('\n') {
        if line.starts_with("diff --git ") {
            keep(&mut file);
        }
        file.push_str(line);
    }
    keep(&mut file);
    kept
}

fn prd_path(created: &FeatureCreated) -> String {
    created.path_of("prd.md")
}

/// The file a feature's PRD came from, where that can be a file of the working folder.
pub fn source(created: &FeatureCreated) -> Option<&str> {
    let inside = |path: &&str| {
        let parts = path.split('/');
        !path.contains('\\')
            && parts.clone().all(|part| !matches!(part, "" | "." | "..") && !is_git_folder(part))
    };
    created.brainstorm_source.as_deref().filter(inside)
}

pub(super) fn chars(bytes: &[u8]) -> u64 {
    String::from_utf8_lossy(bytes).chars().count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Revisions by name, with the diff between any two.
    fn delta(deltas: &[(&str, &str, &str)]) -> String {
        let find = |from: &Revision, to: &Revision| {
            let found = deltas.iter().find(|(one, other, _)| (*one, *other) == (from.as_str(), to.as_str()));
            Ok(found.map(|(_, _, diff)| (*diff).to_owned()).unwrap_or_default())
        };
        let of = |name: &str| Revision::new(name);
        delta_of_change((&of("then"), &of("from")), (&of("now"), &of("to")), &find).unwrap()
    }

    #[test]
    fn what_a_change_does_to_what_its_base_has_changed_is_part_of_its_delta() {
        let of = |path: &str, line: &str| {
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+{line}\n")
        };
        let (own, fix, undone) = (of("own.rs", "own"), of("auth.rs", "fix"), of("auth.rs", "no fix"));
        let both = format!("{undone}{own}");
        // The base has mended a file, and the change has the old version; alone, and together with something new.
        let kept = [("then", "from", own.as_str()), ("now", "to", &both), ("then", "now", &fix)];
        assert_eq!(delta(&kept), undone);
        let newer = of("own.rs", "newer");
        assert_eq!(delta(&[&kept[..], &[("from", "to", &newer)]].concat()), format!("{undone}{newer}"));
        // What was brought in whole is not part of it, and where nothing else is new, everything is shown.
        let taken = [("then", "from", own.as_str()), ("now", "to", &own), ("then", "now", &fix)];
        assert_eq!(delta(&[&taken[..], &[("from", "to", &fix)]].concat()), fix);
        let more = format!("{fix}{newer}");
        assert_eq!(delta(&[&taken[..], &[("from", "to", &more)]].concat()), newer);
        // Both have changed a file: what is new in it, and what the change does to it by now.
        let (brought, now) = (of("own.rs", "of the base"), of("own.rs", "less than before"));
        let merged = [("then", "from", own.as_str()), ("now", "to", &now), ("then", "now", &brought)];
        assert_eq!(delta(&[&merged[..], &[("from", "to", &newer)]].concat()), format!("{newer}{now}"));
        // For a file that is not text, a diff does not show whether it is the same.
        let binary = "diff --git a/x b/x\nBinary files a/x and b/x differ\n";
        let held = [("then", "from", binary), ("now", "to", binary), ("then", "now", binary)];
        assert_eq!(delta(&held), binary);
    }

    #[test]
    fn the_documents_of_the_feature_are_no_part_of_the_change_and_what_lies_beside_them_is() {
        let of = |path: &str, line: &str| {
            format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+{line}\n")
        };
        let (code, other) = (of("src/a.rs", "diff --git is a word"), of("docs/features/031-xy/spec.md", "c"));
        let own = of("docs/features/031-x/spec.md", "b");
        let beside = of("docs/features/031-x/install.sh", "d");
        let files = ["docs/features/031-x/spec.md".to_owned()];
        let all = format!("{own}{code}{own}{other}{beside}");
        assert_eq!(without(&all, &files), format!("{code}{other}{beside}"));
        assert_eq!(without(&own, &files), "");
        assert_eq!(without("", &files), "");
    }
}
