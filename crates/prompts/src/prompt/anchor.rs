//! Finds where an open finding stands in the text its reader has: a finding keeps the line it was raised at, and texts
//! move.
//!
//! Nothing stored is changed by it; only prompts say the current place. Start at [`Anchors::current`]. What is known is
//! used in this order: the quote, the delta's own lines (for findings of the role's last review, because the delta
//! begins there), the heading that is cited, and last the line as it was raised.

use super::brief::Brief;
use redraft_documents::delta::{Delta, FileDelta};
use redraft_documents::sections::Outline;
use redraft_facts::citation;
use redraft_facts::findings::Finding;
use redraft_facts::prelude::*;

/// A shorter quote may occur anywhere, so it moves no line.
const QUOTE_CHARS_MIN: usize = 8;

pub(super) struct Anchors<'a> {
    brief: &'a Brief<'a>,
    outline: &'a Outline<'a>,
    /// The artifact in every reading in which a quote of it may be compared.
    readings: Vec<Reading>,
    delta: Option<FileDelta>,
}

/// The lines of a text, each folded in one way, with a blank between them; and where each begins.
struct Reading {
    fold: fn(&str) -> String,
    text: String,
    starts: Vec<usize>,
}

impl Reading {
    fn new(outline: &Outline<'_>, fold: fn(&str) -> String) -> Reading {
        let (mut text, mut starts) = (String::new(), Vec::new());
        for line in outline.lines() {
            starts.push(text.len());
            let line = fold(line);
            if !line.is_empty() {
                text.push_str(&line);
                text.push(' ');
            }
        }
        Reading { fold, text, starts }
    }

    fn line(&self, quote: &str, near: Option<u32>) -> Option<u32> {
        let long_enough = |text: &String| text.chars().count() >= QUOTE_CHARS_MIN;
        let whole = (self.fold)(quote);
        let first = citation::quote_parts(&whole).into_iter().next();
        core::iter::once(whole).chain(first).filter(long_enough).find_map(|text| {
            let lines = self.text.match_indices(&text).map(|(at, _)| {
                let line = self.starts.partition_point(|start| *start <= at);
                u32::try_from(line).unwrap_or(u32::MAX)
            });
            lines.min_by_key(|line| near.map(|near| line.abs_diff(near)))
        })
    }
}

impl<'a> Anchors<'a> {
    /// `outline` is that of the brief's artifact.
    pub(super) fn new(brief: &'a Brief<'a>, outline: &'a Outline<'a>) -> Self {
        let mut readings = vec![Reading::new(outline, citation::fold)];
        if citation::is_markdown(brief.place.artifact) {
            readings.push(Reading::new(outline, citation::unmarked));
        }
        let delta = Delta::parse(brief.delta.unwrap_or_default());
        let delta =
            delta.files.into_iter().find(|file| citation::same_file(&file.path, brief.place.artifact));
        Anchors { brief, outline, readings, delta }
    }

    /// The finding with its line and section in the artifact as it is now, as far as they can be determined.
    pub(super) fn current(&self, finding: &Finding) -> Finding {
        let mut current = finding.clone();
        let Some(line) = self.known_line(finding).filter(|line| *line > 0) else { return current };
        current.line = line;
        if let Some(title) = self.moved_section(finding, line) {
            title.clone_into(&mut current.section);
        }
        current
    }

    /// The line of the artifact, from 1, at which to look for a finding. None for one about another file, and where
    /// nothing says where it stands.
    pub(super) fn line(&self, finding: &Finding) -> Option<u32> {
        if !self.is_here(finding) {
            return None;
        }
        let raised = Some(finding.line).filter(|line| *line > 0);
        self.known_line(finding).or_else(|| self.heading(&finding.section)).or(raised)
    }

    fn is_here(&self, finding: &Finding) -> bool {
        finding.file.trim().is_empty() || citation::same_file(&finding.file, self.brief.place.artifact)
    }

    fn known_line(&self, finding: &Finding) -> Option<u32> {
        if !self.is_here(finding) {
            return None;
        }
        let raised = Some(finding.line).filter(|line| *line > 0);
        // The delta leads from what the role saw last, which is what the findings of that review speak of.
        let last = finding.round == self.brief.last_round && finding.role.as_str() == self.brief.profile.role;
        let carried = raised.zip(self.delta.as_ref()).filter(|_| last).map(|(line, file)| file.carried(line));
        self.quoted(&finding.quote, carried.or(raised)).or(carried)
    }

    /// The line where a quote begins; of several the one nearest to where it was.
    fn quoted(&self, quote: &str, near: Option<u32>) -> Option<u32> {
        self.readings.iter().find_map(|reading| reading.line(quote, near))
    }

    fn heading(&self, cited: &str) -> Option<u32> {
        let wanted = citation::heading(cited);
        let section =
            self.outline.sections().iter().find(|section| citation::heading(section.title) == wanted)?;
        u32::try_from(section.own.start + 1).ok().filter(|_| !wanted.is_empty())
    }

    /// The title of the section a line stands in, if the one that is cited is elsewhere now or was renamed. What was
    /// never a heading, such as the name of a requirement, stays as it was cited.
    fn moved_section(&self, finding: &Finding, line: u32) -> Option<&str> {
        let at = (line as usize).checked_sub(1)?;
        let cited = citation::heading(&finding.section);
        let named = |title: &str| citation::heading(title) == cited;
        let mut around = self.outline.sections().iter().filter(|section| section.lines.contains(&at));
        if cited.is_empty() || around.any(|section| named(section.title)) {
            return None;
        }
        let elsewhere = self.outline.sections().iter().any(|section| named(section.title));
        let removed = || {
            self.delta
                .iter()
                .flat_map(FileDelta::removed)
                .any(|line| line.trim_start().starts_with('#') && named(line))
        };
        let title = self.outline.at(at)?.title;
        (!title.is_empty() && (elsewhere || removed())).then_some(title)
    }
}
