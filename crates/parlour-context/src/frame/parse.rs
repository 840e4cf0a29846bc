//! Reading a pack back.

use parlour_core::context::{Level, Section};

use super::{
    AnswerFormat, ConversationHeading, Entry, Framed, HubLine, Label, NotAPack, Quote, Quoted, Sender, Tag, next_seq,
    spelling::{
        ABOUT, ABOUT_SHORT, AUTHOR_TYPES, IS, LEVELS, MORE, OF, OPEN, PLACE, QUOTE, SECTION, SECTIONS, UNVERIFIED,
        WANTED,
    },
};

/// Reads a pack back: what was written comes out again, for every pack.
pub fn parse(text: &str) -> Result<Framed, NotAPack> {
    let mut lines = text.split('\n').enumerate();
    let (tag, is_short) = lines.next().and_then(|(_, line)| head(line)).ok_or(no_pack(0, "this is no first line"))?;
    let mut entries: Vec<Entry> = Vec::new();
    let mut open: Option<OpenQuote> = None;
    let mut seq_before = 0;
    for (index, line) in lines {
        if let Some(rest) = line.strip_prefix(WANTED) {
            entries.extend(open.take().map(OpenQuote::close));
            let wanted = AnswerFormat::of(rest).filter(|wanted| wanted.as_str() == rest);
            entries.push(Entry::AnswerFormat(wanted.ok_or(no_pack(index, "this is no line of what is wanted"))?));
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
            let begun = quote(rest, next_seq(seq_before)).ok_or(no_pack(index, "this is no start of a quote"))?;
            seq_before = begun.seq;
            open = Some(begun);
            continue;
        }
        let entry = unmarked(line).ok_or(no_pack(index, "this is no line of the hub"))?;
        if matches!(entry, Entry::Section(_) | Entry::Conversation(_)) {
            seq_before = 0;
        }
        entries.push(entry);
    }
    entries.extend(open.take().map(OpenQuote::close));
    Ok(Framed { tag, is_short, entries })
}

/// A quote that may go on.
struct OpenQuote {
    seq: u64,
    from: Option<Label>,
    level: Level,
    text: String,
}

impl OpenQuote {
    fn close(self) -> Entry {
        let Self { seq, from, level, text } = self;
        Entry::Quote(Quote { seq, from, level, text: Quoted::of(&text) })
    }
}

fn no_pack(index: usize, why: &'static str) -> NotAPack {
    NotAPack { line: index + 1, why }
}

/// The tag of the first line, and whether it says in few words how to read the others.
fn head(line: &str) -> Option<(Tag, bool)> {
    let (tag, about) = line.strip_prefix(OPEN)?.split_once(']')?;
    let is_known = about == ABOUT || about == ABOUT_SHORT || about.is_empty();
    is_known.then(|| Tag::parse(tag)).flatten().map(|tag| (tag, about == ABOUT_SHORT))
}

/// What stands behind a mark: nothing, or a blank and the text.
fn content(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some("") } else { rest.strip_prefix(' ') }
}

fn quote(rest: &str, seq_next: u64) -> Option<OpenQuote> {
    let (head, text) = rest.split_once(':')?;
    let text = content(text)?.to_owned();
    let digits = head.len() - head.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let (number, who) = head.split_at(digits);
    let seq = if number.is_empty() { seq_next } else { number.parse().ok()? };
    let level = LEVELS.iter().find_map(|(level, word)| Some((*level, who.strip_suffix(word)?)));
    let (level, who) = level.unwrap_or((Level::Full, who));
    let from = if who.is_empty() { None } else { Some(label(who.strip_prefix(' ')?)?) };
    Some(OpenQuote { seq, from, level, text })
}

fn unmarked(line: &str) -> Option<Entry> {
    if let Some(heading) = line.strip_prefix(SECTION) {
        return section(heading).map(Entry::Section);
    }
    if let Some(place) = line.strip_prefix(PLACE).and_then(|rest| rest.strip_suffix(':')) {
        return self::place(place).map(Entry::Conversation);
    }
    if let Some(sender) = sender(line) {
        return Some(Entry::Sender(sender));
    }
    let remark = HubLine::of(line);
    (remark.as_str() == line).then_some(Entry::Hub(remark))
}

fn section(heading: &str) -> Option<Section> {
    SECTIONS.iter().find(|(_, word)| *word == heading).map(|(section, _)| *section)
}

fn place(text: &str) -> Option<ConversationHeading> {
    let (name, id) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((name, id)) => (name, Some(id.parse().ok()?)),
        None => (text, None),
    };
    Some(ConversationHeading { name: label(name)?, id })
}

/// The sender that a line names, if it does.
pub(super) fn sender(line: &str) -> Option<Sender> {
    let (name, sort) = line.split_once(IS)?;
    let (sort, system) = match sort.strip_suffix(UNVERIFIED).and_then(|sort| sort.split_once(OF)) {
        Some((sort, system)) => (sort, Some(label(system)?)),
        None => (sort, None),
    };
    let (author_type, _) = AUTHOR_TYPES.iter().find(|(_, word)| *word == sort)?;
    Some(Sender { label: label(name)?, author_type: *author_type, system })
}

fn label(text: &str) -> Option<Label> {
    let label = Label::of(text);
    (label.as_str() == text).then_some(label)
}
