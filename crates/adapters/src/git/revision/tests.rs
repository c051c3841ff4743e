use super::super::tests::repositories::{TestRepository, paths, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;

fn take_one(workspace: &GitWorkspace, path: &str, text: &str) -> Revision {
    put(workspace.root(), path, text);
    workspace.revision(&paths(&[path])).unwrap().unwrap()
}

#[test]
fn a_revision_is_the_named_paths_and_nothing_else() {
    let bed = TestRepository::new();
    let place = bed.feature();
    assert_eq!(place.revision(&paths(&["spec.md", "design.md"])).unwrap(), None);
    assert_eq!(place.revision(&[]).unwrap(), None);
    let first = take_one(&place, "spec.md", "one\n");
    put(place.root(), "other.md", "unrelated");
    assert_eq!(place.revision(&paths(&["spec.md", "design.md", "spec.md"])).unwrap(), Some(first.clone()));
    let both = place.revision(&paths(&["spec.md", "other.md"])).unwrap().unwrap();
    assert_ne!(both, first);
    assert_eq!(bed.raw(place.root(), &["ls-tree", "--name-only", both.as_str()]), "other.md\nspec.md");
    assert_eq!(bed.raw(place.root(), &["diff", "--cached", "--name-only"]), "");
}

#[test]
fn nothing_is_a_revision_like_any_other() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let one = take_one(&place, "spec.md", "one\n");
    let nothing = place.nothing().unwrap();
    assert_eq!(place.read_at(&nothing, "spec.md").unwrap(), None);
    assert!(place.delta(&one, &nothing).unwrap().contains("-one\n"));
    assert!(place.delta(&nothing, &one).unwrap().contains("+one\n"));
    place.keep("001/specify.1/9", &nothing).unwrap();
}

#[test]
fn an_empty_file_and_an_ignored_file_are_there() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let empty = take_one(&place, "spec.md", "");
    assert_eq!(place.read_at(&empty, "spec.md").unwrap(), Some(Vec::new()));
    let ignored = take_one(&place, "build/run.log", "noise");
    assert_eq!(place.read_at(&ignored, "build/run.log").unwrap(), Some(b"noise".to_vec()));
}

#[test]
fn odd_names_are_read_as_they_are() {
    let bed = TestRepository::new();
    let place = bed.feature();
    for path in
        ["docs/größer als/spec 1.md", "\"quoted\".md", "back\\slash.md", "line\nbreak.md", "*.md", ":(top)x"]
    {
        let revision = take_one(&place, path, path);
        assert_eq!(place.read_at(&revision, path).unwrap(), Some(path.as_bytes().to_vec()), "{path}");
    }
}

#[test]
fn a_revision_holds_the_exact_bytes_whatever_is_configured() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let before = take_one(&place, "spec.md", "one\r\ntwo\n$Id$\n");
    bed.config("[core]\nautocrlf = true\nsafecrlf = true\n[filter \"shout\"]\nclean = tr a-z A-Z\n");
    put(place.root(), ".gitattributes", "*.md text=auto ident filter=shout\n");
    assert_eq!(place.revision(&paths(&["spec.md"])).unwrap(), Some(before.clone()));
    assert_eq!(place.read_at(&before, "spec.md").unwrap(), place.read("spec.md").unwrap());
}

#[cfg(unix)]
#[test]
fn a_link_is_kept_as_a_link_and_a_linked_folder_is_refused() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let bed = TestRepository::new();
    let place = bed.feature();
    symlink("/etc/passwd", place.root().join("link")).unwrap();
    symlink("src", place.root().join("folder")).unwrap();
    put(place.root(), "run.sh", "true");
    fs::set_permissions(place.root().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let revision = place.revision(&paths(&["link", "run.sh", "README.md"])).unwrap().unwrap();
    assert_eq!(place.read_at(&revision, "link").unwrap(), Some(b"/etc/passwd".to_vec()));
    let modes = bed.raw(place.root(), &["ls-tree", "--format=%(objectmode)", revision.as_str()]);
    assert_eq!(modes, "100644\n120000\n100755");
    let error = place.revision(&paths(&["folder/x.rs"])).unwrap_err();
    assert_eq!(error.to_string(), "folder/x.rs: goes through the link folder");
    let error = place.revision(&paths(&["src"])).unwrap_err();
    assert_eq!(error.to_string(), "src: is a folder; name the files in it");
}

#[test]
fn a_path_that_a_revision_lacks_is_none_and_a_revision_that_git_lacks_is_lost() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let revision = take_one(&place, "docs/my spec.md", "x");
    for path in ["docs", "docs/no such file.md", "docs/my spec.md/x"] {
        assert_eq!(place.read_at(&revision, path).unwrap(), None, "{path}");
    }
    for lost in ["1".repeat(40), "--help".to_owned(), "HEAD".to_owned()] {
        let lost = Revision::new(lost);
        assert!(matches!(place.read_at(&lost, "x"), Err(WorkspaceError::AnchorLost(named)) if named == lost));
        assert!(
            matches!(place.delta(&revision, &lost), Err(WorkspaceError::AnchorLost(named)) if named == lost)
        );
        assert!(
            matches!(place.delta(&lost, &revision), Err(WorkspaceError::AnchorLost(named)) if named == lost)
        );
        assert!(matches!(place.keep("a", &lost), Err(WorkspaceError::AnchorLost(named)) if named == lost));
    }
}

