//! The user's own file under that of a repository.

use super::*;
use crate::config::effective::OWN_DEFAULTS;
use crate::config::user_settings::TerminalSettings;

/// Both files together; the user's is really read.
fn both(own: &str, repository: &str) -> Result<Config, ConfigError> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("config.toml");
    fs::write(&file, own).unwrap();
    let own = UserSettings { file: Some(file), local: None };
    Config::parse(repository.as_bytes(), Path::new("project/redraft.toml"), &roles(), &own)
}

fn plays(config: &Config, role: &str) -> Option<String> {
    config.agent_of(&Role::new(role)).map(ToString::to_string)
}

#[test]
fn agents_named_like_a_kind_need_no_table() {
    for name in ["claude", "codex", "anthropic", "openai", "rehearsal"] {
        let config = parse(&format!("[roles]\ndefault = \"{name}\"\n")).unwrap();
        assert_eq!(plays(&config, "spec-author").as_deref(), Some(name));
        assert_eq!(config.wants, [], "nothing of it has to be accepted");
        assert!(Config::default().played_by(name).is_ok());
    }
}

#[test]
fn the_users_own_file_holds_and_that_of_the_repository_wins() {
    let own = "[agents.mine]\nkind = \"claude\"\nmodel = \"opus\"\n[roles]\ndefault = \"mine\"\nspec-reviewer = \"codex\"\n";
    for (repository, author, reviewer) in [
        ("", "mine", "codex"),
        ("[roles]\nspec-author = \"rehearsal\"\n", "rehearsal", "codex"),
        // Naming who plays every role means every role.
        ("[roles]\ndefault = \"rehearsal\"\n", "rehearsal", "rehearsal"),
        ("[roles]\ndefault = \"mine\"\n", "mine", "mine"),
    ] {
        let config = both(own, repository).unwrap();
        let found = (plays(&config, "spec-author"), plays(&config, "spec-reviewer"));
        assert_eq!(found, (Some(author.to_owned()), Some(reviewer.to_owned())), "{repository}");
    }
    let config = both(own, "[agents.mine]\nkind = \"codex\"\nmodel = \"gpt-6-sol\"\n").unwrap();
    assert!(
        matches!(&config.agents[&AgentName::new("mine")], AgentConfig::Model(model) if model.kind == ModelKind::Codex)
    );
}

#[test]
fn what_the_user_wrote_needs_nobodys_word_and_what_the_repository_says_does() {
    let agent = "[agents.x]\nkind = \"claude\"\nmodel = \"opus\"\nprogram = \"/opt/claude\"\nbash = \"all\"\n\
                 [agents.y]\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"https://elsewhere.test/v1\"\nprice = \"unknown\"\n";
    assert_eq!(both(agent, "").unwrap().wants, []);
    assert_eq!(both("", agent).unwrap().wants.len(), 3);
    assert_eq!(both(agent, agent).unwrap().wants.len(), 3, "the repository's are the ones that hold");
}

#[test]
fn of_two_budgets_the_lower_one_holds_until_the_higher_one_is_accepted() {
    let five = Usd(5_000_000);
    for (own, repository, holds, higher) in [
        ("", "", five, None),
        ("budget = 2", "", Usd(2_000_000), None),
        ("", "budget = 9", five, Some(Usd(9_000_000))),
        ("budget = 2", "budget = 1", Usd(1_000_000), None),
        ("budget = 2", "budget = 9", Usd(2_000_000), Some(Usd(9_000_000))),
    ] {
        let config = both(own, repository).unwrap();
        assert_eq!((config.budget, config.higher_budget), (holds, higher), "{own} and {repository}");
        let asked: Vec<String> = config.wants.iter().map(Want::line).collect();
        let of_two = "budget = 9 where your own limit is 2";
        let expected = higher.map(|_| if own.is_empty() { "budget = 9" } else { of_two });
        assert_eq!(asked, expected.into_iter().collect::<Vec<_>>());
        assert_eq!(config.accept().budget, higher.unwrap_or(holds));
    }
    let hash = |own: &str| both(own, "budget = 9").unwrap().wants_hash();
    assert_ne!(hash("budget = 2"), hash("budget = 3"), "what was accepted was nine in place of two");
}

