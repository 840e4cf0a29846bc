//! A list as it is kept with its run: its messages in the frame of packs, below the text that was given with them.

use std::collections::HashSet;

use parlour_context::frame::{Entry, Framed, Label, Place, Quote, Quoted, Sender, Wanted, render, render_lines};
use parlour_core::{
    author::Author,
    checkpoint::wanted,
    context::{ContextFormat, Level, Pack, Receipt, Section},
    id::ConversationId,
    message::{Attachment, Message},
    name::look_of,
};

/// The line below which the messages of a list stand. No text that is given with a list has it.
const HEADING: &str = "\n## History\n";

/// Characters of a name that has a number.
const NUMBERED_CHARS_MAX: usize = 40;

/// The text with the messages of the list that were given with it, each as it was shown.
pub(crate) fn with_list(text: String, pack: &Pack, messages: &[Message]) -> String {
    if !pack.format.is_list() || messages.is_empty() {
        return text;
    }
    let framed = Framed { entries: entries(messages, &pack.receipt, pack.format), ..Framed::default() };
    if text.trim().is_empty() {
        return render(&framed);
    }
    let list = render_lines(&framed)[1..].concat();
    [text.trim_end(), "\n", list.trim_end()].concat()
}

/// The text that was given beside the messages.
pub(crate) fn without_list(text: &str, format: ContextFormat) -> &str {
    let begin = if format.is_list() { text.find(HEADING) } else { None };
    begin.map_or(text, |begin| &text[..begin])
}

fn entries(messages: &[Message], receipt: &Receipt, format: ContextFormat) -> Vec<Entry> {
    let mut entries = vec![Entry::Section(Section::History)];
    let mut senders = Senders::of(messages);
    let mut place: Option<&ConversationId> = None;
    for message in messages {
        if place != Some(&message.to) {
            place = Some(&message.to);
            entries.push(Entry::Place(Place { name: Label::of(&message.to.to_string()), id: None }));
        }
        let label = senders.label(&message.from, &mut entries);
        let id = message.id.to_string();
        let level = receipt.items.iter().find(|item| item.id == id).and_then(|item| item.level);
        let files: String = message.attachments.iter().map(told_file).collect();
        let text = Quoted::of(&(message.body.clone() + &files));
        entries.push(Entry::Quote(Quote { seq: message.seq, from: label, level: level.unwrap_or(Level::Full), text }));
        // Other lists have it in the text.
        let asks = message.question.as_ref().filter(|question| format == ContextFormat::Native && question.is_open());
        entries.extend(asks.and_then(wanted).and_then(|text| Wanted::of(&text)).map(Entry::Wanted));
    }
    entries
}

fn told_file(file: &Attachment) -> String {
    format!("\n[Attached: {}, {}, {} bytes]", file.filename, file.media_type, file.size)
}

/// The senders of a list, each under a label that looks like no other. Whom the hub knows has the first choice.
struct Senders<'a> {
    labels: Vec<(&'a Author, Label)>,
    named: HashSet<String>,
}

impl<'a> Senders<'a> {
    fn of(messages: &'a [Message]) -> Self {
        let mut authors: Vec<&Author> = Vec::new();
        for message in messages {
            if !authors.contains(&&message.from) {
                authors.push(&message.from);
            }
        }
        authors.sort_by_key(|author| author.foreign_system().is_some());
        let mut looks = HashSet::new();
        let labels = authors.into_iter().map(|author| (author, free_label(&author.name, &mut looks))).collect();
        Self { labels, named: HashSet::new() }
    }

    /// The label of an author, who is named before its first use.
    fn label(&mut self, author: &Author, entries: &mut Vec<Entry>) -> Option<Label> {
        let (_, label) = self.labels.iter().find(|(known, _)| *known == author)?;
        if self.named.insert(label.as_str().to_owned()) {
            let system = author.foreign_system().map(Label::of);
            entries.push(Entry::Sender(Sender { label: label.clone(), author_type: author.author_type, system }));
        }
        Some(label.clone())
    }
}

/// The name as a label, with a number when another one looks like it.
fn free_label(name: &str, looks: &mut HashSet<String>) -> Label {
    let short: String = name.chars().take(NUMBERED_CHARS_MAX).collect();
    let mut label = Label::of(name);
    let mut number = 1_u64;
    while !looks.insert(look_of(label.as_str())) {
        number += 1;
        label = Label::of(&format!("{short} {number}"));
    }
    label
}
