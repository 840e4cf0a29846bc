//! Secrets: random, shown once, stored as a hash.

use parlour_core::token::TokenHash;
use sha2::{Digest, Sha256};

/// The kind of a secret. The text begins with it, so that people and secret scanners recognise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// A bearer token.
    Token,
    /// The session of a browser.
    Session,
    /// A link to sign in by.
    Link,
    /// An invite.
    Invite,
}

impl SecretKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Token => "parlour_",
            Self::Session => "parlour_ses_",
            Self::Link => "parlour_lnk_",
            Self::Invite => "parlour_inv_",
        }
    }
}

/// Hashes a token for storage and lookup. Tokens are long and random, so a fast hash is enough.
pub fn hash_token(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// Formats 32 random bytes as a secret of this kind.
pub(crate) fn secret_text(kind: SecretKind, secret: &[u8; 32]) -> String {
    let digits = secret.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once(kind.prefix().to_owned()).chain(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_of_a_secret_names_its_kind_and_hashes_are_stable() {
        let token = secret_text(SecretKind::Token, &[7; 32]);
        assert_eq!(token.len(), "parlour_".len() + 64);
        assert!(token.starts_with("parlour_0707"));
        assert!(secret_text(SecretKind::Invite, &[7; 32]).starts_with("parlour_inv_0707"));
        assert_eq!(hash_token(&token), hash_token(&token));
        assert_ne!(hash_token(&token), hash_token("parlour_"));
    }
}
