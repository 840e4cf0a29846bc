//! Ends of streams: by their producer, by cancellation, by an expired lease and after a restart.

use futures_util::{StreamExt, future, stream};
use parlour_core::{
    Code, Refusal,
    attribution::Attribution,
    call::Calls,
    engine::Usage,
    event::Change,
    id::MessageId,
    inbox::deliveries,
    limits,
    mention::{MentionProblem, Mentions},
    message::{Message, State},
    model_visibility,
    step::Step,
    text,
    write::{Appended, Entry, NewText, Novelty, StreamEnding, Write},
};
use serde_json::Value;

use super::StreamService;
use crate::{
    Failure, Fault,
    calling::{PostCommit, report_wide_mention},
    live::Feeds,
    ports::{PostContext, SavedStream},
    streams::{FinishedStream, StreamRegistry, refuse_ended},
    timers::ExpiredLease,
};

/// How a stream is to end.
#[derive(Clone, Debug)]
pub(crate) struct StreamEnd {
    /// Any state but `Streaming`.
    pub(crate) state: State,
    pub(crate) reason: Option<String>,
    /// The final text; the streamed text if absent.
    pub(crate) body: Option<String>,
    pub(crate) content: Option<Value>,
    /// Members to call besides those named in the text.
    pub(crate) mentions: Vec<String>,
    pub(crate) usage: Option<Usage>,
}

impl StreamEnd {
    /// An end that keeps the streamed text.
    pub(crate) fn new(state: State, reason: impl Into<Option<String>>) -> Self {
        Self { state, reason: reason.into(), body: None, content: None, mentions: Vec::new(), usage: None }
    }
}

impl StreamService {
    /// Ends the stream of a stored message. Repeating the same end returns the first result; another end is refused
    /// (`StreamEnded`). If the store fails, the stream continues and can be ended again.
    pub(crate) async fn end_stream(
        &self,
        attribution: Attribution,
        message: Message,
        end: StreamEnd,
    ) -> Result<FinishedStream, Failure> {
        if message.state == State::Streaming {
            self.open_stream(&message, None).await?;
        }
        if let Some(end_attempt) = self.registry.close(&self.feeds, &message, end.state) {
            match self.end_open(&attribution, &message, end_attempt, &end).await {
                // Another request was faster, perhaps with the same end.
                Err(Failure::Refused(refusal)) if refusal.code == Code::StreamEnded => {}
                outcome => return outcome,
            }
        }
        let message =
            self.store.message(&message.id).await?.ok_or_else(|| Refusal::not_found("message", &message.id))?;
        self.repeat_end(attribution, message, end).await
    }

    async fn end_open(
        &self,
        attribution: &Attribution,
        message: &Message,
        mut end_attempt: EndAttempt,
        end: &StreamEnd,
    ) -> Result<FinishedStream, Failure> {
        let author = message.from.member_id();
        let post_context = match &author {
            Some(author) => self.store.post_context(&message.to, author).await?,
            None => None,
        };
        let post_context = post_context.ok_or_else(|| Refusal::not_found("conversation", &message.to))?;
        let body = end.body.clone().unwrap_or_else(|| std::mem::take(&mut end_attempt.text));
        let found = self.final_mentions(message, &body, end, &post_context).await?;
        let mut ending = StreamEnding {
            state: end.state,
            reason: end.reason.clone(),
            text: NewText { body, mentions: found.members, deliveries: Vec::new() },
            content: end.content.clone(),
            steps: std::mem::take(&mut end_attempt.steps),
            calls: Calls::default(),
            usage: end.usage.clone(),
            answer_to: None,
        };
        let mut finished = message.clone().finished(&ending);
        check_not_empty(&finished)?;
        let mut post_commit = PostCommit::default();
        ending.calls = self.calls.decide_calls(&mut finished, &post_context, &mut post_commit).await?;
        let reply = self.questions.attach_answer(&mut finished, &post_context, &mut post_commit).await?;
        ending.answer_to.clone_from(&finished.answer_to);
        if model_visibility::may_wake(&finished) {
            ending.text.deliveries = deliveries(author.as_ref(), &finished.mentions, &post_context.listeners);
        }
        let settle = |outcome: &Result<Appended, Failure>| end_attempt.settle(outcome);
        let ended = self.append_end(attribution, message, ending, post_commit, settle, found.problems).await?;
        let answer_problem = self.questions.explain_unsettled_answer(reply, Novelty::New, &ended.message).await;
        Ok(FinishedStream { answer_problem, ..ended })
    }

