//! What can be typed.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const SERVER: &str = "\
The server: TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and the other variables of Temporal's tools, or its file temporal.toml; \
127.0.0.1:7233 and `default` without them. For trying it: temporal server start-dev";

const CODES: &str = "\
Exit codes, as redraft's: 0 done, 2 cannot be carried out as typed, 3 the server, a clone or the configuration needs \
attention, 6 waiting for a decision, 7 no worker answers, 130 interrupted";

#[derive(Parser)]
#[command(
    name = "redraft-fleet",
    version,
    about = "Keep many features going on many machines: schedules runs of redraft with Temporal",
    after_help = CODES,
    after_long_help = format!("{SERVER}\n\n{CODES}")
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Drive features on this machine, until it is told to end (Ctrl-C)
    #[command(after_help = SERVER)]
    Worker(WorkerArgs),
    /// Have the fleet take up the features of repositories, or go on with those that rest
    #[command(after_help = "Examples:\n  redraft-fleet start ~/shop ~/billing --budget 200\n  \
        redraft-fleet start ~/shop --feature 012 --feature-budget 8\n\nREPO is a clone that shares its features \
        (`redraft share`). Features that are over are left alone.")]
    Start(StartArgs),
    /// Show where all features of the fleet stand, its workers, and what was spent
    Status(StatusArgs),
    /// Answer the question that a feature waits with
    #[command(after_help = "Examples:\n  redraft-fleet decide 3d36b2af accept --why \"good enough\"\n  \
        redraft-fleet decide shop/002 approve --revision 4f2a91c\n\nThe same choices as `redraft decide`.")]
    Decide(DecideArgs),
    /// Tell a feature's author what should be different
    Comment(CommentArgs),
    /// Stop a feature: its run ends within seconds, and the fleet leaves it alone
    #[command(after_help = "What is stored stays; `redraft-fleet start` takes it up again.")]
    Stop(StopArgs),
    /// Write a feature's recorded history as JSON, for the tests that replay it
    #[command(hide = true)]
    History(StopArgs),
}

#[derive(Args)]
pub(crate) struct WorkerArgs {
    /// The worker's name; it must be the same each time, and no other worker's [default: the machine's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// A clone in which it drives features; repeat the option for several repositories
    #[arg(long = "repository", value_name = "CLONE", required = true)]
    pub(crate) repositories: Vec<PathBuf>,
    /// How many features it drives at a time
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) places: u32,
    /// An agent that works here, such as claude; repeat the option for several
    #[arg(long = "agent", value_name = "NAME")]
    pub(crate) agents: Vec<String>,
    /// The sandbox that this machine can hold, such as strict
    #[arg(long)]
    pub(crate) sandbox: Option<String>,
    /// The program redraft
    #[arg(long, default_value = "redraft")]
    pub(crate) redraft: PathBuf,
    /// Seconds without contact to the server after which it stops what it drives
    #[arg(long, value_name = "SECONDS")]
    pub(crate) alone: Option<u64>,
}

/// Options of `start` that hold for a feature from when the fleet takes it up until it is over.
pub(crate) const OF_A_FEATURE: [&str; 8] =
    ["portion", "account", "needs_agents", "needs_sandbox", "merge", "heartbeat", "pickup", "retry"];

