use super::*;

const SECRET: &str = "fake_Zx81/q\"uüt+PLAN9=end";

fn removal(secret: &str) -> Removal {
    Removal::new(secret).expect("long enough")
}

fn cleaned(secret: &str, text: &str) -> (String, usize) {
    let (bytes, count) = removal(secret).apply(text.as_bytes()).expect("the secret is there");
    (String::from_utf8(bytes).expect("text"), count)
}

fn json(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn unicode_escapes(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn wrapped(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(5).map(|chunk| chunk.iter().collect::<String>()).collect::<Vec<_>>().join("\n    ")
}

#[test]
fn a_secret_is_taken_out_however_it_is_spelt_and_nothing_else_is() {
    let ways: [(&str, String); 9] = [
        ("plain", SECRET.to_owned()),
        ("in JSON", json(SECRET)),
        ("in JSON in JSON", json(&json(SECRET))),
        ("in JSON in JSON in JSON", json(&json(&json(SECRET)))),
        ("in escapes", unicode_escapes(SECRET)),
        ("in escapes in JSON", json(&unicode_escapes(SECRET))),
        ("percent-encoded", percent(SECRET)),
        ("over lines", wrapped(SECRET)),
        ("over lines in JSON", json(&wrapped(SECRET))),
    ];
    for (way, spelling) in ways {
        for (before, after) in [
            ("", ""),
            ("key=", "."),
            ("a \\n", "\\n z"),
            ("{\"k\":\"", "\",\"n\":1}"),
            ("ü%41 ", " \n\n end"),
        ] {
            let text = format!("{before}{spelling}{after}");
            assert_eq!(cleaned(SECRET, &text), (format!("{before}{MARKER}{after}"), 1), "{way}: {text}");
            assert!(!removal(SECRET).is_in(cleaned(SECRET, &text).0.as_bytes()), "{way}");
        }
    }
}

#[test]
fn what_base64_says_of_it_is_taken_out_wherever_it_stands_in_a_longer_text() {
    // `user:`, `us:` and `use:` before it, as a header of basic authentication has it.
    for encoded in
        ["dXNlcjpzd29yZGZpc2gtMTIzNDU2", "dXM6c3dvcmRmaXNoLTEyMzQ1Ng==", "dXNlOnN3b3JkZmlzaC0xMjM0NTY="]
    {
        let (text, count) = cleaned("swordfish-123456", &format!("Basic {encoded}"));
        assert!(text.contains(MARKER) && count == 1, "{text}");
    }
}

#[test]
fn each_line_of_a_key_is_taken_out_where_something_stands_between_the_lines() {
    let lines = ["MIIEvFAKEFAKEFAKEFAKE1234567890", "QqWwEeFAKEFAKEFAKEFAKE0987654321"];
    let key = format!("-----BEGIN FAKE KEY-----\n{}\n{}\n-----END FAKE KEY-----\n", lines[0], lines[1]);
    let log = format!("12:01 {}\n12:02 {}\n> -----END FAKE KEY-----", lines[0], lines[1]);
    let (text, count) = cleaned(&key, &log);
    assert_eq!((text.as_str(), count), ("12:01 [redacted]\n12:02 [redacted]\n> -----END FAKE KEY-----", 2));
    assert_eq!(cleaned(&key, &key.replace('\n', "\\n")).0, "[redacted]\\n");
}

#[test]
fn what_is_too_short_or_would_be_written_again_is_refused() {
    for (secret, unfit) in [
        ("", Unfit::Short),
        ("12345", Unfit::Short),
        (" a b c \n", Unfit::Short),
        ("redacted", Unfit::Marker),
    ] {
        assert_eq!(Removal::new(secret).expect_err(secret), unfit);
    }
    assert!(Removal::new("123456").is_ok());
    assert!(!format!("{:?}", removal(SECRET)).contains("Zx81"));
}

#[test]
fn a_secret_written_into_itself_leaves_nothing() {
    let (text, _) = cleaned("abcdefgh", "abcdabcdefghefgh abcdefghabcdefgh");
    assert!(!removal("abcdefgh").is_in(text.as_bytes()), "{text}");
}

#[test]
fn in_a_json_value_every_text_is_cleaned_and_every_number_stays() {
    let mut value = serde_json::json!({
        "why": format!("it is {SECRET}\nso there"), "cost": 123_456_789, "list": [SECRET, true, null],
        "deep": { SECRET: { "answer": json(SECRET) } },
    });
    assert_eq!(removal(SECRET).apply_to_json(&mut value), 4);
    let cleaned = serde_json::json!({
        "why": "it is [redacted]\nso there", "cost": 123_456_789, "list": [MARKER, true, null],
        "deep": { MARKER: { "answer": MARKER } },
    });
    assert_eq!(value, cleaned);
    let mut number = serde_json::json!({ "cost": 123_456_789 });
    assert_eq!(removal("123456789").apply_to_json(&mut number), 0, "a number is no text");
}

#[test]
fn whole_ids_are_renamed_and_parts_of_longer_words_are_not() {
    let (old, new) = ("a".repeat(40), "b".repeat(40));
    let renamed = Renamed(BTreeMap::from([(old.clone(), new.clone())]));
    let text = format!("\"{old}\" {old}f {old}.");
    assert_eq!(renamed.apply(text.as_bytes()), Some(format!("\"{new}\" {old}f {new}.").into_bytes()));
    assert_eq!(renamed.apply(b"nothing here"), None);
}

proptest::proptest! {
    #[test]
    fn nothing_of_the_secret_is_left_whatever_stands_around_it(
        before in "[a-z\\\\n\"%{}\n ]{0,20}", after in "[a-z\\\\n\"%{}\n ]{0,20}", depth in 0_usize..3,
    ) {
        let mut spelling = SECRET.to_owned();
        for _ in 0..depth {
            spelling = json(&spelling);
        }
        let text = format!("{before}{spelling}{after}");
        let removal = removal(SECRET);
        // A backslash before it may escape its first letter; then it is another text.
        if let Some((cleaned, _)) = removal.apply(text.as_bytes()) {
            proptest::prop_assert!(!removal.is_in(&cleaned));
        } else {
            proptest::prop_assert!(before.ends_with(['\\', '%']), "{}", text);
        }
    }
}

#[test]
fn a_name_that_things_are_found_by_stays_and_everything_around_it_goes() {
    let name = "001-open-swordfish-91".to_owned();
    let removal = removal("swordfish-91").except_in([name]);
    let text = br#"{"branch":"feature/001-open-swordfish-91","idea":"open swordfish-91"}"#;
    let (cleaned, count) = removal.apply(text).expect("it stands beside the name, too");
    let expected = br#"{"branch":"feature/001-open-swordfish-91","idea":"open [redacted]"}"#;
    assert_eq!((cleaned.as_slice(), count), (expected.as_slice(), 1));
    assert!(!removal.is_in(&cleaned) && removal.is_anywhere_in(&cleaned));
    assert_eq!(removal.apply(&cleaned), None);
    // Only the whole name counts.
    assert!(removal.is_in(b"002-open-swordfish-91"));
}
