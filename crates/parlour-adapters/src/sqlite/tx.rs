//! The transaction of one group of writes, as each write sees it.

use std::cell::RefCell;

use parlour_hub::ports::AuditNote;
use rusqlite::{CachedStatement, Connection, Params};

use super::{audit::Pending, text_index::TextChange};

/// The open transaction. Changes to the text index and entries of the audit log wait until the group commits.
///
/// A savepoint makes the text index write its pending words to the disk, so it must see none: with a savepoint for
/// each write that would be one index segment per message instead of one per group.
pub(super) struct Tx<'db> {
    db: &'db Connection,
    text_changes: RefCell<Vec<TextChange>>,
    audit: RefCell<Vec<Pending>>,
}

/// How much waited at some moment.
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

    /// Runs a statement and tells how many rows it changed.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        self.statement(sql)?.execute(params)
    }

    /// Adds a row and tells its number.
    pub(super) fn insert(&self, sql: &str, params: impl Params) -> rusqlite::Result<i64> {
        self.statement(sql)?.insert(params)
    }

    /// A prepared statement, kept for the next time.
    pub(super) fn statement(&self, sql: &str) -> rusqlite::Result<CachedStatement<'db>> {
        self.db.prepare_cached(sql)
    }

    /// Puts off a change to the text index until the group commits.
    pub(super) fn change_text(&self, change: TextChange) {
        self.text_changes.borrow_mut().push(change);
    }

    /// Puts off an entry of the audit log until the group commits.
    pub(super) fn audit(&self, note: AuditNote) {
        self.audit_pending(Pending { note, posted_no: None });
    }

    /// The same for an entry that may be a plain post.
    pub(super) fn audit_pending(&self, entry: Pending) {
        self.audit.borrow_mut().push(entry);
    }

    /// How much waits.
    pub(super) fn mark(&self) -> Mark {
        Mark { text_changes: self.text_changes.borrow().len(), audit: self.audit.borrow().len() }
    }

    /// Forgets what a write has put off since the mark.
    pub(super) fn forget_after(&self, mark: Mark) {
        self.text_changes.borrow_mut().truncate(mark.text_changes);
        self.audit.borrow_mut().truncate(mark.audit);
    }

    /// The changes to the text index that wait.
    pub(super) fn take_text_changes(&self) -> Vec<TextChange> {
        self.text_changes.take()
    }

    /// The entries of the audit log that wait.
    pub(super) fn take_audit(&self) -> Vec<Pending> {
        self.audit.take()
    }
}
