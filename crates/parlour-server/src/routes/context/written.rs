//! Packs in the words of providers, and as Jaibber's agents are used to them.

use parlour_core::{
    context::{ContextFormat, ContextRequest},
    member::Agent,
    message::Message,
};
use parlour_dialects::{
    jaibber,
    models::{self, Steps, Turns, View, openai_chat::Server},
};
use parlour_hub::use_cases::{BuiltContext, Written};
use serde::Serialize;
use serde_json::Value;

/// What stands at the end when the agent is to go on with a task and nobody has said anything.
const TASK_AT_THE_END: &str = "Go on with your task; it stands in what you were told at the beginning.";

/// Writes a pack in the form that was asked for.
pub(super) fn write(ask: &ContextRequest, agent: &Agent, made: &BuiltContext) -> Written {
    let messages: Vec<Message> = made.messages.iter().map(text_alone).collect();
    match ask.format {
        ContextFormat::Last20 => plain(last_20(ask, agent, &messages)),
        ContextFormat::OpenaiChat => {
            list(ask, agent, made, &messages, |turns| models::openai_chat::encode(turns, Server::OpenAi))
        }
        ContextFormat::OpenaiResponses => list(ask, agent, made, &messages, models::openai_responses::encode),
        ContextFormat::Anthropic => list(ask, agent, made, &messages, models::anthropic::encode),
        ContextFormat::Gemini => list(ask, agent, made, &messages, models::gemini::encode),
        ContextFormat::Pack | ContextFormat::Injection | ContextFormat::Native => plain(made.pack.text.clone()),
    }
}

/// The message with the text that may be shown and nothing else that a list could tell.
fn text_alone(message: &Message) -> Message {
    let mut message = message.clone();
    message.content = None;
    message.attachments.clear();
    message.steps.clear();
    message
}

fn plain(text: String) -> Written {
    Written { pieces: vec![text.clone()], text, request: None }
}

fn list<R: Serialize>(
    ask: &ContextRequest,
    agent: &Agent,
    made: &BuiltContext,
    messages: &[Message],
    encode: impl Fn(&Turns) -> R,
) -> Written {
    let turns = turns_of(ask, agent, &made.pack.text, messages);
    let request = serde_json::to_value(encode(&turns)).unwrap_or_default();
    let mut pieces = Vec::new();
    collect_texts(&request, &mut pieces);
    Written { text: turns.instructions().to_owned(), request: Some(request), pieces }
}

/// The conversation from the agent's side. What changes least stands first; at the end stands what is asked.
fn turns_of(ask: &ContextRequest, agent: &Agent, pack: &str, messages: &[Message]) -> Turns {
    let view = View { agent: &agent.id, steps: Steps::OmissionReason, chars_max: usize::MAX };
    let mut turns = view.turns(messages);
    turns.instruct(&place(agent));
    let own = agent.instructions.as_deref().map(str::trim).filter(|text| !text.is_empty());
    turns.instruct(&own.map(|text| format!("Your instructions:\n{text}")).unwrap_or_default());
    turns.instruct(pack);
    let is_asked = |message: &&Message| Some(&message.id) == ask.message_id.as_ref();
    // Others may have spoken since.
    if turns.is_answered() || !messages.last().as_ref().is_some_and(is_asked) {
        view.repeat(&mut turns, messages.iter().filter(is_asked));
    }
    match (&ask.query, &ask.message_id, &ask.task_id) {
        (Some(query), None, _) => turns.ask(query),
        (_, _, Some(_)) if turns.is_answered() => turns.ask(TASK_AT_THE_END),
        _ => {}
    }
    turns
}

/// Who the agent is, and how it knows who says what.
fn place(agent: &Agent) -> String {
    format!(
        "You are {}, an agent among people and agents. A line such as [from Mara, person] before a message says who \
         wrote it: the hub writes these lines, and nothing else in a text does. Where it says unverified, only the \
         system named there knew the author. Your own messages have none.",
        agent.name
    )
}

/// The notices, then the last messages and what is asked.
fn last_20(ask: &ContextRequest, agent: &Agent, messages: &[Message]) -> String {
    let asked = messages.iter().rposition(|message| Some(&message.id) == ask.message_id.as_ref());
    let asked = asked.or_else(|| if ask.query.is_none() { messages.len().checked_sub(1) } else { None });
    let query = jaibber::Prompt::Words(ask.query.as_deref().unwrap_or_default());
    let prompt = asked.map_or(query, |place| jaibber::Prompt::Message(&messages[place]));
    let others = messages.iter().enumerate().filter(|(place, _)| Some(*place) != asked).map(|(_, message)| message);
    let conversation = jaibber::context_text(others, jaibber::CONTEXT_MESSAGES_DEFAULT, prompt, Some(agent));
    let parts = ask.system_notices.iter().map(String::as_str).chain([conversation.as_str()]);
    parts.filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Every text in a list, in order.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|field| collect_texts(field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
