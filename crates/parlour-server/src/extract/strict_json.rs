//! One walk over a JSON text before anything is made of it.
//!
//! It refuses what a typed reader would pass over or answer badly: keys that stand twice, at any level, and deep
//! nesting. Readers disagree on which of two equal keys counts, so neither is taken.

use std::{collections::HashSet, fmt};

use parlour_core::{Code, Refusal, limits};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::cut;

/// Refuses bytes that are not exactly one JSON value within the bounds, and answers their text.
pub(super) fn check(bytes: &[u8]) -> Result<&str, Refusal> {
    let refuse = |detail: String| Refusal::new(Code::MalformedJson, detail);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| refuse(format!("the body is no UTF-8 from byte {} on", error.valid_up_to())))?;
    if text.trim_ascii().is_empty() {
        return Err(refuse("the body is empty; a JSON value is needed".to_owned()));
    }
    let mut walk = Walk::default();
    let mut reader = serde_json::Deserializer::from_str(text);
    let walked = Step(&mut walk).deserialize(&mut reader).and_then(|()| reader.end());
    match (walk.refusal, walked) {
        (Some(refusal), _) => Err(refusal),
        (None, Err(error)) => Err(refuse(error.to_string())),
        (None, Ok(())) => Ok(text),
    }
}

/// Where the walk is, and what it has found.
#[derive(Default)]
struct Walk {
    path: Vec<Place>,
    refusal: Option<Refusal>,
}

enum Place {
    Key(String),
    Index(usize),
}

impl Walk {
    /// Keeps the refusal for the end and stops the reader.
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
        for place in &self.path {
            match place {
                Place::Key(key) if text.is_empty() => text.push_str(&cut(key)),
                Place::Key(key) => text.push_str(&format!(".{}", cut(key))),
                Place::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        cut(&text)
    }
}

/// One value of the walk.
struct Step<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Step<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Step<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let walk = self.0;
        walk.check_depth()?;
        let mut keys = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            walk.path.push(Place::Key(key.clone()));
            if !keys.insert(key) {
                return Err(walk.stop(Code::DuplicateKey, "a key stands twice"));
            }
            map.next_value_seed(Step(walk))?;
            walk.path.pop();
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let walk = self.0;
        walk.check_depth()?;
        for index in 0.. {
            walk.path.push(Place::Index(index));
            if items.next_element_seed(Step(walk))?.is_none() {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn nested(levels: usize) -> String {
        "[".repeat(levels) + &"]".repeat(levels)
    }

    fn code_of(text: &str) -> Option<Code> {
        check(text.as_bytes()).err().map(|refusal| refusal.code)
    }

    #[test]
    fn plain_values_pass() {
        for text in ["null", "1", "-1.5e3", "\"a\"", "[]", "{}", " {\"a\":{\"a\":[{\"a\":1},{\"a\":2}]}} \n"] {
            assert_eq!(code_of(text), None, "{text}");
        }
    }

    #[test]
    fn doubled_keys_are_refused_at_any_level_and_in_any_spelling() {
        let cases = [
            (r#"{"a":1,"a":1}"#, "a"),
            (r#"{"content":{"x":[0,{"k":1,"k":2}]}}"#, "content.x[1].k"),
            (r#"{"a":1,"\u0061":1}"#, "a"),
        ];
        for (text, field) in cases {
            let refusal = check(text.as_bytes()).expect_err(text);
            assert_eq!((refusal.code, refusal.field.as_deref()), (Code::DuplicateKey, Some(field)), "{text}");
        }
    }

    #[test]
    fn nesting_is_counted_to_the_bound() {
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
    fn the_place_of_a_mistake_is_told() {
        let refusal = check(b"{\n  \"a\": x\n}").expect_err("no JSON");
        assert!(refusal.detail.contains("line 2 column 8"), "{}", refusal.detail);
        let refusal = check(b"\"\xff\"").expect_err("no UTF-8");
        assert!(refusal.detail.contains("byte 1"), "{}", refusal.detail);
    }

    proptest! {
        #[test]
        fn no_bytes_panic_the_walk(bytes: Vec<u8>) {
            let _ = check(&bytes);
        }

        #[test]
        fn what_passes_is_json(text in r#"[\[\]{}:,"0-9a-c \\ntrue]{0,40}"#) {
            if check(text.as_bytes()).is_ok() {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
            }
        }
    }
}
