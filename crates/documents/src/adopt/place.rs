//! Takes the name of a folder apart: a number, a slug, or a date that is neither.

use redraft_facts::ids::{FeatureId, SLUG_BYTES_MAX, is_slug, slug};
use redraft_facts::prelude::*;

/// A folder's name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderName {
    pub number: Option<FeatureId>,
    /// In a form that branches and folders can have; the folder's own where that is possible.
    pub slug: String,
}

/// More digits are a time.
const DIGITS_MAX: usize = 6;

/// `031-rate-limits`, `31_rate_limits`, `feature-031-rate-limits`, `F031-rate-limits`: number 31; `rate-limits`,
/// `2026-03-19-rate-limits`, `20260319-143022-rate-limits`: none.
pub fn named(name: &str) -> FolderName {
    let rest = without_date(name);
    let (number, rest) = if rest.len() < name.len() { (None, rest) } else { numbered(name) };
    FolderName { number, slug: plain(rest) }
}

/// Whether a name begins with a date, so that its first digits are not a number.
pub fn is_date(name: &str) -> bool {
    without_date(name).len() < name.len()
}

fn without_date(name: &str) -> &str {
    let mut rest = name;
    let day = |text: &str| {
        let bytes = text.as_bytes();
        let digits = |from: usize, to: usize| {
            bytes.get(from..to).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
        };
        let century = text.starts_with("19") || text.starts_with("20");
        let end =
            |at: usize| bytes.get(at).is_none_or(|byte| matches!(byte, b'-' | b'_' | b' ' | b'.' | b'T'));
        let dashed =
            digits(0, 4) && bytes.get(4) == Some(&b'-') && digits(5, 7) && bytes.get(7) == Some(&b'-');
        match () {
            () if century && dashed && digits(8, 10) && end(10) => 10,
            () if century && digits(0, 8) && end(8) => 8,
            () => 0,
        }
    };
    let end = day(rest);
    if end == 0 {
        return name;
    }
    rest = rest.get(end..).unwrap_or_default().trim_start_matches(['-', '_', ' ', '.', 'T']);
    // A time of day may follow.
    let time = rest.bytes().take_while(u8::is_ascii_digit).count();
    match rest.as_bytes().get(time) {
        Some(b'-' | b'_') if matches!(time, 4 | 6) => rest.get(time + 1..).unwrap_or_default(),
        _ => rest,
    }
}

fn numbered(name: &str) -> (Option<FeatureId>, &str) {
    let lower = name.to_ascii_lowercase();
    let prefix =
        ["feature-", "feature_", "feat-", "feat_", "feature", "feat", "f"].into_iter().find(|prefix| {
            lower.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
    let rest = name.get(prefix.map_or(0, str::len)..).unwrap_or(name);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at(digits);
    let separated = after.is_empty() || after.starts_with(['-', '_', ' ', '.']);
    let number = number.parse().ok().filter(|number| separated && digits <= DIGITS_MAX && *number > 0);
    match number {
        Some(number) => (Some(FeatureId(number)), after.trim_start_matches(['-', '_', ' ', '.'])),
        None => (None, name),
    }
}

fn plain(rest: &str) -> String {
    let bytes_max = if rest.is_ascii() { 100 } else { SLUG_BYTES_MAX };
    let fits = rest.len() <= bytes_max && !rest.ends_with('-') && is_slug(rest);
    if fits { rest.to_owned() } else { slug(rest) }
}
