//! The events that a tail prints: channels and start position.

use std::{collections::HashSet, str::FromStr};

use parlour_agent::live::Start;
use parlour_core::{
    event::Change,
    id::{ChannelId, ConversationId},
    position::Position,
};

use crate::{failure::Failure, session::Session};

/// Selects the events of some channels and their threads, or all.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelFilter {
    channels: HashSet<ChannelId>,
    wanted: HashSet<ConversationId>,
}

impl ChannelFilter {
    /// Resolves the channels; without channels all events match.
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

    pub(super) fn is_set(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Whether the event matches. Must be called for every event, because it tracks new threads.
    pub(super) fn matches(&mut self, change: &Change) -> bool {
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

/// The value of `--since`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Since {
    #[default]
    Now,
    Start,
    After(Position),
}

impl FromStr for Since {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Self::Start),
            "now" => Ok(Self::Now),
            _ => text.parse().map(Self::After).map_err(|_| {
                "not a position; write for example 4XQ0Z7-128 (from the output of tail or an event), `start` or `now`"
                    .into()
            }),
        }
    }
}

impl From<Since> for Start {
    fn from(since: Since) -> Self {
        match since {
            Since::Now => Self::Now,
            Since::Start => Self::Beginning,
            Since::After(position) => Self::After(position),
        }
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

    fn only(channel: &str) -> ChannelFilter {
        let mut filter = ChannelFilter::default();
        filter.add(channel.parse().expect("id"));
        filter
    }

    #[test]
    fn without_channels_every_event_passes() {
        assert!(ChannelFilter::default().matches(&reacted_in("dm_1")));
    }

    #[test]
    fn with_channels_only_their_events_pass() {
        let mut filter = only("chn_1");
        assert!(filter.matches(&reacted_in("chn_1")));
        assert!(!filter.matches(&reacted_in("chn_2")) && !filter.matches(&reacted_in("dm_1")));
        let agent_id = "agt_1".parse().expect("id");
        let there = Subscription { channel_id: "chn_1".parse().expect("id"), agent_id };
        assert!(filter.matches(&Change::Subscribed(Box::new(there))));
    }

    #[test]
    fn threads_belong_to_their_channel_from_their_creation() {
        let mut filter = only("chn_1");
        assert!(!filter.matches(&reacted_in("thr_1")));
        assert!(filter.matches(&thread_in("chn_1", "thr_1")));
        assert!(filter.matches(&reacted_in("thr_1")));
        assert!(!filter.matches(&thread_in("chn_2", "thr_2")) && !filter.matches(&reacted_in("thr_2")));
    }

    #[test]
    fn since_accepts_positions_and_two_keywords() {
        assert_eq!("start".parse(), Ok(Since::Start));
        assert_eq!("now".parse(), Ok(Since::Now));
        assert_eq!("E-7".parse(), Ok(Since::After(Position::new("E", 7).expect("a position"))));
        for text in ["", "7", "yesterday", "E-x"] {
            assert!(text.parse::<Since>().expect_err(text).contains("not a position"), "{text}");
        }
    }
}
