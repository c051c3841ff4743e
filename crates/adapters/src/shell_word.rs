//! Words of a command as a person can type them: what a shell would split or read otherwise is quoted.

use redraft_facts::harmless::is_harmful;
use std::ffi::OsStr;

/// One word for a POSIX shell. Bytes that no terminal shows as they are become escapes, which bash, zsh and ksh
/// understand.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let bytes = word.as_ref().as_encoded_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if is_plain(text) => text.to_owned(),
        Ok(text) if !text.chars().any(is_unshown) => format!("'{}'", text.replace('\'', r"'\''")),
        Ok(_) | Err(_) => escaped(bytes),
    }
}

/// A path as an argument: one that begins with a dash would be taken for an option.
pub fn quoted_path(path: impl AsRef<std::path::Path>) -> String {
    let path = path.as_ref();
    match path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        true => quoted(std::path::Path::new(".").join(path)),
        false => quoted(path),
    }
}

/// Letters of any alphabet and the signs that mean nothing to a shell.
fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%,=".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// What the console would not show as it is.
fn is_unshown(c: char) -> bool {
    c.is_control() || is_harmful(c)
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                c if is_unshown(c) => {
                    let mut buffer = [0; 4];
                    out.extend(c.encode_utf8(&mut buffer).bytes().map(|byte| format!("\\{byte:03o}")));
                }
                c => out.push(c),
            }
        }
        out.extend(chunk.invalid().iter().map(|byte| format!("\\{byte:03o}")));
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_where_a_shell_would_read_it_otherwise() {
        for (word, typed) in [
            ("/home/ada/shop", "/home/ada/shop"),
            ("übung", "übung"),
            ("my shop", "'my shop'"),
            ("it's", r"'it'\''s'"),
            ("$HOME;`x`", "'$HOME;`x`'"),
            ("~", "'~'"),
            ("", "''"),
            ("a\nb\\c'd", r"$'a\012b\\c\'d'"),
            ("a\u{202e}b", r"$'a\342\200\256b'"),
        ] {
            assert_eq!(quoted(word), typed);
        }
        assert_eq!(quoted_path("-x y"), "'./-x y'");
        assert_eq!(quoted_path("x"), "x");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_no_text_become_escapes() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(quoted(OsStr::from_bytes(b"/tmp/caf\xe9 x")), r"$'/tmp/caf\351 x'");
    }

    #[cfg(unix)]
    #[test]
    #[expect(clippy::disallowed_methods, reason = "a shell says whether it reads the word as it was meant")]
    fn a_shell_reads_every_quoted_word_as_it_was() {
        use std::os::unix::ffi::OsStrExt;
        let words: [&[u8]; 7] = [
            b"a b",
            b"it's \"so\"",
            b"$(x) `y` \\ !",
            b"*?[a]{b,c}",
            b"\xff\xfe'",
            b"tab\tnew\nline",
            b"# ~ & | < >",
        ];
        for word in words {
            let script = format!("printf %s {}", quoted(OsStr::from_bytes(word)));
            let said = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(said.stdout, word, "{script}");
        }
    }
}
