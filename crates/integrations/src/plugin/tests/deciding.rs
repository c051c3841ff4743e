//! Tests what an export does to a folder that already holds something.

use super::super::plan::ExportRefusedWhy;
use super::super::*;
use proptest::prelude::*;

const OURS: &str = "ours\n";

fn whole(path: &str, text: &str) -> ExportFile {
    ExportFile::whole(path, text)
}

fn section(text: &str) -> ExportFile {
    let form = OurShare::Block(&block::MARKDOWN, SaysAlready::Table("a.b"));
    ExportFile { path: "AGENTS.md".to_owned(), text: block::marked(text, &block::MARKDOWN), form }
}

/// A folder that does what plans say.
#[derive(Clone, Default)]
struct Folder {
    files: BTreeMap<String, Vec<u8>>,
    inventory: Inventory,
}

impl Folder {
    fn put(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
    }

    fn text(&self, path: &str) -> &str {
        core::str::from_utf8(&self.files[path]).unwrap()
    }

    fn planned(&self, made: &[ExportFile], replace: bool) -> Result<Plan, Vec<ExportRefused>> {
        plan(PluginTarget::Claude, made, &self.inventory, &self.files, replace)
    }

    fn export(&mut self, made: &[ExportFile], replace: bool) -> Vec<(String, ExportStepKind)> {
        self.export_for(PluginTarget::Claude, made, replace)
    }

    fn export_for(
        &mut self,
        target: PluginTarget,
        made: &[ExportFile],
        replace: bool,
    ) -> Vec<(String, ExportStepKind)> {
        let plan = plan(target, made, &self.inventory, &self.files, replace).unwrap();
        for step in &plan.steps {
            match &step.what {
                ExportStepKind::Write(text) => self.put(&step.path, text),
                ExportStepKind::SetAside(text) => {
                    let mine = self.text(&step.path).to_owned();
                    let names = (1..).map(|number| match number {
                        1 => format!("{}.mine", step.path),
                        number => format!("{}.mine.{number}", step.path),
                    });
                    let free = names.into_iter().find(|name| !self.files.contains_key(name)).unwrap();
                    self.put(&free, &mine);
                    self.put(&step.path, text);
                }
                ExportStepKind::Remove => drop(self.files.remove(&step.path)),
                ExportStepKind::Unchanged | ExportStepKind::Keep(_) => {}
            }
        }
        self.inventory = plan.inventory;
        plan.steps.into_iter().map(|step| (step.path, step.what)).collect()
    }
}

fn one(path: &str, what: ExportStepKind) -> Vec<(String, ExportStepKind)> {
    vec![(path.to_owned(), what)]
}

#[test]
fn a_file_nobody_edited_follows_the_program() {
    let mut folder = Folder::default();
    assert_eq!(folder.export(&[whole("a", OURS)], false), one("a", ExportStepKind::Write(OURS.to_owned())));
    assert_eq!(folder.export(&[whole("a", OURS)], false), one("a", ExportStepKind::Unchanged));
    assert_eq!(
        folder.export(&[whole("a", "new\n")], false),
        one("a", ExportStepKind::Write("new\n".to_owned()))
    );
    assert_eq!(folder.text("a"), "new\n");
}

#[test]
fn an_edited_file_is_left_as_often_as_it_takes_and_set_aside_only_when_told_to() {
    let mut folder = Folder::default();
    folder.export(&[whole("a", OURS)], false);
    folder.put("a", "mine\n");
    for made in [OURS, "new\n", "newer\n"] {
        assert_eq!(folder.export(&[whole("a", made)], false), one("a", ExportStepKind::Keep(Kept::Edited)));
    }
    let replaced = folder.export(&[whole("a", "newer\n")], true);
    assert_eq!(replaced, one("a", ExportStepKind::SetAside("newer\n".to_owned())));
    assert_eq!((folder.text("a"), folder.text("a.mine")), ("newer\n", "mine\n"));
    assert_eq!(folder.export(&[whole("a", "newer\n")], false), one("a", ExportStepKind::Unchanged));
}

#[test]
fn an_edit_that_arrives_where_the_program_does_is_none_any_more() {
    let mut folder = Folder::default();
    folder.export(&[whole("a", OURS)], false);
    folder.put("a", "new\n");
    assert_eq!(folder.export(&[whole("a", "new\n")], false), one("a", ExportStepKind::Unchanged));
    assert_eq!(
        folder.export(&[whole("a", "newer\n")], false),
        one("a", ExportStepKind::Write("newer\n".to_owned()))
    );
}

#[test]
fn what_was_never_ours_stands_in_the_way_of_the_whole_export() {
    let mut folder = Folder::default();
    folder.put("b", "theirs\n");
    let refused = folder.planned(&[whole("a", OURS), whole("b", OURS)], false).unwrap_err();
    assert_eq!(refused, [ExportRefused { path: "b".to_owned(), why: ExportRefusedWhy::Foreign }]);
    let steps = folder.export(&[whole("b", OURS)], true);
    assert_eq!(steps, one("b", ExportStepKind::SetAside(OURS.to_owned())));
    assert_eq!(folder.text("b.mine"), "theirs\n");
}

