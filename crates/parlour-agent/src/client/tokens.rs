//! Tokens, keys, and how people get into their browsers.

use parlour_core::{
    id::{MemberId, PersonId, TokenId},
    paging::Page,
    token::Token,
};
use reqwest::Method;

use super::Client;
use crate::{
    ClientError,
    answers::{IssuedToken, RotatedKey, SignInLink},
    requests::{IssueToken, NewPassword},
};

impl Client {
    /// Issues a token; the answer holds its secret.
    pub async fn issue_token(&self, request: &IssueToken) -> Result<IssuedToken, ClientError> {
        self.post("/tokens", request).await
    }

    /// Lists all tokens of a member; without one, those of the caller.
    pub async fn tokens(&self, member: Option<&MemberId>) -> Result<Page<Token>, ClientError> {
        let member = member.map(ToString::to_string);
        let query: Vec<_> = member.iter().map(|member| ("member_id", member.as_str())).collect();
        self.whole_list("/tokens", &query).await
    }

    /// Ends a token at once.
    pub async fn revoke_token(&self, id: &TokenId) -> Result<(), ClientError> {
        self.delete(&format!("/tokens/{id}")).await
    }

    /// Gives the caller a token like its own, which ends.
    pub async fn renew_token(&self) -> Result<IssuedToken, ClientError> {
        self.act("/me/token").await
    }

    /// Makes a link by which a person signs in once.
    pub async fn make_link(&self, person: &PersonId) -> Result<SignInLink, ClientError> {
        self.act(&format!("/people/{person}/link")).await
    }

    /// Gives a person a password.
    pub async fn set_password(&self, person: &PersonId, request: &NewPassword) -> Result<(), ClientError> {
        self.send(Method::PUT, &format!("/people/{person}/password"), &[], Some(request)).await.map(drop)
    }

    /// Lets the hub sign with a new key from now on. Administrators only.
    pub async fn rotate_key(&self) -> Result<RotatedKey, ClientError> {
        self.act("/keys/rotate").await
    }
}
