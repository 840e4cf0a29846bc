//! What model providers are sent: message lists as their interfaces want them.
//!
//! A log of native messages becomes one provider-neutral list first, [`Turns`]: what one agent has said is the
//! assistant's, everything else is the user's, and what an agent did on the way is calls with their results. [`View`]
//! makes it. Each format then writes that list in its own words with `encode`, reads it with `decode`, and has a
//! `check` that knows what its provider refuses:
//!
//! | part | holds |
//! |---|---|
//! | [`View`] | what of a log is shown, and how much of it |
//! | [`Turns`] | the list that all formats are made of |
//! | [`label`] | the line that tells who wrote a message, and that no text can imitate |
//! | [`openai_chat`] | chat completions, for OpenAI and for the servers that imitate it |
//! | [`openai_responses`] | OpenAI's responses |
//! | [`anthropic`] | Anthropic's messages |
//! | [`gemini`] | Google's `generateContent` |
//!
//! Whatever the log and wherever it is cut, what `encode` gives passes `check`.

mod alternating;
pub mod anthropic;
mod call;
pub mod gemini;
pub mod label;
pub mod openai_chat;
pub mod openai_responses;
mod rules;
mod texts;
mod turns;
mod view;
mod words;

pub use call::Call;
pub(crate) use texts::lines_of;
pub use turns::{Turn, Turns};
pub use view::{Steps, View};
