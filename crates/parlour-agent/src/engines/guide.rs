//! The guide: the agent of the sample project. It needs no API key and no network.
//!
//! It is not a language model and says so: it looks for keywords in the calling message and answers with a prepared text
//! or with quotes of the conversation. It never mentions anybody, so it cannot be part of a loop.

use std::time::Duration;

use async_trait::async_trait;
use parlour_core::{
    author::{Author, AuthorType},
    engine::BUILT_IN,
    id::MemberId,
    message::Message,
    question::{AnswerOption, NewQuestion},
    step::{FinishStep, StartStep},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::engine::{
    AnswerSink, AnswerStopped, AskError, Completion, Engine, EngineError, EngineQuestion, Prompt, QuestionReply,
};

mod quotes;
#[cfg(test)]
mod tests;
mod topic;

use topic::Topic;

/// The maximum number of topics of one answer to several calls.
const TOPICS_MAX: usize = 3;

/// The duration of the demonstration step, long enough to be visible.
const STEP_TIME: Duration = Duration::from_millis(150);

const WORDS_PER_PIECE: usize = 3;
const PAUSE_BETWEEN_PIECES: Duration = Duration::from_millis(25);

const QUESTION_SECONDS: u64 = 120;

/// The options of the question: id, label, description and topic. The first one is the default.
const CHOICES: [(&str, &str, &str, Topic); 3] = [
    ("channels", "Channels", "Where people and agents talk", Topic::Channels),
    ("threads", "Threads", "Discussions below one message", Topic::Threads),
    ("join", "Connect an agent", "How to add your own agent", Topic::Join),
];

const NO_TASKS: &str =
    "the guide is a small built-in program and cannot work on tasks: assign the task to a person or another agent";

/// The engine of the guide.
#[derive(Clone, Copy, Debug, Default)]
pub struct GuideEngine;

#[async_trait]
impl Engine for GuideEngine {
    fn runtime(&self) -> String {
        BUILT_IN.to_owned()
    }

    async fn answer(
        &self,
        prompt: &Prompt,
        out: &mut dyn AnswerSink,
        stop: CancellationToken,
    ) -> Result<Completion, EngineError> {
        if prompt.task.is_some() {
            return Err(EngineError::new(NO_TASKS));
        }
        match stop.run_until_cancelled(write_answer(prompt, out)).await {
            Some(outcome) => Ok(outcome.map(|()| Completion::default())?),
            None => Err(AnswerStopped.into()),
        }
    }
}

async fn write_answer(prompt: &Prompt, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    for (number, topic) in topics(prompt).into_iter().enumerate() {
        if number > 0 {
            out.write("\n\n---\n\n").await?;
        }
        match topic {
            Topic::Summary => summarise(prompt, out).await?,
            Topic::Question => ask(prompt, out).await?,
            _ => write_paced(&topic.text(prompt), out).await?,
        }
    }
    Ok(())
}

/// The topics of the calling messages, each once. An optional call without a clear topic has none.
fn topics(prompt: &Prompt) -> Vec<Topic> {
    let is_called = |message: &&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let mut topics = Vec::new();
    for message in prompt.history.iter().filter(is_called) {
        let topic = match prompt.is_optional() {
            true => Topic::of_clear(&message.body, &prompt.agent.name),
            false => Some(Topic::of(&message.body, &prompt.agent.name)),
        };
        topics.extend(topic.filter(|topic| !topics.contains(topic)));
    }
    if topics.len() > 1 {
        topics.retain(|topic| *topic != Topic::Thanks);
    }
    topics.truncate(TOPICS_MAX);
    topics
}

/// Writes a text a few words at a time, so that readers see it grow.
async fn write_paced(text: &str, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let words: Vec<_> = text.split_inclusive(' ').collect();
    for piece in words.chunks(WORDS_PER_PIECE) {
        out.write(&piece.concat()).await?;
        tokio::time::sleep(PAUSE_BETWEEN_PIECES).await;
    }
    Ok(())
}

/// Shows a step, then quotes the conversation.
async fn summarise(prompt: &Prompt, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let step = StartStep { id: "read".to_owned(), name: "read the conversation".to_owned(), input: None };
    out.start_step(step).await?;
    tokio::time::sleep(STEP_TIME).await;
    let messages = quotes::messages_of_others(prompt);
    let output = Some(json!({ "messages": messages.len() }));
    out.finish_step("read", FinishStep { output, is_error: false }).await?;
    write_paced(&quotes::summary(&messages), out).await
}

/// Asks the calling person a question with options, waits, and continues with the chosen topic.
async fn ask(prompt: &Prompt, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let Some(whom) = calling_person(prompt) else {
        return write_paced(topic::ASKS_ONLY_PEOPLE, out).await;
    };
    write_paced(&Topic::Question.text(prompt), out).await?;
    let reply = out.ask(EngineQuestion { whom, body: topic::QUESTION.to_owned(), ask: question() }).await;
    write_paced(&text_after_reply(reply, prompt), out).await
}

/// The calling person. The guide asks no agents, because an agent might ask back.
fn calling_person(prompt: &Prompt) -> Option<MemberId> {
    let person = prompt.calls.iter().rev().map(|call| &call.from).find(|from| from.author_type == AuthorType::Person);
    person.and_then(Author::member_id)
}

fn question() -> NewQuestion {
    let option = |(id, label, description, _): (&str, &str, &str, Topic)| AnswerOption {
        id: id.to_owned(),
        label: label.to_owned(),
        description: Some(description.to_owned()),
    };
    NewQuestion {
        options: CHOICES.into_iter().map(option).collect(),
        default: Some(CHOICES[0].0.into()),
        expires_in_seconds: Some(QUESTION_SECONDS),
        ..NewQuestion::default()
    }
}

fn text_after_reply(reply: Result<QuestionReply, AskError>, prompt: &Prompt) -> String {
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => return format!("\n\nI could not ask: {error}."),
    };
    let chosen = CHOICES.into_iter().find(|(id, ..)| reply.option.as_deref() == Some(id));
    let Some((_, label, _, topic)) = chosen else {
        return format!("\n\n{}", if reply.text.is_some() { topic::FREE_TEXT } else { topic::NO_ANSWER });
    };
    let intro = match reply.is_default {
        true => format!("Nobody answered, so I continue with the default: **{label}**."),
        false => format!("You chose **{label}**, so I continue."),
    };
    format!("\n\n{intro}\n\n{}", topic.text(prompt))
}
