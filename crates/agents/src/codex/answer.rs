//! The result of a dispatch: the answer among what was heard, what it cost, and whether it was given with all that the
//! thread held.

use super::rollout::Rollout;
use super::stream::Heard;
use super::totals::Totals;
use super::{CodexAgent, CodexSettings, form, outcome, spending};
use crate::programs::{ConversationRecord, DispatchRecord};
use redraft_cost::price::{Card, Cards};
use redraft_engine::ports::{AgentError, Outcome};
use redraft_facts::event::AfterFailure;
use redraft_facts::ids::SessionId;
use redraft_facts::usage::{Payment, Usage, Usd};
use std::ffi::OsStr;

/// What Codex's notes say about a dispatch that was watched.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    /// The conversation as the last answer left it, in tokens.
    pub(super) context: Option<u64>,
    /// The longest that the conversation was; a summary may have replaced it since.
    pub(super) largest: Option<u64>,
    pub(super) requests: Option<u32>,
    /// Whether they state how much of a plan is used.
    pub(super) plan: bool,
    /// What was used as far as it was counted, with its price; none where nothing was counted.
    pub(super) usage: Option<Usage>,
    /// What answers that broke off can have cost, and what web searches cost.
    pub(super) broken: Usd,
    pub(super) searches: Usd,
}

impl CodexAgent {
    /// What the kept lines and Codex's notes say about a dispatch that was not watched to its end.
    pub(super) fn noted(&self, heard: &Heard, asked: &DispatchRecord) -> Counted {
        let card = self.card(asked);
        let mut rollout = Rollout::find(&self.settings.environment, &heard.thread);
        let context = rollout.news().map(|noted| noted.context);
        let prompt = rollout.largest().or(heard.total.map(|total| total.input)).unwrap_or_default();
        let broken = card.dearest(prompt, spending::ANSWER_TOKENS, card.lifetime.is);
        Counted {
            context,
            largest: rollout.largest(),
            plan: rollout.has_plan(),
            broken: Usd(broken.0.saturating_mul(heard.cuts)),
            searches: card.searches(heard.searches),
            ..Counted::default()
        }
    }

    /// The price card of a dispatch: that of the model it was sent to, which may no longer be configured.
    pub(super) fn card(&self, asked: &DispatchRecord) -> Card {
        let (model, cards) = (&asked.fingerprint.model, Cards::builtin());
        match *model == self.settings.model {
            true => self.settings.card.clone(),
            false => cards.find(model).cloned().unwrap_or_else(|_| cards.conservative()),
        }
    }

    /// The answer among what was heard: none where the turn was not completed, an error where it failed.
    pub(super) fn answer(
        &self,
        heard: &Heard,
        asked: &DispatchRecord,
        schema: &str,
        now_ms: i64,
        counted: Counted,
    ) -> Result<Option<Outcome>, AgentError> {
        if let Some(message) = &heard.failed {
            let (now, detail) = outcome::failure(message, asked.resume, now_ms);
            // What was answered is counted in its notes; what was refused costs nothing.
            let unbilled = AgentError::UNBILLED.filter(|_| !heard.at_work);
            let usage = counted.usage.or(unbilled).filter(|_| outcome::is_settled(heard, message));
            return Err(self.error(now, &detail, usage));
        }
        let Some(total) = heard.total else { return Ok(None) };
        if asked.resume && heard.thread != asked.session {
            // Asked for a thread it does not know, Codex may silently begin another; that one knows nothing.
            let detail = format!("codex answered in thread {} and not in {}", heard.thread, asked.session);
            let priced = self.priced(asked, &Totals::default(), &total, counted);
            let usage = Usage { cost: priced.cost + counted.searches + counted.broken, ..priced };
            return Err(self.error(AfterFailure::FreshSession, &detail, Some(usage)));
        }
        let thread = SessionId::new(heard.thread.clone());
        let folder = self.sessions.folder(&thread);
        let before = Totals::before(&folder, &asked.ticket, total);
        let before = before.map_err(|error| self.broken(&folder, &error))?;
        if !asked.resume {
            let begun = self.sessions.begin(&thread, &asked.fingerprint);
            begun.map_err(|error| self.broken(&folder, &error))?;
        }
        let told = self.priced(asked, &before, &total, counted);
        // What its notes say was used counts, whatever it says at its end.
        let noted = counted.usage.filter(|noted| noted.cost > told.cost + counted.searches);
        let (told, cost) = noted.map_or((told, told.cost + counted.searches), |noted| (noted, noted.cost));
        // An answer is never free where tokens are not; what was reserved counts until better is known.
        let untold = told.output == 0 && (told.input() == 0 || !heard.text.is_empty());
        let known = if untold { cost.max(Usd(asked.reserved)) } else { cost };
        let usage = Usage { cost: known + counted.broken, ..told };
        Ok(Some(Outcome {
            text: heard.text.clone(),
            session: (!heard.thread.is_empty()).then_some(thread),
            usage,
            opened: None,
            denials: Vec::new(),
            notes: heard.notes(),
            formless: !form::is_kept(&heard.text, schema),
            asked_ms: heard.asked_ms,
            requests: counted.requests.or_else(|| heard.requests()),
            hand: None,
            payment: self.payment(counted.plan),
            unknown: if untold { usage.cost } else { counted.broken },
        }))
    }

