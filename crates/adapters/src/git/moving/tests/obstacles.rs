//! What somebody else does to a checkout before, during and after a move.

use super::*;

#[test]
fn what_somebody_changed_since_is_left_and_named() {
    for step in [Killed::Files(3), Killed::Files(FILES), Killed::Index, Killed::Head] {
        let world = world();
        let root = &world.bed.root;
        killed(&world, &world.advance(), step);
        put(root, "changed.txt", "mine\n");
        put(root, "README.md", "mine, and nothing to do with it\n");
        let settled = world.repository.recover_interrupted_move().unwrap().unwrap();
        assert_eq!(settled.left, ["changed.txt"], "{step:?}");
        let told = settled.to_string();
        assert!(told.ends_with("except for what was changed there since: changed.txt"), "{told}");
        assert_eq!(get(root, "changed.txt").as_deref(), Some("mine\n"), "{step:?}");
        let status = world.bed.raw(root, &["status", "--porcelain"]);
        assert_eq!(status, " M README.md\n M changed.txt\n?? mine.txt", "{step:?}");
    }
}

#[test]
fn who_put_it_right_by_hand_is_told_of_no_file() {
    let world = world();
    let root = &world.bed.root;
    killed(&world, &world.advance(), Killed::Files(7));
    // As git itself advises.
    fs::remove_file(root.join(".git/index.lock")).unwrap();
    world.bed.raw(root, &["reset", "-q", "--hard"]);
    let settled = world.repository.recover_interrupted_move().unwrap().unwrap();
    assert_eq!((settled.end, settled.left), (MoveEnd::PutBack, Vec::new()));
    assert!(world.bed.raw(root, &["status", "--porcelain", "-uno"]).is_empty());
}

#[test]
fn a_branch_that_somebody_moved_since_is_left_with_all_files() {
    let world = world();
    let root = &world.bed.root;
    killed(&world, &world.advance(), Killed::Files(FILES));
    fs::remove_file(root.join(".git/index.lock")).unwrap();
    world.bed.raw(root, &["commit", "-q", "-a", "-m", "mine"]);
    let seen = world.seen();
    let settled = world.repository.recover_interrupted_move().unwrap().unwrap();
    assert_eq!(settled.end, MoveEnd::Left);
    assert!(settled.to_string().contains("was moved since"), "{settled}");
    assert_eq!(world.seen(), seen);
    world.assert_nothing_left_over("left");
}

#[test]
fn a_lock_of_somebody_else_stops_a_move_and_is_never_removed() {
    let world = world();
    let lock = world.bed.root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let before = world.seen();
    let refused = world.repository.move_checkout(&world.advance(), &Boundaries::default());
    assert!(matches!(&refused, Err(MoveError::Git(error)) if error.lock().is_some()), "{refused:?}");
    assert_eq!(world.seen(), before);
    assert!(lock.exists());
    fs::remove_file(&lock).unwrap();
    killed(&world, &world.advance(), Killed::Files(5));
    fs::write(&lock, "somebody's new one").unwrap();
    world.repository.recover_interrupted_move().unwrap().unwrap();
    assert!(lock.exists());
}

#[test]
fn what_is_in_the_way_stops_a_move_and_nothing_is_touched() {
    type Change = fn(&Path);
    let cases: [(&str, Change); 5] = [
        ("added/deep/file.txt", |root| put(root, "added/deep/file.txt", "mine\n")),
        ("changed.txt", |root| put(root, "changed.txt", "mine\n")),
        ("folder-then-file", |root| put(root, "folder-then-file/mine", "mine\n")),
        ("added", |root| std::os::unix::fs::symlink("build", root.join("added")).unwrap()),
        ("lines.crlf", |root| fs::remove_file(root.join("lines.crlf")).unwrap()),
    ];
    for (named, change) in cases {
        let world = world();
        change(&world.bed.root);
        let before = world.seen();
        let refused = world.repository.move_checkout(&world.advance(), &Boundaries::default());
        if named == "lines.crlf" {
            // A file that is gone is nobody's work; git writes the new one.
            assert!(refused.is_ok(), "{refused:?}");
            continue;
        }
        let Err(MoveError::InTheWay(detail)) = refused else { panic!("{named}: {refused:?}") };
        assert!(detail.contains(named), "{named}: {detail}");
        assert_eq!(world.seen(), before, "{named}");
        world.assert_nothing_left_over(named);
    }
}

