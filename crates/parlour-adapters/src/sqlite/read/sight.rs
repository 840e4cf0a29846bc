//! What a caller may read, asked once for each conversation.

use std::collections::HashMap;

use parlour_core::access::Principal;
use rusqlite::{Connection, named_params};

use crate::sqlite::{
    access::{Viewer, join_access, readable, sees_project},
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

    /// Whether the caller sees the project at all.
    fn sees_project(&self) -> StoreResult<bool> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        exists(self.db, concat!("SELECT 1\nWHERE ", sees_project!()), params)
    }
}

/// What several may read together: nothing that one of them may not.
pub(super) struct CommonSight<'db>(Vec<Sight<'db>>);

impl<'db> CommonSight<'db> {
    /// The sight of these readers; without any, nothing can be read.
    pub(super) fn of(db: &'db Connection, readers: &[Principal], project_no: i64) -> StoreResult<Self> {
        Ok(Self(readers.iter().map(|reader| Sight::of(db, reader, project_no)).collect::<StoreResult<_>>()?))
    }

    /// Whether all of them may read this conversation.
    pub(super) fn is_readable(&mut self, conversation_no: i64) -> StoreResult<bool> {
        for sight in &mut self.0 {
            if !sight.is_readable(conversation_no)? {
                return Ok(false);
            }
        }
        Ok(!self.0.is_empty())
    }

    /// The conversations of the project that all of them may read and that have readers of their own: channels and dms.
    pub(super) fn places(&mut self) -> StoreResult<Vec<i64>> {
        let Some(Sight { db, project_no, .. }) = self.0.first() else { return Ok(Vec::new()) };
        let mut statement =
            db.prepare_cached("SELECT no\nFROM conversation\nWHERE project_no = ?1 AND access_no = no\nORDER BY no")?;
        let all: Vec<i64> = statement.query_map([*project_no], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let mut places = Vec::new();
        for place in all {
            if self.is_readable(place)? {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Whether all of them see the project at all.
    pub(super) fn sees_project(&self) -> StoreResult<bool> {
        for sight in &self.0 {
            if !sight.sees_project()? {
                return Ok(false);
            }
        }
        Ok(!self.0.is_empty())
    }
}
