//! Streams: answers that are written piece by piece.
//!
//! The message of a stream is in the store from the beginning; its growing text is only in memory. Pieces are
//! collected for a window and published as one chunk, under the lock of the registry. A reader that joins under the
//! same lock sees neither a gap nor a duplicate. Only the store decides whether a stream has ended; the registry
//! stops its growth while an end is attempted.

mod ending;
mod open_stream;
mod open_streams;
mod steps;

use std::sync::Arc;

use parking_lot::Mutex;
use parlour_core::{
    Code, Refusal, Timestamp,
    access::{self, Membership, Principal},
    audience::{AccessRoot, Audience},
    engine::Usage,
    id::{MemberId, MessageId, ProjectId},
    limits,
    live::{AddChunk, Cancel, Complete, Fail},
    mention::MentionProblem,
    message::{Message, State},
    policy::StreamRules,
    position::Position,
    post::PostMessage,
    scope::Scope,
    step::{FinishStep, StartStep, Step},
    stream::StreamSnapshot,
    text,
};

use self::{
    open_stream::{NewStream, Producer},
    open_streams::{NextTimes, OpenStreams},
};
use crate::{
    Failure, Fault,
    access::{Access, refuse_conversation},
    calling::CallService,
    event_writer::EventWriter,
    failure::replace_refusal,
    infrastructure::Infrastructure,
    live::Feeds,
    ports::{Clock, PostContext, SavedStream, Store},
    project_state::ProjectStates,
    questions::QuestionService,
    timers::Alarm,
};

pub(crate) use self::{
    ending::StreamEnd,
    open_stream::{OpenStream, PendingFrame},
};

/// All open streams. Clones share the state.
#[derive(Clone, Default)]
pub(crate) struct StreamRegistry(Arc<SharedStreams>);

#[derive(Default)]
struct SharedStreams {
    open: Mutex<OpenStreams>,
    window_alarm: Alarm,
    lease_alarm: Alarm,
    save_alarm: Alarm,
}

impl SharedStreams {
    fn wake_loops(&self, before: NextTimes, after: NextTimes) {
        self.window_alarm.wake_if_earlier(before.window, after.window);
        self.lease_alarm.wake_if_earlier(before.lease, after.lease);
        self.save_alarm.wake_if_earlier(before.save, after.save);
    }
}

impl StreamRegistry {
    /// Runs `look` with the open streams of a project as published so far. Nothing is published meanwhile, so a
    /// reader that joins the feed inside of `look` continues exactly after these texts.
    pub(crate) fn with_running<T>(
        &self,
        project: &ProjectId,
        look: impl FnOnce(Vec<(Audience, StreamSnapshot)>) -> T,
    ) -> T {
        let open = self.0.open.lock();
        look(open.running(project))
    }

    fn producer(&self, id: &MessageId) -> Option<Producer> {
        let open = self.0.open.lock();
        open.get(id).map(OpenStream::producer)
    }

    fn update<T>(&self, act: impl FnOnce(&mut OpenStreams) -> T) -> T {
        let mut open = self.0.open.lock();
        let before = open.next_times();
        let outcome = act(&mut open);
        self.0.wake_loops(before, open.next_times());
        outcome
    }

    /// Changes the registry and publishes the resulting frames, in order and before the next change.
    pub(crate) fn update_and_publish<T>(&self, feeds: &Feeds, act: impl FnOnce(&mut OpenStreams) -> T) -> T {
        self.update(|open| {
            let outcome = act(open);
            for pending_frame in open.take_pending_frames() {
                feeds.publish_ephemeral(&pending_frame.project_id, pending_frame.audience, &pending_frame.frame);
            }
            outcome
        })
    }
}

/// Opens, extends and ends streams.
pub(crate) struct StreamService {
    pub(crate) registry: StreamRegistry,
    feeds: Arc<Feeds>,
    access: Access,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    projects: Arc<ProjectStates>,
    writer: EventWriter,
    calls: Arc<CallService>,
    questions: Arc<QuestionService>,
}

impl StreamService {
    pub(crate) fn new(parts: &Infrastructure, calls: &Arc<CallService>, questions: &Arc<QuestionService>) -> Self {
        Self {
            registry: StreamRegistry::default(),
            feeds: Arc::clone(&parts.feeds),
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            projects: Arc::clone(&parts.projects),
            writer: parts.writer.clone(),
            calls: Arc::clone(calls),
            questions: Arc::clone(questions),
        }
    }

