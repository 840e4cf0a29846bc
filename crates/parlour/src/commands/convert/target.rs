//! Output formats: JSON lines of a dialect, or one document for a model.

use std::collections::BTreeMap;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use parlour_core::{
    Refusal,
    author::AuthorType,
    id::AgentId,
    message::{Message, State},
    model_visibility::may_reach_model,
    name::Name,
};
use parlour_dialects::{
    Dialect, Frame, Item, jaibber,
    models::{StepDisplay, TranscriptBuilder, anthropic, gemini, openai_chat, openai_responses},
    pynchy,
};
use serde::Serialize;

use super::conversion::print_note;
use crate::{failure::Failure, output::plain::one_line};

/// The output format of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputFormat {
    /// JSON lines of a dialect.
    Lines(Dialect),
    /// One document for the whole input, from the side of an agent.
    Document(Document, Option<String>),
}

pub(crate) fn dialect() -> impl TypedValueParser<Value = Dialect> {
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect();
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Dialect>())
}

pub(super) fn target() -> impl TypedValueParser<Value = OutputFormat> {
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.as_str());
    let names: Vec<&str> = dialects.chain(Document::ALL.map(Document::as_str)).collect();
    PossibleValuesParser::new(names).try_map(|name| OutputFormat::named(&name))
}

impl OutputFormat {
    fn named(name: &str) -> Result<Self, Refusal> {
        match Document::ALL.into_iter().find(|document| document.as_str() == name) {
            Some(document) => Ok(Self::Document(document, None)),
            None => name.parse().map(Self::Lines),
        }
    }

    /// The name on the command line.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Lines(dialect) => dialect.as_str(),
            Self::Document(document, _) => document.as_str(),
        }
    }

    /// Sets the agent of `--as`; an error if it is missing or not applicable.
    pub(super) fn seen_by(self, agent: Option<&str>) -> Result<Self, Failure> {
        match (&self, agent) {
            (Self::Document(document, _), Some(agent)) if document.needs_agent() => {
                Ok(Self::Document(*document, Some(agent.to_owned())))
            }
            (Self::Document(document, _), None) if document.needs_agent() => {
                let message = format!("the format {} needs an agent", document.as_str());
                Err(Failure::usage(message).hint("pass --as AGENT, by name or id"))
            }
            (_, Some(_)) => Err(Failure::usage(format!("--as is only valid for model lists, not for {}", self.name()))),
            (_, None) => Ok(self),
        }
    }
}

pub(super) fn list() -> String {
    let line = |name: &str, about: &str| format!("  {name:<18}{about}\n");
    let dialects: String = Dialect::ALL.iter().map(|dialect| line(dialect.as_str(), about(*dialect))).collect();
    let documents: String = Document::ALL.iter().map(|document| line(document.as_str(), document.about())).collect();
    format!("Input and output, JSON lines:\n{dialects}\nOutput only, one document for the whole input:\n{documents}")
}

fn about(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Native => "Parlour's own messages",
        Dialect::Zen => "zen: messages of its store",
        Dialect::A2a => "A2A: envelopes between agents, a2a/1",
        Dialect::Tkr => "TKR: standard form; the input may have any TKR form",
        Dialect::TkrLegacy => "TKR: legacy form; the input may have any TKR form",
        Dialect::Caco => "Caco: events of a session",
        Dialect::Jaibber => "Jaibber: channel frames and server messages",
        Dialect::Pynchy => "pynchy: rows of its messages table",
    }
}

/// Maximum number of messages of a document.
const MESSAGES_MAX: usize = 200_000;
const AGENTS_NAMED_MAX: usize = 10;

/// An output format that is one document for the whole input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    JaibberContext,
    PynchyPrompt,
    PynchySdk,
}

