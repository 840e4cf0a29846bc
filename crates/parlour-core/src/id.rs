//! Ids: one type for each kind of object, with its own prefix, safe as a key, a subject token or a file name.

use std::{fmt, str::FromStr, sync::Arc};

use crate::{Refusal, limits};

/// The digits of generated ids: no I, L, O or U, and in ASCII order, so ids sort by their time.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Writes 128 bits as 26 digits; bits that start with a time sort by that time.
fn encode_bits(bits: u128) -> String {
    (0..26).rev().map(|digit| DIGITS[(bits >> (digit * 5)) as usize & 31] as char).collect()
}

/// Whether `text` is `prefix_` followed by 1 to `ID_TAIL_CHARS_MAX` letters, digits, `_` or `-`.
fn is_id(prefix: &str, text: &str) -> bool {
    let Some(tail) = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')) else { return false };
    (1..=limits::ID_TAIL_CHARS_MAX).contains(&tail.len())
        && tail.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $noun:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The prefix of every id of this type, without the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Makes an id from 128 bits that start with the time in milliseconds.
            pub fn from_bits(bits: u128) -> Self {
                Self(format!("{}_{}", $prefix, encode_bits(bits)).into())
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = Refusal;

            fn from_str(text: &str) -> Result<Self, Refusal> {
                if is_id($prefix, text) { Ok(Self(text.into())) } else { Err(Refusal::bad_id($noun, $prefix, text)) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }

        text_serde!($name, as_str);
        text_schema!(
            $name,
            concat!("^", $prefix, "_[A-Za-z0-9_-]{1,60}$"),
            concat!($prefix, "_01KA3V8Q2N7W4T9Y6B5C0D1E2F")
        );
    };
}

/// Serialises a type as its text, which it has (`as_str`) or writes (`Display`), and reads it back through `FromStr`.
macro_rules! text_serde {
    ($name:ty, as_str) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.as_str())
            }
        }

        $crate::id::text_serde!(@read $name);
    };
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.collect_str(self)
            }
        }

        $crate::id::text_serde!(@read $name);
    };
    (@read $name:ty) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(input)?;
                text.parse().map_err(|refusal: $crate::Refusal| serde::de::Error::custom(refusal.detail))
            }
        }
    };
}
pub(crate) use text_serde;

/// Describes a type that is a text of a certain form, for the OpenAPI document.
macro_rules! text_schema {
    ($name:ty, $pattern:expr, $example:expr) => {
        #[cfg(feature = "schema")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some($pattern))
                    .examples([$example])
                    .into()
            }
        }

        #[cfg(feature = "schema")]
        impl utoipa::ToSchema for $name {}
    };
}
pub(crate) use text_schema;

id_type!(
    /// A project: the border of visibility, and the owner of one event log.
    ProjectId, "prj", "project"
);
id_type!(
    /// A person who writes and reads.
    PersonId, "per", "person"
);
id_type!(
    /// A program that takes part as a member of one project.
    AgentId, "agt", "agent"
);
id_type!(
    /// A channel of a project.
    ChannelId, "chn", "channel"
);
id_type!(
    /// A thread below one message of a channel.
    ThreadId, "thr", "thread"
);
id_type!(
    /// A direct conversation of a few members.
    DmId, "dm", "dm"
);
id_type!(
    /// A message. A client may bring its own: it is then the key that makes a retry harmless.
    MessageId, "msg", "message"
);
id_type!(
    /// A piece of work.
    TaskId, "tsk", "task"
);
id_type!(
    /// A group of tasks.
    BatchId, "bat", "batch"
);
id_type!(
    /// A stored file.
    ArtifactId, "art", "artifact"
);
id_type!(
    /// One turn of an agent.
    RunId, "run", "run"
);
id_type!(
    /// A credential of a member: a bearer token, a browser session, a certificate.
    TokenId, "tok", "token"
);
id_type!(
    /// An invite of agents into a project.
    InviteId, "inv", "invite"
);
id_type!(
    /// A text that was given to the model of a run.
    InjectionId, "inj", "injection"
);

