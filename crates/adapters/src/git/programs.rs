//! Programs that a repository's own configuration makes git start, and how they are kept from being started.
//!
//! `.git/config` is data of whoever made the repository, or of an agent that worked in it. What the user's own or the
//! machine's configuration names may run. Whatever the repository's own files name (or files they include, under any
//! condition) is overruled in every call of ours, unless a person has accepted it. The configuration is looked at again
//! whenever one of its files has changed. Start at [`Guard::overrules`]; [`Repository::wanted_programs`] is for asking.

use super::error::GitError;
use super::files::os_path;
use super::glance::Glance;
use super::repository::Repository;
use super::run::Git;
use crate::trust::{self, Place, Trust};
use redraft_core::ids::BlobId;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A setting of the repository's own configuration that makes git start a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// As in `filter.lfs.clean`.
    pub key: String,
    /// On one line, with every hidden character written out.
    pub value: String,
    /// The file it stands in.
    pub file: String,
    written: String,
}

impl Program {
    /// What is accepted when a person accepts it.
    pub fn hash(&self) -> BlobId {
        trust::hash_of("git", [(self.key.as_str(), self.written.as_str())])
    }

    /// The line that a person reads.
    pub fn line(&self) -> String {
        format!("{} = {} (in {})", trust::visible(&self.key), self.value, trust::visible(&self.file))
    }
}

/// What is done about a key that names a program.
struct Danger {
    section: &'static str,
    /// Whether a name stands between section and variable.
    named: Named,
    variable: &'static str,
    /// What holds instead, where the user's own configuration says nothing.
    instead: &'static str,
    need: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    No,
    Yes,
    Either,
}

/// When our calls would need it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Never,
    /// Where an attribute of a tracked file has this name and the driver's.
    Attribute(&'static str),
    /// Where commits are signed.
    Signing,
    /// Where objects may have to be fetched.
    Fetching,
}

const fn danger(
    section: &'static str,
    named: Named,
    variable: &'static str,
    instead: &'static str,
    need: Need,
) -> Danger {
    Danger { section, named, variable, instead, need }
}

/// Everything that git starts because of its configuration, but for what every call of ours switches off by itself: hooks,
/// fsmonitor, pager, editor. Aliases never take the place of git's own commands. A driver that must be there and cannot be
/// left out fails (`false`), which is noticed, rather than giving something else.
const DANGERS: [Danger; 27] = [
    danger("filter", Named::Yes, "clean", "", Need::Attribute("filter")),
    danger("filter", Named::Yes, "smudge", "", Need::Attribute("filter")),
    danger("filter", Named::Yes, "process", "", Need::Attribute("filter")),
    danger("merge", Named::Yes, "driver", "false", Need::Attribute("merge")),
    danger("gpg", Named::No, "program", "gpg", Need::Signing),
    danger("gpg", Named::Yes, "program", "", Need::Signing),
    danger("gpg", Named::Yes, "defaultkeycommand", "", Need::Signing),
    danger("diff", Named::No, "external", "false", Need::Never),
    danger("diff", Named::Yes, "command", "false", Need::Never),
    danger("diff", Named::Yes, "textconv", "cat", Need::Never),
    danger("core", Named::No, "sshcommand", "ssh", Need::Fetching),
    danger("core", Named::No, "gitproxy", "none", Need::Fetching),
    danger("core", Named::No, "askpass", "", Need::Fetching),
    danger("core", Named::No, "editor", "true", Need::Never),
    danger("core", Named::No, "pager", "cat", Need::Never),
    danger("core", Named::No, "alternaterefscommand", "true", Need::Never),
    danger("sequence", Named::No, "editor", "true", Need::Never),
    danger("credential", Named::Either, "helper", "", Need::Fetching),
    danger("remote", Named::Yes, "uploadpack", "git-upload-pack", Need::Fetching),
    danger("remote", Named::Yes, "receivepack", "git-receive-pack", Need::Fetching),
    danger("remote", Named::Yes, "vcs", "", Need::Fetching),
    danger("trailer", Named::Yes, "command", "true", Need::Never),
    danger("trailer", Named::Yes, "cmd", "true", Need::Never),
    danger("hook", Named::Yes, "command", "true", Need::Never),
    danger("submodule", Named::Yes, "update", "none", Need::Never),
    danger("uploadpack", Named::No, "packobjectshook", "", Need::Never),
    danger("protocol", Named::Either, "allow", "user", Need::Never),
];

