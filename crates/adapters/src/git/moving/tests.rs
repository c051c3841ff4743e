//! Checkouts that are moved in real repositories, and moves that are cut off at every step.

mod obstacles;

use super::settling::MoveEnd;
use super::*;
use crate::git::tests::repositories::{TestRepository, get, put};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;

/// A checkout on `main` with everything a tree can hold, and `next`, where all of it is different.
struct World {
    bed: TestRepository,
    repository: Repository,
    from: String,
    to: String,
}

const ODD: &[u8] = b"odd-\xff-name";

fn world() -> World {
    let bed = TestRepository::new();
    let root = bed.root.clone();
    let odd = root.join(std::ffi::OsStr::from_bytes(ODD));
    for (path, text) in [
        ("changed.txt", "old\n"),
        ("gone/deep/file.txt", "old\n"),
        ("file-then-folder", "old\n"),
        ("folder-then-file/a", "old\n"),
        ("run.sh", "#!/bin/sh\n"),
        (".gitattributes", "*.crlf text eol=crlf\n"),
        ("lines.crlf", "a\nb\n"),
        ("100%.txt", "old\n"),
    ] {
        put(&root, path, text);
    }
    fs::write(&odd, "old\n").unwrap();
    std::os::unix::fs::symlink("changed.txt", root.join("link")).unwrap();
    bed.raw(&root, &["add", "-A"]);
    bed.raw(&root, &["commit", "-q", "-m", "old"]);
    bed.raw(&root, &["switch", "-q", "-c", "next"]);
    for path in ["gone", "folder-then-file"] {
        fs::remove_dir_all(root.join(path)).unwrap();
    }
    for path in ["file-then-folder", "link"] {
        fs::remove_file(root.join(path)).unwrap();
    }
    for (path, text) in [
        ("changed.txt", "new and longer\n"),
        ("file-then-folder/b", "new\n"),
        ("folder-then-file", "new\n"),
        ("added/deep/file.txt", "new\n"),
        ("lines.crlf", "a\nb\nc\n"),
        ("100%.txt", "new!\n"),
    ] {
        put(&root, path, text);
    }
    fs::write(&odd, "new!\n").unwrap();
    std::os::unix::fs::symlink("run.sh", root.join("link")).unwrap();
    let mut mode = fs::metadata(root.join("run.sh")).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(root.join("run.sh"), mode).unwrap();
    bed.raw(&root, &["add", "-A"]);
    bed.raw(&root, &["commit", "-q", "-m", "new"]);
    bed.raw(&root, &["switch", "-q", "main"]);
    put(&root, "mine.txt", "not tracked\n");
    put(&root, "build/mine.log", "ignored\n");
    let (from, to) = (bed.raw(&root, &["rev-parse", "main"]), bed.raw(&root, &["rev-parse", "next"]));
    let repository = bed.repository();
    World { bed, repository, from, to }
}

impl World {
    fn advance(&self) -> Move<'_> {
        let head = Head::Advance { branch: "main".to_owned() };
        self.wanted(head)
    }

    fn wanted(&self, head: Head) -> Move<'_> {
        let what = "the merge of next into main".to_owned();
        Move { folder: &self.bed.root, from: &self.from, to: &self.to, head, what }
    }

    /// Everything a person sees: files with their contents, what git says of them, and where HEAD is.
    fn seen(&self) -> (BTreeMap<Vec<u8>, Vec<u8>>, String) {
        let mut files = BTreeMap::new();
        read(&self.bed.root, &self.bed.root, &mut files);
        let git = |args: &[&str]| self.bed.raw(&self.bed.root, args) + "\n";
        let told = git(&["status", "--porcelain", "--branch"])
            + &git(&["rev-parse", "HEAD"])
            + &git(&["ls-files", "--stage", "-v"])
            + &git(&["for-each-ref"]);
        (files, told)
    }

    fn assert_nothing_left_over(&self, at: &str) {
        let state = self.repository.state_dir().join("moving");
        let left: Vec<_> = fs::read_dir(&state).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["lock"], "{at}");
        for lock in ["index.lock", "HEAD.lock", "refs/heads/main.lock"] {
            assert!(!self.bed.root.join(".git").join(lock).exists(), "{at}: {lock}");
        }
        assert!(!self.bed.root.join(".redraft").exists(), "{at}");
    }
}

