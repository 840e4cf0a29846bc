//! Reading: messages, histories, search and snapshots of projects.

use std::sync::Arc;

use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    audience::{AccessRoot, Audience},
    event::Event,
    id::{ConversationId, MessageId, ProjectId},
    message::{Message, MessagePreview, State},
    paging::{Page, PageRequest},
    scope::Scope,
    search_query::SearchQuery,
    snapshot::Snapshot,
    stream::StreamSnapshot,
};

use crate::{
    Failure,
    access::Access,
    context::ContextService,
    infrastructure::Infrastructure,
    ports::{HistoryRange, Store},
    presence::PresenceService,
    streams::StreamService,
};

/// A point in a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryMark {
    /// A message number.
    Seq(u64),
    /// A message of the conversation.
    Message(MessageId),
    Time(Timestamp),
}

/// A range of messages of a conversation; without marks, the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Messages before this mark, newest first.
    pub before: Option<HistoryMark>,
    /// Messages after this mark, oldest first.
    pub since: Option<HistoryMark>,
}

/// Prefixes of history cursors, by direction.
const OLDER: &str = "before-";
const NEWER: &str = "after-";

/// Stores keep numbers of messages as signed 64-bit integers.
const SEQ_MAX: u64 = i64::MAX as u64;

/// Reads messages, histories, search results and project snapshots.
pub(crate) struct HistoryService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) streams: Arc<StreamService>,
    pub(super) presence: Arc<PresenceService>,
    pub(super) context: Arc<ContextService>,
}

impl HistoryService {
    pub(crate) fn new(
        parts: &Infrastructure,
        streams: &Arc<StreamService>,
        presence: &Arc<PresenceService>,
        context: &Arc<ContextService>,
    ) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            streams: Arc::clone(streams),
            presence: Arc::clone(presence),
            context: Arc::clone(context),
        }
    }
}

impl HistoryService {
    /// Reads a message; a streaming one with its text so far.
    pub(crate) async fn message(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (mut message, _) = self.access.load_visible_message(caller, id).await?;
        self.streams.fill_streaming_text(&mut message).await?;
        Ok(message)
    }

    /// A message as one redacted line, for places that others may see too, such as a lock screen. Empty if the message has
    /// no text.
    pub(crate) async fn message_preview(&self, caller: &Principal, id: &MessageId) -> Result<MessagePreview, Failure> {
        let message = self.message(caller, id).await?;
        let project = self.store.project(&message.project_id).await?;
        let project = project.ok_or_else(|| Refusal::not_found("message", id))?;
        let text = self.context.preview_line(&project.policy.context.redaction, message.body).await?;
        Ok(MessagePreview { message_id: message.id, from: message.from, text })
    }

    /// A complete message as a model may see it. Refused if no model may see it.
    pub(crate) async fn message_view(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let message = self.message(caller, id).await?;
        let view = self.context.views([message]).await?.pop();
        Ok(view.ok_or_else(|| Refusal::not_found("message for models", id))?)
    }

    /// Reads a page of a conversation.
    pub(crate) async fn history(
        &self,
        caller: &Principal,
        id: &ConversationId,
        query: &HistoryQuery,
        page: &PageRequest,
    ) -> Result<Page<Message>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_conversation(caller, id).await?;
        let slice = match page.after() {
            Some(cursor) => parse_cursor(cursor)?,
            None => self.slice_of(id, query).await?,
        };
        let probe = self.store.messages(id, slice, page.limit() + 1).await?;
        let direction = if matches!(slice, HistoryRange::After(_)) { NEWER } else { OLDER };
        let mut page = Page::from_probe(probe, page.limit(), |message| format!("{direction}{}", message.seq));
        for message in &mut page.items {
            self.streams.fill_streaming_text(message).await?;
        }
        Ok(page)
    }

    /// Lists the events of one message.
    pub(crate) async fn message_events(
        &self,
        caller: &Principal,
        id: &MessageId,
        page: &PageRequest,
    ) -> Result<Page<Event>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_message(caller, id).await?;
        self.store.message_events(id, page).await
    }

    async fn slice_of(&self, id: &ConversationId, query: &HistoryQuery) -> Result<HistoryRange, Failure> {
        match (&query.before, &query.since) {
            (None, None) => Ok(HistoryRange::Newest),
            (Some(HistoryMark::Time(at)), None) => {
                Ok(HistoryRange::Before(self.store.seq_before(id, *at).await?.saturating_add(1)))
            }
            (Some(mark), None) => Ok(HistoryRange::Before(self.seq_of(id, mark, "before").await?)),
            (None, Some(mark)) => Ok(HistoryRange::After(self.seq_of(id, mark, "since").await?)),
            (Some(_), Some(_)) => {
                Err(Refusal::new(Code::BadQuery, "give either before or since, not both").at("since").into())
            }
        }
    }

    /// The message number of a mark; for a time, that of the last message before it.
    async fn seq_of(&self, id: &ConversationId, mark: &HistoryMark, field: &str) -> Result<u64, Failure> {
        match mark {
            HistoryMark::Seq(seq) => Ok(*seq),
            HistoryMark::Time(at) => self.store.seq_before(id, *at).await,
            HistoryMark::Message(message_id) => {
                let message = self.store.message(message_id).await?.filter(|message| message.to == *id);
                let refuse = || Refusal::not_found("message", message_id).at(field);
                Ok(message.ok_or_else(refuse)?.seq)
            }
        }
    }
}

