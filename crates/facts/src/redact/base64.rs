//! Just enough base64 to see whether it hides a user and a password.

use super::entropy::is_placeholder;
use crate::prelude::*;

/// Longer ones hold something else.
const CHARS_MAX: usize = 1024;
/// What documentation writes where a password goes.
const PLACEHOLDERS: [&str; 9] =
    ["password", "passwd", "pass", "pwd", "secret", "token", "mypassword", "my-password", "my_password"];

/// Whether a password only stands for a real one.
pub(super) fn is_stand_in(user: &str, password: &str) -> bool {
    // `postgres:postgres@` is how a throw-away database is addressed.
    password == user
        || PLACEHOLDERS.iter().any(|word| password.eq_ignore_ascii_case(word))
        || is_placeholder(password)
}

/// Whether a text is `user:password` in base64, of a password that somebody could use.
pub(super) fn holds_password(text: &str) -> bool {
    const PASSWORD_CHARS_MIN: usize = 4;
    let Some(bytes) = decoded(text) else { return false };
    let Ok(plain) = String::from_utf8(bytes) else { return false };
    let Some((user, password)) = plain.split_once(':') else { return false };
    let printable = plain.chars().all(|c| !c.is_control());
    printable && password.chars().count() >= PASSWORD_CHARS_MIN && !is_stand_in(user, password)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_end_matches('=');
    if body.len() > CHARS_MAX || body.len() < 8 || body.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(body.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for byte in body.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(value)) & 0xfff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_a_password_are_seen_behind_base64() {
        // deploy:hunter2, ann:p, user:password, no colon, not base64.
        for (text, holds) in [
            ("ZGVwbG95Omh1bnRlcjI=", true),
            ("ZGVwbG95Omh1bnRlcjI", true),
            ("YW5uOnA=", false),
            ("dXNlcjpwYXNzd29yZA==", false),
            ("aGVsbG8gd29ybGQ=", false),
            ("understanding", false),
            ("!!!!!!!!!!!!", false),
        ] {
            assert_eq!(holds_password(text), holds, "{text}");
        }
    }
}
