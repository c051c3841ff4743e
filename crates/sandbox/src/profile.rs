//! The policy of the project's own commands: their folder, a home and a temporary folder of their own, and no more of
//! the machine than programs need to run.

mod lists;

use crate::policy::{Access, Forbidden, Grant, Least, Network, ResourceLimits, SandboxPolicy};
use lists::{HOME_SECRETS, HOME_TOOLS, SETTINGS, SYSTEM, SYSTEM_SECRETS};
pub use lists::{OF_TOOLS, POINTERS, TOOL_VARIABLES};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where a command runs and what surrounds it.
#[derive(Debug, Clone)]
pub struct Places<'p> {
    /// Writable: where it runs, its home, its temporary folder.
    pub own: &'p [PathBuf],
    pub user_home: Option<&'p Path>,
    /// The variable `PATH`.
    pub search: Option<&'p OsStr>,
    /// What [`TOOL_VARIABLES`] name.
    pub tools: &'p [PathBuf],
    /// The user's checkout: open only where the configuration names something in it.
    pub checkout: &'p Path,
    /// Open in no case.
    pub closed: &'p [PathBuf],
}

/// What a person has accepted in addition.
#[derive(Debug, Clone, Copy)]
pub struct Widening<'p> {
    pub read: &'p [PathBuf],
    pub write: &'p [PathBuf],
    pub network: &'p Network,
}

/// The policy of a command of the project.
pub fn of_command(
    places: &Places<'_>,
    wider: Widening<'_>,
    forbidden: Forbidden,
    least: Least,
) -> SandboxPolicy {
    let mut grants: Vec<Grant> = places.own.iter().map(|path| open(path, Access::Write, &[])).collect();
    let closed = places.closed.to_vec();
    let with = |more: &[PathBuf]| [closed.clone(), vec![places.checkout.to_owned()], more.to_vec()].concat();
    let home: Vec<PathBuf> = places.user_home.iter().map(|home| (*home).to_owned()).collect();
    let secrets: Vec<PathBuf> = SYSTEM_SECRETS.iter().map(PathBuf::from).collect();
    let around = with(&[home, secrets].concat());
    grants.extend(SYSTEM.iter().map(|path| open(Path::new(path), Access::Read, &around)));
    grants.extend(["/proc", "/sys"].map(|path| open(Path::new(path), Access::Look, &[])));
    let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
    grants.extend(devices.map(|path| open(Path::new(path), Access::Use, &[])));
    grants.push(open(Path::new("/dev/shm"), Access::Write, &[]));
    let keys: Vec<PathBuf> =
        places.user_home.iter().flat_map(|home| HOME_SECRETS.iter().map(|file| home.join(file))).collect();
    let around = with(&keys);
    for path in tools(places) {
        let around: Vec<PathBuf> = around
            .iter()
            .cloned()
            .chain(HOME_SECRETS.iter().filter_map(|file| path_of(&path, file)))
            .collect();
        grants.push(open(&path, Access::Read, &around));
    }
    let above = places.own.first().into_iter().flat_map(|folder| folder.ancestors().skip(1));
    let settings = above.flat_map(|folder| SETTINGS.iter().map(|file| folder.join(file)));
    grants.extend(settings.map(|path| open(&path, Access::Look, &closed)));
    grants.extend(wider.read.iter().map(|path| open(path, Access::Read, &closed)));
    grants.extend(wider.write.iter().map(|path| open(path, Access::Write, &closed)));
    SandboxPolicy {
        grants,
        network: wider.network.clone(),
        limits: ResourceLimits::default(),
        forbidden,
        least,
    }
}

fn open(path: &Path, access: Access, except: &[PathBuf]) -> Grant {
    Grant {
        path: path.to_owned(),
        access,
        except: except.iter().filter(|one| one.starts_with(path) || path.starts_with(one)).cloned().collect(),
    }
}

/// The secret file in a toolchain's folder that is not where it usually is.
fn path_of(folder: &Path, secret: &str) -> Option<PathBuf> {
    Some(folder.join(Path::new(secret).file_name()?))
}

