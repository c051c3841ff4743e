//! The logs and leases of a git remote: fetching them, adding to one's own, taking and giving up a lease.
//!
//! Nothing is ever forced. A log is only pushed by its clone, and grows; a lease grows too, so that of two clones that
//! take it at once the remote accepts one. A driver pushes its log and its lease together or not at all.

use crate::commits::{self, Anchors, Signed};
use crate::feature::{Content, Feature, Writer};
use crate::history::Altered;
use crate::lease::Lease;
use crate::pack::Pack;
use crate::point::CloneId;
use crate::proposal::Proposal;
use crate::refs::{self, Name};
use redraft_adapters::git::{Call, GitError, Repository, durable};
use redraft_adapters::signing::{Signer, whose};
use redraft_facts::ids::FeatureUuid;
use redraft_facts::text::one_line;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Keep signatures of packs and leases apart from those of anything else.
const PACK: &str = "redraft shared pack 1";
const LEASE: &str = "redraft shared lease 1";

#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("the remote {remote} cannot be reached: {detail}")]
    Unreachable { remote: String, detail: String },
    #[error("the remote {remote} refused what was pushed: {detail}")]
    Refused { remote: String, detail: String },
    #[error(transparent)]
    Altered(#[from] Altered),
    /// Another clone drives the feature by now.
    #[error("feature {called} is driven by clone {} ({}) now", .lease.holder.short(), .lease.place)]
    Fenced { called: String, lease: Box<Lease> },
    /// The clone was copied, and the other copy has published under the same name.
    #[error("another copy of this clone has published as {clone}, too")]
    Twin { clone: CloneId },
}

/// A remote, and the clone that speaks with it.
pub struct Remote<'a> {
    pub repository: &'a Repository,
    /// As git knows it.
    pub name: String,
    pub writer: Writer,
    pub signer: Arc<Signer>,
}

/// A feature as git has it.
#[derive(Debug, Clone)]
pub struct Shared {
    pub feature: Feature,
    /// The commit of the last lease.
    lease_at: Option<String>,
    /// The commit of each log's last pack.
    tips: BTreeMap<CloneId, String>,
    /// The commits of all packs.
    commits: BTreeMap<CloneId, Vec<String>>,
}

/// What came of taking a lease.
#[derive(Debug, Clone)]
pub enum Taken {
    Ours(Shared),
    /// It is another clone's.
    Held(Lease),
}

