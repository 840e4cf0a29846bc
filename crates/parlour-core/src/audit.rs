//! The audit log: what was changed or refused, by whom and by which way, each entry chained to the one before.

mod chain;
mod filter;
#[cfg(test)]
mod tests;
mod verify;

use serde::{Deserialize, Serialize};

pub use self::{
    chain::{AuditHash, AuditHead},
    filter::{AuditFilter, ResultFilter},
    verify::{AuditFlaw, Verifier},
};
use crate::{
    Timestamp,
    author::Author,
    id::{ProjectId, TokenId},
    origin::Surface,
};

/// The result of what was done; anything else is the code of a refusal.
pub const DONE: &str = "done";

/// One entry of the audit log. It never holds a text that somebody has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditEntry {
    // The order of the fields is that of the hashed line: it may never change.
    /// Its number: 1, 2, 3 … without gaps.
    pub no: u64,
    /// When it happened.
    pub at: Timestamp,
    /// Who did it.
    pub actor: Author,
    /// Through which surface.
    pub surface: Surface,
    /// With which token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_id: Option<TokenId>,
    /// What was done: the name of the event, or of what is done to accounts, such as `tokens.issued`; for a refused
    /// request its method and address, such as `PATCH /channels/{id}`.
    pub action: String,
    /// In which project; absent for what belongs to the hub as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The id of the thing that it was done to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// `done`, or the code of the refusal.
    pub result: String,
}

impl AuditEntry {
    /// The entry as one line of JSON without a line break. These very bytes are what the chain is made over.
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
