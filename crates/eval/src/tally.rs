//! Adds up what the arms found, and says how sure that is.

mod judged;

pub use judged::{FoundDefect, JudgedTally, found, judged_counts, judged_shares};

use crate::interval::{TOO_FEW, wilson};
use crate::judge::Union;
use crate::score::{Caught, Scored};
use judged::{defects, judged};
use redraft_facts::prelude::*;
use redraft_facts::text::count;
use redraft_facts::usage::Usd;
use serde::Serialize;

/// Of how many it was how many, with the 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Fraction {
    pub hits: usize,
    pub of: usize,
    pub low: f64,
    pub high: f64,
}

impl Fraction {
    pub fn new(hits: usize, of: usize) -> Fraction {
        let (low, high) = wilson(hits, of).unwrap_or((0.0, 1.0));
        Fraction { hits, of, low, high }
    }

    /// From 0 to 1; 0 without a trial.
    pub fn value(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.hits as f64 / self.of as f64 }
    }

    /// Whether so few trials say anything.
    pub fn is_too_small(&self) -> bool {
        self.of < TOO_FEW
    }
}

/// What one arm found in all its cases.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ArmTally {
    pub arm: String,
    /// Answers that were read, and those that are missing or are no verdict.
    pub answered: usize,
    pub unanswered: usize,
    pub unreadable: usize,
    /// Of the plants: caught as something that blocks, as something else, missed.
    pub blocking: Fraction,
    pub otherwise: Fraction,
    pub missed: Fraction,
    /// Of the clean documents: those in which something blocks.
    pub rejected_clean: Fraction,
    /// Of the defects that were left: said not to be fixed.
    pub left_caught: Fraction,
    /// Fixed defects that were reported all the same.
    pub again: usize,
    /// What blocks and no plant explains, in all and for each document.
    pub extra_blocking: usize,
    pub extra_blocking_each: f64,
    pub extra_other: usize,
    /// On the average.
    pub words_each: usize,
    /// Answers whose cost is known, and what they cost: those that this program asked for.
    pub priced: usize,
    pub micro_usd: Usd,
    /// What each defect caught by a blocking finding cost, planted or material; none where nothing was caught or no cost is
    /// known.
    pub micro_usd_per_right_blocker: Option<Usd>,
    /// None where nobody has judged the findings beside the plants.
    pub judged: Option<JudgedTally>,
}

/// One answer, or that there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TallyEntry {
    pub arm: String,
    pub case: String,
    pub clean: bool,
    pub scored: Option<Scored>,
    /// None where nobody knows what the answer cost.
    pub cost: Option<Usd>,
}

/// A tally for each arm, in the order of their names.
pub fn tallies(entries: &[TallyEntry], union: Option<&Union>) -> Vec<ArmTally> {
    let arms: BTreeSet<&str> = entries.iter().map(|entry| entry.arm.as_str()).collect();
    arms.into_iter().map(|arm| tally(arm, entries, union)).collect()
}

