use parlour_core::id::MessageId;
use parlour_hub::ports::SavedStream;
use rusqlite::params;

use crate::sqlite::{error::StoreResult, message_key::MessageKey, rows::to_json, tx::Tx};

/// A growing text as its row keeps it.
pub(in crate::sqlite) struct StreamRow {
    message_id: MessageId,
    text: String,
    /// The JSON of its steps; none when there are none.
    steps: Option<String>,
}

impl From<SavedStream> for StreamRow {
    fn from(stream: SavedStream) -> Self {
        let SavedStream { message_id, text, steps } = stream;
        Self { message_id, text, steps: (!steps.is_empty()).then(|| to_json(&steps)) }
    }
}

/// Keeps these texts in place of those before; one whose message is not streaming is left out.
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