fn read(root: &Path, folder: &Path, files: &mut BTreeMap<Vec<u8>, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().as_os_str().as_bytes().to_vec();
        let found = path.symlink_metadata().unwrap();
        if name == b".git" {
        } else if found.is_dir() {
            // An empty folder is seen, too.
            files.insert(name, Vec::new());
            read(root, &path, files);
        } else if found.is_symlink() {
            files.insert(name, fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec());
        } else {
            let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
            let bytes = [fs::read(&path).unwrap(), (mode & 0o100).to_string().into_bytes()].concat();
            files.insert(name, bytes);
        }
    }
}

/// How far a process came before it was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killed {
    Begun,
    Locked,
    Prepared,
    Planned,
    /// So many files were in place.
    Files(usize),
    Index,
    Head,
}

/// Does what a move does, and stops there, as `kill -9` would.
fn killed(world: &World, wanted: &Move<'_>, at: Killed) {
    let desk = MoveJournal::new(&world.repository);
    let _held = desk.hold().unwrap();
    let mut journal = desk.begin(wanted).unwrap();
    if at == Killed::Begun {
        return;
    }
    desk.lock_index(&journal).unwrap();
    if at == Killed::Locked {
        return;
    }
    let plan = desk.prepare(wanted, &journal).unwrap();
    if at == Killed::Prepared {
        return;
    }
    journal.plan = Some(plan);
    desk.write(&journal).unwrap();
    if at == Killed::Planned {
        return;
    }
    if let Killed::Files(count) = at {
        // Those that go come first, as they do in a move.
        let steps = &mut journal.plan.as_mut().unwrap().steps;
        steps.sort_by_key(|step| step.new.is_some());
        steps.truncate(count);
    }
    files::apply(&journal, &Boundaries::default()).unwrap();
    if matches!(at, Killed::Files(_)) {
        return;
    }
    desk.install_index(&mut journal).unwrap();
    if at == Killed::Index {
        return;
    }
    desk.move_head(wanted, &journal).unwrap();
}

/// Every step of a move in this world.
fn every_step() -> Vec<Killed> {
    let mut steps = vec![Killed::Begun, Killed::Locked, Killed::Prepared, Killed::Planned];
    steps.extend((0..=FILES).map(Killed::Files));
    steps.extend([Killed::Index, Killed::Head]);
    steps
}

/// The files that differ between the two commits.
const FILES: usize = 12;

#[test]
fn a_checkout_is_moved_with_all_its_files_and_nothing_else_is_touched() {
    for switches in [false, true] {
        let world = world();
        let head = match switches {
            false => Head::Advance { branch: "main".to_owned() },
            true => Head::Switch { was: "refs/heads/main".to_owned(), branch: "next".to_owned() },
        };
        world.repository.move_checkout(&world.wanted(head), &Boundaries::default()).unwrap();
        let root = &world.bed.root;
        assert_eq!(world.bed.raw(root, &["status", "--porcelain"]), "?? mine.txt", "switches: {switches}");
        assert_eq!(world.bed.raw(root, &["rev-parse", "HEAD"]), world.to);
        let on = world.bed.raw(root, &["symbolic-ref", "--short", "HEAD"]);
        assert_eq!(on, if switches { "next" } else { "main" });
        assert_eq!(get(root, "lines.crlf").as_deref(), Some("a\r\nb\r\nc\r\n"), "as git would write it");
        assert_eq!(get(root, "build/mine.log").as_deref(), Some("ignored\n"));
        assert!(!root.join("gone").exists(), "an empty folder goes");
        world.assert_nothing_left_over("moved");
        let log = world.bed.raw(root, &["log", "-g", "-1", "--format=%gs", "HEAD"]);
        assert_eq!(log, "redraft: the merge of next into main");
        // What git itself would have left is the same.
        let ours = world.seen().0;
        world.bed.raw(root, &["checkout", "-q", "--detach", &world.from]);
        world.bed.raw(root, &["checkout", "-q", "--detach", &world.to]);
        assert_eq!(world.seen().0, ours);
    }
}