#[derive(Args)]
pub(crate) struct StartArgs {
    /// Clones whose features the fleet should take up
    #[arg(required = true, value_name = "REPO")]
    pub(crate) repositories: Vec<PathBuf>,
    /// Only these, by number or slug
    #[arg(long = "feature", value_name = "FEATURE")]
    pub(crate) features: Vec<String>,
    /// What all features of the fleet may cost together, in dollars; holds from now on
    #[arg(long, value_name = "USD", value_parser = micro_usd)]
    pub(crate) budget: Option<u64>,
    /// What each of these features may cost in all, in dollars [default: 5]
    #[arg(long, value_name = "USD", value_parser = some_micro_usd)]
    pub(crate) feature_budget: Option<u64>,
    /// What a feature asks of the fleet's budget at a time, in dollars
    #[arg(long, value_name = "USD", value_parser = some_micro_usd, default_value = "2")]
    pub(crate) portion: u64,
    /// The agent account that these features use
    #[arg(long, default_value = "default")]
    pub(crate) account: String,
    /// At most N drives of this account at a time, over all workers
    #[arg(long, value_name = "NAME=N", value_parser = account_limit)]
    pub(crate) account_limit: Vec<(String, u32)>,
    /// Only on workers that have this agent
    #[arg(long = "needs-agent", value_name = "NAME")]
    pub(crate) needs_agents: Vec<String>,
    /// Only on workers that hold this sandbox
    #[arg(long)]
    pub(crate) needs_sandbox: Option<String>,
    /// Merge what is finished
    #[arg(long)]
    pub(crate) merge: bool,
    /// Seconds of silence after which a drive counts as lost
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(3..=3600))]
    pub(crate) heartbeat: u64,
    /// Seconds that a worker may take to begin what it is given, before another one does
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(3..=3600))]
    pub(crate) pickup: u64,
    /// Seconds before something that failed is tried again, doubled each time
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) retry: u64,
    /// Those of `OF_A_FEATURE` that were typed
    #[arg(skip)]
    pub(crate) typed: Vec<&'static str>,
    /// The program redraft
    #[arg(long, default_value = "redraft")]
    pub(crate) redraft: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct StatusArgs {
    /// Also features that have ended
    #[arg(long)]
    pub(crate) all: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct DecideArgs {
    /// The feature, as `redraft-fleet status` names it
    pub(crate) feature: String,
    /// One of the choices that the question has
    pub(crate) choice: String,
    /// The answer to an author's question; repeat the option for each
    #[arg(long = "answer", value_name = "TEXT")]
    pub(crate) answers: Vec<String>,
    /// The reason; it is stored with the decision
    #[arg(long)]
    pub(crate) why: Option<String>,
    /// The revision that you looked at
    #[arg(long)]
    pub(crate) revision: Option<String>,
    /// Answer only the question that was asked in this event
    #[arg(long, value_name = "EVENT")]
    pub(crate) seen: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct CommentArgs {
    /// The feature, as `redraft-fleet status` names it
    pub(crate) feature: String,
    pub(crate) text: String,
    /// The file it is about
    #[arg(long)]
    pub(crate) file: Option<String>,
    /// The line of that file
    #[arg(long)]
    pub(crate) line: Option<u32>,
    /// The phase it is about
    #[arg(long)]
    pub(crate) phase: Option<String>,
    /// Only a note: the author may leave it
    #[arg(long)]
    pub(crate) note: bool,
    /// Open a closed phase again
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct StopArgs {
    /// The feature, as `redraft-fleet status` names it
    pub(crate) feature: String,
}

/// Dollars as whole millionths.
fn micro_usd(text: &str) -> Result<u64, String> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.chars().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || whole.len() > 9 || rest.len() > 6 || !digits(whole) || !digits(rest) {
        return Err("an amount in dollars, such as 20 or 0.50".to_owned());
    }
    let all = format!("{whole}{rest:0<6}");
    all.parse().map_err(|_| "an amount in dollars, such as 20 or 0.50".to_owned())
}

fn some_micro_usd(text: &str) -> Result<u64, String> {
    let above = "more than 0 dollars, such as 2 or 0.50";
    micro_usd(text).and_then(|amount| if amount > 0 { Ok(amount) } else { Err(above.to_owned()) })
}

fn account_limit(text: &str) -> Result<(String, u32), String> {
    let split = text.rsplit_once('=').and_then(|(name, most)| Some((name.to_owned(), most.parse().ok()?)));
    let is_limit = |(name, most): &(String, u32)| !name.is_empty() && *most > 0;
    split.filter(is_limit).ok_or_else(|| "NAME=N with N of 1 or more, such as team=3".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_are_read_to_the_millionth() {
        for (text, read) in [("20", 20_000_000), ("0.5", 500_000), ("1.000001", 1_000_001)] {
            assert_eq!(micro_usd(text), Ok(read));
        }
        for text in ["", ".5", "-1", "1.0000001", "1e3", "9999999999", "1,5"] {
            assert!(micro_usd(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_feature_may_not_cost_nothing() {
        assert!(some_micro_usd("0").is_err() && some_micro_usd("0.000").is_err());
        assert_eq!(some_micro_usd("0.01"), Ok(10_000));
    }

    #[test]
    fn an_account_has_a_name_and_a_number() {
        assert_eq!(account_limit("team=3"), Ok(("team".to_owned(), 3)));
        for text in ["team", "=3", "team=", "team=-1", "team=0"] {
            assert!(account_limit(text).is_err(), "{text}");
        }
    }
}
