//! The transaction of one group of writes.

use std::cell::RefCell;

use parlour_hub::ports::AuditNote;
use rusqlite::{CachedStatement, Connection, Params};

use super::{
    audit::{Pending, PendingActor},
    error::StoreResult,
    rows::author::author_ref,
    text_index::TextChange,
};

/// The open transaction. Changes of the text index and entries of the audit log are buffered until the group commits.
///
/// A savepoint makes the text index write its pending words to the disk, so it must see none: with a savepoint for
/// each write that would be one index segment per message instead of one per group.
pub(super) struct Tx<'db> {
    db: &'db Connection,
    text_changes: RefCell<Vec<TextChange>>,
    audit: RefCell<Vec<Pending>>,
}

/// The lengths of the buffers at some time.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    text_changes: usize,
    audit: usize,
}

impl<'db> Tx<'db> {
    /// Wraps the connection in whose transaction the writes run.
    pub(super) fn new(db: &'db Connection) -> Self {
        Self { db, text_changes: RefCell::default(), audit: RefCell::default() }
    }

    /// The connection, for the reads that writes share with readers.
    pub(super) fn db(&self) -> &'db Connection {
        self.db
    }

    /// Runs a statement and returns the number of changed rows.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        self.statement(sql)?.execute(params)
    }

    /// Inserts a row and returns its number.
    pub(super) fn insert(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64> {
        self.statement(sql)?.insert(params)
    }

    /// A cached prepared statement.
    pub(super) fn statement(&self, sql: &str) -> rusqlite::Result<CachedStatement<'db>> {
        self.db.prepare_cached(sql)
    }

    /// Buffers a change of the text index until the group commits.
    pub(super) fn change_text(&self, change: TextChange) {
        self.text_changes.borrow_mut().push(change);
    }

    /// Buffers an entry of the audit log until the group commits.
    pub(super) fn audit(&self, note: AuditNote) -> StoreResult<()> {
        let actor = PendingActor::Author(author_ref(self, &note.attribution.actor)?.no);
        self.audit.borrow_mut().push(Pending { note, actor });
        Ok(())
    }

    /// Buffers the entry of a plain post, whose message has the author and the time of the entry.
    pub(super) fn audit_post(&self, note: AuditNote, message_no: i64) {
        self.audit.borrow_mut().push(Pending { note, actor: PendingActor::PostedMessage(message_no) });
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { text_changes: self.text_changes.borrow().len(), audit: self.audit.borrow().len() }
    }

    /// Drops everything that was buffered since the mark.
    pub(super) fn forget_after(&self, mark: Mark) {
        self.text_changes.borrow_mut().truncate(mark.text_changes);
        self.audit.borrow_mut().truncate(mark.audit);
    }

    pub(super) fn take_text_changes(&self) -> Vec<TextChange> {
        self.text_changes.take()
    }

    pub(super) fn take_audit(&self) -> Vec<Pending> {
        self.audit.take()
    }
}
