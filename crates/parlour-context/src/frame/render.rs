//! Writing a pack.

use parlour_core::{author::AuthorType, context::Level};

use super::{
    Entry, Framed, Place, Quote, Sender, next_seq,
    spelling::{
        ABOUT, ABOUT_SHORT, AUTHOR_TYPES, IS, LEVELS, MORE, OF, OPEN, PLACE, QUOTE, SECTION, SECTIONS, UNVERIFIED,
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
    let has_quotes = || framed.entries.iter().any(|entry| matches!(entry, Entry::Quote(_)));
    let about = match framed.is_short {
        true => ABOUT_SHORT,
        false if has_quotes() => ABOUT,
        false => "",
    };
    let mut lines = vec![format!("{OPEN}{}]{about}\n", framed.tag.as_str())];
    let mut seq_before = 0;
    for entry in &framed.entries {
        lines.push(match entry {
            Entry::Section(section) => {
                seq_before = 0;
                format!("{SECTION}{}\n", word_of(&SECTIONS, section))
            }
            Entry::Place(place) => {
                seq_before = 0;
                place_line(place)
            }
            Entry::Sender(sender) => sender_line(sender),
            Entry::Hub(line) => format!("{}\n", line.as_str()),
            Entry::Quote(quote) => {
                let is_next = quote.seq == next_seq(seq_before);
                seq_before = quote.seq;
                quote_lines(quote, !is_next)
            }
        });
    }
    lines
}

fn place_line(place: &Place) -> String {
    let id = place.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    format!("{PLACE}{}{id}:\n", place.name.as_str())
}

fn sender_line(sender: &Sender) -> String {
    let sort = author_word(sender.author_type);
    let system = sender.system.as_ref().map(|system| format!("{OF}{}{UNVERIFIED}", system.as_str()));
    format!("{}{IS}{sort}{}\n", sender.label.as_str(), system.unwrap_or_default())
}

/// The lines of a quote, with or without its number.
fn quote_lines(quote: &Quote, with_number: bool) -> String {
    let text = quote.text.as_str();
    let mut lines = String::with_capacity(text.len() + 64);
    lines.push(QUOTE);
    if with_number {
        lines += &quote.seq.to_string();
    }
    if let Some(from) = &quote.from {
        lines.push(' ');
        lines += from.as_str();
    }
    lines += if quote.level == Level::Full { "" } else { word_of(&LEVELS, &quote.level) };
    lines.push(':');
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
