//! Passes the output of a model to the conversation: text, silence, refusals and tool calls.

use parlour_core::{
    limits,
    step::{FinishStep, StartStep},
};
use serde_json::json;

use super::{
    failure::{self, ModelFailure, ProviderError},
    turns::NOTHING,
};
use crate::engine::AnswerSink;

/// The most tool calls that are reported as steps.
const TOOL_CALLS_REPORTED_MAX: usize = 8;
/// The most characters of a refusal text.
const REFUSAL_CHARS_MAX: usize = 1_000;
/// The longest text that is held back: the word for silence with blanks around it.
const HELD_BYTES_MAX: usize = 64;

/// The output of a model during one answer.
pub(super) struct ModelOutput<'a> {
    out: &'a mut dyn AnswerSink,
    /// Whether the agent may stay silent.
    may_be_silent: bool,
    /// The first text, while it may still become the word for silence.
    held: String,
    has_text: bool,
    tools: usize,
    refusal: String,
}

impl<'a> ModelOutput<'a> {
    pub(super) fn new(out: &'a mut dyn AnswerSink, may_be_silent: bool) -> Self {
        Self { out, may_be_silent, held: String::new(), has_text: false, tools: 0, refusal: String::new() }
    }

    /// Whether anything was shown; then the request cannot be repeated.
    pub(super) fn has_begun(&self) -> bool {
        self.has_text || self.tools > 0
    }

    /// Signals that the provider has accepted the request.
    pub(super) fn mark_prompt_delivered(&self) {
        self.out.signals().mark_prompt_delivered();
    }

    /// Discards the held text of a failed attempt.
    pub(super) fn reset(&mut self) {
        self.held.clear();
        self.refusal.clear();
    }

    /// Appends text. Leading blanks, and a start that may become the word for silence, are held back.
    pub(super) async fn add_text(&mut self, piece: &str) -> Result<(), ModelFailure> {
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

    /// Appends to the refusal text of the model.
    pub(super) fn add_refusal(&mut self, piece: &str) {
        let room = REFUSAL_CHARS_MAX.saturating_sub(self.refusal.chars().count());
        self.refusal.extend(piece.chars().take(room));
    }

    /// Reports a tool call of the model as a failed step: no tools are offered.
    pub(super) async fn report_tool_call(&mut self, name: &str) -> Result<(), ModelFailure> {
        self.tools += 1;
        if self.tools > TOOL_CALLS_REPORTED_MAX {
            return Ok(());
        }
        let id = format!("tool-{}", self.tools);
        let name: String =
            format!("tool: {}", failure::line(name, None)).chars().take(limits::STEP_NAME_CHARS_MAX).collect();
        self.out.start_step(StartStep { id: id.clone(), name, input: None }).await?;
        let output = Some(json!("the model asked for a tool, but none is offered to it; nothing was done"));
        Ok(self.out.finish_step(&id, FinishStep { output, is_error: true }).await?)
    }

    /// Ends a complete answer. It may be empty only if the agent may stay silent.
    pub(super) async fn finish(&mut self) -> Result<(), ModelFailure> {
        if !self.refusal.trim().is_empty() {
            return Err(ModelFailure::Declined(self.refusal.clone()));
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
            (false, false) => Err(ModelFailure::Empty),
        }
    }

    /// Shows the held text, so that no part of an answer is lost.
    pub(super) async fn show_held(&mut self) -> Result<(), ModelFailure> {
        let held = std::mem::take(&mut self.held);
        self.show(held.trim_start()).await
    }

    async fn show(&mut self, text: &str) -> Result<(), ModelFailure> {
        if text.is_empty() {
            return Ok(());
        }
        self.has_text = true;
        Ok(self.out.write(text).await?)
    }
}

/// A decoded part of a provider event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ModelEvent {
    Text(String),
    /// A part of the model's refusal text.
    Refusal(String),
    /// The model calls the tool of this name.
    Tool(String),
    /// The model name of the provider.
    Model(String),
    Count(TokenCount),
    /// The end of the answer; token counts may follow.
    Finish(FinishReason),
    /// The end of the stream.
    End,
    Error(ProviderError),
}

/// Token counts of a provider; later ones replace earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TokenCount {
    pub(super) input: Option<u64>,
    /// The part of `input` that came from the cache of the provider.
    pub(super) cached: Option<u64>,
    pub(super) output: Option<u64>,
}

