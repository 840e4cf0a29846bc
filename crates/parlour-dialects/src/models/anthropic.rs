//! Anthropic's messages: the part of a request that says what was said.

mod check;
mod decode;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::{check::check, decode::decode};
use super::{
    Call, Turns,
    alternating::{self, Results, Side, some},
    texts,
};

/// What is said of every declared tool.
const DESCRIPTION: &str = "Used earlier in this conversation.";

/// The part of a request that says what was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Lasting context.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "texts::joined_if_any")]
    pub system: Option<String>,
    /// What was said, oldest first.
    pub messages: Vec<Message>,
    /// The tools of the calls in it. Calls of tools that are not declared are refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// That none of them may be called now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Which side.
    pub role: Role,
    /// What it says.
    pub content: Content,
}

/// The two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Everybody but the model.
    User,
    /// The model.
    Assistant,
}

/// What a message says: a text alone, or blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// A text.
    Text(String),
    /// Texts, calls or results.
    Blocks(Vec<Block>),
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Block {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// A call.
    ToolUse {
        /// What ties it to its result.
        id: String,
        /// The tool.
        name: String,
        /// What it is given.
        input: Map<String, Value>,
    },
    /// The result of a call.
    ToolResult {
        /// Which call.
        tool_use_id: String,
        /// What came out.
        #[serde(deserialize_with = "texts::joined")]
        content: String,
        /// Whether it went wrong.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

/// One declared tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What it takes, as a JSON Schema.
    pub input_schema: Value,
}

/// Which tools may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolChoice {
    /// None of them.
    None {},
}

impl Content {
    /// The parts, whichever way they are written.
    fn blocks(&self) -> Vec<Block> {
        match self {
            Self::Text(text) => vec![Block::Text { text: text.clone() }],
            Self::Blocks(blocks) => blocks.clone(),
        }
    }
}

/// The turns as messages.
pub fn encode(turns: &Turns) -> Request {
    let system = some(&alternating::system_of(turns));
    let messages = alternating::sides(turns, Results::BeforeText).into_iter().map(message).collect();
    let tools: Vec<Tool> = turns.tool_names().into_iter().map(declared).collect();
    let tool_choice = (!tools.is_empty()).then_some(ToolChoice::None {});
    Request { system, messages, tools, tool_choice }
}

fn message(side: Side<'_>) -> Message {
    match side {
        Side::User { results, text } => Message {
            role: Role::User,
            content: content(results.into_iter().map(result), text, TextLocation::AfterBlocks),
        },
        Side::Assistant { text, calls } => {
            let calls = calls.into_iter().map(tool_use);
            Message { role: Role::Assistant, content: content(calls, text, TextLocation::BeforeBlocks) }
        }
    }
}

/// Where a text stands.
enum TextLocation {
    BeforeBlocks,
    AfterBlocks,
}

fn content(blocks: impl Iterator<Item = Block>, text: String, place: TextLocation) -> Content {
    let mut blocks: Vec<Block> = blocks.collect();
    match (blocks.is_empty(), text.is_empty(), place) {
        (true, _, _) => return Content::Text(text),
        (_, true, _) => {}
        (_, _, TextLocation::BeforeBlocks) => blocks.insert(0, Block::Text { text }),
        (_, _, TextLocation::AfterBlocks) => blocks.push(Block::Text { text }),
    }
    Content::Blocks(blocks)
}

fn tool_use(call: &Call) -> Block {
    Block::ToolUse { id: call.id.clone(), name: call.name.clone(), input: call.input.clone() }
}

fn result(call: &Call) -> Block {
    Block::ToolResult { tool_use_id: call.id.clone(), content: call.output.clone(), is_error: call.is_error }
}

/// Which input a tool took is not known any more, so every object fits.
fn declared(name: &str) -> Tool {
    let input_schema = serde_json::json!({ "type": "object" });
    Tool { name: name.to_owned(), description: DESCRIPTION.to_owned(), input_schema }
}
