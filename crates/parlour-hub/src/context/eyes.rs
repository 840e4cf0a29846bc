//! Who looks. What one of those who look may not read does not exist for a pack: it is no candidate, and changes nothing.

use std::{collections::HashMap, sync::Arc};

use parlour_core::{
    access::{Principal, Role},
    conversation::Conversation,
    id::{AgentId, ConversationId},
    member::Agent,
};

use crate::{Failure, Hub};

/// An agent, and the person who asks what the agent would see.
pub(crate) struct Eyes {
    reader: Principal,
    viewer: Option<Principal>,
    /// The conversations that were asked about; nothing for one that cannot be read.
    known: HashMap<ConversationId, Option<Arc<Conversation>>>,
}

impl Eyes {
    /// The eyes of an agent for a caller.
    pub(crate) fn new(caller: &Principal, agent: &Agent) -> Self {
        let reader = Principal::new(agent.id.clone(), agent.name.clone(), Role::Agent(agent.project_id.clone()));
        let viewer = Some(caller.clone()).filter(|caller| caller.member != reader.member);
        Self { reader, viewer, known: HashMap::new() }
    }

    /// Those who look, for lists that are read by all of them: what one may not read must not shorten them.
    pub(super) fn readers(&self) -> Vec<Principal> {
        self.all().cloned().collect()
    }

    /// Those who look.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Principal> {
        [Some(&self.reader), self.viewer.as_ref()].into_iter().flatten()
    }

    /// Whether the agent looks alone.
    pub(super) fn is_alone(&self) -> bool {
        self.viewer.is_none()
    }

    pub(super) fn agent(&self) -> &AgentId {
        self.reader.member.agent().expect("the reader is made of an agent")
    }

    /// The conversation, if all who look may read it.
    pub(super) async fn conversation(
        &mut self,
        hub: &Hub,
        id: &ConversationId,
    ) -> Result<Option<Arc<Conversation>>, Failure> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let mut seen = None;
        for principal in self.all() {
            match hub.access.load_visible_conversation(principal, id).await {
                Ok((conversation, _)) => seen = Some(Arc::new(conversation)),
                Err(Failure::Refused(_)) => {
                    seen = None;
                    break;
                }
                Err(fault) => return Err(fault),
            }
        }
        self.known.insert(id.clone(), seen.clone());
        Ok(seen)
    }

    /// Whether all who look may read there.
    pub(super) async fn may_read(&mut self, hub: &Hub, id: &ConversationId) -> Result<bool, Failure> {
        Ok(self.conversation(hub, id).await?.is_some())
    }
}
