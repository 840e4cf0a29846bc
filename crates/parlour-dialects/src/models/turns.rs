//! The list that all formats are made of.

use std::collections::HashSet;

use super::{
    Call, label,
    texts::{add_below, trimmed},
};

/// A conversation from the side of one agent, oldest first. No text in it is blank, and every call has one result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    pub(super) instructions: String,
    pub(super) list: Vec<Turn>,
    pub(super) left_out: usize,
}

/// What one side says at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Lasting context, from the hub.
    System(String),
    /// Everybody but the agent.
    User {
        /// Who it is, where one author alone speaks whom the hub knows.
        name: Option<String>,
        /// The text, below its label.
        text: String,
    },
    /// The agent.
    Assistant {
        /// The text; may be empty when there are calls.
        text: String,
        /// What it called after that, with the results.
        calls: Vec<Call>,
    },
}

impl Turns {
    /// Adds to what the agent is told before everything else: who it is, its instructions, notices of the moment.
    pub fn instruct(&mut self, text: &str) {
        add_below(&mut self.instructions, trimmed(text));
    }

    /// Adds what nobody in particular says to the agent, such as its task. No label is put before it, and it cannot
    /// contain one.
    pub fn ask(&mut self, text: &str) {
        let text = label::quote_labels(trimmed(text));
        if !text.is_empty() {
            self.list.push(Turn::User { name: None, text });
        }
    }

    /// Adds what the agent says.
    pub fn answer(&mut self, text: &str) {
        let text = trimmed(text).to_owned();
        if !text.is_empty() {
            self.list.push(Turn::Assistant { text, calls: Vec::new() });
        }
    }

    /// What the agent is told before everything else.
    pub fn instructions(&self) -> &str {
        &self.instructions
    }

    /// What was said, oldest first.
    pub fn list(&self) -> &[Turn] {
        &self.list
    }

    /// How many of the messages that could be shown did not fit.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether the agent is the last who spoke, or nobody has spoken: nothing waits for an answer.
    pub fn is_answered(&self) -> bool {
        match self.list.iter().rev().find(|turn| !matches!(turn, Turn::System(_))) {
            None => true,
            Some(Turn::Assistant { calls, .. }) => calls.is_empty(),
            Some(_) => false,
        }
    }

    /// The tools that were called, each once, in the order of their first calls.
    pub(super) fn tool_names(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let calls = self.list.iter().flat_map(|turn| match turn {
            Turn::Assistant { calls, .. } => calls.as_slice(),
            Turn::System(_) | Turn::User { .. } => &[],
        });
        calls.map(|call| call.name.as_str()).filter(|name| seen.insert(*name)).collect()
    }
}
