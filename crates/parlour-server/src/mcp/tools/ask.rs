//! `ask`: asks a question and waits for the answer, as long as a call may take.

use parlour_core::{
    Refusal,
    id::{ConversationId, MessageId},
    limits,
    message::Message,
    post::PostMessage,
    question::{AnswerOption, Ask, Question, QuestionState},
};
use parlour_hub::{Failure, use_cases::OpenDm};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect, reply_thread};
use crate::{
    extract::json::read_as,
    mcp::{
        outcome::{Outcome, without_nulls},
        shown,
        turn::Turn,
    },
};

pub(super) const TOOL: Definition = Definition {
    name: "ask",
    effect: Effect::Changes,
    description: "Ask a person or agent and wait up to 25 s for the answer; call again with message_id to go on waiting.",
    schema: r#"{"type":"object","properties":{
        "to":{"type":"string","description":"Whom to ask privately: name or id"},
        "channel_id":{"type":"string","description":"Or where to ask: channel, thread or message; @mention who is to answer"},
        "body":{"type":"string"},
        "options":{"type":"array","items":{"type":"string"},"description":"Answers to choose from"},
        "default":{"type":"string","description":"Counts when nobody answers in time"},
        "expires_in_seconds":{"type":"integer"},
        "message_id":{"type":"string","description":"An earlier question to wait for"},
        "project_id":{"type":"string"}}}"#,
};

/// Seconds between two signs of life to a client that wants them.
const SIGN_SECONDS: u64 = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    to: Option<String>,
    channel_id: Option<String>,
    body: Option<String>,
    options: Option<Vec<String>>,
    default: Option<Value>,
    expires_in_seconds: Option<u64>,
    message_id: Option<MessageId>,
    project_id: Option<String>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    let wanted: Arguments = read_as(arguments)?;
    let asked = match &wanted.message_id {
        Some(id) if wanted.body.is_none() => id.clone(),
        Some(_) => {
            return Err(Refusal::invalid("give either a new question or the message_id of an earlier one")
                .at("message_id")
                .into());
        }
        None => post(turn, wanted).await?,
    };
    let message = wait(turn, &asked).await?;
    // A question that was removed has nothing left to show, and how it ended is told all the same.
    let view = turn.hub.views([message.clone()]).await?.pop();
    outcome(turn, &view.unwrap_or(message)).await
}

async fn post(turn: &Turn<'_>, wanted: Arguments) -> Result<MessageId, Failure> {
    let body = wanted.body.ok_or_else(|| Refusal::invalid("say what you ask").at("body"))?;
    let option = |text: String| AnswerOption { id: text.clone(), label: text, description: None };
    let question = Ask {
        options: wanted.options.unwrap_or_default().into_iter().map(option).collect(),
        schema: None,
        default: wanted.default,
        expires_in_seconds: wanted.expires_in_seconds,
        run_id: turn.desk.run(),
    };
    let request = PostMessage { body, blocking: true, question: Some(question), ..PostMessage::default() };
    let project = wanted.project_id.as_deref();
    match (wanted.to, wanted.channel_id) {
        (Some(member), None) => post_in_dm(turn, project, member, request).await,
        (None, Some(place)) => post_in(turn, project, &place, request).await,
        _ => Err(Refusal::invalid("say either whom to ask (to) or where (channel_id)").at("to").into()),
    }
}

async fn post_in_dm(
    turn: &Turn<'_>,
    project: Option<&str>,
    member: String,
    first: PostMessage,
) -> Result<MessageId, Failure> {
    let participants = turn.members(project, &[member], "to").await?;
    let is_of_agents = turn.is_agent() || participants.iter().any(|member| member.agent().is_some());
    let project_id = if is_of_agents { None } else { Some(turn.project(project).await?) };
    let opened = turn.hub.open_dm(turn.caller, OpenDm { project_id, participants, first: Some(first) }).await?;
    Ok(opened.posted.map(|posted| posted.message.id).expect("something was to be said"))
}

async fn post_in(
    turn: &Turn<'_>,
    project: Option<&str>,
    place: &str,
    request: PostMessage,
) -> Result<MessageId, Failure> {
    let is_message = place.parse::<MessageId>().is_ok();
    let (to, reply_to) = match is_message {
        true => reply_thread::place_of(turn, place).await?,
        false => (turn.conversation(project, place).await?, None),
    };
    let request = PostMessage { reply_to, ..request };
    let request = match to {
        ConversationId::Channel(id) => PostMessage { channel_id: Some(id), ..request },
        ConversationId::Thread(id) => PostMessage { thread_id: Some(id), ..request },
        ConversationId::Dm(id) => PostMessage { dm_id: Some(id), ..request },
    };
    Ok(turn.hub.post_message(turn.caller, request).await?.message.id)
}

/// Waits until the question is closed, at most as long as a request may, and gives signs of life on the way.
async fn wait(turn: &Turn<'_>, id: &MessageId) -> Result<Message, Failure> {
    let whole = limits::WAIT_SECONDS_MAX as u64;
    let mut waited = 0;
    loop {
        let piece = SIGN_SECONDS.min(whole - waited);
        let message = turn.hub.wait_question(turn.caller, id, piece).await?;
        waited += piece;
        let is_open = message.question.as_ref().is_some_and(Question::is_open);
        if !is_open || waited >= whole {
            return Ok(message);
        }
        turn.progress.tell(waited, whole, "waiting for the answer").await;
    }
}

async fn outcome(turn: &Turn<'_>, message: &Message) -> Result<Outcome, Failure> {
    let id = &message.id;
    let Some(question) = &message.question else {
        return Err(Refusal::invalid(format!("{id} asks nothing")).at("message_id").into());
    };
    if question.state == QuestionState::Open {
        let text = format!(
            "{id} is not answered yet; it is open until {}. Go on waiting with ask {{\"message_id\": \"{id}\"}}, or do \
             something else meanwhile.",
            question.expires_at
        );
        return Ok(Outcome::new(json!({"message_id": id, "state": "open", "expires_at": question.expires_at}), text));
    }
    let by = question.closed_by.as_ref().map(|author| author.name.clone());
    let reply = reply_of(turn, question).await;
    let value = without_nulls(json!({
        "message_id": id, "state": question.state, "by": by, "answer": question.answer, "reply": reply,
    }));
    Ok(Outcome::new(value, in_words(question, by.as_deref(), reply.as_deref())))
}

/// What was written as the answer, when it was written in a message that a model may see.
async fn reply_of(turn: &Turn<'_>, question: &Question) -> Option<String> {
    let id = question.answer.as_ref()?.message_id.as_ref()?;
    let found = turn.hub.message(turn.caller, id).await.ok()?;
    turn.hub.views([found]).await.ok()?.pop().map(|message| message.body)
}

fn in_words(question: &Question, by: Option<&str>, reply: Option<&str>) -> String {
    let by = shown::one_line(by.unwrap_or("somebody"));
    let head = match (question.state, &question.answer) {
        (QuestionState::Answered, Some(answer)) => format!("{by} answered: {}", shown::answer_text(answer)),
        (QuestionState::Expired, Some(answer)) => format!("Nobody answered in time: {}", shown::answer_text(answer)),
        (QuestionState::Expired, None) => "Nobody answered in time, and there is no default.".to_owned(),
        (QuestionState::Ignored, Some(answer)) => format!("They will not answer: {}", shown::answer_text(answer)),
        (QuestionState::Ignored, None) => "They will not answer, and there is no default.".to_owned(),
        _ => format!("{by} took the question back."),
    };
    match reply {
        Some(reply) => format!("{head}\n{}", shown::marked(reply)),
        None => head,
    }
}
