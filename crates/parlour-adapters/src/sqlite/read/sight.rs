//! What a caller may read, asked once for each conversation.

use std::collections::HashMap;

use parlour_core::access::Principal;
use rusqlite::{Connection, named_params};

use crate::sqlite::{
    access::{Viewer, join_access, readable},
    error::StoreResult,
    lookup::exists,
};

/// What the caller may read of a project.
pub(super) struct Sight<'db> {
    db: &'db Connection,
    viewer: Viewer,
    project_no: i64,
    known: HashMap<i64, bool>,
}

impl<'db> Sight<'db> {
    /// The sight of this caller.
    pub(super) fn of(db: &'db Connection, caller: &Principal, project_no: i64) -> StoreResult<Self> {
        Ok(Self { db, viewer: Viewer::of(db, caller)?, project_no, known: HashMap::new() })
    }

    /// Whether the caller may read this conversation, and it belongs to the project.
    pub(super) fn is_readable(&mut self, conversation_no: i64) -> StoreResult<bool> {
        if let Some(known) = self.known.get(&conversation_no) {
            return Ok(*known);
        }
        let sql = concat!(
            "SELECT 1\nFROM conversation\n",
            join_access!(),
            "WHERE conversation.no = :conversation AND conversation.project_no = :project AND ",
            readable!()
        );
        let params = named_params! {
            ":conversation": conversation_no, ":project": self.project_no,
            ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        let is_readable = exists(self.db, sql, params)?;
        self.known.insert(conversation_no, is_readable);
        Ok(is_readable)
    }
}
