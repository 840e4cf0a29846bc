//! Search queries: words, word prefixes and quoted phrases. Stores translate them to their index.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::{
    Code, Refusal, limits,
    text::{check_text, is_unspaced_script},
};

/// Characters of a snippet, apart from the marks at its ends.
const SNIPPET_CHARS_MAX: usize = 160;
/// Characters that a snippet shows before its hit.
const SNIPPET_LEAD_CHARS_MAX: usize = 40;

/// A search query with at least one word. A hit contains all terms and all phrases; case does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery {
    terms: Vec<Term>,
    phrases: Vec<String>,
    /// Runs of unspaced scripts, folded; a hit contains each of them as it is.
    runs: Vec<String>,
}

/// One word of a search, in lower case.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The word: letters and digits only, as a store's tokenizer would cut it.
    pub word: String,
    /// Whether words that only start like this are hits too.
    pub is_prefix: bool,
}

impl SearchQuery {
    /// Parses the input of a user: words, `word*` for a prefix, and phrases in quotation marks, the last of which may
    /// stay open. Anything else separates words.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        check_text(text, limits::SEARCH_QUERY_CHARS_MAX).map_err(|refusal| refusal.at("q"))?;
        let mut query = Self { terms: Vec::new(), phrases: Vec::new(), runs: Vec::new() };
        for (index, part) in text.split(['"', '“', '”', '„']).enumerate() {
            if index % 2 == 0 { query.add_words(part) } else { query.add_phrase(part) }
        }
        match query.terms.len() {
            0 => Err(Refusal::new(Code::BadQuery, "the search query needs at least one word").at("q")),
            count if count > limits::SEARCH_TERMS_MAX => {
                let detail =
                    format!("the search query has {count} words; at most {} are allowed", limits::SEARCH_TERMS_MAX);
                Err(Refusal::out_of_bounds(detail).at("q"))
            }
            _ => Ok(query),
        }
    }

    /// The words that a hit must have, those of the phrases among them; 1 to `SEARCH_TERMS_MAX`, each once.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The phrases that a hit must contain, folded as `accepts` compares them.
    pub fn phrases(&self) -> &[String] {
        &self.phrases
    }

    /// Whether a text that has all terms also contains the phrases and the runs of unspaced scripts; case, accents and
    /// the width of white space do not matter.
    pub fn accepts(&self, body: &str) -> bool {
        if self.phrases.is_empty() && self.runs.is_empty() {
            return true;
        }
        let body = fold(body);
        self.phrases.iter().chain(&self.runs).all(|text| body.contains(text))
    }

    /// Cuts the part of a text that shows its first hit, on one line, with `…` where something was left out.
    pub fn snippet(&self, body: &str) -> String {
        let hit = self.first_hit(body).unwrap_or(0);
        let start = snippet_start(body, hit);
        let end = snippet_end(body, start, hit);
        let shown = body[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let head = if body[..start].trim().is_empty() { "" } else { "…" };
        let tail = if body[end..].trim().is_empty() { "" } else { "…" };
        format!("{head}{shown}{tail}")
    }

    fn add_words(&mut self, part: &str) {
        for range in words(part) {
            self.add(&part[range.clone()], part[range.end..].starts_with('*'));
        }
    }

    fn add_phrase(&mut self, part: &str) {
        for range in words(part) {
            self.add(&part[range], false);
        }
        let phrase = fold(part);
        if !phrase.is_empty() && !self.phrases.contains(&phrase) {
            self.phrases.push(phrase);
        }
    }

    fn add(&mut self, word: &str, is_prefix: bool) {
        // Accents stay: whether they matter is the tokenizer's business, and it treats them by script.
        let term = Term { word: word.nfc().flat_map(char::to_lowercase).collect(), is_prefix };
        for run in segments(&fold(word)).filter(|segment| segment.starts_with(is_unspaced_script)) {
            if !self.runs.iter().any(|known| known == run) {
                self.runs.push(run.to_owned());
            }
        }
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    /// The index of the first phrase in the text, or else of the first term.
    fn first_hit(&self, body: &str) -> Option<usize> {
        let phrase_hit = self.phrases.first().and_then(|phrase| find_phrase(body, phrase));
        let run_hit = || self.runs.iter().find_map(|run| body.find(run.as_str()));
        phrase_hit.or_else(|| self.find_term(body)).or_else(run_hit)
    }

    fn find_term(&self, body: &str) -> Option<usize> {
        let terms: Vec<_> = self.terms.iter().map(|term| (fold(&term.word), term.is_prefix)).collect();
        let is_hit = |word: &str| {
            terms.iter().any(|(term, is_prefix)| if *is_prefix { word.starts_with(term) } else { word == term })
        };
        words(body).find(|range| is_hit(&fold(&body[range.clone()]))).map(|range| range.start)
    }
}

/// The index at which the words of a folded phrase follow one another in a text.
fn find_phrase(body: &str, phrase: &str) -> Option<usize> {
    let wanted: Vec<_> = words(phrase).map(|range| &phrase[range]).collect();
    let found: Vec<_> = words(body).map(|range| (range.start, fold(&body[range]))).collect();
    let mut windows = found.windows(wanted.len().max(1));
    windows.find(|window| window.iter().map(|(_, word)| word).eq(&wanted)).map(|window| window[0].0)
}

/// The words of a text: letters and digits with their marks; everything else separates.
pub fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_letter)?;
        let length = text[start..].find(|sign| !is_letter(sign) && !is_combining_mark(sign));
        at = length.map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

