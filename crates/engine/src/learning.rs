//! Writes down what a feature teaches: makes the bundle that an agent looks back on, the page from its answer, new
//! entries of the knowledge bank, and judgements of older entries by this feature.
//!
//! Everything here can be repeated: the same answer gives the same page and the same entries, and an entry that is
//! there is not added twice. Where there is no answer in words, the page has the figures alone. Start at
//! [`Learning::bundle`], then [`Learning::store_retrospective`].

use crate::base::Base;
use crate::ending::EngineError;
use crate::journal::Journal;
use crate::trailers;
use crate::values::Finish;
use crate::worktree::Worktree;
use redraft_core::review::DispatchOrder;
use redraft_documents::bank::{self, Bank, BankFile};
use redraft_facts::event::{BankApplied, BankJudged, Challenged, Event, LessonName, RetroWritten};
use redraft_facts::findings::Finding;
use redraft_facts::phase::Phase;
use redraft_facts::text::{hash, one_line};
use redraft_facts::ticket::{Purpose, Ticket};
use redraft_reports::retro::{self, Figures, Judgements, Judging, LessonStance, Older, RetroAnswer};

/// The reason why no agent was asked, where the configuration says so.
pub(crate) const NOT_WANTED: &str = "`[finish] retro = false` in redraft.toml";

/// Writes down what a feature teaches.
pub(crate) struct Learning<'r, 'a> {
    pub(crate) journal: &'r mut Journal<'a>,
    pub(crate) worktree: Worktree<'r>,
    pub(crate) base: Base<'r>,
    pub(crate) finish: &'r Finish,
}

impl Learning<'_, '_> {
    /// The bundle for the agent that looks back on the feature, as of the opening of the phase.
    pub(crate) fn bundle(&self) -> Result<String, EngineError> {
        let change = self.base.change_of_feature(self.journal.entries())?;
        let figures = Figures::from_entries(self.journal.state(), self.journal.entries()).with(&change);
        let mut sizes = Vec::new();
        for name in Phase::Finish.upstream() {
            if let Some(bytes) = self.worktree.workspace.read(&self.worktree.created.path_of(name))? {
                sizes.push(((*name).to_owned(), bytes.len() as u64));
            }
        }
        Ok(retro::bundle(&figures, self.journal.state(), self.journal.entries(), &change, &sizes))
    }

    /// Makes the retrospective from an answer.
    pub(crate) fn store_retrospective(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some(text) = self.answer_of(ticket)? else { return Ok(()) };
        match RetroAnswer::read(&text) {
            Ok(answer) => self.write_retro(Some(ticket.clone()), Some(&answer), None),
            Err(why) => self.write_retro(Some(ticket.clone()), None, Some(why)),
        }
    }

    /// The retrospective as a page and as entries of the bank, in one commit.
    pub(crate) fn write_retro(
        &mut self,
        ticket: Option<Ticket>,
        answer: Option<&RetroAnswer>,
        plain: Option<String>,
    ) -> Result<(), EngineError> {
        let page = self.page(answer, plain.as_deref())?;
        let files = self.worktree.bank_files()?;
        let older = Bank::read(&files);
        let lessons = answer.map(retro::new_entries).unwrap_or_default();
        let mut changes = Vec::new();
        let mut added = Vec::new();
        for lesson in lessons {
            let entry = self.new_entry(lesson);
            let known = older.entries.iter().any(|one| one.kind == entry.kind && one.is_called(&entry.name));
            if !known || self.wrote(&older, &entry) {
                added.push(lesson_of(entry.kind, &entry.name));
            }
            changes.push((entry.kind, bank::BankChange::Add(entry)));
        }
        let (mut paths, notes) = self.worktree.change_bank(&files, &changes)?;
        let relevant = self.relevant(&older, &added)?;
        let (relevant, judge, mut notes) = match self.judging(&older, &relevant) {
            Ok(judging) => (relevant, judging, notes),
            Err(why) => {
                (Vec::new(), None, [notes, vec![format!("older lessons were not judged: {why}")]].concat())
            }
        };
        // Figures alone do not judge anything.
        let relevant = if answer.is_some() { relevant } else { Vec::new() };
        let path = self.worktree.created.path_of(Phase::Finish.artifact());
        self.worktree.workspace.write(&path, page.as_bytes())?;
        paths.push(path);
        let commit = self.commit_learnt(&paths, ticket.as_ref(), "redraft: retrospective")?;
        notes.truncate(NOTES_MAX);
        let blobs: Vec<Vec<u8>> = judge
            .filter(|_| !relevant.is_empty())
            .map(|judging| judging.text.into_bytes())
            .into_iter()
            .collect();
        let judge = blobs.first().map(|bytes| hash(bytes));
        let fact = RetroWritten { ticket, commit, plain, added, relevant, judge, notes };
        self.journal.append(vec![fact.into()], &blobs)
    }

