//! Tokens: issued, listed, renewed and revoked.

use parlour_core::{
    Refusal,
    access::{self, Principal},
    id::{MemberId, TokenId},
    limits,
    paging::{Page, PageRequest},
    scope::{Scope, Scopes},
    text,
    token::{ActsAs, OtherTokens, Token, TokenHash, TokenKind},
};
use serde_json::Value;

use super::{
    see::replace_refusal,
    sign_in::unknown,
    token_draft::{CredentialKind, TokenDraft},
};
use crate::{Failure, Hub, ports::AuditNote, token::SecretKind};

/// How a wanted token is to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenFormat {
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

/// A request for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueToken {
    /// For whom; absent means for the caller.
    pub member_id: Option<MemberId>,
    /// How it is to be shown.
    pub wanted: TokenFormat,
    /// What it is for.
    pub label: String,
    /// What it may be used for; absent means all that the caller can give: everything for people, the role `full` for
    /// agents.
    pub scopes: Option<Scopes>,
    /// Which program is to write with it, in place of the person.
    pub acts_as: Option<ActsAs>,
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
    pub async fn issue_token(&self, caller: &Principal, request: IssueToken) -> Result<IssuedToken, Failure> {
        self.require_scope(caller, Scope::TokensManage)?;
        let member_id = request.member_id.unwrap_or_else(|| caller.member.clone());
        self.check_manages_tokens(caller, &member_id).await.map_err(at_member)?;
        let scopes = match request.acts_as {
            Some(_) => access::acting_scopes(caller, &member_id, request.scopes)?,
            None => access::given_scopes(caller, &member_id, request.scopes)?,
        };
        let draft = TokenDraft {
            credential_kind: self.credential_kind_for(caller, request.wanted)?,
            member_id,
            label: request.label,
            scopes,
            acts_as: request.acts_as,
            created_by: Some(caller.member.clone()),
            seconds: request.expires_in_seconds,
        };
        self.issue(caller, draft).await
    }

    /// Lists the tokens of a member: by itself, by whoever manages the agent, or by an administrator.
    pub async fn tokens(
        &self,
        caller: &Principal,
        member: &MemberId,
        page: &PageRequest,
    ) -> Result<Page<Token>, Failure> {
        self.require_scope(caller, Scope::TokensManage)?;
        self.check_manages_tokens(caller, member).await.map_err(at_member)?;
        self.store.tokens(member, page).await
    }

    /// Ends a token, and its live sessions at once: by those who may list it.
    pub async fn revoke_token(&self, caller: &Principal, id: &TokenId) -> Result<(), Failure> {
        self.require_scope(caller, Scope::TokensManage)?;
        let refuse = || Refusal::not_found("token", id);
        let token = self.store.token(id).await?.ok_or_else(refuse)?;
        self.check_manages_tokens(caller, &token.member_id).await.map_err(replace_refusal(refuse()))?;
        self.end_token(caller.attribution(self.clock.now()), id).await?;
        Ok(())
    }

    /// Gives the caller a token like the one it has shown, which ends. Only a static or a signed one can be renewed.
    ///
    /// The new one is there before the old one ends. If the old one was revoked meanwhile the new one ends too: who
    /// has lost a token cannot keep it alive by renewing it.
    pub async fn renew_token(&self, caller: &Principal) -> Result<IssuedToken, Failure> {
        self.require_unexpired(caller)?;
        let old = self.shown_token(caller).await?;
        let credential_kind = match old.kind {
            TokenKind::Jwt => CredentialKind::Signed,
            TokenKind::Static => CredentialKind::Static(self.new_secret(SecretKind::Token)),
            _ => return Err(Refusal::forbidden("only bearer tokens of this hub can be renewed").into()),
        };
        let lived_ms = old.expires_at.map(|at| at.as_millis().saturating_sub(old.created_at.as_millis()));
        let draft = TokenDraft {
            credential_kind,
            member_id: old.member_id,
            label: old.label,
            scopes: old.scopes,
            acts_as: old.acts_as,
            created_by: Some(caller.member.clone()),
            seconds: lived_ms.map(|ms| u64::try_from(ms / 1000).unwrap_or_default()),
        };
        let new = self.issue(caller, draft).await?;
        match self.end_token(caller.attribution(self.clock.now()), &old.id).await {
            Ok(_) => Ok(new),
            Err(failure) => {
                self.end_token(caller.attribution(self.clock.now()), &new.token.id).await?;
                Err(replace_refusal(unknown())(failure))
            }
        }
    }

    /// The public keys by which anybody can check the tokens that this hub has signed.
    pub fn jwks(&self) -> Value {
        self.keys.jwks()
    }

    /// Signs with a new key from now on, and answers its id: for administrators.
    pub async fn rotate_key(&self, caller: &Principal) -> Result<String, Failure> {
        self.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        let attribution = caller.attribution(self.clock.now());
        let kid = self.keys.rotate(attribution.at).await?;
        let (action, result) = ("keys.rotated".to_owned(), "done".to_owned());
        self.store.note(AuditNote { attribution, action, project_id: None, subject: Some(kid.clone()), result }).await?;
        Ok(kid)
    }

    async fn issue(&self, caller: &Principal, draft: TokenDraft) -> Result<IssuedToken, Failure> {
        let (new, secret) = self.make_token(draft)?;
        // Nothing remembered becomes wrong by one more token.
        let token = self.store.add_token(caller.attribution(self.clock.now()), new, OtherTokens::Stay).await?;
        Ok(IssuedToken { token, secret })
    }

    /// The record of the token that the caller has shown.
    pub(crate) async fn shown_token(&self, caller: &Principal) -> Result<Token, Failure> {
        let Some(id) = &caller.grant.origin.token else { return Err(unknown().into()) };
        Ok(self.store.token(id).await?.ok_or_else(unknown)?)
    }

    /// How a wanted token is to be shown. Only administrators say whose a certificate is, or a name elsewhere.
    fn credential_kind_for(&self, caller: &Principal, wanted: TokenFormat) -> Result<CredentialKind, Refusal> {
        match wanted {
            TokenFormat::Jwt => Ok(CredentialKind::Signed),
            TokenFormat::Static => Ok(CredentialKind::Static(self.new_secret(SecretKind::Token))),
            TokenFormat::Certificate(hash) => {
                caller.check_admin()?;
                Ok(CredentialKind::Certificate(hash))
            }
            TokenFormat::External { issuer, subject } => {
                caller.check_admin()?;
                check_outside_name(&issuer).map_err(|refusal| refusal.at("issuer"))?;
                check_outside_name(&subject).map_err(|refusal| refusal.at("subject"))?;
                Ok(CredentialKind::External { issuer, subject })
            }
        }
    }

    /// Refuses everybody but the member itself, those who manage an agent, and administrators.
    async fn check_manages_tokens(&self, caller: &Principal, member: &MemberId) -> Result<(), Failure> {
        match member {
            MemberId::Agent(id) => {
                let (agent, project) = self.load_visible_agent(caller, id).await?;
                access::check_manage_agent(caller, &agent, &project)?;
            }
            MemberId::Person(id) => {
                self.load_visible_person(caller, id).await?;
                access::check_acts_for(caller, member)?;
            }
        }
        Ok(())
    }
}

fn check_outside_name(name: &str) -> Result<(), Refusal> {
    text::check_not_blank(name)?;
    text::check_line(name, limits::URL_CHARS_MAX)
}

/// Says that the refusal is about the member whose token it is.
fn at_member(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(refusal) => refusal.at("member_id").into(),
        fault => fault,
    }
}
