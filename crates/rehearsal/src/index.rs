//! Many texts by the words they hold, so that those who share words with a sentence are found without looking at
//! every one.
//!
//! Knows sets of words and nothing of what they mean. Start at [`Index::sharing`].

use super::pace::{Pace, Stopped};
use std::collections::{BTreeSet, HashMap};

/// How many texts one question may bring up. Ordinary documents have fewer; in huge ones those that share the
/// rarest words come first, and the rest could hardly be the ones that are meant.
const SHARING_MAX: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Index {
    words: HashMap<String, u32>,
    /// Per word, the texts that hold it, in order.
    holding: Vec<Vec<usize>>,
    /// Per text, its words, sorted.
    texts: Vec<Vec<u32>>,
}

impl Index {
    pub(super) fn of<'w>(
        texts: impl Iterator<Item = &'w BTreeSet<String>>,
        pace: &Pace<'_>,
    ) -> Result<Self, Stopped> {
        let mut index = Index::default();
        for (at, text) in texts.enumerate() {
            pace.step()?;
            let mut numbers = Vec::with_capacity(text.len());
            for word in text {
                let number = match index.words.get(word) {
                    Some(number) => *number,
                    None => index.new_word(word),
                };
                index.holding[number as usize].push(at);
                numbers.push(number);
            }
            numbers.sort_unstable();
            index.texts.push(numbers);
        }
        Ok(index)
    }

    fn new_word(&mut self, word: &str) -> u32 {
        let number = u32::try_from(self.holding.len()).unwrap_or(u32::MAX);
        self.words.insert(word.to_owned(), number);
        self.holding.push(Vec::new());
        number
    }

    /// How many texts there are.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// How many texts hold a word.
    pub(super) fn holding(&self, word: &str) -> usize {
        self.words.get(word).map_or(0, |number| self.holding[*number as usize].len())
    }

    /// Words as this index knows them; what no text holds is left out.
    pub(super) fn query<'w>(&self, words: impl IntoIterator<Item = &'w String>) -> Query {
        Query(words.into_iter().filter_map(|word| self.words.get(word).copied()).collect())
    }

    /// The texts that share a word with these, in their order.
    pub(super) fn sharing(&self, query: &Query) -> Vec<usize> {
        let mut rarest = query.0.clone();
        rarest.sort_by_key(|number| self.holding[*number as usize].len());
        let mut found = BTreeSet::new();
        for number in rarest {
            let room = SHARING_MAX.saturating_sub(found.len());
            found.extend(self.holding[number as usize].iter().copied().take(room));
        }
        found.into_iter().collect()
    }

    /// How many of these words a text holds.
    pub(super) fn shared(&self, text: usize, query: &Query) -> usize {
        let own = &self.texts[text];
        query.0.iter().filter(|number| own.binary_search(number).is_ok()).count()
    }

    /// The most words that any text shares with these.
    pub(super) fn most_shared(&self, words: &BTreeSet<String>) -> usize {
        let query = self.query(words);
        self.sharing(&query).into_iter().map(|text| self.shared(text, &query)).max().unwrap_or(0)
    }
}

/// Words to ask an index about.
#[derive(Debug)]
pub(super) struct Query(Vec<u32>);

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> BTreeSet<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn texts_are_found_by_the_words_they_share() {
        let texts = [set("a b c"), set("c d"), set("e"), set("b c")];
        let index = Index::of(texts.iter(), &Pace::calm()).unwrap();
        assert_eq!(index.sharing(&index.query(&set("b d x"))), [0, 1, 3]);
        assert_eq!((index.holding("c"), index.holding("x"), index.len()), (3, 0, 4));
        assert_eq!((index.shared(0, &index.query(&set("b c x"))), index.most_shared(&set("c b"))), (2, 2));
    }

    #[test]
    fn in_a_huge_document_the_rarest_words_are_asked_first() {
        let mut texts = vec![set("every"); SHARING_MAX * 2];
        texts.push(set("every rare"));
        let index = Index::of(texts.iter(), &Pace::calm()).unwrap();
        let found = index.sharing(&index.query(&set("every rare")));
        assert_eq!((found.len(), found.last()), (SHARING_MAX, Some(&(SHARING_MAX * 2))));
    }
}
