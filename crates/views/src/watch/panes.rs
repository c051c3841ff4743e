//! What is written in the panes of a feature and in the list. Everything comes from the feature's `Overview` and its
//! row; nothing is computed here but how it is put into words.

use super::app::Pane;
use super::ink::{Ink, Lines, Tone, clock};
use super::snapshot::Detail;
use ratatui::text::Line;
use redraft_facts::findings::Status;
use redraft_facts::text::{count, utc};
use redraft_facts::usage::{Usd, grouped};
use redraft_reports::projections::BoardRow;
use redraft_reports::standing::Standing;
use redraft_reports::view::{DispatchView, FindingView, PhaseState, PhaseView, Spending, TaskView};

/// How many tasks and of the last events the overview has.
const TASKS_MAX: usize = 40;
const LAST_MAX: usize = 6;

pub(super) fn lines(
    pane: Pane,
    detail: &Detail,
    is_detailed: bool,
    ink: Ink,
    width: u16,
    now_ms: i64,
) -> Vec<Line<'static>> {
    match pane {
        Pane::Overview => overview(detail, ink, width, now_ms),
        Pane::Findings => findings(detail, ink, width),
        Pane::Diff => diff(detail, ink, width),
        Pane::Log => log(detail, is_detailed, ink, width),
        Pane::Costs => costs(detail, ink, width),
    }
}

/// Which part of the list a row stands in.
pub(super) fn group(row: &BoardRow) -> &'static str {
    match row.standing {
        _ if row.waits_for_you => "waiting for you",
        Standing::ReadyToMerge => "ready to merge",
        Standing::Working { .. } | Standing::WithHosts { .. } => "working",
        Standing::Merged | Standing::Done | Standing::Abandoned => "over",
        _ => "can go on, or waits for something else",
    }
}

pub(super) fn tone(standing: &Standing) -> Tone {
    match standing {
        _ if standing.waits_for_you() => Tone::Yours,
        Standing::ReadyToMerge | Standing::Merged => Tone::Good,
        Standing::Interrupted { .. } => Tone::Bad,
        Standing::Working { .. } => Tone::Strong,
        _ => Tone::Plain,
    }
}

/// Phase, round, findings and cost of a row.
pub(super) fn progress(row: &BoardRow) -> String {
    let mut parts = vec![match row.round {
        0 => row.phase.clone(),
        round => format!("{}, round {round} of {}", row.phase, row.rounds_max),
    }];
    if let Some(tasks) = &row.tasks {
        parts.push(tasks.now_in_words());
    }
    if row.open_findings > 0 {
        parts.push(count(row.open_findings as usize, "open finding"));
    }
    parts.push(row.money().in_a_line());
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

pub(super) fn overview(detail: &Detail, ink: Ink, width: u16, now_ms: i64) -> Vec<Line<'static>> {
    let overview = &detail.overview;
    let row = &overview.row;
    let mut lines = Lines::new(ink, width);
    lines.say(tone(&row.standing), &overview.standing_in_words);
    lines.say(Tone::Quiet, &progress(row));
    if let Some(holder) = &detail.driven_by {
        lines.say(Tone::Quiet, &format!("driven by {holder}"));
    }
    match &detail.question {
        Some(asked) => {
            lines.gap();
            asked.form.lines().iter().for_each(|line| lines.say(Tone::Plain, line));
            lines.say(Tone::Yours, "press d to decide");
        }
        // Whoever looks at a run is where `next` would send them.
        None if detail.driven_by.is_some() => {}
        None => lines.say(Tone::Plain, &format!("next: {}", row.next)),
    }
    if !overview.under_way.is_empty() {
        let cut_off = overview.under_way.iter().all(|one| one.is_cut_off);
        lines.head(if cut_off { "cut off" } else { "under way" });
        overview.under_way.iter().for_each(|one| dispatch(&mut lines, one, now_ms));
    }
    lines.head("phases");
    overview.phases_in_detail.iter().for_each(|one| phase(&mut lines, one));
    if !overview.tasks_in_detail.is_empty() {
        lines.head("tasks");
        overview.tasks_in_detail.iter().take(TASKS_MAX).for_each(|one| task(&mut lines, one));
        let left = overview.tasks_in_detail.len().saturating_sub(TASKS_MAX);
        if left > 0 {
            lines.row(Tone::Quiet, &format!("  … and {left} more: redraft status {}", row.id));
        }
    }
    lines.head("last");
    let told: Vec<_> = overview.timeline.iter().filter(|one| !one.is_detail).collect();
    for one in told.iter().skip(told.len().saturating_sub(LAST_MAX)) {
        lines.row(Tone::Plain, &format!("  {} {}", time(one.at_ms), one.text));
    }
    lines.head("idea");
    lines.say(Tone::Plain, &format!("  {}", row.idea));
    if let Some(notice) = &overview.rehearsal {
        lines.say(Tone::Quiet, notice);
    }
    lines.lines
}

