//! Words as the checks compare them: without endings, without filler, near synonyms folded into one.
//!
//! Knows nothing of documents. Start at [`content`], which turns a sentence into the set of words it is about.
//! The folding is deliberately small: it only has to recognise that a goal and a requirement, or a failure and
//! its handling, speak of the same thing. Where it errs it should err towards "the same", because a finding that
//! is wrong costs more than one that is missed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What a sentence is about: stems of its content words, synonyms folded.
pub(super) fn content(text: &str) -> BTreeSet<String> {
    Said::of(text).content()
}

/// The same in reading order, repeats kept.
pub(super) fn ordered(text: &str) -> Vec<String> {
    tokens(&fold_phrases(text)).filter_map(|word| content_word(&word)).collect()
}

/// One word as [`content`] would hold it; none for filler, numbers and single letters.
pub(super) fn content_word(word: &str) -> Option<String> {
    let word = word.to_lowercase();
    (!is_filler(&word)).then(|| concept(stem(&word)))
}

/// Whether a word in small letters says nothing about what a sentence is about.
fn is_filler(word: &str) -> bool {
    word.chars().nth(1).is_none() || word.bytes().any(|b| b.is_ascii_digit()) || STOP.contains(word)
}

/// A text taken apart once, for those who ask several things about it.
pub(super) struct Said {
    /// Its words with their stems, phrases folded.
    words: Vec<(String, String)>,
}

impl Said {
    pub(super) fn of(text: &str) -> Self {
        let folded = fold_phrases(text);
        let stemmed = tokens(&folded).map(|word| {
            let stem = stem(&word);
            (word, stem)
        });
        Said { words: stemmed.collect() }
    }

    /// What it is about, as [`content`] gives it.
    pub(super) fn content(&self) -> BTreeSet<String> {
        let telling = self.words.iter().filter(|(word, _)| !is_filler(word));
        telling.map(|(_, stem)| concept(stem.clone())).collect()
    }

    /// Which kinds of failure it speaks of, by the words that give it away.
    pub(super) fn failure_kinds(&self) -> BTreeSet<&'static str> {
        self.words.iter().filter_map(|(_, stem)| FAILURE_OF.get(stem).copied()).collect()
    }

    /// Whether it deals with things going wrong at all.
    pub(super) fn speaks_of_failure(&self) -> bool {
        let handles = |word: &String| HANDLING_WORDS.contains(word.as_str());
        !self.failure_kinds().is_empty()
            || self.words.iter().any(|(word, stem)| handles(word) || handles(stem))
    }

    /// Whether it speaks of something that is not there or does not happen.
    pub(super) fn denies(&self) -> bool {
        let words = [
            "no", "not", "nobody", "nothing", "none", "never", "without", "cannot", "neither", "nor",
            "empty", "only", "missing", "unknown", "un",
        ];
        let denying = |word: &str| words.contains(&word) || word.ends_with("n't") || word.ends_with("n’t");
        self.words.iter().any(|(word, _)| denying(word)) || self.failure_kinds().contains("missing")
    }

    /// What it says to fail, without saying how: the backup in "if a backup fails", the mailbox in "a broken mailbox".
    pub(super) fn failing(&self) -> BTreeSet<String> {
        let telling: Vec<&(String, String)> =
            self.words.iter().filter(|(word, _)| !is_filler(word)).collect();
        let things = telling.iter().enumerate().filter_map(|(at, (word, stem))| {
            let state = ["broken", "failed", "failing", "faulty"].contains(&word.as_str());
            let happens = ["fail", "failur", "error"].contains(&stem.as_str());
            let thing = if state { telling.get(at + 1) } else { at.checked_sub(1).map(|at| &telling[at]) };
            thing.filter(|_| state || happens).map(|(_, stem)| concept(stem.clone()))
        });
        things.collect()
    }

    /// Whether it says outright what happens when something fails.
    pub(super) fn answers_failure(&self) -> bool {
        let outright = [
            "if", "fail", "failur", "error", "unless", "reject", "refus", "retri", "fallback", "broken",
            "abort", "deni",
        ];
        self.words.iter().any(|(_, stem)| outright.contains(&stem.as_str()))
    }
}