/// What a file of the repository must have in it, in any case of letters, before it can name a program or another file.
/// Names of sections and variables cannot be broken up in git's syntax.
const SIGNS: [&str; 18] = [
    "include",
    "filter",
    "driver",
    "gpg",
    "external",
    "command",
    "textconv",
    "proxy",
    "askpass",
    "editor",
    "pager",
    "helper",
    "pack",
    "vcs",
    "trailer",
    "hook",
    "submodule",
    "protocol",
];

/// Files that include each other deeper than git itself follows them.
const INCLUDES_MAX: usize = 10;

/// More than any configuration.
const BYTES_MAX: u64 = 1024 * 1024;

/// What is known of the configurations that were looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    trust: Trust,
    /// The main checkout of the repository it is for; none before that is known.
    checkout: Option<PathBuf>,
    known: Arc<Mutex<BTreeMap<Asked, Looked>>>,
}

/// Where a call is made: the folder, and the git folder where the call names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    pub(super) folder: PathBuf,
    pub(super) git: Option<PathBuf>,
}

#[derive(Debug, Clone, Default)]
struct Looked {
    /// The files it came from; none where that is not known.
    stamps: Option<Vec<(PathBuf, Option<Stamp>)>>,
    overrules: Vec<(String, String)>,
    /// What is overruled.
    programs: Vec<Program>,
}

/// What changes whenever a file does, also when its times are set back.
type Stamp = (u64, u64, i64, i64, i64, i64);

/// One line of the configuration.
struct Entry {
    /// Whether the repository says so.
    own: bool,
    file: PathBuf,
    key: String,
    value: String,
}

impl Guard {
    pub(super) fn new(trust: Trust) -> Guard {
        Guard { trust, checkout: None, known: Arc::default() }
    }

    /// The same for the repository with this main checkout.
    pub(super) fn of_checkout(&self, main: &Path) -> Guard {
        Guard { checkout: Some(main.to_owned()), ..Guard::new(self.trust.clone()) }
    }

    pub(super) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// The settings that keep the repository's programs from being started in a call.
    pub(super) fn overrules(&self, git: &Git, asked: &Asked) -> Result<Vec<(String, String)>, GitError> {
        Ok(self.look(git, asked)?.overrules)
    }

    fn look(&self, git: &Git, asked: &Asked) -> Result<Looked, GitError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(looked) = known().get(asked).filter(|looked| looked.is_current()) {
            return Ok(looked.clone());
        }
        let looked = self.look_afresh(git, asked)?;
        known().insert(asked.clone(), looked.clone());
        Ok(looked)
    }

    fn look_afresh(&self, git: &Git, asked: &Asked) -> Result<Looked, GitError> {
        let own = own_files(asked);
        // The stamps are taken before the files are read: what changes in between is read again.
        let mut files: Vec<PathBuf> = own.iter().flatten().cloned().collect();
        files.extend(self.trust.file().map(Path::to_owned));
        let before = stamped(&files);
        if own.as_ref().is_some_and(|own| own.iter().all(|file| is_plain(file))) {
            return Ok(Looked { stamps: Some(before), ..Looked::default() });
        }
        let (entries, more) = entries(git, asked)?;
        let stamps = own.and(more).map(|more| before.into_iter().chain(stamped(&more)).collect());
        let (common, checkout) = (asked.common(), self.checkout.clone().or_else(|| asked.main_checkout()));
        let place = common.as_deref().zip(checkout.as_deref());
        let place = place.map(|(git, checkout)| Place { git, checkout });
        let accepted = place.and_then(|place| self.trust.accepted(place).ok()).unwrap_or_default();
        let (overrules, programs) = overruled(&entries, &accepted);
        Ok(Looked { stamps, overrules, programs })
    }
}

impl Looked {
    fn is_current(&self) -> bool {
        self.stamps.as_ref().is_some_and(|stamps| stamps.iter().all(|(file, then)| stamp(file) == *then))
    }
}

impl Asked {
    /// The git folder of the checkout, and the one that all checkouts share.
    fn folders(&self) -> Option<(PathBuf, PathBuf)> {
        match &self.git {
            None => Glance::at(&self.folder).map(|glance| glance.folders()),
            Some(git) => Some((git.clone(), super::glance::common_of(git)?)),
        }
    }

