//! Encodes native messages as rows.

use parlour_core::message::Message;

use super::{
    NAME,
    decode::{DecodedRow, RowKey},
    metadata::{MetadataColumn, TEXT},
    wire::{Columns, RowContent, is_absent, metadata_fields, preserved, sender_text},
};
use crate::{
    Frame, Item,
    extras::{self, KEY},
    json::{Json, Object},
};

/// Like [`super::encode()`], borrowing from the message.
pub(crate) fn encode_json(item: &Item) -> Option<Json<'_>> {
    if item.frame != Frame::Message {
        return None;
    }
    let message = &item.message;
    let key = RowKey::of(message);
    let metadata = MetadataColumn::new(metadata_fields(message), preserved(message));
    let mut columns = Columns::of(RowContent::at(message, &key), preserved(message));
    if !(metadata.is_null() && is_absent(preserved(message), "metadata")) {
        columns.metadata = Some(Json::Null);
    }
    let extras = row_extras(message, key, &columns, &metadata);
    if columns.metadata.is_some() || extras.is_some() {
        columns.metadata = Some(metadata.into_column(extras));
    }
    Some(columns.into_json())
}

/// The extras of a message, computed without decoding the row.
fn row_extras<'a>(
    message: &'a Message,
    key: RowKey<'a>,
    columns: &Columns<'a>,
    metadata: &MetadataColumn<'a>,
) -> Option<Object<'a>> {
    let row = DecodedRow {
        key,
        sender: sender_text(&message.from),
        sender_name: column_text(columns.sender_name.as_ref()),
        kind: message.kind,
        timestamp: column_text(columns.timestamp.as_ref()),
        at: message.created_at,
    };
    let is_metadata_preserved = preserves_metadata(message, &row, columns, metadata);
    let mut extras = extras::extras_of(message, &row.into_message(String::new())).unwrap_or_default();
    // The body is always in the row, so it is not copied for the comparison.
    extras.take("body");
    let metadata = extras.take("metadata").unwrap_or_else(|| Object::default().into());
    // Extras change the text of the column, so a preserved text could not be recovered from it.
    let is_spelled = |name| preserved(message).is_some_and(|preserved| preserved.contains_key(name));
    let loses_spelling = || is_spelled(TEXT) || is_spelled("absent");
    if !is_metadata_preserved || (!extras.is_empty() && loses_spelling()) {
        extras.set("metadata", metadata);
    }
    (!extras.is_empty()).then_some(extras)
}

fn column_text<'a>(column: Option<&'a Json<'_>>) -> &'a str {
    column.and_then(Json::as_str).unwrap_or_default()
}

/// Whether a reader of the row finds the metadata of the message and the preserved columns.
fn preserves_metadata(
    message: &Message,
    row: &DecodedRow<'_>,
    columns: &Columns<'_>,
    metadata: &MetadataColumn<'_>,
) -> bool {
    let Some(own) = preserved(message).filter(|_| !message.metadata.contains_key(KEY)) else { return false };
    let mut found = columns.encoding(row.sender, row.kind);
    let is_whole = metadata.record_in(&mut found);
    row.deviations().for_each(|(name, text)| found.set(name, text));
    found.set_some(NAME, own.get(NAME).map(Json::of));
    is_whole && found == Object::of(own)
}
