//! The transaction of one group of writes, as each write sees it.

use std::cell::RefCell;

use parlour_hub::ports::Note;
use rusqlite::{CachedStatement, Connection, Params};

use super::text_index::TextChange;

/// The open transaction. Changes to the text index wait until the group commits.
///
/// A savepoint makes the text index write its pending words to the disk, so it must see none: with a savepoint for
/// each write that would be one index segment per message instead of one per group.
pub(super) struct Tx<'db> {
    db: &'db Connection,
    text_changes: RefCell<Vec<TextChange>>,
    notes: RefCell<Vec<Note>>,
}

impl<'db> Tx<'db> {
    /// Wraps the connection in whose transaction the writes run.
    pub(super) fn new(db: &'db Connection) -> Self {
        Self { db, text_changes: RefCell::default(), notes: RefCell::default() }
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
    pub(super) fn audit(&self, note: Note) {
        self.notes.borrow_mut().push(note);
    }

    /// How many changes to the text index wait.
    pub(super) fn text_change_count(&self) -> usize {
        self.text_changes.borrow().len()
    }

    /// Forgets the changes that a write has put off since there were `count`.
    pub(super) fn forget_text_changes_after(&self, count: usize) {
        self.text_changes.borrow_mut().truncate(count);
    }

    /// The changes that wait.
    pub(super) fn into_text_changes(self) -> Vec<TextChange> {
        self.text_changes.into_inner()
    }
}
