//! Text similarity: compares the words of two messages and ignores whom they address.

use crate::{limits, loop_guard::GuardFacts, message::Message, name::Name};

/// The sorted character trigrams of the words of a text.
///
/// Trigrams work for texts of one word, for long texts, and for scripts without spaces between words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextFingerprint {
    trigrams: Vec<u64>,
    body_bytes: usize,
}

impl TextFingerprint {
    /// The fingerprint of a message; `None` for a message without words that carries other content.
    pub(super) fn of(message: &Message, names: &NameWords) -> Option<Self> {
        let trigrams = trigrams(&words(&message.body, names));
        let carries = message.content.is_some() || !message.artifacts.is_empty() || !message.attachments.is_empty();
        let body_bytes = message.body.len();
        (!trigrams.is_empty() || !carries).then_some(Self { trigrams, body_bytes })
    }

    /// Whether the texts share at least three quarters of all their trigrams. Of long texts, the beginning and the
    /// length are compared.
    pub(super) fn is_similar(&self, other: &Self) -> bool {
        let shared = shared(&self.trigrams, &other.trigrams);
        let together = self.trigrams.len() + other.trigrams.len() - shared;
        let (short, long) = (self.body_bytes.min(other.body_bytes), self.body_bytes.max(other.body_bytes));
        shared * 4 >= together * 3 && (long <= limits::GUARD_TEXT_CHARS_MAX || short * 4 >= long * 3)
    }
}

/// The names that texts may mention, longest first. `@Coder thanks` and `@Clerk thanks` are the same text.
pub(super) struct NameWords(Vec<String>);

impl NameWords {
    pub(super) fn new(facts: &GuardFacts<'_>) -> Self {
        let authors = facts.window.iter().chain([facts.message]).map(|message| message.from.name.as_str());
        let candidates = facts.names.iter().map(|(_, name)| name.as_str());
        let mut names: Vec<String> = authors.chain(candidates).map(Name::fold).collect();
        names.sort_unstable_by(|left, right| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        names.dedup();
        Self(names)
    }

    /// The text without a known name, or without the first word, at its start.
    fn skip<'a>(&self, tail: &'a str) -> &'a str {
        let known = self.0.iter().find_map(|name| tail.strip_prefix(name.as_str()));
        known.unwrap_or_else(|| tail.trim_start_matches(|sign: char| sign.is_alphanumeric() || "-_".contains(sign)))
    }
}

/// The words of a text, folded, separated by single spaces, without mentioned names and punctuation.
fn words(body: &str, names: &NameWords) -> String {
    let head: String = body.chars().take(limits::GUARD_TEXT_CHARS_MAX).collect();
    let fold = Name::fold(&head);
    let mut words = String::with_capacity(fold.len());
    let mut rest = fold.as_str();
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        if sign.is_alphanumeric() {
            words.push(sign);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
        if sign == '@' {
            rest = names.skip(rest);
        }
    }
    words.trim().to_owned()
}

/// The sorted trigrams of the text with a space before and after it, so that short words have some too.
fn trigrams(words: &str) -> Vec<u64> {
    if words.is_empty() {
        return Vec::new();
    }
    let signs: Vec<u64> = format!(" {words} ").chars().map(|sign| u64::from(u32::from(sign))).collect();
    // A character has at most 21 bits, so three of them fit.
    let mut trigrams: Vec<u64> = signs.windows(3).map(|three| three[0] << 42 | three[1] << 21 | three[2]).collect();
    trigrams.sort_unstable();
    trigrams
}

/// The number of common elements of two sorted lists, with repetitions.
fn shared(left: &[u64], right: &[u64]) -> usize {
    let (mut at, mut other, mut count) = (0, 0, 0);
    while let (Some(one), Some(two)) = (left.get(at), right.get(other)) {
        count += usize::from(one == two);
        at += usize::from(one <= two);
        other += usize::from(two <= one);
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::message::tests::sample;

    fn names() -> NameWords {
        NameWords(vec!["project manager".into(), "project".into(), "coder".into()])
    }

    fn fingerprint(body: &str) -> TextFingerprint {
        let message = Message { body: body.into(), content: None, artifacts: Vec::new(), ..sample() };
        TextFingerprint::of(&message, &names()).expect("a message without other content")
    }

    fn is_similar(left: &str, right: &str) -> bool {
        fingerprint(left).is_similar(&fingerprint(right))
    }

    const REPORT: &str = "I have looked at the failing build: the cache was stale, so I cleared it and started the job \
                          again. It should be green in about ten minutes.";

    #[test]
    fn punctuation_case_and_mentions_make_no_difference() {
        let pairs = [
            ("Thanks!", "thanks"),
            ("Thanks!", "**THANKS** 🙏🙏"),
            ("@Coder thanks", "Thanks, @Project Manager!"),
            ("@Coder-2 thanks", "@unknown thanks"),
            ("ok", "OK."),
            ("ありがとう", "ありがとう！"),
            ("Straße frei", "STRASSE FREI"),
            ("", "@Coder"),
            ("👍", "!!!"),
        ];
        for (left, right) in pairs {
            assert!(is_similar(left, right), "{left} and {right}");
        }
    }

    #[test]
    fn texts_with_other_words_are_different() {
        let pairs = [
            ("yes", "no"),
            ("Thanks!", ""),
            ("Thanks!", "Thanks for the review, I will merge it now."),
            ("The build is green.", "The build is red."),
            ("step 3 of 10", "step 4 of 10"),
            ("go", "go go go go"),
            (REPORT, "I have not looked at it yet."),
        ];
        for (left, right) in pairs {
            assert!(!is_similar(left, right), "{left} and {right}");
        }
    }

    #[test]
    fn a_long_text_with_a_few_changes_is_similar() {
        assert!(is_similar(REPORT, &REPORT.replace("ten", "five")));
        assert!(is_similar(REPORT, &format!("Sorry. {REPORT}")));
        assert!(!is_similar(REPORT, &format!("{REPORT} {}", REPORT.to_uppercase().replace('E', "o"))));
    }

    #[test]
    fn the_beginning_and_the_length_of_very_long_texts_are_compared() {
        let long = "word ".repeat(10_000);
        assert!(is_similar(&long, &format!("{long}and an end")));
        assert!(!is_similar(&long, &long.repeat(2)));
        assert!(fingerprint(&long).trigrams.len() <= limits::GUARD_TEXT_CHARS_MAX + 2);
    }

    #[test]
    fn a_message_without_words_but_with_other_content_has_no_fingerprint() {
        let message = Message { body: "🎁".into(), ..sample() };
        assert!(TextFingerprint::of(&message, &names()).is_none());
        assert!(TextFingerprint::of(&Message { body: "Look".into(), ..message }, &names()).is_some());
    }

    proptest! {
        #[test]
        fn every_text_is_similar_to_itself_in_any_case(body in ".{0,80}", ascii in "[ -~]{0,80}") {
            prop_assert!(is_similar(&body, &body));
            prop_assert!(is_similar(&ascii, &ascii.to_uppercase()));
        }

        #[test]
        fn similarity_is_symmetric(left in "[ab @]{0,12}", right in "[ab @]{0,12}") {
            prop_assert_eq!(is_similar(&left, &right), is_similar(&right, &left));
        }
    }
}
