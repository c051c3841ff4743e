use super::*;
mod ordinary;
mod properties;
mod samples;
mod ways;

/// Samples are put together here from halves, so that no scanner mistakes this file for a leak.
fn joined(parts: &[&str]) -> String {
    parts.concat()
}

const NOISE: &str = "q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1Js5Pf0Gy7Qa2We9Rt4Yu8Io3Kp6";

/// `length` characters without a pattern in them.
fn noise(length: usize) -> &'static str {
    &NOISE[..length]
}

fn redact(text: &str) -> String {
    Redactor::default().redact(text).0.into_owned()
}

fn kinds(text: &str) -> Vec<SecretKind> {
    Redactor::default().redact(text).1.into_iter().map(|hit| hit.kind).collect()
}

#[test]
fn every_vendors_token_is_replaced_wherever_it_stands() {
    for (kind, sample) in &samples::vendors() {
        let marker = kind.marker();
        for (before, after) in [
            ("", ""),
            ("use ", " now"),
            ("`", "`."),
            ("\n-", "\n"),
            ("x: \"", "\","),
            ("ключ ", "—"),
            ("(", ")"),
        ] {
            let text = joined(&[before, sample, after]);
            assert_eq!(redact(&text), joined(&[before, &marker, after]), "{kind} in {text:?}");
        }
        if sample.starts_with("xoxe.") {
            continue;
        }
        let inside_a_word = joined(&["word", sample]);
        assert_eq!(redact(&inside_a_word), inside_a_word, "{kind}");
    }
}

#[test]
fn a_private_key_is_replaced_from_its_first_line_to_its_last() {
    let line = joined(&[noise(50), "+/abcdEFGH1234"]);
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let (begin, end) = (joined(&["-----BEGIN ", label, "-----"]), joined(&["-----END ", label, "-----"]));
        let forms = [
            joined(&[&begin, "\n", &line, "\n", &line, "\nab==\n", &end]),
            joined(&[&begin, "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n", &line, "\n", &end]),
            joined(&[&begin, "\\n", &line, "\\n", &line, "\\n", &end]),
            joined(&[&begin, "\r\n", &line, "\r\n", &end]),
            joined(&[&begin, "\n    ", &line, "\n    ", &line, "\n    ", &end]),
            joined(&[&begin, "\n+", &line, "\n+", &line, "\n+", &end]),
            joined(&[&begin, "\n  2\t", &line, "\n  3\t", &line, "\n  4\t", &end]),
            joined(&[&begin, " ", &line, " ", &end]),
        ];
        for form in forms {
            let text = joined(&["key:\n", &form, "\nafter\n"]);
            assert_eq!(redact(&text), "key:\n[redacted:private-key]\nafter\n", "{text}");
        }
        let cut_off =
            joined(&["key:\n", &begin, "\n", &line, "\n", &line, "\n\nand then the log ended here\n"]);
        assert_eq!(redact(&cut_off), "key:\n[redacted:private-key]\n\nand then the log ended here\n");
    }
}

#[test]
fn a_header_without_a_key_and_a_public_key_are_left_alone() {
    let begin = joined(&["-----BEGIN ", "PRIVATE KEY-----"]);
    let line = joined(&[noise(50), "abcdEFGH1234"]);
    for text in [
        joined(&["reject any file that contains `", &begin, "` in its first line\nand say so\n"]),
        joined(&[&begin, "\n...\n-----END ", "PRIVATE KEY-----\n"]),
        joined(&[&begin, &begin, &begin]),
        joined(&["-----BEGIN ", "PUBLIC KEY-----\n", &line, "\n-----END ", "PUBLIC KEY-----\n"]),
        joined(&["-----BEGIN ", "CERTIFICATE-----\n", &line, "\n-----END ", "CERTIFICATE-----\n"]),
    ] {
        assert_eq!(redact(&text), text);
    }
}

#[test]
fn credentials_of_a_request_are_replaced_and_the_rest_stays_readable() {
    let token = noise(24);
    for (text, expected) in [
        (joined(&["Authorization: Bearer ", token]), "Authorization: Bearer [redacted:authorization]"),
        (
            joined(&["{\"authorization\":\"bearer ", token, "\"}"]),
            "{\"authorization\":\"bearer [redacted:authorization]\"}",
        ),
        (
            joined(&["-H 'Authorization: Bas", "ic dXNlcjpo", "dW50ZXIy'"]),
            "-H 'Authorization: Basic [redacted:authorization]'",
        ),
        (
            joined(&["sent with bearer ", token, " as usual"]),
            "sent with bearer [redacted:authorization] as usual",
        ),
        (
            joined(&["https://deploy:hun", "ter2@git.test/x.git"]),
            "https://deploy:[redacted:url-password]@git.test/x.git",
        ),
        (joined(&["redis://:s3", "cr3t@cache:6379/0"]), "redis://:[redacted:url-password]@cache:6379/0"),
        (joined(&["amqp://svc:p@ss", ":w0rd@mq?x=1"]), "amqp://svc:[redacted:url-password]@mq?x=1"),
    ] {
        assert_eq!(redact(&text), expected);
    }
}

