//! One made-up secret of every shape, and texts in which nothing else is one.

use super::*;

const CAPITALS: &str = "Q7ZR2LW9XK4TN8VB";

fn hex(length: usize) -> String {
    "0a1b2c3d4e5f6978".repeat(8)[..length].to_owned()
}

fn long(length: usize) -> String {
    NOISE.repeat(4)[..length].to_owned()
}

/// Tokens that are known by their beginning.
pub(super) fn vendors() -> Vec<(SecretKind, String)> {
    let service =
        |prefix: [&str; 2], body: String| (SecretKind::ServiceToken, joined(&[prefix[0], prefix[1], &body]));
    let gitlab = |prefix: &str| (SecretKind::GitLabToken, joined(&["gl", prefix, noise(24)]));
    let slack =
        |prefix: &str| (SecretKind::SlackToken, joined(&["xox", prefix, "-123456789012-", noise(24)]));
    vec![
        (SecretKind::AnthropicKey, joined(&["sk-", "ant-api03-", noise(40), "-", noise(12), "_AA"])),
        (SecretKind::OpenAiKey, joined(&["sk-", noise(48)])),
        (SecretKind::OpenAiKey, joined(&["sk-", "proj-", noise(20), "-", noise(24), "_", noise(9)])),
        (SecretKind::OpenAiKey, joined(&["sk-", "0123456789abcdef0123456789abcdef"])),
        (SecretKind::OpenAiKey, joined(&["sk-", "or-v1-", &hex(64)])),
        (SecretKind::AwsKeyId, joined(&["AK", "IA", CAPITALS])),
        (SecretKind::AwsKeyId, joined(&["AS", "IA", CAPITALS])),
        (SecretKind::AwsKeyId, joined(&["AB", "IA", CAPITALS])),
        (SecretKind::AwsKeyId, joined(&["AC", "CA", CAPITALS])),
        (SecretKind::GitHubToken, joined(&["gh", "p_", noise(36)])),
        (SecretKind::GitHubToken, joined(&["gh", "o_", noise(36)])),
        (SecretKind::GitHubToken, joined(&["gh", "s_", noise(36)])),
        (SecretKind::GitHubToken, joined(&["gh", "u_", noise(36)])),
        (SecretKind::GitHubToken, joined(&["gh", "r_", noise(36)])),
        (SecretKind::GitHubToken, joined(&["github", "_pat_", noise(22), "_", noise(48)])),
        gitlab("pat-"),
        gitlab("dt-"),
        gitlab("rt-"),
        gitlab("cbt-"),
        gitlab("ptt-"),
        gitlab("ft-"),
        gitlab("soat-"),
        gitlab("imt-"),
        (SecretKind::GitLabToken, joined(&["gl", "agent-", noise(50)])),
        (SecretKind::SlackToken, joined(&["xox", "b-123456789012-1234567890123-", noise(24)])),
        slack("a"),
        slack("p"),
        slack("r"),
        slack("s"),
        slack("c"),
        slack("d"),
        slack("e"),
        slack("e.xoxp"),
        slack("e.xoxb"),
        (SecretKind::SlackToken, joined(&["xa", "pp-1-A0123456789-1234567890123-", &hex(64)])),
        (SecretKind::GoogleKey, joined(&["AI", "za", noise(30), "-_abc"])),
        (SecretKind::GoogleKey, joined(&["GOC", "SPX-", noise(28)])),
        (SecretKind::GoogleKey, joined(&["ya", "29.", &long(120)])),
        (SecretKind::StripeKey, joined(&["sk_", "live_", noise(24)])),
        (SecretKind::StripeKey, joined(&["rk_", "live_", noise(24)])),
        (SecretKind::StripeKey, joined(&["sk_", "test_", noise(24)])),
        (SecretKind::StripeKey, joined(&["rk_", "test_", noise(24)])),
        (SecretKind::StripeKey, joined(&["wh", "sec_", noise(32)])),
        (SecretKind::NpmToken, joined(&["npm", "_", noise(36)])),
        (SecretKind::XaiKey, joined(&["xa", "i-", noise(50), noise(30)])),
        (SecretKind::Context7Key, joined(&["ctx7", "sk-4f1d9c77-e2b8-4a35-9d60-0c1b2a394857"])),
        (SecretKind::HuggingFaceToken, joined(&["h", "f_", noise(34)])),
        (SecretKind::HuggingFaceToken, joined(&["api", "_org_", noise(34)])),
        (SecretKind::GroqKey, joined(&["gs", "k_", noise(50)])),
        (SecretKind::PypiToken, joined(&["py", "pi-AgEIcHlwaS5vcmc", noise(50), "-_", noise(20)])),
        (SecretKind::DigitalOceanToken, joined(&["do", "p_v1_", &hex(64)])),
        (SecretKind::DigitalOceanToken, joined(&["do", "o_v1_", &hex(64)])),
        (SecretKind::DigitalOceanToken, joined(&["do", "r_v1_", &hex(64)])),
        (SecretKind::SendGridKey, joined(&["S", "G.", noise(22), ".", noise(43)])),
        (SecretKind::TavilyKey, joined(&["tv", "ly-dev-", noise(32)])),
        (SecretKind::AgeKey, joined(&["AGE-SECRET", "-KEY-1", &CAPITALS.repeat(4)[..58]])),
        (SecretKind::Jwt, joined(&["ey", "J", noise(20), ".ey", "J", noise(30), ".", noise(43)])),
        (SecretKind::TelegramToken, joined(&["123456789", ":AA", noise(33)])),
        service(["pp", "lx-"], long(48)),
        service(["r", "8_"], long(37)),
        service(["nv", "api-"], long(64)),
        service(["lsv2", "_pt_"], joined(&[&hex(32), "_", &hex(10)])),
        service(["lsv2", "_sk_"], joined(&[&hex(32), "_", &hex(10)])),
        service(["dckr", "_pat_"], long(27)),
        service(["dckr", "_oat_"], long(27)),
        service(["ruby", "gems_"], hex(48)),
        service(["o", "y2"], long(43)),
        service(["AK", "Cp"], long(69)),
        service(["pu", "l-"], hex(40)),
        service(["dp", ".pt."], long(43)),
        service(["dp", ".sa."], long(43)),
        service(["hv", "s."], long(90)),
        service(["hv", "b."], long(90)),
        service(["ops", "_eyJ"], long(150)),
        service(["da", "pi"], hex(32)),
        service(["sb", "p_"], hex(40)),
        service(["fo", "1_"], long(43)),
        service(["ts", "key-auth-"], joined(&[noise(16), "-", noise(20)])),
        service(["NR", "AK-"], CAPITALS.repeat(2)[..27].to_owned()),
        service(["gl", "sa_"], joined(&[noise(32), "_", &hex(8)])),
        service(["gl", "c_eyJ"], long(80)),
        service(["sntr", "yu_"], hex(64)),
        service(["sntr", "ys_"], long(120)),
        service(["ph", "x_"], long(43)),
        service(["shp", "at_"], hex(32)),
        service(["shp", "ss_"], hex(32)),
        service(["shp", "ca_"], hex(32)),
        service(["shp", "pa_"], hex(32)),
        service(["sq0", "atp-"], long(22)),
        service(["sq0", "csp-"], long(43)),
        service(["S", "K"], hex(32)),
        service(["r", "e_"], joined(&[noise(8), "_", noise(24)])),
        service(["lin", "_api_"], long(40)),
        service(["nt", "n_"], long(46)),
        service(["sec", "ret_"], long(43)),
        service(["fi", "gd_"], long(40)),
        service(["PM", "AK-"], joined(&[&hex(24), "-", &hex(34)])),
        service(["ATA", "TT3"], long(180)),
        service(["CF", "PAT-"], long(43)),
        service(["dt0", "c01."], joined(&[&CAPITALS.repeat(2)[..24], ".", &CAPITALS.repeat(4)])),
    ]
}

