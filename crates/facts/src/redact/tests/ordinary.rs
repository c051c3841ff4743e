//! Texts without secrets, of the sorts that agents and people write all day.

use super::*;

fn check(texts: &[&str]) {
    for text in texts {
        let (out, hits) = Redactor::default().redact(text);
        assert!(matches!(out, Cow::Borrowed(same) if same == *text), "{text:?} became {out:?}");
        assert_eq!(hits, []);
    }
}

#[test]
fn prose_about_secrets_is_left_alone() {
    check(&[
        "",
        "The token bucket refills at 10 tokens per second; see the secret: it is a leaky one.",
        "Passwords must have at least 16 characters, upper-case, lower-case and digits.",
        "Bearer authentication is required. The bearer of this letter may pass.",
        "Risk-averse and task-oriented: sk-learn-based-classifiers-with-many-words-in-them.",
        "The password: please ask the administrator for a new one.",
        "Use `Authorization: Bearer <token>` or `Authorization: Bearer $TOKEN`.",
        "Authorization: Bearer YOUR_ACCESS_TOKEN",
        "send it as Bearer AccessTokenOfTheCurrentUser, or as Bearer FakeTokenForTheDocs12",
        "Basic understanding of the flow is assumed; Basic dXNlcjpwYXNzd29yZA is not a header here.",
        "Это просто текст — токен: значение, пароль: секрет. 密码：没有。",
        "max_tokens: 200000, cache_read_input_tokens=18432, output_tokens = 1_000_000",
        "It was [redacted:jwt] and [redacted:assignment] before; token = [redacted:known]",
    ]);
}

#[test]
fn hashes_and_identifiers_are_left_alone() {
    check(&[
        "commit 3f2a9c1d4e5b60718293a4b5c6d7e8f901234567 fixes the token refresh",
        "the fix for token refresh: see 3f2a9c1d4e5b60718293a4b5c6d7e8f901234567",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "checksum = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "token_hash = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "session 550e8400-e29b-41d4-a716-446655440000 has token: 550e8400-e29b-41d4-a716-446655440000",
        "index 83db48f..bf2a9c1 100644",
        "\"integrity\": \"sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT9bcxOpYBtpD2kCM6Sbzg4CausW/PKQ==\"",
        "js-tokens@^4.0.0: version \"4.0.0\"",
        "token_expires_at: 2026-09-01T12:34:56.789Z",
    ]);
}

#[test]
fn pictures_and_encoded_data_are_left_alone() {
    let blob =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let picture = joined(&["![a dot](data:image/png;base64,", blob, ")"]);
    let icon = joined(&["\"secretIcon\": \"data:image/png;base64,", blob, "\""]);
    let wrapped = joined(&[blob, "\n/AIzaTn8Vb3Mc6Hd1Js5Pf0Gy7Qa2We9Rt4Yu8Io3Kp6q7Zr2Lw9Xk4Tn8Vb3Mc6Hd1\n"]);
    check(&[&picture, &icon, &wrapped]);
}

#[test]
fn code_that_handles_secrets_is_left_alone() {
    check(&[
        "let token = parse_access_token_v2(&request.headers);",
        "const token = getCsrfTokenFromRequestHeaders2;",
        "this.apiKey = config.providers.anthropic.apiKeys.primaryV2;",
        "password = os.environ[\"DB_PASSWORD_2\"]",
        "secret: process.env.STRIPE_SECRET_KEY_V2",
        "pub secret_provider: Option<Arc<dyn SecretProvider2024>>,",
        "use crate::token::lexer2::TokenKind3WithLongName;",
        "token = self.tokens.next_token_or_end_of_file_1()",
        "tokenizer = \"meta-llama/Llama-3.1-8B-Instruct\"",
        "eos_token = \"<|end_of_text_0001|>\"",
        "token_endpoint = \"/oauth2/v1/token/exchange\"",
        "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/database",
        "API_KEY = MY_SERVICE_PRODUCTION_API_KEY_V2",
        "fn password_strength_is_at_least_3(password: &str) -> bool {",
        "secretKeyRef: { name: payments-db-2024, key: password }",
        "github_pat_token_from_environment_variable and npm_config_cache_folder_for_everything_else",
        "def sign(self, private_key: ed25519.Ed25519PrivateKey, data: bytes):",
        "output = token.close = `)$))${extglobStar2}x9`;",
        "CSRFTokenHTTPSOnly: token=CSRFTokenHTTPSOnlyCookie",
        "assert_eq!(token, \"abc\"); password = \"hunter2\"; token=''; secret = \"\"",
    ]);
}

