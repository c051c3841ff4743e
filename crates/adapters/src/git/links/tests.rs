use crate::git::tests::repositories::TestRepository;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Puts a link at a path below the repository, in place of what was there.
fn link(bed: &TestRepository, at: &str, target: &Path) {
    let at = bed.root.join(at);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    if at.is_dir() {
        fs::rename(&at, at.with_extension("before")).unwrap();
    } else {
        let _ = fs::remove_file(&at);
    }
    symlink(target, &at).unwrap();
}

#[test]
fn a_link_by_which_something_outside_could_be_written_is_refused_by_name() {
    for at in [
        ".git/HEAD",
        ".git/index",
        ".git/config",
        ".git/packed-refs",
        ".git/COMMIT_EDITMSG",
        ".git/info",
        ".git/info/exclude",
        ".git/logs",
        ".git/logs/refs/heads/feature/001-idea",
        ".git/refs/heads/feature",
        ".git/refs/redraft",
        ".git/objects",
        ".git/objects/ab",
        ".git/objects/pack",
        ".git/worktrees/001-x/logs",
        ".git/redraft",
        ".git/redraft/boot",
        ".git/redraft/ledger.db",
        ".git/redraft/locks/repo",
        ".git/redraft/probes",
        ".git/redraft/probes/projects",
        ".git/redraft/agents/rehearsal/log.jsonl",
        ".git/redraft/runs/001/specify.1",
        ".git/redraft/moving/journal.json",
    ] {
        let bed = TestRepository::new();
        let repository = bed.repository();
        repository.refuse_links_out().unwrap();
        let outside = bed.root.with_file_name("outside");
        // Also where nothing is there yet: it would be made.
        for target in
            [outside.as_path(), Path::new("../../../../../../../../outside/x"), Path::new("/nowhere/at/all")]
        {
            link(&bed, at, target);
            let told = repository.refuse_links_out().unwrap_err().to_string();
            assert!(told.contains(bed.root.join(at).to_str().unwrap()), "{at}: {told}");
        }
    }
}

#[test]
fn links_that_people_have_there_are_left_alone() {
    let bed = TestRepository::new();
    let repository = bed.repository();
    fs::write(bed.root.join("hooks.d"), "").unwrap();
    for (at, target) in [
        (".git/HEAD", "refs/heads/main"),
        (".git/hooks", "/somewhere/dotfiles/hooks"),
        (".git/lfs", "/big/disk/lfs"),
        (".git/info/exclude", "../../.gitignore"),
        (".git/redraft/probes/claude/node_modules", "/usr/lib/node_modules"),
        (".git/redraft/lost/001/hooks/pre-push", "/somewhere/else"),
        (".git/redraft/moving/files/new/link", "/somewhere/else"),
    ] {
        link(&bed, at, Path::new(target));
        let found = repository.refuse_links_out();
        assert!(found.is_ok(), "{at}: {found:?}");
    }
}
