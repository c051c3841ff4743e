//! What holds an agent's program to its work: the sandbox of the repository, and a home of the agent's own.
//!
//! The home is made by [`Home`]. Nothing here knows a vendor: each says what its program needs. Start at
//! [`Containment::find`], once, and [`Containment::room`], for each dispatch.

use redraft_adapters::child::{Environment, Finished};
use redraft_sandbox::{
    CommandSurroundings, HTTPS, Level, Needs, NetworkHost, Reach, Sandbox, SandboxPolicy, SandboxRule,
    hosts_of,
};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Whether a program is held here.
#[derive(Debug, Clone)]
pub enum Containment {
    /// It is not meant to be.
    Off,
    /// It cannot be; why.
    Impossible(String),
    Held(Box<Holding>),
}

#[derive(Debug, Clone)]
pub struct Holding {
    pub sandbox: Sandbox,
    /// Our own binary.
    pub helper: PathBuf,
    /// The agent's own home.
    pub home: PathBuf,
    /// How far it holds, found out by trying.
    pub reached: String,
}

/// A program in its surroundings. They are gone when this is dropped, and the program must be by then.
pub struct Room {
    pub environment: Environment,
    /// None where it runs with the user's rights.
    pub policy: Option<SandboxPolicy>,
    surroundings: Option<CommandSurroundings>,
}

/// What is different from program to program, and from dispatch to dispatch.
pub struct Demand<'a> {
    pub program: &'a Path,
    pub folder: &'a Path,
    /// Whether it may change what is in the folder.
    pub writes: bool,
    /// Its variables, as it would have them without a sandbox.
    pub environment: Environment,
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    /// Texts with addresses that it connects to, beside its variables.
    pub addresses: &'a [String],
    /// The names of its service, where it needs no other host. None where nobody can name them all.
    pub service: Option<&'a [&'a str]>,
}

/// Variables that name files a program reads before it can connect to anything.
const FILES: [&str; 5] = [
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AWS_CA_BUNDLE",
];

/// Variables that lead to folders of the user's home, which is not there, or to keys of the user's.
const ELSEWHERE: [&str; 2] = ["SSH_AUTH_SOCK", "XDG_"];

/// The end of the names of variables that say which proxy is to be used. A proxy leads to every host.
const PROXY: &str = "_proxy";

impl Containment {
    /// Tries what the sandbox reaches here. `home` is made when it is first needed. The error says that less than
    /// everything is reached where everything is asked for.
    pub fn find(
        sandbox: Sandbox,
        helper: &Path,
        home: PathBuf,
        user: &Environment,
    ) -> Result<Containment, String> {
        if sandbox.rule == SandboxRule::Off {
            return Ok(Containment::Off);
        }
        let passed = user.of_commands(&sandbox.pass);
        // Any name will do to find out whether connections can be relayed.
        let reach = Reach::from_hosts([NetworkHost::https("service.invalid")].into());
        let needs = Needs { writes: true, read: Vec::new(), write: Vec::new(), reach };
        let Some(report) = sandbox.reached(Some(&needs), (&user.0, &passed.0), helper) else {
            return Ok(Containment::Off);
        };
        let strict = sandbox.rule == SandboxRule::Strict;
        if strict && report.level != Level::Enforced {
            return Err(format!(
                "[sandbox] level = \"strict\" asks for a sandbox that is enforced: {report}"
            ));
        }
        let reached = report.to_string();
        Ok(match report.level.holds() {
            true => {
                Containment::Held(Box::new(Holding { sandbox, helper: helper.to_owned(), home, reached }))
            }
            false => Containment::Impossible(reached),
        })
    }

    /// The home that a program has; none where it has the user's.
    pub fn home(&self) -> Option<&Path> {
        match self {
            Containment::Held(held) => Some(&held.home),
            Containment::Off | Containment::Impossible(_) => None,
        }
    }

    /// Whether a program that works in this folder is held. Where git's folder or the ledger lie in it, nothing can be
    /// closed; where its name is no text, nothing can be described.
    pub fn holds(&self, folder: &Path) -> bool {
        match self {
            Containment::Held(held) => {
                let open = !held.sandbox.closed.iter().any(|closed| closed.starts_with(folder));
                open && is_text(folder) && is_text(&held.home)
            }
            Containment::Off | Containment::Impossible(_) => false,
        }
    }

