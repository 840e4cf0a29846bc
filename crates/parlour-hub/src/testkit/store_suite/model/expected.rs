use parlour_core::message::State;

use super::step::{AGENTS, CHANNELS, PEOPLE};
use crate::testkit::world::Draft;

/// One message of the model.
pub(super) struct Posted {
    pub(super) draft: Draft,
    pub(super) author: usize,
    pub(super) channel: usize,
    /// The text as it is now.
    pub(super) body: String,
    pub(super) state: State,
    /// Bits of the people that it mentions, and above them of the agents that are told.
    pub(super) called: u8,
    pub(super) seq: u64,
    pub(super) offset: u64,
    pub(super) is_removed: bool,
}

impl Posted {
    /// A draft that is about to be posted.
    pub(super) fn new(draft: Draft, author: usize, channel: usize, called: u8) -> Self {
        let (body, state) = (draft.message.body.clone(), draft.message.state);
        Self { draft, author, channel, body, state, called, seq: 0, offset: 0, is_removed: false }
    }
}

/// What comes of the wish to end a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Finish {
    Ended,
    EndedBefore,
    Removed,
}

/// What a store must show: the plainest way to keep it, for comparison only.
pub(super) struct Expected {
    pub(super) posts: Vec<Posted>,
    pub(super) events: u64,
    /// The read position of each person in each channel.
    read: [[u64; CHANNELS]; PEOPLE],
    /// The posts in the inbox of each agent.
    rows: [Vec<usize>; AGENTS],
}

impl Expected {
    pub(super) fn new(events: u64) -> Self {
        Self { posts: Vec::new(), events, read: Default::default(), rows: Default::default() }
    }

    /// A post by its number, modulo what there is.
    pub(super) fn pick(&self, post: usize) -> Option<usize> {
        post.checked_rem(self.posts.len())
    }

    /// Adds a post as the next of its channel, and answers its number there.
    pub(super) fn post(&mut self, post: Posted) -> u64 {
        self.events += 1;
        let seq = self.posts.iter().filter(|other| other.channel == post.channel).count() as u64 + 1;
        self.read[post.author][post.channel] = seq;
        self.tell(self.posts.len(), post.called);
        self.posts.push(Posted { seq, offset: self.events, ..post });
        seq
    }

    /// Ends a stream, unless it has ended.
    pub(super) fn finish(&mut self, post: usize, body: &str, called: u8) -> Finish {
        let message = &mut self.posts[post];
        match message.state {
            _ if message.is_removed => Finish::Removed,
            State::Streaming => {
                (message.body, message.called, message.state) = (body.to_owned(), called, State::Complete);
                self.tell(post, called);
                self.events += 1;
                Finish::Ended
            }
            _ => Finish::EndedBefore,
        }
    }

    /// Puts a post into the inboxes of the agents with these bits, at its place.
    fn tell(&mut self, post: usize, called: u8) {
        for (agent, rows) in self.rows.iter_mut().enumerate() {
            if called >> (PEOPLE + agent) & 1 == 1 && !rows.contains(&post) {
                rows.push(post);
                rows.sort_unstable();
            }
        }
    }

    /// Moves a read position forward; answers whether that was a change.
    pub(super) fn person_reads(&mut self, person: usize, post: usize) -> bool {
        let post = &self.posts[post];
        let read = &mut self.read[person][post.channel];
        let is_new = *read < post.seq;
        *read = post.seq.max(*read);
        self.count_event(is_new)
    }

    /// Takes a row out of an inbox, and answers which post that was.
    pub(super) fn agent_reads(&mut self, agent: usize, row: usize) -> Option<usize> {
        let row = row.checked_rem(self.rows[agent].len())?;
        self.count_event(true);
        Some(self.rows[agent].remove(row))
    }

    /// Removes a message from everywhere but its place; answers whether that was a change.
    pub(super) fn remove(&mut self, post: usize) -> bool {
        let is_new = !self.posts[post].is_removed;
        let message = &mut self.posts[post];
        message.is_removed = true;
        message.body.clear();
        if message.state == State::Streaming {
            message.state = State::Cancelled;
        }
        self.rows.iter_mut().for_each(|rows| rows.retain(|row| *row != post));
        self.count_event(is_new)
    }

    fn count_event(&mut self, is_new: bool) -> bool {
        self.events += u64::from(is_new);
        is_new
    }

    /// Number, text and state of each message of a channel.
    pub(super) fn history(&self, channel: usize) -> Vec<(u64, String, State)> {
        let posts = self.posts.iter().filter(|post| post.channel == channel);
        posts.map(|post| (post.seq, post.body.clone(), post.state)).collect()
    }

    /// The texts of all streams that are open, oldest first.
    pub(super) fn open_streams(&self) -> Vec<String> {
        let open = self.posts.iter().filter(|post| post.state == State::Streaming);
        open.map(|post| post.body.clone()).collect()
    }

    /// The texts in an agent's inbox.
    pub(super) fn inbox(&self, agent: usize) -> Vec<String> {
        self.rows[agent].iter().map(|post| self.posts[*post].body.clone()).collect()
    }

    /// Unread messages and mentions of a person in each channel.
    pub(super) fn person_unread(&self, person: usize) -> Vec<(u64, u64)> {
        let counts = |channel: usize| {
            let is_unread =
                |post: &&Posted| post.channel == channel && !post.is_removed && post.seq > self.read[person][channel];
            let unread: Vec<_> = self.posts.iter().filter(is_unread).collect();
            let mentions = unread.iter().filter(|post| post.called >> person & 1 == 1).count();
            (unread.len() as u64, mentions as u64)
        };
        (0..CHANNELS).map(counts).collect()
    }

    /// Unread messages of an agent in each channel; the model's agents are told without a mention.
    pub(super) fn agent_unread(&self, agent: usize) -> Vec<(u64, u64)> {
        let count = |channel| self.rows[agent].iter().filter(|post| self.posts[**post].channel == channel).count();
        (0..CHANNELS).map(|channel| (count(channel) as u64, 0)).collect()
    }
}