    fn common(&self) -> Option<PathBuf> {
        Some(self.folders()?.1)
    }

    /// The main checkout, as far as a glance can tell.
    fn main_checkout(&self) -> Option<PathBuf> {
        Glance::at(&self.folder)?.main_checkout()
    }
}

/// The files of the repository's own configuration, whether or not they are there; none where that cannot be told.
fn own_files(asked: &Asked) -> Option<Vec<PathBuf>> {
    let (git, common) = asked.folders()?;
    Some(vec![common.join("config"), common.join("config.worktree"), git.join("config.worktree")])
}

/// Whether a file surely names neither a program nor another file.
fn is_plain(file: &Path) -> bool {
    if file.symlink_metadata().is_err() {
        return true;
    }
    let Ok(bytes) = crate::plain_file::read(file, BYTES_MAX) else { return false };
    let text = bytes.to_ascii_lowercase();
    SIGNS.iter().all(|sign| !text.windows(sign.len()).any(|part| part == sign.as_bytes()))
}

/// Everything that is configured, in git's order: what comes later is stronger. And the files that the repository's own
/// part comes from, whether or not they are there; none where only git knows which are meant.
fn entries(git: &Git, asked: &Asked) -> Result<(Vec<Entry>, Option<Vec<PathBuf>>), GitError> {
    let mut entries = listed(git, asked, None)?;
    let mut files = Some(Vec::new());
    // A condition that does not hold now may hold in a moment, on another branch or in another worktree, so all files are
    // read that are included under any.
    let mut seen = BTreeSet::new();
    let mut new: Vec<(PathBuf, String)> = includes(&entries);
    for _ in 0..INCLUDES_MAX {
        new.retain(|include| seen.insert(include.clone()));
        let mut more = Vec::new();
        for (folder, path) in &new {
            // Git alone knows whose home is meant.
            let special = path.starts_with('~') || path.starts_with("%(prefix)");
            let place = if special { PathBuf::from(path) } else { folder.join(path) };
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
        call = call.setting(format!("include.path={}", file.to_string_lossy()));
    }
    let mut entries = Vec::new();
    for line in call.list()?.chunks(3) {
        let [scope, origin, setting] = line else { continue };
        let (key, value) = split(setting);
        let path = origin.strip_prefix(b"file:").map(|path| asked.folder.join(os_path(path)));
        // What our calls or the user's environment say is no file's; what a file says in that place was included by us.
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
fn includes(entries: &[Entry]) -> Vec<(PathBuf, String)> {
    let is_include = |entry: &&Entry| {
        let conditional = entry.key.starts_with("includeif.") && entry.key.ends_with(".path");
        entry.own && (conditional || entry.key == "include.path")
    };
    let place =
        |entry: &Entry| (entry.file.parent().unwrap_or(Path::new("/")).to_owned(), entry.value.clone());
    entries.iter().filter(is_include).map(place).collect()
}

/// A setting as git lists it: the key, a line break, the value. One without a value means yes.
fn split(setting: &[u8]) -> (String, String) {
    let text = String::from_utf8_lossy(setting).into_owned();
    match text.split_once('\n') {
        Some((key, value)) => (key.to_owned(), value.to_owned()),
        None => (text, String::new()),
    }
}

/// Which of these settings are overruled and by what.
fn overruled(entries: &[Entry], accepted: &[BlobId]) -> (Vec<(String, String)>, Vec<Program>) {
    let mut programs: Vec<Program> = Vec::new();
    let mut overrules = Vec::new();
    let mut keys = BTreeSet::new();
    for entry in entries.iter().filter(|entry| entry.own) {
        let Some(danger) = Danger::of(&entry.key) else { continue };
        let program = Program {
            key: entry.key.clone(),
            value: trust::quoted(&entry.value),
            file: entry.file.display().to_string(),
            written: entry.value.clone(),
        };
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
            // An empty one takes back all that came before it, the user's own as well.
            overrules.push((entry.key.clone(), String::new()));
            overrules.extend(users.iter().map(|user| (entry.key.clone(), user.value.clone())));
            continue;
        }
        let instead = users.last().map_or(danger.instead(&entry.key), |user| user.value.as_str());
        overrules.push((entry.key.clone(), instead.to_owned()));
        if let ("filter", Some((driver, _))) = (danger.section, entry.key.rsplit_once('.'))
            && users.is_empty()
        {
            // A filter that must be there would stop git without its program.
            overrules.push((format!("{driver}.required"), "false".to_owned()));
        }
    }
    (overrules, programs)
}

impl Danger {
    fn of(key: &str) -> Option<&'static Danger> {
        let (section, rest) = key.split_once('.')?;
        let (name, variable) = match rest.rsplit_once('.') {
            Some((name, variable)) => (Some(name), variable),
            None => (None, rest),
        };
        DANGERS.iter().find(|danger| {
            let named = match danger.named {
                Named::No => name.is_none(),
                Named::Yes => name.is_some(),
                Named::Either => true,
            };
            named && danger.section == section && danger.variable == variable
        })
    }

    /// Values that start nothing.
    fn is_harmless(&self, value: &str) -> bool {
        match (self.section, self.variable) {
            ("submodule", "update") => !value.starts_with('!'),
            ("protocol", "allow") => value != "always" && value != "user",
            _ => value.is_empty(),
        }
    }

    /// What holds in place of the program, where that depends on the name.
    fn instead(&self, key: &str) -> &'static str {
        match (self.section, key) {
            ("gpg", "gpg.openpgp.program") => "gpg",
            ("gpg", "gpg.x509.program") => "gpgsm",
            ("gpg", "gpg.ssh.program") => "ssh-keygen",
            ("protocol", "protocol.ext.allow" | "protocol.allow") => "never",
            _ => self.instead,
        }
    }
}

