mod branches;

use super::super::tests::repositories::{TestRepository, get, paths, put};
use super::*;
use redraft_engine::ports::Workspace as _;
use std::fs;

const NAME: &str = "031/specify.1/draft/spec-author/1.1";
const LOST: &str = "refs/redraft/lost/031/specify.1/draft/spec-author/1.1";

/// A feature in which a person has work of their own: one edited, one staged and one new file.
fn busy(bed: &TestRepository) -> (GitWorkspace, TreeMark) {
    let place = bed.feature();
    put(place.root(), "src/x.rs", "fn x() { edited }\n");
    put(place.root(), "staged.txt", "staged\n");
    bed.raw(place.root(), &["add", "staged.txt"]);
    put(place.root(), "new ü.txt", "new\n");
    let mark = place.mark(&[]).unwrap();
    (place, mark)
}

fn lost(bed: &TestRepository, path: &str) -> String {
    bed.raw(&bed.root, &["show", &format!("{LOST}:{path}")])
}

#[test]
fn nothing_is_undone_and_nothing_kept_when_only_allowed_files_changed() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), Vec::<String>::new());
    put(place.root(), "docs/spec.md", "spec\n");
    put(place.root(), "src/x.rs", "fn x() { more }\n");
    put(place.root(), "run.log", "noise");
    let allowed = paths(&["docs/spec.md", "src"]);
    assert_eq!(place.restore(&mark, &allowed, NAME).unwrap(), Vec::<String>::new());
    assert_eq!(get(place.root(), "docs/spec.md").as_deref(), Some("spec\n"));
    assert_eq!(get(place.root(), "src/x.rs").as_deref(), Some("fn x() { more }\n"));
    assert!(!bed.try_raw(&bed.root, &["rev-parse", "--verify", LOST]).0);
}

#[test]
fn forbidden_files_are_put_back_and_kept_while_allowed_ones_stay() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), "spec.md", "spec\n");
    put(place.root(), "specifics.md", "not covered by spec.md\n");
    put(place.root(), "src/x.rs", "fn x() { broken }\n");
    fs::remove_file(place.root().join("README.md")).unwrap();
    fs::remove_file(place.root().join("new ü.txt")).unwrap();
    put(place.root(), "deep/er/nötes \"1\".txt", "notes");
    let lines = place.restore(&mark, &paths(&["spec.md", "spec"]), NAME).unwrap();
    let expected = [
        "restored README.md",
        "removed deep/er/nötes \"1\".txt",
        "restored new ü.txt",
        "removed specifics.md",
        "restored src/x.rs",
    ];
    assert_eq!(lines, expected);
    assert_eq!(get(place.root(), "src/x.rs").as_deref(), Some("fn x() { edited }\n"));
    assert_eq!(get(place.root(), "README.md").as_deref(), Some("readme\n"));
    assert_eq!(get(place.root(), "new ü.txt").as_deref(), Some("new\n"));
    assert_eq!(get(place.root(), "spec.md").as_deref(), Some("spec\n"));
    assert!(!place.root().join("deep").exists());
    assert_eq!(lost(&bed, "src/x.rs"), "fn x() { broken }");
    assert_eq!(lost(&bed, "deep/er/nötes \"1\".txt"), "notes");
    std::fs::remove_file(place.root().join("spec.md")).unwrap();
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[test]
fn keeping_needs_no_identity_and_no_signature() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    bed.forget_user();
    bed.config("[commit]\ngpgsign = true\n[gpg]\nprogram = false\n");
    put(place.root(), "src/x.rs", "broken");
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), ["restored src/x.rs"]);
    let who = bed.raw(&bed.root, &["log", "-1", "--format=%an <%ae> %cn <%ce>", LOST]);
    assert_eq!(who, "Redraft <redraft@localhost> Redraft <redraft@localhost>");
}

