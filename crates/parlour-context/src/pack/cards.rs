//! What is found out of candidates that are looked at: their texts and costs, kept for all rounds of a pack.

use std::cell::{Cell, OnceCell};

use parlour_core::context::{Level, SubjectType};

use super::{desk::Desk, text::Text};
use crate::{
    candidate::Candidate,
    frame::Quoted,
    level::{self, LEVELS},
};

/// Above this, in tokens, a text may be replaced by the call that fetches it.
const HANDLE_FROM_TOKENS: u64 = 64;

/// The most of a budget, in percent, that all together may take which must be shown and is cut.
const MUST_PERCENT: u64 = 60;
/// In less room, in tokens, one line says as much as a beginning and an end.
const STRETCHED_TOKENS_LEAST: u64 = 48;
/// How often a cut is made shorter whose tokens are dearer than those of the whole.
const STRETCHED_TRIES_MAX: usize = 6;

/// One card for each candidate that was looked at.
pub(super) struct Cards(Vec<OnceCell<Box<Card>>>);

#[derive(Default)]
struct Card {
    full: OnceCell<Option<Text>>,
    /// The shorter lengths, made together: each of them begins with the same work.
    shorter: OnceCell<[Option<Text>; LEVELS.len()]>,
    costs: [Cell<Option<Option<u64>>>; LEVELS.len()],
}

impl Cards {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| OnceCell::new()).collect())
    }

    /// The text of a candidate at a length, where it has this length.
    pub(super) fn text(&self, desk: &Desk<'_>, index: usize, level: Level) -> Option<&Text> {
        let card = self.card(index);
        let candidate = &desk.candidates[index];
        if level == Level::Full {
            let prepared = &candidate.prepared;
            let quoted = || level::at_level(prepared, level, desk.request.query).map(|text| Quoted::of(&text));
            let whole = |quoted| Text::whole(quoted, &prepared.quote, desk.request.tokenizer);
            return card.full.get_or_init(|| quoted().map(whole)).as_ref();
        }
        card.shorter.get_or_init(|| shorter(desk, index))[level as usize].as_ref()
    }

    /// What a candidate costs at a length; `find` is asked once.
    pub(super) fn cost(&self, index: usize, level: Level, find: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let known = &self.card(index).costs[level as usize];
        known.get().unwrap_or_else(|| {
            let cost = find();
            known.set(Some(cost));
            cost
        })
    }

    fn card(&self, index: usize) -> &Card {
        self.0[index].get_or_init(Box::default)
    }
}

fn shorter(desk: &Desk<'_>, index: usize) -> [Option<Text>; LEVELS.len()] {
    let candidate = desk.candidates[index];
    let mut texts = [const { None }; LEVELS.len()];
    for (level, text) in level::levels(&candidate.prepared, desk.request.query) {
        let is_there = match level {
            Level::Full => false,
            Level::Handle => has_handle(candidate),
            _ => true,
        };
        texts[level as usize] = is_there.then(|| Text::of(Quoted::of(&text)));
    }
    if let Some(stretched) = stretched(desk, index) {
        texts[Level::HeadTail as usize] = Some(stretched);
    }
    texts
}

/// What must be shown and does not fit whole is cut to the room that there is for it, not to a usual length: what is to
/// be answered comes before everything that only belongs to it.
fn stretched(desk: &Desk<'_>, index: usize) -> Option<Text> {
    let (candidate, tokenizer) = (desk.candidates[index], desk.request.tokenizer);
    let count = desk.field.mandatory().len().max(1) as u64;
    let room = desk.request.budget * MUST_PERCENT / 100 / count;
    if !candidate.is_mandatory() || room < STRETCHED_TOKENS_LEAST {
        return None;
    }
    let cost = |text: &Text| text.body(tokenizer).map(|body| tokenizer.added(body));
    let tokens = cost(desk.cards.text(desk, index, Level::Full)?).filter(|tokens| *tokens > room)?;
    let mut chars = candidate.prepared.text.chars().count() as u64 * room / tokens;
    for _ in 0..STRETCHED_TRIES_MAX {
        let text = level::head_and_tail(&candidate.prepared, usize::try_from(chars).ok()?)?;
        let text = Text::of(Quoted::of(&text));
        if cost(&text).is_some_and(|cost| cost <= room) {
            return Some(text);
        }
        chars = chars * 4 / 5;
    }
    None
}

fn has_handle(candidate: &Candidate) -> bool {
    let is_message = candidate.subject_type == SubjectType::Message && candidate.conversation.is_some();
    is_message && (candidate.is_mandatory() || candidate.prepared.tokens > HANDLE_FROM_TOKENS)
}