/// Folders of toolchains: known ones of the home, those that variables name, and those that programs are found in.
fn tools(places: &Places<'_>) -> Vec<PathBuf> {
    let known = places.user_home.iter().flat_map(|home| HOME_TOOLS.iter().map(|tool| home.join(tool)));
    let searched =
        places.search.iter().flat_map(|path| std::env::split_paths(path)).filter(|path| path.is_absolute());
    let searched = searched.flat_map(|folder| around_programs(&folder, places.user_home));
    let all = known.chain(places.tools.iter().cloned()).chain(searched);
    // A variable that names the whole home, or everything, opens nothing.
    let narrow = |path: &PathBuf| {
        path.is_absolute()
            && path.parent().is_some()
            && places.user_home.is_none_or(|home| !home.starts_with(path))
    };
    let mut all: Vec<PathBuf> = all.filter(narrow).collect();
    all.sort();
    all.dedup();
    all
}

/// A folder of programs, and what it belongs to: `…/node/bin` is of little use without `…/node/lib`.
fn around_programs(folder: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let whole = folder.parent().filter(|parent| {
        let named = folder.file_name().is_some_and(|name| name == "bin" || name == "shims");
        let narrow = parent.parent().is_some()
            && home.is_none_or(|home| home != *parent && home.join(".local") != *parent);
        named && narrow
    });
    [Some(folder), whole].into_iter().flatten().map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(search: &str, tools: &[&str]) -> SandboxPolicy {
        let tools: Vec<PathBuf> = tools.iter().map(PathBuf::from).collect();
        let own = [PathBuf::from("/home/u/app/.redraft/worktrees/check-001")];
        let closed = [PathBuf::from("/home/u/app/.git"), PathBuf::from("/home/u/app/.redraft")];
        let places = Places {
            own: &own,
            user_home: Some(Path::new("/home/u")),
            search: Some(OsStr::new(search)),
            tools: &tools,
            checkout: Path::new("/home/u/app"),
            closed: &closed,
        };
        let (read, network) = ([PathBuf::from("/home/u/app/.venv")], Network::local());
        let wider = Widening { read: &read, write: &[], network: &network };
        of_command(&places, wider, Forbidden::default(), Least::Nothing)
    }

    fn access(policy: &SandboxPolicy, path: &str) -> Option<Access> {
        let path = Path::new(path);
        let open = |grant: &&Grant| {
            path.starts_with(&grant.path) && !grant.except.iter().any(|closed| path.starts_with(closed))
        };
        policy.grants.iter().find(open).map(|grant| grant.access)
    }

    #[test]
    fn the_folder_is_writable_the_system_readable_and_the_home_closed() {
        let policy = policy("/usr/bin", &[]);
        for (path, expected) in [
            ("/home/u/app/.redraft/worktrees/check-001/target", Some(Access::Write)),
            ("/usr/bin/cc", Some(Access::Read)),
            ("/etc/passwd", Some(Access::Read)),
            ("/etc/shadow", None),
            ("/proc/cpuinfo", Some(Access::Look)),
            ("/dev/null", Some(Access::Use)),
            ("/dev/sda", None),
            ("/tmp/x", None),
            ("/home/u/.ssh/id_ed25519", None),
            ("/home/u/.cargo/registry/index", Some(Access::Read)),
            ("/home/u/.cargo/credentials.toml", None),
            ("/home/u/app/redraft.toml", None),
            ("/home/u/app/.env", None),
            ("/home/u/app/src", None),
            ("/home/u/app/Cargo.toml", Some(Access::Look)),
            ("/home/u/.cargo/config.toml", Some(Access::Read)),
            ("/home/u/app/.git/redraft/ledger.db", None),
            ("/home/u/app/.redraft/worktrees/001-x/src", None),
            ("/home/u/app/.venv/bin/python", Some(Access::Read)),
        ] {
            assert_eq!(access(&policy, path), expected, "{path}");
        }
    }

    #[test]
    fn programs_bring_what_they_belong_to_and_never_a_whole_home_or_machine() {
        let policy = policy(
            "/srv/node/bin:/home/u/bin:/home/u/.local/bin:relative:/home/u/app/tools",
            &["/", "/home/u"],
        );
        for (path, expected) in [
            ("/srv/node/lib/npm", Some(Access::Read)),
            ("/home/u/bin/tool", Some(Access::Read)),
            ("/home/u/.local/share/keyrings", None),
            ("/home/u/notes", None),
            ("/home/u/app/tools/x", None),
            ("/srv/other", None),
        ] {
            assert_eq!(access(&policy, path), expected, "{path}");
        }
    }
}
