//! What a person has read in the conversations of a snapshot.

use parlour_core::{limits, snapshot::ReadState};
use rusqlite::{Row, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::as_i64,
    read::snapshot::{Sight, as_json},
    rows::ReadColumn,
};

/// Numbers have no gaps, so what is unread is everything after the read position but what was removed.
pub(in crate::sqlite::read) const READING: &str = "SELECT conversation.id, spot.last_seq, spot.read_seq,
         spot.last_seq - spot.read_seq - (
             SELECT COUNT(*)
             FROM message
             WHERE message.conversation_no = spot.no AND message.seq > spot.read_seq
                 AND message.removed_ms IS NOT NULL
         ), (
             SELECT json_group_array(newest.seq)
             FROM (
                 SELECT mention.seq AS seq
                 FROM mention
                 WHERE mention.member_no = ?2 AND mention.conversation_no = spot.no AND mention.seq > spot.read_seq
                 ORDER BY mention.seq DESC
                 LIMIT ?3
             ) AS newest
         )
     FROM (
         SELECT place.value AS no, COALESCE(read_position.seq, 0) AS read_seq, (
                 SELECT MAX(message.seq)
                 FROM message
                 WHERE message.conversation_no = place.value
             ) AS last_seq
         FROM json_each(?1) AS place
         LEFT JOIN read_position
             ON read_position.member_no = ?2 AND read_position.conversation_no = place.value
     ) AS spot
     JOIN conversation ON conversation.no = spot.no
     WHERE spot.last_seq > 0
     ORDER BY conversation.id";

impl Sight<'_> {
    /// What the viewer has read in these conversations.
    pub(super) fn reading(&self, places: &[i64]) -> StoreResult<Vec<ReadState>> {
        let mut statement = self.db.prepare_cached(READING)?;
        let mentions_max = as_i64(limits::SNAPSHOT_MENTIONS_MAX as u64);
        statement.query_and_then(params![as_json(places), self.viewer.no, mentions_max], reading_from)?.collect()
    }
}

fn reading_from(row: &Row<'_>) -> StoreResult<ReadState> {
    let mut mentions: Vec<u64> = row.json(4)?;
    mentions.sort_unstable();
    Ok(ReadState {
        conversation_id: row.parsed(0)?,
        last_seq: row.count(1)?,
        read_seq: row.count(2)?,
        unread: row.count(3)?,
        mentions,
    })
}
