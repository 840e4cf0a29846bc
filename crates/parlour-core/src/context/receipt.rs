//! Receipts: which candidates a pack shows, which it leaves out, and why.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{author::Author, id::ConversationId};

/// A section of a pack. The order is that of the text: content that changes least comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// The project.
    Project,
    /// Parents and peers in the project graph: tasks and agents beside this one.
    Neighbours,
    /// The task.
    Task,
    /// Files and their contents.
    Artifacts,
    /// Threads and channels of the agent or its task, with their unread messages.
    Threads,
    /// The conversation in which the agent answers. The message to answer is its last one.
    History,
}

/// The type of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SubjectType {
    /// The project.
    Project,
    /// An agent.
    Agent,
    /// A task.
    Task,
    /// A file.
    Artifact,
    /// A message.
    Message,
    /// A summary of a conversation up to a message; it has the id of that message.
    Summary,
}

/// Why an item is a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is a message to answer.
    Current,
    /// It blocks the agent.
    Blocking,
    /// It mentions the agent.
    Mention,
    /// It answers the agent.
    Reply,
    /// The agent has not read it.
    Unread,
    /// It is in a thread that the agent takes part in.
    Thread,
    /// It belongs to the task.
    Task,
    /// It is in a subscribed channel and is about the task or the project.
    Subscribed,
    /// It is an ancestor of the task or the project in the graph.
    Parent,
    /// It is a neighbour of the agent or its task in the graph.
    Peer,
    /// It is a file of the task or the conversation.
    Artifact,
    /// It is a recent message of the conversation.
    Recent,
    /// The full-text search found it.
    Found,
}

/// The level of detail of an item, the longest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The whole text.
    Full,
    /// The beginning and the end.
    HeadTail,
    /// The relevant sentences, verbatim.
    Extract,
    /// One line.
    OneLine,
    /// Only the handle with which the agent can fetch it.
    Handle,
}

/// Why a candidate is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum OmissionReason {
    /// It did not fit, not even as one line.
    NoRoom,
    /// Other candidates are more relevant.
    Irrelevant,
    /// The quota of its sender is used up.
    SenderQuota,
    /// The quota of its conversation is used up.
    ThreadQuota,
    /// The quota of its type of sender is used up.
    TrustQuota,
    /// It is a duplicate of an item that is shown.
    Duplicate,
    /// A summary that is shown covers it.
    Summarised,
    /// The model has received it before.
    Told,
    /// It has no text that can be shown.
    Empty,
}

/// One candidate and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptItem {
    /// The type.
    #[serde(rename = "type")]
    pub subject_type: SubjectType,
    /// Its id.
    pub id: String,
    /// The section.
    pub section: Section,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The number in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Author>,
    /// The reasons, the strongest first.
    pub reasons: Vec<Reason>,
    /// The relevance, in thousandths of the most relevant candidate.
    pub score: u32,
    /// The level of detail; absent if it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Why it is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<OmissionReason>,
    /// The shown item of which it is a duplicate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<String>,
    /// The cost in tokens.
    #[serde(default)]
    pub tokens: u64,
    /// The shown text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The number of redactions in the shown text.
    #[serde(default)]
    pub redactions: u64,
    /// The messages quoted by an extractive summary, in the order of its lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// The total of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SectionTotal {
    /// The section.
    pub section: Section,
    /// The tokens.
    pub tokens: u64,
    /// The number of shown candidates.
    pub shown: u64,
    /// The number of omitted candidates.
    pub left_out: u64,
}

/// How tokens were counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenCounting {
    /// The tokenizer: `o200k`, `cl100k`, or an upper bound for models whose tokenizer is not public.
    pub encoding: String,
    /// Whether the count is exact; otherwise it is an upper bound.
    pub is_exact: bool,
}

/// The number of redactions of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RedactionCount {
    /// The kind, as in the marks.
    pub kind: String,
    /// The number.
    pub count: u64,
}

