//! A prompt as one text, for engines that accept plain text only. Its parts, in order:
//!
//! 1. in plan mode: that nothing may be changed,
//! 2. the name of the agent and its instructions,
//! 3. the context pack of the hub,
//! 4. which messages to answer; for a blocking question also the format of the answer,
//! 5. the last messages, each as `User (Mara): …` or `Assistant (Coder): …`, separated by empty lines; the agent's own
//!    answers included, no message twice,
//! 6. for a task: the task, and how to hand it over.

use parlour_core::{
    author::AuthorType,
    id::MessageId,
    member::Agent,
    message::{Attachment, Kind, Message},
    task::Task,
};
use parlour_dialects::{
    jaibber::{CONTEXT_LINES, CONTEXT_PREAMBLE, context_line, has_further_lines},
    models::label,
};

use super::prompt_notes::{pack_note, question_note};
use crate::engine::{Mode, Prompt};

/// The format of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TranscriptForm {
    /// With the names of all authors. A text cannot pass itself off as a message of somebody else.
    #[default]
    Named,
    /// The format of Jaibber: every person is `User`, the message to answer comes last, and there is no context pack. The
    /// second and further lines of a message are marked.
    Seed,
}

const PLAN: &str = "Plan only: read, analyse and describe what you would do. Do not change, create or delete anything, and \
                    run nothing that does.";
const ONLY_THE_ANSWER: &str = "Write only the answer: no name before it, and no report of how you found it.";
const OPTIONAL: &str = "You were not mentioned by name, so no answer is required. Answer only if you have something to \
                        add; otherwise write nothing: empty output means no answer.";
const CONTEXT_OF_TASK: &str =
    "Below are the last messages of the conversation, oldest first. They are context; your task follows them.";
const TASK_END: &str = "Do it, and write the result. If somebody else has to continue, add a line of this form for each \
                        remaining task:\n\n[HANDOFF: @name \"title\"]";