#[test]
fn staged_files_of_an_agent_are_unstaged_and_kept() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), "README.md", "staged by the agent\n");
    bed.raw(place.root(), &["add", "README.md"]);
    put(place.root(), "README.md", "readme\n");
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), ["put the index back"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert_eq!(bed.raw(&bed.root, &["show", &format!("{LOST}^2:README.md")]), "staged by the agent");
}

#[test]
fn an_unfinished_merge_of_an_agent_is_ended() {
    let bed = TestRepository::new();
    bed.write("README.md", "theirs\n");
    let place = bed.feature();
    bed.raw(&bed.root, &["commit", "-q", "-a", "-m", "theirs"]);
    put(place.root(), "README.md", "ours\n");
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "ours"]);
    let mark = place.mark(&[]).unwrap();
    for (agent, line) in [("merge", "merge"), ("cherry-pick", "cherry-pick"), ("rebase", "rebase")] {
        assert!(!bed.try_raw(place.root(), &[agent, "main"]).0);
        let lines = place.restore(&mark, &[], agent).unwrap();
        assert_eq!(lines.first(), Some(&format!("ended an unfinished {line}")), "{lines:?}");
        assert_eq!(place.mark(&[]).unwrap(), mark, "{agent}");
        let kept = bed.raw(&bed.root, &["show", &format!("refs/redraft/lost/{agent}:README.md")]);
        assert!(kept.contains("<<<<<<<"), "{kept}");
    }
}

#[test]
fn a_restore_that_was_killed_half_way_is_run_again_and_drops_nothing() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), "src/x.rs", "broken");
    put(place.root(), "extra.txt", "extra");
    bed.raw(place.root(), &["checkout", "-q", "-b", "mine"]);
    bed.raw(place.root(), &["commit", "-q", "-a", "-m", "mine"]);
    // The first run got as far as keeping everything, moving HEAD and one of the files.
    let now = look(&place, &[]).unwrap();
    let pass = Pass { workspace: &place, mark: &mark, allowed: &[], name: NAME };
    pass.keep(&now, &work_tree(&place, &now).unwrap(), Some(&mark.head)).unwrap();
    pass.move_back(&now, Some(&mark.head), &mut Vec::new()).unwrap();
    fs::remove_file(place.root().join("extra.txt")).unwrap();
    let first = bed.raw(&bed.root, &["rev-parse", LOST]);

    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines, ["put the index back", "restored src/x.rs", "deleted the agent's branch mine"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
    let parents = bed.raw(&bed.root, &["log", "-1", "--format=%P", LOST]);
    assert!(parents.contains(&first), "{parents}");
    assert_eq!(bed.raw(&bed.root, &["show", &format!("{first}:extra.txt")]), "extra");
}

#[test]
fn files_hidden_by_a_changed_gitignore_are_found() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), ".gitignore", "*.log\nbuild/\nhidden*\n");
    put(place.root(), "hidden.txt", "hidden");
    put(place.root(), "sub/.gitignore", "*.txt\n");
    put(place.root(), "sub/below.txt", "below");
    let lines = place.restore(&mark, &[], NAME).unwrap();
    for line in ["restored .gitignore", "removed hidden.txt", "removed sub/below.txt"] {
        assert!(lines.iter().any(|found| found == line), "{line} in {lines:?}");
    }
    assert!(!place.root().join("sub/below.txt").exists());
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[test]
fn files_and_folders_that_traded_places_trade_back() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    fs::remove_file(place.root().join("README.md")).unwrap();
    put(place.root(), "README.md/inside", "x");
    fs::remove_dir_all(place.root().join("src")).unwrap();
    put(place.root(), "src", "a file now");
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines, ["restored README.md", "removed README.md/inside", "removed src", "restored src/x.rs"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[cfg(unix)]
#[test]
fn a_folder_swapped_for_a_link_is_put_back_without_touching_what_it_leads_to() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(&bed.root, "outside/x.rs", "not yours");
    fs::remove_dir_all(place.root().join("src")).unwrap();
    symlink(bed.root.join("outside"), place.root().join("src")).unwrap();
    fs::set_permissions(place.root().join("README.md"), fs::Permissions::from_mode(0o755)).unwrap();
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines, ["restored README.md", "removed src", "restored src/x.rs"]);
    assert_eq!(get(&bed.root, "outside/x.rs").as_deref(), Some("not yours"));
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[test]
fn an_agent_that_cuts_the_worktree_off_does_not_reach_the_users_checkout() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    bed.write("README.md", "the user is editing\n");
    fs::remove_file(place.root().join(".git")).unwrap();
    assert_eq!(place.mark(&[]).unwrap(), mark);
    put(place.root(), "README.md", "broken\n");
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines, ["connected the worktree to its repository again", "restored README.md"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
    assert_eq!(bed.raw(place.root(), &["symbolic-ref", "HEAD"]), mark.branch);
    assert_eq!(get(&bed.root, "README.md").as_deref(), Some("the user is editing\n"));
}

