//! One review, sent in one way at one moment: the tokens it is billed for and what the cache holds afterwards.
//!
//! Start at [`send`]. A prompt is three parts, each with a place after it that can be marked for the cache: tools and
//! system text; the part that stays the same in every round; the rest. Only what an earlier request marked and what is
//! still kept can be read. The formulas are in docs/cost-model.md.

use super::terms::{Amount, CERTAIN, Terms};
use redraft_facts::choice::{Cached, CachedConversation, CachedPrefix, Lifetime, Marks, Strategy};
use redraft_facts::usage::Usage;

/// What a reviewer says to call a tool, in tokens.
pub(super) const PER_CALL: u64 = 120;

/// The sizes of a role's reviews that are the same in every round, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tools and system text.
    pub system: u64,
    /// Rubric and schema.
    pub rubric: u64,
    /// All upstream artifacts.
    pub upstream: u64,
    /// How many files they are; a `lazy` reviewer opens each with a call of its own.
    pub files: u32,
    /// The list of open findings and the words around it.
    pub findings: u64,
    /// What a reviewer that is sent only changes is told in addition: what it has, what to do with them, and what their
    /// author says about them.
    pub guidance: u64,
    pub answer: u64,
    /// What the reviewer says to call a tool.
    pub per_call: u64,
    /// Whether a `lazy` reviewer opens the artifact under review by path as well.
    pub artifact_by_path: bool,
    /// Calls that a reviewer makes of its own accord in every turn, whatever it was sent, and the tokens they bring in:
    /// none for documents, many for code.
    pub exploring: Exploring,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exploring {
    pub calls: u32,
    pub tokens: u64,
}

impl Sizes {
    /// The calls of a review.
    pub(super) fn calls(&self, strategy: Strategy) -> u32 {
        let reading = self.files + u32::from(self.artifact_by_path);
        self.exploring.calls + if strategy == Strategy::Lazy { reading } else { 0 }
    }
}

/// The sizes of one round, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Round {
    /// The artifact under review.
    pub artifact: u64,
    /// What changed since the role last looked.
    pub delta: u64,
    /// The sections that the changes stand in.
    pub touched: u64,
}

impl Round {
    /// The same with a change of another size, in percent.
    pub(super) fn with_change(&self, percent: u32) -> Round {
        let scaled = |tokens: u64| tokens.saturating_mul(u64::from(percent)) / 100;
        Round { delta: scaled(self.delta), touched: scaled(self.touched).min(self.artifact), ..*self }
    }
}

/// A strategy and what it marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub strategy: Strategy,
    pub marks: Marks,
}

/// What one review is billed for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewBill {
    pub uncached: u64,
    /// By lifetime, in the order of [`Lifetime::ALL`].
    pub written: [u64; Lifetime::ALL.len()],
    pub read: u64,
    pub output: u64,
    /// The input's part of the amount.
    pub input_amount: Amount,
    pub output_amount: Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    pub bill: ReviewBill,
    pub cached: Cached,
    /// The largest prompt of the review.
    pub largest: u64,
    /// Whether prompts and answer fit the model's context.
    pub fits: bool,
    /// Whether a prompt is priced above a cliff.
    pub above_cliff: bool,
}

/// What files look like when they are read by a tool: every line with its number before it.
pub(super) fn as_read(tokens: u64) -> u64 {
    tokens.saturating_mul(115).div_ceil(100)
}

/// Sends a review in some way; none where there is no conversation to continue.
pub fn send(terms: &Terms, sizes: &Sizes, cached: &Cached, round: &Round, way: Way) -> Option<Sent> {
    let prompt = Prompt::new(sizes, cached, round, way.strategy)?;
    let bill = prompt.bill(terms, cached, &way.marks);
    let bill = match terms.hit_rate() {
        CERTAIN => bill,
        rate => prompt.bill(terms, &cached.forgotten(), &way.marks).mixed(&bill, rate),
    };
    let largest = prompt.size_at(prompt.calls);
    Some(Sent {
        bill,
        cached: prompt.left_behind(terms, cached, &way.marks),
        largest,
        fits: largest.saturating_add(prompt.answer) <= terms.context(),
        above_cliff: terms.is_above_a_cliff(largest),
    })
}

