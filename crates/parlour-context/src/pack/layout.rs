//! In which order what is shown stands in the text, and what the hub writes around it.

use std::{cmp::Reverse, ops::Add, sync::Arc};

use parlour_core::context::{ContextFormat, Level, Reason, SubjectType};

use super::{
    desk::{Desk, Form},
    handles::named,
};
use crate::{
    candidate::{Candidate, Place},
    fit::Decision,
    frame::{self, Entry, Framed, HubLine, Label, Sender, Tag, render_lines},
    tokens::Part,
};

/// A pack as it is written.
pub(super) struct Sheet {
    pub(super) framed: Framed,
    /// What is shown, in the order of the text, each with its tokens.
    pub(super) shown: Vec<(usize, u64)>,
    /// The tokens of the text up to the end of each of them.
    pub(super) ends: Vec<u64>,
    /// The tokens of the whole.
    pub(super) total: u64,
}

/// Writes down what was decided, in this order.
pub(super) fn sheet(desk: &Desk<'_>, form: Form, decisions: &[Decision], order: &[usize]) -> Sheet {
    let mut writer = Writer::new(desk, form, decisions);
    writer.write(order);
    let Writer { entries, sources, .. } = writer;
    let is_short = form.is_terse && !sources.is_empty();
    let framed = Framed { tag: tag(desk), is_short, entries };
    let mut pieces = render_lines(&framed);
    // The last line has no end.
    pieces.last_mut().map(String::pop);
    let parts: Vec<Part> = pieces.iter().map(|piece| desk.count(piece)).collect();
    let tokenizer = desk.wish.tokenizer;
    let shown = sources.iter().map(|(at, index)| (*index, tokenizer.added(parts[at + 1]))).collect();
    let starts = sources.iter().skip(1).map(|(at, _)| at + 1).chain([parts.len()]);
    let (mut sum, mut at) = (Part::default(), 0);
    let mut end = |next: usize| {
        sum = parts[at..next].iter().copied().fold(sum, Part::add);
        at = next;
        tokenizer.total(sum)
    };
    let ends: Vec<u64> = starts.map(&mut end).collect();
    let total = ends.last().copied().unwrap_or_default();
    Sheet { framed, shown, ends, total }
}

/// The tokens of a candidate at a length with what is written because of it alone; nothing where it does not have this
/// length. Headings and the names of senders are shared and not counted.
pub(super) fn cost(desk: &Desk<'_>, form: Form, index: usize, level: Level) -> Option<u64> {
    let quote = desk.quote(form, index, level)?;
    let mut writer = Writer::new(desk, form, &[]);
    writer.write_quote(index, level, quote);
    let framed = Framed { entries: writer.entries, ..Framed::default() };
    let parts: Part = render_lines(&framed).iter().skip(1).map(|piece| desk.count(piece)).sum();
    Some(desk.wish.tokenizer.added(parts))
}

/// The order of the text for what is shown: what stays, as it stood; then sections by how little they change, places by
/// the best that is said there, messages by their numbers; what is to be answered comes last, and in an injection what
/// blocks comes first.
pub(super) fn order(desk: &Desk<'_>, form: Form, decisions: &[Decision]) -> Vec<usize> {
    let is_shown = |index: &usize| matches!(decisions[*index], Decision::Shown(_));
    let kept = desk.kept_places(form);
    let staying = desk.kept(form).iter().map(|stay| stay.index).filter(is_shown);
    let others = (0..decisions.len()).filter(|index| is_shown(index) && !kept.contains(index));
    staying.chain(by_section(desk, others.collect())).collect()
}

