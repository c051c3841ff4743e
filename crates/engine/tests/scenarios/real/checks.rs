//! Checks that the real shell runs, below a real worker.

use super::RealWorld;
use crate::world::{ChecksAt, World};
use redraft_adapters::checks::ShellChecks;
use redraft_adapters::child::Environment;
use redraft_adapters::child::worker::{WorkerJob, work};
use redraft_adapters::clock::SystemClock;
use redraft_engine::ports::{Check, CheckRun, Checks, RunHandle};
use redraft_facts::redact::Redactor;
use redraft_sandbox::{Forbidden, Network, ResourceLimits, Sandbox, SandboxRule};
use redraft_testkit::fakes::CheckRule;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LIMIT_MS: u64 = 20 * 60_000;

/// A script, because our own binary takes the arguments of a test harness and no others.
const WORKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenarios/real/checks/worker.sh");

pub(super) struct RealChecks {
    folder: PathBuf,
    environment: Environment,
    redactor: Redactor,
    clock: SystemClock,
    sandbox: Sandbox,
}

impl RealChecks {
    pub(super) fn new(folder: &Path) -> RealChecks {
        let mut environment: BTreeMap<OsString, OsString> =
            std::env::vars_os().filter(|(name, _)| name == "PATH").collect();
        environment.insert("SCENARIOS".into(), std::env::current_exe().unwrap().into());
        let sandbox = Sandbox {
            rule: SandboxRule::Off,
            read: Vec::new(),
            write: Vec::new(),
            network: Network::local(),
            pass: Vec::new(),
            user_home: None,
            checkout: folder.to_owned(),
            closed: Vec::new(),
            forbidden: Forbidden::default(),
            history: None,
            temp: folder.to_owned(),
            limits: ResourceLimits::default(),
        };
        let (environment, redactor) = (Environment(environment), Redactor::default());
        let clock = SystemClock::new(Arc::default());
        RealChecks { folder: folder.to_owned(), environment, redactor, clock, sandbox }
    }

    fn shell(&self) -> ShellChecks<'_> {
        ShellChecks {
            worker: Path::new(WORKER),
            out: self.folder.join("checks"),
            environment: &self.environment,
            redactor: &self.redactor,
            limit_ms: LIMIT_MS,
            clock: &self.clock,
            sandbox: &self.sandbox,
            home: self.folder.join("check-home"),
        }
    }
}

impl Checks for RealChecks {
    fn run(&self, check: &Check, folder: &Path) -> Result<CheckRun, String> {
        self.shell().run(check, folder)
    }

    fn run_beside(
        &self,
        check: &Check,
        folder: &Path,
        place: &str,
        at_most_ms: u64,
        watch: &dyn RunHandle,
    ) -> Result<CheckRun, String> {
        self.shell().run_beside(check, folder, place, at_most_ms, watch)
    }
}

impl ChecksAt for RealChecks {
    fn port(&self) -> &dyn Checks {
        self
    }

    fn check(&self, command: &str, _: CheckRule) -> Check {
        Check { name: "check".to_owned(), command: command.to_owned() }
    }

    fn stop(&self) {
        self.clock.stop();
    }
}

/// Called by the script it is a worker; called like every other test it has the script call it.
#[test]
fn these_tests_can_be_a_worker() {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    if let [worker, out, folder, end, program, arguments @ ..] = words.as_slice()
        && (worker.to_str(), out.to_str(), end.to_str()) == (Some("worker"), Some("--out"), Some("--"))
    {
        let (out, program, arguments) = (folder.into(), program.clone(), arguments.to_vec());
        let helper = std::env::current_exe().unwrap();
        let onward = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
        return work(&WorkerJob { out, helper, program, arguments }, std::io::stdin(), onward).unwrap();
    }
    let world = RealWorld::new();
    let checks = world.checks();
    let check = Check { name: "check".to_owned(), command: "echo 'a word  or two'".to_owned() };
    let run = checks.port().run(&check, Path::new("/")).unwrap();
    assert_eq!((run.code, run.tail.as_str()), (Some(0), "a word  or two"));
}
