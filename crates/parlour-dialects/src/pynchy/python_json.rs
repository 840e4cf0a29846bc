//! JSON as Python's `json.dumps` writes it: blanks after commas and colons, and nothing but ASCII.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Serializer, ser::Formatter};

use crate::json::Object;

/// Bytes that such a text usually has at the most.
const USUAL_BYTES: usize = 512;

/// The text of a value.
pub(crate) fn written(value: &impl Serialize) -> String {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    value.serialize(&mut Serializer::with_formatter(&mut out, PythonStyle)).expect("JSON can be written to memory");
    String::from_utf8(out).expect("only ASCII is written")
}

/// Whether this is the text of an object.
pub(super) fn is_written(object: &Object<'_>, text: &str) -> bool {
    let mut rest = Expected(text.as_bytes());
    let is_begun = object.serialize(&mut Serializer::with_formatter(&mut rest, PythonStyle)).is_ok();
    is_begun && rest.0.is_empty()
}

/// Takes nothing but these bytes.
struct Expected<'a>(&'a [u8]);

impl Write for Expected<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct PythonStyle;

impl Formatter for PythonStyle {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(if is_first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(if is_first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        // The first byte of a sign is never one of those that are written as they are, unless the sign is.
        while let Some(at) = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')) {
            out.write_all(&rest.as_bytes()[..at])?;
            let sign = rest[at..].chars().next().unwrap_or_default();
            for unit in sign.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + sign.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::json::Json;

    fn object(text: &str) -> Object<'_> {
        let json: Json<'_> = serde_json::from_str(text).expect("JSON");
        Object::read(json, "a note").expect("an object")
    }

    #[test]
    fn it_has_blanks_and_nothing_but_ascii() {
        let plain = json!({"a": "Grüße 🏠\n\u{7f}\"", "b": [1, {"c": null}], "d": {}}).to_string();
        let text = r#"{"a": "Gr\u00fc\u00dfe \ud83c\udfe0\n\u007f\"", "b": [1, {"c": null}], "d": {}}"#;
        assert_eq!(written(&object(&plain)), text);
        assert!(is_written(&object(&plain), text) && !is_written(&object(&plain), &plain));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_and_known_again(name in ".{0,9}", value in ".{0,40}", cut in 0..60_usize) {
            let plain = json!({name: [value, 1.5, {"a": true}]}).to_string();
            let text = written(&object(&plain));
            prop_assert_eq!(object(&text), object(&plain));
            prop_assert!(text.is_ascii() && is_written(&object(&plain), &text));
            let shorter = &text[..cut.min(text.len() - 1)];
            prop_assert!(!is_written(&object(&plain), shorter), "{}", shorter);
            prop_assert!(!is_written(&object(&plain), &[&text, " "].concat()));
        }
    }
}
