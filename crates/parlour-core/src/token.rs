//! Tokens: credentials with scopes and an expiry. The hub stores a hash or an id of a secret, never the secret itself.

use serde::{Deserialize, Serialize};

use crate::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    id::{MemberId, TokenId},
    limits,
    name::Name,
    scope::Scopes,
    text,
};

/// The SHA-256 of a secret, a certificate or the subject of another issuer.
pub type TokenHash = [u8; 32];

/// The kind of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A long random text, sent as a bearer token: for scripts.
    Static,
    /// A token signed by the hub (JWT), sent as a bearer token.
    Jwt,
    /// A browser that somebody has signed in with; sent as a cookie.
    Session,
    /// A link that somebody signs in with, once.
    Link,
    /// A client certificate of the TLS connection.
    Certificate,
    /// A token signed by a trusted issuer.
    External,
}

impl TokenKind {
    /// All kinds.
    pub const ALL: &'static [Self] =
        &[Self::Static, Self::Jwt, Self::Session, Self::Link, Self::Certificate, Self::External];

    /// Whether a new password ends the tokens of this kind: browser sessions, and links, which become sessions. Tokens
    /// of scripts stay, because no password has made them.
    pub fn ends_with_password(self) -> bool {
        match self {
            Self::Session | Self::Link => true,
            Self::Static | Self::Jwt | Self::Certificate | Self::External => false,
        }
    }
}

/// A small program that writes with a token of the person who answers for it: its messages are its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ActsAs {
    /// The sort of program.
    #[serde(rename = "type")]
    pub program: ProgramType,
    /// The name of the program, for example `file-browser`.
    pub name: Name,
}

/// The sorts of programs that write for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProgramType {
    /// A small program on the page.
    Applet,
    /// A schedule that came due.
    Scheduler,
}

impl ActsAs {
    /// The author of what the program writes.
    pub fn author(&self) -> Author {
        let author_type = match self.program {
            ProgramType::Applet => AuthorType::Applet,
            ProgramType::Scheduler => AuthorType::Scheduler,
        };
        Author { author_type, id: Some(self.name.to_string()), name: self.name.to_string() }
    }
}

/// A token as its owner and administrators see it; the secret is not in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Token {
    /// The token's id; a signed token carries it too.
    pub id: TokenId,
    /// The member that it authenticates.
    pub member_id: MemberId,
    /// The kind of credential.
    pub kind: TokenKind,
    /// A label chosen by its creator; may be empty.
    pub label: String,
    /// The scopes.
    pub scopes: Scopes,
    /// The program that writes with it; absent if its member writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<ActsAs>,
    /// The creator; absent if the hub created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<MemberId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl Token {
    /// Refuses a token with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_line(&self.label, limits::TOKEN_LABEL_CHARS_MAX).map_err(|refusal| refusal.at("label"))
    }

    /// Whether it has expired; at its expiry time it has.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// The key under which the hub finds a stored token. Each kind has its own keys, so no credential can pass for another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum TokenKey {
    /// The hash of a random text.
    Static(#[serde(with = "crate::hex_bytes")] TokenHash),
    /// The id that a signed token carries.
    Jwt(TokenId),
    /// The hash of a cookie's random text.
    Session(#[serde(with = "crate::hex_bytes")] TokenHash),
    /// The hash of a link's random text.
    Link(#[serde(with = "crate::hex_bytes")] TokenHash),
    /// The hash of a certificate in DER.
    Certificate(#[serde(with = "crate::hex_bytes")] TokenHash),
    /// The hash of another issuer's name and its name for the member.
    External(#[serde(with = "crate::hex_bytes")] TokenHash),
}

impl TokenKey {
    /// The kind of token that has this key.
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

    /// The hash, for kinds that are stored as a hash.
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

/// A token to store, with its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// The key; of the same kind as the token.
    pub key: TokenKey,
}

/// What happens to the other tokens of the member when it gets a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherTokens {
    /// They stay.
    Stay,
    /// They end: the new one replaces them all.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::PersonId, scope::Scope};

    #[test]
    fn a_new_password_ends_only_sessions_and_links() {
        let ended: Vec<_> = TokenKind::ALL.iter().filter(|kind| kind.ends_with_password()).collect();
        assert_eq!(ended, [&TokenKind::Session, &TokenKind::Link]);
    }

    fn script() -> Token {
        Token {
            id: TokenId::from_bits(1),
            member_id: PersonId::from_bits(1).into(),
            kind: TokenKind::Static,
            label: "nightly build".into(),
            scopes: [Scope::MessagesWrite].into_iter().collect(),
            acts_as: None,
            created_by: None,
            created_at: Timestamp::from_millis(0),
            expires_at: None,
        }
    }

    fn keys() -> [TokenKey; 6] {
        let hash = [7; 32];
        [
            TokenKey::Static(hash),
            TokenKey::Jwt(TokenId::from_bits(7)),
            TokenKey::Session(hash),
            TokenKey::Link(hash),
            TokenKey::Certificate(hash),
            TokenKey::External(hash),
        ]
    }

    #[test]
    fn a_label_is_one_short_line() {
        for label in ["", "x", &"ö".repeat(limits::TOKEN_LABEL_CHARS_MAX)] {
            assert_eq!(Token { label: label.into(), ..script() }.check(), Ok(()), "{label}");
        }
        for label in ["a\0b", "a\nb", "a\u{202e}b", &"x".repeat(limits::TOKEN_LABEL_CHARS_MAX + 1)] {
            let refusal = Token { label: label.into(), ..script() }.check().expect_err(label);
            assert_eq!(refusal.field.as_deref(), Some("label"), "{label:?}");
        }
    }

    #[test]
    fn a_token_has_expired_at_its_expiry_time() {
        let token = Token { expires_at: Some(Timestamp::from_millis(10)), ..script() };
        let has_expired = [9, 10, 11].map(|now| token.has_expired(Timestamp::from_millis(now)));
        assert_eq!(has_expired, [false, true, true]);
    }

    #[test]
    fn a_token_without_an_expiry_never_expires() {
        assert!(!script().has_expired(Timestamp::from_millis(i64::MAX)));
    }

    #[test]
    fn every_token_key_has_its_own_kind() {
        let kinds = keys().map(|key| key.kind());
        for (number, kind) in kinds.iter().enumerate() {
            assert!(!kinds[..number].contains(kind), "{kind:?} twice");
        }
    }

    #[test]
    fn only_signed_tokens_have_no_hash() {
        for key in keys() {
            assert_eq!(key.hash().is_none(), key.kind() == TokenKind::Jwt, "{key:?}");
        }
    }

    #[test]
    fn a_token_survives_json_and_leaves_out_what_is_absent() {
        let json = serde_json::to_value(script()).expect("plain data");
        assert_eq!((&json["kind"], &json["scopes"]), (&"static".into(), &serde_json::json!(["messages:write"])));
        assert!(json.get("expires_at").is_none() && json.get("created_by").is_none(), "{json}");
        assert_eq!(serde_json::from_value::<Token>(json).expect("own form"), script());
    }
}
