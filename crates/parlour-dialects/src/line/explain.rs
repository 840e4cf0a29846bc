//! What is wrong with a line that is no JSON, in words that help to find it: which field, and where in the line.

use std::{borrow::Cow, collections::BTreeMap};

use parlour_core::{Code, Refusal};
use serde_json::{Value, value::RawValue};

use super::depth;

/// Says what is wrong, and names the field when the line is an object with one that cannot be read.
pub(super) fn explain(line: &[u8], error: &serde_json::Error) -> Refusal {
    let (text, broken_at) = readable(line);
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(&text).unwrap_or_default();
    let start = |raw: &RawValue| raw.get().as_ptr().addr() - text.as_ptr().addr();
    if let Some(at) = broken_at {
        let holds = |raw: &RawValue| (start(raw)..start(raw) + raw.get().len()).contains(&at);
        let refusal = malformed(format!("this is no UTF-8 at column {}", at + 1));
        return match fields.iter().find(|(_, raw)| holds(raw)) {
            Some((name, _)) => refusal.at(name),
            None => refusal,
        };
    }
    for (name, raw) in &fields {
        if let Err(error) = serde_json::from_str::<Value>(raw.get()) {
            return refuse(raw.get(), start(raw), &error).at(name);
        }
    }
    refuse(&text, 0, error)
}

/// The text of a line, and where its first byte is that is none; such bytes become question marks, so that all others
/// stay in their places.
fn readable(line: &[u8]) -> (Cow<'_, str>, Option<usize>) {
    let Err(error) = str::from_utf8(line) else { return (String::from_utf8_lossy(line), None) };
    let text =
        line.utf8_chunks().fold(String::new(), |text, chunk| text + chunk.valid() + &"?".repeat(chunk.invalid().len()));
    (Cow::Owned(text), Some(error.valid_up_to()))
}

/// What is wrong with a text that stands so far behind the beginning of its line.
fn refuse(text: &str, before: usize, error: &serde_json::Error) -> Refusal {
    let told = error.to_string();
    let what = told.split_once(" at line ").map_or(told.as_str(), |(what, _)| what);
    if what.starts_with("recursion limit") {
        return malformed(depth::too_deep().detail);
    }
    if let Some(at) = lone_surrogate(text).filter(|_| what.contains("hex escape") || what.contains("surrogate")) {
        let escape = &text[at..at + ESCAPE_BYTES];
        return malformed(format!(
            "{escape} is half a character without its other half, at column {}",
            before + at + 1
        ));
    }
    match error.line() {
        0 | 1 => malformed(format!("this is no JSON: {what} at column {}", before + error.column())),
        line => malformed(format!("this is no JSON: {what} at line {line} column {}", error.column())),
    }
}

fn malformed(detail: String) -> Refusal {
    Refusal::new(Code::MalformedJson, detail)
}

/// Bytes of an escape such as `\ud800`.
const ESCAPE_BYTES: usize = 6;

/// Where the first escape stands that is one half of a character, and has no other half beside it.
fn lone_surrogate(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = text[at..].find('\\').map(|found| at + found) {
        at = match (half(bytes, found), half(bytes, found + ESCAPE_BYTES)) {
            (Some(Half::First), Some(Half::Second)) => found + 2 * ESCAPE_BYTES,
            (Some(_), _) => return Some(found),
            // An escaped backslash begins nothing; the sign behind any other escape is a character of its own.
            (None, _) => found + 1 + text[found + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    None
}

#[derive(PartialEq)]
enum Half {
    First,
    Second,
}

/// Which half of a character the escape here is.
fn half(bytes: &[u8], at: usize) -> Option<Half> {
    let digits = bytes.get(at..at + ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    match u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::First),
        0xDC00..=0xDFFF => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse_line;
    use super::*;

    /// The field and the words of the refusal of a line.
    fn told(line: &[u8]) -> (Option<String>, String) {
        let refused = parse_line::<Value>(line).expect_err("no JSON");
        (refused.field, refused.detail)
    }

    #[test]
    fn half_a_character_is_told_with_its_field_and_its_place_in_the_line() {
        for (line, field, words) in [
            (
                r#"{"id":"a","text":"x \ud800 y"}"#,
                "text",
                r"\ud800 is half a character without its other half, at column 21",
            ),
            (
                r#"{"text":"\\ud800 \udC00"}"#,
                "text",
                r"\udC00 is half a character without its other half, at column 18",
            ),
            (
                r#"{"a":{"b":"\ud83d\ude00\uD83D\n"}}"#,
                "a",
                r"\uD83D is half a character without its other half, at column 24",
            ),
        ] {
            assert_eq!(told(line.as_bytes()), (Some(field.to_owned()), words.to_owned()), "{line}");
        }
    }

    #[test]
    fn what_is_no_utf_8_is_told_with_its_field_and_its_place() {
        let line = [br#"{"id":"ok","text":"caf"#, &b"\xE9\xFF"[..], br#"","more":""#, b"\xFF\"}"].concat();
        assert_eq!(told(&line), (Some("text".to_owned()), "this is no UTF-8 at column 23".to_owned()));
        assert_eq!(told(&[b'{', 0xff]), (None, "this is no UTF-8 at column 2".to_owned()));
    }

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        assert_eq!(told(b"{\"a\": "), (None, "this is no JSON: EOF while parsing a value at column 6".to_owned()));
        assert_eq!(told(br#"{"text":"\x"}"#), (None, "this is no JSON: invalid escape at column 11".to_owned()));
        assert_eq!(told(b"{\n\"a\": x}").1, "this is no JSON: expected value at line 2 column 6");
    }

    #[test]
    fn too_many_levels_are_told_as_such() {
        let line = format!(r#"{{"id":"a","deep":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        let (field, words) = told(line.as_bytes());
        assert_eq!(field.as_deref(), Some("deep"));
        assert!(words.contains("more than 100 levels"), "{words}");
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "[\\\\ud8Cc0\"{}:, é]{0,40}") {
            let line = [br#"{"a":""#, text.as_bytes(), &bytes, br#""}"#].concat();
            for line in [&bytes, &line, &text.into_bytes()] {
                let _ = parse_line::<Value>(line);
            }
        }
    }
}