    /// The page with everything that was counted so far; at the close that is everything.
    fn page(&self, answer: Option<&RetroAnswer>, plain: Option<&str>) -> Result<String, EngineError> {
        let figures = Figures::from_entries(self.journal.state(), self.journal.entries())
            .with(&self.base.change_of_feature(self.journal.entries())?);
        let mut page = retro::markdown(&figures, answer, plain);
        let finishing = self.journal.state().open.as_ref().and_then(|open| open.finishing.as_ref());
        if let Some(judged) = finishing.and_then(|finishing| finishing.judged.as_ref()) {
            let confirmed = judged.confirmed.iter().map(|one| (one.name.clone(), LessonStance::Confirmed));
            let challenged = judged.challenged.iter();
            let challenged =
                challenged.map(|one| (one.lesson.name.clone(), LessonStance::Challenged(one.text.clone())));
            page.push_str(&retro::judged(&figures, &confirmed.chain(challenged).collect::<Vec<_>>()));
        }
        Ok(page)
    }

    /// Writes the page once more, with the figures of the phase that is about to close.
    pub(crate) fn complete_retro(&self) -> Result<(), EngineError> {
        let finishing = self.journal.open_loop()?.finishing.as_ref();
        let Some(retro) = finishing.and_then(|finishing| finishing.retro.as_ref()) else { return Ok(()) };
        let answer = match (&retro.plain, &retro.ticket) {
            (None, Some(ticket)) => {
                self.stored_answer(ticket)?.and_then(|text| RetroAnswer::read(&text).ok())
            }
            _ => None,
        };
        let page = self.page(answer.as_ref(), retro.plain.as_deref())?;
        let path = self.worktree.created.path_of(Phase::Finish.artifact());
        Ok(self.worktree.workspace.write(&path, page.as_bytes())?)
    }

    /// Makes a judgement from an answer. An unreadable answer changes nothing.
    pub(crate) fn store_bank_judgement(&mut self, ticket: &Ticket) -> Result<(), EngineError> {
        let Some(text) = self.answer_of(ticket)? else { return Ok(()) };
        let files = self.worktree.bank_files()?;
        let bank = Bank::read(&files);
        let finishing = self.journal.open_loop()?.finishing.as_ref();
        let relevant = finishing.and_then(|one| one.retro.as_ref()).map(|retro| retro.relevant.clone());
        let relevant = relevant.unwrap_or_default();
        let asked = self.judging(&bank, &relevant).map(|judging| judging.ok_or_else(String::new));
        let read = asked.and_then(|judging| Judgements::read(&text, &judging?));
        let stances = match read {
            Ok(stances) => stances,
            Err(why) => return self.record_bank_unchanged(Some(ticket.clone()), why),
        };
        let (mut confirmed, mut challenged) = (Vec::new(), Vec::new());
        for (lesson, (_, stance)) in relevant.iter().cloned().zip(stances) {
            match stance {
                LessonStance::Confirmed => confirmed.push(lesson),
                LessonStance::Challenged(text) => challenged.push(Challenged { lesson, text }),
                LessonStance::Skipped => {}
            }
        }
        let proposed = self.is_first_judgement()?;
        let (commit, notes) = match proposed {
            true => Default::default(),
            false => self.put_down(&confirmed, &challenged, Some(ticket))?,
        };
        let ticket = Some(ticket.clone());
        self.journal.record(BankJudged { ticket, commit, confirmed, challenged, proposed, notes })
    }

    /// Applies what was only proposed, because a person said so.
    pub(crate) fn apply_lessons(&mut self) -> Result<(), EngineError> {
        let finishing = self.journal.open_loop()?.finishing.as_ref();
        let judged = finishing.and_then(|finishing| finishing.judged.clone());
        let (confirmed, challenged) =
            judged.map(|judged| (judged.confirmed, judged.challenged)).unwrap_or_default();
        let (commit, notes) = self.put_down(&confirmed, &challenged, None)?;
        self.journal.record(BankApplied { commit, notes })
    }

