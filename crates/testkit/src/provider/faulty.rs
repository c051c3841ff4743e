//! Makes models with a weak memory from any script: the same conversation and the same answers, except for one thing
//! they should have remembered. For tests of code that has to notice.
//!
//! Nothing here knows what the answers mean; [`FieldToDamage`] says which field is changed.

use super::RecordedRequest;
use super::script::{Reply, Script};
use serde_json::Value;

/// Where an answer in JSON has the remembered thing: in `field` of every object that has the string `named` in it.
#[derive(Debug, Clone)]
pub struct FieldToDamage {
    pub named: String,
    pub field: String,
}

/// Answers like the script, but has forgotten something: what `entry` should say is vague.
pub fn forgetting(script: impl Script, entry: FieldToDamage) -> impl Script {
    Faulty { script, entry, told: vague }
}

/// Answers like the script, but cannot count: the number in `entry` is one too many. Anything else stays as it is.
pub fn miscounting(script: impl Script, entry: FieldToDamage) -> impl Script {
    Faulty { script, entry, told: one_more }
}

impl FieldToDamage {
    pub fn new(named: &str, field: &str) -> FieldToDamage {
        FieldToDamage { named: named.to_owned(), field: field.to_owned() }
    }
}

struct Faulty<S> {
    script: S,
    entry: FieldToDamage,
    told: fn(&Value) -> Value,
}

impl<S: Script> Script for Faulty<S> {
    fn reply(&mut self, request: &RecordedRequest, index: usize) -> Reply {
        let mut reply = self.script.reply(request, index);
        if let Some(answer) = answer(&mut reply) {
            self.spoil(answer);
        }
        reply
    }
}

impl<S> Faulty<S> {
    fn spoil(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                if fields.values().any(|field| *field == self.entry.named.as_str())
                    && let Some(told) = fields.get_mut(&self.entry.field)
                {
                    *told = (self.told)(told);
                }
                fields.values_mut().for_each(|field| self.spoil(field));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.spoil(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The JSON of a reply, however it is delivered.
fn answer(reply: &mut Reply) -> Option<&mut Value> {
    match reply {
        Reply::Json(value) => Some(value),
        Reply::StallAfter { of, .. }
        | Reply::CutAfter { of, .. }
        | Reply::HeldAfter { of, .. }
        | Reply::Slow { of, .. }
        | Reply::Billed { of, .. }
        | Reply::Held(of) => answer(of),
        _ => None,
    }
}

fn vague(_told: &Value) -> Value {
    Value::from("something that was said some time ago")
}

/// Numbers may be JSON numbers or digits in a text.
fn one_more(told: &Value) -> Value {
    let in_words = || Some(Value::from((told.as_str()?.trim().parse::<u64>().ok()? + 1).to_string()));
    told.as_u64().map(|number| Value::from(number + 1)).or_else(in_words).unwrap_or_else(|| told.clone())
}

#[cfg(test)]
mod tests {
    use super::super::{Provider, Reply, Script};
    use super::{FieldToDamage, forgetting, miscounting};
    use serde_json::{Value, json};

    /// What the script answers over the wire; the text of the answer is its JSON.
    fn asked(script: impl Script + 'static) -> Value {
        let provider = Provider::start(script);
        let text = super::super::tests::asked(&provider);
        serde_json::from_str(&text).unwrap()
    }

    fn script() -> impl Script {
        let told = json!({"approved": true, "verified": [{"claim": "first line", "result": "Inventory"},
            {"claim": "findings", "result": "6"}, {"claim": "lines", "result": 9}]});
        move |_: &super::RecordedRequest, _: usize| Reply::Json(told.clone()).billed(Default::default(), 1)
    }

    #[test]
    fn only_the_entry_that_is_named_is_forgotten() {
        let right = asked(script());
        let mut forgot = asked(forgetting(script(), FieldToDamage::new("first line", "result")));
        assert_ne!(forgot["verified"][0]["result"], right["verified"][0]["result"]);
        forgot["verified"][0]["result"] = right["verified"][0]["result"].clone();
        assert_eq!(forgot, right);
    }

    #[test]
    fn a_number_is_one_too_many_however_it_is_written_and_words_stay() {
        for (named, at, told) in
            [("findings", 1, json!("7")), ("lines", 2, json!(10)), ("first line", 0, json!("Inventory"))]
        {
            let right = asked(script());
            let mut wrong = asked(miscounting(script(), FieldToDamage::new(named, "result")));
            assert_eq!(wrong["verified"][at]["result"], told, "{named}");
            wrong["verified"][at]["result"] = right["verified"][at]["result"].clone();
            assert_eq!(wrong, right, "{named}");
        }
    }
}
