//! Texts as people write them: sentences of 40 to 400 characters, the same ones in every run.

use std::sync::LazyLock;

const BODY_CHARS_MIN: usize = 40;
const BODY_CHARS_MAX: usize = 400;
/// Words beside the usual ones; enough for a search index to have many rare entries.
const RARE_WORDS: usize = 8_000;
/// Of a hundred words in a text, so many are among the usual ones; English is about like that.
const USUAL_PERCENT: usize = 45;

const USUAL: &[&str] = &[
    "the", "to", "a", "of", "and", "is", "in", "it", "that", "for", "on", "with", "we", "this", "be", "not", "as",
    "have", "are", "at", "can", "if", "you", "from", "will", "so", "was", "but", "then", "when", "should", "test",
    "build", "it's", "now", "after", "server", "error", "time", "file", "there", "which", "also", "only", "done",
];

const ONSETS: &[&str] =
    &["b", "br", "d", "f", "g", "gl", "k", "l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v"];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ai", "ea", "ou"];
const ENDINGS: &[&str] = &["", "n", "r", "s", "t", "l", "ck", "nd", "ng", "sh", "ter", "ing", "ed"];

static RARE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut words = Words::seeded(1);
    (0..RARE_WORDS).map(|place| words.invent(1 + place % 2)).collect()
});

/// A source of texts that depends on nothing but its seed.
#[derive(Clone, Debug)]
pub(super) struct Words {
    state: u64,
}

impl Words {
    /// Each seed gives other texts.
    pub(super) fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A number below `bound`, evenly spread.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // SplitMix64: small, fast, and good enough to shuffle words.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    /// Adds a text to `text`. It holds nothing that JSON would escape.
    pub(super) fn write_body(&mut self, text: &mut String) {
        let start = text.len();
        let end = start + BODY_CHARS_MIN + self.below(BODY_CHARS_MAX - BODY_CHARS_MIN + 1);
        while text.len() < end {
            if text.len() > start {
                text.push_str(if self.below(12) == 0 { ". " } else { " " });
            }
            text.push_str(self.word());
        }
        // Every character is ASCII, so a text can be cut anywhere.
        text.truncate(end);
        if text.ends_with(' ') {
            text.pop();
            text.push('.');
        }
    }

    /// A word and a blank, about as long as what a model says at once.
    pub(super) fn write_token(&mut self, text: &mut String) {
        text.push_str(self.word());
        text.push(' ');
    }

    /// Few words are frequent and most are rare, as in any language.
    fn word(&mut self) -> &'static str {
        if self.below(100) < USUAL_PERCENT {
            return USUAL[self.skewed(USUAL.len())];
        }
        let rare: &'static [String] = RARE.as_slice();
        &rare[self.skewed(rare.len())]
    }

    /// A place below `len`, low ones more often.
    fn skewed(&mut self, len: usize) -> usize {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        ((share * share) * len as f64) as usize
    }

    fn invent(&mut self, syllables: usize) -> String {
        let mut word = String::new();
        for _ in 0..syllables {
            word.push_str(self.pick(ONSETS));
            word.push_str(self.pick(VOWELS));
        }
        word + self.pick(ONSETS) + self.pick(VOWELS) + self.pick(ENDINGS)
    }

    fn pick(&mut self, parts: &[&'static str]) -> &'static str {
        parts[self.below(parts.len())]
    }
}

/// A word that stands in most texts.
pub(super) fn usual_word() -> &'static str {
    USUAL[0]
}

/// A word that stands in some hundredth part of the texts.
pub(super) fn middle_word() -> &'static str {
    &RARE[RARE_WORDS / 8]
}

/// Words of which each stands in about one of a thousand texts.
pub(super) fn rare_words() -> (&'static str, &'static str) {
    (&RARE[RARE_WORDS - 1], &RARE[RARE_WORDS - 2])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn bodies(seed: u64, count: usize) -> Vec<String> {
        let mut words = Words::seeded(seed);
        let body = |_| {
            let mut text = String::new();
            words.write_body(&mut text);
            text
        };
        (0..count).map(body).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_texts_and_another_gives_others() {
        assert_eq!(bodies(7, 20), bodies(7, 20));
        assert_ne!(bodies(7, 20), bodies(8, 20));
    }

    #[test]
    fn texts_have_the_length_of_chat_messages() {
        let lengths: Vec<usize> = bodies(1, 2_000).iter().map(String::len).collect();
        assert!(lengths.iter().all(|length| (BODY_CHARS_MIN..=BODY_CHARS_MAX).contains(length)));
        let mean = lengths.iter().sum::<usize>() / 2_000;
        assert!((200..=240).contains(&mean), "{mean}");
    }

    #[test]
    fn texts_stand_in_json_as_they_are() {
        for body in bodies(2, 500) {
            assert_eq!(serde_json::json!(body).to_string(), format!("\"{body}\""));
        }
    }

    #[test]
    fn texts_are_added_to_what_is_there() {
        let mut text = "before: ".to_owned();
        Words::seeded(1).write_body(&mut text);
        assert!(text.starts_with("before: ") && text.len() > 40, "{text}");
    }

    #[test]
    fn the_vocabulary_is_wide_and_uneven() {
        let texts = bodies(3, 2_000).join(" ");
        let words: Vec<&str> = texts.split([' ', '.']).filter(|word| !word.is_empty()).collect();
        let different: HashSet<_> = words.iter().collect();
        let usual = words.iter().filter(|word| **word == usual_word()).count();
        assert!(different.len() > 3_000, "{}", different.len());
        assert!(usual > words.len() / 30, "{usual} of {}", words.len());
    }

    #[test]
    fn words_to_search_for_are_as_rare_as_they_say() {
        let texts = bodies(4, 4_000);
        let having = |word: &str| texts.iter().filter(|text| text.split([' ', '.']).any(|part| part == word)).count();
        let (rare, other) = rare_words();
        assert!(having(usual_word()) > 2_000, "{}", having(usual_word()));
        assert!((4..200).contains(&having(middle_word())), "{}", having(middle_word()));
        assert!((1..20).contains(&having(rare)) && having(other) < 20, "{} {}", having(rare), having(other));
    }
}