impl Document {
    pub(super) const ALL: [Self; 7] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::JaibberContext,
        Self::PynchyPrompt,
        Self::PynchySdk,
    ];

    /// The name on the command line.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::JaibberContext => "jaibber-context",
            Self::PynchyPrompt => "pynchy-prompt",
            Self::PynchySdk => "pynchy-sdk",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Self::OpenAiChat => "OpenAI Chat Completions messages, from the side of the agent --as",
            Self::OpenAiResponses => "OpenAI Responses items, from the side of the agent --as",
            Self::Anthropic => "Anthropic Messages, from the side of the agent --as",
            Self::Gemini => "Gemini generateContent contents, from the side of the agent --as",
            Self::JaibberContext => "prompt text of Jaibber agents",
            Self::PynchyPrompt => "prompt text of pynchy",
            Self::PynchySdk => "message list of the pynchy SDK",
        }
    }

    /// Whether the format needs `--as`.
    pub(super) fn needs_agent(self) -> bool {
        matches!(self, Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic | Self::Gemini)
    }

    /// Whether the document is JSON; a conversation without messages is then an empty list, not an empty text.
    pub(super) fn is_json(self) -> bool {
        self.needs_agent() || self == Self::PynchySdk
    }

    /// Renders the document; also returns the number of omitted messages.
    pub(super) fn render(self, mut log: Vec<Message>, seen_by: Option<&str>) -> Result<(String, usize), Failure> {
        let text = match self {
            Self::JaibberContext => {
                clear_foreign_ids(&mut log);
                jaibber_context(&log)
            }
            Self::PynchyPrompt => pynchy::format_messages_xml(&log),
            Self::PynchySdk => json(&pynchy::format_messages_for_sdk(&log))?,
            _ => return self.list(log, seen_by.unwrap_or_default()),
        };
        Ok((text, 0))
    }

    fn list(self, mut log: Vec<Message>, seen_by: &str) -> Result<(String, usize), Failure> {
        if log.is_empty() {
            // The encoders would add a prompt, which no request can do without.
            let field = match self {
                Self::OpenAiResponses => "input",
                Self::Gemini => "contents",
                _ => "messages",
            };
            return Ok((json(&BTreeMap::from([(field, log)]))?, 0));
        }
        let agent = AgentId::from_bits(0);
        if !assign_to(&mut log, seen_by, &agent) {
            print_note(&unknown_agent(&log, seen_by));
        }
        clear_foreign_ids(&mut log);
        let turns =
            TranscriptBuilder { agent: &agent, steps: StepDisplay::AsToolCalls, chars_max: usize::MAX }.build(&log);
        let text = match self {
            Self::OpenAiResponses => json(&openai_responses::encode(&turns))?,
            Self::Anthropic => json(&anthropic::encode(&turns))?,
            Self::Gemini => json(&gemini::encode(&turns))?,
            _ => json(&openai_chat::encode(&turns, openai_chat::Server::OpenAi))?,
        };
        Ok((text, turns.left_out()))
    }
}

/// The collected messages for a document.
#[derive(Default)]
pub(super) struct MessageLog {
    pub(super) messages: Vec<Message>,
}

impl MessageLog {
    /// Adds an item; returns whether it is a complete message.
    pub(super) fn take(&mut self, item: Item) -> Result<bool, Failure> {
        if item.frame != Frame::Message || item.message.state == State::Streaming {
            return Ok(false);
        }
        if self.messages.len() >= MESSAGES_MAX {
            let message = format!("the input has more than {MESSAGES_MAX} messages, the maximum for one document");
            return Err(
                Failure::new(message).hint("convert only the latest messages: tail -n 1000 FILE | parlour convert …")
            );
        }
        self.messages.push(item.message);
        Ok(true)
    }
}

/// The last message is the prompt, those before it the context.
fn jaibber_context(log: &[Message]) -> String {
    let Some(asked) = log.iter().rposition(may_reach_model) else { return String::new() };
    let window = jaibber::CONTEXT_MESSAGES_DEFAULT;
    jaibber::context_text(&log[..asked], window, jaibber::Prompt::Message(&log[asked]), None)
}

/// Removes foreign ids, so that the names of authors are trusted.
fn clear_foreign_ids(log: &mut [Message]) {
    for message in log.iter_mut().filter(|message| message.from.foreign_system().is_some()) {
        message.from.id = None;
    }
}

/// Sets the author id of the messages of the wanted agent to `agent`; foreign ids match no agent. Returns whether the
/// agent has written one, which it may not have done yet.
fn assign_to(log: &mut [Message], wanted: &str, agent: &AgentId) -> bool {
    let mut is_found = false;
    for message in log.iter_mut().filter(|message| is_by(message, wanted)) {
        message.from.id = Some(agent.to_string());
        is_found = true;
    }
    is_found
}

fn is_by(message: &Message, wanted: &str) -> bool {
    let author = &message.from;
    let id = author.id.as_deref().unwrap_or_default();
    let is_named = id == wanted
        || id.split_once(':').is_some_and(|(_, foreign)| foreign == wanted)
        || Name::fold(&author.name) == Name::fold(wanted);
    author.author_type == AuthorType::Agent && is_named
}

/// A note about an agent without messages, with the agents that have some. Empty if no agent has written.
fn unknown_agent(log: &[Message], wanted: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for message in log.iter().filter(|message| message.from.author_type == AuthorType::Agent) {
        let name = one_line(&message.from.name);
        if !names.contains(&name) && names.len() < AGENTS_NAMED_MAX {
            names.push(name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    format!("the input has no message of an agent named {wanted:?}; it has messages of {}\n", names.join(", "))
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::broken("write JSON", &error))
}
