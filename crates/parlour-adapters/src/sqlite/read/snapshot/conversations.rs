//! The conversations of a snapshot, with their members, subscriptions and read states.

use std::collections::BinaryHeap;

use parlour_core::{
    conversation::{Channel, Dm, Thread},
    event::{ChannelMember, Subscription},
    limits,
    snapshot::ReadState,
};
use rusqlite::{Row, named_params, params};

use crate::sqlite::{
    access::readable,
    error::StoreResult,
    lookup::as_i64,
    read::snapshot::{NumberedRow, SnapshotReader, as_json},
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

/// The members of the private channels of which the viewer is a member.
pub(in crate::sqlite::read) const CHANNEL_MEMBERS: &str = "SELECT conversation.id, member.id
     FROM conversation_member AS own
     JOIN conversation ON conversation.no = own.conversation_no
     JOIN conversation_member AS other ON other.conversation_no = conversation.no
     JOIN member ON member.no = other.member_no
     WHERE own.member_no = ?1 AND conversation.project_no = ?2 AND conversation.type = 0
         AND conversation.is_private = 1
     ORDER BY conversation.id, member.id";

/// The subscriptions to these channels.
pub(in crate::sqlite::read) const SUBSCRIPTIONS: &str = "SELECT conversation.id, member.id
     FROM json_each(?1) AS listed
     JOIN conversation ON conversation.no = listed.value
     JOIN subscription ON subscription.channel_no = conversation.no
     JOIN member ON member.no = subscription.agent_no
     ORDER BY conversation.id, member.id";

/// Seqs have no gaps, so the unread messages are all after the read position except removed ones.
pub(in crate::sqlite::read) const READ_STATES: &str = "SELECT conversation.id, progress.last_seq, progress.read_seq,
         progress.last_seq - progress.read_seq - (
             SELECT COUNT(*)
             FROM message
             WHERE message.conversation_no = progress.no AND message.seq > progress.read_seq
                 AND message.removed_ms IS NOT NULL
         ), (
             SELECT json_group_array(newest.seq)
             FROM (
                 SELECT mention.seq AS seq
                 FROM mention
                 WHERE mention.member_no = ?2 AND mention.conversation_no = progress.no AND mention.seq > progress.read_seq
                 ORDER BY mention.seq DESC
                 LIMIT ?3
             ) AS newest
         )
     FROM (
         SELECT listed.value AS no, COALESCE(read_position.seq, 0) AS read_seq, (
                 SELECT MAX(message.seq)
                 FROM message
                 WHERE message.conversation_no = listed.value
             ) AS last_seq
         FROM json_each(?1) AS listed
         LEFT JOIN read_position
             ON read_position.member_no = ?2 AND read_position.conversation_no = listed.value
     ) AS progress
     JOIN conversation ON conversation.no = progress.no
     WHERE progress.last_seq > 0
     ORDER BY conversation.id";

/// The DMs of the viewer.
pub(in crate::sqlite::read) const DMS: &str = select_conversation!(
    "JOIN conversation_member ON conversation_member.conversation_no = conversation.no
     WHERE conversation_member.member_no = ?1 AND conversation.project_no = ?2 AND conversation.type = 2
     ORDER BY conversation_member.conversation_no"
);

impl SnapshotReader<'_> {
    /// The channels that the viewer may read.
    pub(super) fn channels(&self) -> StoreResult<Vec<NumberedRow<Channel>>> {
        let mut statement = self.db.prepare_cached(select_conversation!(
            "WHERE conversation.project_no = :project AND conversation.type = 0 AND ",
            readable!(),
            "\nORDER BY conversation.no"
        ))?;
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        let channel = |row: &Row<'_>| Ok(NumberedRow { no: row.get(0)?, value: channel_from(row)? });
        statement.query_and_then(params, channel)?.collect()
    }

    pub(super) fn channel_members(&self) -> StoreResult<Vec<ChannelMember>> {
        let mut statement = self.db.prepare_cached(CHANNEL_MEMBERS)?;
        let member = |row: &Row<'_>| Ok(ChannelMember { channel_id: row.parsed(0)?, member_id: row.parsed(1)? });
        statement.query_and_then([self.viewer.no, self.project_no], member)?.collect()
    }

    pub(super) fn subscriptions(&self, channels: &[NumberedRow<Channel>]) -> StoreResult<Vec<Subscription>> {
        let numbers: Vec<i64> = channels.iter().map(|channel| channel.no).collect();
        let mut statement = self.db.prepare_cached(SUBSCRIPTIONS)?;
        let one = |row: &Row<'_>| Ok(Subscription { channel_id: row.parsed(0)?, agent_id: row.parsed(1)? });
        statement.query_and_then([as_json(&numbers)], one)?.collect()
    }

    /// The newest threads of these channels, oldest first.
    ///
    /// Each step looks up one thread, so threads of hidden channels and older threads cost nothing.
    pub(super) fn threads(&self, channels: &[NumberedRow<Channel>]) -> StoreResult<Vec<NumberedRow<Thread>>> {
        let mut newest = BinaryHeap::new();
        for channel in channels {
            newest.extend(self.thread_before(channel.no, i64::MAX)?);
        }
        let mut threads = Vec::new();
        while threads.len() < limits::SNAPSHOT_ITEMS_MAX
            && let Some(next) = newest.pop()
        {
            newest.extend(self.thread_before(next.channel_no, next.no)?);
            threads.push(NumberedRow { no: next.no, value: next.thread });
        }
        threads.reverse();
        Ok(threads)
    }

    fn thread_before(&self, channel_no: i64, no: i64) -> StoreResult<Option<NextThread>> {
        let mut statement = self.db.prepare_cached(NEWEST_THREAD)?;
        let candidate = |row: &Row<'_>| Ok(NextThread { no: row.get(0)?, channel_no, thread: thread_from(row)? });
        statement.query_and_then(params![channel_no, no], candidate)?.next().transpose()
    }

    pub(super) fn dms(&self) -> StoreResult<Vec<NumberedRow<Dm>>> {
        let mut statement = self.db.prepare_cached(DMS)?;
        let dm = |row: &Row<'_>| Ok(NumberedRow { no: row.get(0)?, value: dm_from(self.db, row)? });
        statement.query_and_then([self.viewer.no, self.project_no], dm)?.collect()
    }

    /// The read states of the viewer in these conversations.
    pub(super) fn read_states(&self, conversation_nos: &[i64]) -> StoreResult<Vec<ReadState>> {
        let mut statement = self.db.prepare_cached(READ_STATES)?;
        let mentions_max = as_i64(limits::SNAPSHOT_MENTIONS_MAX as u64);
        let params = params![as_json(conversation_nos), self.viewer.no, mentions_max];
        statement.query_and_then(params, read_state_from)?.collect()
    }
}

fn read_state_from(row: &Row<'_>) -> StoreResult<ReadState> {
    let mut mentions: Vec<u64> = row.json(4)?;
    mentions.sort_unstable();
    Ok(ReadState {
        conversation_id: row.parsed(0)?,
        last_seq: row.count(1)?,
        read_seq: row.count(2)?,
        unread: row.count(3)?,
        mentions,
    })
}

/// The next thread of one channel. The order puts the newest thread of all channels first.
struct NextThread {
    no: i64,
    channel_no: i64,
    thread: Thread,
}

impl Ord for NextThread {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.no.cmp(&other.no)
    }
}

impl PartialOrd for NextThread {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for NextThread {
    fn eq(&self, other: &Self) -> bool {
        self.no == other.no
    }
}

impl Eq for NextThread {}
