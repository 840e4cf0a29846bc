//! Decodes and encodes one line of JSON, with limits on length and nesting.
//!
//! The parser accepts 128 levels. Another dialect can store a value some levels deeper than it was, so accepted values
//! must leave room for that; otherwise the encoded line could not be decoded again.

use std::{borrow::Cow, collections::BTreeMap};

use parlour_core::{Code, Refusal, import::levels_of, limits, message::Message};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::{
    DecodeContext, Dialect, Item, a2a, caco, jaibber, native, pynchy,
    tkr::{self, NameStyle},
    zen,
};

/// Decodes one line: one JSON value of the dialect.
pub fn decode_line(dialect: Dialect, line: &[u8], decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let read = decode_by_dialect(dialect, line, decode_context);
    // Returns the result unchanged: an item is large, and unwrapping would copy it.
    match read.as_ref().map(check_depth) {
        Ok(Err(too_deep)) => Err(with_field(too_deep, line)),
        _ => read,
    }
}

/// Decodes a parsed value, with the limits of a line.
pub fn decode_value(dialect: Dialect, value: Value, decode_context: &DecodeContext) -> Result<Item, Refusal> {
    let deep = deep_field(&value);
    let item = dialect.decode(value, decode_context)?;
    match (check_depth(&item), deep) {
        (Ok(()), _) => Ok(item),
        (Err(refusal), Some(field)) => Err(refusal.at(&field)),
        (Err(refusal), None) => Err(refusal),
    }
}

fn decode_by_dialect(dialect: Dialect, line: &[u8], decode_context: &DecodeContext) -> Result<Item, Refusal> {
    if dialect == Dialect::Native
        && line.len() <= limits::DIALECT_LINE_BYTES_MAX
        && let Some(item) = native::decode_plain(line)
    {
        return Ok(item);
    }
    match dialect {
        Dialect::Zen => zen::decode_json(parse_line(line)?, decode_context),
        Dialect::A2a => a2a::decode_json(parse_line(line)?, decode_context),
        Dialect::Tkr | Dialect::TkrLegacy => tkr::decode_json(parse_line(line)?, decode_context),
        Dialect::Caco => caco::decode_json(parse_line(line)?, decode_context),
        Dialect::Jaibber => jaibber::decode_json(parse_line(line)?, decode_context),
        Dialect::Pynchy => pynchy::decode_json(parse_line(line)?, decode_context),
        Dialect::Native => native::decode(parse_line(line)?, decode_context),
    }
}

/// Encodes an item as one line without line break; returns false if the dialect cannot express it.
pub fn encode_line(dialect: Dialect, item: &Item, out: &mut Vec<u8>) -> bool {
    match dialect {
        Dialect::Native => {
            native::encode_into(item, out);
            true
        }
        Dialect::Zen => write_json(zen::encode_json(item), out),
        Dialect::A2a => write_json(a2a::encode_json(item), out),
        Dialect::Tkr => write_json(tkr::encode_json(item, NameStyle::Standard), out),
        Dialect::TkrLegacy => write_json(tkr::encode_json(item, NameStyle::Legacy), out),
        Dialect::Caco => write_json(caco::encode_json(item), out),
        Dialect::Jaibber => write_json(jaibber::encode_json(item), out),
        Dialect::Pynchy => write_json(pynchy::encode_json(item), out),
    }
}

fn write_json(value: Option<impl Serialize>, out: &mut Vec<u8>) -> bool {
    let Some(value) = value else { return false };
    serde_json::to_writer(out, &value).expect("a value can be written to memory");
    true
}

/// Parses a line. A refusal names the column, and the field if possible.
fn parse_line<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, Refusal> {
    if line.len() > limits::DIALECT_LINE_BYTES_MAX {
        let most = limits::DIALECT_LINE_BYTES_MAX;
        return Err(Refusal::out_of_bounds(format!("the line has {} bytes; at most {most} are allowed", line.len())));
    }
    // Validating the whole line once is faster than validating each text.
    let read = str::from_utf8(line).map_or_else(|_| serde_json::from_slice(line), serde_json::from_str);
    read.map_err(|error| explain(line, &error))
}

/// Refuses a message with a value that is nested too deeply.
pub(super) fn check_depth(item: &Item) -> Result<(), Refusal> {
    let Message { content, metadata, steps, .. } = &item.message;
    let steps = steps.iter().flat_map(|step| [&step.input, &step.output]).flatten();
    let values = content.iter().chain(metadata.values()).chain(steps);
    if values.into_iter().all(|value| levels_of(value) <= limits::DIALECT_DEPTH_MAX) {
        return Ok(());
    }
    Err(too_deep())
}

