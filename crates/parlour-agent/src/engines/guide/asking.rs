//! The guide asks back: a question that blocks, so that newcomers see one.

use parlour_core::{
    author::AuthorType,
    id::MemberId,
    question::{AnswerOption, Ask, QuestionState},
};

use super::{AnswerSink, AnswerStopped, Prompt, pace, question::Question, texts, topic::Topic};
use crate::engine::{AskError, EngineQuestion, QuestionReply};

/// How long the guide waits for an answer.
const WAIT_SECONDS: u64 = 120;

/// What can be chosen: what the guide then talks about, and why one might want that.
const CHOICES: [(&str, &str, &str, Topic); 3] = [
    ("channels", "Channels", "Where people and agents talk", Topic::Channels),
    ("threads", "Threads", "How a talk stays together", Topic::Threads),
    ("join", "Join an agent", "How an agent of your own comes here", Topic::Joining),
];

/// Whom the guide asks: the person who called it. An agent might ask back.
pub(super) fn whom(prompt: &Prompt) -> Option<MemberId> {
    let person = prompt.calls.iter().rev().map(|call| &call.from).find(|from| from.author_type == AuthorType::Person);
    person.and_then(parlour_core::author::Author::member_id)
}

/// Asks, waits, and goes on with what was chosen.
pub(super) async fn ask(whom: MemberId, prompt: &Prompt, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let option = |(id, label, description, _): (&str, &str, &str, Topic)| AnswerOption {
        id: id.to_owned(),
        label: label.to_owned(),
        description: Some(description.to_owned()),
    };
    let ask = Ask {
        options: CHOICES.into_iter().map(option).collect(),
        default: Some(CHOICES[0].0.into()),
        expires_in_seconds: Some(WAIT_SECONDS),
        ..Ask::default()
    };
    let reply = out.ask(EngineQuestion { whom, body: texts::QUESTION.to_owned(), ask }).await;
    pace::write(&go_on(reply, prompt), out).await
}

/// What the guide says after its question.
fn go_on(reply: Result<QuestionReply, AskError>, prompt: &Prompt) -> String {
    let reply = match reply {
        Ok(reply) => reply,
        Err(cannot) => return format!("\n\nI could not ask: {cannot}."),
    };
    let chosen = CHOICES.into_iter().find(|(id, ..)| reply.option.as_deref() == Some(id));
    let told = match (chosen, &reply.text) {
        (Some((_, label, _, topic)), _) => Some((format!("**{label}**"), topic)),
        (None, Some(text)) => {
            let question = Question::new(text, &prompt.agent.name);
            Some(("something of your own".to_owned(), Topic::of(&question)))
        }
        (None, None) => None,
    };
    let Some((what, topic)) = told else { return format!("\n\n{}", nothing_chosen(reply.state)) };
    let how = if reply.is_default {
        format!("Nobody has answered, so the default counts: {what}.")
    } else {
        format!("You have chosen {what}, and my run goes on.")
    };
    let asked = Question::new(reply.text.as_deref().unwrap_or_default(), &prompt.agent.name);
    format!("\n\n{how}\n\n{}", topic.answer(&asked, prompt))
}

fn nothing_chosen(state: QuestionState) -> &'static str {
    match state {
        QuestionState::Withdrawn => "Somebody has let me go on without an answer.",
        _ => "There was no answer, so I go on without one.",
    }
}

#[cfg(test)]
mod tests;
