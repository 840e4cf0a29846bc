//! Injections: the texts given to the model of a run, as they were given.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    context::{ContextFormat, Receipt, ReceiptItem, SubjectType},
    delivery::DeliveryPath,
    id::{AgentId, InjectionId, ProjectId, RunId},
};

/// A text that was given to the model of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Injection {
    /// Its id.
    pub id: InjectionId,
    /// The project.
    pub project_id: ProjectId,
    /// The run.
    pub run_id: RunId,
    /// The agent of the run.
    pub agent_id: AgentId,
    /// The delivery path.
    pub delivered_via: DeliveryPath,
    /// The format.
    pub format: ContextFormat,
    /// When the hub gave it.
    pub at: Timestamp,
    /// The text; absent for a reader who may not read all of it, and after an edit or a removal of a message that it
    /// shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The receipt, limited to the items that the reader may see.
    pub receipt: Receipt,
}

/// The difference between the injections of two runs. Each list is ordered by type and id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct InjectionDiff {
    /// Items shown only in the first run.
    pub only_before: Vec<ReceiptItem>,
    /// Items shown only in the second run.
    pub only_after: Vec<ReceiptItem>,
    /// Items shown in both runs with another level or text: in the first, then in the second.
    pub changed: Vec<[ReceiptItem; 2]>,
    /// The number of items shown alike in both.
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

/// The difference between two lists of injections. Of an item that occurs several times, the last occurrence counts.
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

/// The shown items of the injections, each as it was shown last.
fn shown(injections: &[Injection]) -> BTreeMap<(SubjectType, &str), &ReceiptItem> {
    let items = injections.iter().flat_map(|injection| &injection.receipt.items);
    let shown = items.filter(|item| item.level.is_some());
    shown.map(|item| ((item.subject_type, item.id.as_str()), item)).collect()
}