#[test]
fn a_mistake_names_the_file_it_stands_in() {
    for (own, expected) in [
        ("[roles]\ndefault = \"nobody\"", "config.toml:2: there is no agent `nobody`"),
        (
            "[review]\npolicy = \"cost\"",
            "config.toml:1: there is no key `review` here | [review] belongs in the redraft.toml of a repository",
        ),
        (
            "colour = \"green\"",
            "config.toml:1: `green` is not a value of colour (known: auto, always, never)",
        ),
        (
            "[agents.claude]\nmodel = \"sk-ant-api03-0123456789abcdefghijklmnop\"",
            "holds what looks like a secret",
        ),
        ("budget = [", "config.toml:1"),
    ] {
        let error = both(own, "").unwrap_err();
        let shown = format!("{error} | {}", error.hint.clone().unwrap_or_default());
        assert!(shown.contains(expected), "{shown}");
    }
    let error = both("budget = 2", "budget = -1").unwrap_err();
    assert_eq!(error.path, Path::new("project/redraft.toml"));
}

#[test]
fn colour_and_bell_are_the_users_own() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("config.toml");
    let own = UserSettings { file: Some(file.clone()), local: None };
    assert_eq!(own.manners(), TerminalSettings::default(), "without a file");
    fs::write(&file, OWN_DEFAULTS).unwrap();
    assert_eq!(own.manners(), TerminalSettings::default(), "what is shown as the default is");
    fs::write(&file, "colour = \"never\"\n[notify]\nbell = false\nafter_seconds = 60\n").unwrap();
    assert_eq!(own.manners(), TerminalSettings { colour: Colour::Never, bell: false, after_seconds: 60 });
    fs::write(&file, "colour = 5").unwrap();
    assert_eq!(
        own.manners(),
        TerminalSettings::default(),
        "the command that needs the file reports its mistake"
    );
}

#[test]
fn what_holds_is_shown_with_the_file_that_says_so() {
    let folder = TempDir::new().unwrap();
    let (user, file) = (folder.path().join("config.toml"), folder.path().join("redraft.toml"));
    let own = UserSettings { file: Some(user.clone()), local: None };
    fs::write(
        &user,
        "budget = 2\n[roles]\ndefault = \"claude\"\n[agents.mine]\nkind = \"claude\"\nmodel = \"opus\"\n",
    )
    .unwrap();
    fs::write(&file, "budget = 9\n[review]\npolicy = \"inline\"\n[agents.mine]\nkind = \"codex\"\n").unwrap();
    let shown = |raised: bool, key: &str| {
        let all = settings(Some(&file), &own, raised).unwrap();
        let found = all.into_iter().find(|setting| setting.key == key);
        found.map(|setting| (setting.value, setting.from))
    };
    for (raised, key, expected) in [
        (false, "budget", Some(("2", From::User))),
        (true, "budget", Some(("9", From::Repository))),
        (false, "review.policy", Some(("\"inline\"", From::Repository))),
        (false, "review.certify", Some(("\"resume\"", From::Default))),
        (false, "roles.default", Some(("\"claude\"", From::User))),
        (false, "agents.mine.kind", Some(("\"codex\"", From::Repository))),
        (false, "agents.mine.model", None),
        (false, "notify.bell", Some(("true", From::Default))),
    ] {
        assert_eq!(shown(raised, key), expected.map(|(value, from)| (value.to_owned(), from)), "{key}");
    }
    fs::write(&file, "[roles]\ndefault = \"codex\"\n").unwrap();
    assert_eq!(shown(false, "roles.default"), Some(("\"codex\"".to_owned(), From::Repository)));
    assert_eq!(shown(false, "budget"), Some(("2".to_owned(), From::User)));
}

#[test]
fn a_person_is_told_by_their_own_command_until_they_accept_that_of_the_repository() {
    let (own, theirs) = ("[notify]\ncommand = \"mine\"\n", "[notify]\ncommand = \"theirs\"\n");
    for (own, repository, before, after) in [
        ("", "", None, None),
        (own, "", Some("mine"), Some("mine")),
        ("", theirs, None, Some("theirs")),
        (own, theirs, Some("mine"), Some("theirs")),
        (own, "[notify]\ncommand = \" \"\n", Some("mine"), Some("mine")),
    ] {
        let config = both(own, repository).unwrap();
        assert_eq!(config.notify_command(), before, "{own}{repository}");
        assert_eq!(config.holds_back_notices(), repository == theirs);
        assert_eq!(config.accept().notify_command(), after, "{own}{repository}");
    }
    let error = both("", "[notify]\nbell = false\n").unwrap_err();
    assert!(error.to_string().contains("there is no key `bell` here"), "{error}");
}