/// Secrets that are known by what stands before them: before, the secret, after.
pub(super) fn placed() -> Vec<(SecretKind, String, String, String)> {
    let placed = |kind, before: &str, secret: &str, after: &str| {
        (kind, before.to_owned(), secret.to_owned(), after.to_owned())
    };
    // deploy:hunter2
    let pair = joined(&["ZGVwbG95", "Omh1bnRlcjI="]);
    let signature = joined(&[noise(43), "="]);
    vec![
        placed(SecretKind::Authorization, "Authorization: Bearer ", noise(24), " now"),
        placed(SecretKind::Authorization, "Authorization: Bearer ", "kx81ab92", " now"),
        placed(SecretKind::Authorization, "Authorization: token ", noise(40), " now"),
        placed(SecretKind::Authorization, "curl -H Bearer ", "abcdef0123456789abcdef", " now"),
        placed(SecretKind::Authorization, "Authorization: Basic ", &pair, " now"),
        placed(SecretKind::Authorization, "sent Basic ", &pair, " now"),
        placed(
            SecretKind::Authorization,
            "{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"",
            &pair,
            "\"}}}",
        ),
        placed(SecretKind::Authorization, "//registry.test/:_auth=", &pair, " now"),
        placed(SecretKind::UrlPassword, "https://deploy:", "hunter2", "@git.test/x.git"),
        placed(SecretKind::UrlPassword, "postgres://app:", "p%40ss-w0rd", "@db:5432/app"),
        placed(SecretKind::UrlPassword, "https://", noise(24), "@git.test/x.git"),
        placed(SecretKind::Cookie, "Cookie: theme=dark; sid=", noise(24), "; lang=en"),
        placed(SecretKind::Cookie, "Set-Cookie: session=", noise(32), "; Path=/; HttpOnly"),
        placed(
            SecretKind::Webhook,
            "https://hooks.slack.com/services/",
            &joined(&["T01234567/B01234567/", noise(24)]),
            " x",
        ),
        placed(
            SecretKind::Webhook,
            "https://discord.com/api/webhooks/",
            &joined(&["123456789012345678/", noise(50), noise(18)]),
            " x",
        ),
        placed(
            SecretKind::Webhook,
            "https://acme.webhook.office.com/webhookb2/",
            "4f1d9c77-e2b8-4a35-9d60-0c1b2a394857@4f1d9c77-e2b8-4a35-9d60-0c1b2a394857/IncomingWebhook/0a1b2c3d4e5f",
            " x",
        ),
        placed(SecretKind::Webhook, "https://hooks.zapier.com/hooks/catch/", "1234567/a1b2c3d/", " x"),
        placed(
            SecretKind::SasSignature,
            "https://x.blob.core.windows.net/c?sv=2022-11-02&se=2027&sig=",
            &signature,
            " x",
        ),
        placed(
            SecretKind::TelegramToken,
            "https://api.telegram.org/bot",
            &joined(&["123456789", ":AA", noise(33)]),
            "/getMe",
        ),
        placed(
            SecretKind::Assignment,
            "AccountName=acme;AccountKey=",
            &joined(&[noise(50), noise(36), "=="]),
            ";EndpointSuffix=x",
        ),
        placed(SecretKind::Assignment, "DB_PASS=", "hunter2hunter2", "\n"),
        placed(SecretKind::Assignment, "smtpPass: \"", "blue-horse-77", "\""),
        placed(SecretKind::Assignment, "MYSQL_PWD=", "letmeinplease7", "\n"),
        placed(SecretKind::Assignment, "SESSION_COOKIE=", noise(24), "\n"),
        placed(SecretKind::Assignment, "NPM_AUTH=", noise(24), "\n"),
        placed(
            SecretKind::Assignment,
            "db:\n  user: ann\n  password: ",
            "Tr0ub4dor-and-3",
            "\n  port: 5432\n",
        ),
        placed(SecretKind::Assignment, "+db:\n+    - password: ", "s3cr3tP@ssw0rd", "  # rotate\n"),
        placed(SecretKind::Assignment, "mysql --password ", "Tr0ub4dor3x", " app"),
        placed(SecretKind::Assignment, "deploy --api-key ", noise(24), " now"),
        placed(SecretKind::Assignment, "SIGNING_KEY: ", noise(24), "\n"),
        // Drawn at random, and yet much of them can be spoken, or looks like what a form is filled with.
        placed(SecretKind::Assignment, "BASIC_AUTH=", &joined(&["6bkCVazbAy", "zg9jozskofi1"]), "\n"),
        placed(SecretKind::Assignment, "SESSION_COOKIE=", &joined(&["94NYXfG6lmot", "mJrrumQNPE"]), "\n"),
        placed(SecretKind::Assignment, "SMTP_PASS=", &joined(&["6IrsCDuhS1mA", "CpxxxXw2A9"]), "\n"),
        // Words of an example by chance, or many that can be spoken.
        placed(SecretKind::Assignment, "SMTP_PASS=", &joined(&["7zJYv8ZfA", "ke4KcE0MIJipw"]), "\n"),
        placed(SecretKind::Assignment, "SLACK_WEBHOOK_URL=", &joined(&["NU5vfoeZydp", "1TPXIBExidy"]), "\n"),
        placed(
            SecretKind::Authorization,
            "curl with Bearer ",
            &joined(&["lDcVSGEFYrHMLotZvVN", "dKOQSByonvmCZcnmdTN7j"]),
            " works",
        ),
        placed(
            SecretKind::Authorization,
            "curl with Bearer ",
            &joined(&["OMoymV40EnVxoacDpQ9R", "huvaEbgfEedihNsWeEzE"]),
            " works",
        ),
        placed(SecretKind::Assignment, "the password: ", &joined(&["4ngGYso", "qk4ZIJR"]), " is it"),
    ]
}

/// A private key in lines of 64 characters.
pub(super) fn key_lines(label: &str) -> Vec<String> {
    let line = joined(&[noise(50), "+/abcdEFGH1234"]);
    let mut lines = vec![joined(&["-----BEGIN ", label, "-----"])];
    lines.extend([line.clone(), line.clone(), line, "q7Zr2Lw9Xk==".to_owned()]);
    lines.push(joined(&["-----END ", label, "-----"]));
    lines
}
