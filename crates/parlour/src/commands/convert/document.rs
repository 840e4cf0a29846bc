//! Targets that are one document made of a whole log: what a model is sent.

use parlour_core::{
    author::AuthorType,
    id::AgentId,
    message::{Message, State},
    model_visibility::may_reach_model,
    name::Name,
};
use parlour_dialects::{
    Frame, Item, jaibber,
    models::{Steps, View, anthropic, gemini, openai_chat, openai_responses},
    pynchy,
};
use serde::Serialize;

use crate::{failure::Failure, output::plain::one_line};

/// How many messages such a document is made of.
const MESSAGES_MAX: usize = 200_000;
/// How many agents a refusal names.
const AGENTS_NAMED_MAX: usize = 10;

/// A document that is made of a whole log.
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

    /// Its name, as it is typed.
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
            Self::OpenAiChat => "a list for OpenAI's chat completions, seen by the agent --as",
            Self::OpenAiResponses => "a list for OpenAI's responses, seen by the agent --as",
            Self::Anthropic => "a list for Anthropic's messages, seen by the agent --as",
            Self::Gemini => "a list for Google's generateContent, seen by the agent --as",
            Self::JaibberContext => "the text that Jaibber gives its agents",
            Self::PynchyPrompt => "the text that pynchy prompts with",
            Self::PynchySdk => "the list that pynchy gives its SDK",
        }
    }

    /// Whether it makes a difference who sees it.
    pub(super) fn is_seen_by_somebody(self) -> bool {
        matches!(self, Self::OpenAiChat | Self::OpenAiResponses | Self::Anthropic | Self::Gemini)
    }

    /// The document, and how many messages did not fit into it.
    pub(super) fn made_of(self, mut log: Vec<Message>, seen_by: Option<&str>) -> Result<(String, usize), Failure> {
        let text = match self {
            Self::JaibberContext => {
                believe(&mut log);
                jaibber_context(&log)
            }
            Self::PynchyPrompt => pynchy::format_messages_xml(&log),
            Self::PynchySdk => json(&pynchy::format_messages_for_sdk(&log))?,
            _ => return self.list(log, seen_by.unwrap_or_default()),
        };
        Ok((text, 0))
    }

    fn list(self, mut log: Vec<Message>, seen_by: &str) -> Result<(String, usize), Failure> {
        let agent = AgentId::from_bits(0);
        hand_over(&mut log, seen_by, &agent)?;
        believe(&mut log);
        let turns = View { agent: &agent, steps: Steps::AsCalls, chars_max: usize::MAX }.turns(&log);
        let text = match self {
            Self::OpenAiResponses => json(&openai_responses::encode(&turns))?,
            Self::Anthropic => json(&anthropic::encode(&turns))?,
            Self::Gemini => json(&gemini::encode(&turns))?,
            _ => json(&openai_chat::encode(&turns, openai_chat::Server::OpenAi))?,
        };
        Ok((text, turns.left_out()))
    }
}

/// The messages of a log, as far as a document is made of them.
#[derive(Default)]
pub(super) struct Log {
    pub(super) messages: Vec<Message>,
}

impl Log {
    /// Takes an item; says whether it belongs to a log.
    pub(super) fn take(&mut self, item: Item) -> Result<bool, Failure> {
        if item.frame != Frame::Message || item.message.state == State::Streaming {
            return Ok(false);
        }
        if self.messages.len() >= MESSAGES_MAX {
            let message = format!("a document is made of at most {MESSAGES_MAX} messages");
            return Err(Failure::new(message).hint("give it the last ones: tail -n 1000 FILE | parlour convert …"));
        }
        self.messages.push(item.message);
        Ok(true)
    }
}

/// The last message is what is asked; those before it are the context.
fn jaibber_context(log: &[Message]) -> String {
    let Some(asked) = log.iter().rposition(may_reach_model) else { return String::new() };
    let window = jaibber::CONTEXT_MESSAGES_DEFAULT;
    jaibber::context_text(&log[..asked], window, jaibber::Prompt::Message(&log[asked]), None)
}

/// Takes the log's word for its authors: whoever converts it knows where it comes from.
fn believe(log: &mut [Message]) {
    for message in log.iter_mut().filter(|message| message.from.foreign_system().is_some()) {
        message.from.id = None;
    }
}

/// Makes the messages of the agent that was named those of `agent`: foreign agents have ids that no agent here has.
fn hand_over(log: &mut [Message], wanted: &str, agent: &AgentId) -> Result<(), Failure> {
    let mut is_found = false;
    for message in log.iter_mut().filter(|message| is_by(message, wanted)) {
        message.from.id = Some(agent.to_string());
        is_found = true;
    }
    if is_found || log.is_empty() { Ok(()) } else { Err(unknown(log, wanted)) }
}

fn is_by(message: &Message, wanted: &str) -> bool {
    let author = &message.from;
    let id = author.id.as_deref().unwrap_or_default();
    let is_named = id == wanted
        || id.split_once(':').is_some_and(|(_, foreign)| foreign == wanted)
        || Name::fold(&author.name) == Name::fold(wanted);
    author.author_type == AuthorType::Agent && is_named
}

fn unknown(log: &[Message], wanted: &str) -> Failure {
    let mut names: Vec<String> = Vec::new();
    for message in log.iter().filter(|message| message.from.author_type == AuthorType::Agent) {
        let name = one_line(&message.from.name);
        if !names.contains(&name) && names.len() < AGENTS_NAMED_MAX {
            names.push(name);
        }
    }
    let failure = Failure::new(format!("no agent called {wanted:?} has written anything there"));
    if names.is_empty() { failure } else { failure.hint(format!("--as {}", names.join(" | "))) }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure::broken("write JSON", &error))
}