impl TokenCount {
    /// These counts, completed by earlier ones.
    pub(super) fn or(self, earlier: Self) -> Self {
        Self {
            input: self.input.or(earlier.input),
            cached: self.cached.or(earlier.cached),
            output: self.output.or(earlier.output),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FinishReason {
    /// The answer is complete.
    Whole,
    /// The token limit of one answer was reached.
    Length,
    /// The context window of the model was exceeded.
    Full,
    /// A content filter of the provider stopped it, with its reason.
    Filtered(String),
    Refused,
    /// Another reason of the provider.
    Other(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    use async_trait::async_trait;

    use crate::engine::AnswerStopped;

    /// Records the shown texts and steps.
    #[derive(Default)]
    struct RecordedAnswer {
        texts: Vec<String>,
        steps: VecDeque<String>,
        is_closed: bool,
    }

    #[async_trait]
    impl AnswerSink for RecordedAnswer {
        async fn write(&mut self, text: &str) -> Result<(), AnswerStopped> {
            self.texts.push(text.to_owned());
            if self.is_closed { Err(AnswerStopped) } else { Ok(()) }
        }

        async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
            step.check().expect("a step that the hub takes");
            self.steps.push_back(step.name);
            Ok(())
        }

        async fn finish_step(&mut self, _: &str, end: FinishStep) -> Result<(), AnswerStopped> {
            end.check().expect("an end that the hub takes");
            Ok(())
        }
    }

    /// The shown texts of these pieces, and the end.
    async fn shown(pieces: &[&str], may_be_silent: bool) -> (Vec<String>, Result<(), ModelFailure>) {
        let mut sink = RecordedAnswer::default();
        let mut output = ModelOutput::new(&mut sink, may_be_silent);
        for piece in pieces {
            output.add_text(piece).await.expect("wanted");
        }
        let end = output.finish().await;
        (sink.texts, end)
    }

    #[tokio::test]
    async fn text_is_shown_piece_by_piece_without_a_blank_beginning() {
        assert_eq!(
            shown(&["\n", " Hel", "lo\n", "NOTHING"], false).await,
            (vec!["Hel".into(), "lo\n".into(), "NOTHING".into()], Ok(()))
        );
    }

    #[tokio::test]
    async fn the_word_for_silence_is_not_shown_if_silence_is_allowed() {
        for pieces in [&["NOTHING"][..], &[" NOT", "HING\n"], &[], &["  \n"]] {
            assert_eq!(shown(pieces, true).await, (vec![], Ok(())), "{pieces:?}");
        }
        assert_eq!(shown(&["NOTHING"], false).await.0, ["NOTHING"]);
    }

    #[tokio::test]
    async fn a_text_that_only_begins_like_silence_is_shown() {
        assert_eq!(shown(&["NOTH", "ING", " is lost."], true).await.0, ["NOTHING is lost."]);
        assert_eq!(shown(&["NOT"], true).await.0, ["NOT"]);
        let blanks = format!("NOTHING{}", " ".repeat(HELD_BYTES_MAX));
        assert_eq!(shown(&[&blanks], true).await.0.concat(), blanks);
    }

    #[tokio::test]
    async fn an_empty_answer_is_a_failure_if_silence_is_not_allowed() {
        assert_eq!(shown(&["", " \n"], false).await, (vec![], Err(ModelFailure::Empty)));
    }

    #[tokio::test]
    async fn control_characters_are_not_shown() {
        assert_eq!(shown(&["a\0b\u{1b}", "\u{7}"], false).await.0, ["ab"]);
    }

    #[tokio::test]
    async fn a_tool_call_is_reported_as_a_step_and_not_as_a_failure() {
        let mut sink = RecordedAnswer::default();
        let mut output = ModelOutput::new(&mut sink, false);
        for _ in 0..TOOL_CALLS_REPORTED_MAX + 3 {
            output.report_tool_call(&"grep\n".repeat(100)).await.expect("told");
        }
        assert!(output.has_begun());
        assert_eq!(output.finish().await, Ok(()));
        assert_eq!(sink.steps.len(), TOOL_CALLS_REPORTED_MAX);
        assert!(sink.steps[0].starts_with("tool: grep grep"));
        assert!(sink.texts.concat().contains("No tools are offered"));
    }

    #[tokio::test]
    async fn a_refusal_text_is_a_failure_with_that_text() {
        let mut sink = RecordedAnswer::default();
        let mut output = ModelOutput::new(&mut sink, true);
        output.add_refusal("I can");
        output.add_refusal(&"n".repeat(5_000));
        assert!(
            matches!(output.finish().await, Err(ModelFailure::Declined(words)) if words.len() == REFUSAL_CHARS_MAX)
        );
    }

    #[tokio::test]
    async fn a_reset_discards_the_held_text() {
        let mut sink = RecordedAnswer::default();
        let mut output = ModelOutput::new(&mut sink, true);
        output.add_text("NOTH").await.expect("held");
        assert!(!output.has_begun());
        output.reset();
        output.add_text("Yes").await.expect("shown");
        assert_eq!(sink.texts, ["Yes"]);
    }

    #[tokio::test]
    async fn a_closed_sink_stops_the_answer() {
        let mut sink = RecordedAnswer { is_closed: true, ..RecordedAnswer::default() };
        assert_eq!(ModelOutput::new(&mut sink, false).add_text("a").await, Err(ModelFailure::Stopped));
    }
}
