//! `[lint]`: which rules hold, which sections are expected, which words are vague.

use super::error::ConfigError;
use super::file::LintFile;
use super::source::Source;
use redraft_documents::lint::{ArtifactKind, ExpectedPart, LintLevel, LintSettings, Rule};
use toml::Spanned;

impl Source<'_> {
    pub(super) fn lint(&self, file: &LintFile) -> Result<LintSettings, ConfigError> {
        let mut settings = LintSettings::default();
        for (name, level) in &file.rules {
            let rule = self.named(name, "rule", Rule::ALL.map(|rule| (rule.name(), rule)).as_slice())?;
            let mut value = rule.level();
            let levels = LintLevel::ALL.map(|level| (level.name(), level));
            self.word(&mut value, Some(level), "a level", &levels)?;
            if value != rule.level() {
                settings.levels.insert(rule, value);
            }
        }
        for (name, parts) in &file.sections {
            let kind =
                self.named(name, "artifact", ArtifactKind::ALL.map(|kind| (kind.name(), kind)).as_slice())?;
            let parts: Result<Vec<ExpectedPart>, ConfigError> =
                parts.iter().map(|part| self.expected(part)).collect();
            settings.sections.insert(kind, parts?);
        }
        if let Some(words) = file.vague_words.as_ref().filter(|words| !words.is_empty()) {
            let words: Result<Vec<String>, ConfigError> = words.iter().map(|word| self.vague(word)).collect();
            settings.vague_words = Some(words?);
        }
        Ok(settings)
    }

    /// The thing of that name.
    fn named<T: Copy>(
        &self,
        name: &Spanned<String>,
        what: &str,
        known: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let word = name.get_ref();
        let found = known.iter().find(|(name, _)| name == word).map(|(_, thing)| *thing);
        found.ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let wrong = self.wrong(&name.span(), format!("there is no {what} `{word}`"));
            let near = wrong.meant(word, names.iter().copied());
            match near.hint {
                Some(_) => near,
                None => near.hint(format!("known here: {}", names.join(", "))),
            }
        })
    }

    fn expected(&self, part: &Spanned<String>) -> Result<ExpectedPart, ConfigError> {
        ExpectedPart::parse(part.get_ref()).ok_or_else(|| {
            self.wrong(&part.span(), "an expected section needs a name".to_owned())
                .hint("write it like \"Requirements | Scope\": any of these words in a heading will do")
        })
    }

    fn vague(&self, word: &Spanned<String>) -> Result<String, ConfigError> {
        let text = word.get_ref().trim();
        if text.is_empty() {
            return Err(self.wrong(&word.span(), "a vague word cannot be empty".to_owned()));
        }
        Ok(text.to_owned())
    }
}
