use async_trait::async_trait;
use parlour_core::{
    deed::Deed,
    id::{InviteId, ProjectId},
    invite::Invite,
    paging::{Page, PageRequest},
    token::TokenHash,
};
use parlour_hub::{Failure, Fault, ports::Invites};

use crate::sqlite::SqliteStore;

#[async_trait]
impl Invites for SqliteStore {
    async fn add_invite(&self, _deed: Deed, _invite: Invite, _code: TokenHash) -> Result<Invite, Failure> {
        Err(Fault::new("add an invite", "not there yet").into())
    }

    async fn invite(&self, _id: &InviteId) -> Result<Option<Invite>, Failure> {
        Err(Fault::new("read an invite", "not there yet").into())
    }

    async fn invite_by_code(&self, _code: &TokenHash) -> Result<Option<Invite>, Failure> {
        Err(Fault::new("read an invite", "not there yet").into())
    }

    async fn invites(&self, _project: &ProjectId, _page: &PageRequest) -> Result<Page<Invite>, Failure> {
        Err(Fault::new("list invites", "not there yet").into())
    }

    async fn revoke_invite(&self, _deed: Deed, _id: &InviteId) -> Result<Invite, Failure> {
        Err(Fault::new("take an invite back", "not there yet").into())
    }
}