#[test]
fn placeholders_and_values_that_say_they_are_none_are_left_alone() {
    check(&[
        "API_KEY=<paste your key here>",
        "API_KEY=${ANTHROPIC_API_KEY}",
        "token: ${{ secrets.GITHUB_TOKEN_2024 }}",
        "token: {{ vault_token_4711_prod }}",
        "password = \"changeme-1234567890\"",
        "secret=xxxxxxxxxxxxxxxx12345678",
        "api_key = \"fake-key-for-tests-0a1b2c3d4e5f\"",
        "api_key = \"dummy0a1b2c3d4e5f6g7h\"",
        "client_secret = \"EXAMPLE-q7Zr2Lw9Xk4Tn8Vb\"",
        "sk-ant-xxxxxxxxxxxxxxxxxxxxxxxx and sk-ant-api03-your-key-goes-here-please and sk-ant-test",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "PASSWORD='********************'",
    ]);
}

#[test]
fn passwords_that_are_described_and_not_written_down_are_left_alone() {
    check(&[
        "password: must have 8 characters",
        "password: \"must have 8 characters\"",
        "Password=required, token: \"required\", \"password\": \"required\"",
        "The secret: `my-config-name`. **Token:** `refresh-value`",
        "password = \"${DB_PASSWORD}\"; PASSWORD=$DB_PASSWORD; PASSWORD=$(pass show db/main)",
        "password = \"<your-password>\"; password = \"changeme\"; password = \"********\"",
        "password = \"[redacted:assignment]\"; DB_PASSWORD=[redacted:known]",
        "password: process.env.DB_PASSWORD, PASSWORD=process.env.DB_MAIN, PASSWORD=settings.db.main",
        "POSTGRES_PASSWORD=postgres and PASSWORD=password",
        "const RESET_TOKEN = \"reset-token\"; token: \"punctuation\"; CSRF_TOKEN=csrf_token_header",
        "password: \"validation.password.required\", secret: 'secret-name-of-the-stack'",
        "password = \"test-user-1234\"; secret = \"demo-horse-battery\"",
        "if token == \"end-of-file-1\" || password != \"horse-battery-1\"",
        "password_policy = \"strong-only-1\"; token_endpoint = \"/oauth2/v1/token\"; TOKEN_AUDIENCE=my-service-1",
        "password_hash = \"argon2id-v19-m65536\"; secret_name = \"prod-database-1\"",
        "SECRET=/run/secrets/db-password; password = \"./secrets/db-1\"; API_KEY = MY_SERVICE_KEY",
        "token: \"550e8400-e29b-41d4-a716-446655440000\"; MAX_TOKENS=20000000; TOKEN=12345678",
        "<input type=\"password\" name=\"new-password-1\" autocomplete=\"current-password\">",
    ]);
}

#[test]
fn values_of_several_parts_that_only_name_something_are_left_alone() {
    check(&[
        "webhook: ghcr.io/org/webhook@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "webhook: registry.test/org/runner:3f2a9c1d4e5b60718293a4b5c6d7e8f901234567",
        "token: sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "DB_PASSWORD=vault:secret/data/db#password and PASSWORD=env:DB_MAIN_2 and SECRET=file:/run/secrets/db-1",
        "TOKEN_EXPIRES_AT=2026-09-01T12:34:56.789Z, tokens: in:1200,out:300, secret: db,cache2,queue",
        "TOKEN_URL=https://auth.test/oauth2/v1/token token_uri: /oauth2/v1/token2 WEBHOOK_URL=hooks.test/a1b2c3d4e5f6g7h8",
        "SESSION_COOKIE=sessionCookieNameV2 and BASIC_AUTH=AuthMiddlewareFactoryBuilder",
        "the password: SetOnceAtFirstLogin, the secret: rotates-every-30-days, password: min8chars",
    ]);
}

#[test]
fn what_only_begins_like_a_vendors_token_is_left_alone() {
    check(&[
        "xai-grok-and-other-models-of-2025, hf_hub_download_with_many_words, gsk_is_short, tvly-search-results",
        "pypi-publish-action-for-many-different-projects-and-versions, SG.1 and SG.Some.Name.Of.A.Class",
        "AGE-SECRET-KEY-1 begins a key of age, ctx7sk-your-key-goes-here, dop_v1_token",
    ]);
}

