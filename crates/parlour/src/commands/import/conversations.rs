//! The conversations of a source, and what is in them.

use std::collections::{BTreeMap, HashMap, HashSet};

use parlour_core::{
    Timestamp,
    id::{DmId, MessageId, ThreadId},
    message::{Kind, Message},
};

use super::source::Order;

/// How many conversations are taken over at once.
const CONVERSATIONS_MAX: usize = 10_000;
/// How many authors are named.
const AUTHORS_NAMED_MAX: usize = 8;

/// One conversation there.
#[derive(Clone, Debug)]
pub(super) struct Conversation {
    /// What tells it from others.
    pub(super) key: String,
    /// What its system calls it.
    pub(super) foreign: String,
    pub(super) messages: u64,
    /// The times of its first and last message.
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
}

impl Conversation {
    /// Whether only its members saw it.
    pub(super) fn is_private(&self) -> bool {
        self.key.parse::<DmId>().is_ok()
    }
}

/// All of them, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    pub(super) list: Vec<Conversation>,
    by_key: HashMap<String, usize>,
    /// What their systems call them.
    foreign: HashSet<String>,
    /// The message below which a thread hangs, and its conversation.
    roots: HashMap<ThreadId, (usize, MessageId)>,
    /// What the first message of each thread answers: its root, if nothing else says so.
    answered: HashMap<ThreadId, MessageId>,
    kinds: BTreeMap<&'static str, u64>,
    /// By name: one system gives the same person several ids.
    authors: HashSet<String>,
    /// The first authors by name.
    pub(super) named: Vec<String>,
    rises: u64,
    falls: u64,
}

impl Conversations {
    /// The place of a conversation, which is new if it was not met before; none when there are too many.
    pub(super) fn place(&mut self, key: &str, foreign: Option<&str>) -> Option<usize> {
        if let Some(place) = self.by_key.get(key) {
            return Some(*place);
        }
        if self.list.len() >= CONVERSATIONS_MAX {
            return None;
        }
        let foreign = foreign.unwrap_or_else(|| key.strip_prefix("chn_f_").unwrap_or(key));
        // Two conversations must not be found again as one.
        let is_taken = !self.foreign.insert(foreign.to_owned());
        let foreign = if is_taken { key.to_owned() } else { foreign.to_owned() };
        self.list.push(Conversation { key: key.to_owned(), foreign, messages: 0, first: None, last: None });
        self.by_key.insert(key.to_owned(), self.list.len() - 1);
        Some(self.list.len() - 1)
    }

    /// The place of a conversation that was met before.
    pub(super) fn known(&self, key: &str) -> Option<usize> {
        self.by_key.get(key).copied()
    }

