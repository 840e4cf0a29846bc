//! Google's `generateContent`: the part of a request that says what was said.

mod check;
mod decode;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{check::check, decode::decode};
use super::{
    Call, Turns,
    alternating::{self, Results, Side, some},
};

/// The part of a request that says what was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// Lasting context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_instruction: Option<SystemInstruction>,
    /// What was said, oldest first.
    pub contents: Vec<Content>,
}

/// Lasting context; it has no side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemInstruction {
    /// Texts.
    pub parts: Vec<Part>,
}

/// What one side says at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Which side.
    pub role: Role,
    /// What it says.
    pub parts: Vec<Part>,
}

/// The two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everybody but the model.
    User,
    /// The model.
    Model,
}

/// One part: each is of one sort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// A text.
    Text(String),
    /// A call.
    FunctionCall(FunctionCall),
    /// The result of a call.
    FunctionResponse(FunctionResponse),
}

/// A call. It has no id: results stand in the order of their calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionCall {
    /// The tool.
    pub name: String,
    /// What it is given.
    pub args: Map<String, Value>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionResponse {
    /// The tool.
    pub name: String,
    /// What came out, as `output`, or what went wrong, as `error`.
    pub response: Map<String, Value>,
}

/// The turns as contents.
pub fn encode(turns: &Turns) -> Request {
    let system_instruction =
        some(&alternating::system_of(turns)).map(|text| SystemInstruction { parts: vec![Part::Text(text)] });
    let contents = alternating::sides(turns, Results::Alone).into_iter().map(content).collect();
    Request { system_instruction, contents }
}

fn content(side: Side<'_>) -> Content {
    match side {
        Side::User { results, text } => {
            let parts = results.into_iter().map(response).chain(some(&text).map(Part::Text)).collect();
            Content { role: Role::User, parts }
        }
        Side::Assistant { text, calls } => {
            let parts = some(&text).map(Part::Text).into_iter().chain(calls.into_iter().map(call)).collect();
            Content { role: Role::Model, parts }
        }
    }
}

fn call(call: &Call) -> Part {
    Part::FunctionCall(FunctionCall { name: call.name.clone(), args: call.input.clone() })
}

fn response(call: &Call) -> Part {
    let field = if call.is_error { "error" } else { "output" };
    let response = Map::from_iter([(field.to_owned(), Value::from(call.output.as_str()))]);
    Part::FunctionResponse(FunctionResponse { name: call.name.clone(), response })
}