    /// For a plan, the notes state how much is used. A key, and a provider that Codex was given, are billed by the
    /// token; anything else is its own login, whose kind is unknown.
    pub(super) fn payment(&self, plan: bool) -> Payment {
        let CodexSettings { environment, extra_args, .. } = &self.settings;
        let key = environment.0.get(OsStr::new("CODEX_API_KEY")).is_some_and(|key| !key.is_empty());
        let provider = extra_args.iter().any(|word| word.contains("model_provider"));
        match plan {
            // A key takes precedence over a login, whatever the thread's notes say about an earlier one.
            _ if key => Payment::Key,
            true => Payment::Subscription,
            false if provider => Payment::Key,
            false => Payment::Login,
        }
    }

    /// A request beyond a price cliff is dearer. The conversation shows how large the requests were; otherwise their
    /// sum counts as one.
    fn priced(&self, asked: &DispatchRecord, before: &Totals, total: &Totals, counted: Counted) -> Usage {
        let usage = total.since(before);
        let largest = counted.largest.max(counted.context);
        let largest = largest.map_or(usage.input(), |tokens| tokens.min(usage.input()));
        Usage { cost: self.card(asked).cost(&usage, largest), ..usage }
    }

    /// The answer, if it was given with all that the thread held; keeps what it holds now. An author may go on after a
    /// summary: others judge the result.
    pub(super) fn remembered(
        &self,
        answer: Outcome,
        asked: &DispatchRecord,
        rollout: &Rollout,
    ) -> Result<Outcome, AgentError> {
        let folder = answer.session.as_ref().map(|thread| self.sessions.folder(thread));
        let held =
            folder.as_ref().filter(|_| asked.resume).and_then(|folder| ConversationRecord::read(folder));
        let short = held.zip(rollout.first_prompt()).and_then(|(held, tokens)| held.is_short(tokens));
        let spoilt = short.is_some() || !asked.writes;
        let summed = || "the thread had become too long and was replaced by a summary".to_owned();
        match short.or_else(|| rollout.is_compacted().then(summed)) {
            Some(why) if spoilt => {
                Err(self.error(AfterFailure::FreshSession, &format!("codex: {why}"), Some(answer.usage)))
            }
            Some(why) => {
                let notes = answer.notes.into_iter().chain([why]).collect();
                Ok(Outcome { session: None, notes, ..answer })
            }
            None => {
                if let Some(folder) = folder {
                    // Without it the next turn is not compared with this one; it is no reason to lose an answer.
                    let _ = ConversationRecord::keep(&folder, rollout.least_next(), rollout.file());
                }
                Ok(answer)
            }
        }
    }
}
