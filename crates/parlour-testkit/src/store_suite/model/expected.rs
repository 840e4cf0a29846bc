use parlour_core::{call::CallState, id::MessageId, message::State};

use super::step::{AGENTS, CHANNELS, PEOPLE};
use crate::test_store::MessageDraft;

/// One message of the model.
pub(super) struct ModelPost {
    pub(super) draft: MessageDraft,
    /// The number of a person; agents are numbered after the people.
    pub(super) author: usize,
    pub(super) channel: usize,
    /// The current text.
    pub(super) body: String,
    pub(super) state: State,
    /// Bits of the mentioned people, followed by bits of the agents that are called.
    pub(super) called: u8,
    pub(super) seq: u64,
    pub(super) offset: u64,
    pub(super) is_removed: bool,
}

impl ModelPost {
    pub(super) fn new(draft: MessageDraft, author: usize, channel: usize, called: u8) -> Self {
        let (body, state) = (draft.message.body.clone(), draft.message.state);
        Self { draft, author, channel, body, state, called, seq: 0, offset: 0, is_removed: false }
    }
}

/// The expected result of a request to end a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FinishOutcome {
    Ended,
    EndedBefore,
    Removed,
}

/// One call of the model.
struct ModelCall {
    /// The post that called.
    by: usize,
    /// The post that has taken it.
    answer: Option<usize>,
    is_closed: bool,
}

impl ModelCall {
    fn is_open(&self) -> bool {
        self.answer.is_none() && !self.is_closed
    }
}

/// The expected content of a store, in its simplest form.
pub(super) struct StoreModel {
    pub(super) posts: Vec<ModelPost>,
    pub(super) events: u64,
    /// The offset that the last write returned; further events of the same write have higher ones.
    pub(super) offset: u64,
    /// The read position of each person in each channel.
    read: [[u64; CHANNELS]; PEOPLE],
    /// The posts in the inbox of each agent.
    rows: [Vec<usize>; AGENTS],
    /// The posts that each agent has read and not answered.
    seen: [Vec<usize>; AGENTS],
    /// The calls of each agent, in the order in which they were made.
    calls: [Vec<ModelCall>; AGENTS],
}

impl StoreModel {
    pub(super) fn new(events: u64) -> Self {
        let (read, rows, seen, calls) = Default::default();
        Self { posts: Vec::new(), events, offset: events, read, rows, seen, calls }
    }

    /// The index of a post by a random number, modulo their count.
    pub(super) fn pick(&self, post: usize) -> Option<usize> {
        post.checked_rem(self.posts.len())
    }

    /// Adds a post to its channel, and returns its number there.
    pub(super) fn post(&mut self, post: ModelPost) -> u64 {
        self.count_event(true);
        let seq = self.posts.iter().filter(|other| other.channel == post.channel).count() as u64 + 1;
        if let Some(read) = self.read.get_mut(post.author) {
            read[post.channel] = seq;
        }
        self.deliver(self.posts.len(), post.called);
        self.posts.push(ModelPost { seq, offset: self.events, ..post });
        seq
    }

    /// Ends a stream that is open.
    pub(super) fn finish(&mut self, post: usize, body: &str, called: u8) -> FinishOutcome {
        let message = &mut self.posts[post];
        match message.state {
            _ if message.is_removed => FinishOutcome::Removed,
            State::Streaming => {
                (message.body, message.called, message.state) = (body.to_owned(), called, State::Complete);
                self.deliver(post, called);
                self.count_event(true);
                self.apply_answer(post);
                FinishOutcome::Ended
            }
            _ => FinishOutcome::EndedBefore,
        }
    }

    /// Adds a post to the inboxes of the agents with these bits, in order of its position, and calls them.
    fn deliver(&mut self, post: usize, called: u8) {
        for agent in (0..AGENTS).filter(|agent| called >> (PEOPLE + agent) & 1 == 1) {
            let (rows, calls) = (&mut self.rows[agent], &mut self.calls[agent]);
            if !rows.contains(&post) {
                rows.push(post);
                rows.sort_unstable();
                self.seen[agent].retain(|seen| *seen != post);
            }
            if calls.iter().all(|call| call.by != post) {
                calls.push(ModelCall { by: post, answer: None, is_closed: false });
            }
        }
    }

