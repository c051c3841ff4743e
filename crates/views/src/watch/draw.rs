//! Draws the screen: a line that says where you are, the list or a feature's pane, and a line with the keys.
//!
//! What is shown is decided in `panes`; here it gets its place, whatever the size of the terminal.

use super::app::{App, Pane};
use super::dialog::{Deciding, Dialog, HELP, Stage};
use super::ink::{Ink, Lines, Tone, ago, folded};
use super::panes;
use super::snapshot::called;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph};
use redraft_facts::harmless;
use redraft_facts::text::count;
use redraft_frame::wrap::{cut, width};
use redraft_reports::projections::BoardRow;

/// From this many columns on, the overview stays beside the other panes.
const WIDE: u16 = 120;
const RAIL: u16 = 52;

/// Less of a name says nothing.
const NAME_MIN: usize = 14;

pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, now_ms: i64) {
    let area = frame.area();
    if area.width < 20 || area.height < 6 {
        frame.render_widget(Paragraph::new("too small"), area);
        return;
    }
    let [head, body, foot] =
        Layout::vertical([Constraint::Length(2), Constraint::Min(1), Constraint::Length(1)]).areas(area);
    match app.opened {
        None => list(frame, app, head, body, now_ms),
        Some(_) => feature(frame, app, head, body, now_ms),
    }
    frame.render_widget(Paragraph::new(last_line(app, foot.width)), foot);
    if let Some(dialog) = &mut app.dialog {
        over(frame, dialog, app.ink, body);
    }
}

/// Left and right, with the room between them.
fn ends(left: &str, right: &str, columns: u16) -> String {
    let (columns, left, right) = (usize::from(columns), harmless::name(left), harmless::name(right));
    let right = cut(&right, columns.saturating_sub(12));
    let left = cut(&left, columns.saturating_sub(width(&right) + 1));
    let room = columns.saturating_sub(width(&left) + width(&right));
    format!("{left}{}{right}", " ".repeat(room))
}

fn list(frame: &mut Frame<'_>, app: &mut App, head: Rect, body: Rect, now_ms: i64) {
    let waiting = app.snapshot.rows.iter().filter(|row| row.waits_for_you).count();
    let right = match waiting {
        0 if !app.is_loaded => String::new(),
        0 => "nothing waits for you".to_owned(),
        1 => "1 waits for you".to_owned(),
        more => format!("{more} wait for you"),
    };
    let title = ends(&format!("redraft watch: {}", app.repository), &right, head.width);
    let tone = if waiting > 0 { Tone::Yours } else { Tone::Strong };
    frame.render_widget(Paragraph::new(Line::styled(title, app.ink.style(tone))), head);
    let mut lines = Lines::new(app.ink, body.width);
    if app.snapshot.rows.is_empty() {
        match app.is_loaded {
            true => {
                lines.say(Tone::Plain, "There is no feature here yet.");
                lines.say(Tone::Quiet, &format!("next: {}", app.snapshot.next));
            }
            false => lines.say(Tone::Quiet, "reading the ledger …"),
        }
    }
    let (mut group, mut chosen) = ("", (0, 0));
    for row in &app.snapshot.rows {
        let name = panes::group(row);
        if name != group {
            lines.head(name);
            group = name;
        }
        let is_chosen = Some(row.scope()) == app.chosen;
        let from = lines.lines.len();
        entry(&mut lines, row, is_chosen, usize::from(body.width), now_ms);
        if is_chosen {
            chosen = (from, lines.lines.len());
        }
    }
    let room = usize::from(body.height);
    // The chosen one stays on the screen.
    let most = lines.lines.len().saturating_sub(room);
    let top = app.scroll.min(chosen.0.saturating_sub(1)).max(chosen.1.saturating_sub(room)).min(most);
    (app.scroll, app.scroll_max, app.page) = (top, most, room);
    frame.render_widget(Paragraph::new(lines.lines.split_off(top)), body);
}

/// Two lines of the list.
fn entry(lines: &mut Lines, row: &BoardRow, is_chosen: bool, columns: usize, now_ms: i64) {
    let mark = if is_chosen { ">" } else { " " };
    let tone = match is_chosen {
        true => Tone::Chosen,
        false => panes::tone(&row.standing),
    };
    let standing = row.standing_in_words();
    // Where there is little room, how it stands says more than its name.
    let room = columns.saturating_sub(width(&standing) + 4).max(NAME_MIN);
    lines.row(tone, &format!("{mark} {}  {standing}", cut(&harmless::name(&called(row)), room)));
    lines.row(Tone::Quiet, &format!("    {} · {}", panes::progress(row), ago(now_ms - row.updated_ms)));
}

