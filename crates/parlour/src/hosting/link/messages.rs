//! Reading and posting messages.

use parlour_agent::link::LinkError;
use parlour_core::{
    id::{ConversationId, MessageId},
    limits,
    message::Message,
    paging::PageRequest,
    post::PostMessage,
};
use parlour_hub::use_cases::HistoryQuery;

use super::{HubLink, tried};

impl HubLink {
    pub(super) async fn read_message(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        tried(|| self.hub.message(&caller, id)).await
    }

    pub(super) async fn read_history(&self, id: &ConversationId, limit: usize) -> Result<Vec<Message>, LinkError> {
        let caller = self.caller();
        let page = PageRequest::new(None, Some(limit.clamp(1, limits::PAGE_ITEMS_MAX))).expect("clamped");
        let query = HistoryQuery::default();
        let mut messages = tried(|| self.hub.history(&caller, id, &query, &page)).await?.items;
        messages.sort_by_key(|message| message.seq);
        Ok(messages)
    }

    pub(super) async fn post_message(&self, id: &MessageId, wish: &PostMessage) -> Result<Message, LinkError> {
        let caller = self.caller();
        let wish = PostMessage { id: Some(id.clone()), ..wish.clone() };
        Ok(tried(|| self.hub.post_message(&caller, wish.clone())).await?.message)
    }
}
