//! Checks whether an answer has the form that was asked for.
//!
//! Codex hands the schema to its service and does not look at what comes back, so with a service that ignores it any
//! text would be taken for an answer. Only the outline is compared; what the fields hold is read and judged elsewhere.

use serde_json::Value;

/// Whether the text is one JSON object and nothing else, with every field that the schema requires.
pub(super) fn is_kept(text: &str, schema: &str) -> bool {
    let (Ok(answer), Ok(schema)) =
        (serde_json::from_str::<Value>(text), serde_json::from_str::<Value>(schema))
    else {
        return false;
    };
    let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let has = |name: &Value| name.as_str().is_some_and(|name| answer.get(name).is_some());
    answer.is_object() && required.iter().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redraft_facts::verdict::Verdict;
    use redraft_prompts::prompt::SCHEMA;

    #[test]
    fn only_the_object_itself_with_all_its_fields_has_the_form() {
        let whole = serde_json::to_string(&Verdict::default()).unwrap();
        assert!(is_kept(&whole, SCHEMA));
        assert!(is_kept(&format!("\n {whole}\n"), SCHEMA));
        for text in [
            "I think it is fine.".to_owned(),
            String::new(),
            "[]".to_owned(),
            r#"{"approved":true}"#.to_owned(),
            format!("Here it is: {whole}"),
            format!("```json\n{whole}\n```"),
            format!("{whole}{whole}"),
        ] {
            assert!(!is_kept(&text, SCHEMA), "{text}");
        }
        assert!(!is_kept(&whole, ""), "nobody knows what was asked for");
    }
}
