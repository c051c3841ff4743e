//! Attempts to reach what is not granted, one row each, made by commands in the sandbox. Exactly those that the level
//! names as gaps succeed.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails, and starts what it tries"
)]

use redraft_sandbox::profile::{Places, Widening, of_command};
use redraft_sandbox::{
    Engine, Forbidden, Gap, Least, Level, Network, SandboxPolicy, SandboxReport, StartedCommand, Starter,
};
use std::ffi::OsString;
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

mod relaying;
mod table;

use table::{Attempt, By, Expected, TABLE};

/// A repository with a ledger, a home with keys, and a check folder inside the repository.
struct World {
    root: PathBuf,
    victim: Child,
    /// A forbidden port and one that the system gave out.
    low: Option<TcpListener>,
    free: TcpListener,
    shared: PathBuf,
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
        fs::write(root.join("home/app/.git/redraft/spare"), "secret\n").unwrap();
        symlink(root.join("home/.ssh/key"), root.join("home/app/package.json")).unwrap();
        let victim = Command::new("sleep").arg("6000").env("KEY", "secret").spawn().unwrap();
        let name = format!("redraft-escape-{}", victim.id());
        let shared = Path::new("/dev/shm").join(&name);
        fs::write(&shared, "secret").unwrap();
        let hidden = SocketAddr::from_abstract_name(&name).unwrap();
        World {
            low: (20_000..20_100).find_map(|port| TcpListener::bind(("127.0.0.1", port)).ok()),
            free: TcpListener::bind(("127.0.0.1", 0)).unwrap(),
            _unix: UnixListener::bind(root.join("home/docker.sock")).unwrap(),
            _abstract: UnixListener::bind_addr(&hidden).unwrap(),
            shared,
            root,
            victim,
            _folder: folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn policy(&self, network: &Network) -> SandboxPolicy {
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
        of_command(&places, wider, forbidden, Least::Nothing)
    }

    /// Whether the attempt ended with 0, made in the sandbox of an engine or outside.
    fn try_it(&self, attempt: &Attempt, held: Option<(&SandboxPolicy, Engine)>) -> (bool, String) {
        let words: Vec<OsString> = match attempt.by {
            By::Shell(text) => ["sh", "-c", text].map(OsString::from).to_vec(),
            By::Python(text) => vec!["python3".into(), "-c".into(), format!("{PRELUDE}\n{text}").into()],
        };
        let ended = match held {
            Some((policy, engine)) => {
                let started = self.with(engine, |starter| starter.start(policy, &words, None).unwrap());
                let StartedCommand { child, report, bounds } = started;
                assert!(report.level.holds(), "{report}");
                let ended = child.wait_with_output().unwrap();
                drop(bounds);
                ended
            }
            None => {
                let mut command = self.command(&words);
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().unwrap().wait_with_output().unwrap()
            }
        };
        let said = [ended.stdout, ended.stderr].concat();
        (ended.status.success(), String::from_utf8_lossy(&said).trim().to_owned())
    }

    fn reached(&self, policy: &SandboxPolicy, engine: Engine) -> SandboxReport {
        self.with(engine, |starter| starter.reached(policy))
    }

    fn with<T>(&self, engine: Engine, act: impl FnOnce(Starter<'_>) -> T) -> T {
        let helper = std::env::var_os(HELPER).unwrap_or_else(|| env!("CARGO_BIN_EXE_contained").into());
        let make = |words: &[OsString]| self.command(words);
        act(Starter { helper: Path::new(&helper), make: &make, engines: &[engine] })
    }

    fn command(&self, words: &[OsString]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(self.path("home/app/.redraft/check")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("ROOT", &self.root).env("HOME", self.path("own-home")).env("TMPDIR", self.path("temp"));
        command.env("VICTIM", self.victim.id().to_string());
        let port = |one: &TcpListener| one.local_addr().unwrap().port().to_string();
        command.env("LOW", self.low.as_ref().map(port).unwrap()).env("FREE", port(&self.free));
        command
    }
}

/// `.ci/sandbox` says by this that bubblewrap is there.
const BUBBLEWRAP: &str = "REDRAFT_WITH_BUBBLEWRAP";
/// And `.ci/sandbox-enforced` that the kernel can hold everything.
const ENFORCED: &str = "REDRAFT_ENFORCED";
/// Names the helper for tests that run as another user.
const HELPER: &str = "ESCAPES_HELPER";

const PRELUDE: &str = "import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
root, victim = os.environ['ROOT'], int(os.environ['VICTIM'])
def call(*words):
    sys.exit(0 if libc.syscall(*words) >= 0 else 1)";

impl Drop for World {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.shared);
        let _ = self.victim.kill();
        let _ = self.victim.wait();
    }
}

/// The ones that are known to be possible, by the level that is reached.
fn expected(attempt: &Attempt, level: &Level) -> bool {
    match (attempt.expected, level) {
        (Expected::Refused, _) => false,
        (Expected::Allowed, _) => true,
        (Expected::Alone, Level::Partial(gaps)) => !gaps.contains(&Gap::Network),
        (Expected::Alone, Level::Enforced) => true,
        (Expected::Alone, Level::None(_)) => false,
        (Expected::Gap(gap), Level::Partial(gaps)) => gaps.contains(&gap),
        (Expected::AnyPort, Level::Partial(gaps)) => gaps.contains(&Gap::Network) && !knows_ports(),
        (Expected::Gap(_) | Expected::AnyPort, Level::Enforced | Level::None(_)) => false,
    }
}

/// Landlock does from Linux 6.7 on.
fn knows_ports() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 7)
}

