//! Tokens: issue, list, renew and revoke; rotation of the signing key.

use parlour_core::{
    Refusal, Timestamp,
    access::{self, Principal},
    claims::Claims,
    id::{MemberId, TokenId},
    limits,
    paging::{Page, PageRequest},
    scope::{Scope, Scopes},
    text,
    token::{ActsAs, NewToken, OtherTokens, Token, TokenHash, TokenKey, TokenKind},
};
use serde_json::Value;

use crate::{
    Failure,
    accounts::{AccountService, subject_hash, unknown},
    failure::replace_refusal,
    ports::AuditNote,
    token::{SecretKind, hash_token, secret_text},
};

/// The format of a requested token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenFormat {
    /// A JWT that the hub signs. It expires after `TOKEN_SECONDS_DEFAULT` unless the request says otherwise.
    Jwt,
    /// A random text.
    Static,
    /// A client certificate with this SHA-256.
    Certificate(TokenHash),
    /// An identity at a trusted issuer.
    External {
        issuer: String,
        /// The issuer's name of the member.
        subject: String,
    },
}

/// A request for a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssueToken {
    /// The owner of the token; absent means the caller.
    pub member_id: Option<MemberId>,
    pub format: TokenFormat,
    pub label: String,
    /// Absent means all scopes that the caller can grant: all for people, those of the role `full` for agents.
    pub scopes: Option<Scopes>,
    /// The program that posts with the token in the name of the person.
    pub acts_as: Option<ActsAs>,
    pub expires_in_seconds: Option<u64>,
}

/// A new token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedToken {
    pub token: Token,
    /// The credential; returned only once. Certificates and tokens of other issuers have none.
    pub secret: Option<String>,
}

