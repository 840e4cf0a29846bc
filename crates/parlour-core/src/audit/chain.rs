//! The chain: the hash of each entry is made over the one before, so that none can be changed alone.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

use crate::{
    Refusal,
    id::{text_schema, text_serde},
};

/// The SHA-256 of the chain up to some entry, written as 64 digits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditHash([u8; 32]);

/// The end of an audit log at some moment: the number of its last entry and the hash of the chain up to it.
///
/// Whoever has noted it down can tell later whether the log still holds exactly what it held then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AuditHead {
    /// The number of the last entry; 0 for an empty log.
    pub no: u64,
    /// The chain up to it.
    pub hash: AuditHash,
}

impl AuditHash {
    /// The hash with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl AuditHead {
    /// The head after one more entry, whose line is given as `AuditEntry::line` writes it.
    #[must_use]
    pub fn after(&self, line: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(self.hash.0).chain_update(line).finalize();
        Self { no: self.no.saturating_add(1), hash: AuditHash(hash.into()) }
    }
}

impl fmt::Display for AuditHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for AuditHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for AuditHash {
    type Err = Refusal;

    /// Reads exactly what `Display` writes: capital letters are refused, so that each hash has one text.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let digits = text.as_bytes();
        let is_hash = digits.len() == 64 && digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hash {
            return Err(Refusal::invalid("a hash has 64 digits, 0 to 9 and a to f"));
        }
        let value = |digit: u8| if digit < b'a' { digit - b'0' } else { digit - b'a' + 10 };
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for AuditHead {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.no, self.hash)
    }
}

impl FromStr for AuditHead {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let refuse = || {
            let shown: String = text.chars().take(80).collect();
            Refusal::invalid(format!("{shown:?} is no head of an audit log, which is NUMBER:HASH"))
        };
        let (no, hash) = text.split_once(':').ok_or_else(refuse)?;
        let is_number = no.bytes().all(|byte| byte.is_ascii_digit());
        let no = no.parse().ok().filter(|_| is_number).ok_or_else(refuse)?;
        Ok(Self { no, hash: hash.parse().map_err(|_| refuse())? })
    }
}

text_serde!(AuditHash);
text_serde!(AuditHead);
text_schema!(AuditHash, "^[0-9a-f]{64}$", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
text_schema!(
    AuditHead,
    "^[0-9]{1,20}:[0-9a-f]{64}$",
    "17:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
);
