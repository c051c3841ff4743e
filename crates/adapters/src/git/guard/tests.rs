use super::super::tests::repositories::{TestRepository, get, put};
use super::*;
use redraft_engine::ports::Workspace as _;

const NAME: &str = "031/implement.1/task-1/implement/implementer/1.1";

/// Everything of git's own that decides what git does here.
fn setup(bed: &TestRepository) -> BTreeMap<PathBuf, SetupEntry> {
    look(&bed.feature_again()).unwrap()
}

/// What an agent does, what is reported about it, and whether its whole attempt is undone.
#[test]
fn what_decides_about_git_is_put_back_kept_and_told_with_the_way_back() {
    let cases: [(&[&str], &str, bool); 12] = [
        (&["config", "core.hooksPath", ".evil"], "put back .git/config, which was changed meanwhile", false),
        (&["config", "alias.st", "!evil"], "put back .git/config, which was changed meanwhile", false),
        (&["config", "filter.x.clean", "evil"], "put back .git/config, which was changed meanwhile", true),
        (&["config", "core.trustctime", "false"], "put back .git/config, which was changed meanwhile", true),
        (&["config", "core.sshCommand", "evil"], "put back .git/config, which was changed meanwhile", false),
        (&["config", "include.path", "/evil"], "put back .git/config, which was changed meanwhile", true),
        (
            &["config", "branch.x.remote", "ext::evil"],
            "put back .git/config, which was changed meanwhile",
            false,
        ),
        (&["config", "--unset", "user.nickname"], "put back .git/config, which was changed meanwhile", false),
        (
            &["write", ".git/hooks/pre-push", "evil"],
            "removed .git/hooks/pre-push, which was made meanwhile",
            false,
        ),
        (
            &["write", ".git/hooks/pre-commit", "evil"],
            "put back .git/hooks/pre-commit, which was changed meanwhile",
            false,
        ),
        (
            &["write", ".git/info/attributes", "* filter=x"],
            "removed .git/info/attributes, which was made meanwhile",
            true,
        ),
        (
            &["remove", ".git/hooks/pre-commit"],
            "put back .git/hooks/pre-commit, which was removed meanwhile",
            false,
        ),
    ];
    for (act, told, blinds) in cases {
        let bed = TestRepository::new();
        bed.write(".git/hooks/pre-commit", "theirs");
        bed.raw(&bed.root, &["config", "user.nickname", "ada"]);
        let place = bed.feature();
        let before = setup(&bed);
        place.mark(&[]).unwrap();
        match act {
            ["write", path, text] => bed.write(path, text),
            ["remove", path] => fs::remove_file(bed.root.join(path)).unwrap(),
            words => drop(bed.raw(place.root(), words)),
        }
        let changed = setup(&bed);
        assert_ne!(changed, before, "{act:?}");
        let done = put_back(&place, NAME).unwrap();
        assert_eq!(done.lines.len(), 1, "{act:?}: {:?}", done.lines);
        let (what, command) = done.lines[0].split_once("; to get it back: ").unwrap();
        assert_eq!((what, done.blinds), (told, blinds), "{act:?}");
        assert_eq!(setup(&bed), before, "{act:?}");
        assert_eq!(put_back(&place, NAME).unwrap(), PutBack::default(), "told once");
        let words: Vec<&str> = command.split(' ').collect();
        match words.as_slice() {
            ["cp", from, to] => drop(fs::copy(from, to).unwrap()),
            ["rm", path] => fs::remove_file(path).unwrap(),
            other => panic!("{other:?}"),
        }
        assert_eq!(
            setup(&bed).keys().collect::<Vec<_>>(),
            changed.keys().collect::<Vec<_>>(),
            "{act:?}: {command}"
        );
    }
}

#[test]
fn which_branch_follows_which_is_nobodys_concern() {
    let bed = TestRepository::new();
    let place = bed.feature();
    place.mark(&[]).unwrap();
    for (key, value) in [("remote", "origin"), ("merge", "refs/heads/topic"), ("description", "mine")] {
        bed.raw(&bed.root, &["config", &format!("branch.a.b.{key}"), value]);
    }
    assert_eq!(put_back(&place, NAME).unwrap(), PutBack::default());
    assert_eq!(bed.raw(&bed.root, &["config", "branch.a.b.remote"]), "origin");
}

