use super::super::tests::repositories::{TestRepository, get, put};
use super::super::{GitError, GitWorkspace};
use redraft_engine::ports::{Workspace as _, WorkspaceError};
use std::fs;

fn detail<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> String {
    match result.unwrap_err() {
        WorkspaceError::File { detail, .. } => detail,
        other => panic!("{other}"),
    }
}

#[test]
fn a_file_is_written_with_its_folders_read_back_and_removed() {
    let bed = TestRepository::new();
    let place = bed.feature();
    assert_eq!(place.read("docs/a b/ü.md").unwrap(), None);
    place.write("docs/a b/ü.md", b"one").unwrap();
    place.write("docs/a b/ü.md", b"two").unwrap();
    assert_eq!(place.read("docs/a b/ü.md").unwrap(), Some(b"two".to_vec()));
    assert_eq!(fs::read_dir(place.root().join("docs/a b")).unwrap().count(), 1);
    assert_eq!(place.read("README.md/x").unwrap(), None);
}

#[test]
fn no_path_leads_out_of_the_worktree_or_into_git() {
    let bed = TestRepository::new();
    let place = bed.feature();
    for path in [
        "",
        "/etc/passwd",
        "../x",
        "a/../../x",
        "./a",
        "a//b",
        ".git",
        ".git/config",
        "sub/.GIT/hooks/x",
        ".git./config",
    ] {
        assert_eq!(detail(place.read(path)), "is not a path inside the worktree", "{path}");
        assert_eq!(detail(place.write(path, b"x")), "is not a path inside the worktree", "{path}");
    }
    assert_eq!(detail(place.read("src")), "is a folder, not a file");
    assert_eq!(detail(place.write("src", b"x")), "is not an ordinary file and is not replaced");
}

#[cfg(unix)]
#[test]
fn links_are_read_inside_the_worktree_and_never_written_through() {
    use std::os::unix::fs::symlink;
    let bed = TestRepository::new();
    let place = bed.feature();
    put(&bed.root, "outside/secret.txt", "secret");
    symlink(bed.root.join("outside"), place.root().join("away")).unwrap();
    symlink(bed.root.join("outside/secret.txt"), place.root().join("secret")).unwrap();
    symlink("README.md", place.root().join("near")).unwrap();
    symlink("nowhere", place.root().join("dangling")).unwrap();
    assert_eq!(detail(place.read("away/secret.txt")), "leads out of the worktree");
    assert_eq!(detail(place.read("secret")), "leads out of the worktree");
    assert_eq!(place.read("near").unwrap(), Some(b"readme\n".to_vec()));
    assert_eq!(place.read("dangling").unwrap(), None);
    assert_eq!(detail(place.write("away/new.txt", b"x")), "goes through the link away");
    assert_eq!(detail(place.write("away/deep/new.txt", b"x")), "goes through the link away");
    assert_eq!(detail(place.write("secret", b"x")), "is not an ordinary file and is not replaced");
    assert_eq!(get(&bed.root, "outside/secret.txt").as_deref(), Some("secret"));
}

#[cfg(unix)]
#[test]
fn a_replaced_file_keeps_its_rights_and_a_failed_write_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt as _;
    let bed = TestRepository::new();
    let place = bed.feature();
    put(place.root(), "run.sh", "old");
    fs::set_permissions(place.root().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    place.write("run.sh", b"new").unwrap();
    let mode = fs::metadata(place.root().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    let before = fs::read_dir(place.root()).unwrap().count();
    assert!(place.write("README.md/below", b"x").is_err());
    assert_eq!(fs::read_dir(place.root()).unwrap().count(), before);
}

#[test]
fn a_folder_that_is_no_worktree_of_its_own_is_not_opened() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let repository = bed.repository();
    let refused = |root: &std::path::Path| {
        let error = GitWorkspace::open(&repository, root, "feature/031-limits").unwrap_err();
        assert!(matches!(error, GitError::NotAWorktree(_)), "{error}");
    };
    refused(&bed.root.join("src"));
    refused(&bed.root.join("gone"));
    fs::remove_file(place.root().join(".git")).unwrap();
    refused(place.root());
    assert!(GitWorkspace::open(&repository, &bed.root, "main").is_ok());
}
