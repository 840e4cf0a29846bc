//! What the hub writes around what is shown.

use parlour_core::context::{ContextFormat, Level, Reason, Section, SubjectType};

use super::{
    desk::{Desk, Form},
    handles::named,
    sheet::Piece,
};
use crate::{
    candidate::{Candidate, ConversationRef},
    frame::{AnswerFormat, HubLine, Label, Sender},
};

/// A pack that is being written.
pub(super) struct Writer<'a> {
    desk: &'a Desk<'a>,
    form: Form,
    /// What was written so far.
    pub(super) pieces: Vec<Piece<'a>>,
    /// The senders that were named.
    said: Vec<&'a Sender>,
    /// The places below whose headings something stands.
    begun: Vec<&'a ConversationRef>,
    /// The places of which it was said how more of them is fetched.
    told: Vec<&'a ConversationRef>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(desk: &'a Desk<'a>, form: Form) -> Self {
        Self { desk, form, pieces: Vec::new(), said: Vec::new(), begun: Vec::new(), told: Vec::new() }
    }

    /// Writes all of it: what is shown, in this order.
    pub(super) fn write(&mut self, order: &[(usize, Level)]) {
        let desk = self.desk;
        let is_injection = desk.request.format == ContextFormat::Injection;
        if order.is_empty() {
            self.remark(if desk.candidates.is_empty() { "Nothing to show." } else { "Nothing fits here." });
        } else if !self.form.is_terse {
            self.remark(&format!("You are {}.", Label::of(desk.request.reader.1).as_str()));
        }
        let mut section = None;
        for run in order.chunk_by(|left, right| is_one_run(desk.candidates[left.0], desk.candidates[right.0])) {
            let Some(first) = run.first().map(|(index, _)| &desk.candidates[*index]) else { continue };
            if !is_injection && !self.form.is_terse && section != Some(first.section) {
                section = Some(first.section);
                self.pieces.push(Piece::Section(first.section));
            }
            self.write_run(run, first.conversation.as_deref());
        }
        let shown =
            |is_one: fn(&Candidate) -> bool| order.iter().filter(|(at, _)| is_one(desk.candidates[*at])).count();
        if shown(Candidate::is_blocking) < desk.blocking_len {
            self.remark(&desk.handles.waiting());
        } else if is_injection && !self.form.is_terse && shown(Candidate::is_unread) < desk.unread_len() {
            self.remark(&desk.handles.inbox());
        }
        for notice in desk.request.notices {
            self.remark(notice);
        }
    }

    fn write_run(&mut self, run: &[(usize, Level)], place: Option<&'a ConversationRef>) {
        for (index, _) in run {
            if self.desk.candidates[*index].is_blocking() && !self.form.is_terse {
                self.announce(*index);
            }
        }
        if let Some(place) = place {
            self.pieces.push(Piece::Conversation(place, named(place).is_none() && !self.form.is_terse));
            // A place goes on below a second heading after what stays, and at each message that blocks; how more of it is
            // fetched is said once. After what stays it is not said at all, because that would change with every turn.
            let goes_on = self.form.kept > 0 && self.begun.contains(&place);
            self.begun.push(place);
            if !goes_on && !self.told.contains(&place) && !self.form.is_terse {
                self.more(run, place);
            }
        }
        for (index, level) in run {
            self.write_item(*index, *level);
        }
        let calls = |(index, _): &(usize, Level)| {
            let candidate = &self.desk.candidates[*index];
            let is_call = |reason: &Reason| matches!(reason, Reason::Mention | Reason::Reply);
            candidate.reasons.iter().any(is_call) && !candidate.is_blocking()
        };
        if let Some(place) =
            place.filter(|_| self.desk.request.format == ContextFormat::Injection && run.iter().any(calls))
        {
            self.remark(&self.desk.handles.reply(place));
        }
    }

    /// Says that somebody waits for an answer.
    fn announce(&mut self, index: usize) {
        let candidate = &self.desk.candidates[index];
        let who = self.desk.label(index).map_or("the hub", Label::as_str);
        let place = candidate.conversation.as_ref().map(|place| format!(" in {}", Label::of(&place.name).as_str()));
        let place = place.unwrap_or_default();
        self.remark(&format!("You received a message from {who}{place} ({}). Answer it first.", candidate.id));
    }

    /// The call that fetches what is missing in a place, where something is.
    fn more(&mut self, run: &[(usize, Level)], place: &'a ConversationRef) {
        let desk = self.desk;
        let is_injection = desk.request.format == ContextFormat::Injection;
        let is_here = run.first().is_some_and(|(first, _)| desk.candidates[*first].section == Section::History);
        // Of other places the heading says enough to fetch more: a call would cost more than most of their quotes.
        if !is_injection && !is_here {
            return;
        }
        // Only what stays counts where something does: otherwise the call would change with every turn.
        let is_kept = |index: usize| desk.is_kept(self.form, index);
        let is_kept_run = run.first().is_some_and(|(first, _)| is_kept(*first));
        let counts = |(index, _): &&(usize, Level)| !is_kept_run || is_kept(*index);
        let is_message = |(index, _): &&(usize, Level)| desk.candidates[*index].subject_type == SubjectType::Message;
        let messages = run.iter().filter(counts).filter(is_message);
        let seqs: Vec<u64> = messages.clone().map(|(index, _)| desk.candidates[*index].seq).collect();
        let gap = seqs.windows(2).find(|pair| pair[1] > pair[0] + 1).map(|pair| pair[0] + 1);
        let short = messages
            .zip(&seqs)
            .find(|((index, level), _)| desk.shown_as(*index, *level) != Level::Full)
            .map(|(_, seq)| *seq);
        let handle = match seqs.first() {
            Some(first) if *first > 1 && !is_injection => desk.handles.before(place, *first),
            Some(_) => match gap.into_iter().chain(short).min() {
                Some(missing) => desk.handles.from(place, missing),
                None => return,
            },
            None => return,
        };
        self.told.push(place);
        self.remark(&handle);
    }

    fn write_item(&mut self, index: usize, level: Level) {
        let desk = self.desk;
        if desk.text(self.form, index, level).is_none() {
            return;
        }
        if let Some(sender) = desk.senders.get(index)
            && !self.said.contains(&sender)
        {
            self.said.push(sender);
            self.pieces.push(Piece::Sender(sender));
        }
        self.write_quote(index, level);
    }

    /// A quote with what is wanted, and the remarks that belong to it.
    pub(super) fn write_quote(&mut self, index: usize, level: Level) {
        let desk = self.desk;
        let candidate = &desk.candidates[index];
        if candidate.subject_type == SubjectType::Summary {
            self.remark(&format!("Summary up to {}:", candidate.seq));
        }
        for line in candidate.note.iter().flat_map(|note| note.lines()).filter(|line| !line.trim().is_empty()) {
            self.remark(line);
        }
        if candidate.reasons.contains(&Reason::Current) && desk.request.format != ContextFormat::Injection {
            self.remark("Answer this:");
        }
        self.pieces.push(Piece::Quote(index, level));
        self.pieces.extend(candidate.answer_format.as_deref().and_then(AnswerFormat::of).map(Piece::AnswerFormat));
        // What is missing in all that there is to show stands nowhere else, whatever the budget.
        let is_missing = level == Level::Handle || desk.shown_as(index, level) != level;
        let is_message = candidate.subject_type == SubjectType::Message;
        if let Some(place) = candidate.conversation.as_ref().filter(|_| is_missing && is_message) {
            self.remark(&desk.handles.read(&candidate.id, place, candidate.seq));
        }
        if candidate.is_blocking() {
            self.remark(&desk.handles.answer(&candidate.id));
        }
    }

    fn remark(&mut self, text: &str) {
        self.pieces.push(Piece::Remark(HubLine::of(text)));
    }
}

/// Whether two neighbours stand below one heading. Each message that blocks begins anew.
fn is_one_run(left: &Candidate, right: &Candidate) -> bool {
    let is_ascending =
        left.subject_type == SubjectType::Summary || left.seq <= right.seq || left.conversation.is_none();
    let is_same = left.section == right.section && left.conversation == right.conversation;
    is_same && is_ascending && !right.is_blocking()
}
