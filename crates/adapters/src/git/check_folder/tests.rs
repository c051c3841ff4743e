use super::super::tests::repositories::{TestRepository, get, put};
use super::*;
use std::collections::BTreeMap;

/// A check folder of a repository.
fn folder<'a>(repository: &'a Repository, copy: &[&str]) -> GitCheckFolder<'a> {
    let copy = copy.iter().map(|name| (*name).to_owned()).collect();
    GitCheckFolder::new(repository, "031-limits", Some("setup".to_owned()), copy)
}

fn commit(bed: &TestRepository) -> String {
    bed.raw(&bed.root, &["add", "--all", "."]);
    bed.raw(&bed.root, &["commit", "-q", "--allow-empty", "-m", "more"]);
    bed.raw(&bed.root, &["rev-parse", "HEAD"])
}

/// Every file of a folder except git's own; links and special files by what they are.
fn files(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let name = path.strip_prefix(root).unwrap().display().to_string();
            match () {
                () if name == ".git" => {}
                () if kind.is_dir() => left.push(path),
                () if kind.is_file() => drop(found.insert(name, fs::read_to_string(path).unwrap())),
                () => drop(found.insert(name, format!("{kind:?}"))),
            }
        }
    }
    found
}

/// The same for a commit.
fn tracked(bed: &TestRepository, commit: &str) -> BTreeMap<String, String> {
    let names = bed.raw(&bed.root, &["ls-tree", "-r", "--name-only", commit]);
    let text = |name: &str| bed.raw(&bed.root, &["show", &format!("{commit}:{name}")]) + "\n";
    names.lines().map(|name| (name.to_owned(), text(name))).collect()
}

#[cfg(unix)]
#[test]
fn whatever_was_done_to_the_folder_the_next_check_finds_the_commit() {
    use std::os::unix::fs::symlink;
    type Act = fn(&TestRepository, &Path);
    let acts: [(&str, Act); 11] = [
        ("nothing", |_, _| {}),
        ("a changed file", |_, root| put(root, "src/x.rs", "evil\n")),
        ("skip-worktree", |bed, root| {
            bed.raw(root, &["update-index", "--skip-worktree", "src/x.rs"]);
            put(root, "src/x.rs", "evil\n");
        }),
        ("assume-unchanged", |bed, root| {
            bed.raw(root, &["update-index", "--assume-unchanged", "src/x.rs"]);
            put(root, "src/x.rs", "evil\n");
        }),
        ("same size and time", |bed, root| {
            let path = root.join("src/x.rs");
            let then = fs::metadata(&path).unwrap().modified().unwrap();
            put(root, "src/x.rs", "fn y() {}\n");
            fs::File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
            // As if git had looked at it again and believed its time.
            bed.try_raw(root, &["-c", "core.trustctime=false", "update-index", "--refresh"]);
        }),
        ("a new file", |_, root| put(root, "src/new.rs", "evil\n")),
        ("a repository", |bed, root| {
            bed.raw(root, &["init", "-q", "lib"]);
            put(root, "lib/x.rs", "evil\n");
        }),
        ("a folder that became a link", |bed, root| {
            fs::remove_dir_all(root.join("src")).unwrap();
            put(&bed.root, "../outside/x.rs", "fn x() {}\n");
            symlink(bed.root.join("../outside"), root.join("src")).unwrap();
        }),
        ("a file that became a folder", |_, root| {
            fs::remove_file(root.join("src/x.rs")).unwrap();
            put(root, "src/x.rs/evil", "evil\n");
        }),
        ("another commit", |bed, root| {
            put(root, "src/x.rs", "evil\n");
            bed.raw(root, &["-c", "user.name=x", "commit", "-q", "-a", "-m", "evil"]);
        }),
        ("no repository", |_, root| {
            fs::remove_file(root.join(".git")).unwrap();
            fs::create_dir(root.join(".git")).unwrap();
        }),
    ];
    for (what, act) in acts {
        let bed = TestRepository::new();
        let repository = bed.repository();
        let place = folder(&repository, &[]);
        let first = commit(&bed);
        let checked_out = place.check_out(&first, true).unwrap();
        assert!(checked_out.emptied && checked_out.set_up == SetUp::Not, "{what}");
        assert_eq!(place.set_up().unwrap(), [""; 0], "{what}");
        put(&checked_out.folder, "build/cache.o", "kept\n");
        act(&bed, &checked_out.folder);
        bed.write("src/z.rs", "more\n");
        let second = commit(&bed);
        let checked_out = place.check_out(&second, false).unwrap();
        assert_eq!((checked_out.emptied, checked_out.set_up), (false, SetUp::ForAnother), "{what}");
        let mut expected = tracked(&bed, &second);
        expected.insert("build/cache.o".to_owned(), "kept\n".to_owned());
        assert_eq!(files(&checked_out.folder), expected, "{what}");
        assert_eq!(bed.raw(&checked_out.folder, &["status", "--porcelain"]), "", "{what}");
        assert_eq!(bed.raw(&checked_out.folder, &["rev-parse", "HEAD"]), second, "{what}");
        let checked_out = place.check_out(&second, true).unwrap();
        assert_eq!((checked_out.emptied, checked_out.set_up), (true, SetUp::Not), "{what}");
        assert_eq!(files(&checked_out.folder), tracked(&bed, &second), "{what}: alone");
        assert_eq!(
            bed.raw(&bed.root, &["worktree", "list"]).lines().count(),
            1,
            "{what}: git lists what is a person's"
        );
        if what.contains("link") {
            assert_eq!(
                get(&bed.root, "../outside/x.rs").as_deref(),
                Some("fn x() {}\n"),
                "nothing behind it is touched"
            );
        }
        place.put_away().unwrap();
        assert!(!checked_out.folder.exists(), "{what}");
        assert_eq!(bed.raw(&bed.root, &["fsck", "--no-dangling"]), "", "{what}");
    }
}