impl Remote<'_> {
    /// Brings here what others have published since.
    pub fn fetch(&self) -> Result<(), RemoteError> {
        let spec = format!("{}/*:{}/*", refs::SHARED, refs::fetched(&self.name));
        let call = self.repository.call(["fetch", "--no-tags", "--no-write-fetch-head"]);
        let call = call.arg("--no-recurse-submodules").arg("--upload-pack=git-upload-pack");
        match call.reaching().arg("--").arg(&self.name).arg(spec).text() {
            Ok(_) => Ok(()),
            Err(error) => match rejected(error.stderr()) {
                Some((uuid, what)) => Err(Altered {
                    feature: uuid,
                    what,
                    detail: "the remote has another one than was fetched before".to_owned(),
                }
                .into()),
                None => Err(self.unreachable(error)),
            },
        }
    }

    fn unreachable(&self, error: GitError) -> RemoteError {
        match error.stderr() {
            "" => RemoteError::Git(error),
            detail => RemoteError::Unreachable { remote: self.name.clone(), detail: one_line(detail, 300) },
        }
    }

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
        let mut found = Vec::new();
        for (folder, own) in [(refs::fetched(&self.name), false), (refs::SHARED.to_owned(), true)] {
            let pattern = only.map_or_else(|| folder.clone(), |uuid| format!("{folder}/{uuid}"));
            let listed = self
                .repository
                .call(["for-each-ref", "--format=%(objectname) %(refname)"])
                .arg(pattern)
                .text()?;
            for line in listed.lines() {
                let Some((commit, name)) = line.split_once(' ') else { continue };
                let rest = name.strip_prefix(&folder).and_then(|rest| rest.strip_prefix('/'));
                let Some((uuid, name)) = rest.and_then(refs::parse) else { continue };
                if !own || name == Name::Log(self.writer.clone.clone()) {
                    found.push((uuid, name, commit.to_owned()));
                }
            }
        }
        Ok(found)
    }

    /// All that is known of a feature. Logs that were altered count as far as they are in order.
    pub fn read(&self, uuid: &FeatureUuid) -> Result<Shared, RemoteError> {
        let feature = Feature::new(uuid.clone());
        let (tips, commits) = (BTreeMap::new(), BTreeMap::new());
        let mut shared = Shared { feature, lease_at: None, tips, commits };
        for (_, name, commit) in self.refs(Some(uuid))? {
            match name {
                Name::Lease => self.read_leases(&mut shared, commit)?,
                Name::Log(clone) => self.read_log(&mut shared, clone, commit)?,
            }
        }
        Ok(shared)
    }

    fn read_leases(&self, shared: &mut Shared, tip: String) -> Result<(), RemoteError> {
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

    fn read_log(&self, shared: &mut Shared, clone: CloneId, tip: String) -> Result<(), RemoteError> {
        // The own log is found twice, and the one here may be ahead.
        if let Some(known) = shared.tips.get(&clone) {
            let is_behind = |one: &str, other: &str| {
                self.repository.call(["merge-base", "--is-ancestor"]).arg(one).arg(other).text().is_ok()
            };
            // A clone that was restored from an older copy knows less of its own log than the remote.
            if is_behind(&tip, known) {
                return Ok(());
            }
            if !is_behind(known, &tip) {
                return Err(RemoteError::Twin { clone });
            }
        }
        shared.feature.logs.remove(&clone);
        let mut commits = Vec::new();
        for Signed { commit, text, signature } in commits::read(self.repository, &tip)? {
            let key = signed_by(PACK, &text, &signature).ok_or("a pack has no valid signature".to_owned());
            let added = key.and_then(|key| {
                let pack = Pack::decode(&text)?;
                match pack.clone == clone {
                    true => shared.feature.push(pack, &key),
                    false => Err("a pack is another clone's".to_owned()),
                }
            });
            if let Err(detail) = added {
                let (feature, what) =
                    (shared.feature.uuid.clone(), format!("the log of clone {}", clone.short()));
                shared.feature.altered.push(Altered { feature, what, detail });
                break;
            }
            commits.push(commit);
        }
        shared.tips.insert(clone.clone(), tip);
        shared.commits.insert(clone, commits);
        Ok(())
    }

    /// The features of which another copy of this clone has published something else than this one has written, each
    /// with what was proposed here and is not there.
    pub fn forked(&self) -> Result<BTreeMap<FeatureUuid, Vec<Proposal>>, RemoteError> {
        let mut found = BTreeMap::new();
        for uuid in self.features()?.into_keys() {
            let own = refs::log(&uuid, &self.writer.clone);
            let there = own.replacen(refs::SHARED, &refs::fetched(&self.name), 1);
            let commit =
                |name: &str| self.repository.call(["rev-parse", "--verify", "--quiet"]).arg(name).text();
            let (Ok(here), Ok(there)) = (commit(&own), commit(&there)) else { continue };
            let is_part = |one: &str, of: &str| {
                self.repository.call(["merge-base", "--is-ancestor"]).arg(one).arg(of).text().is_ok()
            };
            if is_part(&here, &there) || is_part(&there, &here) {
                continue;
            }
            let known: Vec<String> =
                commits::read(self.repository, &there)?.into_iter().map(|one| one.commit).collect();
            let unsent = commits::read(self.repository, &here)?.into_iter();
            let unsent = unsent.filter(|one| !known.contains(&one.commit));
            let packs = unsent.filter_map(|one| Pack::decode(&one.text).ok());
            found.insert(uuid, packs.flat_map(|pack| pack.proposals).collect());
        }
        Ok(found)
    }

    /// The revisions that travelled with the newest packs of others.
    pub fn anchors(&self, shared: &Shared) -> Result<Anchors, RemoteError> {
        let mut all = Anchors::new();
        for (_, commits) in shared.commits.iter().filter(|(clone, _)| **clone != self.writer.clone) {
            if let Some(newest) = commits.last() {
                all.extend(commits::anchors(self.repository, newest)?);
            }
        }
        Ok(all)
    }

    /// Takes the lease of a feature: a new or a free one, or, if `by_force`, one of a holder that is gone. Only one of
    /// several clones that try at once gets it.
    pub fn take(&self, shared: &Shared, by_force: bool, now_ms: i64) -> Result<Taken, RemoteError> {
        let feature = &shared.feature;
        let lease = match feature.wanted_lease(&self.writer, by_force, now_ms) {
            Err(held) => return Ok(Taken::Held(*held)),
            Ok(lease) if Some(&lease) == feature.lease() => return Ok(Taken::Ours(shared.clone())),
            Ok(lease) => lease,
        };
        let mut taken = shared.clone();
        taken.lease_at = Some(self.write_lease(shared, &lease)?);
        taken.feature.leases.push(lease);
        let pushed: Vec<_> =
            taken.lease_at.clone().map(|commit| (commit, refs::lease(&feature.uuid))).into_iter().collect();
        match self.push(&pushed)? {
            Pushed::All => Ok(Taken::Ours(taken)),
            Pushed::Refused(detail) => {
                self.fetch()?;
                match self.read(&feature.uuid)?.feature.lease() {
                    Some(held) if Some(held) != feature.lease() => Ok(Taken::Held(held.clone())),
                    _ => Err(RemoteError::Refused { remote: self.name.clone(), detail }),
                }
            }
        }
    }

    fn write_lease(&self, shared: &Shared, lease: &Lease) -> Result<String, RemoteError> {
        let text = lease.encode();
        let signature = hex(&self.signer.sign(LEASE, &[text.as_bytes()]));
        let what = format!("lease {}", lease.fence);
        let before = shared.lease_at.as_deref();
        let nothing = Anchors::new();
        Ok(commits::write(self.repository, before, (&text, &signature), &nothing, None, &what)?)
    }

    /// Adds to this clone's log, without the remote.
    pub fn add(&self, shared: &Shared, content: Content, anchors: &Anchors) -> Result<Shared, RemoteError> {
        let (feature, called) = (&shared.feature, content.called.clone());
        let pack = feature.next_pack(&self.writer, content);
        let text = pack.encode();
        let signature = hex(&self.signer.sign(PACK, &[text.as_bytes()]));
        let about = format!("{called}, pack {}", pack.number);
        let clone = self.writer.clone.clone();
        let before = shared.tips.get(&clone).map(String::as_str);
        let tip = Some(pack.tip.as_str()).filter(|tip| !tip.is_empty());
        let commit = commits::write(self.repository, before, (&text, &signature), anchors, tip, &about)?;
        let mut added = shared.clone();
        let pushed = added.feature.push(pack, &self.signer.public().hex());
        pushed.map_err(|detail| Altered {
            feature: feature.uuid.clone(),
            what: "the log of this clone".to_owned(),
            detail,
        })?;
        let own = refs::log(&feature.uuid, &clone);
        let call = durable(self.repository.call(["update-ref", "--no-deref"]));
        call.arg(own).arg(&commit).arg(before.unwrap_or("")).text()?;
        added.commits.entry(clone.clone()).or_default().push(commit.clone());
        added.tips.insert(clone, commit);
        Ok(added)
    }

    /// Pushes this clone's log, and with it the lease of a driver, moved to the end of the log and perhaps given up.
    /// Refused where another clone drives by now; then nothing was pushed.
    pub fn publish(&self, shared: &Shared, gives_up: bool) -> Result<Shared, RemoteError> {
        match self.publish_once(shared, gives_up) {
            // The answer to an earlier push was lost: the remote knew more than this clone.
            Err(RemoteError::Refused { .. }) => {
                self.publish_once(&self.read(&shared.feature.uuid)?, gives_up)
            }
            done => done,
        }
    }

    fn publish_once(&self, shared: &Shared, gives_up: bool) -> Result<Shared, RemoteError> {
        let (mut shared, uuid) = (shared.clone(), shared.feature.uuid.clone());
        let own = refs::log(&uuid, &self.writer.clone);
        let there = own.replacen(refs::SHARED, &refs::fetched(&self.name), 1);
        let there = self.repository.call(["rev-parse", "--verify", "--quiet"]).arg(there).text().ok();
        let tip = shared.tips.get(&self.writer.clone).filter(|tip| there.as_ref() != Some(*tip)).cloned();
        let mut pushed: Vec<_> = tip.map(|tip| (tip, own)).into_iter().collect();
        let steps = shared.feature.next_leases(&self.writer.clone, gives_up);
        let is_moved = !steps.is_empty();
        for step in steps {
            shared.lease_at = Some(self.write_lease(&shared, &step)?);
            shared.feature.leases.push(step);
        }
        if is_moved {
            pushed.extend(shared.lease_at.clone().map(|commit| (commit, refs::lease(&uuid))));
        }
        match self.push(&pushed)? {
            Pushed::All => Ok(shared),
            Pushed::Refused(detail) => {
                self.fetch()?;
                let now = self.read(&uuid)?.feature;
                match now.lease() {
                    Some(held) if is_moved && held.holder != self.writer.clone => {
                        let (called, lease) = (now.called().to_owned(), Box::new(held.clone()));
                        Err(RemoteError::Fenced { called, lease })
                    }
                    _ => Err(RemoteError::Refused { remote: self.name.clone(), detail }),
                }
            }
        }
    }

    /// Pushes a feature's branch, if that loses nothing there; otherwise why not.
    pub fn push_branch(&self, branch: &str) -> Result<Option<String>, RemoteError> {
        let full = format!("refs/heads/{branch}");
        match self.push(&[(full.clone(), full)])? {
            Pushed::All => Ok(None),
            Pushed::Refused(detail) => Ok(Some(detail)),
        }
    }

    fn push(&self, what: &[(String, String)]) -> Result<Pushed, RemoteError> {
        if what.is_empty() {
            return Ok(Pushed::All);
        }
        let call = self.repository.call(["push", "--porcelain", "--no-verify", "--no-signed", "--atomic"]);
        let call = call.arg("--recurse-submodules=no").arg("--receive-pack=git-receive-pack").reaching();
        let call = call.arg("--").arg(&self.name);
        let specs = what.iter().map(|(from, to)| format!("{from}:{to}"));
        match specs.fold(call, Call::arg).text() {
            Ok(_) => {
                self.note(what)?;
                Ok(Pushed::All)
            }
            Err(error) if is_refusal(error.stderr()) => Ok(Pushed::Refused(one_line(error.stderr(), 300))),
            Err(error) => Err(self.unreachable(error)),
        }
    }

    /// Notes what the remote has now as if it had been fetched.
    fn note(&self, what: &[(String, String)]) -> Result<(), RemoteError> {
        let mut lines = String::new();
        for (commit, name) in what {
            if let Some(rest) = name.strip_prefix(refs::SHARED) {
                lines.push_str(&format!("update {}{rest} {commit}\n", refs::fetched(&self.name)));
            }
        }
        if !lines.is_empty() {
            self.repository.call(["update-ref", "--stdin", "--no-deref"]).input(lines.into_bytes()).text()?;
        }
        Ok(())
    }
}

enum Pushed {
    All,
    Refused(String),
}

fn is_refusal(said: &str) -> bool {
    ["rejected", "failed to push some refs", "cannot lock ref", "atomic push failed"]
        .iter()
        .any(|word| said.contains(word))
}

/// The log or lease that a fetch did not take because it would have lost what was there.
fn rejected(said: &str) -> Option<(FeatureUuid, String)> {
    let line = said.lines().find(|line| line.contains("[rejected]"))?;
    let name = line.split_whitespace().find_map(|word| word.strip_prefix(refs::SHARED)?.strip_prefix('/'))?;
    let (uuid, name) = refs::parse(name)?;
    Some((
        uuid,
        match name {
            Name::Lease => "the lease".to_owned(),
            Name::Log(clone) => format!("the log of clone {}", clone.short()),
        },
    ))
}

/// The key that signed a text, in hex.
fn signed_by(what: &str, text: &str, signature: &str) -> Option<String> {
    let byte = |at: usize| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..signature.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    Some(whose(what, &[text.as_bytes()], &bytes)?.hex())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
