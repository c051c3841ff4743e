//! Measures a dispatch by the prompts that were composed for it.
//!
//! Start at [`Prompts::sizes`]. A fragment's name says what it is there for, its text what it consists of
//! ([`redraft_documents::tokens::kinds`]); nothing else here knows a prompt's words. The sizes are for money only.

use super::measures::KnownAgent;
use super::send::{Exploring, PER_CALL, Round, Sizes, as_read};
use redraft_documents::tokens::{Chars, kinds};
use redraft_facts::choice::Content;
use redraft_facts::fragment::{Fragment, Prompt};

/// An author opens and writes its document in calls of its own, whatever it was sent.
const AUTHOR_CALLS: u32 = 2;

/// The prompts that can be sent for one dispatch.
#[derive(Debug, Clone, Copy)]
pub struct Prompts<'a> {
    /// `inline`, or whatever fresh prompt there is; none where only the same conversation makes sense.
    pub fresh: Option<&'a Prompt>,
    pub digest: Option<&'a Prompt>,
    pub resumed: Option<&'a Prompt>,
    /// Characters of the upstream artifacts, and how many files they are.
    pub upstream: u64,
    pub files: u32,
    /// Characters of the artifact under review.
    pub artifact: u64,
    pub reader: Reader,
}

/// How a role gets the artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Is given it.
    Domain,
    /// Opens it by path, unless everything is in the prompt.
    Phase,
    /// Writes it, and opens it in every new conversation.
    Author,
}

impl Prompts<'_> {
    pub fn sizes(&self, known: &KnownAgent) -> (Sizes, Round) {
        let ratios = &known.ratios;
        let author = self.reader == Reader::Author;
        let tokens = |fragments: &[Fragment]| ratios.all_tokens(&sum(fragments));
        let of = |prompt: Option<&Prompt>, names: &[&str]| {
            let turn = prompt.map(|prompt| prompt.turn.as_slice()).unwrap_or_default();
            ratios.all_tokens(&sum(turn.iter().filter(|one| names.contains(&one.name.as_str()))))
        };
        let given = |prompt: &Prompt| sum(prompt.feature.iter().chain(&prompt.role).filter(is_upstream));
        let upstream = match self.fresh.map(given).map_or(0, |chars| ratios.all_tokens(&chars)) {
            // Opened by path, so its text is not at hand here.
            0 => ratios.tokens(self.upstream, Content::Markdown),
            given => given,
        };
        let fresh_turn = self.fresh.map_or(0, |prompt| tokens(&prompt.turn));
        let given: u64 = of(self.fresh, &["artifact"]);
        // In a later round a fresh reviewer is also told what changed, which belongs to the document: what is told beside
        // the two is much the same in every strategy.
        let changed: u64 = if author { 0 } else { of(self.fresh, &["delta"]) };
        let own =
            if author { as_read(ratios.tokens(self.artifact, Content::Markdown)) } else { given + changed };
        let rest = fresh_turn.saturating_sub(given).saturating_sub(changed);
        let delta: u64 = of(self.resumed.or(self.digest), &["delta", "changes-by-others"]);
        let touched: u64 = of(self.digest, &["touched-sections"]);
        let changes = self.resumed.or(self.digest).map_or(0, |prompt| tokens(&prompt.turn));
        let touched_here = if self.resumed.is_some() { 0 } else { touched };
        let told = changes.saturating_sub(delta).saturating_sub(touched_here);
        let findings = if self.fresh.is_some() { rest } else { told };
        let stable = self.fresh.map_or(0, |prompt| tokens(&prompt.feature) + tokens(&prompt.role));
        let sizes = Sizes {
            system: known.overhead + self.fresh.map_or(0, |prompt| tokens(&prompt.constant)),
            rubric: stable.saturating_sub(upstream),
            upstream: upstream.min(stable),
            files: self.files,
            findings,
            guidance: told.saturating_sub(findings),
            answer: if author { known.written } else { known.answer },
            per_call: PER_CALL,
            artifact_by_path: self.reader == Reader::Phase,
            exploring: if author { Exploring { calls: AUTHOR_CALLS, tokens: 0 } } else { known.exploring },
        };
        (sizes, Round { artifact: own, delta, touched })
    }
}

/// The characters of a prompt by kind.
pub fn prompt_chars(prompt: &Prompt) -> Chars {
    sum(prompt.fragments().map(|(_, fragment)| fragment))
}

fn sum<'a>(fragments: impl IntoIterator<Item = &'a Fragment>) -> Chars {
    let mut sum = Chars::default();
    for fragment in fragments {
        for (sum, chars) in sum.iter_mut().zip(kinds(&fragment.text)) {
            *sum += chars;
        }
    }
    sum
}

/// Whether a fragment holds a file the phase builds on, in full.
fn is_upstream(fragment: &&Fragment) -> bool {
    fragment.name.starts_with("given-") && fragment.name != "given-artifacts"
}
