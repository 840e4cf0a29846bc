//! Reads the event stream of a coding program and writes the answer: text, steps, usage and how it ended.

use std::time::Instant;

use parlour_core::{engine::Usage, limits};
use serde_json::Value;

use super::{
    block_text::{BlockText, NewText},
    event_lines::{LineSplitter, OutputLine},
    output_text::OutputText,
    step_report::StepReport,
};
use crate::{
    engine::{AnswerSink, AnswerStopped},
    engines::coding_cli::{CliEvent, CodingCli, DecodeEvents, TokenTotals},
};

/// Between two blocks of text.
const PARAGRAPH: &str = "\n\n";

/// The event stream of one answer.
///
/// Text is written as it arrives. A line that is no event is written as text, so that nothing a program says is lost; only
/// a line over [`limits::COMMAND_EVENT_BYTES_MAX`] is left out, and a note says so.
pub(super) struct EventOutput {
    decoder: Box<dyn DecodeEvents>,
    lines: LineSplitter,
    text: OutputText,
    block: BlockText,
    last: LastText,
    has_text: bool,
    steps: StepReport,
    report: EventReport,
    started: Instant,
}

/// The kind of the text that was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastText {
    Nothing,
    /// A block that goes on.
    OpenBlock,
    /// A block that has ended.
    Block,
    /// A line that is no event.
    PlainLine,
}

/// The result of an event stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventReport {
    pub(super) cli: CodingCli,
    pub(super) end: StreamEnd,
    /// The last problem that the program reported.
    pub(super) trouble: Option<String>,
    model: Option<String>,
    tokens: Option<TokenTotals>,
    duration_ms: Option<u64>,
}

/// How an event stream ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StreamEnd {
    /// Without an event that ends the answer.
    Cut,
    Finished,
    Failed(String),
}

impl EventOutput {
    pub(super) fn new(cli: CodingCli) -> Self {
        Self {
            decoder: cli.decoder(),
            lines: LineSplitter::new(limits::COMMAND_EVENT_BYTES_MAX),
            text: OutputText::default(),
            block: BlockText::default(),
            last: LastText::Nothing,
            has_text: false,
            steps: StepReport::default(),
            report: EventReport {
                cli,
                end: StreamEnd::Cut,
                trouble: None,
                model: None,
                tokens: None,
                duration_ms: None,
            },
            started: Instant::now(),
        }
    }

    /// Whether it wrote any visible text.
    pub(super) fn has_text(&self) -> bool {
        self.has_text
    }

    /// Writes what these bytes add to the answer.
    pub(super) async fn push(&mut self, bytes: &[u8], out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        for line in self.lines.push(bytes) {
            self.take_line(line, out).await?;
        }
        Ok(())
    }

    /// Ends the stream.
    pub(super) async fn finish(&mut self, out: &mut dyn AnswerSink) -> Result<EventReport, AnswerStopped> {
        if let Some(line) = self.lines.finish() {
            self.take_line(line, out).await?;
        }
        let rest = std::mem::take(&mut self.text).finish();
        self.show(&rest, out).await?;
        self.report.duration_ms = u64::try_from(self.started.elapsed().as_millis()).ok();
        Ok(self.report.clone())
    }

    async fn take_line(&mut self, line: OutputLine, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        let OutputLine::Whole(line) = line else { return self.leave_out(out).await };
        let line = String::from_utf8_lossy(&line);
        match serde_json::from_str::<Value>(&line) {
            Ok(event) if event["type"].is_string() => {
                for event in self.decoder.decode(&event) {
                    self.take_event(event, out).await?;
                }
                Ok(())
            }
            _ if line.trim().is_empty() => Ok(()),
            _ => self.write_line(&line, out).await,
        }
    }

    async fn take_event(&mut self, event: CliEvent, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        match event {
            CliEvent::TextPiece(piece) => {
                let new = self.block.push(&piece);
                self.write_block(new, out).await?;
            }
            CliEvent::TextBlock(whole) => {
                let new = self.block.complete(&whole);
                self.write_block(new, out).await?;
                self.end_block();
            }
            CliEvent::TextEnd => self.end_block(),
            CliEvent::TextRestart => self.block.restart(),
            CliEvent::StepStart { id, tool, input } => self.steps.start(out, id, &tool, &input).await?,
            CliEvent::StepEnd { id, output, is_error } => self.steps.end(out, &id, &output, is_error).await?,
            CliEvent::Model(name) => self.report.model = Some(name),
            CliEvent::Tokens(totals) => self.report.tokens = Some(totals),
            CliEvent::Trouble(why) => self.report.trouble = Some(why),
            CliEvent::Failed(why) => self.report.end = StreamEnd::Failed(why),
            CliEvent::Finished(last_text) => {
                self.report.end = StreamEnd::Finished;
                if let Some(text) = last_text.filter(|_| !self.has_text) {
                    self.write_block(NewText { text, is_separate: true }, out).await?;
                }
            }
        }
        Ok(())
    }

    async fn write_block(&mut self, new: NewText, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        if new.text.is_empty() {
            return Ok(());
        }
        let continues = self.last == LastText::OpenBlock && !new.is_separate;
        if !continues && self.last != LastText::Nothing {
            self.write(PARAGRAPH, out).await?;
        }
        self.last = LastText::OpenBlock;
        self.write(&new.text, out).await
    }

    fn end_block(&mut self) {
        self.block.end();
        if self.last == LastText::OpenBlock {
            self.last = LastText::Block;
        }
    }

    async fn write_line(&mut self, line: &str, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        match self.last {
            LastText::Nothing => {}
            LastText::PlainLine => self.write("\n", out).await?,
            LastText::OpenBlock | LastText::Block => self.write(PARAGRAPH, out).await?,
        }
        self.last = LastText::PlainLine;
        self.write(line, out).await
    }

    /// Notes a line over the limit. It may have been the result of a tool, so no step stays open because of it.
    async fn leave_out(&mut self, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        let note = format!("(a line of more than {} bytes was left out)", limits::COMMAND_EVENT_BYTES_MAX);
        self.steps.end_all(out, &note).await?;
        self.write_line(&note, out).await
    }

    async fn write(&mut self, text: &str, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        let text = self.text.push(text.as_bytes());
        self.show(&text, out).await
    }

    async fn show(&mut self, text: &str, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
        if text.is_empty() {
            return Ok(());
        }
        self.has_text = true;
        out.write(text).await
    }
}

impl EventReport {
    /// The token usage, if the program counted tokens. `fallback` names the model if the program does not; without it, the
    /// program itself stands for its model.
    pub(super) fn usage(&self, fallback: Option<&str>) -> Option<Usage> {
        let tokens = self.tokens.filter(|tokens| *tokens != TokenTotals::default())?;
        let names = [self.model.as_deref(), fallback].into_iter().flatten().map(model_name);
        let model = names.into_iter().find(|name| !name.is_empty());
        Some(Usage {
            model: model.unwrap_or_else(|| self.cli.profile().name.to_owned()),
            input_tokens: tokens.input,
            cached_tokens: Some(tokens.cached),
            output_tokens: tokens.output,
            tries: None,
            duration_ms: self.duration_ms,
        })
    }
}

/// A name that the hub accepts.
fn model_name(name: &str) -> String {
    let name = name.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect::<String>();
    name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(limits::MODEL_CHARS_MAX).collect()
}