/// The requests of one review.
struct Prompt {
    strategy: Strategy,
    /// Where the parts of the first request end.
    system: u64,
    stable: Option<u64>,
    end: u64,
    calls: u32,
    /// What all calls add: what was said to make them and what they brought.
    growth: u64,
    per_call: u64,
    answer: u64,
    /// The conversation it continues.
    continued: Option<CachedConversation>,
}

impl Prompt {
    fn new(sizes: &Sizes, cached: &Cached, round: &Round, strategy: Strategy) -> Option<Prompt> {
        let system = sizes.system;
        let turn = round.artifact + sizes.findings;
        let behind = |stable: u64| (Some(stable), stable + turn);
        let mut continued = None;
        let (calls, mut body) = (sizes.calls(strategy), sizes.exploring.tokens);
        let (stable, end) = match strategy {
            Strategy::Inline => behind(system + sizes.upstream + sizes.rubric),
            Strategy::Lazy => {
                body += as_read(sizes.upstream);
                let prompt = system + sizes.rubric;
                if sizes.artifact_by_path {
                    body += as_read(round.artifact);
                    (None, prompt + sizes.findings)
                } else {
                    (None, prompt + turn)
                }
            }
            Strategy::Digest => {
                let told = sizes.findings + sizes.guidance;
                (None, system + sizes.rubric + round.delta + round.touched + told)
            }
            Strategy::Resume => {
                let conversation = cached.conversation?;
                continued = Some(conversation);
                let stable = system + sizes.upstream + sizes.rubric;
                let stable = (conversation.began == Strategy::Inline).then_some(stable);
                (stable, conversation.tokens + round.delta + sizes.findings + sizes.guidance)
            }
        };
        let growth = body + u64::from(calls) * sizes.per_call;
        let (per_call, answer) = (sizes.per_call, sizes.answer);
        Some(Prompt { strategy, system, stable, end, calls, growth, per_call, answer, continued })
    }

    /// The size of the request that follows this many calls.
    fn size_at(&self, calls: u32) -> u64 {
        self.end + self.growth * u64::from(calls) / u64::from(self.calls.max(1))
    }

    /// What the first request can read.
    fn hit(&self, terms: &Terms, cached: &Cached) -> u64 {
        let stable = cached.stable.filter(|_| self.stable.is_some());
        let (tail, earlier) = self.continued_entries(cached);
        let entries = [tail, earlier, stable, cached.system];
        entries.iter().flatten().map(|entry| terms.readable(entry)).max().unwrap_or(0)
    }

    fn continued_entries(&self, cached: &Cached) -> (Option<CachedPrefix>, Option<CachedPrefix>) {
        let conversation = cached.conversation.filter(|_| self.continued.is_some());
        conversation.map_or((None, None), |conversation| (conversation.tail, conversation.earlier))
    }

    fn bill(&self, terms: &Terms, cached: &Cached, marks: &Marks) -> ReviewBill {
        let mut bill = ReviewBill::default();
        let mut hit = self.hit(terms, cached);
        for call in 0..=self.calls {
            let size = self.size_at(call);
            let answer = if call == self.calls { self.answer } else { self.per_call };
            self.bill_request(terms, marks, (hit, size), answer, &mut bill);
            // The next request follows within seconds and reads what this one marked.
            let marked = self.marked(terms, marks, size);
            let written = marked.iter().flatten().map(|entry| terms.readable(entry)).max();
            hit = hit.max(written.unwrap_or(0));
        }
        bill
    }

