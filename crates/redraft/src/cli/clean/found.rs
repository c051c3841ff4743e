//! What features have left in the repository, and which of it goes: shared by `clean` and `uninstall`.

use redraft_adapters::git::{Belongings, Leftover, LeftoverKind};
use redraft_engine::ports::Workspace as _;
use redraft_facts::event::{Entry, Event, FeatureCreated};
use redraft_facts::redact::Redactor;
use redraft_facts::text::count;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use redraft_reports::projections;
use serde::Serialize;
use std::collections::BTreeSet;

/// What is left of one feature or review.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Found {
    /// `001` or `review-001`.
    pub(in crate::cli) feature: String,
    /// `001-export-orders`
    pub(in crate::cli) name: String,
    /// `merged`, `abandoned` or whatever else it is.
    pub(in crate::cli) standing: String,
    pub(in crate::cli) items: Vec<Item>,
}

/// One thing with what becomes of it.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct Item {
    /// `worktree`, `checks`, `branch`, `revisions` or `lost`.
    pub(in crate::cli) kind: &'static str,
    /// A path, the name of a branch, or where refs are filed.
    pub(in crate::cli) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) bytes: Option<u64>,
    /// The commit of a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) commit: Option<String>,
    /// How many refs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) refs: Option<usize>,
    /// `listed`, `removed` or `kept`.
    pub(in crate::cli) state: &'static str,
    /// Why it is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) why: Option<String>,
    #[serde(skip)]
    pub(in crate::cli) what: LeftoverKind,
}

/// What to look for, by the events of a feature or a review.
pub(in crate::cli) fn belongings(
    created: &FeatureCreated,
    entries: &[Entry],
    by_content: bool,
) -> Belongings {
    let scope = created.scope();
    let merged = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Merged(merged) => Some(merged.commit.clone()),
        _ => None,
    });
    let folder = match scope {
        _ if created.in_place => String::new(),
        Scope::Review(id) => format!("review-{id}-{}", created.slug),
        _ => format!("{}-{}", created.id, created.slug),
    };
    let branch = if created.change.is_some() { String::new() } else { created.branch.clone() };
    let base = created.base_branch.clone();
    Belongings { scope: scope.to_string(), folder, branch, base, merged, by_content }
}

/// Files of a worktree that the ledger can write again, as they are there now.
pub(in crate::cli) fn written_again(
    repo: &RepositoryContext,
    created: &FeatureCreated,
    entries: &[Entry],
) -> BTreeSet<String> {
    let Ok(workspace) = repo.workspace(created) else { return BTreeSet::new() };
    let same = |(name, text): (&str, String)| {
        let path = format!("{}/{name}", created.folder());
        let there = workspace.read(&path).ok().flatten()?;
        (there == text.as_bytes()).then_some(path)
    };
    let files = projections::files(entries, &Redactor::default());
    files.into_iter().filter_map(same).collect()
}

/// Looks, and says of each thing whether it goes. Without `lost`, nothing goes that exists nowhere else.
pub(in crate::cli) fn look(
    repo: &RepositoryContext,
    of: &Belongings,
    own: &BTreeSet<String>,
    lost: bool,
) -> Result<Vec<Item>, CliError> {
    let mut items = Vec::new();
    let mut worktree_stays = false;
    for Leftover { mut what, held } in repo.repository.leftovers(of)? {
        if let LeftoverKind::Worktree { uncommitted, .. } = &mut what {
            uncommitted.retain(|file| !own.contains(file));
        }
        let why = held.or_else(|| kept(&what, lost, worktree_stays));
        worktree_stays |= why.is_some() && matches!(what, LeftoverKind::Worktree { .. });
        items.push(item(what, why, of, repo));
    }
    Ok(items)
}

/// Why something stays that could be taken away.
fn kept(what: &LeftoverKind, lost: bool, worktree_stays: bool) -> Option<String> {
    match what {
        LeftoverKind::Worktree { uncommitted, .. } if !lost && !uncommitted.is_empty() => {
            const NAMED_MAX: usize = 3;
            let named = uncommitted.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
            let more = if uncommitted.len() > NAMED_MAX { ", …" } else { "" };
            let files = count(uncommitted.len(), "file");
            Some(format!("{files} in it that no commit has ({named}{more}); --lost removes it too"))
        }
        LeftoverKind::Branch { .. } if worktree_stays => Some("its worktree stays".to_owned()),
        LeftoverKind::Branch { unmerged, .. } if !lost && *unmerged > 0 => {
            let commits = count(usize::try_from(*unmerged).unwrap_or(usize::MAX), "commit");
            Some(format!("{commits} not merged anywhere; --lost removes it too"))
        }
        LeftoverKind::Lost(_) if !lost => Some(
            "agents did this without being allowed to, and it was undone; --lost removes it too".to_owned(),
        ),
        _ => None,
    }
}