fn is_alike(one: &ReceiptItem, other: &ReceiptItem) -> bool {
    one.level == other.level && one.text == other.text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::{
        Level, OmissionReason,
        examples::{injection, left_out, shown},
    };

    fn ids(items: &[ReceiptItem]) -> Vec<&str> {
        items.iter().map(|item| item.id.as_str()).collect()
    }

    #[test]
    fn items_of_only_one_run_are_listed_separately() {
        let before = [injection(vec![shown("a", "one"), shown("b", "two")])];
        let after = [injection(vec![shown("c", "three"), shown("b", "two")])];
        let found = difference(&before, &after);
        assert_eq!((ids(&found.only_before), ids(&found.only_after)), (vec!["a"], vec!["c"]));
        assert_eq!((found.changed.len(), found.same), (0, 1));
    }

    #[test]
    fn another_length_or_text_is_a_change() {
        let short = ReceiptItem { level: Some(Level::OneLine), ..shown("a", "one") };
        let before = [injection(vec![shown("a", "one"), shown("b", "two")])];
        let after = [injection(vec![short.clone(), shown("b", "too")])];
        let found = difference(&before, &after);
        assert_eq!(found.changed, [[shown("a", "one"), short], [shown("b", "two"), shown("b", "too")]]);
        assert_eq!((found.only_before.len(), found.only_after.len(), found.same), (0, 0, 0));
    }

    #[test]
    fn score_tokens_and_reasons_are_no_difference() {
        let later = ReceiptItem { score: 3, tokens: 99, reasons: Vec::new(), ..shown("a", "one") };
        let found = difference(&[injection(vec![shown("a", "one")])], &[injection(vec![later])]);
        assert_eq!(found, InjectionDiff { same: 1, ..InjectionDiff::default() });
    }

    #[test]
    fn of_several_injections_the_last_one_that_shows_an_item_counts() {
        let before = [
            injection(vec![shown("a", "first")]),
            injection(vec![shown("a", "second")]),
            injection(vec![left_out("a", OmissionReason::Told)]),
        ];
        let found = difference(&before, &[injection(vec![shown("a", "second")])]);
        assert_eq!(found, InjectionDiff { same: 1, ..InjectionDiff::default() });
    }

    #[test]
    fn omitted_items_are_not_compared() {
        let found = difference(&[injection(vec![left_out("a", OmissionReason::NoRoom)])], &[injection(vec![])]);
        assert_eq!(found, InjectionDiff::default());
    }

    #[test]
    fn a_message_and_the_summary_up_to_it_are_different_items() {
        let summary = ReceiptItem { subject_type: SubjectType::Summary, ..shown("a", "in short") };
        let found = difference(&[injection(vec![shown("a", "one")])], &[injection(vec![summary.clone()])]);
        assert_eq!((found.only_before, found.only_after), (vec![shown("a", "one")], vec![summary]));
    }

    #[test]
    fn a_text_that_shows_something_hidden_is_absent_as_a_whole() {
        let given = injection(vec![shown("a", "one"), shown("b", "two")]);
        let limited = given.clone().limited_to(|item| item.id == "a");
        assert_eq!((limited.text, ids(&limited.receipt.items)), (None, vec!["a"]));
        assert_eq!(given.clone().limited_to(|_| true), given);
    }

    #[test]
    fn a_text_stays_when_only_something_left_out_is_hidden() {
        let given = injection(vec![shown("a", "one"), left_out("b", OmissionReason::NoRoom)]);
        let limited = given.limited_to(|item| item.id == "a");
        assert_eq!(limited.text.as_deref(), Some("all of it"));
    }

    #[test]
    fn an_injection_survives_a_json_round_trip() {
        let mut summary = ReceiptItem { subject_type: SubjectType::Summary, ..shown("b", "in short") };
        summary.conversation_id = Some(crate::id::ChannelId::from_bits(5).into());
        summary.seq = Some(9);
        let given = injection(vec![shown("a", "one"), summary, left_out("c", OmissionReason::TrustQuota)]);
        for given in [Injection { text: None, ..given.clone() }, given] {
            let json = serde_json::to_string(&given).expect("plain data");
            assert_eq!(serde_json::from_str::<Injection>(&json).expect("an injection"), given);
        }
    }

    /// Lists of a few items, in full or as one line, with one of three texts.
    fn injections() -> impl Strategy<Value = Vec<Injection>> {
        let item = (0_u8..6, 0_u8..3, any::<bool>()).prop_map(|(id, text, is_full)| {
            let level = is_full.then_some(Level::Full);
            ReceiptItem { level, ..shown(&id.to_string(), &text.to_string()) }
        });
        prop::collection::vec(prop::collection::vec(item, 0..6).prop_map(injection), 0..4)
    }

    proptest! {
        #[test]
        fn a_list_does_not_differ_from_itself(one in injections()) {
            let found = difference(&one, &one);
            prop_assert_eq!((found.only_before.len(), found.only_after.len(), found.changed.len()), (0, 0, 0));
            prop_assert_eq!(found.same, shown_count(&one));
        }

        #[test]
        fn swapping_the_lists_swaps_the_difference(one in injections(), other in injections()) {
            let (there, back) = (difference(&one, &other), difference(&other, &one));
            prop_assert_eq!(&there.only_before, &back.only_after);
            prop_assert_eq!(&there.only_after, &back.only_before);
            let turned: Vec<_> = back.changed.into_iter().map(|[one, other]| [other, one]).collect();
            prop_assert_eq!(&there.changed, &turned);
            let shared = there.same + there.changed.len() as u64;
            prop_assert_eq!(shared + there.only_before.len() as u64, shown_count(&one));
            prop_assert_eq!(shared + there.only_after.len() as u64, shown_count(&other));
        }
    }

    /// The number of shown items.
    fn shown_count(injections: &[Injection]) -> u64 {
        let items = injections.iter().flat_map(|injection| &injection.receipt.items);
        let mut ids: Vec<_> = items.filter(|item| item.level.is_some()).map(|item| &item.id).collect();
        ids.sort();
        ids.dedup();
        ids.len() as u64
    }
}
