//! What a retrospective counts, over every sequence of events.

use super::draws::{any_habits, any_rules};
use super::world::*;
use proptest::prelude::*;
use redraft_facts::event::*;
use redraft_facts::phase::Phase;
use redraft_facts::prelude::*;
use redraft_reports::projections::costs::costs;
use redraft_reports::retro::{FeatureChange, Figures, Older, bundle, judge_bundle, markdown};

fn any_world() -> impl Strategy<Value = World> {
    let draws = proptest::collection::vec(any::<u8>(), 1..300);
    (any_rules(), any_habits(), draws, 0usize..4, any::<bool>()).prop_map(
        |(rules, habits, draws, tasks, builds)| match builds {
            true => {
                let rules = Rules { tasks: tasks + 1, until: Phase::Specify, ..rules };
                World::building(rules, habits, draws)
            }
            false => World::new(rules, habits, draws),
        },
    )
}

fn count(world: &World, wanted: impl Fn(&Event) -> bool) -> u64 {
    world.log.iter().filter(|entry| wanted(&entry.event)).count() as u64
}

fn change() -> FeatureChange {
    FeatureChange { files: vec![("src/a.rs".to_owned(), 3, 1), ("b.txt".to_owned(), 0, 2)] }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// `redraft cost` and the retrospective cannot disagree.
    #[test]
    fn the_figures_are_those_of_the_bills_and_of_the_events(mut world in any_world()) {
        world.play(3_000);
        let figures = Figures::from_entries(&world.state, &world.log);
        let costs = costs(&world.log);
        let total = figures.total;
        prop_assert_eq!(total.sum, costs.sum);
        for one in &figures.phases {
            let passes = costs.phases.iter().filter(|phase| phase.phase == one.phase);
            let billed = passes.clone().map(|pass| pass.sum.billed.cost.0).sum::<u64>();
            prop_assert_eq!(one.counts.sum.billed.cost.0, billed);
            prop_assert_eq!(one.counts.passes, passes.count() as u64);
        }
        prop_assert_eq!(u64::from(total.sum.dispatches), count(&world, |event| matches!(event, Event::Started(_))));
        prop_assert_eq!(u64::from(total.sum.lost), count(&world, |event| matches!(event, Event::Lost(_))));
        let failed = |event: &Event| matches!(event, Event::Checked(checked) if !checked.passed);
        prop_assert_eq!(total.failed_checks, count(&world, failed));
        let accepted = |event: &Event| matches!(event, Event::Decided(one) if one.choice == Decision::Accept);
        prop_assert_eq!(total.rulings, count(&world, accepted));
        let found = total.findings;
        prop_assert_eq!(found.all(), found.open + found.fixed + found.withdrawn + found.deferred + found.ruled + found.overruled);
        let standing: usize = world.state.standing().map(|one| one.findings.len()).sum();
        prop_assert_eq!(found.all(), standing as u64);
    }

    /// A page and a bundle can be made at any point, and say what was counted.
    #[test]
    fn a_page_and_a_bundle_can_be_made_of_every_history(mut world in any_world(), steps in 0usize..400) {
        world.play(steps);
        let figures = Figures::from_entries(&world.state, &world.log).with(&change());
        let page = markdown(&figures, None, Some("it failed"));
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
        prop_assert_eq!(headings, ["## Observe", "## Review", "## Tune", "## Act"]);
        let sum = costs(&world.log).sum;
        // What hosts used, nobody told.
        let billed = match sum.dispatches > 0 && sum.hosts == sum.dispatches {
            true => "unknown".to_owned(),
            false => sum.billed.cost.to_string(),
        };
        prop_assert!(page.lines().any(|line| line.starts_with("| all |") && line.contains(&billed)));
        let sizes = [("spec.md".to_owned(), 10)];
        let sent = bundle(&figures, &world.state, &world.log, &change(), &sizes);
        prop_assert!(sent.chars().count() < 90_000, "{}", sent.chars().count());
        let older = [Older { kind: "heuristic", name: "n", text: "t", why: "w" }];
        prop_assert!(judge_bundle(&older, &world.state, &world.log, &change()).is_ok());
    }
}

/// AC-6, SC-5: between the history of reviews and the summary of git.
#[test]
fn ac_6_and_sc_5_the_bundle_holds_the_implementation_log_in_its_place() {
    let mut world = World::building(Rules { tasks: 2, ..rules(&[3]) }, CALM, vec![1]);
    assert!(world.play(500));
    let figures = Figures::from_entries(&world.state, &world.log);
    assert_eq!((figures.total.tasks_done, figures.total.tasks_blocked), (2, 0));
    let sizes = [("tasks.md".to_owned(), 1_234)];
    let sent = bundle(&figures, &world.state, &world.log, &change(), &sizes);
    let places =
        ["## Phases", "## Review History", "## Implementation Log", "## Git Summary", "## Artifact Sizes"]
            .map(|heading| sent.find(&format!("{heading}\n")).unwrap_or_else(|| panic!("no {heading}")));
    assert!(places.is_sorted(), "{sent}");
    let log = &sent[places[2]..places[3]];
    assert!(log.contains("## Task 1.1: t\n- **Files changed:** f\n") && !log.contains(":** none"), "{log}");
    assert!(sent[places[3]..].contains("src/a.rs +3 -1\n"), "{sent}");
    assert!(sent[places[4]..].contains("tasks.md: 1,234 bytes\n"), "{sent}");
    assert!(sent.contains("| {implement.tasks_done} | 2 |\n"), "{sent}");
}

/// AC-8: what is absent is said, and is no error.
#[test]
fn ac_8_a_feature_without_an_implementation_log_says_so() {
    let mut world = World::new(rules(&[1]), CALM, vec![1]);
    assert!(world.play(500));
    let figures = Figures::from_entries(&world.state, &world.log);
    let sent = bundle(&figures, &world.state, &world.log, &FeatureChange::default(), &[]);
    assert!(sent.contains("## Implementation Log\n\nNo implementation log available\n"), "{sent}");
    assert!(sent.contains("No file was changed.") && sent.contains("No artifact."), "{sent}");
}

/// AC-7, SC-6: the file goes when a feature is finished. What it said is still known, because nothing reads the file.
#[test]
fn ac_7_and_sc_6_the_log_and_the_bundle_come_from_events_alone() {
    let mut world = World::building(Rules { tasks: 1, ..rules(&[1]) }, CALM, vec![1]);
    assert!(world.play(500));
    let log = redraft_reports::projections::implementation_log_of_roles(&world.log).unwrap();
    let again = redraft_core::pipeline::Pipeline::replay(&world.log).unwrap();
    let figures = Figures::from_entries(&again, &world.log);
    assert_eq!(figures, Figures::from_entries(&world.state, &world.log));
    let sent = bundle(&figures, &again, &world.log, &change(), &[]);
    // All of it but what nobody had anything to say about.
    let told: String = log.split_inclusive('\n').filter(|line| !line.ends_with(":** none\n")).collect();
    assert!(told.contains("\n## Task 1.1: t\n") && sent.contains(told.trim_end()), "{sent}");
    let [history, log] = [
        redraft_reports::projections::history(&world.log),
        redraft_reports::projections::implementation_log(&world.log).unwrap(),
    ];
    assert!(history.contains("- Agent: fake\n") && log.contains("- **Agent:** fake\n"), "{history}{log}");
    assert!(!sent.contains("fake"), "what is sent does not depend on who played: {sent}");
}