    /// How far a program that works in this folder is held, in words; none where it is not meant to be.
    pub fn level_in_words(&self, folder: &Path) -> Option<String> {
        match self {
            Containment::Off => None,
            Containment::Impossible(why) => Some(why.clone()),
            Containment::Held(held) if self.holds(folder) => Some(held.reached.clone()),
            Containment::Held(held) if is_text(folder) && is_text(&held.home) => {
                Some("none: it works in your own checkout".to_owned())
            }
            Containment::Held(_) => Some(format!("none: {} is not in UTF-8", folder.display())),
        }
    }

    /// Makes everything ready for a dispatch.
    pub fn room(&self, demand: Demand<'_>) -> io::Result<Room> {
        let Demand { program, folder, writes, mut environment, mut read, write, addresses, service } = demand;
        let held = match self {
            Containment::Held(held) if self.holds(folder) => held,
            _ => return Ok(Room { environment, policy: None, surroundings: None }),
        };
        let texts = environment.0.values().filter_map(|value| value.to_str());
        let hosts = texts.chain(addresses.iter().map(String::as_str)).flat_map(hosts_of);
        let reach = match service.filter(|_| !has_proxy(&environment)) {
            Some(service) => {
                Reach::from_hosts(hosts.chain(service.iter().map(|name| NetworkHost::https(name))).collect())
            }
            None => Reach::Ports(hosts.map(|host| host.port).chain([HTTPS]).collect()),
        };
        read.push(held.helper.clone());
        read.extend(around(program));
        let files = FILES.iter().filter_map(|name| environment.0.get(OsStr::new(name)));
        read.extend(files.map(PathBuf::from).filter(|path| path.is_absolute()));
        let user = environment.clone();
        environment.0.retain(|name, _| {
            let name = name.to_string_lossy();
            !ELSEWHERE.iter().any(|elsewhere| name.starts_with(elsewhere))
        });
        let needs = Needs { writes, read, write, reach };
        let surroundings = held.sandbox.make_ready_program(
            folder,
            &held.home,
            &needs,
            (&user.0, &environment.0),
            &held.helper,
        )?;
        let environment = Environment(surroundings.environment.clone());
        Ok(Room { environment, policy: surroundings.policy.clone(), surroundings: Some(surroundings) })
    }
}

impl Room {
    /// Why a program that ended so probably did, and the setting that would change that.
    pub fn hint(&self, finished: &Finished) -> Option<String> {
        self.surroundings.as_ref()?.hint(finished.report.as_ref(), &finished.stderr)
    }
}

/// A sandbox is described in text.
fn is_text(path: &Path) -> bool {
    path.to_str().is_some()
}

fn has_proxy(environment: &Environment) -> bool {
    let named = |name: &str| name.ends_with(PROXY) && name != "no_proxy";
    environment
        .0
        .iter()
        .any(|(name, value)| named(&name.to_string_lossy().to_lowercase()) && !value.is_empty())
}

