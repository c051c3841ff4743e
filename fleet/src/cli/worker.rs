//! `redraft-fleet worker`: serves the queue of all with workflows, and a queue of its own with what runs here.

use super::repository;
use super::server::{connect, office};
use super::{CONFIG, Failure, args::WorkerArgs};
use redraft_fleet::activities::Activities;
use redraft_fleet::book::Offer;
use redraft_fleet::clones::Clone;
use redraft_fleet::feature::Feature;
use redraft_fleet::office::{Announcement, Office};
use redraft_fleet::order::{OFFICE, QUEUE, Timing, queue_of};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use temporalio_client::Client;
use temporalio_sdk::{Runtime, Worker, WorkerOptions};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How often the worker asks whether the office knows it, which is how it notices that the server is gone.
const CONTACT: Duration = Duration::from_secs(2);
/// How long it waits for an answer to that.
const CONTACT_MAX: Duration = Duration::from_secs(4);
/// Heartbeats are sent no more often, and a cancellation is heard of with one.
const BEAT: Duration = Duration::from_secs(1);
/// How long drives may take to end when the worker leaves.
const LEAVING_MAX: Duration = Duration::from_secs(15);

pub(crate) async fn worker(args: WorkerArgs) -> Result<u8, Failure> {
    let name = match args.name.clone() {
        Some(name) => name,
        None => std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned(),
    };
    if name.is_empty() {
        return Err(Failure::new(CONFIG, "this machine has no name").hint("give the worker one: --name NAME"));
    }
    let programs = repository::programs(&args.redraft).await?;
    let opened = repository::clones(&args.repositories, &programs).await?;
    let clones: BTreeMap<String, Clone> =
        opened.into_iter().map(|clone| (clone.repository.clone(), clone)).collect();
    let client = connect().await?;
    office(&client).await?;
    let offer = Offer {
        repositories: clones.keys().cloned().collect(),
        agents: args.agents.iter().cloned().collect(),
        sandbox: args.sandbox.clone(),
        places: args.places,
        silent: false,
    };
    let (leave, leaving) = watch::channel(false);
    let activities = Activities { programs, clones, leaving };

    let runtime = Runtime::from_current_tokio(Default::default())
        .map_err(|error| Failure::new(CONFIG, error.to_string()))?;
    let broken =
        |error: &dyn std::fmt::Display| Failure::new(CONFIG, format!("the worker cannot begin: {error}"));
    let of_all = WorkerOptions::new(QUEUE)
        .register_workflow::<Feature>()
        .and_then(|options| options.register_workflow::<Office>())
        .map_err(|error| broken(&error))?
        .build();
    let own = WorkerOptions::new(queue_of(&name))
        .register_activities(activities)
        .max_heartbeat_throttle_interval(BEAT)
        .default_heartbeat_throttle_interval(BEAT)
        .graceful_shutdown_period(LEAVING_MAX)
        .build();
    let mut of_all = Worker::new(&runtime, client.clone(), of_all).map_err(|error| broken(&error))?;
    let mut own = Worker::new(&runtime, client.clone(), own).map_err(|error| broken(&error))?;
    let (end_all, end_own) = (of_all.shutdown_handle(), own.shutdown_handle());

    let alone = args.alone.map_or_else(|| Timing::default().alone(), Duration::from_secs);
    eprintln!(
        "worker {name} drives up to {} features at a time in {} repositories",
        args.places,
        offer.repositories.len()
    );
    let guard = tokio::spawn(guard(client.clone(), name.clone(), offer, alone, leave.clone()));
    let ending = tokio::spawn(async move {
        told_to_end().await;
        guard.abort();
        eprintln!("worker {name} leaves; what it drives ends in order");
        say(&client, &name, None).await;
        leave.send_replace(true);
        end_own();
        // Workflows are served until the drives have reported.
        tokio::time::sleep(Duration::from_secs(2)).await;
        end_all();
    });
    let (one, other) = tokio::join!(own.run(), of_all.run());
    ending.abort();
    one.and(other).map_err(|error| Failure::new(CONFIG, format!("the worker ended: {error}")))?;
    Ok(130)
}

/// Keeps the office informed, and stops what runs here when the server is out of reach for so long that another worker
/// may go on with it.
async fn guard(client: Client, name: String, offer: Offer, alone: Duration, leave: watch::Sender<bool>) {
    let mut heard = Instant::now();
    loop {
        let office = client.get_workflow_handle::<Office>(OFFICE);
        let asked = office.describe(Default::default());
        if matches!(tokio::time::timeout(CONTACT_MAX, asked).await, Ok(Ok(_))) {
            heard = Instant::now();
            leave.send_if_modified(|left| std::mem::replace(left, false));
            let known = office.query(Office::offer, name.clone(), Default::default());
            let known = tokio::time::timeout(CONTACT_MAX, known).await;
            if let Ok(Ok(known)) = known
                && known.as_ref() != Some(&offer)
            {
                say(&client, &name, Some(offer.clone())).await;
            }
        } else if heard.elapsed() > alone {
            let told = leave.send_if_modified(|left| !std::mem::replace(left, true));
            if told {
                eprintln!(
                    "the server has not answered for {} s: what runs here is ended in order",
                    alone.as_secs()
                );
            }
        }
        tokio::time::sleep(CONTACT).await;
    }
}

async fn say(client: &Client, name: &str, offer: Option<Offer>) {
    let said = Announcement { worker: name.to_owned(), offer };
    let office = client.get_workflow_handle::<Office>(OFFICE);
    let sent = office.signal(Office::announce, said, Default::default());
    // It is said again, or found out by who waits for this worker.
    let _ = tokio::time::timeout(CONTACT_MAX, sent).await;
}

async fn told_to_end() {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