#[test]
fn a_move_killed_at_any_step_is_put_back_or_completed_as_a_whole() {
    let heads = [
        Head::Advance { branch: "main".to_owned() },
        Head::Switch { was: "refs/heads/main".to_owned(), branch: "next".to_owned() },
    ];
    for (head, step) in heads.iter().flat_map(|head| every_step().into_iter().map(move |step| (head, step))) {
        let world = world();
        let at = format!("{head:?}, {step:?}");
        let before = world.seen();
        killed(&world, &world.wanted(head.clone()), step);
        let cut_off = world.repository.cut_off().unwrap();
        assert_eq!(cut_off.what, "the merge of next into main", "{at}");
        let settled = world.repository.recover_interrupted_move().unwrap().unwrap();
        assert_eq!(settled.left, [""; 0], "{at}");
        if step == Killed::Head {
            assert_eq!(settled.end, MoveEnd::Completed, "{at}");
            assert_eq!(world.bed.raw(&world.bed.root, &["status", "--porcelain"]), "?? mine.txt", "{at}");
            assert_eq!(world.bed.raw(&world.bed.root, &["rev-parse", "HEAD"]), world.to, "{at}");
        } else {
            assert_eq!(settled.end, MoveEnd::PutBack, "{at}");
            assert_eq!(world.seen(), before, "{at}");
        }
        world.assert_nothing_left_over(&at);
        assert_eq!(world.repository.cut_off(), None, "{at}");
        assert_eq!(world.repository.recover_interrupted_move().unwrap(), None, "{at}");
    }
    let world = world();
    killed(&world, &world.advance(), Killed::Planned);
    let steps = MoveJournal::new(&world.repository).read().unwrap().unwrap().plan.unwrap().steps.len();
    assert_eq!(steps, FILES, "the table has every file");
}

#[test]
fn settling_that_is_cut_off_itself_is_done_by_the_next() {
    for done in 0..FILES {
        let world = world();
        let before = world.seen();
        killed(&world, &world.advance(), Killed::Index);
        // What a first process came to before it was killed as well.
        let mut journal = MoveJournal::new(&world.repository).read().unwrap().unwrap();
        let steps = &mut journal.plan.as_mut().unwrap().steps;
        steps.sort_by_key(|step| step.old.is_some());
        steps.truncate(done);
        files::put_back(&journal).unwrap();
        let settled = world.repository.recover_interrupted_move().unwrap().unwrap();
        assert_eq!((settled.end, settled.left), (MoveEnd::PutBack, Vec::new()), "{done}");
        assert_eq!(world.seen(), before, "{done}");
    }
}

#[test]
fn a_repository_that_was_moved_as_a_whole_is_settled_where_it_is_now() {
    let world = world();
    let before = world.seen();
    killed(&world, &world.advance(), Killed::Files(6));
    let elsewhere = world.bed.root.with_file_name("elsewhere");
    fs::rename(&world.bed.root, &elsewhere).unwrap();
    let repository = Repository::discover_with(world.bed.git.clone(), &elsewhere).unwrap();
    let settled = repository.recover_interrupted_move().unwrap().unwrap();
    assert_eq!((settled.end, &settled.folder), (MoveEnd::PutBack, &elsewhere));
    fs::rename(&elsewhere, &world.bed.root).unwrap();
    assert_eq!(world.seen(), before);
}

#[test]
fn a_checkout_on_another_disk_is_moved_and_put_back_as_well() {
    let memory = Path::new("/dev/shm");
    let Ok(elsewhere) = tempfile::tempdir_in(memory) else { return };
    let world = world();
    let folder = elsewhere.path().join("checkout");
    world
        .bed
        .raw(&world.bed.root, &["worktree", "add", "-q", "-b", "side", folder.to_str().unwrap(), "main"]);
    let status = || world.bed.raw(&folder, &["status", "--porcelain"]);
    let what = "a merge".to_owned();
    let head = Head::Advance { branch: "side".to_owned() };
    let wanted = Move { folder: &folder, from: &world.from, to: &world.to, head, what };
    killed(&world, &wanted, Killed::Files(8));
    assert_eq!(world.repository.recover_interrupted_move().unwrap().unwrap().end, MoveEnd::PutBack);
    assert_eq!(
        (status(), world.bed.raw(&folder, &["rev-parse", "HEAD"])),
        (String::new(), world.from.clone())
    );
    world.repository.move_checkout(&wanted, &Boundaries::default()).unwrap();
    assert_eq!((status(), world.bed.raw(&folder, &["rev-parse", "HEAD"])), (String::new(), world.to.clone()));
    assert!(!folder.join(".redraft").exists());
}

#[test]
fn folders_that_were_made_for_files_that_never_came_are_taken_away_again() {
    for made in ["added", "added/deep"] {
        let world = world();
        killed(&world, &world.advance(), Killed::Planned);
        fs::create_dir_all(world.bed.root.join(made)).unwrap();
        assert_eq!(
            world.repository.recover_interrupted_move().unwrap().unwrap().end,
            MoveEnd::PutBack,
            "{made}"
        );
        assert!(!world.bed.root.join("added").exists(), "{made}");
    }
}
