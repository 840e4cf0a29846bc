//! The `metadata` column: JSON text as Python's `json.dumps` writes it, with blanks after commas and colons and ASCII
//! only, or `null`.

use std::io::{self, Write};

use parlour_core::Refusal;
use serde::Serialize;
use serde_json::{Map, Serializer, Value, ser::Formatter};

use crate::{
    extras::KEY,
    json::{Json, Object, wrong_type},
};

const COLUMN: &str = "metadata";
/// The key of the text of the column, if encoding its value gives another text.
pub(super) const TEXT: &str = "metadata_text";
/// The key of the flag that the column was an object instead of a text.
const FORM: &str = "metadata_form";
const OBJECT: &str = "object";
/// The maximum nesting of the column. Parsers accept 128 levels, and other dialects nest the column deeper.
const DEPTH_MAX: usize = 100;

/// Decodes the column and records its encoding.
pub(super) fn decode_metadata<'a>(
    column: Option<&'a Json<'_>>,
    preserved: &mut Object<'a>,
) -> Result<Object<'a>, Refusal> {
    let text = match column {
        None | Some(Json::Null) => return Ok(Object::default()),
        Some(Json::Object(fields)) => {
            preserved.set(FORM, OBJECT);
            check_depth(fields)?;
            return Ok(fields.clone());
        }
        Some(Json::Text(text)) => text.as_ref(),
        Some(other) => return Err(wrong_type(COLUMN, "an object, its JSON text, or null", other)),
    };
    let json = serde_json::from_str(text)
        .map_err(|error| Refusal::invalid(format!("the text is not valid JSON: {error}")).at(COLUMN))?;
    let Json::Object(fields) = json else {
        preserved.set(TEXT, text);
        return Ok(Object::default());
    };
    check_depth(&fields)?;
    if !fields.contains(KEY) && !is_canonical_text(text, &fields) {
        preserved.set(TEXT, text);
    }
    Ok(fields)
}

/// The fields of the column, and its encoding.
pub(super) struct MetadataColumn<'a> {
    fields: Object<'a>,
    encoding: MetadataEncoding<'a>,
}

enum MetadataEncoding<'a> {
    /// JSON text in the style of Python, or `null` without fields.
    Usual,
    /// This text, which has the same value.
    Text(&'a str),
    Object,
    /// Omitted: the fields are nested too deeply for readers.
    TooDeep,
}

impl<'a> MetadataColumn<'a> {
    /// The column with these fields, in the preserved encoding if its value is the same.
    pub(super) fn new(fields: Object<'a>, preserved: Option<&'a Map<String, Value>>) -> Self {
        let entry = |name| preserved.and_then(|preserved| preserved.get(name)).and_then(Value::as_str);
        if let Some(text) = entry(TEXT)
            && let Some(fields) = fields_of_text(text).filter(|text| *text == fields)
        {
            return Self { fields, encoding: MetadataEncoding::Text(text) };
        }
        if check_depth(&fields).is_err() {
            return Self { fields: Object::default(), encoding: MetadataEncoding::TooDeep };
        }
        let encoding = if entry(FORM) == Some(OBJECT) { MetadataEncoding::Object } else { MetadataEncoding::Usual };
        Self { fields, encoding }
    }

    /// Whether the column is `null` and can be omitted.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.encoding, MetadataEncoding::Usual) && self.fields.is_empty()
    }

    /// Records the encoding as a reader would; returns whether the reader finds all fields.
    pub(super) fn record_in(&self, preserved: &mut Object<'a>) -> bool {
        match self.encoding {
            MetadataEncoding::Text(text) if !is_canonical_text(text, &self.fields) => preserved.set(TEXT, text),
            MetadataEncoding::Object => preserved.set(FORM, OBJECT),
            MetadataEncoding::Usual | MetadataEncoding::Text(_) => (),
            MetadataEncoding::TooDeep => return false,
        }
        true
    }

    /// The column, with the extras.
    pub(super) fn into_column(self, extras: Option<Object<'a>>) -> Json<'a> {
        let Self { mut fields, encoding } = self;
        if let (MetadataEncoding::Text(text), None) = (&encoding, &extras) {
            return Json::from(*text);
        }
        fields.set_some(KEY, extras);
        match encoding {
            MetadataEncoding::Object => fields.into(),
            _ if fields.is_empty() => Json::Null,
            _ => python_json(&fields).into(),
        }
    }
}

