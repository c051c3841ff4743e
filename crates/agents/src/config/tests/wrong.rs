//! Mistakes in the file are shown with their line and the way out.

use super::*;

#[test]
fn a_wrong_key_is_shown_with_its_line_and_the_key_that_was_meant() {
    let file = "project/redraft.toml";
    for (text, expected) in [
        ("[review]\n\npolcy = \"seed\"", ":3: there is no key `polcy` here | did you mean `policy`?"),
        ("[reveiw]\n", ":1: there is no key `reveiw` here | did you mean `review`?"),
        ("[review]\nrounds = 3", ":2: there is no key `rounds` here | `rounds` belongs in [limits]"),
        ("rounds = 3", ":1: there is no key `rounds` here | `rounds` belongs in [limits]"),
        (
            "[workspace]\nshell = 1",
            ":2: there is no key `shell` here | known here: mode, setup, setup_minutes, copy",
        ),
        (
            "[agents.a]\nkind = \"rehearsal\"\nscenaro = \"x\"",
            ":3: there is no key `scenaro` here | did you mean `scenario`?",
        ),
        (
            "[roles]\nspec-reviwer = \"rehearsal\"",
            ":2: there is no role `spec-reviwer` | did you mean `spec-reviewer`?",
        ),
    ] {
        assert_eq!(error(text), format!("{file}{expected}"));
    }
}

#[test]
fn a_wrong_value_is_shown_with_its_line_and_the_value_that_was_meant() {
    let file = "project/redraft.toml";
    for (text, expected) in [
        (
            "[review]\npolicy = \"gaurded\"",
            ":2: `gaurded` is not a policy (known: cost, seed, guarded, fresh, resume, inline, digest) | did you mean `guarded`?",
        ),
        (
            "[review]\ncertify = \"offf\"",
            ":2: `offf` is not a value of certify (known: resume, fresh, off) | did you mean `off`?",
        ),
        (
            "[monitor]\nfeatures = 0",
            ":2: features = 0 is out of bounds (1 to 20) | the nearest valid value is 1",
        ),
        (
            "[monitor]\nunconfirmed_percent = 101",
            ":2: unconfirmed_percent = 101 is out of bounds (0 to 100) | the nearest valid value is 100",
        ),
        ("[review]\nthreshold = \"lenient\"", ":2: `lenient` is not a threshold (known: strict, blockers)"),
        (
            "[agents.a]\nkind = \"robot\"",
            ":2: `robot` is not a kind of agent (known: rehearsal, claude, codex, anthropic, openai, pull)",
        ),
        ("[agents.a]\n", ":1: the agent `a` has no kind | add a line such as `kind = \"claude\"`"),
        (
            "[agents.local]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:8080/v1\"",
            ":1: the agent `local` has a base_url and names no model | add a line `model = \"NAME\"`, with the name \
                of the model on that server",
        ),
        (
            "[agents.anthropic]\nkey = \"sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"",
            ":2: secret keys do not belong in this file, so there is no `key` | set ANTHROPIC_API_KEY or \
                OPENAI_API_KEY, or name another variable (key_env = \"NAME\") or a file (key_file = \"PATH\")",
        ),
        ("budget = \"5\"", ":1: \"5\" is a text, but a number belongs here | write it without quotes: 5"),
        ("budget = \"five\"", ":1: \"five\" is a text, but a number belongs here"),
        ("budget = true", ":1: invalid type: boolean `true`, expected a number"),
        (
            "[finish]\nretro = \"false\"",
            ":2: \"false\" is a text, but true or false belongs here | write it without quotes: false",
        ),
        (
            "[agents.claude]\nmodel = \"m\"\nscenario = \"x\"",
            ":3: `scenario` means nothing for an agent of kind claude | known here: kind, model, program, price, pass, args, mcp, max_tokens, bash",
        ),
        (
            "[agents.codex]\nmodel = \"m\"\nmax_tokens = 9000",
            ":3: `max_tokens` means nothing for an agent of kind codex | known here: kind, model, program, price, pass, args, mcp",
        ),
        (
            "[agents.anthropic]\nmodel = \"m\"\n[agents.anthropic.mcp.x]\ncommand = \"x\"",
            ":3: `mcp` means nothing for an agent of kind anthropic | known here: kind, model, base_url, key_env, key_file, price, max_tokens, proxy",
        ),
        (
            "[agents.openai]\nmodel = \"m\"\nwire = \"telex\"",
            ":3: `telex` is not a wire (known: chat, responses)",
        ),
        (
            "[roles]\ndefault = \"rehersal\"",
            ":2: there is no agent `rehersal` (known: anthropic, claude, codex, openai, rehearsal) | did you mean `rehearsal`?",
        ),
        (
            "[limits]\nrounds = \"5\"",
            ":2: \"5\" is a text, but a whole number belongs here | write it without quotes: 5",
        ),
        ("[limits]\nrounds = 1.5", ":2: invalid type: floating point `1.5`, expected a whole number"),
        ("review = 3", ":1: invalid type: integer `3`, expected a table"),
    ] {
        assert_eq!(error(text), format!("{file}{expected}"));
    }
}

