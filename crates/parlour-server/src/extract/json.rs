//! Strict JSON for bodies and frames, in two steps.
//!
//! The first step walks over the text and refuses duplicate keys at any level and deep nesting: parsers disagree on which
//! of two equal keys counts. The second step deserialises the value and names the field of every error.

use std::{collections::HashSet, fmt};

use parlour_core::{Code, Refusal, limits};
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{cut, request_value::RequestValue};

/// Parses exactly one JSON value within the limits.
pub(crate) fn read_value(bytes: &[u8]) -> Result<Value, Refusal> {
    let text = check_strict(bytes)?;
    serde_json::from_str(text).map_err(|error| Refusal::new(Code::MalformedJson, error.to_string()))
}

/// Deserialises a value; a refusal names the field.
pub(crate) fn read_as<T: DeserializeOwned>(value: &Value) -> Result<T, Refusal> {
    serde_path_to_error::deserialize(RequestValue::Json(value))
        .map_err(|error| refuse_shape(&error.path().to_string(), &error.inner().to_string()))
}

/// Checks that the bytes are exactly one JSON value within the limits, and returns their text.
fn check_strict(bytes: &[u8]) -> Result<&str, Refusal> {
    let refuse = |detail: String| Refusal::new(Code::MalformedJson, detail);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(format!("the body is not UTF-8 from byte {} on", error.valid_up_to())))?;
    if text.trim_ascii().is_empty() {
        return Err(refuse("the body is empty; a JSON value is required".to_owned()));
    }
    let mut walk = StrictWalk::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let walked = StrictVisitor(&mut walk).deserialize(&mut reader).and_then(|()| reader.end());
    match (walk.refusal, walked) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(error)) => Err(refuse(error.to_string())),
        (None, Ok(())) => Ok(text),
    }
}

/// The path of the current value, and the first refusal.
#[derive(Default)]
struct StrictWalk {
    path: Vec<PathPart>,
    refusal: Option<Refusal>,
}

enum PathPart {
    Key(String),
    Index(usize),
}

impl StrictWalk {
    /// Stores the refusal and stops the parser.
    fn stop<E: Error>(&mut self, code: Code, what: &str) -> E {
        let field = self.path_text();
        let refusal = Refusal::new(code, format!("{what} at {:?}", field));
        self.refusal = Some(if field.is_empty() { refusal } else { refusal.at(&field) });
        E::custom("stopped")
    }

    fn check_depth<E: Error>(&mut self) -> Result<(), E> {
        if self.path.len() < limits::REQUEST_DEPTH_MAX {
            return Ok(());
        }
        let what = format!("the body has more than {} levels", limits::REQUEST_DEPTH_MAX);
        Err(self.stop(Code::TooDeep, &what))
    }

    fn path_text(&self) -> String {
        let mut text = String::new();
        for part in &self.path {
            match part {
                PathPart::Key(key) if text.is_empty() => text.push_str(&cut(key)),
                PathPart::Key(key) => text.push_str(&format!(".{}", cut(key))),
                PathPart::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        cut(&text)
    }
}

/// Visits one value.
struct StrictVisitor<'a>(&'a mut StrictWalk);

impl<'de> DeserializeSeed<'de> for StrictVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictVisitor<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let walk = self.0;
        walk.check_depth()?;
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            walk.path.push(PathPart::Key(key.clone()));
            if !keys.insert(key) {
                return Err(walk.stop(Code::DuplicateKey, "duplicate key"));
            }
            map.next_value_seed(StrictVisitor(walk))?;
            walk.path.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let walk = self.0;
        walk.check_depth()?;
        for index in 0.. {
            walk.path.push(PathPart::Index(index));
            if items.next_element_seed(StrictVisitor(walk))?.is_none() {
                walk.path.pop();
                break;
            }
            walk.path.pop();
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

const UNKNOWN_FIELD: &str = "unknown field `";
const MISSING_FIELD: &str = "missing field `";

/// Turns a serde error at `path` into a refusal that names the field.
fn refuse_shape(path: &str, message: &str) -> Refusal {
    let code = if message.starts_with(UNKNOWN_FIELD) { Code::UnknownField } else { Code::WrongShape };
    let refusal = Refusal::new(code, cut(message));
    field_of(path, message).into_iter().fold(refusal, |refusal, field| refusal.at(&field))
}

/// The path of the field of a serde error. For unknown and missing fields serde reports the path of the parent.
pub(super) fn field_of(path: &str, message: &str) -> Option<String> {
    let parent = Some(path).filter(|path| !matches!(*path, "." | "?" | ""));
    let child = [UNKNOWN_FIELD, MISSING_FIELD].iter().find_map(|start| quoted_after(start, message));
    match (parent, child) {
        // Some deserialisers report the unknown field itself.
        (Some(parent), Some(child)) if ends_with_step(parent, child) => Some(cut(parent)),
        (Some(parent), Some(child)) => Some(cut(&format!("{parent}.{child}"))),
        (Some(only), None) | (None, Some(only)) => Some(cut(only)),
        (None, None) => None,
    }
}

fn ends_with_step(path: &str, step: &str) -> bool {
    path.strip_suffix(step).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn quoted_after<'a>(start: &str, message: &'a str) -> Option<&'a str> {
    let rest = message.strip_prefix(start)?;
    let end = rest.find("`, ").or_else(|| rest.rfind('`'))?;
    Some(&rest[..end])
}

#[cfg(test)]
mod strict_json_tests {
    use proptest::prelude::*;

