//! What is asked of the context engine, and what it answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Receipt;
use crate::{
    Refusal,
    delivery::DeliveryPath,
    id::{AgentId, ConversationId, InjectionId, MessageId, RunId, TaskId},
    limits,
    message::Message,
    task::Task,
    text,
};

/// In which form a model will be given it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContextFormat {
    /// For the beginning of a turn: project, neighbours, task, threads, artifacts, history.
    #[default]
    Pack,
    /// For an agent in the middle of a turn: what is new for it.
    Injection,
    /// A pack, and the conversation as a list of native messages.
    Native,
    /// A pack, and the conversation as a list for OpenAI's chat interface.
    OpenaiChat,
    /// A pack, and the conversation as a list for OpenAI's responses interface.
    OpenaiResponses,
    /// A pack, and the conversation as a list for Anthropic.
    Anthropic,
    /// A pack, and the conversation as a list for Gemini.
    Gemini,
    /// The last 20 messages as one text, as Jaibber's agents are used to it.
    #[serde(rename = "last_20")]
    Last20,
}

/// What an agent would see.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ContextRequest {
    /// In which form.
    pub format: ContextFormat,
    /// Tokens that it may cost at most, text and list together; the rules of the agent and its project say it otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1_000_000))]
    pub budget: Option<u64>,
    /// The model that will read it: its way of counting tokens is used. The agent's own engine otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: Option<String>,
    /// The conversation in which the agent is to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The task that it works on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The message that it is to answer; it comes last, and always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Further messages that it is to answer together with that one; they are always shown, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 50))]
    pub together_with: Vec<MessageId>,
    /// Messages that a list has at most, what is to be answered included; as many as fit otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 300))]
    pub messages_max: Option<u64>,
    /// What it is about, in words, when there is no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 4000))]
    pub query: Option<String>,
    /// The run whose model will read it: what was given is kept and can be read later. For the agent itself only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// How it will come into the prompt of that run. Absent means `prompt`, and `hook` for an injection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveryPath>,
    /// Messages that the model has been given already, so that they are not given again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 200))]
    pub told: Vec<MessageId>,
    /// Notices of the moment for the system part, such as the state of a deployment. They are not stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 20))]
    pub system_notices: Vec<String>,
    /// What a command begins with that acts as the agent, where it has a shell instead of tools. Handles are written as
    /// such commands then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 500))]
    pub command: Option<String>,
}

/// What a model will see, and what it will not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Pack {
    /// The agent.
    pub agent_id: AgentId,
    /// In which form it is.
    pub format: ContextFormat,
    /// The text; for lists, that of the system part, without the conversation itself.
    pub text: String,
    /// The conversation, oldest first, each message with the text that may be shown: as much as fits beside the pack.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The task that it is about, as it may be shown, in a native list: whole, and not counted, like instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The list, in the form of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub request: Option<Value>,
    /// What is in it, and what is not, and why.
    pub receipt: Receipt,
    /// Under which id it is kept, when it was given to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection_id: Option<InjectionId>,
}

impl ContextFormat {
    /// Whether the conversation is given as a list, beside the text.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Native | Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic | Self::Gemini)
    }
}

impl ContextRequest {
    /// How it will come into the prompt.
    pub fn delivered_via(&self) -> DeliveryPath {
        let usual = if self.format == ContextFormat::Injection { DeliveryPath::Hook } else { DeliveryPath::Prompt };
        self.delivered_via.unwrap_or(usual)
    }

    /// Refuses what is out of bounds. A budget that is too small for anything is the engine's to refuse.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.budget.is_some_and(|budget| budget > limits::CONTEXT_BUDGET_TOKENS_MAX as u64) {
            let detail = format!("at most {} tokens can be asked for", limits::CONTEXT_BUDGET_TOKENS_MAX);
            return Err(Refusal::out_of_bounds(detail).at("budget"));
        }
        if let Some(model) = &self.model {
            text::check_not_blank(model)
                .and_then(|()| text::check_line(model, limits::MODEL_CHARS_MAX))
                .map_err(|refusal| refusal.at("model"))?;
        }
        if let Some(query) = &self.query {
            text::check_text(query, limits::CONTEXT_QUERY_CHARS_MAX).map_err(|refusal| refusal.at("query"))?;
        }
        if let Some(command) = &self.command {
            text::check_not_blank(command)
                .and_then(|()| text::check_line(command, limits::CONTEXT_COMMAND_CHARS_MAX))
                .map_err(|refusal| refusal.at("command"))?;
        }
        if self.messages_max.is_some_and(|most| !(1..=limits::CONTEXT_LIST_MESSAGES_MAX as u64).contains(&most)) {
            let detail = format!("a list has from 1 to {} messages", limits::CONTEXT_LIST_MESSAGES_MAX);
            return Err(Refusal::out_of_bounds(detail).at("messages_max"));
        }
        check_len("together_with", self.together_with.len(), limits::CONTEXT_TOGETHER_MAX)?;
        check_len("told", self.told.len(), limits::CONTEXT_TOLD_MAX)?;
        check_len("system_notices", self.system_notices.len(), limits::SYSTEM_NOTICES_MAX)?;
        for (index, notice) in self.system_notices.iter().enumerate() {
            text::check_text(notice, limits::SYSTEM_NOTICE_CHARS_MAX)
                .map_err(|refusal| refusal.at(&format!("system_notices[{index}]")))?;
        }
        Ok(())
    }
}

fn check_len(field: &str, len: usize, most: usize) -> Result<(), Refusal> {
    if len <= most {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("at most {most} are taken, not {len}")).at(field))
}

#[cfg(test)]
mod tests;
