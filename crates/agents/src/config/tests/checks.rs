use super::*;

#[test]
fn checks_are_commands_that_a_person_accepts_in_the_order_of_the_file() {
    let config = parse("[checks]\nz = \"cargo fmt --check\"\na = \"cargo test\"").unwrap();
    let names: Vec<&str> = config.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["z", "a"]);
    let keys: Vec<&str> = config.wants.iter().map(|want| want.key.as_str()).collect();
    assert_eq!(keys, ["checks.a", "checks.z"]);
    let other = parse("[checks]\nz = \"cargo fmt\"\na = \"cargo test\"").unwrap();
    assert_ne!(config.wants_hash(), other.wants_hash(), "another command is accepted anew");
}

#[test]
fn a_check_without_a_command_or_with_an_odd_name_is_shown_where_it_stands() {
    let place = "project/redraft.toml:2: ";
    assert_eq!(
        error("[checks]\ntest = \" \""),
        format!("{place}the check `test` has no command | write one, or remove the line")
    );
    assert_eq!(
        error("[checks]\n\"a b\" = \"x\""),
        format!("{place}`a b` cannot be the name of a check | use letters, digits, `-` and `_`")
    );
    assert!(error("[checks]\ntest = 1").starts_with(place));
}

#[test]
fn a_found_check_is_a_setting_of_the_first_file() {
    let check = |name: &str, command: &str| Check { name: name.to_owned(), command: command.to_owned() };
    let found = vec![check("npm-test", "npm test"), check("odd", "a \"b\" \\ c")];
    let config = parse(&template_with(&found)).unwrap();
    assert_eq!(config.checks, found);
    assert_eq!(
        Config { checks: Vec::new(), wants: Vec::new(), hash: hash(b""), ..config },
        Config::default()
    );
    assert_eq!(template_with(&[]), template());
}

#[test]
fn an_agent_that_may_run_anything_needs_a_persons_word() {
    let claude =
        |line: &str| parse(&format!("[agents.claude]\nmodel = \"claude-sonnet-5-5\"\n{line}")).unwrap();
    for usual in ["", "bash = \"checks\""] {
        assert_eq!(claude(usual).wants, []);
    }
    let all = claude("bash = \"all\"").wants;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].line(), "agents.claude.bash = \"all\"");
    let wrong = error("[agents.claude]\nmodel = \"m\"\nbash = \"some\"");
    assert!(wrong.contains(":3: `some` is not a word for what may be run (known: checks, all)"), "{wrong}");
    let other = error("[agents.codex]\nmodel = \"m\"\nbash = \"all\"");
    assert!(other.contains("`bash` means nothing for an agent of kind codex"), "{other}");
}
