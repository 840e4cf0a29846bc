//! A written pack and its cost. Its lines are counted without being joined, because hundreds of packs are tried for
//! one.

use std::{
    collections::{HashMap, HashSet},
    ops::Add,
};

use parlour_core::{
    author::{Author, AuthorType},
    context::{Level, Section, SubjectType},
    name::Name,
};

use super::{
    workspace::{PackForm, PackWorkspace},
    write::{Writer, order},
};
use crate::{
    authors::Authors,
    candidate::ConversationRef,
    frame::{
        self, AnswerFormat, FrameEntry, Framed, HubLine, Label, Numbers, Quote, Sender, first_line, quote_body,
        quote_head,
    },
    tokens::TokenPart,
};

/// The pieces of a pack, and their cost.
pub(super) struct PackSheet<'a> {
    workspace: &'a PackWorkspace<'a>,
    form: PackForm,
    is_short: bool,
    pieces: Vec<SheetPiece<'a>>,
    /// The shown candidates in text order, with their tokens.
    pub(super) shown: Vec<(usize, u64)>,
    /// The tokens of the text up to the end of each shown candidate.
    pub(super) ends: Vec<u64>,
    pub(super) total: u64,
}

pub(super) enum SheetPiece<'a> {
    Section(Section),
    /// A conversation heading, and whether it has the id.
    Conversation(&'a ConversationRef, bool),
    Sender(&'a Sender),
    Remark(HubLine),
    Quote(usize, Level),
    AnswerFormat(AnswerFormat),
}

impl<'a> PackSheet<'a> {
    /// Writes the shown candidates in their order.
    pub(super) fn of(workspace: &'a PackWorkspace<'a>, form: PackForm, shown: Vec<(usize, Level)>) -> Self {
        let mut writer = Writer::new(workspace, form);
        writer.write(&order(workspace, form, shown));
        let pieces = writer.pieces;
        let quotes = pieces.iter().enumerate().filter_map(|(at, piece)| match piece {
            SheetPiece::Quote(index, _) => Some((at, *index)),
            _ => None,
        });
        let quotes: Vec<(usize, usize)> = quotes.collect();
        let is_short = form.is_terse && !quotes.is_empty();
        let mut sheet = Self { workspace, form, is_short, pieces, shown: Vec::new(), ends: Vec::new(), total: 0 };
        let parts = sheet.parts(!quotes.is_empty());
        let tokenizer = workspace.options.tokenizer;
        sheet.shown = quotes.iter().map(|(at, index)| (*index, tokenizer.added(parts[at + 1]))).collect();
        let starts = quotes.iter().skip(1).map(|(at, _)| at + 1).chain([parts.len()]);
        let (mut sum, mut at) = (TokenPart::default(), 0);
        let mut end = |next: usize| {
            sum = parts[at..next].iter().copied().fold(sum, TokenPart::add);
            at = next;
            tokenizer.total(sum)
        };
        sheet.ends = starts.map(&mut end).collect();
        sheet.total = sheet.ends.last().copied().unwrap_or_default();
        sheet
    }

    pub(super) fn framed(&self) -> Framed {
        let entries = self.pieces.iter().filter_map(|piece| entry(self.workspace, self.form, piece)).collect();
        Framed { tag: self.workspace.tag.clone(), is_short: self.is_short, entries }
    }

    /// The cost of the first line and of each piece.
    fn parts(&self, has_quotes: bool) -> Vec<TokenPart> {
        let workspace = self.workspace;
        let mut numbers = Numbers::default();
        let mut parts = vec![
            workspace
                .count(&without_end(first_line(&workspace.tag, self.is_short, has_quotes), self.pieces.is_empty())),
        ];
        for (at, piece) in self.pieces.iter().enumerate() {
            // The last line has no newline.
            let is_last = at + 1 == self.pieces.len();
            parts.push(part(workspace, self.form, piece, &mut numbers, is_last));
        }
        parts
    }
}

/// The tokens of a candidate at a level with the lines that belong to it alone; `None` if it does not have this level.
/// Headings and sender lines are shared and not counted.
pub(super) fn cost(workspace: &PackWorkspace<'_>, form: PackForm, index: usize, level: Level) -> Option<u64> {
    let find = || {
        workspace.text(form, index, level)?;
        let mut writer = Writer::new(workspace, form);
        writer.write_quote(index, level);
        let mut numbers = Numbers::default();
        let parts: TokenPart =
            writer.pieces.iter().map(|piece| part(workspace, form, piece, &mut numbers, false)).sum();
        Some(workspace.options.tokenizer.added(parts))
    };
    match workspace.kept_extract(form, index, level) {
        Some(_) => find(),
        None => workspace.cards.cost(index, level, find),
    }
}

fn part(
    workspace: &PackWorkspace<'_>,
    form: PackForm,
    piece: &SheetPiece<'_>,
    numbers: &mut Numbers,
    is_last: bool,
) -> TokenPart {
    if let SheetPiece::Quote(index, level) = piece {
        return quote_part(workspace, form, (*index, *level), numbers, is_last);
    }
    let entry = entry(workspace, form, piece);
    entry.map_or_else(TokenPart::default, |entry| workspace.count(&without_end(frame::line(&entry, numbers), is_last)))
}

fn quote_part(
    workspace: &PackWorkspace<'_>,
    form: PackForm,
    (index, level): (usize, Level),
    numbers: &mut Numbers,
    is_last: bool,
) -> TokenPart {
    let Some(text) = workspace.text(form, index, level) else { return TokenPart::default() };
    let seq = seq(workspace, index);
    let head =
        quote_head(numbers.is_numbered(seq).then_some(seq), workspace.label(index), workspace.shown_as(index, level));
    match text.body(workspace.options.tokenizer).filter(|_| !is_last) {
        Some(body) => workspace.count(&head) + body,
        None => workspace.count(&without_end(head + &quote_body(text.as_str()), is_last)),
    }
}

fn entry(workspace: &PackWorkspace<'_>, form: PackForm, piece: &SheetPiece<'_>) -> Option<FrameEntry> {
    Some(match piece {
        SheetPiece::Section(section) => FrameEntry::Section(*section),
        SheetPiece::Conversation(place, has_id) => {
            let id = has_id.then(|| place.id.clone());
            FrameEntry::Conversation(frame::ConversationHeading { name: Label::of(&place.name), id })
        }
        SheetPiece::Sender(sender) => FrameEntry::Sender((*sender).clone()),
        SheetPiece::Remark(line) => FrameEntry::Hub(line.clone()),
        SheetPiece::AnswerFormat(wanted) => FrameEntry::AnswerFormat(wanted.clone()),
        SheetPiece::Quote(index, level) => {
            let text = workspace.text(form, *index, *level)?.quoted.clone();
            let level = workspace.shown_as(*index, *level);
            FrameEntry::Quote(Quote {
                seq: seq(workspace, *index),
                from: workspace.label(*index).cloned(),
                level,
                text,
            })
        }
    })
}

fn seq(workspace: &PackWorkspace<'_>, index: usize) -> u64 {
    let candidate = &workspace.candidates[index];
    let is_message = candidate.subject_type == SubjectType::Message && candidate.conversation.is_some();
    if is_message { candidate.seq } else { 0 }
}

fn without_end(mut line: String, is_without: bool) -> String {
    if is_without {
        line.pop();
    }
    line
}

/// The senders of all candidates with unique labels.
pub(super) struct Senders {
    senders: Vec<Sender>,
    by_candidate: Vec<Option<usize>>,
}

/// The order in which senders choose labels: members of the hub before senders of other systems, people before
/// machines, older before newer.
type SenderKey<'a> = (bool, u8, Option<&'a str>, &'a str);

impl Senders {
    /// Labels do not depend on which candidates are shown.
    pub(super) fn of(authors: &Authors<'_>) -> Self {
        let mut sorted: Vec<usize> = (0..authors.list.len()).collect();
        sorted.sort_by_key(|number| sender_key(authors.list[*number]));
        let mut places = vec![0; sorted.len()];
        for (place, number) in sorted.iter().enumerate() {
            places[*number] = place;
        }
        let mut taken = UsedLabels::default();
        let labelled = |number: &usize| {
            let sender = sender(authors.list[*number]);
            Sender { label: taken.free_label(sender.label), ..sender }
        };
        let senders = sorted.iter().map(labelled).collect();
        let by_candidate = authors.of.iter().map(|number| number.map(|number| places[number as usize])).collect();
        Self { senders, by_candidate }
    }

    /// `None` for texts of the hub itself.
    pub(super) fn get(&self, index: usize) -> Option<&Sender> {
        self.senders.get((*self.by_candidate.get(index)?)?)
    }
}

fn sender_key(author: &Author) -> SenderKey<'_> {
    let sort = match author.author_type {
        AuthorType::System => 0,
        AuthorType::Host => 1,
        AuthorType::Person => 2,
        AuthorType::Agent => 3,
        AuthorType::Applet => 4,
        AuthorType::Scheduler => 5,
        AuthorType::Tool => 6,
    };
    (author.foreign_system().is_some(), sort, author.id.as_deref(), &author.name)
}

fn sender(author: &Author) -> Sender {
    let system = author.foreign_system().map(Label::of);
    Sender { label: Label::of(&author.name), author_type: author.author_type, system }
}

#[derive(Default)]
struct UsedLabels {
    looks: HashSet<String>,
    /// For each repeated label, the last number in use.
    numbers: HashMap<String, u64>,
}

impl UsedLabels {
    /// The label, with a number if another label looks the same.
    fn free_label(&mut self, label: Label) -> Label {
        if self.looks.insert(look(&label)) {
            return label;
        }
        let short: String = label.as_str().chars().take(40).collect();
        let number = self.numbers.entry(short.clone()).or_insert(1);
        loop {
            *number += 1;
            let numbered = Label::of(&format!("{short} {number}"));
            if self.looks.insert(look(&numbered)) {
                return numbered;
            }
        }
    }
}

/// Equal for labels that look the same.
fn look(label: &Label) -> String {
    let key = Name::parse(label.as_str()).map(|name| name.key().as_str().to_owned());
    key.unwrap_or_else(|_| Name::fold(label.as_str()))
}
