//! What OpenAI refuses.

use std::collections::HashSet;

use parlour_core::Refusal;

use super::{Message, Request, ToolCall, is_name};
use crate::models::rules::{CALLS_MAX, check_arguments, check_call, expect, expect_text};

const LIST: &str = "messages";
/// More messages are refused.
const MESSAGES_MAX: usize = 2_048;

/// Refuses what OpenAI would refuse, with the place and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    let mut reading = RequestCheck::default();
    expect(!request.messages.is_empty(), LIST, 0, "there must be a message")?;
    for (place, message) in request.messages.iter().enumerate() {
        expect(place < MESSAGES_MAX, LIST, place, "there are at most 2048 messages")?;
        reading.take(message, place)?;
    }
    reading.expect_all_results(request.messages.len())
}

/// What is known after some messages.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Calls of the last assistant's message that have no result yet.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, message: &'a Message, place: usize) -> Result<(), Refusal> {
        if let Message::Tool { tool_call_id, .. } = message {
            let is_open = self.open.remove(tool_call_id.as_str());
            return expect(is_open, LIST, place, "a result answers a call right before it that has none yet");
        }
        self.expect_all_results(place)?;
        match message {
            Message::System { content } => expect_text(content, LIST, place),
            Message::User { content, name } => {
                let is_fine = name.as_deref().is_none_or(is_name);
                expect(is_fine, LIST, place, "a name has 1 to 64 signs, no blanks and none of <|\\/>")?;
                expect_text(content, LIST, place)
            }
            Message::Assistant { content, tool_calls } => self.take_assistant(content.as_deref(), tool_calls, place),
            Message::Tool { .. } => Ok(()),
        }
    }

    fn take_assistant(&mut self, content: Option<&str>, calls: &'a [ToolCall], place: usize) -> Result<(), Refusal> {
        expect(content.is_some() || !calls.is_empty(), LIST, place, "the assistant says or calls something")?;
        content.map_or(Ok(()), |text| expect_text(text, LIST, place))?;
        expect(calls.len() <= CALLS_MAX, LIST, place, "there are at most 128 calls at once")?;
        for ToolCall::Function { id, function } in calls {
            check_call((id, &function.name), &mut self.ids, LIST, place)?;
            check_arguments(&function.arguments, LIST, place)?;
            self.open.insert(id);
        }
        Ok(())
    }

    fn expect_all_results(&self, place: usize) -> Result<(), Refusal> {
        expect(self.open.is_empty(), LIST, place, "every call has its result right after it")
    }
}
