use super::*;
use crate::config::{UserSettings, file};
use redraft_facts::ids::Role;
use std::collections::BTreeSet;
use std::path::Path;

fn parse(text: &str) -> Config {
    let roles = ["spec-author", "spec-reviewer"].map(Role::new);
    Config::parse(text.as_bytes(), Path::new("redraft.toml"), &roles, &UserSettings::default()).unwrap()
}

/// The keys that the file's reader knows in a table, as it lists them itself when it meets one it does not know.
fn known(before: &str, key: &str) -> Vec<String> {
    let error = file::read(&format!("{before}{key} = 1\n"), Path::new("redraft.toml")).unwrap_err();
    let hint = error.hint.unwrap_or_else(|| panic!("{before}: {}", error.message));
    let list = hint.strip_prefix("known here: ").unwrap_or_else(|| panic!("{before}: {hint}"));
    list.split(", ").map(str::to_owned).collect()
}

/// What a key leads to: a table with keys of its own, a table with names that the user chooses, or a value.
fn collect(before: &str, path: &str, found: &mut BTreeSet<String>) {
    // Any name that resembles no key.
    const NOBODY: &str = "qqqqqqqqqqqqqqqqqqqqqqqq";
    const MAPS: [&str; 7] =
        ["agents", "prices", "roles", "checks", "lint.rules", "lint.sections", "agents.*.mcp"];
    for key in known(before, NOBODY) {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if KEYS.iter().any(|(one, _)| *one == inner) {
            found.insert(inner);
            continue;
        }
        let (table, inner) = match MAPS.contains(&inner.as_str()) {
            true => (format!("{}.name", inner.replace('*', "name")), format!("{inner}.*")),
            false => (inner.replace('*', "name"), inner),
        };
        if KEYS.iter().any(|(one, _)| *one == inner) {
            found.insert(inner);
            continue;
        }
        collect(&format!("[{table}]\n"), &inner, found);
    }
}

#[test]
fn every_key_that_is_read_has_a_decision_and_every_decision_a_key() {
    let mut found = BTreeSet::from(["roles.default".to_owned()]);
    collect("", "", &mut found);
    let decided: BTreeSet<String> = KEYS.iter().map(|(key, _)| (*key).to_owned()).collect();
    assert_eq!(found, decided);
    assert_eq!(decided.len(), KEYS.len(), "each once");
}

#[test]
fn the_defaults_above_which_a_number_asks_are_those_of_the_program() {
    let template: Table = crate::config::effective::uncommented().parse().unwrap();
    for (key, decision) in KEYS {
        let AsksAbove(_, usual) = decision else { continue };
        let value = key.split('.').fold(Some(&Value::Table(template.clone())).cloned(), |value, part| {
            value.and_then(|value| value.get(part).cloned())
        });
        let value = value.and_then(|value| value.as_float().or(value.as_integer().map(|whole| whole as f64)));
        assert_eq!(value, Some(usual), "{key}");
    }
}

