//! What a body of the protocol asks for, read just far enough to let it in or not.

use parlour_core::{Code, Refusal, rate::Cost};
use serde_json::Value;

use super::tools;
use crate::extract::json;

/// The part of a message that decides what it costs and whether it opens a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Envelope {
    method: String,
    tool: Option<String>,
}

impl Envelope {
    /// Reads a body. What is nested too deeply or says something twice is refused here, as in every body; what is no
    /// message of the protocol is left to the protocol to refuse.
    pub(super) fn read(body: &[u8]) -> Result<Self, Refusal> {
        match json::read_value(body) {
            Ok(value) => Ok(Self::of(&value)),
            Err(refusal) if refusal.code == Code::MalformedJson => Ok(Self::default()),
            Err(refusal) => Err(refusal),
        }
    }

    fn of(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let method = text(&value["method"]).unwrap_or_default();
        let tool = text(&value["params"]["name"]).filter(|_| method == "tools/call");
        Self { method, tool }
    }

    /// Whether it wants a session to be opened.
    pub(super) fn opens_session(&self) -> bool {
        self.method == "initialize"
    }

    /// What it costs: tools that change something cost as much as the routes that do the same, all else is reading.
    pub(super) fn cost(&self) -> Cost {
        let is_change = self.tool.as_deref().is_some_and(tools::changes_something);
        if is_change { Cost::Change } else { Cost::Read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(body: &str) -> Envelope {
        Envelope::read(body.as_bytes()).expect("a body")
    }

    #[test]
    fn only_tools_that_change_something_cost_like_a_change() {
        let call = |tool: &str| format!(r#"{{"method":"tools/call","params":{{"name":"{tool}"}}}}"#);
        assert_eq!(envelope(&call("post_message")).cost(), Cost::Change);
        for body in [call("channel_history"), call("unknown"), r#"{"method":"tools/list"}"#.to_owned()] {
            assert_eq!(envelope(&body).cost(), Cost::Read, "{body}");
        }
    }

    #[test]
    fn a_session_is_opened_by_initialize_alone() {
        assert!(envelope(r#"{"method":"initialize"}"#).opens_session());
        assert!(!envelope(r#"{"method":"tools/call","params":{"name":"initialize"}}"#).opens_session());
    }

    #[test]
    fn hostile_bodies_are_refused_and_no_messages_are_left_to_the_protocol() {
        for body in ["", "nonsense", "[]", "7", r#"{"method":7}"#] {
            assert_eq!(envelope(body), Envelope::default(), "{body}");
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(Envelope::read(deep.as_bytes()).expect_err("deep").code, Code::TooDeep);
        let twice = Envelope::read(br#"{"method":"a","method":"b"}"#);
        assert_eq!(twice.expect_err("twice").code, Code::DuplicateKey);
    }
}