    /// Returns the first result of an end that was already made.
    async fn repeat_end(
        &self,
        attribution: Attribution,
        message: Message,
        end: StreamEnd,
    ) -> Result<FinishedStream, Failure> {
        if message.state != end.state || message.removed_at.is_some() {
            return Err(refuse_ended(&message.id, message.state).into());
        }
        // A repeated cancellation keeps the reason of the first.
        let reason = if end.state == State::Cancelled { message.reason.clone() } else { end.reason };
        let body = end.body.unwrap_or_else(|| message.body.clone());
        let text = NewText { body, mentions: message.mentions.clone(), deliveries: Vec::new() };
        let steps = message.steps.clone();
        let calls = Calls { called: Vec::new(), held: message.held.clone() };
        let ending = StreamEnding {
            state: end.state,
            reason,
            text,
            content: end.content,
            steps,
            calls,
            usage: end.usage,
            answer_to: message.answer_to.clone(),
        };
        self.append_end(&attribution, &message, ending, PostCommit::default(), |_| {}, Vec::new()).await
    }

    /// Writes the end to the store. The write is completed even if the caller goes away, so that the registry matches
    /// the store.
    async fn append_end(
        &self,
        attribution: &Attribution,
        message: &Message,
        ending: StreamEnding,
        post_commit: PostCommit,
        settle: impl FnOnce(&Result<Appended, Failure>) + Send + 'static,
        mention_problems: Vec<MentionProblem>,
    ) -> Result<FinishedStream, Failure> {
        let entry = Entry {
            project_id: message.project_id.clone(),
            attribution: attribution.clone(),
            write: Write::FinishMessage(message.id.clone(), ending),
        };
        let appended = self.writer.append_with(entry, post_commit, settle).await?;
        match appended.change {
            Change::MessageFinished(message) => Ok(FinishedStream {
                message: *message,
                position: appended.position,
                mention_problems,
                answer_problem: None,
            }),
            other => Err(crate::failure::unexpected_change(&other)),
        }
    }

    /// Members that the final text calls, with those that were named beside it now or at the start.
    async fn final_mentions(
        &self,
        message: &Message,
        body: &str,
        end: &StreamEnd,
        post_context: &PostContext,
    ) -> Result<Mentions, Failure> {
        let mut found = self.calls.resolve_mentions(&message.project_id, body, &end.mentions).await?;
        if !message.mentions.is_empty() {
            let begun_with = self.calls.resolve_mentions(&message.project_id, &message.body, &[]).await?;
            for member in message.mentions.iter().filter(|member| !begun_with.members.contains(member)) {
                if !found.members.contains(member) && found.members.len() < limits::MENTIONS_MAX {
                    found.members.push(member.clone());
                }
            }
        }
        let mut found =
            self.calls.keep_readable_mentions(&message.to, post_context.membership.visibility, found).await?;
        // A stream cannot ask for a confirmation: its text is already published.
        report_wide_mention(&mut found);
        Ok(found)
    }
}

/// Refuses to complete an answer without any content.
fn check_not_empty(finished: &Message) -> Result<(), Refusal> {
    let has_more = finished.content.is_some() || !finished.artifacts.is_empty() || !finished.attachments.is_empty();
    if finished.state != State::Complete || has_more {
        return Ok(());
    }
    text::check_not_blank(&finished.body).map_err(|refusal| refusal.at("body"))
}

/// An attempt to end a stream, during which its text does not grow. If it is dropped without a result, the stream
/// continues.
pub(crate) struct EndAttempt {
    registry: StreamRegistry,
    message_id: MessageId,
    pub(crate) text: String,
    pub(crate) steps: Vec<Step>,
    has_ended: bool,
}

impl StreamRegistry {
    /// Stops the growth of a stream while an end is attempted, and publishes the rest of its text.
    pub(crate) fn close(&self, feeds: &Feeds, message: &Message, state: State) -> Option<EndAttempt> {
        let message_id = message.id.clone();
        let (text, steps) = self.update_and_publish(feeds, |open| open.close(&message_id, state))?;
        Some(EndAttempt { registry: self.clone(), message_id, text, steps, has_ended: false })
    }
}

impl EndAttempt {
    /// Removes the stream if it has ended in the store, in this or another way.
    pub(crate) fn settle(mut self, outcome: &Result<Appended, Failure>) {
        self.has_ended = match outcome {
            Ok(_) => true,
            Err(failure) => is_already_ended(failure),
        };
    }
}

/// Whether a failed end means that the stream has already ended or does not exist.
pub(super) fn is_already_ended(failure: &Failure) -> bool {
    failure.refusal().is_some_and(|no| matches!(no.code, Code::StreamEnded | Code::Removed | Code::NotFound))
}

impl Drop for EndAttempt {
    fn drop(&mut self) {
        let (id, has_ended) = (&self.message_id, self.has_ended);
        self.registry.update(|open| if has_ended { open.remove(id) } else { open.reopen(id) });
    }
}

