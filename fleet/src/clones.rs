//! The clones in which a worker drives features: which repository each is of, and what a feature is called there.

use crate::program::Programs;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// A clone of a repository whose features are shared.
#[derive(Clone, Debug)]
pub struct Clone {
    pub folder: PathBuf,
    /// The address of the remote through which it shares, without a password.
    pub repository: String,
    /// Where Redraft keeps what belongs to this clone.
    state: PathBuf,
}

/// A feature as a clone knows it.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The id under which it is shared.
    pub feature: String,
    /// What it is called in this clone, as `003` or `003b`.
    pub number: String,
    /// The row of `redraft status --json`.
    pub row: Value,
}

impl Clone {
    pub async fn open(folder: &Path) -> Result<Self, String> {
        let shown = folder.display();
        let folder = folder.canonicalize().map_err(|error| format!("{shown}: {error}"))?;
        let common = git(&folder, &["rev-parse", "--path-format=absolute", "--git-common-dir"])
            .await
            .map_err(|_| format!("{shown} is not a git repository"))?;
        let remote =
            std::fs::read_to_string(folder.join("redraft.toml")).ok().and_then(|text| remote_in(&text));
        let remote = remote.ok_or_else(|| {
            format!(
                "{shown} shares nothing: in it, `redraft share --remote origin` says what would be shared"
            )
        })?;
        let address = git(&folder, &["remote", "get-url", &remote])
            .await
            .map_err(|_| format!("{shown} has no remote {remote}, which its redraft.toml names"))?;
        Ok(Self { folder, repository: without_user(&address), state: PathBuf::from(common).join("redraft") })
    }

    /// Whether somebody on this machine accepted what its settings want.
    pub async fn is_accepted(&self, programs: &Programs) -> Result<bool, String> {
        match programs.ask(&self.folder, &["trust", "--json"], None).await? {
            (0, _) => Ok(true),
            (6, _) => Ok(false),
            (_, said) => Err(error_of(&said)),
        }
    }

    /// What a feature is called here.
    pub fn number_of(&self, feature: &str) -> Option<String> {
        self.numbers().remove(feature)
    }

    fn numbers(&self) -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(self.state.join("share.json")).unwrap_or_default();
        let notes: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        let features = notes["features"].as_object().into_iter().flatten();
        let named = |(feature, note): (&String, &Value)| {
            let number = note["scope"].as_str()?;
            // Reviews are shared too; they have no number.
            number
                .starts_with(|first: char| first.is_ascii_digit())
                .then(|| (feature.clone(), number.to_owned()))
        };
        features.filter_map(named).collect()
    }

    /// All shared features, after fetching.
    pub async fn features(&self, programs: &Programs) -> Result<Vec<Known>, String> {
        self.sync(programs).await?;
        let (code, said) = programs.ask(&self.folder, &["status", "--json"], None).await?;
        if code != 0 {
            return Err(format!("{}: {}", self.folder.display(), error_of(&said)));
        }
        let rows = said["features"].as_array().cloned().unwrap_or_default();
        let row = |number: &str| rows.iter().find(|row| row["id"] == number).cloned();
        let known =
            |(feature, number): (String, String)| row(&number).map(|row| Known { feature, number, row });
        Ok(self.numbers().into_iter().filter_map(known).collect())
    }

    pub async fn sync(&self, programs: &Programs) -> Result<(), String> {
        match programs.ask(&self.folder, &["sync", "--json"], None).await? {
            // With 1, something of others was refused, and the rest is here.
            (0 | 1, _) => Ok(()),
            (_, said) => Err(error_of(&said)),
        }
    }

    /// What a feature has cost, with what is reserved for work that was cut off.
    pub async fn total_micro_usd(&self, programs: &Programs, number: &str) -> Option<u64> {
        let (code, said) = programs.ask(&self.folder, &["cost", number, "--json"], None).await.ok()?;
        if code == 0 { said["sum"]["counted_micro_usd"].as_u64() } else { None }
    }

    /// Whether another clone drives it and has not given it up.
    pub async fn is_elsewhere(&self, programs: &Programs, number: &str) -> bool {
        let Ok((0, said)) = programs.ask(&self.folder, &["status", "--json"], None).await else {
            return false;
        };
        let shared = said["shared"].as_array().into_iter().flatten().find(|note| note["scope"] == number);
        shared.is_some_and(|note| note["here"] == false && note["free"] == false)
    }
}

/// What an object of `redraft` says went wrong.
pub fn error_of(said: &Value) -> String {
    said["error"].as_str().unwrap_or("redraft said nothing").to_owned()
}

pub fn hints_of(said: &Value) -> Vec<String> {
    said["hints"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|hint| hint.as_str().map(str::to_owned))
        .collect()
}

/// The remote of `[share]`. The settings have been read and accepted by `redraft`; here only this one line is needed.
fn remote_in(text: &str) -> Option<String> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != "[share]").skip(1);
    let line =
        lines.by_ref().take_while(|line| !line.starts_with('[')).find(|line| line.starts_with("remote"))?;
    let value = line.split_once('=')?.1.trim().strip_prefix('"')?;
    value.split_once('"').map(|(name, _)| name.to_owned()).filter(|name| !name.is_empty())
}

/// A password in an address belongs to one clone and into no history.
fn without_user(address: &str) -> String {
    match address.split_once("://") {
        Some((scheme, rest)) if scheme.starts_with("http") => {
            let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
            let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
            format!("{scheme}://{place}/{path}")
        }
        _ => address.to_owned(),
    }
}

async fn git(folder: &Path, args: &[&str]) -> Result<String, String> {
    let output = Command::new("git").arg("-C").arg(folder).args(args).output().await;
    let output = output.map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remote_is_the_one_of_the_table_share() {
        let text =
            "[agents.x]\nremote = \"no\"\n\n[share]\n# remote = \"no\"\nremote = \"hub\" # yes\n[ask]\n";
        assert_eq!(remote_in(text).as_deref(), Some("hub"));
        assert_eq!(remote_in("[share]\nremote = \"\"\n"), None);
        assert_eq!(remote_in("[share]\n[ask]\nremote = \"no\"\n"), None);
    }

    #[test]
    fn an_address_loses_its_password_and_nothing_else() {
        for (address, kept) in [
            ("https://ann:secret@example.com/a/b.git", "https://example.com/a/b.git"),
            ("https://example.com/a@b.git", "https://example.com/a@b.git"),
            ("git@example.com:a/b.git", "git@example.com:a/b.git"),
            ("ssh://git@example.com/a.git", "ssh://git@example.com/a.git"),
            ("/srv/git/a.git", "/srv/git/a.git"),
        ] {
            assert_eq!(without_user(address), kept);
        }
    }
}
