//! Imports: messages of another system, taken over into a conversation with their authors and times.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Timestamp,
    author::Author,
    id::{ArtifactId, ChannelId, MessageId, ThreadId},
    message::{Attachment, Importance, Kind, State},
    step::Step,
};

/// A message of another system.
///
/// Its author is one whom that system knew: the id names the system (`pynchy:…`), so it is never that of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportedMessage {
    /// Its id here. The same id is taken over once, however often it is sent.
    pub id: MessageId,
    /// Who wrote it there.
    pub from: Author,
    /// What it is to a model.
    pub kind: Kind,
    /// The text.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(max_length = 65536))]
    pub body: String,
    /// A structured form of what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// Artifacts that it carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 20))]
    pub artifacts: Vec<ArtifactId>,
    /// Files that go with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 20))]
    pub attachments: Vec<Attachment>,
    /// How much it matters.
    #[serde(default)]
    pub importance: Importance,
    /// The message it answers, by its id here. It is left out when that message is not in the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// What ties it to calls between agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// How it ended; never `streaming`.
    #[serde(default)]
    pub state: State,
    /// Why it ended without being complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its producer did on the way to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 200))]
    pub steps: Vec<Step>,
    /// What is noted beside it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub metadata: Map<String, Value>,
    /// When it was written there.
    pub created_at: Timestamp,
}

/// The wish to take over messages, in the order in which they are to stand. Only administrators may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ImportMessages {
    /// The channel to put them into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The thread to put them into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The messages, oldest first.
    #[cfg_attr(feature = "schema", schema(min_items = 1, max_items = 100))]
    pub messages: Vec<ImportedMessage>,
}

/// What has become of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportOutcome {
    /// Messages that were written.
    pub stored: u64,
    /// Messages that were there already.
    pub known: u64,
}
