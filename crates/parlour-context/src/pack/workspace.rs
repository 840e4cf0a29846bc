//! The workspace of one pack: its candidates in canonical order, with scores, texts and token counts.

use std::{
    cell::{Cell, OnceCell, RefCell},
    cmp::Ordering,
    collections::HashMap,
};

use parlour_core::{
    context::{ContextFormat, Level, Section, SubjectType},
    id::ConversationId,
};

use super::{
    PackOptions,
    previous::{self, RetainedItem},
    sheet::Senders,
    write::Handles,
};
use crate::{
    authors::Authors,
    candidate::Candidate,
    dedupe,
    fit::{self, QuotaSources, RankedCandidates},
    frame::{Label, Quoted, Tag, quote_body},
    level::{self, LEVELS},
    rank,
    tokens::{CachedTokenCount, TokenPart, Tokenizer},
};

/// The form of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PackForm {
    /// The number of retained items.
    pub(super) kept: usize,
    /// Whether everything optional is left out.
    pub(super) is_terse: bool,
}

/// Sorts candidates into the canonical order. Optional: a pack does not depend on the order, but sorted candidates need
/// not be sorted again.
pub fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(compare);
}

pub(super) struct PackWorkspace<'a> {
    pub(super) options: &'a PackOptions<'a>,
    /// In canonical order.
    pub(super) candidates: &'a [&'a Candidate],
    /// The index of each candidate in the options.
    pub(super) origins: &'a [usize],
    pub(super) ranked: RankedCandidates<'a>,
    /// Equal numbers for candidates of the same section and conversation.
    pub(super) groups: Vec<u32>,
    /// The items of the previous pack that can stay, in order.
    pub(super) retained: Vec<RetainedItem>,
    /// The position of each candidate among them; empty if there are none.
    retained_positions: Vec<Option<u32>>,
    pub(super) senders: Senders,
    pub(super) handles: Handles<'a>,
    pub(super) cards: CandidateTexts,
    pub(super) tag: Tag,
    /// The number of mandatory blocking candidates.
    pub(super) blocking_len: usize,
    counts: RefCell<HashMap<String, TokenPart>>,
    unread_len: OnceCell<usize>,
}

/// The candidates in canonical order, with their indexes in the options.
pub(super) fn sorted<'a>(options: &PackOptions<'a>) -> (Vec<&'a Candidate>, Vec<usize>) {
    let mut origins: Vec<usize> = (0..options.candidates.len()).collect();
    if !options.candidates.is_sorted_by(|left, right| compare(left, right).is_le()) {
        origins.sort_by(|left, right| compare(&options.candidates[*left], &options.candidates[*right]));
    }
    (origins.iter().map(|origin| &options.candidates[*origin]).collect(), origins)
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

impl<'a> PackWorkspace<'a> {
    pub(super) fn new(options: &'a PackOptions<'a>, candidates: &'a [&'a Candidate], origins: &'a [usize]) -> Self {
        let mut places = vec![0; origins.len()];
        for (place, origin) in origins.iter().enumerate() {
            places[*origin] = place;
        }
        let known = |(origin, score): &(usize, f32)| Some((*places.get(*origin)?, *score));
        let reranked: Vec<(usize, f32)> = options.reranked.iter().filter_map(known).collect();
        let authors = Authors::of(candidates);
        let scores = rank::rank_of(options.query, (candidates, &authors), &options.rules.weights, &reranked);
        let order = fit::order(candidates, &scores);
        let duplicates = dedupe::duplicates(candidates, &order);
        let is_named = rank::named_authors(options.query, &authors);
        let sources = QuotaSources { quotas: &options.rules.quotas, authors: &authors, is_named: &is_named };
        let ranked = RankedCandidates::of_authors(candidates, scores, order, &duplicates, &sources);
        let retained = previous::retained(options, candidates, &ranked);
        Self {
            options,
            candidates,
            origins,
            blocking_len: ranked.mandatory().iter().filter(|index| candidates[**index].is_blocking()).count(),
            ranked,
            groups: group_numbers(candidates),
            retained_positions: retained_positions(&retained, candidates.len()),
            retained,
            senders: Senders::of(&authors),
            handles: Handles(options.command),
            cards: CandidateTexts::new(candidates.len()),
            tag: tag(options, candidates),
            counts: RefCell::default(),
            unread_len: OnceCell::new(),
        }
    }

    /// Whether the format can show the candidate at all.
    pub(super) fn has_place_for(&self, index: usize) -> bool {
        let is_standing =
            || matches!(self.candidates[index].section, Section::Project | Section::Neighbours | Section::Artifacts);
        self.options.format != ContextFormat::Injection || !is_standing()
    }

    pub(super) fn is_empty(&self, index: usize) -> bool {
        // Checked for all candidates: reading the text itself would miss the processor cache.
        if self.ranked.has_words[index] {
            return false;
        }
        let candidate = self.candidates[index];
        let has_more = candidate.note.is_some() || candidate.answer_format.is_some();
        !has_more && !self.ranked.is_mandatory(index) && candidate.prepared.text.trim().is_empty()
    }

    pub(super) fn kept(&self, form: PackForm) -> &[RetainedItem] {
        &self.retained[..form.kept.min(self.retained.len())]
    }

    pub(super) fn is_kept(&self, form: PackForm, index: usize) -> bool {
        self.stay(form, index).is_some()
    }

    fn stay(&self, form: PackForm, index: usize) -> Option<&RetainedItem> {
        self.kept(form).get(self.retained_position(index)? as usize)
    }

    pub(super) fn retained_position(&self, index: usize) -> Option<u32> {
        *self.retained_positions.get(index)?
    }

    /// The text of a candidate at a level, if it has this level. A retained item keeps its text.
    pub(super) fn text(&self, form: PackForm, index: usize, level: Level) -> Option<&QuotedText> {
        self.kept_extract(form, index, level).or_else(|| self.cards.text(self, index, level))
    }

    /// The text of a retained extract, which may differ from a new one.
    pub(super) fn kept_extract(&self, form: PackForm, index: usize, level: Level) -> Option<&QuotedText> {
        let stay = self.stay(form, index).filter(|stay| stay.level == level && level == Level::Extract)?;
        Some(&stay.text)
    }

    /// The level at which the chosen level is reported.
    pub(super) fn shown_as(&self, index: usize, level: Level) -> Level {
        level::shown_as(&self.candidates[index].prepared, level)
    }

    pub(super) fn label(&self, index: usize) -> Option<&Label> {
        self.senders.get(index).map(|sender| &sender.label)
    }

    /// The cost of a line; cached.
    pub(super) fn count(&self, piece: &str) -> TokenPart {
        if let Some(known) = self.counts.borrow().get(piece) {
            return *known;
        }
        let part = self.options.tokenizer.part(piece);
        self.counts.borrow_mut().insert(piece.to_owned(), part);
        part
    }

    pub(super) fn unread_len(&self) -> usize {
        *self.unread_len.get_or_init(|| self.candidates.iter().filter(|candidate| candidate.is_unread()).count())
    }
}

