use async_trait::async_trait;
use parlour_core::{
    attribution::Attribution,
    id::{InviteId, ProjectId},
    invite::Invite,
    paging::{Page, PageRequest},
    token::TokenHash,
};
use parlour_hub::{Failure, ports::Invites};

use crate::sqlite::{
    SqliteStore, read,
    rows::invite::{load_invite, load_invite_by_code},
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
