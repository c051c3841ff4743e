//! Units of time, size and share, and nouns that are counted.
//!
//! Knows words, not sentences. A fixed unit has a size, so that a minute and 60 seconds are equal.

use super::words::stem;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The kind and the size of a unit that always means the same.
pub(super) fn fixed_unit(text: &str) -> Option<(&'static str, f64)> {
    UNITS.iter().find(|(_, words, _)| words.contains(&text)).map(|(kind, _, size)| (*kind, *size))
}

pub(super) fn is_unit(text: &str) -> bool {
    fixed_unit(text).is_some()
}

/// What a counted noun counts, if it is one that specifications count: tries are attempts.
pub(super) fn counted(text: &str) -> Option<String> {
    let counted = stem(text);
    if !COUNTED_STEMS.contains(&counted) {
        return None;
    }
    let same = SAME.iter().find(|group| group.split(' ').any(|word| stem(word) == counted));
    Some(same.and_then(|group| group.split(' ').next()).map_or(counted, stem))
}

const UNITS: [(&str, &[&str], f64); 15] = [
    ("time", &["ms", "millisecond", "milliseconds", "msec"], 0.001),
    ("time", &["s", "sec", "secs", "second", "seconds"], 1.0),
    ("time", &["min", "mins", "minute", "minutes"], 60.0),
    ("time", &["h", "hr", "hrs", "hour", "hours"], 3600.0),
    ("time", &["day", "days"], 86_400.0),
    ("time", &["week", "weeks"], 604_800.0),
    ("time", &["month", "months"], 2_592_000.0),
    ("time", &["year", "years"], 31_536_000.0),
    ("size", &["byte", "bytes"], 1.0),
    ("size", &["kb", "kib", "kilobyte", "kilobytes"], 1024.0),
    ("size", &["mb", "mib", "megabyte", "megabytes"], 1_048_576.0),
    ("size", &["gb", "gib", "gigabyte", "gigabytes"], 1_073_741_824.0),
    ("size", &["tb", "tib", "terabyte", "terabytes"], 1_099_511_627_776.0),
    ("percent", &["%", "percent", "pct"], 1.0),
    ("pixel", &["px", "pixel", "pixels"], 1.0),
];

/// Counted nouns that mean the same; the first names the group.
const SAME: &[&str] =
    &["attempts tries retries", "requests calls", "characters chars letters", "rows records", "emails mails"];

/// Nouns that are counted in specifications.
const COUNTED: &str = "\
    attempts tries retries times requests calls items entries rows records results characters chars words \
    digits letters files devices sessions connections messages emails mails pages tokens workers threads projects \
    keys members notes invitations accounts failures copies backups versions comments tags images seats \
    rooms orders lines users";

static COUNTED_STEMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| COUNTED.split_whitespace().map(stem).collect());
