//! Reads the logs and leases that were fetched, and this clone's own.

use crate::commits::{self, Anchors, Signed};
use crate::feature::Feature;
use crate::history::Altered;
use crate::lease::Lease;
use crate::log::Log;
use crate::pack::Pack;
use crate::point::CloneId;
use crate::proposal::Proposal;
use crate::refs::{self, Name};
use crate::remote::{LEASE, PACK, Remote, RemoteError, SharedFeature};
use redraft_adapters::signing::whose;
use redraft_facts::ids::FeatureUuid;
use std::collections::BTreeMap;

/// A log as far as it is in order.
struct Read {
    log: Log,
    commits: Vec<String>,
    /// What is wrong with the rest.
    trouble: Option<String>,
}

impl SharedFeature {
    /// The commits of a clone's log.
    pub fn commits_of(&self, clone: &CloneId) -> &[String] {
        self.commits.get(clone).map_or(&[], Vec::as_slice)
    }
}

impl Remote<'_> {
    /// Every feature that anybody here or there has published, with the names and commits of its refs.
    pub fn features(&self) -> Result<BTreeMap<FeatureUuid, String>, RemoteError> {
        let mut found: BTreeMap<FeatureUuid, String> = BTreeMap::new();
        for (uuid, name, commit) in self.refs(None)? {
            found.entry(uuid).or_default().push_str(&format!("{name:?} {commit}\n"));
        }
        Ok(found)
    }

    /// Refs of what was fetched, and of this clone's own logs, which may be ahead of that.
    fn refs(&self, only: Option<&FeatureUuid>) -> Result<Vec<(FeatureUuid, Name, String)>, RemoteError> {
        let is_own = |name: &Name| matches!(name, Name::Log(clone, _) if *clone == self.writer.clone);
        let mut found = self.refs_in(&refs::fetched(&self.name), only)?;
        found.extend(self.refs_in(refs::SHARED, only)?.into_iter().filter(|(_, name, _)| is_own(name)));
        Ok(found)
    }

    fn refs_in(
        &self,
        folder: &str,
        only: Option<&FeatureUuid>,
    ) -> Result<Vec<(FeatureUuid, Name, String)>, RemoteError> {
        let pattern = only.map_or_else(|| folder.to_owned(), |uuid| format!("{folder}/{uuid}"));
        let call = self.repository.call(["for-each-ref", "--format=%(objectname) %(refname)"]);
        let listed = call.arg(pattern).text()?;
        let named = |line: &str| {
            let (commit, name) = line.split_once(' ')?;
            let (uuid, name) = refs::parse(name.strip_prefix(folder)?.strip_prefix('/')?)?;
            Some((uuid, name, commit.to_owned()))
        };
        Ok(listed.lines().filter_map(named).collect())
    }

    /// All that is known of a feature. Logs that were altered count as far as they are in order.
    pub fn read(&self, uuid: &FeatureUuid) -> Result<SharedFeature, RemoteError> {
        let feature = Feature::new(uuid.clone());
        let (tips, commits, older) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut shared = SharedFeature { feature, lease_at: None, tips, commits, older };
        let mut editions: BTreeMap<(CloneId, u32), Vec<String>> = BTreeMap::new();
        for (_, name, commit) in self.refs(Some(uuid))? {
            match name {
                Name::Lease => self.read_leases(&mut shared, commit)?,
                Name::Log(clone, edition) => editions.entry((clone, edition)).or_default().push(commit),
            }
        }
        for ((clone, edition), tips) in editions {
            self.read_edition(&mut shared, clone, edition, tips)?;
        }
        Ok(shared)
    }

    fn read_leases(&self, shared: &mut SharedFeature, tip: String) -> Result<(), RemoteError> {
        for Signed { text, signature, .. } in commits::read(self.repository, &tip)? {
            let key = signed_by(LEASE, &text, &signature).ok_or("it has no valid signature".to_owned());
            let lease = key.and_then(|_| Lease::decode(&text)).map_err(|detail| Altered {
                feature: shared.feature.uuid.clone(),
                what: "the lease".to_owned(),
                detail,
            })?;
            shared.feature.leases.push(lease);
        }
        shared.lease_at = Some(tip);
        Ok(())
    }

    /// Reads one edition of a log, which takes the place of the edition before.
    fn read_edition(
        &self,
        shared: &mut SharedFeature,
        clone: CloneId,
        edition: u32,
        tips: Vec<String>,
    ) -> Result<(), RemoteError> {
        // The own log is found twice, and the one here may be ahead; a clone that was restored from an older copy knows
        // less of its own log than the remote.
        let newest = tips.iter().find(|tip| tips.iter().all(|other| self.leads_to(tip, other)));
        let Some(tip) = newest.cloned() else { return Err(RemoteError::Twin { clone }) };
        let Read { log, commits, trouble } = self.read_log(&clone, edition, &tip)?;
        let mut altered = |detail: String| {
            let (feature, what) =
                (shared.feature.uuid.clone(), Name::Log(clone.clone(), edition).to_string());
            shared.feature.altered.push(Altered { feature, what, detail });
        };
        if let Some(detail) = trouble {
            altered(detail);
        }
        if let Some(earlier) = shared.feature.logs.get(&clone) {
            if !log.goes_on_from(earlier) {
                altered(format!("its edition {edition} has not what the one before had"));
                return Ok(());
            }
            shared.older.entry(clone.clone()).or_default().push(earlier.edition);
        }
        shared.feature.logs.insert(clone.clone(), log);
        shared.tips.insert(clone.clone(), tip);
        shared.commits.insert(clone, commits);
        Ok(())
    }

    fn read_log(&self, clone: &CloneId, edition: u32, tip: &str) -> Result<Read, RemoteError> {
        let log = Log::new(clone.clone(), edition, String::new());
        let mut read = Read { log, commits: Vec::new(), trouble: None };
        for Signed { commit, text, signature } in commits::read(self.repository, tip)? {
            let key = signed_by(PACK, &text, &signature).ok_or("a pack has no valid signature".to_owned());
            let added = key.and_then(|key| {
                if read.log.packs.is_empty() {
                    read.log.key.clone_from(&key);
                }
                read.log.push(Pack::decode(&text)?, &key)
            });
            if let Err(detail) = added {
                read.trouble = Some(detail);
                break;
            }
            read.commits.push(commit);
        }
        Ok(read)
    }

    /// Whether a commit is the other one, or builds on it.
    fn leads_to(&self, commit: &str, other: &str) -> bool {
        commit == other
            || self.repository.call(["merge-base", "--is-ancestor"]).arg(other).arg(commit).text().is_ok()
    }

    /// The features of which another copy of this clone has published something else than this one has written, each
    /// with what was proposed here and is not there.
    pub fn forked(&self) -> Result<BTreeMap<FeatureUuid, Vec<Proposal>>, RemoteError> {
        let (here, there) = (self.own_logs(refs::SHARED)?, self.own_logs(&refs::fetched(&self.name))?);
        let mut found = BTreeMap::new();
        for (uuid, (edition, commit)) in here {
            let there = there.get(&uuid).filter(|(published, _)| *published >= edition);
            let Some((published, other)) = there else { continue };
            let same = *published == edition;
            if same && (self.leads_to(&commit, other) || self.leads_to(other, &commit)) {
                continue;
            }
            let here = self.read_log(&self.writer.clone, edition, &commit)?.log;
            let there = self.read_log(&self.writer.clone, *published, other)?.log;
            // A clone that was restored from a copy older than the edition.
            if !same && there.goes_on_from(&here) {
                continue;
            }
            let said = |log: Log| log.packs.into_iter().flat_map(|pack| pack.proposals);
            let known: Vec<_> = said(there).map(|proposal| proposal.id).collect();
            found.insert(uuid, said(here).filter(|proposal| !known.contains(&proposal.id)).collect());
        }
        Ok(found)
    }

    /// The newest editions of this clone's logs, with their last commits.
    fn own_logs(&self, folder: &str) -> Result<BTreeMap<FeatureUuid, (u32, String)>, RemoteError> {
        let mut newest: BTreeMap<FeatureUuid, (u32, String)> = BTreeMap::new();
        for (uuid, name, commit) in self.refs_in(folder, None)? {
            let Name::Log(clone, edition) = name else { continue };
            let is_newer = newest.get(&uuid).is_none_or(|(known, _)| *known < edition);
            if clone == self.writer.clone && is_newer {
                newest.insert(uuid, (edition, commit));
            }
        }
        Ok(newest)
    }

    /// The revisions that travelled with the newest packs of others.
    pub fn anchors(&self, shared: &SharedFeature) -> Result<Anchors, RemoteError> {
        let mut all = Anchors::new();
        for (_, commits) in shared.commits.iter().filter(|(clone, _)| **clone != self.writer.clone) {
            if let Some(newest) = commits.last() {
                all.extend(commits::anchors(self.repository, newest)?);
            }
        }
        Ok(all)
    }
}

/// The key that signed a text, in hex.
fn signed_by(what: &str, text: &str, signature: &str) -> Option<String> {
    let byte = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..signature.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    Some(whose(what, &[text.as_bytes()], &bytes)?.hex())
}
