//! Where a worktree stands: HEAD, branch, index and files.
//!
//! Looking never changes anything: trees are built with a copy of the worktree's index, so no lock is taken and no
//! staged file is touched. Ignored files (also in folders that ignore themselves, as caches do) and repositories
//! inside the worktree are not part of its files ([`unseen`] names them); nor is a change to a file that was marked
//! `assume-unchanged` or `skip-worktree` ([`super::hidden`]).
//!
//! A look costs one process at most: git lists which files differ from the index, by its own rules for files that
//! changed within one tick of the clock, and is not asked again about what has not changed since
//! ([`super::last_listing`]). Trees are built only of what was not seen before; what was seen is recognised by content,
//! never by times ([`super::recent`]).

use super::error::GitError;
use super::files::{is_absent, os_path};
use super::object_id::is_id;
use super::recent::{self, Content};
use super::repository::head_call;
use super::temp_index::{Index, TempIndex};
use super::workspace::GitWorkspace;
use super::{index_form, objects};
use redraft_engine::ports::{WorkspaceError, covers};
use redraft_facts::event::TreeMark;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// How often the index may change during a look. Nobody stages files that fast for longer.
const TRIES_MAX: usize = 5;

/// Where a worktree stands, also where it could not be marked.
#[derive(Debug)]
pub(super) struct Standing {
    /// Empty on a branch without commits.
    pub(super) head: String,
    /// The ref HEAD names; empty when detached.
    pub(super) branch: String,
    /// None while conflicts are unresolved.
    pub(super) index: Option<String>,
    file: Option<Index>,
    changed: Changed,
    /// Changed files that can be no part of a tree, whether they were looked past or not, with what they are instead.
    pub(super) strange: Vec<StrangeFile>,
}

/// A path, and what stands there instead of a file.
pub(super) type StrangeFile = (Vec<u8>, Strange);

/// What stands in the place of a file and is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strange {
    /// A link to somewhere outside of the worktree, into git's own folder, or in a circle.
    LeadsOut,
    /// A pipe, a socket or a device.
    Special,
    /// A folder where a file is to be.
    Folder,
}

impl Strange {
    pub(super) fn name(self) -> &'static str {
        match self {
            Strange::LeadsOut => "a link that leads out of the worktree",
            Strange::Special => "no ordinary file",
            Strange::Folder => "a folder",
        }
    }
}

/// Where the worktree stands, if an agent may be let in: with a merge or rebase half done, it would be unknown later
/// whose it was.
pub(super) fn mark(workspace: &GitWorkspace, ours: &[String]) -> Result<TreeMark, WorkspaceError> {
    let refuse = |detail: String| WorkspaceError::Git { command: "git status".to_owned(), detail };
    let root = workspace.root().display();
    if let Some(operation) = operation(workspace) {
        return Err(refuse(format!("a {operation} is in progress in {root}; finish or abort it first")));
    }
    let now = look(workspace, ours)?;
    if now.head.is_empty() {
        return Err(GitError::NoCommits(workspace.root().to_owned()).into());
    }
    let Some(index) = now.index.clone() else {
        return Err(refuse(format!("the index of {root} has conflicts; resolve them first")));
    };
    let work = work_tree(workspace, &now)?;
    Ok(TreeMark { head: now.head, branch: now.branch, index, work })
}

/// What git was asked to do and has not finished.
pub(super) fn operation(workspace: &GitWorkspace) -> Option<&'static str> {
    let signs = [
        ("rebase-merge", "rebase"),
        ("rebase-apply/applying", "patch"),
        ("rebase-apply", "rebase"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("sequencer", "cherry-pick"),
    ];
    signs.into_iter().find(|(file, _)| workspace.git_dir.join(file).exists()).map(|(_, name)| name)
}

