//! The frame of a pack: every line of a quote is marked, so that quoted text cannot leave its place, whatever it
//! contains, and a rendered pack can be parsed again.
//!
//! Unmarked lines are the hub's own. Members choose the names of members and conversations, so a name is always in double
//! quotes on an unmarked line ([`Label::quoted`]). The start of a line tells its kind:
//!
//! - `[Parlour 1f0c2e] …` is the first line and explains how to read the others;
//! - `## Task` starts a section, `In "#general":` a conversation;
//! - `"Mara" = person` introduces a sender before its label is used;
//! - `>41 Mara: …` starts a quote: message 41, by Mara. The number is left out if it directly follows the one before;
//! - `| …` continues a quote, `|? …` is its expected answer format;
//! - everything else is a line of the hub, such as a call that fetches more.

mod safe;
#[cfg(test)]
mod tests;

use parlour_core::{
    author::AuthorType,
    context::{Level, Section},
    id::ConversationId,
};

use self::safe::{
    ABOUT, ABOUT_SHORT, ANSWER_FORMAT, AUTHOR_TYPES, IN_CONVERSATION, IS, LEVELS, MORE, OF, OPEN, QUOTE, SECTION,
    SECTIONS, UNVERIFIED,
};

pub use self::safe::{AnswerFormat, HubLine, Label, Quoted, Tag};

/// The content of a pack in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Framed {
    /// Identifies reader, day and conversation.
    pub tag: Tag,
    /// Whether the first line has the short instruction.
    pub is_short: bool,
    /// Everything after the first line.
    pub entries: Vec<FrameEntry>,
}

/// One line, or the lines of one quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FrameEntry {
    /// A section heading.
    Section(Section),
    /// A conversation heading.
    Conversation(ConversationHeading),
    /// Introduces a sender.
    Sender(Sender),
    /// A quote.
    Quote(Quote),
    /// The expected answer format of the quote before, in the words of its author.
    AnswerFormat(AnswerFormat),
    /// A line of the hub.
    Hub(HubLine),
}

/// A conversation heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationHeading {
    /// The name of the conversation.
    pub name: Label,
    /// The id, if tools do not find the conversation by its name.
    pub id: Option<ConversationId>,
}

/// A sender and its label. The hub derives it from who wrote a text, never from the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The label.
    pub label: Label,
    /// The type of the author.
    pub author_type: AuthorType,
    /// The other system, for an author that only it knows.
    pub system: Option<Label>,
}

/// A quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Sequence number in its conversation; 0 for items outside conversations.
    pub seq: u64,
    /// The label of the author; `None` for texts of the hub itself, such as the card of a project.
    pub from: Option<Label>,
    /// The level of the text.
    pub level: Level,
    /// The text at that level.
    pub text: Quoted,
}

/// A quote with its headings and sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameItem<'a> {
    /// The section; injections have none.
    pub section: Option<Section>,
    /// The conversation heading.
    pub conversation: Option<&'a ConversationHeading>,
    /// The sender.
    pub sender: Option<&'a Sender>,
    /// The quote.
    pub quote: &'a Quote,
}

/// A text that is no pack.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct NotAPack {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

impl Framed {
    /// The quotes, each with its section, conversation and sender.
    pub fn items(&self) -> Vec<FrameItem<'_>> {
        let (mut section, mut conversation) = (None, None);
        let mut senders: Vec<&Sender> = Vec::new();
        let mut items = Vec::new();
        for entry in &self.entries {
            match entry {
                FrameEntry::Section(begun) => (section, conversation) = (Some(*begun), None),
                FrameEntry::Conversation(begun) => conversation = Some(begun),
                FrameEntry::Sender(sender) => senders.push(sender),
                FrameEntry::AnswerFormat(_) | FrameEntry::Hub(_) => {}
                FrameEntry::Quote(quote) => {
                    let is_sender = |sender: &&&Sender| Some(&sender.label) == quote.from.as_ref();
                    let sender = senders.iter().rev().find(is_sender).copied();
                    items.push(FrameItem { section, conversation, sender, quote });
                }
            }
        }
        items
    }
}

/// The sequence number of a quote without a number: one more than the one before in the same conversation.
fn next_seq(before: u64) -> u64 {
    if before == 0 { 0 } else { before.saturating_add(1) }
}

/// Renders a pack; the last line has no newline.
pub fn render(framed: &Framed) -> String {
    let mut text = render_lines(framed).concat();
    text.pop();
    text
}

