//! A pack as it is written, and what it costs. Its lines are counted without being put together: hundreds of packs are
//! tried for one that is given.

use std::ops::Add;

use parlour_core::context::{Level, Section, SubjectType};

use super::{
    desk::{Desk, Form},
    layout,
    writer::Writer,
};
use crate::{
    candidate::ConversationRef,
    frame::{
        self, AnswerFormat, Entry, Framed, HubLine, Label, Numbers, Quote, Sender, first_line, quote_body, quote_head,
    },
    tokens::Part,
};

/// A pack as it is written.
pub(super) struct Sheet<'a> {
    desk: &'a Desk<'a>,
    form: Form,
    is_short: bool,
    pieces: Vec<Piece<'a>>,
    /// What is shown, in the order of the text, each with its tokens.
    pub(super) shown: Vec<(usize, u64)>,
    /// The tokens of the text up to the end of each of them.
    pub(super) ends: Vec<u64>,
    /// The tokens of the whole.
    pub(super) total: u64,
}

/// One thing that is written.
pub(super) enum Piece<'a> {
    Section(Section),
    /// A place, and whether its id is said.
    Conversation(&'a ConversationRef, bool),
    Sender(&'a Sender),
    Remark(HubLine),
    Quote(usize, Level),
    AnswerFormat(AnswerFormat),
}

impl<'a> Sheet<'a> {
    /// Writes down what is shown; it is put in order.
    pub(super) fn of(desk: &'a Desk<'a>, form: Form, shown: Vec<(usize, Level)>) -> Self {
        let mut writer = Writer::new(desk, form);
        writer.write(&layout::order(desk, form, shown));
        let pieces = writer.pieces;
        let quotes = pieces.iter().enumerate().filter_map(|(at, piece)| match piece {
            Piece::Quote(index, _) => Some((at, *index)),
            _ => None,
        });
        let quotes: Vec<(usize, usize)> = quotes.collect();
        let is_short = form.is_terse && !quotes.is_empty();
        let mut sheet = Self { desk, form, is_short, pieces, shown: Vec::new(), ends: Vec::new(), total: 0 };
        let parts = sheet.parts(!quotes.is_empty());
        let tokenizer = desk.request.tokenizer;
        sheet.shown = quotes.iter().map(|(at, index)| (*index, tokenizer.added(parts[at + 1]))).collect();
        let starts = quotes.iter().skip(1).map(|(at, _)| at + 1).chain([parts.len()]);
        let (mut sum, mut at) = (Part::default(), 0);
        let mut end = |next: usize| {
            sum = parts[at..next].iter().copied().fold(sum, Part::add);
            at = next;
            tokenizer.total(sum)
        };
        sheet.ends = starts.map(&mut end).collect();
        sheet.total = sheet.ends.last().copied().unwrap_or_default();
        sheet
    }

    /// The same as a value that can be rendered.
    pub(super) fn framed(&self) -> Framed {
        let entries = self.pieces.iter().filter_map(|piece| entry(self.desk, self.form, piece)).collect();
        Framed { tag: self.desk.tag.clone(), is_short: self.is_short, entries }
    }

    /// What the first line and each piece cost.
    fn parts(&self, has_quotes: bool) -> Vec<Part> {
        let desk = self.desk;
        let mut numbers = Numbers::default();
        let mut parts =
            vec![desk.count(&without_end(first_line(&desk.tag, self.is_short, has_quotes), self.pieces.is_empty()))];
        for (at, piece) in self.pieces.iter().enumerate() {
            // The last line has no end.
            let is_last = at + 1 == self.pieces.len();
            parts.push(part(desk, self.form, piece, &mut numbers, is_last));
        }
        parts
    }
}

/// The tokens of a candidate at a length with what is written because of it alone; nothing where it does not have this
/// length. Headings and the names of senders are shared and not counted.
pub(super) fn cost(desk: &Desk<'_>, form: Form, index: usize, level: Level) -> Option<u64> {
    let find = || {
        desk.text(form, index, level)?;
        let mut writer = Writer::new(desk, form);
        writer.write_quote(index, level);
        let mut numbers = Numbers::default();
        let parts: Part = writer.pieces.iter().map(|piece| part(desk, form, piece, &mut numbers, false)).sum();
        Some(desk.request.tokenizer.added(parts))
    };
    match desk.kept_extract(form, index, level) {
        Some(_) => find(),
        None => desk.cards.cost(index, level, find),
    }
}

fn part(desk: &Desk<'_>, form: Form, piece: &Piece<'_>, numbers: &mut Numbers, is_last: bool) -> Part {
    if let Piece::Quote(index, level) = piece {
        return quote_part(desk, form, (*index, *level), numbers, is_last);
    }
    let entry = entry(desk, form, piece);
    entry.map_or_else(Part::default, |entry| desk.count(&without_end(frame::line(&entry, numbers), is_last)))
}

fn quote_part(
    desk: &Desk<'_>,
    form: Form,
    (index, level): (usize, Level),
    numbers: &mut Numbers,
    is_last: bool,
) -> Part {
    let Some(text) = desk.text(form, index, level) else { return Part::default() };
    let seq = seq(desk, index);
    let head = quote_head(numbers.is_numbered(seq).then_some(seq), desk.label(index), desk.shown_as(index, level));
    match text.body(desk.request.tokenizer).filter(|_| !is_last) {
        Some(body) => desk.count(&head) + body,
        None => desk.count(&without_end(head + &quote_body(text.as_str()), is_last)),
    }
}

fn entry(desk: &Desk<'_>, form: Form, piece: &Piece<'_>) -> Option<Entry> {
    Some(match piece {
        Piece::Section(section) => Entry::Section(*section),
        Piece::Conversation(place, has_id) => {
            let id = has_id.then(|| place.id.clone());
            Entry::Conversation(frame::ConversationHeading { name: Label::of(&place.name), id })
        }
        Piece::Sender(sender) => Entry::Sender((*sender).clone()),
        Piece::Remark(line) => Entry::Hub(line.clone()),
        Piece::AnswerFormat(wanted) => Entry::AnswerFormat(wanted.clone()),
        Piece::Quote(index, level) => {
            let text = desk.text(form, *index, *level)?.quoted.clone();
            let level = desk.shown_as(*index, *level);
            Entry::Quote(Quote { seq: seq(desk, *index), from: desk.label(*index).cloned(), level, text })
        }
    })
}

/// The number of a candidate in its place.
fn seq(desk: &Desk<'_>, index: usize) -> u64 {
    let candidate = &desk.candidates[index];
    let is_message = candidate.subject_type == SubjectType::Message && candidate.conversation.is_some();
    if is_message { candidate.seq } else { 0 }
}

fn without_end(mut line: String, is_without: bool) -> String {
    if is_without {
        line.pop();
    }
    line
}
