//! Text for the screen: made harmless, broken to a width, and marked by what it means.
//!
//! Every line that is drawn is made here, so nothing reaches the terminal that it would obey. Words always say what a
//! colour says.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use redraft_facts::harmless;
use redraft_frame::wrap::{cut, width, wrapped};

/// What a text means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Quiet,
    Good,
    Bad,
    /// A person is asked.
    Yours,
    Chosen,
}

/// How meanings look, with colours or without.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    pub(super) colours: bool,
}

impl Ink {
    pub(super) fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        let coloured = |style: Style, colour: Color| if self.colours { style.fg(colour) } else { style };
        match tone {
            Tone::Plain => plain,
            Tone::Strong => plain.add_modifier(Modifier::BOLD),
            Tone::Quiet if self.colours => plain.fg(Color::DarkGray),
            Tone::Quiet => plain,
            Tone::Good => coloured(plain, Color::Green),
            Tone::Bad => coloured(plain, Color::Red),
            Tone::Yours => coloured(plain.add_modifier(Modifier::BOLD), Color::Yellow),
            Tone::Chosen => plain.add_modifier(Modifier::REVERSED),
        }
    }
}

/// Lines of a pane that is this wide.
pub(super) struct Lines {
    ink: Ink,
    width: usize,
    pub(super) lines: Vec<Line<'static>>,
}

impl Lines {
    pub(super) fn new(ink: Ink, width: u16) -> Lines {
        Lines { ink, width: usize::from(width).max(1), lines: Vec::new() }
    }

    /// A paragraph, broken between words. Further lines of a text stand a little to the right, so that none can be taken
    /// for a line of ours.
    pub(super) fn say(&mut self, tone: Tone, text: &str) {
        self.page(tone, &beneath(text));
    }

    /// A text of ours whose lines stand where they are.
    pub(super) fn page(&mut self, tone: Tone, text: &str) {
        let style = self.ink.style(tone);
        self.lines.extend(folded(text, self.width).into_iter().map(|line| Line::styled(line, style)));
    }

    /// A paragraph whose first words have a tone of their own.
    pub(super) fn begin(&mut self, tone: Tone, first: &str, rest: &str) {
        let first = harmless::name(first);
        let mut lines = folded(&beneath(&format!("{first}{rest}")), self.width).into_iter();
        if let Some(line) = lines.next() {
            let at = line.char_indices().nth(first.chars().count()).map_or(line.len(), |(at, _)| at);
            let (first, rest) = line.split_at(at);
            let first = Span::styled(first.to_owned(), self.ink.style(tone));
            self.lines.push(Line::from(vec![first, Span::raw(rest.to_owned())]));
        }
        self.lines.extend(lines.map(Line::raw));
    }

    /// One line, cut where it is too long.
    pub(super) fn row(&mut self, tone: Tone, text: &str) {
        self.lines.push(Line::styled(cut(&harmless::name(text), self.width), self.ink.style(tone)));
    }

    pub(super) fn head(&mut self, text: &str) {
        if !self.lines.is_empty() {
            self.gap();
        }
        self.row(Tone::Strong, text);
    }

    pub(super) fn gap(&mut self) {
        self.lines.push(Line::default());
    }
}

/// The text with its further lines moved to the right.
fn beneath(text: &str) -> String {
    let indent = text.len() - text.trim_start_matches(' ').len() + 4;
    text.trim_end().replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// The text in lines of at most this many columns; a word that is longer than a line is broken.
pub(super) fn folded(text: &str, columns: usize) -> Vec<String> {
    let text = harmless::text(text).replace('\t', "    ");
    let mut lines = Vec::new();
    for line in wrapped(&text, columns).split('\n') {
        let mut rest = String::new();
        let mut used = 0;
        for letter in line.chars() {
            let wide = width(letter.encode_utf8(&mut [0; 4]));
            if used + wide > columns && !rest.is_empty() {
                lines.push(std::mem::take(&mut rest));
                used = 0;
            }
            rest.push(letter);
            used += wide;
        }
        lines.push(rest);
    }
    lines
}

/// `0:07`, `12:05`, `1:02:03`.
pub(super) fn clock(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// How long ago something was, in the largest unit that says it.
pub(super) fn ago(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
