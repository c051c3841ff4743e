//! Changes one setting of a configuration file and leaves everything else as its author wrote it.
//!
//! Only text goes in and out; whether the outcome means something is for [`super::Config::parse`] to say.

use toml_edit::{DocumentMut, Item, Key, Table, TableLike, Value};

/// The text with `key = value`, or without the key where there is no value. None where that changes nothing.
///
/// A value that is no TOML by itself is a text, so nobody has to quote quotes in a shell.
pub fn edited(text: &str, key: &str, value: Option<&str>, as_text: bool) -> Result<Option<String>, String> {
    let path = Key::parse(key).map_err(|_| format!("`{key}` is not a key; write it like roles.default"))?;
    let Some((last, parents)) = path.split_last() else {
        return Err("a key needs a name".to_owned());
    };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| format!("the file is not TOML: {}", error.message().trim()))?;
    let before = document.to_string();
    match value {
        Some(value) => {
            let table = make(document.as_table_mut(), parents, key)?;
            let mut value = if as_text { Value::from(value) } else { written(value) };
            if let Some(old) = table.get(last.get()).and_then(Item::as_value) {
                *value.decor_mut() = old.decor().clone();
            } else if table.get(last.get()).is_some() {
                return Err(format!("`{key}` is a table; name one of the keys in it"));
            }
            table.insert(last.get(), Item::Value(value));
        }
        None => {
            if let Some(table) = find(document.as_table_mut(), parents) {
                table.remove(last.get());
            }
            prune(document.as_table_mut(), parents);
        }
    }
    let after = document.to_string();
    Ok((after != before).then_some(after))
}

fn written(value: &str) -> Value {
    value.trim().parse().unwrap_or_else(|_| Value::from(value))
}

/// The table at the end of the path, made where it is missing.
fn make<'a>(root: &'a mut Table, path: &[Key], key: &str) -> Result<&'a mut dyn TableLike, String> {
    let mut table: &mut dyn TableLike = root;
    for (at, part) in path.iter().enumerate() {
        let item = table.entry(part.get()).or_insert_with(|| {
            let mut made = Table::new();
            // `[agents]` above `[agents.claude]` says nothing.
            made.set_implicit(at + 1 < path.len());
            Item::Table(made)
        });
        table = item
            .as_table_like_mut()
            .ok_or_else(|| format!("`{key}` cannot be set: `{part}` is not a table"))?;
    }
    Ok(table)
}

fn find<'a>(root: &'a mut Table, path: &[Key]) -> Option<&'a mut dyn TableLike> {
    let mut table: &mut dyn TableLike = root;
    for part in path {
        table = table.get_mut(part.get())?.as_table_like_mut()?;
    }
    Some(table)
}

/// Takes away the tables on the path that hold nothing any more.
fn prune(root: &mut Table, path: &[Key]) {
    for length in (1..=path.len()).rev() {
        let (last, parents) = (&path[length - 1], &path[..length - 1]);
        let Some(table) = find(root, parents) else { continue };
        let empty = table.get(last.get()).and_then(Item::as_table_like).is_some_and(TableLike::is_empty);
        if empty {
            table.remove(last.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_written_and_everything_else_stays_to_the_letter() {
        let kept = "# my own words\n\n[agents.claude]   # a remark\nmodel = \"opus\" # the good one\n";
        for (text, key, value, expected) in [
            ("", "roles.default", "claude", "[roles]\ndefault = \"claude\"\n"),
            ("", "budget", "2.50", "budget = 2.50\n"),
            (
                "",
                "agents.local.base_url",
                "http://127.0.0.1:1/v1",
                "[agents.local]\nbase_url = \"http://127.0.0.1:1/v1\"\n",
            ),
            ("", "prices.\"my-model 2\".input", "1", "[prices.\"my-model 2\"]\ninput = 1\n"),
            ("", "workspace.copy", "[\".env\"]", "[workspace]\ncopy = [\".env\"]\n"),
            (
                kept,
                "agents.claude.model",
                "sonnet",
                "# my own words\n\n[agents.claude]   # a remark\nmodel = \"sonnet\" # the good one\n",
            ),
            (
                kept,
                "agents.claude.max_tokens",
                "9000",
                "# my own words\n\n[agents.claude]   # a remark\nmodel = \"opus\" # the good one\nmax_tokens = 9000\n",
            ),
        ] {
            assert_eq!(
                edited(text, key, Some(value), false).as_ref().map(Option::as_deref),
                Ok(Some(expected)),
                "{key}"
            );
        }
        assert_eq!(
            edited("", "agents.x.model", Some("5"), true),
            Ok(Some("[agents.x]\nmodel = \"5\"\n".to_owned()))
        );
        assert_eq!(edited("budget = 3\n", "budget", Some("3"), false), Ok(None), "it says so already");
    }

    #[test]
    fn a_setting_that_is_taken_out_leaves_no_empty_table_behind() {
        let text = "budget = 3\n[roles]\ndefault = \"claude\"\n";
        assert_eq!(edited(text, "roles.default", None, false), Ok(Some("budget = 3\n".to_owned())));
        assert_eq!(edited(text, "roles.other", None, false), Ok(None));
        assert_eq!(
            edited(text, "budget", None, false),
            Ok(Some("[roles]\ndefault = \"claude\"\n".to_owned()))
        );
    }

    #[test]
    fn what_cannot_be_a_setting_is_refused_with_its_name() {
        for (text, key, why) in [
            ("", "a b", "`a b` is not a key"),
            ("", "", "`` is not a key"),
            ("budget = 3\n", "budget.more", "`budget` is not a table"),
            ("[roles]\n", "roles", "`roles` is a table"),
            ("x = [", "budget", "not TOML"),
        ] {
            let error = edited(text, key, Some("1"), false).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
