//! The message part of a request to Anthropic.

use std::collections::{HashMap, HashSet};

use parlour_core::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CompletedToolCall, Transcript, Turn,
    provider_rules::{self, add_below, check_call, expect, expect_text, is_blank, is_tool_name},
    transcript::{self, AlternatingTurn, ResultPlacement, non_blank},
};

/// The description of every declared tool.
const DESCRIPTION: &str = "Used earlier in this conversation.";

/// The message part of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "provider_rules::joined_if_any")]
    pub system: Option<String>,
    /// Oldest first.
    pub messages: Vec<Message>,
    /// The tools of the calls in the messages. Calls of undeclared tools are refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    /// Forbids further calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub role: Role,
    pub content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
}

/// A text, or a list of blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    Blocks(Vec<Block>),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Block {
    Text {
        text: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Map<String, Value>,
    },
    ToolResult {
        tool_use_id: String,
        #[serde(deserialize_with = "provider_rules::joined")]
        content: String,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// A JSON Schema.
    pub input_schema: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ToolChoice {
    None {},
}

impl Content {
    /// The blocks of either form.
    fn blocks(&self) -> Vec<Block> {
        match self {
            Self::Text(text) => vec![Block::Text { text: text.clone() }],
            Self::Blocks(blocks) => blocks.clone(),
        }
    }
}

/// Encodes a transcript.
pub fn encode(transcript: &Transcript) -> Request {
    let system = non_blank(&transcript::system_text(transcript));
    let messages = transcript::alternate(transcript, ResultPlacement::BeforeText).into_iter().map(message).collect();
    let tools: Vec<Tool> = transcript.tool_names().into_iter().map(declared).collect();
    let tool_choice = (!tools.is_empty()).then_some(ToolChoice::None {});
    Request { system, messages, tools, tool_choice }
}

fn message(side: AlternatingTurn<'_>) -> Message {
    match side {
        AlternatingTurn::User { results, text } => Message {
            role: Role::User,
            content: content(results.into_iter().map(result), text, TextPlacement::AfterBlocks),
        },
        AlternatingTurn::Assistant { text, calls } => {
            let calls = calls.into_iter().map(tool_use);
            Message { role: Role::Assistant, content: content(calls, text, TextPlacement::BeforeBlocks) }
        }
    }
}

enum TextPlacement {
    BeforeBlocks,
    AfterBlocks,
}

fn content(blocks: impl Iterator<Item = Block>, text: String, index: TextPlacement) -> Content {
    let mut blocks: Vec<Block> = blocks.collect();
    match (blocks.is_empty(), text.is_empty(), index) {
        (true, _, _) => return Content::Text(text),
        (_, true, _) => {}
        (_, _, TextPlacement::BeforeBlocks) => blocks.insert(0, Block::Text { text }),
        (_, _, TextPlacement::AfterBlocks) => blocks.push(Block::Text { text }),
    }
    Content::Blocks(blocks)
}

fn tool_use(call: &CompletedToolCall) -> Block {
    Block::ToolUse { id: call.id.clone(), name: call.name.clone(), input: call.input.clone() }
}

fn result(call: &CompletedToolCall) -> Block {
    Block::ToolResult { tool_use_id: call.id.clone(), content: call.output.clone(), is_error: call.is_error }
}

/// The input of the tool is unknown by now, so the schema accepts every object.
fn declared(name: &str) -> Tool {
    let input_schema = serde_json::json!({ "type": "object" });
    Tool { name: name.to_owned(), description: DESCRIPTION.to_owned(), input_schema }
}

/// Decodes the messages, the system prompt and the tools of a request. Refuses content that is not text, and requests
/// that Anthropic refuses. Adjacent texts are joined.
pub fn decode(request: Value) -> Result<Transcript, Refusal> {
    let request: Request =
        serde_json::from_value(request).map_err(|error| Refusal::invalid(error.to_string()).at("messages"))?;
    check(&request)?;
    let mut results = results_of(&request);
    let mut transcript = Transcript { instructions: request.system.unwrap_or_default(), ..Transcript::default() };
    for message in request.messages {
        let mut state = MessageDecoder { role: message.role, turn: None };
        for block in message.content.blocks() {
            transcript.list.extend(state.take(block, &mut results));
        }
        transcript.list.extend(state.turn);
    }
    Ok(transcript)
}

type ResultsById = HashMap<String, (String, bool)>;

fn results_of(request: &Request) -> ResultsById {
    let blocks = request.messages.iter().flat_map(|message| message.content.blocks());
    let result = |block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => Some((tool_use_id, (content, is_error))),
        Block::Text { .. } | Block::ToolUse { .. } => None,
    };
    blocks.filter_map(result).collect()
}

