//! What a worker does for the fleet: starts the ordinary program in a clone, tells where it stands, ends it when it
//! should end, and reads what came of it. Start at `Activities::drive`.

use crate::clones::{Clone, error_of, hints_of};
use crate::order::*;
use crate::program::{Programs, interrupt, kill};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use temporalio_common::error::ApplicationFailure;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long a program may take to end in order. A fleet promises five seconds in all.
const GRACE: Duration = Duration::from_secs(3);
const BEAT: Duration = Duration::from_millis(500);

pub struct Activities {
    pub programs: Programs,
    /// By the address of the repository.
    pub clones: BTreeMap<String, Clone>,
    /// Whether this worker should drive nothing any more.
    pub leaving: watch::Receiver<bool>,
}

#[activities]
impl Activities {
    /// Drives a feature until it rests.
    #[activity]
    pub async fn drive(
        self: Arc<Self>,
        ctx: ActivityContext,
        order: DriveOrder,
    ) -> Result<Report, ActivityError> {
        let done = self.drive_in(&ctx, &order).await;
        if let Err(ActivityError::Application(failure)) = &done {
            eprintln!("{}: its drive failed: {failure}", order.feature);
        }
        done
    }

    #[activity]
    pub async fn errand(
        self: Arc<Self>,
        ctx: ActivityContext,
        order: ErrandOrder,
    ) -> Result<Said, ActivityError> {
        let clone = self.clone_of(&order.repository)?;
        let done = self.while_beating(&ctx, self.carry_out(clone, &order)).await;
        done.map_err(failure)
    }
}

impl Activities {
    fn clone_of(&self, repository: &str) -> Result<&Clone, ActivityError> {
        let clone = self.clones.get(repository);
        clone.ok_or_else(|| failure(format!("this worker has no clone of {repository}")))
    }

    async fn drive_in(&self, ctx: &ActivityContext, order: &DriveOrder) -> Result<Report, ActivityError> {
        let clone = self.clone_of(&order.repository)?;
        beat(ctx, "begins", 0, 0).await;
        // Without the remote, the run says what follows from that.
        let _ = self.while_beating(ctx, clone.sync(&self.programs)).await;
        let Some(number) = clone.number_of(&order.feature) else {
            return Err(failure(format!("{} has no feature {}", order.repository, order.feature)));
        };
        let Some(before) = clone.total_micro_usd(&self.programs, &number).await else {
            return Err(failure(format!(
                "what {number} has cost cannot be read in {}",
                clone.folder.display()
            )));
        };
        let name = format!("{} of {}", number, order.repository);
        eprintln!("{name}: a drive begins");
        let limit = before.saturating_add(order.portion_micro_usd).min(order.budget_micro_usd);
        let mut words = vec!["run".to_owned(), number.clone(), "--yes".to_owned(), "--events".to_owned()];
        words.extend(["--budget".to_owned(), dollars(limit)]);
        if order.merge {
            words.push("--merge".to_owned());
        }
        let mut report = self.run(ctx, clone, &words).await?;
        if report.elsewhere && order.take && !report.stopped {
            words.push("--take".to_owned());
            report = self.run(ctx, clone, &words).await?;
        }
        report.total_micro_usd = clone.total_micro_usd(&self.programs, &number).await;
        if let Some(question) = &mut report.question {
            question.asked_at = self.asked_at(clone, &number).await;
        }
        eprintln!("{name}: {}", ending(&report, before));
        Ok(report)
    }

    async fn run(
        &self,
        ctx: &ActivityContext,
        clone: &Clone,
        words: &[String],
    ) -> Result<Report, ActivityError> {
        let mut leaving = self.leaving.clone();
        if *leaving.borrow() {
            return Ok(Report { exit: Some(130), leaving: true, ..Report::default() });
        }
        let mut child = self.programs.start(&clone.folder, words, None).await.map_err(failure)?;
        let mut report = Report::default();
        let process = child.id();
        let stdout = child.stdout.take().ok_or_else(|| failure("stdout cannot be read".to_owned()))?;
        let mut lines = BufReader::new(stdout).lines();
        let (mut last, mut at, mut events) = (Value::Null, "begins".to_owned(), 0);
        let mut next_beat = Instant::now();
        let mut deadline = None;
        loop {
            tokio::select! {
                line = lines.next_line() => match line {
                    Ok(Some(line)) => {
                        let said: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
                        if said["type"] == "event" {
                            events += 1;
                            at = place_of(&said).unwrap_or(at);
                        } else {
                            last = said;
                        }
                    }
                    Ok(None) | Err(_) => break,
                },
                () = sleep_until(next_beat) => {
                    beat(ctx, &at, events, process.unwrap_or(0)).await;
                    next_beat = Instant::now() + BEAT;
                }
                () = ctx.cancelled(), if deadline.is_none() => {
                    report.stopped = true;
                    interrupt(process);
                    deadline = Some(Instant::now() + GRACE);
                }
                () = told_to_leave(&mut leaving), if deadline.is_none() => {
                    report.leaving = true;
                    interrupt(process);
                    deadline = Some(Instant::now() + GRACE);
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    kill(process);
                    break;
                }
            }
        }
        report.exit = ended(&mut child).await;
        read(&mut report, &last);
        Ok(report)
    }