    /// Fills in the text and the steps so far of a streaming message.
    pub(crate) async fn fill_streaming_text(&self, message: &mut Message) -> Result<(), Failure> {
        if message.state != State::Streaming {
            return Ok(());
        }
        let text_and_steps = self.registry.0.open.lock().get(&message.id).map(OpenStream::text_and_steps);
        match text_and_steps {
            Some(text_and_steps) => (message.body, message.steps) = text_and_steps,
            // The stream ended after the message was read: read it again, or its text would be missing.
            None => *message = self.store.message(&message.id).await?.unwrap_or_else(|| message.clone()),
        }
        Ok(())
    }

    /// Removes a stream whose message has ended; text that was not published yet never is.
    pub(crate) fn forget_stream(&self, id: &MessageId) {
        self.registry.update(|open| open.remove(id));
    }
}

pub(crate) fn refuse_ended(id: &MessageId, state: State) -> Refusal {
    let how = match state {
        State::Streaming => "being ended",
        State::Complete => "complete",
        State::Failed => "failed",
        State::Cancelled => "cancelled",
        State::Interrupted => "interrupted",
    };
    Refusal::new(Code::StreamEnded, format!("the answer {id} is {how}: nothing can be added to it"))
}

/// The state of an open stream after a request of its producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamLease {
    pub message_id: MessageId,
    /// Length of the text in Unicode code points: the start of the next chunk.
    pub chars: u64,
    /// When the stream is interrupted unless its producer sends something.
    pub lease_until: Timestamp,
}

/// A stream that has ended, with what its producer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedStream {
    pub message: Message,
    /// The position of its event in the log of the project.
    pub position: Position,
    /// Names in the text that could not be resolved.
    pub mention_problems: Vec<MentionProblem>,
    /// Why the message does not answer the open question that it replies to.
    pub answer_problem: Option<Refusal>,
}

