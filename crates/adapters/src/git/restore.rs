//! Puts a worktree back to where it was marked, after keeping the state it is in.
//!
//! Every step compares with the mark before it acts, so a restore that was killed half-way is simply run again. Order:
//! the folder itself, git's own settings ([`super::guard`]), hidden changes ([`super::hidden`]); then keep, forget an
//! unfinished merge, branch and HEAD, index, files, and last other branches ([`super::refs`]).

mod strange;

use super::error::GitError;
use super::files::os_path;
use super::lost::{commit_of, lost_commit, lost_ref};
use super::recreate::{put_link_back, recreate_worktree};
use super::remove_files::remove_file;
use super::revision::require;
use super::workspace::GitWorkspace;
use super::worktree_state::{
    Standing, Strange, StrangeFile, is_as_marked, look, operation, strange_at, tree_without, work_tree,
};
use super::{guard, hidden, objects, refs};
use redraft_engine::ports::{ALL_FILES, WorkspaceError, covers};
use redraft_facts::event::TreeMark;
use redraft_facts::ids::Revision;
use std::path::Path;
use strange::{lay_out, take_out};

/// At most this many files are named one by one; the rest is counted.
const NAMED_FILES: usize = 50;

/// A changed `.gitignore` hides files that show once it is back, so one pass may not be enough. Each pass takes back at
/// least one such file; this many do not occur.
const PASSES_MAX: usize = 8;

pub(super) fn restore(
    workspace: &GitWorkspace,
    mark: &TreeMark,
    allowed: &[String],
    name: &str,
) -> Result<Vec<String>, WorkspaceError> {
    let mut lines = Vec::new();
    let mut allowed = allowed.to_vec();
    if let Some(line) = recreate_worktree(workspace, mark)? {
        lines.push(line);
        // Removing everything is not what was allowed.
        allowed.clear();
    }
    lines.extend(put_link_back(workspace)?);
    // Before git is asked anything: it would answer by these settings.
    let git = guard::put_back(workspace, name)?;
    lines.extend(git.lines);
    if git.blinds {
        lines.push("undid all of the attempt, because git could not see its changes as they are".to_owned());
        allowed.clear();
    }
    for path in hidden::clear(workspace)? {
        lines.push(format!("made git look at {path} again; its changes had been hidden from it"));
        forbid(&mut allowed, &path);
    }
    for _ in 0..PASSES_MAX {
        match (Pass { workspace, mark, allowed: &allowed, name }).run(&mut lines)? {
            Next::Done => break,
            Next::Again => {}
            Next::Without(strange) => {
                for (path, what) in strange {
                    let is_back = what == Strange::Special && take_out(workspace, mark, &path)?;
                    let path = String::from_utf8_lossy(&path).into_owned();
                    lines.push(format!("took out {path}, which was {}", what.name()));
                    lines.extend(is_back.then(|| format!("restored {path}")));
                    forbid(&mut allowed, &path);
                }
            }
        }
    }
    lines.extend(refs::undo(workspace, name)?);
    Ok(lines)
}

/// The files that differ between two trees, in order.
pub(super) fn changed(
    workspace: &GitWorkspace,
    from: &Revision,
    to: &Revision,
) -> Result<Vec<String>, WorkspaceError> {
    require(workspace, &[from, to])?;
    let changes = changes(workspace, from.as_str(), to.as_str())?;
    Ok(changes.into_iter().map(|change| String::from_utf8_lossy(&change.path).into_owned()).collect())
}

