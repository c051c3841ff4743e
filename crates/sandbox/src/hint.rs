//! What a command that was held back prints, and the line of configuration that would let it.

use crate::host::NetworkHost;
use crate::policy::{Access, SandboxPolicy};
use std::collections::VecDeque;
use std::path::Path;

/// What programs say when the kernel refuses something.
const REFUSED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "permissionerror",
    "accessdenied",
    "os error 13)",
    "os error 1)",
    "read-only file system",
    "erofs",
];

/// What they say where there is something that the sandbox does not have.
const MISSING: &[&str] = &["no such file or directory", "enoent", "filenotfounderror", "os error 2)"];

/// What they say when they cannot find or reach a host.
const UNREACHABLE: &[&str] = &[
    "could not resolve",
    "couldn't resolve",
    "eai_again",
    "enotfound",
    "name resolution",
    "failed to lookup address",
    "no such host",
    "unknownhostexception",
    "failed to establish a new connection",
    "unable to resolve",
];

/// Where programs put temporary files whatever `TMPDIR` says.
const TEMPORARY: &[&str] = &["/tmp", "/var/tmp"];

/// A socket or connection is meant and no file.
const CONNECTING: &[&str] = &["connect", "socket", "network", "dial", "listen"];

/// What a command said at last, for finding out why it failed.
#[derive(Debug, Default)]
pub struct LastLines(VecDeque<String>);

impl LastLines {
    const LINES_MAX: usize = 60;
    const CHARS_MAX: usize = 2_000;

    pub fn push(&mut self, line: &str) {
        if self.0.len() == Self::LINES_MAX {
            self.0.pop_front();
        }
        self.0.push_back(line.chars().take(Self::CHARS_MAX).collect());
    }

    pub fn text(self) -> String {
        Vec::from(self.0).join("\n")
    }
}

/// Explains the end of an output, if the sandbox is the likely reason for it. Lines are looked at from the last on,
/// because what stopped a command usually stands there.
/// `exists` says what is there outside of the sandbox.
pub(crate) fn hint(output: &str, policy: &SandboxPolicy, exists: &dyn Fn(&Path) -> bool) -> Option<String> {
    let lines: Vec<&str> = output.lines().rev().collect();
    lines.iter().find_map(|line| explain(line, policy, exists)).map(|(what, setting)| {
        format!(
            "this command ran in a sandbox, which probably refused {what}; to allow that, add to [sandbox] in \
             redraft.toml: {setting} (then: redraft trust); see docs/sandbox.md"
        )
    })
}

fn explain(line: &str, policy: &SandboxPolicy, exists: &dyn Fn(&Path) -> bool) -> Option<(String, String)> {
    let lower = line.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if lower.contains("not a git repository") {
        return Some((
            "git's folder".to_owned(),
            "git = \"copy\", which gives it the latest history".to_owned(),
        ));
    }
    let network = || match host(line) {
        Some(host) => (host.to_owned(), format!("network = [{host:?}]")),
        None => ("the network".to_owned(), "network = [\"tcp:443\", \"udp\"]".to_owned()),
    };
    if says(UNREACHABLE) && !policy.network.udp {
        return Some(network());
    }
    // No setting opens these.
    let closed =
        |path: &str| policy.forbidden.folders.iter().any(|folder| Path::new(path).starts_with(folder));
    if says(MISSING) {
        let hidden = |path: &&str| access(path, policy).is_none() && exists(Path::new(path)) && !closed(path);
        let path = paths(line).find(hidden)?;
        return Some((path.to_owned(), format!("read = [{path:?}]")));
    }
    if !says(REFUSED) {
        return None;
    }
    if says(CONNECTING) {
        let unix = lower.contains("unix") || lower.contains(".sock");
        return Some(if unix && !policy.network.unix {
            ("a socket of the file system".to_owned(), "network = [\"unix\"]".to_owned())
        } else {
            network()
        });
    }
    let refused = paths(line).find(|path| access(path, policy) != Some(Access::Write) && !closed(path));
    // Temporary files have names that nobody can know before, and libraries that make them say none.
    let temporary = |path: &str| {
        let folder = TEMPORARY.iter().find(|folder| Path::new(path).starts_with(folder));
        folder.filter(|_| !exists(Path::new(path)))
    };
    let unnamed = lower.contains("tmpfile").then_some(TEMPORARY[0]);
    let folder = refused.map_or(unnamed, |path| temporary(path).copied());
    if let Some(folder) = folder.filter(|folder| access(folder, policy) != Some(Access::Write)) {
        return Some((folder.to_owned(), format!("write = [{folder:?}]")));
    }
    let path = refused?;
    let writing = lower.contains("read-only file system") || lower.contains("erofs");
    let key = if access(path, policy).is_some() || writing { "write" } else { "read" };
    Some((path.to_owned(), format!("{key} = [{path:?}]")))
}

