//! One short line of a text, for lock screens and lists of other systems.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::prepared::Prepared;

const GAP: &str = "…";

/// The beginning of a text on one line of at most `chars_max` characters, with `…` at the end if something is missing.
///
/// The text is redacted before it is cut, because a cut secret would not be detected. Redaction marks and grapheme
/// clusters are never cut in two.
pub fn line(prepared: &Prepared, chars_max: usize) -> String {
    let words: Vec<Word<'_>> = words(prepared);
    let whole: usize = words.iter().map(|word| word.chars + 1).sum();
    if whole <= chars_max + 1 {
        return words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    }
    cut(&words, chars_max)
}

/// A word; a redaction mark with its white space is one word.
struct Word<'a> {
    text: &'a str,
    chars: usize,
    has_mark: bool,
}

fn words(prepared: &Prepared) -> Vec<Word<'_>> {
    let text = prepared.text.as_str();
    let mut marks = prepared.marks.iter().map(|mark| &mark.range).peekable();
    let (mut words, mut begin, mut has_mark) = (Vec::new(), None, false);
    for (at, sign) in text.char_indices() {
        while marks.peek().is_some_and(|mark| mark.end <= at) {
            marks.next();
        }
        let is_marked = marks.peek().is_some_and(|mark| mark.contains(&at));
        if is_marked || !sign.is_whitespace() {
            begin.get_or_insert(at);
            has_mark |= is_marked;
        } else if let Some(from) = begin.take() {
            words.push(Word::of(&text[from..at], std::mem::take(&mut has_mark)));
        }
    }
    words.extend(begin.map(|from| Word::of(&text[from..], has_mark)));
    words
}

impl<'a> Word<'a> {
    fn of(text: &'a str, has_mark: bool) -> Self {
        Self { text, chars: text.chars().count(), has_mark }
    }
}

/// As many words as fit, with a gap at the end. A word longer than half a line is cut.
fn cut(words: &[Word<'_>], chars_max: usize) -> String {
    let room = chars_max.saturating_sub(GAP.chars().count() + 1);
    let (mut line, mut used) = (String::new(), 0);
    for word in words {
        let blank = usize::from(used > 0);
        if used + blank + word.chars > room {
            if used < room / 2 && !word.has_mark {
                line.extend((used > 0).then_some(' '));
                line.extend(signs_within(word.text, room - used - blank));
            }
            break;
        }
        line.extend((used > 0).then_some(' '));
        line.push_str(word.text);
        used += blank + word.chars;
    }
    let gap = if line.is_empty() { String::new() } else { " ".to_owned() } + GAP;
    line + if chars_max == 0 { "" } else { &gap }
}

/// Whole grapheme clusters within `chars_max` characters.
fn signs_within(word: &str, chars_max: usize) -> impl Iterator<Item = &str> {
    let mut chars = 0;
    word.graphemes(true).take_while(move |sign| {
        chars += sign.chars().count();
        chars <= chars_max
    })
}

#[cfg(test)]
mod tests {
    use parlour_redact::Redactor;
    use proptest::prelude::*;

    use super::*;

    fn preview(text: &str, chars_max: usize) -> String {
        line(&Prepared::of(text, &Redactor::default()), chars_max)
    }

    #[test]
    fn a_short_text_is_unchanged_on_one_line() {
        assert_eq!(preview("Keep it,\n\n  or\tdrop it?\n", 160), "Keep it, or drop it?");
        assert_eq!(preview(" \n ", 160), "");
    }

    #[test]
    fn a_long_text_is_cut_at_a_word() {
        assert_eq!(preview("one two three four", 12), "one two …");
        assert_eq!(preview("one two three", 13), "one two three");
        assert_eq!(preview("incomprehensibilities", 12), "incomprehe …");
    }

    #[test]
    fn a_secret_at_the_end_of_the_line_is_redacted() {
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0".repeat(2).get(..36).expect("ascii"));
        let text = format!("{}the key is {key} as ever", "word ".repeat(20));
        for chars_max in 0..160 {
            let line = preview(&text, chars_max);
            assert!(!line.contains("ghp_"), "{chars_max}: {line}");
            assert_eq!(line.matches('[').count(), line.matches(']').count(), "half a mark: {line}");
        }
        assert!(preview(&text, 160).contains("the key is [github-"), "{}", preview(&text, 160));
    }

    proptest! {
        #[test]
        fn a_preview_is_one_line_within_its_length(text in "\\PC{0,80}|(a\u{301}|👩‍👩‍👧|\n| |\u{202e}|[a-z]{1,9}){0,60}", chars_max in 0usize..60) {
            let line = preview(&text, chars_max);
            prop_assert!(line.chars().count() <= chars_max, "{line:?}");
            prop_assert!(!line.contains(['\n', '\r', '\t', '\u{202e}']), "{line:?}");
            prop_assert_eq!(line.trim(), &line);
        }
    }
}
