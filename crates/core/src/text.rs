//! Small text tools: fences that cannot be closed from inside, times, hashes.

use crate::ids::BlobId;
use crate::prelude::*;
use sha2::{Digest, Sha256};

/// `body` between fences that nothing inside can close, so that a file stays data whatever it contains.
pub fn fenced(label: &str, body: &str) -> String {
    let fence = "`".repeat(longest_run(body, '`').max(2) + 1);
    let gap = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{label}\n{body}{gap}{fence}\n")
}

fn longest_run(text: &str, wanted: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// The content address of some bytes.
pub fn hash(bytes: &[u8]) -> BlobId {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        hex.push_str(&format!("{byte:02x}"));
    }
    BlobId::new(hex)
}

/// `2026-11-15 09:30:05 UTC` from milliseconds since 1970.
pub fn utc(at_ms: i64) -> String {
    let seconds = at_ms.div_euclid(1000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Year, month and day of a day number; years are counted from March so that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// One line, at most `chars_max` characters, for markers and messages.
pub fn one_line(text: &str, chars_max: usize) -> String {
    // Control characters would reach somebody's terminal.
    let joined: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    let line = joined.join(" ");
    if line.chars().count() <= chars_max {
        return line;
    }
    let mut cut: String = line.chars().take(chars_max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// `1 round`, `2 rounds`, `2 dispatches`.
pub fn count(number: usize, thing: &str) -> String {
    let plural = match number {
        1 => "",
        _ if thing.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {thing}{plural}")
}

/// Lower-case words of a text, without punctuation.
pub fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_run_inside() {
        assert_eq!(fenced("md", "plain"), "```md\nplain\n```\n");
        assert_eq!(fenced("md", "a\n````\nb\n"), "`````md\na\n````\nb\n`````\n");
        assert_eq!(fenced("", ""), "```\n```\n");
    }

    #[test]
    fn times_are_civil() {
        assert_eq!(utc(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(utc(1_709_210_096_999), "2024-02-29 12:34:56 UTC");
        assert_eq!(utc(-1), "1969-12-31 23:59:59 UTC");
        assert_eq!(utc(4_102_444_800_000), "2100-01-01 00:00:00 UTC");
    }

    #[test]
    fn a_long_text_becomes_one_short_line() {
        assert_eq!(one_line("a\n  b\tc", 10), "a b c");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("a\u{1b}[31mred", 20), "a [31mred");
    }

    #[test]
    fn a_hash_is_sha256_in_hex() {
        assert_eq!(hash(b"").as_str(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