impl StreamService {
    /// Appends a piece to the caller's open stream and renews its lease.
    pub(crate) async fn add_chunk(
        &self,
        caller: &Principal,
        id: &MessageId,
        chunk: AddChunk,
    ) -> Result<StreamLease, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        text::check_bytes(&chunk.text, limits::MESSAGE_BODY_BYTES_MAX).map_err(|refusal| refusal.at("text"))?;
        let add = |stream: &mut OpenStream, now, _: &mut _| stream.add(chunk.start, &chunk.text, now);
        Ok(self.write_stream(caller, id, add).await?.1)
    }

    pub(crate) async fn beat_stream(&self, caller: &Principal, id: &MessageId) -> Result<StreamLease, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        Ok(self.write_stream(caller, id, |_, _, _| Ok(())).await?.1)
    }

    /// Starts a step of the caller's open stream and renews its lease.
    pub(crate) async fn start_step(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: StartStep,
    ) -> Result<Step, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        request.check()?;
        Ok(self.write_stream(caller, id, |stream, now, out| stream.start_step(request, now, out)).await?.0)
    }

    /// Finishes a step of the caller's open stream and renews its lease.
    pub(crate) async fn finish_step(
        &self,
        caller: &Principal,
        id: &MessageId,
        step_id: &str,
        end: FinishStep,
    ) -> Result<Step, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        end.check()?;
        Ok(self.write_stream(caller, id, |stream, now, out| stream.finish_step(step_id, end, now, out)).await?.0)
    }

    /// Ends the caller's open stream as complete. Mentions and deliveries take effect only now.
    pub(crate) async fn complete_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Complete,
    ) -> Result<FinishedStream, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let Complete { body, content, mentions, usage } = request;
        let end = StreamEnd { body, content, mentions, usage, ..StreamEnd::new(State::Complete, None) };
        check_end(&end)?;
        let message = self.load_own_stream(caller, id).await?;
        self.end_stream(caller.attribution(self.clock.now()), message, end).await
    }

    pub(crate) async fn fail_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Fail,
    ) -> Result<FinishedStream, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        text::check_not_blank(&request.reason).map_err(|refusal| refusal.at("reason"))?;
        let end =
            StreamEnd { body: request.body, usage: request.usage, ..StreamEnd::new(State::Failed, request.reason) };
        check_end(&end)?;
        let message = self.load_own_stream(caller, id).await?;
        self.end_stream(caller.attribution(self.clock.now()), message, end).await
    }

    /// Cancels an open stream. Its producer, every person who may write in the conversation, and the project owner
    /// and administrators who can read it may do so. The producer learns of it by the refusal of its next chunk, or
    /// live.
    pub(crate) async fn cancel_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Cancel,
    ) -> Result<FinishedStream, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        let end = StreamEnd::new(State::Cancelled, request.reason);
        check_end(&end)?;
        let (message, membership) = self.access.load_visible_message(caller, id).await?;
        let project = self.access.load_visible_project(caller, &message.project_id).await?;
        access::check_cancel(caller, &message, &project, &membership)?;
        let ended = self.end_stream(caller.attribution(self.clock.now()), message, end).await?;
        Ok(FinishedStream { message: access::shown_to(caller, ended.message), ..ended })
    }

    /// Applies a change of the caller to its open stream.
    async fn write_stream<T>(
        &self,
        caller: &Principal,
        id: &MessageId,
        act: impl FnOnce(&mut OpenStream, Timestamp, &mut Vec<PendingFrame>) -> Result<T, Refusal>,
    ) -> Result<(T, StreamLease), Failure> {
        self.check_producer(caller, id).await?;
        let now = self.clock.now();
        let write = |stream: &mut OpenStream, out: &mut Vec<PendingFrame>| act(stream, now, out);
        match self.registry.update_and_publish(&self.feeds, |open| open.write(id, now, write)) {
            Some(outcome) => Ok(outcome?),
            None => Err(self.explain_missing(id).await?),
        }
    }

    /// Refuses every caller but the producer of an open stream that may still write in the conversation.
    async fn check_producer(&self, caller: &Principal, id: &MessageId) -> Result<(), Failure> {
        let membership = match self.registry.producer(id) {
            // Fast path for every chunk: the registry has the stream, and the cache has the membership.
            Some(producer) if producer.author == caller.member => self
                .cached_membership(caller, &producer)
                .await
                .map_err(replace_refusal(Refusal::not_found("message", id)))?,
            _ => {
                let (message, membership) = self.access.load_visible_message(caller, id).await?;
                access::check_produce(caller, &message)?;
                if message.state != State::Streaming {
                    return Err(refuse_ended(id, message.state).into());
                }
                self.open_stream(&message, None).await?;
                membership
            }
        };
        Ok(access::check_write(&membership)?)
    }

    async fn cached_membership(&self, caller: &Principal, producer: &Producer) -> Result<Membership, Failure> {
        let key = (caller.member.clone(), producer.conversation_id.clone());
        let load = async { Ok(Some(self.access.load_visible_conversation(caller, &key.1).await?.1)) };
        let membership = self
            .projects
            .get(&producer.project_id)
            .memberships
            .get_or_load(&key, load)
            .await?
            .expect("a membership is loaded or refused");
        // Another token of the same member, with the scope `admin`, may have cached it.
        if access::may_read(caller, &membership) { Ok(membership) } else { Err(refuse_conversation(&key.1).into()) }
    }

    async fn explain_missing(&self, id: &MessageId) -> Result<Failure, Failure> {
        match self.store.message(id).await?.map(|message| message.state) {
            Some(State::Streaming) | None => Ok(Fault::new("write a stream", format!("{id} cannot be opened")).into()),
            Some(state) => Ok(refuse_ended(id, state).into()),
        }
    }

    async fn load_own_stream(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let (message, _) = self.access.load_visible_message(caller, id).await?;
        access::check_produce(caller, &message)?;
        Ok(message)
    }
}

fn check_end(end: &StreamEnd) -> Result<(), Refusal> {
    let reason = end.reason.as_deref().unwrap_or_default();
    text::check_text(reason, limits::REASON_CHARS_MAX).map_err(|refusal| refusal.at("reason"))?;
    end.usage.as_ref().map_or(Ok(()), Usage::check)?;
    let as_post = PostMessage {
        body: end.body.clone().unwrap_or_default(),
        content: end.content.clone(),
        mentions: end.mentions.clone(),
        // The text may be blank here: the check of the end considers what was streamed.
        stream: true,
        ..PostMessage::default()
    };
    as_post.check()
}