/// `12:05:09` of a moment.
fn time(at_ms: i64) -> String {
    let whole = utc(at_ms);
    whole.split(' ').nth(1).unwrap_or(&whole).to_owned()
}

fn dispatch(lines: &mut Lines, one: &DispatchView, now_ms: i64) {
    let task = one.task.as_ref().map(|task| format!(" of task {task}")).unwrap_or_default();
    let what = format!("{} {}{task} ({})", one.role, one.purpose, one.by);
    let (tone, first) = match (one.is_cut_off, one.is_with_host) {
        (true, _) => (Tone::Bad, "  cut off".to_owned()),
        (false, true) => (Tone::Plain, format!("  with a host until {}", utc(one.expires_ms))),
        (false, false) => (Tone::Strong, format!("  {}", clock(now_ms - one.since_ms))),
    };
    let doing = match (one.is_answered, one.doing.as_str()) {
        (true, _) => ": has answered".to_owned(),
        (false, "") => String::new(),
        (false, doing) => format!(": {doing}"),
    };
    lines.begin(tone, &first, &format!(" {what}{doing}"));
}

fn phase(lines: &mut Lines, one: &PhaseView) {
    let (mark, tone) = match one.state {
        PhaseState::Open => (">", Tone::Strong),
        PhaseState::Approved | PhaseState::Finished => ("+", Tone::Good),
        PhaseState::Accepted | PhaseState::Closed | PhaseState::Adopted => ("+", Tone::Plain),
        PhaseState::Ahead | PhaseState::Skipped => (" ", Tone::Quiet),
    };
    let mut said = vec![one.state.name().to_owned()];
    if one.state == PhaseState::Open && one.rounds_max > 0 {
        said.push(format!("round {} of {}", one.round, one.rounds_max));
    } else if one.rounds_in_all > 0 {
        said.push(count(one.rounds_in_all as usize, "round"));
    }
    if one.findings > 0 {
        said.push(format!("{} ({} open)", count(one.findings as usize, "finding"), one.open_findings));
    }
    lines.begin(tone, &format!("{mark} {:<13}", one.phase.name()), &format!(" {}", said.join(", ")));
    if one.state == PhaseState::Open {
        for reviewer in &one.reviewers {
            lines.row(Tone::Quiet, &format!("    {} {}", reviewer.role, reviewer.standing));
        }
    }
}

fn task(lines: &mut Lines, one: &TaskView) {
    let tone = match one.state {
        "done" | "done before" => Tone::Good,
        "working" | "in the queue" => Tone::Strong,
        "interrupted" | "skipped" => Tone::Bad,
        _ => Tone::Quiet,
    };
    let failed = one.checks.iter().filter(|check| !check.passed).count();
    let failed = if failed > 0 { format!(" ({} failed)", count(failed, "check")) } else { String::new() };
    let why = if one.why.is_empty() { String::new() } else { format!(": {}", one.why) };
    lines.begin(tone, &format!("  {} {}", one.id, one.state), &format!("  {}{failed}{why}", one.title));
}

fn findings(detail: &Detail, ink: Ink, width: u16) -> Vec<Line<'static>> {
    let mut lines = Lines::new(ink, width);
    let all = &detail.overview.findings;
    if all.is_empty() {
        lines.say(Tone::Plain, "Nobody has found anything yet.");
    }
    // What is open comes first, then the newest.
    let (open, rest): (Vec<_>, Vec<_>) = all.iter().partition(|one| one.status == Status::Open);
    for (name, some) in [("open", open), ("settled", rest)] {
        if !some.is_empty() {
            lines.head(&format!("{name}: {}", some.len()));
            some.into_iter().rev().for_each(|one| finding(&mut lines, one));
        }
    }
    if detail.more_findings > 0 {
        let (left, id) = (detail.more_findings, &detail.scope);
        lines.say(Tone::Quiet, &format!("… and {left} older ones: redraft show findings {id}"));
    }
    lines.lines
}