/// The first line and each entry as text, each with a final newline.
///
/// No line begins with white space or a slash, so that the token count of the whole is the sum of its entries for
/// tokenizers that do not join across line ends.
pub fn render_lines(framed: &Framed) -> Vec<String> {
    let has_quotes = framed.entries.iter().any(|entry| matches!(entry, FrameEntry::Quote(_)));
    let mut lines = vec![first_line(&framed.tag, framed.is_short, has_quotes)];
    let mut numbers = Numbers::default();
    lines.extend(framed.entries.iter().map(|entry| line(entry, &mut numbers)));
    lines
}

/// The line that explains how to read the others.
pub(crate) fn first_line(tag: &Tag, is_short: bool, has_quotes: bool) -> String {
    let about = match is_short {
        true => ABOUT_SHORT,
        false if has_quotes => ABOUT,
        false => "",
    };
    format!("{OPEN}{}]{about}\n", tag.as_str())
}

/// Decides which quotes have a number: those that do not directly follow the one before.
#[derive(Default)]
pub(crate) struct Numbers {
    before: u64,
}

impl Numbers {
    /// Starts a section or a conversation.
    pub(crate) fn begin(&mut self) {
        self.before = 0;
    }

    /// Whether the next quote needs its number `seq`.
    pub(crate) fn is_numbered(&mut self, seq: u64) -> bool {
        let is_next = seq == next_seq(self.before);
        self.before = seq;
        !is_next
    }
}

/// One entry with a final newline.
pub(crate) fn line(entry: &FrameEntry, numbers: &mut Numbers) -> String {
    match entry {
        FrameEntry::Section(section) => {
            numbers.begin();
            format!("{SECTION}{}\n", word_of(&SECTIONS, section))
        }
        FrameEntry::Conversation(conversation) => {
            numbers.begin();
            conversation_line(conversation)
        }
        FrameEntry::Sender(sender) => sender_line(sender),
        FrameEntry::AnswerFormat(format) => format!("{ANSWER_FORMAT}{}\n", format.as_str()),
        FrameEntry::Hub(line) => format!("{}\n", line.as_str()),
        FrameEntry::Quote(quote) => {
            let seq = numbers.is_numbered(quote.seq).then_some(quote.seq);
            let mut lines = quote_head(seq, quote.from.as_ref(), quote.level);
            lines += &quote_body(quote.text.as_str());
            lines
        }
    }
}

fn conversation_line(conversation: &ConversationHeading) -> String {
    let id = conversation.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    format!("{IN_CONVERSATION}{}{id}:\n", conversation.name.quoted())
}

fn sender_line(sender: &Sender) -> String {
    let sort = author_word(sender.author_type);
    let system = sender.system.as_ref().map(|system| format!("{OF}{}{UNVERIFIED}", system.as_str()));
    format!("{}{IS}{sort}{}\n", sender.label.quoted(), system.unwrap_or_default())
}

/// The head of a quote up to its colon.
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

/// The text of a quote after its colon. It starts with white space, so that head and body can be counted separately.
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

fn author_word(author_type: AuthorType) -> &'static str {
    word_of(&AUTHOR_TYPES, &author_type)
}