macro_rules! id_union {
    ($(#[$doc:meta])* $name:ident, $noun:literal, $prefixes:literal, $example:literal,
     { $($(#[$variant_doc:meta])* $variant:ident($id:ident)),+ }) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant($id)),+ }

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                match self { $(Self::$variant(id) => id.as_str()),+ }
            }
        }

        $(impl From<$id> for $name {
            fn from(id: $id) -> Self {
                Self::$variant(id)
            }
        })+

        impl FromStr for $name {
            type Err = Refusal;

            fn from_str(text: &str) -> Result<Self, Refusal> {
                $(if is_id($id::PREFIX, text) { return text.parse().map(Self::$variant); })+
                Err(Refusal::bad_id($noun, $prefixes, text))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.as_str())
            }
        }

        text_serde!($name, as_str);
        text_schema!($name, concat!("^(", $prefixes, ")_[A-Za-z0-9_-]{1,60}$"), $example);
    };
}

id_union!(
    /// A member of a project: a person or an agent, distinguished by the prefix.
    MemberId, "member", "per|agt", "agt_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
    {
        /// A person.
        Person(PersonId),
        /// An agent.
        Agent(AgentId)
    }
);
id_union!(
    /// A conversation: a channel, a thread or a DM, distinguished by the prefix.
    ConversationId, "conversation", "chn|thr|dm", "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F",
    {
        /// A channel.
        Channel(ChannelId),
        /// A thread.
        Thread(ThreadId),
        /// A DM.
        Dm(DmId)
    }
);

impl MemberId {
    /// The agent's id, when this member is one.
    pub fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Agent(id) => Some(id),
            Self::Person(_) => None,
        }
    }

    /// The person's id, when this member is one.
    pub fn person(&self) -> Option<&PersonId> {
        match self {
            Self::Person(id) => Some(id),
            Self::Agent(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_names_its_type() {
        let id = ProjectId::from_bits(7);
        assert_eq!(id.as_str(), "prj_00000000000000000000000007");
        assert!(id.as_str().parse::<AgentId>().is_err());
    }

    #[test]
    fn hostile_ids_are_refused() {
        for tail in ["", " ", "a.b", "a*", "a>", "a:b", "a/b", "..", "a\0", "a\r\n", "é", &"x".repeat(61)] {
            let refusal = format!("msg_{tail}").parse::<MessageId>().expect_err(tail);
            assert_eq!(refusal.code.as_str(), "PARLOUR-I08");
        }
        for text in ["msg", "MSG_1", "_1", "", "msgx_1"] {
            assert!(text.parse::<MessageId>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_member_id_and_a_conversation_id_differ_by_prefix() {
        assert!(matches!("agt_1".parse(), Ok(MemberId::Agent(_))));
        assert!(matches!("per_1".parse(), Ok(MemberId::Person(_))));
        assert!(matches!("dm_1".parse(), Ok(ConversationId::Dm(_))));
        assert!("prj_1".parse::<ConversationId>().is_err());
    }

    #[test]
    fn the_error_of_a_wrong_id_in_json_names_the_expected_type() {
        let error = serde_json::from_str::<MessageId>("\"chn_1\"").expect_err("wrong prefix").to_string();
        assert!(error.contains("msg_"), "{error}");
    }

    proptest! {
        #[test]
        fn generated_ids_sort_like_their_bits(left: u128, right: u128) {
            let (a, b) = (MessageId::from_bits(left), MessageId::from_bits(right));
            prop_assert_eq!(a.cmp(&b), left.cmp(&right));
        }

        #[test]
        fn every_accepted_id_round_trips(tail in "[A-Za-z0-9_-]{1,60}") {
            let id: MessageId = format!("msg_{tail}").parse().expect("allowed characters");
            let json = serde_json::to_string(&id).expect("text");
            prop_assert_eq!(serde_json::from_str::<MessageId>(&json).expect("own text"), id);
        }

        #[test]
        fn a_parsed_id_is_the_text_it_was_parsed_from(text in ".*|(agt|per|chn|thr|dm)_[A-Za-z0-9_.-]{0,70}") {
            prop_assert!(text.parse::<MemberId>().map_or(true, |id| id.as_str() == text));
            prop_assert!(text.parse::<ConversationId>().map_or(true, |id| id.as_str() == text));
        }
    }
}
