//! Injections: what was given to the model of a run, kept as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ContextFormat, Receipt, ReceiptItem, SubjectType};
use crate::{
    Timestamp,
    delivery::DeliveryPath,
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
    pub delivered_via: DeliveryPath,
    /// In which form.
    pub format: ContextFormat,
    /// When the hub gave it out.
    pub at: Timestamp,
    /// The text; absent for a reader who may not read all of it, and when a message that it shows was edited or removed
    /// since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was in it and what was not; without what the reader may not read.
    pub receipt: Receipt,
}

/// How what two runs were given differs. Every list is in the order of what things are and of their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InjectionDiff {
    /// What only the first was shown.
    pub only_before: Vec<ReceiptItem>,
    /// What only the second was shown.
    pub only_after: Vec<ReceiptItem>,
    /// What both were shown, at another length or with another text: as the first and as the second saw it.
    pub changed: Vec<[ReceiptItem; 2]>,
    /// How many both were shown alike.
    pub same: u64,
}

impl Injection {
    /// The injection for a reader who may see only these of its items: the receipt is limited to them
    /// (`Receipt::limited_to`), and the text is absent when it shows any other.
    #[must_use]
    pub fn limited_to(self, may_see: impl Fn(&ReceiptItem) -> bool) -> Self {
        let shows_hidden = self.receipt.items.iter().any(|item| item.level.is_some() && !may_see(item));
        Self { text: self.text.filter(|_| !shows_hidden), receipt: self.receipt.limited_to(may_see), ..self }
    }
}

/// How two lists of injections differ in what they show; of what stands in several, the last counts.
pub fn difference(before: &[Injection], after: &[Injection]) -> InjectionDiff {
    let (before, mut after) = (shown(before), shown(after));
    let mut found = InjectionDiff::default();
    for (key, earlier) in before {
        match after.remove(&key) {
            None => found.only_before.push(earlier.clone()),
            Some(later) if is_alike(earlier, later) => found.same += 1,
            Some(later) => found.changed.push([earlier.clone(), later.clone()]),
        }
    }
    found.only_after = after.into_values().cloned().collect();
    found
}

/// What the injections show, each thing as the last of them shows it.
fn shown(injections: &[Injection]) -> BTreeMap<(SubjectType, &str), &ReceiptItem> {
    let items = injections.iter().flat_map(|injection| &injection.receipt.items);
    let shown = items.filter(|item| item.level.is_some());
    shown.map(|item| ((item.subject_type, item.id.as_str()), item)).collect()
}

fn is_alike(one: &ReceiptItem, other: &ReceiptItem) -> bool {
    one.level == other.level && one.text == other.text
}

#[cfg(test)]
mod tests;
