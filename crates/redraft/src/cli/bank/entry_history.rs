//! Asks the ledger and git about entries: in which order features were created, which of them was active when an entry
//! entered git, and whether the files it is anchored to changed since it was last observed.

use redraft_adapters::git::LineOrigin;
use redraft_documents::bank::{AnchorFiles, BankEntry, BankFile, FeatureCreation, FeatureOrder};
use redraft_engine::ports::Store;
use redraft_facts::event::{self, Event};
use redraft_facts::ids::FeatureId;
use redraft_facts::ticket::Scope;
use redraft_frame::errors::CliError;
use redraft_frame::repository_context::RepositoryContext;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Where features have their folders.
const FEATURES: &str = "docs/features";

pub(super) struct EntryHistory {
    pub(super) order: FeatureOrder,
    /// The events of features whose prompts told entries.
    pub(super) told: Vec<(FeatureId, Vec<event::Entry>)>,
}

impl EntryHistory {
    pub(super) fn load(repo: &RepositoryContext) -> Result<EntryHistory, CliError> {
        let ledger = repo.reader()?;
        let mut features = Vec::new();
        if let Some(ledger) = &ledger {
            for id in repo.features(ledger)? {
                features.push((id, ledger.read(Scope::Feature(id))?));
            }
        }
        let order = order(repo, &features)?;
        let tells =
            |entry: &event::Entry| matches!(&entry.event, Event::Started(fact) if !fact.told.is_empty());
        features.retain(|(_, events)| events.iter().any(tells));
        Ok(EntryHistory { order, told: features })
    }

    /// For each entry the files it is anchored to that a commit has changed since its last observation was written down.
    pub(super) fn changed(
        &self,
        entries: &[BankEntry],
        repo: &RepositoryContext,
    ) -> Result<Vec<Vec<String>>, CliError> {
        let mut changed = vec![Vec::new(); entries.len()];
        let files = repo.repository.tracked()?;
        let known = AnchorFiles::new(files.iter().map(String::as_str));
        let living = entries.iter().enumerate().filter(|(_, entry)| entry.kind.grows_stale());
        let anchored = living.map(|(at, entry)| (at, entry, known.of_entry(entry)));
        let anchored: Vec<_> = anchored.filter(|(_, _, anchors)| !anchors.is_empty()).collect();
        if anchored.is_empty() {
            return Ok(changed);
        }
        let mut paths: BTreeSet<&str> =
            anchored.iter().flat_map(|(_, _, anchors)| anchors).copied().collect();
        paths.extend(BankFile::ALL.map(BankFile::path));
        let paths: Vec<&str> = paths.into_iter().collect();
        let steps = repo.repository.steps(&paths)?;
        let places: HashMap<&str, usize> =
            steps.iter().enumerate().map(|(at, step)| (step.commit.as_str(), at)).collect();
        // The latest commit that changed each file.
        let mut last: HashMap<&str, usize> = HashMap::new();
        for (at, step) in steps.iter().enumerate() {
            for file in &step.files {
                last.entry(file).or_insert(at);
            }
        }
        let lines = Lines::load(repo, anchored.iter().map(|(_, entry, _)| entry.kind))?;
        for (at, entry, anchors) in anchored {
            // What is in no commit yet was written after all of them.
            let Some(written) = lines.observed(entry) else { continue };
            let since = places.get(written.commit.as_str()).copied().unwrap_or(usize::MAX);
            let later = |file: &&&str| last.get(**file).is_some_and(|step| *step < since);
            changed[at] = anchors.iter().filter(later).map(|file| (*file).to_owned()).collect();
        }
        Ok(changed)
    }

