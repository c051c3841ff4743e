//! What a person changes while tasks are carried out side by side.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_makes_the_queue_forget_what_was_tried_on_the_revision_before(mut world in any_beside()) {
        world.habits.edit = world.habits.edit.max(10);
        world.habits.person = true;
        carry_out(&mut world);
        let states = states(&world);
        let mut candidates: Vec<&Combined> = Vec::new();
        for (before, event, after) in course(&world, &states) {
            match event {
                Event::Combined(fact) => candidates.push(fact),
                Event::LoopOpened(_) => candidates.clear(),
                _ => {}
            }
            let (Event::Edited(_), Some(implementing)) = (event, building(after)) else { continue };
            let landing = &implementing.landing;
            prop_assert_eq!(&queue(before), &queue(after), "who is finished still waits");
            prop_assert!(landing.passed.is_empty());
            for step in candidates.iter().flat_map(|one| &one.steps) {
                prop_assert_eq!(landing.commit_of(&step.revision), None);
            }
            let all: Vec<TaskId> = queue(after).iter().filter_map(task_of).cloned().collect();
            if !all.is_empty() {
                prop_assert_eq!(pending(after), vec![Effect::Combine { tasks: all }], "all are tried again");
            }
            for old in &candidates {
                let old = Event::from((*old).clone());
                prop_assert!(step(after, &old).is_err() || owed(after, &old));
            }
            for task in implementing.tasks.iter().filter(|task| task.end.is_none()) {
                prop_assert_eq!(&task.own, &find(building(before).unwrap(), &task.id).own);
            }
            candidates.clear();
        }
    }
}