    use super::*;

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }

    fn code_of(text: &str) -> Option<Code> {
        check_strict(text.as_bytes()).err().map(|refusal| refusal.code)
    }

    #[test]
    fn valid_values_are_accepted() {
        for text in ["null", "1", "-1.5e3", "\"a\"", "[]", "{}", " {\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}} \n"] {
            assert_eq!(code_of(text), None, "{text}");
        }
    }

    #[test]
    fn duplicate_keys_are_refused_at_any_level_and_in_any_escape() {
        let cases = [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"content":{"x":[0,{"k":1,"k":2}]}}"#, "content.x[1].k"),
            (r#"{"a":1,"\u0061":1}"#, "a"),
        ];
        for (text, field) in cases {
            let refusal = check_strict(text.as_bytes()).expect_err(text);
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::DuplicateKey, Some(field)), "{text}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        assert_eq!(code_of(&nested(limits::REQUEST_DEPTH_MAX)), None);
        assert_eq!(code_of(&nested(limits::REQUEST_DEPTH_MAX + 1)), Some(Code::TooDeep));
        assert_eq!(code_of(&nested(100_000)), Some(Code::TooDeep));
        assert_eq!(code_of(&"{\"a\":".repeat(50_000)), Some(Code::TooDeep));
    }

    #[test]
    fn anything_else_than_one_value_is_malformed() {
        let cases = [
            "",
            "  ",
            "{",
            "{a:1}",
            "{\"a\":1,}",
            "1 2",
            "nul",
            "'a'",
            "\u{feff}{}",
            "\"\\ud800\"",
            "\"\0\"",
            "1e999",
            "NaN",
            "// x\n1",
        ];
        for text in cases {
            assert_eq!(code_of(text), Some(Code::MalformedJson), "{text:?}");
        }
    }

    #[test]
    fn a_syntax_error_has_its_position() {
        let refusal = check_strict(b"{\n  \"a\": x\n}").expect_err("no JSON");
        assert!(refusal.detail.contains("line 2 column 8"), "{}", refusal.detail);
        let refusal = check_strict(b"\"\xff\"").expect_err("no UTF-8");
        assert!(refusal.detail.contains("byte 1"), "{}", refusal.detail);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            let _ = check_strict(&bytes);
        }

        #[test]
        fn accepted_text_is_json(text in r#"[\[\]{}:,"0-9a-c \\ntrue]{0,40}"#) {
            if check_strict(text.as_bytes()).is_ok() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            }
        }
    }
}

#[cfg(test)]
mod shape_tests {
    use super::*;

    #[test]
    fn unknown_and_missing_fields_are_named_with_their_path() {
        for (path, message, field) in [
            (".", "unknown field `nmae`, expected one of `name`, `topic`", "nmae"),
            ("nmae", "unknown field `nmae`, expected `name`", "nmae"),
            ("context", "unknown field `x`, there are no fields", "context.x"),
            ("context.x", "unknown field `x`, there are no fields", "context.x"),
            (".", "missing field `name` at line 1 column 2", "name"),
            ("attachments[0]", "missing field `size`", "attachments[0].size"),
            ("limit", "\"x\" is no whole number", "limit"),
        ] {
            assert_eq!(field_of(path, message).as_deref(), Some(field), "{message}");
        }
        assert_eq!(field_of(".", "invalid type: null"), None);
    }

    #[test]
    fn a_long_message_is_truncated() {
        let refusal = refuse_shape(&"a".repeat(9_000), &format!("unknown field `{}`, expected `b`", "é".repeat(9_000)));
        assert!(refusal.detail.len() + refusal.field.unwrap_or_default().len() < 2_000);
        assert_eq!(refusal.code, Code::UnknownField);
    }
}
