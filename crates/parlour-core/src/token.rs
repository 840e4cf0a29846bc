//! Tokens: what lets somebody in, for how long and for what. Secrets themselves are never kept, only how to know them
//! again.

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

/// A small program that writes with a token of the person who answers for it: its messages are its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ActsAs {
    /// The sort of program.
    #[serde(rename = "type")]
    pub program: ProgramType,
    /// What it is called, for example `file-browser`.
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
    /// Whom it lets in.
    pub member_id: MemberId,
    /// How it is shown.
    pub kind: TokenKind,
    /// What it is for, in the words of whoever made it; may be empty.
    pub label: String,
    /// What it may be used for.
    pub scopes: Scopes,
    /// Which program writes with it; absent means that what is written is its member's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acts_as: Option<ActsAs>,
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
        text::check_line(&self.label, limits::TOKEN_LABEL_CHARS_MAX).map_err(|refusal| refusal.at("label"))
    }

    /// Whether it has come to its end; at the very moment of its end it has.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::PersonId, scope::Scope};

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
    fn a_token_has_expired_from_the_moment_of_its_end_on() {
        let token = Token { expires_at: Some(Timestamp::from_millis(10)), ..script() };
        let has_expired = [9, 10, 11].map(|now| token.has_expired(Timestamp::from_millis(now)));
        assert_eq!(has_expired, [false, true, true]);
    }

    #[test]
    fn a_token_without_an_end_never_expires() {
        assert!(!script().has_expired(Timestamp::from_millis(i64::MAX)));
    }

    #[test]
    fn every_kind_of_key_is_looked_up_among_its_own() {
        let kinds = keys().map(|key| key.kind());
        for (number, kind) in kinds.iter().enumerate() {
            assert!(!kinds[..number].contains(kind), "{kind:?} twice");
        }
    }

    #[test]
    fn only_signed_tokens_are_known_without_a_hash() {
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