#[test]
fn a_random_value_under_a_secret_name_is_replaced_and_its_name_stays() {
    let value = noise(24);
    for (before, after) in [
        ("API_KEY=", "\n"),
        ("export DB_PASSWORD='", "'"),
        ("password: ", "\n"),
        ("\"client_secret\": \"", "\","),
        ("{\\\"apiKey\\\": \\\"", "\\\"}"),
        ("const accessToken: string = \"", "\";"),
        ("let password: &'static str = \"", "\";"),
        ("api_key: str = b'", "'"),
        ("config[\"auth_token\"] = \"", "\""),
        ("X-Api-Key: ", "\r\n"),
        ("https://api.test/v1?token=", "&page=2"),
        ("**Token:** `", "`"),
        (":password => '", "',"),
        ("secret := `", "`"),
        ("--api-key=", " --verbose"),
        ("if token == \"", "\" {"),
    ] {
        let text = joined(&[before, value, after]);
        assert_eq!(redact(&text), joined(&[before, "[redacted:assignment]", after]), "{text:?}");
    }
    let dotted = joined(&["SENDGRID_API_KEY=SG.", value, ".", value, "\n"]);
    assert_eq!(redact(&dotted), "SENDGRID_API_KEY=[redacted:assignment]\n");
    let aws = joined(&["aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"]);
    assert_eq!(redact(&aws), "aws_secret_access_key = [redacted:aws-secret]");
    let hex = joined(&["api_token: ", "9f86d081884c7d659a2feaa0", "c55ad015"]);
    assert_eq!(redact(&hex), "api_token: [redacted:assignment]");
}

#[test]
fn a_password_of_words_that_is_assigned_is_replaced_and_its_name_stays() {
    for (before, value, after) in [
        ("DB_PASSWORD=", "hunter2hunter2", "\n"),
        ("export DB_PASSWORD_2=", "letmeinplease", " && make"),
        ("password = \"", "correct-horse-battery", "\""),
        ("{\"user\":\"ann\",\"password\":\"", "hunter2hunter2", "\"}"),
        ("{\\\"password\\\": \\\"", "hunter2hunter2", "\\\"}"),
        ("passwd: '", "winter-is-coming", "'"),
        ("password: str = \"", "swordfish!", "\""),
        ("CLIENT_SECRET_PROD=", "open-sesame", "\n"),
        ("const API_TOKEN = '", "abcd-1234-efgh", "';"),
        ("api_key: \"", "team7-blue-horse", "\""),
        ("smtpPwd = \"", "blue_horse_7", "\""),
    ] {
        let text = joined(&[before, value, after]);
        assert_eq!(redact(&text), joined(&[before, "[redacted:assignment]", after]), "{text:?}");
    }
}

#[test]
fn a_value_of_several_parts_is_replaced_whole_whichever_part_gives_it_away() {
    let (part, other) = (noise(16), &NOISE[16..28]);
    let bot = joined(&["110201543:AA", "SMOeFkLuZPVSHeQQSlhywIWRAiFPxxa62"]);
    for (before, value, after) in [
        ("DB_PASSWORD=", joined(&["svc42:", part]), "\n"),
        ("DB_PASSWORD=", joined(&[part, ":svc42xyz"]), "\n"),
        ("DB_PASSWORD=", "svc:hunter2hunter2".to_owned(), " make"),
        ("API_TOKEN=", joined(&["q7Zt9LmX,", other]), "\n"),
        ("api_key: ", joined(&["eu:", part]), ", and so on"),
        ("DB_PASSWORD=", joined(&[part, "=="]), ",USER=ann"),
        ("SESSION_COOKIE=", joined(&["KvFSZgklbI", "sxm9EYyhqfQT"]), "\n"),
        ("BASIC_AUTH=", joined(&["sGy4AkVusM", "dyzBTUgywYiQ"]), "\n"),
        ("{\"cookie\": \"", joined(&["KvFSZgklbI", "sxm9EYyhqfQT"]), "\"}"),
        ("SLACK_WEBHOOK_URL=", joined(&["gqhiw2CRrk", "D6zTJwmJfzig"]), "\n"),
        ("The notes say password: ", joined(&["q2jKEoKn", "8IxK9s"]), ", so use it"),
    ] {
        let text = joined(&[before, &value, after]);
        assert_eq!(redact(&text), joined(&[before, "[redacted:assignment]", after]), "{text:?}");
    }
    for before in ["", "PRIVATE_KEY=", "say "] {
        let expected = joined(&[before, "[redacted:telegram-token]"]);
        assert_eq!(redact(&joined(&[before, &bot])), expected);
    }
}

