//! What a pack is made on: the candidates in one order whatever order they came in, with what is known of each.

use std::{
    borrow::Cow,
    cell::RefCell,
    cmp::Ordering,
    collections::{HashMap, HashSet},
};

use parlour_core::context::{ContextFormat, Level, Section, SubjectType};

use super::{
    Wish,
    handles::Handles,
    kept::{self, Stay},
    senders::Senders,
};
use crate::{
    candidate::Candidate,
    dedupe, fit,
    frame::{Label, Quote, Quoted},
    level, rank,
    tokens::Part,
};

/// Above this, in tokens, a text may be replaced by the call that fetches it.
const HANDLE_FROM_TOKENS: u64 = 64;

/// How a pack is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// How many of those stay that can.
    pub(super) kept: usize,
    /// Whether everything is left out that can be done without.
    pub(super) is_terse: bool,
}

/// Puts candidates into the order in which packs are made of them. Nobody has to: packs are the same for every order.
/// Whoever has them so already saves a copy of all.
pub fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(compare);
}

pub(super) struct Desk<'a> {
    pub(super) wish: &'a Wish<'a>,
    /// The candidates, sorted.
    pub(super) candidates: &'a [Candidate],
    /// For each of them its place in the wish.
    pub(super) origins: &'a [usize],
    pub(super) scores: Vec<f32>,
    /// The places of all candidates, the most important first.
    pub(super) order: Vec<usize>,
    pub(super) duplicates: Vec<Option<usize>>,
    /// What of the pack before could stay, in its order.
    pub(super) stays: Vec<Stay>,
    pub(super) senders: Senders,
    pub(super) handles: Handles<'a>,
    texts: RefCell<HashMap<(usize, Level), Option<Quoted>>>,
    counts: RefCell<HashMap<String, Part>>,
}

/// The candidates of a wish in order, and for each its place in the wish.
pub(super) fn sorted<'a>(wish: &Wish<'a>) -> (Cow<'a, [Candidate]>, Vec<usize>) {
    let mut origins: Vec<usize> = (0..wish.candidates.len()).collect();
    if wish.candidates.is_sorted_by(|left, right| compare(left, right).is_le()) {
        return (Cow::Borrowed(wish.candidates), origins);
    }
    origins.sort_by(|left, right| compare(&wish.candidates[*left], &wish.candidates[*right]));
    (origins.iter().map(|origin| wish.candidates[*origin].clone()).collect(), origins)
}

fn compare(left: &Candidate, right: &Candidate) -> Ordering {
    let place = |candidate: &Candidate| candidate.place.as_ref().map(|place| place.id.clone());
    let by_place = || match (&left.place, &right.place) {
        (Some(left), Some(right)) if std::sync::Arc::ptr_eq(left, right) => Ordering::Equal,
        _ => place(left).map(|id| id.to_string()).cmp(&place(right).map(|id| id.to_string())),
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
    pub(super) fn new(wish: &'a Wish<'a>, candidates: &'a [Candidate], origins: &'a [usize]) -> Self {
        let mut places = vec![0; origins.len()];
        for (place, origin) in origins.iter().enumerate() {
            places[*origin] = place;
        }
        let known = |(origin, score): &(usize, f32)| Some((*places.get(*origin)?, *score));
        let reranked: Vec<(usize, f32)> = wish.reranked.iter().filter_map(known).collect();
        let scores = rank::rank(wish.query, candidates, &wish.rules.weights, &reranked);
        let order = fit::order(candidates, &scores);
        let duplicates = dedupe::duplicates(candidates, &order);
        let stays = kept::stays(wish, candidates);
        let senders = Senders::of(candidates);
        let handles = Handles(wish.command);
        let (texts, counts) = (RefCell::default(), RefCell::default());
        Self { wish, candidates, origins, scores, order, duplicates, stays, senders, handles, texts, counts }
    }

    /// Whether a candidate can stand in this form of a pack at all.
    pub(super) fn has_place_for(&self, index: usize) -> bool {
        let is_standing =
            matches!(self.candidates[index].section, Section::Project | Section::Neighbours | Section::Artifacts);
        self.wish.format != ContextFormat::Injection || !is_standing
    }

    /// Whether nothing of a candidate can be shown.
    pub(super) fn is_empty(&self, index: usize) -> bool {
        let candidate = &self.candidates[index];
        candidate.note.is_none() && !candidate.is_mandatory() && candidate.prepared.text.trim().is_empty()
    }

    /// Those that stay.
    pub(super) fn kept(&self, form: Form) -> &[Stay] {
        &self.stays[..form.kept.min(self.stays.len())]
    }

    /// The places of those that stay.
    pub(super) fn kept_places(&self, form: Form) -> HashSet<usize> {
        self.kept(form).iter().map(|stay| stay.index).collect()
    }

    /// The text of a candidate at a length, where it has this length. What stays has the text that it had.
    pub(super) fn text(&self, form: Form, index: usize, level: Level) -> Option<Quoted> {
        let stay = self.kept(form).iter().find(|stay| (stay.index, stay.level) == (index, level));
        if let Some(stay) = stay.filter(|_| level == Level::Extract) {
            return Some(stay.text.clone());
        }
        if let Some(known) = self.texts.borrow().get(&(index, level)) {
            return known.clone();
        }
        let candidate = &self.candidates[index];
        let text = match level {
            Level::Handle => self.has_handle(candidate).then(Quoted::default),
            _ => level::at_level(&candidate.prepared, level, self.wish.query).map(|text| Quoted::of(&text)),
        };
        self.texts.borrow_mut().insert((index, level), text.clone());
        text
    }

    fn has_handle(&self, candidate: &Candidate) -> bool {
        let is_message = candidate.subject_type == SubjectType::Message && candidate.place.is_some();
        is_message && (candidate.is_mandatory() || candidate.prepared.tokens > HANDLE_FROM_TOKENS)
    }

    /// A candidate as a quote.
    pub(super) fn quote(&self, form: Form, index: usize, level: Level) -> Option<Quote> {
        let candidate = &self.candidates[index];
        let text = self.text(form, index, level)?;
        let is_message = candidate.subject_type == SubjectType::Message && candidate.place.is_some();
        let seq = if is_message { candidate.seq } else { 0 };
        Some(Quote { seq, from: self.label(index).cloned(), level, text })
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
        let part = self.wish.tokenizer.part(piece);
        self.counts.borrow_mut().insert(piece.to_owned(), part);
        part
    }
}