fn item(what: LeftoverKind, why: Option<String>, of: &Belongings, repo: &RepositoryContext) -> Item {
    let inside = |path: &std::path::Path| {
        let path = path.strip_prefix(repo.repository.main_checkout()).unwrap_or(path);
        path.display().to_string()
    };
    let (kind, name) = match &what {
        LeftoverKind::Worktree { folder, .. } => ("worktree", inside(folder)),
        LeftoverKind::CheckFolder { folder, .. } => ("checks", inside(folder)),
        LeftoverKind::Branch { name, .. } => ("branch", name.clone()),
        LeftoverKind::Revisions(_) => ("revisions", format!("refs/redraft/anchors/{}", of.scope)),
        LeftoverKind::Lost(_) => ("lost", format!("refs/redraft/lost/{}", of.scope)),
    };
    let (mut bytes, mut commit, mut refs) = (None, None, None);
    match &what {
        LeftoverKind::Worktree { bytes: size, .. } | LeftoverKind::CheckFolder { bytes: size, .. } => {
            bytes = Some(*size);
        }
        LeftoverKind::Branch { commit: tip, .. } => commit = Some(tip.clone()),
        LeftoverKind::Revisions(all) | LeftoverKind::Lost(all) => refs = Some(all.len()),
    }
    let state = if why.is_some() { "kept" } else { "listed" };
    Item { kind, name, bytes, commit, refs, state, why, what }
}

impl Item {
    pub(in crate::cli) fn goes(&self) -> bool {
        self.state == "listed"
    }

    pub(in crate::cli) fn keep(&mut self, why: &str) {
        (self.state, self.why) = ("kept", Some(why.to_owned()));
    }

    /// Whether it is as it was when a person looked at it; sizes do not matter.
    fn is_as_listed(&self, now: &Item) -> bool {
        let plain = |what: &LeftoverKind| match what.clone() {
            LeftoverKind::Worktree { folder, uncommitted, .. } => {
                LeftoverKind::Worktree { folder, bytes: 0, uncommitted }
            }
            LeftoverKind::CheckFolder { folder, .. } => LeftoverKind::CheckFolder { folder, bytes: 0 },
            other => other,
        };
        plain(&self.what) == plain(&now.what) && now.goes()
    }

    fn line(&self) -> String {
        let size = self.bytes.map(|bytes| format!(", {}", in_words(bytes))).unwrap_or_default();
        let refs = self.refs.map(|refs| format!(", {}", count(refs, "ref"))).unwrap_or_default();
        let commit = self.commit.as_deref().and_then(|commit| commit.get(..10));
        let commit = commit.map(|commit| format!(", {commit}")).unwrap_or_default();
        let kind = if self.kind == "checks" { "check folder" } else { self.kind };
        let does = match self.state {
            "kept" => "keeps ",
            "removed" => "removed ",
            _ => "",
        };
        let why = self.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        format!("    {does}{kind} {}{size}{refs}{commit}{why}\n", self.name)
    }
}

impl Found {
    pub(in crate::cli) fn lines(&self) -> String {
        let mut text = format!("{}  {}\n", self.name, self.standing);
        self.items.iter().for_each(|item| text.push_str(&item.line()));
        text
    }

    pub(in crate::cli) fn goes(&self) -> bool {
        self.items.iter().any(Item::goes)
    }

    /// Takes away what was listed and has not changed since. The caller holds the locks.
    pub(in crate::cli) fn take_away(
        &mut self,
        repo: &RepositoryContext,
        now: &[Item],
    ) -> Result<(), CliError> {
        let mut worktree_stays = false;
        for item in self.items.iter_mut().filter(|item| item.goes()) {
            match now.iter().find(|now| now.kind == item.kind) {
                // Somebody else has taken it away.
                None => {}
                Some(_) if item.kind == "branch" && worktree_stays => item.keep("its worktree stays"),
                Some(now) if item.is_as_listed(now) => repo.repository.take_away(&item.what)?,
                Some(now) => {
                    item.keep(now.why.as_deref().unwrap_or("it has changed meanwhile"));
                    worktree_stays |= item.kind == "worktree";
                }
            }
            if item.goes() {
                item.state = "removed";
            }
        }
        Ok(())
    }
}

/// How large something is, as people say it.
pub(in crate::cli) fn in_words(bytes: u64) -> String {
    let steps = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match steps.into_iter().find(|(step, _)| bytes >= *step) {
        Some((step, unit)) => format!("{}.{} {unit}", bytes / step, bytes % step * 10 / step),
        None => count(usize::try_from(bytes).unwrap_or(usize::MAX), "byte"),
    }
}

/// How much of the disk goes with what is listed.
pub(in crate::cli) fn bytes_of(found: &[Found]) -> u64 {
    found.iter().flat_map(|one| &one.items).filter(|item| item.goes()).filter_map(|item| item.bytes).sum()
}