    /// Applies a complete answer: the message that it replies to, and read messages whose calls it took, become
    /// answered and leave the inbox, with one further event.
    fn apply_answer(&mut self, answer: usize) {
        let (Some(agent), State::Complete) = (self.posts[answer].author.checked_sub(PEOPLE), self.posts[answer].state)
        else {
            return;
        };
        let replied = self.posts[answer].draft.message.reply_to.as_ref();
        let replied = self.posts.iter().position(|post| Some(&post.draft.message.id) == replied);
        let taken = self.calls[agent].iter().filter(|call| call.answer == Some(answer)).map(|call| call.by);
        let read: Vec<usize> = taken.chain(replied).collect();
        let (rows, seen) = (&mut self.rows[agent], &mut self.seen[agent]);
        let before = rows.len() + seen.len();
        rows.retain(|row| Some(*row) != replied);
        seen.retain(|one| !read.contains(one));
        self.events += u64::from(rows.len() + seen.len() < before);
    }

    /// Adds an answer of an agent to a post, and takes the call that it answers.
    pub(super) fn answer(&mut self, agent: usize, by: usize, answer: ModelPost) -> u64 {
        let number = self.posts.len();
        for call in self.calls[agent].iter_mut().filter(|call| call.by == by && call.is_open()) {
            call.answer = Some(number);
        }
        let seq = self.post(answer);
        self.apply_answer(number);
        seq
    }

    /// Passes a call; returns whether that was a change, and none without such a call.
    pub(super) fn pass(&mut self, agent: usize, by: usize) -> Option<bool> {
        let call = self.calls[agent].iter_mut().find(|call| call.by == by)?;
        let is_new = call.is_open();
        call.is_closed |= is_new;
        Some(self.count_event(is_new))
    }

    /// Advances a read position; returns whether that was a change.
    pub(super) fn person_reads(&mut self, person: usize, post: usize) -> bool {
        let post = &self.posts[post];
        let read = &mut self.read[person][post.channel];
        let is_new = *read < post.seq;
        *read = post.seq.max(*read);
        self.count_event(is_new)
    }

    /// Removes a row from an inbox, and returns its post.
    pub(super) fn agent_reads(&mut self, agent: usize, row: usize) -> Option<usize> {
        let row = row.checked_rem(self.rows[agent].len())?;
        self.count_event(true);
        let post = self.rows[agent].remove(row);
        self.seen[agent].push(post);
        Some(post)
    }

    /// Removes a message; returns whether that was a change.
    pub(super) fn remove(&mut self, post: usize) -> bool {
        let is_new = !self.posts[post].is_removed;
        let message = &mut self.posts[post];
        message.is_removed = true;
        message.body.clear();
        if message.state == State::Streaming {
            message.state = State::Cancelled;
        }
        self.rows.iter_mut().chain(&mut self.seen).for_each(|rows| rows.retain(|row| *row != post));
        for call in self.calls.iter_mut().flatten().filter(|call| call.by == post && call.is_open()) {
            call.is_closed = true;
        }
        self.count_event(is_new)
    }

    fn count_event(&mut self, is_new: bool) -> bool {
        self.events += u64::from(is_new);
        self.offset = self.events;
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

    /// The calls of an agent by creation: message, state and answer.
    pub(super) fn calls(&self, agent: usize) -> Vec<(MessageId, CallState, Option<MessageId>)> {
        let id = |post: usize| self.posts[post].draft.message.id.clone();
        let shown = |call: &ModelCall| {
            let state = match call.answer {
                Some(answer) => CallState::of_answer(self.posts[answer].state),
                None if call.is_closed => CallState::Passed,
                None => CallState::Open,
            };
            (id(call.by), state, call.answer.map(id))
        };
        self.calls[agent].iter().map(shown).collect()
    }

    /// The number of open calls of an agent in each channel.
    pub(super) fn waiting(&self, agent: usize) -> Vec<u64> {
        let open = || self.calls[agent].iter().filter(|call| call.is_open());
        let count = |channel| open().filter(|call| self.posts[call.by].channel == channel).count() as u64;
        (0..CHANNELS).map(count).collect()
    }

    /// Unread messages and mentions of a person in each channel.
    pub(super) fn person_unread(&self, person: usize) -> Vec<(u64, u64)> {
        let counts = |channel: usize| {
            let is_unread = |post: &&ModelPost| {
                post.channel == channel && !post.is_removed && post.seq > self.read[person][channel]
            };
            let unread: Vec<_> = self.posts.iter().filter(is_unread).collect();
            let mentions = unread.iter().filter(|post| post.called >> person & 1 == 1).count();
            (unread.len() as u64, mentions as u64)
        };
        (0..CHANNELS).map(counts).collect()
    }

    /// Unread messages of an agent in each channel; agents of the model get no mentions.
    pub(super) fn agent_unread(&self, agent: usize) -> Vec<(u64, u64)> {
        let count = |channel| self.rows[agent].iter().filter(|post| self.posts[**post].channel == channel).count();
        (0..CHANNELS).map(|channel| (count(channel) as u64, 0)).collect()
    }
}
