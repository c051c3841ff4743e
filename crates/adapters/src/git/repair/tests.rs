use super::super::tests::repositories::{TestRepository, paths};
use super::*;
use redraft_engine::ports::{Trailers, Workspace as _};

#[test]
fn the_object_that_git_complains_of_is_found() {
    let id = "898bd5dbdd6e7ab994fca5d3274db1d140014abe";
    for line in [
        format!(
            "error: {id}: object corrupt or missing: .git/objects/89/8bd5dbdd6e7ab994fca5d3274db1d140014abe"
        ),
        format!("error: {id}: hash-path mismatch, found at: .git/objects/89/8bd5"),
        format!("missing blob {id}"),
        format!("missing commit {id}"),
    ] {
        assert_eq!(complained_of(&line), Some(id), "{line}");
    }
    for line in
        ["error: inflate: data stream error (incorrect header check)", "notice: No default references", ""]
    {
        assert_eq!(complained_of(line), None, "{line}");
    }
}

#[test]
fn a_branch_is_readable_only_while_all_of_its_own_objects_are() {
    let bed = TestRepository::new();
    let place = bed.feature();
    let base = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    place.write("docs/spec.md", b"text").unwrap();
    place.commit(&paths(&["docs/spec.md"]), "draft", &Trailers::default()).unwrap();
    place.require_readable(&base).unwrap();
    let repository = bed.repository();
    let head = bed.raw(place.root(), &["rev-parse", "HEAD"]);
    for name in ["HEAD:docs/spec.md", "HEAD:docs", "HEAD^{tree}", "HEAD"] {
        let id = bed.raw(place.root(), &["rev-parse", name]);
        let file = repository.common_dir().join("objects").join(&id[..2]).join(&id[2..]);
        let whole = fs::read(&file).unwrap();
        for bytes in [Vec::new(), b"garbage".to_vec(), whole[..whole.len() / 2].to_vec()] {
            fs::remove_file(&file).unwrap();
            fs::write(&file, &bytes).unwrap();
            let place = GitWorkspace::open(&repository, place.root(), place.branch()).unwrap();
            let error = place.require_readable(&base).unwrap_err();
            assert!(matches!(error, WorkspaceError::Damaged { .. }), "{name}: {error:?}");
            let damage = repository.damage().unwrap();
            assert!(damage.ids.contains(&id), "{name}: {damage:?}");
            assert!(!repository.is_whole(&head, Some(&base), &damage).unwrap(), "{name}");
            assert!(repository.is_whole(&base, None, &damage).unwrap(), "{name}");
        }
        fs::remove_file(&file).unwrap();
        fs::write(&file, whole).unwrap();
    }
    assert_eq!(repository.damage().unwrap(), Damage::default());
}
