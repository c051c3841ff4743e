//! The rows of the trace: one for each requirement, with what serves it, and one for each work that serves none.

use super::reach::{Read, ReadTask};
use super::wanted::Wanted;
use super::{CodeWork, CodeWorkKind, DocumentPart, Requirement, Row, Sources, Via};
use redraft_documents::sections::block::counted;
use redraft_facts::prelude::*;

/// One row for each requirement. `places` says where the work of each task is.
pub(super) fn rows(read: &Read, places: &[usize], sources: &Sources<'_>) -> Vec<Row> {
    let whole = sources.tasks.is_none() && read.tasks.is_empty();
    let mut reached: Vec<(Option<Via>, BTreeSet<usize>)> =
        (0..read.wanted.len()).map(|at| tasks_of(read, at)).collect();
    let direct = reached.clone();
    for (at, wanted) in read.wanted.iter().enumerate() {
        if direct[at].0.is_none() {
            let tasks: BTreeSet<usize> =
                wanted.relatives.iter().flat_map(|other| direct[*other].1.iter().copied()).collect();
            if !tasks.is_empty() {
                reached[at] = (Some(Via::Relative), tasks);
            }
        }
    }
    let row = |(at, wanted): (usize, &Wanted)| {
        let (via, tasks) = &reached[at];
        let works: Vec<usize> = match whole {
            true => places.to_vec(),
            false => tasks.iter().map(|task| places[*task]).collect(),
        };
        Row {
            requirement: Some(Requirement {
                id: wanted.id.clone(),
                text: wanted.text.clone(),
                kind: read.kind,
                line: counted(wanted.line),
                is_criterion: wanted.is_criterion,
            }),
            sections: sections_of(read, at, tasks),
            steps: steps_of(read, at, tasks),
            via: via.or_else(|| (whole && !works.is_empty()).then_some(Via::Whole)),
            works,
        }
    };
    read.wanted.iter().enumerate().map(row).collect()
}

/// The tasks that serve a requirement by themselves.
fn tasks_of(read: &Read, wanted: usize) -> (Option<Via>, BTreeSet<usize>) {
    let having = |fits: &dyn Fn(&ReadTask) -> bool| -> BTreeSet<usize> {
        read.tasks.iter().enumerate().filter(|(_, task)| fits(task)).map(|(at, _)| at).collect()
    };
    let by_step = |task: &ReadTask| {
        let in_step = task.steps.iter().any(|step| read.steps[*step].wants.contains(&wanted));
        in_step || task.through_parts.contains(&wanted)
    };
    let ways = [
        (Via::Task, having(&|task| task.wants.contains(&wanted))),
        (Via::Step, having(&by_step)),
        (Via::Section, having(&|task| task.through_sections.contains(&wanted))),
    ];
    let first = ways.into_iter().find(|(_, tasks)| !tasks.is_empty());
    first.map_or((None, BTreeSet::new()), |(via, tasks)| (Some(via), tasks))
}

/// The sections that name it, or those that its tasks or their steps refer to.
fn sections_of(read: &Read, wanted: usize, tasks: &BTreeSet<usize>) -> Vec<DocumentPart> {
    let naming = read.sections.get(wanted).filter(|parts| !parts.is_empty());
    naming.cloned().unwrap_or_else(|| {
        let own = tasks.iter().flat_map(|task| &read.tasks[*task].sections);
        let of_steps = tasks.iter().flat_map(|task| &read.tasks[*task].steps);
        let of_steps = of_steps.flat_map(|step| &read.steps[*step].sections);
        let all: BTreeSet<&DocumentPart> = own.chain(of_steps).collect();
        all.into_iter().cloned().collect()
    })
}

/// The steps its tasks refer to, those that name it first; where no task refers to a step, the steps that name it.
fn steps_of(read: &Read, wanted: usize, tasks: &BTreeSet<usize>) -> Vec<DocumentPart> {
    let referred: BTreeSet<usize> = tasks.iter().flat_map(|task| &read.tasks[*task].steps).copied().collect();
    let names = |at: &usize| read.steps[*at].wants.contains(&wanted);
    let both: Vec<usize> = referred.iter().copied().filter(names).collect();
    let naming = || (0..read.steps.len()).filter(names).collect::<Vec<usize>>();
    let chosen = match (both.is_empty(), referred.is_empty()) {
        (false, _) => both,
        (true, false) => referred.into_iter().collect(),
        (true, true) => naming(),
    };
    let parts = tasks.iter().flat_map(|task| &read.tasks[*task].parts);
    let all: BTreeSet<&DocumentPart> = chosen.iter().map(|at| &read.steps[*at].part).chain(parts).collect();
    all.into_iter().cloned().collect()
}

/// The row of a piece of work that serves no requirement.
pub(super) fn row_of_work(read: &Read, work: &CodeWork, at: usize) -> Row {
    let line = match &work.what {
        CodeWorkKind::Task { line, .. } => *line,
        CodeWorkKind::Simplification
        | CodeWorkKind::Deepening
        | CodeWorkKind::Fixes
        | CodeWorkKind::Edits => None,
    };
    let task = read.tasks.iter().find(|task| Some(task.task.line) == line);
    let steps = task.iter().flat_map(|task| {
        let steps = task.steps.iter().map(|step| &read.steps[*step].part);
        steps.chain(&task.parts).cloned()
    });
    let sections = task.map(|task| task.sections.clone()).unwrap_or_default();
    Row { requirement: None, sections, steps: steps.collect(), via: None, works: vec![at] }
}
