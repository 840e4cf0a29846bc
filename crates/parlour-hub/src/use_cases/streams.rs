//! Answers that are written piece by piece.

use parlour_core::{
    Refusal, Timestamp,
    access::{self, Membership, Principal},
    id::{ConversationId, MessageId},
    limits,
    live::{AddChunk, Cancel, Complete, Fail},
    mention::MentionProblem,
    message::{Message, State},
    position::Position,
    post::PostMessage,
    scope::Scope,
    step::{FinishStep, StartStep, Step},
    text,
    usage::Usage,
};

use super::see::{replace_refusal, refuse_conversation};
use crate::{
    Failure, Fault, Hub,
    streams::{StreamEnd, OpenStream, PendingFrame, refuse_ended},
};

/// How an open answer stands after its producer gave a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamLease {
    /// The answer.
    pub message_id: MessageId,
    /// How many characters (Unicode code points) its text has: the start of the next chunk.
    pub chars: u64,
    /// When it ends as interrupted, unless its producer gives another sign.
    pub lease_until: Timestamp,
}

/// An answer that has ended, with what its producer should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedStream {
    /// The message.
    pub message: Message,
    /// Where its event stands in the project's log.
    pub position: Position,
    /// Names in the text that called nobody.
    pub mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to.
    pub answer_problem: Option<Refusal>,
}