fn word_of<T: PartialEq>(words: &[(T, &'static str)], format: &T) -> &'static str {
    words.iter().find(|(value, _)| value == format).map_or("", |(_, word)| word)
}

/// Parses a pack. Inverse of [`render`] for every pack.
pub fn parse(text: &str) -> Result<Framed, NotAPack> {
    let mut lines = text.split('\n').enumerate();
    let (tag, is_short) =
        lines.next().and_then(|(_, line)| parse_head(line)).ok_or(no_pack(0, "this is no first line"))?;
    let mut entries: Vec<FrameEntry> = Vec::new();
    let mut open: Option<OpenQuote> = None;
    let mut seq_before = 0;
    for (index, line) in lines {
        if let Some(rest) = line.strip_prefix(ANSWER_FORMAT) {
            entries.extend(open.take().map(OpenQuote::close));
            let format = AnswerFormat::of(rest).filter(|format| format.as_str() == rest);
            entries.push(FrameEntry::AnswerFormat(format.ok_or(no_pack(index, "this is no line of what is format"))?));
            continue;
        }
        if let Some(rest) = line.strip_prefix(MORE) {
            let open = open.as_mut().ok_or(no_pack(index, "no quote goes on here"))?;
            open.text.push('\n');
            open.text += content(rest).ok_or(no_pack(index, "a quote goes on after a blank"))?;
            continue;
        }
        entries.extend(open.take().map(OpenQuote::close));
        if let Some(rest) = line.strip_prefix(QUOTE) {
            let begun = parse_quote(rest, next_seq(seq_before)).ok_or(no_pack(index, "this is no start of a quote"))?;
            seq_before = begun.seq;
            open = Some(begun);
            continue;
        }
        let entry = unmarked(line).ok_or(no_pack(index, "this is no line of the hub"))?;
        if matches!(entry, FrameEntry::Section(_) | FrameEntry::Conversation(_)) {
            seq_before = 0;
        }
        entries.push(entry);
    }
    entries.extend(open.take().map(OpenQuote::close));
    Ok(Framed { tag, is_short, entries })
}

/// A quote that may continue.
struct OpenQuote {
    seq: u64,
    from: Option<Label>,
    level: Level,
    text: String,
}

impl OpenQuote {
    fn close(self) -> FrameEntry {
        let Self { seq, from, level, text } = self;
        FrameEntry::Quote(Quote { seq, from, level, text: Quoted::of(&text) })
    }
}

fn no_pack(index: usize, why: &'static str) -> NotAPack {
    NotAPack { line: index + 1, why }
}

/// The tag of the first line, and whether it has the short instruction.
fn parse_head(line: &str) -> Option<(Tag, bool)> {
    let (tag, about) = line.strip_prefix(OPEN)?.split_once(']')?;
    let is_known = about == ABOUT || about == ABOUT_SHORT || about.is_empty();
    is_known.then(|| Tag::parse(tag)).flatten().map(|tag| (tag, about == ABOUT_SHORT))
}

/// The text after a mark: empty, or white space and the text.
fn content(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some("") } else { rest.strip_prefix(' ') }
}

fn parse_quote(rest: &str, seq_next: u64) -> Option<OpenQuote> {
    let (head, text) = rest.split_once(':')?;
    let text = content(text)?.to_owned();
    let digits = head.len() - head.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let (number, who) = head.split_at(digits);
    let seq = if number.is_empty() { seq_next } else { number.parse().ok()? };
    let level = LEVELS.iter().find_map(|(level, word)| Some((*level, who.strip_suffix(word)?)));
    let (level, who) = level.unwrap_or((Level::Full, who));
    let from = if who.is_empty() { None } else { Some(parse_label(who.strip_prefix(' ')?)?) };
    Some(OpenQuote { seq, from, level, text })
}

fn unmarked(line: &str) -> Option<FrameEntry> {
    if let Some(heading) = line.strip_prefix(SECTION) {
        return parse_section(heading).map(FrameEntry::Section);
    }
    if let Some(conversation) = line.strip_prefix(IN_CONVERSATION).and_then(|rest| rest.strip_suffix(':')) {
        return parse_conversation(conversation).map(FrameEntry::Conversation);
    }
    if let Some(sender) = parse_sender(line) {
        return Some(FrameEntry::Sender(sender));
    }
    let remark = HubLine::of(line);
    (remark.as_str() == line).then_some(FrameEntry::Hub(remark))
}

fn parse_section(heading: &str) -> Option<Section> {
    SECTIONS.iter().find(|(_, word)| *word == heading).map(|(section, _)| *section)
}

fn parse_conversation(text: &str) -> Option<ConversationHeading> {
    let (name, id) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((name, id)) => (name, Some(id.parse().ok()?)),
        None => (text, None),
    };
    Some(ConversationHeading { name: parse_quoted_label(name)?, id })
}

fn parse_sender(line: &str) -> Option<Sender> {
    let (name, sort) = line.split_once(IS)?;
    let (sort, system) = match sort.strip_suffix(UNVERIFIED).and_then(|sort| sort.split_once(OF)) {
        Some((sort, system)) => (sort, Some(parse_label(system)?)),
        None => (sort, None),
    };
    let (author_type, _) = AUTHOR_TYPES.iter().find(|(_, word)| *word == sort)?;
    Some(Sender { label: parse_quoted_label(name)?, author_type: *author_type, system })
}

fn parse_quoted_label(text: &str) -> Option<Label> {
    parse_label(text.strip_prefix('"')?.strip_suffix('"')?)
}

fn parse_label(text: &str) -> Option<Label> {
    let label = Label::of(text);
    (label.as_str() == text).then_some(label)
}