impl AccountService {
    /// Issues a token for the caller, for an agent that the caller manages, or for any member if the caller is an
    /// administrator. A caller cannot grant a scope that its own token lacks.
    pub async fn issue_token(&self, caller: &Principal, request: IssueToken) -> Result<IssuedToken, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        let member_id = request.member_id.unwrap_or_else(|| caller.member.clone());
        self.check_manages_tokens(caller, &member_id).await.map_err(at_member)?;
        let scopes = match request.acts_as {
            Some(_) => access::acting_scopes(caller, &member_id, request.scopes)?,
            None => access::given_scopes(caller, &member_id, request.scopes)?,
        };
        let draft = TokenDraft {
            credential_kind: self.credential_kind_for(caller, request.format)?,
            member_id,
            label: request.label,
            scopes,
            acts_as: request.acts_as,
            created_by: Some(caller.member.clone()),
            seconds: request.expires_in_seconds,
        };
        self.issue(caller, draft).await
    }

    /// Lists the tokens of a member, for the member itself, the managers of an agent, and administrators.
    pub async fn tokens(
        &self,
        caller: &Principal,
        member: &MemberId,
        page: &PageRequest,
    ) -> Result<Page<Token>, Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        self.check_manages_tokens(caller, member).await.map_err(at_member)?;
        self.store.tokens(member, page).await
    }

    /// Revokes a token and ends its live sessions. Everybody who may list the token may revoke it.
    pub async fn revoke_token(&self, caller: &Principal, id: &TokenId) -> Result<(), Failure> {
        self.access.require_scope(caller, Scope::TokensManage)?;
        let refuse = || Refusal::not_found("token", id);
        let token = self.store.token(id).await?.ok_or_else(refuse)?;
        self.check_manages_tokens(caller, &token.member_id).await.map_err(replace_refusal(refuse()))?;
        self.end_token(caller.attribution(self.clock.now()), id).await?;
        Ok(())
    }

    /// Replaces the token of the request by a new one with the same properties. Only static and signed tokens can be
    /// renewed.
    ///
    /// The new token is stored before the old one is revoked. If the old one was revoked meanwhile, the new one is revoked
    /// too: a stolen token cannot be kept alive by renewing it.
    pub async fn renew_token(&self, caller: &Principal) -> Result<IssuedToken, Failure> {
        self.access.require_unexpired(caller)?;
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

    /// The public keys that verify the tokens of this hub, as a JWK set.
    pub fn jwks(&self) -> Value {
        self.keys.jwks()
    }

    /// Creates a new signing key and returns its id. For administrators.
    pub async fn rotate_key(&self, caller: &Principal) -> Result<String, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        let attribution = caller.attribution(self.clock.now());
        let kid = self.keys.rotate(attribution.at).await?;
        let (action, result) = ("keys.rotated".to_owned(), "done".to_owned());
        self.store
            .note(AuditNote { attribution, action, project_id: None, subject: Some(kid.clone()), result })
            .await?;
        Ok(kid)
    }

    async fn issue(&self, caller: &Principal, draft: TokenDraft) -> Result<IssuedToken, Failure> {
        let (new, secret) = self.make_token(draft)?;
        // A further token makes no cached caller wrong.
        let token = self.store.add_token(caller.attribution(self.clock.now()), new, OtherTokens::Stay).await?;
        Ok(IssuedToken { token, secret })
    }

    /// The stored token of the request.
    pub(super) async fn shown_token(&self, caller: &Principal) -> Result<Token, Failure> {
        let Some(id) = &caller.grant.origin.token else { return Err(unknown().into()) };
        Ok(self.store.token(id).await?.ok_or_else(unknown)?)
    }

    /// The credential of a requested token. Only administrators register certificates and foreign identities.
    fn credential_kind_for(&self, caller: &Principal, format: TokenFormat) -> Result<CredentialKind, Refusal> {
        match format {
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

    /// Refuses callers other than the member itself, the managers of an agent, and administrators.
    async fn check_manages_tokens(&self, caller: &Principal, member: &MemberId) -> Result<(), Failure> {
        match member {
            MemberId::Agent(id) => {
                let (agent, project) = self.access.load_visible_agent(caller, id).await?;
                access::check_manage_agent(caller, &agent, &project)?;
            }
            MemberId::Person(id) => {
                self.access.load_visible_person(caller, id).await?;
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

/// Sets the field of the refusal to `member_id`.
fn at_member(failure: Failure) -> Failure {
    match failure {
        Failure::Refused(refusal) => refusal.at("member_id").into(),
        fault => fault,
    }
}

/// The properties of a token before it has a key.
#[derive(Clone, Debug)]
pub(super) struct TokenDraft {
    pub(super) credential_kind: CredentialKind,
    pub(super) member_id: MemberId,
    pub(super) label: String,
    pub(super) scopes: Scopes,
    pub(super) acts_as: Option<ActsAs>,
    pub(super) created_by: Option<MemberId>,
    /// Lifetime; a signed token always has one.
    pub(super) seconds: Option<u64>,
}

/// The credential of a token.
#[derive(Clone, Debug)]
pub(super) enum CredentialKind {
    /// A JWT signed by the hub.
    Signed,
    /// This random bearer token.
    Static(String),
    /// The cookie of a browser.
    Session,
    /// A link that works once.
    Link,
    /// A client certificate with this hash.
    Certificate(TokenHash),
    /// An identity at another issuer.
    External { issuer: String, subject: String },
}

impl AccountService {
    /// Builds the record of a token and its credential. Certificates and foreign identities have no new credential.
    pub(super) fn make_token(&self, draft: TokenDraft) -> Result<(NewToken, Option<String>), Failure> {
        let id = TokenId::from_bits(self.ids.next_bits());
        let now = self.clock.now();
        let seconds = match draft.credential_kind {
            CredentialKind::Signed => Some(draft.seconds.unwrap_or(limits::TOKEN_SECONDS_DEFAULT as u64)),
            _ => draft.seconds,
        };
        let expires_at = seconds.map(|seconds| ends_after(now, seconds)).transpose()?;
        let (key, secret) = self.key_of(draft.credential_kind, &id);
        let token = Token {
            id,
            member_id: draft.member_id,
            kind: key.kind(),
            label: draft.label,
            scopes: draft.scopes,
            acts_as: draft.acts_as,
            created_by: draft.created_by,
            created_at: now,
            expires_at,
        };
        token.check()?;
        let secret = if let TokenKey::Jwt(_) = key { Some(self.sign(&token)?) } else { secret };
        Ok((NewToken { token, key }, secret))
    }

    /// Builds a signed token with the default lifetime.
    pub(super) fn make_signed(
        &self,
        member_id: MemberId,
        scopes: Scopes,
        created_by: Option<MemberId>,
    ) -> Result<(NewToken, String), Failure> {
        let (credential_kind, label) = (CredentialKind::Signed, String::new());
        let (new, secret) = self.make_token(TokenDraft {
            credential_kind,
            member_id,
            label,
            scopes,
            acts_as: None,
            created_by,
            seconds: None,
        })?;
        Ok((new, secret.expect("a signed token has a text to show")))
    }

    /// The key that the token is looked up by, and its random text if it has one.
    fn key_of(&self, credential_kind: CredentialKind, id: &TokenId) -> (TokenKey, Option<String>) {
        match credential_kind {
            CredentialKind::Signed => (TokenKey::Jwt(id.clone()), None),
            CredentialKind::Static(text) => (TokenKey::Static(hash_token(&text)), Some(text)),
            CredentialKind::Session => self.random_key(SecretKind::Session, TokenKey::Session),
            CredentialKind::Link => self.random_key(SecretKind::Link, TokenKey::Link),
            CredentialKind::Certificate(hash) => (TokenKey::Certificate(hash), None),
            CredentialKind::External { issuer, subject } => (TokenKey::External(subject_hash(&issuer, &subject)), None),
        }
    }

    fn random_key(&self, kind: SecretKind, key: impl Fn(TokenHash) -> TokenKey) -> (TokenKey, Option<String>) {
        let text = self.new_secret(kind);
        (key(hash_token(&text)), Some(text))
    }

    /// A random secret of this kind.
    pub(super) fn new_secret(&self, kind: SecretKind) -> String {
        secret_text(kind, &self.ids.new_secret())
    }

    fn sign(&self, token: &Token) -> Result<String, Failure> {
        let hub = self.keys.issuer().to_owned();
        let seconds = |at: Timestamp| at.as_millis().div_euclid(1000);
        let claims = Claims {
            iss: hub.clone(),
            aud: hub,
            sub: token.member_id.clone(),
            jti: token.id.clone(),
            scope: token.scopes.to_string(),
            iat: seconds(token.created_at),
            exp: seconds(token.expires_at.expect("a signed token always ends")),
        };
        Ok(self.keys.sign(&claims)?)
    }
}

/// The expiry of a token that is created now. JWTs have whole seconds, so every expiry is rounded up to one, but never
/// beyond the maximum lifetime.
fn ends_after(now: Timestamp, seconds: u64) -> Result<Timestamp, Refusal> {
    if !(1..=limits::TOKEN_SECONDS_MAX as u64).contains(&seconds) {
        let detail = format!("a token that ends does so after 1 to {} seconds", limits::TOKEN_SECONDS_MAX);
        return Err(Refusal::out_of_bounds(detail).at("expires_in_seconds"));
    }
    let begun = now.as_millis().div_euclid(1000).saturating_mul(1000);
    let latest = Timestamp::from_millis(begun).plus_millis(limits::TOKEN_SECONDS_MAX as u64 * 1000);
    let whole = now.as_millis().saturating_add(999).div_euclid(1000).saturating_mul(1000);
    Ok(Timestamp::from_millis(whole).plus_millis(seconds * 1000).min(latest))
}

#[cfg(test)]
mod token_draft_tests {
    use super::*;

    #[test]
    fn a_token_ends_with_a_whole_second_within_its_bounds() {
        let now = Timestamp::from_millis(1_234);
        assert_eq!(ends_after(now, 10).map(Timestamp::as_millis), Ok(12_000));
        let longest = limits::TOKEN_SECONDS_MAX as u64;
        assert_eq!(ends_after(now, longest).map(Timestamp::as_millis), Ok((1 + longest as i64) * 1_000));
        for seconds in [0, limits::TOKEN_SECONDS_MAX as u64 + 1, u64::MAX] {
            assert_eq!(ends_after(now, seconds).expect_err("out").field.as_deref(), Some("expires_in_seconds"));
        }
    }
}
