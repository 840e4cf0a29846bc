//! Bearer tokens: random, shown once, kept as a hash.

use parlour_core::token::TokenHash;
use sha2::{Digest, Sha256};

/// What every generated token starts with, so that secret scanners can find one in a wrong place.
const PREFIX: &str = "parlour_";

/// Hashes a token for storing and looking up. Tokens are long and random, so a fast hash is enough.
pub fn hash_token(token: &str) -> TokenHash {
    Sha256::digest(token.as_bytes()).into()
}

/// Writes 32 random bytes as a token.
pub(crate) fn token_from_secret(secret: &[u8; 32]) -> String {
    let digits = secret.iter().map(|byte| format!("{byte:02x}"));
    PREFIX.chars().map(String::from).chain(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_recognisable_and_hashes_are_stable() {
        let token = token_from_secret(&[7; 32]);
        assert_eq!(token.len(), PREFIX.len() + 64);
        assert!(token.starts_with("parlour_0707"));
        assert_eq!(hash_token(&token), hash_token(&token));
        assert_ne!(hash_token(&token), hash_token("parlour_"));
    }
}
