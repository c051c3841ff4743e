//! The home of a program that is contained: of the user's own there is only what it needs to log in.
//!
//! What the program keeps, such as its conversations, stays here and lasts. Settings that other programs of the user
//! would obey are not here, so an agent cannot leave any. It can leave anything else, such as links that lead to the
//! user's files: none is followed here. Start at [`Home::make_ready`].

use serde_json::{Map, Value};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A program's folder in the agent's home, and the one in the user's.
#[derive(Debug, Clone)]
pub struct Home {
    /// The user's, such as `~/.claude`.
    pub from: PathBuf,
    pub to: PathBuf,
    /// Files with the login. The program renews it, so the user's own is read and written.
    pub shared: &'static [&'static str],
    /// What is read, and is the user's own.
    pub shown: &'static [&'static str],
}

impl Home {
    /// Makes the folder and the links in it.
    pub fn make_ready(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.to)?;
        refuse_a_link(&self.to)?;
        self.hand_back()?;
        for name in self.shared.iter().chain(self.shown) {
            let (own, link) = (self.from.join(name), self.to.join(name));
            let linked = fs::read_link(&link).ok();
            match (own.exists(), linked) {
                (true, Some(target)) if target == own => {}
                (true, Some(_)) => {
                    fs::remove_file(&link)?;
                    link_to(&own, &link)?;
                }
                (true, None) if link.exists() => {}
                (true, None) => {
                    let above = link.parent().unwrap_or(&self.to);
                    fs::create_dir_all(above)?;
                    refuse_a_link(above)?;
                    link_to(&own, &link)?;
                }
                (false, Some(_)) => fs::remove_file(&link)?,
                (false, None) => {}
            }
        }
        Ok(())
    }

    /// A login that the program has written anew, in place of the link, is the user's, whose old one may no longer be
    /// accepted.
    pub fn hand_back(&self) -> io::Result<()> {
        for name in self.shared {
            let (own, here) = (self.from.join(name), self.to.join(name));
            let Ok(own) = fs::canonicalize(&own) else { continue };
            if !is_file(&here) {
                continue;
            }
            refuse_a_link(&self.to)?;
            // Where no agent can put something else in its place while it is read.
            let apart = self.to.parent().and_then(Path::parent).unwrap_or(&self.to);
            let apart = apart.join(format!("{}.part", uuid::Uuid::new_v4().simple()));
            fs::rename(&here, &apart)?;
            let handed = if is_file(&apart) { write_anew(&own, &fs::read(&apart)?) } else { Ok(()) };
            fs::remove_file(&apart)?;
            handed?;
            link_to(&self.from.join(name), &here)?;
        }
        Ok(())
    }

    /// What of the user's the program may read, and what it may write: where the links lead.
    pub fn read(&self) -> Vec<PathBuf> {
        self.shown.iter().map(|name| self.from.join(name)).filter(|path| path.exists()).collect()
    }

    pub fn write(&self) -> Vec<PathBuf> {
        self.shared.iter().map(|name| self.from.join(name)).filter(|path| path.exists()).collect()
    }

    /// Keeps a copy of one of the user's files as it is now.
    pub fn copy(&self, name: &str) -> io::Result<()> {
        let to = self.to.join(name);
        match fs::read(self.from.join(name)) {
            Ok(bytes) if fs::read(&to).is_ok_and(|there| there == bytes) => Ok(()),
            Ok(bytes) => write_anew(&to, &bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::remove_file(&to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            Err(error) => Err(error),
        }
    }

    /// Keeps some keys of one of the user's files, a JSON object, in the program's own of that name. A file that is no
    /// object has none.
    pub fn copy_keys(&self, from: &Path, name: &str, keys: &[&str]) -> io::Result<()> {
        let to = self.to.join(name);
        let users = object(from).unwrap_or_default();
        let before = if is_file(&to) { object(&to) } else { None };
        let mut now = before.clone().unwrap_or_default();
        for key in keys {
            match users.get(*key) {
                Some(value) => now.insert((*key).to_owned(), value.clone()),
                None => now.remove(*key),
            };
        }
        if before.as_ref() == Some(&now) || (before.is_none() && now.is_empty()) {
            return Ok(());
        }
        write_anew(&to, Value::Object(now).to_string().as_bytes())
    }
}

/// What is written in a folder that became a link would be written where it leads.
fn refuse_a_link(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata()?.is_dir() {
        return Ok(());
    }
    Err(io::Error::other(format!("{} is no folder any more; look at it and remove it", folder.display())))
}

/// Whether it is a file itself, and no link to one.
fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_file())
}