fn finding(lines: &mut Lines, one: &FindingView) {
    let tone = match (one.status == Status::Open, one.severity.name()) {
        (true, "blocker") => Tone::Bad,
        (true, _) => Tone::Strong,
        (false, _) => Tone::Quiet,
    };
    let head = format!("{} {}, {}", one.id, one.severity.name(), one.status.name());
    // A person says what is wrong with a phase without naming a place, which is nothing to remark on.
    let place = if one.is_comment && one.file.is_empty() { "" } else { &one.place };
    let told = format!("  {} {}  {place}", one.phase, raised(one));
    lines.begin(tone, &head, told.trim_end());
    lines.say(Tone::Plain, &format!("  {}", one.description));
    if !one.suggestion.is_empty() {
        lines.say(Tone::Quiet, &format!("  suggested: {}", one.suggestion));
    }
    if let Some(why) = &one.unverified {
        lines.say(Tone::Quiet, &format!("  does not count: {why}"));
    }
    for (who, what) in &one.said {
        lines.say(Tone::Quiet, &format!("  {who}: {what}"));
    }
    if !one.outcome.is_empty() {
        lines.say(Tone::Quiet, &format!("  {}", one.outcome));
    }
}

/// Who raised it. A person's comment belongs to no role and to no round.
fn raised(one: &FindingView) -> String {
    match (one.is_comment, one.by.as_str()) {
        (true, by) => format!("comment of {by}"),
        (false, "") => format!("{}, round {}", one.role, one.round),
        (false, by) => format!("{}, round {} ({by})", one.role, one.round),
    }
}

fn diff(detail: &Detail, ink: Ink, width: u16) -> Vec<Line<'static>> {
    let mut lines = Lines::new(ink, width);
    let Some(diff) = &detail.diff else {
        lines.say(Tone::Quiet, "reading …");
        return lines.lines;
    };
    lines.say(Tone::Strong, &diff.title);
    for line in diff.text.lines() {
        let tone = match line.as_bytes() {
            [b'+', ..] => Tone::Good,
            [b'-', ..] => Tone::Bad,
            [b'@', b'@', ..] | [b'd', b'i', b'f', b'f', b' ', ..] => Tone::Strong,
            _ => Tone::Plain,
        };
        // A wrapped line keeps its sign in front, and so its meaning without a colour.
        lines.say(tone, line);
    }
    lines.lines
}

fn log(detail: &Detail, is_detailed: bool, ink: Ink, width: u16) -> Vec<Line<'static>> {
    let mut lines = Lines::new(ink, width);
    let all = &detail.overview.timeline;
    if detail.older > 0 {
        let (older, scope) = (grouped(detail.older as u64), &detail.scope);
        lines.say(Tone::Quiet, &format!("{older} older events: redraft log {scope}"));
    }
    let mut day = String::new();
    for one in all.iter().filter(|one| is_detailed || !one.is_detail) {
        let moment = utc(one.at_ms);
        let of = moment.split(' ').next().unwrap_or_default();
        if of != day {
            of.clone_into(&mut day);
            lines.row(Tone::Strong, &day);
        }
        lines.begin(Tone::Quiet, &time(one.at_ms), &format!(" {}", one.text));
    }
    if !is_detailed {
        lines.say(Tone::Quiet, "v: also how things were done");
    }
    lines.lines
}

fn costs(detail: &Detail, ink: Ink, width: u16) -> Vec<Line<'static>> {
    let mut lines = Lines::new(ink, width);
    let overview = &detail.overview;
    let costs = &overview.costs;
    lines.say(Tone::Strong, &format!("in all: {}", spent(&costs.sum)));
    if costs.reserved_micro_usd > Usd(0) {
        let reserved = costs.reserved_micro_usd;
        lines.say(Tone::Plain, &format!("reserved for what is under way, not spent: {reserved}"));
    }
    if let Some(budget) = overview.budget_micro_usd {
        lines.say(Tone::Plain, &format!("it may cost {budget}"));
    }
    let tokens = &costs.sum.tokens;
    let (input, output) = (grouped(tokens.input()), grouped(tokens.output));
    lines.say(Tone::Plain, &format!("tokens: {input} in, {output} out"));
    lines.head("by role");
    for (role, sum) in costs.roles() {
        lines.row(Tone::Plain, &format!("  {:<24} {}", role.as_str(), spent(&sum)));
    }
    lines.head("by phase");
    for phase in &costs.phases {
        lines.row(Tone::Plain, &format!("  {}, pass {}: {}", phase.phase, phase.pass, spent(&phase.sum)));
    }
    lines.gap();
    lines.say(Tone::Quiet, &format!("every dispatch: redraft cost {} --all", detail.scope));
    lines.lines
}

/// Billed, covered and unknown, as everywhere, and for how many dispatches.
fn spent(sum: &Spending) -> String {
    let failed = match sum.failed + sum.lost {
        0 => String::new(),
        some => format!(", {some} failed or lost"),
    };
    format!("{} for {}{failed}", sum.money().in_a_line(), count(sum.dispatches as usize, "dispatch"))
}
