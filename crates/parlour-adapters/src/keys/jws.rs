//! JWS compact serialisation (RFC 7515): header, claims and signature in base64url, separated by dots.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use parlour_core::{claims::TokenRejection, limits};
use serde::de::DeserializeOwned;

/// The parts of a token that is not verified yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compact<'a> {
    header: &'a str,
    claims: &'a str,
    pub(crate) signature: &'a str,
    /// The signed text: header and claims with the dot between them.
    pub(crate) signed: &'a str,
}

impl<'a> Compact<'a> {
    /// Splits a token; refuses one that is too long or does not have three parts.
    pub(crate) fn parse(token: &'a str) -> Result<Self, TokenRejection> {
        if token.len() > limits::TOKEN_CHARS_MAX {
            return Err(TokenRejection("this token is too long"));
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(NO_TOKEN)?;
        let (header, claims) = signed.split_once('.').ok_or(NO_TOKEN)?;
        if claims.contains('.') {
            return Err(NO_TOKEN);
        }
        Ok(Self { header, claims, signature, signed })
    }

    pub(crate) fn header<T: DeserializeOwned>(&self) -> Result<T, TokenRejection> {
        read_part(self.header).ok_or(TokenRejection("the head of this token is not one that is taken here"))
    }

    /// The claims. Read them only after verifying the signature, or to find the issuer.
    pub(crate) fn claims<T: DeserializeOwned>(&self) -> Result<T, TokenRejection> {
        read_part(self.claims).ok_or(TokenRejection("the claims of this token are not those that are taken here"))
    }
}

const NO_TOKEN: TokenRejection = TokenRejection("this is no token");

/// Decodes one part: a JSON object in base64url without padding. `T` is a struct, so duplicate keys are refused.
fn read_part<T: DeserializeOwned>(part: &str) -> Option<T> {
    let json = URL_SAFE_NO_PAD.decode(part).ok()?;
    // Serde would also read a struct from a list; no honest issuer writes that.
    if json.first() != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(&json).ok()
}

/// The text to sign: header and claims.
pub(crate) fn join(header: &impl serde::Serialize, claims: &impl serde::Serialize) -> serde_json::Result<String> {
    let encode = |json: Vec<u8>| URL_SAFE_NO_PAD.encode(json);
    Ok(format!("{}.{}", encode(serde_json::to_vec(header)?), encode(serde_json::to_vec(claims)?)))
}
