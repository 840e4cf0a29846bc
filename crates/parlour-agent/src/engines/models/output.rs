//! What goes on from a model to the conversation: its text, its silence, and what it wished for in vain.

use parlour_core::{
    limits,
    step::{FinishStep, StartStep},
};
use serde_json::json;

use super::{
    failure::{self, Failure},
    turns::NOTHING,
};
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
        let piece = failure::text(piece);
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
            format!("tool: {}", failure::line(name, None)).chars().take(limits::STEP_NAME_CHARS_MAX).collect();
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

/// One thing that an event of a provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A further part of the answer.
    Text(String),
    /// A part of the model's own words why it does not answer.
    Refusal(String),
    /// The model wants a tool of this name.
    Tool(String),
    /// The model, as the provider names it.
    Model(String),
    /// What was counted so far.
    Count(Count),
    /// The answer has ended, and how. Numbers may follow.
    Finish(Finish),
    /// The stream has ended.
    End,
    /// The provider gives up.
    Error(Refused),
}

/// Tokens as far as a provider has counted them; later numbers replace earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Tokens that the model was given.
    pub(super) input: Option<u64>,
    /// Those of them that the provider had kept from before.
    pub(super) cached: Option<u64>,
    /// Tokens that it wrote.
    pub(super) output: Option<u64>,
}

impl Count {
    /// These numbers where they are known, the earlier ones elsewhere.
    pub(super) fn or(self, earlier: Self) -> Self {
        Self {
            input: self.input.or(earlier.input),
            cached: self.cached.or(earlier.cached),
            output: self.output.or(earlier.output),
        }
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// How a model's answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// It is whole.
    Whole,
    /// It was as long as an answer may be.
    Length,
    /// The conversation and the answer together were too long for the model.
    Full,
    /// A filter of the provider stopped it, for this reason.
    Filtered(String),
    /// The model refused to go on.
    Refused,
    /// In another way, in the provider's word.
    Other(String),
}

/// A provider's no, as far as it told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refused {
    /// The status, or the number that stands for it inside of a stream.
    pub(super) status: Option<u16>,
    /// The provider's word for the sort of error.
    pub(super) sort: String,
    /// The provider's sentence.
    pub(super) message: String,
    /// How many milliseconds to wait, if the provider says so.
    pub(super) wait_ms: Option<u64>,
}

#[cfg(test)]
mod tests;
