//! Attempts to reach what is not granted, one row each, made by commands in the sandbox. Exactly those that the level
//! names as gaps succeed.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails, and starts what it tries"
)]

use redraft_sandbox::profile::{Places, Widening, of_command};
use redraft_sandbox::{Forbidden, Level, Network, Policy, enter};
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

mod table;

use table::{Attempt, By, Expected, TABLE};

/// A repository with a ledger, a home with keys, and a check folder inside the repository.
struct World {
    root: PathBuf,
    victim: Child,
    /// A forbidden port and one that the system gave out.
    low: Option<TcpListener>,
    free: TcpListener,
    _unix: UnixListener,
    _abstract: UnixListener,
    _folder: tempfile::TempDir,
}

const FOLDERS: [&str; 6] = [
    "home/.ssh",
    "home/.cargo",
    "home/app/.git/redraft",
    "home/app/.git/hooks",
    "home/app/.redraft/check",
    "temp",
];
const FILES: [&str; 6] = [
    "home/.ssh/key",
    "home/.cargo/credentials.toml",
    "home/app/redraft.toml",
    "home/app/.git/config",
    "home/app/.git/redraft/ledger.db",
    "home/app/.redraft/check/own.txt",
];

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for one in FOLDERS.iter().chain(&["own-home", "home/app/.redraft/other"]) {
            fs::create_dir_all(root.join(one)).unwrap();
        }
        for file in FILES {
            fs::write(root.join(file), "secret\n").unwrap();
        }
        fs::write(root.join("home/app/Cargo.toml"), "[package]\n").unwrap();
        symlink(root.join("home/.ssh/key"), root.join("home/app/package.json")).unwrap();
        let victim = Command::new("sleep").arg("600").env("KEY", "secret").spawn().unwrap();
        let name = format!("redraft-escape-{}", victim.id());
        let hidden = SocketAddr::from_abstract_name(&name).unwrap();
        World {
            low: (20_000..20_100).find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok()),
            free: TcpListener::bind(("127.0.0.1", 0)).unwrap(),
            _unix: UnixListener::bind(root.join("home/docker.sock")).unwrap(),
            _abstract: UnixListener::bind_addr(&hidden).unwrap(),
            root,
            victim,
            _folder: folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn policy(&self, network: &Network) -> Policy {
        let own = [self.path("home/app/.redraft/check"), self.path("own-home"), self.path("temp")];
        let closed =
            [self.path("home/app/.git"), self.path("home/app/.redraft"), self.path("home/app/redraft.toml")];
        let (home, checkout) = (self.path("home"), self.path("home/app"));
        let search = std::env::var_os("PATH");
        let places = Places {
            own: &own,
            user_home: Some(&home),
            search: search.as_deref(),
            tools: &[],
            checkout: &checkout,
            closed: &closed,
        };
        let wider = Widening { read: &[], write: &[], network };
        let forbidden = Forbidden {
            files: vec![self.path("home/app/.git/redraft/ledger.db")],
            folders: vec![self.path("home/app/.git/redraft")],
        };
        of_command(&places, wider, forbidden, false)
    }

    /// Whether the attempt ended with 0, made in the sandbox or outside.
    fn try_it(&self, attempt: &Attempt, policy: Option<&Policy>) -> (bool, String) {
        let mut command = match attempt.by {
            By::Shell(text) => with(Command::new("sh"), "-c", text),
            By::Python(text) => with(Command::new("python3"), "-c", &format!("{PRELUDE}\n{text}")),
        };
        command.current_dir(self.path("home/app/.redraft/check")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("ROOT", &self.root).env("HOME", self.path("own-home")).env("TMPDIR", self.path("temp"));
        command.env("VICTIM", self.victim.id().to_string());
        let port = |one: &TcpListener| one.local_addr().unwrap().port().to_string();
        command.env("LOW", self.low.as_ref().map(port).unwrap()).env("FREE", port(&self.free));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ended = std::thread::scope(|scope| {
            let inside = scope.spawn(|| {
                if let Some(policy) = policy {
                    let level = enter(policy);
                    assert!(level.holds(), "{level}");
                }
                command.spawn().unwrap()
            });
            inside.join().unwrap().wait_with_output().unwrap()
        });
        let said = [ended.stdout, ended.stderr].concat();
        (ended.status.success(), String::from_utf8_lossy(&said).trim().to_owned())
    }
}