#[test]
fn many_files_are_counted_instead_of_named() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    for number in 0..NAMED_FILES + 7 {
        put(place.root(), &format!("junk/{number:03}.txt"), "junk");
    }
    let lines = place.restore(&mark, &[], NAME).unwrap();
    assert_eq!(lines.len(), NAMED_FILES + 1);
    assert_eq!(lines.last().unwrap(), &format!("restored or removed 7 more files, kept under {LOST}"));
    assert!(!place.root().join("junk").exists());
}

#[test]
fn a_held_lock_is_named_and_nothing_is_lost_by_trying_again() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    bed.raw(place.root(), &["add", "-A"]);
    let lock = place.git_dir.join("index.lock");
    fs::write(&lock, "").unwrap();
    let error = place.restore(&mark, &[], NAME).unwrap_err().to_string();
    assert!(error.contains(&format!("another git process holds the lock {}", lock.display())), "{error}");
    fs::remove_file(&lock).unwrap();
    assert_eq!(place.restore(&mark, &[], NAME).unwrap(), ["put the index back"]);
    assert_eq!(place.mark(&[]).unwrap(), mark);
}

#[test]
fn a_mark_whose_files_were_collected_is_said_to_be_lost() {
    let bed = TestRepository::new();
    let (place, mark) = busy(&bed);
    put(place.root(), "src/x.rs", "broken");
    bed.raw(&bed.root, &["gc", "-q", "--prune=now"]);
    let error = place.restore(&mark, &[], NAME).unwrap_err();
    assert!(matches!(&error, WorkspaceError::AnchorLost(tree) if tree.as_str() == mark.work), "{error}");
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_taken_out_whoever_may_write_there_and_the_rest_of_the_work_stays() {
    type Act = fn(&Path);
    let acts: [(&str, Act, &str); 7] = [
        (
            "docs/spec.md",
            |path| std::os::unix::fs::symlink("/etc/passwd", path).unwrap(),
            "a link that leads out of the worktree",
        ),
        (
            "docs/spec.md",
            |path| std::os::unix::fs::symlink("../../../../nowhere", path).unwrap(),
            "a link that leads out of the worktree",
        ),
        (
            "docs/spec.md",
            |path| std::os::unix::fs::symlink("spec.md", path).unwrap(),
            "a link that leads out of the worktree",
        ),
        (
            "docs/spec.md",
            |path| std::os::unix::fs::symlink("../.git", path).unwrap(),
            "a link that leads out of the worktree",
        ),
        ("docs/spec.md", pipe, "no ordinary file"),
        ("docs/spec.md", |path| put(path, "inside", "x"), "a folder"),
        ("src/x.rs", pipe, "no ordinary file"),
    ];
    for allowed in ["docs/spec.md", "."] {
        for (path, act, what) in &acts {
            // A folder is as good as a file where everything may be written, and a new pipe is nothing to git.
            if allowed == "."
                && *path == "docs/spec.md"
                && (*what == "a folder" || *what == "no ordinary file")
            {
                continue;
            }
            let bed = TestRepository::new();
            let place = bed.feature();
            put(place.root(), "docs/other.md", "there\n");
            let mark = place.mark(&[]).unwrap();
            let full = place.root().join(path);
            let _ = fs::remove_file(&full);
            act(&full);
            put(place.root(), "docs/more.md", "more\n");
            let name = "031/specify.1/draft/spec-author/1.1";
            let lines = place.restore(&mark, &paths(&[allowed, "docs/more.md"]), name).unwrap();
            assert!(
                lines.contains(&format!("took out {path}, which was {what}")),
                "{path} {what}: {lines:?}"
            );
            let expected = (*path == "src/x.rs").then_some("fn x() {}\n");
            assert_eq!(get(place.root(), path).as_deref(), expected, "{path} {what}");
            assert!(full.is_file() == expected.is_some(), "{path} {what}");
            assert_eq!(get(place.root(), "docs/more.md").as_deref(), Some("more\n"), "{path} {what}");
            place.tree(&[]).unwrap();
            assert_eq!(place.restore(&mark, &paths(&[allowed, "docs/more.md"]), name).unwrap(), [""; 0]);
        }
    }
}

#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "makes what a program of an agent's could make")]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_worktree_that_is_gone_is_made_anew_as_it_was() {
    for registered in [true, false] {
        for branch in [true, false] {
            let bed = TestRepository::new();
            let place = bed.feature();
            put(place.root(), "src/new.rs", "not committed\n");
            let mark = place.mark(&[]).unwrap();
            match registered {
                true => fs::remove_dir_all(place.root()).unwrap(),
                false => {
                    drop(bed.raw(
                        &bed.root,
                        &["worktree", "remove", "--force", &place.root().display().to_string()],
                    ))
                }
            }
            if !branch && !registered {
                bed.raw(&bed.root, &["branch", "-D", place.branch()]);
            }
            let lines = place.restore(&mark, &[".".to_owned()], "031/x").unwrap();
            let root = place.root().display();
            assert!(
                lines.contains(&format!("made the worktree {root} again, which had been removed")),
                "{lines:?}"
            );
            assert!(place.was_made_anew());
            assert_eq!(get(place.root(), "src/x.rs").as_deref(), Some("fn x() {}\n"));
            assert_eq!(get(place.root(), "src/new.rs").as_deref(), Some("not committed\n"));
            assert_eq!(place.mark(&[]).unwrap(), mark);
            assert_eq!(bed.raw(place.root(), &["status", "--porcelain"]), "?? src/new.rs");
        }
    }
}

#[test]
fn changes_that_were_hidden_from_git_are_undone_and_kept_and_the_others_stay() {
    for option in ["--skip-worktree", "--assume-unchanged"] {
        for crashed in [false, true] {
            let bed = TestRepository::new();
            let place = bed.feature();
            let mark = place.mark(&[]).unwrap();
            bed.raw(place.root(), &["update-index", option, "src/x.rs"]);
            put(place.root(), "src/x.rs", "hidden\n");
            put(place.root(), "src/y.rs", "honest\n");
            let place = if crashed { bed.feature_again() } else { place };
            let lines = place.restore(&mark, &[".".to_owned()], "031/x").unwrap();
            let told =
                ["made git look at src/x.rs again; its changes had been hidden from it", "restored src/x.rs"];
            assert_eq!(lines, told, "{option} {crashed}");
            assert_eq!(get(place.root(), "src/x.rs").as_deref(), Some("fn x() {}\n"));
            assert_eq!(get(place.root(), "src/y.rs").as_deref(), Some("honest\n"));
            assert_eq!(bed.raw(&bed.root, &["show", "refs/redraft/lost/031/x:src/x.rs"]), "hidden");
        }
    }
}
