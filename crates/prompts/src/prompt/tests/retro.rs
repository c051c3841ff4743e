//! Tests the prompts of the agent that looks back.

use super::*;
use redraft_roles::profile::RoleText;

/// A repository that replaces the text must not lose what the engine relies on.
#[test]
fn a_repository_s_own_text_takes_the_place_of_the_rubric_and_of_nothing_else() {
    let own = "---\nname: retro-facilitator\ndescription: ours\n---\n\nLook at the build times first.\n";
    let own = RoleText::parse(own, &Role::new("retro-facilitator")).unwrap();
    let mut seen = 0;
    cases::retro::each(&mut |name, brief| {
        let built_in = retro(brief);
        let replaced = retro(&RetroBrief { text: Some(&own), ..*brief });
        for part in ["house-rules", "checklist", "return", "task", "bundle"] {
            assert_eq!(built_in.get(part), replaced.get(part), "{name}: {part}");
        }
        let is_own = replaced.get("rubric").unwrap().contains("build times");
        assert_eq!(
            is_own,
            brief.purpose == Purpose::Retro,
            "{name}: lessons are judged by the built-in text"
        );
        seen += 1;
    });
    assert_eq!(seen, 4);
}

#[test]
fn figures_are_asked_for_by_name_and_nothing_that_changes_stands_before_the_turn() {
    cases::retro::each(&mut |name, brief| {
        let prompt = retro(brief);
        assert!(prompt.feature.is_empty());
        assert!(!stable(&prompt).text().contains("031"), "{name}");
        let told = prompt.get("return").unwrap().contains("`{specify.rounds}`");
        assert_eq!(told, brief.purpose == Purpose::Retro, "{name}");
    });
}

#[test]
fn a_tool_that_is_not_there_is_named() {
    cases::retro::each(&mut |_, brief| {
        assert!(retro(brief).get("missing-tools").is_none());
        let missing = ["Gr\nep".to_owned()];
        let prompt = retro(&RetroBrief { missing: &missing, ..*brief });
        assert!(prompt.get("missing-tools").unwrap().contains("`Gr ep`"));
    });
}
