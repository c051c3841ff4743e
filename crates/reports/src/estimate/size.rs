//! Computes what a role's dispatches cost where no earlier feature shows it: from the size of its real texts and of the
//! existing documents, with stated assumptions for what cannot be known beforehand. They are in docs/cost-model.md.

use super::PaidAgent;
use super::plan::{PlannedRole, ROUNDS};
use redraft_documents::tokens::{Family, Ratios, kinds};
use redraft_facts::choice::{Content, Strategy};
use redraft_facts::ids::Role;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_facts::usage::{Usage, Usd};
use redraft_prompts::prompt;
use redraft_roles::profile::{self, ProfileKind, RoleText};

/// What roles read.
pub struct Reading<'a> {
    /// The characters of a file of the feature's folder, by name; none where it is not there. What is reviewed by itself
    /// is there under the name of its phase's artifact.
    pub document: &'a dyn Fn(&str) -> Option<u64>,
    /// The phases whose documents are still to be written.
    pub coming: Vec<Phase>,
    /// The repository's own texts for roles.
    pub own: BTreeMap<Role, RoleText>,
}

/// Everything in a first turn except the documents: what is asked, and what is open.
const TURN_CHARS: u64 = 1_500;
/// Requests of one dispatch: each tool call is followed by one that repeats everything before it.
const READER_REQUESTS: u64 = 3;
const WRITER_REQUESTS: u64 = 4;
const BUILDER_REQUESTS: u64 = 12;
/// Later turns look at less.
const LATER_REQUESTS: u64 = 2;
/// What a tool call adds by itself, without what it reads.
const CALL_TOKENS: u64 = 150;
/// A verdict, and what an author or a builder says and writes in one dispatch.
const VERDICT_TOKENS: u64 = 1_500;
const DOCUMENT_TOKENS: u64 = 4_000;
const CODE_TOKENS: u64 = 5_000;
/// The code that is read for one task, and the change that one task makes.
const READ_CODE_TOKENS: u64 = 8_000;
const CHANGE_TOKENS: u64 = 1_500;
/// A change that is reviewed by itself, whose tasks are unknown.
const CHANGE_BY_ITSELF_TOKENS: u64 = 5_000;
/// How much of a document a revision changes, in percent.
const REVISED_PERCENT: u64 = 40;

/// Where the numbers come from, in words that follow `an estimate`.
pub(super) fn assumptions(builds: bool) -> String {
    let builder = if builds { format!(", {BUILDER_REQUESTS} requests a task") } else { String::new() };
    format!(
        "from the sizes of the roles' texts and of the documents, with {ROUNDS} review rounds a phase{builder} and a cache that \
         is still warm when a role returns"
    )
}

/// About how long a document is that is not written yet.
fn usual_chars(name: &str) -> u64 {
    match name {
        "spec.md" | "tasks.md" => 9_000,
        "design.md" => 12_000,
        "plan.md" => 8_000,
        _ => 0,
    }
}

/// The cost of the part by its agent's price card.
pub(super) fn cost(part: &PlannedRole, player: &PaidAgent, tasks: u32, reading: &Reading<'_>) -> Usd {
    let sizes = Sizes::new(part, player, tasks, reading);
    let (first, later) = (sizes.first(), sizes.later());
    let mut sum = Usage::default();
    (0..part.first).for_each(|_| sum += first);
    (0..part.later).for_each(|_| sum += later);
    player.card.cost(&sum, sizes.whole())
}

/// One dispatch of a role, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sizes {
    /// Of its first request.
    prompt: u64,
    /// What it reads after that.
    read: u64,
    requests: u64,
    answer: u64,
    /// What is new in a later turn.
    change: u64,
}

impl Sizes {
    fn new(part: &PlannedRole, player: &PaidAgent, tasks: u32, reading: &Reading<'_>) -> Sizes {
        let ratios = Ratios::measured(Family::for_model(&player.model));
        let role = Role::new(part.profile.role);
        let texts = stable_text(part.phase, &role, reading.own.get(&role));
        let document = |name: &str| {
            let coming = Phase::writing(name).is_some_and(|phase| reading.coming.contains(&phase));
            let chars = (reading.document)(name).unwrap_or(if coming { usual_chars(name) } else { 0 });
            ratios.tokens(chars, Content::Markdown)
        };
        let names = part.profile.artifacts.iter().filter(|name| **name != part.phase.artifact());
        let upstream: u64 = names.map(|name| document(name)).sum();
        let builds = part.phase == Phase::Implement;
        let judged = match (builds, part.profile.kind) {
            (true, _) if tasks == 0 => CHANGE_BY_ITSELF_TOKENS,
            (true, _) => CHANGE_TOKENS * u64::from(tasks),
            (false, _) => document(part.phase.artifact()),
        };
        let (requests, answer, read) = match (part.profile.kind, builds) {
            (ProfileKind::Author, true) => (BUILDER_REQUESTS, CODE_TOKENS, upstream + READ_CODE_TOKENS),
            (ProfileKind::Author, false) => (WRITER_REQUESTS, DOCUMENT_TOKENS, upstream),
            (ProfileKind::Domain | ProfileKind::Phase, _) => {
                (READER_REQUESTS, VERDICT_TOKENS, upstream + judged)
            }
        };
        let turn = ratios.tokens(TURN_CHARS, Content::Markdown);
        let prompt = player.overhead + ratios.all_tokens(&kinds(&texts)) + turn;
        Sizes { prompt, read, requests, answer, change: turn + judged * REVISED_PERCENT / 100 }
    }

    /// The conversation when it has answered.
    fn whole(&self) -> u64 {
        self.prompt + self.read + self.requests * CALL_TOKENS
    }

    /// Everything is written to the cache once; each request after the first reads what the ones before it left.
    fn first(&self) -> Usage {
        Usage {
            written: self.whole(),
            read: self.prompt + (self.requests - 2) * self.whole(),
            output: self.answer + self.requests * CALL_TOKENS,
            ..Usage::default()
        }
    }

    fn later(&self) -> Usage {
        Usage {
            written: self.change + self.answer,
            read: LATER_REQUESTS * self.whole(),
            output: self.answer + LATER_REQUESTS * CALL_TOKENS,
            ..Usage::default()
        }
    }
}

/// What is the same in every dispatch of a role: the very text that it is sent, except for the names of files.
fn stable_text(phase: Phase, role: &Role, own: Option<&RoleText>) -> String {
    let sample = prompt::sample(phase, role, None, Strategy::Lazy, own);
    let Some(sample) = sample else {
        return profile::find(phase, role).map(|profile| profile.rubric.to_owned()).unwrap_or_default();
    };
    let prompt = sample.prompt;
    let fragments = prompt.constant.iter().chain(&prompt.role);
    fragments.map(|fragment| fragment.text.as_str()).collect::<Vec<&str>>().join("\n")
}
