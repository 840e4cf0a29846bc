//! The second step of a pack: `gather` reads candidates from the store into `Gathered`.
//!
//! Every read is bounded, so a long history costs the same as a short one. Conversations that the viewer may not read
//! change nothing in the result.

mod files;
mod related;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use parlour_core::{
    author::Author,
    context::{ContextFormat, Reason, Receipt, ReceiptItem, Section, SubjectType},
    id::{ConversationId, MessageId},
    limits,
    mention::without_mentions_of,
    message::Message,
    model_visibility, search_query,
};

use super::{ContextService, Query, Viewer};
use crate::{Failure, ports::HistoryRange};

pub(super) use files::CACHED_FILES_MAX;

/// Newest messages of the conversation to answer. Summaries are made of the same messages: two rolled-up spans and one
/// more, so that one span is always complete.
pub(super) const HISTORY_MAX: usize = 840;
/// Characters of a message that are used as query text.
const QUERY_CHARS_MAX: usize = 2_000;
/// Blocking questions in one pack; the pack states that there are more.
const BLOCKS_MAX: usize = 40;
/// Messages of the previous pack that are loaded one by one.
const LOOKED_UP_MAX: usize = 100;
/// Parents of replies that are loaded one by one to find their authors.
const REPLIES_MAX: usize = 20;
/// Shorter words are ignored in searches.
const WORD_CHARS_LEAST: usize = 3;

const _: () = assert!(HISTORY_MAX <= limits::CONTEXT_CANDIDATES_MAX);

/// All candidates of a pack, each once with all its reasons.
#[derive(Default)]
pub(crate) struct Gathered {
    messages: BTreeMap<MessageId, FoundMessage>,
    cards: Vec<Card>,
    /// The newest messages of the conversation to answer, newest first, whether a model may see them or not.
    pub(super) history: Arc<Vec<Message>>,
    /// The last sequence number of each conversation whose newest messages were read.
    pub(super) last_seqs: BTreeMap<ConversationId, u64>,
    /// The text that candidates are ranked against.
    pub(super) query_text: String,
}

/// A message, and why it is a candidate.
pub(crate) struct FoundMessage {
    pub(crate) message: Message,
    pub(crate) reasons: BTreeSet<Reason>,
    /// Steps from the agent, or its task, in the project graph.
    pub(crate) distance: u8,
}

/// A candidate that is no message: a project, an agent, a task or a file.
pub(crate) struct Card {
    pub(crate) subject_type: SubjectType,
    pub(crate) id: String,
    pub(crate) section: Section,
    pub(crate) from: Option<Author>,
    pub(crate) text: String,
    pub(crate) reason: Reason,
    pub(crate) distance: u8,
    pub(crate) conversation_id: Option<ConversationId>,
}

/// Reads all candidates of a pack; `previous` is the receipt of the pack before it.
pub(crate) async fn gather(
    service: &ContextService,
    query: &Query,
    viewer: &mut Viewer,
    previous: Option<&Receipt>,
) -> Result<Gathered, Failure> {
    let mut gatherer = Gatherer { service, query, viewer, gathered: Gathered::default() };
    gatherer.add_current();
    gatherer.add_blocking().await?;
    gatherer.add_unread().await?;
    if query.format == ContextFormat::Injection {
        gatherer.gathered.query_text = gatherer.query_text().await?;
    } else {
        gatherer.add_history().await?;
        gatherer.gathered.query_text = gatherer.query_text().await?;
        gatherer.add_cards().await?;
        gatherer.add_task_thread().await?;
        gatherer.add_search_hits().await?;
        gatherer.add_other_conversations().await?;
        gatherer.add_files().await?;
        if let Some(previous) = previous {
            gatherer.add_previous(previous).await?;
        }
    }
    gatherer.mark_task();
    gatherer.mark_replies().await?;
    Ok(gatherer.gathered)
}

struct Gatherer<'a> {
    service: &'a ContextService,
    query: &'a Query,
    viewer: &'a mut Viewer,
    gathered: Gathered,
}