/// The words of a folded text as an index stores them. A run of an unspaced script has no word borders, so it is stored
/// as its overlapping pairs of characters and its last character: every part of it can be found.
pub fn index_words(folded: &str) -> impl Iterator<Item = &str> {
    words(folded).flat_map(|range| segments(&folded[range])).flat_map(|segment| {
        let (pairs, last) =
            if segment.starts_with(is_unspaced_script) { pairs_and_last(segment) } else { (Vec::new(), segment) };
        pairs.into_iter().chain([last])
    })
}

/// The words of a folded text that a message must have to contain it, and whether the index may hold a longer word.
pub fn required_words(folded: &str) -> impl Iterator<Item = (&str, bool)> {
    words(folded).flat_map(|range| segments(&folded[range])).flat_map(|segment| {
        if !segment.starts_with(is_unspaced_script) {
            return vec![(segment, false)];
        }
        match pairs_and_last(segment) {
            // One character is stored alone at the end of a run, and otherwise as the first of a pair.
            (pairs, last) if pairs.is_empty() => vec![(last, true)],
            (pairs, _) => pairs.into_iter().map(|pair| (pair, false)).collect(),
        }
    })
}

/// The parts of a word, each either of an unspaced script or without any.
fn segments(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let is_unspaced = is_unspaced_script(rest.chars().next()?);
        let is_border = |sign: char| is_unspaced_script(sign) != is_unspaced && !is_combining_mark(sign);
        let (segment, after) = rest.split_at(rest.find(is_border).unwrap_or(rest.len()));
        rest = after;
        Some(segment)
    })
}

/// The overlapping pairs of characters of a run, and its last character; a character includes its combining marks.
fn pairs_and_last(run: &str) -> (Vec<&str>, &str) {
    let starts: Vec<usize> =
        run.char_indices().filter(|(at, sign)| *at == 0 || !is_combining_mark(*sign)).map(|(at, _)| at).collect();
    let end_of = |index: usize| starts.get(index).copied().unwrap_or(run.len());
    let pairs = (1..starts.len()).map(|second| &run[starts[second - 1]..end_of(second + 1)]).collect();
    (pairs, &run[starts.last().copied().unwrap_or(0)..])
}

/// Letters and digits in the sense of their category: marks and enclosed letters such as Ⓐ do not start a word.
fn is_letter(sign: char) -> bool {
    let is_circled = matches!(sign, '\u{24B6}'..='\u{24E9}' | '\u{1F130}'..='\u{1F189}');
    sign.is_alphanumeric() && !is_combining_mark(sign) && !is_circled
}

