//! One text out of another, for nobody's conversation: a summary, for example.

use async_trait::async_trait;
use parlour_core::{
    id::AgentId,
    limits,
    step::{FinishStep, StartStep},
};
use parlour_dialects::models::{Steps, View};

use super::{ModelEngine, Tally, Written, asking, wire};
use crate::engine::{AnswerSink, AnswerStopped, EngineError};

impl ModelEngine {
    /// Asks the model once to do with `text` what the instructions say. An answer of more than `chars_max` characters is
    /// not waited for to its end.
    pub async fn complete(&self, instructions: &str, text: &str, chars_max: usize) -> Result<String, EngineError> {
        // Nobody is looking on: there is no conversation, and so no side to see it from.
        let nobody = AgentId::from_bits(0);
        let view = View { agent: &nobody, steps: Steps::OmissionReason, chars_max: limits::MESSAGE_BODY_BYTES_MAX };
        let mut turns = view.turns(&[]);
        turns.instruct(instructions);
        turns.ask(text);
        let body = wire::body(&self.asked.settings, &turns).to_string();
        let mut page = Page { text: String::new(), chars_left: chars_max };
        let mut tally = Tally::begin(&self.asked.settings.model);
        tally.begin_try();
        let http = self.client.http(self.asked.is_own_machine);
        let asked = asking::ask(&self.asked, http, &body, &mut Written::new(&mut page, false), &mut tally).await;
        match asked {
            Ok(()) => Ok(page.text),
            Err(failure) => Err(EngineError { reason: self.told(&failure, &tally), usage: tally.usage_if_counted() }),
        }
    }
}

/// Where such an answer is gathered.
struct Page {
    text: String,
    chars_left: usize,
}

#[async_trait]
impl AnswerSink for Page {
    async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
        let chars = text.chars().count();
        self.chars_left = self.chars_left.checked_sub(chars).ok_or(AnswerStopped)?;
        self.text.push_str(text);
        Ok(())
    }

    async fn start_step(&mut self, _: StartStep) -> Result<(), AnswerStopped> {
        Ok(())
    }

    async fn finish_step(&mut self, _: &str, _: FinishStep) -> Result<(), AnswerStopped> {
        Ok(())
    }
}