fn tally(arm: &str, entries: &[TallyEntry], union: Option<&Union>) -> ArmTally {
    let all: Vec<&TallyEntry> = entries.iter().filter(|entry| entry.arm == arm).collect();
    let scored: Vec<(&TallyEntry, &Scored)> =
        all.iter().filter_map(|entry| Some((*entry, entry.scored.as_ref()?))).collect();
    let read: Vec<&(&TallyEntry, &Scored)> = scored.iter().filter(|(_, scored)| scored.readable).collect();
    let plants: Vec<Caught> = read.iter().flat_map(|(_, scored)| scored.plants.iter().copied()).collect();
    let caught = |wanted: Caught| {
        Fraction::new(plants.iter().filter(|caught| **caught == wanted).count(), plants.len())
    };
    let clean: Vec<&Scored> =
        read.iter().filter(|(entry, _)| entry.clean).map(|(_, scored)| *scored).collect();
    let left: Vec<bool> = read.iter().filter_map(|(_, scored)| scored.left).collect();
    let sum = |of: fn(&Scored) -> usize| read.iter().map(|(_, scored)| of(scored)).sum::<usize>();
    let each = |sum: usize| if read.is_empty() { 0.0 } else { sum as f64 / read.len() as f64 };
    let extra_blocking = sum(|scored| scored.extra_blocking);
    let priced: Vec<(&TallyEntry, &Scored, Usd)> =
        scored.iter().filter_map(|(entry, scored)| Some((*entry, *scored, entry.cost?))).collect();
    let micro_usd = priced.iter().fold(Usd(0), |sum, (_, _, cost)| sum + *cost);
    let material = |entry: &TallyEntry, scored: &Scored| {
        union.map_or(0, |union| defects(entry, scored, union).values().filter(|blocking| **blocking).count())
    };
    let right = priced.iter().map(|(entry, scored, _)| scored.right_blockers() + material(entry, scored));
    let right = right.sum::<usize>() as u64;
    ArmTally {
        arm: arm.to_owned(),
        answered: read.len(),
        unanswered: all.len() - scored.len(),
        unreadable: scored.len() - read.len(),
        blocking: caught(Caught::Blocking),
        otherwise: caught(Caught::Otherwise),
        missed: caught(Caught::Missed),
        rejected_clean: Fraction::new(clean.iter().filter(|scored| scored.blocks).count(), clean.len()),
        left_caught: Fraction::new(left.iter().filter(|caught| **caught).count(), left.len()),
        again: sum(|scored| scored.again),
        extra_blocking,
        extra_blocking_each: each(extra_blocking),
        extra_other: sum(|scored| scored.extra_other),
        words_each: each(sum(|scored| scored.words)) as usize,
        priced: priced.len(),
        micro_usd,
        judged: union.map(|union| judged(&read, union)),
        micro_usd_per_right_blocker: micro_usd.0.checked_div(right).filter(|_| !priced.is_empty()).map(Usd),
    }
}

/// The report for a terminal.
pub fn text(tallies: &[ArmTally]) -> String {
    if tallies.is_empty() {
        return "there is nothing to count: no case and no arm\n".to_owned();
    }
    let mut out = String::new();
    for tally in tallies {
        out.push_str(&format!("{}: {} answered", tally.arm, tally.answered));
        for (count, what) in [(tally.unanswered, "unanswered"), (tally.unreadable, "without a verdict")] {
            if count > 0 {
                out.push_str(&format!(", {count} {what}"));
            }
        }
        out.push('\n');
        if tally.answered == 0 {
            continue;
        }
        for (what, share) in shares(tally) {
            if share.of > 0 {
                let few = if share.is_too_small() { ", too few to tell" } else { "" };
                out.push_str(&format!("  {what:<42} {}{few}\n", shown(&share)));
            }
        }
        out.push_str(&format!(
            "  {:<42} {} ({:.1} a document)\n  {:<42} {}\n",
            "blocking findings beside the plants",
            tally.extra_blocking,
            tally.extra_blocking_each,
            "other findings beside the plants",
            tally.extra_other
        ));
        for (what, share) in tally.judged.iter().flat_map(judged_shares) {
            if share.of > 0 {
                let few = if share.is_too_small() { ", too few to tell" } else { "" };
                out.push_str(&format!("  {what:<42} {}{few}\n", shown(&share)));
            }
        }
        if let Some(judged) = &tally.judged {
            out.push_str(&format!(
                "  {:<42} {}\n",
                "blocking beside the plants, judged",
                judged_counts(judged)
            ));
        }
        if tally.left_caught.of > 0 {
            out.push_str(&format!("  {:<42} {}\n", "reported again without need", tally.again));
        }
        out.push_str(&format!("  {:<42} {}\n", "words of an answer, on the average", tally.words_each));
        for (what, value) in costs(tally) {
            out.push_str(&format!("  {what:<42} {value}\n"));
        }
        if tally.blocking.is_too_small() {
            out.push_str(&format!(
                "  {} plants are too few to say anything; at least {TOO_FEW} are needed, better 60\n",
                tally.blocking.of
            ));
        }
    }
    out
}

