//! What a number or a status from outside says about a bill, the same for every agent.

use serde_json::Value;

/// No answer has this many tokens; a larger number is a mistake in the counting.
const TOKENS_MAX: u64 = 1 << 40;

/// A count of tokens, written as a whole number, as `4000.0` or in quotes. What cannot be a count is ignored, as if it
/// had not been reported.
pub(crate) fn count(told: &Value) -> Option<u64> {
    let rounded = |number: f64| (number >= 0.0 && number <= TOKENS_MAX as f64).then(|| number.ceil() as u64);
    let count = match told {
        Value::Number(number) => number.as_u64().or_else(|| rounded(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    count.filter(|count| *count <= TOKENS_MAX)
}

/// Whether a status means that the service did not begin to answer and bills nothing. The list is closed: behind any
/// other a gateway may have given up while the service went on.
pub(crate) fn is_refusal(status: u16) -> bool {
    const TIMED_OUT: u16 = 408;
    const CLIENT_GONE: u16 = 499;
    match status {
        TIMED_OUT | CLIENT_GONE => false,
        300..=499 | 500 | 501 | 503 | 529 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_count_is_read_however_it_is_written_and_what_cannot_be_one_is_untold() {
        for (told, count_is) in [
            (json!(4000), Some(4000)),
            (json!(0), Some(0)),
            (json!(4000.0), Some(4000)),
            (json!(3999.2), Some(4000)),
            (json!("4000"), Some(4000)),
            (json!(null), None),
            (json!(-5), None),
            (json!(1e20), None),
            (json!(u64::MAX), None),
            (json!("many"), None),
            (json!([4000]), None),
        ] {
            assert_eq!(count(&told), count_is, "{told}");
        }
    }

    #[test]
    fn only_a_status_by_which_a_service_refuses_is_free() {
        for free in [301, 400, 401, 404, 413, 429, 500, 501, 503, 529] {
            assert!(is_refusal(free), "{free}");
        }
        for unknown in [200, 201, 206, 299, 408, 499, 502, 504, 520, 522, 524, 530, 598, 599] {
            assert!(!is_refusal(unknown), "{unknown}");
        }
    }
}
