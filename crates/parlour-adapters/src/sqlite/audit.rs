//! The audit log: entries are buffered while the writes of a group run, then chained, packed and committed with them.

mod pack;
mod parts;
mod read;
mod resolve;
mod words;

use parlour_core::audit::{AuditEntry, AuditHash, AuditHead, DONE};
use parlour_hub::ports::AuditNote;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) use self::read::{audit_after, audit_head, end_flaw, list};
use self::{
    pack::{Packed, PackedNote, Packer},
    words::WordNumbers,
};
use super::{
    error::{StoreError, StoreResult},
    lookup::as_i64,
    tx::Tx,
};

/// An entry of the audit log before the commit of its group, which numbers it.
pub(super) struct Pending {
    pub(super) note: AuditNote,
    pub(super) actor: PendingActor,
}

/// The row that names the actor of an entry.
pub(super) enum PendingActor {
    /// The message of a plain post, which has the author and the time of the entry. The packed entry is its number
    /// alone.
    PostedMessage(i64),
    /// The author. Its row is written with the change and not at the commit: otherwise the numbers of authors would
    /// depend on which writes are committed together.
    Author(i64),
}

/// The end of the hash chain, cached by the writer thread.
pub(super) struct Chain {
    head: AuditHead,
    words: WordNumbers,
}

impl Chain {
    /// Reads the end of the chain from the database.
    pub(super) fn load(db: &Connection) -> StoreResult<Self> {
        Ok(Self { head: load_head(db)?, words: WordNumbers::default() })
    }

    /// Writes the entries of one group as one row, sealed with the hash of the chain up to the last of them.
    ///
    /// If the group is not committed afterwards, this chain must be dropped.
    pub(super) fn seal(&mut self, tx: &Tx<'_>, pending: Vec<Pending>) -> StoreResult<()> {
        if pending.is_empty() {
            return Ok(());
        }
        let mut packer = Packer::default();
        for Pending { note, actor } in pending {
            packer.push(&self.pack(tx, &note, &actor)?);
            self.head = self.head.after(entry(self.head.no + 1, note).line().as_bytes());
        }
        tx.insert(
            "INSERT INTO audit (last_no, hash, entries)
             VALUES (?1, ?2, ?3)",
            params![as_i64(self.head.no), self.head.hash.as_bytes(), packer.into_bytes()],
        )?;
        Ok(())
    }

    fn pack(&mut self, tx: &Tx<'_>, note: &AuditNote, actor: &PendingActor) -> StoreResult<Packed> {
        let origin_no = self.words.number(tx, &words::origin_text(&note.attribution.origin))?;
        let author_no = match *actor {
            PendingActor::PostedMessage(message_no) => return Ok(Packed::Posted { origin_no, message_no }),
            PendingActor::Author(author_no) => author_no,
        };
        Ok(Packed::Noted(PackedNote {
            origin_no,
            action_no: self.words.number(tx, &note.action)?,
            result_no: if note.result == DONE { None } else { Some(self.words.number(tx, &note.result)?) },
            at_ms: note.attribution.at.as_millis(),
            author_no,
            project: note.project_id.iter().map(|id| parts::part(tx.db(), id.as_str())).collect::<Result<_, _>>()?,
            subject: parts::parts(tx.db(), note.subject.as_deref())?,
        }))
    }
}

/// The entry as it is hashed and shown.
fn entry(no: u64, note: AuditNote) -> AuditEntry {
    let AuditNote { attribution, action, project_id, subject, result } = note;
    AuditEntry {
        no,
        at: attribution.at,
        actor: attribution.actor,
        surface: attribution.origin.surface,
        token_id: attribution.origin.token,
        action,
        project_id,
        subject,
        result,
    }
}

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
mod tests {
    use parlour_core::{Timestamp, attribution::Attribution};

    use super::*;
    use crate::sqlite::migrate::migrate;

    fn database() -> Connection {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        db
    }

    fn note(tx: &Tx<'_>, action: &str) {
        tx.audit(AuditNote {
            attribution: Attribution::of_host(Timestamp::from_millis(1)),
            action: action.to_owned(),
            project_id: None,
            subject: None,
            result: DONE.to_owned(),
        })
        .expect("an author");
    }

    fn commit(db: &Connection, actions: &[&str]) {
        let tx = Tx::new(db);
        let mut chain = Chain::load(db).expect("load");
        actions.iter().for_each(|action| note(&tx, action));
        chain.seal(&tx, tx.take_audit()).expect("seal");
    }

    #[test]
    fn a_commit_adds_one_row_and_an_empty_commit_none() {
        let db = database();
        commit(&db, &["a", "b", "a"]);
        commit(&db, &[]);
        let count = |sql| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("count");
        assert_eq!((count("SELECT COUNT(*) FROM audit"), load_head(&db).expect("head").no), (1, 3));
        assert_eq!(count("SELECT COUNT(*) FROM audit_word"), 3, "a, b and the origin of the hub");
    }

    #[test]
    fn an_unchanged_log_has_no_flaw() {
        let db = database();
        assert_eq!(end_flaw(&db).expect("read"), None);
        for actions in [&["a"][..], &["b", "c"], &["d"]] {
            commit(&db, actions);
            assert_eq!(end_flaw(&db).expect("read"), None);
        }
    }

    #[test]
    fn a_changed_end_of_the_log_has_a_flaw() {
        for tampering in [
            "UPDATE audit_word SET text = 'x' WHERE text = 'c'",
            "UPDATE audit SET hash = zeroblob(32) WHERE last_no = 3",
            "UPDATE audit SET entries = (SELECT entries FROM audit WHERE last_no = 1) WHERE last_no = 3",
            "DELETE FROM audit WHERE last_no = 1",
        ] {
            let db = database();
            commit(&db, &["a"]);
            commit(&db, &["b", "c"]);
            let disarm = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_deleted;
                 DROP TRIGGER audit_word_is_not_changed;";
            db.execute_batch(&format!("{disarm}{tampering}")).expect(tampering);
            assert!(end_flaw(&db).expect("read").is_some(), "{tampering}");
        }
    }

    #[test]
    fn an_unreadable_row_is_an_error() {
        let db = database();
        let row = "INSERT INTO audit (last_no, hash, entries) VALUES (1, zeroblob(32), x'ffff')";
        db.execute_batch(row).expect("row");
        assert!(matches!(audit_after(&db, 0), Err(StoreError::Unreadable(_))));
    }
}
