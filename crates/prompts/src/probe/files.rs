//! Makes the file that a probe lets an agent read, before and after the commit between its turns.
//!
//! What must be remembered is made from a seed that no agent is shown, so it cannot be guessed; and the changed file
//! has another first line and another number of faults, so it cannot be looked up either. All of it is plain words,
//! because whatever looks random is taken for a secret and never reaches an agent.

use redraft_facts::prelude::*;
use redraft_facts::text;

/// How many bins the list has. Together with the rules that every role is sent, the conversation is then longer than
/// the least that any vendor caches (4,096 tokens), so that a working cache shows.
const BINS: usize = 360;
/// Faults planted before the commit: the least number, and how many different numbers there are.
const FAULTS_MIN: usize = 2;
const FAULTS_RANGE: usize = 5;

const COLOURS: [&str; 16] = [
    "amber", "azure", "beige", "black", "brown", "coral", "green", "grey", "ivory", "lilac", "olive",
    "orange", "pink", "purple", "silver", "white",
];
const THINGS: [&str; 16] = [
    "anchor", "basket", "candle", "feather", "hammer", "kettle", "ladder", "lantern", "marble", "needle",
    "pebble", "ribbon", "saddle", "thimble", "trumpet", "violin",
];
const PARTS: [&str; 12] = [
    "bolts", "brackets", "cables", "clamps", "gaskets", "hinges", "nuts", "pins", "rivets", "screws",
    "springs", "washers",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeFiles {
    /// The first line of the file as it is read in turn 1.
    pub first_line: String,
    /// How many faults that file has.
    pub planted: usize,
    pub before: String,
    pub after: String,
}

impl ProbeFiles {
    /// The file's name, as the prompts say it.
    pub const FILE: &str = "inventory.txt";

    /// The same files for the same seed.
    pub fn new(seed: &str) -> ProbeFiles {
        let (before, after) = (bytes(&format!("before {seed}")), bytes(&format!("after {seed}")));
        let planted = FAULTS_MIN + usize::from(before[0]) % FAULTS_RANGE;
        // Never the same number as before, whatever the seed.
        let other = planted + FAULTS_RANGE;
        let first_line = heading(&before);
        ProbeFiles {
            before: list(&first_line, &before, planted),
            after: list(&heading(&after), &after, other),
            first_line,
            planted,
        }
    }

    /// How many lines of a list of this kind are faulty.
    pub fn faults(text: &str) -> usize {
        text.lines().filter(|line| is_faulty(line)).count()
    }
}

pub(super) fn is_faulty(line: &str) -> bool {
    line.starts_with("bin ") && line.contains(": ? ")
}

fn bytes(seed: &str) -> Vec<u8> {
    let hash = text::hash(seed.as_bytes());
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
    hash.as_str().as_bytes().chunks(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1])).collect()
}

/// Five things in colours: 40 bits that nobody can guess.
fn heading(bytes: &[u8]) -> String {
    let pair = |byte: &u8| format!("{} {}", COLOURS[usize::from(byte & 15)], THINGS[usize::from(byte >> 4)]);
    let pairs: Vec<String> = bytes[1..6].iter().map(pair).collect();
    format!("Inventory of the house with the {}", pairs.join(", "))
}

fn list(heading: &str, bytes: &[u8], faults: usize) -> String {
    // A step that shares no factor with the number of bins meets no bin twice.
    const STEP: usize = 97;
    let start = usize::from(bytes[6]);
    let faulty: BTreeSet<usize> = (0..faults).map(|fault| (start + fault * STEP) % BINS).collect();
    let mut text = format!("{heading}\n");
    for bin in 0..BINS {
        let random = usize::from(bytes[bin % bytes.len()]) + bin * 31;
        let quantity = if faulty.contains(&bin) { "?".to_owned() } else { (random % 180 + 12).to_string() };
        let (colour, part) = (COLOURS[random % COLOURS.len()], PARTS[random / 7 % PARTS.len()]);
        let (shelf, aisle) = (random % 9 + 1, random / 3 % 6 + 1);
        text.push_str(&format!(
            "bin {:03}: {quantity} {colour} {part}, shelf {shelf}, aisle {aisle}\n",
            bin + 1
        ));
    }
    text
}