/// Those that are new in the text, in order.
fn by_section(desk: &Desk<'_>, mut shown: Vec<usize>) -> Vec<usize> {
    let count = desk.candidates.len();
    let mut ranks = vec![usize::MAX; count];
    for (rank, index) in desk.order.iter().enumerate() {
        ranks[*index] = rank;
    }
    let is_injection = desk.wish.format == ContextFormat::Injection;
    let blocks = |candidate: &Candidate| is_injection && candidate.reasons.contains(&Reason::Blocking);
    let mut groups: Vec<(bool, Option<Arc<Place>>, usize)> = Vec::new();
    let mut keys = vec![(Reverse(false), false, None, 0, 0); count];
    for index in &shown {
        let candidate = &desk.candidates[*index];
        let group = groups.iter().position(|(is_first, place, of)| {
            let section = desk.candidates[*of].section;
            (*is_first, place, section) == (blocks(candidate), &candidate.place, candidate.section)
        });
        let group = group.unwrap_or_else(|| {
            groups.push((blocks(candidate), candidate.place.clone(), *index));
            groups.len() - 1
        });
        keys[*index].4 = group;
    }
    for index in &shown {
        let candidate = &desk.candidates[*index];
        let group = keys[*index].4;
        let members = shown.iter().filter(|other| keys[**other].4 == group);
        let best = members.clone().map(|other| ranks[*other]).min().unwrap_or(usize::MAX);
        let is_last = members.clone().any(|other| desk.candidates[*other].reasons.contains(&Reason::Current));
        let section = (!is_injection).then_some(candidate.section);
        keys[*index] = (Reverse(blocks(candidate)), is_last, section, best, group);
    }
    shown.sort_by(|left, right| {
        let inner = |index: &usize| {
            let candidate = &desk.candidates[*index];
            let is_current = candidate.reasons.contains(&Reason::Current);
            (is_current, candidate.subject_type != SubjectType::Summary, candidate.seq, *index)
        };
        keys[*left].cmp(&keys[*right]).then_with(|| inner(left).cmp(&inner(right)))
    });
    shown
}

fn tag(desk: &Desk<'_>) -> Tag {
    let last = desk.candidates.last().filter(|candidate| candidate.section == parlour_core::context::Section::History);
    let conversation = last.and_then(|candidate| candidate.place.as_ref()).map(|place| place.id.to_string());
    Tag::of(desk.wish.reader.0.as_str(), desk.wish.day, &conversation.unwrap_or_default())
}

struct Writer<'a> {
    desk: &'a Desk<'a>,
    form: Form,
    decisions: &'a [Decision],
    entries: Vec<Entry>,
    /// For each quote its place among the entries, and its candidate.
    sources: Vec<(usize, usize)>,
    /// The senders that were named.
    said: Vec<&'a Sender>,
    /// The places below whose headings something stands.
    begun: Vec<&'a Place>,
}

impl<'a> Writer<'a> {
    fn new(desk: &'a Desk<'a>, form: Form, decisions: &'a [Decision]) -> Self {
        let (entries, sources, said, begun) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { desk, form, decisions, entries, sources, said, begun }
    }

    fn write(&mut self, order: &[usize]) {
        let desk = self.desk;
        let is_injection = desk.wish.format == ContextFormat::Injection;
        if order.is_empty() {
            self.remark(if desk.candidates.is_empty() { "Nothing to show." } else { "Nothing fits here." });
        } else if !self.form.is_terse {
            self.remark(&format!("You are {}.", Label::of(desk.wish.reader.1).as_str()));
        }
        let mut section = None;
        for run in order.chunk_by(|left, right| is_one_run(&desk.candidates[*left], &desk.candidates[*right])) {
            let Some(first) = run.first().map(|index| &desk.candidates[*index]) else { continue };
            if !is_injection && !self.form.is_terse && section != Some(first.section) {
                section = Some(first.section);
                self.entries.push(Entry::Section(first.section));
            }
            self.write_run(run, first.place.as_deref());
        }
        if is_injection && !self.form.is_terse && self.is_unread_left_out() {
            self.remark(&desk.handles.inbox());
        }
        for notice in desk.wish.notices {
            self.remark(notice);
        }
    }

    fn write_run(&mut self, run: &[usize], place: Option<&'a Place>) {
        for index in run {
            if self.desk.candidates[*index].reasons.contains(&Reason::Blocking) && !self.form.is_terse {
                self.announce(*index);
            }
        }
        if let Some(place) = place {
            let id = (named(place).is_none() && !self.form.is_terse).then(|| place.id.clone());
            self.entries.push(Entry::Place(frame::Place { name: Label::of(&place.name), id }));
            // After what stays, a place goes on below a second heading; how more of it is fetched stands at its first.
            let goes_on = self.form.kept > 0 && self.begun.contains(&place);
            self.begun.push(place);
            if !goes_on && !self.form.is_terse {
                self.more(run, place);
            }
        }
        for index in run {
            self.write_item(*index);
        }
        let calls = |index: &usize| {
            let candidate = &self.desk.candidates[*index];
            let is_call = |reason: &Reason| matches!(reason, Reason::Mention | Reason::Reply);
            candidate.reasons.iter().any(is_call) && !candidate.reasons.contains(&Reason::Blocking)
        };
        if let Some(place) =
            place.filter(|_| self.desk.wish.format == ContextFormat::Injection && run.iter().any(calls))
        {
            self.remark(&self.desk.handles.reply(place));
        }
    }

