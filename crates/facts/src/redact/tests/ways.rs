//! Every shape in every way in which it comes: what hides a secret from a search must not hide it from a reader.

use super::samples::{key_lines, placed, vendors};
use super::*;

/// A text inside of a JSON string.
fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The first letter or digit as an escape.
fn first_escaped(text: &str) -> String {
    let first = text.chars().next().unwrap_or_default();
    format!("\\u{:04x}{}", u32::from(first), &text[first.len_utf8()..])
}

fn percent(text: &str) -> String {
    text.bytes().map(|b| format!("%{b:02X}")).collect()
}

type Way = fn(&str) -> String;

/// What a text looks like on its way: inside of JSON once and twice, in colour, in an address.
const WAYS: [(&str, Way); 8] = [
    ("plain", |text| text.to_owned()),
    ("in JSON behind a line", |text| in_json(&format!("The key is\n{text}\nand so on"))),
    ("in JSON behind a tab", |text| in_json(&format!("key\t{text}\tend"))),
    ("in JSON in JSON", |text| in_json(&in_json(&format!("The key is\n{text}\nand so on")))),
    ("in JSON in JSON in JSON", |text| in_json(&in_json(&in_json(&format!("is\n{text}\nand"))))),
    ("coloured", |text| format!("word\u{1b}[1;31m{text}\u{1b}[0m more")),
    ("behind a colour in JSON", |text| in_json(&format!("a \u{1b}[32m{text}\u{1b}[0m b"))),
    ("in an address", |text| format!("https://x.test/?q={}&x=1", percent(text))),
];

fn check(redactor: &Redactor, secret: &str, text: &str, way: &str) {
    let (clean, hits) = redactor.redact(text);
    assert!(!hits.is_empty(), "{way}: nothing was found in {text:?}");
    let mut shown = clean.clone().into_owned();
    for _ in 0..6 {
        assert!(!shown.contains(secret), "{way}: {text:?} became {clean:?}");
        // Not even most of it.
        let half = &secret[..secret.len() / 2];
        assert!(secret.len() < 16 || !shown.contains(half), "{way}: {text:?} became {clean:?}");
        match view::once(&shown) {
            Some(read) => shown = read,
            None => break,
        }
    }
    // What was JSON still is.
    let as_json = |text: &str| serde_json::from_str::<serde_json::Value>(&format!("\"{text}\"")).is_ok();
    assert!(!as_json(text) || as_json(&clean), "{way}: {text:?} became {clean:?}");
}

#[test]
fn a_vendors_token_is_found_in_every_way_it_comes() {
    for (_, token) in vendors() {
        for (name, way) in WAYS {
            check(&Redactor::default(), &token, &way(&token), name);
        }
        check(&Redactor::default(), &token, &first_escaped(&token), "its first letter escaped");
        let split: String = token.chars().flat_map(|c| [c, '\u{200b}']).collect();
        check(&Redactor::default(), &token, &split, "unseen characters between its letters");
    }
}

#[test]
fn a_secret_that_its_place_gives_away_is_found_in_every_way_it_comes() {
    for (kind, before, secret, after) in placed() {
        let text = joined(&[&before, &secret, &after]);
        assert_eq!(redact(&text), joined(&[&before, &kind.marker(), &after]), "{text:?}");
        for (name, way) in WAYS {
            check(&Redactor::default(), &secret, &way(&text), name);
        }
    }
}

#[test]
fn a_known_value_is_found_in_every_way_it_comes() {
    for value in [
        "correct horse",
        "pa\"ss\\word",
        "line one\nline two",
        "ünïcödé-1",
        "100%-sure-of-it",
        "a\\nb\\tc-and-on",
    ] {
        let redactor = Redactor::new(vec![value.to_owned()]);
        for (name, way) in WAYS {
            check(&redactor, value, &way(value), name);
        }
        check(&redactor, value, &first_escaped(value), "its first letter escaped");
    }
}

#[test]
fn the_lines_of_a_known_key_are_found_by_themselves() {
    let lines = key_lines("PRIVATE KEY");
    for value in [lines.join("\n"), lines.join("\\n")] {
        let redactor = Redactor::new(vec![value]);
        let (clean, _) = redactor.redact("found abc and q7Zr2Lw9Xk== only");
        assert_eq!(clean, "found abc and q7Zr2Lw9Xk== only", "a short line stands in other texts, too");
        let text = format!("07:11 {} x", lines[1]);
        assert_eq!(redactor.redact(&text).0, "07:11 [redacted:known] x");
    }
}

/// What is written before and after each line.
type Frame = fn(usize) -> (String, String);

