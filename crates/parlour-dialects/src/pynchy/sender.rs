//! The words in pynchy's column `sender`.

use parlour_core::{
    author::{Author, AuthorType},
    message::Kind,
};

use super::NAME;

/// The sort of author that a sender is. A word of pynchy says so itself; anybody else is of the sort that usually writes
/// this kind of message, which for the ids of a channel means: a person.
pub(super) fn author_type(sender: &str, kind: Kind) -> AuthorType {
    match sender {
        "host" | "deploy" | "result_meta" => AuthorType::Host,
        "system" | "system_notice" => AuthorType::System,
        "bot" | "assistant" | "thinking" | "tool_use" => AuthorType::Agent,
        "command_output" | "tool_result" => AuthorType::Tool,
        "tui-user" => AuthorType::Person,
        _ => match kind {
            Kind::User => AuthorType::Person,
            Kind::Assistant => AuthorType::Agent,
            Kind::System => AuthorType::System,
            Kind::ToolResult => AuthorType::Tool,
            Kind::Host => AuthorType::Host,
        },
    }
}

/// Whether pynchy usually marks a row of this sender as its own: all but those of people.
pub(super) fn is_usually_from_me(sender: &str, kind: Kind) -> bool {
    author_type(sender, kind) != AuthorType::Person
}

/// The sender to write for an author: its own word again, else the word for its sort, else its id or name.
pub(super) fn said(author: &Author) -> &str {
    own(author).unwrap_or(match author.author_type {
        AuthorType::Host => "host",
        AuthorType::System => "system",
        AuthorType::Agent => "bot",
        AuthorType::Tool => "command_output",
        AuthorType::Person | AuthorType::Applet | AuthorType::Scheduler => author.id.as_deref().unwrap_or(&author.name),
    })
}

/// The sender from whom a row came, if the author is one.
pub(super) fn own(author: &Author) -> Option<&str> {
    author.id.as_deref()?.strip_prefix(NAME)?.strip_prefix(':')
}