/// Old and new content that every diff setting below would show differently.
fn tricky(workspace: &GitWorkspace) -> (Revision, Revision) {
    let old =
        "/// doc\nfn a() {\n    one\n}\n\nfn b() {\n    one\n}\n\nindex of things\n# Head\n\nx\ny\nz\nlast";
    let new = "/// doc\nfn z() {}\n\n/// doc\nfn a() {\n    one\n}\n\nfn c() {\n    one\n}\n\nfn b() {\n    one\n}\n\nindex\n# Head\n\nx \ny\nw\nlast\n";
    put(workspace.root(), "a spec.md", old);
    put(workspace.root(), "moved-from.md", "same content in both, long enough to be called a rename\n");
    let all = paths(&["a spec.md", "moved-from.md", "moved-to.md", "ü.bin"]);
    let from = workspace.revision(&all).unwrap().unwrap();
    fs::rename(workspace.root().join("moved-from.md"), workspace.root().join("moved-to.md")).unwrap();
    put(workspace.root(), "a spec.md", new);
    put(workspace.root(), "ü.bin", "\0\u{1}");
    (from, workspace.revision(&all).unwrap().unwrap())
}

#[test]
fn attributes_of_the_clone_hide_nothing_of_a_delta() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let (from, to) = tricky(&place);
    let delta = place.delta(&from, &to).unwrap();
    put(&bed.root, ".git/info/attributes", "* binary\n*.md -diff\n");
    put(place.root(), ".gitattributes", "*.md -diff\n");
    assert_eq!(place.delta(&from, &to).unwrap(), delta);
    assert_eq!(bed.feature().delta(&from, &to).unwrap(), delta);
}

#[test]
fn changes_that_look_alike_are_told_apart_by_what_differs() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let take = |bytes: &[u8]| {
        fs::write(place.root().join("x"), bytes).unwrap();
        place.revision(&paths(&["x"])).unwrap().unwrap()
    };
    let nothing = place.nothing().unwrap();
    for (one, other) in [(&b"\0good"[..], &b"\0evil"[..]), (b"A\xe4B\n", b"A\xffB\n")] {
        let (one, other) = (take(one), take(other));
        assert_eq!(place.delta(&nothing, &one).unwrap(), place.delta(&nothing, &other).unwrap());
        assert_ne!(place.differing(&nothing, &one).unwrap(), place.differing(&nothing, &other).unwrap());
        assert_eq!(place.differing(&nothing, &one).unwrap(), place.differing(&nothing, &one).unwrap());
    }
}

#[test]
fn a_delta_names_each_change_and_no_hash() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let (from, to) = tricky(&place);
    let delta = place.delta(&from, &to).unwrap();
    assert!(
        delta.starts_with("diff --git a/a spec.md b/a spec.md\n--- a/a spec.md\t\n+++ b/a spec.md\t\n@@ "),
        "{delta}"
    );
    for line in ["-index of things\n", "+index\n", "-x\n", "+x \n", "\\ No newline at end of file\n"] {
        assert!(delta.contains(line), "{line:?} in {delta}");
    }
    assert!(delta.contains("deleted file mode 100644\n--- a/moved-from.md\n+++ /dev/null\n"), "{delta}");
    assert!(delta.contains("new file mode 100644\nBinary files /dev/null and b/ü.bin differ\n"), "{delta}");
    assert!(!delta.contains("\nindex "), "{delta}");
    assert_eq!(place.delta(&to, &to).unwrap(), "");
}

#[test]
fn no_configuration_and_no_attribute_changes_a_byte_of_a_delta() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let (from, to) = tricky(&place);
    let plain = place.delta(&from, &to).unwrap();
    fs::write(bed.root.join("order"), "*.bin\n").unwrap();
    fs::write(bed.root.join("attributes"), "*.md -diff\n").unwrap();
    bed.config(&format!(
        "[diff]\nnoprefix = true\nmnemonicPrefix = true\nexternal = false\nalgorithm = histogram\ncontext = 9\n\
         interHunkContext = 9\nrenames = copies\nsuppressBlankEmpty = true\nindentHeuristic = false\n\
         orderFile = {root}/order\ncolorMoved = zebra\nwsErrorHighlight = all\nrelative = true\nsubmodule = log\n\
         [diff \"default\"]\nxfuncname = \"^(#.*)$\"\nbinary = true\n[diff \"md\"]\ntextconv = tac\nxfuncname = \"^x\"\n\
         [color]\nui = always\ndiff = always\n[core]\nabbrev = 4\nautocrlf = true\nquotepath = true\npager = false\n\
         bigFileThreshold = 1\nattributesFile = {root}/attributes\nwhitespace = cr-at-eol\n",
        root = bed.root.display()
    ));
    assert_eq!(place.delta(&from, &to).unwrap(), plain);
    put(place.root(), ".gitattributes", "*.md diff=md\n*.bin diff\n");
    bed.raw(place.root(), &["add", ".gitattributes"]);
    bed.write(".gitattributes", "*.md -diff\n");
    bed.raw(&bed.root, &["add", ".gitattributes"]);
    assert_eq!(place.delta(&from, &to).unwrap(), plain);
    let mut opts = place;
    opts.git = opts.git.with_env("GIT_EXTERNAL_DIFF", Some("false".into()));
    assert_eq!(opts.delta(&from, &to).unwrap(), plain);
}

