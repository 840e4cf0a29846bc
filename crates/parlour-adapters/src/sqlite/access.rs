//! Read permissions in SQL, only defined here. They mirror `access::may_read` of the core.

use parlour_core::access::Principal;
use rusqlite::Connection;

use super::{error::StoreResult, lookup};

/// Joins the access root of a `conversation` as `access`.
macro_rules! join_access {
    () => {
        "JOIN conversation AS access ON access.no = conversation.access_no\n"
    };
}

/// True if `:viewer` can see the project `:project` or the given column; administrators see every project.
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

/// True if a conversation is open to the project or `:viewer` is a member; the argument is the alias of its access
/// root.
macro_rules! open_or_member {
    ($access:literal) => {
        concat!(
            "(",
            $access,
            ".is_private = 0 OR EXISTS (\
                SELECT 1 FROM conversation_member AS own \
                WHERE own.conversation_no = ",
            $access,
            ".no AND own.member_no = :viewer))"
        )
    };
}

/// True if `:viewer` may read a `conversation` of the project `:project` or the given column; needs `join_access!`.
macro_rules! readable {
    () => {
        $crate::sqlite::access::readable!(":project")
    };
    ($project:literal) => {
        concat!(
            $crate::sqlite::access::sees_project!($project),
            " AND ",
            $crate::sqlite::access::open_or_member!("access")
        )
    };
}

pub(super) use {join_access, open_or_member, readable, sees_project};

/// The reading member, as parameters of the SQL fragments.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReaderRow {
    /// The row number of the member; 0, which no row has, if the member is unknown.
    pub(super) no: i64,
    /// An admin is a member of every project.
    pub(super) is_admin: bool,
}

impl ReaderRow {
    pub(super) fn of(db: &Connection, caller: &Principal) -> StoreResult<Self> {
        let no = lookup::member_no(db, &caller.member)?.unwrap_or(0);
        Ok(Self { no, is_admin: caller.is_admin() })
    }
}
