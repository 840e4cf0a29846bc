//! What a pack is made on: the candidates in one order whatever order they came in, with what is known of each.

use std::{
    cell::{OnceCell, RefCell},
    cmp::Ordering,
    collections::HashMap,
};

use parlour_core::context::{ContextFormat, Level, Section};

use super::{
    PackOptions,
    cards::Cards,
    groups,
    handles::Handles,
    kept::{self, Stay},
    senders::Senders,
    text::Text,
};
use crate::{
    authors::Authors,
    candidate::Candidate,
    dedupe,
    fit::{self, Field},
    frame::{Label, Tag},
    level, rank,
    tokens::Part,
};

/// How a pack is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// How many of those stay that can.
    pub(super) kept: usize,
    /// Whether everything is left out that can be done without.
    pub(super) is_terse: bool,
}

/// Puts candidates into the order in which packs are made of them. Nobody has to: packs are the same for every order.
/// Whoever has them so already saves that they are sorted each time.
pub fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(compare);
}

pub(super) struct Desk<'a> {
    pub(super) request: &'a PackOptions<'a>,
    /// The candidates, sorted.
    pub(super) candidates: &'a [&'a Candidate],
    /// For each of them its place in the request.
    pub(super) origins: &'a [usize],
    /// What each of them is worth, and which come first.
    pub(super) field: Field<'a>,
    /// For each of them a number that those have in common which stand in one section and place.
    pub(super) groups: Vec<u32>,
    /// What of the pack before could stay, in its order.
    pub(super) stays: Vec<Stay>,
    /// For each candidate its place among those; empty where nothing can stay.
    stay_places: Vec<Option<u32>>,
    pub(super) senders: Senders,
    pub(super) handles: Handles<'a>,
    pub(super) cards: Cards,
    pub(super) tag: Tag,
    /// How many of the candidates ask the agent something.
    pub(super) blocking_len: usize,
    counts: RefCell<HashMap<String, Part>>,
    unread_len: OnceCell<usize>,
}

/// The candidates of a request in order, and for each its place in the request.
pub(super) fn sorted<'a>(request: &PackOptions<'a>) -> (Vec<&'a Candidate>, Vec<usize>) {
    let mut origins: Vec<usize> = (0..request.candidates.len()).collect();
    if !request.candidates.is_sorted_by(|left, right| compare(left, right).is_le()) {
        origins.sort_by(|left, right| compare(&request.candidates[*left], &request.candidates[*right]));
    }
    (origins.iter().map(|origin| &request.candidates[*origin]).collect(), origins)
}

fn compare(left: &Candidate, right: &Candidate) -> Ordering {
    let by_place = || match (&left.conversation, &right.conversation) {
        (Some(left), Some(right)) if std::sync::Arc::ptr_eq(left, right) => Ordering::Equal,
        (left, right) => {
            let [left, right] = [left, right].map(|place| place.as_ref().map(|place| place.id.as_str()));
            left.cmp(&right)
        }
    };
    left.section
        .cmp(&right.section)
        .then_with(by_place)
        .then_with(|| left.seq.cmp(&right.seq))
        .then_with(|| left.subject_type.cmp(&right.subject_type))
        .then_with(|| left.id.cmp(&right.id))
        .then_with(|| left.prepared.text.cmp(&right.prepared.text))
}