fn feature(frame: &mut Frame<'_>, app: &mut App, head: Rect, body: Rect, now_ms: i64) {
    let Some(detail) = app.detail() else {
        let scope = app.opened.as_ref().map(ToString::to_string).unwrap_or_default();
        frame.render_widget(Paragraph::new(format!("{scope}: reading …")), head);
        return;
    };
    let row = &detail.overview.row;
    let title = ends(&called(row), &detail.overview.standing_in_words, head.width);
    let title = Line::styled(title, app.ink.style(panes::tone(&row.standing)));
    let is_wide = head.width >= WIDE;
    let tabs = tabs(app, detail.overview.findings.len() + detail.more_findings, head.width);
    frame.render_widget(Paragraph::new(vec![title, tabs]), head);
    let body = match is_wide && app.pane != Pane::Overview {
        true => {
            let [rail, main] =
                Layout::horizontal([Constraint::Length(RAIL), Constraint::Min(1)]).spacing(2).areas(body);
            let overview = panes::overview(detail, app.ink, rail.width, now_ms);
            frame.render_widget(Paragraph::new(overview), rail);
            main
        }
        false => body,
    };
    let mut lines = panes::lines(app.pane, detail, app.is_detailed, app.ink, body.width, now_ms);
    let room = usize::from(body.height);
    (app.scroll_max, app.page) = (lines.len().saturating_sub(room), room);
    if let Some(from) = app.seek.take() {
        sought(app, &lines, from);
    }
    let top = app.top();
    frame.render_widget(Paragraph::new(lines.split_off(top)), body);
}

fn tabs(app: &App, findings: usize, columns: u16) -> Line<'static> {
    let mut spans = Vec::new();
    for (at, pane) in Pane::ALL.into_iter().enumerate() {
        let more = if pane == Pane::Findings { format!(" {findings}") } else { String::new() };
        let name = if columns < 50 { "" } else { pane.name() };
        let tone = if pane == app.pane { Tone::Chosen } else { Tone::Quiet };
        let text = format!(" {} {name}{more} ", at + 1);
        spans.push(ratatui::text::Span::styled(text, app.ink.style(tone)));
    }
    Line::from(spans)
}

/// Goes to the next line that has what is searched for, from the beginning again after the end.
fn sought(app: &mut App, lines: &[Line<'_>], from: usize) {
    let wanted = app.search.to_lowercase();
    if wanted.is_empty() {
        return;
    }
    let has = |line: &Line<'_>| line.to_string().to_lowercase().contains(&wanted);
    let places = (from..lines.len()).chain(0..from.min(lines.len()));
    match places.into_iter().find(|at| has(&lines[*at])) {
        Some(at) => app.scroll_to(at),
        None => app.notice = Some(format!("`{}` is not here", app.search)),
    }
}

fn last_line(app: &App, columns: u16) -> Line<'static> {
    let columns = usize::from(columns);
    let (tone, text) = if app.is_searching {
        (Tone::Plain, format!("/{}", app.search))
    } else if let Some(busy) = &app.busy {
        (Tone::Strong, format!("at work: {busy}"))
    } else if let Some(notice) = &app.notice {
        (Tone::Strong, notice.clone())
    } else if let Some(trouble) = &app.snapshot.trouble {
        (Tone::Bad, format!("this may be out of date: {trouble}"))
    } else if app.opened.is_none() {
        (Tone::Quiet, "Enter look · ? help · q quit".to_owned())
    } else if columns < 72 {
        (Tone::Quiet, "d decide · c comment · s stop · ? help · q quit".to_owned())
    } else {
        (Tone::Quiet, "d decide · c comment · s stop · Tab pane · Esc list · ? help · q quit".to_owned())
    };
    Line::styled(cut(&harmless::name(&text), columns), app.ink.style(tone))
}

