use super::*;

fn file(name: &str, text: &str) -> FolderFile {
    FolderFile { name: name.to_owned(), content: Ok(text.to_owned()) }
}

fn folder(path: &str, files: &[(&str, &str)]) -> Folder {
    let files = files.iter().map(|(name, text)| file(name, text)).collect();
    Folder { path: path.to_owned(), layout: Layout::Feature, files }
}

fn kind_of(name: &str, text: &str) -> String {
    let feature = understand(&folder("docs/features/031-x", &[(name, text)]));
    match (feature.artifacts.as_slice(), feature.unknown.as_slice()) {
        ([found], []) => format!("{} by {}", found.kind.name(), found.how),
        ([], [unknown]) => unknown.reason.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_name_tells_what_a_document_is_in_the_spellings_people_use() {
    let cases = [
        (
            "spec",
            "spec.md SPEC.md Specification.md requirements.md 01-spec.md functional-spec.md spec_v2.md user-stories.md spec-auth.md",
        ),
        (
            "design",
            "design.md Architecture.md technical-design.md tech-spec.md design-doc.md 02_design.markdown HLD.txt",
        ),
        ("plan", "plan.md implementation-plan.md IMPLEMENTATION_PLAN.md plan-final.md"),
        ("tasks", "tasks.md todo.md TODO.md task-list.md todo design-tasks.md Tasks.txt"),
        ("prd", "prd.md brainstorm.md 20260319-143022-x.prd.md proposal.md product-requirements.md"),
        ("research", "research.md spike.md requirements-analysis.md"),
        ("retro", "retro.md retrospective.md post-mortem.md lessons-learned.md"),
        ("review-history", ".review-history.md review-history.md design-review.md"),
        ("implementation-log", "implementation-log.md impl-log.md progress.md"),
        ("data-model", "data-model.md schema.md"),
        ("quickstart", "quickstart.md"),
        ("contract", "contracts/orders.yaml contracts/api.md openapi.yaml"),
        ("checklist", "checklists/requirements.md"),
        ("test-plan", "test-plan.md"),
        ("decisions", "adr/0001-use-git.md decisions.md"),
        ("notes", "README.md notes.md"),
    ];
    for (kind, names) in cases {
        for name in names.split(' ') {
            let told = kind_of(name, "Something.\n");
            assert_eq!(told.split(' ').next(), Some(kind), "{name}: {told}");
        }
    }
}

#[test]
fn where_the_name_does_not_tell_the_content_does() {
    let cases = [
        ("login.md", "# Spec: log in\n\nText.\n", "spec by its title"),
        ("login.md", "# Log in — Technical Design\n", "design by its title"),
        ("login.md", "# Log in\n\n- [ ] one\n- [x] two\n  - [ ] three\n", "tasks by its check boxes"),
        (
            "a.md",
            "# Log in\n\n## 1. Architecture\n\n## 2. Components\n\n## Risks\n",
            "design by its headings",
        ),
        ("a.md", "# Log in\n\n## User Stories\n\n## Acceptance Criteria\n", "spec by its headings"),
        ("a.md", "# Log in\n\n## Phase 1: begin\n\n## Phase 2: go on\n", "plan by its headings"),
        ("README.md", "# Log in\n\n## Requirements\n\n## Acceptance Criteria\n", "spec by its headings"),
        (
            "a.md",
            "# Log in\n\n```\n- [ ] one\n- [ ] two\n- [ ] three\n```\n",
            "neither its name nor its headings tell what it is",
        ),
        (
            "task-queue.md",
            "# Task queue\n\nText.\n",
            "its name has the word `task`, but neither its title nor its headings bear it out",
        ),
        ("log-in.md", "# Log in\n\n## Architecture\n\n## Components\n", "design by its headings"),
        ("a.png", "x", "it is not a document, and its name does not tell what it is"),
        ("tasks.json", "{}", "its name says tasks, but it is not Markdown"),
        ("spec.md", " \n", "it is empty"),
    ];
    for (name, text, expected) in cases {
        assert_eq!(kind_of(name, text), expected, "{text}");
    }
}

#[test]
fn what_could_not_be_read_is_named_with_the_reason() {
    let mut found = folder("docs/features/031-x", &[("plan.md", "# Plan\n"), (".gitkeep", "")]);
    found
        .files
        .push(FolderFile { name: "spec.md".to_owned(), content: Err("it is not UTF-8 text".to_owned()) });
    let feature = understand(&found);
    assert_eq!(
        feature.unknown,
        [Unknown { file: "spec.md".to_owned(), reason: "it is not UTF-8 text".to_owned() }]
    );
    assert_eq!(feature.phases(), [Phase::CreatePlan]);
    assert!(feature.notes.iter().any(|note| note.contains("no spec.md")), "{:?}", feature.notes);
}

#[test]
fn ticked_boxes_complete_a_feature_only_where_every_document_of_it_can_be_read() {
    let mut found = folder("docs/features/031-x", &[("tasks.md", "# Tasks\n\n- [x] one\n- [x] two\n")]);
    assert_eq!(understand(&found).life, FeatureLife::Completed);
    found
        .files
        .push(FolderFile { name: "page.png".to_owned(), content: Err("it is not a document".to_owned()) });
    assert_eq!(understand(&found).life, FeatureLife::Completed);
    found
        .files
        .push(FolderFile { name: "spec.md".to_owned(), content: Err("it is not UTF-8 text".to_owned()) });
    let feature = understand(&found);
    assert_eq!(feature.life, FeatureLife::Active);
    assert!(feature.notes.iter().any(|note| note.contains("spec.md cannot be read")), "{:?}", feature.notes);
}

#[test]
fn the_name_of_a_folder_may_have_a_number_a_date_or_neither() {
    let cases = [
        ("031-rate-limits", Some(31), "rate-limits"),
        ("31_Rate Limits", Some(31), "rate-limits"),
        ("feature-031-rate-limits", Some(31), "rate-limits"),
        ("F031-rate-limits", Some(31), "rate-limits"),
        ("031", Some(31), "feature"),
        ("rate-limits", None, "rate-limits"),
        ("2026-03-19-rate-limits", None, "rate-limits"),
        ("20260319-143022-rate-limits", None, "rate-limits"),
        ("2fa", None, "2fa"),
        ("000-nothing", None, "000-nothing"),
        (
            "a-folder-name-of-more-than-six-words-is-kept",
            None,
            "a-folder-name-of-more-than-six-words-is-kept",
        ),
        ("設計", None, "設計"),
        ("031-größe", Some(31), "größe"),
        ("031-Größe", Some(31), "grosse"),
    ];
    for (name, number, slug) in cases {
        let expected = FolderName { number: number.map(FeatureId), slug: slug.to_owned() };
        assert_eq!(named(name), expected, "{name}");
    }
}

#[test]
fn of_two_documents_of_a_kind_the_one_with_the_nearer_name_is_taken() {
    let files = [
        ("old/spec.md", "# A\n"),
        ("requirements.md", "# B\n"),
        ("SPEC.md", "# Spec: log in\n"),
        ("notes.md", "# N\n"),
    ];
    let feature = understand(&folder("docs/features/031-x", &files));
    let documents = feature.documents();
    assert_eq!(documents.get("spec.md"), Some(&vec!["SPEC.md"]));
    assert_eq!(documents.get("old/spec.md"), Some(&vec!["old/spec.md"]));
    assert_eq!(feature.notes.len(), 2, "{:?}", feature.notes);
    assert_eq!(feature.idea, "log in");
}

#[test]
fn a_meta_file_is_read_with_the_fields_that_are_known_and_the_rest_named() {
    let meta = r#"{"id": "012", "status": "In Progress", "mode": "Full", "project_id": "P001",
        "depends_on_features": ["010-keys"], "brainstorm_source": "docs/brainstorms/x.prd.md", "phases": {},
        "partialPhase": 1, "reviewerNotes": []}"#;
    let feature = understand(&folder("docs/features/031-x", &[(".meta.json", meta), ("spec.md", "# S\n")]));
    assert_eq!(
        (feature.number, feature.life, feature.lane()),
        (Some(FeatureId(31)), FeatureLife::Active, Lane::Deep)
    );
    assert_eq!(feature.meta.depends_on, ["010-keys"]);
    assert_eq!(feature.meta.project.as_deref(), Some("P001"));
    assert_eq!(feature.notes.len(), 2, "{:?}", feature.notes);
    assert!(feature.notes[1].ends_with("partialPhase, reviewerNotes"), "{:?}", feature.notes);
    let rehearsed = r#"{"rehearsed": true, "status": "active"}"#;
    let rehearsed =
        understand(&folder("docs/features/031-x", &[(".meta.json", rehearsed), ("spec.md", "# S\n")]));
    assert!(
        rehearsed.meta.rehearsed && rehearsed.notes[0].contains("rehearsal agent"),
        "{:?}",
        rehearsed.notes
    );
    let broken = understand(&folder("docs/features/031-x", &[(".meta.json", "{,")]));
    assert!(broken.unknown[0].reason.starts_with("it is no JSON object"), "{broken:?}");
    let strange = read_meta(r#"{"status": "simmering", "id": 7}"#).unwrap();
    assert_eq!((strange.status, strange.id), (Some(FeatureLife::Active), Some(FeatureId(7))));
    assert_eq!(strange.strange_status.as_deref(), Some("simmering"));
}

#[test]
fn where_a_feature_stands_is_told_by_its_meta_file_else_by_its_boxes_else_by_its_documents() {
    let life = |files: &[(&str, &str)]| understand(&folder("docs/features/031-x", files)).life;
    assert_eq!(life(&[("prd.md", "# P\n")]), FeatureLife::Planned);
    assert_eq!(life(&[("spec.md", "# S\n"), ("tasks.md", "- [x] a\n- [ ] b\n")]), FeatureLife::Active);
    assert_eq!(life(&[("spec.md", "# S\n"), ("tasks.md", "- [x] a\n- [X] b\n")]), FeatureLife::Completed);
    let meta = r#"{"status": "abandoned"}"#;
    assert_eq!(life(&[("tasks.md", "- [x] a\n"), ("meta.json", meta)]), FeatureLife::Abandoned);
}

#[test]
fn a_missing_document_between_others_is_a_gap_but_the_first_is_not() {
    let feature = understand(&folder(
        "specs/001-x",
        &[("spec.md", "# S\n"), ("plan.md", "# P\n"), ("tasks.md", "# T\n")],
    ));
    assert_eq!(feature.gaps(), [Phase::Design]);
    let feature = understand(&folder("specs/001-x", &[("plan.md", "# P\n")]));
    assert_eq!(feature.gaps(), [Phase::Design]);
}

#[test]
fn the_spec_of_an_openspec_change_is_made_of_its_deltas() {
    let mut change = folder(
        "openspec/changes/add-limits",
        &[
            ("proposal.md", "# Change: add limits\n\n## Why\n"),
            ("specs/api/spec.md", "## ADDED Requirements\n"),
            ("specs/keys/spec.md", "# Keys\n\n## MODIFIED Requirements\n"),
            ("tasks.md", "- [x] a\n- [ ] b\n"),
            (".openspec.yaml", "schema: 1\n"),
        ],
    );
    change.layout = Layout::OpenSpec { archived: false };
    let feature = understand(&change);
    let documents = feature.documents();
    assert_eq!(documents.get("spec.md"), Some(&vec!["specs/api/spec.md", "specs/keys/spec.md"]));
    assert_eq!(documents.get("prd.md"), Some(&vec!["proposal.md"]));
    assert_eq!(feature.gaps(), [Phase::Design, Phase::CreatePlan]);
    let joined =
        join(&[("specs/api/spec.md", "## ADDED Requirements\n"), ("specs/keys/spec.md", "# Keys\n\nText\n")]);
    assert_eq!(joined, "# api\n\n## ADDED Requirements\n\n# Keys\n\nText\n");
    change.layout = Layout::OpenSpec { archived: true };
    assert_eq!(understand(&change).life, FeatureLife::Completed);
}

#[test]
fn a_number_is_given_once_and_whoever_comes_second_gets_the_next_free_one() {
    let named = |name: &str| understand(&folder(name, &[("spec.md", "# S\n")]));
    let mut features = [named("031-a"), named("031-b"), named("plain"), named("040-c")];
    give_numbers(&mut features, &BTreeSet::from([FeatureId(40), FeatureId(38)]));
    let ids: Vec<u32> = features.iter().map(|feature| feature.id.0).collect();
    assert_eq!(ids, [31, 41, 42, 43]);
    assert_eq!(features[1].notes, ["number 031 belongs to another feature, so it gets 041"]);
    assert_eq!(features[2].notes, ["its folder has no number, so it gets 042"]);
}

#[test]
fn understanding_never_panics_whatever_the_names_and_texts() {
    for name in ["", ".", "..", "/", "a/", ".md", "спека.md", "-", "031-", "20", "2026-13", "f", "F1"] {
        for text in ["", "#", "# ", "- [", "```", "\u{feff}# Spec", "# a:b:c:—"] {
            understand(&folder(name, &[(name, text), ("x", text)]));
        }
    }
}
