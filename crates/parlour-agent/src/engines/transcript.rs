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

use parlour_core::task::Task;
use parlour_dialects::jaibber::{CONTEXT_LINES, CONTEXT_PREAMBLE, has_further_lines};

use super::{asked::question_note, known::pack_note};
use crate::engine::{Mode, Prompt};

mod lines;

use lines::{Chosen, Conversation};

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
            format!("Answer only what is marked with {}; all other messages are context.", lines::MARK)
        }
    };
    format!("Below are the last messages of the conversation, oldest first. {what} {ONLY_THE_ANSWER}")
}

fn told_task(task: &Task) -> String {
    let description = task.description.as_ref().map(|text| format!("\n\n{text}")).unwrap_or_default();
    format!("Your task: {}{description}\n\n{TASK_END}", task.title)
}