/// The same, including repositories inside it that stand at another commit.
pub(super) fn all_changed(
    workspace: &GitWorkspace,
    from: &Revision,
    to: &Revision,
) -> Result<Vec<String>, WorkspaceError> {
    require(workspace, &[from, to])?;
    let call =
        workspace.call(["diff-tree", "-r", "-z", "--no-renames", "--name-only", "--ignore-submodules=none"]);
    let names = call.arg(from.as_str()).arg(to.as_str()).list()?;
    Ok(names.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

/// Puts these files back to how they are in a tree.
pub(super) fn put_back(
    workspace: &GitWorkspace,
    revision: &Revision,
    files: &[String],
) -> Result<(), WorkspaceError> {
    require(workspace, &[revision])?;
    let now = tree_without(workspace, &[])?;
    let mut changes = changes(workspace, revision.as_str(), &now)?;
    changes.retain(|change| files.iter().any(|file| file.as_bytes() == change.path));
    put_files_back(workspace, &changes)
}

/// What follows one comparison.
enum Next {
    Done,
    /// There may be more to undo.
    Again,
    /// These are no files, and must go before a tree can be made.
    Without(Vec<StrangeFile>),
}

/// Takes a path out of what may differ.
fn forbid(allowed: &mut Vec<String>, path: &str) {
    allowed.retain(|one| one != path);
    allowed.push(format!("!{path}"));
}

/// One comparison with the mark, and what follows from it.
struct Pass<'a> {
    workspace: &'a GitWorkspace,
    mark: &'a TreeMark,
    allowed: &'a [String],
    name: &'a str,
}

impl Pass<'_> {
    fn run(&self, lines: &mut Vec<String>) -> Result<Next, WorkspaceError> {
        let (workspace, mark) = (self.workspace, self.mark);
        let now = look(workspace, self.allowed)?;
        let strange = self.strange(&now);
        if !strange.is_empty() {
            return Ok(Next::Without(strange));
        }
        let tip = self.branch_tip(&now)?;
        let index_moved = now.index.as_deref() != Some(&mark.index);
        let head_moved =
            now.branch != mark.branch || now.head != mark.head || tip.as_deref() != Some(&mark.head);
        let unfinished = operation(workspace);
        let otherwise_same = !head_moved && !index_moved && unfinished.is_none();
        if otherwise_same && is_as_marked(workspace, mark, self.allowed, &now) {
            return Ok(Next::Done);
        }
        // What is kept holds the allowed files as well.
        let now = look(workspace, &[])?;
        let work = work_tree(workspace, &now)?;
        let files = self.forbidden_changes(&work)?;
        if otherwise_same && files.is_empty() {
            return Ok(Next::Done);
        }
        self.keep(&now, &work, tip.as_deref())?;
        if let Some(operation) = unfinished {
            self.forget(operation)?;
            lines.push(format!("ended an unfinished {operation}"));
        }
        if head_moved {
            self.move_back(&now, tip.as_deref(), lines)?;
        }
        if index_moved {
            workspace.writing(["read-tree", "--reset"]).arg(&mark.index).succeed()?;
            lines.push("put the index back".to_owned());
        }
        put_files_back(workspace, &files)?;
        lines.extend(self.file_lines(&files));
        // Only makes later calls faster; the exit code says that allowed files differ.
        workspace.writing(["update-index", "-q", "--refresh"]).end()?;
        Ok(if files.iter().any(Change::decides_about_others) { Next::Again } else { Next::Done })
    }

    /// What stands in the place of a file that may differ and is no file. What may not differ is put back in any case,
    /// except what git can make no tree of.
    fn strange(&self, now: &Standing) -> Vec<StrangeFile> {
        let asks = |(path, what): &StrangeFile| *what == Strange::Special || covers(self.allowed, path);
        let mut strange: Vec<StrangeFile> = now.strange.iter().filter(|one| asks(one)).cloned().collect();
        // Git lists neither a new pipe nor a folder in the place of a file.
        for path in self.allowed.iter().filter(|path| *path != ALL_FILES && !path.starts_with('!')) {
            let full = self.workspace.root().join(path);
            let what = match full.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                true => Some(Strange::Folder).filter(|_| !self.may_be_folder(path)),
                false => strange_at(self.workspace, Path::new(path)),
            };
            let known = strange.iter().any(|(known, _)| known == path.as_bytes());
            strange.extend(what.filter(|_| !known).map(|what| (path.as_bytes().to_vec(), what)));
        }
        strange
    }

    /// Whether a path that may differ stands for a folder: it was one, or has no ending as files do.
    fn may_be_folder(&self, path: &str) -> bool {
        if Path::new(path).extension().is_none() {
            return true;
        }
        let then = objects::info(self.workspace, &format!("{}:{path}", self.mark.work));
        then.is_ok_and(|then| then.is_some_and(|then| then.kind == "tree"))
    }

    /// Where the marked branch points now; none when it is gone.
    fn branch_tip(&self, now: &Standing) -> Result<Option<String>, GitError> {
        if now.branch == self.mark.branch {
            return Ok(Some(now.head.clone()).filter(|head| !head.is_empty()));
        }
        if self.mark.branch.is_empty() {
            return Ok(Some(self.mark.head.clone()));
        }
        commit_of(self.workspace, &self.mark.branch)
    }

    /// The files that are not as marked and may not differ.
    fn forbidden_changes(&self, work: &str) -> Result<Vec<Change>, WorkspaceError> {
        if work == self.mark.work {
            return Ok(Vec::new());
        }
        require(self.workspace, &[&Revision::new(self.mark.work.as_str())])?;
        let mut changes = changes(self.workspace, &self.mark.work, work)?;
        changes.retain(|change| !covers(self.allowed, &change.path));
        Ok(changes)
    }

    /// Keeps files, commits and staged files under one ref. An older kept state becomes a parent, so that a
    /// second run never drops what the first one kept.
    fn keep(&self, now: &Standing, work: &str, tip: Option<&str>) -> Result<(), GitError> {
        let reference = lost_ref(self.name);
        let earlier = commit_of(self.workspace, &reference)?;
        let mut parents: Vec<&str> = vec![&now.head];
        parents.extend(tip);
        let staged = match &now.index {
            Some(index) if *index != self.mark.index && index != work => {
                Some(lost_commit(self.workspace, self.name, index, &[&now.head], "what was staged")?)
            }
            _ => None,
        };
        parents.extend(staged.as_deref());
        parents.extend(earlier.as_deref());
        let commit = lost_commit(self.workspace, self.name, work, &parents, "what was there")?;
        objects::set_own_ref(self.workspace, &reference, &commit)
    }

    fn forget(&self, operation: &str) -> Result<(), GitError> {
        let call = match operation {
            "rebase" => self.workspace.writing(["rebase", "--quit"]),
            "patch" => self.workspace.writing(["am", "--quit"]),
            // Forgets a merge and a revert as well.
            _ => self.workspace.writing(["cherry-pick", "--quit"]),
        };
        call.succeed().map(drop)
    }

    /// Moves branch and HEAD, but no file.
    fn move_back(&self, now: &Standing, tip: Option<&str>, lines: &mut Vec<String>) -> Result<(), GitError> {
        let (workspace, mark) = (self.workspace, self.mark);
        let reason = ["-m", "redraft: back to where the agent began"];
        if mark.branch.is_empty() {
            let call = workspace.writing(["update-ref", reason[0], reason[1], "--no-deref", "HEAD"]);
            call.arg(&mark.head).succeed()?;
            lines.push(self.moved_line("HEAD", Some(&now.head))?);
            return Ok(());
        }
        let short = mark.branch.strip_prefix("refs/heads/").unwrap_or(&mark.branch);
        if tip != Some(&mark.head) {
            let call = workspace.writing(["update-ref", reason[0], reason[1]]).arg(&mark.branch);
            call.arg(&mark.head).succeed()?;
            lines.push(self.moved_line(short, tip)?);
        }
        if now.branch != mark.branch {
            workspace.writing(["symbolic-ref", reason[0], reason[1], "HEAD"]).arg(&mark.branch).succeed()?;
            lines.push(format!("moved HEAD back to {short}"));
        }
        Ok(())
    }

    fn moved_line(&self, what: &str, tip: Option<&str>) -> Result<String, GitError> {
        let head = &self.mark.head;
        let count = match tip {
            Some(tip) if !tip.is_empty() => {
                let range = format!("{head}..{tip}");
                self.workspace.call(["rev-list", "--count"]).arg(range).text()?
            }
            _ => String::new(),
        };
        Ok(match count.as_str() {
            "" | "0" => format!("moved {what} back to commit {}", head.get(..10).unwrap_or(head)),
            "1" => "undid 1 commit of the agent".to_owned(),
            many => format!("undid {many} commits of the agent"),
        })
    }

    fn file_lines(&self, files: &[Change]) -> Vec<String> {
        let mut lines: Vec<String> = files.iter().take(NAMED_FILES).map(Change::line).collect();
        if let Some(more) = files.len().checked_sub(NAMED_FILES).filter(|more| *more > 0) {
            let kept = lost_ref(self.name);
            lines.push(format!("restored or removed {more} more files, kept under {kept}"));
        }
        lines
    }
}