fn parse_cursor(cursor: &str) -> Result<HistoryRange, Refusal> {
    let refuse =
        || Refusal::new(Code::BadQuery, "this is no cursor of a history; pass next back as it was given").at("cursor");
    let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| {
        let number = Some(text).filter(is_number).and_then(|text| text.parse::<u64>().ok());
        number.filter(|seq| *seq <= SEQ_MAX).ok_or_else(refuse)
    };
    match (cursor.strip_prefix(OLDER), cursor.strip_prefix(NEWER)) {
        (Some(seq), _) => Ok(HistoryRange::Before(number(seq)?)),
        (_, Some(seq)) => Ok(HistoryRange::After(number(seq)?)),
        _ => Err(refuse()),
    }
}

/// A message that matches a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// The text around the first match.
    pub snippet: String,
    pub message: Message,
}

impl HistoryService {
    /// Finds messages that contain all words of the text, newest first. A page may be short and still have a `next`.
    pub(crate) async fn search(
        &self,
        caller: &Principal,
        project: &ProjectId,
        text: &str,
        page: &PageRequest,
    ) -> Result<Page<SearchHit>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let query = SearchQuery::parse(text)?;
        self.access.load_visible_project(caller, project).await?;
        let mut found = self.store.search(project, caller, &query, page).await?;
        for message in &mut found.items {
            self.streams.fill_streaming_text(message).await?;
        }
        Ok(found.map(|message| SearchHit { snippet: query.snippet(&message.body), message }))
    }
}

impl HistoryService {
    /// Reads a project as the caller sees it, with the position to resume from, open streams and presence.
    pub(crate) async fn snapshot(&self, caller: &Principal, project: &ProjectId) -> Result<Snapshot, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_project(caller, project).await?;
        let found = self.store.snapshot(project, caller).await?;
        let snapshot = found.ok_or_else(|| Refusal::not_found("project", project))?;
        let streams = self.running_in(&snapshot).await?;
        Ok(Snapshot { streams, presence: self.presence.presence_in(project), ..snapshot })
    }

    /// The open streams that the reader of the snapshot may read, by message id.
    async fn running_in(&self, snapshot: &Snapshot) -> Result<Vec<StreamSnapshot>, Failure> {
        let running = self.streams.registry.with_running(&snapshot.project.id, |running| running);
        let mut seen = Vec::new();
        for (_, stream) in running.into_iter().filter(|(audience, _)| is_inside(snapshot, audience)) {
            // The registry removes a stream shortly after the store has recorded its end. If the snapshot includes that
            // end already, no later event would remove the stream.
            let message = self.store.message(&stream.message_id).await?;
            if message.is_some_and(|message| message.state == State::Streaming) {
                seen.push(stream);
            }
        }
        seen.sort_by(|one, other| one.message_id.cmp(&other.message_id));
        Ok(seen)
    }
}

/// Whether the audience includes the reader at the position of the snapshot.
fn is_inside(snapshot: &Snapshot, audience: &Audience) -> bool {
    match audience {
        Audience::Project => true,
        Audience::Only(member) => *member == snapshot.reader,
        Audience::Readers(root) | Audience::ReadersAnd(root, _) => match root {
            AccessRoot::Channel(id) => snapshot.channels.iter().any(|channel| channel.id == *id),
            AccessRoot::Dm(participants) => participants.contains(&snapshot.reader),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_go_on_in_their_direction() {
        assert_eq!(parse_cursor("before-7"), Ok(HistoryRange::Before(7)));
        assert_eq!(parse_cursor("after-7"), Ok(HistoryRange::After(7)));
    }

    #[test]
    fn made_up_cursors_are_refused() {
        for cursor in
            ["", "7", "before-", "before--1", "before-+1", "after-x", "between-1", "after-99999999999999999999"]
        {
            assert_eq!(parse_cursor(cursor).expect_err(cursor).code, Code::BadQuery);
        }
    }
}
