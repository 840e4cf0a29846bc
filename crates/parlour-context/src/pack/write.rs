//! The order of a pack and the lines that the hub writes around quotes: headings, senders, calls.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, btree_map::Entry},
};

use parlour_core::{
    context::{ContextFormat, Level, Reason, Section, SubjectType},
    id::ConversationId,
};

use super::{
    sheet::SheetPiece,
    workspace::{PackForm, PackWorkspace},
};
use crate::{
    candidate::{Candidate, ConversationRef},
    frame::{AnswerFormat, HubLine, Label, Sender},
};

pub(super) struct Writer<'a> {
    workspace: &'a PackWorkspace<'a>,
    form: PackForm,
    pub(super) pieces: Vec<SheetPiece<'a>>,
    /// Senders that were introduced.
    said: Vec<&'a Sender>,
    /// Conversations that have a heading.
    begun: Vec<&'a ConversationRef>,
    /// Conversations that have a call for more messages.
    told: Vec<&'a ConversationRef>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(workspace: &'a PackWorkspace<'a>, form: PackForm) -> Self {
        Self { workspace, form, pieces: Vec::new(), said: Vec::new(), begun: Vec::new(), told: Vec::new() }
    }

    /// Writes the shown candidates in this order.
    pub(super) fn write(&mut self, order: &[(usize, Level)]) {
        let workspace = self.workspace;
        let is_injection = workspace.options.format == ContextFormat::Injection;
        if order.is_empty() {
            self.remark(if workspace.candidates.is_empty() { "Nothing to show." } else { "Nothing fits here." });
        } else if !self.form.is_terse {
            self.remark(&format!("You are {}.", Label::of(workspace.options.reader.1).quoted()));
        }
        let mut section = None;
        for run in order.chunk_by(|left, right| is_one_run(workspace.candidates[left.0], workspace.candidates[right.0]))
        {
            let Some(first) = run.first().map(|(index, _)| &workspace.candidates[*index]) else { continue };
            if !is_injection && !self.form.is_terse && section != Some(first.section) {
                section = Some(first.section);
                self.pieces.push(SheetPiece::Section(first.section));
            }
            self.write_run(run, first.conversation.as_deref());
        }
        let shown =
            |is_one: fn(&Candidate) -> bool| order.iter().filter(|(at, _)| is_one(workspace.candidates[*at])).count();
        if shown(Candidate::is_blocking) < workspace.blocking_len {
            self.remark(&workspace.handles.waiting());
        } else if is_injection && !self.form.is_terse && shown(Candidate::is_unread) < workspace.unread_len() {
            self.remark(&workspace.handles.inbox());
        }
        for notice in workspace.options.notices {
            self.remark(notice);
        }
    }

    fn write_run(&mut self, run: &[(usize, Level)], place: Option<&'a ConversationRef>) {
        for (index, _) in run {
            if self.workspace.candidates[*index].is_blocking() && !self.form.is_terse {
                self.announce(*index);
            }
        }
        if let Some(place) = place {
            self.pieces.push(SheetPiece::Conversation(place, named(place).is_none() && !self.form.is_terse));
            // A conversation gets a second heading after retained items and at each blocking message, but only one call
            // for more. After retained items there is none, because it would change with every turn.
            let goes_on = self.form.kept > 0 && self.begun.contains(&place);
            self.begun.push(place);
            if !goes_on && !self.told.contains(&place) && !self.form.is_terse {
                self.more(run, place);
            }
        }
        for (index, level) in run {
            self.write_item(*index, *level);
        }
    }

    /// Announces a blocking message.
    fn announce(&mut self, index: usize) {
        let candidate = &self.workspace.candidates[index];
        let who = self.workspace.label(index).map_or_else(|| "the hub".to_owned(), Label::quoted);
        let place = candidate.conversation.as_ref().map(|place| format!(" in {}", Label::of(&place.name).quoted()));
        let place = place.unwrap_or_default();
        self.remark(&format!("You received a message from {who}{place} ({}). Answer it first.", candidate.id));
    }

    /// Writes the call that fetches missing messages, if there are any.
    fn more(&mut self, run: &[(usize, Level)], place: &'a ConversationRef) {
        let workspace = self.workspace;
        let is_injection = workspace.options.format == ContextFormat::Injection;
        let is_here = run.first().is_some_and(|(first, _)| workspace.candidates[*first].section == Section::History);
        // For other conversations the heading is enough: a call would cost more than most quotes.
        if !is_injection && !is_here {
            return;
        }
        // Only retained items count if there are any; otherwise the call would change with every turn.
        let is_kept = |index: usize| workspace.is_kept(self.form, index);
        let is_kept_run = run.first().is_some_and(|(first, _)| is_kept(*first));
        let counts = |(index, _): &&(usize, Level)| !is_kept_run || is_kept(*index);
        let is_message =
            |(index, _): &&(usize, Level)| workspace.candidates[*index].subject_type == SubjectType::Message;
        let messages = run.iter().filter(counts).filter(is_message);
        let seqs: Vec<u64> = messages.clone().map(|(index, _)| workspace.candidates[*index].seq).collect();
        let gap = seqs.windows(2).find(|pair| pair[1] > pair[0] + 1).map(|pair| pair[0] + 1);
        let short = messages
            .zip(&seqs)
            .find(|((index, level), _)| workspace.shown_as(*index, *level) != Level::Full)
            .map(|(_, seq)| *seq);
        let handle = match seqs.first() {
            Some(first) if *first > 1 && !is_injection => workspace.handles.before(place, *first),
            Some(_) => match gap.into_iter().chain(short).min() {
                Some(missing) => workspace.handles.from(place, missing),
                None => return,
            },
            None => return,
        };
        self.told.push(place);
        self.remark(&handle);
    }

    fn write_item(&mut self, index: usize, level: Level) {
        let workspace = self.workspace;
        if workspace.text(self.form, index, level).is_none() {
            return;
        }
        if let Some(sender) = workspace.senders.get(index)
            && !self.said.contains(&sender)
        {
            self.said.push(sender);
            self.pieces.push(SheetPiece::Sender(sender));
        }
        self.write_quote(index, level);
    }

    /// Writes a quote, its answer format and its remarks.
    pub(super) fn write_quote(&mut self, index: usize, level: Level) {
        let workspace = self.workspace;
        let candidate = &workspace.candidates[index];
        if candidate.subject_type == SubjectType::Summary {
            self.remark(&format!("Summary up to {}:", candidate.seq));
        }
        for line in candidate.note.iter().flat_map(|note| note.lines()).filter(|line| !line.trim().is_empty()) {
            self.remark(line);
        }
        if candidate.reasons.contains(&Reason::Current) && workspace.options.format != ContextFormat::Injection {
            self.remark("Answer this:");
        }
        self.pieces.push(SheetPiece::Quote(index, level));
        self.pieces.extend(candidate.answer_format.as_deref().and_then(AnswerFormat::of).map(SheetPiece::AnswerFormat));
        // A cut text needs the call that fetches the rest, whatever the budget.
        let is_missing = level == Level::Handle || workspace.shown_as(index, level) != level;
        let is_message = candidate.subject_type == SubjectType::Message;
        if let Some(place) = candidate.conversation.as_ref().filter(|_| is_missing && is_message) {
            self.remark(&workspace.handles.read(&candidate.id, place, candidate.seq));
        }
        if candidate.is_blocking() {
            self.remark(&workspace.handles.answer(&candidate.id));
        } else if let Some(place) = candidate.conversation.as_ref().filter(|place| self.calls_reader(candidate, place))
        {
            self.remark(&workspace.handles.reply(&candidate.id, place));
        }
    }

    /// Whether the reader is expected to reply: an injected message that mentions or answers it, or a DM.
    fn calls_reader(&self, candidate: &Candidate, place: &ConversationRef) -> bool {
        let is_injected_message =
            self.workspace.options.format == ContextFormat::Injection && candidate.subject_type == SubjectType::Message;
        let is_addressed = |reason: &Reason| matches!(reason, Reason::Mention | Reason::Reply);
        let is_unread_dm = matches!(place.id, ConversationId::Dm(_)) && candidate.is_unread();
        is_injected_message && (is_unread_dm || candidate.reasons.iter().any(is_addressed))
    }

    fn remark(&mut self, text: &str) {
        self.pieces.push(SheetPiece::Remark(HubLine::of(text)));
    }
}

