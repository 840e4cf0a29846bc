//! The saved text of messages that are still being written.

use async_trait::async_trait;
use parlour_core::{id::MessageId, message::Message, step::Step};
use parlour_hub::{
    Failure,
    ports::{SavedStream, Streams},
};
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::sqlite::{
    SqliteStore,
    error::StoreResult,
    message_key::MessageKey,
    rows::{
        from_json,
        message::{StoredMessage, message_from, select_message},
        to_json,
    },
    tx::Tx,
};

/// The columns of a saved stream.
pub(in crate::sqlite) struct StreamRow {
    message_id: MessageId,
    text: String,
    /// The steps as JSON, if there are any.
    steps: Option<String>,
}

impl From<SavedStream> for StreamRow {
    fn from(stream: SavedStream) -> Self {
        let SavedStream { message_id, text, steps } = stream;
        Self { message_id, text, steps: (!steps.is_empty()).then(|| to_json(&steps)) }
    }
}

/// Replaces the saved texts of these streams. A message that is not streaming is skipped.
pub(in crate::sqlite) fn save_streams(tx: &Tx<'_>, streams: &[StreamRow]) -> StoreResult<()> {
    let mut save = tx.statement(
        "INSERT INTO stream (message_no, text, steps)
         SELECT message.no, ?2, ?3
         FROM message
         WHERE message.id = ?1 AND message.state = 1
         ON CONFLICT DO UPDATE
         SET text = ?2, steps = ?3",
    )?;
    for stream in streams {
        save.execute(params![MessageKey(&stream.message_id), stream.text, stream.steps])?;
    }
    Ok(())
}

/// All streaming messages with their saved texts, in the order of posting.
pub(in crate::sqlite) fn open_streams(db: &Connection) -> StoreResult<Vec<(Message, SavedStream)>> {
    let mut statement = db.prepare_cached(STREAMING)?;
    let open = statement.query_and_then([], |row| message_from(db, row))?;
    open.map(|stored| with_saved(db, stored?)).collect()
}

/// A partial index contains only streaming messages.
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

#[async_trait]
impl Streams for SqliteStore {
    async fn save_streams(&self, streams: Vec<SavedStream>) -> Result<(), Failure> {
        let rows: Vec<StreamRow> = streams.into_iter().map(StreamRow::from).collect();
        self.write("save the texts of streams".to_owned(), move |tx| save_streams(tx, &rows)).await
    }

    async fn open_streams(&self) -> Result<Vec<(Message, SavedStream)>, Failure> {
        self.read("read open streams", open_streams).await
    }
}