/// A file that differs from the mark.
#[derive(Debug)]
struct Change {
    path: Vec<u8>,
    /// Mode and id as marked; none for a file the mark does not have.
    marked: Option<(String, String)>,
}

impl Change {
    /// Whether this file says which other files git sees, or how.
    fn decides_about_others(&self) -> bool {
        self.path.ends_with(b".gitignore") || self.path.ends_with(b".gitattributes")
    }

    fn line(&self) -> String {
        let path = String::from_utf8_lossy(&self.path);
        if self.marked.is_some() { format!("restored {path}") } else { format!("removed {path}") }
    }
}

fn changes(workspace: &GitWorkspace, from: &str, to: &str) -> Result<Vec<Change>, GitError> {
    let call = workspace.call(["diff-tree", "-r", "-z", "--no-renames", "--ignore-submodules=all", from, to]);
    let mut fields = call.list()?.into_iter();
    let mut found = Vec::new();
    // Each change is `:MODE MODE ID ID STATUS` and then its path.
    while let (Some(raw), Some(path)) = (fields.next(), fields.next()) {
        let raw = String::from_utf8_lossy(&raw).into_owned();
        let words: Vec<&str> = raw.trim_start_matches(':').split(' ').collect();
        let [mode, _, id, _, status] = words.as_slice() else { continue };
        let marked = (*status != "A").then(|| ((*mode).to_owned(), (*id).to_owned()));
        found.push(Change { path, marked });
    }
    Ok(found)
}

/// New files go first, because one of them may stand where a folder has to be.
fn put_files_back(workspace: &GitWorkspace, files: &[Change]) -> Result<(), WorkspaceError> {
    for file in files.iter().filter(|file| file.marked.is_none()) {
        remove_file(workspace.root(), &os_path(&file.path))?;
    }
    let mut info: Vec<Vec<u8>> = Vec::new();
    for file in files {
        let Some((mode, id)) = &file.marked else { continue };
        info.push([format!("{mode} {id}\t").as_bytes(), &file.path].concat());
    }
    if info.is_empty() {
        return Ok(());
    }
    Ok(lay_out(workspace, &info, None)?)
}

#[cfg(test)]
mod tests;