/// Whether two neighbours share a heading. Each blocking message starts a new run.
fn is_one_run(left: &Candidate, right: &Candidate) -> bool {
    let is_ascending =
        left.subject_type == SubjectType::Summary || left.seq <= right.seq || left.conversation.is_none();
    let is_same = left.section == right.section && left.conversation == right.conversation;
    is_same && is_ascending && !right.is_blocking()
}

type ShownItem = (usize, Level);

/// The text order: retained items as they were; then sections from stable to changing, conversations by their best
/// candidate, messages by sequence number. Messages to answer come last; in an injection blocking messages come first.
pub(super) fn order(workspace: &PackWorkspace<'_>, form: PackForm, shown: Vec<ShownItem>) -> Vec<ShownItem> {
    let (mut staying, others): (Vec<ShownItem>, Vec<ShownItem>) =
        shown.into_iter().partition(|(index, _)| workspace.is_kept(form, *index));
    staying.sort_unstable_by_key(|(index, _)| workspace.retained_position(*index));
    staying.extend(by_section(workspace, others));
    staying
}

#[derive(Clone, Copy)]
struct ConversationGroup {
    best: u32,
    /// Whether it contains a message to answer.
    is_last: bool,
}

/// The order of candidates that are not retained.
fn by_section(workspace: &PackWorkspace<'_>, shown: Vec<ShownItem>) -> Vec<ShownItem> {
    let is_injection = workspace.options.format == ContextFormat::Injection;
    let blocks = |candidate: &Candidate| is_injection && candidate.is_blocking();
    let key = |index: usize| (blocks(workspace.candidates[index]), workspace.groups[index]);
    let is_current = |candidate: &Candidate| candidate.reasons.contains(&Reason::Current);
    let mut groups: BTreeMap<(bool, u32), ConversationGroup> = BTreeMap::new();
    for (index, _) in &shown {
        let one = ConversationGroup {
            best: workspace.ranked.ranks[*index],
            is_last: is_current(workspace.candidates[*index]),
        };
        match groups.entry(key(*index)) {
            Entry::Vacant(entry) => {
                entry.insert(one);
            }
            Entry::Occupied(mut entry) => {
                let group = entry.get_mut();
                *group = ConversationGroup { best: group.best.min(one.best), is_last: group.is_last || one.is_last };
            }
        }
    }
    let keyed = |shown: ShownItem| {
        let candidate = &workspace.candidates[shown.0];
        let group = groups[&key(shown.0)];
        let section = (!is_injection).then_some(candidate.section);
        let outer = (Reverse(blocks(candidate)), group.is_last, section, group.best);
        let is_summary = candidate.subject_type == SubjectType::Summary;
        (outer, (is_current(candidate), !is_summary, candidate.seq), shown)
    };
    let mut keyed: Vec<_> = shown.into_iter().map(keyed).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, _, shown)| shown).collect()
}

