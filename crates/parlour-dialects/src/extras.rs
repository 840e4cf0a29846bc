//! Native fields that a foreign form cannot express.
//!
//! [`missing`] compares a message with the message that a reader decodes from its foreign form, and returns the fields
//! that differ. [`restore`] sets them again. Together they make every round trip lossless.

use std::borrow::Cow;

use parlour_core::{
    Refusal, Timestamp,
    author::{Author, AuthorType},
    call::HeldCall,
    conversation::ConversationType,
    engine::Usage,
    id::{AgentId, ArtifactId, ConversationId, MemberId, MessageId, ProjectId, ThreadId},
    message::{Attachment, Cause, Importance, Kind, Message, MessageContext, State},
    question::{AnswerTo, Question},
    reaction::Reaction,
    step::Step,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    DecodeContext, Item,
    json::{Json, Object},
};

/// The field of a foreign message that contains the extras.
pub const KEY: &str = "parlour";

macro_rules! extras {
    ($($field:ident as $name:literal),+ $(,)?) => {
        /// The fields of `message` that differ from `decoded`, by native names; none if they are equal.
        pub(crate) fn extras_of<'a>(message: &'a Message, decoded: &Message) -> Option<Object<'a>> {
            // The pattern names every field, so a new field cannot be forgotten.
            let Message { $($field),+ } = message;
            let mut extras: Vec<(Cow<'a, str>, Json<'a>)> = Vec::new();
            $(if *$field != decoded.$field {
                extras.push((Cow::Borrowed($name), $field.to_json()));
            })+
            (!extras.is_empty()).then(|| Object::from_unsorted(extras))
        }

        /// Sets the fields of a message from its extras.
        pub(crate) fn restore_object(message: &mut Message, extras: Object<'_>) -> Result<(), Refusal> {
            for (name, value) in extras {
                match name.as_ref() {
                    $($name => message.$field = deserialize_field(&name, value)?,)+
                    _ => return Err(Refusal::invalid("unknown field of a message").at(&name)),
                }
            }
            Ok(())
        }
    };
}

extras! {
    id as "id",
    project_id as "project_id",
    conversation_type as "type",
    to as "to",
    seq as "seq",
    from as "from",
    kind as "kind",
    body as "body",
    content as "content",
    mentions as "mentions",
    calls as "calls",
    held as "held",
    artifacts as "artifacts",
    attachments as "attachments",
    importance as "importance",
    blocking as "blocking",
    question as "question",
    answer_to as "answer_to",
    is_notice as "is_notice",
    reply_to as "reply_to",
    cause as "cause",
    correlation_id as "correlation_id",
    context as "context",
    state as "state",
    reason as "reason",
    steps as "steps",
    usage as "usage",
    metadata as "metadata",
    created_at as "created_at",
    edited_at as "edited_at",
    removed_at as "removed_at",
    thread_id as "thread_id",
    reactions as "reactions",
}

/// The fields of `message` that differ from `decoded`, by native names; none if they are equal.
pub fn missing(message: &Message, decoded: &Message) -> Option<Map<String, Value>> {
    extras_of(message, decoded).map(Object::into_map)
}

/// Sets the fields of a message from its extras.
pub fn restore(message: &mut Message, extras: Map<String, Value>) -> Result<(), Refusal> {
    restore_object(message, extras.into())
}

/// Takes the extras out of an object and restores them.
pub(crate) fn take_and_restore(message: &mut Message, object: &mut Object<'_>) -> Result<(), Refusal> {
    object.take(KEY).map_or(Ok(()), |extras| restore_json(message, extras))
}

/// Restores extras; refuses anything but an object.
pub(crate) fn restore_json(message: &mut Message, extras: Json<'_>) -> Result<(), Refusal> {
    match extras {
        Json::Object(extras) => restore_object(message, extras).map_err(|refusal| refusal.at(KEY)),
        _ => Err(Refusal::invalid("this must be an object with fields of a native message").at(KEY)),
    }
}

