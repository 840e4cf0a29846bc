//! Candidates outside the conversation to answer: unread messages, search hits, other conversations of the agent, and the
//! cards of the project, its tasks and its agents.

use std::collections::BTreeMap;

use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::{ConversationId, MemberId, MessageId},
    inbox::{DeliveryReason, InboxEntry, InboxFilter, InboxOrder},
    limits,
    member::Agent,
    mention::Roster,
    paging::PageRequest,
    task::Task,
};

use super::{Card, Gatherer, search_words};
use crate::{Failure, ports::HistoryRange};

/// Unread messages, the most important first.
const UNREAD_MAX: usize = 200;
/// Unread mentions that are read in addition when there are more unread messages than that.
const MENTIONS_MAX: usize = 50;
/// Conversations whose unread messages are read when a person is the caller.
const UNREAD_CONVERSATIONS_MAX: usize = 40;
/// Unread messages of each of them.
const UNREAD_PER_CONVERSATION_MAX: usize = 20;
/// Words of project name and task title that mark an unread message as related.
const SUBJECT_WORDS_MAX: usize = 40;

/// Search words of the query text.
const WORDS_MAX: usize = 24;
/// Search words of the task in addition to them.
const TASK_WORDS_MAX: usize = 8;
/// Search hits.
const FOUND_MAX: usize = 200;
/// Search hits whose neighbours are read too: an answer often shares no word with its question.
const NEIGHBOURED_MAX: usize = 24;
/// Messages before and after each of them.
const NEIGHBOURS_MAX: u64 = 3;
/// Channels for which the subscription of the agent is looked up.
const CHANNELS_MAX: usize = 10;

/// Other conversations of the agent.
const CONVERSATIONS_MAX: usize = 8;
/// Newest messages of each of them.
const CONVERSATION_MESSAGES_MAX: usize = 30;
/// Newest messages of the task's thread.
const TASK_MESSAGES_MAX: usize = 100;
/// Conversations in which the agent was called last.
const CALLED_CONVERSATIONS_MAX: usize = 50;

/// Other agents of the project.
const AGENTS_MAX: usize = 50;
/// Subtasks and tasks of the same batch or parent.
const SIBLING_TASKS_MAX: usize = 30;

/// Unread messages.
impl Gatherer<'_> {
    /// Adds unread messages, critical before high before normal, and unread mentions.
    pub(super) async fn add_unread(&mut self) -> Result<(), Failure> {
        let entries =
            if self.viewer.is_agent_alone() { self.own_unread().await? } else { self.shared_unread().await? };
        let title = self.query.task.as_ref().map_or("", |task| task.title.as_str());
        let words = search_words(&format!("{}\n{title}", self.query.project.name), SUBJECT_WORDS_MAX);
        for entry in entries {
            let reason = match entry.reason {
                DeliveryReason::Thread | DeliveryReason::Dm => Reason::Thread,
                DeliveryReason::Mention => Reason::Mention,
                DeliveryReason::Subscription => Reason::Unread,
            };
            let is_related = entry.reason == DeliveryReason::Subscription && has_word(&entry.message.body, &words);
            self.gathered.add(entry.message.clone(), Reason::Unread, 1);
            self.gathered.add(entry.message.clone(), reason, 1);
            if is_related {
                self.gathered.add(entry.message, Reason::Subscribed, 1);
            }
        }
        Ok(())
    }

    async fn own_unread(&self) -> Result<Vec<InboxEntry>, Failure> {
        let by_importance = InboxFilter { order: InboxOrder::Importance, ..InboxFilter::default() };
        let mentions = InboxFilter { only_mentions: true, ..by_importance.clone() };
        let agent = self.viewer.agent();
        let page = PageRequest::new(None, Some(UNREAD_MAX))?;
        let mut entries = self.service.store.inbox(agent, &by_importance, &page).await?;
        if entries.next.is_some() {
            let page = PageRequest::new(None, Some(MENTIONS_MAX))?;
            entries.items.extend(self.service.store.inbox(agent, &mentions, &page).await?.items);
        }
        Ok(entries.items)
    }

    /// The agent's unread messages that the caller may read too. They are read by conversation, so that messages hidden
    /// from the caller do not use up the limit.
    async fn shared_unread(&mut self) -> Result<Vec<InboxEntry>, Failure> {
        let agent = self.viewer.agent().clone();
        let page = PageRequest::new(None, Some(UNREAD_PER_CONVERSATION_MAX))?;
        let mut entries = Vec::new();
        for conversation in self.unread_conversations().await?.into_iter().take(UNREAD_CONVERSATIONS_MAX) {
            let conversation_id = Some(conversation);
            let filter = InboxFilter { order: InboxOrder::Importance, conversation_id, ..InboxFilter::default() };
            entries.extend(self.service.store.inbox(&agent, &filter, &page).await?.items);
        }
        Ok(entries)
    }

    async fn unread_conversations(&mut self) -> Result<Vec<ConversationId>, Failure> {
        let mut conversations = Vec::new();
        for counts in self.service.store.unread(&self.query.project.id, self.viewer.principal()).await? {
            if counts.unread > 0 && self.viewer.may_read(&self.service.access, &counts.conversation_id).await? {
                conversations.push(counts.conversation_id);
            }
        }
        conversations.sort();
        Ok(conversations)
    }
}

