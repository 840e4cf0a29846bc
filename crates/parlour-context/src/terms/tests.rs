use proptest::prelude::*;

use super::*;

fn same(one: &str, other: &str) -> bool {
    Terms::of(one) == Terms::of(other)
}

/// Whether all words of `asked` occur in `text`.
fn finds(asked: &str, text: &str) -> bool {
    let (asked, text) = (Terms::of(asked), Terms::of(text));
    asked.len > 0 && asked.counts.iter().all(|(term, _)| text.has(*term))
}

#[test]
fn case_accents_widths_and_endings_are_ignored() {
    assert!(same("Café", "cafe") && same("ＡＢＣ", "abc") && same("Straße", "STRASSE") && same("ΟΔΟΣ", "οδος"));
    assert!(same("painted boats", "paint boat"));
    assert!(same("Mara’s", "mara"));
}

#[test]
fn irregular_forms_are_one_word() {
    assert!(same("bought", "buy") && same("Children", "child") && same("she wrote", "she writes"));
    assert!(!same("shot", "shout") && !same("found", "fund"));
}

#[test]
fn combining_marks_of_other_scripts_are_letters() {
    assert!(!same("かき", "がき"));
    assert!(!same("कि", "क"));
}

#[test]
fn numbers_are_words() {
    assert!(finds("41", "build 41 failed") && !finds("42", "build 41 failed"));
}

#[test]
fn compound_identifiers_are_found_whole_and_by_part() {
    for asked in ["readHTTPConfig", "config", "http"] {
        assert!(finds(asked, "call readHTTPConfig first"), "{asked}");
    }
    assert!(finds("log path", "set log_path") && finds("log_path", "set log_path"));
    assert!(finds("main", "see src/main.rs") && finds("src/main.rs", "see src/main.rs"));
}

#[test]
fn scripts_without_spaces_are_found_by_characters_and_pairs() {
    assert!(finds("猫", "猫が好き") && finds("東京", "東京都に住む") && !finds("京東", "東京都に住む"));
}

#[test]
fn stop_words_are_omitted() {
    assert_eq!(Terms::of("what is it that you have").len, 0);
    assert_eq!(Terms::of("").counts, []);
}

#[test]
fn a_very_long_word_is_truncated() {
    assert_eq!(Terms::of(&"a".repeat(1_000_000)).len, 1);
}

proptest! {
    #[test]
    fn words_are_counted_in_ascending_order(text in "\\PC{0,200}") {
        let terms = Terms::of(&text);
        prop_assert!(terms.counts.is_sorted_by(|a, b| a.0 < b.0));
        prop_assert_eq!(terms.counts.iter().map(|count| u32::from(count.1)).sum::<u32>(), terms.len);
    }

    #[test]
    fn plain_words_are_case_insensitive(text in "[a-z]{1,12}( [a-z]{1,12}){0,8}") {
        prop_assert!(same(&text, &text.to_uppercase()));
    }
}
