//! Lists of tasks: nothing panics, every task stands within the text, and its parts do as well.
#![no_main]

use libfuzzer_sys::fuzz_target;
use redraft_documents::context::{self, Artifacts};
use redraft_documents::tasks;

fuzz_target!(|text: &str| {
    let Ok(list) = tasks::read(text) else { return };
    let lines = u32::try_from(text.lines().count()).unwrap();
    let mut before = 0;
    for task in &list.tasks {
        assert!(task.line > before && task.line <= task.end_line && task.end_line <= lines);
        assert!(!task.id.is_empty());
        before = task.line;
    }
    // The same text as every document: whatever it refers to may be in it.
    let artifacts = Artifacts { prd: Some(text), spec: Some(text), design: Some(text), plan: Some(text) };
    if let Some(task) = list.tasks.first() {
        let selected = context::select(task, &artifacts);
        for artifact in &selected.artifacts {
            assert!(artifact.sections.iter().all(|part| part.line <= part.end_line && part.end_line <= lines));
        }
    }
});
