//! How a pack is written: quoted text is marked at the start of each line and cannot leave its place, whatever it holds,
//! and the whole can be read back.
//!
//! Everything that is not marked is the hub's own.

use parlour_core::{
    author::Author,
    context::{Level, Section},
    id::ConversationId,
};

/// What is written, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Framed {
    /// The words that stay the same for the same reader, day and thread.
    pub tag: String,
    /// The sections, each with its blocks.
    pub sections: Vec<(Section, Vec<Block>)>,
    /// Notices of the moment.
    pub notices: Vec<String>,
}

/// What was said in one place, or one thing that was not said anywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Where; nothing for what was not said.
    pub place: Option<(ConversationId, String)>,
    /// What is shown of it, oldest first.
    pub quotes: Vec<Quote>,
    /// Calls that fetch the rest, as they are to be made.
    pub handles: Vec<String>,
}

/// One quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its id.
    pub id: String,
    /// Its number in its place; 0 for what was not said anywhere.
    pub seq: u64,
    /// Who wrote it; nothing for the hub.
    pub from: Option<Author>,
    /// At which length it is shown.
    pub level: Level,
    /// The text at that length.
    pub text: String,
}

/// A text that is no pack, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NoPack {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

/// Writes a pack.
pub fn render(framed: &Framed) -> String {
    let _ = framed;
    String::new()
}

/// Reads a pack back.
pub fn parse(text: &str) -> Result<Framed, NoPack> {
    let _ = text;
    Err(NoPack { line: 1, why: "this is no pack" })
}
