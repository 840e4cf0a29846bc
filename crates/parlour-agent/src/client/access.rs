//! Tokens, sign-in, signing keys, invites and the audit log.

use std::time::Duration;

use parlour_core::{
    audit::{AuditEntry, AuditFilter, AuditHead},
    id::{InviteId, MemberId, PersonId, ProjectId, TokenId},
    invite::Invite,
    paging::Page,
    token::Token,
};
use reqwest::{Method, Response};

use super::{Client, transport::HubResponse};
use crate::{
    ClientError,
    answers::{AuditHeadAnswer, CreatedInvite, IssuedToken, Joined, RotatedKey, SignInLink},
    requests::{IssueToken, Join, NewInvite, NewPassword},
};

impl Client {
    /// Issues a token; the response contains its secret.
    pub async fn issue_token(&self, request: &IssueToken) -> Result<IssuedToken, ClientError> {
        self.post("/tokens", request).await
    }

    /// Lists all tokens of a member, by default the caller.
    pub async fn tokens(&self, member: Option<&MemberId>) -> Result<Page<Token>, ClientError> {
        let member = member.map(ToString::to_string);
        let query: Vec<_> = member.iter().map(|member| ("member_id", member.as_str())).collect();
        self.whole_list("/tokens", &query).await
    }

    /// Revokes a token.
    pub async fn revoke_token(&self, id: &TokenId) -> Result<(), ClientError> {
        self.delete(&format!("/tokens/{id}")).await
    }

    /// Issues a short-lived token with the rights of the caller.
    pub async fn renew_token(&self) -> Result<IssuedToken, ClientError> {
        self.act("/me/token").await
    }

    /// Creates a one-time sign-in link.
    pub async fn make_link(&self, person: &PersonId) -> Result<SignInLink, ClientError> {
        self.act(&format!("/people/{person}/link")).await
    }

    /// Sets the password of a person.
    pub async fn set_password(&self, person: &PersonId, request: &NewPassword) -> Result<(), ClientError> {
        self.send(Method::PUT, &format!("/people/{person}/password"), &[], Some(request)).await.map(drop)
    }

    /// Rotates the signing key of the hub. Administrators only.
    pub async fn rotate_key(&self) -> Result<RotatedKey, ClientError> {
        self.act("/keys/rotate").await
    }
}

impl Client {
    /// Creates an invite; the response contains its code.
    pub async fn create_invite(&self, project: &ProjectId, request: &NewInvite) -> Result<CreatedInvite, ClientError> {
        self.post(&format!("/projects/{project}/invites"), request).await
    }

    /// Lists all invites of a project.
    pub async fn invites(&self, project: &ProjectId) -> Result<Page<Invite>, ClientError> {
        self.whole_list(&format!("/projects/{project}/invites"), &[]).await
    }

    /// Revokes an invite.
    pub async fn revoke_invite(&self, id: &InviteId) -> Result<(), ClientError> {
        self.delete(&format!("/invites/{id}")).await
    }

    /// Joins a project with an invite code; needs no token and returns one.
    pub async fn join(&self, request: &Join) -> Result<Joined, ClientError> {
        self.post("/join", request).await
    }
}

/// The time limit of an export; a longer log is exported in parts, each after the last entry of the one before.
const EXPORT_TIME_MAX: Duration = Duration::from_secs(60 * 60);

/// A running export of the audit log.
#[derive(Debug)]
pub struct AuditExport {
    url: String,
    response: Response,
}

impl Client {
    /// Reads a page of audit entries, newest first; it may be short or even empty and still have a `next`.
    pub async fn audit(
        &self,
        filter: &AuditFilter,
        limit: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<Page<AuditEntry>, ClientError> {
        let query = [
            ("project_id", filter.project_id.as_ref().map(ToString::to_string)),
            ("actor", filter.actor.as_ref().map(ToString::to_string)),
            ("action", filter.action.clone()),
            ("result", filter.result.map(|result| result.to_string())),
            ("since", filter.since.map(|since| since.to_string())),
            ("until", filter.until.map(|until| until.to_string())),
            ("limit", limit.map(|limit| limit.to_string())),
            ("cursor", cursor.map(str::to_owned)),
        ];
        let query: Vec<_> = query.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect();
        self.get("/audit", &query).await
    }

    /// The head of the log: number and hash of the last entry.
    pub async fn audit_head(&self) -> Result<AuditHead, ClientError> {
        Ok(self.get::<AuditHeadAnswer>("/audit/head", &[]).await?.head)
    }

    /// Starts an export of the log as JSON lines, oldest first, after the entry with this number.
    pub async fn export_audit(&self, after: u64) -> Result<AuditExport, ClientError> {
        let after = after.to_string();
        let url = super::endpoint_url(&self.base, "/audit/export", &[("after", after.as_str())]);
        let sent = self.http.get(url.clone()).timeout(EXPORT_TIME_MAX).send().await;
        let response = sent.map_err(|error| self.unreachable(error))?;
        if response.status().is_success() {
            return Ok(AuditExport { url: self.url().to_owned(), response });
        }
        let answer = HubResponse::receive(response).await.map_err(|fault| fault.into_client_error(self.url(), &url))?;
        Err(answer.refused_or_itself().expect_err("an answer that is no success is refused"))
    }
}

impl AuditExport {
    /// The next bytes; `None` at the end. A lost connection is an error, never a short log.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ClientError> {
        let chunk = self.response.chunk().await;
        let chunk = chunk.map_err(|source| ClientError::Unreachable { url: self.url.clone(), source })?;
        Ok(chunk.map(Vec::from))
    }
}
