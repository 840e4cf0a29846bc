//! Invites, and joining by one.

use parlour_core::{
    id::{InviteId, ProjectId},
    invite::Invite,
    paging::Page,
};

use super::Client;
use crate::{
    ClientError,
    answers::{CreatedInvite, Joined},
    requests::{Join, NewInvite},
};

impl Client {
    /// Makes an invite; the answer holds its code.
    pub async fn create_invite(&self, project: &ProjectId, request: &NewInvite) -> Result<CreatedInvite, ClientError> {
        self.post(&format!("/projects/{project}/invites"), request).await
    }

    /// Lists all invites of a project.
    pub async fn invites(&self, project: &ProjectId) -> Result<Page<Invite>, ClientError> {
        self.whole_list(&format!("/projects/{project}/invites"), &[]).await
    }

    /// Takes an invite back.
    pub async fn revoke_invite(&self, id: &InviteId) -> Result<(), ClientError> {
        self.delete(&format!("/invites/{id}")).await
    }

    /// Joins a project by the code of an invite; no token is needed. The answer holds one.
    pub async fn join(&self, request: &Join) -> Result<Joined, ClientError> {
        self.post("/join", request).await
    }
}
