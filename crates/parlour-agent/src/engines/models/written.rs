//! What goes on from a model to the conversation: its text, its silence, and what it wished for in vain.

use parlour_core::{
    limits,
    step::{FinishStep, StartStep},
};
use serde_json::json;

use super::{failure::Failure, plain, turns::NOTHING};
use crate::engine::AnswerSink;

/// Requests for tools that are told; further ones are passed over.
const TOOLS_TOLD_MAX: usize = 8;
/// Characters of a refusal in the model's own words that are kept.
const REFUSAL_CHARS_MAX: usize = 1_000;
/// Bytes of a beginning that may be held back: the word for silence and blanks around it.
const HELD_BYTES_MAX: usize = 64;

/// An answer on its way into the conversation.
pub(super) struct Written<'a> {
    out: &'a mut dyn AnswerSink,
    /// Whether the agent may just as well say nothing.
    may_be_silent: bool,
    /// The beginning, as long as it may turn out to be nothing.
    held: String,
    has_text: bool,
    tools: usize,
    refusal: String,
}

impl<'a> Written<'a> {
    pub(super) fn new(out: &'a mut dyn AnswerSink, may_be_silent: bool) -> Self {
        Self { out, may_be_silent, held: String::new(), has_text: false, tools: 0, refusal: String::new() }
    }

    /// Whether anything was shown: from then on there is no way back.
    pub(super) fn has_begun(&self) -> bool {
        self.has_text || self.tools > 0
    }

    /// Says that the provider has taken the request.
    pub(super) fn mark_prompt_delivered(&self) {
        self.out.signals().mark_prompt_delivered();
    }

    /// Forgets what was held back of a try that failed.
    pub(super) fn begin_again(&mut self) {
        self.held.clear();
        self.refusal.clear();
    }

    /// Adds to the text. A blank beginning is held back, and so is one that may be the word for silence.
    pub(super) async fn add_text(&mut self, piece: &str) -> Result<(), Failure> {
        let piece = plain::text(piece);
        if self.has_text {
            return self.show(&piece).await;
        }
        self.held.push_str(&piece);
        let text = self.held.trim();
        let may_be_nothing = self.may_be_silent && NOTHING.starts_with(text) && self.held.len() <= HELD_BYTES_MAX;
        if text.is_empty() {
            self.held.clear();
        } else if !may_be_nothing {
            return self.show_held().await;
        }
        Ok(())
    }

    /// Adds to the model's own words why it does not answer.
    pub(super) fn add_refusal(&mut self, piece: &str) {
        let room = REFUSAL_CHARS_MAX.saturating_sub(self.refusal.chars().count());
        self.refusal.extend(piece.chars().take(room));
    }

    /// Tells that the model wants a tool, and that it gets none.
    pub(super) async fn tell_tool(&mut self, name: &str) -> Result<(), Failure> {
        self.tools += 1;
        if self.tools > TOOLS_TOLD_MAX {
            return Ok(());
        }
        let id = format!("tool-{}", self.tools);
        let name: String =
            format!("tool: {}", plain::line(name, None)).chars().take(limits::STEP_NAME_CHARS_MAX).collect();
        self.out.start_step(StartStep { id: id.clone(), name, input: None }).await?;
        let output = Some(json!("the model asked for a tool, but none is offered to it; nothing was done"));
        Ok(self.out.finish_step(&id, FinishStep { output, is_error: true }).await?)
    }

    /// Ends a whole answer. Only who may be silent may leave it empty.
    pub(super) async fn finish(&mut self) -> Result<(), Failure> {
        if !self.refusal.trim().is_empty() {
            return Err(Failure::Declined(self.refusal.clone()));
        }
        let is_silence = self.may_be_silent && self.held.trim() == NOTHING;
        if !is_silence {
            self.show_held().await?;
        }
        match (self.has_text, self.tools > 0) {
            (true, _) => Ok(()),
            (false, true) => {
                self.show("(The model asked for a tool and wrote nothing. No tools are offered to it here.)").await
            }
            (false, false) if self.may_be_silent => Ok(()),
            (false, false) => Err(Failure::Empty),
        }
    }

    /// Shows what was held back, so that a part of an answer is not lost.
    pub(super) async fn show_held(&mut self) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        self.show(held.trim_start()).await
    }

    async fn show(&mut self, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.has_text = true;
        Ok(self.out.write(text).await?)
    }
}

#[cfg(test)]
mod tests;