    /// Writes into the bank what was confirmed and what was challenged.
    fn put_down(
        &self,
        confirmed: &[LessonName],
        challenged: &[Challenged],
        ticket: Option<&Ticket>,
    ) -> Result<(String, Vec<String>), EngineError> {
        let feature = self.worktree.created.id;
        let of = |lesson: &LessonName| Some((lesson.kind.parse::<BankFile>().ok()?, lesson.name.clone()));
        let confirms = confirmed.iter().filter_map(of);
        let confirms = confirms.map(|(kind, name)| (kind, bank::BankChange::Confirm { name, feature }));
        let challenges = challenged.iter().filter_map(|one| Some((of(&one.lesson)?, one.text.clone())));
        let challenges = challenges
            .map(|((kind, name), text)| (kind, bank::BankChange::Challenge { name, feature, text }));
        let changes: Vec<(BankFile, bank::BankChange)> = confirms.chain(challenges).collect();
        let (paths, notes) = self.worktree.change_bank(&self.worktree.bank_files()?, &changes)?;
        let commit = self.commit_learnt(&paths, ticket, "redraft: lessons confirmed and challenged")?;
        Ok((commit, notes))
    }

    /// Notes that the bank stays as it is.
    pub(crate) fn record_bank_unchanged(
        &mut self,
        ticket: Option<Ticket>,
        why: String,
    ) -> Result<(), EngineError> {
        let (commit, confirmed, challenged) = (String::new(), Vec::new(), Vec::new());
        let notes = vec![one_line(&why, 300)];
        let proposed = false;
        self.journal.record(BankJudged { ticket, commit, confirmed, challenged, proposed, notes })
    }

    /// Goes on without a dispatch of this phase that the configuration does not want.
    pub(crate) fn go_on_without_unwanted(&mut self, orders: &[DispatchOrder]) -> Result<bool, EngineError> {
        match orders {
            [order] if !self.finish.retro => self.go_on_without(&order.ticket, NOT_WANTED),
            _ => Ok(false),
        }
    }

