//! Reads from Codex's own words when a usage limit ends.
//!
//! It says `try again at 7:00 AM` on the day itself and `try again at Nov 16th, 2026 7:00 AM` before that, in the zone
//! of its environment, which is UTC because we set it. Seconds are left out, so the end is up to a minute later.

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The end in milliseconds since 1970, if the words name one. `now_ms` says which day it is.
pub(super) fn ends_ms(said: &str, now_ms: i64) -> Option<i64> {
    let said = said.to_lowercase();
    let (_, rest) = said.split_once("try again at ")?;
    let words: Vec<&str> = rest.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let (day_ms, words) = match words.as_slice() {
        [month, day, year, rest @ ..] if MONTHS.contains(month) => {
            let month = MONTHS.iter().position(|name| name == month)? as i64 + 1;
            let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            (days(year.parse().ok()?, month, day)? * DAY_MS, rest)
        }
        words => (now_ms.div_euclid(DAY_MS) * DAY_MS, words),
    };
    let [time, half, ..] = words else { return None };
    Some(day_ms + minutes(time, half)? * MINUTE_MS + MINUTE_MS)
}

/// Minutes of the day, from `7:05` and `pm.`
fn minutes(time: &str, half: &str) -> Option<i64> {
    let (hours, minutes) = time.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let noon = match half.trim_end_matches(|c: char| !c.is_ascii_alphabetic()) {
        "am" => 0,
        "pm" => 12,
        _ => return None,
    };
    let fits = (1..=12).contains(&hours) && (0..60).contains(&minutes);
    fits.then_some((hours % 12 + noon) * 60 + minutes)
}

/// Days since 1970; years are counted from March so that the leap day comes last.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let march_month = (month + 9) % 12;
    let of_year = (153 * march_month + 2) / 5 + day - 1;
    let leaps = year / 4 - year / 100 + year / 400;
    Some(365 * year + leaps + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::text::utc;

    /// 2026-11-15 06:00:24 UTC, when Codex 0.166.0 said these words.
    const NOW_MS: i64 = 1_794_722_424_000;
    const SAID: &str = "You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit \
        https://chatgpt.com/settings/usage to purchase more credits or try again at ";

    #[test]
    fn the_end_of_a_limit_is_read_from_its_words() {
        assert_eq!(utc(NOW_MS), "2026-11-15 06:00:24 UTC");
        for (words, expected) in [
            ("7:00 AM.", "2026-11-15 07:01:00 UTC"),
            ("12:00 AM.", "2026-11-15 00:01:00 UTC"),
            ("12:59 PM.", "2026-11-15 13:00:00 UTC"),
            ("11:59 PM.", "2026-11-16 00:00:00 UTC"),
            ("Nov 16th, 2026 7:00 AM.", "2026-11-16 07:01:00 UTC"),
            ("Nov 19th, 2026 9:07 PM.", "2026-11-19 21:08:00 UTC"),
            ("Jan 1st, 2027 12:30 AM.", "2027-01-01 00:31:00 UTC"),
            ("Feb 29th, 2028 1:00 PM.", "2028-02-29 13:01:00 UTC"),
            ("Mar 2nd, 2100 1:00 PM.", "2100-03-02 13:01:00 UTC"),
        ] {
            assert_eq!(
                ends_ms(&format!("{SAID}{words}"), NOW_MS).map(utc).as_deref(),
                Some(expected),
                "{words}"
            );
        }
    }

    #[test]
    fn words_that_name_no_time_name_none() {
        for said in [
            "You've hit your usage limit. Try again later.",
            "try again at ",
            "try again at noon",
            "try again at 13:00 PM",
            "try again at 7:61 AM",
            "try again at Nov 32nd, 2026 7:00 AM",
            "try again at Nov 16th, 20266666666666666666 7:00 AM",
            "try again at 7:00",
        ] {
            assert_eq!(ends_ms(said, NOW_MS), None, "{said}");
        }
    }
}
