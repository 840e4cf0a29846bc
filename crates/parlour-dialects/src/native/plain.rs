//! Most lines are whole messages without the rarer fields. They are read without a value in between.

use std::{fmt, marker::PhantomData};

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    conversation::ConversationType,
    id::{AgentId, ArtifactId, BatchId, ConversationId, MemberId, MessageId, ProjectId, TaskId, ThreadId},
    message::{Attachment, Importance, Kind, Message, MessageContext, State},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value};

use crate::Item;

/// Reads a line that is a plain message; none when it is anything else, or wrong, and has to be read with care.
pub(crate) fn decode_plain(line: &[u8]) -> Option<Item> {
    // Checking the characters of the whole line is faster than those of each text by itself.
    let Object(plain) = serde_json::from_str::<Object<PlainMessage>>(str::from_utf8(line).ok()?).ok()?;
    Some(Item::message(plain.into_message()))
}

/// A message without the fields in which names could be lost: those are read with care.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainMessage {
    id: MessageId,
    project_id: ProjectId,
    #[serde(rename = "type")]
    conversation_type: ConversationType,
    to: ConversationId,
    seq: u64,
    from: Object<PlainAuthor>,
    kind: Kind,
    body: String,
    content: Option<Value>,
    #[serde(default)]
    mentions: Vec<MemberId>,
    #[serde(default)]
    calls: Vec<AgentId>,
    #[serde(default)]
    artifacts: Vec<ArtifactId>,
    #[serde(default)]
    attachments: Vec<Object<Attachment>>,
    importance: Importance,
    blocking: bool,
    #[serde(default)]
    is_notice: bool,
    reply_to: Option<MessageId>,
    correlation_id: Option<String>,
    context: Object<PlainContext>,
    state: State,
    reason: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
    created_at: Timestamp,
    edited_at: Option<Timestamp>,
    removed_at: Option<Timestamp>,
    thread_id: Option<ThreadId>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainAuthor {
    #[serde(rename = "type")]
    author_type: AuthorType,
    id: Option<String>,
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainContext {
    project_id: ProjectId,
    task_id: Option<TaskId>,
    batch_id: Option<BatchId>,
}

impl PlainMessage {
    fn into_message(self) -> Message {
        let Object(PlainAuthor { author_type, id, name }) = self.from;
        let Object(PlainContext { project_id, task_id, batch_id }) = self.context;
        let author = Author { author_type, id, name };
        let plain = Message::plain(self.id, self.project_id, self.to, author, self.body, self.created_at);
        Message {
            conversation_type: self.conversation_type,
            seq: self.seq,
            kind: self.kind,
            content: self.content,
            mentions: self.mentions,
            calls: self.calls,
            artifacts: self.artifacts,
            attachments: self.attachments.into_iter().map(|Object(attachment)| attachment).collect(),
            importance: self.importance,
            blocking: self.blocking,
            is_notice: self.is_notice,
            reply_to: self.reply_to,
            correlation_id: self.correlation_id,
            context: MessageContext { project_id, task_id, batch_id },
            state: self.state,
            reason: self.reason,
            metadata: self.metadata,
            edited_at: self.edited_at,
            removed_at: self.removed_at,
            thread_id: self.thread_id,
            ..plain
        }
    }
}

/// Something that is read from an object only. By itself a reader would also take a list of the values.
struct Object<T>(T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectVisitor(PhantomData)).map(Object)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}
