//! Labels of conversations.

use std::collections::HashMap;

use parlour_core::{
    conversation::Channel,
    id::{ConversationId, ProjectId},
};

use crate::{failure::Failure, session::Session};

/// The labels of the channels of a project.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChannelLabels {
    channels: HashMap<ConversationId, String>,
}

impl ChannelLabels {
    /// `#general` for a known channel, else the id.
    pub(crate) fn of(&self, id: &ConversationId) -> String {
        self.channels.get(id).cloned().unwrap_or_else(|| id.to_string())
    }
}

impl Session {
    pub(crate) async fn labels_in(&self, project: &ProjectId) -> Result<ChannelLabels, Failure> {
        let channels = self.client.channels(project).await?.items;
        let channels = channels.iter().map(|channel| (channel.id.clone().into(), label(channel))).collect();
        Ok(ChannelLabels { channels })
    }
}

pub(crate) fn label(channel: &Channel) -> String {
    format!("#{}", channel.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversations_without_a_name_are_shown_by_id() {
        let id = |text: &str| text.parse::<ConversationId>().expect("id");
        let labels = ChannelLabels { channels: HashMap::from([(id("chn_1"), "#general".to_owned())]) };
        assert_eq!(labels.of(&id("chn_1")), "#general");
        assert_eq!([labels.of(&id("chn_2")), labels.of(&id("thr_1"))], ["chn_2", "thr_1"]);
    }
}
