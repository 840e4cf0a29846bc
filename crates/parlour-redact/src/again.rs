//! The same secret at another place of the text, where nothing says what it is, and what differs from a password only in its
//! digits and signs: `Hazelnut99 or Hazelnut_99`.

use std::{collections::HashSet, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};

use super::shape::Makeup;

/// Values that are looked for again; a text with more of them is a list.
const VALUES_MAX: usize = 64;
/// Bytes of such a value.
const VALUE_BYTES: Range<usize> = 6..257;
/// Letters that two passwords share.
const LETTERS_LEAST: usize = 5;

/// A secret that was found: its kind and where it stands.
pub(super) type Known<'k> = (&'k str, Range<usize>);

/// Other places of what was found, with the number of the one that it repeats.
pub(super) fn find(text: &str, known: &[Known<'_>]) -> Vec<(Range<usize>, usize)> {
    let mut seen = HashSet::new();
    let firsts: Vec<usize> = (0..known.len())
        .filter(|place| is_telling(&text[known[*place].1.clone()]) && seen.insert(&text[known[*place].1.clone()]))
        .take(VALUES_MAX)
        .collect();
    if firsts.is_empty() {
        return Vec::new();
    }
    let mut found = repeated(text, known, &firsts);
    found.extend(varied(text, known, &firsts));
    found
}

/// Enough to be no word and no number.
fn is_telling(value: &str) -> bool {
    let makeup = Makeup::of(value);
    VALUE_BYTES.contains(&value.len())
        && makeup.letters() > 2
        && makeup.digits + makeup.signs > 0
        && !value.contains('\n')
}

fn repeated(text: &str, known: &[Known<'_>], firsts: &[usize]) -> Vec<(Range<usize>, usize)> {
    let values = firsts.iter().map(|place| &text[known[*place].1.clone()]);
    let Ok(words) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values) else {
        return Vec::new();
    };
    let is_inner = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
    words
        .find_iter(text)
        .filter(|hit| !is_inner(text[..hit.start()].chars().next_back()) && !is_inner(text[hit.end()..].chars().next()))
        .map(|hit| (hit.range(), firsts[hit.pattern().as_usize()]))
        .collect()
}

/// Words with the letters of a password and other digits or signs.
fn varied(text: &str, known: &[Known<'_>], firsts: &[usize]) -> Vec<(Range<usize>, usize)> {
    let letters =
        |word: &str| word.chars().filter(|char| char.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>();
    let passwords: Vec<(String, usize)> = firsts
        .iter()
        .filter(|place| known[**place].0 == "password")
        .map(|place| (letters(&text[known[*place].1.clone()]), *place))
        .filter(|(letters, _)| letters.len() >= LETTERS_LEAST)
        .collect();
    if passwords.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut at = 0;
    for piece in text.split_inclusive(char::is_whitespace) {
        let start = piece.len() - piece.trim_start_matches(['"', '\'', '`', '(', '*', '“', '„']).len();
        let word = piece[start..].trim_end_matches(|char: char| char.is_whitespace() || "\"'`),.;:?*”“".contains(char));
        if is_telling(word) {
            let own = letters(word);
            let same = passwords.iter().find(|(letters, _)| *letters == own);
            found.extend(same.map(|(_, place)| (at + start..at + start + word.len(), *place)));
        }
        at += piece.len();
    }
    found
}