/// The host that a line says could not be found: behind the words about it, as in `could not resolve host: simple.example.com`,
/// or else before them, as in `lookup modules.example.com: no such host`.
fn host(line: &str) -> Option<&str> {
    let lower = line.to_ascii_lowercase();
    let at = UNREACHABLE.iter().find_map(|words| lower.find(words))?;
    let (before, after) = line.split_at_checked(at)?;
    let ends = |c: char| !c.is_ascii_alphanumeric() && !".-".contains(c);
    let is_host = |word: &&str| {
        let end = word.rsplit('.').next().unwrap_or_default();
        NetworkHost::read(word).is_some()
            && end.len() > 1
            && end.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    [after, before]
        .into_iter()
        .find_map(|text| text.split(ends).map(|word| word.trim_matches('.')).find(is_host))
}

/// The absolute paths in a line.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "'\"`()[]<>,;|".contains(c);
    line.split(ends)
        .map(|word| word.trim_end_matches(['.', ':']))
        .filter(|word| word.len() > 1 && word.starts_with('/'))
}

/// What the policy grants there, as far as the names tell.
fn access(path: &str, policy: &SandboxPolicy) -> Option<Access> {
    let path = Path::new(path);
    let granted = policy.grants.iter().filter(|grant| {
        path.starts_with(&grant.path) && !grant.except.iter().any(|closed| path.starts_with(closed))
    });
    let rank = |access: Access| match access {
        Access::Write => 3,
        Access::Use => 2,
        Access::Read => 1,
        Access::Look => 0,
    };
    granted.map(|grant| grant.access).max_by_key(|access| rank(*access))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Forbidden, Grant, Least, Network, ResourceLimits};
    use std::path::PathBuf;

    #[test]
    fn a_refusal_names_the_path_and_the_setting() {
        let grant = |path: &str, access| Grant { path: PathBuf::from(path), access, except: Vec::new() };
        let policy = SandboxPolicy {
            grants: vec![
                grant("/w", Access::Write),
                grant("/usr", Access::Read),
                grant("/tmp/w", Access::Write),
            ],
            network: Network::local(),
            limits: ResourceLimits::default(),
            forbidden: Forbidden { files: Vec::new(), folders: vec![PathBuf::from("/home/u/ledger")] },
            least: Least::Nothing,
        };
        for (output, expected) in [
            ("java.nio.file.AccessDeniedException: /tmp/x7543/gone", Some("write = [\"/tmp\"]")),
            ("cat: /tmp/theirs/note: Permission denied", Some("read = [\"/tmp/theirs/note\"]")),
            ("tmpfile: Permission denied\nmake: *** [Makefile:2: test] Error 1", Some("write = [\"/tmp\"]")),
            ("touch: cannot touch '/tmp/w/x': Permission denied", None),
            (
                "cat: /home/u/.netrc: Permission denied\nmake: *** Error 1",
                Some("read = [\"/home/u/.netrc\"]"),
            ),
            (
                "mkdir: cannot create directory '/usr/share/x': Permission denied",
                Some("write = [\"/usr/share/x\"]"),
            ),
            (
                "PermissionError: [Errno 1] Operation not permitted: socket",
                Some("network = [\"tcp:443\", \"udp\"]"),
            ),
            ("Error: listen EPERM: operation not permitted /w/app.sock", Some("network = [\"unix\"]")),
            ("npm error code EAI_AGAIN", Some("network = [\"tcp:443\", \"udp\"]")),
            ("reason: getaddrinfo EAI_AGAIN packages.example.com", Some("[\"packages.example.com\"]")),
            ("curl: (6) Could not resolve host: crates.example.com", Some("[\"crates.example.com\"]")),
            ("dial tcp: lookup modules.example.com: no such host", Some("[\"modules.example.com\"]")),
            (
                "host='simple.example.com', port=443): Failed to establish a new connection",
                Some("[\"simple.example.com\"]"),
            ),
            (
                "urllib3.exceptions.NameResolutionError: Failed to establish a new connection",
                Some("\"udp\"]"),
            ),
            ("fatal: not a git repository: /x", Some("git = \"copy\"")),
            ("assertion failed: left == right", None),
            ("/w/file: Permission denied", None),
            ("touch: cannot touch '/home/u/x': Read-only file system", Some("write = [\"/home/u/x\"]")),
            ("cat: /home/u/.netrc: No such file or directory", Some("read = [\"/home/u/.netrc\"]")),
            ("cat: /home/u/gone: No such file or directory", None),
            ("cat: /w/gone: No such file or directory", None),
            ("cat: /home/u/ledger/db: Permission denied", None),
        ] {
            let said = hint(output, &policy, &|path| !path.ends_with("gone"));
            match expected {
                Some(setting) => {
                    assert!(said.as_ref().is_some_and(|said| said.contains(setting)), "{output}: {said:?}")
                }
                None => assert_eq!(said, None, "{output}"),
            }
        }
    }
}
