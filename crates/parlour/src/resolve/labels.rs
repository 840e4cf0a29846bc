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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_is_called_by_its_id() {
        let id = |text: &str| text.parse::<ConversationId>().expect("id");
        let labels = Labels { channels: HashMap::from([(id("chn_1"), "#general".to_owned())]) };
        assert_eq!(labels.of(&id("chn_1")), "#general");
        assert_eq!([labels.of(&id("chn_2")), labels.of(&id("thr_1"))], ["chn_2", "thr_1"]);
    }
}
