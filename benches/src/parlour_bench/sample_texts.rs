//! Generated texts of 40 to 400 characters with a realistic word distribution, the same in every run.

use std::sync::LazyLock;

const BODY_CHARS_MIN: usize = 40;
const BODY_CHARS_MAX: usize = 400;
/// Number of rare words, so that a search index has many rare entries.
const RARE_WORDS: usize = 8_000;
/// Percentage of usual words in a text, about as in English.
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
    let mut words = SampleTexts::seeded(1);
    (0..RARE_WORDS).map(|index| words.invent(1 + index % 2)).collect()
});

/// A generator of texts that depend only on its seed.
#[derive(Clone, Debug)]
pub(super) struct SampleTexts {
    state: u64,
}

impl SampleTexts {
    pub(super) fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A uniformly distributed number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        // SplitMix64: small, fast, and good enough to shuffle words.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    /// Appends a text that needs no JSON escapes.
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

    /// Appends a word and a space, about as long as a token of a model.
    pub(super) fn write_token(&mut self, text: &mut String) {
        text.push_str(self.word());
        text.push(' ');
    }

    /// A random word: few words are frequent, most are rare.
    fn word(&mut self) -> &'static str {
        if self.below(100) < USUAL_PERCENT {
            return USUAL[self.skewed(USUAL.len())];
        }
        let rare: &'static [String] = RARE.as_slice();
        &rare[self.skewed(rare.len())]
    }

    /// A random index below `len`; low ones are more frequent.
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

/// A word that most texts contain.
pub(super) fn usual_word() -> &'static str {
    USUAL[0]
}

/// A word that about one text in a hundred contains.
pub(super) fn middle_word() -> &'static str {
    &RARE[RARE_WORDS / 8]
}

/// Two words that about one text in a thousand contains.
pub(super) fn rare_words() -> (&'static str, &'static str) {
    (&RARE[RARE_WORDS - 1], &RARE[RARE_WORDS - 2])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn bodies(seed: u64, count: usize) -> Vec<String> {
        let mut words = SampleTexts::seeded(seed);
        let body = |_| {
            let mut text = String::new();
            words.write_body(&mut text);
            text
        };
        (0..count).map(body).collect()
    }

    #[test]
    fn texts_depend_only_on_the_seed() {
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
    fn texts_need_no_json_escapes() {
        for body in bodies(2, 500) {
            assert_eq!(serde_json::json!(body).to_string(), format!("\"{body}\""));
        }
    }

    #[test]
    fn texts_are_appended() {
        let mut text = "before: ".to_owned();
        SampleTexts::seeded(1).write_body(&mut text);
        assert!(text.starts_with("before: ") && text.len() > 40, "{text}");
    }

    #[test]
    fn the_vocabulary_is_large_with_uneven_frequencies() {
        let texts = bodies(3, 2_000).join(" ");
        let words: Vec<&str> = texts.split([' ', '.']).filter(|word| !word.is_empty()).collect();
        let different: HashSet<_> = words.iter().collect();
        let usual = words.iter().filter(|word| **word == usual_word()).count();
        assert!(different.len() > 3_000, "{}", different.len());
        assert!(usual > words.len() / 30, "{usual} of {}", words.len());
    }

    #[test]
    fn search_words_have_their_stated_frequency() {
        let texts = bodies(4, 4_000);
        let having = |word: &str| texts.iter().filter(|text| text.split([' ', '.']).any(|part| part == word)).count();
        let (rare, other) = rare_words();
        assert!(having(usual_word()) > 2_000, "{}", having(usual_word()));
        assert!((4..200).contains(&having(middle_word())), "{}", having(middle_word()));
        assert!((1..20).contains(&having(rare)) && having(other) < 20, "{} {}", having(rare), having(other));
    }
}