/// The fields of a preserved text. A text with extras is not used, because they can be outdated.
fn fields_of_text(text: &str) -> Option<Object<'_>> {
    match serde_json::from_str(text).ok()? {
        Json::Object(fields) => (!fields.contains(KEY) && check_depth(&fields).is_ok()).then_some(fields),
        _ => Some(Object::default()),
    }
}

/// Whether this text is the canonical one of the fields. Without fields there is none.
fn is_canonical_text(text: &str, fields: &Object<'_>) -> bool {
    !fields.is_empty() && is_python_json(fields, text)
}

/// Refuses fields that are nested too deeply to be decoded inside another message. Extras do not count: they are
/// decoded with their message.
fn check_depth(fields: &Object<'_>) -> Result<(), Refusal> {
    if fields.iter().all(|(name, value)| name == KEY || has_levels(value, DEPTH_MAX - 1)) {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("this is nested more than {DEPTH_MAX} levels deep")).at(COLUMN))
}

/// Whether a value has at most this number of levels.
fn has_levels(value: &Json<'_>, most: usize) -> bool {
    let below = most.checked_sub(1);
    match value {
        Json::List(items) => {
            items.is_empty() || below.is_some_and(|most| items.iter().all(|item| has_levels(item, most)))
        }
        Json::Object(fields) => {
            fields.is_empty() || below.is_some_and(|most| fields.iter().all(|(_, value)| has_levels(value, most)))
        }
        _ => true,
    }
}

/// The initial capacity of the text.
const USUAL_BYTES: usize = 512;

/// The JSON text of a value in the style of Python.
pub(crate) fn python_json(value: &impl Serialize) -> String {
    let mut out = Vec::with_capacity(USUAL_BYTES);
    value.serialize(&mut Serializer::with_formatter(&mut out, PythonStyle)).expect("JSON can be written to memory");
    String::from_utf8(out).expect("only ASCII is written")
}

/// Whether this is the Python text of an object.
pub(super) fn is_python_json(object: &Object<'_>, text: &str) -> bool {
    let mut rest = PrefixMatcher(text.as_bytes());
    let is_begun = object.serialize(&mut Serializer::with_formatter(&mut rest, PythonStyle)).is_ok();
    is_begun && rest.0.is_empty()
}

/// A writer that accepts only the expected bytes.
struct PrefixMatcher<'a>(&'a [u8]);

impl Write for PrefixMatcher<'_> {
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
        // The first byte of a non-ASCII character is outside the range that is copied unchanged.
        while let Some(at) = rest.bytes().position(|byte| !matches!(byte, b' '..=b'~')) {
            out.write_all(&rest.as_bytes()[..at])?;
            let character = rest[at..].chars().next().unwrap_or_default();
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + character.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn object(text: &str) -> Object<'_> {
        let json: Json<'_> = serde_json::from_str(text).expect("JSON");
        Object::read(json, "a note").expect("an object")
    }

    #[test]
    fn python_json_has_blanks_and_only_ascii() {
        let plain = json!({"a": "Grüße 🏠\n\u{7f}\"", "b": [1, {"c": null}], "d": {}}).to_string();
        let text = r#"{"a": "Gr\u00fc\u00dfe \ud83c\udfe0\n\u007f\"", "b": [1, {"c": null}], "d": {}}"#;
        assert_eq!(python_json(&object(&plain)), text);
        assert!(is_python_json(&object(&plain), text) && !is_python_json(&object(&plain), &plain));
    }

    proptest! {
        #[test]
        fn python_json_survives_a_round_trip_and_is_recognised(name in ".{0,9}", value in ".{0,40}", cut in 0..60_usize) {
            let plain = json!({name: [value, 1.5, {"a": true}]}).to_string();
            let text = python_json(&object(&plain));
            prop_assert_eq!(object(&text), object(&plain));
            prop_assert!(text.is_ascii() && is_python_json(&object(&plain), &text));
            let shorter = &text[..cut.min(text.len() - 1)];
            prop_assert!(!is_python_json(&object(&plain), shorter), "{}", shorter);
            prop_assert!(!is_python_json(&object(&plain), &[&text, " "].concat()));
        }
    }
}
