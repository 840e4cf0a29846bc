//! What Gemini refuses.

use std::collections::VecDeque;

use parlour_core::Refusal;

use super::{Content, Part, Request, Role};
use crate::models::rules::{expect, expect_text, is_tool_name};

const LIST: &str = "contents";

/// Refuses what Gemini would refuse, with the place and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    check_system(request).map_err(|refusal| refusal.at("systemInstruction"))?;
    expect(!request.contents.is_empty(), LIST, 0, "there must be a content")?;
    let mut reading = RequestCheck::default();
    for (place, content) in request.contents.iter().enumerate() {
        reading.take(content, place)?;
    }
    let last = request.contents.len() - 1;
    expect(request.contents[last].role == Role::User, LIST, last, "the last content is the user's")
}

fn check_system(request: &Request) -> Result<(), Refusal> {
    let Some(system) = &request.system_instruction else { return Ok(()) };
    expect(!system.parts.is_empty(), "parts", 0, "a content has parts")?;
    for (place, part) in system.parts.iter().enumerate() {
        match part {
            Part::Text(text) => expect_text(text, "parts", place)?,
            _ => expect(false, "parts", place, "instructions are texts")?,
        }
    }
    Ok(())
}

/// What is known after some contents.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Who has spoken last.
    last: Option<Role>,
    /// The tools of the calls in the last content, in order.
    open: VecDeque<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, content: &'a Content, place: usize) -> Result<(), Refusal> {
        let is_turn = match self.last {
            None => content.role == Role::User,
            Some(last) => content.role != last,
        };
        expect(is_turn, LIST, place, "the two sides take turns, and the user begins")?;
        self.last = Some(content.role);
        expect(!content.parts.is_empty(), LIST, place, "a content has parts")?;
        let responses = content.parts.iter().filter(|part| matches!(part, Part::FunctionResponse(_))).count();
        let is_pure = responses == 0 || responses == content.parts.len();
        expect(is_pure, LIST, place, "nothing but results stands beside results")?;
        content.parts.iter().try_for_each(|part| self.take_part(content.role, part, place))?;
        let is_answered = self.open.is_empty() || content.role == Role::Model;
        expect(is_answered, LIST, place, "every call has its result in the next content")
    }

    fn take_part(&mut self, role: Role, part: &'a Part, place: usize) -> Result<(), Refusal> {
        match part {
            Part::Text(text) => expect_text(text, LIST, place),
            Part::FunctionCall(call) => {
                expect(role == Role::Model, LIST, place, "only the model calls tools")?;
                self.open.push_back(&call.name);
                let rule = "the name of a tool has 1 to 64 letters, digits, _ and -, and begins with a letter or _";
                expect(is_tool_name(&call.name), LIST, place, rule)
            }
            Part::FunctionResponse(response) => {
                expect(role == Role::User, LIST, place, "only the user gives results")?;
                let is_next = self.open.pop_front() == Some(response.name.as_str());
                expect(is_next, LIST, place, "results stand in the order of the calls before them, one for each")
            }
        }
    }
}
