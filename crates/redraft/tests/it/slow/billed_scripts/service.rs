//! A service that answers, breaks off and bills as dice say.

use super::{BOUNDS, Kind, SPEC, untold};
use crate::documents::CLEAN;
use redraft_cost::price::Card;
use redraft_facts::choice::Lifetime;
use redraft_facts::usage::{Usage, Usd};
use redraft_testkit::provider::{Charge, RecordedRequest, Reply, all_text, last_user_text, was_tool_used};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Numbers that are the same for the same seed (splitmix64).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A service in one conversation, and what it has billed.
pub(super) struct Script {
    kind: Kind,
    card: Card,
    dice: Dice,
    /// How likely something goes wrong, in percent.
    pub(super) trouble: u64,
    /// Tokens for a hundred bytes, and what it puts around a prompt: a tokenizer is always the same.
    density: u64,
    around: u64,
    pub(super) billed: Usd,
    pub(super) met: BTreeMap<&'static str, u32>,
    /// Whether reviewers find fault sometimes.
    rejects: bool,
}

impl Script {
    pub(super) fn new(kind: Kind, seed: u64, rejects: bool) -> Script {
        let mut dice = Dice(seed);
        let trouble = [0, 10, 30, 60][dice.below(4) as usize];
        let (density, around) = (15 + dice.below(28), dice.below(900));
        let (card, met) = (kind.card(), BTreeMap::new());
        Script { kind, card, dice, trouble, density, around, billed: Usd(0), met, rejects }
    }

    pub(super) fn reply(&mut self, request: &RecordedRequest) -> Reply {
        let said = said(request, &mut self.dice, self.rejects);
        let (bill, output) = self.bill(request, &said);
        let whole = said.clone().billed(bill, output);
        let paid = self.price(&bill, output);
        let begun = self.price(&bill, 1);
        let status = |code: u16, kind: &str| Reply::error(code, kind, "come back later");
        let (what, cost, reply) = match self.dice.below(100) < self.trouble {
            false => ("answer", paid, whole),
            true => match self.dice.below(14) {
                0 => ("429", Usd(0), status(429, "rate_limit_error")),
                1 => (
                    "429 with a time",
                    Usd(0),
                    status(429, "rate_limit_error").with_header("retry-after", "2"),
                ),
                2 => ("503", Usd(0), status(503, "overloaded_error")),
                3 => ("529", Usd(0), status(529, "overloaded_error")),
                4 => ("500", Usd(0), status(500, "api_error")),
                5 => (
                    "200 with an error",
                    Usd(0),
                    Reply::Garbage(br#"{"error":{"message":"not now"}}"#.to_vec()),
                ),
                // A proxy in front of the service gave up; the service may have done the work.
                6 if self.dice.chance(50) => ("502, billed", paid, status(502, "")),
                6 => ("502", Usd(0), status(502, "")),
                7 if self.dice.chance(50) => ("no answer, billed", paid, Reply::Close),
                7 => ("no answer", Usd(0), Reply::Close),
                8 | 9 => {
                    let events = self.dice.below(8) as usize;
                    ("cut", paid, whole.cut_after(events))
                }
                10 => {
                    // One protocol reports what it has read before it fails; the others report nothing.
                    let cost = if self.kind == Kind::Anthropic { begun } else { Usd(0) };
                    let (kind, message) = ("overloaded_error".to_owned(), "busy".to_owned());
                    ("error in a stream", cost, Reply::ErrorInStream { kind, message }.billed(bill, 0))
                }
                11 => ("no usage", paid, Reply::Garbage(untold(self.kind, &said).into_bytes())),
                12 => {
                    let cut = Reply::Truncated("{\"approved\": false, \"summ".to_owned());
                    (
                        "too long",
                        self.price(&bill, BOUNDS.answer_tokens),
                        cut.billed(bill, BOUNDS.answer_tokens),
                    )
                }
                _ => ("prose", paid, Reply::text("It seems fine to me.").billed(bill, output)),
            },
        };
        *self.met.entry(what).or_default() += 1;
        self.billed = self.billed + cost;
        reply
    }

    /// What a request is charged for, whatever arrives of its answer. Thoughts are billed and not shown.
    fn bill(&mut self, request: &RecordedRequest, said: &Reply) -> (Charge, u64) {
        let input = (request.body.len() as u64 * self.density).div_ceil(100) + self.around;
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let read = self.dice.below(input);
        let written = self.dice.below(input - read);
        let mut bill = Charge { uncached: input - read, read, ..Charge::default() };
        let into = match self.kind {
            Kind::Anthropic if body.contains(r#""ttl":"1h""#) => Some(&mut bill.written_1h),
            Kind::Anthropic if body.contains("cache_control") => Some(&mut bill.written_5m),
            Kind::Anthropic => None,
            Kind::Chat | Kind::Responses => Some(&mut bill.written_30m),
        };
        if let Some(into) = into {
            *into = written;
            bill.uncached -= written;
        }
        let chars = match said {
            Reply::Tool { input, .. } | Reply::Json(input) => input.to_string().len() as u64,
            _ => 0,
        };
        let thought = match self.dice.below(10) {
            0..6 => 0,
            6..9 => self.dice.below(500),
            _ => BOUNDS.answer_tokens,
        };
        (bill, (chars / 4 + 1 + thought).min(BOUNDS.answer_tokens))
    }

    fn price(&self, bill: &Charge, output: u64) -> Usd {
        let Charge { uncached, written_5m, written_1h, written_30m, read } = *bill;
        let written = written_5m + written_1h + written_30m;
        let usage = Usage { uncached, written, read, output, cost: Usd(0) };
        let by_lifetime = [(Lifetime::FiveMinutes, written_5m), (Lifetime::Hour, written_1h)];
        self.card.cost_by_lifetime(&usage, &by_lifetime, usage.input())
    }
}

/// The answer of a model that plays all roles: it writes and edits the document, and reviewers approve, mostly.
fn said(request: &RecordedRequest, dice: &mut Dice, rejects: bool) -> Reply {
    let (all, last) = (all_text(request), last_user_text(request));
    let open: Vec<Value> = ["S1", "S2", "P1", "P2", "A1"]
        .into_iter()
        .filter(|id| last.contains(&format!("[{id}]")))
        .map(|id| json!({"id": id, "status": "fixed", "note": "it is another"}))
        .collect();
    if all.contains("# Write the Specification") && !was_tool_used(request, "Write") {
        let content = format!("{CLEAN}\n<!-- {} -->\n", dice.below(1_000_000));
        return Reply::tool("Write", json!({"path": SPEC, "content": content}));
    }
    if dice.chance(10) && !was_tool_used(request, "Read") {
        return Reply::tool("Read", json!({"path": SPEC}));
    }
    let issue = json!({"severity": "blocker", "category": "clarity", "claim": "absent", "file": SPEC, "line": 0,
        "section": "", "quote": "", "description": format!("nobody says what {} is", dice.below(1_000_000)),
        "suggestion": "", "same_as": ""});
    let issues = if rejects && dice.chance(25) { vec![issue] } else { Vec::new() };
    Reply::Json(json!({"approved": issues.is_empty(), "summary": "read", "answers": open, "issues": issues,
        "checks": [], "verified": [], "files_read": []}))
}