#[test]
fn what_runs_reads_sends_or_spends_asks_and_the_rest_does_not() {
    for (text, lines) in [
        ("budget = 5\n[limits]\nrounds = 5\nattempts = 1\n", &[][..]),
        ("budget = 5.01\n", &["budget = 5.01"]),
        ("[limits]\nrounds = 6\ncheck_minutes = 21\n", &["limits.check_minutes = 21", "limits.rounds = 6"]),
        ("[review]\npolicy = \"fresh\"\ncertify = \"off\"\n[lint.rules]\nvague-word = \"off\"\n", &[]),
        ("[workspace]\nsetup = \" \"\ncopy = []\nmode = \"in-place\"\n", &[]),
        (
            "[workspace]\nsetup = \"a\\u001b[2K\\nb\"\ncopy = [\".env\", \"x y\"]\n",
            &["workspace.copy = [\".env\", \"x y\"]", "workspace.setup = \"a\\u{1b}[2K\\nb\""],
        ),
        ("[checks]\nt = \"x\"\n", &["checks.t = \"x\""]),
        ("[sandbox]\ngit = \"copy\"\nread = []\n", &[]),
        ("[sandbox]\nlevel = \"strict\"\n", &["sandbox.level = \"strict\""]),
        (
            "[sandbox]\nlevel = \"off\"\nwrite = [\"~/.m2\"]\nnetwork = [\"udp\"]\npass = [\"A\"]\nread = [\"/x\"]\n",
            &[
                "sandbox.level = \"off\"",
                "sandbox.network = [\"udp\"]",
                "sandbox.pass = [\"A\"]",
                "sandbox.read = [\"/x\"]",
                "sandbox.write = [\"~/.m2\"]",
            ],
        ),
        ("[hooks]\nautonomous = false\n", &[]),
        ("[hooks]\nautonomous = true\n", &["hooks.autonomous = true"]),
        ("[agents.claude]\nprogram = \"claude\"\nbash = \"checks\"\nargs = []\nmodel = \"opus\"\n", &[]),
        ("[agents.claude]\nprogram = \"codex\"\n", &["agents.claude.program = \"codex\""]),
        ("[agents.claude]\nprice = \"unknown\"\n", &[]),
        (
            "[agents.x]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9/v1\"\nprice = \"local\"\n",
            &["agents.x.base_url = \"http://127.0.0.1:9/v1\"", "agents.x.price = \"local\""],
        ),
        (
            "[agents.openai]\nproxy = \"http://me:pass-word@proxy.test:1\"\n",
            &["agents.openai.proxy = \"http://…@proxy.test:1\""],
        ),
        ("[prices.\"opus\"]\nunknown = true\n", &[]),
        (
            "[prices.\"claude 9\"]\ninput = 0\noutput = 0\nwrite = { \"5m\" = 1 }\n",
            &[
                "prices.\"claude 9\".input = 0",
                "prices.\"claude 9\".output = 0",
                "prices.\"claude 9\".write = { 5m = 1 }",
            ],
        ),
        ("[roles]\ndefault = \"claude\"\nspec-author = \"codex\"\n", &[]),
    ] {
        let config = parse(text);
        let found: Vec<String> = config.wants.iter().map(Want::line).collect();
        assert_eq!(found, lines, "{text}");
        assert_eq!(config.is_accepted(), lines.is_empty());
        assert!(config.accept().is_accepted());
    }
}

#[test]
fn the_hash_changes_with_what_is_accepted_and_with_nothing_else() {
    let hash = |text: &str| parse(text).wants_hash();
    let first = "[checks]\nt = \"x\"\n";
    for same in ["[checks]\nt = 'x'\n", "budget = 1\n[checks]\nt = \"x\"\n[limits]\nrounds = 2\n"] {
        assert_eq!(hash(first), hash(same), "{same}");
    }
    for other in ["[checks]\nt = \"x \"\n", "[checks]\nu = \"x\"\n", "[checks]\nt = \"x\"\nu = \"x\"\n", ""] {
        assert_ne!(hash(first), hash(other), "{other}");
    }
    let proxy = |word: &str| hash(&format!("[agents.openai]\nproxy = \"http://me:{word}@proxy.test:1\"\n"));
    assert_ne!(proxy("one-word"), proxy("other-word"), "also where it is not shown");
}

#[test]
fn unaccepted_prices_do_not_count_and_belong_to_every_agent_with_a_model() {
    let text =
        "[prices.\"claude-opus-4-5\"]\ninput = 0\noutput = 0\n[agents.claude]\nmodel = \"claude-opus-4-5\"\n";
    let config = parse(text);
    let card = |config: &Config| config.cards().find("claude-opus-4-5").unwrap().clone();
    assert_eq!(card(&config), card(&Config::default()));
    assert_eq!(config.unaccepted_of(&AgentName::new("claude")).len(), 2);
    assert_eq!(config.unaccepted_of(&AgentName::new("rehearsal")), Vec::<&Want>::new());
    assert!(card(&config.accept()).is_free());
}