fn has_word(text: &str, words: &[String]) -> bool {
    let in_text = search_words(text, usize::MAX);
    words.iter().any(|word| in_text.contains(word))
}

/// Search hits.
impl Gatherer<'_> {
    /// Adds messages with words of the query text or the task, from everywhere the viewer may read, with their neighbours.
    pub(super) async fn add_search_hits(&mut self) -> Result<(), Failure> {
        let mut words = search_words(&self.gathered.query_text, WORDS_MAX);
        for word in search_words(&self.query.task_text(), TASK_WORDS_MAX) {
            if !words.contains(&word) && words.len() < WORDS_MAX + TASK_WORDS_MAX {
                words.push(word);
            }
        }
        if words.is_empty() {
            return Ok(());
        }
        let readers = self.viewer.readers();
        let found = self.service.store.find_any(&self.query.project.id, &readers, &words, FOUND_MAX).await?;
        let found = self.readable(found).await?;
        let hits: Vec<_> = found.iter().take(NEIGHBOURED_MAX).map(|hit| (hit.to.clone(), hit.seq)).collect();
        let ids: Vec<MessageId> = found.iter().map(|hit| hit.id.clone()).collect();
        for message in found {
            self.gathered.add(message, Reason::Found, 2);
        }
        self.add_neighbours(hits).await?;
        self.mark_subscribed(&ids).await
    }

    async fn add_neighbours(&mut self, hits: Vec<(ConversationId, u64)>) -> Result<(), Failure> {
        for (conversation, seq) in hits {
            let first = seq.saturating_sub(NEIGHBOURS_MAX + 1);
            let count = usize::try_from(2 * NEIGHBOURS_MAX + 1).unwrap_or(usize::MAX);
            for message in self.service.store.messages(&conversation, HistoryRange::After(first), count).await? {
                self.gathered.add(message, Reason::Found, 2);
            }
        }
        Ok(())
    }

    /// Adds the reason `Subscribed` to hits in channels that the agent is subscribed to.
    async fn mark_subscribed(&mut self, ids: &[MessageId]) -> Result<(), Failure> {
        let member = self.query.member();
        let mut subscribed: BTreeMap<ConversationId, bool> = BTreeMap::new();
        for id in ids {
            let Some(conversation) = self.gathered.get(id).map(|found| found.message.to.clone()) else { continue };
            let is_channel = matches!(conversation, ConversationId::Channel(_));
            if is_channel && !subscribed.contains_key(&conversation) && subscribed.len() < CHANNELS_MAX {
                let post_context = self.service.store.post_context(&conversation, &member).await?;
                let is_subscribed = post_context
                    .is_some_and(|post_context| post_context.listeners.subscribers.contains(self.viewer.agent()));
                subscribed.insert(conversation, is_subscribed);
            }
        }
        for found in self.gathered.messages_mut() {
            let is_hit = found.reasons.contains(&Reason::Found) && ids.contains(&found.message.id);
            if is_hit && subscribed.get(&found.message.to) == Some(&true) {
                found.reasons.insert(Reason::Subscribed);
                found.distance = found.distance.min(1);
            }
        }
        Ok(())
    }
}

/// Other conversations.
impl Gatherer<'_> {
    /// Adds the newest messages of the task's thread.
    pub(super) async fn add_task_thread(&mut self) -> Result<(), Failure> {
        let Some(thread) = self.query.task.as_ref().and_then(|task| task.thread_id.clone()) else { return Ok(()) };
        let thread = ConversationId::from(thread);
        if !self.viewer.may_read(&self.service.access, &thread).await? {
            return Ok(());
        }
        let messages = self.service.store.messages(&thread, HistoryRange::Newest, TASK_MESSAGES_MAX).await?;
        self.gathered.add_newest(messages, Reason::Task, 0);
        Ok(())
    }

    /// Adds the newest messages of conversations in which the agent was called recently, has a run, or has unread messages.
    pub(super) async fn add_other_conversations(&mut self) -> Result<(), Failure> {
        for conversation in self.other_conversations().await? {
            let messages = self.service.store.messages(&conversation, HistoryRange::Newest, CONVERSATION_MESSAGES_MAX);
            self.gathered.add_newest(messages.await?, Reason::Thread, 1);
        }
        Ok(())
    }

    /// Most unread messages first, then open runs, then the latest calls.
    async fn other_conversations(&mut self) -> Result<Vec<ConversationId>, Failure> {
        let mut wanted = self.by_unread_count();
        let agent = self.viewer.agent().clone();
        let runs = self.service.store.open_runs_of(&agent).await?;
        wanted.extend(runs.into_iter().filter_map(|run| run.conversation_id));
        let (project, readers) = (&self.query.project.id, self.viewer.readers());
        let called = self.service.store.conversations_with_calls(project, &agent, &readers, CALLED_CONVERSATIONS_MAX);
        wanted.extend(called.await?);
        let mut chosen = Vec::new();
        for id in wanted {
            let is_new = !chosen.contains(&id) && !self.gathered.last_seqs.contains_key(&id);
            if is_new && chosen.len() < CONVERSATIONS_MAX && self.viewer.may_read(&self.service.access, &id).await? {
                chosen.push(id);
            }
        }
        Ok(chosen)
    }

    fn by_unread_count(&self) -> Vec<ConversationId> {
        let mut counts: BTreeMap<&ConversationId, usize> = BTreeMap::new();
        for found in self.gathered.messages() {
            if found.reasons.contains(&Reason::Unread) {
                *counts.entry(&found.message.to).or_default() += 1;
            }
        }
        let mut conversations: Vec<_> = counts.into_iter().collect();
        conversations.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        conversations.into_iter().map(|(id, _)| id.clone()).collect()
    }
}

