//! The fields of a message as JSON, borrowed where they are texts.

use std::borrow::Cow;

use parlour_core::{
    Timestamp,
    author::{Author, AuthorType},
    call::Held,
    conversation::ConversationType,
    id::{AgentId, ArtifactId, ConversationId, MemberId, MessageId, ProjectId, ThreadId},
    message::{Attachment, Cause, Importance, Kind, MessageContext, State},
    question::{AnswerTo, Question},
    reaction::Reaction,
    step::Step,
    usage::Usage,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::{Json, Object};

/// What a field looks like natively; the same as its `Serialize` says.
pub(super) trait NativeForm {
    fn written(&self) -> Json<'_>;
}

macro_rules! written_ids {
    ($($id:ident),+) => { $(impl NativeForm for $id {
        fn written(&self) -> Json<'_> {
            self.as_str().into()
        }
    })+ };
}

written_ids!(AgentId, ArtifactId, ConversationId, MemberId, MessageId, ProjectId, ThreadId);

macro_rules! written_names {
    ($($name:ident { $($variant:ident = $text:literal),+ })+) => { $(impl NativeForm for $name {
        fn written(&self) -> Json<'_> {
            Json::from(match self { $(Self::$variant => $text),+ })
        }
    })+ };
}

written_names! {
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

/// Fields that are rare or deep are written as they are natively, whatever that costs.
macro_rules! written_as_usual {
    ($($name:ident),+) => { $(impl NativeForm for $name {
        fn written(&self) -> Json<'_> {
            usual(self)
        }
    })+ };
}

written_as_usual!(Held, Attachment, Question, AnswerTo, Step, Usage, Reaction);

fn usual(value: &impl Serialize) -> Json<'static> {
    Json::from(serde_json::to_value(value).expect("fields of a message are plain data"))
}

impl NativeForm for String {
    fn written(&self) -> Json<'_> {
        self.as_str().into()
    }
}

impl NativeForm for bool {
    fn written(&self) -> Json<'_> {
        (*self).into()
    }
}

impl NativeForm for u64 {
    fn written(&self) -> Json<'_> {
        (*self).into()
    }
}

impl NativeForm for Timestamp {
    fn written(&self) -> Json<'_> {
        self.to_string().into()
    }
}

impl NativeForm for Value {
    fn written(&self) -> Json<'_> {
        Json::of(self)
    }
}

impl NativeForm for Map<String, Value> {
    fn written(&self) -> Json<'_> {
        Object::of(self).into()
    }
}

impl<T: NativeForm> NativeForm for Option<T> {
    fn written(&self) -> Json<'_> {
        self.as_ref().map_or(Json::Null, NativeForm::written)
    }
}

impl<T: NativeForm> NativeForm for Vec<T> {
    fn written(&self) -> Json<'_> {
        Json::List(self.iter().map(NativeForm::written).collect())
    }
}

impl NativeForm for Author {
    fn written(&self) -> Json<'_> {
        let id = self.id.iter().map(|id| ("id", id.written()));
        object(id.chain([("name", self.name.written()), ("type", self.author_type.written())]))
    }
}

impl NativeForm for Cause {
    fn written(&self) -> Json<'_> {
        let agents = (!self.agents.is_empty()).then(|| ("agents", self.agents.written()));
        let fields = [("chain", self.chain.written()), ("depth", Json::from(u64::from(self.depth)))];
        object(agents.into_iter().chain(fields).chain(self.message_id.iter().map(|id| ("message_id", id.written()))))
    }
}

impl NativeForm for MessageContext {
    fn written(&self) -> Json<'_> {
        let batch = self.batch_id.iter().map(|id| ("batch_id", Json::from(id.as_str())));
        let task = self.task_id.iter().map(|id| ("task_id", Json::from(id.as_str())));
        object(batch.chain([("project_id", self.project_id.written())]).chain(task))
    }
}

fn object<'a>(fields: impl Iterator<Item = (&'static str, Json<'a>)>) -> Json<'a> {
    Object::gathered(fields.map(|(name, value)| (Cow::Borrowed(name), value)).collect()).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check<T: NativeForm + Serialize>(value: &T) {
        assert_eq!(value.written().into_value(), serde_json::to_value(value).expect("plain data"));
    }

    #[test]
    fn what_is_written_by_hand_is_what_the_native_form_says() {
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
    fn every_name_is_the_native_one() {
        use AuthorType::{Agent, Applet, Person, Scheduler, Tool};
        [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult, Kind::Host].iter().for_each(check);
        [Importance::Normal, Importance::High, Importance::Critical].iter().for_each(check);
        [ConversationType::Channel, ConversationType::Thread, ConversationType::Dm].iter().for_each(check);
        [State::Streaming, State::Complete, State::Failed, State::Cancelled, State::Interrupted].iter().for_each(check);
        [Person, Agent, Applet, Scheduler, Tool, AuthorType::Host, AuthorType::System].iter().for_each(check);
    }
}
