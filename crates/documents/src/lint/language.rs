//! Detects the language of a document cheaply: by its script and its commonest words.

use super::page::Page;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    English,
    German,
    Spanish,
    French,
    Russian,
    Chinese,
    Other,
}

/// More says nothing new.
const WORDS_MAX: usize = 1_000;
/// The longest common word, in bytes.
const COMMON_BYTES_MAX: usize = 12;
/// Fewer common words than this prove nothing.
const HITS_MIN: usize = 3;

const COMMON: [(Language, [&str; 12]); 5] = [
    (
        Language::English,
        ["the", "and", "is", "of", "to", "with", "for", "that", "not", "are", "must", "when"],
    ),
    (
        Language::German,
        ["der", "die", "das", "und", "ist", "nicht", "mit", "ein", "wird", "für", "muss", "bei"],
    ),
    (Language::Spanish, ["el", "los", "las", "que", "es", "una", "por", "con", "para", "debe", "del", "se"]),
    (Language::French, ["le", "les", "des", "est", "une", "et", "dans", "pour", "pas", "doit", "du", "qui"]),
    (Language::Russian, ["и", "в", "не", "на", "что", "для", "с", "по", "при", "должен", "это", "или"]),
];

pub(super) fn detect(page: &Page<'_>) -> Language {
    let words = page.texts().flat_map(|(_, line)| line.prose.split(|c: char| !c.is_alphabetic()));
    let mut hits = [0_usize; COMMON.len()];
    let (mut han, mut kana, mut others) = (0_usize, 0_usize, 0_usize);
    for word in words.filter(|word| !word.is_empty()).take(WORDS_MAX) {
        match word.chars().next() {
            Some('\u{3040}'..='\u{30ff}') => kana += 1,
            Some('\u{4e00}'..='\u{9fff}') if word.chars().any(|c| ('\u{3040}'..='\u{30ff}').contains(&c)) => {
                kana += 1
            }
            Some('\u{4e00}'..='\u{9fff}') => han += 1,
            _ => others += 1,
        }
        if word.len() > COMMON_BYTES_MAX {
            continue;
        }
        let lower = word.to_lowercase();
        for (hit, (_, common)) in hits.iter_mut().zip(&COMMON) {
            *hit += usize::from(common.contains(&lower.as_str()));
        }
    }
    if han + kana > others / 2 && han + kana >= HITS_MIN {
        // Chinese has none of it, and a Japanese heading may be all signs.
        return if kana > 0 { Language::Other } else { Language::Chinese };
    }
    let best = (0..hits.len()).max_by_key(|at| hits[*at]).unwrap_or(0);
    // Words of code and names are in every document; the language must stand out.
    let clear = (0..hits.len()).all(|at| at == best || hits[at] * 2 <= hits[best]);
    if hits[best] >= HITS_MIN && clear { COMMON[best].0 } else { Language::Other }
}