#[test]
fn addresses_without_a_password_are_left_alone() {
    check(&[
        "git@github.com:owner/repo.git and ssh://git@github.com:22/owner/repo",
        "http://localhost:3000/@scope/package@1.2.3",
        "https://user:password@host and https://USER:PASS@host and ftp://a:b@c",
        "postgres://postgres:postgres@localhost:5432/test",
        "postgres://${USER}:${PASSWORD}@${HOST}/db, http://<user>:<password>@host",
        "&lt;protocol&gt;://[&lt;user&gt;[:&lt;password&gt;]@]&lt;hostname&gt;",
        "https://{user}:{password}@host/ and https://%s:%s@host",
        "https://example.com/a:b@c and https://example.com?mail=a:b@c",
    ]);
}

#[test]
fn names_that_only_sound_secret_and_what_yaml_says_of_passwords_are_left_alone() {
    check(&[
        "password: required\nsecret: prod-db-credentials\ntoken: refresh-value\n",
        "  password: string\n  password: min-8-chars\n  password: argon2id-v19\n  password: sha256-hashed\n",
        "- password: hashed with bcrypt, cost 12\n- password: ${DB_PASSWORD}\n- password: <your-password-1>\n",
        "password: {{ vault_db_password_1 }}\npassword: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n",
        "password: changeme1\npassword: test1234\npassword: xxxxxxxx1\npassword: *db_password_1\n",
        "The password: Tr0ub4dor is an example in prose, so it is not the whole of a line.",
        "secret: /run/secrets/db-1\npassword: ./secrets/db-1\npassword: v2.1.0-beta\n",
        "auth: oauth2-bearer-middleware\nauth = AuthMiddlewareFactoryV2Builder\nbasicAuth: disabled-1\n",
        "cookie: SameSite=Strict; Secure; HttpOnly; Max-Age=31536000; Path=/api/v2",
        "Set-Cookie: theme=dark-mode-2; lang=en-GB; consent=yes-2026-11-17",
        "first_pass = optimizeRenderPassTwo2; bypass: enabledForAdmins1; compass=north1234",
        "--password-file /etc/db.1 --token-limit 20000000 --secret-name db-prod-1 --no-auth --pass 2",
        "webhook: https://example.com/hooks/slack and hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXX",
        "https://discord.com/api/webhooks/{id}/{token} and https://hooks.zapier.com/hooks/catch/",
        "see https://user@host/path and https://git@github.com/owner/repo and https://x-access-token@host",
    ]);
}

#[test]
fn what_only_looks_like_a_link_or_a_header_is_left_alone() {
    check(&[
        "at 12345678:30 in the log, 1700000000:1700003600, ratio 123456789:1",
        "?sig=abc&sv=1 and &sig=sha256 and sig=3f2a9c1d4e5b60718293a4b5c6d7e8f901234567",
        "Bearer tokens expire after 3600 seconds; bearer authentication-scheme-of-rfc-6750 is meant",
        "Authorization: Bearer test-token-123 and Authorization: Bearer demo-key-2 and `Authorization: Bearer <jwt>`",
        "Authorization: Basic <credentials> and Authorization: token ${GITHUB_TOKEN} and token abcdef0123456789abcdef",
        "Basic dXNlcjpwYXNzd29yZA== says user:password, which nobody has",
        "\"auth\": \"none\", \"auth\": \"basic\", \"auth\": {\"username\": \"ann\"}",
        "SKIP, SKU12345, dapi_client, re_exports_of_everything_in_this_module_2, secret_name_of_the_stack_1",
        "cache-key-d41d8cd98f00b204e9800998ecf8427e and SKd41d8cd98f00b204e9800998ecf8427ez",
        "key-value stores, hvs.rs, dp.pt., pul-request, oy2-is-short, glsa_config_of_the_dashboard_service",
        "C:\\new\\token\\file.txt and \\nu = \\tau and \"\\bsk-\" and \"^ghp_[A-Za-z0-9]{36}$\"",
        "ghp_000000000000000000000000000000000000 and AKIAAAAAAAAAAAAAAAAA",
    ]);
}

#[test]
fn ordinary_output_of_commands_is_left_alone() {
    check(&[
        "\u{1b}[32mPASS\u{1b}[0m src/auth/token.test.ts (5.123 s)\n\u{1b}[1mTests:\u{1b}[0m 12 passed",
        "test auth::token::expires_after_30_minutes ... ok\ntest result: ok. 12 passed; 0 failed",
        "warning: unused variable: `password`\n  --> src/login.rs:12:9\n   |\n12 |     let password = read_password()?;",
        "{\"level\":\"info\",\"msg\":\"token refreshed\",\"request_id\":\"4f1d9c77-e2b8-4a35-9d60-0c1b2a394857\"}",
        "Downloading https://registry.test/pkg/-/pkg-1.2.3.tgz sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6",
        "On branch feature/031-token-refresh\nYour branch is up to date with 'origin/feature/031-token-refresh'.",
    ]);
}
