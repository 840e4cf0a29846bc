//! Invites.

use parlour_core::{
    id::ProjectId,
    invite::Invite,
    paging::{Page, PageRequest},
};
use rusqlite::{Connection, params};

use crate::sqlite::{
    error::StoreResult,
    lookup::{number, page_start, probe, project_no},
    rows::invite::{invite_from, select_invite},
};

/// The invites of a project.
pub(super) const INVITES: &str = select_invite!(
    "WHERE invite.project_no = ?1 AND invite.no > ?2
     ORDER BY invite.no
     LIMIT ?3"
);

/// Lists the invites of a project.
pub(in crate::sqlite) fn invites(
    db: &Connection,
    project: &ProjectId,
    page: &PageRequest,
) -> StoreResult<Page<Invite>> {
    let project_no = project_no(db, project)?.unwrap_or(0);
    let own = "SELECT no\nFROM invite\nWHERE id = ?1 AND project_no = ?2";
    let after = page_start(page, |key| number(db, own, params![key, project_no]))?;
    let mut statement = db.prepare_cached(INVITES)?;
    let invites =
        statement.query_and_then([project_no, after, probe(page)], invite_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(invites, page.limit(), |invite: &Invite| invite.id.to_string()))
}
