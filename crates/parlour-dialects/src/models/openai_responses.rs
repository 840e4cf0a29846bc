//! OpenAI's responses: the part of a request that says what was said.

mod check;
mod decode;

use serde::{Deserialize, Serialize};

pub use self::{check::check, decode::decode};
use super::{
    Call, Turn, Turns,
    alternating::{NO_QUESTION, some},
    texts,
};

/// The part of a request that says what was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What the model is told before everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What was said and called, oldest first.
    pub input: Vec<Item>,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Item {
    /// Something that was said.
    Message {
        /// By whom.
        role: Role,
        /// The text.
        #[serde(deserialize_with = "texts::joined")]
        content: String,
    },
    /// A call.
    FunctionCall {
        /// What ties it to its result.
        call_id: String,
        /// The tool.
        name: String,
        /// A JSON object, written as a text.
        arguments: String,
    },
    /// The result of a call.
    FunctionCallOutput {
        /// Which call.
        call_id: String,
        /// What came out.
        #[serde(deserialize_with = "texts::joined")]
        output: String,
    },
}

/// Who speaks. There is no field for a name: it stands in the label alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Lasting context.
    System,
    /// Everybody but the model.
    User,
    /// The model.
    Assistant,
}

/// The turns as items.
pub fn encode(turns: &Turns) -> Request {
    let mut input: Vec<Item> = turns.list.iter().flat_map(items).collect();
    if input.is_empty() {
        input.push(message(Role::User, NO_QUESTION));
    }
    Request { instructions: some(&turns.instructions), input }
}

fn items(turn: &Turn) -> Vec<Item> {
    match turn {
        Turn::System(text) => vec![message(Role::System, text)],
        Turn::User { text, .. } => vec![message(Role::User, text)],
        Turn::Assistant { text, calls } => {
            let said = some(text).map(|text| message(Role::Assistant, &text));
            said.into_iter().chain(calls.iter().map(call)).chain(calls.iter().map(output)).collect()
        }
    }
}

fn message(role: Role, text: &str) -> Item {
    Item::Message { role, content: text.to_owned() }
}

fn call(call: &Call) -> Item {
    Item::FunctionCall { call_id: call.id.clone(), name: call.name.clone(), arguments: call.arguments() }
}

fn output(call: &Call) -> Item {
    Item::FunctionCallOutput { call_id: call.id.clone(), output: call.told_output() }
}
