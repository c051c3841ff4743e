//! One request of a dispatch: sent, paid for, and read as it arrives.

use super::super::Key;
use super::super::spend::Next;
use super::super::transcript::Transcript;
use super::super::trouble::{Trouble, refused, unstreamed};
use super::super::wire::{Ask, Counted, Fault, Length, Listener, Said};
use super::super::writing_progress::WritingProgress;
use super::Dispatch;
use crate::http::sse::Events;
use crate::http::{BEGINNING_BYTES_MAX, RequestLimits};
use redraft_engine::ports::AgentError;

impl Dispatch<'_> {
    /// Sends the conversation, and repeats it where that may help.
    pub(super) fn ask(&mut self, transcript: &Transcript) -> Result<(Said, Counted), AgentError> {
        let agent = self.agent;
        let messages = transcript.messages();
        let body = agent.wire.body(&Ask {
            model: &agent.model,
            max_tokens: agent.bounds.answer_tokens,
            system: &transcript.head.system,
            tools: &transcript.head.tools,
            schema: &transcript.head.schema,
            messages: &messages,
            marks: &self.request.marks,
        });
        let (lifetime, _) = agent.lifetimes(self.request);
        let answer_tokens = agent.bounds.answer_tokens;
        let next = Next { bytes: body.len() as u64, answer_tokens, lifetime };
        let mut attempt = 1;
        loop {
            // A request that broke off may have been billed, so each is asked for.
            let granted = self.spending.grant(self.spending.at_most(next), self.watch);
            granted.or_else(|trouble| self.recover(&trouble, attempt))?;
            self.asked += 1;
            let mut listener = agent.wire.listen();
            let heard = self.exchange(body.clone(), listener.as_mut());
            let (counted, arrived) = (listener.counted(), listener.length());
            let (has_begun, is_whole) = (listener.has_begun(), listener.is_whole());
            let said = heard.and_then(|()| Ok(listener.said(&|text| agent.scrub(text))?));
            match said {
                Ok(said) => {
                    self.spending.learn(counted.input(), next.bytes);
                    self.count(&counted, arrived, next);
                    return Ok((said, counted));
                }
                Err(trouble) => {
                    // What was counted at the end of an answer is all of it, whatever broke after that.
                    let is_unbilled = !has_begun && trouble.is_unbilled();
                    match (is_whole && counted.is_whole(arrived)) || is_unbilled {
                        // What the service itself reports as failed before it begins costs what it states, or nothing.
                        true => self.spending.add(&counted),
                        false => self.count_broken(&counted, arrived, next),
                    }
                    self.recover(&trouble, attempt)?;
                }
            }
            attempt += 1;
        }
    }

    /// Counts a request that was answered: by the service's count, else as dear as it can have been. A service that
    /// reports nothing must not make a budget endless.
    fn count(&mut self, counted: &Counted, arrived: Length, next: Next) {
        if counted.is_whole(arrived) || self.agent.card.is_free() {
            return self.spending.add(counted);
        }
        const UNTOLD: &str =
            "the service did not report all that it used; the most it can have been is counted";
        if !self.notes.iter().any(|note| note == UNTOLD) {
            self.notes.push(UNTOLD.to_owned());
        }
        self.count_broken(counted, arrived, next);
    }

    /// Counts a request whose bill is incomplete: what the service reported, and for the rest the most it can have
    /// cost.
    fn count_broken(&mut self, counted: &Counted, arrived: Length, next: Next) {
        self.unknown = self.unknown + self.spending.add_at_most(counted, arrived, next);
    }

    /// One request and its whole answer.
    fn exchange(&mut self, body: String, listener: &mut dyn Listener) -> Result<(), Trouble> {
        let agent = self.agent;
        let url = format!("{}{}", agent.base_url, agent.wire.path());
        let headers = agent.wire.headers(agent.key.as_ref().map(Key::expose));
        let limits =
            RequestLimits { deadlines: self.request.deadlines, began: self.began, watch: self.watch };
        let sent = Counted { uncached: Length::from_text(&body).tokens(), ..Counted::default() };
        let mut response = agent.client.post(&url, &headers, body, limits)?;
        if !(200..300).contains(&response.status) {
            return Err(refused(response)?);
        }
        let (mut events, mut heard, mut told) = (Events::default(), 0, WritingProgress::default());
        let mut beginning = Vec::new();
        while let Some(bytes) = response.next()? {
            if heard == 0 && beginning.len() < BEGINNING_BYTES_MAX {
                beginning.extend_from_slice(&bytes);
            }
            for event in events.push(&bytes).map_err(|error| Fault::Garbage(error.to_string()))? {
                heard += 1;
                if heard == 1 {
                    self.watch.begun();
                }
                // Some servers end every stream this way, whatever its protocol.
                if event.data.trim() == "[DONE]" || listener.hear(&event)? {
                    return Ok(());
                }
                self.check(&sent, listener)?;
                told.hear(listener.length().chars, self.watch);
            }
        }
        match heard {
            0 => Err(unstreamed(&String::from_utf8_lossy(&beginning)).into()),
            // The listener knows whether it has all of the answer.
            _ => Ok(()),
        }
    }
}
