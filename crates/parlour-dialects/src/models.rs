//! Requests to model providers: message lists in the format of each provider.
//!
//! A log of native messages becomes a provider-neutral [`Transcript`] first: messages of one agent are the
//! assistant's, all others are the user's, and steps become tool calls with results. [`TranscriptBuilder`] builds it.
//! Each format has `encode`, `decode`, and a `check` with the rules of the provider:
//!
//! | part | contents |
//! |---|---|
//! | [`TranscriptBuilder`] | selects and limits the messages of a log |
//! | [`Transcript`] | the provider-neutral list |
//! | [`label`] | the line that names the author of a message; texts cannot imitate it |
//! | [`openai_chat`] | chat completions of OpenAI and compatible servers |
//! | [`openai_responses`] | OpenAI's responses |
//! | [`anthropic`] | Anthropic's messages |
//! | [`gemini`] | Google's `generateContent` |
//!
//! For every log and every limit, the result of `encode` passes `check`. Only [`Transcript::instruct`] writes into the system
//! role of a built transcript: no text, name or title of a member gets there.

pub mod anthropic;
pub mod gemini;
pub mod label;
pub mod openai_chat;
pub mod openai_responses;
mod provider_rules;
mod tool_call;
mod transcript;
mod transcript_builder;

pub use self::{
    tool_call::CompletedToolCall,
    transcript::{Transcript, Turn},
    transcript_builder::{StepDisplay, TranscriptBuilder},
};

pub(crate) use self::provider_rules::lines_of;
