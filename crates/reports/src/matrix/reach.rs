//! Finds which task serves which requirement, and through which parts of design and plan.
//!
//! What a task itself says comes before what the plan says about its step, and that before what the design says. Start
//! at [`read`], then `rows` beside it.

use super::named::Names;
use super::wanted::{Wanted, requirements};
use super::{DocumentPart, Sources};
use redraft_documents::lint::reading::{Defined, defined, is_mentioned, mentioned};
use redraft_documents::sections::block::counted;
use redraft_documents::sections::{Outline, Section};
use redraft_documents::tasks::{self, Task};
use redraft_documents::trace::{self, FoundTarget, Target, TargetDocument, Targets};
use redraft_facts::prelude::*;
use redraft_facts::text::one_line;

/// The documents as they were understood.
pub(super) struct Read {
    /// The document the requirements are from.
    pub(super) kind: TargetDocument,
    pub(super) wanted: Vec<Wanted>,
    pub(super) tasks: Vec<ReadTask>,
    /// The steps of the plan.
    pub(super) steps: Vec<Step>,
    /// For each requirement, the design sections that name it.
    pub(super) sections: Vec<Vec<DocumentPart>>,
}

pub(super) struct ReadTask {
    pub(super) task: Task,
    /// The requirements it names.
    pub(super) wants: BTreeSet<usize>,
    /// The steps it refers to.
    pub(super) steps: BTreeSet<usize>,
    /// Parts of the plan it refers to that are no step, and what they name.
    pub(super) parts: Vec<DocumentPart>,
    pub(super) through_parts: BTreeSet<usize>,
    pub(super) sections: Vec<DocumentPart>,
    /// What the sections it refers to name.
    pub(super) through_sections: BTreeSet<usize>,
    /// References that lead nowhere, as written.
    pub(super) lost: Vec<String>,
}

pub(super) struct Step {
    pub(super) part: DocumentPart,
    end_line: u32,
    pub(super) wants: BTreeSet<usize>,
    pub(super) sections: Vec<DocumentPart>,
}

/// A title in a cell.
const TITLE_CHARS_MAX: usize = 100;

pub(super) fn read(sources: &Sources<'_>) -> Read {
    let of_spec = sources.spec.map(requirements).unwrap_or_default();
    let (kind, wanted) = match of_spec.is_empty() {
        false => (TargetDocument::Spec, of_spec),
        true => match sources.prd.map(requirements).unwrap_or_default() {
            none if none.is_empty() => (TargetDocument::Spec, none),
            of_prd => (TargetDocument::Prd, of_prd),
        },
    };
    let names = Names::new(&wanted, &[sources.design, sources.plan]);
    let texts: BTreeMap<TargetDocument, &str> = [
        (TargetDocument::Prd, sources.prd),
        (TargetDocument::Spec, sources.spec),
        (TargetDocument::Design, sources.design),
        (TargetDocument::Plan, sources.plan),
    ]
    .into_iter()
    .filter_map(|(kind, text)| Some((kind, text?)))
    .collect();
    let targets: BTreeMap<TargetDocument, Targets<'_>> =
        texts.iter().map(|(kind, text)| (*kind, Targets::find(text))).collect();
    let reader = Reader { kind, names: &names, texts: &texts, targets: &targets };
    let steps = sources.plan.map(|plan| reader.steps(plan)).unwrap_or_default();
    let list = sources.tasks.and_then(|text| Some((text, tasks::read(text).ok()?)));
    let tasks = list.map(|(text, list)| reader.tasks(text, list.tasks, &steps)).unwrap_or_default();
    let sections = sources.design.map(|text| sections(text, &wanted, &names)).unwrap_or_default();
    Read { kind, wanted, tasks, steps, sections }
}

struct Reader<'a> {
    kind: TargetDocument,
    names: &'a Names<'a>,
    texts: &'a BTreeMap<TargetDocument, &'a str>,
    targets: &'a BTreeMap<TargetDocument, Targets<'a>>,
}

/// What the references of a task or a step lead to.
#[derive(Default)]
struct Led {
    wants: BTreeSet<usize>,
    plan: Vec<(DocumentPart, Target)>,
    design: Vec<(DocumentPart, Target)>,
    lost: Vec<String>,
}