const PRELUDE: &str = "import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
root, victim = os.environ['ROOT'], int(os.environ['VICTIM'])
def call(*words):
    sys.exit(0 if libc.syscall(*words) >= 0 else 1)";

fn with(mut command: Command, flag: &str, text: &str) -> Command {
    command.arg(flag).arg(text);
    command
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// The ones that are known to be possible, by the level that is reached.
fn expected(attempt: &Attempt, level: &Level) -> bool {
    match (attempt.expected, level) {
        (Expected::Refused, _) => false,
        (Expected::Allowed, _) => true,
        (Expected::Gap(gap), Level::Partial(gaps)) => gaps.contains(&gap),
        (Expected::Gap(_), Level::Enforced | Level::None(_)) => false,
    }
}

#[test]
fn exactly_the_documented_attempts_succeed() {
    let world = World::new();
    let policy = world.policy(&Network::local());
    redraft_sandbox::limit(&policy.limits).unwrap();
    let level = redraft_sandbox::reached(&policy);
    assert!(level.holds(), "{level}");
    let mut wrong = Vec::new();
    for attempt in TABLE {
        let (done, said) = world.try_it(attempt, Some(&policy));
        if done != expected(attempt, &level) {
            wrong.push(format!(
                "{}: {}: {said}",
                attempt.name,
                if done { "succeeded" } else { "did not work" }
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TABLE.len(), wrong.join("\n"));
    for file in FILES {
        assert_eq!(fs::read_to_string(world.path(file)).unwrap(), "secret\n", "{file}");
    }
}

#[test]
fn the_attempts_succeed_where_nothing_is_contained() {
    let mut wrong = Vec::new();
    for attempt in TABLE.iter().filter(|attempt| attempt.control) {
        let (done, said) = World::new().try_it(attempt, None);
        if !done {
            wrong.push(format!("{}: {said}", attempt.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same table once more without the rights of root, where the tests have them.
#[test]
fn the_same_holds_for_a_plain_user() {
    const NOBODY: &str = "65534";
    if !rustix::process::geteuid().is_root() {
        return;
    }
    // Neither the folder of the tests nor the program may be readable for others.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("escapes");
    fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&copy);
    command.args(["--exact", "exactly_the_documented_attempts_succeed"]);
    command.current_dir("/").env("TMPDIR", folder.path());
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn what_the_network_list_adds_is_open() {
    let world = World::new();
    let attempt = |name: &str| TABLE.iter().find(|attempt| attempt.name == name).unwrap();
    let low = world.low.as_ref().unwrap().local_addr().unwrap().port();
    let words = [format!("tcp:{low}"), "udp".to_owned(), "unix".to_owned()];
    let wide = Network::local().widened(words.iter().map(String::as_str)).unwrap();
    let policy = world.policy(&wide);
    for name in ["connect to a forbidden port", "send a datagram", "connect to a socket of the file system"] {
        let (done, said) = world.try_it(attempt(name), Some(&policy));
        assert!(done, "{name}: {said}");
    }
    // Processes outside stay out of reach.
    let (done, said) = world.try_it(attempt("connect to an abstract socket"), Some(&policy));
    assert!(!done, "{said}");
    assert!(redraft_sandbox::reached(&policy).to_string().contains("unix sockets"));
}

#[test]
fn a_sandbox_that_lets_something_through_counts_as_none() {
    let world = World::new();
    let mut policy = world.policy(&Network::local());
    policy.forbidden.files.push(world.path("home/app/.redraft/check/own.txt"));
    let level = redraft_sandbox::reached(&policy);
    assert!(level.to_string().starts_with("none: it was tried from inside, and "), "{level}");
    let mut policy = world.policy(&Network::local());
    policy.forbidden.folders.push(world.path("temp"));
    let level = redraft_sandbox::reached(&policy);
    assert!(level.to_string().contains("a file could be made in "), "{level}");
    assert_eq!(fs::read_dir(world.path("temp")).unwrap().count(), 0, "nothing is left of the attempt");
}
