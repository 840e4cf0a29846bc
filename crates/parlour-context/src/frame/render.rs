//! Writing a pack.

use parlour_core::{author::AuthorType, context::Level};

use super::{
    ConversationHeading, Entry, Framed, Label, Sender, Tag, next_seq,
    spelling::{
        ABOUT, ABOUT_SHORT, AUTHOR_TYPES, IS, LEVELS, MORE, OF, OPEN, PLACE, QUOTE, SECTION, SECTIONS, UNVERIFIED,
        WANTED,
    },
};

/// Writes a pack: its lines, the last one without an end.
pub fn render(framed: &Framed) -> String {
    let mut text = render_lines(framed).concat();
    text.pop();
    text
}

/// The first line and each entry as text, with `\n` at the end of each.
///
/// No line begins with a blank or a slash: so the tokens of the whole are those of its entries together, for tables
/// that never join what stands on both sides of the end of a line.
pub fn render_lines(framed: &Framed) -> Vec<String> {
    let has_quotes = framed.entries.iter().any(|entry| matches!(entry, Entry::Quote(_)));
    let mut lines = vec![first_line(&framed.tag, framed.is_short, has_quotes)];
    let mut numbers = Numbers::default();
    lines.extend(framed.entries.iter().map(|entry| line(entry, &mut numbers)));
    lines
}

/// The line that says how to read the others.
pub(crate) fn first_line(tag: &Tag, is_short: bool, has_quotes: bool) -> String {
    let about = match is_short {
        true => ABOUT_SHORT,
        false if has_quotes => ABOUT,
        false => "",
    };
    format!("{OPEN}{}]{about}\n", tag.as_str())
}

/// Which quotes have a number: those that are not the next ones of their place.
#[derive(Default)]
pub(crate) struct Numbers {
    before: u64,
}

impl Numbers {
    /// A section or a place begins.
    pub(crate) fn begin(&mut self) {
        self.before = 0;
    }

    /// Whether the next quote has a number; this is its own.
    pub(crate) fn is_numbered(&mut self, seq: u64) -> bool {
        let is_next = seq == next_seq(self.before);
        self.before = seq;
        !is_next
    }
}

/// One entry, with `\n` at its end.
pub(crate) fn line(entry: &Entry, numbers: &mut Numbers) -> String {
    match entry {
        Entry::Section(section) => {
            numbers.begin();
            format!("{SECTION}{}\n", word_of(&SECTIONS, section))
        }
        Entry::Conversation(place) => {
            numbers.begin();
            place_line(place)
        }
        Entry::Sender(sender) => sender_line(sender),
        Entry::AnswerFormat(wanted) => format!("{WANTED}{}\n", wanted.as_str()),
        Entry::Hub(line) => format!("{}\n", line.as_str()),
        Entry::Quote(quote) => {
            let seq = numbers.is_numbered(quote.seq).then_some(quote.seq);
            let mut lines = quote_head(seq, quote.from.as_ref(), quote.level);
            lines += &quote_body(quote.text.as_str());
            lines
        }
    }
}

fn place_line(place: &ConversationHeading) -> String {
    let id = place.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    format!("{PLACE}{}{id}:\n", place.name.as_str())
}

fn sender_line(sender: &Sender) -> String {
    let sort = author_word(sender.author_type);
    let system = sender.system.as_ref().map(|system| format!("{OF}{}{UNVERIFIED}", system.as_str()));
    format!("{}{IS}{sort}{}\n", sender.label.as_str(), system.unwrap_or_default())
}

/// The beginning of a quote, up to its colon, with or without its number.
pub(crate) fn quote_head(seq: Option<u64>, from: Option<&Label>, level: Level) -> String {
    let mut head = String::with_capacity(64);
    head.push(QUOTE);
    if let Some(seq) = seq {
        head += &seq.to_string();
    }
    if let Some(from) = from {
        head.push(' ');
        head += from.as_str();
    }
    head += if level == Level::Full { "" } else { word_of(&LEVELS, &level) };
    head.push(':');
    head
}

/// What stands behind the colon of a quote. Where it begins with a blank, the tokens of both are those of the one and
/// of the other: no table joins a sign with a blank behind it.
pub(crate) fn quote_body(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + 16);
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            lines.push(MORE);
        }
        if !line.is_empty() {
            lines.push(' ');
            lines += line;
        }
        lines.push('\n');
    }
    lines
}

/// The word for a sort of author.
pub(super) fn author_word(author_type: AuthorType) -> &'static str {
    word_of(&AUTHOR_TYPES, &author_type)
}

fn word_of<T: PartialEq>(words: &[(T, &'static str)], wanted: &T) -> &'static str {
    words.iter().find(|(value, _)| value == wanted).map_or("", |(_, word)| word)
}
