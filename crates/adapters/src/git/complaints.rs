//! What git's complaints on stderr mean: a lock that is held, an object that is damaged or missing.

use super::object_id::is_id;

/// The lock file that git says another process holds.
pub(super) fn held_lock(stderr: &str) -> Option<&str> {
    let (_, after) = stderr.split_once("Unable to create '")?;
    let (path, _) = after.split_once("': File exists")?;
    path.ends_with(".lock").then_some(path)
}

/// Words by which git says that something it has stored cannot be read.
const DAMAGED: [&str; 11] = [
    "is corrupt",
    "object corrupt or missing",
    "object file",
    "bad object",
    "could not parse object",
    "could not get object info",
    "missing blob object",
    "missing tree object",
    "reference broken",
    "appears to be broken",
    "index file smaller than expected",
];

/// Whether git says that what it has stored is damaged.
pub(super) fn is_damage(stderr: &str) -> bool {
    let unread = |rest: &str| rest.split([' ', '\n', '(', ')']).any(is_id);
    DAMAGED.iter().any(|words| stderr.contains(words)) || stderr.split("unable to read ").skip(1).any(unread)
}

/// Words by which git says that an object is not here, where it might have been left to a server.
const MISSING: [&str; 8] = [
    "from promisor remote",
    "lazy fetching disabled",
    "fatal: transport '",
    "unable to read",
    "Cannot read blob",
    "Could not read",
    "bad tree object",
    ": bad file",
];

/// Whether git says that an object is missing.
pub(super) fn is_missing(stderr: &str) -> bool {
    is_damage(stderr) || MISSING.iter().any(|words| stderr.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_that_cannot_be_read_is_damage_and_a_file_is_not() {
        let id = "898bd5dbdd6e7ab994fca5d3274db1d140014abe";
        // Some versions of git put the name in brackets.
        for line in [format!("unable to read tree ({id})"), format!("unable to read {id}")] {
            assert!(is_damage(&format!("fatal: {line}\n")), "{line}");
        }
        assert!(!is_damage("fatal: unable to read config file '/x': Permission denied\n"));
    }
}
