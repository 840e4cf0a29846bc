//! Requests to the context engine, and the pack that it returns.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Refusal,
    context::Receipt,
    delivery::DeliveryPath,
    id::{AgentId, ConversationId, InjectionId, MessageId, RunId, TaskId},
    limits,
    message::Message,
    task::Task,
    text,
};

/// The format of the context for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ContextFormat {
    /// For the start of a turn: project, neighbours, task, threads, artifacts, history.
    #[default]
    Pack,
    /// For a running turn: what is new for the agent.
    Injection,
    /// A pack, and the conversation as a list of native messages.
    Native,
    /// A pack, and the conversation as a message list for OpenAI's chat completions API.
    OpenaiChat,
    /// A pack, and the conversation as a message list for OpenAI's responses API.
    OpenaiResponses,
    /// A pack, and the conversation as a message list for Anthropic.
    Anthropic,
    /// A pack, and the conversation as a message list for Gemini.
    Gemini,
    /// The last 20 messages as one text, in the format of Jaibber's agents.
    #[serde(rename = "last_20")]
    Last20,
}

/// A request for the context of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ContextRequest {
    /// The format.
    pub format: ContextFormat,
    /// The token budget of text and list together; by default that of the agent's or the project's rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 0, maximum = 1_000_000))]
    pub budget: Option<u64>,
    /// The model whose tokenizer counts the tokens; by default that of the agent's engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub model: Option<String>,
    /// The conversation in which the agent answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The task of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The message to answer. It is always included, as the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Further messages to answer together with that one. They are always included.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 50))]
    pub together_with: Vec<MessageId>,
    /// The most messages of a list, including those to answer; by default as many as fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 300))]
    pub messages_max: Option<u64>,
    /// The topic in words, if there is no message to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 4000))]
    pub query: Option<String>,
    /// The run of the model. The hub stores the given context as an injection. Only the agent itself can set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The delivery path into the prompt of the run; `prompt` by default, and `hook` for an injection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered_via: Option<DeliveryPath>,
    /// Messages that the model has already received. They are not included again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 200))]
    pub told: Vec<MessageId>,
    /// Questions of the agent that have ended. The text then contains only their outcomes, as far as they fit. For the
    /// format `injection`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 3))]
    pub outcomes: Vec<MessageId>,
    /// Temporary notices for the system prompt, such as the state of a deployment. They are not stored.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 20))]
    pub system_notices: Vec<String>,
    /// The command prefix for an agent that has a shell instead of tools. Handles are written as such commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 500))]
    pub command: Option<String>,
}

/// The context of an agent, and the receipt of what was included and omitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Pack {
    /// The agent.
    pub agent_id: AgentId,
    /// The format.
    pub format: ContextFormat,
    /// The text; for lists, the system prompt and the context, without the conversation.
    pub text: String,
    /// The conversation, oldest first, as much as fits beside the pack, each message with its redacted text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The task, redacted, in a native list. It is complete and, like instructions, not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
    /// The message list in the format of the provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub request: Option<Value>,
    /// The receipt.
    pub receipt: Receipt,
    /// The id of the stored injection, if the context was given to a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection_id: Option<InjectionId>,
}

impl ContextFormat {
    /// Whether the format contains a message list.
    pub fn is_list(self) -> bool {
        matches!(self, Self::Native | Self::OpenaiChat | Self::OpenaiResponses | Self::Anthropic | Self::Gemini)
    }
}

impl ContextRequest {
    /// The delivery path into the prompt.
    pub fn delivered_via(&self) -> DeliveryPath {
        let usual = if self.format == ContextFormat::Injection { DeliveryPath::Hook } else { DeliveryPath::Prompt };
        self.delivered_via.unwrap_or(usual)
    }

