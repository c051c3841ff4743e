//! What sharing a feature costs: a feature of 200 events to a remote on the same disk, in time and in bytes, beside the
//! same push made by git alone. `cargo bench -p redraft-sharing`. With `-- races`, a thousand races of three clones for a
//! lease instead: how often which clone won, and that nobody else did.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark sets up with git"
)]

use redraft_adapters::git::{Git, Repository};
use redraft_adapters::sqlite::new_feature_uuid;
use redraft_adapters::trust::Trust;
use redraft_facts::event::{Entry, Lost};
use redraft_facts::ids::FeatureUuid;
use redraft_facts::usage::Usd;
use redraft_sharing::{Anchors, CloneId, LogWriter, PackContent, Remote, SharedEntry, SharedFeature, Taken};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const EVENTS: u64 = 200;
const ROUNDS: usize = 10;
/// About as long as the average body of a real feature.
const TEXT: usize = 700;

fn git(folder: &Path, args: &[&str]) -> String {
    let name = ["-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").current_dir(folder).args(name).args(args).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// Kilobytes of all objects of a repository.
fn size(repository: &Path) -> u64 {
    let said = git(repository, &["count-objects", "-v"]);
    let of = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("size:").unwrap() + of("size-pack:").unwrap()
}

fn entries(from: u64, to: u64) -> Vec<SharedEntry> {
    let text = |seq: u64| {
        // Words that repeat as those of events do.
        let words = (0..TEXT / 12).map(|at| format!("word{} ", (seq * 31 + at as u64 * 7) % 997));
        words.collect::<String>()
    };
    let event = |seq: u64| {
        let ticket = format!("001/specify.1/review/spec-reviewer/{}.1", seq + 1).parse().unwrap();
        Lost { ticket, cost: Usd(seq), undone: vec![text(seq)] }.into()
    };
    (from..=to)
        .map(|seq| SharedEntry::new(&Entry { seq, at_ms: 1, event: event(seq) }, format!("{seq:032x}")))
        .collect()
}

fn taken(remote: &Remote<'_>, uuid: &FeatureUuid) -> SharedFeature {
    remote.fetch().unwrap();
    match remote.take(&remote.read(uuid).unwrap(), false, 1).unwrap() {
        Taken::Ours(shared) => shared,
        Taken::Held(lease) => unreachable!("{} holds it", lease.holder),
    }
}

fn middle(mut times: Vec<Duration>) -> String {
    times.sort();
    format!("{:>7.1} ms", times[times.len() / 2].as_secs_f64() * 1000.0)
}

const RACES: usize = 1_000;

/// Lets three clones take the lease of a feature at once, a thousand times.
fn races(root: &Path) {
    git(root, &["clone", "-q", "remote.git", "there"]);
    git(root, &["clone", "-q", "remote.git", "elsewhere"]);
    let names = ["here", "there", "elsewhere"];
    let repositories = names.map(|name| Repository::discover_with(Git::default(), &root.join(name)).unwrap());
    let mut won = [0; 3];
    let begun = Instant::now();
    for _ in 0..RACES {
        let uuid = new_feature_uuid();
        let start = std::sync::Barrier::new(names.len());
        let winners: Vec<bool> = std::thread::scope(|scope| {
            let race = |at: usize| {
                let (remote, uuid, start) = (remote(&repositories[at], root, names[at]), &uuid, &start);
                scope.spawn(move || {
                    let known = remote.read(uuid).unwrap();
                    start.wait();
                    matches!(remote.take(&known, false, 1).unwrap(), Taken::Ours(_))
                })
            };
            let all: Vec<_> = (0..names.len()).map(race).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert_eq!(winners.iter().filter(|won| **won).count(), 1, "{winners:?}");
        let remote = remote(&repositories[0], root, names[0]);
        remote.fetch().unwrap();
        let holder = remote.read(&uuid).unwrap().feature.lease().unwrap().holder.clone();
        let winner = winners.iter().position(|won| *won).unwrap();
        assert_eq!(holder.as_str(), names[winner], "everybody sees who has it");
        won[winner] += 1;
    }
    println!("{RACES} races of three clones in {:.0?}: won by {won:?}, each by one", begun.elapsed());
}

fn remote<'a>(repository: &'a Repository, home: &Path, name: &str) -> Remote<'a> {
    let home: PathBuf = home.into();
    let trust = Trust::from_environment(|name| (name == "HOME").then(|| home.clone().into()));
    let signer = trust.signer(repository.known_as(), &repository.state_dir()).unwrap();
    let writer =
        LogWriter { clone: CloneId::new(name).unwrap(), by: name.to_owned(), place: name.to_owned() };
    Remote { repository, name: "origin".to_owned(), writer, signer: Arc::new(signer) }
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "--bare", "remote.git"]);
    git(root, &["clone", "-q", "remote.git", "here"]);
    let here = root.join("here");
    git(&here, &["commit", "-q", "--allow-empty", "-m", "start"]);
    git(&here, &["push", "-q", "origin", "HEAD:main"]);
    if std::env::args().any(|word| word == "races") {
        return races(root);
    }
    let repository = Repository::discover_with(Git::default(), &here).unwrap();
    let remote = remote(&repository, root, "bench");
    let content = |entries| PackContent { called: "001".to_owned(), entries, ..PackContent::default() };
    let (mut first, mut one, mut nothing, mut read, mut plain) = (vec![], vec![], vec![], vec![], vec![]);
    let before = size(&root.join("remote.git"));
    for _ in 0..ROUNDS {
        let uuid = new_feature_uuid();
        let shared = taken(&remote, &uuid);
        let begun = Instant::now();
        let shared = remote.add(&shared, content(entries(1, EVENTS)), &Anchors::new()).unwrap();
        let shared = remote.publish(&shared, false).unwrap();
        first.push(begun.elapsed());
        let begun = Instant::now();
        let shared = remote.add(&shared, content(entries(EVENTS + 1, EVENTS + 1)), &Anchors::new()).unwrap();
        let shared = remote.publish(&shared, false).unwrap();
        one.push(begun.elapsed());
        let begun = Instant::now();
        remote.publish(&shared, false).unwrap();
        nothing.push(begun.elapsed());
        let begun = Instant::now();
        let events = remote.read(&uuid).unwrap().feature.history().unwrap().entries.len();
        assert_eq!(events as u64, EVENTS + 1);
        read.push(begun.elapsed());
        let begun = Instant::now();
        git(&here, &["commit", "-q", "--allow-empty", "-m", "more"]);
        git(&here, &["push", "-q", "origin", "HEAD:main"]);
        plain.push(begun.elapsed());
    }
    let each = (size(&root.join("remote.git")) - before) / ROUNDS as u64;
    println!("{EVENTS} events, published the first time   {}, {each} KB in the remote", middle(first));
    println!("one event more                        {}", middle(one));
    println!("nothing to send                       {}", middle(nothing));
    println!("read, checked and put together        {}", middle(read));
    println!("git commit and git push by themselves {}", middle(plain));
}
