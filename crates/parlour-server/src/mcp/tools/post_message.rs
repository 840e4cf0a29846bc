//! `post_message`: posts a message in a conversation.

use parlour_core::{
    id::{ArtifactId, ConversationId, MessageId},
    mention::MentionProblem,
    message::Importance,
    post::PostMessage,
};
use parlour_hub::{Failure, use_cases::Posted};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::{question_json, quoted_name, quoted_names},
        request::McpRequest,
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "post_message",
    effect: Effect::Changes,
    description: "Post a message in a channel. @Name in the body mentions a member; a mentioned agent is called to answer.",
    schema: r#"{"type":"object","properties":{
        "project_id":{"type":"string"},
        "channel_id":{"type":"string","description":"Channel name or id, or the id of a thread or DM"},
        "body":{"type":"string","description":"Markdown"},
        "reply_to":{"type":"string","description":"Id of the message of the same conversation that this one answers"},
        "mentions":{"type":"array","items":{"type":"string"},"description":"Names or ids of further members to mention"},
        "artifacts":{"type":"array","items":{"type":"string"},"description":"Ids of stored files"},
        "blocking":{"type":"boolean","description":"Pauses the mentioned agents until they answer; to wait for the answer, use ask"},
        "importance":{"enum":["normal","high","critical"]}},"required":["channel_id","body"]}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PostMessageArguments {
    project_id: Option<String>,
    channel_id: String,
    body: String,
    reply_to: Option<MessageId>,
    mentions: Option<Vec<String>>,
    artifacts: Option<Vec<ArtifactId>>,
    blocking: Option<bool>,
    importance: Option<Importance>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    let arguments: PostMessageArguments = read_as(arguments)?;
    let to = mcp.conversation(arguments.project_id.as_deref(), &arguments.channel_id).await?;
    let request = PostMessage {
        body: arguments.body,
        reply_to: arguments.reply_to,
        mentions: arguments.mentions.unwrap_or_default(),
        artifacts: arguments.artifacts.unwrap_or_default(),
        blocking: arguments.blocking.unwrap_or_default(),
        importance: arguments.importance.unwrap_or_default(),
        ..PostMessage::default()
    };
    Ok(posted_output(&mcp.hub.post_message(mcp.caller, addressed_to(to, request)).await?))
}

/// Addresses a post to a conversation.
pub(super) fn addressed_to(to: ConversationId, request: PostMessage) -> PostMessage {
    match to {
        ConversationId::Channel(id) => PostMessage { channel_id: Some(id), ..request },
        ConversationId::Thread(id) => PostMessage { thread_id: Some(id), ..request },
        ConversationId::Dm(id) => PostMessage { dm_id: Some(id), ..request },
    }
}

/// The output of a tool that has posted a message, with unresolved mentions and a rejected answer.
pub(super) fn posted_output(posted: &Posted) -> ToolOutput {
    let Posted { message, mention_problems, answer_problem, .. } = posted;
    let answered = message.answer_to.as_ref().map(|answer| &answer.message_id);
    let value = without_nulls(json!({
        "message_id": message.id, "conversation_id": message.to, "seq": message.seq, "answers": answered,
        "question": message.question.as_ref().map(question_json),
        "mention_problems": Some(mention_problems).filter(|problems| !problems.is_empty()),
        "answer_problem": answer_problem.as_ref().map(|refusal| json!({"code": refusal.code.as_str(), "detail": refusal.detail})),
    }));
    let mut text = format!("Posted {} in {}.", message.id, message.to);
    if let Some(answered) = answered {
        text += &format!(" It answers {answered}.");
    }
    if let Some(refusal) = answer_problem {
        let (code, detail) = (refusal.code.as_str(), &refusal.detail);
        text += &format!(" It does NOT answer the open question there ({code}: {detail}); reply again.");
    }
    text.extend(mention_problems.iter().map(mention_problem_text));
    ToolOutput::new(value, text)
}

fn mention_problem_text(problem: &MentionProblem) -> String {
    let name = quoted_name(&problem.name);
    match problem.candidates.as_slice() {
        [] => format!(" The mention {name} matches no member."),
        candidates => format!(
            " The mention {name} matches no member; did you mean {}?",
            quoted_names(candidates.iter().map(String::as_str))
        ),
    }
}
