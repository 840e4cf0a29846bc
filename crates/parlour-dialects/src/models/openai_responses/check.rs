//! What OpenAI refuses of a list of items.

use std::collections::HashSet;

use parlour_core::Refusal;

use super::{Item, Request};
use crate::models::{
    rules::{check_arguments, check_call, expect, expect_text},
    texts::is_blank,
};

const LIST: &str = "input";

/// Refuses what OpenAI would refuse, with the place and the rule.
pub fn check(request: &Request) -> Result<(), Refusal> {
    if request.instructions.as_deref().is_some_and(is_blank) {
        return Err(Refusal::invalid("a text must not be blank").at("instructions"));
    }
    expect(!request.input.is_empty(), LIST, 0, "there must be an item")?;
    let mut reading = RequestCheck::default();
    for (place, item) in request.input.iter().enumerate() {
        reading.take(item, place)?;
    }
    reading.expect_all_results(request.input.len())
}

/// What is known after some items.
#[derive(Default)]
struct RequestCheck<'a> {
    /// Calls that have no result yet.
    open: HashSet<&'a str>,
    ids: HashSet<&'a str>,
}

impl<'a> RequestCheck<'a> {
    fn take(&mut self, item: &'a Item, place: usize) -> Result<(), Refusal> {
        match item {
            Item::Message { content, .. } => {
                self.expect_all_results(place)?;
                expect_text(content, LIST, place)
            }
            Item::FunctionCall { call_id, name, arguments } => {
                check_call((call_id, name), &mut self.ids, LIST, place)?;
                self.open.insert(call_id);
                check_arguments(arguments, LIST, place)
            }
            Item::FunctionCallOutput { call_id, .. } => {
                let is_open = self.open.remove(call_id.as_str());
                expect(is_open, LIST, place, "a result answers a call before it that has none yet")
            }
        }
    }

    fn expect_all_results(&self, place: usize) -> Result<(), Refusal> {
        expect(self.open.is_empty(), LIST, place, "every call has its result before anything else is said")
    }
}