/// Where the worktree stands; files covered by `except` are looked past.
pub(super) fn look(workspace: &GitWorkspace, except: &[String]) -> Result<Standing, GitError> {
    let path = workspace.git_dir.join("index");
    let mut file = Index::read(&path)?;
    for _ in 0..TRIES_MAX {
        let (head, branch) = head_and_branch(workspace)?;
        let (mut changed, strange) = changed_paths(workspace, file.as_ref(), except)?;
        let index = index_tree(workspace, file.as_ref(), &head)?;
        if index.is_none() {
            changed.tracked.extend(conflicts(workspace)?);
        }
        let after = Index::read(&path)?;
        // What holds for one index must not be reported for another.
        if after != file {
            file = after;
            continue;
        }
        if let (Some(file), Some(tree)) = (&file, &index) {
            workspace.recent(|recent| recent.indexed(file.name(), tree.clone()));
        }
        return Ok(Standing { head, branch, index, file, changed, strange });
    }
    let detail = format!("{} keeps changing; wait until nobody else stages files there", path.display());
    Err(GitError::Broken { command: "git ls-files".to_owned(), detail })
}

/// The tree of the files as they stand.
pub(super) fn work_tree(workspace: &GitWorkspace, now: &Standing) -> Result<String, GitError> {
    let Standing { index, file, changed, .. } = now;
    if let Some(index) = index
        && changed.is_empty()
    {
        return Ok(index.clone());
    }
    let contents = contents(workspace, changed);
    if let (Some(index), Some(contents)) = (index, &contents)
        && let Some(tree) = workspace.recent(|recent| recent.work(index, contents))
        && is_there(workspace, &tree)?
    {
        return Ok(tree);
    }
    let copy = TempIndex::copy_of(file.as_ref(), &workspace.temp())?;
    // Tracked paths go first: a file that became a folder must leave the index before what is in the folder comes.
    let paths = changed.tracked.iter().chain(&changed.new).map(Vec::as_slice);
    let call = workspace.call(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]);
    copy.used_by(call.input_list(paths)).succeed()?;
    let tree = copy.used_by(workspace.call(["write-tree"])).text()?;
    if let (Some(index), Some(then)) = (index, contents)
        // Only if nothing changed meanwhile is it the tree of what was read.
        && self::contents(workspace, changed).as_ref() == Some(&then)
    {
        workspace.recent(|recent| recent.worked(index.clone(), then, tree.clone()));
    }
    Ok(tree)
}

/// The tree of the files as they stand, without these.
pub(super) fn tree_without(workspace: &GitWorkspace, ours: &[String]) -> Result<String, GitError> {
    let work = work_tree(workspace, &look(workspace, ours)?)?;
    let there = |path: &&String| Ok(objects::info(workspace, &format!("{work}:{path}"))?.is_some());
    let there: Vec<bool> = ours.iter().map(|path| there(&path)).collect::<Result<_, GitError>>()?;
    if !there.contains(&true) {
        return Ok(work);
    }
    let index = TempIndex::empty(&workspace.temp())?;
    index.used_by(workspace.call(["read-tree"]).arg(&work)).succeed()?;
    let call = workspace.call(["update-index", "--force-remove", "-z", "--stdin"]);
    index.used_by(call.input_list(ours.iter().map(|path| path.as_bytes()))).succeed()?;
    index.used_by(workspace.call(["write-tree"])).text()
}

/// The files of a tree, with these paths as they are in another.
pub(super) fn over(
    workspace: &GitWorkspace,
    under: &str,
    from: &str,
    paths: &[String],
) -> Result<String, GitError> {
    // Asked for no path, git would list them all.
    if paths.is_empty() {
        return Ok(under.to_owned());
    }
    let index = TempIndex::empty(&workspace.temp())?;
    index.used_by(workspace.call(["read-tree"]).arg(under)).succeed()?;
    let remove = workspace.call(["update-index", "--force-remove", "-z", "--stdin"]);
    index.used_by(remove.input_list(paths.iter().map(|path| path.as_bytes()))).succeed()?;
    let list = workspace.call(["ls-tree", "-z", "--full-tree"]).arg(from).arg("--");
    let mut listed = paths.iter().fold(list, |call, path| call.arg(path)).list()?;
    // A folder in the place of a file is not the file; git would take it for a repository.
    listed.retain(|entry| !entry.starts_with(b"040000 "));
    let add = workspace.call(["update-index", "-z", "--index-info"]);
    index.used_by(add.input_list(listed.iter().map(Vec::as_slice))).succeed()?;
    index.used_by(workspace.call(["write-tree"])).text()
}