impl StreamRegistry {
    /// Publishes the message of a stream by `put` and marks it as announced in the same step, so that its chunks are
    /// published before an end that follows at once.
    pub(crate) fn announce_with(&self, feeds: &Feeds, id: &MessageId, put: impl FnOnce()) {
        self.update_and_publish(feeds, |open| {
            put();
            open.announce(id);
        });
    }
}

impl StreamService {
    /// Marks a stream as announced, and opens it if its poster went away before it could. A failure is only logged:
    /// the first chunk opens the stream then.
    pub(crate) async fn announce_stream(&self, message: &Message) {
        if self.registry.update_and_publish(&self.feeds, |open| open.announce(&message.id)) {
            return;
        }
        if let Err(failure) = self.open_stream(message, None).await {
            tracing::warn!(message = %message.id, cause = %failure, "a stream could not be opened");
        }
    }

    /// Opens the stream of a message before the message is published. A failure is only logged.
    pub(crate) async fn prepare_stream(&self, message: &Message) {
        if let Err(failure) = self.open_unannounced(message, None).await {
            tracing::warn!(message = %message.id, cause = %failure, "a stream could not be opened");
        }
    }

    /// Opens the stream of a stored message, with the saved text, unless it is open.
    pub(crate) async fn open_stream(&self, message: &Message, kept: Option<SavedStream>) -> Result<(), Failure> {
        if self.registry.producer(&message.id).is_some() {
            return Ok(());
        }
        self.open_unannounced(message, kept).await?;
        self.registry.update_and_publish(&self.feeds, |open| open.announce(&message.id));
        Ok(())
    }

    async fn open_unannounced(&self, message: &Message, kept: Option<SavedStream>) -> Result<(), Failure> {
        if self.registry.producer(&message.id).is_some() {
            return Ok(());
        }
        let rules = self.stream_rules(&message.project_id).await?;
        let root = self.projects.access_root(&message.project_id, &message.to).await?;
        let Some(new_stream) = NewStream::of(message, rules, root) else { return Ok(()) };
        let new_stream = match kept {
            None => new_stream,
            Some(kept) => NewStream { text: kept.text, steps: kept.steps, ..new_stream },
        };
        let now = self.clock.now();
        self.registry.update(|open| open.open(new_stream, now));
        Ok(())
    }

    async fn stream_rules(&self, project: &ProjectId) -> Result<StreamRules, Failure> {
        let found = self.store.project(project).await?;
        Ok(found.ok_or_else(|| Refusal::not_found("project", project))?.policy.streams)
    }
}

/// Room in the registry for a stream whose message is being stored. Dropping it frees the room.
pub(crate) struct StreamReservation {
    registry: StreamRegistry,
    member: MemberId,
    rules: StreamRules,
    root: AccessRoot,
}

impl StreamService {
    /// Reserves room for the stream of a post before the post is stored, so that a stored message always has room.
    pub(crate) async fn reserve_stream(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
    ) -> Result<Option<StreamReservation>, Failure> {
        if !request.stream {
            return Ok(None);
        }
        let rules = self.stream_rules(post_context.conversation.project_id()).await?;
        let (registry, member) = (self.registry.clone(), caller.member.clone());
        match registry.update(|open| open.reserve(&member)) {
            Ok(()) => Ok(Some(StreamReservation {
                registry,
                member,
                rules,
                root: AccessRoot::of(&post_context.conversation),
            })),
            // A repeated post needs no room: it returns the first result.
            Err(_) if self.is_posted(request).await? => Ok(None),
            Err(refusal) => Err(refusal.into()),
        }
    }

    async fn is_posted(&self, request: &PostMessage) -> Result<bool, Failure> {
        match &request.id {
            None => Ok(false),
            Some(id) => Ok(self.store.message(id).await?.is_some()),
        }
    }
}

impl StreamReservation {
    /// Opens the stream of a stored message. Readers receive it after the fan-out has published the message.
    pub(crate) fn open(self, message: &Message, now: Timestamp) {
        if let Some(new_stream) = NewStream::of(message, self.rules.clone(), self.root.clone()) {
            self.registry.update(|open| open.open(new_stream, now));
        }
    }
}

impl Drop for StreamReservation {
    fn drop(&mut self) {
        self.registry.update(|open| open.release(&self.member));
    }
}

#[cfg(test)]
mod tests;