const FRAMES: [(&str, Frame); 9] = [
    ("plain", |_| (String::new(), String::new())),
    ("quoted", |_| ("> ".to_owned(), String::new())),
    ("a diff", |_| ("+".to_owned(), String::new())),
    ("numbered", |line| (format!("{:>4}\t", line + 8), String::new())),
    ("a time", |line| (format!("2026-11-17T07:11:{:02}.123Z ", line + 8), String::new())),
    ("a time of varying width", |line| (format!("[{}] app info ", (line + 1) * 977), String::new())),
    ("a service", |_| ("web-1  | ".to_owned(), String::new())),
    ("JSON by lines", |line| (format!("{{\"t\":{},\"msg\":\"", line + 10), "\"}".to_owned())),
    ("JSON with more behind", |line| {
        (format!("{{\"t\":{},\"msg\":\"", line + 10), "\",\"level\":\"info\"}".to_owned())
    }),
];

fn framed(lines: &[String], frame: Frame) -> Vec<String> {
    let framed = lines.iter().enumerate().map(|(at, line)| {
        let (before, behind) = frame(at);
        format!("{before}{line}{behind}")
    });
    framed.collect()
}

#[test]
fn a_private_key_is_found_behind_whatever_stands_before_its_lines_also_line_by_line() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = key_lines(label);
        for (name, frame) in FRAMES {
            let lines = framed(&key, frame);
            let all =
                [&["before it".to_owned()], lines.as_slice(), &["after it, as ever".to_owned()]].concat();
            let clean = redact(&all.join("\n"));
            assert!(!clean.contains(noise(20)) && !clean.contains("q7Zr2Lw9Xk=="), "{name}: {clean}");
            assert!(
                clean.starts_with("before it\n") && clean.ends_with("\nafter it, as ever"),
                "{name}: {clean}"
            );
            let (redactor, mut passed) = (Redactor::default(), Vec::new());
            let mut by_line = Lines::new(&redactor);
            all.iter().for_each(|line| by_line.push(line, &mut |line| passed.push(line.to_owned())));
            by_line.finish(&mut |line| passed.push(line.to_owned()));
            assert_eq!(passed.join("\n"), clean, "{name}");
            // Cut off before its end, and after its beginning.
            for part in [&lines[..4], &lines[2..]] {
                let clean = redact(&part.join("\n"));
                assert!(!clean.contains(noise(20)), "{name}: {clean}");
            }
        }
    }
}

#[test]
fn lines_that_are_no_secret_are_passed_on_at_once_and_unchanged() {
    let redactor = Redactor::default();
    let begin = joined(&["-----BEGIN ", "PRIVATE KEY-----"]);
    let quoted = format!("looks for `{begin}` in files");
    for line in ["", "compiling", "-----BEGIN CERTIFICATE-----", "MIIE and more", "a\\nb", &quoted] {
        let mut passed = Vec::new();
        let mut lines = Lines::new(&redactor);
        lines.push(line, &mut |line| passed.push(line.to_owned()));
        lines.push("next, of many words", &mut |line| passed.push(line.to_owned()));
        assert_eq!(passed, [line, "next, of many words"]);
        lines.finish(&mut |line| panic!("{line} was held back"));
    }
}

#[test]
fn a_key_without_an_end_is_not_waited_for_for_ever() {
    let redactor = Redactor::default();
    let (mut passed, mut lines) = (Vec::new(), Lines::new(&redactor));
    let key = key_lines("PRIVATE KEY");
    lines.push(&key[0], &mut |line| passed.push(line.to_owned()));
    for _ in 0..5_000 {
        lines.push(&key[1], &mut |line| passed.push(line.to_owned()));
    }
    lines.push("the end at last", &mut |line| passed.push(line.to_owned()));
    lines.finish(&mut |line| panic!("{line} was held back"));
    assert_eq!(passed, ["[redacted:private-key]", "[redacted:private-key]", "the end at last"]);
}

#[test]
fn secrets_over_the_lines_of_a_command_are_found_one_by_one() {
    let redactor = Redactor::new(vec!["first-value".to_owned()]);
    let mut passed = Vec::new();
    let mut lines = Lines::new(&redactor);
    for line in ["one first-value", "two \\tfirst-value", "\u{1b}[31mfirst-value\u{1b}[0m"] {
        lines.push(line, &mut |line| passed.push(line.to_owned()));
    }
    lines.finish(&mut |_| {});
    assert_eq!(
        passed,
        ["one [redacted:known]", "two \\t[redacted:known]", "\u{1b}[31m[redacted:known]\u{1b}[0m"]
    );
}