#[test]
fn known_values_are_replaced_in_every_place_and_form() {
    let redactor = Redactor::new(vec![" hunter2-and-more\n".to_owned(), "line\"one\nline two".to_owned()]);
    let (text, hits) =
        redactor.redact("a=hunter2-and-more;Xhunter2-and-moreX {\"k\":\"line\\\"one\\nline two\"}");
    assert_eq!(text, "a=[redacted:known];X[redacted:known]X {\"k\":\"[redacted:known]\"}");
    assert_eq!(hits.len(), 3);
    assert_eq!(&hits[0], &Hit { kind: SecretKind::Known, range: 2..18 });
}

#[test]
fn short_values_and_parts_of_markers_are_not_known_values() {
    let words = ["admin12", "", "redacted", "password", "redacted:url-password"];
    let redactor = Redactor::new(words.map(str::to_owned).to_vec());
    let text = "admin12 redacted the password of [redacted:url-password]";
    assert!(matches!(redactor.redact(text), (Cow::Borrowed(_), hits) if hits.is_empty()));
    let eight = Redactor::new(vec!["ädmin123".to_owned()]);
    assert_eq!(eight.redact("is ädmin123").0, "is [redacted:known]");
}

#[test]
fn a_known_value_that_a_marker_completes_is_replaced_too() {
    let redactor =
        Redactor::new(vec!["first-value".to_owned(), "]remainder".to_owned(), "nose[redact".to_owned()]);
    let (text, hits) = redactor.redact("<first-valueremainder> <nosefirst-value>");
    assert_eq!(text, "<[redacted:known]> <[redacted:known]>");
    assert_eq!(hits.iter().map(|hit| hit.range.clone()).collect::<Vec<_>>(), [1..21, 24..39]);
}

#[test]
fn a_text_whose_markers_never_settle_is_hidden_whole() {
    let redactor = Redactor::new(vec!["first-value".to_owned(), "]aaaaaaaa".to_owned()]);
    let text = joined(&["before first-value", &"a".repeat(800), " after"]);
    assert_eq!(redactor.redact(&text).0, "[redacted:known]");
    assert_eq!(redactor.redact("[redacted:known]").0, "[redacted:known]");
}

#[test]
fn a_token_inside_another_secret_is_one_hit_of_the_more_telling_kind() {
    let token = joined(&["gh", "p_", noise(36)]);
    assert_eq!(kinds(&joined(&["https://x:", &token, "@github.test/a"])), [SecretKind::GitHubToken]);
    assert_eq!(kinds(&joined(&["token = \"", &token, "\""])), [SecretKind::GitHubToken]);
    assert_eq!(kinds(&joined(&["Authorization: Bearer ", &token])), [SecretKind::GitHubToken]);
}

#[test]
fn a_token_after_something_that_only_began_like_one_is_found() {
    let letters_only = joined(&["gh", "p_", &"qzrlwxktnvbm".repeat(3)]);
    assert_eq!(kinds(&joined(&["sk-test-", &letters_only])), [SecretKind::GitHubToken]);
    let anthropic = joined(&["sk-", "ant-api03-", noise(40)]);
    assert_eq!(kinds(&joined(&["eyJ.", &anthropic])), [SecretKind::AnthropicKey]);
}

#[test]
fn a_refusal_names_lines_and_kinds_and_nothing_else() {
    let begin =
        joined(&["-----BEGIN ", "PRIVATE KEY-----\n", noise(48), "\n", "-----END ", "PRIVATE KEY-----"]);
    let text =
        joined(&["one\nüber gl", "pat-", noise(20), "\nthree\n\n", &begin, "\nAPI_KEY=", noise(20), "\n"]);
    let found = Redactor::default().find(&text);
    let expected = [(2, SecretKind::GitLabToken), (5, SecretKind::PrivateKey), (8, SecretKind::Assignment)];
    assert_eq!(found, expected.map(|(line, kind)| FoundSecret { line, kind }));
    assert!(Redactor::default().find("one\ntwo\n").is_empty());
}

#[test]
fn the_debug_form_of_a_redactor_hides_what_it_knows() {
    let redactor = Redactor::new(vec!["hunter2-and-more".to_owned()]);
    assert_eq!(format!("{redactor:?}"), "Redactor(1 known values)");
}