#[test]
fn exactly_the_documented_attempts_succeed() {
    let tried: Vec<Option<Vec<String>>> = std::thread::scope(|scope| {
        let tries = Engine::ALL.map(|engine| scope.spawn(move || wrongly_ended(engine)));
        tries.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let wrong: Vec<String> = tried.iter().flatten().flatten().cloned().collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), TABLE.len(), wrong.join("\n"));
    assert!(tried.last().unwrap().is_some(), "what works on every machine works here");
    let expected = std::env::var_os(BUBBLEWRAP).is_some();
    assert!(tried[0].is_some() || !expected, "bubblewrap holds what is started in it");
    if std::env::var_os(ENFORCED).is_some() {
        let world = World::new();
        for words in [&[][..], &["localhost:5432", "service.redraft.invalid"]] {
            let network = Network::local().widened(words.iter().copied()).unwrap();
            let level = world.reached(&world.policy(&network), Engine::Bubblewrap).level;
            assert_eq!(level, Level::Enforced, "with {words:?}");
        }
    }
}

/// The attempts that did not end as documented, in a world of their own. None where the engine does not work here.
fn wrongly_ended(engine: Engine) -> Option<Vec<String>> {
    let world = World::new();
    let policy = world.policy(&Network::local());
    let SandboxReport { level, .. } = world.reached(&policy, engine);
    if !level.holds() {
        return None;
    }
    let mut wrong = Vec::new();
    for attempt in TABLE {
        let (done, said) = world.try_it(attempt, Some((&policy, engine)));
        if done != expected(attempt, &level) {
            let how = if done { "succeeded" } else { "did not work" };
            wrong.push(format!("{}: {}: {how}: {said}", engine.name(), attempt.name));
        }
    }
    for file in FILES {
        assert_eq!(fs::read_to_string(world.path(file)).unwrap(), "secret\n", "{file}");
    }
    Some(wrong)
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
    let helper = folder.path().join("contained");
    fs::copy(env!("CARGO_BIN_EXE_contained"), &helper).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]).arg(&copy);
    command.args(["--exact", "exactly_the_documented_attempts_succeed"]);
    command.arg("relaying::a_relay_leads_to_the_named_hosts_and_to_no_others");
    command.current_dir("/").env("TMPDIR", folder.path()).env(HELPER, helper);
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("2 passed"), "{said}");
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
        let (done, said) = world.try_it(attempt(name), Some((&policy, Engine::Landlock)));
        assert!(done, "{name}: {said}");
    }
    // Processes outside stay out of reach.
    let (done, said) =
        world.try_it(attempt("connect to an abstract socket"), Some((&policy, Engine::Landlock)));
    assert!(!done, "{said}");
    assert!(world.reached(&policy, Engine::Landlock).to_string().contains("unix sockets"));
}

#[test]
fn a_sandbox_that_lets_something_through_counts_as_none() {
    let world = World::new();
    for engine in Engine::ALL {
        let mut policy = world.policy(&Network::local());
        if !world.reached(&policy, engine).level.holds() {
            continue;
        }
        policy.forbidden.files.push(world.path("home/app/.redraft/check/own.txt"));
        let level = world.reached(&policy, engine).to_string();
        assert!(level.starts_with("none: it was tried from inside, and "), "{level}");
        let mut policy = world.policy(&Network::local());
        policy.forbidden.folders.push(world.path("temp"));
        let level = world.reached(&policy, engine).to_string();
        assert!(level.contains("a file could be made in "), "{level}");
        assert_eq!(fs::read_dir(world.path("temp")).unwrap().count(), 0, "nothing is left of the attempt");
    }
}

#[test]
fn strict_starts_nothing_below_enforced() {
    let world = World::new();
    let policy = SandboxPolicy { least: Least::Enforced, ..world.policy(&Network::local()) };
    for engine in Engine::ALL {
        let enforced = world.reached(&policy, engine).level == Level::Enforced;
        let words = ["touch", "began"].map(OsString::from);
        let started = world.with(engine, |starter| starter.start(&policy, &words, None));
        assert_eq!(started.is_ok(), enforced, "{}", engine.name());
        if let Ok(mut started) = started {
            assert!(started.child.wait().unwrap().success());
        }
        let began = world.path("home/app/.redraft/check/began");
        assert_eq!(began.exists(), enforced, "{}", engine.name());
        let _ = fs::remove_file(began);
    }
}

#[test]
fn a_command_reads_its_input_and_ends_as_it_would_outside() {
    let world = World::new();
    let policy = world.policy(&Network::local());
    for engine in Engine::ALL {
        fs::write(world.path("input"), "said\n".repeat(100_000)).unwrap();
        let input = fs::File::open(world.path("input")).unwrap();
        let words = ["sh", "-c", "wc -c; echo wrong >&2; exit 7"].map(OsString::from);
        let started = world.with(engine, |starter| starter.start(&policy, &words, Some(input)).unwrap());
        let ended = started.child.wait_with_output().unwrap();
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        assert_eq!((said(&ended.stdout), said(&ended.stderr)), ("500000".to_owned(), "wrong".to_owned()));
        assert_eq!(ended.status.code(), Some(7));
    }
}
