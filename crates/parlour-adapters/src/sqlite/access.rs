//! What a member may read, in SQL: the one place in the store that says so. It mirrors `access::may_read` of the core.

use parlour_core::access::Principal;
use rusqlite::Connection;

use super::{error::StoreResult, lookup};

/// Joins the conversation whose privacy and members govern a `conversation`.
macro_rules! join_access {
    () => {
        "JOIN conversation AS access ON access.no = conversation.access_no\n"
    };
}

/// Holds when `:viewer` sees the project `:project` at all; administrators see every one.
macro_rules! sees_project {
    () => {
        "(:is_admin OR EXISTS (\
            SELECT 1 FROM project_member AS part \
            WHERE part.project_no = :project AND part.member_no = :viewer))"
    };
}

/// Holds when `:viewer` may read a `conversation` of the project `:project`; needs `join_access!`.
macro_rules! readable {
    () => {
        concat!(
            $crate::sqlite::access::sees_project!(),
            " AND (access.is_private = 0 OR EXISTS (\
                SELECT 1 FROM conversation_member AS seat \
                WHERE seat.conversation_no = access.no AND seat.member_no = :viewer))"
        )
    };
}

pub(super) use {join_access, readable, sees_project};

/// Who looks, as the fragments need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewer {
    /// The member's number; one that nobody has when the member is unknown.
    pub(super) no: i64,
    /// Whether it counts as a member of every project.
    pub(super) is_admin: bool,
}

impl Viewer {
    /// The viewer that a caller is.
    pub(super) fn of(db: &Connection, caller: &Principal) -> StoreResult<Self> {
        let no = lookup::member_no(db, &caller.member)?.unwrap_or(0);
        Ok(Self { no, is_admin: caller.is_admin() })
    }
}