fn tag(options: &PackOptions<'_>, candidates: &[&Candidate]) -> Tag {
    let last = candidates.last().filter(|candidate| candidate.section == Section::History);
    let conversation = last.and_then(|candidate| candidate.conversation.as_ref()).map(|place| place.id.to_string());
    Tag::of(options.reader.0.as_str(), options.day, &conversation.unwrap_or_default())
}

fn retained_positions(retained: &[RetainedItem], count: usize) -> Vec<Option<u32>> {
    if retained.is_empty() {
        return Vec::new();
    }
    let mut places = vec![None; count];
    for (place, stay) in (0..).zip(retained) {
        places[stay.index] = Some(place);
    }
    places
}

/// A text with more tokens may be replaced by the call that fetches it.
const HANDLE_FROM_TOKENS: u64 = 64;

/// The percentage of the budget that all cut mandatory texts may take together.
const MUST_PERCENT: u64 = 60;
/// In less room, one line says as much as head and tail.
const STRETCHED_TOKENS_LEAST: u64 = 48;
/// Attempts to cut a text to its room.
const STRETCHED_TRIES_MAX: usize = 6;

/// Texts and costs of the candidates that were tried.
pub(super) struct CandidateTexts(Vec<OnceCell<Box<CachedTexts>>>);

#[derive(Default)]
struct CachedTexts {
    full: OnceCell<Option<QuotedText>>,
    /// Computed together, because they share most of the work.
    shorter: OnceCell<[Option<QuotedText>; LEVELS.len()]>,
    costs: [Cell<Option<Option<u64>>>; LEVELS.len()],
}

impl CandidateTexts {
    pub(super) fn new(count: usize) -> Self {
        Self((0..count).map(|_| OnceCell::new()).collect())
    }

    pub(super) fn text(&self, workspace: &PackWorkspace<'_>, index: usize, level: Level) -> Option<&QuotedText> {
        let card = self.card(index);
        let candidate = &workspace.candidates[index];
        if level == Level::Full {
            let prepared = &candidate.prepared;
            let quoted = || level::at_level(prepared, level, workspace.options.query).map(|text| Quoted::of(&text));
            let whole = |quoted| QuotedText::whole(quoted, &prepared.quote, workspace.options.tokenizer);
            return card.full.get_or_init(|| quoted().map(whole)).as_ref();
        }
        card.shorter.get_or_init(|| shorter(workspace, index))[level as usize].as_ref()
    }