/// The form in which texts are compared: no case, no accents, and single blanks between words.
pub fn fold(text: &str) -> String {
    let is_accent = |sign: &char| matches!(sign, '\u{300}'..='\u{36F}');
    let folded = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        let plain = text.nfd().filter(|sign| !is_accent(sign)).nfc();
        // Lower case before upper case: only lower case maps `ẞ` to `ß`, which is `SS` in upper case.
        plain.flat_map(char::to_lowercase).flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
    };
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A little before the hit, at the start of a word where there is one.
fn snippet_start(body: &str, hit: usize) -> usize {
    let lead = body[..hit].char_indices().rev().nth(SNIPPET_LEAD_CHARS_MAX - 1);
    let Some((start, _)) = lead.filter(|(start, _)| *start > 0) else {
        return 0;
    };
    start + body[start..hit].find(char::is_whitespace).unwrap_or(0)
}

/// As far as a snippet reaches, at the end of a word where there is one behind the hit.
fn snippet_end(body: &str, start: usize, hit: usize) -> usize {
    let Some((length, _)) = body[start..].char_indices().nth(SNIPPET_CHARS_MAX) else {
        return body.len();
    };
    let end = start + length;
    body[hit..end].rfind(char::is_whitespace).filter(|at| *at > 0).map_or(end, |at| hit + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn query(text: &str) -> SearchQuery {
        SearchQuery::parse(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    }

    /// A query as text: its terms, then its phrases in brackets.
    fn shown(text: &str) -> String {
        let query = query(text);
        let terms = query.terms().iter().map(|term| format!("{}{}", term.word, if term.is_prefix { "*" } else { "" }));
        let phrases = query.phrases().iter().map(|phrase| format!("[{phrase}]"));
        terms.chain(phrases).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        for (text, expected) in [
            ("Hello World", "hello world"),
            ("don't x-y_z v1.2", "don t x y z v1 2"),
            ("a  a A", "a"),
            ("ÄRGER Йод", "ärger йод"),
            ("日本語 한국어", "日本語 한국어"),
            ("a\tb\nc", "a b c"),
            ("NEAR(a b) OR -c ^d col:e", "near a b or c d col e"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_star_directly_after_a_word_makes_it_a_prefix() {
        for (text, expected) in [("dep*", "dep*"), ("dep *", "dep"), ("*dep", "dep"), ("a*b", "a* b"), ("a a*", "a a*")]
        {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn text_in_quotation_marks_is_a_phrase() {
        for (text, expected) in [
            ("\"Hello,  World\"", "hello world [hello, world]"),
            ("x \"a b\" y", "x a b y [a b]"),
            ("x \"a b", "x a b [a b]"),
            ("“a b” „c“", "a b c [a b] [c]"),
            ("x \"\" \" \"", "x"),
            ("x \"!?\"", "x [!?]"),
            ("\"de*\"", "de [de*]"),
            ("\"a b\" \"A  B\"", "a b [a b]"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    #[test]
    fn a_search_without_a_word_is_refused() {
        for text in ["", " ", "*", "\"\"", "\"!!\"", "-- ;", "😀", "\u{301}", "ⓐ"] {
            let refusal = SearchQuery::parse(text).expect_err(text);
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::BadQuery, Some("q")), "{text}");
        }
    }

    #[test]
    fn the_length_and_the_terms_of_a_search_are_limited() {
        let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(query(&words(16)).terms().len(), 16);
        for text in [words(17), "x".repeat(201)] {
            let refusal = SearchQuery::parse(&text).expect_err("too much");
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::OutOfBounds, Some("q")));
        }
    }

    #[test]
    fn control_characters_are_refused() {
        let refusal = SearchQuery::parse("a\0b").expect_err("control");
        assert_eq!((refusal.code, refusal.field.as_deref()), (Code::ControlCharacter, Some("q")));
    }

    #[test]
    fn phrases_are_found_whatever_case_accents_and_white_space() {
        let query = query("\"josé said:  Hi\"");
        assert!(query.accepts("then JOSE\nSAID:\thi!"));
        assert!(!query.accepts("hi, said: jose"));
        assert!(self::query("any words").accepts("phrases alone are verified"));
    }

    #[test]
    fn runs_of_unspaced_scripts_are_indexed_as_pairs_and_their_last_character() {
        for (text, expected) in [
            ("日本語", "日本 本語 語"),
            ("字", "字"),
            ("用iphone15買う", "用 iphone15 買う う"),
            ("한국어를", "한국 국어 어를 를"),
            ("ที่นี่", "ที่นี่ นี่"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(index_words(&fold(text)).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_search_in_an_unspaced_script_accepts_the_same_run_only() {
        assert!(query("日本語").accepts("これは日本語です"));
        assert!(!query("日本語").accepts("日本と本語"));
        assert!(query("本 語").accepts("日本語"));
        assert!(query("買う").snippet(&format!("{}店で買うもの", "あ".repeat(300))).contains("買う"));
    }

    #[test]
    fn a_snippet_shows_a_short_text_whole() {
        assert_eq!(query("b").snippet("a\n b\tc "), "a b c");
    }

    #[test]
    fn a_snippet_shows_the_first_hit_between_marks() {
        let body = format!("{} the needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let snippet = query("NEEDLE").snippet(&body);
        assert!(snippet.starts_with("…hay ") && snippet.ends_with(" straw…"), "{snippet}");
        assert!(snippet.contains("the needle straw"));
        assert!(query("need*").snippet(&body).contains("the needle"));
    }

    #[test]
    fn a_snippet_prefers_the_phrase_to_its_scattered_words() {
        let body = format!("red {} big red dog", "x ".repeat(200));
        assert!(query("\"Big Red\"").snippet(&body).contains("big red dog"));
    }

    #[test]
    fn a_snippet_without_a_hit_shows_the_beginning() {
        assert!(query("other").snippet(&"word ".repeat(100)).starts_with("word word"));
    }

    #[test]
    fn a_snippet_of_one_endless_word_is_cut_on_a_character() {
        let snippet = query("z").snippet(&"ö".repeat(500));
        assert_eq!(snippet.chars().count(), SNIPPET_CHARS_MAX + 1);
    }

    proptest! {
        #[test]
        fn every_part_of_a_run_is_found_by_its_required_words(run in "[日本語買うの한국ที่นี่]{1,12}", at in 0_usize..12, length in 1_usize..6) {
            let run: String = fold(&run);
            let part: String = run.chars().skip(at).take(length).collect();
            let stored: Vec<&str> = index_words(&run).collect();
            // A part that begins or ends inside a character and its marks is no part of the text.
            prop_assume!(!part.starts_with(is_combining_mark) && !run.chars().nth(at + length).is_some_and(is_combining_mark));
            for (word, may_be_longer) in required_words(&part) {
                let is_hit = |stored: &&str| if may_be_longer { stored.starts_with(word) } else { *stored == word };
                prop_assert!(stored.iter().any(is_hit), "{word} of {part} in {stored:?}");
            }
        }

        #[test]
        fn every_accepted_search_has_1_to_16_terms(text in "[a-zA-Zé\"* .-]{0,60}|.{0,60}") {
            if let Ok(query) = SearchQuery::parse(&text) {
                prop_assert!((1..=limits::SEARCH_TERMS_MAX).contains(&query.terms().len()));
                prop_assert!(query.terms().iter().all(|term| term.word.starts_with(is_letter)));
            }
        }

        #[test]
        fn a_text_contains_every_phrase_cut_from_it(
            before in "[a-z ]{0,9}",
            phrase in "[A-Za-zé,. ]{0,9}[a-z]",
            after in ".{0,9}",
        ) {
            let quoted = format!("\"{phrase}\"");
            let body = format!("{before}{phrase}{after}");
            prop_assert!(query(&quoted).accepts(&body));
        }

        #[test]
        fn a_snippet_is_short_and_made_of_the_body(
            text in "[a-c]\\*?( \"[a-c] [a-c]\")?",
            body in "[abc é😀\n\u{301}]{0,600}|.{0,300}",
        ) {
            let snippet = query(&text).snippet(&body);
            prop_assert!(snippet.chars().count() <= SNIPPET_CHARS_MAX + 2);
            prop_assert!(!snippet.contains('\n'));
            prop_assert!(snippet.chars().all(|sign| sign == ' ' || sign == '…' || body.contains(sign)));
        }

        #[test]
        fn a_snippet_shows_a_hit_where_there_is_one(before in "[x \n]{0,300}", after in "[x \n]{0,300}") {
            let body = format!("{before} needle {after}");
            prop_assert!(query("needle").snippet(&body).contains("needle"));
        }
    }
}
