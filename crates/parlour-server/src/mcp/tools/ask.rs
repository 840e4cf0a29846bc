//! `ask`: posts a question and waits for the answer, up to the time limit of a request.

use parlour_core::{
    Refusal,
    id::MessageId,
    limits,
    message::Message,
    post::PostMessage,
    question::{AnswerOption, NewQuestion, Question, QuestionState},
};
use parlour_hub::{Failure, use_cases::OpenDm};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition, post_message::addressed_to, reply_thread};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::{answer_text, quoted, quoted_name},
        request::McpRequest,
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "ask",
    effect: Effect::Changes,
    description: "Ask a person or agent and wait up to 25 s for the answer; call again with message_id to wait longer.",
    schema: r#"{"type":"object","properties":{
        "to":{"type":"string","description":"Name or id of the member to ask in a DM"},
        "channel_id":{"type":"string","description":"Or the channel, thread or message to ask in; @mention who should answer"},
        "body":{"type":"string"},
        "options":{"type":"array","items":{"type":"string"},"description":"Possible answers"},
        "default":{"type":"string","description":"Answer used when nobody answers in time"},
        "expires_in_seconds":{"type":"integer"},
        "message_id":{"type":"string","description":"Wait for the answer to this earlier question"},
        "project_id":{"type":"string"}}}"#,
};

/// Seconds between two progress notifications.
const PROGRESS_SECONDS: u64 = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AskArguments {
    to: Option<String>,
    channel_id: Option<String>,
    body: Option<String>,
    options: Option<Vec<String>>,
    default: Option<Value>,
    expires_in_seconds: Option<u64>,
    message_id: Option<MessageId>,
    project_id: Option<String>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: AskArguments = read_as(arguments)?;
    let question_id = match &arguments.message_id {
        Some(id) if arguments.body.is_none() => id.clone(),
        Some(_) => {
            return Err(Refusal::invalid("set either body (a new question) or message_id (an earlier one), not both")
                .at("message_id")
                .into());
        }
        None => post(mcp, arguments).await?,
    };
    let message = wait(mcp, &question_id).await?;
    // A deleted question has no view; its outcome is returned all the same.
    let view = mcp.hub.views([message.clone()]).await?.pop();
    outcome(mcp, &view.unwrap_or(message)).await
}

async fn post(mcp: &McpRequest<'_>, arguments: AskArguments) -> Result<MessageId, Failure> {
    let body =
        arguments.body.ok_or_else(|| Refusal::invalid("body is missing; write the question there").at("body"))?;
    let option = |text: String| AnswerOption { id: text.clone(), label: text, description: None };
    let question = NewQuestion {
        options: arguments.options.unwrap_or_default().into_iter().map(option).collect(),
        schema: None,
        default: arguments.default,
        expires_in_seconds: arguments.expires_in_seconds,
        run_id: mcp.client.run(),
    };
    let request = PostMessage { body, blocking: true, question: Some(question), ..PostMessage::default() };
    let project = arguments.project_id.as_deref();
    match (arguments.to, arguments.channel_id) {
        (Some(member), None) => post_in_dm(mcp, project, member, request).await,
        (None, Some(target)) => post_in(mcp, project, &target, request).await,
        _ => Err(Refusal::invalid("set either to (a member) or channel_id").at("to").into()),
    }
}

async fn post_in_dm(
    mcp: &McpRequest<'_>,
    project: Option<&str>,
    member: String,
    first: PostMessage,
) -> Result<MessageId, Failure> {
    let participants = mcp.members(project, &[member], "to").await?;
    let is_of_agents = mcp.is_agent() || participants.iter().any(|member| member.agent().is_some());
    let project_id = if is_of_agents { None } else { Some(mcp.project(project).await?) };
    let opened = mcp.hub.open_dm(mcp.caller, OpenDm { project_id, participants, first: Some(first) }).await?;
    Ok(opened.posted.map(|posted| posted.message.id).expect("a DM with a first message posts it"))
}