/// Adds to a foreign form the fields of the item that a reader cannot decode from it.
///
/// `decode` is the decoder of the dialect, and `put` puts the extras into the form. The time of decoding differs from
/// that of the message, so that the extras of a dialect without times contain it.
pub(crate) fn with_extras<'a>(
    item: &'a Item,
    mut form: Object<'a>,
    decode: impl FnOnce(Object<'a>, &DecodeContext) -> Result<Item, Refusal>,
    put: impl FnOnce(&mut Object<'a>, Object<'a>),
) -> Object<'a> {
    let decoded = decode_or_empty(item, |decode_context| decode(form.clone(), decode_context));
    if let Some(extras) = extras_of(&item.message, &decoded) {
        put(&mut form, extras);
    }
    form
}

fn decode_or_empty(item: &Item, decode: impl FnOnce(&DecodeContext) -> Result<Item, Refusal>) -> Message {
    let decode_context = DecodeContext::history(item.message.created_at.plus_millis(1));
    match decode(&decode_context) {
        Ok(decoded) => decoded.message,
        // The form cannot be decoded, so everything becomes an extra. Property tests check that this does not happen.
        Err(_) => Item::signal("", Value::Null, decode_context.now).message,
    }
}

fn deserialize_field<T: DeserializeOwned>(name: &str, value: Json<'_>) -> Result<T, Refusal> {
    T::deserialize(value).map_err(|error| Refusal::invalid(error.to_string()).at(name))
}

/// A borrowed JSON value that equals the serialised one.
pub(super) trait ToJson {
    fn to_json(&self) -> Json<'_>;
}

macro_rules! ids_to_json {
    ($($id:ident),+) => { $(impl ToJson for $id {
        fn to_json(&self) -> Json<'_> {
            self.as_str().into()
        }
    })+ };
}

ids_to_json!(AgentId, ArtifactId, ConversationId, MemberId, MessageId, ProjectId, ThreadId);

macro_rules! names_to_json {
    ($($name:ident { $($variant:ident = $text:literal),+ })+) => { $(impl ToJson for $name {
        fn to_json(&self) -> Json<'_> {
            Json::from(match self { $(Self::$variant => $text),+ })
        }
    })+ };
}

names_to_json! {
    Kind { User = "user", Assistant = "assistant", System = "system", ToolResult = "tool_result", Host = "host" }
    Importance { Normal = "normal", High = "high", Critical = "critical" }
    ConversationType { Channel = "channel", Thread = "thread", Dm = "dm" }
    State {
        Streaming = "streaming", Complete = "complete", Failed = "failed", Cancelled = "cancelled",
        Interrupted = "interrupted"
    }
    AuthorType {
        Person = "person", Agent = "agent", Applet = "applet", Scheduler = "scheduler", Tool = "tool", Host = "host",
        System = "system"
    }
}

/// Rare and nested fields are serialised to an owned value.
macro_rules! serialize_to_json {
    ($($name:ident),+) => { $(impl ToJson for $name {
        fn to_json(&self) -> Json<'_> {
            serialized(self)
        }
    })+ };
}

serialize_to_json!(HeldCall, Attachment, Question, AnswerTo, Step, Usage, Reaction);

fn serialized(value: &impl Serialize) -> Json<'static> {
    Json::from(serde_json::to_value(value).expect("fields of a message are plain data"))
}

impl ToJson for String {
    fn to_json(&self) -> Json<'_> {
        self.as_str().into()
    }
}

impl ToJson for bool {
    fn to_json(&self) -> Json<'_> {
        (*self).into()
    }
}

impl ToJson for u64 {
    fn to_json(&self) -> Json<'_> {
        (*self).into()
    }
}

impl ToJson for Timestamp {
    fn to_json(&self) -> Json<'_> {
        self.to_string().into()
    }
}

impl ToJson for Value {
    fn to_json(&self) -> Json<'_> {
        Json::of(self)
    }
}

impl ToJson for Map<String, Value> {
    fn to_json(&self) -> Json<'_> {
        Object::of(self).into()
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Json<'_> {
        self.as_ref().map_or(Json::Null, ToJson::to_json)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Json<'_> {
        Json::List(self.iter().map(ToJson::to_json).collect())
    }
}

impl ToJson for Author {
    fn to_json(&self) -> Json<'_> {
        let id = self.id.iter().map(|id| ("id", id.to_json()));
        object(id.chain([("name", self.name.to_json()), ("type", self.author_type.to_json())]))
    }
}

