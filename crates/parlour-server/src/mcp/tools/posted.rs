//! What a tool answers that has posted something, and A request that most of them share.

use parlour_core::{
    id::{ArtifactId, ConversationId, MessageId},
    mention::MentionProblem,
    message::Importance,
    post::PostMessage,
};
use parlour_hub::use_cases::Posted;
use serde_json::json;

use crate::mcp::{
    outcome::{Outcome, without_nulls},
    shown,
};

/// What is to be said, wherever it is.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) body: String,
    pub(super) mentions: Option<Vec<String>>,
    pub(super) artifacts: Option<Vec<ArtifactId>>,
    pub(super) blocking: Option<bool>,
    pub(super) importance: Option<Importance>,
    pub(super) reply_to: Option<MessageId>,
}

impl Said {
    /// A request to say it in this conversation.
    pub(super) fn into_wish(self, to: ConversationId) -> PostMessage {
        let request = PostMessage {
            body: self.body,
            mentions: self.mentions.unwrap_or_default(),
            artifacts: self.artifacts.unwrap_or_default(),
            blocking: self.blocking.unwrap_or_default(),
            importance: self.importance.unwrap_or_default(),
            reply_to: self.reply_to,
            ..PostMessage::default()
        };
        match to {
            ConversationId::Channel(id) => PostMessage { channel_id: Some(id), ..request },
            ConversationId::Thread(id) => PostMessage { thread_id: Some(id), ..request },
            ConversationId::Dm(id) => PostMessage { dm_id: Some(id), ..request },
        }
    }
}

/// What the sender should know of its message.
pub(super) fn outcome(posted: &Posted) -> Outcome {
    let Posted { message, mention_problems, answer_problem, .. } = posted;
    let answered = message.answer_to.as_ref().map(|answer| &answer.message_id);
    let value = without_nulls(json!({
        "message_id": message.id, "conversation_id": message.to, "seq": message.seq, "answers": answered,
        "question": message.question.as_ref().map(shown::question),
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
    text.extend(mention_problems.iter().map(problem_in_words));
    Outcome::new(value, text)
}

fn problem_in_words(problem: &MentionProblem) -> String {
    let name = shown::one_line(&problem.name);
    match problem.candidates.as_slice() {
        [] => format!(" @{name} called nobody."),
        candidates => format!(" @{name} called nobody; did you mean {}?", candidates.join(", ")),
    }
}
