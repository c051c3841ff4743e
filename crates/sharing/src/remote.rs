//! The logs and leases of a git remote: fetching them, adding to one's own, taking and giving up a lease.
//!
//! Nothing is ever forced. A log is only pushed by its clone, and grows; a lease grows too, so that of two clones that
//! take it at once the remote accepts one. A driver pushes its log and its lease together or not at all.

use crate::commits::{self, Anchors};
use crate::feature::{Feature, LogWriter, PackContent};
use crate::history::Altered;
use crate::lease::Lease;
use crate::point::CloneId;
use crate::refs::{self, Name};
use redraft_adapters::git::{Call, GitError, Repository, durable};
use redraft_adapters::signing::Signer;
use redraft_facts::ids::FeatureUuid;
use redraft_facts::text::one_line;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Keep signatures of packs and leases apart from those of anything else.
pub(crate) const PACK: &str = "redraft shared pack 1";
pub(crate) const LEASE: &str = "redraft shared lease 1";

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
    pub writer: LogWriter,
    pub signer: Arc<Signer>,
}

/// A feature as git has it.
#[derive(Debug, Clone)]
pub struct SharedFeature {
    pub feature: Feature,
    /// The commit of the last lease.
    pub(crate) lease_at: Option<String>,
    /// The commit of each log's last pack.
    pub(crate) tips: BTreeMap<CloneId, String>,
    /// The commits of all packs.
    pub(crate) commits: BTreeMap<CloneId, Vec<String>>,
    /// Earlier editions of logs that are there all the same.
    pub(crate) older: BTreeMap<CloneId, Vec<u32>>,
}

/// What came of taking a lease.
#[derive(Debug, Clone)]
pub enum Taken {
    Ours(SharedFeature),
    /// It is another clone's.
    Held(Lease),
}

impl Remote<'_> {
    /// Brings here what others have published since. What the remote had and no longer has is told; this clone's own log
    /// is sent there again.
    pub fn fetch(&self) -> Result<Vec<Altered>, RemoteError> {
        let spec = format!("{}/*:{}/*", refs::SHARED, refs::fetched(&self.name));
        let call = self.repository.call(["fetch", "--no-tags", "--no-write-fetch-head"]);
        let call = call.arg("--no-recurse-submodules").arg("--upload-pack=git-upload-pack");
        match call.reaching().arg("--").arg(&self.name).arg(spec).text() {
            Ok(_) => Ok(Vec::new()),
            Err(error) => {
                let rejected = rejected(error.stderr());
                if rejected.is_empty() {
                    return Err(self.unreachable(error));
                }
                let mut altered = Vec::new();
                for (feature, name) in rejected {
                    if !self.is_mended(&feature, &name)? {
                        let detail = "the remote has another one than was fetched before".to_owned();
                        altered.push(Altered { feature, what: name.to_string(), detail });
                    }
                }
                Ok(altered)
            }
        }
    }

    /// Puts back what the remote has lost of this clone's log.
    fn is_mended(&self, feature: &FeatureUuid, name: &Name) -> Result<bool, RemoteError> {
        let Name::Log(clone, edition) = name else { return Ok(false) };
        let own = refs::log(feature, clone, *edition);
        let Some(commit) = self.commit(&own).filter(|_| *clone == self.writer.clone) else {
            return Ok(false);
        };
        Ok(matches!(self.push(&[(commit, own)])?, Pushed::All))
    }

    fn unreachable(&self, error: GitError) -> RemoteError {
        match error.stderr() {
            "" => RemoteError::Git(error),
            detail => RemoteError::Unreachable { remote: self.name.clone(), detail: one_line(detail, 300) },
        }
    }

    /// Takes the lease of a feature: a new or a free one, or, if `by_force`, one of a holder that is gone. Only one of
    /// several clones that try at once gets it.
    pub fn take(&self, shared: &SharedFeature, by_force: bool, now_ms: i64) -> Result<Taken, RemoteError> {
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

    fn write_lease(&self, shared: &SharedFeature, lease: &Lease) -> Result<String, RemoteError> {
        let text = lease.encode();
        let signature = hex(&self.signer.sign(LEASE, &[text.as_bytes()]));
        let what = format!("lease {}", lease.fence);
        let before = shared.lease_at.as_deref();
        let nothing = Anchors::new();
        Ok(commits::write(self.repository, before, (&text, &signature), &nothing, None, &what)?)
    }

    /// Adds to this clone's log, without the remote.
    pub fn add(
        &self,
        shared: &SharedFeature,
        content: PackContent,
        anchors: &Anchors,
    ) -> Result<SharedFeature, RemoteError> {
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
        let own = refs::log(&feature.uuid, &clone, feature.edition(&clone));
        let call = durable(self.repository.call(["update-ref", "--no-deref"]));
        call.arg(own).arg(&commit).arg(before.unwrap_or("")).text()?;
        added.commits.entry(clone.clone()).or_default().push(commit.clone());
        added.tips.insert(clone, commit);
        Ok(added)
    }

    /// Pushes this clone's log, and with it the lease of a driver, moved to the end of the log and perhaps given up.
    /// Refused where another clone drives by now; then nothing was pushed.
    pub fn publish(&self, shared: &SharedFeature, gives_up: bool) -> Result<SharedFeature, RemoteError> {
        match self.publish_once(shared, gives_up) {
            // The answer to an earlier push was lost: the remote knew more than this clone.
            Err(RemoteError::Refused { .. }) => {
                self.publish_once(&self.read(&shared.feature.uuid)?, gives_up)
            }
            done => done,
        }
    }

    fn publish_once(&self, shared: &SharedFeature, gives_up: bool) -> Result<SharedFeature, RemoteError> {
        let (mut shared, uuid) = (shared.clone(), shared.feature.uuid.clone());
        let own = refs::log(&uuid, &self.writer.clone, shared.feature.edition(&self.writer.clone));
        let there = self.commit(&self.fetched(&own));
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

    pub(crate) fn push(&self, what: &[(String, String)]) -> Result<Pushed, RemoteError> {
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
            if name.starts_with(refs::SHARED) && !commit.is_empty() {
                lines.push_str(&format!("update {} {commit}\n", self.fetched(name)));
            }
        }
        if !lines.is_empty() {
            self.repository.call(["update-ref", "--stdin", "--no-deref"]).input(lines.into_bytes()).text()?;
        }
        Ok(())
    }
}

pub(crate) enum Pushed {
    All,
    Refused(String),
}

fn is_refusal(said: &str) -> bool {
    ["rejected", "failed to push some refs", "cannot lock ref", "atomic push failed"]
        .iter()
        .any(|word| said.contains(word))
}

/// The logs and leases that a fetch did not take because it would have lost what was there.
fn rejected(said: &str) -> Vec<(FeatureUuid, Name)> {
    let lines = said.lines().filter(|line| line.contains("[rejected]"));
    let named = |line: &str| {
        let mut words = line.split_whitespace();
        refs::parse(words.find_map(|word| word.strip_prefix(refs::SHARED)?.strip_prefix('/'))?)
    };
    lines.filter_map(named).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
