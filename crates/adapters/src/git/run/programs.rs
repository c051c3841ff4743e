//! Programs that a repository's own configuration makes git start, and how they are kept from being started.
//!
//! `.git/config` was written by the author of the repository, or by an agent that worked in it. Programs that the
//! user's own or the machine's configuration names may run. Whatever the repository's own files name (or files they
//! include, under any condition) is overruled in every call of ours, unless a person has accepted it. The configuration
//! is looked at again whenever one of its files has changed. Keys and values are bytes, as they are for git.
//!
//! Start at [`Guard::verdict`]; what a person has to be asked about is found in `wanted_programs`. `dangers` says what is
//! overruled, `place` which files are looked at.

mod dangers;
mod place;

pub(super) use place::Asked;

use super::Git;
use crate::git::error::GitError;
use crate::git::files::{os_path, path_bytes};
use crate::git::locate::CheckoutLocation;
use crate::git::stamp::{self, Stamps};
use crate::trust::{self, Trust};
use dangers::{Danger, Need};
use place::{Folders, Key, Place};
use redraft_facts::ids::BlobId;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A setting of the repository's own configuration that makes git, or a filter that git starts, start a program or
/// leads it elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredProgram {
    /// As in `filter.lfs.clean`; like the rest on one line, with every hidden character written out.
    pub key: String,
    pub value: String,
    /// The file it stands in.
    pub file: String,
    /// Key and value as they are.
    named: Vec<u8>,
    written: Vec<u8>,
}

impl ConfiguredProgram {
    fn from_entry(entry: &Entry) -> ConfiguredProgram {
        ConfiguredProgram {
            key: trust::visible_bytes(&entry.key),
            value: trust::quoted_bytes(&entry.value),
            file: trust::visible_bytes(&path_bytes(&entry.file)),
            named: entry.key.clone(),
            written: entry.value.clone(),
        }
    }

    /// What is accepted when a person accepts it.
    pub fn hash(&self) -> BlobId {
        trust::hash_of("git", [(&self.named, &self.written)])
    }

    /// Key and value as git has them.
    pub(in crate::git) fn setting(&self) -> Pair {
        (self.named.clone(), self.written.clone())
    }

    /// Whether our calls would need it, in a repository that signs its commits or not, with these attributes of its
    /// files and the names they have.
    pub(in crate::git) fn is_needed(&self, signs: bool, attributes: &BTreeSet<Pair>) -> bool {
        let has = |attribute: &str, name: &[u8]| {
            attributes.contains(&(attribute.as_bytes().to_vec(), name.to_vec()))
        };
        match Danger::for_key(&self.named).map(|danger| danger.need) {
            None | Some(Need::Never) => false,
            Some(Need::Signing) => signs,
            Some(Need::Lfs) => has("filter", b"lfs"),
            Some(Need::Attribute(attribute)) => {
                dangers::name_in(&self.named).is_some_and(|name| has(attribute, name))
            }
        }
    }

    /// The line that a person reads.
    pub fn line(&self) -> String {
        format!("{} = {} (in {})", self.key, self.value, self.file)
    }
}

/// Git itself follows includes no deeper.
const INCLUDES_MAX: usize = 10;

/// More than any configuration has.
const BYTES_MAX: u64 = 1024 * 1024;

/// What is known about the configurations that were looked at.
#[derive(Debug, Clone, Default)]
pub(in crate::git) struct Guard {
    trust: Trust,
    /// The main checkout of the repository it is for; none before that is known.
    checkout: Option<PathBuf>,
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    places: BTreeMap<Key, Place>,
    looked: BTreeMap<Key, Looked>,
}

/// What a call must know about the configuration it runs with.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict {
    /// The settings that keep the repository's programs from being started.
    pub(super) overrules: Overrules,
    /// Whether a server may have objects that are not here.
    pub(super) partial: bool,
}

#[derive(Debug, Clone, Default)]
struct Looked {
    /// The files it came from; none where that is not known.
    stamps: Option<Stamps>,
    verdict: Verdict,
    /// What is overruled.
    programs: Vec<ConfiguredProgram>,
}

