//! What this clone remembers of sharing between two commands, in `share.json` of the state folder. All of it but the
//! clone's own id can be found out again.

use crate::errors::{CliError, ErrorCode};
use crate::whole_file;
use redraft_adapters::plain_file;
use redraft_adapters::sqlite::new_feature_uuid;
use redraft_facts::ids::FeatureUuid;
use redraft_sharing::CloneId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

const FILE: &str = "share.json";
const VERSION: u16 = 1;
/// Some thousands of features.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    v: u16,
    /// Under which id this clone publishes.
    clone: CloneId,
    #[serde(default)]
    pub features: BTreeMap<FeatureUuid, SharedNote>,
}

/// What is known of a shared feature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedNote {
    /// What it is called here.
    pub scope: String,
    /// The refs as they were when they were read.
    pub(super) read: String,
    /// The last event here when all was sent.
    pub(super) sent: u64,
    /// Who drives it, or drove it last, and where.
    pub by: String,
    pub place: String,
    pub here: bool,
    pub free: bool,
    /// What waits for the driver.
    pub proposals: Vec<OpenProposal>,
    /// Why it is not followed any further.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Something that was said in a clone that did not drive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenProposal {
    #[serde(default)]
    pub(super) id: String,
    pub by: String,
    pub place: String,
    /// `comment: use Postgres`, `decision: accept`.
    pub what: String,
    /// Whether another one answers the same question differently, so that a person must decide.
    pub disputed: bool,
}

/// Which version of the file is there.
fn version(state: &Path) -> Option<u16> {
    #[derive(Deserialize)]
    struct Versioned {
        v: u16,
    }
    let text = plain_file::read_text(&state.join(FILE), BYTES_MAX).ok()?;
    serde_json::from_str::<Versioned>(&text).ok().map(|found| found.v)
}

impl Notes {
    /// What was noted; nothing where it cannot be read.
    pub fn read(state: &Path) -> Option<Notes> {
        let text = plain_file::read_text(&state.join(FILE), BYTES_MAX).ok()?;
        serde_json::from_str(&text).ok().filter(|notes: &Notes| notes.v == VERSION)
    }

    /// Under which id this clone publishes.
    pub fn id(&self) -> &CloneId {
        &self.clone
    }

    /// The id of this clone, which gets one now if it has none.
    pub(super) fn clone_of(state: &Path) -> Result<CloneId, CliError> {
        if let Some(notes) = Notes::read(state) {
            return Ok(notes.clone);
        }
        if let Some(v) = version(state).filter(|v| *v > VERSION) {
            let path = state.join(FILE);
            let message =
                format!("{} has version {v}, and this redraft reads up to {VERSION}", path.display());
            return Err(CliError::new(ErrorCode::Config, message)
                .hint("a newer redraft has shared features here: use that one; nothing was changed"));
        }
        // Without it, nobody knows under which id was published.
        Notes::begin(state, BTreeMap::new())
    }

    /// Gives the clone a new id: another copy of it has published under the one it had.
    pub(super) fn rename(state: &Path) -> Result<CloneId, CliError> {
        let features = Notes::read(state).map(|notes| notes.features).unwrap_or_default();
        Notes::begin(state, features)
    }

    fn begin(state: &Path, features: BTreeMap<FeatureUuid, SharedNote>) -> Result<CloneId, CliError> {
        let clone = CloneId::new(new_feature_uuid().as_str())
            .ok_or_else(|| CliError::new(ErrorCode::Bug, "a UUID is no id of a clone"))?;
        Notes { v: VERSION, clone: clone.clone(), features }.keep(state)?;
        Ok(clone)
    }

    /// Changes what is noted of a feature.
    pub(super) fn note(
        state: &Path,
        uuid: &FeatureUuid,
        change: impl FnOnce(&mut SharedNote),
    ) -> Result<(), CliError> {
        let Some(mut notes) = Notes::read(state) else { return Ok(()) };
        let note = notes.features.entry(uuid.clone()).or_default();
        let before = note.clone();
        change(note);
        if *note == before { Ok(()) } else { notes.keep(state) }
    }

    fn keep(&self, state: &Path) -> Result<(), CliError> {
        let text =
            serde_json::to_string(self).map_err(|error| CliError::new(ErrorCode::Bug, error.to_string()))?;
        whole_file::keep(&state.join(FILE), &text)
    }
}