pub(super) fn too_deep() -> Refusal {
    let most = limits::DIALECT_DEPTH_MAX;
    Refusal::out_of_bounds(format!("a value has more than {most} levels of arrays and objects"))
}

/// Adds the field of the line to the refusal.
pub(super) fn with_field(refusal: Refusal, line: &[u8]) -> Refusal {
    match serde_json::from_slice(line).ok().as_ref().and_then(deep_field) {
        Some(field) => refusal.at(&field),
        None => refusal,
    }
}

/// The most deeply nested field, if it reaches the limit.
pub(super) fn deep_field(value: &Value) -> Option<String> {
    let fields = value.as_object()?.iter().map(|(name, value)| (levels_of(value), name));
    let (levels, name) = fields.max_by_key(|(levels, _)| *levels)?;
    (levels >= limits::DIALECT_DEPTH_MAX).then(|| name.clone())
}

/// Explains a syntax error; names the field if only one field of an object cannot be parsed.
pub(super) fn explain(line: &[u8], error: &serde_json::Error) -> Refusal {
    let (text, broken_at) = readable(line);
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(&text).unwrap_or_default();
    let start = |raw: &RawValue| raw.get().as_ptr().addr() - text.as_ptr().addr();
    if let Some(at) = broken_at {
        let holds = |raw: &RawValue| (start(raw)..start(raw) + raw.get().len()).contains(&at);
        let refusal = malformed(format!("invalid UTF-8 at column {}", at + 1));
        return match fields.iter().find(|(_, raw)| holds(raw)) {
            Some((name, _)) => refusal.at(name),
            None => refusal,
        };
    }
    for (name, raw) in &fields {
        if let Err(error) = serde_json::from_str::<Value>(raw.get()) {
            return refuse_syntax(raw.get(), start(raw), &error).at(name);
        }
    }
    refuse_syntax(&text, 0, error)
}

/// The text of a line, and the position of its first invalid byte. Invalid bytes become question marks, so that
/// columns stay the same.
fn readable(line: &[u8]) -> (Cow<'_, str>, Option<usize>) {
    let Err(error) = str::from_utf8(line) else { return (String::from_utf8_lossy(line), None) };
    let text =
        line.utf8_chunks().fold(String::new(), |text, chunk| text + chunk.valid() + &"?".repeat(chunk.invalid().len()));
    (Cow::Owned(text), Some(error.valid_up_to()))
}

/// The refusal of a text that starts at column `before` of its line.
fn refuse_syntax(text: &str, before: usize, error: &serde_json::Error) -> Refusal {
    let message = error.to_string();
    let what = message.split_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    if what.starts_with("recursion limit") {
        return malformed(too_deep().detail);
    }
    if let Some(at) = lone_surrogate(text).filter(|_| what.contains("hex escape") || what.contains("surrogate")) {
        let escape = &text[at..at + ESCAPE_BYTES];
        return malformed(format!("{escape} is an unpaired surrogate at column {}", before + at + 1));
    }
    match error.line() {
        0 | 1 => malformed(format!("invalid JSON: {what} at column {}", before + error.column())),
        line => malformed(format!("invalid JSON: {what} at line {line} column {}", error.column())),
    }
}

fn malformed(detail: String) -> Refusal {
    Refusal::new(Code::MalformedJson, detail)
}

/// The length of an escape such as `\ud800`.
const ESCAPE_BYTES: usize = 6;

