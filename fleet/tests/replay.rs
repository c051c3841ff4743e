//! Histories that a trial with kills has recorded, replayed: the workflows of today still take every step that they took
//! then. After a change that is meant to differ, use `patched`, or record them anew: `fleet/trial --histories`.

use redraft_fleet::feature::Feature;
use redraft_fleet::office::Office;
use temporalio_client::WorkflowHistory;
use temporalio_sdk::workflow_replayer::{WorkflowReplayer, WorkflowReplayerOptions};

#[tokio::test(flavor = "multi_thread")]
async fn recorded_histories_are_replayed() {
    let options = WorkflowReplayerOptions::new()
        .register_workflow::<Feature>()
        .and_then(|options| options.register_workflow::<Office>())
        .expect("both can be registered")
        .build();
    let replayer = WorkflowReplayer::new(options).expect("a replayer needs no server");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/histories");
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("the histories are there") {
        let path = entry.expect("the folder can be read").path();
        let text = std::fs::read(&path).expect("the file can be read");
        let history = WorkflowHistory::from_json(&text).expect("it is a history");
        let result = replayer.replay_workflow(history).await;
        assert!(result.is_ok(), "{}: {result:?}", path.display());
        replayed += 1;
    }
    assert!(replayed >= 3, "{replayed} histories");
}