/// The decoding state of one message.
struct MessageDecoder {
    role: Role,
    turn: Option<Turn>,
}

impl MessageDecoder {
    /// Decodes a block; returns the previous turn if the block starts a new one.
    fn take(&mut self, block: Block, results: &mut ResultsById) -> Option<Turn> {
        match (block, &mut self.turn) {
            (Block::ToolResult { .. }, _) => None,
            (Block::Text { text: more }, Some(Turn::User { text, .. })) => {
                add_below(text, &more);
                None
            }
            (Block::Text { text: more }, Some(Turn::Assistant { text, calls })) if calls.is_empty() => {
                add_below(text, &more);
                None
            }
            (Block::Text { text }, turn) => turn.replace(new_turn(self.role, text)),
            (Block::ToolUse { id, name, input }, turn) => {
                let (output, is_error) = results.remove(&id).unwrap_or_default();
                let call = CompletedToolCall { id, name, input, output, is_error };
                if let Some(Turn::Assistant { calls, .. }) = turn {
                    calls.push(call);
                    return None;
                }
                turn.replace(Turn::Assistant { text: String::new(), calls: vec![call] })
            }
        }
    }
}

fn new_turn(role: Role, text: String) -> Turn {
    match role {
        Role::User => Turn::User { name: None, text },
        Role::Assistant => Turn::Assistant { text, calls: Vec::new() },
    }
}

const LIST: &str = "messages";

/// Refuses a request that Anthropic refuses; the refusal names the index and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    if request.system.as_deref().is_some_and(is_blank) {
        return Err(Refusal::invalid("a text must not be blank").at("system"));
    }
    let mut state = RequestCheck::default();
    expect(!request.messages.is_empty(), LIST, 0, "there must be a message")?;
    for (index, message) in request.messages.iter().enumerate() {
        state.take(message, index)?;
    }
    let last = request.messages.len() - 1;
    expect(request.messages[last].role == Role::User, LIST, last, "the last message must be the user's")?;
    check_tools(request, &state.tools)
}

/// Refuses invalid tool declarations and calls of undeclared tools.
fn check_tools(request: &Request, called: &HashSet<&str>) -> Result<(), Refusal> {
    let mut declared = HashSet::new();
    for (index, tool) in request.tools.iter().enumerate() {
        let (name, schema) = (tool.name.as_str(), &tool.input_schema);
        expect(is_tool_name(name), "tools", index, "a tool name must have 1 to 64 letters, digits, _ and -")?;
        expect(declared.insert(name), "tools", index, "tool names must be unique")?;
        expect(schema["type"] == "object", "tools", index, "the input schema of a tool must be of type object")?;
    }
    if !called.is_subset(&declared) {
        return Err(Refusal::invalid("called tools must be declared").at("tools"));
    }
    if request.tool_choice.is_some() && request.tools.is_empty() {
        return Err(Refusal::invalid("tool_choice requires tools").at("tool_choice"));
    }
    Ok(())
}

/// The state of the check after some messages.
#[derive(Default)]
struct RequestCheck<'a> {
    last: Option<Role>,
    /// Calls of the last message without a result.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
    tools: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, message: &'a Message, index: usize) -> Result<(), Refusal> {
        let is_turn = match self.last {
            None => message.role == Role::User,
            Some(last) => message.role != last,
        };
        expect(is_turn, LIST, index, "roles must alternate and start with the user")?;
        self.last = Some(message.role);
        match &message.content {
            Content::Text(text) => expect_text(text, LIST, index)?,
            Content::Blocks(blocks) => self.take_blocks(message.role, blocks, index)?,
        }
        let is_answered = self.open.is_empty() || message.role == Role::Assistant;
        expect(is_answered, LIST, index, "every call must have its result in the next message")
    }

    fn take_blocks(&mut self, role: Role, blocks: &'a [Block], index: usize) -> Result<(), Refusal> {
        expect(!blocks.is_empty(), LIST, index, "a message must have at least one block")?;
        let mut is_after_text = false;
        for block in blocks {
            match block {
                Block::Text { text } => {
                    expect_text(text, LIST, index)?;
                    is_after_text = true;
                }
                Block::ToolUse { id, name, .. } => {
                    expect(role == Role::Assistant, LIST, index, "only the assistant can call tools")?;
                    check_call((id, name), &mut self.ids, LIST, index)?;
                    self.open.insert(id);
                    self.tools.insert(name);
                }
                Block::ToolResult { tool_use_id, .. } => {
                    expect(role == Role::User, LIST, index, "only the user can send results")?;
                    expect(!is_after_text, LIST, index, "results must precede texts")?;
                    let is_open = self.open.remove(tool_use_id.as_str());
                    expect(is_open, LIST, index, "a result must belong to an open call of the previous message")?;
                }
            }
        }
        Ok(())
    }
}
