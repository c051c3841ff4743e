//! `[prices."MODEL"]`: what the user says a model costs, laid over the built-in cards.
//!
//! A price is read from the text itself and not from the number it was parsed to: money has no rounding errors.

use super::builtin_cards::builtin_cards;
use super::error::ConfigError;
use super::file::{CliffFile, PriceFile};
use super::source::Source;
use redraft_cost::price::{Changes, Cliff, PerMillion, PriceOverride, Repriced, StatedPrice};
use redraft_facts::choice::Lifetime;
use std::collections::BTreeMap;
use toml::Spanned;

/// More than any model holds, few enough to be multiplied by any price.
const TOKENS_MAX: i64 = 100_000_000;

impl Source<'_> {
    /// Everything `[prices]` says, checked against the cards it changes.
    pub(super) fn prices(
        &self,
        file: &BTreeMap<Spanned<String>, PriceFile>,
    ) -> Result<Vec<PriceOverride>, ConfigError> {
        let mut overrides = Vec::new();
        for (model, price) in file {
            overrides.push(PriceOverride { model: model.get_ref().clone(), says: self.says(model, price)? });
        }
        match builtin_cards().clone().with_overrides(overrides.clone()) {
            Ok(_) => Ok(overrides),
            Err(bad) => {
                let written = file.keys().find(|model| *model.get_ref() == bad.model);
                let message = format!("[prices.\"{}\"] cannot be used: {}", bad.model, bad.why);
                let wrong = match written {
                    Some(model) => self.wrong(&model.span(), message),
                    None => ConfigError::new(self.path, message),
                };
                Err(wrong.hint("give input and output in dollars per million tokens, or `unknown = true`"))
            }
        }
    }

    fn says(&self, model: &Spanned<String>, file: &PriceFile) -> Result<StatedPrice, ConfigError> {
        if model.get_ref().trim().is_empty() {
            return Err(self.wrong(&model.span(), "a model without a name cannot have a price".to_owned()));
        }
        let changes = self.changes(file)?;
        match &file.unknown {
            Some(unknown) if *unknown.get_ref() && changes != Changes::default() => {
                let message = "a price cannot be both unknown and given".to_owned();
                Err(self.wrong(&unknown.span(), message).hint("remove `unknown` or the prices"))
            }
            Some(unknown) if *unknown.get_ref() => Ok(StatedPrice::Unknown),
            Some(_) | None => Ok(StatedPrice::Changes(changes)),
        }
    }

    fn changes(&self, file: &PriceFile) -> Result<Changes, ConfigError> {
        let dollars = |written: &Option<Spanned<f64>>| {
            written.as_ref().map(|written| self.per_million(written)).transpose()
        };
        let tokens = |written: &Option<Spanned<super::file::Whole>>, key: &str| {
            let mut tokens = 0;
            self.number(&mut tokens, written.as_ref(), key, 1..=TOKENS_MAX)?;
            Ok::<Option<u64>, ConfigError>(written.as_ref().map(|_| tokens))
        };
        let mut writes = None;
        for (lifetime, price) in file.write.iter().flatten() {
            let writes: &mut BTreeMap<_, _> = writes.get_or_insert_default();
            writes.insert(self.lifetime(lifetime)?, self.per_million(price)?);
        }
        Ok(Changes {
            input: dollars(&file.input)?,
            output: dollars(&file.output)?,
            read: dollars(&file.read)?,
            writes,
            minimum: tokens(&file.minimum, "minimum")?,
            block: tokens(&file.block, "block")?,
            context: tokens(&file.context, "context")?,
            lifetime: file.lifetime.as_ref().map(|lifetime| self.lifetime(lifetime)).transpose()?,
            cliffs: file
                .cliffs
                .as_ref()
                .map(|cliffs| cliffs.iter().map(|cliff| self.cliff(cliff)).collect())
                .transpose()?,
            note: None,
        })
    }

    fn cliff(&self, file: &CliffFile) -> Result<Cliff, ConfigError> {
        let (mut above_tokens, mut input_percent, mut output_percent) = (0, 100, 100);
        self.number(&mut above_tokens, Some(&file.above), "above", 1..=TOKENS_MAX)?;
        self.number(&mut input_percent, file.input_percent.as_ref(), "input_percent", 1..=10_000)?;
        self.number(&mut output_percent, file.output_percent.as_ref(), "output_percent", 1..=10_000)?;
        Ok(Cliff { above_tokens, then: Repriced::Multiply { input_percent, output_percent } })
    }

    fn lifetime(&self, written: &Spanned<String>) -> Result<Lifetime, ConfigError> {
        let known = Lifetime::ALL.map(|lifetime| (lifetime.name(), lifetime));
        let mut lifetime = Lifetime::FiveMinutes;
        self.word(&mut lifetime, Some(written), "a cache lifetime", &known)?;
        Ok(lifetime)
    }

    fn per_million(&self, written: &Spanned<f64>) -> Result<PerMillion, ConfigError> {
        let text = self.text.get(written.span()).unwrap_or_default().replace('_', "");
        PerMillion::from_dollars(&text).map_err(|bad| self.wrong(&written.span(), bad.to_string()))
    }
}
