//! Tokens that are about to be made: the record to keep, and the secret to show once.

use parlour_core::{
    Refusal, Timestamp,
    claims::Claims,
    id::{MemberId, TokenId},
    limits,
    scope::Scopes,
    token::{ActsAs, NewToken, Token, TokenHash, TokenKey},
};

use super::sign_in::subject_hash;
use crate::{
    Failure, Hub,
    token::{SecretKind, hash_token, secret_text},
};

/// A token as it is to be.
#[derive(Clone, Debug)]
pub(crate) struct TokenDraft {
    /// How it is to be shown.
    pub(crate) credential_kind: CredentialKind,
    /// Whom it is to let in.
    pub(crate) member_id: MemberId,
    /// What it is for.
    pub(crate) label: String,
    /// What it may be used for.
    pub(crate) scopes: Scopes,
    /// Which program is to write with it.
    pub(crate) acts_as: Option<ActsAs>,
    /// Who makes it.
    pub(crate) created_by: Option<MemberId>,
    /// After how many seconds it ends. A signed one always does.
    pub(crate) seconds: Option<u64>,
}

/// How a token is to be shown.
#[derive(Clone, Debug)]
pub(crate) enum CredentialKind {
    /// Signed by the hub.
    Signed,
    /// This random text, sent as a bearer token.
    Static(String),
    /// A browser's cookie.
    Session,
    /// A link that works once.
    Link,
    /// A client certificate with this hash.
    Certificate(TokenHash),
    /// What another issuer calls the member.
    External {
        /// The issuer.
        issuer: String,
        /// Its name for the member.
        subject: String,
    },
}

impl Hub {
    /// Makes the record of a token, with what its owner has to show. Certificates and other issuers' tokens are there
    /// already.
    pub(crate) fn make_token(&self, draft: TokenDraft) -> Result<(NewToken, Option<String>), Failure> {
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

    /// Makes a signed token of the usual length for a member.
    pub(crate) fn make_signed(
        &self,
        member_id: MemberId,
        scopes: Scopes,
        created_by: Option<MemberId>,
    ) -> Result<(NewToken, String), Failure> {
        let (credential_kind, label) = (CredentialKind::Signed, String::new());
        let (new, secret) =
            self.make_token(TokenDraft { credential_kind, member_id, label, scopes, acts_as: None, created_by, seconds: None })?;
        Ok((new, secret.expect("a signed token has a text to show")))
    }

    /// By what the token is known again, and its random text when it has one.
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

    /// A random text that nobody can guess.
    pub(crate) fn new_secret(&self, kind: SecretKind) -> String {
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

/// The end of a token that is made now. Signed tokens know whole seconds only, so all tokens end with one: none lives
/// shorter than it was to, and none longer than any may.
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
mod tests {
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
