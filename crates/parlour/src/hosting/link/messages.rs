//! Reading and posting messages, and what a model is to see of them.

use parlour_agent::link::LinkError;
use parlour_core::{
    context::{ContextRequest, Pack},
    id::MessageId,
    message::Message,
    post::PostMessage,
};

use super::{LocalLink, tried};

impl LocalLink {
    pub(super) async fn read_message(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        tried(|| self.hub.message(&caller, id)).await
    }

    pub(super) async fn read_view(&self, id: &MessageId) -> Result<Message, LinkError> {
        let caller = self.caller();
        tried(|| self.hub.message_view(&caller, id)).await
    }

    pub(super) async fn ask_context(&self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        let caller = self.caller();
        Ok(tried(|| self.hub.context(&caller, &self.agent, ask)).await?.pack)
    }

    pub(super) async fn post_message(&self, id: &MessageId, request: &PostMessage) -> Result<Message, LinkError> {
        let caller = self.caller();
        let request = PostMessage { id: Some(id.clone()), ..request.clone() };
        Ok(tried(|| self.hub.post_message(&caller, request.clone())).await?.message)
    }
}
