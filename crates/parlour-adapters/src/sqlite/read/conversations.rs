//! Reads of conversations and their members.

use async_trait::async_trait;
use parlour_core::{
    access::{Membership, Principal},
    conversation::{Channel, Conversation, Dm, Thread, Visibility},
    id::{AgentId, ChannelId, ConversationId, MemberId, ProjectId},
    inbox::Listeners,
    paging::{Page, PageRequest},
};
use parlour_hub::{
    Failure,
    ports::{Conversations, PostContext},
};
use rusqlite::{Connection, Row, named_params, params};

use crate::sqlite::{
    SqliteStore,
    access::{ReaderRow, join_access, readable},
    error::StoreResult,
    lookup::{self, channel_no, conversation_no, number, page_id, page_start, probe, project_no},
    rows::{
        ReadColumn,
        conversation::{channel_from, dm_from, load_conversation_by_no, select_conversation, thread_from},
    },
};

#[async_trait]
impl Conversations for SqliteStore {
    async fn conversation(
        &self,
        id: &ConversationId,
        viewer: &MemberId,
    ) -> Result<Option<(Conversation, Membership)>, Failure> {
        let (id, viewer) = (id.clone(), viewer.clone());
        self.read("read a conversation", move |db| conversation(db, &id, &viewer)).await
    }

    async fn post_context(&self, id: &ConversationId, author: &MemberId) -> Result<Option<PostContext>, Failure> {
        let (id, author) = (id.clone(), author.clone());
        self.read("read the context of a post", move |db| post_context(db, &id, &author)).await
    }

    async fn readers_among(&self, id: &ConversationId, members: &[MemberId]) -> Result<Vec<MemberId>, Failure> {
        let (id, members) = (id.clone(), members.to_vec());
        self.read("read the readers of a conversation", move |db| readers_among(db, &id, &members)).await
    }

    async fn channels(
        &self,
        project: &ProjectId,
        caller: &Principal,
        page: &PageRequest,
    ) -> Result<Page<Channel>, Failure> {
        let (project, caller, page) = (project.clone(), caller.clone(), page.clone());
        self.read("list channels", move |db| channels(db, &project, &caller, &page)).await
    }

    async fn threads(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<Thread>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list threads", move |db| threads(db, &channel, &page)).await
    }

    async fn dms(
        &self,
        member: &MemberId,
        project: Option<&ProjectId>,
        page: &PageRequest,
    ) -> Result<Page<Dm>, Failure> {
        let (member, project, page) = (member.clone(), project.cloned(), page.clone());
        self.read("list dms", move |db| dms(db, &member, project.as_ref(), &page)).await
    }

    async fn channel_members(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<MemberId>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list channel members", move |db| channel_members(db, &channel, &page)).await
    }

    async fn subscribers(&self, channel: &ChannelId, page: &PageRequest) -> Result<Page<AgentId>, Failure> {
        let (channel, page) = (channel.clone(), page.clone());
        self.read("list subscribers", move |db| subscribers(db, &channel, &page)).await
    }
}

/// The channel that is a page key, if the viewer may read it.
const CHANNEL_KEY: &str = concat!(
    "SELECT conversation.no\nFROM conversation\n",
    join_access!(),
    "WHERE conversation.id = :key AND conversation.project_no = :project AND conversation.type = 0 AND ",
    readable!()
);
/// The thread of the channel that is a page key.
const THREAD_KEY: &str = "SELECT no\nFROM conversation\nWHERE id = ?1 AND access_no = ?2 AND type = 1";
/// The DM of the member that is a page key.
const DM_KEY: &str = "SELECT conversation.no
     FROM conversation
     JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     JOIN member ON member.no = conversation_member.member_no
     WHERE conversation.id = ?1 AND conversation.type = 2 AND member.id = ?2";

/// Reads a conversation and the membership of this member.
pub(in crate::sqlite) fn conversation(
    db: &Connection,
    id: &ConversationId,
    viewer: &MemberId,
) -> StoreResult<Option<(Conversation, Membership)>> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(None) };
    let viewer_no = lookup::member_no(db, viewer)?.unwrap_or(0);
    let membership = membership(db, conversation_no, viewer_no)?;
    Ok(Some((load_conversation_by_no(db, conversation_no)?, membership)))
}

