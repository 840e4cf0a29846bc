//! Which events a tail shows.

use std::collections::HashSet;

use parlour_core::{
    event::Change,
    id::{ChannelId, ConversationId},
};

use crate::{failure::Failure, session::Session};

/// Only some channels and their threads, or everything.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    channels: HashSet<ChannelId>,
    /// The channels and all their threads.
    wanted: HashSet<ConversationId>,
}

impl Filter {
    /// The channels as they were typed; none means everything.
    pub(super) async fn load(session: &Session, channels: &[String]) -> Result<Self, Failure> {
        let mut filter = Self::default();
        for wanted in channels {
            let channel = session.channel(wanted).await?.id;
            let threads = session.client.threads(&channel).await?.items;
            filter.wanted.extend(threads.into_iter().map(|thread| thread.id.into()));
            filter.add(channel);
        }
        Ok(filter)
    }

    fn add(&mut self, channel: ChannelId) {
        self.wanted.insert(channel.clone().into());
        self.channels.insert(channel);
    }

    /// Whether only some events are wanted.
    pub(super) fn is_set(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Whether the event is wanted. Every event must come past here: new threads become known by theirs.
    pub(super) fn lets_through(&mut self, change: &Change) -> bool {
        if !self.is_set() {
            return true;
        }
        if let Change::ThreadCreated(thread) = change
            && self.channels.contains(&thread.channel_id)
        {
            self.wanted.insert(thread.id.clone().into());
        }
        change.conversation_id().is_some_and(|id| self.wanted.contains(&id))
    }
}

#[cfg(test)]
mod tests {
    use parlour_core::event::{ReactionMark, Subscription};
    use serde_json::json;

    use super::*;

    fn reacted_in(conversation: &str) -> Change {
        Change::Reacted(Box::new(ReactionMark {
            message_id: "msg_1".parse().expect("id"),
            conversation_id: conversation.parse().expect("id"),
            emoji: "👍".into(),
            member_id: "per_1".parse().expect("id"),
        }))
    }

    fn thread_in(channel: &str, thread: &str) -> Change {
        let json = json!({
            "id": thread, "project_id": "prj_1", "channel_id": channel, "root_message_id": "msg_1",
            "created_at": "2026-11-15T09:12:00.000Z",
        });
        Change::ThreadCreated(Box::new(serde_json::from_value(json).expect("a thread")))
    }

    fn only(channel: &str) -> Filter {
        let mut filter = Filter::default();
        filter.add(channel.parse().expect("id"));
        filter
    }

    #[test]
    fn without_channels_everything_is_wanted() {
        assert!(Filter::default().lets_through(&reacted_in("dm_1")));
    }

    #[test]
    fn with_channels_only_what_happens_there_is_wanted() {
        let mut filter = only("chn_1");
        assert!(filter.lets_through(&reacted_in("chn_1")));
        assert!(!filter.lets_through(&reacted_in("chn_2")) && !filter.lets_through(&reacted_in("dm_1")));
        let agent_id = "agt_1".parse().expect("id");
        let there = Subscription { channel_id: "chn_1".parse().expect("id"), agent_id };
        assert!(filter.lets_through(&Change::Subscribed(Box::new(there))));
    }

    #[test]
    fn threads_belong_to_their_channel_as_soon_as_they_are_opened() {
        let mut filter = only("chn_1");
        assert!(!filter.lets_through(&reacted_in("thr_1")));
        assert!(filter.lets_through(&thread_in("chn_1", "thr_1")));
        assert!(filter.lets_through(&reacted_in("thr_1")));
        assert!(!filter.lets_through(&thread_in("chn_2", "thr_2")) && !filter.lets_through(&reacted_in("thr_2")));
    }
}