/// Cards.
impl Gatherer<'_> {
    /// Adds the cards of the project, its other agents, the task, its parents and its siblings.
    pub(super) async fn add_cards(&mut self) -> Result<(), Failure> {
        let project = &self.query.project;
        let about = project.description.as_deref().unwrap_or_default();
        self.gathered.add_card(Card {
            subject_type: SubjectType::Project,
            id: project.id.to_string(),
            section: Section::Project,
            from: None,
            text: format!("{}\n{about}", project.name).trim_end().to_owned(),
            reason: Reason::Parent,
            distance: 1,
            conversation_id: None,
        });
        let roster = self.service.projects.roster(&project.id).await?;
        self.add_agents().await?;
        let Some(task) = self.query.task.clone() else { return Ok(()) };
        self.add_task(&task, &roster, Section::Task, Reason::Task, 0);
        self.add_parent_tasks(&task, &roster).await?;
        self.add_sibling_tasks(&task, &roster).await
    }

    async fn add_agents(&mut self) -> Result<(), Failure> {
        let page = PageRequest::new(None, Some(AGENTS_MAX))?;
        for agent in self.service.store.agents(&self.query.project.id, &page).await?.items {
            if agent.id != self.query.agent.id {
                self.gathered.add_card(agent_card(&agent));
            }
        }
        Ok(())
    }

    async fn add_parent_tasks(&mut self, task: &Task, roster: &Roster) -> Result<(), Failure> {
        let mut next = task.parent_id.clone();
        for distance in 1..=limits::TASK_DEPTH_MAX {
            let Some(id) = next.take() else { break };
            let Some(parent) = self.service.store.task(&id).await? else { break };
            next.clone_from(&parent.parent_id);
            let distance = u8::try_from(distance).unwrap_or(u8::MAX);
            self.add_task(&parent, roster, Section::Neighbours, Reason::Parent, distance);
        }
        Ok(())
    }

    /// Adds subtasks and tasks of the same batch or parent, the newest first.
    async fn add_sibling_tasks(&mut self, task: &Task, roster: &Roster) -> Result<(), Failure> {
        let siblings = self.service.store.related_tasks(task, SIBLING_TASKS_MAX).await?;
        for sibling in siblings.iter().take(SIBLING_TASKS_MAX) {
            self.add_task(sibling, roster, Section::Neighbours, Reason::Peer, 1);
        }
        Ok(())
    }

    fn add_task(&mut self, task: &Task, roster: &Roster, section: Section, reason: Reason, distance: u8) {
        self.gathered.add_card(Card {
            subject_type: SubjectType::Task,
            id: task.id.to_string(),
            section,
            from: author(&task.created_by, roster),
            text: task_text(task, roster),
            reason,
            distance,
            conversation_id: None,
        });
    }
}

/// The author for a member of the project; `None` if the member has left.
pub(super) fn author(member: &MemberId, roster: &Roster) -> Option<Author> {
    roster.name_of(member).map(|name| Author::member(member, name))
}

fn agent_card(agent: &Agent) -> Card {
    let skills = agent.capabilities.join(", ");
    let skills = if skills.is_empty() { skills } else { format!(": {skills}") };
    Card {
        subject_type: SubjectType::Agent,
        id: agent.id.to_string(),
        section: Section::Neighbours,
        // A fact of the hub, not a statement of the agent.
        from: None,
        text: format!("{} (agent){skills}", agent.name),
        reason: Reason::Peer,
        distance: 1,
        conversation_id: None,
    }
}

fn task_text(task: &Task, roster: &Roster) -> String {
    let assignee = task.assignee.as_ref().and_then(|member| roster.name_of(member));
    let assignee = assignee.map(|name| format!(", given to {name}")).unwrap_or_default();
    let about = task.description.as_deref().unwrap_or_default();
    format!("{} ({}{assignee})\n{about}", task.title, task.status.as_str()).trim_end().to_owned()
}
