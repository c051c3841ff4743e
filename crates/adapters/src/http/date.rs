//! Reads a date of an HTTP header, in the one form that is still written: `Wed, 21 Oct 2026 07:28:00 GMT`.
//!
//! It knows no clock. The two forms that the standard calls obsolete are not read.

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAY_SECONDS: i64 = 24 * 60 * 60;

/// None where it is no such date.
pub(super) fn ms_since_1970(text: &str) -> Option<i64> {
    let (weekday, rest) = text.split_once(", ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let [day, month, year, time, "GMT"] = words.as_slice() else { return None };
    let time: Vec<&str> = time.split(':').collect();
    let [hour, minute, second] = time.as_slice() else { return None };
    let year = number(year, 4, 1970..=9999)?;
    let month = MONTHS.iter().position(|name| name == month)?;
    let day = number(day, 2, 1..=days_of(year, month))?;
    let (hour, minute) = (number(hour, 2, 0..=23)?, number(minute, 2, 0..=59)?);
    // 60 is a leap second.
    let second = number(second, 2, 0..=60)?;
    // Which weekday it is follows from the date; that it is one tells this form from others.
    WEEKDAYS.contains(&weekday).then_some(())?;
    let days = days_before(year) + (0..month).map(|month| days_of(year, month)).sum::<i64>() + day - 1;
    Some((days * DAY_SECONDS + hour * 3_600 + minute * 60 + second) * 1_000)
}

fn number(text: &str, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    let is_plain = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_plain && range.contains(number))
}

/// From the beginning of 1970 to that of a year.
fn days_before(year: i64) -> i64 {
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    (year - 1970) * 365 + leaps(year - 1) - leaps(1969)
}

fn days_of(year: i64, month: usize) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        1 if is_leap => 29,
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::ms_since_1970;

    #[test]
    fn a_date_is_its_milliseconds_since_1970() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Wed, 21 Oct 2026 07:28:00 GMT", 1_792_567_680),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
        ] {
            assert_eq!(ms_since_1970(text), Some(seconds * 1_000), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_of_this_form_is_none() {
        for text in [
            "",
            "7",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 06 Nov 1994 08:49:37 CET",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT",
            "Tue, 29 Feb 2100 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov +994 08:49:37 GMT",
            "Day, 06 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(ms_since_1970(text), None, "{text}");
        }
    }
}
