//! The column `metadata`: JSON as Python writes it, or nothing.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use super::{KEY, python_json};
use crate::json::{Json, Object, wrong};

/// Its name.
const COLUMN: &str = "metadata";
/// Where the text of the column is kept, when writing its value again would give another.
pub(super) const TEXT: &str = "metadata_text";
/// Where it is kept that the column was no text but an object.
const FORM: &str = "metadata_form";
const OBJECT: &str = "object";
/// Levels of nesting in the column. Readers of JSON take 128, and other dialects put the column some levels deeper.
const DEPTH_MAX: usize = 100;

/// Reads the fields of the column. What its spelling says beyond them is kept.
pub(super) fn read<'a>(column: Option<&'a Json<'_>>, kept: &mut Object<'a>) -> Result<Object<'a>, Refusal> {
    let text = match column {
        None | Some(Json::Null) => return Ok(Object::default()),
        Some(Json::Object(fields)) => {
            kept.set(FORM, OBJECT);
            check_depth(fields)?;
            return Ok(fields.clone());
        }
        Some(Json::Text(text)) => text.as_ref(),
        Some(other) => return Err(wrong(COLUMN, "an object, its JSON text, or null", other)),
    };
    let json = serde_json::from_str(text)
        .map_err(|error| Refusal::invalid(format!("this text is no JSON: {error}")).at(COLUMN))?;
    let Json::Object(fields) = json else {
        kept.set(TEXT, text);
        return Ok(Object::default());
    };
    check_depth(&fields)?;
    if !fields.contains(KEY) && !is_usual(text, &fields) {
        kept.set(TEXT, text);
    }
    Ok(fields)
}

/// The fields of a column that is to be written, and how.
pub(super) struct MetadataColumn<'a> {
    fields: Object<'a>,
    spelling: MetadataSpelling<'a>,
}

enum MetadataSpelling<'a> {
    /// As text in the style of Python, or as `null` when there are no fields.
    Usual,
    /// As this text, which says the same.
    Text(&'a str),
    /// As an object.
    Object,
    /// Not at all: no reader would take fields that are nested so deeply.
    TooDeep,
}

impl<'a> MetadataColumn<'a> {
    /// The notes with these fields: in the spelling that was kept of them, when that says the same.
    pub(super) fn new(fields: Object<'a>, kept: Option<&'a Map<String, Value>>) -> Self {
        let entry = |name| kept.and_then(|kept| kept.get(name)).and_then(Value::as_str);
        if let Some(text) = entry(TEXT)
            && let Some(fields) = told(text).filter(|told| *told == fields)
        {
            return Self { fields, spelling: MetadataSpelling::Text(text) };
        }
        if check_depth(&fields).is_err() {
            return Self { fields: Object::default(), spelling: MetadataSpelling::TooDeep };
        }
        let spelling = if entry(FORM) == Some(OBJECT) { MetadataSpelling::Object } else { MetadataSpelling::Usual };
        Self { fields, spelling }
    }

    /// Whether the column is `null`, and so may be left out.
    pub(super) fn are_none(&self) -> bool {
        matches!(self.spelling, MetadataSpelling::Usual) && self.fields.is_empty()
    }

    /// Keeps what a reader of the column keeps of its spelling; answers whether the reader finds all the fields.
    pub(super) fn keep_in(&self, kept: &mut Object<'a>) -> bool {
        match self.spelling {
            MetadataSpelling::Text(text) if !is_usual(text, &self.fields) => kept.set(TEXT, text),
            MetadataSpelling::Object => kept.set(FORM, OBJECT),
            MetadataSpelling::Usual | MetadataSpelling::Text(_) => (),
            MetadataSpelling::TooDeep => return false,
        }
        true
    }

    /// Writes the column, with extras if there are any.
    pub(super) fn into_column(self, extras: Option<Object<'a>>) -> Json<'a> {
        let Self { mut fields, spelling } = self;
        if let (MetadataSpelling::Text(text), None) = (&spelling, &extras) {
            return Json::from(*text);
        }
        fields.set_some(KEY, extras);
        match spelling {
            MetadataSpelling::Object => fields.into(),
            _ if fields.is_empty() => Json::Null,
            _ => python_json::written(&fields).into(),
        }
    }
}

/// The fields that a text tells which was kept. One that holds extras is never used: they may be old.
fn told(text: &str) -> Option<Object<'_>> {
    match serde_json::from_str(text).ok()? {
        Json::Object(fields) => (!fields.contains(KEY) && check_depth(&fields).is_ok()).then_some(fields),
        _ => Some(Object::default()),
    }
}

/// Whether this text is written for the fields that it tells. No text is written for none.
fn is_usual(text: &str, fields: &Object<'_>) -> bool {
    !fields.is_empty() && python_json::is_written(fields, text)
}

/// Refuses what is nested so deeply that it could not be read again from inside another message. Extras are not meant:
/// they are read with the message that they are part of.
fn check_depth(fields: &Object<'_>) -> Result<(), Refusal> {
    if fields.iter().all(|(name, value)| name == KEY || has_levels(value, DEPTH_MAX - 1)) {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("this is nested more than {DEPTH_MAX} levels deep")).at(COLUMN))
}

/// Whether a value has so many levels inside it, or fewer.
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
