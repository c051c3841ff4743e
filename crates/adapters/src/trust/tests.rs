use super::*;
use std::os::unix::fs::PermissionsExt as _;

/// A home, a repository's git folder in it, and the file of the home.
pub(super) fn home() -> (tempfile::TempDir, PathBuf, Trust) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_owned();
    let git = home.join("shop/.git");
    fs::create_dir_all(&git).unwrap();
    let trust = Trust::from_environment(|name| (name == "HOME").then(|| home.clone().into_os_string()));
    (folder, git, trust)
}

/// The repository whose checkout is around its git folder.
pub(super) fn at(git: &Path) -> RepositoryPlace<'_> {
    RepositoryPlace { git, checkout: git.parent().unwrap() }
}

fn accepted(word: &str) -> Accepted {
    let items = vec![format!("checks.test = \"{word}\"")];
    Accepted { hash: hash(word.as_bytes()), at: "now".to_owned(), by: "me".to_owned(), items }
}

#[test]
fn it_is_kept_where_the_environment_says_and_nowhere_without_a_home() {
    for (state, home, file) in [
        (Some("/x/state"), Some("/home/me"), Some("/x/state/redraft/trust.toml")),
        (Some(""), Some("/home/me"), Some("/home/me/.local/state/redraft/trust.toml")),
        (Some("state"), Some("/home/me"), Some("/home/me/.local/state/redraft/trust.toml")),
        (None, None, None),
    ] {
        let value = |name: &str| match name {
            "XDG_STATE_HOME" => state.map(OsString::from),
            _ => home.map(OsString::from),
        };
        assert_eq!(Trust::from_environment(value).file(), file.map(Path::new), "{state:?} {home:?}");
    }
    let nowhere = Trust::default();
    assert_eq!(nowhere.accepted(at(Path::new("/x/.git"))).unwrap(), []);
    let error = nowhere.accept(at(Path::new("/x/.git")), vec![accepted("a")]).unwrap_err();
    assert!(matches!(error, TrustError::NoFolder) && error.way_out().contains("HOME"), "{error}");
}

#[test]
fn what_was_accepted_is_known_again_and_nothing_else_is() {
    let (_folder, git, trust) = home();
    assert!(!trust.has(at(&git), &hash(b"a")).unwrap());
    trust.accept(at(&git), vec![accepted("a"), accepted("b")]).unwrap();
    trust.accept(at(&git), vec![accepted("b")]).unwrap();
    assert_eq!(trust.accepted(at(&git)).unwrap(), [hash(b"a"), hash(b"b")]);
    assert!(!trust.has(at(&git), &hash(b"c")).unwrap());
    let file = trust.file().unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file), mode(file.parent().unwrap())), (0o600, 0o700));
    // By another name it is the same repository; another one is not.
    let link = git.parent().unwrap().parent().unwrap().join("link");
    std::os::unix::fs::symlink(git.parent().unwrap(), &link).unwrap();
    assert!(trust.has(at(&link.join(".git")), &hash(b"a")).unwrap());
    let other = link.with_file_name("other");
    fs::create_dir(&other).unwrap();
    assert!(!trust.has(at(&other), &hash(b"a")).unwrap());
    assert_eq!(trust.forget(&git).unwrap(), 2);
    assert_eq!((trust.forget(&git).unwrap(), trust.all().unwrap()), (0, Vec::new()));
}

#[test]
fn another_repository_at_the_same_path_is_asked_about_anew() {
    let (_folder, git, trust) = home();
    trust.accept(at(&git), vec![accepted("a")]).unwrap();
    assert!(trust.all().unwrap()[0].is_there());
    fs::rename(&git, git.with_file_name("old")).unwrap();
    fs::create_dir(&git).unwrap();
    assert!(!trust.has(at(&git), &hash(b"a")).unwrap());
    assert!(!trust.all().unwrap()[0].is_there());
    trust.accept(at(&git), vec![accepted("b")]).unwrap();
    assert_eq!(trust.accepted(at(&git)).unwrap(), [hash(b"b")], "the other one is forgotten");
    assert_eq!(trust.all().unwrap().len(), 1);
}

#[test]
fn what_was_accepted_of_one_checkout_does_not_hold_in_another_that_borrows_its_git_folder() {
    let (folder, git, trust) = home();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let borrowed = RepositoryPlace { git: &git, checkout: &other };
    trust.accept(at(&git), vec![accepted("a")]).unwrap();
    assert!(!trust.has(borrowed, &hash(b"a")).unwrap());
    trust.accept(borrowed, vec![accepted("b")]).unwrap();
    assert_eq!(trust.accepted(borrowed).unwrap(), [hash(b"b")]);
    assert_eq!(trust.accepted(at(&git)).unwrap(), [hash(b"a")], "both are kept");
    assert_eq!(trust.forget(&git).unwrap(), 2);
}

