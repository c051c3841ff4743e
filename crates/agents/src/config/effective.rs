//! Lists which settings hold, and which file each comes from. For people; the program itself goes by [`super::Config`].

use super::error::{self, ConfigError};
use super::{UserSettings, read_if_there, template};
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// A setting that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownSetting {
    /// As in `review.policy`.
    pub key: String,
    /// As it would be written in a file.
    pub value: String,
    pub from: From,
}

/// Where a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Default,
    /// The user's own file.
    User,
    /// `redraft.toml`.
    Repository,
}

impl From {
    pub fn name(self) -> &'static str {
        match self {
            From::Default => "default",
            From::User => "user",
            From::Repository => "redraft.toml",
        }
    }
}

/// What only the user's own file can say, as it is without that.
pub(super) const OWN_DEFAULTS: &str = "colour = \"auto\"\n[notify]\nbell = true\nafter_seconds = 10\n";

/// Every setting that has a value, in the order of the files. Both were read as configuration before, so they hold
/// nothing that is unknown. `raised` says that a person has accepted the higher budget of `redraft.toml`.
pub fn settings(
    repository: Option<&Path>,
    own: &UserSettings,
    raised: bool,
) -> Result<Vec<ShownSetting>, ConfigError> {
    let mut all = Listed::default();
    for defaults in [uncommented().as_str(), OWN_DEFAULTS] {
        all.lay(table(defaults.as_bytes(), Path::new(""))?, From::Default);
    }
    let user = match &own.file {
        Some(path) => table(&read_if_there(path)?, path)?,
        None => Table::new(),
    };
    let file = match repository {
        Some(path) => table(&read_if_there(path)?, path)?,
        None => Table::new(),
    };
    let says_who =
        file.get("roles").and_then(Value::as_table).is_some_and(|roles| roles.contains_key("default"));
    let (mine, theirs) = (user.get("budget").and_then(number), file.get("budget").and_then(number));
    let lower = mine.zip(theirs).is_some_and(|(mine, theirs)| mine < theirs);
    for (key, value) in user {
        match (key.as_str(), says_who) {
            // Naming who plays every role means every role.
            ("roles", true) => {}
            _ => all.lay(Table::from_iter([(key, value)]), From::User),
        }
    }
    for (key, value) in file {
        if !(key == "budget" && lower && !raised) {
            // An agent's settings come from one file as a whole.
            if let ("agents", Value::Table(agents)) = (key.as_str(), &value) {
                agents.keys().for_each(|agent| all.forget(&format!("agents.{}.", quoted(agent))));
            }
            all.lay(Table::from_iter([(key, value)]), From::Repository);
        }
    }
    Ok(all.0)
}

#[derive(Default)]
struct Listed(Vec<ShownSetting>);

impl Listed {
    fn lay(&mut self, table: Table, from: From) {
        let mut flat = BTreeMap::new();
        flatten("", &table, &mut flat);
        for (key, value) in flat {
            let setting = ShownSetting { key, value, from };
            match self.0.iter_mut().find(|known| known.key == setting.key) {
                Some(known) => *known = setting,
                None => self.0.push(setting),
            }
        }
    }

    fn forget(&mut self, beginning: &str) {
        self.0.retain(|setting| !setting.key.starts_with(beginning));
    }
}

fn flatten(before: &str, table: &Table, flat: &mut BTreeMap<String, String>) {
    for (name, value) in table {
        let key = if before.is_empty() { quoted(name) } else { format!("{before}.{}", quoted(name)) };
        match value {
            Value::Table(inner) if !inner.is_empty() => flatten(&key, inner, flat),
            value => {
                flat.insert(key, value.to_string());
            }
        }
    }
}

/// A part of a key as it is written.
fn quoted(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let bare = !name.is_empty() && name.bytes().all(plain);
    if bare { name.to_owned() } else { Value::from(name).to_string() }
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

fn table(bytes: &[u8], path: &Path) -> Result<Table, ConfigError> {
    let text = error::text(bytes, path)?;
    text.parse().map_err(|error: toml::de::Error| ConfigError::new(path, error.message()))
}

/// The template with every setting switched on.
pub(super) fn uncommented() -> String {
    let line = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
        Some(_) | None => format!("{line}\n"),
    };
    template().lines().map(line).collect()
}