#[test]
fn a_lock_that_a_killed_git_left_on_an_anchor_is_in_nobodys_way() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let nothing = place.nothing().unwrap();
    place.keep("001/implement.1/7", &nothing).unwrap();
    let lock = place.common.join("refs/redraft/anchors/001/implement.1/8.lock");
    fs::write(&lock, "").unwrap();
    place.keep("001/implement.1/8", &nothing).unwrap();
    assert!(!lock.exists());
}

#[test]
fn an_anchor_outlives_a_collection_and_what_has_none_is_lost() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let kept = take_one(&place, "spec.md", "kept\n");
    let lost = take_one(&place, "spec.md", "lost\n");
    let now = take_one(&place, "spec.md", "now\n");
    place.keep("031/specify.1/spec-reviewer", &kept).unwrap();
    place.keep("031/specify.1/spec-reviewer", &kept).unwrap();
    place.keep("now", &now).unwrap();
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    assert!(place.delta(&kept, &now).unwrap().contains("-kept\n+now\n"));
    assert_eq!(place.read_at(&kept, "spec.md").unwrap(), Some(b"kept\n".to_vec()));
    let error = place.delta(&lost, &now).unwrap_err();
    assert!(matches!(&error, WorkspaceError::AnchorLost(revision) if *revision == lost), "{error}");
    assert_eq!(bed.raw(&bed.root, &["fsck", "--strict"]), "");

    bed.raw(&bed.root, &["update-ref", "-d", "refs/redraft/anchors/031/specify.1/spec-reviewer"]);
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    let (root, branch) = (place.root().to_owned(), place.branch().to_owned());
    let later = GitWorkspace::open(&bed.repository(), &root, &branch).unwrap();
    let error = later.delta(&kept, &now).unwrap_err();
    assert!(matches!(&error, WorkspaceError::AnchorLost(revision) if *revision == kept), "{error}");
}

#[test]
fn a_rebase_loses_no_anchor() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let shown = take_one(&place, "spec.md", "one\n");
    place.keep("spec-reviewer", &shown).unwrap();
    bed.raw(place.root(), &["add", "spec.md"]);
    bed.raw(place.root(), &["commit", "-q", "-m", "draft"]);
    bed.write("README.md", "moved on\n");
    bed.raw(&bed.root, &["commit", "-q", "-a", "-m", "moved on"]);
    bed.raw(place.root(), &["rebase", "-q", "main"]);
    bed.raw(&bed.root, &["reflog", "expire", "--expire=now", "--all"]);
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    assert_eq!(place.revision(&paths(&["spec.md"])).unwrap(), Some(shown.clone()));
    let next = take_one(&place, "spec.md", "two\n");
    assert!(place.delta(&shown, &next).unwrap().ends_with("@@ -1 +1 @@\n-one\n+two\n"));
}

#[test]
fn any_name_becomes_a_ref_and_different_names_stay_different() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let revision = take_one(&place, "spec.md", "x");
    let names = [
        "031/specify.1/review/spec-reviewer/2.1",
        "a b",
        "a-b",
        "a%20b",
        ".hidden",
        "end.",
        "x.lock",
        "a..b",
        "a.b",
        "@",
        "@{1}",
        "c^d~e:f?g*h[i\\j",
        "größe",
        "k//l",
        "/m",
        "n/",
        "tab\there",
    ];
    for name in names {
        place.keep(name, &revision).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let refs = bed.raw(&bed.root, &["for-each-ref", "--format=%(refname)", "refs/redraft/anchors"]);
    assert_eq!(refs.lines().count(), names.len());
    assert!(refs.contains("refs/redraft/anchors/031/specify.1/review/spec-reviewer/2.1\n"), "{refs}");
}

#[test]
fn no_scratch_file_stays_behind() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let (from, to) = tricky(&place);
    place.delta(&from, &to).unwrap();
    place.mark(&[]).unwrap();
    assert_eq!(fs::read_dir(place.temp()).unwrap().count(), 0);
}
