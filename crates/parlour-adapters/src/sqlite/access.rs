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

/// Holds when `:viewer` sees the project `:project`, or the one that is named, at all; administrators see every one.
macro_rules! sees_project {
    () => {
        $crate::sqlite::access::sees_project!(":project")
    };
    ($project:literal) => {
        concat!(
            "(:is_admin OR EXISTS (\
                SELECT 1 FROM project_member AS part \
                WHERE part.project_no = ",
            $project,
            " AND part.member_no = :viewer))"
        )
    };
}

/// Holds when a conversation is open to the project or `:viewer` sits in it; its governing conversation goes by this name.
macro_rules! seated {
    ($access:literal) => {
        concat!(
            "(",
            $access,
            ".is_private = 0 OR EXISTS (\
                SELECT 1 FROM conversation_member AS seat \
                WHERE seat.conversation_no = ",
            $access,
            ".no AND seat.member_no = :viewer))"
        )
    };
}

/// Holds when `:viewer` may read a `conversation` of the project `:project`, or of the one that is named; needs
/// `join_access!`.
macro_rules! readable {
    () => {
        $crate::sqlite::access::readable!(":project")
    };
    ($project:literal) => {
        concat!($crate::sqlite::access::sees_project!($project), " AND ", $crate::sqlite::access::seated!("access"))
    };
}

pub(super) use {join_access, readable, seated, sees_project};

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