/// The cases in which a text says that something happens: its clauses behind "when", "if", "without" and their like.
pub(super) fn conditions(text: &str) -> Vec<String> {
    let clauses = text.split(['.', ',', ';', ':', '|', '\n', '(', ')', '—', '–', ']']);
    let case = |clause: &str| {
        let words: Vec<&str> = clause.split_whitespace().collect();
        let begins = |word: &&str| CASES.contains(&word.to_lowercase().as_str());
        let leads = |word: &&str| SETTINGS.contains(&word.to_lowercase().as_str());
        let first = words.iter().position(|word| word.chars().any(char::is_alphabetic)).unwrap_or(0);
        let led = words.get(first).filter(|word| leads(word)).map(|_| first);
        led.or_else(|| words.iter().position(begins)).map(|start| words[start..].join(" "))
    };
    clauses.filter_map(case).collect()
}

/// Words that begin a case wherever they stand.
const CASES: [&str; 9] = ["when", "whenever", "if", "unless", "while", "where", "once", "without", "until"];

/// Words that do so at the start of a clause.
const SETTINGS: [&str; 6] = ["given", "with", "after", "during", "should", "for"];

/// What a short sentence says to happen: its content words that no article, number or preposition leads.
pub(super) fn events(text: &str) -> BTreeSet<String> {
    let folded = fold_phrases(text);
    let words: Vec<String> = tokens(&folded).collect();
    let behind = |at: usize, back: usize, leads: &[&str]| {
        at.checked_sub(back).is_some_and(|at| leads.contains(&words[at].as_str()))
    };
    let led = |at: usize| at == 0 || behind(at, 1, &LEADS) || behind(at, 2, &PREPOSITIONS);
    let free = (0..words.len()).filter(|at| !led(*at));
    free.filter_map(|at| content_word(&words[at])).collect()
}

/// One word may stand between these and what they lead: "at short notice".
const PREPOSITIONS: [&str; 10] = ["in", "on", "at", "of", "for", "with", "to", "from", "by", "into"];

const LEADS: [&str; 26] = [
    "a", "an", "the", "in", "on", "at", "of", "for", "with", "to", "from", "by", "into", "its", "their",
    "one", "two", "three", "some", "any", "no", "each", "every", "all", "this", "same",
];

/// What has to be going on for a failure to matter: the words behind "while", "during" and their like, and the
/// last of them, which says most.
pub(super) fn circumstance(text: &str) -> Option<(BTreeSet<String>, String)> {
    let folded = fold_phrases(text);
    let found = CIRCUMSTANCES.iter().filter_map(|word| Some(folded.find(word)? + word.len())).min()?;
    let words = ordered(&folded[found..]);
    let last = words.last()?.clone();
    let before = content(&folded[..found]);
    (!before.is_empty()).then(|| (words.into_iter().collect(), last))
}

const CIRCUMSTANCES: [&str; 6] = [" while ", " during ", " whilst ", " just as ", " halfway ", " midway "];

/// A light stemmer for English: enough to bring the forms of one word together, not to be a word again.
pub(super) fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    let mut stem = word.trim_end_matches("'s").trim_end_matches("’s").to_owned();
    let long = |stem: &str, least: usize| stem.chars().count() >= least;
    if long(&stem, 4) && stem.ends_with("ies") {
        stem.truncate(stem.len() - 3);
        stem.push('y');
    } else if ["sses", "xes", "zes", "ches", "shes"].iter().any(|end| stem.ends_with(end)) {
        stem.truncate(stem.len() - 2);
    } else if long(&stem, 4)
        && stem.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| stem.ends_with(end))
    {
        stem.truncate(stem.len() - 1);
    }
    for (end, least) in [("ing", 6), ("ied", 5), ("ed", 5), ("ation", 8), ("ion", 6), ("ment", 8), ("ly", 6)]
    {
        if long(&stem, least) && stem.ends_with(end) {
            stem.truncate(stem.len() - end.len());
            if end == "ied" {
                stem.push('y');
            }
            break;
        }
    }
    undouble(&mut stem);
    if long(&stem, 4) && stem.ends_with('e') {
        stem.pop();
    }
    if long(&stem, 4) && stem.ends_with("at") {
        stem.truncate(stem.len() - 2);
    }
    if long(&stem, 4) && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn undouble(stem: &mut String) {
    let mut last = stem.chars().rev();
    if let (Some(a), Some(b)) = (last.next(), last.next())
        && a == b
        && a.is_ascii_alphabetic()
        && !"aeiou".contains(a)
    {
        stem.pop();
    }
}

fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .map(|word| word.trim_matches(['\'', '’']))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Several words that mean one, written as that one, so that tokens can be compared.
fn fold_phrases(text: &str) -> String {
    let joined: Vec<String> = tokens(text).collect();
    let mut folded = format!(" {} ", joined.join(" "));
    for (phrase, word) in PADDED.iter() {
        if folded.contains(phrase) {
            folded = folded.replace(phrase, word);
        }
    }
    folded
}

/// The phrases with a space at each end, so that only whole words are folded.
static PADDED: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let each =
        PHRASES.iter().flat_map(|(word, phrases)| phrases.split(", ").map(move |phrase| (phrase, word)));
    each.map(|(phrase, word)| (format!(" {phrase} "), format!(" {word} "))).collect()
});

fn concept(stem: String) -> String {
    CONCEPT_OF.get(&stem).cloned().unwrap_or(stem)
}

static CONCEPT_OF: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let pairs = CONCEPTS.iter().flat_map(|group| {
        let name = group.split(' ').next().unwrap_or_default();
        group.split(' ').map(move |word| (stem(word), stem(name)))
    });
    pairs.collect()
});

static FAILURE_OF: LazyLock<BTreeMap<String, &'static str>> = LazyLock::new(|| {
    let pairs =
        FAILURES.iter().flat_map(|(kind, words)| words.split_whitespace().map(|word| (stem(word), *kind)));
    pairs.collect()
});

/// A word and the phrases that mean it; longer phrases come before the ones they contain.
const PHRASES: &[(&str, &str)] = &[
    ("timeout", "times out, timed out, time out, timing out"),
    ("login", "log in, logs in, logged in, sign in, signs in, signed in"),
    ("concurrent", "at the same time"),
    ("unavailable", "does not answer, do not answer, did not answer, not answer, no answer, not respond"),
    (
        "unavailable",
        "not responding, not reachable, not available, cannot be reached, no connection, no network, without a \
         network, without network, without a connection, without connection",
    ),
    ("missing", "not found, does not exist, no longer exists, no longer there"),
    ("exceed", "too large, too big, too long, too many, more than, larger than, longer than"),
    ("exceed", "out of space, no space"),
    ("forbidden", "not allowed, may not, no permission, not authorized, not authorised"),
    ("duplicate", "already exists, already registered, already taken, already used, already there"),
    ("email", "e mail, e mails"),
    // The order in which things are done is not an order that somebody places.
    ("sequence", "in the order of, in order of, in the order, in that order, in this order"),
    ("to", "in order to, in order that"),
    (
        "ongoing",
        "in flight, in progress, under way, being processed, in the middle of, not yet finished, not finished yet",
    ),
];

/// Words that mean nearly the same in a specification; the first names the group.
const CONCEPTS: &[&str] = &[
    "attack brute guess guessing abuse attacker",
    "fast quick speed latency slow performance delay",
    "notify notification alert inform remind reminder know known tell told message",
    "delete remove erase deletion removal",
    "find search lookup",
    "choose select pick selection choice",
    "login authenticate authentication signin",
    "limit cap quota throttle maximum",
    "record log audit trace history",
    "lose loss lost",
    "undo revert rollback restore recover recovery",
    "register registration signup",
    "expire expiry expiration",
    "pay payment paid",
    "pass password passphrase",
    "size large larger big small huge",
    "progress status far",
    "picture image photo",
    "document file",
    "save store storage persist",
    "translate translation language locale",
    "sync synchronise synchronize synchronisation synchronization",
    "retry retries attempt tries",
    "receive receipt",
    "bill invoice",
    "buy purchase",
    "disconnect offline unavailable unreachable outage down",
    "ongoing running pending underway unfinished inflight",
];