#[cfg(unix)]
#[test]
fn whatever_stands_in_the_place_of_a_file_of_gits_own_goes_and_nothing_behind_a_link_is_touched() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let outside = bed.root.join("../outside");
    fs::write(&outside, "theirs").unwrap();
    place.mark(&[]).unwrap();
    let (config, hooks) = (bed.root.join(".git/config"), bed.root.join(".git/hooks"));
    let text = fs::read_to_string(&config).unwrap();
    fs::remove_file(&config).unwrap();
    std::os::unix::fs::symlink(&outside, &config).unwrap();
    let samples = fs::read_dir(&hooks).unwrap().count();
    fs::remove_dir_all(&hooks).unwrap();
    fs::write(&hooks, "a file").unwrap();
    let lines = place.put_git_back(NAME).unwrap();
    assert!(lines.iter().any(|line| line.starts_with("put back .git/config")), "{lines:?}");
    assert_eq!(fs::read_to_string(&config).unwrap(), text);
    assert!(!config.is_symlink());
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
    assert_eq!(fs::read_dir(&hooks).unwrap().count(), samples);
}

#[test]
fn what_was_kept_before_is_kept_beside_it() {
    let bed = TestRepository::new();
    let place = bed.feature();
    for text in ["first", "second"] {
        place.mark(&[]).unwrap();
        bed.write(".git/hooks/pre-push", text);
        assert_eq!(place.put_git_back(NAME).unwrap().len(), 1);
    }
    let kept = lost_folder(&place, NAME).join("hooks");
    assert_eq!(get(&kept, "pre-push").as_deref(), Some("first"));
    assert_eq!(get(&kept, "pre-push.2").as_deref(), Some("second"));
}

#[test]
fn a_file_that_is_too_large_to_be_remembered_is_moved_away_when_it_changes_and_never_lost() {
    let large = |letter: &str, more: u64| letter.repeat(usize::try_from(BYTES_MAX + more).unwrap());
    let hook = ".git/hooks/pre-push";
    for (before, after, told) in [
        ("theirs".to_owned(), Some(large("b", 1)), "put back .git/hooks/pre-push, which was changed"),
        (large("a", 1), Some("evil".to_owned()), "removed .git/hooks/pre-push, which was changed"),
        (large("a", 1), Some(large("b", 2)), "removed .git/hooks/pre-push, which was changed"),
        (large("a", 1), None, ".git/hooks/pre-push was removed meanwhile; it was too large to be kept"),
    ] {
        let bed = TestRepository::new();
        bed.write(hook, &before);
        let place = bed.feature();
        place.mark(&[]).unwrap();
        match &after {
            Some(text) => bed.write(hook, text),
            None => fs::remove_file(bed.root.join(hook)).unwrap(),
        }
        let lines = place.put_git_back(NAME).unwrap();
        assert!(matches!(lines.as_slice(), [line] if line.starts_with(told)), "{lines:?}");
        let kept = lost_folder(&place, NAME).join("hooks");
        assert!(get(&kept, "pre-push") == after, "what the agent left is kept");
        let now = get(&bed.root, hook);
        assert!(now == (before == "theirs").then_some(before), "and does not stay");
    }
}

#[test]
fn an_attempt_that_kept_git_from_seeing_its_changes_is_undone_whole() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let mark = place.mark(&[]).unwrap();
    // The changed file looks to git as if it were as before.
    bed.raw(place.root(), &["config", "filter.same.clean", "printf 'fn x() {}\\n'"]);
    bed.write(".git/info/attributes", "src/x.rs filter=same\n");
    put(place.root(), "src/x.rs", "fn x() { evil }\n");
    put(place.root(), "src/y.rs", "honest\n");
    let lines = place.restore(&mark, &[".".to_owned()], NAME).unwrap();
    assert!(
        lines.contains(
            &"undid all of the attempt, because git could not see its changes as they are".to_owned()
        ),
        "{lines:?}"
    );
    assert_eq!(get(place.root(), "src/x.rs").as_deref(), Some("fn x() {}\n"));
    assert_eq!(get(place.root(), "src/y.rs"), None);
    let lost = format!("{}:src/x.rs", super::super::lost::lost_ref(NAME));
    assert_eq!(bed.raw(&bed.root, &["show", &lost]), "fn x() { evil }");
}
