//! Inboxes of agents, unread counts, and marking a message as read.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    Code, Refusal,
    access::{self, Principal, Role},
    event::Change,
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId},
    inbox::{Digest, InboxCounts, InboxEntry, InboxFilter, ReadMark, Unread},
    limits,
    member::Agent,
    paging::{Page, PageRequest},
    scope::Scope,
    write::Write,
};

use crate::{
    Failure,
    access::Access,
    event_writer::EventWriter,
    failure::unexpected_change,
    infrastructure::Infrastructure,
    ports::{Clock, Store},
    waiters::Waiters,
};

/// Reads inboxes, marks messages as read, and records deliveries.
pub(crate) struct InboxService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) writer: EventWriter,
    pub(super) waiters: Waiters,
}

impl InboxService {
    pub(crate) fn new(parts: &Infrastructure) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            writer: parts.writer.clone(),
            waiters: parts.run_supervisor.waiters.clone(),
        }
    }
}

impl InboxService {
    /// Lists an agent's unread messages, oldest first, with their number. For the agent itself and administrators.
    ///
    /// An administrator sees and counts only messages in conversations that it may read.
    pub(crate) async fn inbox(
        &self,
        caller: &Principal,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
    ) -> Result<(Page<InboxEntry>, u64), Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (agent, _) = self.access.load_visible_agent(caller, agent).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        if caller.member.agent() == Some(&agent.id) {
            let counts = self.store.inbox_counts(&agent.id).await?;
            return Ok((self.store.inbox(&agent.id, filter, page).await?, counts.total));
        }
        let readable = self.readable_unread(caller, &agent).await?;
        let entries = self.readable_entries(&agent.id, filter, page, &readable).await?;
        Ok((entries, readable.values().sum()))
    }

    /// The counts of an agent's inbox. For the agent itself and administrators, with the visibility of `inbox`.
    pub(crate) async fn inbox_counts(&self, caller: &Principal, agent: &AgentId) -> Result<InboxCounts, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (agent, _) = self.access.load_visible_agent(caller, agent).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        if caller.member.agent() == Some(&agent.id) {
            return self.store.inbox_counts(&agent.id).await;
        }
        let readable = self.readable_unread(caller, &agent).await?;
        let digests = self.readable_digests(&agent.id, &whole_page()?, &readable, usize::MAX).await?;
        Ok(digests.iter().fold(InboxCounts::default(), |sum, digest| added(&sum, &digest.unread)))
    }

    /// Lists an agent's unread messages by conversation, the most important first. For the agent itself and
    /// administrators, with the visibility of `inbox`.
    pub(crate) async fn digests(
        &self,
        caller: &Principal,
        agent: &AgentId,
        page: &PageRequest,
    ) -> Result<Page<Digest>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (agent, _) = self.access.load_visible_agent(caller, agent).await?;
        access::check_acts_for(caller, &agent.id.clone().into())?;
        if caller.member.agent() == Some(&agent.id) {
            return self.store.digests(&agent.id, page).await;
        }
        let readable = self.readable_unread(caller, &agent).await?;
        if page.after().is_some_and(|key| !readable.keys().any(|id| id.as_str() == key)) {
            return Err(Refusal::new(Code::BadQuery, "this is no cursor of this list").at("cursor").into());
        }
        let kept = self.readable_digests(&agent.id, page, &readable, page.limit()).await?;
        Ok(Page::from_probe(kept, page.limit(), |digest| digest.conversation_id.to_string()))
    }

    /// Lists the unread messages of a project that the calling person should not miss, newest first. Agents are
    /// refused.
    pub(crate) async fn my_inbox(
        &self,
        caller: &Principal,
        project: &ProjectId,
        page: &PageRequest,
    ) -> Result<Page<InboxEntry>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        if caller.member.agent().is_some() {
            return Err(Refusal::forbidden("this is for people; an agent has an inbox of its own").into());
        }
        self.access.load_visible_project(caller, project).await?;
        self.store.notable_unread(project, caller, page).await
    }

    /// The unread counts of the caller in a project.
    pub(crate) async fn unread(&self, caller: &Principal, project: &ProjectId) -> Result<Unread, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, project).await?;
        Ok(Unread::sum(project.clone(), self.store.unread(project, caller).await?))
    }

    /// Marks a message as read by a member, by default the caller. Repeating it changes nothing.
    pub(crate) async fn mark_read(
        &self,
        caller: &Principal,
        id: &MessageId,
        reader: Option<MemberId>,
    ) -> Result<ReadMark, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let reader = reader.unwrap_or_else(|| caller.member.clone());
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        access::check_acts_for(caller, &reader)?;
        if reader != caller.member
            && self.store.readers_among(&message.to, std::slice::from_ref(&reader)).await?.is_empty()
        {
            return Err(Refusal::not_found("member", &reader).at("agent_id").into());
        }
        match self.writer.append(caller, &message.project_id, Write::MarkRead(id.clone(), reader)).await?.change {
            Change::Read(mark) => Ok(*mark),
            other => Err(unexpected_change(&other)),
        }
    }

    /// The unread counts of an agent in each conversation that the caller may read too.
    async fn readable_unread(
        &self,
        caller: &Principal,
        agent: &Agent,
    ) -> Result<HashMap<ConversationId, u64>, Failure> {
        let role = Role::Agent(agent.project_id.clone());
        let reader = Principal::new(agent.id.clone(), agent.name.clone(), role);
        let mut readable = HashMap::new();
        for one in self.store.unread(&agent.project_id, &reader).await? {
            match self.access.load_visible_conversation(caller, &one.conversation_id).await {
                Ok(_) => readable.insert(one.conversation_id, one.unread),
                Err(Failure::Refused(_)) => None,
                Err(fault) => return Err(fault),
            };
        }
        Ok(readable)
    }

    /// A page of the entries of an inbox in these conversations.
    ///
    /// It skips hidden entries one by one, so the cost can grow with the inbox. For administrators only.
    async fn readable_entries(
        &self,
        agent: &AgentId,
        filter: &InboxFilter,
        page: &PageRequest,
        readable: &HashMap<ConversationId, u64>,
    ) -> Result<Page<InboxEntry>, Failure> {
        let (mut kept, mut next) = (Vec::new(), Some(page.clone()));
        while let Some(page) = next.take_if(|page| kept.len() <= page.limit()) {
            let found = self.store.inbox(agent, filter, &page).await?;
            kept.extend(found.items.into_iter().filter(|entry| readable.contains_key(&entry.message.to)));
            next = found.next.map(|key| PageRequest::new(Some(key), Some(page.limit()))).transpose()?;
        }
        Ok(Page::from_probe(kept, page.limit(), |entry| entry.message.id.to_string()))
    }

    /// The digests of these conversations after the key of the page: at most `count` and one more.
    ///
    /// It skips hidden digests one by one.
    async fn readable_digests(
        &self,
        agent: &AgentId,
        page: &PageRequest,
        readable: &HashMap<ConversationId, u64>,
        count: usize,
    ) -> Result<Vec<Digest>, Failure> {
        let (mut kept, mut next) = (Vec::new(), Some(page.clone()));
        while let Some(page) = next.take_if(|_| kept.len() <= count) {
            let found = self.store.digests(agent, &page).await?;
            kept.extend(found.items.into_iter().filter(|digest| readable.contains_key(&digest.conversation_id)));
            next = found.next.map(|key| PageRequest::new(Some(key), Some(page.limit()))).transpose()?;
        }
        Ok(kept)
    }
}

fn whole_page() -> Result<PageRequest, Refusal> {
    PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))
}

fn added(one: &InboxCounts, other: &InboxCounts) -> InboxCounts {
    InboxCounts {
        total: one.total + other.total,
        mentions: one.mentions + other.mentions,
        high: one.high + other.high,
        critical: one.critical + other.critical,
        blocking: one.blocking + other.blocking,
    }
}