/// Whether the files are known to stand as marked, apart from the allowed ones, which the look skipped. False also when
/// the mark is no longer remembered; then its trees must be compared.
pub(super) fn is_as_marked(
    workspace: &GitWorkspace,
    mark: &TreeMark,
    allowed: &[String],
    now: &Standing,
) -> bool {
    if now.index.as_ref() != Some(&mark.index) {
        return false;
    }
    let then = match mark.work == mark.index {
        true => Some(Vec::new()),
        false => workspace.recent(|recent| recent.contents_of(&mark.index, &mark.work)),
    };
    let Some(mut then) = then else { return false };
    then.retain(|(path, _)| !covers(allowed, path));
    contents(workspace, &now.changed) == Some(then)
}

/// HEAD's commit, empty on a branch without commits, and the ref it names, empty when detached.
pub(super) fn head_and_branch(workspace: &GitWorkspace) -> Result<(String, String), GitError> {
    if let Some(branch) = branch_in_file(workspace)
        && let Some(head) = objects::info(workspace, "HEAD")?.filter(|found| found.kind == "commit")
    {
        return Ok((head.id, branch));
    }
    let failure = match head_call(workspace.call(["rev-parse"])).text() {
        Ok(text) => {
            let (head, name) = text.split_once('\n').unwrap_or((&text, "HEAD"));
            let branch = if name == "HEAD" { "" } else { name };
            return Ok((head.to_owned(), branch.to_owned()));
        }
        Err(failure) => failure,
    };
    // A branch without commits has a name and nothing else.
    match workspace.call(["symbolic-ref", "--quiet", "HEAD"]).text() {
        Ok(branch) => Ok((String::new(), branch)),
        Err(_) => Err(failure),
    }
}

