//! The messages of a transcript.

use parlour_core::{
    author::AuthorType,
    id::MessageId,
    member::Agent,
    message::{Attachment, Kind, Message},
};
use parlour_dialects::{jaibber::context_line, models::label};

use super::TranscriptForm;
use crate::engine::Prompt;

/// Marks what is to be answered when it is not what was said last.
pub(super) const MARK: &str = "[answer this]";
/// Room for the line that says how many messages are left out.
const LEFT_OUT_BYTES_MAX: usize = 80;
/// What stands before a message, and before a task; a line within a message that begins like this is quoted.
const HEADS: [&str; 7] = ["User", "Assistant", "System", "Tool", "Applet", "Schedule", "Your task"];

/// Which of the messages are to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// There are no messages.
    None,
    /// So many at the end.
    Last(usize),
    /// Those with a mark.
    Marked,
}

/// The messages as they will be read, oldest first.
pub(super) struct Conversation {
    blocks: Vec<String>,
    chosen: Chosen,
}

impl Conversation {
    pub(super) fn of(prompt: &Prompt, form: TranscriptForm) -> Self {
        let is_called = |id: &MessageId| prompt.calls.iter().any(|call| call.message_id == *id);
        let mut messages: Vec<_> = prompt.history.iter().collect();
        if form == TranscriptForm::Seed {
            messages.sort_by_key(|message| is_called(&message.id));
        }
        let chosen = choose(&messages, is_called);
        let is_marked = |message: &Message| chosen == Chosen::Marked && is_called(&message.id);
        let blocks = messages.iter().map(|message| block(message, form, is_marked(message), &prompt.agent)).collect();
        Self { blocks, chosen }
    }

    pub(super) fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The newest messages that fit, at least one, and which of them are to be answered.
    pub(super) fn fitting(self, bytes_max: usize) -> (Chosen, Option<String>) {
        let mut bytes_left = bytes_max.saturating_sub(LEFT_OUT_BYTES_MAX);
        let count = self.blocks.iter().rev().take_while(|block| take(&mut bytes_left, block.len() + 2)).count();
        let count = count.max(1).min(self.blocks.len());
        let left_out = self.blocks.len() - count;
        let told = (left_out > 0).then(|| told_left_out(left_out));
        let lines: Vec<_> = told.into_iter().chain(self.blocks.into_iter().skip(left_out)).collect();
        let chosen = match self.chosen {
            Chosen::Last(called) => Chosen::Last(called.min(count)),
            chosen => chosen,
        };
        (chosen, (!lines.is_empty()).then(|| lines.join("\n\n")))
    }
}

/// Takes so many bytes of those that are left, if there are enough.
fn take(bytes_left: &mut usize, bytes: usize) -> bool {
    bytes_left.checked_sub(bytes).map(|left| *bytes_left = left).is_some()
}

fn told_left_out(count: usize) -> String {
    let what = if count == 1 { "message is".to_owned() } else { format!("{count} messages are") };
    format!("[The oldest {what} left out.]")
}

fn choose(messages: &[&Message], is_called: impl Fn(&MessageId) -> bool) -> Chosen {
    let called = messages.iter().filter(|message| is_called(&message.id)).count();
    let at_end = messages.iter().rev().take_while(|message| is_called(&message.id)).count();
    match (messages.len(), called) {
        (0, _) => Chosen::None,
        _ if at_end == called => Chosen::Last(called),
        _ => Chosen::Marked,
    }
}

fn block(message: &Message, form: TranscriptForm, is_marked: bool, reader: &Agent) -> String {
    let attachments: String = message.attachments.iter().map(told_attachment).collect();
    match form {
        TranscriptForm::Named => {
            let mark = if is_marked { format!(" {MARK}") } else { String::new() };
            format!("{}{mark}: {}{attachments}", named_speaker(message, reader), quote_false_heads(&message.body))
        }
        // What is to be answered comes last, so nothing is marked.
        TranscriptForm::Seed => context_line(message, Some(reader)) + &attachments,
    }
}

/// Whoever is known by the word of another system alone, or could be taken for the reader, is a user.
fn named_speaker(message: &Message, reader: &Agent) -> String {
    let (from, name) = (&message.from, label::shown_name(&message.from));
    match (message.kind, from.author_type) {
        _ if from.foreign_system().is_some() => format!("User ({})", label::shown_author(message)),
        (Kind::System, AuthorType::System | AuthorType::Host) if from.id.is_none() => "System".to_owned(),
        (Kind::ToolResult, _) => format!("Tool ({name})"),
        (_, AuthorType::Agent) if label::is_mistaken_for(from, reader) => format!("User ({name}, another agent)"),
        (_, AuthorType::Agent) => format!("Assistant ({name})"),
        (_, AuthorType::Applet) => format!("Applet ({name})"),
        (_, AuthorType::Scheduler) => format!("Schedule ({name})"),
        _ => format!("User ({name})"),
    }
}

/// A text whose lines cannot be taken for the beginning of another message.
fn quote_false_heads(body: &str) -> String {
    let mut lines = body.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + if is_false_head(line) { "\n> " } else { "\n" } + line)
}

fn is_false_head(line: &str) -> bool {
    let line = line.trim_start();
    let after = HEADS.iter().find_map(|head| {
        let begin = line.get(..head.len())?;
        begin.eq_ignore_ascii_case(head).then(|| &line[head.len()..])
    });
    after.is_some_and(|rest| rest.trim_start().starts_with([':', '(', '[']))
}

fn told_attachment(attachment: &Attachment) -> String {
    let Attachment { filename, media_type, size, artifact_id, url } = attachment;
    let id = artifact_id.as_ref().map(|id| format!(", {id}"));
    let place = id.or_else(|| url.as_ref().map(|url| format!(", {url}"))).unwrap_or_default();
    format!("\n[Attached: {filename}, {media_type}, {size} bytes{place}]")
}
