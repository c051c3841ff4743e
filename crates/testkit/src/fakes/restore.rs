//! Puts the fake worktree back to where it was marked, step by step like the real one: a crash may come between any two
//! steps.

use super::refs;
use super::repository::{ROOT, State, lost_ref};
use super::tree::{Node, Tree, differing, has_folder};
use super::workspace::{FakeWorkspace, name_of};
use super::worktree::Head;
use redraft_engine::ports::{ALL_FILES, WorkspaceError, covers};
use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::collections::BTreeSet;

/// How many files are named one by one; the rest is counted.
const NAMED_FILES: usize = 50;
/// A changed `.gitignore` hides files that show once it is back.
const PASSES_MAX: usize = 8;

/// What was put back of git's own files.
#[derive(Debug, Default)]
pub(super) struct PutBack {
    pub(super) lines: Vec<String>,
    /// Whether it decides which changes of files git sees.
    blinds: bool,
}

pub(super) fn put_git_back(place: &FakeWorkspace, name: &str) -> PutBack {
    let Some(then) = place.memory().setup.clone() else { return PutBack::default() };
    let mut state = place.state();
    let now = state.setup.clone();
    let paths: BTreeSet<&String> = then.keys().chain(now.keys()).collect();
    let mut back = PutBack::default();
    for path in paths.into_iter().filter(|path| then.get(*path) != now.get(*path)) {
        let (full, kept) = (format!("{ROOT}/.git/{path}"), format!("{ROOT}/.git/redraft/lost/{name}/{path}"));
        back.lines.push(match (then.contains_key(path), now.contains_key(path)) {
            (true, true) => {
                format!("put back .git/{path}, which was changed meanwhile; to get it back: cp {kept} {full}")
            }
            (false, _) => {
                format!("removed .git/{path}, which was made meanwhile; to get it back: cp {kept} {full}")
            }
            (true, false) => {
                format!("put back .git/{path}, which was removed meanwhile; to get it back: rm {full}")
            }
        });
        back.blinds |= !path.starts_with("hooks/");
    }
    if !back.lines.is_empty() {
        state.setup = then;
        drop(state);
        place.repository().crash.changed("git's own files are put back");
    }
    back
}

pub(super) fn restore(
    place: &FakeWorkspace,
    mark: &TreeMark,
    allowed: &[String],
    name: &str,
) -> Result<Vec<String>, WorkspaceError> {
    let (mut lines, mut allowed) = (Vec::new(), allowed.to_vec());
    let gone = std::mem::take(&mut place.state().feature.gone);
    if gone {
        lines.push(format!("made the worktree {} again, which had been removed", place.place()));
        lines.push("connected the worktree to its repository again".to_owned());
        // No role was allowed to remove everything.
        allowed.clear();
    }
    let git = put_git_back(place, name);
    lines.extend(git.lines);
    if git.blinds {
        lines.push("undid all of the attempt, because git could not see its changes as they are".to_owned());
        allowed.clear();
    }
    for _ in 0..PASSES_MAX {
        let strange = strange(place, mark, &allowed);
        if !strange.is_empty() {
            for (path, what) in strange {
                lines.push(format!("took out {path}, which was {what}"));
                lines.extend(take_out(place, mark, &path).then(|| format!("restored {path}")));
                allowed.retain(|one| *one != path);
                allowed.push(format!("!{path}"));
            }
            continue;
        }
        if !pass(place, mark, &allowed, name, &mut lines)? {
            break;
        }
    }
    lines.extend(refs::undo(place, name));
    Ok(lines)
}

/// Removes what git cannot store, in one step with putting the marked file back. True where it is back.
fn take_out(place: &FakeWorkspace, mark: &TreeMark, path: &str) -> bool {
    let mut state = place.state();
    if state.feature.files.get(path) != Some(&Node::Pipe) {
        return false;
    }
    let marked = state.trees.get(&mark.work).and_then(|then| then.get(path)).cloned();
    let is_back = marked.is_some();
    match marked {
        Some(node) => drop(state.feature.files.insert(path.to_owned(), node)),
        None => drop(state.feature.files.remove(path)),
    }
    drop(state);
    place.repository().crash.changed("what is no file is taken out");
    is_back
}

/// Things that are not files in the place of files that may differ.
fn strange(place: &FakeWorkspace, mark: &TreeMark, allowed: &[String]) -> Vec<(String, &'static str)> {
    let state = place.state();
    let (feature, seen) = (&state.feature, state.visible());
    let mut found = Vec::new();
    for (path, node) in &seen {
        let tracked_pipe = *node == Node::Pipe;
        if feature.leads_out(path) && covers(allowed, path.as_bytes()) {
            found.push((path.clone(), "a link that leads out of the worktree"));
        } else if tracked_pipe {
            found.push((path.clone(), "no ordinary file"));
        }
    }
    let then = state.trees.get(&mark.work);
    for path in allowed.iter().filter(|path| *path != ALL_FILES && !path.starts_with('!')) {
        let was_folder = then.is_some_and(|then| has_folder(then, path));
        let has_ending = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        let known = found.iter().any(|(known, _)| known == path);
        if has_folder(&feature.files, path) && has_ending && !was_folder {
            found.push((path.clone(), "a folder"));
        } else if feature.files.get(path) == Some(&Node::Pipe) && !known {
            found.push((path.clone(), "no ordinary file"));
        }
    }
    found
}

