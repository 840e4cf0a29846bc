//! Tokens: what lets somebody in, for how long and for what. Secrets themselves are never kept, only how to know them
//! again.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    id::{MemberId, TokenId},
    limits,
    scope::Scopes,
    text,
};

/// The SHA-256 of a secret, a certificate or the subject of another issuer.
pub type TokenHash = [u8; 32];

/// How a caller shows that it is somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A long random text, sent as a bearer token: for scripts.
    Static,
    /// A text that the hub has signed and that says itself whose it is (JWT), sent as a bearer token.
    Jwt,
    /// A browser that somebody has signed in with; sent as a cookie.
    Session,
    /// A link that somebody signs in with, once.
    Link,
    /// A client certificate, shown when the connection is made.
    Certificate,
    /// A token that another issuer has signed, which this hub was told to trust.
    External,
}

/// A token as its owner and administrators see it; the secret is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Token {
    /// The token's id; a signed token carries it too.
    pub id: TokenId,
    /// Whom it lets in.
    pub member_id: MemberId,
    /// How it is shown.
    pub kind: TokenKind,
    /// What it is for, in the words of whoever made it; may be empty.
    pub label: String,
    /// What it may be used for.
    pub scopes: Scopes,
    /// Who made it; absent when the hub did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<MemberId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends; absent when it does not end by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Token {
    /// Refuses a token with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_text(&self.label, limits::TOKEN_LABEL_CHARS_MAX).map_err(|refusal| refusal.at("label"))
    }
}

/// By what the hub knows a token again. Each kind is looked up among its own only, so that none passes for another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TokenKey {
    /// The hash of a random text.
    Static(TokenHash),
    /// The id that a signed token carries.
    Jwt(TokenId),
    /// The hash of a cookie's random text.
    Session(TokenHash),
    /// The hash of a link's random text.
    Link(TokenHash),
    /// The hash of a certificate in DER.
    Certificate(TokenHash),
    /// The hash of another issuer's name and its name for the member.
    External(TokenHash),
}

impl TokenKey {
    /// The kind of token that it is looked up among.
    pub fn kind(&self) -> TokenKind {
        match self {
            Self::Static(_) => TokenKind::Static,
            Self::Jwt(_) => TokenKind::Jwt,
            Self::Session(_) => TokenKind::Session,
            Self::Link(_) => TokenKind::Link,
            Self::Certificate(_) => TokenKind::Certificate,
            Self::External(_) => TokenKind::External,
        }
    }

    /// The hash, for those that are known by one.
    pub fn hash(&self) -> Option<&TokenHash> {
        match self {
            Self::Jwt(_) => None,
            Self::Static(hash)
            | Self::Session(hash)
            | Self::Link(hash)
            | Self::Certificate(hash)
            | Self::External(hash) => Some(hash),
        }
    }
}

/// A token to be kept, with what it is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// By what it is known again; of the same kind as the token.
    pub key: TokenKey,
}

/// What becomes of the other tokens of the member when it gets a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTokens {
    /// They stay.
    Stay,
    /// They end: the new one replaces them all.
    End,
}
