//! How long it takes to read lists of tasks and to find what they refer to.
//!
//! `cargo bench -p redraft-documents --bench tasks` reads 66 made-up lists of about 1.1 MB; with `-- DIR` every
//! `DIR/*/tasks.md`. Nothing here passes or fails: machines are noisy.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and stops when it cannot measure"
)]

use redraft_documents::tasks;
use redraft_documents::trace::Targets;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

const RUNS: usize = 21;
const LISTS: usize = 66;

fn main() {
    // Cargo adds `--bench` itself.
    let folder = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let texts = folder.map_or_else(made_up, |folder| read(Path::new(&folder)));
    let bytes: usize = texts.iter().map(String::len).sum();
    let found: usize =
        texts.iter().filter_map(|text| tasks::read(text).ok()).map(|list| list.tasks.len()).sum();
    println!("{} lists, {found} tasks, {} KB", texts.len(), bytes / 1024);
    let reading = measured(|| {
        for text in &texts {
            let _ = black_box(tasks::read(black_box(text)));
        }
    });
    println!("all read:                 {}", told(reading));
    let finding = measured(|| {
        for text in &texts {
            black_box(Targets::find(black_box(text)).resolve("C9"));
        }
    });
    println!("an id looked for in each: {}", told(finding));
}

fn read(folder: &Path) -> Vec<String> {
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.iter().filter_map(|folder| std::fs::read_to_string(folder.join("tasks.md")).ok()).collect()
}

/// Lists in four forms, as long as real ones.
fn made_up() -> Vec<String> {
    const TASKS: usize = 24;
    let task = |form: usize, at: usize| {
        let id = format!("{}.{}", at / 6 + 1, at % 6 + 1);
        let begin = match form {
            0 => format!("### Task {id}: Write part {at} of the store\n"),
            1 => format!("#### T{id} — Write part {at} of the store [RED]\n"),
            2 => format!("- [ ] **{id}** Write part {at} of the store.\n"),
            _ => format!("## Task {at}: Write part {at} of the store\n"),
        };
        let indent = if form == 2 { "  " } else { "" };
        let fields = [
            "**Why:** Implements Plan 3.2 / Design C1, I2-I4",
            "**Depends on:** 1.1",
            "**Files:** `src/store.rs`",
        ];
        let fields: String = fields.iter().map(|field| format!("{indent}- {field}\n")).collect();
        let text =
            format!("{indent}The text is of use to the reader, who learns what `store` does and why.\n")
                .repeat(5);
        format!(
            "{begin}\n{fields}{text}{indent}```sh\n{indent}# a comment\n{indent}make test\n{indent}```\n{indent}- **Done when:** `make test` passes\n\n"
        )
    };
    let list = |number: usize| -> String {
        let tasks: String = (0..TASKS).map(|at| task(number % 4, at)).collect();
        format!("# Tasks\n\n## Phase 1: Base\n\n{tasks}## Summary\n\n{TASKS} tasks\n")
    };
    (0..LISTS).map(list).collect()
}

/// What some runs took: the middle one by the clock, and the mean of the processor's time, which other programs do not
/// lengthen much.
struct Took {
    median: Duration,
    processor: Option<Duration>,
}

fn measured(mut work: impl FnMut()) -> Took {
    let before = processor();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    let spent = processor().zip(before).map(|(after, before)| (after - before) / RUNS as u32);
    times.sort();
    Took { median: times[RUNS / 2], processor: spent }
}

/// The time this thread had a processor for, where Linux tells it.
fn processor() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn told(took: Took) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let processor = took.processor.map(|time| format!(", {:.2} ms of the processor", ms(time)));
    format!("{:>7.2} ms (median of {RUNS}){}", ms(took.median), processor.unwrap_or_default())
}