impl<'a> Desk<'a> {
    pub(super) fn new(request: &'a PackOptions<'a>, candidates: &'a [&'a Candidate], origins: &'a [usize]) -> Self {
        let mut places = vec![0; origins.len()];
        for (place, origin) in origins.iter().enumerate() {
            places[*origin] = place;
        }
        let known = |(origin, score): &(usize, f32)| Some((*places.get(*origin)?, *score));
        let reranked: Vec<(usize, f32)> = request.reranked.iter().filter_map(known).collect();
        let authors = Authors::of(candidates);
        let scores = rank::rank_of(request.query, (candidates, &authors), &request.rules.weights, &reranked);
        let order = fit::order(candidates, &scores);
        let duplicates = dedupe::duplicates(candidates, &order);
        let sources = (&request.rules.quotas, &authors);
        let field = Field::of_authors(candidates, scores, order, &duplicates, sources);
        let stays = kept::stays(request, candidates, &field);
        Self {
            request,
            candidates,
            origins,
            blocking_len: field.mandatory().iter().filter(|index| candidates[**index].is_blocking()).count(),
            field,
            groups: groups::of(candidates),
            stay_places: stay_places(&stays, candidates.len()),
            stays,
            senders: Senders::of(&authors),
            handles: Handles(request.command),
            cards: Cards::new(candidates.len()),
            tag: tag(request, candidates),
            counts: RefCell::default(),
            unread_len: OnceCell::new(),
        }
    }

    /// Whether a candidate can stand in this form of a pack at all.
    pub(super) fn has_place_for(&self, index: usize) -> bool {
        let is_standing =
            || matches!(self.candidates[index].section, Section::Project | Section::Neighbours | Section::Artifacts);
        self.request.format != ContextFormat::Injection || !is_standing()
    }

    /// Whether nothing of a candidate can be shown.
    pub(super) fn is_empty(&self, index: usize) -> bool {
        // It is asked of all of them, and texts lie all over the memory.
        if self.field.has_words[index] {
            return false;
        }
        let candidate = self.candidates[index];
        let has_more = candidate.note.is_some() || candidate.answer_format.is_some();
        !has_more && !self.field.is_mandatory(index) && candidate.prepared.text.trim().is_empty()
    }

    /// Those that stay.
    pub(super) fn kept(&self, form: Form) -> &[Stay] {
        &self.stays[..form.kept.min(self.stays.len())]
    }

    /// Whether a candidate stays.
    pub(super) fn is_kept(&self, form: Form, index: usize) -> bool {
        self.stay(form, index).is_some()
    }

    fn stay(&self, form: Form, index: usize) -> Option<&Stay> {
        self.kept(form).get(self.stay_place(index)? as usize)
    }

    /// The place of a candidate among those that can stay.
    pub(super) fn stay_place(&self, index: usize) -> Option<u32> {
        *self.stay_places.get(index)?
    }

    /// The text of a candidate at a length, where it has this length. What stays has the text that it had.
    pub(super) fn text(&self, form: Form, index: usize, level: Level) -> Option<&Text> {
        self.kept_extract(form, index, level).or_else(|| self.cards.text(self, index, level))
    }

    /// The text of what stays, where it may be another one than it would be now.
    pub(super) fn kept_extract(&self, form: Form, index: usize, level: Level) -> Option<&Text> {
        let stay = self.stay(form, index).filter(|stay| stay.level == level && level == Level::Extract)?;
        Some(&stay.text)
    }

    /// As which length a candidate is shown that was chosen at this one.
    pub(super) fn shown_as(&self, index: usize, level: Level) -> Level {
        level::shown_as(&self.candidates[index].prepared, level)
    }

    /// The label of who wrote a candidate.
    pub(super) fn label(&self, index: usize) -> Option<&Label> {
        self.senders.get(index).map(|sender| &sender.label)
    }

    /// What a piece of the text costs; counted once.
    pub(super) fn count(&self, piece: &str) -> Part {
        if let Some(known) = self.counts.borrow().get(piece) {
            return *known;
        }
        let part = self.request.tokenizer.part(piece);
        self.counts.borrow_mut().insert(piece.to_owned(), part);
        part
    }

    /// How many of the candidates are unread.
    pub(super) fn unread_len(&self) -> usize {
        *self.unread_len.get_or_init(|| self.candidates.iter().filter(|candidate| candidate.is_unread()).count())
    }
}

fn tag(request: &PackOptions<'_>, candidates: &[&Candidate]) -> Tag {
    let last = candidates.last().filter(|candidate| candidate.section == Section::History);
    let conversation = last.and_then(|candidate| candidate.conversation.as_ref()).map(|place| place.id.to_string());
    Tag::of(request.reader.0.as_str(), request.day, &conversation.unwrap_or_default())
}

fn stay_places(stays: &[Stay], count: usize) -> Vec<Option<u32>> {
    if stays.is_empty() {
        return Vec::new();
    }
    let mut places = vec![None; count];
    for (place, stay) in (0..).zip(stays) {
        places[stay.index] = Some(place);
    }
    places
}
