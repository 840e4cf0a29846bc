//! The conversations that a caller, or all of several callers, may read. Each is checked in the database once.

use std::collections::HashMap;

use parlour_core::access::Principal;
use rusqlite::{Connection, named_params};

use crate::sqlite::{
    access::{ReaderRow, join_access, readable, sees_project},
    error::StoreResult,
    lookup::exists,
};

/// The conversations of a project that one caller may read, with a cache of the checks.
pub(super) struct ReadableConversations<'db> {
    db: &'db Connection,
    viewer: ReaderRow,
    project_no: i64,
    checked: HashMap<i64, bool>,
}

impl<'db> ReadableConversations<'db> {
    pub(super) fn of(db: &'db Connection, caller: &Principal, project_no: i64) -> StoreResult<Self> {
        Ok(Self { db, viewer: ReaderRow::of(db, caller)?, project_no, checked: HashMap::new() })
    }

    /// Whether the conversation belongs to the project and the caller may read it.
    pub(super) fn is_readable(&mut self, conversation_no: i64) -> StoreResult<bool> {
        if let Some(is_readable) = self.checked.get(&conversation_no) {
            return Ok(*is_readable);
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
        self.checked.insert(conversation_no, is_readable);
        Ok(is_readable)
    }

    /// Whether the caller can see the project.
    fn sees_project(&self) -> StoreResult<bool> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        exists(self.db, concat!("SELECT 1\nWHERE ", sees_project!()), params)
    }
}

/// The conversations of a project that all of several readers may read. Without readers there are none.
pub(super) struct CommonConversations<'db>(Vec<ReadableConversations<'db>>);

impl<'db> CommonConversations<'db> {
    pub(super) fn of(db: &'db Connection, readers: &[Principal], project_no: i64) -> StoreResult<Self> {
        Ok(Self(
            readers
                .iter()
                .map(|reader| ReadableConversations::of(db, reader, project_no))
                .collect::<StoreResult<_>>()?,
        ))
    }

    /// Whether all readers may read this conversation.
    pub(super) fn is_readable(&mut self, conversation_no: i64) -> StoreResult<bool> {
        for reader in &mut self.0 {
            if !reader.is_readable(conversation_no)? {
                return Ok(false);
            }
        }
        Ok(!self.0.is_empty())
    }

    /// The channels and DMs of the project that all readers may read. Threads are left out: they share the readers of
    /// their channel.
    pub(super) fn access_roots(&mut self) -> StoreResult<Vec<i64>> {
        let Some(ReadableConversations { db, project_no, .. }) = self.0.first() else { return Ok(Vec::new()) };
        let mut statement =
            db.prepare_cached("SELECT no\nFROM conversation\nWHERE project_no = ?1 AND access_no = no\nORDER BY no")?;
        let all: Vec<i64> = statement.query_map([*project_no], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut readable = Vec::new();
        for conversation_no in all {
            if self.is_readable(conversation_no)? {
                readable.push(conversation_no);
            }
        }
        Ok(readable)
    }

    /// Whether all readers can see the project.
    pub(super) fn sees_project(&self) -> StoreResult<bool> {
        for reader in &self.0 {
            if !reader.sees_project()? {
                return Ok(false);
            }
        }
        Ok(!self.0.is_empty())
    }
}
