//! Messages cut into pieces that can stand alone: sentences, word by word, without the words that only open them.

/// TextSentences of one message that come into question; a longer one is known by its beginning.
const PIECES_MAX: usize = 24;
/// Characters of one piece: what has no end of a sentence is cut between two words.
const PIECE_CHARS_MAX: usize = 240;

/// What a dot follows without ending a sentence.
const SHORT_FORMS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "vs", "e.g", "i.e", "approx", "z.b", "bzw", "nr", "ca", "usw", "sr",
    "sra",
];

/// Words before a comma or stop at the start of a sentence that say nothing themselves; longer ones first.
const OPENERS: &[&str] = &[
    "by the way",
    "excuse me",
    "of course",
    "all right",
    "thank you",
    "you know",
    "actually",
    "alright",
    "anyway",
    "i mean",
    "hello",
    "great",
    "i see",
    "right",
    "sorry",
    "thanks",
    "good",
    "okay",
    "sure",
    "well",
    "yeah",
    "also",
    "hmm",
    "but",
    "hey",
    "yep",
    "yes",
    "and",
    "now",
    "ach",
    "nun",
    "naja",
    "nein",
    "bueno",
    "bien",
    "alors",
    "pues",
    "ah",
    "hi",
    "ja",
    "no",
    "na",
    "oh",
    "ok",
    "so",
    "uh",
    "um",
];

/// The pieces of a text, in its order; with `trims` without the words that only open them.
pub(super) fn pieces(text: &str, trims: bool) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && pieces.len() < PIECES_MAX {
        let (sentence, after) = rest.split_at(sentence_end(rest));
        let sentence = sentence.trim();
        let shown = if trims { without_opener(sentence) } else { sentence };
        if says_something(shown) {
            pieces.push(shown);
        }
        rest = after.trim_start();
    }
    pieces
}

/// Whether there is a word in it: links, and what stands for a file such as `<file_photo>`, are none.
fn says_something(text: &str) -> bool {
    let is_link = |word: &str| word.contains("://") || word.starts_with("www.");
    let is_file = |word: &str| word.starts_with('<') && word.trim_end_matches(['.', ',', '!', '?']).ends_with('>');
    let words = text.split_whitespace().filter(|word| !is_link(word) && !is_file(word));
    words.flat_map(str::chars).any(char::is_alphanumeric)
}

/// The longest beginning of at most so many characters that ends between two words and cuts no mark `[…]` in two.
pub(super) fn cut(text: &str, chars_max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(chars_max) else { return text };
    let head = &text[..end];
    let ends_word = text[end..].starts_with(char::is_whitespace);
    let word_end = if ends_word { end } else { head.rfind(char::is_whitespace).unwrap_or(end) };
    let head = &text[..word_end];
    let open = head.rfind('[').filter(|&open| !head[open..].contains(']'));
    // Before the mark there may be nothing: then nothing is shown of it.
    let head = open.map_or(head, |open| &head[..open]);
    head.trim_end()
}

/// Where the first sentence ends, in bytes; never 0 for a text that is not empty.
fn sentence_end(text: &str) -> usize {
    let mut signs = text.char_indices().peekable();
    let mut chars = 0;
    while let Some((at, sign)) = signs.next() {
        chars += 1;
        if sign == '\n' {
            return at + 1;
        }
        if chars > PIECE_CHARS_MAX {
            let head = cut(text, PIECE_CHARS_MAX);
            return if head.is_empty() { at } else { head.len() };
        }
        let next = signs.peek().map(|&(_, next)| next);
        if ends_sentence(&text[..at], sign, next) {
            return at + sign.len_utf8();
        }
    }
    text.len()
}

fn ends_sentence(before: &str, sign: char, next: Option<char>) -> bool {
    if matches!(sign, '。' | '！' | '？') {
        return next.is_none_or(|next| !is_end(next));
    }
    let is_spaced = next.is_none_or(char::is_whitespace);
    let is_closed = matches!(sign, '"' | '”' | '’' | ')') && before.ends_with(is_end);
    is_spaced && (is_closed || (is_end(sign) && !(sign == '.' && ends_short(before))))
}

fn is_end(sign: char) -> bool {
    matches!(sign, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।')
}

/// Whether a text ends in a short form, or in a number of an order as at the start of a list.
fn ends_short(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '"', '“']);
    let is_number = !word.is_empty() && word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_start = before.len() == word.len();
    (is_number && is_start) || SHORT_FORMS.iter().any(|short| word.eq_ignore_ascii_case(short))
}

/// A sentence without the words that only open it, unless it has no others.
fn without_opener(sentence: &str) -> &str {
    let mut rest = sentence;
    while let Some(shorter) = after_opener(rest) {
        rest = shorter;
    }
    if rest.chars().any(char::is_alphanumeric) { rest } else { sentence }
}

fn after_opener(text: &str) -> Option<&str> {
    let starts = |opener: &&&str| text.get(..opener.len()).is_some_and(|head| head.eq_ignore_ascii_case(opener));
    // An opener may be the beginning of a longer word, which is none: all are tried.
    OPENERS.iter().filter(starts).find_map(|opener| {
        let after = text[opener.len()..].trim_start();
        let is_mark = |sign: char| matches!(sign, ',' | '.' | '!' | '?' | ';' | '-' | '–' | '—' | '…');
        after.starts_with(is_mark).then(|| after.trim_start_matches(|sign: char| is_mark(sign) || sign.is_whitespace()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        pieces(text, true)
    }

    #[test]
    fn sentences_are_pieces_and_openers_go() {
        assert_eq!(texts("Well, the build is red. Oh! Who broke it?"), ["the build is red.", "Oh!", "Who broke it?"]);
        assert_eq!(texts("Yes, sure, I will do it."), ["I will do it."]);
        assert_eq!(texts("Wellington is far."), ["Wellington is far."]);
        assert_eq!(pieces("Well, no.", false), ["Well, no."]);
    }

    #[test]
    fn short_forms_and_numbers_end_no_sentence() {
        assert_eq!(texts("Ask Dr. Holm about v1.2 first."), ["Ask Dr. Holm about v1.2 first."]);
        assert_eq!(texts("1. Stop the queue"), ["1. Stop the queue"]);
        assert_eq!(texts("明天见。带上钥匙！"), ["明天见。", "带上钥匙！"]);
    }

    #[test]
    fn lines_are_pieces_and_nothing_is_no_piece() {
        assert_eq!(texts("one\n\n  two  \n---\n"), ["one", "two"]);
        assert!(texts(" \n … \n").is_empty());
    }

    #[test]
    fn links_emoji_and_what_stands_for_files_are_no_pieces() {
        assert!(texts("<file_photo>\nhttps://example.org/a?b=1\n😂😂 ❤️").is_empty());
        assert!(texts("<file_photo>").is_empty() && texts("👍").is_empty() && texts("www.example.org").is_empty());
        assert_eq!(texts("😀 see <file_photo> at 5 😀"), ["😀 see <file_photo> at 5 😀"]);
        assert_eq!(texts("tickets: https://example.org/t"), ["tickets: https://example.org/t"]);
    }

    #[test]
    fn a_long_line_is_cut_between_words_and_never_in_a_mark() {
        let long = "word ".repeat(200);
        assert!(texts(&long).iter().all(|text| text.chars().count() <= PIECE_CHARS_MAX && text.ends_with("word")));
        assert_eq!(cut("my key [aws-key 12] is lost", 14), "my key");
        assert_eq!(cut("[aws-key 12] is lost", 9), "");
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(texts(&"x".repeat(1_000)).concat().len(), 1_000);
    }
}
