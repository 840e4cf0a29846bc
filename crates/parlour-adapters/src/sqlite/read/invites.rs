//! Reads of invites, and the `Invites` port.

use async_trait::async_trait;
use parlour_core::{
    attribution::Attribution,
    id::{InviteId, ProjectId},
    invite::Invite,
    paging::{Page, PageRequest},
    token::TokenHash,
};
use parlour_hub::{Failure, ports::Invites};
use rusqlite::{Connection, params};

use crate::sqlite::{
    SqliteStore,
    error::StoreResult,
    lookup::{number, page_start, probe, project_no},
    read,
    rows::invite::{invite_from, load_invite, load_invite_by_code, select_invite},
    write,
};

#[async_trait]
impl Invites for SqliteStore {
    async fn add_invite(&self, attribution: Attribution, invite: Invite, code: TokenHash) -> Result<Invite, Failure> {
        let operation = format!("add invite {}", invite.id);
        self.write(operation, move |tx| write::invites::add_invite(tx, attribution, invite, &code)).await
    }

    async fn invite(&self, id: &InviteId) -> Result<Option<Invite>, Failure> {
        let id = id.clone();
        self.read("read an invite", move |db| load_invite(db, &id)).await
    }

    async fn invite_by_code(&self, code: &TokenHash) -> Result<Option<Invite>, Failure> {
        let code = *code;
        self.read("look up an invite", move |db| load_invite_by_code(db, &code)).await
    }

    async fn invites(&self, project: &ProjectId, page: &PageRequest) -> Result<Page<Invite>, Failure> {
        let (project, page) = (project.clone(), page.clone());
        self.read("list invites", move |db| read::invites::invites(db, &project, &page)).await
    }

    async fn revoke_invite(&self, attribution: Attribution, id: &InviteId) -> Result<Invite, Failure> {
        let (operation, id) = (format!("take back invite {id}"), id.clone());
        self.write(operation, move |tx| write::invites::revoke_invite(tx, attribution, &id)).await
    }
}

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
