//! The audit log: entries wait while the writes of a group run, and are chained, packed and written with them.

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
    pub(super) note: AuditNote,
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

    fn pack(&mut self, tx: &Tx<'_>, note: &AuditNote, posted_no: Option<i64>) -> StoreResult<Packed> {
        let way_no = self.words.number(tx, &words::way(&note.attribution.origin))?;
        if let Some(message_no) = posted_no {
            return Ok(Packed::Posted { way_no, message_no });
        }
        Ok(Packed::Noted(PackedNote {
            way_no,
            action_no: self.words.number(tx, &note.action)?,
            result_no: if note.result == DONE { None } else { Some(self.words.number(tx, &note.result)?) },
            at_ms: note.attribution.at.as_millis(),
            author_no: author_ref(tx, &note.attribution.actor)?.no,
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
mod tests {
    use parlour_core::{Timestamp, attribution::Attribution};

    use super::*;
    use crate::sqlite::migrate::migrate;

    fn database() -> Connection {
        let db = Connection::open_in_memory().expect("memory");
        migrate(&db).expect("migrate");
        db
    }

    fn note(action: &str) -> Pending {
        let note = AuditNote {
            attribution: Attribution::of_host(Timestamp::from_millis(1)),
            action: action.to_owned(),
            project_id: None,
            subject: None,
            result: DONE.to_owned(),
        };
        Pending { note, posted_no: None }
    }

    fn commit(db: &Connection, actions: &[&str]) {
        let tx = Tx::new(db);
        let mut chain = Chain::load(db).expect("load");
        chain.seal(&tx, actions.iter().map(|action| note(action)).collect()).expect("seal");
    }

    #[test]
    fn a_commit_is_one_row_and_one_without_entries_none() {
        let db = database();
        commit(&db, &["a", "b", "a"]);
        commit(&db, &[]);
        let count = |sql| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("count");
        assert_eq!((count("SELECT COUNT(*) FROM audit"), load_head(&db).expect("head").no), (1, 3));
        assert_eq!(count("SELECT COUNT(*) FROM audit_word"), 3, "a, b and the way of the host");
    }

    #[test]
    fn an_untouched_end_has_no_flaw() {
        let db = database();
        assert_eq!(end_flaw(&db).expect("read"), None);
        for actions in [&["a"][..], &["b", "c"], &["d"]] {
            commit(&db, actions);
            assert_eq!(end_flaw(&db).expect("read"), None);
        }
    }

    #[test]
    fn a_changed_end_is_reported_when_the_store_is_opened() {
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
    fn an_unreadable_row_is_an_error_and_no_panic() {
        let db = database();
        let row = "INSERT INTO audit (last_no, hash, entries) VALUES (1, zeroblob(32), x'ffff')";
        db.execute_batch(row).expect("row");
        assert!(matches!(audit_after(&db, 0), Err(StoreError::Unreadable(_))));
    }
}
