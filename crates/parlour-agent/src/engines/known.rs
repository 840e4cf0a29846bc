//! What an engine is told besides the conversation. The same words for every engine that reads.

use crate::engine::Prompt;

/// Stands before a pack: what it is, and what an engine without the hub's tools makes of the calls in it.
const HEAD: &str = "What else is known here follows, as the hub has put it together. It may name tools or commands of \
                    the hub, with which more can be read; where you do not have them, go on without.";

/// The pack of a prompt, if there is one. Every line of others in it is marked as such by the hub.
pub(super) fn pack_note(prompt: &Prompt) -> Option<String> {
    let pack = prompt.pack.as_deref().map(str::trim).filter(|pack| !pack.is_empty())?;
    Some(format!("{HEAD}\n\n{pack}"))
}
