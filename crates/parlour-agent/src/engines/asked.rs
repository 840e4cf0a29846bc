//! What an engine is told of a question that waits for its answer. The same words for every engine that reads.

use parlour_core::{
    author::Author,
    id::MemberId,
    message::Message,
    question::{AnswerOption, Question},
};
use serde_json::json;

use crate::engine::Prompt;

/// Options, form and end of the question that is to be answered, when it is one; nothing for any other message.
///
/// What others wrote stands in it as JSON, so that it cannot pass for words of the hub.
pub fn question_note(prompt: &Prompt) -> Option<String> {
    let (message, question) = open_question(prompt)?;
    let mut parts = vec![waits(&message.from, question)];
    parts.extend(form(question));
    parts.extend(question.default.as_ref().map(|default| format!("If nobody answers, this counts: {default}")));
    parts.extend(prompt.rejected_answer.as_ref().map(|problem| {
        format!(
            "You have answered before, and that was not taken: {}. Answer once more, and let it fit.",
            json!(problem)
        )
    }));
    Some(parts.join("\n"))
}

/// The last called message whose open question addresses the agent.
fn open_question(prompt: &Prompt) -> Option<(&Message, &Question)> {
    let me = MemberId::from(prompt.agent.id.clone());
    let is_called = |message: &&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let called = prompt.history.iter().rev().filter(is_called);
    let asking = called.filter_map(|message| message.question.as_ref().map(|question| (message, question)));
    asking.into_iter().find(|(_, question)| question.is_open() && question.awaited().any(|member| *member == me))
}

fn waits(from: &Author, question: &Question) -> String {
    let (name, until) = (json!(from.name), question.expires_at);
    format!("The message of {name} is a question that blocks: it waits for your answer until {until}.")
}

fn form(question: &Question) -> Option<String> {
    if let Some(schema) = &question.schema {
        return Some(format!(
            "Write nothing but one JSON value that fits this JSON Schema, without a fence of code around it: {schema}"
        ));
    }
    if question.options.is_empty() {
        return None;
    }
    let options: Vec<_> = question.options.iter().map(told_option).collect();
    Some(format!(
        "These answers are offered. To take one, write nothing but its id; only if none of them is right, write \
         something else.\n{}",
        options.join("\n")
    ))
}

fn told_option(option: &AnswerOption) -> String {
    format!("- {}", json!(option))
}

#[cfg(test)]
mod tests;