/// A plan without what it lists beside its steps, which has ids too and is carried out by nobody. Lines keep their
/// numbers.
fn steps_only(plan: &str) -> String {
    const ASIDES: [&str; 6] = ["assumption", "risk", "open question", "excluded", "out of scope", "non-goal"];
    let is_aside = |title: &str| {
        let title = title.to_lowercase();
        let title = title.trim_start_matches(|c: char| !c.is_alphabetic());
        ASIDES.iter().any(|aside| title.starts_with(aside))
    };
    let outline = Outline::parse(plan);
    let aside: Vec<&Section<'_>> =
        outline.sections().iter().filter(|section| section.level > 1 && is_aside(section.title)).collect();
    let line = |(at, line): (usize, &&str)| match aside.iter().any(|section| section.lines.contains(&at)) {
        true => "\n".to_owned(),
        false => (*line).to_owned(),
    };
    outline.lines().iter().enumerate().map(line).collect()
}

impl Reader<'_> {
    fn steps(&self, plan: &str) -> Vec<Step> {
        let Ok(list) = tasks::read(&steps_only(plan)) else { return Vec::new() };
        let lines: Vec<&str> = plan.lines().collect();
        let step = |one: Task| {
            let led = self.led(&one);
            let mut wants = led.wants;
            wants.extend(self.names.named(lines.get(one.lines()).unwrap_or_default()));
            let part =
                DocumentPart { line: one.line, title: one_line(&one.title, TITLE_CHARS_MAX), id: one.id };
            let sections = led.design.into_iter().map(|(part, _)| part).collect();
            Step { part, end_line: one.end_line, wants, sections }
        };
        list.tasks.into_iter().map(step).collect()
    }

    fn tasks(&self, text: &str, list: Vec<Task>, steps: &[Step]) -> Vec<ReadTask> {
        let lines: Vec<&str> = text.lines().collect();
        let one = |task: Task| {
            let led = self.led(&task);
            let mut wants = led.wants;
            let headings = task.groups.iter().map(|group| group.title.as_str());
            let own: Vec<&str> =
                lines.get(task.lines()).unwrap_or_default().iter().copied().chain(headings).collect();
            wants.extend(self.names.named(&own));
            let mut read = ReadTask {
                task,
                wants,
                steps: BTreeSet::new(),
                parts: Vec::new(),
                through_parts: BTreeSet::new(),
                sections: led.design.iter().map(|(part, _)| part.clone()).collect(),
                through_sections: BTreeSet::new(),
                lost: led.lost,
            };
            for (part, target) in led.plan {
                let within = steps_at(steps, &target);
                if within.is_empty() {
                    read.parts.push(part);
                    read.through_parts
                        .extend(self.names.named(&self.lines_of(TargetDocument::Plan, &target)));
                }
                read.steps.extend(within);
            }
            for (_, target) in &led.design {
                read.through_sections
                    .extend(self.names.named(&self.lines_of(TargetDocument::Design, target)));
            }
            read
        };
        list.into_iter().map(one).collect()
    }

    fn led(&self, task: &Task) -> Led {
        let mut led = Led::default();
        for (reference, (kind, found)) in task.refs.iter().zip(trace::locate_all(&task.refs, self.targets)) {
            let target = match found {
                FoundTarget::One(target) => target,
                // Any of them is a place; readers can find out which one is meant.
                FoundTarget::Several(targets) => match targets.first() {
                    Some(target) => *target,
                    None => continue,
                },
                FoundTarget::None => {
                    let there = self.texts.contains_key(&reference.kind);
                    if there && reference.must_lead() {
                        led.lost.push(format!("{} {}", reference.kind.name(), reference.id));
                    }
                    continue;
                }
            };
            match kind {
                TargetDocument::Plan => led.plan.push((self.part(kind, &reference.id, &target), target)),
                TargetDocument::Design => led.design.push((self.part(kind, &reference.id, &target), target)),
                TargetDocument::Spec | TargetDocument::Prd => {
                    let line = (target.line as usize).saturating_sub(1);
                    led.wants.extend(self.names.at_line(line).filter(|_| kind == self.kind));
                }
            }
        }
        led
    }

    fn lines_of(&self, kind: TargetDocument, target: &Target) -> Vec<&str> {
        let first = (target.line as usize).saturating_sub(1);
        let lines = self.texts.get(&kind).map(|text| text.lines()).into_iter().flatten();
        lines.skip(first).take((target.end_line as usize).saturating_sub(first)).collect()
    }

    /// A part of a document, under the id it is referred to by.
    fn part(&self, kind: TargetDocument, id: &str, target: &Target) -> DocumentPart {
        let text = self.texts.get(&kind).copied().unwrap_or_default();
        let line = text.lines().nth((target.line as usize).saturating_sub(1)).unwrap_or_default();
        DocumentPart { line: target.line, id: id.to_owned(), title: title(line, id) }
    }
}

