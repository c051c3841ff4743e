//! What Claude Code has of the user's home where it is contained: its login, and what its kind of login needs.
//!
//! Settings, hooks, instructions and servers of the user are not there. Redraft has it read none anyway, and an agent
//! that could write them would decide what the user's next conversation runs.

use super::ClaudeSettings;
use crate::programs::Home;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct OwnHome {
    /// Its own folder.
    pub(super) login: Home,
    /// Those of cloud services, which take the place of a login.
    cloud: Home,
    /// The file with the account, beside the user's folder or in it.
    state: PathBuf,
}

const STATE: &str = ".claude.json";

/// What of it belongs to the login. The rest has servers, histories and folders of other projects.
const KEYS: [&str; 5] =
    ["oauthAccount", "primaryApiKey", "customApiKeyResponses", "hasCompletedOnboarding", "userID"];

impl OwnHome {
    /// None where it is not contained, or nobody's home is known.
    pub(super) fn from_settings(settings: &ClaudeSettings) -> Option<OwnHome> {
        let to = settings.containment.home()?;
        let value = |name: &str| {
            settings.environment.0.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(Path::new)
        };
        let user = value("HOME")?;
        let (from, state) = match value("CLAUDE_CONFIG_DIR") {
            Some(folder) => (folder.to_owned(), folder.join(STATE)),
            None => (user.join(".claude"), user.join(STATE)),
        };
        let login = Home { from, to: to.join(".claude"), shared: &[".credentials.json"], shown: &[] };
        let shown: &[&str] = match (value("CLAUDE_CODE_USE_BEDROCK"), value("CLAUDE_CODE_USE_VERTEX")) {
            (Some(_), _) => &[".aws"],
            (None, Some(_)) => &[".config/gcloud"],
            (None, None) => &[],
        };
        let cloud = Home { from: user.to_owned(), to: to.to_owned(), shared: &[], shown };
        Some(OwnHome { login, cloud, state })
    }

    pub(super) fn make_ready(&self) -> io::Result<()> {
        self.cloud.make_ready()?;
        self.login.make_ready()?;
        self.login.copy_keys(&self.state, STATE, &KEYS)
    }

    pub(super) fn read(&self) -> Vec<PathBuf> {
        [self.login.read(), self.cloud.read()].concat()
    }
}
