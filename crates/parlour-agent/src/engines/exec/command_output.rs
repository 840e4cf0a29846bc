//! The output of a command in the format that it has: plain text, or the events of a coding program.

use parlour_core::limits;
use serde_json::Value;

use super::{
    event_output::{EventOutput, EventReport},
    output_text::OutputText,
};
use crate::{
    engine::{AnswerSink, EngineError},
    engines::coding_cli::CodingCli,
};

/// The format of a command's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// The first line decides: events if it is the first event of a known program, otherwise text.
    #[default]
    Auto,
    /// Plain text.
    Text,
    /// The events of this program, one JSON object per line.
    Events(CodingCli),
}

/// The longest first line that is held back to recognise the format.
const FIRST_LINE_BYTES_MAX: usize = 256 * 1024;

/// Writes the output of a command to its answer.
pub(super) struct CommandOutput<'a> {
    out: &'a mut dyn AnswerSink,
    format: Format,
    bytes: usize,
    /// The limit for plain text.
    text_bytes_max: usize,
    has_text: bool,
}

enum Format {
    /// The beginning of the output, until its format is known.
    Unknown(Vec<u8>),
    Text(OutputText),
    Events(Box<EventOutput>),
}

/// What the output of a command was.
#[derive(Debug, Default)]
pub(super) struct OutputReport {
    /// Whether it contained any visible text.
    pub(super) has_text: bool,
    /// What the program reported, if the output was an event stream.
    pub(super) events: Option<EventReport>,
}

impl<'a> CommandOutput<'a> {
    /// The output in this format, of at most `text_bytes_max` bytes if it is plain text.
    pub(super) fn new(out: &'a mut dyn AnswerSink, format: OutputFormat, text_bytes_max: usize) -> Self {
        Self { out, format: Format::of(format), bytes: 0, text_bytes_max, has_text: false }
    }

    /// Writes the next bytes. Fails if the answer is no longer wanted or the output is too long.
    pub(super) async fn push(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        let bytes_max = match self.format {
            Format::Unknown(_) | Format::Text(_) => self.text_bytes_max,
            Format::Events(_) => limits::COMMAND_EVENTS_BYTES_MAX,
        };
        let fitting = &bytes[..bytes.len().min(bytes_max.saturating_sub(self.bytes))];
        self.bytes = self.bytes.saturating_add(fitting.len());
        match &mut self.format {
            Format::Unknown(held) => {
                held.extend_from_slice(fitting);
                if let Some(format) = recognised(held) {
                    self.decide(format).await?;
                }
            }
            _ => self.write(fitting).await?,
        }
        if fitting.len() < bytes.len() {
            self.decide_at_end().await?;
            return Err(too_much(bytes_max));
        }
        Ok(())
    }

    /// Ends the output.
    pub(super) async fn finish(mut self) -> Result<OutputReport, EngineError> {
        self.decide_at_end().await?;
        let mut events = None;
        match &mut self.format {
            Format::Unknown(_) => {}
            Format::Text(text) => {
                let rest = std::mem::take(text).finish();
                self.write_text(&rest).await?;
            }
            Format::Events(stream) => {
                events = Some(stream.finish(self.out).await?);
                self.has_text = stream.has_text();
            }
        }
        Ok(OutputReport { has_text: self.has_text, events })
    }

    async fn decide_at_end(&mut self) -> Result<(), EngineError> {
        match &self.format {
            Format::Unknown(held) => self.decide(format_of(held)).await,
            _ => Ok(()),
        }
    }

    /// Sets the format and writes the bytes that were held back.
    async fn decide(&mut self, format: OutputFormat) -> Result<(), EngineError> {
        match std::mem::replace(&mut self.format, Format::of(format)) {
            Format::Unknown(held) => self.write(&held).await,
            _ => Ok(()),
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        match &mut self.format {
            Format::Unknown(_) => Ok(()),
            Format::Text(text) => {
                let text = text.push(bytes);
                self.write_text(&text).await
            }
            Format::Events(stream) => Ok(stream.push(bytes, self.out).await?),
        }
    }

    async fn write_text(&mut self, text: &str) -> Result<(), EngineError> {
        if text.is_empty() {
            return Ok(());
        }
        self.has_text = true;
        Ok(self.out.write(text).await?)
    }
}

impl Format {
    fn of(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Auto => Self::Unknown(Vec::new()),
            OutputFormat::Text => Self::Text(OutputText::default()),
            OutputFormat::Events(cli) => Self::Events(Box::new(EventOutput::new(cli))),
        }
    }
}

/// The format of an output that begins like this; `None` if more of it is needed.
fn recognised(beginning: &[u8]) -> Option<OutputFormat> {
    let line = beginning.trim_ascii_start();
    let is_object = matches!(line, [b'{', ..]);
    match line.iter().position(|byte| *byte == b'\n') {
        _ if beginning.len() > FIRST_LINE_BYTES_MAX => Some(OutputFormat::Text),
        _ if line.is_empty() => None,
        _ if !is_object => Some(OutputFormat::Text),
        Some(end) => Some(format_of(&line[..end])),
        None => None,
    }
}

/// The format of an output with this first line.
fn format_of(line: &[u8]) -> OutputFormat {
    let event = serde_json::from_str::<Value>(&String::from_utf8_lossy(line)).ok();
    event.and_then(|event| CodingCli::of_first_event(&event)).map_or(OutputFormat::Text, OutputFormat::Events)
}

fn too_much(bytes_max: usize) -> EngineError {
    EngineError::new(format!("the command wrote more than {bytes_max} bytes and was stopped"))
}