/// One comparison with the mark, and what follows from it. True where there may be more to undo.
fn pass(
    place: &FakeWorkspace,
    mark: &TreeMark,
    allowed: &[String],
    name: &str,
    lines: &mut Vec<String>,
) -> Result<bool, WorkspaceError> {
    let repository = place.repository();
    let mut state = place.state();
    let work = place.look(&state, &[]);
    let (head, branch) = (state.head(), name_of(&state.feature.head));
    let tip = match (mark.branch.is_empty(), branch == mark.branch) {
        (_, true) => Some(head.clone()).filter(|head| !head.is_empty()),
        (true, false) => Some(mark.head.clone()),
        (false, false) => state.refs.get(&mark.branch).cloned(),
    };
    let index = state.feature.index.clone();
    let index = state.store_tree(&index);
    let head_moved = branch != mark.branch || head != mark.head || tip.as_deref() != Some(&mark.head);
    let unfinished = state.feature.unfinished;
    let otherwise_same = !head_moved && index == mark.index && unfinished.is_none();
    let work_id = state.store_tree(&work);
    let forbidden = if work_id == mark.work {
        Vec::new()
    } else {
        let then = state.tree(&Revision::new(mark.work.clone()))?;
        let mut paths = differing(then, &work);
        paths.retain(|path| !covers(allowed, path.as_bytes()));
        paths
    };
    if otherwise_same && forbidden.is_empty() {
        return Ok(false);
    }
    keep_lost(&mut state, mark, name, &work, (&head, tip.as_deref(), &index));
    drop(state);
    repository.crash.changed("what is undone is kept");
    if let Some(operation) = unfinished {
        place.state().feature.unfinished = None;
        lines.push(format!("ended an unfinished {operation}"));
    }
    if head_moved {
        move_back(place, mark, (&branch, &head, tip.as_deref()), lines);
        repository.crash.changed("HEAD and branch are put back");
    }
    if index != mark.index {
        let mut state = place.state();
        state.feature.index = state.tree(&Revision::new(mark.index.clone()))?.clone();
        drop(state);
        lines.push("put the index back".to_owned());
        repository.crash.changed("the index is put back");
    }
    let then = place.state().trees.get(&mark.work).cloned().unwrap_or_default();
    put_files_back(place, &then, &forbidden);
    lines.extend(file_lines(&then, &forbidden, name));
    Ok(forbidden.iter().any(|path| path.ends_with(".gitignore") || path.ends_with(".gitattributes")))
}

/// Keeps files, commits and staged files under one ref; what an earlier run kept stays reachable.
fn keep_lost(
    state: &mut State,
    mark: &TreeMark,
    name: &str,
    work: &Tree,
    (head, tip, index): (&str, Option<&str>, &str),
) {
    let reference = lost_ref(name);
    let mut parents: Vec<String> = vec![head.to_owned()];
    parents.extend(tip.map(str::to_owned));
    if index != mark.index {
        let staged = state.feature.index.clone();
        parents.push(state.store_commit(&staged, &[head.to_owned()], "what was staged\n"));
    }
    parents.extend(state.refs.get(&reference).cloned());
    let mut seen = BTreeSet::new();
    parents.retain(|parent| !parent.is_empty() && seen.insert(parent.clone()));
    let commit = state.store_commit(work, &parents, &format!("what was there before {name} was undone\n"));
    state.refs.insert(reference, commit);
}

/// Moves branch and HEAD, but no file.
fn move_back(
    place: &FakeWorkspace,
    mark: &TreeMark,
    (branch, head, tip): (&str, &str, Option<&str>),
    lines: &mut Vec<String>,
) {
    let mut state = place.state();
    if mark.branch.is_empty() {
        lines.push(moved_line(&state, mark, "HEAD", Some(head)));
        state.feature.head = Head::Detached(mark.head.clone());
        return;
    }
    let short = mark.branch.strip_prefix("refs/heads/").unwrap_or(&mark.branch);
    if tip != Some(&mark.head) {
        lines.push(moved_line(&state, mark, short, tip));
        state.refs.insert(mark.branch.clone(), mark.head.clone());
    }
    if branch != mark.branch {
        state.feature.head = Head::Branch(mark.branch.clone());
        state.feature.log.push((mark.head.clone(), None));
        lines.push(format!("moved HEAD back to {short}"));
    }
}

fn moved_line(state: &State, mark: &TreeMark, what: &str, tip: Option<&str>) -> String {
    let commits = tip.map_or(0, |tip| state.since(&mark.head, tip).len());
    match commits {
        0 => format!("moved {what} back to commit {}", mark.head.get(..10).unwrap_or(&mark.head)),
        1 => "undid 1 commit of the agent".to_owned(),
        many => format!("undid {many} commits of the agent"),
    }
}

/// New files go first, because one of them may stand where a folder has to be.
fn put_files_back(place: &FakeWorkspace, then: &Tree, paths: &[String]) {
    let repository = place.repository();
    let new = paths.iter().filter(|path| !then.contains_key(*path));
    for path in new {
        place.state().feature.files.remove(path);
        repository.crash.changed("a new file is removed");
    }
    for (path, node) in paths.iter().filter_map(|path| Some((path, then.get(path)?))) {
        let mut state = place.state();
        let below = format!("{path}/");
        state.feature.files.retain(|found, _| !found.starts_with(&below));
        state.feature.files.insert(path.clone(), node.clone());
        drop(state);
        repository.crash.changed("a file is put back");
    }
}

fn file_lines(then: &Tree, paths: &[String], name: &str) -> Vec<String> {
    let line = |path: &String| {
        let what = if then.contains_key(path) { "restored" } else { "removed" };
        format!("{what} {path}")
    };
    let mut lines: Vec<String> = paths.iter().take(NAMED_FILES).map(line).collect();
    if let Some(more) = paths.len().checked_sub(NAMED_FILES).filter(|more| *more > 0) {
        lines.push(format!("restored or removed {more} more files, kept under {}", lost_ref(name)));
    }
    lines
}
