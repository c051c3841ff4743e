//! Resolves what is reviewed: the commits a change lies between, as the user named them, and the description of the
//! change.
//!
//! The change is what a pull request shows: from where the branch left its base, not from where the base is now.
//! Nothing is stored or changed here.

use redraft_adapters::git::CommitLookup;
use redraft_adapters::plain_file;
use redraft_facts::event::ReviewedChange;
use redraft_facts::ids::Revision;
use redraft_facts::text::count;
use redraft_frame::args::ChangeArgs;
use redraft_frame::errors::{CliError, ambiguous};
use redraft_frame::process_context::ProcessContext;
use redraft_frame::repository_context::RepositoryContext;
use redraft_frame::resolve::HEAD;

/// How many commit messages are read; a change with more commits has said enough by then.
const COMMITS_MAX: usize = 50;
/// The most that one message, and all of them together, may take of a prompt.
const MESSAGE_CHARS_MAX: usize = 2_000;
const INTENT_CHARS_MAX: usize = 8_000;
/// More than the text of any pull request.
const INTENT_BYTES_MAX: u64 = 256 * 1024;
/// Where features have their documents.
const FEATURES: &str = "docs/features";

/// A change between two commits.
#[derive(Clone)]
pub(crate) struct Range {
    /// Its name.
    pub(crate) name: String,
    /// The base as it was named, its full name, its current commit, and the commit where the change left it.
    pub(crate) base: String,
    pub(crate) base_ref: String,
    pub(crate) tip: String,
    pub(crate) merge_base: String,
    /// The commit it ends with; the last one before uncommitted changes.
    pub(crate) commit: String,
    committed: String,
    /// All files at both ends.
    pub(crate) from: Revision,
    pub(crate) to: Revision,
    pub(crate) notes: Vec<String>,
}

impl Range {
    pub(crate) fn find(
        repo: &RepositoryContext,
        base: &str,
        args: &ChangeArgs,
        process: &ProcessContext,
    ) -> Result<Range, CliError> {
        let repository = &repo.repository;
        let here = repository.head()?;
        let (base_ref, tip) = commit(repo, base, "--base")?;
        let committed = match &args.head {
            Some(head) => commit(repo, head, "--head")?.1,
            None => here.commit,
        };
        let name = args.name.as_ref().map(|name| name.clean(&process.redactor));
        let name = name.or_else(|| args.head.clone()).or(here.branch);
        let name = name.map(|name| name.trim().to_owned()).unwrap_or_else(|| HEAD.to_owned());
        if name.is_empty() {
            return Err(
                CliError::usage("`--name` needs a name").hint("leave it out to use the name of the branch")
            );
        }
        let bases = repository.merge_bases(&tip, &committed)?;
        let Some(mut merge_base) = bases.first().cloned() else {
            return Err(unrelated(repository.is_shallow()?, base, &name));
        };
        let mut notes = Vec::new();
        let mut commit = committed.clone();
        if args.uncommitted {
            commit = repository.commit_of_checkout(&committed)?.unwrap_or(commit);
            notes.extend(staged(&repository.staged_differently(&committed)?));
        } else if args.head.is_none() && repository.is_dirty()? {
            notes.push("uncommitted changes are left out; --uncommitted includes them".to_owned());
        }
        if bases.len() > 1 {
            // Compared with only one of them, what the change takes out of the others would not show.
            commit = merged(repo, &tip, &commit, base, &name)?;
            merge_base.clone_from(&tip);
            notes.push(format!(
                "{name} and {base} were merged into each other and have {} merge bases, so the review covers what \
                    merging {name} would change in {base}",
                bases.len()
            ));
        }
        let (from, to) = (repository.tree_of(&merge_base)?, repository.tree_of(&commit)?);
        let base = base.to_owned();
        Ok(Range { name, base, base_ref, tip, merge_base, commit, committed, from, to, notes })
    }

    /// Whether there is nothing to review.
    pub(crate) fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// Whether a stored change is this one, so that the next call goes on with it.
    pub(super) fn is(&self, change: &ReviewedChange) -> bool {
        change.head == self.name && change.base == self.base
    }

    /// The folder of the documents that the change has to meet: those of the feature that was named or that its branch
    /// belongs to.
    pub(super) fn documents(
        &self,
        repo: &RepositoryContext,
        feature: Option<&str>,
    ) -> Result<Option<String>, CliError> {
        let names = repo.repository.names_at(&self.commit, FEATURES)?;
        let path = |name: &String| format!("{FEATURES}/{name}");
        let Some(word) = feature else {
            let own = self.name.strip_prefix("feature/").map(str::to_owned);
            return Ok(own.filter(|own| names.contains(own)).as_ref().map(path));
        };
        let number = word.split('-').next().unwrap_or(word).trim_start_matches('0');
        let is_meant = |name: &&String| {
            let digits = name.split('-').next().unwrap_or_default();
            *name == word || (!number.is_empty() && digits.trim_start_matches('0') == number)
        };
        let found = names.iter().find(is_meant).map(path);
        let none = || {
            CliError::usage(format!("{} has no folder {FEATURES}/{word}-…", self.name))
                .hint("without --feature, the change is compared with its commit messages and --intent")
        };
        found.map(Some).ok_or_else(none)
    }

