//! A request to post a message, as a surface hands it to the hub.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::{
    Refusal,
    artifact::{check_filename, check_media_type},
    cause::ClaimedCause,
    id::{ArtifactId, BatchId, ChannelId, ConversationId, DmId, MessageId, ProjectId, TaskId, ThreadId},
    limits,
    message::{Attachment, Importance, Kind},
    question::NewQuestion,
    text,
};

/// A request to post a message. The caller's token decides the author.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PostMessage {
    /// The client's own id for the message: repeating it gives the first answer again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<MessageId>,
    /// The channel to post to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<ChannelId>,
    /// The thread to post to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// The DM to post to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dm_id: Option<DmId>,
    /// The project. It follows from the conversation; a given one must agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The text, in Markdown.
    #[serde(deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable, max_length = 65536))]
    pub body: String,
    /// Structured content in addition to the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub content: Option<Value>,
    /// Members to call, by name or id, besides those named in the text.
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 50))]
    #[serde(deserialize_with = "null_as_default")]
    pub mentions: Vec<String>,
    /// Artifacts to carry.
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 20))]
    #[serde(deserialize_with = "null_as_default")]
    pub artifacts: Vec<ArtifactId>,
    /// Files to go with it.
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 20))]
    #[serde(deserialize_with = "null_as_default")]
    pub attachments: Vec<Attachment>,
    /// Whether the addressed agents are to pause for it.
    #[serde(deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub blocking: bool,
    /// The question of a blocking message: options, schema, expiry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<NewQuestion>,
    /// The importance.
    #[serde(deserialize_with = "null_as_default")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub importance: Importance,
    /// The role for a model; `user` for people and `assistant` for agents by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The message it answers, in the same conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<MessageId>,
    /// Further messages that it answers, in the conversation of `reply_to`: an agent that got several calls in one prompt
    /// lists them here. Their open calls end with this message. Other ids are ignored.
    #[serde(deserialize_with = "null_as_default", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(nullable, max_items = 50))]
    pub answers: Vec<MessageId>,
    /// The chain of agents that the sender claims; it can only extend the hub's own record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<ClaimedCause>,
    /// Whether the message only informs: a notice calls no agent, whomever it mentions.
    #[serde(deserialize_with = "null_as_default", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub is_notice: bool,
    /// Confirms that the sender wants to call everybody whom a wide mention (`@everyone`, `@agents`) calls.
    #[serde(deserialize_with = "null_as_default", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub confirm_wide: bool,
    /// The task and batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<NewMessageContext>,
    /// The correlation id of calls between agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub correlation_id: Option<String>,
    /// Whether the text follows in chunks. The message starts with `body`, which may be empty.
    #[serde(deserialize_with = "null_as_default", skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schema(nullable))]
    pub stream: bool,
    /// Free data of the sender.
    #[cfg_attr(feature = "schema", schema(value_type = Object, nullable))]
    #[serde(deserialize_with = "null_as_default")]
    pub metadata: Map<String, Value>,
}

/// The task and batch of a new message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct NewMessageContext {
    /// The project; must be that of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The task it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The batch it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<BatchId>,
}

/// Reads null like an absent field, so that a client may send every field.
pub(crate) fn null_as_default<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(input)?.unwrap_or_default())
}

/// Reads null as the value null instead of an absent field, so that a value is read back as it was written.
pub(crate) fn null_as_value<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

/// A fingerprint of a request: equal for a repeated request, different for another one under the same id.
pub type PostDigest = [u8; 16];