/// Messages that one call fetches.
const FETCH_LEN: u64 = 50;

/// The calls that an agent can make: tools, or commands with this prefix.
#[derive(Clone, Copy)]
pub(super) struct Handles<'a>(pub(super) Option<&'a str>);

impl Handles<'_> {
    /// Answers a blocking message.
    pub(super) fn answer(self, message: &str) -> String {
        match self.0 {
            Some(command) => format!("Answer: {command} answer {message} 'your answer'"),
            None => format!(r#"Answer: reply_thread {{"thread_id":"{message}","body":"your answer"}}"#),
        }
    }

    /// Replies to a message in its conversation. It names the message: a post without it would answer the oldest call.
    pub(super) fn reply(self, message: &str, place: &ConversationRef) -> String {
        let address = address(place);
        match self.0 {
            Some(command) => format!(r#"Reply: {command} post "{address}" 'your text' --reply-to {message}"#),
            None => {
                format!(r#"Reply: post_message {{"channel_id":"{address}","reply_to":"{message}","body":"your text"}}"#)
            }
        }
    }

    /// Reads one message.
    pub(super) fn read(self, message: &str, place: &ConversationRef, seq: u64) -> String {
        match self.0 {
            Some(_) => self.history(place, seq.saturating_sub(1), 1),
            None => format!(r#"Read: channel_history {{"channel_id":"{message}"}}"#),
        }
    }

    /// Reads the messages before this one.
    pub(super) fn before(self, place: &ConversationRef, seq: u64) -> String {
        let since = seq.saturating_sub(FETCH_LEN + 1);
        self.history(place, since, (seq.saturating_sub(1)).clamp(1, FETCH_LEN))
    }

    /// Reads messages from this one on.
    pub(super) fn from(self, place: &ConversationRef, seq: u64) -> String {
        self.history(place, seq.saturating_sub(1), FETCH_LEN)
    }

    pub(super) fn inbox(self) -> String {
        match self.0 {
            Some(command) => format!("More: {command} inbox"),
            None => "More: inbox {}".to_owned(),
        }
    }

    /// Lists blocking messages.
    pub(super) fn waiting(self) -> String {
        match self.0 {
            Some(command) => format!("More wait for your answer: {command} inbox --blocking"),
            None => r#"More wait for your answer: inbox {"blocking":true}"#.to_owned(),
        }
    }

    fn history(self, place: &ConversationRef, since: u64, limit: u64) -> String {
        let address = address(place);
        match self.0 {
            Some(command) => format!(r#"More: {command} history "{address}" --since {since} --limit {limit}"#),
            None => format!(r#"More: channel_history {{"channel_id":"{address}","since":{since},"limit":{limit}}}"#),
        }
    }
}

/// The channel name if it needs no quotes, otherwise the id.
pub(super) fn address(place: &ConversationRef) -> String {
    named(place).map_or_else(|| place.id.to_string(), str::to_owned)
}

/// The channel name by which tools find a conversation.
pub(super) fn named(place: &ConversationRef) -> Option<&str> {
    let name = place.name.strip_prefix('#').filter(|_| matches!(place.id, ConversationId::Channel(_)))?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_found = !name.is_empty() && name.bytes().all(is_plain) && name.parse::<ConversationId>().is_err();
    is_found.then_some(name)
}
