//! Starts the program `redraft` and reads what it says. It never outlives the worker: the kernel interrupts it then.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

/// The hidden command that binds a program to the worker.
pub const BOUND: &str = "bound";
/// How long a command that only looks may take.
const LOOK_MAX: Duration = Duration::from_secs(60);

type Spawned = std::io::Result<Child>;

/// Starts programs from one thread that lives as long as the worker: the kernel's signal comes when the thread that
/// started a program ends.
#[derive(Clone)]
pub struct Programs {
    redraft: PathBuf,
    spawner: Sender<(Command, oneshot::Sender<Spawned>)>,
}

impl Programs {
    pub fn new(redraft: PathBuf) -> Self {
        let (spawner, orders) = channel::<(Command, oneshot::Sender<Spawned>)>();
        let runtime = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let _inside = runtime.enter();
            for (mut command, reply) in orders {
                // Whoever asked may be gone.
                let _ = reply.send(command.spawn());
            }
        });
        Self { redraft, spawner }
    }

    /// Looks whether the program is there and answers.
    pub async fn version(&self) -> Result<(), String> {
        let shown = self.redraft.display();
        let mut command = Command::new(&self.redraft);
        command.arg("--version").stdin(Stdio::null()).kill_on_drop(true);
        match tokio::time::timeout(LOOK_MAX, command.output()).await {
            Ok(Ok(output)) if output.status.success() => Ok(()),
            Ok(Ok(output)) => Err(format!("{shown} --version ended with {}", output.status)),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(format!("the program {shown} was not found"))
            }
            Ok(Err(error)) => Err(format!("{shown} cannot be started: {error}")),
            Err(_) => Err(format!("{shown} --version took longer than {} s", LOOK_MAX.as_secs())),
        }
    }

    /// Starts `redraft` in a clone, with stdout to be read.
    pub async fn start(&self, clone: &Path, args: &[String], by: Option<&str>) -> Result<Child, String> {
        let own = std::env::current_exe().map_err(|error| format!("the fleet's own program: {error}"))?;
        let mut command = Command::new(own);
        command.arg(BOUND).arg(std::process::id().to_string()).arg(&self.redraft).args(args);
        command.current_dir(clone).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What happened is published after each dispatch, so that another worker can go on from there.
        command.env("CI", "true");
        if let Some(by) = by {
            command.env("USER", by);
        }
        let (reply, spawned) = oneshot::channel();
        self.spawner.send((command, reply)).map_err(|_| "the worker is ending".to_owned())?;
        let spawned = spawned.await.map_err(|_| "the worker is ending".to_owned())?;
        spawned.map_err(|error| format!("{} cannot be started: {error}", self.redraft.display()))
    }

    /// Runs a command that ends soon, and reads its object.
    pub async fn ask(&self, clone: &Path, args: &[&str], by: Option<&str>) -> Result<(i32, Value), String> {
        let words: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
        let child = self.start(clone, &words, by).await?;
        let process = child.id();
        let name = words.first().map_or("", String::as_str);
        let output = match tokio::time::timeout(LOOK_MAX, child.wait_with_output()).await {
            Ok(output) => output.map_err(|error| format!("redraft {name}: {error}"))?,
            Err(_) => {
                kill(process);
                return Err(format!("redraft {name} took longer than {} s", LOOK_MAX.as_secs()));
            }
        };
        let said = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        let code = output.status.code().ok_or_else(|| format!("redraft {name} was killed"))?;
        Ok((code, said))
    }
}

/// Asks a program to end, as Ctrl-C does.
pub fn interrupt(process: Option<u32>) {
    signal(process, rustix::process::Signal::INT);
}

pub fn kill(process: Option<u32>) {
    signal(process, rustix::process::Signal::KILL);
}

fn signal(process: Option<u32>, signal: rustix::process::Signal) {
    let number = process.and_then(|number| i32::try_from(number).ok());
    if let Some(number) = number.and_then(rustix::process::Pid::from_raw) {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process(number, signal);
    }
}

/// Becomes another program, which is interrupted when the process that started this one ends.
#[cfg(target_os = "linux")]
pub fn become_bound(words: &[String]) -> String {
    use std::os::unix::process::CommandExt as _;
    let [parent, program, args @ ..] = words else { return "nothing to start".to_owned() };
    let bound = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::INT));
    if let Err(error) = bound {
        return format!("the program cannot be bound to the worker: {error}");
    }
    // It may have ended before this.
    let now = rustix::process::getppid().map(|number| number.as_raw_nonzero().get().to_string());
    if now.as_deref() != Some(parent) {
        return "the worker has ended".to_owned();
    }
    format!("{program} cannot be started: {}", std::process::Command::new(program).args(args).exec())
}

#[cfg(not(target_os = "linux"))]
pub fn become_bound(words: &[String]) -> String {
    use std::os::unix::process::CommandExt as _;
    let [_, program, args @ ..] = words else { return "nothing to start".to_owned() };
    format!("{program} cannot be started: {}", std::process::Command::new(program).args(args).exec())
}