/// One line of the configuration.
struct Entry {
    /// Whether it is from the repository's own files.
    own: bool,
    file: PathBuf,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Guard {
    pub(super) fn new(trust: Trust) -> Guard {
        Guard { trust, checkout: None, known: Arc::default() }
    }

    /// The same for the repository with this main checkout. What was accepted depends on that; which folders git uses
    /// does not.
    pub(super) fn of_checkout(&self, main: &Path) -> Guard {
        let known = Known { places: self.known().places.clone(), looked: BTreeMap::new() };
        Guard {
            trust: self.trust.clone(),
            checkout: Some(main.to_owned()),
            known: Arc::new(Mutex::new(known)),
        }
    }

    pub(in crate::git) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// What a call made there must know.
    pub(super) fn verdict(&self, git: &Git, asked: &Asked) -> Result<Verdict, GitError> {
        Ok(self.look(git, asked)?.verdict)
    }

    /// What is overruled in a folder.
    pub(in crate::git) fn overruled(
        &self,
        git: &Git,
        folder: &Path,
    ) -> Result<Vec<ConfiguredProgram>, GitError> {
        Ok(self.look(git, &Asked { folder: folder.to_owned(), git: None })?.programs)
    }

    /// Remembers which folders git uses in a checkout, so that it need not be asked, whether or not a call names the git
    /// folder itself.
    pub(in crate::git) fn told(&self, checkout: &Path, git: &Path, common: &Path) {
        for named in [None, Some(git.to_owned())] {
            let asked = Asked { folder: checkout.to_owned(), git: named };
            let place = Place::told(&asked, Folders { git: git.to_owned(), common: common.to_owned() });
            self.known().places.insert(asked.key(), place);
        }
    }

    fn look(&self, git: &Git, asked: &Asked) -> Result<Looked, GitError> {
        let key = asked.key();
        let place = self.known().places.get(&key).filter(|place| place.is_current()).cloned();
        if place.is_some()
            && let Some(looked) = self.known().looked.get(&key).filter(|looked| looked.is_current())
        {
            return Ok(looked.clone());
        }
        let place = place.map_or_else(|| Place::ask(git, asked), Ok)?;
        let looked = self.look_afresh(git, asked, place.folders.as_ref())?;
        let mut known = self.known();
        known.places.insert(key.clone(), place);
        known.looked.insert(key, looked.clone());
        Ok(looked)
    }

    fn look_afresh(&self, git: &Git, asked: &Asked, folders: Option<&Folders>) -> Result<Looked, GitError> {
        let Some(folders) = folders else {
            return Ok(Looked { stamps: Some(Stamps::new()), ..Looked::default() });
        };
        let own = folders.own_files();
        // The stamps are taken before the files are read: what changes in between is read again.
        let mut before = stamp::stamped(own.clone());
        before.extend(stamp::stamped(self.trust.file().map(Path::to_owned).into_iter().collect()));
        if own.iter().all(|file| is_plain(file)) {
            return Ok(Looked { stamps: Some(before), ..Looked::default() });
        }
        let (entries, more) = entries(git, asked)?;
        let stamps = more.map(|more| before.into_iter().chain(stamp::stamped(more)).collect());
        let glance = || CheckoutLocation::at(&asked.folder).and_then(|glance| glance.main_checkout());
        let checkout = self.checkout.clone().or_else(glance);
        let known =
            checkout.as_deref().map(|checkout| trust::RepositoryPlace { git: &folders.common, checkout });
        let accepted = known.and_then(|known| self.trust.accepted(known).ok()).unwrap_or_default();
        let (overrules, programs) = overruled(&entries, &accepted);
        let partial = entries.iter().any(|entry| dangers::is_partial(&entry.key));
        Ok(Looked { stamps, verdict: Verdict { overrules, partial }, programs })
    }

    /// A panic elsewhere cannot leave it half written, so a poisoned lock is as good.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Looked {
    fn is_current(&self) -> bool {
        self.stamps.as_ref().is_some_and(stamp::are_current)
    }
}

/// Whether a file certainly names neither a program nor another file.
fn is_plain(file: &Path) -> bool {
    if file.symlink_metadata().is_err() {
        return true;
    }
    crate::plain_file::read(file, BYTES_MAX).is_ok_and(|bytes| dangers::is_plain(&bytes))
}

/// Everything that is configured, in git's order: what comes later is stronger. And the files that the repository's own
/// part comes from, whether or not they are there; none where only git knows which are meant.
fn entries(git: &Git, asked: &Asked) -> Result<(Vec<Entry>, Option<Vec<PathBuf>>), GitError> {
    let mut entries = listed(git, asked, None)?;
    let mut files = Some(Vec::new());
    // A condition that does not hold now may hold in a moment, on another branch or in another worktree, so included
    // files are read whatever the condition.
    let mut seen = BTreeSet::new();
    let mut new: Vec<(PathBuf, Vec<u8>)> = includes(&entries);
    for _ in 0..INCLUDES_MAX {
        new.retain(|include| seen.insert(include.clone()));
        let mut more = Vec::new();
        for (folder, path) in &new {
            // Only git knows whose home is meant.
            let special = path.starts_with(b"~") || path.starts_with(b"%(prefix)");
            let place = if special { os_path(path) } else { folder.join(os_path(path)) };
            more.extend(listed(git, asked, Some(&place))?);
            files = files.filter(|_| !special);
            files.iter_mut().for_each(|files| files.push(place.clone()));
        }
        new = includes(&more);
        entries.extend(more);
    }
    let own = entries.iter().filter(|entry| entry.own).map(|entry| entry.file.clone());
    files.iter_mut().for_each(|files| files.extend(own.clone().collect::<BTreeSet<_>>()));
    Ok((entries, files))
}

/// What git lists here, or only what one more file would add.
fn listed(git: &Git, asked: &Asked, file: Option<&Path>) -> Result<Vec<Entry>, GitError> {
    let ask = ["config", "--list", "--show-scope", "--show-origin", "-z"];
    let mut call = git.unguarded(&asked.folder, ask);
    if let Some(dir) = &asked.git {
        call = call.env("GIT_DIR", dir);
    }
    if let Some(file) = file {
        let mut setting = OsString::from("include.path=");
        setting.push(file);
        call = call.setting(setting);
    }
    let mut entries = Vec::new();
    for line in call.list()?.chunks(3) {
        let [scope, origin, setting] = line else {
            let detail = "the configuration cannot be read".to_owned();
            return Err(GitError::Broken { command: "git config --list".to_owned(), detail });
        };
        let (key, value) = split(setting);
        let path = origin.strip_prefix(b"file:").map(|path| asked.folder.join(os_path(path)));
        // Pairs of our calls or of the user's environment are in no file; a file in this scope was included by us.
        let of_call = scope.as_slice() == b"command";
        let own = match file {
            None => !of_call && !matches!(scope.as_slice(), b"system" | b"global"),
            Some(_) if of_call && path.is_some() => true,
            Some(_) => continue,
        };
        entries.push(Entry { own, file: path.unwrap_or_default(), key, value });
    }
    Ok(entries)
}

/// The files that the repository's own entries include: the folder they are relative to, and what is written.
fn includes(entries: &[Entry]) -> Vec<(PathBuf, Vec<u8>)> {
    let is_include = |entry: &&Entry| {
        let conditional = entry.key.starts_with(b"includeif.") && entry.key.ends_with(b".path");
        entry.own && (conditional || entry.key == b"include.path")
    };
    let place =
        |entry: &Entry| (entry.file.parent().unwrap_or(Path::new("/")).to_owned(), entry.value.clone());
    entries.iter().filter(is_include).map(place).collect()
}

/// A setting as git lists it: the key, a line break, the value. One without a value means yes.
fn split(setting: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut parts = setting.splitn(2, |byte| *byte == b'\n').map(<[u8]>::to_vec);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// A key and a value, an attribute and a name: what git lists in pairs, as it is.
type Pair = (Vec<u8>, Vec<u8>);

/// Pairs, and what they are overruled by.
type Overrules = Vec<Pair>;

/// Which of these settings are overruled and by what.
fn overruled(entries: &[Entry], accepted: &[BlobId]) -> (Overrules, Vec<ConfiguredProgram>) {
    let mut programs: Vec<ConfiguredProgram> = Vec::new();
    let mut overrules = Vec::new();
    let mut keys = BTreeSet::new();
    for entry in entries.iter().filter(|entry| entry.own) {
        let Some(danger) = Danger::for_key(&entry.key) else { continue };
        let program = ConfiguredProgram::from_entry(entry);
        if danger.is_harmless(&entry.value) || accepted.contains(&program.hash()) {
            continue;
        }
        if !programs.contains(&program) {
            programs.push(program);
        }
        if !keys.insert(entry.key.clone()) {
            continue;
        }
        let users: Vec<&Entry> = entries.iter().filter(|one| !one.own && one.key == entry.key).collect();
        if danger.variable == "helper" {
            // An empty value takes back all that came before it, including the user's own.
            overrules.push((entry.key.clone(), Vec::new()));
            overrules.extend(users.iter().map(|user| (entry.key.clone(), user.value.clone())));
            continue;
        }
        let instead = users.last().map_or(danger.instead(&entry.key).as_bytes(), |user| &user.value);
        overrules.push((entry.key.clone(), instead.to_owned()));
        if danger.section == "filter" && users.is_empty() {
            // A required filter would stop git without its program.
            let driver = entry.key.strip_suffix(danger.variable.as_bytes()).unwrap_or_default();
            overrules.push(([driver, b"required"].concat(), b"false".to_vec()));
        }
    }
    (overrules, programs)
}

#[cfg(test)]
mod tests;
