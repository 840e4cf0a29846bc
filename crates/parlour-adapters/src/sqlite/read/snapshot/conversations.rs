//! The conversations of a snapshot.

use std::collections::BinaryHeap;

use parlour_core::{
    conversation::{Channel, Dm, Thread},
    event::{ChannelMember, Subscription},
    limits,
};
use rusqlite::{Row, named_params, params};

use crate::sqlite::{
    access::readable,
    error::StoreResult,
    read::snapshot::{Numbered, Sight, as_json},
    rows::{
        ReadColumn,
        conversation::{channel_from, dm_from, select_conversation, thread_from},
    },
};

/// The newest thread of a channel before this one.
pub(in crate::sqlite::read) const NEWEST_THREAD: &str = select_conversation!(
    "WHERE conversation.access_no = ?1 AND conversation.type = 1 AND conversation.no < ?2
     ORDER BY conversation.no DESC
     LIMIT 1"
);

/// Who sits in the private channels in which the viewer sits.
pub(in crate::sqlite::read) const CHANNEL_MEMBERS: &str = "SELECT conversation.id, member.id
     FROM conversation_member AS own
     JOIN conversation ON conversation.no = own.conversation_no
     JOIN conversation_member AS other ON other.conversation_no = conversation.no
     JOIN member ON member.no = other.member_no
     WHERE own.member_no = ?1 AND conversation.project_no = ?2 AND conversation.type = 0
         AND conversation.is_private = 1
     ORDER BY conversation.id, member.id";

/// Who follows these channels.
pub(in crate::sqlite::read) const SUBSCRIPTIONS: &str = "SELECT conversation.id, member.id
     FROM json_each(?1) AS place
     JOIN conversation ON conversation.no = place.value
     JOIN subscription ON subscription.channel_no = conversation.no
     JOIN member ON member.no = subscription.agent_no
     ORDER BY conversation.id, member.id";

/// The dms of the viewer.
pub(in crate::sqlite::read) const DMS: &str = select_conversation!(
    "JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     WHERE conversation_member.member_no = ?1 AND conversation.project_no = ?2 AND conversation.type = 2
     ORDER BY conversation_member.conversation_no"
);

impl Sight<'_> {
    /// The channels that the viewer may read.
    pub(super) fn channels(&self) -> StoreResult<Vec<Numbered<Channel>>> {
        let mut statement = self.db.prepare_cached(select_conversation!(
            "WHERE conversation.project_no = :project AND conversation.type = 0 AND ",
            readable!(),
            "\nORDER BY conversation.no"
        ))?;
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        let channel = |row: &Row<'_>| Ok(Numbered { no: row.get(0)?, value: channel_from(row)? });
        statement.query_and_then(params, channel)?.collect()
    }

    pub(super) fn channel_members(&self) -> StoreResult<Vec<ChannelMember>> {
        let mut statement = self.db.prepare_cached(CHANNEL_MEMBERS)?;
        let seat = |row: &Row<'_>| Ok(ChannelMember { channel_id: row.parsed(0)?, member_id: row.parsed(1)? });
        statement.query_and_then([self.viewer.no, self.project_no], seat)?.collect()
    }

    pub(super) fn subscriptions(&self, channels: &[Numbered<Channel>]) -> StoreResult<Vec<Subscription>> {
        let numbers: Vec<i64> = channels.iter().map(|channel| channel.no).collect();
        let mut statement = self.db.prepare_cached(SUBSCRIPTIONS)?;
        let one = |row: &Row<'_>| Ok(Subscription { channel_id: row.parsed(0)?, agent_id: row.parsed(1)? });
        statement.query_and_then([as_json(&numbers)], one)?.collect()
    }

    /// The newest threads of these channels, oldest first.
    ///
    /// Each step looks up one thread, so that neither the threads of hidden channels nor older ones cost anything.
    pub(super) fn threads(&self, channels: &[Numbered<Channel>]) -> StoreResult<Vec<Numbered<Thread>>> {
        let mut newest = BinaryHeap::new();
        for channel in channels {
            newest.extend(self.thread_before(channel.no, i64::MAX)?);
        }
        let mut threads = Vec::new();
        while threads.len() < limits::SNAPSHOT_ITEMS_MAX
            && let Some(next) = newest.pop()
        {
            newest.extend(self.thread_before(next.channel_no, next.no)?);
            threads.push(Numbered { no: next.no, value: next.thread });
        }
        threads.reverse();
        Ok(threads)
    }

    fn thread_before(&self, channel_no: i64, no: i64) -> StoreResult<Option<Candidate>> {
        let mut statement = self.db.prepare_cached(NEWEST_THREAD)?;
        let candidate = |row: &Row<'_>| Ok(Candidate { no: row.get(0)?, channel_no, thread: thread_from(row)? });
        statement.query_and_then(params![channel_no, no], candidate)?.next().transpose()
    }

    pub(super) fn dms(&self) -> StoreResult<Vec<Numbered<Dm>>> {
        let mut statement = self.db.prepare_cached(DMS)?;
        let dm = |row: &Row<'_>| Ok(Numbered { no: row.get(0)?, value: dm_from(self.db, row)? });
        statement.query_and_then([self.viewer.no, self.project_no], dm)?.collect()
    }
}

/// The next thread of one channel; the newest of all channels comes first.
struct Candidate {
    no: i64,
    channel_no: i64,
    thread: Thread,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.no.cmp(&other.no)
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.no == other.no
    }
}

impl Eq for Candidate {}