#[test]
fn a_lost_inventory_takes_nothing_from_anybody() {
    let mut folder = Folder::default();
    folder.export(&[whole("a", OURS), section("one")], false);
    folder.inventory = Inventory::default();
    let again = folder.clone().export(&[whole("a", OURS), section("one")], false);
    assert!(again.iter().all(|(_, what)| *what == ExportStepKind::Unchanged), "{again:?}");
    assert!(folder.planned(&[whole("a", "new\n")], false).is_err());
    assert_eq!(folder.export(&[section("two")], false), one("AGENTS.md", ExportStepKind::Keep(Kept::Edited)));
}

#[test]
fn a_file_that_says_the_same_already_is_left_without_a_word_against_it() {
    let file = ExportFile { form: OurShare::Unless(SaysAlready::Place("/a/b")), ..whole("config", OURS) };
    let mut folder = Folder::default();
    folder.put("config", "{\"a\": {\"b\": 1}}\n");
    let kept = one("config", ExportStepKind::Keep(Kept::SaysItAlready));
    assert_eq!(folder.export(core::slice::from_ref(&file), false), kept);
    folder.put("config", "{\"a\": {\"c\": 1}}\n");
    assert!(folder.planned(&[file], false).is_err());
    for said in ["[a.b]\n", "x = 1\n[ a . \"b\" ]\n", "[a.b.env]\n"] {
        folder.put("AGENTS.md", said);
        let steps = folder.export(&[section("x")], false);
        assert_eq!(steps, one("AGENTS.md", ExportStepKind::Keep(Kept::SaysItAlready)), "{said}");
    }
    folder.put("AGENTS.md", "[a.bc]\n");
    assert_eq!(folder.export(&[section("x")], false).len(), 1);
    assert!(folder.text("AGENTS.md").contains("redraft:begin"));
}

#[test]
fn a_section_lives_in_somebodys_file_and_the_rest_of_it_is_theirs() {
    let mut folder = Folder::default();
    folder.put("AGENTS.md", "# Theirs\n");
    folder.export(&[section("one")], false);
    assert!(folder.text("AGENTS.md").starts_with("# Theirs\n\n<!-- redraft:begin"));
    let edited = format!("{}\nmore of theirs\n", folder.text("AGENTS.md"));
    folder.put("AGENTS.md", &edited);
    assert_eq!(folder.export(&[section("one")], false), one("AGENTS.md", ExportStepKind::Unchanged));
    folder.export(&[section("two")], false);
    assert_eq!(folder.text("AGENTS.md"), edited.replace("one", "two"));
    folder.put("AGENTS.md", &edited.replace("one", "one of mine"));
    assert_eq!(folder.export(&[section("two")], false), one("AGENTS.md", ExportStepKind::Keep(Kept::Edited)));
    folder.export(&[section("two")], true);
    assert_eq!(folder.text("AGENTS.md"), edited.replace("one", "two"));
    assert_eq!(folder.text("AGENTS.md.mine"), edited.replace("one", "one of mine"));
}

#[test]
fn a_file_whose_edges_do_not_pair_or_that_is_no_text_is_not_touched() {
    let mut folder = Folder::default();
    folder.put("AGENTS.md", &format!("{}\n", block::MARKDOWN.begin));
    let refused = folder.planned(&[section("x")], true).unwrap_err();
    assert!(matches!(&refused[0].why, ExportRefusedWhy::Block(bad) if bad.line == 1), "{refused:?}");
    folder.files.insert("AGENTS.md".to_owned(), vec![0xff, 0xfe]);
    assert_eq!(folder.planned(&[section("x")], true).unwrap_err()[0].why, ExportRefusedWhy::NoText);
}

#[test]
fn what_is_made_no_more_is_removed_unless_somebody_edited_it() {
    let mut folder = Folder::default();
    folder.put("AGENTS.md", "# Theirs\n");
    folder.export(&[whole("a", OURS), whole("b", OURS), section("one")], false);
    folder.put("b", "mine\n");
    let steps = folder.export(&[whole("c", OURS)], false);
    assert_eq!(
        steps,
        [
            ("AGENTS.md".to_owned(), ExportStepKind::Write("# Theirs\n".to_owned())),
            ("a".to_owned(), ExportStepKind::Remove),
            ("b".to_owned(), ExportStepKind::Keep(Kept::EditedAndGone)),
            ("c".to_owned(), ExportStepKind::Write(OURS.to_owned())),
        ]
    );
    assert_eq!(
        folder.export(&[whole("c", OURS)], false),
        one("c", ExportStepKind::Unchanged),
        "b is theirs now"
    );
    assert_eq!(folder.text("b"), "mine\n");
}