    /// Refuses values out of range. The engine refuses a budget that is too small for any content.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.budget.is_some_and(|budget| budget > limits::CONTEXT_BUDGET_TOKENS_MAX as u64) {
            let detail = format!("a budget has at most {} tokens", limits::CONTEXT_BUDGET_TOKENS_MAX);
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
            let detail = format!("messages_max must be 1 to {}", limits::CONTEXT_LIST_MESSAGES_MAX);
            return Err(Refusal::out_of_bounds(detail).at("messages_max"));
        }
        check_len("together_with", self.together_with.len(), limits::CONTEXT_TOGETHER_MAX)?;
        check_len("told", self.told.len(), limits::CONTEXT_TOLD_MAX)?;
        check_len("outcomes", self.outcomes.len(), limits::QUESTIONS_PER_ASKER_MAX)?;
        if !self.outcomes.is_empty() && self.format != ContextFormat::Injection {
            return Err(Refusal::invalid("outcomes need the format injection").at("outcomes"));
        }
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
    Err(Refusal::out_of_bounds(format!("{field} has {len} items; at most {most} are allowed")).at(field))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::id::ChannelId;

    const BUDGET_MAX: u64 = limits::CONTEXT_BUDGET_TOKENS_MAX as u64;
    const LIST_MAX: u64 = limits::CONTEXT_LIST_MESSAGES_MAX as u64;

    /// The field that is refused.
    fn refused(ask: &ContextRequest) -> Option<String> {
        ask.check().err().map(|refusal| refusal.field.expect("the field is named"))
    }

    #[test]
    fn an_empty_request_is_valid() {
        assert_eq!(serde_json::from_value::<ContextRequest>(json!({})).expect("an ask"), ContextRequest::default());
        assert_eq!(ContextRequest::default().check(), Ok(()));
        assert_eq!(ContextRequest::default().format, ContextFormat::Pack);
    }

    #[test]
    fn every_limit_is_exact_and_its_field_is_named() {
        let most = ContextRequest {
            budget: Some(BUDGET_MAX),
            model: Some("m".repeat(limits::MODEL_CHARS_MAX)),
            query: Some("é".repeat(limits::CONTEXT_QUERY_CHARS_MAX)),
            command: Some("c".repeat(limits::CONTEXT_COMMAND_CHARS_MAX)),
            together_with: vec![MessageId::from_bits(1); limits::CONTEXT_TOGETHER_MAX],
            messages_max: Some(LIST_MAX),
            told: vec![MessageId::from_bits(1); limits::CONTEXT_TOLD_MAX],
            system_notices: vec!["n".repeat(limits::SYSTEM_NOTICE_CHARS_MAX); limits::SYSTEM_NOTICES_MAX],
            ..ContextRequest::default()
        };
        assert_eq!(most.check(), Ok(()));
        let longer = |text: &Option<String>| text.as_ref().map(|text| format!("{text}x"));
        let notice = "n".repeat(limits::SYSTEM_NOTICE_CHARS_MAX + 1);
        let cases = [
            ("budget", ContextRequest { budget: Some(BUDGET_MAX + 1), ..most.clone() }),
            ("model", ContextRequest { model: longer(&most.model), ..most.clone() }),
            ("query", ContextRequest { query: longer(&most.query), ..most.clone() }),
            ("command", ContextRequest { command: longer(&most.command), ..most.clone() }),
            ("messages_max", ContextRequest { messages_max: Some(LIST_MAX + 1), ..most.clone() }),
            ("messages_max", ContextRequest { messages_max: Some(0), ..most.clone() }),
            ("together_with", {
                let more = vec![MessageId::from_bits(1); limits::CONTEXT_TOGETHER_MAX + 1];
                ContextRequest { together_with: more, ..most.clone() }
            }),
            (
                "told",
                ContextRequest { told: vec![MessageId::from_bits(1); limits::CONTEXT_TOLD_MAX + 1], ..most.clone() },
            ),
            (
                "system_notices",
                ContextRequest { system_notices: vec![String::new(); limits::SYSTEM_NOTICES_MAX + 1], ..most.clone() },
            ),
            ("system_notices[1]", ContextRequest { system_notices: vec![String::new(), notice], ..most.clone() }),
        ];
        for (field, ask) in cases {
            assert_eq!(refused(&ask).as_deref(), Some(field));
        }
    }

    #[test]
    fn the_request_check_accepts_tiny_budgets() {
        for budget in [0, 1] {
            assert_eq!(ContextRequest { budget: Some(budget), ..ContextRequest::default() }.check(), Ok(()));
        }
    }

    #[test]
    fn control_characters_in_texts_are_refused() {
        for (field, text) in
            [("model", " "), ("model", "a\nb"), ("command", ""), ("command", "a\u{202E}b"), ("query", "\0")]
        {
            let ask: ContextRequest = serde_json::from_value(json!({ field: text })).expect("an ask");
            assert_eq!(refused(&ask).as_deref(), Some(field), "{text:?}");
        }
        let ask =
            ContextRequest { system_notices: vec!["fine\nso far".into(), "\u{7}".into()], ..ContextRequest::default() };
        assert_eq!(refused(&ask).as_deref(), Some("system_notices[1]"));
    }

    #[test]
    fn an_unknown_field_or_format_is_refused() {
        for body in [json!({ "tokens": 5 }), json!({ "format": "xml" }), json!({ "budget": -1 })] {
            assert!(serde_json::from_value::<ContextRequest>(body.clone()).is_err(), "{body}");
        }
    }

    #[test]
    fn every_format_has_its_name() {
        let names = ["pack", "injection", "openai_chat", "openai_responses", "anthropic", "gemini", "last_20"];
        for name in names {
            let format: ContextFormat = serde_json::from_value(json!(name)).expect(name);
            assert_eq!(serde_json::to_value(format).expect("plain data"), json!(name));
        }
    }

    #[test]
    fn a_request_round_trips() {
        let ask = ContextRequest {
            format: ContextFormat::Last20,
            budget: Some(512),
            model: Some("gpt-4o".into()),
            conversation_id: Some(ChannelId::from_bits(5).into()),
            task_id: Some(TaskId::from_bits(1)),
            message_id: Some(MessageId::from_bits(2)),
            together_with: vec![MessageId::from_bits(6)],
            messages_max: Some(7),
            query: Some("the release".into()),
            run_id: Some(RunId::from_bits(3)),
            delivered_via: Some(DeliveryPath::Checkpoint),
            told: vec![MessageId::from_bits(4)],
            outcomes: vec![MessageId::from_bits(8)],
            system_notices: vec!["It is late.".into()],
            command: Some("parlour".into()),
        };
        let json = serde_json::to_string(&ask).expect("plain data");
        assert_eq!(serde_json::from_str::<ContextRequest>(&json).expect("an ask"), ask);
    }
}