/// The ref HEAD names, where git keeps that in an ordinary file; with another way of keeping refs the file holds a name
/// that no branch can have. Read from the file because no companion can answer this.
fn branch_in_file(workspace: &GitWorkspace) -> Option<String> {
    let path = workspace.git_dir.join("HEAD");
    if !path.symlink_metadata().ok()?.is_file() {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    match text.strip_prefix("ref: ") {
        Some(name) => {
            let name = name.trim_end();
            (name.starts_with("refs/heads/") && !name.contains("/.")).then(|| name.to_owned())
        }
        None => is_id(text.trim_end()).then(String::new),
    }
}

/// None while conflicts are unresolved. Mostly nothing is staged and HEAD's tree is the answer; a tree of its own
/// is built only where something is.
fn index_tree(
    workspace: &GitWorkspace,
    file: Option<&Index>,
    head: &str,
) -> Result<Option<String>, GitError> {
    if let Some(file) = file
        && let Some(tree) = workspace.recent(|recent| recent.index(&file.name()))
        && is_there(workspace, &tree)?
    {
        return Ok(Some(tree));
    }
    if !head.is_empty()
        && let Some(tree) = objects::info(workspace, &format!("{head}^{{tree}}"))?
    {
        // Mostly the index says by itself that nothing is staged, and no process is started.
        if file.is_some_and(|file| index_form::tree(file.bytes()).is_some_and(|staged| staged == tree.id)) {
            return Ok(Some(tree.id));
        }
        let staged = ["diff-index", "--cached", "--quiet", "--no-ext-diff", "--ignore-submodules=none", head];
        if workspace.call(staged).end()?.code == Some(0) {
            return Ok(Some(tree.id));
        }
    }
    let copy = TempIndex::copy_of(file, &workspace.temp())?;
    match copy.used_by(workspace.call(["write-tree"])).text() {
        Ok(tree) => Ok(Some(tree)),
        Err(error) if error.stderr().contains(": unmerged (") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a tree that was built a while ago was not collected since.
fn is_there(workspace: &GitWorkspace, tree: &str) -> Result<bool, GitError> {
    Ok(objects::info(workspace, tree)?.is_some())
}

/// Paths whose files differ from an index.
#[derive(Debug, Default)]
struct Changed {
    tracked: BTreeSet<Vec<u8>>,
    new: BTreeSet<Vec<u8>>,
}

impl Changed {
    fn is_empty(&self) -> bool {
        self.tracked.is_empty() && self.new.is_empty()
    }
}

fn changed_paths(
    workspace: &GitWorkspace,
    index: Option<&Index>,
    except: &[String],
) -> Result<(Changed, Vec<StrangeFile>), GitError> {
    let (mut changed, mut strange, mut repositories) = (Changed::default(), Vec::new(), BTreeSet::new());
    for line in workspace.changed_lines(index)? {
        let Some(path) = line.get(2..) else { continue };
        // A repository inside the worktree ends in a slash; it is neither read nor undone.
        let nested = path.ends_with(b"/");
        if let Some(found) = strange_at(workspace, &os_path(path)).filter(|_| !nested) {
            strange.push((path.to_vec(), found));
        }
        match line.first() {
            Some(b'?') if nested => drop(repositories.insert(String::from_utf8_lossy(path).into_owned())),
            _ if covers(except, path) => {}
            Some(b'?') => drop(changed.new.insert(path.to_vec())),
            _ => drop(changed.tracked.insert(path.to_vec())),
        }
    }
    // A file whose folder became a link is gone; naming the new link removes it, and git refuses it by name.
    changed.tracked.retain(|path| workspace.files.link_on_the_way(&os_path(path)).is_none());
    workspace.note_repositories(repositories);
    Ok((changed, strange))
}

/// What stands at a path and is neither a file nor a link that stays inside the worktree.
pub(super) fn strange_at(workspace: &GitWorkspace, path: &Path) -> Option<Strange> {
    let full = workspace.root().join(path);
    let found = full.symlink_metadata().ok()?;
    if found.is_file() || found.is_dir() {
        return None;
    }
    if !found.is_symlink() {
        return Some(Strange::Special);
    }
    let real = match fs::canonicalize(&full) {
        Ok(real) => real,
        // It leads to nothing that is there; where that would be is still known.
        Err(error) if is_absent(&error) => written_target(&full)?,
        Err(_) => return Some(Strange::LeadsOut),
    };
    let inside = real.strip_prefix(workspace.root()).ok();
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    let leads_out = inside.is_none_or(|inside| inside.components().any(is_git));
    leads_out.then_some(Strange::LeadsOut)
}

/// Where a link leads by its text alone.
fn written_target(link: &Path) -> Option<PathBuf> {
    let target = link.parent()?.join(fs::read_link(link).ok()?);
    let mut path = PathBuf::new();
    for part in target.components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    Some(path)
}

/// What is in the worktree but in no tree of it: ignored files, with a wholly ignored folder as one entry, and
/// repositories as the last look found them.
pub(super) fn unseen(workspace: &GitWorkspace) -> Result<BTreeSet<String>, GitError> {
    let call = workspace
        .call(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"])
        .list()?;
    // Git names a wholly ignored folder, and what is in it as well.
    let folders: Vec<&Vec<u8>> = call.iter().filter(|path| path.ends_with(b"/")).collect();
    let inside = |path: &Vec<u8>| folders.iter().any(|folder| path != *folder && path.starts_with(folder));
    let listed = call.iter().filter(|path| !inside(path));
    let ignored = listed.map(|path| format!("ignored {}", String::from_utf8_lossy(path)));
    let repositories = workspace.repositories().into_iter().map(|path| format!("the repository {path}"));
    Ok(ignored.chain(repositories).collect())
}

/// What stands at the changed paths; none where some of it cannot be compared.
fn contents(workspace: &GitWorkspace, changed: &Changed) -> Option<Vec<(Vec<u8>, Content)>> {
    let paths = changed.tracked.union(&changed.new);
    paths
        .map(|path| Some((path.clone(), recent::content_at(&workspace.root().join(os_path(path)))?)))
        .collect()
}

fn conflicts(workspace: &GitWorkspace) -> Result<BTreeSet<Vec<u8>>, GitError> {
    let lines = workspace.call(["ls-files", "-z", "--unmerged"]).list()?;
    let path = |line: Vec<u8>| line.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
    Ok(lines.into_iter().filter_map(path).collect())
}

#[cfg(test)]
mod tests;
