//! Through which remote features are shared: `[share]` of `redraft.toml`.

use super::error::ConfigError;
use super::file::ShareFile;
use super::source::Source;
use super::{Config, Needed, ShareConfig};

impl Config {
    /// How features are shared, once a person has accepted that here.
    pub fn accepted_share(&self) -> Option<&ShareConfig> {
        let accepted = self.unaccepted(|needed| *needed == Needed::BySharing).is_empty();
        (accepted && self.share.remote.is_some()).then_some(&self.share)
    }
}

impl Source<'_> {
    pub(super) fn share(&self, file: &ShareFile) -> Result<ShareConfig, ConfigError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        let remote = match &file.remote {
            Some(name) if name.get_ref().is_empty() => None,
            Some(name) => {
                let word = name.get_ref();
                if !word.bytes().all(plain) || word.starts_with(['-', '.', '/']) || word.contains("..") {
                    let detail = format!("`{word}` is not the name of a remote; git remote lists them");
                    return Err(self.wrong(&name.span(), detail));
                }
                Some(word.clone())
            }
            None => None,
        };
        let transcripts = file.transcripts.as_ref().is_some_and(|said| *said.get_ref());
        Ok(ShareConfig { remote, transcripts })
    }
}
