//! The similarity of a known name to an unknown one.

use crate::{limits, name::Name};

/// Letters that may differ between a name and a misspelling of it.
const DISTANCE_MAX: usize = 2;

/// How similar a known name is, best first; within one kind the smaller number is closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Closeness {
    /// It starts with the written name; this many bytes follow.
    Longer(usize),
    /// This many letters differ.
    Misspelt(usize),
    /// The known name starts with the written one; this many bytes follow.
    Shorter(usize),
    /// It contains the written name; this many bytes surround it.
    Around(usize),
}

/// The known names that are closest to an unknown one, best first, at most `MENTION_CANDIDATES_MAX`.
pub fn closest_names<'a>(text: &str, names: impl IntoIterator<Item = &'a Name>) -> Vec<String> {
    let wanted = WrittenName::new(text);
    let folded = names.into_iter().map(|name| (Name::fold(name.as_str()), name));
    let mut close: Vec<_> =
        folded.filter_map(|(fold, name)| Some((wanted.closeness_of(&fold)?, fold, name.as_str()))).collect();
    close.sort_unstable();
    close.into_iter().take(limits::MENTION_CANDIDATES_MAX).map(|(_, _, name)| name.to_owned()).collect()
}

/// A name that was written and is not known.
pub(super) struct WrittenName {
    fold: String,
    distance_max: usize,
}

impl WrittenName {
    /// Cuts the written name at the maximum length of a name: the rest cannot make it closer.
    pub(super) fn new(text: &str) -> Self {
        let cut: String = text.chars().take(limits::NAME_CHARS_MAX).collect();
        let fold = Name::fold(&cut);
        // When every letter may differ, all short names are close.
        let distance_max = DISTANCE_MAX.min(fold.chars().count().saturating_sub(1));
        Self { fold, distance_max }
    }

    /// The closeness of a known name in folded form; none if the names are too different.
    pub(super) fn closeness_of(&self, fold: &str) -> Option<Closeness> {
        let surplus = fold.len().abs_diff(self.fold.len());
        if fold.starts_with(&self.fold) {
            Some(Closeness::Longer(surplus))
        } else if let Some(distance) = self.distance_to(fold) {
            Some(Closeness::Misspelt(distance))
        } else if self.fold.starts_with(fold) {
            Some(Closeness::Shorter(surplus))
        } else if fold.contains(&self.fold) {
            Some(Closeness::Around(surplus))
        } else {
            None
        }
    }

    fn distance_to(&self, fold: &str) -> Option<usize> {
        (0..=self.distance_max).rev().take_while(|steps| is_within(&self.fold, fold, *steps)).last()
    }
}

/// Whether inserting, removing or replacing `steps` letters turns one text into the other. For so few steps trying them
/// all is far cheaper than a table of distances, because most names differ within their first letters.
fn is_within(left: &str, right: &str, steps: usize) -> bool {
    let (mut left, mut right) = (left.chars(), right.chars());
    loop {
        let (left_all, right_all) = (left.as_str(), right.as_str());
        match (left.next(), right.next()) {
            (Some(one), Some(other)) if one == other => {}
            (None, _) => return right_all.chars().count() <= steps,
            (_, None) => return left_all.chars().count() <= steps,
            _ if steps == 0 => return false,
            _ => {
                return is_within(left.as_str(), right.as_str(), steps - 1)
                    || is_within(left_all, right.as_str(), steps - 1)
                    || is_within(left.as_str(), right_all, steps - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn at_most_the_limit_of_closest_names_is_proposed_best_first() {
        let names: Vec<Name> =
            ["Coder", "Decoder", "Painter", "Corer", "Coder-2"].map(|name| Name::parse(name).expect("a name")).into();
        assert_eq!(closest_names("code", &names), ["Coder", "Coder-2", "Corer", "Decoder"]);
        assert_eq!(closest_names("zzzzzz", &names), [""; 0]);
        let many: Vec<Name> = (0..50).map(|number| Name::parse(&format!("Bot {number}")).expect("a name")).collect();
        assert_eq!(closest_names("bot", &many).len(), limits::MENTION_CANDIDATES_MAX);
    }

    #[test]
    fn closeness_is_a_kind_and_a_number_of_edits() {
        let cases = [
            ("code", "coder", Some(Closeness::Longer(1))),
            ("codr", "coder", Some(Closeness::Misspelt(1))),
            ("coder", "corder", Some(Closeness::Misspelt(1))),
            ("oder", "coder", Some(Closeness::Misspelt(1))),
            ("coder-team", "coder", Some(Closeness::Shorter(5))),
            ("view", "code reviewer", Some(Closeness::Around(9))),
            ("jurgen", "jürgen", Some(Closeness::Misspelt(1))),
            ("ab", "xy", None),
            ("a", "b", None),
            ("coder", "painter", None),
        ];
        for (text, fold, expected) in cases {
            assert_eq!(WrittenName::new(text).closeness_of(fold), expected, "{text} and {fold}");
        }
    }

    #[test]
    fn a_long_word_is_cut_at_the_length_of_a_name() {
        assert_eq!(WrittenName::new(&"x".repeat(100_000)).fold.len(), limits::NAME_CHARS_MAX);
    }

    /// The Levenshtein distance by its usual table.
    fn table_distance(left: &str, right: &str) -> usize {
        let mut row: Vec<usize> = (0..=left.len()).collect();
        for letter in right.bytes() {
            let mut diagonal = row[0];
            row[0] += 1;
            for (index, other) in left.bytes().enumerate() {
                let replaced = diagonal + usize::from(other != letter);
                diagonal = row[index + 1];
                row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
            }
        }
        row[left.len()]
    }

    proptest! {
        #[test]
        fn one_changed_letter_is_one_step(name in "[a-z]{3,12}", at in 0usize..12) {
            let at = at % name.len();
            let changed = format!("{}9{}", &name[..at], &name[at + 1..]);
            prop_assert_eq!(WrittenName::new(&changed).distance_to(&name), Some(1));
        }

        #[test]
        fn the_number_of_steps_equals_the_table_distance(left in "[ab]{0,5}", right in "[ab]{0,5}", steps in 0usize..4) {
            prop_assert_eq!(is_within(&left, &right, steps), table_distance(&left, &right) <= steps);
        }

        #[test]
        fn distance_is_symmetric(left in "[ab]{3,6}", right in "[ab]{3,6}") {
            prop_assert_eq!(WrittenName::new(&left).distance_to(&right), WrittenName::new(&right).distance_to(&left));
        }
    }
}
