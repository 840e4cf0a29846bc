//! The guide: the agent of the sample project. It needs no key and no network.
//!
//! It is no language model and says so. It looks for words that it knows in the message that calls it, and answers with
//! what it knows by heart, or with what it finds in the conversation. It mentions nobody, so it can be part of no loop.
//!
//! Asked for it, it asks something itself, between two parts of an answer: a question that blocks, with options, so that
//! newcomers see one. It asks nobody but the person who called it.

use std::time::Duration;

use async_trait::async_trait;
use parlour_core::{
    engine::BUILT_IN,
    id::MemberId,
    message::Message,
    step::{FinishStep, StartStep},
};
use tokio_util::sync::CancellationToken;

use crate::engine::{AnswerSink, AnswerStopped, Completion, Engine, EngineError, Prompt};

mod asking;
mod conversation;
mod escape;
mod pace;
mod question;
mod shows;
mod spelling;
#[cfg(test)]
mod tests;
mod texts;
mod topic;

use question::Question;
use topic::Topic;

/// Subjects that one answer takes up, when several calls are answered together.
const SUBJECTS_MAX: usize = 3;

/// How long the guide seems to look at a conversation: long enough to be seen.
const LOOK_TIME: Duration = Duration::from_millis(150);

/// The engine that needs no key and no network.
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
            return Err(EngineError::new(texts::NO_TASKS));
        }
        match stop.run_until_cancelled(write_parts(compose(prompt), prompt, out)).await {
            Some(outcome) => Ok(outcome.map(|()| Completion::default())?),
            None => Err(AnswerStopped.into()),
        }
    }
}

/// A piece of an answer.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Something to read.
    Text(String),
    /// The guide looks at the conversation, and tells what it has found there.
    Look(serde_json::Value),
    /// The guide asks this member something, and waits.
    Ask(MemberId),
}

/// What the guide has to say: nothing when it need not speak and does not know for sure what is wanted.
fn compose(prompt: &Prompt) -> Vec<Part> {
    let questions = questions(prompt);
    let topics = match prompt.is_optional() {
        true => topics_of(&questions, Topic::of_clear),
        false => topics_of(&questions, |question| Some(Topic::of(question))),
    };
    let looks = topics.iter().any(|(topic, _)| topic.is_about_conversation());
    let look = looks.then(|| Part::Look(conversation::findings(prompt)));
    let texts: Vec<_> = topics.iter().map(|(topic, question)| topic.answer(question, prompt)).collect();
    let asks = topics.iter().any(|(topic, _)| *topic == Topic::Asking);
    let ask = asking::whom(prompt).filter(|_| asks).map(Part::Ask);
    let text = (!texts.is_empty()).then(|| Part::Text(texts.join("\n\n---\n\n")));
    look.into_iter().chain(text).chain(ask).collect()
}

/// What the calls ask. A message that was removed meanwhile asks nothing; then the guide says what it can do.
fn questions(prompt: &Prompt) -> Vec<Question> {
    let is_called = |message: &&Message| prompt.calls.iter().any(|call| call.message_id == message.id);
    let called = prompt.history.iter().filter(is_called);
    let questions: Vec<_> = called.map(|message| Question::new(&message.body, &prompt.agent.name)).collect();
    if questions.is_empty() { vec![Question::default()] } else { questions }
}

/// The subjects of the questions, each once. Politeness counts only where nothing else is said.
fn topics_of(questions: &[Question], topic_of: impl Fn(&Question) -> Option<Topic>) -> Vec<(Topic, &Question)> {
    let mut topics: Vec<(Topic, &Question)> = Vec::new();
    for question in questions {
        let Some(topic) = topic_of(question) else { continue };
        if topics.iter().all(|(known, _)| *known != topic) {
            topics.push((topic, question));
        }
    }
    if topics.iter().any(|(topic, _)| !topic.is_courtesy()) {
        topics.retain(|(topic, _)| !topic.is_courtesy());
    }
    topics.truncate(SUBJECTS_MAX);
    topics
}

async fn write_parts(parts: Vec<Part>, prompt: &Prompt, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    for part in parts {
        match part {
            Part::Text(text) => pace::write(&text, out).await?,
            Part::Look(findings) => look(findings, out).await?,
            Part::Ask(whom) => asking::ask(whom, prompt, out).await?,
        }
    }
    Ok(())
}

/// One step, so that readers see what the guide does before it speaks.
async fn look(findings: serde_json::Value, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let step = StartStep { id: "look".to_owned(), name: "look at the conversation".to_owned(), input: None };
    out.start_step(step).await?;
    tokio::time::sleep(LOOK_TIME).await;
    out.finish_step("look", FinishStep { output: Some(findings), is_error: false }).await
}
