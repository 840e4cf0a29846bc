//! The record of a channel in a native export: name, topic and visibility, which its messages do not contain.
//!
//! A record is a frame `signal` of the native format, so every reader of native lines can decode it, and readers that do
//! not know it skip it like any other frame.

use parlour_core::{Refusal, Timestamp, conversation::Visibility, id::ConversationId, name::Name};
use parlour_dialects::{Dialect, Item, extras};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The field of the signal that contains the record.
const FIELD: &str = "channel";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChannelRecord {
    /// The conversation id in the messages that follow.
    pub(crate) id: ConversationId,
    /// Absent for messages of another conversation that were imported into this channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<Name>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) topic: Option<String>,
    pub(crate) visibility: Visibility,
}

impl ChannelRecord {
    /// The native line. It contains no time and no project, so exports of equal channels are equal.
    pub(crate) fn encode(&self) -> Option<Value> {
        let signal = Item::signal(extras::KEY, json!({ FIELD: self }), Timestamp::from_millis(0));
        Dialect::Native.encode(&signal)
    }

    /// Reads a record; none if the item is something else. An invalid record is refused, because a private channel
    /// without its record could become visible to the project.
    pub(super) fn decode(item: &Item) -> Option<Result<Self, Refusal>> {
        let record = item.as_signal(extras::KEY)?.get(FIELD)?;
        Some(
            Self::deserialize(record)
                .map_err(|error| Refusal::invalid(error.to_string()).at("metadata.parlour.channel")),
        )
    }

    /// Joins two records of one conversation: the first name and topic, and the stricter visibility.
    pub(super) fn join(&mut self, other: Self) {
        self.name = self.name.take().or(other.name);
        self.topic = self.topic.take().or(other.topic);
        if other.visibility == Visibility::Private {
            self.visibility = Visibility::Private;
        }
    }
}

#[cfg(test)]
mod tests {
    use parlour_dialects::{DecodeContext, decode_value};

    use super::*;

    fn record(visibility: Visibility) -> ChannelRecord {
        let name = Some(Name::parse("deck").expect("a name"));
        ChannelRecord { id: "chn_1".parse().expect("an id"), name, topic: Some("Plans".into()), visibility }
    }

    fn read(value: Value) -> Option<Result<ChannelRecord, Refusal>> {
        let context = DecodeContext::history(Timestamp::from_millis(7));
        ChannelRecord::decode(&decode_value(Dialect::Native, value, &context).expect("a native line"))
    }

    #[test]
    fn a_record_is_a_native_line_that_decodes_to_the_same_record() {
        let value = record(Visibility::Private).encode().expect("a line");
        assert_eq!((&value["frame"], read(value.clone())), (&"signal".into(), Some(Ok(record(Visibility::Private)))));
    }

    #[test]
    fn an_invalid_record_is_refused_and_other_frames_are_none() {
        let mut value = record(Visibility::Private).encode().expect("a line");
        value["metadata"]["parlour"]["channel"]["visibility"] = "secret".into();
        let refused = read(value.clone()).expect("a record").expect_err("invalid");
        assert_eq!(refused.field.as_deref(), Some("metadata.parlour.channel"));
        value["metadata"] = json!({"jaibber": {}});
        assert_eq!(read(value), None);
    }

    #[test]
    fn of_two_records_the_stricter_visibility_counts() {
        for (one, other) in [(Visibility::Private, Visibility::Project), (Visibility::Project, Visibility::Private)] {
            let mut joined = record(one);
            joined.join(record(other));
            assert_eq!(joined, record(Visibility::Private));
        }
    }
}