/// Where the program's own files are: the folder it lies in, and the packages it was installed with.
fn around(program: &Path) -> Vec<PathBuf> {
    let Ok(real) = std::fs::canonicalize(program) else { return Vec::new() };
    let packages =
        real.ancestors().filter(|folder| folder.file_name().is_some_and(|name| name == "node_modules"));
    let mut around: Vec<PathBuf> = packages.last().map(Path::to_owned).into_iter().collect();
    around.push(program.to_owned());
    around.push(real);
    around
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_sandbox::{Access, Forbidden, Grant, Network, ResourceLimits};

    fn held(checkout: &Path, home: &Path) -> Containment {
        let sandbox = Sandbox {
            rule: SandboxRule::Auto,
            read: Vec::new(),
            write: Vec::new(),
            network: Network::local(),
            pass: Vec::new(),
            user_home: Some("/home/u".into()),
            checkout: checkout.to_owned(),
            closed: vec![checkout.join(".git"), checkout.join(".redraft/worktrees")],
            forbidden: Forbidden::default(),
            history: None,
            temp: std::env::temp_dir(),
            limits: ResourceLimits::default(),
        };
        let (helper, reached) = ("/opt/redraft".into(), "partial: network (Landlock)".to_owned());
        Containment::Held(Box::new(Holding { sandbox, helper, home: home.to_owned(), reached }))
    }

    fn demand(folder: &Path, writes: bool) -> Demand<'_> {
        let variables = [
            ("HOME", "/home/u"),
            ("XDG_CONFIG_HOME", "/home/u/.config"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("OPENAI_BASE_URL", "http://localhost:8081/v1"),
            ("SSL_CERT_FILE", "/opt/certificates.pem"),
        ];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        Demand {
            program: Path::new("/opt/program"),
            folder,
            writes,
            environment: Environment(variables.into()),
            read: vec!["/state/runs/1".into()],
            write: vec!["/home/u/.program/login.json".into()],
            addresses: &[],
            service: Some(&["api.example.com"]),
        }
    }

    #[test]
    fn a_program_has_a_home_of_its_own_and_reaches_its_service() {
        let scratch = tempfile::tempdir().unwrap();
        let (checkout, home) = (scratch.path().join("app"), scratch.path().join("home"));
        let worktree = checkout.join(".redraft/worktrees/001");
        let held = held(&checkout, &home);
        for (writes, access) in [(true, Access::Write), (false, Access::Read)] {
            let room = held.room(demand(&worktree, writes)).unwrap();
            let policy = room.policy.as_ref().unwrap();
            let has = |path: &Path, access| {
                policy.grants.contains(&Grant { path: path.into(), access, except: vec![] })
            };
            assert!(has(&worktree, access) && has(&home, Access::Write), "{policy:?}");
            for (path, access) in [
                ("/state/runs/1", Access::Read),
                ("/opt/redraft", Access::Read),
                ("/opt/certificates.pem", Access::Read),
                ("/home/u/.program/login.json", Access::Write),
            ] {
                assert!(has(Path::new(path), access), "{path}: {policy:?}");
            }
            let relayed = Network::local().widened(["api.example.com", "localhost:8081"]).unwrap();
            assert_eq!(policy.network, relayed);
            let variable = |name: &str| room.environment.0.get(OsStr::new(name)).cloned();
            assert_eq!(variable("HOME"), Some(home.clone().into()));
            assert!(variable("TMPDIR").is_some() && variable("OPENAI_BASE_URL").is_some());
            assert_eq!((variable("XDG_CONFIG_HOME"), variable("SSH_AUTH_SOCK")), (None, None));
        }
    }

    #[test]
    fn with_a_proxy_or_hosts_that_nobody_can_name_ports_are_open() {
        let scratch = tempfile::tempdir().unwrap();
        let checkout = scratch.path().join("app");
        let held = held(&checkout, &scratch.path().join("home"));
        let network = |change: &dyn Fn(&mut Demand<'_>)| {
            let folder = checkout.join(".redraft/worktrees/001");
            let mut demand = demand(&folder, true);
            change(&mut demand);
            held.room(demand).unwrap().policy.as_ref().unwrap().network.clone()
        };
        let ports = |words: &[&str]| Network::local().widened(words.iter().copied()).unwrap();
        let proxied = network(&|demand| demand.environment.set("HTTPS_PROXY", "http://proxy:3128"));
        assert_eq!(proxied, ports(&["tcp:443", "tcp:3128", "tcp:8081", "udp"]));
        assert!(network(&|demand| demand.environment.set("NO_PROXY", "localhost")).is_private());
        assert_eq!(network(&|demand| demand.service = None), ports(&["tcp:443", "tcp:8081", "udp"]));
    }

    #[test]
    fn in_the_users_own_checkout_nothing_can_be_closed_and_that_is_told() {
        let scratch = tempfile::tempdir().unwrap();
        let checkout = scratch.path().join("app");
        let held = held(&checkout, &scratch.path().join("home"));
        assert!(!held.holds(&checkout) && held.holds(&checkout.join(".redraft/worktrees/001")));
        let room = held.room(demand(&checkout, true)).unwrap();
        assert!(room.policy.is_none());
        assert_eq!(room.environment.0.get(OsStr::new("HOME")), Some(&"/home/u".into()));
        assert_eq!(held.level_in_words(&checkout).unwrap(), "none: it works in your own checkout");
        let impossible = Containment::Impossible("none: an old kernel".to_owned());
        assert_eq!(impossible.level_in_words(&checkout).unwrap(), "none: an old kernel");
        assert_eq!(Containment::Off.level_in_words(&checkout), None);
    }
}
