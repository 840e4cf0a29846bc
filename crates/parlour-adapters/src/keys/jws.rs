//! Signed texts in their compact form (RFC 7515): head, claims and signature in base64url, with dots between.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parlour_core::{claims::TokenRejection, limits};
use serde::de::DeserializeOwned;

/// A token taken apart, of which nothing is believed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact<'a> {
    head: &'a str,
    claims: &'a str,
    /// The signature as it stands in the token.
    pub(crate) signature: &'a str,
    /// What was signed: head and claims as they stand in the token.
    pub(crate) signed: &'a str,
}

impl<'a> Compact<'a> {
    /// Takes a token apart; one that is too long or has not three parts is no token.
    pub(crate) fn parse(token: &'a str) -> Result<Self, TokenRejection> {
        if token.len() > limits::TOKEN_CHARS_MAX {
            return Err(TokenRejection("this token is too long"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(NO_TOKEN)?;
        let (head, claims) = signed.split_once('.').ok_or(NO_TOKEN)?;
        if claims.contains('.') {
            return Err(NO_TOKEN);
        }
        Ok(Self { head, claims, signature, signed })
    }

    /// The head, which names the key.
    pub(crate) fn head<T: DeserializeOwned>(&self) -> Result<T, TokenRejection> {
        read_part(self.head).ok_or(TokenRejection("the head of this token is not one that is taken here"))
    }

    /// What the token says. To be asked only after the signature was checked, or to find out whom it says it is from.
    pub(crate) fn claims<T: DeserializeOwned>(&self) -> Result<T, TokenRejection> {
        read_part(self.claims).ok_or(TokenRejection("the claims of this token are not those that are taken here"))
    }
}

const NO_TOKEN: TokenRejection = TokenRejection("this is no token");

/// One part: base64url without padding around one JSON object. Readers are structs, which take a key once only.
fn read_part<T: DeserializeOwned>(part: &str) -> Option<T> {
    let json = URL_SAFE_NO_PAD.decode(part).ok()?;
    // Structs could be read from lists too; a token with lists for objects was not made by anything honest.
    if json.first() != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&json).ok()
}

/// Puts head and claims together as they are signed.
pub(crate) fn join(head: &impl serde::Serialize, claims: &impl serde::Serialize) -> serde_json::Result<String> {
    let encode = |json: Vec<u8>| URL_SAFE_NO_PAD.encode(json);
    Ok(format!("{}.{}", encode(serde_json::to_vec(head)?), encode(serde_json::to_vec(claims)?)))
}