impl Hub {
    /// Adds a piece to the caller's open answer and renews its lease.
    pub async fn add_chunk(&self, caller: &Principal, id: &MessageId, chunk: AddChunk) -> Result<StreamLease, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        text::check_bytes(&chunk.text, limits::MESSAGE_BODY_BYTES_MAX).map_err(|refusal| refusal.at("text"))?;
        let add = |stream: &mut OpenStream, now, _: &mut _| stream.add(chunk.start, &chunk.text, now);
        Ok(self.write_stream(caller, id, add).await?.1)
    }

    /// Renews the lease of the caller's open answer.
    pub async fn beat_stream(&self, caller: &Principal, id: &MessageId) -> Result<StreamLease, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        Ok(self.write_stream(caller, id, |_, _, _| Ok(())).await?.1)
    }

    /// Begins a step of the caller's open answer and renews its lease.
    pub async fn start_step(&self, caller: &Principal, id: &MessageId, request: StartStep) -> Result<Step, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        request.check()?;
        Ok(self.write_stream(caller, id, |stream, now, out| stream.start_step(request, now, out)).await?.0)
    }

    /// Ends a step of the caller's open answer and renews its lease.
    pub async fn finish_step(
        &self,
        caller: &Principal,
        id: &MessageId,
        step_id: &str,
        end: FinishStep,
    ) -> Result<Step, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        end.check()?;
        Ok(self.write_stream(caller, id, |stream, now, out| stream.finish_step(step_id, end, now, out)).await?.0)
    }

    /// Ends the caller's open answer as complete. Who is mentioned, and who listens, is told only now.
    pub async fn complete_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Complete,
    ) -> Result<FinishedStream, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        let Complete { body, content, mentions, usage } = request;
        let end = StreamEnd { body, content, mentions, usage, ..StreamEnd::new(State::Complete, None) };
        check_end(&end)?;
        let message = self.load_own_stream(caller, id).await?;
        self.end_stream(caller.attribution(self.clock.now()), message, end).await
    }

    /// Ends the caller's open answer as failed.
    pub async fn fail_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Fail,
    ) -> Result<FinishedStream, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        text::check_not_blank(&request.reason).map_err(|refusal| refusal.at("reason"))?;
        let end = StreamEnd { body: request.body, usage: request.usage, ..StreamEnd::new(State::Failed, request.reason) };
        check_end(&end)?;
        let message = self.load_own_stream(caller, id).await?;
        self.end_stream(caller.attribution(self.clock.now()), message, end).await
    }

    /// Stops an open answer: by its producer, by any person who may write in the conversation, and by the owner of the
    /// project and administrators who can read it. Its producer learns of it with its next chunk, or live.
    pub async fn cancel_stream(
        &self,
        caller: &Principal,
        id: &MessageId,
        request: Cancel,
    ) -> Result<FinishedStream, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        let end = StreamEnd::new(State::Cancelled, request.reason);
        check_end(&end)?;
        let (message, membership) = self.load_visible_message(caller, id).await?;
        let project = self.load_visible_project(caller, &message.project_id).await?;
        access::check_cancel(caller, &message, &project, &membership)?;
        let ended = self.end_stream(caller.attribution(self.clock.now()), message, end).await?;
        Ok(FinishedStream { message: access::shown_to(caller, ended.message), ..ended })
    }

    /// Lets the caller change its open answer.
    async fn write_stream<T>(
        &self,
        caller: &Principal,
        id: &MessageId,
        act: impl FnOnce(&mut OpenStream, Timestamp, &mut Vec<PendingFrame>) -> Result<T, Refusal>,
    ) -> Result<(T, StreamLease), Failure> {
        self.check_producer(caller, id).await?;
        let now = self.clock.now();
        let write = |stream: &mut OpenStream, out: &mut Vec<PendingFrame>| act(stream, now, out);
        match self.streams.update_and_publish(&self.feeds, |open| open.write(id, now, write)) {
            Some(outcome) => Ok(outcome?),
            None => Err(self.explain_missing(id).await?),
        }
    }

    /// Refuses everybody but the producer of an open answer, while it may still write there.
    async fn check_producer(&self, caller: &Principal, id: &MessageId) -> Result<(), Failure> {
        let membership = match self.streams.producer(id) {
            // The usual way, once for each chunk: the book knows the message, and memory whether the author may write.
            Some((author, conversation)) if author == caller.member => {
                self.cached_membership(caller, conversation).await.map_err(replace_refusal(Refusal::not_found("message", id)))?
            }
            _ => {
                let (message, membership) = self.load_visible_message(caller, id).await?;
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

    async fn cached_membership(&self, caller: &Principal, conversation: ConversationId) -> Result<Membership, Failure> {
        let key = (caller.member.clone(), conversation);
        let load = async { Ok(Some(self.load_visible_conversation(caller, &key.1).await?.1)) };
        let membership = self.memberships.get_or_load(&key, load).await?.expect("a membership is loaded or refused");
        // Another token of the same member, one with the scope `admin`, may have left it there.
        if access::may_read(caller, &membership) { Ok(membership) } else { Err(refuse_conversation(&key.1).into()) }
    }

    /// Why a stream is not open although it was a moment ago.
    async fn explain_missing(&self, id: &MessageId) -> Result<Failure, Failure> {
        match self.store.message(id).await?.map(|message| message.state) {
            Some(State::Streaming) | None => Ok(Fault::new("write a stream", format!("{id} cannot be opened")).into()),
            Some(state) => Ok(refuse_ended(id, state).into()),
        }
    }

    async fn load_own_stream(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        let (message, _) = self.load_visible_message(caller, id).await?;
        access::check_produce(caller, &message)?;
        Ok(message)
    }
}

/// Refuses an end with a value that a post could not have either.
fn check_end(end: &StreamEnd) -> Result<(), Refusal> {
    let reason = end.reason.as_deref().unwrap_or_default();
    text::check_text(reason, limits::REASON_CHARS_MAX).map_err(|refusal| refusal.at("reason"))?;
    end.usage.as_ref().map_or(Ok(()), Usage::check)?;
    let as_post = PostMessage {
        body: end.body.clone().unwrap_or_default(),
        content: end.content.clone(),
        mentions: end.mentions.clone(),
        // The text may be blank here: whether that says too little depends on what was streamed.
        stream: true,
        ..PostMessage::default()
    };
    as_post.check()
}
