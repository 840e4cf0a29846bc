//! How a pack is written: quoted text is marked at the start of each line and cannot leave its place, whatever it holds,
//! and the whole can be read back.
//!
//! Everything that is not marked is the hub's own. A pack is a list of lines, and the start of a line says what it is:
//!
//! - `[Parlour 1f0c2e] …` is the first one, and says how to read the others;
//! - `## Task` begins a section, `In #general:` what was said in one place;
//! - `Mara = person` says who is behind a label, before the label is first used;
//! - `>41 Mara: …` begins a quote: message 41, by Mara. The number is left out when it is the one after that before;
//! - `| …` goes on with the same quote;
//! - everything else is a remark of the hub, such as a call that fetches more.

use parlour_core::{
    author::AuthorType,
    context::{Level, Section},
    id::ConversationId,
};

mod parse;
mod render;
mod safe;
mod spelling;
#[cfg(test)]
mod tests;

pub use parse::parse;
pub(crate) use render::{Numbers, first_line, line, quote_body, quote_head};
pub use render::{render, render_lines};
pub use safe::{AnswerFormat, HubLine, Label, Quoted, Tag};

/// What is written, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Framed {
    /// A short word that stays the same for the same reader, day and conversation.
    pub tag: Tag,
    /// Whether the first line says how to read the others in few words, for want of room.
    pub is_short: bool,
    /// What follows the first line.
    pub entries: Vec<Entry>,
}

/// One thing that is written: one line, or the lines of one quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A section begins.
    Section(Section),
    /// What was said in a place begins.
    Conversation(ConversationHeading),
    /// Who is behind a label.
    Sender(Sender),
    /// A quote.
    Quote(Quote),
    /// What an answer to the quote before is to look like, in the words of its author.
    AnswerFormat(AnswerFormat),
    /// A remark of the hub.
    Hub(HubLine),
}

/// Where something was said, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationHeading {
    /// What it is called.
    pub name: Label,
    /// Its id, where tools do not find it by its name.
    pub id: Option<ConversationId>,
}

/// Who is behind a label. The hub says it, by who wrote something and never by what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The label.
    pub label: Label,
    /// Which sort of author it is.
    pub author_type: AuthorType,
    /// The other system that alone knew this author.
    pub system: Option<Label>,
}

/// One quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its number in its place; 0 for what was not said anywhere.
    pub seq: u64,
    /// The label of who wrote it; nothing for a text of the hub's own, such as the card of a project.
    pub from: Option<Label>,
    /// At which length it is shown.
    pub level: Level,
    /// The text at that length.
    pub text: Quoted,
}

/// A quote with all that is said about it elsewhere in the pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// In which section it stands; an injection has none.
    pub section: Option<Section>,
    /// Where it was said.
    pub place: Option<&'a ConversationHeading>,
    /// Who wrote it.
    pub sender: Option<&'a Sender>,
    /// The quote.
    pub quote: &'a Quote,
}

/// A text that is no pack, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotAPack {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

impl Framed {
    /// The quotes, each with its section, place and sender.
    pub fn items(&self) -> Vec<Item<'_>> {
        let (mut section, mut place) = (None, None);
        let mut senders: Vec<&Sender> = Vec::new();
        let mut items = Vec::new();
        for entry in &self.entries {
            match entry {
                Entry::Section(begun) => (section, place) = (Some(*begun), None),
                Entry::Conversation(begun) => place = Some(begun),
                Entry::Sender(sender) => senders.push(sender),
                Entry::AnswerFormat(_) | Entry::Hub(_) => {}
                Entry::Quote(quote) => {
                    let is_sender = |sender: &&&Sender| Some(&sender.label) == quote.from.as_ref();
                    let sender = senders.iter().rev().find(is_sender).copied();
                    items.push(Item { section, place, sender, quote });
                }
            }
        }
        items
    }
}

/// The number that a quote has when none is written: the one after that before in the same place.
fn next_seq(before: u64) -> u64 {
    if before == 0 { 0 } else { before.saturating_add(1) }
}