#[test]
fn a_section_alone_in_its_file_takes_the_file_with_it() {
    let mut folder = Folder::default();
    folder.export(&[section("one")], false);
    assert_eq!(folder.export(&[], false), one("AGENTS.md", ExportStepKind::Remove));
}

#[test]
fn what_two_targets_share_stays_until_neither_makes_it() {
    let mut folder = Folder::default();
    folder.export_for(PluginTarget::Codex, &[whole("shared", OURS), whole("codex", OURS)], false);
    folder.export_for(PluginTarget::Opencode, &[whole("shared", OURS)], false);
    let steps = folder.export_for(PluginTarget::Codex, &[whole("shared", "new\n")], false);
    assert_eq!(steps[0], ("codex".to_owned(), ExportStepKind::Remove));
    let steps = folder.export_for(PluginTarget::Opencode, &[whole("shared", "newer\n")], false);
    assert_eq!(steps, one("shared", ExportStepKind::Write("newer\n".to_owned())), "not taken for an edit");
    assert_eq!(folder.export_for(PluginTarget::Codex, &[], false), [], "opencode still has it");
    assert_eq!(folder.export_for(PluginTarget::Opencode, &[], false), one("shared", ExportStepKind::Remove));
}

/// What can happen to a folder.
#[derive(Debug, Clone)]
enum Happening {
    /// An export of one of some versions, each with other files and other texts.
    Export {
        target: PluginTarget,
        version: usize,
        replace: bool,
    },
    /// Somebody writes the whole of a file.
    Edit(&'static str),
    /// Somebody adds a line.
    Add(&'static str, proptest::sample::Index),
    Remove(&'static str),
    InventoryLost,
}

const PLACES: [&str; 4] = ["a", "b", "shared", "AGENTS.md"];

fn made(target: PluginTarget, version: usize) -> Vec<ExportFile> {
    let mut files =
        vec![whole("shared", &format!("shared {version}\n")), section(&format!("section {version}"))];
    let own = if target == PluginTarget::Codex { "a" } else { "b" };
    if version != 2 {
        files.push(whole(own, &format!("{own} {version}\n")));
    }
    files
}

fn happening() -> impl Strategy<Value = Happening> {
    let place = || proptest::sample::select(&PLACES[..]);
    let target = proptest::sample::select(&[PluginTarget::Codex, PluginTarget::Opencode][..]);
    prop_oneof![
        4 => (target, 0..3usize, any::<bool>())
            .prop_map(|(target, version, replace)| Happening::Export { target, version, replace }),
        2 => place().prop_map(Happening::Edit),
        2 => (place(), any::<proptest::sample::Index>()).prop_map(|(place, after)| Happening::Add(place, after)),
        1 => place().prop_map(Happening::Remove),
        1 => Just(Happening::InventoryLost),
    ]
}

proptest! {
    /// However exports and edits follow each other, what somebody wrote is somewhere in the folder until they take it out.
    #[test]
    fn nothing_that_somebody_wrote_is_ever_lost(happenings in proptest::collection::vec(happening(), 1..24)) {
        let mut folder = Folder::default();
        let mut written: Vec<(&str, String)> = Vec::new();
        for (number, happening) in happenings.into_iter().enumerate() {
            let line = format!("somebody's line {number}.\n");
            match happening {
                Happening::Export { target, version, replace } => {
                    let made = made(target, version);
                    let planned = plan(target, &made, &folder.inventory, &folder.files, replace);
                    prop_assert!(planned.is_ok() || !replace, "nothing stands in the way of replacing");
                    if planned.is_ok() {
                        folder.export_for(target, &made, replace);
                    }
                }
                Happening::Edit(place) => {
                    if folder.files.contains_key(place) {
                        written.retain(|(path, text)| *path != place || !folder.text(place).contains(text.as_str()));
                    }
                    folder.put(place, &line);
                    written.push((place, line));
                }
                Happening::Add(place, after) => {
                    let before = folder.files.get(place).map(|_| folder.text(place).to_owned()).unwrap_or_default();
                    // Inserted between its lines, so that it can also get into our part.
                    let mut lines: Vec<&str> = before.split_inclusive('\n').collect();
                    lines.insert(after.index(lines.len() + 1), &line);
                    folder.put(place, &lines.concat());
                    written.push((place, line));
                }
                Happening::Remove(place) => {
                    if folder.files.contains_key(place) {
                        written.retain(|(path, text)| *path != place || !folder.text(place).contains(text.as_str()));
                    }
                    folder.files.remove(place);
                }
                Happening::InventoryLost => folder.inventory = Inventory::default(),
            }
            for (_, line) in &written {
                let kept = folder.files.keys().any(|path| folder.text(path).contains(line.as_str()));
                prop_assert!(kept, "{line} of {:?}", folder.files.keys());
            }
        }
    }
}
