//! Lists of words that say what part a word plays in a sentence about a number.
//!
//! Knows words only. Start at [`act`]: what happens to a thing is told from what the thing is.

use super::words::stem;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What kind of thing happens, if the word says so.
pub(super) fn act(text: &str) -> Option<&'static str> {
    ACT_OF.get(&stem(text)).copied()
}

/// Whether a word names a case with a rule of its own.
pub(super) fn is_special(text: &str) -> bool {
    SPECIAL_STEMS.contains(&stem(text))
}

/// Whether a word sets the thing that follows it apart from others of its name. A free plan costs nothing and has
/// rules of its own; a free room is only one that nobody has taken.
pub(super) fn is_qualifier(text: &str, next: &str) -> bool {
    let sold = || PRICED.split_whitespace().any(|known| stem(known) == stem(next));
    QUALIFIERS.split_whitespace().any(|known| known == text) && (text != "free" || sold())
}

/// Whether a content word names those who use a system, or what they show to be let in.
pub(super) fn is_actor(word: &str) -> bool {
    ACTOR_STEMS.contains(word)
}

/// Whether a word says that there is a rule, not what it is about.
pub(super) fn is_generic(text: &str) -> bool {
    GENERIC_STEMS.contains(&stem(text))
}

/// Words that end the name of a thing.
pub(super) const LINKS: &[&str] = &[
    "is", "are", "may", "can", "shall", "must", "has", "have", "and", "or", "of", "in", "for", "with", "to",
    "gets", "at", "on", "a", "the", "will", "should", "by", "that", "which", "when", "if", "holds", "lists",
    "lasts",
];

/// A number for all together, not for each.
pub(super) const TOTAL: &[&str] = &[
    "total",
    "overall",
    "altogether",
    "globally",
    "global",
    "across all",
    "all together",
    "combined",
    "in sum",
    "whole system",
    "system wide",
    "together",
];

/// Kinds of what happens. Two numbers about one thing and two kinds are two rules. What is kept for a time ends
/// or is removed after it, so words for keeping stand for both.
const ACTS: &[(&str, &str)] = &[
    (
        "ends",
        "expire expires expiry expiration lapse end ends close closed terminate terminated timeout invalid \
         invalidate invalidated logout valid lasts last lifetime live alive ttl stop stopped abort aborted \
         cancel cancelled cut older",
    ),
    (
        "removes",
        "delete deleted deletes deletion remove removed removes purge purged erase erased discard discarded",
    ),
    (
        "keeps",
        "keep keeps kept retain retains retained retention store stored preserve preserved hold holds held",
    ),
    ("archives", "archive archived"),
    ("locks", "lock locked locks lockout block blocked blocks suspend suspended ban banned freeze frozen"),
    ("unlocks", "unlock unlocked unblock reopen reopened reopens opens"),
    (
        "answers",
        "respond responds response answer answers answered reply replies return returns load loads loaded finish \
         finishes finished complete completes completed ready appear appears visible render rendered duration \
         latency",
    ),
    ("starts", "start starts started begin begins launch"),
    ("retries", "retry retries retried again backoff"),
    (
        "sends",
        "send sends sent deliver delivers delivered delivery arrive arrives arrived notify notified remind \
         reminder reminded reminders mail mailed",
    ),
    ("warns", "warn warns warned warning warnings alert alerts"),
    (
        "renews",
        "refresh refreshed refreshes renew renewed update updated updates poll polls sync synced reload",
    ),
    ("waits", "wait waits waited waiting delay delays delayed pause pauses"),
];

static ACT_OF: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    ACTS.iter().flat_map(|(act, words)| words.split_whitespace().map(|word| (stem(word), *act))).collect()
});

const SPECIAL: &str = "\
    admin admins administrator guest guests moderator manager staging production sandbox burst peak night weekend \
    emergency approval approve manually";

/// The same, but only where they stand before the thing that is meant: a monthly limit, not the monthly report.
const QUALIFIERS: &str = "\
    free paid trial premium pro enterprise basic mobile desktop internal external anonymous public private soft \
    hard bulk batch initial final incoming outgoing nightly daily weekly monthly yearly median average worst slow \
    thumbnail preview draft first second third fourth last manual";

/// What has a price, so that it can be free of charge.
const PRICED: &str = "\
    plan account tier user customer member version edition trial subscription workspace team client licence license \
    service package offer product delivery shipping";

static SPECIAL_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| SPECIAL.split_whitespace().map(stem).collect());

const ACTORS: &str = "client customer partner caller consumer tenant key token user member account person";

static ACTOR_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| ACTORS.split_whitespace().map(stem).collect());

const GENERIC: &str = "\
    limit limits limited maximum minimum default defaults value set total number exactly time times least max min \
    most accept accepts accepted refuse refuses refused reject rejects rejected serve serves served let takes take \
    hold holds held contain contains apply applies count counts counted have open active concurrent concurrently \
    parallel simultaneous simultaneously current currently single further more less fewer next later earlier old \
    older long longer large larger big bigger idle inactive inactivity activity unused untouched use length size \
    capacity budget allowance ceiling bound amount configured fixed exceed exceeds exceeding beyond reach reaches \
    reached show shows shown see seen given consist consists test tests result status error list lists listed fail fails \
    failed failing offer offers rule gets together stay stays work works mean means fit fits rate sure free";

static GENERIC_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| GENERIC.split_whitespace().map(stem).collect());