impl Repository {
    /// Programs of the repository's own configuration that our calls would need here and that nobody has accepted: for
    /// files whose attributes name them, for signing, for fetching what a partial clone has left out.
    pub fn wanted_programs(&self) -> Result<Vec<Program>, GitError> {
        let mut programs: Vec<Program> = Vec::new();
        for folder in [self.main_checkout(), self.here()] {
            let asked = Asked { folder: folder.to_owned(), git: None };
            let looked = self.git.guard().look(&self.git, &asked)?;
            programs.extend(looked.programs);
        }
        programs.dedup();
        if programs.is_empty() {
            return Ok(programs);
        }
        let signs = self.call(["config", "--type=bool", "--get", "commit.gpgSign"]).end()?;
        let signs = signs.stdout.trim_ascii() == b"true";
        let partial =
            self.call(["config", "--get-regexp", "^remote\\..*\\.promisor$"]).end()?.code == Some(0);
        let attributes = self.attributes()?;
        let mut wanted = BTreeMap::new();
        for program in programs {
            let Some(danger) = Danger::of(&program.key) else { continue };
            let needed = match danger.need {
                Need::Never => false,
                Need::Signing => signs,
                Need::Fetching => partial,
                Need::Attribute(attribute) => {
                    let name = program.key.split_once('.').and_then(|(_, rest)| rest.rsplit_once('.'));
                    name.is_some_and(|(name, _)| {
                        attributes.contains(&(attribute.to_owned(), name.to_owned()))
                    })
                }
            };
            if needed {
                wanted.insert((program.key.clone(), program.written.clone()), program);
            }
        }
        Ok(wanted.into_values().collect())
    }

    /// The filters and merge drivers that attributes of tracked files name.
    fn attributes(&self) -> Result<BTreeSet<(String, String)>, GitError> {
        let files = self.call(["ls-files", "-z"]).list()?;
        let call = self.call(["check-attr", "-z", "--stdin", "filter", "merge"]);
        let told = call.input_list(files.iter().map(Vec::as_slice)).list()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let named = told.chunks(3).filter_map(|line| match line {
            [_, attribute, name] => Some((text(attribute), text(name))),
            _ => None,
        });
        Ok(named.collect())
    }
}

fn stamped(files: &[PathBuf]) -> Vec<(PathBuf, Option<Stamp>)> {
    files.iter().map(|file| (file.clone(), stamp(file))).collect()
}

#[cfg(unix)]
fn stamp(file: &Path) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(file).ok()?;
    Some((found.ino(), found.len(), found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()))
}

#[cfg(not(unix))]
fn stamp(file: &Path) -> Option<Stamp> {
    let found = fs::metadata(file).ok()?;
    let at = found.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((0, found.len(), at.as_secs() as i64, i64::from(at.subsec_nanos()), 0, 0))
}

#[cfg(test)]
mod tests;
