//! Tokens: issued, listed, renewed and revoked.

use parlour_core::{
    access::Principal,
    id::{MemberId, TokenId},
    paging::{Page, PageRequest},
    scope::Scopes,
    token::{Token, TokenHash},
};
use serde_json::Value;

use crate::{Failure, Fault, Hub};

/// How a wanted token is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedToken {
    /// A text that the hub signs. Without a time it lives `TOKEN_SECONDS_DEFAULT`.
    Jwt,
    /// A random text.
    Static,
    /// A client certificate with this SHA-256.
    Certificate(TokenHash),
    /// What a trusted issuer calls the member.
    External {
        /// The issuer.
        issuer: String,
        /// Its name for the member.
        subject: String,
    },
}

/// The wish for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueToken {
    /// For whom; absent means for the caller.
    pub member_id: Option<MemberId>,
    /// How it is to be shown.
    pub wanted: WantedToken,
    /// What it is for.
    pub label: String,
    /// What it may be used for; absent means all that the caller can give: everything for people, the role `full` for
    /// agents.
    pub scopes: Option<Scopes>,
    /// After how many seconds it ends.
    pub expires_in_seconds: Option<u64>,
}

/// A token that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    /// The token.
    pub token: Token,
    /// What to show to be let in; shown only here. Certificates and other issuers' tokens have their own.
    pub secret: Option<String>,
}

impl Hub {
    /// Issues a token for the caller itself, for an agent that it manages, or as an administrator for anybody. Nobody
    /// gives a scope that the own token lacks.
    pub async fn issue_token(&self, caller: &Principal, wish: IssueToken) -> Result<IssuedToken, Failure> {
        let _ = (caller, wish);
        Err(Fault::new("issue a token", "not there yet").into())
    }

    /// Lists the tokens of a member: by itself, by whoever manages the agent, or by an administrator.
    pub async fn tokens(
        &self,
        caller: &Principal,
        member: &MemberId,
        page: &PageRequest,
    ) -> Result<Page<Token>, Failure> {
        let _ = (caller, member, page);
        Err(Fault::new("list tokens", "not there yet").into())
    }

    /// Ends a token, and its live sessions at once: by those who may list it.
    pub async fn revoke_token(&self, caller: &Principal, id: &TokenId) -> Result<(), Failure> {
        let _ = (caller, id);
        Err(Fault::new("revoke a token", "not there yet").into())
    }

    /// Gives the caller a token like the one it has shown, which ends. Only a static or a signed one can be renewed.
    pub async fn renew_token(&self, caller: &Principal) -> Result<IssuedToken, Failure> {
        let _ = caller;
        Err(Fault::new("renew a token", "not there yet").into())
    }

    /// The public keys by which anybody can check the tokens that this hub has signed.
    pub fn jwks(&self) -> Value {
        self.keys.jwks()
    }

    /// Signs with a new key from now on, and answers its id: for administrators.
    pub async fn rotate_key(&self, caller: &Principal) -> Result<String, Failure> {
        let _ = caller;
        Err(Fault::new("rotate the key", "not there yet").into())
    }
}
