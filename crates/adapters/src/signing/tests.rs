use super::*;
use std::os::unix::fs::PermissionsExt as _;
use tempfile::TempDir;

fn trust(home: &Path) -> Trust {
    let home = home.as_os_str().to_owned();
    Trust::from_environment(|name| (name == "XDG_STATE_HOME").then(|| home.clone()))
}

fn signer(home: &TempDir, repository: &TempDir) -> Result<Signer, TrustError> {
    let git = repository.path();
    trust(home.path()).signer(RepositoryPlace { git, checkout: git }, &git.join("redraft"))
}

fn folders() -> (TempDir, TempDir) {
    (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap())
}

#[test]
fn a_key_is_made_once_for_the_user_alone_and_shows_nothing_of_itself() {
    let (home, repository) = folders();
    assert_eq!(trust(home.path()).own_key().unwrap(), None);
    let first = signer(&home, &repository).unwrap();
    let again = signer(&home, &tempfile::tempdir().unwrap()).unwrap();
    assert_eq!(first.public(), again.public());
    assert_eq!(trust(home.path()).own_key().unwrap(), Some(first.public()));
    let folder = home.path().join("redraft");
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(FILE))), (0o700, 0o600));
    let text = fs::read_to_string(folder.join(FILE)).unwrap();
    let secret = text.lines().find_map(|line| line.strip_prefix("ed25519 ")).unwrap();
    assert!(!format!("{first:?}").contains(secret) && !format!("{}", first.public()).contains(secret));
    let (other, _) = folders();
    assert_ne!(signer(&other, &repository).unwrap().public(), first.public());
}

#[test]
fn a_key_that_others_can_reach_or_that_is_none_signs_nothing() {
    let (home, repository) = folders();
    signer(&home, &repository).unwrap();
    let folder = home.path().join("redraft");
    let file = folder.join(FILE);
    for (path, open, closed) in [(&file, 0o640, 0o600), (&file, 0o602, 0o600), (&folder, 0o720, 0o700)] {
        fs::set_permissions(path, fs::Permissions::from_mode(open)).unwrap();
        let refused = signer(&home, &repository).unwrap_err();
        assert!(matches!(&refused, TrustError::KeyOpen(named) if named == path), "{refused}");
        fs::set_permissions(path, fs::Permissions::from_mode(closed)).unwrap();
        signer(&home, &repository).unwrap();
    }
    for text in ["", "ed25519 00\n", "# a line\nrsa 1234\n", "ed25519 zz\n"] {
        fs::write(&file, text).unwrap();
        let refused = signer(&home, &repository).unwrap_err();
        assert!(matches!(refused, TrustError::Key { .. }), "{text:?}: {refused}");
    }
}

#[test]
fn a_signature_is_of_all_parts_of_one_kind_by_one_key() {
    let (home, repository) = folders();
    let signer = signer(&home, &repository).unwrap();
    let (other_home, _) = folders();
    let other = self::signer(&other_home, &repository).unwrap();
    let signature = signer.sign("entry", &[b"ab", b"c"]);
    assert!(signer.has_signed("entry", &[b"ab", b"c"], &signature));
    assert_eq!(whose("entry", &[b"ab", b"c"], &signature), Some(signer.public()));
    assert!(!signer.has_signed("entry", &[b"a", b"bc"], &signature));
    assert!(!signer.has_signed("answer", &[b"ab", b"c"], &signature));
    assert!(!other.has_signed("entry", &[b"ab", b"c"], &signature));
    // The name of another key before a signature makes it nobody's.
    let renamed = [other.public().0.as_slice(), &signature[PUBLIC_BYTES..]].concat();
    assert_eq!(whose("entry", &[b"ab", b"c"], &renamed), None);
    assert_eq!(whose("entry", &[b"ab", b"c"], b"short"), None);
}

#[test]
fn how_far_a_ledger_was_signed_is_noted_for_each_repository() {
    let (home, repository) = folders();
    let one = signer(&home, &repository).unwrap();
    assert_eq!(one.head(), None);
    for seq in [12, 7] {
        let head = SignedHead { seq, chain: "ab".repeat(32), ledger: "a-ledger".to_owned() };
        one.keep_head(&head);
        assert_eq!(signer(&home, &repository).unwrap().head(), Some(head));
    }
    assert_eq!(signer(&home, &tempfile::tempdir().unwrap()).unwrap().head(), None);
    // What a power cut left of it says nothing.
    fs::write(&one.head, "0000").unwrap();
    assert_eq!(one.head(), None);
}
