//! All keys of a hub at one moment: one that signs, and those before it.

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
    file::BadFile,
    jws::{self, Compact},
    key::{PublicKey, SigningKey},
};
use crate::RandomIds;

/// What the name of every hub begins with.
const ISSUER_PREFIX: &str = "urn:parlour:";
/// The only algorithm that is signed with and taken.
const ALGORITHM: &str = "EdDSA";
/// The type of the tokens (RFC 9068).
const TYPE: &str = "at+jwt";

/// The keys of a hub.
#[derive(Clone)]
pub(super) struct KeySet {
    issuer: String,
    signing: Signing,
    /// The newest first.
    replaced: Vec<Replaced>,
}

/// The key that signs now.
#[derive(Clone)]
struct Signing {
    key: SigningKey,
    created_at: Timestamp,
}

/// A key that has signed before. It never signs again, so only its public half is there.
#[derive(Clone)]
struct Replaced {
    key: PublicKey,
    replaced_at: Timestamp,
}

/// The head of a token. Nothing else may stand in it: neither a key nor the address of one, nor anything critical.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    alg: String,
    typ: String,
    kid: String,
}

/// The keys as they stand in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    issuer: String,
    signing: WrittenSigning,
    replaced: Vec<WrittenReplaced>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSigning {
    pkcs8: String,
    created_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenReplaced {
    x: String,
    replaced_at: Timestamp,
}

impl KeySet {
    /// The first key of a hub, and the name that the hub has from now on.
    pub(super) fn first(now: Timestamp) -> Result<Self, BadFile> {
        let name = u128::from_be_bytes(*RandomIds.new_secret().first_chunk().expect("a secret is longer"));
        let issuer = format!("{ISSUER_PREFIX}{name:032x}");
        Ok(Self { issuer, signing: Signing { key: SigningKey::generate()?, created_at: now }, replaced: Vec::new() })
    }

    /// The name of the hub.
    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The id of the key that signs.
    pub(super) fn signing_id(&self) -> &str {
        self.signing.key.public().id()
    }

    /// What can be told about the keys.
    pub(super) fn inspect(&self) -> KeysInspection {
        KeysInspection { signing_since: self.signing.created_at, replaced: self.replaced.len() }
    }

    /// The same without those whose tokens have all ended.
    pub(super) fn without_ended(mut self, now: Timestamp) -> Self {
        self.replaced.retain(|old| old.ends_at() > now);
        self
    }

    /// The keys after a new one was made; the one that has signed so far is the first of the replaced.
    pub(super) fn rotated(&self, now: Timestamp) -> Result<Self, parlour_hub::Failure> {
        let mut next = self.clone().without_ended(now);
        if next.replaced.len() >= limits::KEYS_KEPT_MAX {
            let bound = limits::KEYS_KEPT_MAX;
            let detail = format!("{bound} older keys are kept for the tokens that they have signed");
            return Err(Refusal::new(Code::Full, detail).into());
        }
        let key = SigningKey::generate().map_err(|error| Fault::new("make a key", error))?;
        let old = std::mem::replace(&mut next.signing, Signing { key, created_at: now });
        // A clock that was set back must not end the tokens of the key before their time.
        let replaced_at = now.max(old.created_at);
        next.replaced.insert(0, Replaced { key: old.key.public().clone(), replaced_at });
        Ok(next)
    }

    /// Signs claims that are in their bounds.
    pub(super) fn sign(&self, claims: &Claims) -> Result<String, Fault> {
        let fault = |error: Box<dyn std::error::Error + Send + Sync>| Fault::new("sign a token", error);
        claims.check_life().map_err(|distrust| fault(distrust.into()))?;
        let head = Head { alg: ALGORITHM.into(), typ: TYPE.into(), kid: self.signing_id().to_owned() };
        let signed = jws::join(&head, claims).map_err(|error| fault(error.into()))?;
        let signature = self.signing.key.sign(&signed).map_err(|error| fault(error.into()))?;
        Ok(format!("{signed}.{signature}"))
    }

    /// Reads a token that one of the keys has signed.
    pub(super) fn read(&self, token: &str) -> Result<Claims, TokenRejection> {
        let token = Compact::parse(token)?;
        let head: Head = token.head()?;
        if head.alg != ALGORITHM || head.typ != TYPE {
            return Err(TokenRejection("this token is of another type or signed by another algorithm"));
        }
        let (key, ends_at) = self.find(&head.kid).ok_or(TokenRejection("no key of this hub has signed this token"))?;
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

    /// A key by its id, and when the last token that it may have signed ends, in seconds.
    fn find(&self, id: &str) -> Option<(&PublicKey, Option<i64>)> {
        if id == self.signing_id() {
            return Some((self.signing.key.public(), None));
        }
        let old = self.replaced.iter().find(|old| old.key.id() == id)?;
        Some((&old.key, Some(old.ends_at().as_millis().div_euclid(1000))))
    }

    /// The public halves, the newest first.
    pub(super) fn jwks(&self) -> Value {
        let old = self.replaced.iter().map(|old| old.key.jwk());
        json!({"keys": std::iter::once(self.signing.key.public().jwk()).chain(old).collect::<Vec<_>>()})
    }
}

impl Replaced {
    /// When the last token that it may have signed has ended. The allowance is for one that was signed while the new
    /// key was on its way to the disk.
    fn ends_at(&self) -> Timestamp {
        let seconds = limits::TOKEN_SECONDS_MAX as u64 + CLOCK_SKEW_SECONDS.unsigned_abs();
        self.replaced_at.plus_millis(seconds * 1000)
    }
}

impl From<&KeySet> for Written {
    fn from(keys: &KeySet) -> Self {
        let signing = WrittenSigning { pkcs8: keys.signing.key.text(), created_at: keys.signing.created_at };
        let replaced = keys.replaced.iter();
        let replaced = replaced
            .map(|old| WrittenReplaced { x: old.key.text().to_owned(), replaced_at: old.replaced_at })
            .collect();
        Self { issuer: keys.issuer.clone(), signing, replaced }
    }
}

impl TryFrom<Written> for KeySet {
    type Error = BadFile;

    fn try_from(written: Written) -> Result<Self, BadFile> {
        let name = written.issuer.strip_prefix(ISSUER_PREFIX).ok_or(BadFile::Issuer)?;
        if name.len() != 32 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(BadFile::Issuer);
        }
        let WrittenSigning { pkcs8, created_at } = written.signing;
        let signing = Signing { key: SigningKey::from_text(&pkcs8)?, created_at };
        let replaced = written.replaced.iter();
        let replaced = replaced
            .map(|old| Ok(Replaced { key: PublicKey::from_text(&old.x)?, replaced_at: old.replaced_at }))
            .collect::<Result<_, BadFile>>()?;
        Ok(Self { issuer: written.issuer, signing, replaced })
    }
}