impl PostMessage {
    /// The conversation it is meant for; exactly one must be named.
    pub fn conversation(&self) -> Result<ConversationId, Refusal> {
        let named = [
            self.channel_id.clone().map(ConversationId::from),
            self.thread_id.clone().map(ConversationId::from),
            self.dm_id.clone().map(ConversationId::from),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Refusal::invalid("give exactly one of channel_id, thread_id and dm_id").at("channel_id")),
        }
    }

    /// Refuses a request with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        text::check_bytes(&self.body, limits::MESSAGE_BODY_BYTES_MAX).map_err(|refusal| refusal.at("body"))?;
        let may_be_blank =
            self.stream || self.content.is_some() || !self.artifacts.is_empty() || !self.attachments.is_empty();
        if !may_be_blank {
            text::check_not_blank(&self.body).map_err(|refusal| refusal.at("body"))?;
        }
        check_json("content", self.content.as_ref(), limits::MESSAGE_CONTENT_BYTES_MAX)?;
        check_json("metadata", Some(&self.metadata), limits::MESSAGE_METADATA_BYTES_MAX)?;
        check_count("mentions", self.mentions.len(), limits::MENTIONS_MAX)?;
        check_count("artifacts", self.artifacts.len(), limits::ARTIFACTS_PER_MESSAGE_MAX)?;
        check_count("answers", self.answers.len(), limits::CONTEXT_TOGETHER_MAX)?;
        if !self.answers.is_empty() && self.reply_to.is_none() {
            return Err(
                Refusal::invalid("answers lists further messages; name the first one in reply_to").at("reply_to")
            );
        }
        check_correlation_id(self.correlation_id.as_deref())?;
        self.cause.as_ref().map_or(Ok(()), ClaimedCause::check)?;
        self.check_question()?;
        check_attachments(&self.attachments)
    }

    /// Refuses a question without `blocking`, and a question of a streaming message.
    fn check_question(&self) -> Result<(), Refusal> {
        if self.question.is_some() && !self.blocking {
            return Err(
                Refusal::invalid("only a blocking message can carry a question; set blocking to true").at("blocking")
            );
        }
        if self.blocking && self.stream {
            return Err(Refusal::invalid("a blocking message cannot be streamed").at("stream"));
        }
        self.question.as_ref().map_or(Ok(()), NewQuestion::check).map_err(|refusal| refusal.at("question"))
    }

    /// Refuses a request that names another project than the one its conversation is in.
    pub fn check_project(&self, actual: &ProjectId) -> Result<(), Refusal> {
        let claims = [
            ("project_id", self.project_id.as_ref()),
            ("context.project_id", self.context.as_ref().and_then(|context| context.project_id.as_ref())),
        ];
        for (field, claim) in claims {
            if claim.is_some_and(|claim| claim != actual) {
                return Err(Refusal::invalid("the conversation belongs to another project").at(field));
            }
        }
        Ok(())
    }

    /// The digest that distinguishes a repeated request from another one under the same id.
    pub fn digest(&self) -> PostDigest {
        digest_of(&serde_json::to_value(self).expect("a request is plain data"))
    }
}

/// The digest of a request in its JSON form.
pub(crate) fn digest_of(request: &Value) -> PostDigest {
    let mut hasher = Sha256::new();
    hash_value(request, &mut hasher);
    let mut digest = PostDigest::default();
    digest.copy_from_slice(&hasher.finalize()[..16]);
    digest
}

/// Hashes a value independent of the order of keys; different values give different input.
fn hash_value(value: &Value, hasher: &mut Sha256) {
    match value {
        Value::Object(fields) => {
            let mut keys: Vec<_> = fields.keys().collect();
            keys.sort_unstable();
            hasher.update(format!("{{{}", keys.len()));
            for key in keys {
                hash_value(&Value::String(key.clone()), hasher);
                hash_value(&fields[key], hasher);
            }
        }
        Value::Array(items) => {
            hasher.update(format!("[{}", items.len()));
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        Value::String(text) => {
            hasher.update(format!("\"{}:", text.len()));
            hasher.update(text);
        }
        plain => hasher.update(format!("{plain};")),
    }
}

pub(crate) fn check_count(field: &str, count: usize, most: usize) -> Result<(), Refusal> {
    if count <= most {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{field} has {count} items; at most {most} are allowed")).at(field))
}

pub(crate) fn check_json(field: &str, value: Option<&impl Serialize>, bytes_max: usize) -> Result<(), Refusal> {
    let Some(value) = value else { return Ok(()) };
    let bytes = serde_json::to_vec(value).map_or(usize::MAX, |json| json.len());
    if bytes <= bytes_max {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{field} has {bytes} bytes as JSON; at most {bytes_max} are allowed")).at(field))
}

pub(crate) fn check_correlation_id(correlation_id: Option<&str>) -> Result<(), Refusal> {
    let Some(id) = correlation_id else { return Ok(()) };
    let is_plain = !id.is_empty()
        && id.len() <= limits::CORRELATION_ID_CHARS_MAX
        && id.bytes().all(|byte| byte.is_ascii_graphic());
    if is_plain {
        return Ok(());
    }
    let detail = format!("a correlation id has 1 to {} visible ASCII characters", limits::CORRELATION_ID_CHARS_MAX);
    Err(Refusal::out_of_bounds(detail).at("correlation_id"))
}

pub(crate) fn check_attachments(attachments: &[Attachment]) -> Result<(), Refusal> {
    check_count("attachments", attachments.len(), limits::ATTACHMENTS_PER_MESSAGE_MAX)?;
    for (index, attachment) in attachments.iter().enumerate() {
        check_attachment(attachment).map_err(|refusal| refusal.at(&format!("attachments[{index}]")))?;
    }
    Ok(())
}

fn check_attachment(attachment: &Attachment) -> Result<(), Refusal> {
    check_filename(&attachment.filename)?;
    check_media_type(&attachment.media_type)?;
    if i64::try_from(attachment.size).is_err() {
        return Err(Refusal::out_of_bounds("the size is larger than any file can be").at("size"));
    }
    match (&attachment.artifact_id, &attachment.url) {
        (Some(_), None) => Ok(()),
        (None, Some(url)) => text::check_web_address(url).map_err(|refusal| refusal.at("url")),
        _ => Err(Refusal::invalid("an attachment needs exactly one of artifact_id and url").at("artifact_id")),
    }
}

#[cfg(test)]
mod tests;