impl Gatherer<'_> {
    fn add_current(&mut self) {
        for message in self.query.message.iter().chain(&self.query.together_with) {
            self.gathered.add(message.clone(), Reason::Current, 0);
        }
    }

    /// Adds the open questions that block the agent, the most important first. All of them are read, because one that
    /// the viewer may not read must not take the place of another.
    async fn add_blocking(&mut self) -> Result<(), Failure> {
        let blocks = self.service.store.blocks_of(self.viewer.agent(), limits::QUESTIONS_PER_PROJECT_MAX).await?;
        for message in self.readable(blocks).await?.into_iter().take(BLOCKS_MAX) {
            self.gathered.add(message, Reason::Blocking, 0);
        }
        Ok(())
    }

    /// Adds the newest messages of the conversation, and the root message of a thread.
    async fn add_history(&mut self) -> Result<(), Failure> {
        let Some(conversation) = &self.query.conversation else { return Ok(()) };
        let messages = self.service.store.messages(&conversation.id(), HistoryRange::Newest, HISTORY_MAX).await?;
        self.gathered.add_newest(messages.clone(), Reason::Recent, 0);
        self.gathered.history = Arc::new(messages);
        if let Some(root) = self.query.root()
            && let Some(root) = self.service.store.message(root).await?
        {
            self.gathered.add(root, Reason::Thread, 0);
        }
        Ok(())
    }

    /// Adds messages of the previous pack that no other step has found, such as search hits of its query: only a
    /// candidate can keep its position.
    async fn add_previous(&mut self, previous: &Receipt) -> Result<(), Failure> {
        let is_message = |item: &&ReceiptItem| item.subject_type == SubjectType::Message && item.level.is_some();
        let shown = previous.items.iter().filter(is_message);
        let shown = shown.filter_map(|item| Some((item, item.id.parse::<MessageId>().ok()?)));
        let missing: Vec<_> = shown.filter(|(_, id)| self.gathered.get(id).is_none()).take(LOOKED_UP_MAX).collect();
        for (item, id) in missing {
            let message = self.service.store.message(&id).await?;
            for message in self.readable(message.into_iter().collect()).await? {
                let distance = if Some(&message.to) == self.query.conversation_id().as_ref() { 0 } else { 2 };
                // The reason that it had, except one that held for that moment only.
                let is_lasting =
                    |reason: &&Reason| !matches!(reason, Reason::Current | Reason::Blocking | Reason::Unread);
                let reason = item.reasons.iter().find(is_lasting).copied().unwrap_or(Reason::Found);
                self.gathered.add(message, reason, distance);
            }
        }
        Ok(())
    }

    /// The query text without mentions of the agent. As a search word, its name would find the agent's own messages.
    async fn query_text(&self) -> Result<String, Failure> {
        let roster = self.service.projects.roster(&self.query.project.id).await?;
        Ok(without_mentions_of(&self.query.member(), &self.raw_query_text(), &roster))
    }

    /// The search text of the request, else the message to answer, else the last message of somebody else, else the task.
    fn raw_query_text(&self) -> String {
        if let Some(text) = self.query.text.as_ref().filter(|text| !text.trim().is_empty()) {
            return text.clone();
        }
        let member = self.query.member();
        let is_of_others = |message: &&Message| message.from.member_id().as_ref() != Some(&member);
        let here = self.query.conversation_id();
        let last_here = || {
            let messages = self.gathered.messages().map(|found| &found.message);
            let messages = messages.filter(|message| Some(&message.to) == here.as_ref());
            messages.filter(is_of_others).max_by_key(|message| message.seq)
        };
        match self.query.message.as_ref().or_else(last_here) {
            Some(message) => message.body.chars().take(QUERY_CHARS_MAX).collect(),
            None if self.query.task.is_some() => self.query.task_text().chars().take(QUERY_CHARS_MAX).collect(),
            None => String::new(),
        }
    }

    /// Adds the reason `Task` to every message of the task.
    fn mark_task(&mut self) {
        let Some(task) = &self.query.task else { return };
        for found in self.gathered.messages_mut() {
            if found.message.context.task_id.as_ref() == Some(&task.id) {
                found.reasons.insert(Reason::Task);
                found.distance = 0;
            }
        }
    }

    /// Adds the reasons `Mention` and `Reply` to messages of others that mention or answer the agent.
    async fn mark_replies(&mut self) -> Result<(), Failure> {
        let member = self.query.member();
        let replies: Vec<(MessageId, MessageId)> = (self.gathered.messages())
            .filter_map(|found| Some((found.message.id.clone(), found.message.reply_to.clone()?)))
            .collect();
        let mut answers = Vec::new();
        let mut looked_up = 0;
        for (id, parent) in replies {
            let author = match self.gathered.get(&parent) {
                Some(found) => found.message.from.member_id(),
                None if looked_up < REPLIES_MAX => {
                    looked_up += 1;
                    self.service.store.message(&parent).await?.and_then(|message| message.from.member_id())
                }
                None => None,
            };
            answers.extend(Some(id).filter(|_| author.as_ref() == Some(&member)));
        }
        for found in self.gathered.messages_mut() {
            let is_own = found.message.from.member_id().as_ref() == Some(&member);
            if found.message.mentions.contains(&member) && !is_own {
                found.reasons.insert(Reason::Mention);
            }
            if answers.contains(&found.message.id) && !is_own {
                found.reasons.insert(Reason::Reply);
            }
        }
        Ok(())
    }

    /// The messages that the viewer may read, in the same order.
    async fn readable(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Failure> {
        let mut readable = Vec::with_capacity(messages.len());
        for message in messages {
            if self.viewer.may_read(&self.service.access, &message.to).await? {
                readable.push(message);
            }
        }
        Ok(readable)
    }
}

