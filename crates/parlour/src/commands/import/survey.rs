//! The first pass of an import: reads and checks all rows, and indexes the conversations.

use std::collections::{BTreeMap, HashMap, HashSet};

use parlour_core::{
    Refusal, Timestamp,
    conversation::Visibility,
    id::{ChannelId, ConversationId, DmId, MessageId, ThreadId},
    import::ImportedMessage,
    message::{Kind, Message},
};

use super::{
    channel_record::ChannelRecord,
    original::events_in,
    request::{IdScope, ImportContext},
    source::{ClassifiedRow, ImportSource, MessageReader, RowOrder, SourceMessage},
    upload::ImportProgress,
};
use crate::{
    commands::convert::decode::{FrameCounts, Problems},
    failure::Failure,
};

/// The result of the first pass.
#[derive(Debug, Default)]
pub(super) struct SourceSurvey {
    pub(super) conversations: ConversationIndex,
    /// Rows that cannot be imported.
    pub(super) problems: Problems,
    /// The number of decoded messages among the problems.
    pub(super) unfit: u64,
    /// The number of problems whose message is imported without the unreadable field.
    pub(super) kept: u64,
    /// Rows that are not messages.
    pub(super) skipped: SkippedRows,
    /// Continuation messages of long texts.
    pub(super) further_parts: u64,
    pub(super) order: RowOrder,
    pub(super) rows: u64,
}

/// RowReader that are no messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SkippedRows {
    pub(super) frames: FrameCounts,
    /// Unfinished answers.
    pub(super) begun: u64,
    /// Duplicates.
    pub(super) doubles: u64,
    /// Tool events that were shortened.
    pub(super) cut_events: u64,
}

impl SourceSurvey {
    pub(super) fn of(source: &dyn ImportSource, context: &ImportContext) -> Result<Self, Failure> {
        let progress = ImportProgress::reading();
        let survey = Self::read(source, context, &progress);
        // Before any other output on the terminal.
        progress.finish();
        survey
    }

    fn read(source: &dyn ImportSource, context: &ImportContext, progress: &ImportProgress) -> Result<Self, Failure> {
        let mut survey = Self::default();
        let mut reader = MessageReader::new(source.rows(RowOrder::OldestFirst)?);
        while let Some(row) = reader.next()? {
            survey.rows += 1;
            progress.step();
            match row {
                ClassifiedRow::Frame(frame) => survey.skipped.frames.add(frame),
                ClassifiedRow::Begun => survey.skipped.begun += 1,
                ClassifiedRow::Double => survey.skipped.doubles += 1,
                ClassifiedRow::Problem(location, refusal) => {
                    survey.problems.add(location, &refusal);
                }
                ClassifiedRow::Channel(_, Ok(record)) => {
                    survey.conversations.add_record(record).ok_or_else(too_many)?
                }
                ClassifiedRow::Channel(location, Err(refusal)) => {
                    survey.conversations.has_records = true;
                    survey.problems.add(location, &refusal);
                }
                ClassifiedRow::Message(row) => survey.take(*row, context)?,
            }
        }
        survey.order = survey.conversations.order();
        survey.find_roots(source, context)?;
        Ok(survey)
    }