/// The report of a pack: shown and omitted candidates.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Receipt {
    /// The token budget.
    pub budget: u64,
    /// The tokens used, at most the budget.
    pub used: u64,
    /// The tokens of the hub's own text around the items.
    pub frame: u64,
    /// How the tokens were counted.
    pub counting: TokenCounting,
    /// The sections that have candidates, in the order of the text.
    pub sections: Vec<SectionTotal>,
    /// The candidates: the shown ones in the order of the text, then the others by relevance.
    pub items: Vec<ReceiptItem>,
    /// The number of omitted candidates that are not listed.
    #[serde(default)]
    pub unlisted: u64,
    /// The redactions in the shown text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redactions: Vec<RedactionCount>,
    /// The number of invisible characters that were removed from the shown text.
    #[serde(default)]
    pub invisible: u64,
}

/// The maximum score.
const SCORE_FULL: u64 = 1_000;

impl Receipt {
    /// The receipt for a reader who may see only these items; it reveals nothing about the others.
    ///
    /// Sums and scores are computed from the remaining items. If a hidden item was shown, `used` counts only the
    /// remaining ones, and `frame`, `redactions` and `invisible` are empty, because the share of the hidden items is
    /// unknown. A duplicate of a hidden item is hidden too. Unlisted candidates are not counted.
    #[must_use]
    pub fn limited_to(self, may_see: impl Fn(&ReceiptItem) -> bool) -> Self {
        let (seen, hidden): (Vec<_>, Vec<_>) = self.items.into_iter().partition(may_see);
        let hidden_ids: BTreeSet<&str> = hidden.iter().map(|item| item.id.as_str()).collect();
        let repeats_hidden = |item: &ReceiptItem| item.same_as.as_deref().is_some_and(|id| hidden_ids.contains(id));
        let items: Vec<_> = seen.into_iter().filter(|item| !repeats_hidden(item)).collect();
        let items = if hidden.is_empty() { items } else { rescored(items) };
        let limited = Self { sections: totals(self.sections, &items), items, unlisted: 0, ..self };
        if hidden.iter().all(|item| item.level.is_none()) {
            return limited;
        }
        limited.without_sums()
    }

    /// The receipt with sums that cover only the remaining items.
    fn without_sums(mut self) -> Self {
        for total in &mut self.sections {
            let items = self.items.iter().filter(|item| item.section == total.section);
            total.tokens = items.filter(|item| item.level.is_some()).map(|item| item.tokens).sum();
        }
        let used = self.sections.iter().map(|total| total.tokens).sum();
        Self { used, frame: 0, redactions: Vec::new(), invisible: 0, ..self }
    }
}

/// The sections that have items, with their counts.
fn totals(sections: Vec<SectionTotal>, items: &[ReceiptItem]) -> Vec<SectionTotal> {
    let counted = |total: SectionTotal| {
        let here = items.iter().filter(|item| item.section == total.section);
        let (shown, left_out): (Vec<_>, Vec<_>) = here.partition(|item| item.level.is_some());
        SectionTotal { shown: shown.len() as u64, left_out: left_out.len() as u64, ..total }
    };
    sections.into_iter().map(counted).filter(|total| total.shown + total.left_out > 0).collect()
}