/// Writes the prompt as one text.
///
/// The oldest messages are omitted to fit `bytes_max`, and a line states how many. Instructions, context pack, task and
/// last message are never omitted, even if they exceed the limit.
pub fn transcript(prompt: &Prompt, form: TranscriptForm, bytes_max: usize) -> String {
    let conversation = MessageBlocks::of(prompt, form);
    let begin = |to_answer: &MessagesToAnswer| text_before(prompt, form, to_answer);
    let end = prompt.task.as_ref().map(task_text);
    let fixed_bytes = begin(conversation.to_answer()).len() + end.as_ref().map_or(0, String::len);
    let (to_answer, messages) = conversation.fitting(bytes_max.saturating_sub(fixed_bytes));
    [Some(begin(&to_answer)), messages, end].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn text_before(prompt: &Prompt, form: TranscriptForm, to_answer: &MessagesToAnswer) -> String {
    let plan = (prompt.mode == Mode::Plan).then(|| PLAN.to_owned());
    let who = (form == TranscriptForm::Named)
        .then(|| format!("You are \"{}\", an agent in a conversation of people and agents.", prompt.agent.name));
    let instructions = prompt.agent.instructions.clone();
    let known = (form == TranscriptForm::Named).then(|| pack_note(prompt)).flatten();
    let preamble = if prompt.task.is_some() {
        (*to_answer != MessagesToAnswer::None).then(|| CONTEXT_OF_TASK.to_owned())
    } else {
        Some(preamble(prompt, form, to_answer))
    };
    let optional = prompt.is_optional().then(|| OPTIONAL.to_owned());
    let question = question_note(prompt);
    let parts = [plan, who, instructions, known, preamble, optional, question];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn preamble(prompt: &Prompt, form: TranscriptForm, to_answer: &MessagesToAnswer) -> String {
    if form == TranscriptForm::Seed {
        let is_marked = prompt.history.iter().any(|message| has_further_lines(&message.body));
        let lines = if is_marked { format!(" {CONTEXT_LINES}") } else { String::new() };
        return format!("{CONTEXT_PREAMBLE}{lines}");
    }
    let what = match to_answer {
        MessagesToAnswer::None | MessagesToAnswer::Last(0 | 1) => {
            "Answer only the final message; those before it are context.".to_owned()
        }
        MessagesToAnswer::Last(count) => {
            format!("Answer only the final {count} messages, all in one answer; those before them are context.")
        }
        MessagesToAnswer::Marked => {
            format!("Answer only what is marked with {}; all other messages are context.", MARK)
        }
    };
    format!("Below are the last messages of the conversation, oldest first. {what} {ONLY_THE_ANSWER}")
}

fn task_text(task: &Task) -> String {
    let description = task.description.as_ref().map(|text| format!("\n\n{text}")).unwrap_or_default();
    format!("Your task: {}{description}\n\n{TASK_END}", task.title)
}

/// Marks the messages to answer if they are not the last ones.
pub(super) const MARK: &str = "[answer this]";
/// Reserved for the line about omitted messages.
const LEFT_OUT_BYTES_MAX: usize = 80;
/// Labels before messages and tasks; a line of a message that starts with one is quoted.
const HEADS: [&str; 7] = ["User", "Assistant", "System", "Tool", "Applet", "Schedule", "Your task"];

/// The messages to answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MessagesToAnswer {
    None,
    /// This many at the end.
    Last(usize),
    /// Those with [`MARK`].
    Marked,
}

/// The rendered messages, oldest first.
pub(super) struct MessageBlocks {
    blocks: Vec<String>,
    to_answer: MessagesToAnswer,
}

impl MessageBlocks {
    pub(super) fn of(prompt: &Prompt, form: TranscriptForm) -> Self {
        let is_called = |id: &MessageId| prompt.calls.iter().any(|call| call.message_id == *id);
        let mut messages: Vec<_> = prompt.history.iter().collect();
        if form == TranscriptForm::Seed {
            messages.sort_by_key(|message| is_called(&message.id));
        }
        let to_answer = choose(&messages, is_called);
        let is_marked = |message: &Message| to_answer == MessagesToAnswer::Marked && is_called(&message.id);
        let blocks = messages.iter().map(|message| block(message, form, is_marked(message), &prompt.agent)).collect();
        Self { blocks, to_answer }
    }

    pub(super) fn to_answer(&self) -> &MessagesToAnswer {
        &self.to_answer
    }

    /// The newest messages that fit (at least one), and which of them to answer.
    pub(super) fn fitting(self, bytes_max: usize) -> (MessagesToAnswer, Option<String>) {
        let mut bytes_left = bytes_max.saturating_sub(LEFT_OUT_BYTES_MAX);
        let count = self.blocks.iter().rev().take_while(|block| take(&mut bytes_left, block.len() + 2)).count();
        let count = count.max(1).min(self.blocks.len());
        let left_out = self.blocks.len() - count;
        let told = (left_out > 0).then(|| omission_note(left_out));
        let lines: Vec<_> = told.into_iter().chain(self.blocks.into_iter().skip(left_out)).collect();
        let to_answer = match self.to_answer {
            MessagesToAnswer::Last(called) => MessagesToAnswer::Last(called.min(count)),
            to_answer => to_answer,
        };
        (to_answer, (!lines.is_empty()).then(|| lines.join("\n\n")))
    }
}

/// Subtracts `bytes` if enough are left.
fn take(bytes_left: &mut usize, bytes: usize) -> bool {
    bytes_left.checked_sub(bytes).map(|left| *bytes_left = left).is_some()
}

fn omission_note(count: usize) -> String {
    let what = if count == 1 { "message is".to_owned() } else { format!("{count} messages are") };
    format!("[The oldest {what} left out.]")
}

fn choose(messages: &[&Message], is_called: impl Fn(&MessageId) -> bool) -> MessagesToAnswer {
    let called = messages.iter().filter(|message| is_called(&message.id)).count();
    let at_end = messages.iter().rev().take_while(|message| is_called(&message.id)).count();
    match (messages.len(), called) {
        (0, _) => MessagesToAnswer::None,
        _ if at_end == called => MessagesToAnswer::Last(called),
        _ => MessagesToAnswer::Marked,
    }
}

fn block(message: &Message, form: TranscriptForm, is_marked: bool, reader: &Agent) -> String {
    let attachments: String = message.attachments.iter().map(attachment_line).collect();
    match form {
        TranscriptForm::Named => {
            let mark = if is_marked { format!(" {MARK}") } else { String::new() };
            format!("{}{mark}: {}{attachments}", named_speaker(message, reader), quote_false_heads(&message.body))
        }
        // The messages to answer come last, so none is marked.
        TranscriptForm::Seed => context_line(message, Some(reader)) + &attachments,
    }
}

/// Authors that only another system has identified, and agents whose name resembles the reader's, are shown as users.
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

/// Quotes lines that look like the start of another message.
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

fn attachment_line(attachment: &Attachment) -> String {
    let Attachment { filename, media_type, size, artifact_id, url } = attachment;
    let id = artifact_id.as_ref().map(|id| format!(", {id}"));
    let place = id.or_else(|| url.as_ref().map(|url| format!(", {url}"))).unwrap_or_default();
    format!("\n[Attached: {filename}, {media_type}, {size} bytes{place}]")
}