    /// Finds the root messages of threads in another read; skipped without threads.
    fn find_roots(&mut self, source: &dyn ImportSource, context: &ImportContext) -> Result<(), Failure> {
        let mut possible = self.conversations.possible_roots();
        if possible.is_empty() {
            return Ok(());
        }
        let mut reader = MessageReader::new(source.rows(RowOrder::OldestFirst)?);
        while let Some(row) = reader.next()? {
            let ClassifiedRow::Message(mut row) = row else { continue };
            if let Some(thread) = possible.remove(&row.message.id)
                && let Some(index) = self.conversations.known(&row.key)
            {
                set_missing_time(&mut row, None, context.now);
                if check_row(&row, context).is_ok() {
                    self.conversations.set_root(thread, index, row.message.id);
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, mut row: SourceMessage, context: &ImportContext) -> Result<(), Failure> {
        let index = self.conversations.index_or_insert(&row.key, row.conversation.as_deref()).ok_or_else(too_many)?;
        set_missing_time(&mut row, self.conversations.list[index].last, context.now);
        match check_row(&row, context) {
            Ok(requests) => {
                self.conversations.count(index, &row.message);
                if let Some(refusal) = &row.unreadable {
                    self.kept += 1;
                    self.problems.add(&row.location, refusal);
                }
                self.further_parts += requests.len() as u64 - 1;
                let kept = || events_in(&requests[0].metadata, requests[0].content.as_ref());
                self.skipped.cut_events +=
                    row.step_events.as_ref().map_or(0, |step_events| step_events.unkept(&kept())) as u64;
            }
            Err(refusal) => {
                self.unfit += 1;
                self.problems.add(&row.location, &refusal);
            }
        }
        Ok(())
    }
}

fn too_many() -> Failure {
    Failure::new(format!("the source has more than {CONVERSATIONS_MAX} conversations, the maximum of one import"))
        .hint("import them in parts")
}

/// A message without a time gets the time of the message before it.
pub(super) fn set_missing_time(row: &mut SourceMessage, before: Option<Timestamp>, otherwise: Timestamp) {
    if !row.has_time {
        row.message.created_at = before.unwrap_or(otherwise);
    }
}

/// Builds the requests for a message without a destination, to check them.
fn check_row(row: &SourceMessage, context: &ImportContext) -> Result<Vec<ImportedMessage>, Refusal> {
    let to = ConversationId::from(ChannelId::from_bits(u128::MAX));
    let roots = IdScope { to: &to, key: &row.key };
    context.requests(row, &roots.id(&row.message.id), roots)
}

/// Maximum number of conversations of an import.
const CONVERSATIONS_MAX: usize = 10_000;
const AUTHORS_NAMED_MAX: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct SourceConversation {
    /// The key that distinguishes conversations.
    pub(super) key: String,
    /// The id in the source system.
    pub(super) foreign: String,
    pub(super) messages: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
}

impl SourceConversation {
    /// Whether it is a DM.
    pub(super) fn is_private(&self) -> bool {
        self.key.parse::<DmId>().is_ok()
    }
}

/// All conversations in the order of their first message.
#[derive(Debug, Default)]
pub(super) struct ConversationIndex {
    pub(super) list: Vec<SourceConversation>,
    by_key: HashMap<String, usize>,
    foreign: HashSet<String>,
    /// The channel records of a native export, by the key of their conversation.
    records: HashMap<String, ChannelRecord>,
    /// Whether the source has channel records, also unreadable ones.
    has_records: bool,
    /// The root message of each thread, and its conversation.
    roots: HashMap<ThreadId, (usize, MessageId)>,
    /// The message that the first message of each thread replies to: the fallback for the root.
    answered: HashMap<ThreadId, MessageId>,
    kinds: BTreeMap<&'static str, u64>,
    /// By name, because a system can give one person several ids.
    authors: HashSet<String>,
    pub(super) named: Vec<String>,
    rises: u64,
    falls: u64,
}

impl ConversationIndex {
    /// The index of a conversation, added if it is new; none over the limit.
    pub(super) fn index_or_insert(&mut self, key: &str, foreign: Option<&str>) -> Option<usize> {
        if let Some(index) = self.by_key.get(key) {
            return Some(*index);
        }
        if self.list.len() >= CONVERSATIONS_MAX {
            return None;
        }
        let foreign = foreign.unwrap_or_else(|| key.strip_prefix("chn_f_").unwrap_or(key));
        // The topic must identify one conversation.
        let is_taken = !self.foreign.insert(foreign.to_owned());
        let foreign = if is_taken { key.to_owned() } else { foreign.to_owned() };
        self.list.push(SourceConversation { key: key.to_owned(), foreign, messages: 0, first: None, last: None });
        self.by_key.insert(key.to_owned(), self.list.len() - 1);
        Some(self.list.len() - 1)
    }

    /// Adds a channel record and its conversation, which may have no messages; none over the limit.
    fn add_record(&mut self, record: ChannelRecord) -> Option<()> {
        let key = record.id.to_string();
        self.index_or_insert(&key, None)?;
        self.has_records = true;
        match self.records.get_mut(&key) {
            Some(known) => known.join(record),
            None => {
                self.records.insert(key, record);
            }
        }
        Some(())
    }

    pub(super) fn record(&self, conversation: &SourceConversation) -> Option<&ChannelRecord> {
        self.records.get(&conversation.key)
    }

    /// The visibility of a new channel. In a source with channel records, a conversation without one is private, because
    /// its record may be lost.
    pub(super) fn visibility(&self, conversation: &SourceConversation) -> Visibility {
        match self.record(conversation) {
            Some(record) => record.visibility,
            None if conversation.is_private() || self.has_records => Visibility::Private,
            None => Visibility::Project,
        }
    }

    /// The index of a known conversation.
    pub(super) fn known(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Counts a message that can be imported.
    pub(super) fn count(&mut self, index: usize, message: &Message) {
        let conversation = &mut self.list[index];
        conversation.messages += 1;
        let at = message.created_at;
        if let Some(before) = conversation.last {
            self.rises += u64::from(at > before);
            self.falls += u64::from(at < before);
        }
        conversation.first.get_or_insert(at);
        conversation.last = Some(at);
        *self.kinds.entry(kind_name(message.kind)).or_default() += 1;
        if self.authors.insert(message.from.name.clone()) && self.named.len() < AUTHORS_NAMED_MAX {
            self.named.push(message.from.name.clone());
        }
        if let Some(thread) = &message.thread_id {
            self.roots.insert(thread.clone(), (index, message.id.clone()));
        }
        if let (Ok(thread), Some(answered)) = (self.list[index].key.parse(), &message.reply_to) {
            self.answered.entry(thread).or_insert_with(|| answered.clone());
        }
    }

    /// Possible root messages of threads without a known root.
    pub(super) fn possible_roots(&self) -> HashMap<MessageId, ThreadId> {
        let unnamed = self.answered.iter().filter(|(thread, _)| !self.roots.contains_key(thread));
        unnamed.map(|(thread, root)| (root.clone(), thread.clone())).collect()
    }

    /// Sets the root message of a thread.
    pub(super) fn set_root(&mut self, thread: ThreadId, index: usize, root: MessageId) {
        self.roots.entry(thread).or_insert((index, root));
    }

    /// The root message of a conversation that is a thread.
    pub(super) fn root(&self, index: usize) -> Option<&(usize, MessageId)> {
        let thread: ThreadId = self.list[index].key.parse().ok()?;
        self.roots.get(&thread).filter(|(root, _)| *root != index && self.list[*root].key.parse::<ThreadId>().is_err())
    }

    /// The order of rows: newest first if times within conversations only fall.
    pub(super) fn order(&self) -> RowOrder {
        if self.falls > 0 && self.rises == 0 { RowOrder::NewestFirst } else { RowOrder::OldestFirst }
    }

    pub(super) fn messages(&self) -> u64 {
        self.list.iter().map(|conversation| conversation.messages).sum()
    }

    pub(super) fn authors(&self) -> usize {
        self.authors.len()
    }

    pub(super) fn kinds(&self) -> &BTreeMap<&'static str, u64> {
        &self.kinds
    }

    pub(super) fn span(&self) -> Option<(Timestamp, Timestamp)> {
        let times = || self.list.iter().flat_map(|one| [one.first, one.last]).flatten();
        Some((times().min()?, times().max()?))
    }
}

pub(super) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant => "assistant",
        Kind::System => "system",
        Kind::ToolResult => "tool_result",
        Kind::Host => "host",
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::{
        author::Author,
        id::{ChannelId, ProjectId},
    };

    use super::*;

    fn message(number: u128, at: i64) -> Message {
        let (project, channel) = (ProjectId::from_bits(1), ChannelId::from_bits(1).into());
        let at = Timestamp::from_millis(at);
        Message::plain(MessageId::from_bits(number), project, channel, Author::host(), "Hello".into(), at)
    }

    fn order_of(times: &[(&str, i64)]) -> RowOrder {
        let mut conversations = ConversationIndex::default();
        for (key, at) in times {
            let index = conversations.index_or_insert(key, None).expect("room");
            conversations.count(index, &message(1, *at));
        }
        conversations.order()
    }

    #[test]
    fn descending_times_within_conversations_mean_newest_first() {
        assert_eq!(order_of(&[("a", 3), ("b", 9), ("a", 2), ("b", 9), ("a", 2)]), RowOrder::NewestFirst);
        assert_eq!(order_of(&[("a", 3), ("a", 2), ("a", 4)]), RowOrder::OldestFirst);
        assert_eq!(order_of(&[("a", 3), ("b", 1)]), RowOrder::OldestFirst, "each conversation has its own times");
        assert_eq!(order_of(&[]), RowOrder::OldestFirst);
    }

    #[test]
    fn a_thread_is_below_the_message_that_names_it() {
        let mut conversations = ConversationIndex::default();
        let channel = conversations.index_or_insert("chn_1", None).expect("room");
        let thread = conversations.index_or_insert("thr_1", None).expect("room");
        let lost = conversations.index_or_insert("thr_2", None).expect("room");
        let root = Message { thread_id: Some("thr_1".parse().expect("id")), ..message(7, 0) };
        conversations.count(channel, &root);
        assert_eq!(conversations.root(thread), Some(&(channel, MessageId::from_bits(7))));
        assert_eq!((conversations.root(lost), conversations.root(channel)), (None, None));
    }

    #[test]
    fn an_unnamed_thread_is_below_the_message_that_its_first_message_answers() {
        let mut conversations = ConversationIndex::default();
        let channel = conversations.index_or_insert("chn_1", None).expect("room");
        let thread = conversations.index_or_insert("thr_1", None).expect("room");
        for number in [7, 8] {
            let answer = Message { reply_to: Some(MessageId::from_bits(number)), ..message(number + 10, 0) };
            conversations.count(thread, &answer);
        }
        let possible = conversations.possible_roots();
        let (root, id) = possible.iter().next().expect("one");
        assert_eq!((possible.len(), root), (1, &MessageId::from_bits(7)));
        conversations.set_root(id.clone(), channel, root.clone());
        assert_eq!(conversations.root(thread), Some(&(channel, MessageId::from_bits(7))));
        assert!(conversations.possible_roots().is_empty());
    }

    #[test]
    fn conversation_names_are_unique() {
        let mut conversations = ConversationIndex::default();
        for (key, foreign) in [("chn_1", "general"), ("thr_1", "thr_1"), ("chn_1", "general")] {
            let index = conversations.index_or_insert(key, Some("general")).expect("room");
            assert_eq!(conversations.list[index].foreign, foreign);
        }
    }

    #[test]
    fn only_dms_are_private_and_ids_have_the_name_of_their_system() {
        let mut conversations = ConversationIndex::default();
        for (key, foreign, is_private) in [("dm_1", "dm_1", true), ("chn_f_s-1", "s-1", false)] {
            let index = conversations.index_or_insert(key, None).expect("room");
            let conversation = &conversations.list[index];
            assert_eq!((conversation.foreign.as_str(), conversation.is_private()), (foreign, is_private));
        }
    }
}
