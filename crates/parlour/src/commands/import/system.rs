//! The systems whose histories are taken over.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_core::Refusal;
use parlour_dialects::Dialect;
use serde_json::Value;

/// A system from which messages are imported and to which they are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    Pynchy,
    Jaibber,
    Caco,
    Tkr,
    Zen,
    Native,
}

pub(crate) fn system() -> impl TypedValueParser<Value = System> {
    PossibleValuesParser::new(System::ALL.map(System::as_str)).try_map(|name| System::named(&name))
}

impl System {
    pub(super) const ALL: [Self; 6] = [Self::Pynchy, Self::Jaibber, Self::Caco, Self::Tkr, Self::Zen, Self::Native];

    fn named(name: &str) -> Result<Self, Refusal> {
        let found = Self::ALL.into_iter().find(|system| system.as_str() == name);
        found.ok_or_else(|| Refusal::invalid(format!("unknown system {name:?}")))
    }

    /// The name on the command line and in topics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            _ => self.dialect().as_str(),
        }
    }

    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Self::Pynchy => Dialect::Pynchy,
            Self::Jaibber => Dialect::Jaibber,
            Self::Caco => Dialect::Caco,
            Self::Tkr => Dialect::Tkr,
            Self::Zen => Dialect::Zen,
            Self::Native => Dialect::Native,
        }
    }

    /// The prefix of author ids of this system.
    pub(super) fn author_prefix(self) -> &'static str {
        match self {
            Self::Native => "parlour",
            _ => self.as_str(),
        }
    }

    /// The id of a conversation in the source system, for names and topics. The dialect decides which messages belong
    /// together.
    pub(super) fn conversation_of(self, value: &Value) -> Option<String> {
        if self == Self::Zen && value.get("type").and_then(Value::as_str).is_some_and(|sort| sort != "channel") {
            return zen_side_talk(value);
        }
        let mut texts = self.conversation_fields().iter().filter_map(|name| value.get(name)?.as_str());
        texts.find(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Sets the conversation of a message.
    pub(crate) fn put_conversation(self, value: &mut Value, foreign: &str) {
        for name in self.conversation_fields() {
            if let Some(field) = value.get_mut(name) {
                *field = foreign.into();
            }
        }
    }

    /// The fields with the conversation; the first that is not empty is used.
    fn conversation_fields(self) -> &'static [&'static str] {
        match self {
            Self::Pynchy => &["chat_jid"],
            Self::Jaibber => &["projectId"],
            Self::Tkr => &["sessionId", "session_id"],
            Self::Zen => &["channel_id", "to"],
            Self::Caco | Self::Native => &[],
        }
    }
}

/// The key of a DM or thread of zen: its members, or its root message.
fn zen_side_talk(value: &Value) -> Option<String> {
    if let Some(root) = value.get("root").and_then(Value::as_str) {
        return Some(format!("thread {root}"));
    }
    let pair = ["a", "b"].map(|name| value.get(name).and_then(Value::as_str));
    let members = value.get("members").and_then(Value::as_array).into_iter().flatten().map(Value::as_str);
    let mut names: Vec<&str> = pair.into_iter().chain(members).flatten().collect();
    names.sort_unstable();
    (!names.is_empty()).then(|| format!("dm {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_system_is_found_by_its_name() {
        for system in System::ALL {
            assert_eq!(System::named(system.as_str()), Ok(system));
        }
        assert!(System::named("icq").is_err());
    }

    #[test]
    fn dms_and_threads_of_zen_are_distinguished_from_their_channel() {
        for (value, name) in [
            (json!({"type": "channel", "channel_id": "ch:demo:general"}), Some("ch:demo:general")),
            (json!({"type": "thread", "channel_id": "ch:demo:general", "root": "c:1"}), Some("thread c:1")),
            (json!({"type": "dm", "members": ["b", "a"]}), Some("dm a, b")),
            (json!({"type": "dm", "a": "b", "b": "a"}), Some("dm a, b")),
            (json!({"type": "dm"}), None),
        ] {
            assert_eq!(System::Zen.conversation_of(&value).as_deref(), name, "{value}");
        }
    }

    #[test]
    fn each_system_has_its_own_conversation_field() {
        let value = json!({"chat_jid": "1203@g.us", "sessionId": "s-1", "projectId": ""});
        assert_eq!(System::Pynchy.conversation_of(&value).as_deref(), Some("1203@g.us"));
        assert_eq!(System::Tkr.conversation_of(&value).as_deref(), Some("s-1"));
        assert_eq!(System::Jaibber.conversation_of(&value), None);
        assert_eq!(System::Native.conversation_of(&value), None);
    }

    #[test]
    fn of_two_spellings_of_the_session_field_the_one_of_the_dialect_is_used() {
        for (value, name) in [
            (json!({"session_id": "new", "sessionId": "old"}), Some("old")),
            (json!({"session_id": "new", "sessionId": ""}), Some("new")),
            (json!({"session_id": "new", "sessionId": null}), Some("new")),
            (json!({"session_id": "", "sessionId": "old"}), Some("old")),
            (json!({"session_id": ""}), None),
        ] {
            assert_eq!(System::Tkr.conversation_of(&value).as_deref(), name, "{value}");
        }
    }
}