/// Reads the facts that decide a post by this member.
pub(in crate::sqlite) fn post_context(
    db: &Connection,
    id: &ConversationId,
    author: &MemberId,
) -> StoreResult<Option<PostContext>> {
    let Some((conversation, membership)) = conversation(db, id, author)? else { return Ok(None) };
    let no = conversation_no(db, id)?.unwrap_or(0);
    let mut listeners = Listeners::default();
    match &conversation {
        Conversation::Channel(_) => listeners.subscribers = agent_ids(db, SUBSCRIBERS, no)?,
        Conversation::Thread(_) => listeners.thread_agents = agent_ids(db, THREAD_AGENTS, no)?,
        Conversation::Dm(dm) => {
            listeners.dm_agents = dm.participants.iter().filter_map(MemberId::agent).cloned().collect();
        }
    }
    Ok(Some(PostContext { conversation, membership, listeners }))
}

/// The given members that can read the conversation, without the rights of administrators.
pub(in crate::sqlite) fn readers_among(
    db: &Connection,
    id: &ConversationId,
    members: &[MemberId],
) -> StoreResult<Vec<MemberId>> {
    let Some(conversation_no) = conversation_no(db, id)? else { return Ok(Vec::new()) };
    let mut readers = Vec::new();
    for member in members {
        let membership = membership(db, conversation_no, lookup::member_no(db, member)?.unwrap_or(0))?;
        let can_read = membership.visibility == Visibility::Project || membership.is_conversation_member;
        if membership.is_project_member && can_read {
            readers.push(member.clone());
        }
    }
    Ok(readers)
}

/// Lists the channels of a project that the caller may read.
pub(in crate::sqlite) fn channels(
    db: &Connection,
    project: &ProjectId,
    caller: &Principal,
    page: &PageRequest,
) -> StoreResult<Page<Channel>> {
    let viewer = ReaderRow::of(db, caller)?;
    let mut statement = db.prepare_cached(select_conversation!(
        "WHERE conversation.project_no = :project AND conversation.type = 0 AND conversation.no > :after AND ",
        readable!(),
        "\nORDER BY conversation.no\nLIMIT :limit"
    ))?;
    let project_no = project_no(db, project)?.unwrap_or(0);
    let after = page_start(page, |key| {
        let params = named_params! {
            ":key": key, ":project": project_no, ":viewer": viewer.no, ":is_admin": viewer.is_admin
        };
        number(db, CHANNEL_KEY, params)
    })?;
    let params = named_params! {
        ":project": project_no, ":after": after, ":viewer": viewer.no, ":is_admin": viewer.is_admin,
        ":limit": probe(page)
    };
    let channels = statement.query_and_then(params, channel_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(channels, page.limit(), |channel: &Channel| channel.id.to_string()))
}

/// Lists the threads of a channel.
pub(in crate::sqlite) fn threads(
    db: &Connection,
    channel: &ChannelId,
    page: &PageRequest,
) -> StoreResult<Page<Thread>> {
    let channel_no = channel_no(db, channel)?.unwrap_or(0);
    let mut statement = db.prepare_cached(select_conversation!(
        "WHERE conversation.access_no = ?1 AND conversation.type = 1 AND conversation.no > ?2
         ORDER BY conversation.no
         LIMIT ?3"
    ))?;
    let after = page_start(page, |key| number(db, THREAD_KEY, params![key, channel_no]))?;
    let params = [channel_no, after, probe(page)];
    let threads = statement.query_and_then(params, thread_from)?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(threads, page.limit(), |thread: &Thread| thread.id.to_string()))
}

/// Lists the DMs of a member, except those of projects that it has left.
pub(in crate::sqlite) fn dms(
    db: &Connection,
    member: &MemberId,
    project: Option<&ProjectId>,
    page: &PageRequest,
) -> StoreResult<Page<Dm>> {
    let mut statement = db.prepare_cached(select_conversation!(
        "JOIN conversation_member ON conversation_member.conversation_no = conversation.no
         JOIN member ON member.no = conversation_member.member_no
         WHERE member.id = ?1 AND conversation.type = 2 AND conversation_member.conversation_no > ?2 AND (?3 IS NULL OR project.id = ?3)
             AND (member.is_admin OR EXISTS (
                 SELECT 1
                 FROM project_member
                 WHERE project_member.project_no = conversation.project_no AND project_member.member_no = member.no
             ))
         ORDER BY conversation_member.conversation_no
         LIMIT ?4"
    ))?;
    let after = page_start(page, |key| number(db, DM_KEY, [key, member.as_str()]))?;
    let params = params![member.as_str(), after, project.map(ProjectId::as_str), probe(page)];
    let dms = statement.query_and_then(params, |row| dm_from(db, row))?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(dms, page.limit(), |dm: &Dm| dm.id.to_string()))
}

