//! The audit log: entries wait while the writes of a group run, and are chained, packed and written with them.

mod pack;
mod parts;
mod read;
mod resolve;
mod words;

use parlour_core::audit::{AuditEntry, AuditHash, AuditHead, DONE};
use parlour_hub::ports::Note;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) use self::read::{audit_after, audit_head, end_flaw, list};
use self::{
    pack::{Packed, PackedNote, Packer},
    words::Words,
};
use super::{
    error::{StoreError, StoreResult},
    lookup::as_i64,
    rows::author::author_ref,
    tx::Tx,
};

/// An entry that waits for the commit of its group, where it gets its number.
pub(super) struct Pending {
    /// What it says.
    pub(super) note: Note,
    /// The message, when it is a plain post: its author did it at the moment that it carries. Such an entry is written
    /// as hardly more than this number.
    pub(super) posted_no: Option<i64>,
}

/// The end of the chain, as the thread that writes knows it.
pub(super) struct Chain {
    head: AuditHead,
    words: Words,
}

impl Chain {
    /// Finds the end of the chain that is on the disk.
    pub(super) fn load(db: &Connection) -> StoreResult<Self> {
        Ok(Self { head: load_head(db)?, words: Words::default() })
    }

    /// Writes the entries of one group as one row, sealed with the hash of the chain up to the last of them.
    ///
    /// When the group is not committed afterwards, this chain is of no use any more.
    pub(super) fn seal(&mut self, tx: &Tx<'_>, pending: Vec<Pending>) -> StoreResult<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let mut packer = Packer::default();
        for Pending { note, posted_no } in pending {
            packer.push(&self.pack(tx, &note, posted_no)?);
            self.head = self.head.after(entry(self.head.no + 1, note).line().as_bytes());
        }
        tx.insert(
            "INSERT INTO audit (last_no, hash, entries)
             VALUES (?1, ?2, ?3)",
            params![as_i64(self.head.no), self.head.hash.as_bytes(), packer.into_bytes()],
        )?;
        Ok(())
    }

    fn pack(&mut self, tx: &Tx<'_>, note: &Note, posted_no: Option<i64>) -> StoreResult<Packed> {
        let way_no = self.words.number(tx, &words::way(&note.deed.via))?;
        if let Some(message_no) = posted_no {
            return Ok(Packed::Posted { way_no, message_no });
        }
        Ok(Packed::Noted(PackedNote {
            way_no,
            action_no: self.words.number(tx, &note.action)?,
            result_no: if note.result == DONE { None } else { Some(self.words.number(tx, &note.result)?) },
            at_ms: note.deed.at.as_millis(),
            author_no: author_ref(tx, &note.deed.actor)?.no,
            project: note.project_id.iter().map(|id| parts::part(tx.db(), id.as_str())).collect::<Result<_, _>>()?,
            subject: parts::parts(tx.db(), note.subject.as_deref())?,
        }))
    }
}

/// The entry as it is hashed and shown.
fn entry(no: u64, note: Note) -> AuditEntry {
    let Note { deed, action, project_id, subject, result } = note;
    AuditEntry {
        no,
        at: deed.at,
        actor: deed.actor,
        surface: deed.via.surface,
        token_id: deed.via.token,
        action,
        project_id,
        subject,
        result,
    }
}

/// The head that is on the disk.
fn load_head(db: &Connection) -> StoreResult<AuditHead> {
    let mut statement = db.prepare_cached(
        "SELECT last_no, hash
         FROM audit
         ORDER BY last_no DESC
         LIMIT 1",
    )?;
    let head = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, row.get(1)?));
    let found: Option<(i64, [u8; 32])> = statement.query_row([], head).optional()?;
    let Some((no, hash)) = found else { return Ok(AuditHead::default()) };
    let no = u64::try_from(no).map_err(|_| StoreError::Unreadable(format!("the audit log ends with {no}")))?;
    Ok(AuditHead { no, hash: AuditHash::from_bytes(hash) })
}

#[cfg(test)]
mod tests;
