//! Publishes a log anew, without something that must not be in it, and takes the earlier edition away.

use crate::commits::{self, Anchors};
use crate::history::Altered;
use crate::log::Log;
use crate::pack::Pack;
use crate::refs;
use crate::remote::{PACK, Pushed, Remote, RemoteError, SharedFeature, hex};
use redraft_adapters::git::durable;

impl Remote<'_> {
    /// Begins the next edition of this clone's log, with these packs in the place of those it has. Nothing is pushed, and
    /// the earlier edition is no longer here.
    pub fn replace(
        &self,
        shared: &SharedFeature,
        packs: Vec<Pack>,
        anchors: &Anchors,
    ) -> Result<SharedFeature, RemoteError> {
        let (clone, uuid) = (self.writer.clone.clone(), &shared.feature.uuid);
        let edition = shared.feature.edition(&clone) + 1;
        let mut log = Log::new(clone.clone(), edition, self.signer.public().hex());
        let mut commits: Vec<String> = Vec::new();
        let (count, nothing) = (packs.len(), Anchors::new());
        for (at, pack) in packs.into_iter().enumerate() {
            let pack = Pack { before: log.packs.last().map(Pack::checksum).unwrap_or_default(), ..pack };
            let text = pack.encode();
            let signature = hex(&self.signer.sign(PACK, &[text.as_bytes()]));
            let anchors = if at + 1 == count { anchors } else { &nothing };
            let tip = Some(pack.tip.as_str()).filter(|tip| !tip.is_empty());
            let about = format!("{}, pack {}", pack.called, pack.number);
            let before = commits.last().map(String::as_str);
            commits.push(commits::write(self.repository, before, (&text, &signature), anchors, tip, &about)?);
            let key = log.key.clone();
            log.push(pack, &key).map_err(|detail| Altered {
                feature: uuid.clone(),
                what: "the log of this clone".to_owned(),
                detail,
            })?;
        }
        let Some(tip) = commits.last().cloned() else { return Ok(shared.clone()) };
        let mut lines = format!("create {} {tip}\n", refs::log(uuid, &clone, edition));
        for earlier in 1..edition {
            let name = refs::log(uuid, &clone, earlier);
            if self.commit(&name).is_some() {
                lines.push_str(&format!("delete {name}\n"));
            }
        }
        let call = durable(self.repository.call(["update-ref", "--stdin", "--no-deref"]));
        call.input(lines.into_bytes()).text()?;
        let mut replaced = shared.clone();
        if self.commit(&self.fetched(&refs::log(uuid, &clone, edition - 1))).is_some() {
            replaced.older.entry(clone.clone()).or_default().push(edition - 1);
        }
        replaced.feature.logs.insert(clone.clone(), log);
        replaced.tips.insert(clone.clone(), tip);
        replaced.commits.insert(clone, commits);
        Ok(replaced)
    }

    /// Takes earlier editions of this clone's log, of which the newest is published, out of the remote. Why the remote
    /// refused that, if it did.
    pub fn remove_older(&self, shared: &SharedFeature) -> Result<Option<String>, RemoteError> {
        let clone = &self.writer.clone;
        for edition in shared.older.get(clone).into_iter().flatten() {
            let name = refs::log(&shared.feature.uuid, clone, *edition);
            let fetched = self.fetched(&name);
            if self.commit(&fetched).is_none() {
                continue;
            }
            match self.push(&[(String::new(), name)])? {
                Pushed::Refused(why) if !why.contains("remote ref does not exist") => return Ok(Some(why)),
                Pushed::Refused(_) | Pushed::All => self.forget(&fetched)?,
            }
        }
        Ok(None)
    }

    /// Takes earlier editions of other clones' logs out of what was fetched.
    pub fn forget_older(&self, shared: &SharedFeature) -> Result<(), RemoteError> {
        for (clone, editions) in shared.older.iter().filter(|(clone, _)| **clone != self.writer.clone) {
            for edition in editions {
                self.forget(&self.fetched(&refs::log(&shared.feature.uuid, clone, *edition)))?;
            }
        }
        Ok(())
    }

    fn forget(&self, name: &str) -> Result<(), RemoteError> {
        Ok(durable(self.repository.call(["update-ref", "--no-deref", "-d"])).arg(name).text().map(drop)?)
    }

    /// Whether this clone's log, or what is to be removed of it, is not in the remote yet.
    pub fn has_unsent(&self, shared: &SharedFeature) -> bool {
        let clone = &self.writer.clone;
        let name = refs::log(&shared.feature.uuid, clone, shared.feature.edition(clone));
        let tip = shared.tips.get(clone);
        tip.is_some()
            && (self.commit(&self.fetched(&name)).as_ref() != tip || shared.older.contains_key(clone))
    }

    /// Under which name a ref is kept here that was fetched.
    pub(crate) fn fetched(&self, name: &str) -> String {
        name.replacen(refs::SHARED, &refs::fetched(&self.name), 1)
    }

    /// The commit of a ref.
    pub(crate) fn commit(&self, name: &str) -> Option<String> {
        self.repository.call(["rev-parse", "--verify", "--quiet"]).arg(name).text().ok()
    }
}