/// Lists the members of a private channel, by id.
pub(in crate::sqlite) fn channel_members(
    db: &Connection,
    channel: &ChannelId,
    page: &PageRequest,
) -> StoreResult<Page<MemberId>> {
    let sql = "SELECT member.id
         FROM conversation_member
         JOIN member ON member.no = conversation_member.member_no
         WHERE conversation_member.conversation_no = ?1 AND member.id > ?2
         ORDER BY member.id
         LIMIT ?3";
    page_of_ids(db, sql, channel, page)
}

/// Lists the agents subscribed to a channel, by id.
pub(in crate::sqlite) fn subscribers(
    db: &Connection,
    channel: &ChannelId,
    page: &PageRequest,
) -> StoreResult<Page<AgentId>> {
    let sql = "SELECT member.id
         FROM subscription
         JOIN member ON member.no = subscription.agent_no
         WHERE subscription.channel_no = ?1 AND member.id > ?2
         ORDER BY member.id
         LIMIT ?3";
    page_of_ids(db, sql, channel, page)
}

/// The membership of a member in a conversation. A thread has the membership of its channel.
fn membership(db: &Connection, conversation_no: i64, member_no: i64) -> StoreResult<Membership> {
    let mut statement = db.prepare_cached(
        "SELECT access.is_private, access.archived_ms IS NOT NULL,
             EXISTS (
                 SELECT 1
                 FROM project_member
                 WHERE project_member.project_no = conversation.project_no AND project_member.member_no = ?2
             ),
             EXISTS (
                 SELECT 1
                 FROM conversation_member
                 WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = ?2
             )
         FROM conversation
         JOIN conversation AS access ON access.no = conversation.access_no
         WHERE conversation.no = ?1",
    )?;
    let as_membership = |row: &Row<'_>| {
        let visibility = if row.get(0)? { Visibility::Private } else { Visibility::Project };
        Ok(Membership {
            visibility,
            is_archived: row.get(1)?,
            is_project_member: row.get(2)?,
            is_conversation_member: row.get(3)?,
        })
    };
    Ok(statement.query_row([conversation_no, member_no], as_membership)?)
}

/// The subscribers of a channel that can read it.
const SUBSCRIBERS: &str = "SELECT member.id
     FROM subscription
     JOIN member ON member.no = subscription.agent_no
     JOIN conversation AS access ON access.no = subscription.channel_no
     WHERE subscription.channel_no = ?1 AND (access.is_private = 0 OR EXISTS (
         SELECT 1
         FROM conversation_member
         WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = member.no
     ))
     ORDER BY member.id";

/// The agents of a thread that can read its channel.
const THREAD_AGENTS: &str = "SELECT member.id
     FROM thread_agent
     JOIN member ON member.no = thread_agent.agent_no
     JOIN conversation ON conversation.no = thread_agent.thread_no
     JOIN conversation AS access ON access.no = conversation.access_no
     WHERE thread_agent.thread_no = ?1 AND (access.is_private = 0 OR EXISTS (
         SELECT 1
         FROM conversation_member
         WHERE conversation_member.conversation_no = access.no AND conversation_member.member_no = member.no
     ))
     ORDER BY member.id";

fn agent_ids(db: &Connection, sql: &str, conversation_no: i64) -> StoreResult<Vec<AgentId>> {
    db.prepare_cached(sql)?.query_and_then([conversation_no], |row| row.parsed(0))?.collect()
}

fn page_of_ids<T>(db: &Connection, sql: &str, channel: &ChannelId, page: &PageRequest) -> StoreResult<Page<T>>
where
    T: std::str::FromStr<Err = parlour_core::Refusal> + ToString,
{
    let params = params![channel_no(db, channel)?.unwrap_or(0), page_id::<T>(page)?, probe(page)];
    let mut statement = db.prepare_cached(sql)?;
    let ids = statement.query_and_then(params, |row| row.parsed(0))?.collect::<StoreResult<_>>()?;
    Ok(Page::from_probe(ids, page.limit(), T::to_string))
}
