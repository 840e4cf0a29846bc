//! How far two words are apart: forgiving, but no guesswork.

/// In shorter words one letter makes another word (`love` is not `live`): of slips they are forgiven an exchange alone.
const FORGIVING_CHARS_MIN: usize = 5;
/// Still shorter words are taken as they stand.
const EXCHANGE_CHARS_MIN: usize = 4;
/// Longer words are no slips of words that the guide knows.
const CHARS_MAX: usize = 24;

/// Whether a word is another one, or that with a slip: one letter wrong, missing, too many, or two exchanged.
pub(super) fn is_alike(word: &str, known: &str) -> bool {
    let chars = known.chars().count();
    word == known
        || (chars >= FORGIVING_CHARS_MIN && distance(word, known) <= 1)
        || (chars >= EXCHANGE_CHARS_MIN && sorted(word) == sorted(known) && distance(word, known) <= 1)
}

fn sorted(word: &str) -> Vec<char> {
    let mut letters: Vec<_> = word.chars().collect();
    letters.sort_unstable();
    letters
}

/// How many slips lie between two words; a great number when one of them is too long to be compared.
pub(super) fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<_>, Vec<_>) = (left.chars().collect(), right.chars().collect());
    if left.len().max(right.len()) > CHARS_MAX {
        return usize::MAX;
    }
    let mut rows = vec![(0..=right.len()).collect::<Vec<usize>>()];
    for (i, one) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in right.iter().enumerate() {
            let exchanged = i > 0 && j > 0 && *one == right[j - 1] && left[i - 1] == *other;
            let mut least = (rows[i][j + 1] + 1).min(row[j] + 1).min(rows[i][j] + usize::from(one != other));
            if exchanged {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven() {
        for slip in ["table", "tabel", "tabl", "tablee", "tible"] {
            assert!(is_alike(slip, "table"), "{slip}");
        }
        assert!(!is_alike("stables", "table") && !is_alike("hi", "dm") && !is_alike("dn", "dm"));
    }

    #[test]
    fn a_short_word_is_forgiven_an_exchange_alone() {
        assert!(is_alike("hlep", "help") && is_alike("help", "help"));
        assert!(!is_alike("love", "live") && !is_alike("hep", "help") && !is_alike("md", "dm"));
    }

    #[test]
    fn slips_are_counted() {
        assert_eq!(distance("summarise", "summarize"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance(&"x".repeat(CHARS_MAX + 1), "x"), usize::MAX);
    }
}