    /// Counts a message that can be taken over.
    pub(super) fn count(&mut self, place: usize, message: &Message) {
        let conversation = &mut self.list[place];
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
            self.roots.insert(thread.clone(), (place, message.id.clone()));
        }
        if let (Ok(thread), Some(answered)) = (self.list[place].key.parse(), &message.reply_to) {
            self.answered.entry(thread).or_insert_with(|| answered.clone());
        }
    }

    /// The messages below which threads may hang that no message has named.
    pub(super) fn possible_roots(&self) -> HashMap<MessageId, ThreadId> {
        let unnamed = self.answered.iter().filter(|(thread, _)| !self.roots.contains_key(thread));
        unnamed.map(|(thread, root)| (root.clone(), thread.clone())).collect()
    }

    /// Says below which message a thread hangs.
    pub(super) fn hang(&mut self, thread: ThreadId, place: usize, root: MessageId) {
        self.roots.entry(thread).or_insert((place, root));
    }

    /// The message below which a conversation hangs, when it is a thread of another one.
    pub(super) fn root(&self, place: usize) -> Option<&(usize, MessageId)> {
        let thread: ThreadId = self.list[place].key.parse().ok()?;
        self.roots.get(&thread).filter(|(root, _)| *root != place && self.list[*root].key.parse::<ThreadId>().is_err())
    }

    /// Whether the newest stands first: within conversations times fall, and never rise.
    pub(super) fn order(&self) -> Order {
        if self.falls > 0 && self.rises == 0 { Order::NewestFirst } else { Order::OldestFirst }
    }

    pub(super) fn messages(&self) -> u64 {
        self.list.iter().map(|conversation| conversation.messages).sum()
    }

    pub(super) fn authors(&self) -> usize {
        self.authors.len()
    }

    /// How many messages there are of each kind.
    pub(super) fn kinds(&self) -> &BTreeMap<&'static str, u64> {
        &self.kinds
    }

    /// The times of the oldest and newest message.
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

    fn order_of(times: &[(&str, i64)]) -> Order {
        let mut conversations = Conversations::default();
        for (key, at) in times {
            let place = conversations.place(key, None).expect("room");
            conversations.count(place, &message(1, *at));
        }
        conversations.order()
    }

    #[test]
    fn the_newest_stands_first_when_times_only_fall_within_conversations() {
        assert_eq!(order_of(&[("a", 3), ("b", 9), ("a", 2), ("b", 9), ("a", 2)]), Order::NewestFirst);
        assert_eq!(order_of(&[("a", 3), ("a", 2), ("a", 4)]), Order::OldestFirst);
        assert_eq!(order_of(&[("a", 3), ("b", 1)]), Order::OldestFirst, "each conversation has its own times");
        assert_eq!(order_of(&[]), Order::OldestFirst);
    }

    #[test]
    fn a_thread_hangs_below_the_message_that_names_it() {
        let mut conversations = Conversations::default();
        let channel = conversations.place("chn_1", None).expect("room");
        let thread = conversations.place("thr_1", None).expect("room");
        let lost = conversations.place("thr_2", None).expect("room");
        let root = Message { thread_id: Some("thr_1".parse().expect("id")), ..message(7, 0) };
        conversations.count(channel, &root);
        assert_eq!(conversations.root(thread), Some(&(channel, MessageId::from_bits(7))));
        assert_eq!((conversations.root(lost), conversations.root(channel)), (None, None));
    }

    #[test]
    fn a_thread_that_nobody_names_may_hang_below_what_its_first_message_answers() {
        let mut conversations = Conversations::default();
        let channel = conversations.place("chn_1", None).expect("room");
        let thread = conversations.place("thr_1", None).expect("room");
        for number in [7, 8] {
            let answer = Message { reply_to: Some(MessageId::from_bits(number)), ..message(number + 10, 0) };
            conversations.count(thread, &answer);
        }
        let possible = conversations.possible_roots();
        let (root, id) = possible.iter().next().expect("one");
        assert_eq!((possible.len(), root), (1, &MessageId::from_bits(7)));
        conversations.hang(id.clone(), channel, root.clone());
        assert_eq!(conversations.root(thread), Some(&(channel, MessageId::from_bits(7))));
        assert!(conversations.possible_roots().is_empty());
    }

    #[test]
    fn two_conversations_are_never_called_the_same() {
        let mut conversations = Conversations::default();
        for (key, foreign) in [("chn_1", "general"), ("thr_1", "thr_1"), ("chn_1", "general")] {
            let place = conversations.place(key, Some("general")).expect("room");
            assert_eq!(conversations.list[place].foreign, foreign);
        }
    }

    #[test]
    fn only_dms_are_private_and_ids_are_called_as_their_system_calls_them() {
        let mut conversations = Conversations::default();
        for (key, foreign, is_private) in [("dm_1", "dm_1", true), ("chn_f_s-1", "s-1", false)] {
            let place = conversations.place(key, None).expect("room");
            let conversation = &conversations.list[place];
            assert_eq!((conversation.foreign.as_str(), conversation.is_private()), (foreign, is_private));
        }
    }
}