#[test]
fn what_is_accepted_holds_for_the_checkout_around_the_git_folder_and_accepts_no_state() {
    let (folder, git, trust) = home();
    trust.accept(at(&git), vec![accepted("a")]).unwrap();
    assert!(trust.has(at(&git), &hash(b"a")).unwrap());
    assert!(!trust.has(RepositoryPlace { git: &git, checkout: folder.path() }, &hash(b"a")).unwrap());
    assert!(!trust.all().unwrap()[0].has_state());
    trust.accept(at(&git), vec![accepted("b")]).unwrap();
    assert_eq!(trust.accepted(at(&git)).unwrap(), [hash(b"a"), hash(b"b")]);
}

#[test]
fn only_the_latest_acceptances_are_kept() {
    let (_folder, git, trust) = home();
    let words: Vec<String> = (0..=ACCEPTED_MAX).map(|n| n.to_string()).collect();
    trust.accept(at(&git), words.iter().map(|word| accepted(word)).collect()).unwrap();
    let kept = trust.accepted(at(&git)).unwrap();
    assert_eq!((kept.len(), kept.first()), (ACCEPTED_MAX, Some(&hash(b"1"))));
}

#[test]
fn what_is_kept_is_read_and_written_again_byte_for_byte() {
    // Never change this: it is the user's own file, and outlives every program.
    let text = r#"version = 1

[[repositories]]
git = "/home/me/shop/.git"
identity = "17-1794912870873000000"
accepted = []

[[repositories]]
git = "/home/me/store.git"
checkout = "/home/me/store"
identity = "18-1794912870873000000"
seal = "0123456789abcdef0123456789abcdef"
paid = ["001 claude"]

[[repositories.accepted]]
hash = "aa"
at = "2027-01-02 03:04 UTC"
by = "me"
items = ['checks.test = "make"']
"#;
    let stored: Stored = toml::from_str(text).unwrap();
    assert_eq!(stored.version, VERSION);
    assert_eq!(toml::to_string(&stored).unwrap(), text);
}

#[test]
fn a_file_that_cannot_be_relied_on_accepts_nothing_and_says_why() {
    let (_folder, git, trust) = home();
    trust.accept(at(&git), vec![accepted("a")]).unwrap();
    let file = trust.file().unwrap().to_owned();
    let whole = fs::read_to_string(&file).unwrap();
    for (text, mode, said) in [
        (whole.clone(), 0o620, "can be written by others"),
        (whole.clone(), 0o602, "can be written by others"),
        (
            whole.replace("version = 1", "version = 2\nmore = 1"),
            0o600,
            "written by a newer redraft (version 2)",
        ),
        (whole.replace("version = 1", "version = 1\nmore = 1"), 0o600, "unknown field"),
        (whole.replace("version = 1", ""), 0o600, "missing field"),
        ("nonsense".to_owned(), 0o600, "trust.toml: "),
    ] {
        fs::write(&file, &text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        let error = trust.has(at(&git), &hash(b"a")).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert!(!error.way_out().is_empty());
        assert!(trust.accept(at(&git), vec![accepted("b")]).is_err(), "it is not written over: {said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn nothing_that_hides_or_moves_text_is_shown_as_it_is() {
    for (text, shown) in [
        ("cargo test", "\"cargo test\""),
        ("evil #\u{1b}[2K\rchecks.tests: cargo test", "\"evil #\\u{1b}[2K\\rchecks.tests: cargo test\""),
        ("a\nb\tc\\n", "\"a\\nb\\tc\\\\n\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\""),
        ("\u{202e}tset\u{2066}", "\"\\u{202e}tset\\u{2066}\""),
        ("a\u{200b}b\u{a0}c\u{9b}d\u{2028}", "\"a\\u{200b}b\\u{a0}c\\u{9b}d\\u{2028}\""),
        ("größer 漢字", "\"größer 漢字\""),
    ] {
        assert_eq!(quoted(text), shown);
        assert_eq!(quoted_bytes(text.as_bytes()), shown);
    }
    assert_eq!(quoted_bytes(b"f\xff\xfe\\xff\n"), r#""f\xff\xfe\\xff\n""#, "bytes that are no text");
    // For every character: one line, nothing that a terminal obeys, and never the same as another.
    let mut seen = std::collections::BTreeSet::new();
    for letter in (0..=0x10ffff).filter_map(char::from_u32) {
        let shown = visible(&letter.to_string());
        assert!(
            !shown.chars().any(|one| one.is_control() || (one.is_whitespace() && one != ' ')),
            "{shown:?}"
        );
        assert!(seen.insert(shown), "{letter:?}");
    }
}