fn over(frame: &mut Frame<'_>, dialog: &mut Dialog, ink: Ink, body: Rect) {
    let columns = body.width.saturating_sub(2).min(96);
    let inner = columns.saturating_sub(4);
    let (title, lines, fixed, scroll) = match dialog {
        Dialog::Help { scroll } => {
            let mut lines = Lines::new(ink, inner);
            lines.page(Tone::Plain, HELP);
            (" keys ", lines.lines, Vec::new(), scroll)
        }
        Dialog::Said { ended, text, scroll } => {
            let mut lines = Lines::new(ink, inner);
            lines.page(Tone::Plain, text);
            let title = if *ended { " done " } else { " it was refused or failed " };
            (title, lines.lines, Vec::new(), scroll)
        }
        Dialog::Stop { feature, driver, .. } => {
            let mut lines = Lines::new(ink, inner);
            lines.say(Tone::Plain, &format!("{feature} is driven by {driver}."));
            lines.say(
                Tone::Plain,
                "It is asked to end as Ctrl-C does: what was stored stays, what agents are doing is cut off, and the \
                 next run goes on from there.",
            );
            let fixed = question(ink, inner, &format!("Run `redraft stop {feature}`? y/N"));
            (" stop the run ", lines.lines, fixed, &mut 0)
        }
        Dialog::Comment { feature, text, confirm, .. } => {
            let mut lines = Lines::new(ink, inner);
            lines.say(Tone::Plain, "What you write becomes a finding of yours that the author must answer.");
            let fixed = match confirm {
                None => typing(ink, inner, "comment", text),
                Some(_) => {
                    lines.say(Tone::Plain, &format!("Comment on {feature}: {text}"));
                    question(ink, inner, "Sure? y/N")
                }
            };
            (" comment ", lines.lines, fixed, &mut 0)
        }
        Dialog::Decide(deciding) => {
            let mut lines = Lines::new(ink, inner);
            lines.say(Tone::Strong, &deciding.asked.form.what);
            deciding.asked.form.why.iter().for_each(|why| lines.say(Tone::Plain, &format!("  {why}")));
            (" decide ", lines.lines, below(ink, inner, deciding), &mut deciding.scroll)
        }
    };
    let height = u16::try_from(lines.len() + fixed.len() + 2).unwrap_or(u16::MAX).min(body.height);
    let [area] =
        Layout::horizontal([Constraint::Length(columns)]).flex(ratatui::layout::Flex::Center).areas(body);
    let [area] =
        Layout::vertical([Constraint::Length(height)]).flex(ratatui::layout::Flex::Center).areas(area);
    frame.render_widget(Clear, area);
    let block = Block::bordered().title(title).padding(ratatui::widgets::Padding::horizontal(1));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let fixed_rows = u16::try_from(fixed.len()).unwrap_or(u16::MAX).min(inside.height);
    let [above, below] = Layout::vertical([Constraint::Min(0), Constraint::Length(fixed_rows)]).areas(inside);
    let most = lines.len().saturating_sub(usize::from(above.height));
    *scroll = (*scroll).min(most);
    let mut shown: Vec<Line<'_>> = lines.into_iter().skip(*scroll).take(usize::from(above.height)).collect();
    let left = most - *scroll;
    if let Some(last) = shown.last_mut().filter(|_| left > 0) {
        *last = Line::styled(format!("… {} more: PgDn", count(left + 1, "line")), ink.style(Tone::Quiet));
    }
    frame.render_widget(Paragraph::new(shown), above);
    frame.render_widget(Paragraph::new(fixed), below);
}

fn question(ink: Ink, columns: u16, text: &str) -> Vec<Line<'static>> {
    let mut lines = Lines::new(ink, columns);
    lines.gap();
    lines.page(Tone::Yours, text);
    lines.lines
}

/// The place where something is typed; of a long text the end is shown.
fn typing(ink: Ink, columns: u16, what: &str, text: &str) -> Vec<Line<'static>> {
    const ROWS_MAX: usize = 4;
    let mut lines = vec![
        Line::default(),
        Line::styled(format!("{what}, then Enter (Esc: leave it)"), ink.style(Tone::Quiet)),
    ];
    let shown = folded(&format!("> {}_", harmless::name(text)), usize::from(columns).max(1));
    let from = shown.len().saturating_sub(ROWS_MAX);
    lines.extend(shown.into_iter().skip(from).map(Line::raw));
    lines
}

/// What stands below a question: its choices, the place to type, or the confirmation.
fn below(ink: Ink, columns: u16, deciding: &Deciding) -> Vec<Line<'static>> {
    match deciding.stage {
        Stage::Choose => {
            let mut lines = Lines::new(ink, columns);
            lines.gap();
            for (at, choice) in deciding.asked.form.choices.iter().enumerate() {
                let word = if choice.default { choice.word.to_uppercase() } else { choice.word.clone() };
                let (mark, tone) =
                    if at == deciding.chosen { (">", Tone::Chosen) } else { (" ", Tone::Plain) };
                lines.row(tone, &format!("{mark} {word:<9} {}", choice.consequence));
            }
            lines.row(Tone::Quiet, "up, down: choose; Enter: take it; Esc: leave it");
            lines.lines
        }
        Stage::Type => {
            let text = deciding.texts.last().map_or("", String::as_str);
            let asked = deciding.asked.questions.get(deciding.texts.len().saturating_sub(1));
            match asked.filter(|_| deciding.word() == "answer") {
                Some(asked) => {
                    let what = format!("{} (it would assume: {})", asked.question, asked.assumed);
                    let mut lines = question(ink, columns, &what);
                    lines.extend(typing(ink, columns, "your answer", text));
                    lines
                }
                None => typing(ink, columns, &format!("why {}", deciding.word()), text),
            }
        }
        Stage::Confirm(_) => {
            let chosen = deciding.asked.form.choices.get(deciding.chosen);
            let consequence = chosen.map_or("", |choice| choice.consequence.as_str());
            let (feature, word) = (&deciding.feature, deciding.word());
            let said: Vec<&str> = deciding.texts.iter().map(|text| text.trim()).collect();
            let said = said.iter().map(|text| format!("\n  “{text}”")).collect::<String>();
            question(ink, columns, &format!("Decide {feature} {word} ({consequence})?{said}\ny/N"))
        }
    }
}