/// The reason of streams that were open when the hub stopped.
const REASON: &str = "the hub was started again while it was being written";

impl StreamService {
    /// Interrupts all streams that were open when the hub stopped, with their saved text.
    ///
    /// A stream that cannot be ended now ends with its lease. The others are still ended; the first failure is
    /// returned.
    pub(crate) async fn interrupt_abandoned_streams(&self) -> Result<u64, Failure> {
        let left = self.store.open_streams().await?;
        let left = left.into_iter().filter(|(message, _)| self.registry.producer(&message.id).is_none());
        let outcomes: Vec<_> = stream::iter(left.map(|(message, kept)| self.interrupt_abandoned(message, kept)))
            // As many as share one sync of the disk.
            .buffer_unordered(limits::STORE_GROUP_LEN_MAX)
            .collect()
            .await;
        let count = outcomes.len() as u64;
        outcomes.into_iter().collect::<Result<(), Failure>>().map(|()| count)
    }

    async fn interrupt_abandoned(&self, message: Message, kept: SavedStream) -> Result<(), Failure> {
        self.open_stream(&message, Some(kept)).await?;
        self.interrupt(&message.id, REASON.to_owned()).await
    }
}

impl StreamService {
    /// Publishes chunks at the end of their window, interrupts streams with an expired lease, and saves texts
    /// regularly. Runs until it is dropped.
    pub(crate) async fn run_loops(&self) {
        // The fan-out publishes only new messages, so nothing else announces streams that are already open.
        self.registry.update_and_publish(&self.feeds, |open| open.announce_all());
        // Separate loops: a slow disk delays ends and saves, but no chunk.
        future::join3(self.run_window_loop(), self.run_lease_loop(), self.run_save_loop()).await;
    }

    /// Saves the texts that changed since the last save, in case the hub stops or crashes.
    pub(crate) async fn save_all_streams(&self) {
        let unsaved = self.registry.update(|open| open.take_unsaved());
        if unsaved.is_empty() {
            return;
        }
        let marks: Vec<_> = unsaved.iter().map(|(stream, changes)| (stream.message_id.clone(), *changes)).collect();
        let outcome = self.store.save_streams(unsaved.into_iter().map(|(stream, _)| stream).collect()).await;
        if let Err(failure) = &outcome {
            tracing::warn!(count = marks.len(), cause = %failure, "the texts of running answers could not be kept");
        }
        let now = self.clock.now();
        self.registry.update(|open| match outcome {
            Ok(()) => open.mark_saved(&marks),
            Err(_) => open.retry_save(now),
        });
    }

    async fn run_window_loop(&self) {
        loop {
            let due = self.registry.0.open.lock().next_times().window;
            self.registry.0.window_alarm.wait(self.clock.as_ref(), due).await;
            let now = self.clock.now();
            self.registry.update_and_publish(&self.feeds, |open| open.flush_due_windows(now));
        }
    }

    async fn run_lease_loop(&self) {
        loop {
            let due = self.registry.0.open.lock().next_times().lease;
            self.registry.0.lease_alarm.wait(self.clock.as_ref(), due).await;
            let now = self.clock.now();
            let expired = self.registry.update(|open| open.take_expired(now));
            // Concurrently, so that they share a sync of the disk; there are at most STREAMS_MAX.
            future::join_all(expired.into_iter().map(|one| self.interrupt_expired(one))).await;
        }
    }

    async fn run_save_loop(&self) {
        loop {
            let due = self.registry.0.open.lock().next_times().save;
            self.registry.0.save_alarm.wait(self.clock.as_ref(), due).await;
            if due.is_some_and(|due| due <= self.clock.now()) {
                self.save_all_streams().await;
            }
        }
    }

    /// Interrupts a stream with an expired lease. A failure is retried.
    async fn interrupt_expired(&self, expired: ExpiredLease<MessageId>) {
        let ExpiredLease { key: message_id, lease_seconds } = expired;
        let reason = format!("its producer gave no sign for {lease_seconds} seconds");
        if let Err(failure) = self.interrupt(&message_id, reason).await {
            tracing::warn!(message = %message_id, cause = %failure, "an abandoned answer could not be ended");
        }
    }

    /// Interrupts a stream on behalf of the hub.
    pub(super) async fn interrupt(&self, id: &MessageId, reason: String) -> Result<(), Failure> {
        let message = self.store.message(id).await?;
        let message = message.ok_or_else(|| Fault::new("interrupt a stream", format!("{id} is not in the store")))?;
        match self
            .end_stream(Attribution::of_host(self.clock.now()), message, StreamEnd::new(State::Interrupted, reason))
            .await
        {
            Err(failure) if !is_already_ended(&failure) => Err(failure),
            // Another request may have ended it meanwhile.
            _ => Ok(()),
        }
    }
}
