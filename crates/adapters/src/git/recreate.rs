//! Recreates a worktree that is gone, or cut off from its repository: the folder and git's tie to it. Its files are put
//! back by [`super::restore`].

use super::error::GitError;
use super::files::failed;
use super::remove_files::remove_all;
use super::workspace::GitWorkspace;
use redraft_engine::ports::WorkspaceError;
use redraft_facts::event::TreeMark;
use std::fs;

/// Recreates a linked worktree that is gone altogether. Its files are put back like any others.
pub(super) fn recreate_worktree(
    workspace: &GitWorkspace,
    mark: &TreeMark,
) -> Result<Option<String>, WorkspaceError> {
    let root = workspace.root();
    if workspace.link.is_none() || root.is_dir() {
        return Ok(None);
    }
    if !workspace.git_dir.is_dir() {
        let add =
            workspace.git.call(&workspace.common, ["worktree", "add", "--force", "--quiet", "--no-checkout"]);
        let short = mark.branch.strip_prefix("refs/heads/");
        let add = match short {
            None => add.arg("--detach").arg(root).arg(&mark.head),
            Some(branch) if commit_in(workspace, &mark.branch)? => add.arg(root).arg(branch),
            Some(branch) => add.arg("-b").arg(branch).arg(root).arg(&mark.head),
        };
        add.succeed()?;
    }
    fs::create_dir_all(root).map_err(|error| failed(&root.display().to_string(), &error))?;
    workspace.note_made_anew();
    Ok(Some(format!("made the worktree {} again, which had been removed", root.display())))
}

/// Whether a ref names a commit, asked without the worktree.
fn commit_in(workspace: &GitWorkspace, reference: &str) -> Result<bool, GitError> {
    let call = workspace.git.call(&workspace.common, ["rev-parse", "--verify", "--quiet"]);
    Ok(call.arg(format!("{reference}^{{commit}}")).end()?.code == Some(0))
}

/// Ties a linked worktree to its repository again; otherwise the next agent's git would work on the checkout around it.
pub(super) fn put_link_back(workspace: &GitWorkspace) -> Result<Option<String>, WorkspaceError> {
    let Some(link) = &workspace.link else { return Ok(None) };
    let path = workspace.root().join(".git");
    if fs::read(&path).is_ok_and(|now| now == *link) {
        return Ok(None);
    }
    // Whatever is there instead is removed: a link must not be written through.
    remove_all(&path)?;
    fs::write(&path, link).map_err(|error| failed(".git", &error))?;
    Ok(Some("connected the worktree to its repository again".to_owned()))
}
