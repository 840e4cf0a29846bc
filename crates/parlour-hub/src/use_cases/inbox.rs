//! Inboxes of agents, unread counts of everybody, and marking as read.

use parlour_core::{
    access::{self, Principal},
    event::Change,
    id::{AgentId, MemberId, MessageId, ProjectId},
    inbox::{InboxEntry, ReadMark, Unread},
    paging::{Page, PageRequest},
    write::Write,
};

use super::projects::unexpected;
use crate::{Failure, Hub};

impl Hub {
    /// Lists an agent's unread messages, oldest first, with their number: for the agent itself and administrators.
    ///
    /// An administrator sees only what stands in conversations that it may read; the number is the agent's.
    pub async fn inbox(
        &self,
        caller: &Principal,
        agent: &AgentId,
        page: &PageRequest,
    ) -> Result<(Page<InboxEntry>, u64), Failure> {
        self.see_agent(caller, agent).await?;
        access::check_acts_for(caller, &agent.clone().into())?;
        let mut entries = self.store.inbox(agent, page).await?;
        if caller.member.agent() != Some(agent) {
            self.keep_readable(caller, &mut entries.items).await?;
        }
        Ok((entries, self.store.inbox_count(agent).await?))
    }

    /// What the caller has not read in a project.
    pub async fn unread(&self, caller: &Principal, project: &ProjectId) -> Result<Unread, Failure> {
        self.see_project(caller, project).await?;
        Ok(Unread::sum(project.clone(), self.store.unread(project, caller).await?))
    }

    /// Marks a message as read by a member, the caller unless said otherwise. Doing it again changes nothing.
    pub async fn mark_read(
        &self,
        caller: &Principal,
        id: &MessageId,
        reader: Option<MemberId>,
    ) -> Result<ReadMark, Failure> {
        let reader = reader.unwrap_or_else(|| caller.member.clone());
        let (message, _) = self.see_message(caller, id).await?;
        access::check_acts_for(caller, &reader)?;
        if reader != caller.member && self.store.readers_among(&message.to, &[reader.clone()]).await?.is_empty() {
            return Err(parlour_core::Refusal::not_found("member", &reader).at("agent_id").into());
        }
        match self.append(caller, &message.project_id, Write::MarkRead(id.clone(), reader)).await?.change {
            Change::Read(mark) => Ok(*mark),
            other => Err(unexpected(&other)),
        }
    }

    async fn keep_readable(&self, caller: &Principal, entries: &mut Vec<InboxEntry>) -> Result<(), Failure> {
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries.drain(..) {
            if self.see_conversation(caller, &entry.message.to).await.is_ok() {
                kept.push(entry);
            }
        }
        *entries = kept;
        Ok(())
    }
}