impl ToJson for Cause {
    fn to_json(&self) -> Json<'_> {
        let agents = (!self.agents.is_empty()).then(|| ("agents", self.agents.to_json()));
        let fields = [("chain", self.chain.to_json()), ("depth", Json::from(u64::from(self.depth)))];
        object(agents.into_iter().chain(fields).chain(self.message_id.iter().map(|id| ("message_id", id.to_json()))))
    }
}

impl ToJson for MessageContext {
    fn to_json(&self) -> Json<'_> {
        let batch = self.batch_id.iter().map(|id| ("batch_id", Json::from(id.as_str())));
        let task = self.task_id.iter().map(|id| ("task_id", Json::from(id.as_str())));
        object(batch.chain([("project_id", self.project_id.to_json())]).chain(task))
    }
}

fn object<'a>(fields: impl Iterator<Item = (&'static str, Json<'a>)>) -> Json<'a> {
    Object::from_unsorted(fields.map(|(name, value)| (Cow::Borrowed(name), value)).collect()).into()
}

#[cfg(test)]
mod tests {
    use parlour_core::id::ChannelId;
    use serde_json::json;

    use super::*;

    fn plain() -> Message {
        let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1).into());
        let at = Timestamp::from_millis(0);
        Message::plain(MessageId::from_bits(1), project, channel, Author::host(), "Hello".into(), at)
    }

    #[test]
    fn extras_contain_only_differences_and_can_be_restored() {
        let message = Message { importance: Importance::High, correlation_id: Some("c".into()), ..plain() };
        let extras = missing(&message, &plain()).expect("two fields");
        assert_eq!(Value::Object(extras.clone()), json!({"importance": "high", "correlation_id": "c"}));
        let mut decoded = plain();
        restore(&mut decoded, extras).expect("own extras");
        assert_eq!((decoded, missing(&plain(), &plain())), (message, None));
    }

    #[test]
    fn invalid_extras_are_refused_with_their_name() {
        for (value, field) in [
            (json!({"importance": "huge"}), "parlour.importance"),
            (json!(5), "parlour"),
            (json!({"x": 1}), "parlour.x"),
        ] {
            let mut object = Object::from(Map::from_iter([("parlour".to_owned(), value)]));
            let refused = take_and_restore(&mut plain(), &mut object).expect_err("no extras of ours");
            assert_eq!(refused.field.as_deref(), Some(field));
        }
    }

    fn check<T: ToJson + Serialize>(value: &T) {
        assert_eq!(value.to_json().into_value(), serde_json::to_value(value).expect("plain data"));
    }

    #[test]
    fn borrowed_json_equals_the_serialised_form() {
        let author = |id: Option<&str>| Author {
            author_type: AuthorType::Agent,
            id: id.map(str::to_owned),
            name: "Coder".into(),
        };
        check(&author(Some("agt_1")));
        check(&author(None));
        let agents = vec!["agt_1".parse().expect("an id")];
        check(&Cause { depth: 2, chain: vec!["a".into()], agents, message_id: Some(MessageId::from_bits(1)) });
        check(&Cause { depth: 0, chain: Vec::new(), agents: Vec::new(), message_id: None });
        let (project_id, task_id) = (ProjectId::from_bits(1), Some("tsk_1".parse().expect("an id")));
        check(&MessageContext {
            project_id: project_id.clone(),
            task_id,
            batch_id: Some("bat_1".parse().expect("id")),
        });
        check(&MessageContext { project_id, task_id: None, batch_id: None });
        check(&Timestamp::from_millis(5));
        check(&Some(json!({"a": [1, null]})));
        check(&None::<String>);
    }

    #[test]
    fn enum_names_equal_the_serialised_ones() {
        use AuthorType::{Agent, Applet, Person, Scheduler, Tool};
        [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host].iter().for_each(check);
        [Importance::Normal, Importance::High, Importance::Critical].iter().for_each(check);
        [ConversationType::Channel, ConversationType::Thread, ConversationType::Dm].iter().for_each(check);
        [State::Streaming, State::Complete, State::Failed, State::Cancelled, State::Interrupted].iter().for_each(check);
        [Person, Agent, Applet, Scheduler, Tool, AuthorType::Host, AuthorType::System].iter().for_each(check);
    }
}