async fn post_in(
    mcp: &McpRequest<'_>,
    project: Option<&str>,
    target: &str,
    request: PostMessage,
) -> Result<MessageId, Failure> {
    let is_message = target.parse::<MessageId>().is_ok();
    let (to, reply_to) = match is_message {
        true => reply_thread::reply_target(mcp, target).await?,
        false => (mcp.conversation(project, target).await?, None),
    };
    let request = addressed_to(to, PostMessage { reply_to, ..request });
    Ok(mcp.hub.post_message(mcp.caller, request).await?.message.id)
}

/// Waits until the question is closed or the time limit of a request is reached, and sends progress notifications.
async fn wait(mcp: &McpRequest<'_>, id: &MessageId) -> Result<Message, Failure> {
    let total = limits::WAIT_SECONDS_MAX as u64;
    let mut waited = 0;
    loop {
        let interval = PROGRESS_SECONDS.min(total - waited);
        let message = mcp.hub.wait_question(mcp.caller, id, interval).await?;
        waited += interval;
        let is_open = message.question.as_ref().is_some_and(Question::is_open);
        if !is_open || waited >= total {
            return Ok(message);
        }
        mcp.progress.notify(waited, total, "waiting for the answer").await;
    }
}

async fn outcome(mcp: &McpRequest<'_>, message: &Message) -> Result<ToolOutput, Failure> {
    let id = &message.id;
    // The answer is a text of somebody else: redacted like every other.
    let view = mcp.hub.views([message.clone()]).await?.pop();
    let Some(question) = view.as_ref().and_then(|view| view.question.as_ref()) else {
        return Err(Refusal::invalid(format!("{id} is not a question")).at("message_id").into());
    };
    if question.state == QuestionState::Open {
        let text = format!(
            "{id} is not answered yet; it is open until {}. To wait longer, call ask {{\"message_id\": \"{id}\"}}; you \
             can do other work meanwhile.",
            question.expires_at
        );
        return Ok(ToolOutput::new(
            json!({"message_id": id, "state": "open", "expires_at": question.expires_at}),
            text,
        ));
    }
    let by = question.closed_by.as_ref().map(|author| author.name.clone());
    let reply = reply_of(mcp, question).await;
    let value = without_nulls(json!({
        "message_id": id, "state": question.state, "by": by, "answer": question.answer, "reply": reply,
    }));
    Ok(ToolOutput::new(value, outcome_text(question, by.as_deref(), reply.as_deref())))
}

/// The body of the message that answered, if a model may see it.
async fn reply_of(mcp: &McpRequest<'_>, question: &Question) -> Option<String> {
    let id = question.answer.as_ref()?.message_id.as_ref()?;
    let found = mcp.hub.message(mcp.caller, id).await.ok()?;
    mcp.hub.views([found]).await.ok()?.pop().map(|message| message.body)
}

fn outcome_text(question: &Question, by: Option<&str>, reply: Option<&str>) -> String {
    let by = by.map_or_else(|| "a member".to_owned(), quoted_name);
    let head = match (question.state, &question.answer) {
        (QuestionState::Answered, Some(answer)) => format!("{by} answered: {}", answer_text(answer)),
        (QuestionState::Expired, Some(answer)) => format!("Nobody answered in time: {}", answer_text(answer)),
        (QuestionState::Expired, None) => "Nobody answered in time, and the question has no default.".to_owned(),
        (QuestionState::Ignored, Some(answer)) => format!("The recipient declined to answer: {}", answer_text(answer)),
        (QuestionState::Ignored, None) => {
            "The recipient declined to answer, and the question has no default.".to_owned()
        }
        _ => format!("{by} withdrew the question."),
    };
    match reply {
        Some(reply) => format!("{head}\n{}", quoted(reply)),
        None => head,
    }
}