#[test]
fn every_limit_has_its_bounds() {
    for (key, least, most) in [
        ("rounds", 1, 20),
        ("attempts", 1, 10),
        ("gates", 1, 10),
        ("late_rounds", 0, 5),
        ("reopenings", 0, 3),
        ("dispatch_minutes", 1, 600),
    ] {
        for fine in [least, most] {
            parse(&format!("[limits]\n{key} = {fine}")).unwrap();
        }
        for (wrong, near) in [(least - 1, least), (most + 1, most), (i64::MAX, most), (i64::MIN, least)] {
            assert_eq!(
                error(&format!("[limits]\n{key} = {wrong}")),
                format!(
                    "project/redraft.toml:2: {key} = {wrong} is out of bounds ({least} to {most}) \
                     | the nearest valid value is {near}"
                )
            );
        }
    }
    let unknown = error("[limits]\nrepairs = 1");
    assert!(unknown.starts_with("project/redraft.toml:2: there is no key `repairs` here"), "{unknown}");
}

#[test]
fn a_path_cannot_leave_the_folder_on_any_system() {
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a\\..\\x",
        "\\\\host\\x",
        "C:\\x",
        "c:x",
        ".git/config",
        ".GIT",
    ] {
        let copy = error(&format!("[workspace]\ncopy = ['.env',\n '{path}']"));
        assert!(copy.starts_with(&format!("project/redraft.toml:3: the path `{path}` ")), "{copy}");
        if !path.is_empty() {
            let scenario = error(&format!("[agents.a]\nkind = 'rehearsal'\nscenario = '{path}'"));
            assert!(
                scenario.starts_with(&format!("project/redraft.toml:3: the path `{path}` ")),
                "{scenario}"
            );
        }
    }
    parse("[workspace]\ncopy = ['..env', 'a/...', './b', '.gitignore']").unwrap();
}

#[test]
fn text_that_is_no_toml_is_shown_with_its_line() {
    for (bytes, line) in [
        (&b"[review]\npolicy = \n"[..], 2),
        (b"[review\n", 1),
        (b"[limits]\nrounds = 1\nrounds = 2", 3),
        (b"# fine\n# \xff", 2),
    ] {
        let error =
            Config::parse(bytes, Path::new("redraft.toml"), &roles(), &UserSettings::default()).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(!error.message.contains('\n'), "{error}");
    }
    assert_eq!(parse("\u{feff}[limits]\nrounds = 2").unwrap().limits.rounds, 2);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_not_a_missing_file() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join(FILE)).unwrap();
    let error = Config::load(folder.path(), &roles(), &UserSettings::default()).unwrap_err();
    assert!(error.to_string().contains("redraft.toml: it is a folder, not a file"), "{error}");
}
