//! Builds the transcript of a log for the model of one agent.

use parlour_core::{
    author::AuthorType,
    id::AgentId,
    message::{Attachment, Kind, Message},
    model_visibility::may_reach_model,
    step::Step,
};

use super::{
    label,
    provider_rules::{self, trimmed},
    tool_call::{self, ToolCallConverter},
    transcript::{Transcript, Turn},
};

/// The maximum number of messages: no provider accepts more than 2,048 entries, and calls need some of them.
const MESSAGES_MAX: usize = 1_000;

/// Selects and limits the messages of a log.
#[derive(Clone, Copy, Debug)]
pub struct TranscriptBuilder<'a> {
    /// The agent whose messages are the assistant's.
    pub agent: &'a AgentId,
    pub steps: StepDisplay,
    /// The maximum number of characters. The newest messages are included; the very last one is truncated if
    /// necessary.
    pub chars_max: usize,
}

/// How the steps of the agent's own messages are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepDisplay {
    /// As tool calls with results, for a model with tools.
    AsToolCalls,
    /// Not at all: not every model accepts calls.
    Omitted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnRole {
    User,
    Assistant,
}

/// An included message, and the number of its last steps.
struct ShownMessage<'m> {
    message: &'m Message,
    text: String,
    steps: usize,
}

impl TranscriptBuilder<'_> {
    /// Builds the transcript of a log. Omits messages that a model may not see, messages without content, and the
    /// oldest messages that do not fit.
    pub fn build(&self, log: &[Message]) -> Transcript {
        let candidates: Vec<&Message> = log.iter().filter(|message| self.has_words(message)).collect();
        let mut shown = self.newest_that_fit(&candidates);
        shown.reverse();
        let mut transcript = Transcript { left_out: candidates.len() - shown.len(), ..Transcript::default() };
        let mut calls = ToolCallConverter::default();
        for shown_message in &shown {
            self.add(&mut transcript, &mut calls, shown_message);
        }
        transcript
    }

    /// Appends the newest of these messages again, without steps, as far as a model may see them and they fit.
    pub fn append_again<'m>(&self, transcript: &mut Transcript, messages: impl Iterator<Item = &'m Message>) {
        let without_steps = Self { steps: StepDisplay::Omitted, ..*self };
        let candidates: Vec<&Message> = messages.filter(|message| without_steps.has_words(message)).collect();
        for shown_message in without_steps.newest_that_fit(&candidates).iter().rev() {
            without_steps.add(transcript, &mut ToolCallConverter::default(), shown_message);
        }
    }

    /// Whether a model may see the message, and it has content.
    fn has_words(&self, message: &Message) -> bool {
        may_reach_model(message) && (!words_of(message).is_empty() || !self.steps_of(message).is_empty())
    }

    fn role_of(&self, message: &Message) -> TurnRole {
        let author = &message.from;
        let is_own = author.author_type == AuthorType::Agent && author.id.as_deref() == Some(self.agent.as_str());
        match message.kind {
            // Also the hub's own system messages: they can contain names that members chose.
            Kind::System | Kind::ToolResult => TurnRole::User,
            _ if is_own => TurnRole::Assistant,
            _ => TurnRole::User,
        }
    }

    fn steps_of<'m>(&self, message: &'m Message) -> &'m [Step] {
        let is_shown = self.steps == StepDisplay::AsToolCalls && self.role_of(message) == TurnRole::Assistant;
        if is_shown { &message.steps } else { &[] }
    }

    /// The included messages, newest first. Texts have priority over steps.
    fn newest_that_fit<'m>(&self, candidates: &[&'m Message]) -> Vec<ShownMessage<'m>> {
        let mut chars_left = self.chars_max;
        let mut shown: Vec<ShownMessage<'_>> = Vec::new();
        for &message in candidates.iter().rev().take(MESSAGES_MAX) {
            let mut text = words_of(message);
            match chars_left.checked_sub(text.chars().count() + label::chars_max(message)) {
                Some(left) => chars_left = left,
                None if shown.is_empty() => {
                    text = text.chars().take(self.chars_max).collect();
                    chars_left = 0;
                }
                None => break,
            }
            shown.push(ShownMessage { message, text, steps: 0 });
        }
        let mut calls_left = provider_rules::CALLS_MAX;
        for shown_message in &mut shown {
            shown_message.steps = self.steps_that_fit(shown_message.message, &mut chars_left, &mut calls_left);
        }
        shown
    }

    /// The number of last steps that fit. After the first one that does not fit, no older one is included.
    fn steps_that_fit(&self, message: &Message, chars_left: &mut usize, calls_left: &mut usize) -> usize {
        let mut count = 0;
        for step in self.steps_of(message).iter().rev() {
            match (calls_left.checked_sub(1), chars_left.checked_sub(tool_call::step_chars_max(step))) {
                (Some(calls), Some(chars)) => (*calls_left, *chars_left) = (calls, chars),
                _ => {
                    *calls_left = 0;
                    break;
                }
            }
            count += 1;
        }
        count
    }

    fn add(&self, transcript: &mut Transcript, calls: &mut ToolCallConverter, shown: &ShownMessage<'_>) {
        let ShownMessage { message, text, steps } = shown;
        let text = trimmed(text);
        let all_steps = self.steps_of(message);
        for round in calls.rounds(&message.id, &all_steps[all_steps.len() - steps..]) {
            transcript.list.push(Turn::Assistant { text: String::new(), calls: round });
        }
        if text.is_empty() {
            return;
        }
        transcript.list.push(match self.role_of(message) {
            TurnRole::Assistant => Turn::Assistant { text: text.to_owned(), calls: Vec::new() },
            TurnRole::User => {
                // The name field is reserved for members: it does not show that an author is unverified.
                let name = message.from.foreign_system().is_none().then(|| label::shown_name(&message.from));
                Turn::User { name, text: label::with_label(message, text) }
            }
        });
    }
}

const FILENAME_CHARS_MAX: usize = 200;
/// The text of a message with structured data only.
const DATA_ALONE: &str = "[A message of structured data, which is not shown.]";

/// The text of a message with its attachments, trimmed; empty if there is no content.
pub(super) fn words_of(message: &Message) -> String {
    let body = trimmed(&message.body);
    if message.attachments.is_empty() {
        let has_data_alone = body.is_empty() && message.content.is_some();
        return if has_data_alone { DATA_ALONE.to_owned() } else { body.to_owned() };
    }
    let mut words = body.to_owned();
    for file in &message.attachments {
        words.push_str(if words.is_empty() { "" } else { "\n" });
        words.push_str(&attachment_line(file));
    }
    words
}

/// The name of a file without its address, which is unchecked.
fn attachment_line(file: &Attachment) -> String {
    let name: String = label::quote_labels(&file.filename).chars().take(FILENAME_CHARS_MAX).collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = if name.is_empty() { "a file without a name" } else { &name };
    format!("[Attached: {name}, {}, {} bytes]", file.media_type, file.size)
}
