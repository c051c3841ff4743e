//! Finds the word somebody probably meant.

/// The nearest of the known words, if few enough letters differ to be a slip.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let allowed = (word.len() / 3).max(1);
    let distances = known.into_iter().map(|candidate| {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        (distance(&word, &letters), candidate)
    });
    distances.filter(|(distance, _)| *distance <= allowed).min().map(|(_, candidate)| candidate)
}

/// How many letters must be added, dropped, changed or swapped with their neighbour.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let mut best = (last[j] + usize::from(letter != other)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == to[j - 1] && from[i - 1] == *other {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["seed", "guarded", "fresh", "resume"];
        for (word, expected) in [
            ("guarded", Some("guarded")),
            ("gaurded", Some("guarded")),
            ("guardd", Some("guarded")),
            ("GUARDED", Some("guarded")),
            ("sead", Some("seed")),
            ("ressume", Some("resume")),
            ("cost", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }

    #[test]
    fn distances_are_counted_in_single_slips() {
        let of = |from: &str, to: &str| {
            distance(&from.chars().collect::<Vec<_>>(), &to.chars().collect::<Vec<_>>())
        };
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("abc", ""), 3);
        assert_eq!(of("abcd", "abcd"), 0);
        assert_eq!(of("abcd", "acbd"), 1);
        assert_eq!(of("kitten", "sitting"), 3);
    }
}