#[test]
fn files_that_stay_the_same_keep_their_times_and_builds_their_caches() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let place = folder(&repository, &[]);
    let checked_out = place.check_out(&commit(&bed), true).unwrap();
    place.set_up().unwrap();
    let time = |name: &str| fs::metadata(checked_out.folder.join(name)).unwrap().modified().unwrap();
    let before = time("README.md");
    bed.write("src/x.rs", "fn x() { more }\n");
    place.check_out(&commit(&bed), false).unwrap();
    assert_eq!(time("README.md"), before);
    assert_eq!(get(&checked_out.folder, "src/x.rs").as_deref(), Some("fn x() { more }\n"));
}

#[test]
fn what_the_commit_had_and_ignores_now_is_gone() {
    let bed = TestRepository::new();
    bed.write("gen/a.rs", "tracked\n");
    let repository = bed.repository();
    let place = folder(&repository, &[]);
    let checked_out = place.check_out(&commit(&bed), true).unwrap();
    place.set_up().unwrap();
    bed.raw(&bed.root, &["rm", "-q", "-r", "gen"]);
    bed.write(".gitignore", "*.log\nbuild/\ngen/\n");
    let now = commit(&bed);
    place.check_out(&now, false).unwrap();
    assert_eq!(files(&checked_out.folder), tracked(&bed, &now));
}

#[test]
fn what_setup_changes_is_told_and_put_back_and_what_it_makes_stays() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let place = folder(&repository, &[]);
    let first = commit(&bed);
    let checked_out = place.check_out(&first, true).unwrap();
    put(&checked_out.folder, "README.md", "by setup\n");
    put(&checked_out.folder, "vendor/a.rs", "made\n");
    bed.raw(&checked_out.folder, &["update-index", "--skip-worktree", "src/x.rs"]);
    put(&checked_out.folder, "src/x.rs", "hidden\n");
    assert_eq!(place.set_up().unwrap(), ["README.md", "src/x.rs"]);
    assert_eq!(place.changed().unwrap(), [""; 0]);
    put(&checked_out.folder, "src/y.rs", "by a check\n");
    put(&checked_out.folder, "README.md", "by a check\n");
    assert_eq!(place.changed().unwrap(), ["README.md", "src/y.rs"]);
    let checked_out = place.check_out(&first, false).unwrap();
    assert_eq!(checked_out.set_up, SetUp::ForThis);
    let mut expected = tracked(&bed, &first);
    expected.insert("vendor/a.rs".to_owned(), "made\n".to_owned());
    assert_eq!(files(&checked_out.folder), expected);
}