fn object(path: &Path) -> Option<Map<String, Value>> {
    match serde_json::from_slice(&fs::read(path).ok()?) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Another dispatch may have made the same one meanwhile.
fn link_to(own: &Path, link: &Path) -> io::Result<()> {
    match symlink(own, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Whole or not at all, and for nobody else to read.
fn write_anew(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("{}.part", uuid::Uuid::new_v4().simple()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&part)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // Nobody reads it.
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn home(root: &Path) -> Home {
        fs::create_dir_all(root.join("user")).unwrap();
        Home {
            from: root.join("user"),
            to: root.join("agent/program"),
            shared: &["login.json"],
            shown: &["rules", "notes.md"],
        }
    }

    #[test]
    fn a_login_is_shared_both_ways_and_nothing_else_of_the_user_is_there() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        let (own, here) = (home.from.join("login.json"), home.to.join("login.json"));
        home.make_ready().unwrap();
        assert!(home.write().is_empty() && here.symlink_metadata().is_err(), "nobody has logged in");
        fs::write(&own, "old").unwrap();
        fs::write(home.from.join("notes.md"), "").unwrap();
        fs::write(home.from.join("hooks.json"), "").unwrap();
        home.make_ready().unwrap();
        assert_eq!((home.write(), home.read()), (vec![own.clone()], vec![home.from.join("notes.md")]));
        let names: Vec<_> = fs::read_dir(&home.to).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        // Renewed in place, and by another file in its place.
        fs::write(&here, "renewed").unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "renewed");
        fs::remove_file(&here).unwrap();
        fs::write(&here, "replaced").unwrap();
        home.hand_back().unwrap();
        assert_eq!(fs::read_to_string(&own).unwrap(), "replaced");
        assert_eq!(fs::read_link(&here).unwrap(), own);
        // The user has logged out.
        fs::remove_file(&own).unwrap();
        home.make_ready().unwrap();
        assert!(here.symlink_metadata().is_err());
    }

    #[test]
    fn no_link_that_an_agent_left_is_followed() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        fs::write(home.from.join("login.json"), "login").unwrap();
        home.make_ready().unwrap();
        // The account is merged into a file of the agent's, which must not become one of the user's.
        let secret = scratch.path().join("secret.json");
        fs::write(&secret, r#"{"secret":1}"#).unwrap();
        symlink(&secret, home.to.join("state.json")).unwrap();
        let state = scratch.path().join("state.json");
        fs::write(&state, r#"{"key":"k"}"#).unwrap();
        home.copy_keys(&state, "state.json", &["key"]).unwrap();
        assert_eq!(fs::read_to_string(home.to.join("state.json")).unwrap(), r#"{"key":"k"}"#);
        assert_eq!(fs::read_to_string(&secret).unwrap(), r#"{"secret":1}"#);
        // The whole folder leads to the user's own.
        fs::remove_dir_all(&home.to).unwrap();
        symlink(&home.from, &home.to).unwrap();
        assert!(home.make_ready().unwrap_err().to_string().contains("is no folder any more"));
        assert!(home.hand_back().is_err());
        assert_eq!(fs::read_to_string(home.from.join("login.json")).unwrap(), "login");
    }

    #[test]
    fn settings_are_copied_as_they_are_now_and_only_named_keys_of_a_state() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        home.make_ready().unwrap();
        let (own, here) = (home.from.join("config.toml"), home.to.join("config.toml"));
        for text in ["a = 1", "a = 2"] {
            fs::write(&own, text).unwrap();
            home.copy("config.toml").unwrap();
            assert_eq!(fs::read_to_string(&here).unwrap(), text);
        }
        fs::remove_file(&own).unwrap();
        home.copy("config.toml").unwrap();
        assert!(!here.exists());

        let (state, kept) = (scratch.path().join("state.json"), home.to.join("state.json"));
        let keys = ["account", "key"];
        home.copy_keys(&state, "state.json", &keys).unwrap();
        assert!(!kept.exists(), "there is nothing to keep");
        fs::write(&state, json!({"account": {"id": 1}, "servers": {"x": "rm"}}).to_string()).unwrap();
        home.copy_keys(&state, "state.json", &keys).unwrap();
        assert_eq!(object(&kept).map(Value::Object), Some(json!({"account": {"id": 1}})));
        fs::write(&kept, json!({"account": {"id": 1}, "starts": 3}).to_string()).unwrap();
        fs::write(&state, json!({"key": "k"}).to_string()).unwrap();
        home.copy_keys(&state, "state.json", &keys).unwrap();
        assert_eq!(object(&kept).map(Value::Object), Some(json!({"key": "k", "starts": 3})));
    }
}
