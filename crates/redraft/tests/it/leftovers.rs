//! Tests what a killed run leaves behind in Redraft's own folder, and what clears it away.

use crate::world::feature;
use redraft_testkit::Scratch;
use std::fs;
use std::path::PathBuf;

/// Every file below Redraft's scratch folder.
pub(crate) fn scraps(scratch: &Scratch) -> Vec<PathBuf> {
    let Ok(folders) = fs::read_dir(scratch.state().join("tmp")) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in folders {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(fs::read_dir(&path).unwrap().map(|file| file.unwrap().path())),
            false => found.push(path),
        }
    }
    found
}

/// Leaves a file where each feature's run has its own, as a kill at the wrong moment would.
fn plant(scratch: &Scratch) -> usize {
    let folders: Vec<PathBuf> =
        fs::read_dir(scratch.state().join("tmp")).unwrap().map(|folder| folder.unwrap().path()).collect();
    for folder in &folders {
        fs::write(folder.join(".redraft-1-0.tmp"), "half a projection").unwrap();
    }
    folders.len()
}

#[test]
fn the_next_run_of_a_feature_removes_its_scraps_and_leaves_those_of_another() {
    let scratch = feature("export the report as CSV");
    scratch.run(["new", "--until", "specify", "import the report again"]).expect(0);
    for number in ["001", "002"] {
        scratch.run(["run", number]).expect(0);
    }
    assert_eq!(scraps(&scratch), Vec::<PathBuf>::new(), "a run that ended leaves nothing");
    assert_eq!(plant(&scratch), 2);
    scratch.run(["run", "001"]).expect(0);
    let left = scraps(&scratch);
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].display().to_string().contains("002-import"), "{left:?}");
    scratch.run(["run", "002"]).expect(0);
    assert_eq!(scraps(&scratch), Vec::<PathBuf>::new());
}
