use parlour_core::{
    Code, Refusal,
    attribution::Attribution,
    call::Calls,
    event::Change,
    inbox::deliveries,
    limits,
    mention::{MentionProblem, Mentions},
    message::{Message, State},
    model_visibility, text,
    usage::Usage,
    write::{Appended, Ending, Entry, NewText, Novelty, Write},
};
use serde_json::Value;

use super::{EndAttempt, refuse_ended};
use crate::{
    Failure, Hub,
    calling::{PostCommit, report_wide_mention},
    ports::PostContext,
    use_cases::FinishedStream,
};

/// How a stream is to end.
#[derive(Clone, Debug)]
pub(crate) struct StreamEnd {
    /// How; anything but `Streaming`.
    pub(crate) state: State,
    /// Why.
    pub(crate) reason: Option<String>,
    /// The final text; without it, what was streamed.
    pub(crate) body: Option<String>,
    /// A structured form of it.
    pub(crate) content: Option<Value>,
    /// Members to call besides those named in the text.
    pub(crate) mentions: Vec<String>,
    /// What it has cost.
    pub(crate) usage: Option<Usage>,
}

impl StreamEnd {
    /// An end with the text that was streamed.
    pub(crate) fn new(state: State, reason: impl Into<Option<String>>) -> Self {
        Self { state, reason: reason.into(), body: None, content: None, mentions: Vec::new(), usage: None }
    }
}

impl Hub {
    /// Ends the stream of a message, as it is in the store. The same end again answers the first; another one is
    /// refused (`StreamEnded`). When the store fails, the stream goes on and can be ended again.
    pub(crate) async fn end_stream(
        &self,
        attribution: Attribution,
        message: Message,
        end: StreamEnd,
    ) -> Result<FinishedStream, Failure> {
        if message.state == State::Streaming {
            self.open_stream(&message, None).await?;
        }
        if let Some(end_attempt) = self.streams.close(&self.feeds, &message, end.state) {
            match self.end_open(&attribution, &message, end_attempt, &end).await {
                // Somebody else was faster, perhaps with the same end.
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
        let mut ending = Ending {
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
        ending.calls = self.decide_calls(&mut finished, &post_context, &mut post_commit).await?;
        let reply = self.attach_answer(&mut finished, &post_context, &mut post_commit).await?;
        ending.answer_to.clone_from(&finished.answer_to);
        if model_visibility::may_wake(&finished) {
            ending.text.deliveries = deliveries(author.as_ref(), &finished.mentions, &post_context.listeners);
        }
        let settle = |outcome: &Result<Appended, Failure>| end_attempt.settle(outcome);
        let ended = self.append_end(attribution, message, ending, post_commit, settle, found.problems).await?;
        let answer_problem = self.explain_unsettled_answer(reply, Novelty::New, &ended.message).await;
        Ok(FinishedStream { answer_problem, ..ended })
    }

    /// Asks the store for the first answer to an end that has been made already.
    async fn repeat_end(
        &self,
        attribution: Attribution,
        message: Message,
        end: StreamEnd,
    ) -> Result<FinishedStream, Failure> {
        if message.state != end.state || message.removed_at.is_some() {
            return Err(refuse_ended(&message.id, message.state).into());
        }
        // Whoever stops an answer wants it stopped; why it was, the first one has said.
        let reason = if end.state == State::Cancelled { message.reason.clone() } else { end.reason };
        let body = end.body.unwrap_or_else(|| message.body.clone());
        let text = NewText { body, mentions: message.mentions.clone(), deliveries: Vec::new() };
        let steps = message.steps.clone();
        let calls = Calls { called: Vec::new(), held: message.held.clone() };
        let ending = Ending {
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

    /// Lets the store end the stream. It runs to its end even when the caller goes away, so that the book knows.
    async fn append_end(
        &self,
        attribution: &Attribution,
        message: &Message,
        ending: Ending,
        post_commit: PostCommit,
        settle: impl FnOnce(&Result<Appended, Failure>) + Send + 'static,
        mention_problems: Vec<MentionProblem>,
    ) -> Result<FinishedStream, Failure> {
        let entry = Entry {
            project_id: message.project_id.clone(),
            attribution: attribution.clone(),
            write: Write::FinishMessage(message.id.clone(), ending),
        };
        let appended = self.append_decided(entry, post_commit, settle).await?;
        self.invalidate_caches_after(&appended.change);
        match appended.change {
            Change::MessageFinished(message) => Ok(FinishedStream {
                message: *message,
                position: appended.position,
                mention_problems,
                answer_problem: None,
            }),
            other => Err(crate::use_cases::unexpected_change(&other)),
        }
    }

    /// Whom the final text calls, with those who were named beside it: now, and when it began.
    async fn final_mentions(
        &self,
        message: &Message,
        body: &str,
        end: &StreamEnd,
        post_context: &PostContext,
    ) -> Result<Mentions, Failure> {
        let mut found = self.resolve_mentions(&message.project_id, body, &end.mentions).await?;
        if !message.mentions.is_empty() {
            let begun_with = self.resolve_mentions(&message.project_id, &message.body, &[]).await?;
            for member in message.mentions.iter().filter(|member| !begun_with.members.contains(member)) {
                if !found.members.contains(member) && found.members.len() < limits::MENTIONS_MAX {
                    found.members.push(member.clone());
                }
            }
        }
        let mut found = self.keep_readable_mentions(&message.to, post_context.membership.visibility, found).await?;
        // Nobody can be asked whether it is meant: what was streamed is streamed.
        report_wide_mention(&mut found);
        Ok(found)
    }
}

/// Refuses to call an answer complete that says nothing at all.
fn check_not_empty(finished: &Message) -> Result<(), Refusal> {
    let has_more = finished.content.is_some() || !finished.artifacts.is_empty() || !finished.attachments.is_empty();
    if finished.state != State::Complete || has_more {
        return Ok(());
    }
    text::check_not_blank(&finished.body).map_err(|refusal| refusal.at("body"))
}