    async fn carry_out(&self, clone: &Clone, order: &ErrandOrder) -> Result<Said, String> {
        let _ = clone.sync(&self.programs).await;
        let number = clone.number_of(&order.feature);
        let number =
            number.ok_or_else(|| format!("{} has no feature {}", order.repository, order.feature))?;
        let (words, by) = words_of(&order.errand, &number);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (exit, said) = self.programs.ask(&clone.folder, &words, by).await?;
        if order.errand == Errand::Look && exit != 0 {
            return Err(error_of(&said));
        }
        let text = said["error"].as_str().or_else(|| said["next"].as_str()).unwrap_or_default().to_owned();
        Ok(Said {
            exit,
            text,
            hints: hints_of(&said),
            total_micro_usd: clone.total_micro_usd(&self.programs, &number).await,
            elsewhere: clone.is_elsewhere(&self.programs, &number).await,
        })
    }

    async fn asked_at(&self, clone: &Clone, number: &str) -> Option<u64> {
        let (_, said) = self.programs.ask(&clone.folder, &["status", "--json"], None).await.ok()?;
        let rows = said["features"].as_array()?;
        rows.iter().find(|row| row["id"] == number)?["asked_at"].as_u64()
    }

    async fn while_beating<T>(&self, ctx: &ActivityContext, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                () = tokio::time::sleep(BEAT) => beat(ctx, "prepares", 0, 0).await,
            }
        }
    }
}

/// Waits until the worker should drive nothing any more.
async fn told_to_leave(leaving: &mut watch::Receiver<bool>) {
    if leaving.wait_for(|leaving| *leaving).await.is_err() {
        // Whoever could say so is gone.
        std::future::pending::<()>().await;
    }
}

async fn ended(child: &mut Child) -> Option<i32> {
    match tokio::time::timeout(GRACE, child.wait()).await {
        Ok(status) => status.ok().and_then(|status| status.code()),
        // It closed its output and does not end.
        Err(_) => {
            kill(child.id());
            let _ = child.wait().await;
            None
        }
    }
}

/// Reads the last object of a run.
pub fn read(report: &mut Report, last: &Value) {
    let result = if last["type"] == "result" { &last["result"] } else { last };
    report.outcome = result["outcome"].as_str().unwrap_or_default().to_owned();
    report.error = result["error"].as_str().map(str::to_owned);
    report.elsewhere = report.exit == Some(7) && hints_of(result).iter().any(|hint| hint.contains("--take"));
    report.parked_until_ms = result["parked_until_ms"].as_i64();
    if result["standing"]["is"] == "over-budget" {
        report.needed_micro_usd = result["standing"]["needed_micro_usd"].as_u64();
    }
    let question = &result["question"];
    report.question = question["text"].as_str().map(|text| Question {
        text: text.to_owned(),
        choices: question["choices"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|choice| choice.as_str().map(str::to_owned))
            .collect(),
        asked_at: None,
    });
}

/// How a drive ended, for who reads the worker's log.
fn ending(report: &Report, before_micro_usd: u64) -> String {
    let code = report.exit.map_or_else(|| "was killed".to_owned(), |code| format!("ended with code {code}"));
    let cost = report.total_micro_usd.map_or_else(
        || "cost unknown".to_owned(),
        |total| format!("${}", dollars(total.saturating_sub(before_micro_usd))),
    );
    let asked = report.question.as_ref().map(|question| question.text.clone());
    let reason = match report {
        Report { stopped: true, .. } => "the fleet stopped it".to_owned(),
        Report { leaving: true, .. } => "this worker leaves".to_owned(),
        _ => report.error.clone().or(asked).unwrap_or_else(|| report.outcome.clone()),
    };
    format!("the drive {code}, {cost}: {}", reason.lines().next().unwrap_or_default())
}

/// Where a feature stands after an event, as `specify.1/review/spec-reviewer/2.1`.
fn place_of(event: &Value) -> Option<String> {
    let body = &event["body"];
    let ticket = body["ticket"].as_str().and_then(|ticket| ticket.split_once('/'));
    ticket.map(|(_, place)| place.to_owned()).or_else(|| body["phase"].as_str().map(str::to_owned))
}

fn words_of<'a>(errand: &'a Errand, number: &str) -> (Vec<String>, Option<&'a str>) {
    let word = |text: &str| text.to_owned();
    let option = |name: &str, value: &Option<String>| {
        value.iter().flat_map(|value| [format!("--{name}"), value.clone()]).collect::<Vec<_>>()
    };
    match errand {
        // Ends what may still drive it here, and waits for that.
        Errand::Look => (vec![word("stop"), word(number), word("--json")], None),
        Errand::Decide(said) => {
            let mut words = vec![word("decide"), word(number), said.choice.clone(), word("--json")];
            words.extend(said.answers.iter().flat_map(|answer| [word("--answer"), answer.clone()]));
            words.extend(option("why", &said.why));
            words.extend(option("revision", &said.revision));
            words.extend(option("seen", &said.seen.map(|seen| seen.to_string())));
            (words, Some(&said.by))
        }
        Errand::Comment(said) => {
            let mut words = vec![word("comment"), word(number), said.text.clone(), word("--json")];
            words.extend(option("file", &said.file));
            words.extend(option("line", &said.line.map(|line| line.to_string())));
            words.extend(option("phase", &said.phase));
            words.extend(said.note.then(|| word("--note")));
            words.extend(said.yes.then(|| word("--yes")));
            (words, Some(&said.by))
        }
    }
}

/// An amount as `--budget` takes it.
pub fn dollars(micro_usd: u64) -> String {
    format!("{}.{:06}", micro_usd / 1_000_000, micro_usd % 1_000_000)
}

async fn beat(ctx: &ActivityContext, at: &str, events: u64, process: u32) {
    // A heartbeat that cannot be written is one that is late.
    let _ = ctx.record_heartbeat(Beat { at: at.to_owned(), events, process }).await;
}

/// A failure that the same worker would meet again.
fn failure(text: String) -> ActivityError {
    ActivityError::application(ApplicationFailure::non_retryable(text))
}
