//! What a feature is called here and where it began. Two clones may give out one number: then the second to arrive has a
//! letter here, and its events are stored under that name.

use crate::errors::{CliError, ErrorCode};
use redraft_adapters::sqlite::Ledger;
use redraft_engine::ports::Store as _;
use redraft_facts::event::Event;
use redraft_facts::ids::{FeatureId, FeatureUuid, ReviewId};
use redraft_facts::ticket::{Scope, Ticket};
use serde_json::Value;
use std::collections::BTreeMap;

/// The features and reviews of this ledger. Of two scopes with one feature, the later one goes on.
pub(super) fn scopes(ledger: &Ledger) -> Result<BTreeMap<FeatureUuid, Scope>, CliError> {
    let mut found = BTreeMap::new();
    ledger.each_of(&["feature-created"], &mut |scope, entry| {
        if let Event::FeatureCreated(created) = &entry.event {
            found.insert(created.uuid.clone(), scope.clone());
        }
    })?;
    Ok(found)
}

/// The name under which a feature from elsewhere can be kept here.
pub(super) fn free_name(ledger: &Ledger, called: &Scope) -> Result<Scope, CliError> {
    let taken = ledger.scopes()?;
    let mut scope = called.clone();
    while taken.contains(&scope) {
        let next = match &scope {
            Scope::Feature(id) => id.next_letter().map(Scope::Feature),
            Scope::Review(id) => id.next_letter().map(Scope::Review),
            Scope::Agent(_) | Scope::Repo => None,
        };
        scope = next.ok_or_else(|| {
            CliError::new(ErrorCode::Config, format!("too many features are called {called}"))
        })?;
    }
    Ok(scope)
}

/// An event under the name that its feature has in another clone.
pub(super) fn renamed(event: Event, from: &Scope, to: &Scope) -> Result<Event, CliError> {
    if from == to {
        return Ok(event);
    }
    let failed = |detail: String| CliError::new(ErrorCode::Config, detail);
    let (kind, version) = (event.kind(), event.version());
    let mut body: Value = serde_json::from_str(&event.encode()).map_err(|error| failed(error.to_string()))?;
    tickets(&mut body, from, to);
    if let Event::FeatureCreated(created) = &event {
        let (id, letter) = match to {
            Scope::Feature(id) => (*id, id.to_string()),
            Scope::Review(ReviewId(id)) => (FeatureId(*id), String::new()),
            Scope::Agent(_) | Scope::Repo => (created.id, String::new()),
        };
        body["id"] = serde_json::to_value(id).map_err(|error| failed(error.to_string()))?;
        if created.branch.starts_with("feature/") && !created.in_place {
            body["branch"] = format!("feature/{letter}-{}", created.slug).into();
        }
    }
    Event::decode(kind, version, &body.to_string()).map_err(|error| failed(error.to_string()))
}

/// Replaces the scope of every ticket.
fn tickets(value: &mut Value, from: &Scope, to: &Scope) {
    match value {
        Value::String(text) => {
            if let Ok(ticket) = text.parse::<Ticket>()
                && ticket.scope == *from
            {
                *text = Ticket { scope: to.clone(), ..ticket }.to_string();
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| tickets(one, from, to)),
        Value::Object(fields) => fields.values_mut().for_each(|one| tickets(one, from, to)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::event::Lost;
    use redraft_facts::usage::Usd;

    #[test]
    fn an_event_under_another_name_is_the_same_event() {
        let (here, there): (Scope, Scope) = ("003b".parse().unwrap(), "003".parse().unwrap());
        let ticket: Ticket = "003/specify.1/review/spec-reviewer/2.1".parse().unwrap();
        let undone = vec!["003/specify.1/review/spec-reviewer".to_owned()];
        let lost = Event::from(Lost { ticket, cost: Usd(1), undone });
        let named = renamed(lost.clone(), &there, &here).unwrap();
        assert!(named.encode().contains("003b/specify.1/review/spec-reviewer/2.1"), "{}", named.encode());
        assert!(named.encode().contains("[\"003/specify.1/review/spec-reviewer\"]"), "a text is left alone");
        assert_eq!(renamed(named, &here, &there).unwrap(), lost);
    }
}