    /// `find` is called once.
    pub(super) fn cost(&self, index: usize, level: Level, find: impl FnOnce() -> Option<u64>) -> Option<u64> {
        let known = &self.card(index).costs[level as usize];
        known.get().unwrap_or_else(|| {
            let cost = find();
            known.set(Some(cost));
            cost
        })
    }

    fn card(&self, index: usize) -> &CachedTexts {
        self.0[index].get_or_init(Box::default)
    }
}

fn shorter(workspace: &PackWorkspace<'_>, index: usize) -> [Option<QuotedText>; LEVELS.len()] {
    let candidate = workspace.candidates[index];
    let mut texts = [const { None }; LEVELS.len()];
    for (level, text) in level::levels(&candidate.prepared, workspace.options.query) {
        let is_there = match level {
            Level::Full => false,
            Level::Handle => has_handle(candidate),
            _ => true,
        };
        texts[level as usize] = is_there.then(|| QuotedText::of(Quoted::of(&text)));
    }
    if let Some(stretched) = stretched(workspace, index) {
        texts[Level::HeadTail as usize] = Some(stretched);
    }
    texts
}

/// A mandatory text that does not fit whole is cut to its room instead of a fixed length.
fn stretched(workspace: &PackWorkspace<'_>, index: usize) -> Option<QuotedText> {
    let (candidate, tokenizer) = (workspace.candidates[index], workspace.options.tokenizer);
    let count = workspace.ranked.mandatory().len().max(1) as u64;
    let room = workspace.options.budget * MUST_PERCENT / 100 / count;
    if !candidate.is_mandatory() || room < STRETCHED_TOKENS_LEAST {
        return None;
    }
    let cost = |text: &QuotedText| text.body(tokenizer).map(|body| tokenizer.added(body));
    let tokens = cost(workspace.cards.text(workspace, index, Level::Full)?).filter(|tokens| *tokens > room)?;
    let mut chars = candidate.prepared.text.chars().count() as u64 * room / tokens;
    for _ in 0..STRETCHED_TRIES_MAX {
        let text = level::head_and_tail(&candidate.prepared, usize::try_from(chars).ok()?)?;
        let text = QuotedText::of(Quoted::of(&text));
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

/// A text at one level as it is quoted.
pub(super) struct QuotedText {
    pub(super) quoted: Quoted,
    body: OnceCell<TokenPart>,
}

impl QuotedText {
    pub(super) fn of(quoted: Quoted) -> Self {
        Self { quoted, body: OnceCell::new() }
    }

    /// The cost of a whole text is cached across packs.
    pub(super) fn whole(quoted: Quoted, known: &CachedTokenCount, tokenizer: &Tokenizer) -> Self {
        let body = if is_apart(&quoted) {
            OnceCell::from(known.part(tokenizer, || quote_body(quoted.as_str())))
        } else {
            OnceCell::new()
        };
        Self { quoted, body }
    }

    pub(super) fn as_str(&self) -> &str {
        self.quoted.as_str()
    }

    /// The cost of the text after the head of a quote; `None` if the two cannot be counted separately.
    pub(super) fn body(&self, tokenizer: &Tokenizer) -> Option<TokenPart> {
        is_apart(&self.quoted).then(|| *self.body.get_or_init(|| tokenizer.part(&quote_body(self.as_str()))))
    }
}

/// Whether the text starts on the line of its head.
fn is_apart(quoted: &Quoted) -> bool {
    quoted.as_str().starts_with(|sign| sign != '\n')
}

type GroupKey<'a> = (Section, Option<&'a ConversationId>);

/// Equal numbers for candidates of the same section and conversation.
fn group_numbers(candidates: &[&Candidate]) -> Vec<u32> {
    // The same conversation may occur with different names or lengths.
    let mut known: HashMap<GroupKey<'_>, Vec<(usize, u32)>> = HashMap::new();
    let mut groups: Vec<u32> = Vec::with_capacity(candidates.len());
    let mut next = 0;
    for (index, candidate) in candidates.iter().enumerate() {
        let is_same = |other: usize| {
            candidates[other].section == candidate.section && candidates[other].conversation == candidate.conversation
        };
        // The candidates are sorted, so most belong to the group of their predecessor.
        if let Some(last) = groups.last().copied().filter(|_| is_same(index - 1)) {
            groups.push(last);
            continue;
        }
        let id = candidate.conversation.as_ref().map(|place| &place.id);
        let alike = known.entry((candidate.section, id)).or_default();
        let group = alike.iter().find(|(other, _)| is_same(*other)).map_or(next, |(_, group)| *group);
        if group == next {
            alike.push((index, group));
            next += 1;
        }
        groups.push(group);
    }
    groups
}
