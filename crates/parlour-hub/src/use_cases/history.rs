//! Reading messages.

use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    event::Event,
    id::{ConversationId, MessageId},
    message::{Message, MessagePreview},
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub, ports::HistoryRange};

/// A place in a conversation, as a caller may name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryMark {
    /// The number of a message.
    Seq(u64),
    /// A message of the conversation.
    Message(MessageId),
    /// A moment.
    Time(Timestamp),
}

/// Which messages of a conversation are wanted. Without marks: the newest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Only what stands before this, newest first.
    pub before: Option<HistoryMark>,
    /// Only what stands after this, oldest first.
    pub since: Option<HistoryMark>,
}

/// How a cursor of a history starts, by the direction it goes on in.
const OLDER: &str = "before-";
const NEWER: &str = "after-";

/// Stores keep numbers of messages as signed 64-bit integers.
const SEQ_MAX: u64 = i64::MAX as u64;

impl Hub {
    /// Reads a message; one that is being written with its text so far.
    pub async fn message(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        let (mut message, _) = self.access.load_visible_message(caller, id).await?;
        self.streams.fill_streaming_text(&mut message).await?;
        Ok(message)
    }

    /// A message as one line without its secrets, for places that others may look at too, such as a lock screen. It is
    /// empty where there is no text.
    pub async fn message_preview(&self, caller: &Principal, id: &MessageId) -> Result<MessagePreview, Failure> {
        let message = self.message(caller, id).await?;
        let project = self.store.project(&message.project_id).await?;
        let project = project.ok_or_else(|| Refusal::not_found("message", id))?;
        let text = self.context.preview_line(&project.policy.context.redaction, message.body).await?;
        Ok(MessagePreview { message_id: message.id, from: message.from, text })
    }

    /// A message as a model may read it, at its whole length. One that no model may see has no view.
    pub async fn message_view(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let message = self.message(caller, id).await?;
        let view = self.views([message]).await?.pop();
        Ok(view.ok_or_else(|| Refusal::not_found("message for models", id))?)
    }

    /// Reads a page of a conversation.
    pub async fn history(
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

    /// Lists what happened to one message: posted, edited, removed, reacted to.
    pub async fn message_events(
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

    /// The number that a mark stands for; for a moment, that of the last message before it.
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