/// What a line says behind the id it defines.
fn title(line: &str, id: &str) -> String {
    let bare = line.trim_start_matches(['#', '-', '*', '+', '|', ' ', '\t', '>']);
    let bare = bare.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" ");
    let number = id.rsplit(' ').next().unwrap_or(id);
    let rest = match bare.find(number) {
        Some(at) if at <= TITLE_CHARS_MAX => &bare[at + number.len()..],
        _ => bare.as_str(),
    };
    let rest = rest.replace("**", "");
    one_line(rest.trim_start_matches([':', '.', ')', ']', ' ', '—', '–', '-', '*', '`']), TITLE_CHARS_MAX)
}

/// The step a place is in, or all that are in it.
fn steps_at(steps: &[Step], target: &Target) -> BTreeSet<usize> {
    let holds = |step: &Step| (step.part.line..=step.end_line).contains(&target.line);
    let inner = steps.iter().enumerate().rfind(|(_, step)| holds(step));
    if let Some((at, _)) = inner {
        return BTreeSet::from([at]);
    }
    let held = |step: &Step| (target.line..=target.end_line).contains(&step.part.line);
    steps.iter().enumerate().filter(|(_, step)| held(step)).map(|(at, _)| at).collect()
}

/// For each requirement, the parts of the design that name it.
fn sections(text: &str, wanted: &[Wanted], names: &Names<'_>) -> Vec<Vec<DocumentPart>> {
    let outline = Outline::parse(text);
    let own: Vec<Defined> = defined(text);
    let mut found: Vec<BTreeSet<DocumentPart>> = vec![BTreeSet::new(); wanted.len()];
    for section in outline.sections().iter().filter(|section| section.level > 0) {
        for at in section.own.clone().filter(|at| outline.is_text(*at)) {
            let line = outline.lines()[at];
            // Most lines name nothing.
            if !line.contains(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let hits = names.named(&[line]);
            if hits.is_empty() {
                continue;
            }
            let parts = parts(&outline, section, line, &own, wanted);
            for hit in hits {
                found[hit].extend(parts.iter().cloned());
            }
        }
    }
    found.into_iter().map(|parts| parts.into_iter().collect()).collect()
}

/// The part a line belongs to: the section around it that has an id; where none has, the parts that the line itself
/// names, as in a table of what meets what; else the section.
fn parts(
    outline: &Outline<'_>,
    section: &Section<'_>,
    line: &str,
    own: &[Defined],
    wanted: &[Wanted],
) -> Vec<DocumentPart> {
    let is_want = |one: &Defined| wanted.iter().any(|wanted| wanted.key == one.key);
    let part = |one: &Defined| DocumentPart {
        line: counted(one.line),
        id: one.id.clone(),
        title: one_line(&one.text.replace("**", ""), TITLE_CHARS_MAX),
    };
    let around = outline.sections().iter().rev().filter(|outer| outer.lines.contains(&section.lines.start));
    let with_id = around
        .filter_map(|outer| own.iter().find(|one| one.line == outer.lines.start && !is_want(one)))
        .next();
    if let Some(one) = with_id {
        return vec![part(one)];
    }
    let named = mentioned(core::iter::once(line));
    let mut seen = BTreeSet::new();
    let named = own.iter().filter(|one| !is_want(one) && is_mentioned(&one.key, &named));
    let named: Vec<DocumentPart> = named.filter(|one| seen.insert(&one.key)).map(part).collect();
    match named.is_empty() {
        false => named,
        true => vec![DocumentPart {
            line: counted(section.lines.start),
            id: String::new(),
            title: one_line(section.title, TITLE_CHARS_MAX),
        }],
    }
}