    /// The feature that was active when each of these entries entered git: one whose folder came with it, else the last
    /// that had been created by then.
    pub(super) fn entered(
        &self,
        entries: &[&BankEntry],
        repo: &RepositoryContext,
    ) -> Result<BTreeMap<(BankFile, u32), FeatureId>, CliError> {
        let lines = Lines::load(repo, entries.iter().map(|entry| entry.kind))?;
        let mut with: HashMap<String, Option<FeatureId>> = HashMap::new();
        let mut found = BTreeMap::new();
        for entry in entries {
            // An entry that is not in git yet is from today.
            let Some(written) = lines.written(entry.kind, entry.line) else {
                found.extend(self.order.latest().map(|feature| ((entry.kind, entry.line), feature.id)));
                continue;
            };
            let beside = match with.get(&written.commit) {
                Some(known) => *known,
                None => {
                    let names = repo.repository.touched_below(&written.commit, FEATURES)?;
                    let came =
                        self.order.features().iter().rev().find(|feature| names.contains(&folder(feature)));
                    *with.entry(written.commit.clone()).or_insert(came.map(|feature| feature.id))
                }
            };
            let active = beside.or_else(|| self.order.active_at(written.at_ms).map(|feature| feature.id));
            found.extend(active.map(|id| ((entry.kind, entry.line), id)));
        }
        Ok(found)
    }
}

/// Which commits the lines of the files come from.
struct Lines(BTreeMap<BankFile, Vec<Option<LineOrigin>>>);

impl Lines {
    fn load(repo: &RepositoryContext, kinds: impl Iterator<Item = BankFile>) -> Result<Lines, CliError> {
        let kinds: BTreeSet<BankFile> = kinds.collect();
        let mut lines = BTreeMap::new();
        for kind in kinds {
            lines.insert(kind, repo.repository.lines_of(kind.path())?);
        }
        Ok(Lines(lines))
    }

    fn written(&self, kind: BankFile, line: u32) -> Option<&LineOrigin> {
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        self.0.get(&kind)?.get(at)?.as_ref()
    }

    /// Where its last observation comes from: the line that states it, else the heading.
    fn observed(&self, entry: &BankEntry) -> Option<&LineOrigin> {
        self.written(entry.kind, entry.fields.last_observed_line.unwrap_or(entry.line))
    }
}

/// All features in the order of their creation: by the ledger, else by when their folders entered git. For an adopted
/// feature git knows better.
fn order(
    repo: &RepositoryContext,
    features: &[(FeatureId, Vec<event::Entry>)],
) -> Result<FeatureOrder, CliError> {
    let mut born: Vec<FeatureCreation> = Vec::new();
    for entered in repo.repository.entered(FEATURES)? {
        if let Some((id, slug)) = numbered(&entered.name) {
            born.push(FeatureCreation { id, slug, at_ms: entered.at_ms });
        }
    }
    let mut known: BTreeMap<(FeatureId, String), usize> =
        born.iter().enumerate().map(|(at, feature)| ((feature.id, feature.slug.clone()), at)).collect();
    for (_, entries) in features {
        let adopted = entries.iter().any(|entry| matches!(entry.event, Event::Adopted(_)));
        let Some((at_ms, created)) = entries.iter().find_map(|entry| match &entry.event {
            Event::FeatureCreated(created) => Some((entry.at_ms, created)),
            _ => None,
        }) else {
            continue;
        };
        let feature = FeatureCreation { id: created.id, slug: created.slug.clone(), at_ms };
        match known.get(&(feature.id, feature.slug.clone())) {
            Some(at) if adopted => born[*at].at_ms = born[*at].at_ms.min(at_ms),
            Some(at) => born[*at].at_ms = at_ms,
            None => {
                known.insert((feature.id, feature.slug.clone()), born.len());
                born.push(feature);
            }
        }
    }
    // Stable: where times do not decide, commits and the ledger do.
    born.sort_by_key(|feature| feature.at_ms);
    Ok(FeatureOrder::new(born))
}

/// `031-rate-limits` as a number and a slug.
fn numbered(name: &str) -> Option<(FeatureId, String)> {
    let (number, slug) = name.split_once('-')?;
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| plain)?, slug.to_owned()))
}

pub(super) fn folder(feature: &FeatureCreation) -> String {
    format!("{}-{}", feature.id, feature.slug)
}