    fn bill_request(
        &self,
        terms: &Terms,
        marks: &Marks,
        sizes: (u64, u64),
        answer: u64,
        bill: &mut ReviewBill,
    ) {
        let (hit, size) = sizes;
        let tier = terms.tier(size);
        bill.read += hit.min(size);
        let mut input = Amount(hit.min(size).saturating_mul(tier.read));
        let places = [
            Some((self.system, marks.system)),
            self.stable.map(|at| (at, marks.stable)),
            Some((size, marks.tail)),
        ];
        let mut at = hit;
        for (index, place) in places.iter().enumerate() {
            let Some((end, _)) = place else { continue };
            if *end <= at {
                continue;
            }
            // What comes before a marked place is written with it, whatever lies between.
            let later = places.iter().skip(index).flatten();
            let mark =
                later.clone().find_map(|(end, mark)| terms.entry(*end, *mark)).map(|entry| entry.lifetime);
            let tokens = end - at;
            match mark {
                Some(lifetime) => bill.written[lifetime as usize] += tokens,
                None => bill.uncached += tokens,
            }
            input += Amount(tokens.saturating_mul(tier.write(mark)));
            at = *end;
        }
        bill.output += answer;
        bill.input_amount += input;
        bill.output_amount += Amount(answer.saturating_mul(tier.output));
    }

    /// The entries a request of this size leaves for the next one.
    fn marked(&self, terms: &Terms, marks: &Marks, size: u64) -> [Option<CachedPrefix>; 3] {
        [
            terms.entry(self.system, marks.system),
            self.stable.and_then(|stable| terms.entry(stable, marks.stable)),
            terms.entry(size, marks.tail),
        ]
    }

    fn left_behind(&self, terms: &Terms, cached: &Cached, marks: &Marks) -> Cached {
        let last = self.size_at(self.calls);
        let [system, stable, tail] = self.marked(terms, marks, last);
        // Every kept entry of the prompt lies before the longest one that is read. Being read restarts its lifetime and
        // does not change it, whatever the mark says now.
        let kept = |old: Option<CachedPrefix>, new: Option<CachedPrefix>| old.map(CachedPrefix::used).or(new);
        let (old_tail, old_earlier) = self.continued_entries(cached);
        let (old_tail, old_earlier) = (old_tail.map(CachedPrefix::used), old_earlier.map(CachedPrefix::used));
        let (tail, earlier) = match tail {
            None => (old_tail, old_earlier),
            Some(tail) => {
                let outlasts = |entry: &CachedPrefix| entry.lifetime > tail.lifetime;
                (Some(tail), old_tail.filter(outlasts).or(old_earlier.filter(outlasts)))
            }
        };
        let began = self.continued.map_or(self.strategy, |conversation| conversation.began);
        Cached {
            system: kept(cached.system, system),
            stable: if self.stable.is_some() { kept(cached.stable, stable) } else { cached.stable },
            conversation: Some(CachedConversation { began, tokens: last + self.answer, tail, earlier }),
        }
    }
}

impl ReviewBill {
    pub fn amount(&self) -> Amount {
        self.input_amount + self.output_amount
    }

    /// The tokens as they are reported elsewhere, priced by these terms.
    pub fn usage(&self, terms: &Terms) -> Usage {
        Usage {
            uncached: self.uncached,
            written: self.written.iter().sum(),
            read: self.read,
            output: self.output,
            cost: terms.usd(self.amount()),
        }
    }

    pub fn add(&mut self, other: &ReviewBill) {
        self.uncached += other.uncached;
        self.read += other.read;
        self.output += other.output;
        for (sum, tokens) in self.written.iter_mut().zip(other.written) {
            *sum += tokens;
        }
        self.input_amount += other.input_amount;
        self.output_amount += other.output_amount;
    }

    /// What is expected when the cache answers as in `hit` at this rate and as in `self` otherwise.
    fn mixed(&self, hit: &ReviewBill, rate: u32) -> ReviewBill {
        let both = |miss: u64, hit: u64| {
            let exact = u128::from(miss) * u128::from(CERTAIN - rate) + u128::from(hit) * u128::from(rate);
            u64::try_from(exact / u128::from(CERTAIN)).unwrap_or(u64::MAX)
        };
        let mut written = self.written;
        for (sum, hit) in written.iter_mut().zip(hit.written) {
            *sum = both(*sum, hit);
        }
        ReviewBill {
            uncached: both(self.uncached, hit.uncached),
            written,
            read: both(self.read, hit.read),
            output: both(self.output, hit.output),
            input_amount: Amount(both(self.input_amount.0, hit.input_amount.0)),
            output_amount: Amount(both(self.output_amount.0, hit.output_amount.0)),
        }
    }
}