#[test]
fn a_branch_that_moves_at_the_last_moment_takes_everything_back() {
    let world = world();
    let root = &world.bed.root;
    let elsewhere = world.bed.raw(root, &["commit-tree", "-m", "elsewhere", "HEAD^{tree}", "-p", "HEAD"]);
    let before = world.seen().0;
    let desk = MoveJournal::new(&world.repository);
    let wanted = world.advance();
    killed(&world, &wanted, Killed::Index);
    world.bed.raw(root, &["update-ref", "refs/heads/main", &elsewhere]);
    let journal = desk.read().unwrap().unwrap();
    assert!(matches!(desk.move_head(&wanted, &journal), Err(MoveError::Moved)));
    world.bed.raw(root, &["update-ref", "refs/heads/main", &world.from]);
    world.repository.recover_interrupted_move().unwrap().unwrap();
    assert_eq!(world.seen().0, before);
}

#[test]
fn a_journal_that_cannot_be_followed_is_named_and_nothing_is_touched() {
    let world = world();
    killed(&world, &world.advance(), Killed::Files(5));
    let file = world.repository.state_dir().join("moving/journal.json");
    let text = fs::read_to_string(&file).unwrap();
    for bad in ["", "{}", &text.replacen("\"v\":1", "\"v\":2", 1)] {
        fs::write(&file, bad).unwrap();
        let told = world.repository.recover_interrupted_move().unwrap_err().to_string();
        assert!(told.contains("journal.json describes a checkout"), "{told}");
    }
    fs::write(&file, text).unwrap();
    assert!(world.repository.recover_interrupted_move().unwrap().is_some());
}

#[test]
fn a_journal_that_names_something_outside_of_the_repository_is_not_followed() {
    let world = world();
    killed(&world, &world.advance(), Killed::Files(5));
    let file = world.repository.state_dir().join("moving/journal.json");
    let honest: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let precious = world.bed.root.with_file_name("precious");
    fs::create_dir(&precious).unwrap();
    put(&precious, "thesis", "work\n");
    let outside = precious.to_str().unwrap();
    for (field, value) in [
        ("/checkout", "../precious"),
        ("/checkout", outside),
        ("/git_dir", "../precious"),
        ("/staging", "../precious"),
        ("/staging", outside),
        ("/staging", ""),
        ("/from", ""),
        ("/to", ""),
        ("/to", "--output=x"),
        ("/head/advance/branch", "../../../../precious/thesis"),
        ("/head/advance/branch", "-x"),
        ("/plan/steps/0/path", "../precious/thesis"),
        ("/plan/steps/0/path", outside),
        ("/plan/steps/0/path", "%2E%2E/precious/thesis"),
        ("/plan/steps/0/path", ".git/config"),
        ("/plan/steps/0/path", "sub/.GIT/config"),
        ("/plan/steps/0/path", ""),
        ("/plan/submodules/0", "../precious"),
    ] {
        let mut forged = honest.clone();
        if field == "/plan/submodules/0" {
            forged["plan"]["submodules"] = serde_json::json!([""]);
        }
        *forged.pointer_mut(field).unwrap() = serde_json::json!(value);
        fs::write(&file, forged.to_string()).unwrap();
        let told = world.repository.recover_interrupted_move().unwrap_err().to_string();
        assert!(told.contains("journal.json describes a checkout"), "{field} {value}: {told}");
        assert_eq!(get(&precious, "thesis").as_deref(), Some("work\n"), "{field} {value}");
    }
    fs::write(&file, honest.to_string()).unwrap();
    assert!(world.repository.recover_interrupted_move().unwrap().is_some());
}

#[test]
fn nothing_is_put_behind_a_link_that_stands_in_the_way_since() {
    for (step, end) in [(Killed::Planned, MoveEnd::PutBack), (Killed::Head, MoveEnd::Completed)] {
        let world = world();
        let root = &world.bed.root;
        killed(&world, &world.advance(), step);
        let outside = root.with_file_name("outside");
        fs::create_dir_all(outside.join("deep")).unwrap();
        let _ = fs::remove_dir_all(root.join("added"));
        std::os::unix::fs::symlink(&outside, root.join("added")).unwrap();
        assert_eq!(world.repository.recover_interrupted_move().unwrap().unwrap().end, end);
        assert_eq!(fs::read_dir(outside.join("deep")).unwrap().count(), 0, "{step:?}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1, "{step:?}");
    }
}