    /// Goes on without a dispatch of this phase; false where the dispatch belongs to another phase.
    pub(crate) fn go_on_without(&mut self, ticket: &Ticket, why: &str) -> Result<bool, EngineError> {
        match ticket.purpose {
            Purpose::Retro => self.write_retro(None, None, Some(why.to_owned()))?,
            Purpose::Judge => self.record_bank_unchanged(None, why.to_owned())?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether no lesson was ever judged in this repository: people are to look at the first judgement.
    fn is_first_judgement(&self) -> Result<bool, EngineError> {
        let mut first = true;
        self.journal.writer().store.each_of(&["bank-judged"], &mut |_, entry| {
            first &= !matches!(&entry.event, Event::BankJudged(fact) if fact.ticket.is_some());
        })?;
        Ok(first)
    }

    fn new_entry(&self, lesson: retro::NewLesson) -> bank::NewEntry {
        let kind = match lesson.kind {
            retro::LessonKind::AntiPattern => BankFile::AntiPattern,
            retro::LessonKind::Heuristic => BankFile::Heuristic,
            retro::LessonKind::Pattern => BankFile::Pattern,
        };
        let confidence = lesson.confidence.name().to_owned();
        let (name, text, provenance) = (lesson.name, lesson.text, lesson.provenance);
        bank::NewEntry { kind, name, text, provenance, confidence }.of_feature(self.worktree.created.id)
    }

    /// Whether this feature itself wrote an entry that is there, before a crash.
    fn wrote(&self, bank: &Bank, entry: &bank::NewEntry) -> bool {
        let own = |one: &&bank::BankEntry| one.kind == entry.kind && one.is_called(&entry.name);
        bank.entries
            .iter()
            .find(own)
            .and_then(|one| one.fields.provenance.as_ref())
            .is_some_and(|seen| seen.is_of(self.worktree.created.id))
    }

    /// The older entries that concern this feature, as far as that can be computed.
    fn relevant(&self, bank: &Bank, added: &[LessonName]) -> Result<Vec<LessonName>, EngineError> {
        let found = bank::relevant(&bank.entries, &self.facts()?);
        let lessons = found.iter().map(|one| lesson_of(one.entry.kind, &one.entry.name));
        Ok(lessons.filter(|lesson| !added.contains(lesson)).collect())
    }

    /// What a feature did and what was said about it.
    fn facts(&self) -> Result<bank::FeatureRecord, EngineError> {
        let change = self.base.change_of_feature(self.journal.entries())?;
        let paths = change.files.into_iter().map(|(path, ..)| path);
        let mut facts = bank::FeatureRecord { paths: paths.collect(), ..bank::FeatureRecord::default() };
        for entry in self.journal.entries() {
            match &entry.event {
                Event::Built(built) => {
                    let report = &built.report;
                    let said = [&report.decisions, &report.deviations, &report.concerns];
                    facts.decisions.extend(said.into_iter().filter(|text| text.as_str() != "none").cloned());
                }
                Event::Checked(check) if !check.passed => facts.rules.push(check.gate.clone()),
                _ => {}
            }
        }
        let in_words = |finding: &Finding| format!("{} {}", finding.place(), finding.description);
        facts.findings.extend(self.journal.state().standing().flat_map(|one| &one.findings).map(in_words));
        Ok(facts)
    }

    /// The question about these entries; none where there are none.
    fn judging(&self, bank: &Bank, relevant: &[LessonName]) -> Result<Option<Judging>, String> {
        let facts = self.facts().map_err(|error| error.to_string())?;
        let found = bank::relevant(&bank.entries, &facts);
        let of = |lesson: &LessonName| {
            let same = |one: &&bank::BankEntry| one.kind.name() == lesson.kind && one.name == lesson.name;
            bank.entries.iter().find(same)
        };
        let why = |entry: &bank::BankEntry| {
            let same = found.iter().find(|one| one.entry.kind == entry.kind && one.entry.name == entry.name);
            same.map(|one| one.why.clone()).unwrap_or_default()
        };
        let entries: Vec<&bank::BankEntry> = relevant.iter().filter_map(of).collect();
        if entries.len() != relevant.len() {
            return Err("the knowledge bank was changed in the meantime".to_owned());
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let whys: Vec<String> = entries.iter().map(|entry| why(entry)).collect();
        let older: Vec<Older<'_>> = entries
            .iter()
            .zip(&whys)
            .map(|(entry, why)| Older { kind: entry.kind.name(), name: &entry.name, text: &entry.text, why })
            .collect();
        let change =
            self.base.change_of_feature(self.journal.entries()).map_err(|error| error.to_string())?;
        retro::judge_bundle(&older, self.journal.state(), self.journal.entries(), &change).map(Some)
    }

    fn answer_of(&self, ticket: &Ticket) -> Result<Option<String>, EngineError> {
        let answer = self.journal.answer_of(ticket)?;
        Ok(answer.map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The answer to a ticket that is no longer in flight.
    fn stored_answer(&self, ticket: &Ticket) -> Result<Option<String>, EngineError> {
        let answered = self.journal.entries().iter().rev().find_map(|entry| match &entry.event {
            Event::Answered(fact) if fact.ticket == *ticket => Some(fact.answer.clone()),
            _ => None,
        });
        let Some(answer) = answered else { return Ok(None) };
        Ok(Some(String::from_utf8_lossy(&self.journal.writer().store.blob(&answer)?).into_owned()))
    }

    fn commit_learnt(
        &self,
        paths: &[String],
        ticket: Option<&Ticket>,
        message: &str,
    ) -> Result<String, EngineError> {
        if paths.is_empty() {
            return Ok(String::new());
        }
        let state = self.journal.state();
        let trailers =
            ticket.map_or_else(|| trailers::plain(state), |ticket| trailers::of_answer(state, ticket));
        self.worktree.boundaries.pass("before what was learnt is committed");
        let commit = self.worktree.commit_or_head(paths, message, &trailers)?;
        self.worktree.boundaries.pass("before what was learnt is stored");
        Ok(commit)
    }
}

/// How many refused changes are noted; more would say no more.
const NOTES_MAX: usize = 20;

fn lesson_of(kind: BankFile, name: &str) -> LessonName {
    LessonName { kind: kind.name().to_owned(), name: name.to_owned() }
}