/// The shares of a tally with what they mean.
pub fn shares(tally: &ArmTally) -> [(&'static str, Fraction); 5] {
    [
        ("plants caught by a blocking finding", tally.blocking),
        ("plants caught by another finding", tally.otherwise),
        ("plants missed", tally.missed),
        ("clean documents in which something blocks", tally.rejected_clean),
        ("defects not fixed, and said so", tally.left_caught),
    ]
}

/// What is known of the cost, with what it means.
pub fn costs(tally: &ArmTally) -> Vec<(&'static str, String)> {
    if tally.priced == 0 {
        return Vec::new();
    }
    let of = match tally.priced == tally.answered + tally.unreadable {
        true => String::new(),
        false => format!(" (of {})", count(tally.priced, "answer")),
    };
    let each = match tally.micro_usd_per_right_blocker {
        Some(each) => each.to_string(),
        None => "none was caught".to_owned(),
    };
    vec![("cost of the answers", format!("{}{of}", tally.micro_usd)), ("cost of a right blocker", each)]
}

/// `18 of 20, 90 % (70 to 97)`
pub fn shown(share: &Fraction) -> String {
    format!(
        "{} of {}, {:.0} % ({:.0} to {:.0})",
        share.hits,
        share.of,
        share.value() * 100.0,
        share.low * 100.0,
        share.high * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(arm: &str, clean: bool, plants: &[Caught], approved: bool) -> TallyEntry {
        let scored = Scored {
            readable: true,
            approved,
            blocks: !approved,
            plants: plants.to_vec(),
            left: None,
            again: 0,
            extra_blocking: 1,
            extra_other: 2,
            planted_blocking: 0,
            extras: Vec::new(),
            words: 100,
        };
        TallyEntry { arm: arm.to_owned(), case: "c".to_owned(), clean, scored: Some(scored), cost: None }
    }

    #[test]
    fn a_right_blocker_costs_what_the_priced_answers_cost_together() {
        let entries = [
            TallyEntry {
                cost: Some(Usd(30_000)),
                ..entry("a", false, &[Caught::Blocking, Caught::Blocking], false)
            },
            TallyEntry { cost: Some(Usd(10_000)), ..entry("a", true, &[], true) },
            // Answered by hand: neither its findings nor its cost count here.
            entry("a", false, &[Caught::Blocking], false),
            TallyEntry { cost: Some(Usd(5)), ..entry("b", true, &[], true) },
        ];
        let tallies = tallies(&entries, None);
        let (a, b) = (&tallies[0], &tallies[1]);
        assert_eq!(
            (a.priced, a.micro_usd, a.micro_usd_per_right_blocker),
            (2, Usd(40_000), Some(Usd(20_000)))
        );
        assert_eq!((b.priced, b.micro_usd_per_right_blocker), (1, None));
        let text = text(&tallies);
        assert!(
            text.contains("cost of the answers                        $0.0400 (of 2 answers)\n"),
            "{text}"
        );
        assert!(text.contains("cost of a right blocker                    $0.0200\n"), "{text}");
        assert!(text.contains("cost of a right blocker                    none was caught\n"), "{text}");
    }

    #[test]
    fn each_arm_is_counted_by_itself_and_missing_answers_are_no_misses() {
        let unanswered = TallyEntry { scored: None, ..entry("a", false, &[], false) };
        let entries = [
            entry("a", false, &[Caught::Blocking, Caught::Missed], false),
            entry("a", true, &[], false),
            entry("b", true, &[], true),
            unanswered,
        ];
        let tallies = tallies(&entries, None);
        assert_eq!(tallies.iter().map(|tally| tally.arm.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let a = &tallies[0];
        assert_eq!(
            (a.answered, a.unanswered, a.blocking.hits, a.missed.hits, a.blocking.of),
            (2, 1, 1, 1, 2)
        );
        assert_eq!((a.rejected_clean.hits, a.rejected_clean.of, a.extra_blocking), (1, 1, 2));
        assert_eq!((tallies[1].rejected_clean.hits, tallies[1].blocking.of), (0, 0));
        let text = text(&tallies);
        assert!(text.contains("a: 2 answered, 1 unanswered\n"), "{text}");
        assert!(
            text.contains(
                "plants caught by a blocking finding        1 of 2, 50 % (9 to 91), too few to tell\n"
            ),
            "{text}"
        );
        assert!(text.contains("2 plants are too few to say anything"), "{text}");
    }
}
