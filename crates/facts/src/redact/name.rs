//! Recognises names of variables whose values are secrets, for code that reads an environment.

use super::entropy::is_placeholder;

/// Parts of names whose values are secrets, whatever they look like.
const SURELY: [&str; 8] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "WEBHOOK"];
/// Words of names whose values are secrets unless they are paths, switches or plain words.
const LIKELY: [&str; 13] = [
    "PASS",
    "PWD",
    "PW",
    "AUTH",
    "AUTHORIZATION",
    "BASICAUTH",
    "COOKIE",
    "COOKIES",
    "JWT",
    "DSN",
    "SAS",
    "CONNSTR",
    "BEARER",
];
/// The same at the end of a word: `PGPASS`, `SMTPPASS`, `NEXTAUTH`, `SESSIONCOOKIE`.
const LIKELY_ENDS: [&str; 4] = ["PASS", "PWD", "AUTH", "COOKIE"];
/// Words that only end like that.
const ORDINARY: [&str; 3] = ["BYPASS", "COMPASS", "ASKPASS"];
/// Whole names that only look like the above: folders, sockets and programs.
const NEVER: [&str; 6] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"];

/// Whether the name alone says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_uppercase();
    !NEVER.contains(&name.as_str()) && (sure(&name) || likely(&name))
}

/// Whether a variable holds a secret: by its name and, where that leaves a doubt, by its value.
pub fn is_secret_variable(name: &str, value: &str) -> bool {
    let name = name.to_uppercase();
    !NEVER.contains(&name.as_str()) && (sure(&name) || likely(&name) && is_value(value))
}

fn sure(name: &str) -> bool {
    SURELY.iter().any(|part| name.contains(part))
}

fn likely(name: &str) -> bool {
    let ends = |word: &str| LIKELY_ENDS.iter().any(|end| word.ends_with(end)) && !ORDINARY.contains(&word);
    let word = |word: &str| LIKELY.contains(&word) || ends(word);
    name.contains("CONNECTION_STRING") || name.split(['_', '-', '.']).any(word)
}

/// Whether a value could be a secret: it names no file, is no switch and no plain word.
fn is_value(value: &str) -> bool {
    let value = value.trim();
    let path = value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\");
    let has = |class: fn(&u8) -> bool| value.as_bytes().iter().any(class);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    let signs = value.bytes().any(|b| b"!@#$%^&*?=+;:".contains(&b));
    // `http://localhost:3000` says where, not who.
    let place = value.contains("://") && !value.contains('@');
    !path && !place && !is_placeholder_alone(value) && (mixed || signs)
}

/// An address holds `://`, which placeholders do too.
fn is_placeholder_alone(value: &str) -> bool {
    !value.contains("://") && is_placeholder(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_secret_by_their_names_and_where_that_is_not_sure_by_their_values() {
        for (name, value, secret) in [
            ("ANTHROPIC_API_KEY", "whatever-it-is", true),
            ("github_token", "x", true),
            ("PGPASSWORD", "correcthorse", true),
            ("DB_PASS", "hunter2hunter2", true),
            ("SMTPPASS", "p4ssw0rd!", true),
            ("MYSQL_PWD", "s3cr3t-and-long", true),
            ("SESSION_COOKIE", "a8f5f167f44f4964", true),
            ("BASIC_AUTH", "deploy:hunter2", true),
            ("NPM_AUTH", "ZGVwbG95Omh1bnRlcjI=", true),
            ("SLACK_WEBHOOK_URL", "https://hooks.test/T1/B2/x3", true),
            ("SENTRY_DSN", "https://abc123@sentry.test/1", true),
            ("AZURE_STORAGE_CONNECTION_STRING", "DefaultEndpointsProtocol=https;AccountKey=a1", true),
            ("PWD", "/home/ann/project-2", false),
            ("OLDPWD", "/home/ann/project-2", false),
            ("SSH_AUTH_SOCK", "/tmp/ssh-a1/agent.1", false),
            ("GIT_ASKPASS", "/usr/lib/git-askpass-2", false),
            ("GIT_AUTHOR_NAME", "ann the 3rd", false),
            ("XAUTHORITY", "/home/ann/.Xauthority", false),
            ("COMPASS", "north-2", false),
            ("AUTH_MODE", "database", false),
            ("USE_AUTH", "true", false),
            ("NEXTAUTH_URL", "http://localhost:3000", false),
            ("COOKIE_DOMAIN", "example.com", false),
            ("LANG", "en_US.UTF-8", false),
            ("PATH", "/usr/bin:/bin", false),
            ("BYPASS", "yes", false),
        ] {
            assert_eq!(is_secret_variable(name, value), secret, "{name}={value}");
        }
        assert!(is_secret_name("ci_job_pass") && !is_secret_name("HOME") && !is_secret_name("PWD"));
    }
}
