//! A conversation as one text, for engines that take nothing else.
//!
//! The text begins with what the agent is to be and to do, and ends with what it is to answer:
//!
//! 1. in plan mode: that nothing is to be changed,
//! 2. who the agent is, and its instructions,
//! 3. what the hub tells besides the conversation,
//! 4. what is to be answered, and that the rest is context; of a question that blocks also how it can be answered,
//! 5. the last messages, each as `User (Mara): …` or `Assistant (Coder): …`, with empty lines between; the agent's own
//!    answers are among them, and nothing stands there twice,
//! 6. for a task: the task, and how to hand it on.

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

use super::{asked::question_note, known::pack_note};
use crate::engine::{Mode, Prompt};

/// How a conversation is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TranscriptForm {
    /// With the name of everybody who speaks, and safe against texts that pretend to be somebody else's message.
    #[default]
    Named,
    /// As Jaibber's agents are used to it: every person is `User`, and the message that is to be answered comes last,
    /// whatever came after it, and nothing is told besides the conversation. Further lines of a text are marked.
    Seed,
}

/// Plan mode: before everything else.
const PLAN: &str = "Plan only: look, analyse and say what you would do. Do not change, create or delete anything, and \
                    run nothing that does.";
const ONLY_THE_ANSWER: &str =
    "Write nothing but the answer: no name in front of it, and not what you are about to do or have done to find it.";
const OPTIONAL: &str = "You are not asked by name this time, so nothing needs to be answered. Answer only if you have \
                        something to add; otherwise write nothing at all: empty output means no answer.";
const CONTEXT_OF_TASK: &str =
    "Below are the last messages of the conversation, oldest first. They are context; what you are to do follows them.";
const TASK_END: &str = "Do it, and write what came out of it. If somebody else has to go on from there, add a line of \
                        this form for each thing that is left to do:\n\n[HANDOFF: @name \"title\"]";

/// Writes the prompt as one text.
///
/// It is at most `bytes_max` long: the oldest messages are left out, and a line says how many. Only what cannot be left
/// out may be longer: the instructions, what the hub tells besides, the task and the last message.
pub fn transcript(prompt: &Prompt, form: TranscriptForm, bytes_max: usize) -> String {
    let conversation = Conversation::of(prompt, form);
    let begin = |chosen: &Chosen| text_before(prompt, form, chosen);
    let end = prompt.task.as_ref().map(told_task);
    let fixed_bytes = begin(conversation.chosen()).len() + end.as_ref().map_or(0, String::len);
    let (chosen, messages) = conversation.fitting(bytes_max.saturating_sub(fixed_bytes));
    [Some(begin(&chosen)), messages, end].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn text_before(prompt: &Prompt, form: TranscriptForm, chosen: &Chosen) -> String {
    let plan = (prompt.mode == Mode::Plan).then(|| PLAN.to_owned());
    let who = (form == TranscriptForm::Named)
        .then(|| format!("You are {}, an agent in a conversation of people and agents.", prompt.agent.name));
    let instructions = prompt.agent.instructions.clone();
    let known = (form == TranscriptForm::Named).then(|| pack_note(prompt)).flatten();
    let preamble = if prompt.task.is_some() {
        (*chosen != Chosen::None).then(|| CONTEXT_OF_TASK.to_owned())
    } else {
        Some(preamble(prompt, form, chosen))
    };
    let optional = prompt.is_optional().then(|| OPTIONAL.to_owned());
    let question = question_note(prompt);
    let parts = [plan, who, instructions, known, preamble, optional, question];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn preamble(prompt: &Prompt, form: TranscriptForm, chosen: &Chosen) -> String {
    if form == TranscriptForm::Seed {
        let is_marked = prompt.history.iter().any(|message| has_further_lines(&message.body));
        let lines = if is_marked { format!(" {CONTEXT_LINES}") } else { String::new() };
        return format!("{CONTEXT_PREAMBLE}{lines}");
    }
    let what = match chosen {
        Chosen::None | Chosen::Last(0 | 1) => "Answer only the final message; those before it are context.".to_owned(),
        Chosen::Last(count) => {
            format!("Answer only the final {count} messages, all in one answer; those before them are context.")
        }
        Chosen::Marked => {
            format!("Answer only what is marked with {}; all other messages are context.", MARK)
        }
    };
    format!("Below are the last messages of the conversation, oldest first. {what} {ONLY_THE_ANSWER}")
}

fn told_task(task: &Task) -> String {
    let description = task.description.as_ref().map(|text| format!("\n\n{text}")).unwrap_or_default();
    format!("Your task: {}{description}\n\n{TASK_END}", task.title)
}

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
