//! The audit log: what was changed or refused, by whom and by which way, each entry chained to the one before.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    author::Author,
    id::{ProjectId, TokenId},
    via::Surface,
};

/// One entry of the audit log. It never holds a text that somebody has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditEntry {
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
    /// What was done: the name of the event, or of what is done to accounts, such as `tokens.issued`.
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
