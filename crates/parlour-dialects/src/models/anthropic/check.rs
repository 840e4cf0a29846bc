//! What Anthropic refuses.

use std::collections::HashSet;

use parlour_core::Refusal;

use super::{Block, Content, Message, Request, Role};
use crate::models::{
    rules::{check_call, expect, expect_text, is_tool_name},
    texts::is_blank,
};

const LIST: &str = "messages";

/// Refuses what Anthropic would refuse, with the place and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    if request.system.as_deref().is_some_and(is_blank) {
        return Err(Refusal::invalid("a text must not be blank").at("system"));
    }
    let mut reading = RequestCheck::default();
    expect(!request.messages.is_empty(), LIST, 0, "there must be a message")?;
    for (place, message) in request.messages.iter().enumerate() {
        reading.take(message, place)?;
    }
    let last = request.messages.len() - 1;
    expect(request.messages[last].role == Role::User, LIST, last, "the last message is the user's")?;
    check_tools(request, &reading.tools)
}

/// Refuses tools that are declared wrongly, and calls of tools that are not declared at all.
fn check_tools(request: &Request, called: &HashSet<&str>) -> Result<(), Refusal> {
    let mut declared = HashSet::new();
    for (place, tool) in request.tools.iter().enumerate() {
        let (name, schema) = (tool.name.as_str(), &tool.input_schema);
        expect(is_tool_name(name), "tools", place, "the name of a tool has 1 to 64 letters, digits, _ and -")?;
        expect(declared.insert(name), "tools", place, "no two tools have the same name")?;
        expect(schema["type"] == "object", "tools", place, "the input of a tool is an object")?;
    }
    if !called.is_subset(&declared) {
        return Err(Refusal::invalid("tools that are called in the messages must be declared").at("tools"));
    }
    if request.tool_choice.is_some() && request.tools.is_empty() {
        return Err(Refusal::invalid("a choice of tools needs tools").at("tool_choice"));
    }
    Ok(())
}

/// What is known after some messages.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Who has spoken last.
    last: Option<Role>,
    /// Calls of the last message that have no result yet.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
    tools: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, message: &'a Message, place: usize) -> Result<(), Refusal> {
        let is_turn = match self.last {
            None => message.role == Role::User,
            Some(last) => message.role != last,
        };
        expect(is_turn, LIST, place, "the two sides take turns, and the user begins")?;
        self.last = Some(message.role);
        match &message.content {
            Content::Text(text) => expect_text(text, LIST, place)?,
            Content::Blocks(blocks) => self.take_blocks(message.role, blocks, place)?,
        }
        let is_answered = self.open.is_empty() || message.role == Role::Assistant;
        expect(is_answered, LIST, place, "every call has its result in the next message")
    }

    fn take_blocks(&mut self, role: Role, blocks: &'a [Block], place: usize) -> Result<(), Refusal> {
        expect(!blocks.is_empty(), LIST, place, "a message says something")?;
        let mut is_after_text = false;
        for block in blocks {
            match block {
                Block::Text { text } => {
                    expect_text(text, LIST, place)?;
                    is_after_text = true;
                }
                Block::ToolUse { id, name, .. } => {
                    expect(role == Role::Assistant, LIST, place, "only the assistant calls tools")?;
                    check_call((id, name), &mut self.ids, LIST, place)?;
                    self.open.insert(id);
                    self.tools.insert(name);
                }
                Block::ToolResult { tool_use_id, .. } => {
                    expect(role == Role::User, LIST, place, "only the user gives results")?;
                    expect(!is_after_text, LIST, place, "results stand before texts")?;
                    let is_open = self.open.remove(tool_use_id.as_str());
                    expect(is_open, LIST, place, "a result answers a call of the message before that has none yet")?;
                }
            }
        }
        Ok(())
    }
}