    /// The description of the change from the user and its commits, and that of its commits after `last`.
    pub(crate) fn intent(
        &self,
        repo: &RepositoryContext,
        args: &ChangeArgs,
        last: Option<&str>,
        process: &ProcessContext,
    ) -> Result<(String, String), CliError> {
        let told = match (&args.intent, &args.intent_file) {
            (Some(text), _) => text.clean(&process.redactor),
            (None, Some(file)) => {
                let named = |error| CliError::usage(format!("{}: {error}", file.display()));
                let (here, place) = (repo.repository.here(), process.folder.join(file));
                let bytes = plain_file::read_named(here, &place, INTENT_BYTES_MAX).map_err(named)?;
                String::from_utf8_lossy(&bytes).into_owned()
            }
            (None, None) => String::new(),
        };
        let all = repo.repository.messages(&self.merge_base, &self.committed, COMMITS_MAX)?;
        // A commit that was rewritten meanwhile may be gone.
        let new = last.map(|last| repo.repository.messages(last, &self.committed, COMMITS_MAX));
        let new = new.and_then(Result::ok).unwrap_or_default();
        let clean = |text: String| process.redactor.redact(&text).0.into_owned();
        Ok((clean(said(&told, &all)), clean(said("", &new))))
    }
}

/// The note about changes that `git commit` would commit and that are not in the files.
fn staged(files: &[String]) -> Option<String> {
    const SHOWN_MAX: usize = 5;
    if files.is_empty() {
        return None;
    }
    let mut shown = files.iter().take(SHOWN_MAX).cloned().collect::<Vec<String>>().join(", ");
    if files.len() > SHOWN_MAX {
        shown.push_str(&format!(" and {}", count(files.len() - SHOWN_MAX, "more file")));
    }
    Some(format!(
        "the files are reviewed as they are in your checkout; the staged versions differ and are not reviewed: \
            {shown}"
    ))
}

/// The commit of what merging the change would give.
fn merged(
    repo: &RepositoryContext,
    tip: &str,
    commit: &str,
    base: &str,
    name: &str,
) -> Result<String, CliError> {
    repo.repository.commit_of_merge(tip, commit)?.map_err(|files| {
        let files = files.join(", ");
        CliError::usage(format!(
            "{name} and {base} have several merge bases, and merging them conflicts in {files}"
        ))
        .hint(format!("merge {base} into {name} first: git merge {base}"))
    })
}

/// The full name and the commit of a name that was typed.
fn commit(repo: &RepositoryContext, name: &str, option: &str) -> Result<(String, String), CliError> {
    let repository = &repo.repository;
    match repository.commit_meant(name)? {
        CommitLookup::One { name, commit } => return Ok((name, commit)),
        CommitLookup::Several(all) => return Err(ambiguous(&format!("{option} {name}"), &all)),
        CommitLookup::None => {}
    }
    let error = CliError::usage(format!("`{option} {name}` does not name a commit in this repository"));
    let remote = format!("origin/{name}");
    if repository.commit_named(&remote)?.is_some() {
        return Err(error.hint(format!("did you mean `{remote}`? {option} {remote}")));
    }
    if repository.is_shallow()? {
        return Err(error.hint(UNSHALLOW).hint(IN_ACTIONS));
    }
    Err(error.hint(format!("fetch it first (git fetch origin {name}), or name a branch of `git branch -a`")))
}

const UNSHALLOW: &str = "this clone is shallow; get the rest of the history: git fetch --unshallow";
const IN_ACTIONS: &str = "in GitHub Actions: actions/checkout with fetch-depth: 0";

fn unrelated(shallow: bool, base: &str, name: &str) -> CliError {
    let error = CliError::usage(format!("{name} and {base} have no commit in common"));
    match shallow {
        true => error.hint(UNSHALLOW).hint(IN_ACTIONS),
        false => error.hint("name a base from which the branch was begun: git log --oneline --graph --all"),
    }
}

/// Texts and messages joined, each and all of them limited in length.
fn said(told: &str, messages: &[(String, String)]) -> String {
    let mut text = String::new();
    if !told.trim().is_empty() {
        text.push_str(&format!("{}\n", cut(told.trim(), INTENT_CHARS_MAX / 2)));
    }
    for (at, (id, message)) in messages.iter().enumerate() {
        let one = format!("Commit {id}:\n\n{}\n", cut(message, MESSAGE_CHARS_MAX));
        if text.chars().count() + one.chars().count() > INTENT_CHARS_MAX {
            text.push_str(&format!("\n… and {}\n", count(messages.len() - at, "more commit")));
            break;
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{gap}{one}"));
    }
    text
}

fn cut(text: &str, chars_max: usize) -> String {
    let kept: String = text.chars().take(chars_max).collect();
    if kept.len() == text.len() { kept } else { format!("{kept}…") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_change_is_cut_message_by_message_and_as_a_whole() {
        let message = |id: &str, text: &str| (id.to_owned(), text.to_owned());
        assert_eq!(said("", &[]), "");
        assert_eq!(
            said(" why \n", &[message("a1", "one\n\nmore"), message("b2", "two")]),
            "why\n\nCommit a1:\n\none\n\nmore\n\nCommit b2:\n\ntwo\n"
        );
        let long = said("", &[message("a1", &"x".repeat(5_000))]);
        assert!(long.ends_with("x…\n") && long.chars().count() < MESSAGE_CHARS_MAX + 20, "{}", long.len());
        let many: Vec<_> = (0..40).map(|at| message(&format!("c{at}"), &"y".repeat(400))).collect();
        let all = said("", &many);
        assert!(all.chars().count() < INTENT_CHARS_MAX + 40, "{}", all.len());
        assert!(all.ends_with(" more commits\n"), "{all}");
    }
}
