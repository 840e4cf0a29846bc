//! Messages that are still being written.

use parlour_core::{message::Message, step::Step};
use parlour_hub::ports::SavedStream;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::sqlite::{
    error::StoreResult,
    rows::{
        from_json,
        message::{StoredMessage, message_from, select_message},
    },
};

/// All messages that are streaming, in the order of their posts, each with what was kept of its text.
pub(in crate::sqlite) fn open_streams(db: &Connection) -> StoreResult<Vec<(Message, SavedStream)>> {
    let mut statement = db.prepare_cached(STREAMING)?;
    let open = statement.query_and_then([], |row| message_from(db, row))?;
    open.map(|stored| with_saved(db, stored?)).collect()
}

/// By the index of the few, whatever the number of messages.
pub(super) const STREAMING: &str = select_message!("WHERE message.state = 1\nORDER BY message.no");

fn with_saved(db: &Connection, stored: StoredMessage) -> StoreResult<(Message, SavedStream)> {
    let mut saved = db.prepare_cached("SELECT text, steps\nFROM stream\nWHERE message_no = ?1")?;
    let as_saved = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let saved: Option<(String, Option<String>)> = saved.query_row([stored.no], as_saved).optional()?;
    let message = stored.message;
    let (text, steps): (String, Vec<Step>) = match saved {
        Some((text, steps)) => (text, steps.as_deref().map(from_json).transpose()?.unwrap_or_default()),
        None => (message.body.clone(), message.steps.clone()),
    };
    let stream = SavedStream { message_id: message.id.clone(), text, steps };
    Ok((message, stream))
}