/// Kinds of failure and the words that show them.
const FAILURES: &[(&str, &str)] = &[
    ("unavailable", "unavailable unreachable down offline outage timeout disconnect hang"),
    ("invalid", "invalid malformed wrong bad incorrect broken unsupported unparsable mistyped"),
    ("duplicate", "duplicate twice already same repeat double"),
    ("expired", "expire expiry stale older outdated late"),
    ("exceeded", "exceed full quota limit overflow oversize huge larger longer flood"),
    ("missing", "missing absent unknown empty gone deleted nonexistent incomplete blank"),
    ("concurrent", "concurrent simultaneous simultaneously race conflict parallel lock"),
    ("denied", "forbidden unauthorised unauthorized permission denied revoked rights"),
    ("crash", "crash kill interrupt abort restart reboot power"),
    ("corrupt", "corrupt damage truncated checksum garbled"),
    ("lost", "lose lost loss drop dropped leak"),
];

/// Words of a sentence that says what happens when something goes wrong.
const HANDLING: &str = "\
    if fail failure error cannot not no refuse refus reject retry retri warn unless without never abort deny \
    deni ignore ignor skip fallback block stop";

static HANDLING_WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| HANDLING.split_whitespace().collect());

/// Filler of English and of specifications.
const STOP_WORDS: &str = "\
    able about above after again against all allow allowed allowing allows also always am an and another any \
    anybody anyone are as at be because been before being below between both but by can cannot case cases \
    could did do does doing done each either enable enables enabling ensure ensures ensuring every everybody \
    everyone feature few first for from further get give given gives goal goals had has have having he her \
    here him his how if in into is it its itself just keep keeping keeps kept let lets letting like made \
    make makes making may might more most must need needed needs never new no nobody nor not now of off on \
    once one only or other our out over own people per person provide provided provides providing required \
    requirement requirements requires same section see shall she should so some somebody someone such \
    support supported supporting supports system systems than that the their them themselves then there \
    these they this those through to too towards under until up upon us use used user users uses using very \
    via want wanted wants was we were what when where whether which while who whom whose why will with \
    within without would yet you your";

static STOP: LazyLock<BTreeSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for (a, b) in [
            ("expires", "expired"),
            ("deletes", "deletion"),
            ("validate", "validation"),
            ("stopped", "stop"),
            ("cancelled", "cancel"),
            ("entries", "entry"),
            ("passes", "pass"),
            ("exporting", "exports"),
            ("retries", "retried"),
            ("create", "creation"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} and {b}");
        }
        assert_ne!(stem("note"), stem("notice"));
    }

    #[test]
    fn filler_and_numbers_are_dropped_and_synonyms_folded() {
        assert_eq!(content("The system shall do it within 30 seconds"), content("seconds"));
        assert_eq!(content("a removal is logged"), content("deletions: audit"));
        assert_eq!(content("the call times out"), content("call timeout"));
    }

    #[test]
    fn a_failure_is_known_by_its_words() {
        let kinds = |text: &str| Said::of(text).failure_kinds();
        assert_eq!(kinds("the mail provider does not answer"), BTreeSet::from(["unavailable"]));
        assert_eq!(kinds("a file that is too large"), BTreeSet::from(["exceeded"]));
        assert!(kinds("a note is saved").is_empty());
        assert!(Said::of("the upload is refused").speaks_of_failure());
        assert!(!Said::of("the upload is stored and shown").speaks_of_failure());
        assert!(Said::of("If sending fails, it is tried again").answers_failure());
        assert!(!Said::of("a copy cannot be deleted").answers_failure());
        let (words, last) = circumstance("a key is revoked while a request is in flight").unwrap();
        assert_eq!((words, last.as_str()), (content("request ongoing"), stem("ongoing").as_str()));
        assert_eq!(circumstance("While a request runs"), None);
    }
}