/// The first `count` distinct words of a text that are long enough to search for.
fn search_words(text: &str, count: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for range in search_query::words(text) {
        let word = search_query::fold(&text[range]);
        if word.chars().count() >= WORD_CHARS_LEAST && !words.contains(&word) {
            words.push(word);
        }
        if words.len() >= count {
            break;
        }
    }
    words
}

impl Gathered {
    /// Adds a message that a model may see, or one more reason for it. Ignored when the candidate limit is reached.
    fn add(&mut self, message: Message, reason: Reason, distance: u8) {
        if !model_visibility::may_reach_model(&message) {
            return;
        }
        let is_full = self.len() >= limits::CONTEXT_CANDIDATES_MAX;
        match self.messages.get_mut(&message.id) {
            Some(found) => {
                found.reasons.insert(reason);
                found.distance = found.distance.min(distance);
            }
            None if is_full => {}
            None => {
                let reasons = BTreeSet::from([reason]);
                self.messages.insert(message.id.clone(), FoundMessage { message, reasons, distance });
            }
        }
    }

    /// Adds the newest messages of one conversation.
    fn add_newest(&mut self, messages: Vec<Message>, reason: Reason, distance: u8) {
        if let Some(newest) = messages.iter().max_by_key(|message| message.seq) {
            self.last_seqs.insert(newest.to.clone(), newest.seq);
        }
        for message in messages {
            self.add(message, reason, distance);
        }
    }

    fn add_card(&mut self, card: Card) {
        if self.len() < limits::CONTEXT_CANDIDATES_MAX {
            self.cards.push(card);
        }
    }

    fn get(&self, id: &MessageId) -> Option<&FoundMessage> {
        self.messages.get(id)
    }

    /// The messages in the order of their ids.
    pub(super) fn messages(&self) -> impl Iterator<Item = &FoundMessage> {
        self.messages.values()
    }

    fn messages_mut(&mut self) -> impl Iterator<Item = &mut FoundMessage> {
        self.messages.values_mut()
    }

    pub(super) fn cards(&self) -> impl Iterator<Item = &Card> {
        self.cards.iter()
    }

    /// The messages in the order of their ids, the cards in the order in which they were added.
    pub(super) fn into_parts(self) -> (Vec<FoundMessage>, Vec<Card>) {
        (self.messages.into_values().collect(), self.cards)
    }

    fn len(&self) -> usize {
        self.messages.len() + self.cards.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_beyond_the_limit_are_dropped() {
        let mut gathered = Gathered::default();
        for number in 0..limits::CONTEXT_CANDIDATES_MAX + 10 {
            gathered.add_card(Card {
                subject_type: SubjectType::Task,
                id: number.to_string(),
                section: Section::Neighbours,
                from: None,
                text: String::new(),
                reason: Reason::Peer,
                distance: 1,
                conversation_id: None,
            });
        }
        assert_eq!(gathered.into_parts().1.len(), limits::CONTEXT_CANDIDATES_MAX);
    }
}
