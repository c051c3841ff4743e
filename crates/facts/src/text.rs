//! Small text tools: fences that cannot be closed from inside, times, hashes, names that mean git's folder.

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

/// `250 ms`, `1.5 s`, `2 min 1 s`, `3 h`, `2 d 4 h`: a stretch of time in the two largest units that say something. What
/// is smaller is left out, so a wait is never called longer than it is.
pub fn span(ms: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    const SHORT_MS: u64 = 10_000;
    if ms < 1_000 {
        return format!("{ms} ms");
    }
    if ms < SHORT_MS && !ms.is_multiple_of(1_000) {
        let tenths = ms / 100;
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = ms / 1_000;
    let first = UNITS.iter().position(|(size, _)| seconds >= *size).unwrap_or(UNITS.len() - 1);
    let (size, unit) = UNITS[first];
    let rest = UNITS.get(first + 1).map(|(smaller, unit)| (seconds % size / smaller, unit));
    match rest.filter(|(number, _)| *number > 0) {
        Some((number, smaller)) => format!("{} {unit} {number} {smaller}", seconds / size),
        None => format!("{} {unit}", seconds / size),
    }
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

/// All lines after the first moved to the right, for a text that begins in that column.
pub fn indented(text: &str, columns: usize) -> String {
    text.replace('\n', &format!("\n{}", " ".repeat(columns)))
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

/// Whether more words may follow a command, such as the name of one test, without making something else of it: it is one
/// plain command, and not the name of a program alone, which with arguments could do anything.
pub fn takes_more(command: &str) -> bool {
    let special = ['&', '|', ';', '<', '>', '(', ')', '{', '}', '$', '`', '#', '\\', '*', '\n'];
    command.contains(' ') && !command.contains(special)
}

/// Whether some file system takes this name for `.git`: one that ignores case, invisible letters (macOS), or dots, spaces
/// and streams at the end and has short names (Windows).
pub fn is_git_folder(name: &str) -> bool {
    let invisible = |letter: char| matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.chars().filter(|letter| !invisible(*letter)).collect();
    let seen = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    [".git", "git~1"].iter().any(|own| seen.eq_ignore_ascii_case(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_command_of_several_words_takes_more_behind_it() {
        for (command, so) in [
            ("cargo test", true),
            ("python3 -m unittest discover", true),
            ("make", false),
            ("cd web && npm test", false),
            ("npm test | tee log", false),
            ("echo $HOME", false),
        ] {
            assert_eq!(takes_more(command), so, "{command}");
        }
    }

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
    fn stretches_of_time_are_told_in_the_units_people_use() {
        for (ms, words) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1_000, "1 s"),
            (1_999, "1.9 s"),
            (9_000, "9 s"),
            (12_345, "12 s"),
            (60_000, "1 min"),
            (121_743, "2 min 1 s"),
            (3_600_000, "1 h"),
            (3_659_000, "1 h"),
            (7_380_000, "2 h 3 min"),
            (187_200_000, "2 d 4 h"),
            (86_400_000 + 59_000, "1 d"),
        ] {
            assert_eq!(span(ms), words, "{ms}");
        }
        assert_eq!(span(u64::MAX), "213503982334 d 14 h");
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

    #[test]
    fn every_spelling_that_a_file_system_takes_for_gits_folder_is_one() {
        for name in [
            ".git",
            ".GIT",
            ".git ",
            ".git...",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            ".g\u{200c}it",
            "\u{feff}.Git",
            "GIT~1",
        ] {
            assert!(is_git_folder(name), "{name:?}");
        }
        for name in ["", ".", "..", "git", ".gitignore", ".github", ".git-x", "git~2", "x.git"] {
            assert!(!is_git_folder(name), "{name:?}");
        }
    }
}
