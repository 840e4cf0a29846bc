//! The keys of a hub: the signing key and the replaced keys.

use parlour_core::{
    Code, Refusal, Timestamp,
    claims::{CLOCK_SKEW_SECONDS, Claims, TokenRejection},
    limits,
};
use parlour_hub::{Fault, ports::Ids as _};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    KeysInspection,
    file::KeyFileError,
    jws::{self, Compact},
    key::{PublicKey, SigningKey},
};
use crate::RandomIds;

/// The prefix of the issuer name of a hub.
const ISSUER_PREFIX: &str = "urn:parlour:";
/// The only algorithm for signing and verifying.
const ALGORITHM: &str = "EdDSA";
/// The token type (RFC 9068).
const TYPE: &str = "at+jwt";

/// The keys of a hub.
#[derive(Clone)]
pub(super) struct KeySet {
    issuer: String,
    signing: Signing,
    /// Newest first.
    replaced: Vec<Replaced>,
}

/// The current signing key.
#[derive(Clone)]
struct Signing {
    key: SigningKey,
    created_at: Timestamp,
}

/// A replaced key. It never signs again, so only the public key is stored.
#[derive(Clone)]
struct Replaced {
    key: PublicKey,
    replaced_at: Timestamp,
}

/// The header of a token of this hub. Any other field is refused, such as a key or its address.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnTokenHeader {
    alg: String,
    typ: String,
    kid: String,
}

/// The JSON of the key file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyFileJson {
    issuer: String,
    signing: SigningKeyJson,
    replaced: Vec<ReplacedKeyJson>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SigningKeyJson {
    pkcs8: String,
    created_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplacedKeyJson {
    x: String,
    replaced_at: Timestamp,
}

impl KeySet {
    /// Generates the first key and the issuer name of a hub.
    pub(super) fn first(now: Timestamp) -> Result<Self, KeyFileError> {
        let name = u128::from_be_bytes(*RandomIds.new_secret().first_chunk().expect("a secret is longer"));
        let issuer = format!("{ISSUER_PREFIX}{name:032x}");
        Ok(Self { issuer, signing: Signing { key: SigningKey::generate()?, created_at: now }, replaced: Vec::new() })
    }

    /// The issuer name of the hub.
    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The id of the signing key.
    pub(super) fn signing_id(&self) -> &str {
        self.signing.key.public().id()
    }

    pub(super) fn inspect(&self) -> KeysInspection {
        KeysInspection { signing_since: self.signing.created_at, replaced: self.replaced.len() }
    }

    /// The keys without those whose tokens have all expired.
    pub(super) fn without_ended(mut self, now: Timestamp) -> Self {
        self.replaced.retain(|old| old.ends_at() > now);
        self
    }

    /// The keys with a new signing key; the former one becomes the newest replaced key.
    pub(super) fn rotated(&self, now: Timestamp) -> Result<Self, parlour_hub::Failure> {
        let mut next = self.clone().without_ended(now);
        if next.replaced.len() >= limits::REPLACED_KEYS_MAX {
            let bound = limits::REPLACED_KEYS_MAX;
            let detail = format!("{bound} older keys are kept for the tokens that they have signed");
            return Err(Refusal::new(Code::Full, detail).into());
        }
        let key = SigningKey::generate().map_err(|error| Fault::new("make a key", error))?;
        let old = std::mem::replace(&mut next.signing, Signing { key, created_at: now });
        // A clock that was set back must not drop the key before its tokens expire.
        let replaced_at = now.max(old.created_at);
        next.replaced.insert(0, Replaced { key: old.key.public().clone(), replaced_at });
        Ok(next)
    }

    /// Signs valid claims.
    pub(super) fn sign(&self, claims: &Claims) -> Result<String, Fault> {
        let fault = |error: Box<dyn std::error::Error + Send + Sync>| Fault::new("sign a token", error);
        claims.check_life().map_err(|rejection| fault(rejection.into()))?;
        let header = OwnTokenHeader { alg: ALGORITHM.into(), typ: TYPE.into(), kid: self.signing_id().to_owned() };
        let signed = jws::join(&header, claims).map_err(|error| fault(error.into()))?;
        let signature = self.signing.key.sign(&signed).map_err(|error| fault(error.into()))?;
        Ok(format!("{signed}.{signature}"))
    }

    /// Verifies a token with one of the keys and returns its claims.
    pub(super) fn read(&self, token: &str) -> Result<Claims, TokenRejection> {
        let token = Compact::parse(token)?;
        let header: OwnTokenHeader = token.header()?;
        if header.alg != ALGORITHM || header.typ != TYPE {
            return Err(TokenRejection("this token is of another type or signed by another algorithm"));
        }
        let (key, ends_at) =
            self.find(&header.kid).ok_or(TokenRejection("no key of this hub has signed this token"))?;
        if !key.has_signed(token.signed, token.signature) {
            return Err(TokenRejection("the signature of this token is wrong"));
        }
        let claims: Claims = token.claims()?;
        claims.check_life()?;
        match ends_at {
            Some(ends_at) if claims.exp > ends_at => {
                Err(TokenRejection("this token was signed after its key was replaced"))
            }
            _ => Ok(claims),
        }
    }

    /// A key by its id, and for a replaced key the latest expiry of its tokens, in seconds.
    fn find(&self, id: &str) -> Option<(&PublicKey, Option<i64>)> {
        if id == self.signing_id() {
            return Some((self.signing.key.public(), None));
        }
        let old = self.replaced.iter().find(|old| old.key.id() == id)?;
        Some((&old.key, Some(old.ends_at().as_millis().div_euclid(1000))))
    }

    /// The public keys, newest first.
    pub(super) fn jwks(&self) -> Value {
        let old = self.replaced.iter().map(|old| old.key.jwk());
        json!({"keys": std::iter::once(self.signing.key.public().jwk()).chain(old).collect::<Vec<_>>()})
    }
}

impl Replaced {
    /// The latest expiry of a token of this key. It allows for a token that was signed while the new key was being
    /// written.
    fn ends_at(&self) -> Timestamp {
        let seconds = limits::TOKEN_SECONDS_MAX as u64 + CLOCK_SKEW_SECONDS.unsigned_abs();
        self.replaced_at.plus_millis(seconds * 1000)
    }
}

impl From<&KeySet> for KeyFileJson {
    fn from(keys: &KeySet) -> Self {
        let signing = SigningKeyJson { pkcs8: keys.signing.key.text(), created_at: keys.signing.created_at };
        let replaced = keys.replaced.iter();
        let replaced = replaced
            .map(|old| ReplacedKeyJson { x: old.key.text().to_owned(), replaced_at: old.replaced_at })
            .collect();
        Self { issuer: keys.issuer.clone(), signing, replaced }
    }
}

impl TryFrom<KeyFileJson> for KeySet {
    type Error = KeyFileError;

    fn try_from(written: KeyFileJson) -> Result<Self, KeyFileError> {
        let name = written.issuer.strip_prefix(ISSUER_PREFIX).ok_or(KeyFileError::Issuer)?;
        if name.len() != 32 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(KeyFileError::Issuer);
        }
        let SigningKeyJson { pkcs8, created_at } = written.signing;
        let signing = Signing { key: SigningKey::from_text(&pkcs8)?, created_at };
        let replaced = written.replaced.iter();
        let replaced = replaced
            .map(|old| Ok(Replaced { key: PublicKey::from_text(&old.x)?, replaced_at: old.replaced_at }))
            .collect::<Result<_, KeyFileError>>()?;
        Ok(Self { issuer: written.issuer, signing, replaced })
    }
}
