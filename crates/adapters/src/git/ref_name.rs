//! Names as parts of refs.

/// A name that git takes as part of a ref, different for different names: what a ref may not hold is written
/// as `%` and its number.
pub(super) fn ref_name(name: &str) -> String {
    let parts: Vec<String> = name.split('/').map(ref_part).collect();
    parts.join("/")
}

/// The same for a name that must be one part, whatever it holds.
pub(super) fn ref_part(part: &str) -> String {
    if part.is_empty() {
        return "%".to_owned();
    }
    let last = part.len() - 1;
    let lock = part.len().checked_sub(".lock".len()).filter(|_| part.ends_with(".lock"));
    let mut out = String::new();
    for (at, byte) in part.bytes().enumerate() {
        let dot =
            byte == b'.' && at != 0 && at != last && Some(at) != lock && part.as_bytes()[at - 1] != b'.';
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'=' | b',') || dot {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
