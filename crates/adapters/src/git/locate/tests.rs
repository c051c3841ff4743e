use super::super::Repository;
use super::super::tests::repositories::TestRepository;
use super::*;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

fn discovered(bed: &TestRepository, folder: &Path) -> Repository {
    Repository::discover_with(bed.git.clone(), folder).unwrap()
}

#[test]
fn it_finds_what_git_finds_from_checkouts_worktrees_and_subfolders() {
    let bed = TestRepository::new();
    let feature = bed.feature();
    for folder in
        [bed.root.clone(), bed.root.join("src"), feature.root().to_owned(), feature.root().join("src")]
    {
        let (glance, git) = (CheckoutLocation::at(&folder).unwrap(), discovered(&bed, &folder));
        assert_eq!(glance.checkout, git.here(), "{folder:?}");
        assert_eq!(glance.common, git.common_dir());
        assert_eq!(glance.state_dir(), git.state_dir());
        assert_eq!(glance.main_checkout().unwrap(), git.main_checkout());
        assert_eq!(glance.branch(), git.head().unwrap().branch);
    }
    bed.raw(&bed.root, &["checkout", "-q", "--detach"]);
    assert_eq!(CheckoutLocation::at(&bed.root).unwrap().branch(), None);
    let outside = bed.root.parent().unwrap();
    assert_eq!(CheckoutLocation::at(outside), None);
    assert_eq!(CheckoutLocation::at(&outside.join("gone")), None);
}

#[test]
fn a_git_folder_that_stands_apart_is_found_from_its_checkout() {
    let bed = TestRepository::new();
    let outside = bed.root.parent().unwrap();
    bed.raw(outside, &["init", "-q", "-b", "main", "--separate-git-dir=apart", "main"]);
    let main = outside.join("main");
    bed.raw(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    bed.raw(&main, &["worktree", "add", "-q", "-b", "side", "../side"]);
    let glance = CheckoutLocation::at(&main).unwrap();
    assert_eq!((glance.common.clone(), glance.main_checkout()), (outside.join("apart"), Some(main)));
    let side = CheckoutLocation::at(&outside.join("side")).unwrap();
    assert_eq!((side.common.clone(), side.main_checkout()), (outside.join("apart"), None));
}

#[test]
fn what_only_looks_like_a_repository_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for text in ["", "gitdir: ", "gitdir: nowhere\n", "something else"] {
        fs::write(root.join(".git"), text).unwrap();
        assert_eq!(CheckoutLocation::at(&root), None, "{text:?}");
    }
    fs::remove_file(root.join(".git")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    assert_eq!(CheckoutLocation::at(&root), None, "an empty folder of that name");
}

#[test]
fn what_git_takes_for_a_repository_it_takes_for_one_too_and_in_doubt_for_none() {
    let bed = TestRepository::new();
    let (git, root) = (bed.root.join(".git"), bed.root.clone());
    bed.raw(&root, &["pack-refs", "--all"]);
    fs::remove_file(git.join("HEAD")).unwrap();
    symlink("refs/heads/main", git.join("HEAD")).unwrap();
    assert_eq!(CheckoutLocation::at(&root).unwrap().common, git, "HEAD is a link that leads nowhere");
    let odd = root.with_file_name("odd").join(os_path(b"o\xff"));
    fs::create_dir_all(odd.parent().unwrap()).unwrap();
    fs::rename(&git, &odd).unwrap();
    fs::write(&git, [b"gitdir: ", odd.as_os_str().as_bytes(), b"\n\r\n"].concat()).unwrap();
    assert_eq!(CheckoutLocation::at(&root).unwrap().common, odd, "its name is no text");
    fs::write(odd.join("commondir"), vec![b'\n'; 20_000]).unwrap();
    assert_eq!(CheckoutLocation::at(&root), None, "nobody knows what is shared");
}

#[test]
fn a_path_leads_where_the_kernel_would_go_also_where_nothing_is_yet() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir_all(root.join("a/b")).unwrap();
    symlink("a/b", root.join("link")).unwrap();
    symlink(root.join("a/new"), root.join("dangling")).unwrap();
    symlink("round", root.join("round")).unwrap();
    let real = |path: &str| real_path(&root.join(path));
    for (path, expected) in [
        ("a/b/x", "a/b/x"),
        ("a/./b/../y", "a/y"),
        ("link/x", "a/b/x"),
        ("link/../x", "a/x"),
        ("dangling", "a/new"),
        ("dangling/z", "a/new/z"),
        ("new/../a/x", "a/x"),
    ] {
        assert_eq!(real(path), Some(root.join(expected)), "{path}");
    }
    assert_eq!(real("round/x"), None);
    assert_eq!(real_path(Path::new("relative")), None);
    assert_eq!(real_path(Path::new("/../..")), Some(PathBuf::from("/")));
}

#[test]
fn the_state_is_known_by_its_ledger_beside_gits_files() {
    let bed = TestRepository::new();
    let state = bed.root.join(".git/redraft");
    assert_eq!(state_around(&state.join("x")), None, "no ledger, no state");
    fs::create_dir(&state).unwrap();
    fs::write(state.join(crate::sqlite::FILE), "x").unwrap();
    for path in [state.clone(), state.join("ledger.db"), state.join("runs/new/file")] {
        assert_eq!(state_around(&path), Some(state.as_path()), "{path:?}");
    }
    assert_eq!(state_around(&bed.root.join(".git")), None);
    fs::create_dir_all(bed.root.join("src/redraft")).unwrap();
    fs::write(bed.root.join("src/redraft/ledger.db"), "x").unwrap();
    assert_eq!(
        state_around(&bed.root.join("src/redraft/ledger.db")),
        None,
        "a folder of that name elsewhere"
    );
}
