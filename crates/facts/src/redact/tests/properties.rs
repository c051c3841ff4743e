use super::*;
use proptest::prelude::*;

/// Pieces that secrets, names, markers and ordinary text are made of, so that a few of them in a row often almost or
/// really are a secret.
fn piece() -> impl Strategy<Value = String> {
    let fixed = [
        "sk-",
        "ant-",
        "proj-",
        "ghp_",
        "github_pat_",
        "AKIA",
        "AIza",
        "xoxb-",
        "eyJ",
        ".",
        "npm_",
        "xai-",
        "SG.",
        "PASSWORD",
        "correct-horse-battery",
        "token",
        "password",
        "api_key",
        "secret",
        " = ",
        "=",
        ": ",
        "\"",
        "'",
        "`",
        "\\\"",
        "\\n",
        "\\t",
        "\\\\",
        "\\u0067",
        "%67",
        "\u{1b}[31m",
        "\u{200b}",
        "hp_",
        "Cookie: a=",
        "https://hooks.slack.com/services/",
        "&sig=",
        "123456789:",
        "--password ",
        "MIIEpAIBAAKCAQEA7bq8Zr2Lw9Xk4Tn7Vb1Yc6Pf3q7Zr2Lw9Xk4Tn8Vb",
        "\n",
        " ",
        "-----",
        "-----BEGIN ",
        "RSA ",
        "PRIVATE KEY-----",
        "-----END ",
        "Authorization: ",
        "Bearer ",
        "https://",
        "user:",
        "@",
        "[redacted:",
        "known]",
        "[redacted:jwt]",
        "jwt]",
        "ü",
        "—",
        "q7Zr2Lw9Xk4Tn8Vb",
        "3Mc6Hd1Js5Pf0Gy7Qa2We9Rt4Yu8Io3Kp6q7Zr2Lw9Xk",
        "Q7ZR2LW9XK4TN8VB",
        "an ordinary sentence",
        "first-value",
        "]remainder",
        "nose[redact",
    ];
    prop_oneof![
        8 => proptest::sample::select(fixed.map(str::to_owned).to_vec()),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,4}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(piece(), 0..24).prop_map(|pieces| pieces.concat())
}

fn known() -> impl Strategy<Value = Vec<String>> {
    let shaped =
        ["first-value", "]remainder", "nose[redact", "known]first", "q7Zr2Lw9Xk"].map(str::to_owned).to_vec();
    let value = prop_oneof![proptest::sample::select(shaped), "[a-z\\]\\[:\"]{8,12}"];
    proptest::collection::vec(value, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_known_value_is_left_and_a_second_pass_changes_nothing(text in text(), known in known()) {
        let redactor = Redactor::new(known);
        let (once, hits) = redactor.redact(&text);
        for value in &redactor.known {
            prop_assert!(!once.contains(value.as_str()), "{value:?} in {once:?}");
        }
        let (twice, none) = redactor.redact(&once);
        prop_assert!(matches!(twice, Cow::Borrowed(_)));
        prop_assert_eq!(&twice, &once);
        prop_assert_eq!(none, vec![]);
        prop_assert_eq!(matches!(once, Cow::Borrowed(_)), hits.is_empty());
    }

    #[test]
    fn what_lies_outside_the_hits_is_kept_byte_for_byte(text in text(), known in known()) {
        let (out, hits) = Redactor::new(known).redact(&text);
        let mut rebuilt = String::new();
        let mut copied = 0;
        for Hit { kind, range } in &hits {
            prop_assert!(range.start >= copied && range.start < range.end);
            rebuilt.push_str(&text[copied..range.start]);
            rebuilt.push_str(&kind.marker());
            copied = range.end;
        }
        rebuilt.push_str(&text[copied..]);
        prop_assert_eq!(rebuilt, out);
    }

    #[test]
    fn lines_are_found_in_order_and_exist(text in text()) {
        let found = Redactor::default().find(&text);
        let lines = text.split('\n').count();
        prop_assert!(found.iter().all(|found| (1..=lines).contains(&found.line)));
        prop_assert!(found.is_sorted_by_key(|found| found.line));
    }
}

/// A search that reads on from every place at which a secret could begin needs minutes for these, not milliseconds, and
/// runs into the limit on slow tests.
#[test]
fn texts_made_of_beginnings_are_searched_in_linear_time() {
    const REPEATS: usize = 10_000;
    for beginning in [
        "sk-",
        "sk-ant-",
        "github_pat_",
        "glpat-",
        "xai-",
        "SG.",
        "PASSWORD=",
        "password='",
        "eyJ",
        "eyJhbGciOiJI.",
        "token=",
        "token:\"",
        "token=\"token='",
        "=",
        ":",
        "token=a",
        "://",
        "://a:",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "Authorization: Bearer ",
        "[redacted:",
        "[redacted:known]",
        "a",
        "password: a=",
        "\\",
        "\\n",
        "\\u0067",
        "\\\\",
        "\\\"token=",
        "%67",
        "%",
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}]",
        "\u{200b}",
        "\n",
        "> \n",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\n\n",
        "-----END PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\n",
        "-----",
        "Cookie: ",
        "cookie:a=b;",
        "hooks.slack.com/services/",
        "&sig=",
        "12345678:",
        "--password ",
        "--",
        "token ",
        "basic ",
        "password: \n",
    ] {
        let text = beginning.repeat(REPEATS);
        let (out, _) = Redactor::new(vec!["aaaaaaaaaaaaaaaab".to_owned()]).redact(&text);
        assert_eq!(out, text, "{beginning:?}");
    }
}
