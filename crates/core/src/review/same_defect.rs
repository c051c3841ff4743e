//! Findings of several reviewers about one defect: a person's ruling on one of them applies to all of them; otherwise the
//! rest would send the author back for something already decided.

use super::state::Loop;
use redraft_documents::reconcile::defects;
use redraft_facts::findings::{Finding, Status};
use redraft_facts::ids::FindingId;
use redraft_facts::prelude::*;

/// The other open findings about the defect of this one.
pub(super) fn joined(state: &Loop, id: &FindingId) -> Vec<FindingId> {
    let mut all = with_joined(state, vec![id.clone()]);
    all.retain(|other| other != id);
    all
}

/// These findings with all open ones that are about a defect of theirs, in the order of the list.
pub(super) fn with_joined(state: &Loop, ids: Vec<FindingId>) -> Vec<FindingId> {
    let groups = defects(state.findings.iter().filter(|finding| finding.status == Status::Open));
    let meant = groups.iter().filter(|group| group.all().any(|finding| ids.contains(&finding.id)));
    let all: BTreeSet<&FindingId> = meant.flat_map(|group| group.all().map(|finding| &finding.id)).collect();
    let named = |finding: &&Finding| ids.contains(&finding.id) || all.contains(&finding.id);
    state.findings.iter().filter(named).map(|finding| finding.id.clone()).collect()
}

/// That an answer about one finding is about these, too.
pub(super) fn decided_with_it(same: &[FindingId]) -> String {
    let names: Vec<&str> = same.iter().map(FindingId::as_str).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; {one} is about the same defect and is decided with it"),
        names => format!("; {} are about the same defect and are decided with it", names.join(", ")),
    }
}
