//! The column `metadata`: JSON as Python writes it, or nothing.

use std::io;

use parlour_core::Refusal;
use serde::Serialize;
use serde_json::{Map, Serializer, Value, ser::Formatter};

use super::KEY;
use crate::fields::wrong;

/// Its name.
const COLUMN: &str = "metadata";
/// Where the text of the column is kept, when writing its value again would give another.
pub(super) const TEXT: &str = "metadata_text";
/// Where it is kept that the column was no text but an object.
pub(super) const FORM: &str = "metadata_form";
const OBJECT: &str = "object";
/// Levels of nesting in the column. Readers of JSON take 128, and other dialects put the column some levels deeper.
const DEPTH_MAX: usize = 100;

/// Reads the fields of the column. What its spelling says beyond them is kept.
pub(super) fn read(column: Option<&Value>, kept: &mut Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let text = match column {
        None | Some(Value::Null) => return Ok(Map::new()),
        Some(Value::Object(map)) => {
            kept.insert(FORM.to_owned(), OBJECT.into());
            check_depth(map)?;
            return Ok(map.clone());
        }
        Some(Value::String(text)) => text,
        Some(other) => return Err(wrong(COLUMN, "an object, its JSON text, or null", other)),
    };
    let value = serde_json::from_str(text)
        .map_err(|error| Refusal::invalid(format!("this text is no JSON: {error}")).at(COLUMN))?;
    let Value::Object(map) = value else {
        kept.insert(TEXT.to_owned(), text.as_str().into());
        return Ok(Map::new());
    };
    check_depth(&map)?;
    // An empty object would be written as no value.
    if !map.contains_key(KEY) && (map.is_empty() || written(&map) != *text) {
        kept.insert(TEXT.to_owned(), text.as_str().into());
    }
    Ok(map)
}

/// Writes the column: in the spelling that was kept of it, when that says the same.
pub(super) fn write(fields: Option<Map<String, Value>>, text: Option<&Value>, form: Option<&Value>) -> Value {
    let fields = fields.unwrap_or_default();
    if let Some(Value::String(text)) = text
        && says(text, &fields)
    {
        return text.as_str().into();
    }
    if form.is_some_and(|form| form == OBJECT) {
        return fields.into();
    }
    if fields.is_empty() { Value::Null } else { written(&fields).into() }
}

/// The fields as Python's `json.dumps` writes them: blanks after commas and colons, and nothing but ASCII.
pub(super) fn written(fields: &Map<String, Value>) -> String {
    let mut out = Vec::new();
    fields.serialize(&mut Serializer::with_formatter(&mut out, PythonStyle)).expect("a value can be written to memory");
    String::from_utf8(out).expect("only ASCII is written")
}

/// Whether a text that was kept is read as these fields. One that holds extras is never used: they may be old.
fn says(text: &str, fields: &Map<String, Value>) -> bool {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => map == *fields && !map.contains_key(KEY) && check_depth(&map).is_ok(),
        Ok(_) => fields.is_empty(),
        Err(_) => false,
    }
}

/// Refuses what is nested so deeply that it could not be read again from inside another message. Extras are not meant:
/// they are read with the message that they are part of.
fn check_depth<'a>(fields: &'a Map<String, Value>) -> Result<(), Refusal> {
    let mut level: Vec<&Value> = fields.iter().filter(|(name, _)| *name != KEY).map(|(_, value)| value).collect();
    for _ in 0..DEPTH_MAX {
        let inside = |value: &'a Value| match value {
            Value::Array(items) => items.iter().collect(),
            Value::Object(map) => map.values().collect(),
            _ => Vec::new(),
        };
        level = level.into_iter().flat_map(inside).collect();
        if level.is_empty() {
            return Ok(());
        }
    }
    Err(Refusal::out_of_bounds(format!("this is nested more than {DEPTH_MAX} levels deep")).at(COLUMN))
}

struct PythonStyle;

impl Formatter for PythonStyle {
    fn begin_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(if is_first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        out.write_all(if is_first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(|sign| !matches!(sign, ' '..='~')) {
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
