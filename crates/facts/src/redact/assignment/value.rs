//! Where the value after a name begins and ends.

use super::{BETWEEN_MAX, VALUE_BYTES_MAX, Value};
use core::ops::Range;

pub(super) fn value_after(text: &str, from: usize) -> Option<Value> {
    let bytes = text.as_bytes();
    let between = |b: &&u8| matches!(b, b' ' | b'\t' | b'*' | b'>');
    let mut start = from + bytes[from..].iter().take(BETWEEN_MAX).take_while(between).count();
    let is_quote = |at: usize| matches!(bytes.get(at), Some(b'"' | b'\'' | b'`'));
    let escaped = bytes.get(start) == Some(&b'\\');
    // Past the backslashes of a quote inside a quote, or the letter of `b"…"`.
    start += bytes[start..].iter().take(BETWEEN_MAX).take_while(|b| **b == b'\\').count();
    if bytes.get(start).is_some_and(u8::is_ascii_alphabetic) && is_quote(start + 1) {
        start += 1;
    }
    let quote = bytes.get(start).copied().filter(|_| is_quote(start));
    if quote.is_some() {
        let range = inside_quotes(bytes, start, escaped)?;
        return Some(Value { whole: range.end, range, quote });
    }
    let end = bare(bytes, start)?;
    let whole = without_full_stop(bytes, start, with_further_parts(bytes, end));
    Some(Value { range: start..without_full_stop(bytes, start, end), whole, quote })
}

/// Up to the closing quote; a value with a space in it is a sentence, not a secret.
fn inside_quotes(bytes: &[u8], open: usize, escaped: bool) -> Option<Range<usize>> {
    let quote = bytes[open];
    let start = open + 1;
    let mut end = start;
    while let Some(b) = bytes.get(end) {
        match b {
            b if *b == quote => break,
            b'\\' if escaped => break,
            // An escaped quote belongs to the value.
            b'\\' if bytes.get(end + 1).is_some_and(|next| matches!(next, b'\\' | b'"' | b'\'')) => end += 2,
            b if !b.is_ascii_graphic() => return None,
            _ => end += 1,
        }
    }
    Some(start..end)
}

/// Up to a character that ends a word in a shell, a query string or a program; none for a call or a path in code.
fn bare(bytes: &[u8], start: usize) -> Option<usize> {
    let end = word(bytes, start);
    let path = bytes.get(end..end + 2).is_some_and(|two| two == b"::");
    (!path && !opens(bytes, end)).then_some(end)
}

/// Goes on after each colon or comma that stands in the middle of a value, but not into the name of a next assignment.
fn with_further_parts(bytes: &[u8], first: usize) -> usize {
    let bytes = &bytes[..bytes.len().min(first + VALUE_BYTES_MAX)];
    let mut end = first;
    while matches!(bytes.get(end), Some(b':' | b',')) {
        let next = word(bytes, end + 1);
        let after = bytes.get(next).is_some_and(|b| b.is_ascii_alphanumeric() || b"\"'`$".contains(b));
        let named = bytes[next - 1] == b'=' && after;
        if next == end + 1 || named || opens(bytes, next) {
            break;
        }
        end = next;
    }
    end
}

/// Where the word at `start` ends, including the padding of base64.
fn word(bytes: &[u8], start: usize) -> usize {
    let in_value = |b: &&u8| b.is_ascii_alphanumeric() || b"_-./+~!@#$%^*".contains(b);
    let end = start + bytes[start..].iter().take_while(in_value).count();
    end + bytes[end..].iter().take(2).take_while(|b| **b == b'=').count()
}

/// Whether a bracket follows: what stands before it is code.
fn opens(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<'))
}

fn without_full_stop(bytes: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && matches!(bytes[end - 1], b'.' | b'!' | b'*') {
        end -= 1;
    }
    end
}
