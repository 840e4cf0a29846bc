//! The provider-neutral message list, and its form for providers with strictly alternating roles.

use std::collections::HashSet;

use super::{
    CompletedToolCall, label,
    provider_rules::{add_below, is_blank, trimmed},
};

/// A conversation from the view of one agent, oldest first. No text is blank, and every call has one result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    pub(super) instructions: String,
    pub(super) list: Vec<Turn>,
    pub(super) left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A system message of a decoded request. A [`super::TranscriptBuilder`] creates none.
    System(String),
    /// Everybody but the agent.
    User {
        /// The author, if it is a single one of this hub.
        name: Option<String>,
        /// The text below its label.
        text: String,
    },
    /// The agent.
    Assistant {
        /// May be empty if there are calls.
        text: String,
        /// The calls after the text, with their results.
        calls: Vec<CompletedToolCall>,
    },
}

impl Transcript {
    /// Appends to the instructions, which become the system prompt: fixed texts, the instructions of the agent's owner
    /// and system notices. Texts and names of members belong into [`Self::prepend_context`] or a turn.
    pub fn instruct(&mut self, text: &str) {
        add_below(&mut self.instructions, trimmed(text));
    }

    /// Inserts a user turn before all others: context that names or quotes members, such as a pack. It has no label and
    /// cannot contain one. Call it last: an otherwise empty list also gets a last turn that asks the agent to go on.
    pub fn prepend_context(&mut self, text: &str) {
        let text = label::quote_labels(trimmed(text));
        if text.is_empty() {
            return;
        }
        if self.list.is_empty() {
            self.ask(NO_QUESTION);
        }
        self.list.insert(0, Turn::User { name: None, text });
    }

    /// Appends a user turn without an author, such as the task. It has no label and cannot contain one.
    pub fn ask(&mut self, text: &str) {
        let text = label::quote_labels(trimmed(text));
        if !text.is_empty() {
            self.list.push(Turn::User { name: None, text });
        }
    }

    /// Appends an assistant turn.
    pub fn answer(&mut self, text: &str) {
        let text = trimmed(text).to_owned();
        if !text.is_empty() {
            self.list.push(Turn::Assistant { text, calls: Vec::new() });
        }
    }

    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// The turns, oldest first.
    pub fn list(&self) -> &[Turn] {
        &self.list
    }

    /// The number of visible messages that did not fit.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether no turn waits for an answer: the last one is the agent's, or there is none.
    pub fn is_answered(&self) -> bool {
        match self.list.iter().rev().find(|turn| !matches!(turn, Turn::System(_))) {
            None => true,
            Some(Turn::Assistant { calls, .. }) => calls.is_empty(),
            Some(_) => false,
        }
    }

    /// The called tools, each once, in order of their first calls.
    pub(super) fn tool_names(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let calls = self.list.iter().flat_map(|turn| match turn {
            Turn::Assistant { calls, .. } => calls.as_slice(),
            Turn::System(_) | Turn::User { .. } => &[],
        });
        calls.map(|call| call.name.as_str()).filter(|name| seen.insert(*name)).collect()
    }
}

/// The user turn before an assistant turn at the start of the list.
pub(super) const NO_BEGINNING: &str = "(The conversation as far as it is shown begins with your own words.)";
/// The user turn after an assistant turn at the end of the list.
pub(super) const NO_QUESTION: &str = "(Nobody has said anything since. Go on.)";
/// The assistant turn between results and the next user turn.
pub(super) const NO_WORDS: &str = "(no words)";

/// A turn of a list with alternating roles.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AlternatingTurn<'a> {
    /// Results of the previous calls, then a text; one of them can be missing.
    User { results: Vec<&'a CompletedToolCall>, text: String },
    /// A text, then calls; one of them can be missing.
    Assistant { text: String, calls: Vec<&'a CompletedToolCall> },
}

/// Whether a user turn can contain a text besides results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultPlacement {
    /// The text follows the results.
    BeforeText,
    /// A turn with results contains no text.
    Alone,
}

/// The system prompt: instructions and all system turns.
pub(super) fn system_text(transcript: &Transcript) -> String {
    transcript.list.iter().fold(transcript.instructions.clone(), |mut system, turn| {
        if let Turn::System(text) = turn {
            add_below(&mut system, text);
        }
        system
    })
}

/// Converts the list to alternating turns: the user first and last, results directly after calls.
pub(super) fn alternate(transcript: &Transcript, results: ResultPlacement) -> Vec<AlternatingTurn<'_>> {
    let mut sides = Vec::new();
    for turn in &transcript.list {
        match turn {
            Turn::System(_) => {}
            Turn::User { text, .. } => push_user(&mut sides, text, results),
            Turn::Assistant { text, calls } => push_assistant(&mut sides, text, calls),
        }
    }
    if !matches!(sides.last(), Some(AlternatingTurn::User { .. })) {
        push_user(&mut sides, NO_QUESTION, results);
    }
    sides
}

fn push_user(sides: &mut Vec<AlternatingTurn<'_>>, more: &str, rule: ResultPlacement) {
    if let Some(AlternatingTurn::User { results, text }) = sides.last_mut() {
        if results.is_empty() || rule == ResultPlacement::BeforeText {
            return add_below(text, more);
        }
        sides.push(AlternatingTurn::Assistant { text: NO_WORDS.to_owned(), calls: Vec::new() });
    }
    sides.push(AlternatingTurn::User { results: Vec::new(), text: more.to_owned() });
}

fn push_assistant<'a>(sides: &mut Vec<AlternatingTurn<'a>>, more: &str, more_calls: &'a [CompletedToolCall]) {
    if sides.is_empty() {
        sides.push(AlternatingTurn::User { results: Vec::new(), text: NO_BEGINNING.to_owned() });
    }
    match sides.last_mut() {
        // It has no calls: results would follow them.
        Some(AlternatingTurn::Assistant { text, calls }) => {
            add_below(text, more);
            calls.extend(more_calls);
        }
        _ => sides.push(AlternatingTurn::Assistant { text: more.to_owned(), calls: more_calls.iter().collect() }),
    }
    if !more_calls.is_empty() {
        sides.push(AlternatingTurn::User { results: more_calls.iter().collect(), text: String::new() });
    }
}

pub(super) fn non_blank(text: &str) -> Option<String> {
    (!is_blank(text)).then(|| text.to_owned())
}