#[cfg(unix)]
#[test]
fn files_are_copied_as_they_are_now_and_never_through_a_link_that_leads_out() {
    let bed = TestRepository::new();
    bed.write(".gitignore", ".env\nlink\nsub/\n");
    bed.write(".env", "A=1\n");
    put(&bed.root, "../secret", "theirs\n");
    std::os::unix::fs::symlink("../secret", bed.root.join("link")).unwrap();
    let repository = bed.repository();
    let place = folder(&repository, &[".env", "link", "gone", "../secret"]);
    let now = commit(&bed);
    let checked_out = place.check_out(&now, true).unwrap();
    let told: Vec<String> = ["link", "gone", "../secret"]
        .map(|name| {
            format!("[workspace] copy: {name} is not a file in the main checkout, so it is not copied")
        })
        .to_vec();
    assert_eq!(checked_out.notes, told);
    assert_eq!(get(&checked_out.folder, ".env").as_deref(), Some("A=1\n"));
    assert!(!checked_out.folder.join("link").exists());
    let before = place.prepared().unwrap();
    place.set_up().unwrap();
    put(&checked_out.folder, ".env", "A=evil\n");
    place.check_out(&now, false).unwrap();
    assert_eq!(get(&checked_out.folder, ".env").as_deref(), Some("A=1\n"));
    // Another file prepares another checkout, which begins from nothing.
    bed.write(".env", "A=2\n");
    assert_ne!(place.prepared().unwrap(), before);
    let checked_out = place.check_out(&now, false).unwrap();
    assert_eq!((checked_out.emptied, checked_out.set_up), (true, SetUp::Not));
    assert_eq!(get(&checked_out.folder, ".env").as_deref(), Some("A=2\n"));
}

#[cfg(unix)]
#[test]
fn a_folder_that_nobody_may_write_to_goes_all_the_same_and_so_does_one_that_was_broken_off() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = TestRepository::new();
    let repository = bed.repository();
    let place = folder(&repository, &[]);
    let now = commit(&bed);
    let checked_out = place.check_out(&now, true).unwrap();
    put(&checked_out.folder, "build/mod/x", "downloaded\n");
    fs::set_permissions(checked_out.folder.join("build/mod"), fs::Permissions::from_mode(0o555)).unwrap();
    // Killed in the middle: nothing is noted, so nothing is trusted.
    fs::remove_file(place.state_file()).unwrap();
    let checked_out = place.check_out(&now, false).unwrap();
    assert!(checked_out.emptied);
    assert_eq!(files(&checked_out.folder), tracked(&bed, &now));
}

#[test]
fn what_a_killed_run_had_put_aside_is_removed_by_the_next_one() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    let now = commit(&bed);
    let names = || -> Vec<String> {
        let entries = fs::read_dir(repository.worktrees_folder()).unwrap();
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    for _ in 0..2 {
        let place = folder(&repository, &[]);
        let checked_out = place.check_out(&now, true).unwrap();
        put(&checked_out.folder, "build/x", "kept\n");
        put(&repository.worktrees_folder(), ".gone-check-031-limits.1/build/x", "left behind\n");
        put(&repository.worktrees_folder(), ".gone-check-032-other.1/x", "of another feature\n");
        place.check_out(&now, true).unwrap();
        drop(place);
        let mut left = names();
        left.sort();
        assert_eq!(left, [".gone-check-032-other.1", "check-031-limits"]);
    }
}
