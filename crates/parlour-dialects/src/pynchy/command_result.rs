//! What a command gave back that somebody ran from a chat.

use parlour_core::message::Kind;
use serde_json::{Map, Value, json};

use super::Row;

/// The sender of results of commands.
const SENDER: &str = "command_output";
const NO_OUTPUT: &str = "(no output)";

/// The result of a command, as a row tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandResult {
    /// The text: what the command wrote.
    pub content: String,
    /// `exit_code` alone.
    pub metadata: Map<String, Value>,
}

impl CommandResult {
    /// Takes what a command wrote and how it ended: the output of one that went well, the errors of one that failed.
    ///
    /// A failed command that wrote no errors is told by its output. A command that could not be started, or took too
    /// long, has no exit code and no result: that is a host message.
    pub fn new(stdout: &str, stderr: &str, exit_code: i32) -> Self {
        let told = if exit_code == 0 { [stdout, ""] } else { [stderr, stdout] };
        let told = told.into_iter().map(str::trim_end).find(|text| !text.trim().is_empty());
        let metadata = Map::from_iter([("exit_code".to_owned(), json!(exit_code))]);
        Self { content: told.unwrap_or(NO_OUTPUT).to_owned(), metadata }
    }

    /// The row of this result.
    pub fn into_row(self, id: String, chat_jid: String, timestamp: String) -> Row {
        Row {
            id,
            chat_jid,
            sender: SENDER.to_owned(),
            sender_name: Some("command".to_owned()),
            content: self.content,
            timestamp,
            is_from_me: true,
            message_type: Kind::ToolResult,
            metadata: Some(self.metadata),
        }
    }
}
