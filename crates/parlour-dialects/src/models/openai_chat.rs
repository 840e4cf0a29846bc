//! Chat completions: the messages of a request to OpenAI, and to the many servers that imitate it.

mod check;
mod decode;

use serde::{Deserialize, Serialize};

pub use self::{check::check, decode::decode};
use super::{
    Call, Turn, Turns,
    alternating::{self, NO_QUESTION, Results, Side, some},
    texts,
};

/// Whom a list is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Server {
    /// OpenAI itself: every message stands for itself and has the name of its author.
    OpenAi,
    /// A server that imitates it. Some of these refuse names, calls, two messages of one side in a row, and system
    /// messages anywhere but at the beginning; so there are none.
    Lookalike,
}

/// The part of a request that says what was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What was said, oldest first.
    pub messages: Vec<Message>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// Lasting context.
    System {
        /// The text.
        #[serde(deserialize_with = "texts::joined")]
        content: String,
    },
    /// Anybody but the model.
    User {
        /// The text.
        #[serde(deserialize_with = "texts::joined")]
        content: String,
        /// Who it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The model.
    Assistant {
        /// The text.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "texts::joined_if_any")]
        content: Option<String>,
        /// What it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
    },
    /// The result of one call.
    Tool {
        /// Which call.
        tool_call_id: String,
        /// What came out.
        #[serde(deserialize_with = "texts::joined")]
        content: String,
    },
}

/// One call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolCall {
    /// The only sort there is here.
    Function {
        /// What ties it to its result.
        id: String,
        /// What is called.
        function: Function,
    },
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// The tool.
    pub name: String,
    /// A JSON object, written as a text.
    pub arguments: String,
}

/// The turns as messages.
pub fn encode(turns: &Turns, server: Server) -> Request {
    let messages = match server {
        Server::OpenAi => each_for_itself(turns),
        Server::Lookalike => alternate(turns),
    };
    Request { messages }
}

fn each_for_itself(turns: &Turns) -> Vec<Message> {
    let mut messages: Vec<Message> =
        some(&turns.instructions).map(|content| Message::System { content }).into_iter().collect();
    for turn in &turns.list {
        match turn {
            Turn::System(text) => messages.push(Message::System { content: text.clone() }),
            Turn::User { name, text } => {
                let name = name.clone().filter(|name| is_name(name));
                messages.push(Message::User { content: text.clone(), name });
            }
            Turn::Assistant { text, calls } => {
                let tool_calls = calls.iter().map(tool_call).collect();
                messages.push(Message::Assistant { content: some(text), tool_calls });
                messages.extend(calls.iter().map(result));
            }
        }
    }
    if turns.list.is_empty() {
        messages.push(Message::User { content: NO_QUESTION.to_owned(), name: None });
    }
    messages
}

fn alternate(turns: &Turns) -> Vec<Message> {
    let without_calls = Turns { list: turns.list.iter().filter_map(without_calls).collect(), ..turns.clone() };
    let system = some(&alternating::system_of(turns)).map(|content| Message::System { content });
    let sides = alternating::sides(&without_calls, Results::Alone);
    let message = |side| match side {
        Side::User { text, .. } => Message::User { content: text, name: None },
        Side::Assistant { text, .. } => Message::Assistant { content: Some(text), tool_calls: Vec::new() },
    };
    system.into_iter().chain(sides.into_iter().map(message)).collect()
}

fn without_calls(turn: &Turn) -> Option<Turn> {
    match turn {
        Turn::Assistant { text, .. } => some(text).map(|text| Turn::Assistant { text, calls: Vec::new() }),
        other => Some(other.clone()),
    }
}

fn tool_call(call: &Call) -> ToolCall {
    ToolCall::Function {
        id: call.id.clone(),
        function: Function { name: call.name.clone(), arguments: call.arguments() },
    }
}

fn result(call: &Call) -> Message {
    Message::Tool { tool_call_id: call.id.clone(), content: call.told_output() }
}

/// Whether a name can stand in its field.
fn is_name(name: &str) -> bool {
    let is_refused = |sign: char| sign.is_whitespace() || matches!(sign, '<' | '|' | '\\' | '/' | '>');
    !name.is_empty() && name.chars().count() <= 64 && !name.contains(is_refused)
}
