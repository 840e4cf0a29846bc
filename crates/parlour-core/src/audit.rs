//! The audit log: who changed what or was refused, when and through which origin. Each entry is chained to the one
//! before.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    Code, Refusal, Timestamp,
    attribution::Surface,
    author::Author,
    id::{MemberId, ProjectId, TokenId, text_schema, text_serde},
};

pub use self::verify::{AuditFlaw, Verifier};

mod verify;

/// The result of a successful action; every other result is the code of a refusal.
pub const DONE: &str = "done";

/// One entry of the audit log. It contains no text written by members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    // The order of the fields is that of the hashed line: it may never change.
    /// Its number: 1, 2, 3 … without gaps.
    pub no: u64,
    /// When it happened.
    pub at: Timestamp,
    /// The actor.
    pub actor: Author,
    /// Through which surface.
    pub surface: Surface,
    /// With which token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// What was done: the name of the event, or of what is done to accounts, such as `tokens.issued`; for a refused
    /// request its method and address, such as `PATCH /channels/{id}`.
    pub action: String,
    /// The project; absent for entries about the hub as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The id of the thing that it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// `done`, or the code of the refusal.
    pub result: String,
}

impl AuditEntry {
    /// The entry as one line of JSON without a line break. The chain hashes exactly these bytes.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("an entry is plain data")
    }
}

/// An entry as it is exported. The last entry of each commit carries the seal: the chain up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedEntry {
    /// The entry.
    pub entry: AuditEntry,
    /// The hash of the chain after this entry, where the store has kept it.
    pub seal: Option<AuditHash>,
}

impl SealedEntry {
    /// The line of the entry with its seal as the last field.
    pub fn line(&self) -> String {
        let mut line = self.entry.line();
        if let Some(seal) = &self.seal {
            line.truncate(line.len() - 1);
            line.push_str(verify::SEAL_BEGINS);
            line.push_str(&seal.to_string());
            line.push_str(verify::SEAL_ENDS);
        }
        line
    }
}

/// The SHA-256 of the chain up to some entry, written as 64 digits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditHash([u8; 32]);

/// The end of an audit log: the number of its last entry and the hash of the chain up to it.
///
/// An operator who recorded a head can verify later that the log still contains the same entries up to it.
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
            return Err(Refusal::invalid("a hash has 64 hexadecimal digits, 0 to 9 and a to f"));
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
            Refusal::invalid(format!("{shown:?} is not a head of an audit log; a head has the form NUMBER:HASH"))
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

/// A filter for audit entries; absent fields match every entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Entries of this project.
    pub project_id: Option<ProjectId>,
    /// Entries of this actor, under any name.
    pub actor: Option<MemberId>,
    /// Entries with this action.
    pub action: Option<String>,
    /// Entries with this result.
    pub result: Option<ResultFilter>,
    /// Entries at this time or later.
    pub since: Option<Timestamp>,
    /// Entries before this time.
    pub until: Option<Timestamp>,
}

/// A filter for the result of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFilter {
    /// It was done.
    Done,
    /// It was refused with any code.
    Refused,
    /// It was refused with this code.
    Code(Code),
}

impl AuditFilter {
    /// Whether the entry matches.
    pub fn matches(&self, entry: &AuditEntry) -> bool {
        self.matches_outcome(&entry.action, &entry.result)
            && self.project_id.as_ref().is_none_or(|project| entry.project_id.as_ref() == Some(project))
            && self.actor.as_ref().is_none_or(|actor| entry.actor.member_id().as_ref() == Some(actor))
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
    }

    /// Like [`Self::matches`], by action and result only. A store checks these before it loads the other fields.
    pub fn matches_outcome(&self, action: &str, result: &str) -> bool {
        self.action.as_ref().is_none_or(|expected| expected == action)
            && self.result.is_none_or(|expected| expected.is_result(result))
    }
}

impl ResultFilter {
    fn is_result(self, result: &str) -> bool {
        match self {
            Self::Done => result == DONE,
            Self::Refused => result != DONE,
            Self::Code(code) => result == code.as_str(),
        }
    }
}

impl std::fmt::Display for ResultFilter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Done => DONE,
            Self::Refused => "refused",
            Self::Code(code) => code.as_str(),
        })
    }
}

impl FromStr for ResultFilter {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        match text {
            DONE => return Ok(Self::Done),
            "refused" => return Ok(Self::Refused),
            _ => {}
        }
        let code = Code::ALL.iter().copied().find(|code| code.as_str() == text);
        let shown: String = text.chars().take(40).collect();
        let refuse =
            || Refusal::invalid(format!("{shown:?} is not a result; use done, refused or a code such as PARLOUR-A02"));
        code.map(Self::Code).ok_or_else(refuse)
    }
}

text_serde!(ResultFilter);

#[cfg(test)]
mod tests;