/// The items with scores in thousandths of the highest remaining one.
fn rescored(mut items: Vec<ReceiptItem>) -> Vec<ReceiptItem> {
    let most = items.iter().map(|item| u64::from(item.score)).max().unwrap_or(0).max(1);
    for item in &mut items {
        let score = u64::from(item.score) * SCORE_FULL / most;
        item.score = u32::try_from(score).unwrap_or(item.score);
    }
    items
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::{
        OmissionReason, RedactionCount, Section,
        examples::{left_out, receipt, shown},
    };

    fn is_open(item: &ReceiptItem) -> bool {
        item.id.starts_with("open")
    }

    #[test]
    fn a_reader_with_full_access_gets_the_whole_receipt() {
        let whole = receipt(vec![shown("open 1", "one"), left_out("open 2", OmissionReason::NoRoom)]);
        assert_eq!(whole.clone().limited_to(is_open), whole);
    }

    #[test]
    fn hidden_items_are_not_counted() {
        let mut whole = receipt(vec![
            ReceiptItem { score: 500, ..shown("open 1", "one") },
            shown("hidden 1", "a long secret"),
            ReceiptItem { section: Section::History, ..shown("hidden 2", "more") },
            left_out("hidden 3", OmissionReason::NoRoom),
            ReceiptItem { score: 250, ..left_out("open 2", OmissionReason::NoRoom) },
        ]);
        whole.redactions = vec![RedactionCount { kind: "mail".into(), count: 2 }];
        (whole.invisible, whole.unlisted) = (4, 7);
        let limited = whole.limited_to(is_open);
        let total = SectionTotal { section: Section::Threads, tokens: 3, shown: 1, left_out: 1 };
        assert_eq!(limited.sections, [total]);
        assert_eq!((limited.used, limited.frame, limited.unlisted, limited.invisible), (3, 0, 0, 0));
        assert_eq!(limited.redactions, []);
        assert_eq!(limited.items.iter().map(|item| item.score).collect::<Vec<_>>(), [1_000, 500]);
    }

    #[test]
    fn totals_stay_when_only_omitted_items_are_hidden() {
        let mut whole = receipt(vec![shown("open 1", "one"), left_out("hidden 1", OmissionReason::NoRoom)]);
        whole.redactions = vec![RedactionCount { kind: "mail".into(), count: 2 }];
        let limited = whole.clone().limited_to(is_open);
        assert_eq!((limited.used, limited.frame, &limited.redactions), (whole.used, whole.frame, &whole.redactions));
        assert_eq!((limited.sections[0].shown, limited.sections[0].left_out), (1, 0));
    }

    #[test]
    fn unlisted_candidates_are_not_counted_for_other_readers() {
        let mut whole = receipt(vec![shown("open 1", "one")]);
        whole.unlisted = 12;
        whole.sections[0].left_out = 12;
        let limited = whole.limited_to(is_open);
        assert_eq!((limited.unlisted, limited.sections[0].left_out), (0, 0));
    }

    #[test]
    fn a_duplicate_of_something_hidden_is_hidden() {
        let repeats =
            |id: &str, of: &str| ReceiptItem { same_as: Some(of.into()), ..left_out(id, OmissionReason::Duplicate) };
        let items = vec![
            shown("hidden 1", "twice"),
            shown("open 1", "thrice"),
            repeats("open 2", "hidden 1"),
            repeats("open 3", "open 1"),
        ];
        let limited = receipt(items).limited_to(is_open);
        assert_eq!(limited.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(), ["open 1", "open 3"]);
    }

    /// Some items, each open or hidden, shown or left out.
    fn items() -> impl Strategy<Value = Vec<ReceiptItem>> {
        let item = (any::<bool>(), any::<bool>(), 0_u32..=1_000, "[a-c]{0,6}");
        let items = prop::collection::vec(item, 0..8);
        items.prop_map(|items| {
            let named = |(no, (is_open, is_shown, score, text)): (usize, (bool, bool, u32, String))| {
                let id = format!("{} {no}", if is_open { "open" } else { "hidden" });
                let item = if is_shown { shown(&id, &text) } else { left_out(&id, OmissionReason::NoRoom) };
                ReceiptItem { score, ..item }
            };
            items.into_iter().enumerate().map(named).collect()
        })
    }

    proptest! {
        /// Replacing the hidden items by others of the same number gives the same receipt.
        #[test]
        fn hidden_texts_and_token_counts_do_not_change_a_limited_receipt(items in items(), factor in 2_u64..9) {
            let other = |item: &ReceiptItem| match is_open(item) {
                true => item.clone(),
                false => ReceiptItem { tokens: item.tokens * factor, text: "another".into(), ..item.clone() },
            };
            let others: Vec<_> = items.iter().map(other).collect();
            prop_assert_eq!(receipt(items).limited_to(is_open), receipt(others).limited_to(is_open));
        }

        #[test]
        fn totals_match_the_remaining_items(items in items()) {
            let limited = receipt(items).limited_to(is_open);
            prop_assert!(limited.items.iter().all(is_open));
            let tokens: u64 = limited.items.iter().map(|item| item.tokens).sum();
            prop_assert_eq!(limited.used, limited.frame + tokens);
            let counted: u64 = limited.sections.iter().map(|total| total.shown + total.left_out).sum();
            prop_assert_eq!(counted, limited.items.len() as u64);
        }
    }
}