/// The position of the first surrogate escape without its other half.
fn lone_surrogate(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = text[at..].find('\\').map(|found| at + found) {
        at = match (surrogate_half(bytes, found), surrogate_half(bytes, found + ESCAPE_BYTES)) {
            (Some(SurrogateHalf::First), Some(SurrogateHalf::Second)) => found + 2 * ESCAPE_BYTES,
            (Some(_), _) => return Some(found),
            // Skips an escape, also an escaped backslash.
            (None, _) => found + 1 + text[found + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    None
}

#[derive(PartialEq)]
enum SurrogateHalf {
    First,
    Second,
}

fn surrogate_half(bytes: &[u8], at: usize) -> Option<SurrogateHalf> {
    let digits = bytes.get(at..at + ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    match u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()? {
        0xD800..=0xDBFF => Some(SurrogateHalf::First),
        0xDC00..=0xDFFF => Some(SurrogateHalf::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::Timestamp;
    use proptest::prelude::*;

    use crate::{decode_line, decode_value, encode_line};

    use super::*;

    #[test]
    fn a_line_has_a_length_limit() {
        let wide = vec![b' '; limits::DIALECT_LINE_BYTES_MAX + 1];
        assert_eq!(parse_line::<Value>(&wide).expect_err("wide").code, Code::OutOfBounds);
    }

    /// A TKR message with metadata of this depth.
    fn line(levels: usize) -> Vec<u8> {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let text = format!(
            r#"{{"id":"a","type":"text","timestamp":"2026-01-01T00:00:00Z","session_id":"s","from_user":true,"content":"x","metadata":{{"deep":{open}{close}}}}}"#
        );
        text.into_bytes()
    }

    #[test]
    fn accepted_nesting_survives_a_round_trip_through_any_dialect() {
        let decode_context = DecodeContext::history(Timestamp::from_millis(0));
        for levels in [1, 99, 100] {
            let item = decode_line(Dialect::Tkr, &line(levels), &decode_context).expect("not too deep");
            for &dialect in Dialect::ALL {
                let mut out = Vec::new();
                assert!(encode_line(dialect, &item, &mut out));
                assert_eq!(decode_line(dialect, &out, &decode_context).as_ref(), Ok(&item), "{dialect}, {levels}");
            }
        }
        for levels in [101, 120, 1_000] {
            assert!(decode_line(Dialect::Tkr, &line(levels), &decode_context).is_err(), "{levels}");
        }
    }

    #[test]
    fn a_parsed_value_has_the_same_nesting_limit_and_names_its_field() {
        let decode_context = DecodeContext::history(Timestamp::from_millis(0));
        for levels in [100, 101, 120] {
            let value = serde_json::from_slice(&line(levels)).expect("the parser takes more");
            let (parsed, read) = (
                decode_value(Dialect::Tkr, value, &decode_context),
                decode_line(Dialect::Tkr, &line(levels), &decode_context),
            );
            assert_eq!(parsed, read, "{levels}");
            let field = parsed.err().map(|refusal| refusal.field.expect("a field"));
            assert_eq!(field.as_deref(), (levels > 100).then_some("metadata"), "{levels}");
        }
    }

    fn refusal_of(line: &[u8]) -> (Option<String>, String) {
        let refused = parse_line::<Value>(line).expect_err("no JSON");
        (refused.field, refused.detail)
    }

    #[test]
    fn an_unpaired_surrogate_is_reported_with_field_and_column() {
        for (line, field, words) in [
            (r#"{"id":"a","text":"x \ud800 y"}"#, "text", r"\ud800 is an unpaired surrogate at column 21"),
            (r#"{"text":"\\ud800 \udC00"}"#, "text", r"\udC00 is an unpaired surrogate at column 18"),
            (r#"{"a":{"b":"\ud83d\ude00\uD83D\n"}}"#, "a", r"\uD83D is an unpaired surrogate at column 24"),
        ] {
            assert_eq!(refusal_of(line.as_bytes()), (Some(field.to_owned()), words.to_owned()), "{line}");
        }
    }

    #[test]
    fn invalid_utf_8_is_reported_with_field_and_column() {
        let line = [br#"{"id":"ok","text":"caf"#, &b"\xE9\xFF"[..], br#"","more":""#, b"\xFF\"}"].concat();
        assert_eq!(refusal_of(&line), (Some("text".to_owned()), "invalid UTF-8 at column 23".to_owned()));
        assert_eq!(refusal_of(&[b'{', 0xff]), (None, "invalid UTF-8 at column 2".to_owned()));
    }

    #[test]
    fn invalid_json_is_reported_with_its_column() {
        assert_eq!(refusal_of(b"{\"a\": "), (None, "invalid JSON: EOF while parsing a value at column 6".to_owned()));
        assert_eq!(refusal_of(br#"{"text":"\x"}"#), (None, "invalid JSON: invalid escape at column 11".to_owned()));
        assert_eq!(refusal_of(b"{\n\"a\": x}").1, "invalid JSON: expected value at line 2 column 6");
    }

    #[test]
    fn too_deep_nesting_is_reported_with_its_field() {
        let line = format!(r#"{{"id":"a","deep":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        let (field, words) = refusal_of(line.as_bytes());
        assert_eq!(field.as_deref(), Some("deep"));
        assert!(words.contains("more than 100 levels"), "{words}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), text in "[\\\\ud8Cc0\"{}:, é]{0,40}") {
            let line = [br#"{"a":""#, text.as_bytes(), &bytes, br#""}"#].concat();
            for line in [&bytes, &line, &text.into_bytes()] {
                let _ = parse_line::<Value>(line);
            }
        }
    }
}