    /// Says that somebody waits for an answer.
    fn announce(&mut self, index: usize) {
        let candidate = &self.desk.candidates[index];
        let who = self.desk.label(index).map_or("the hub", Label::as_str);
        let place = candidate.place.as_ref().map(|place| format!(" in {}", Label::of(&place.name).as_str()));
        let place = place.unwrap_or_default();
        self.remark(&format!("You received a message from {who}{place} ({}). Answer it first.", candidate.id));
    }

    /// The call that fetches what is missing in a place, where something is.
    fn more(&mut self, run: &[usize], place: &Place) {
        let desk = self.desk;
        // Only what stays counts where something does: otherwise the call would change with every turn.
        let kept = desk.kept_places(self.form);
        let is_kept_run = run.first().is_some_and(|first| kept.contains(first));
        let counts = |index: &&usize| !is_kept_run || kept.contains(*index);
        let is_message = |index: &&usize| desk.candidates[**index].subject_type == SubjectType::Message;
        let messages = run.iter().filter(counts).filter(is_message);
        let seqs: Vec<u64> = messages.clone().map(|index| desk.candidates[*index].seq).collect();
        let is_missing = |index: &usize| !matches!(self.decisions[*index], Decision::Shown(Level::Full));
        let gap = seqs.windows(2).find(|pair| pair[1] > pair[0] + 1).map(|pair| pair[0] + 1);
        let short = messages.clone().find(|index| is_missing(index)).map(|index| desk.candidates[*index].seq);
        let handle = match seqs.first() {
            Some(first) if *first > 1 && desk.wish.format != ContextFormat::Injection => {
                desk.handles.before(place, *first)
            }
            Some(_) => match gap.into_iter().chain(short).min() {
                Some(missing) => desk.handles.from(place, missing),
                None => return,
            },
            None => return,
        };
        self.remark(&handle);
    }

    fn write_item(&mut self, index: usize) {
        let desk = self.desk;
        let Decision::Shown(level) = self.decisions[index] else { return };
        let Some(quote) = desk.quote(self.form, index, level) else { return };
        if let Some(sender) = desk.senders.get(index)
            && !self.said.contains(&sender)
        {
            self.said.push(sender);
            self.entries.push(Entry::Sender(sender.clone()));
        }
        self.write_quote(index, level, quote);
    }

    /// A quote with the remarks that belong to it.
    fn write_quote(&mut self, index: usize, level: Level, quote: frame::Quote) {
        let desk = self.desk;
        let candidate = &desk.candidates[index];
        if candidate.subject_type == SubjectType::Summary {
            self.remark(&format!("Summary up to {}:", candidate.seq));
        }
        for line in candidate.note.iter().flat_map(|note| note.lines()).filter(|line| !line.trim().is_empty()) {
            self.remark(line);
        }
        if candidate.reasons.contains(&Reason::Current) && desk.wish.format != ContextFormat::Injection {
            self.remark("Answer this:");
        }
        self.sources.push((self.entries.len(), index));
        self.entries.push(Entry::Quote(quote));
        if let Some(place) = candidate.place.as_ref().filter(|_| level == Level::Handle) {
            self.remark(&desk.handles.read(&candidate.id, place, candidate.seq));
        }
        if candidate.reasons.contains(&Reason::Blocking) {
            self.remark(&desk.handles.answer(&candidate.id));
        }
    }

    fn is_unread_left_out(&self) -> bool {
        let is_unread = |index: usize| self.desk.candidates[index].reasons.contains(&Reason::Unread);
        let is_out = |index: usize| !matches!(self.decisions[index], Decision::Shown(_));
        (0..self.decisions.len()).any(|index| is_out(index) && is_unread(index))
    }

    fn remark(&mut self, text: &str) {
        self.entries.push(Entry::Hub(HubLine::of(text)));
    }
}

/// Whether two neighbours stand below one heading. Each message that blocks begins anew.
fn is_one_run(left: &Candidate, right: &Candidate) -> bool {
    let is_ascending = left.subject_type == SubjectType::Summary || left.seq <= right.seq || left.place.is_none();
    let is_same = left.section == right.section && left.place == right.place;
    is_same && is_ascending && !right.reasons.contains(&Reason::Blocking)
}
