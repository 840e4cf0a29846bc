//! From ids back to what people call things.

use std::collections::HashMap;

use parlour_core::{
    conversation::Channel,
    id::{ConversationId, ProjectId},
};

use crate::{failure::Failure, session::Session};

/// The names of conversations that have one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    channels: HashMap<ConversationId, String>,
}

impl Labels {
    /// `#general` for a channel that is known, the id for everything else.
    pub(crate) fn of(&self, id: &ConversationId) -> String {
        self.channels.get(id).cloned().unwrap_or_else(|| id.to_string())
    }
}

impl Session {
    /// The names of the conversations of a project.
    pub(crate) async fn labels_in(&self, project: &ProjectId) -> Result<Labels, Failure> {
        let channels = self.client.channels(project).await?.items;
        let channels = channels.iter().map(|channel| (channel.id.clone().into(), label(channel))).collect();
        Ok(Labels { channels })
    }
}

/// How people call a channel.
pub(crate) fn label(channel: &Channel) -> String {
    format!("#{}", channel.name)
}
