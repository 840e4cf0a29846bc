//! Blocking questions to the agent, and questions that an engine asks.
//!
//! A blocking question is answered at once and in parallel to all other jobs. It waits neither for its conversation
//! nor for a free slot, and is never paused by another question. Its answer is a run of its own with a prompt of its
//! own: the engines of the runs that it paused never get it. When it was handled, these runs continue.

use std::{collections::HashSet, sync::Arc, time::Duration};

use parlour_core::{
    Code,
    call::{Call, CallReason, CallState, answer_id},
    id::{AgentId, ConversationId, MemberId, MessageId, RunId},
    message::{Importance, Message, State},
    post::PostMessage,
    question::{Answer, NewQuestion, QuestionState},
};
use tokio::time::{Instant, sleep, sleep_until};

use super::{
    RunnerEvent,
    answer::{self, WorkResult, new_message_in},
    answer_control::AnswerControl,
    shared::{BlockingQuestion, OpenWork, SharedState, fresh_id},
    supervisor::{AgentSupervisor, JobKind, JobResult, REREAD_PAUSE, RunnerJob},
    work_queue::{RecentSet, WorkId, call_of},
};
use crate::{
    engine::{AskError, EngineQuestion, QuestionReply},
    link::LinkError,
    streaming::retry_while_away,
};

/// Interval at which the answer of another process is checked.
const LOOK_PAUSE: Duration = Duration::from_secs(3);
/// Time limit of these checks. A run that is still paused then requests the answer again.
const LOOK_TIME_MAX: Duration = Duration::from_secs(600);

/// Result of handling a blocking question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QuestionOutcome {
    /// The question is settled; the hub resumes the runs that it paused.
    Settled,
    /// The question was handled and may still be open: the runs that it paused are resumed.
    Handled,
    /// The question is closed, but the message still calls the agent.
    Ordinary(Box<Call>),
    /// The answer was interrupted and the question is still open: retry.
    Interrupted(Importance),
    /// The hub could not be reached: retry later.
    Later,
}

/// Whether a message contains an open question to this agent.
pub(super) fn is_asked(message: &Message, agent: &AgentId) -> bool {
    let me = MemberId::from(agent.clone());
    let question = message.question.as_ref().filter(|question| question.is_open());
    question.is_some_and(|question| question.awaited().any(|member| *member == me))
}

/// Answers the question of this message, unless it was answered before.
pub(super) async fn answer_question(
    shared: Arc<SharedState>,
    control: Arc<AnswerControl>,
    question: BlockingQuestion,
) -> QuestionOutcome {
    let (me, id) = (shared.agent().id, question.message_id);
    let message = match retry_while_away(|| shared.link.message(&id)).await {
        Ok(message) => message,
        Err(error) if error.is(Code::NotFound) || error.is(Code::Removed) => return QuestionOutcome::Handled,
        Err(error) => return if error.is_retryable() { QuestionOutcome::Later } else { QuestionOutcome::Handled },
    };
    let call = call_of(&message, &me);
    if !is_asked(&message, &me) {
        let call = call.filter(|_| !question.is_begun);
        return call.map_or(QuestionOutcome::Handled, |call| QuestionOutcome::Ordinary(Box::new(call)));
    }
    let attempt =
        if question.is_begun { find_attempt(&shared, &id).await } else { Ok(Attempt::Next(answer_id(&me, &id))) };
    let answer = match attempt {
        Ok(Attempt::Next(answer)) => answer,
        Ok(Attempt::InProgress(answer)) => return wait_for_other_process(&shared, &answer, &message).await,
        Err(error) if error.is_retryable() => return QuestionOutcome::Later,
        Ok(Attempt::Finished) | Err(_) => return QuestionOutcome::Handled,
    };
    let call = call.unwrap_or_else(|| call_by_question(&message, &me));
    let result = answer::answer(&shared, answer.clone(), vec![call], control).await;
    match result.done {
        WorkResult::Later => QuestionOutcome::Later,
        _ if result.settled_question => QuestionOutcome::Settled,
        _ if result.is_elsewhere => wait_for_other_process(&shared, &answer, &message).await,
        WorkResult::Settled | WorkResult::Refused => {
            read_end(&shared, &answer, &message).await.unwrap_or(QuestionOutcome::Handled)
        }
    }
}

/// A question calls its addressee, even if the message contains no mention.
fn call_by_question(message: &Message, me: &AgentId) -> Call {
    Call {
        agent_id: me.clone(),
        message_id: message.id.clone(),
        project_id: message.project_id.clone(),
        conversation_id: message.to.clone(),
        reason: CallReason::Mention,
        from: message.from.clone(),
        depth: message.cause.as_ref().map_or(0, |cause| cause.depth),
        correlation_id: message.correlation_id.clone(),
        called_at: message.created_at,
        state: CallState::Open,
        answer_id: None,
    }
}

/// Waits for the answer of another process, so that no paused run continues before it.
async fn wait_for_other_process(shared: &SharedState, answer: &MessageId, question: &Message) -> QuestionOutcome {
    let until = Instant::now() + LOOK_TIME_MAX;
    while Instant::now() < until {
        match read_end(shared, answer, question).await {
            Some(end) => return end,
            None => sleep(LOOK_PAUSE).await,
        }
    }
    QuestionOutcome::Handled
}

/// The outcome of an answer to a question; `None` while it is being written.
async fn read_end(shared: &SharedState, answer: &MessageId, question: &Message) -> Option<QuestionOutcome> {
    match retry_while_away(|| shared.link.message(answer)).await {
        Ok(message) if message.state == State::Streaming => None,
        Ok(message) if message.state == State::Interrupted => Some(QuestionOutcome::Interrupted(question.importance)),
        Ok(message) if message.answer_to.is_some() => Some(QuestionOutcome::Settled),
        _ => Some(QuestionOutcome::Handled),
    }
}

/// Reports for these runs that the message was handled. Runs that already continue are not affected.
pub(super) async fn resume(shared: Arc<SharedState>, runs: Vec<RunId>, message: MessageId) {
    for run in runs {
        // A run that is still paused requests it again.
        let _ = retry_while_away(|| shared.link.resume_run(&run, &message)).await;
    }
}

/// Attempts to answer one question. If so many attempts were interrupted, the question itself may be the cause: it is
/// left to others and to its expiry.
pub(super) const ATTEMPTS_MAX: usize = 3;

/// State of the attempts to answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// No attempt is in progress: write the answer under this id.
    Next(MessageId),
    /// A process writes this answer.
    InProgress(MessageId),
    /// The question was answered or attempted too often.
    Finished,
}

/// The message ids of all attempts, in order. The first is the id of the answer to any call; each further id is
/// derived from the one before. All processes of an agent compute the same ids, so each attempt is made once.
fn attempt_ids(agent: &AgentId, question: &MessageId) -> impl Iterator<Item = MessageId> {
    let next = |before: &MessageId| Some(answer_id(agent, before));
    std::iter::successors(Some(answer_id(agent, question)), next).take(ATTEMPTS_MAX)
}

/// Reads how far the agent got with a question. An ordinary answer that was interrupted is not retried, but an open
/// question is.
pub(super) async fn find_attempt(shared: &SharedState, question: &MessageId) -> Result<Attempt, LinkError> {
    for answer in attempt_ids(&shared.agent().id, question) {
        match retry_while_away(|| shared.link.message(&answer)).await {
            Ok(message) if message.state == State::Interrupted => {}
            Ok(message) if message.state == State::Streaming => return Ok(Attempt::InProgress(answer)),
            Ok(_) => return Ok(Attempt::Finished),
            Err(error) if error.is(Code::NotFound) => return Ok(Attempt::Next(answer)),
            // A removed answer is not written again.
            Err(error) if error.is(Code::Removed) => return Ok(Attempt::Finished),
            Err(error) => return Err(error),
        }
    }
    Ok(Attempt::Finished)
}

/// Minimum interval between two requests of a long poll.
const ASK_AGAIN: Duration = Duration::from_secs(2);

/// The conversation in which an engine asks a question.
pub(super) struct QuestionTarget {
    pub(super) conversation: ConversationId,
    /// The open answer. The question is a reply to it, so that it does not count as the answer to a call.
    pub(super) reply_to: Option<MessageId>,
}

/// Posts a question and waits until it is closed, at the latest by its expiry.
pub(super) async fn ask(
    shared: &SharedState,
    control: &AnswerControl,
    target: &QuestionTarget,
    question: EngineQuestion,
) -> Result<QuestionReply, AskError> {
    let _asking = control.begin_asking();
    let id = fresh_id();
    shared.remember_asked(id.clone());
    let request = PostMessage {
        body: question.body.clone(),
        mentions: vec![question.whom.to_string()],
        blocking: true,
        question: Some(NewQuestion { run_id: control.run().cloned(), ..question.ask }),
        reply_to: target.reply_to.clone(),
        ..new_message_in(&target.conversation)
    };
    retry_while_away(|| shared.link.post(&id, &request)).await.map_err(|error| ask_error(&error))?;
    shared.emit(RunnerEvent::Asked { message_id: id.clone(), body: question.body });
    until_closed(shared, &id).await?;
    reply(shared, &id).await.map_err(|error| ask_error(&error))
}

async fn until_closed(shared: &SharedState, id: &MessageId) -> Result<(), AskError> {
    loop {
        let again = Instant::now() + ASK_AGAIN;
        match shared.link.await_answer(id).await {
            Ok(Message { question: Some(question), .. }) if !question.is_open() => return Ok(()),
            Ok(Message { question: Some(_), .. }) => {}
            Ok(_) => return Err(AskError::new("the question is gone")),
            Err(error) if error.is_retryable() => {}
            Err(error) => return Err(ask_error(&error)),
        }
        sleep_until(again).await;
    }
}

/// The redacted answer to a question.
async fn reply(shared: &SharedState, id: &MessageId) -> Result<QuestionReply, LinkError> {
    let question = retry_while_away(|| shared.link.view(id)).await?.question;
    let state = question.as_ref().map_or(QuestionState::Withdrawn, |question| question.state);
    let Some(Answer { option, value, text, message_id, is_default }) = question.and_then(|question| question.answer)
    else {
        return Ok(QuestionReply { state, option: None, value: None, text: None, is_default: false });
    };
    let is_text = option.is_none() && value.is_none() && text.is_none();
    let text = match message_id.filter(|_| is_text) {
        Some(id) => retry_while_away(|| shared.link.view(&id)).await.ok().map(|message| message.body),
        None => text,
    };
    Ok(QuestionReply { state, option, value, text, is_default })
}

fn ask_error(error: &LinkError) -> AskError {
    AskError::new(error.to_string())
}

/// Questions that are answered in parallel. More than one, so that a slow answer does not delay a critical question.
const ANSWERED_AT_ONCE_MAX: usize = 4;
/// Questions that wait; further ones are read from the hub when there is room.
const WAITING_MAX: usize = 200;
/// Handled questions that are remembered.
const DONE_LEN_MAX: usize = 1_000;

/// The blocking questions of a supervisor.
pub(super) struct QuestionQueue {
    waiting: Vec<BlockingQuestion>,
    done: RecentSet<MessageId>,
}

impl Default for QuestionQueue {
    fn default() -> Self {
        Self { waiting: Vec::new(), done: RecentSet::new(DONE_LEN_MAX) }
    }
}

impl QuestionQueue {
    /// The next question: the most important one, and the oldest among equals.
    fn next(&mut self) -> Option<BlockingQuestion> {
        let rank = |importance: Importance| match importance {
            Importance::Critical => 0,
            Importance::High => 1,
            Importance::Normal => 2,
        };
        let first = self.waiting.iter().enumerate().min_by_key(|(_, question)| rank(question.importance))?.0;
        Some(self.waiting.remove(first))
    }
}

impl AgentSupervisor {
    pub(super) fn has_questions(&self) -> bool {
        !self.questions.waiting.is_empty() || self.answered_now() > 0
    }

    /// Queues the question of a message and requests a checkpoint of all runs.
    pub(super) fn take_question(&mut self, message: &Message) {
        self.add_question(blocking_question(message, false));
    }

    /// Queues questions that were asked while the runner was offline. A message that called the agent and has no open
    /// call was answered before; that answer may have been interrupted.
    pub(super) fn take_open_questions(&mut self, open: &OpenWork) {
        let me = self.shared.agent().id;
        let called: HashSet<_> = open.calls.iter().map(|call| &call.message_id).collect();
        for message in open.questions.iter().filter(|message| is_asked(message, &me)) {
            let is_begun = message.calls.contains(&me) && !called.contains(&message.id);
            self.add_question(blocking_question(message, is_begun));
        }
    }

    /// Queues a question that a paused run waits for; resumes the run if the question was already handled.
    pub(super) fn take_blocking_question(&mut self, question: BlockingQuestion) {
        if self.questions.done.contains(&question.message_id) {
            self.resume_paused_by(&question.message_id);
        } else {
            self.add_question(question);
        }
    }

    pub(super) fn is_question(&self, id: &MessageId) -> bool {
        let is_waiting = self.questions.waiting.iter().any(|waiting| waiting.message_id == *id);
        is_waiting || self.questions.done.contains(id) || self.is_answering(id)
    }

    fn add_question(&mut self, question: BlockingQuestion) {
        let id = question.message_id.clone();
        if self.is_question(&id) || self.questions.waiting.len() >= WAITING_MAX {
            return;
        }
        // It is answered as a question, not as a call.
        self.queue.withdraw(&WorkId::Call(id.clone()));
        self.questions.waiting.push(question);
        if self.answered_now() >= ANSWERED_AT_ONCE_MAX {
            self.report_queued(id);
        }
        let runs = self.running.iter().filter(|running| matches!(running.kind, JobKind::Queued(_)));
        runs.for_each(|running| running.control.request_checkpoint());
    }

    fn is_answering(&self, id: &MessageId) -> bool {
        self.running.iter().any(|running| matches!(&running.kind, JobKind::Question(message) if message == id))
    }

    fn answered_now(&self) -> usize {
        self.running.iter().filter(|running| matches!(running.kind, JobKind::Question(_))).count()
    }

    pub(super) fn begin_questions(&mut self) {
        while self.answered_now() < ANSWERED_AT_ONCE_MAX
            && let Some(question) = self.questions.next()
        {
            self.begin_question(question);
        }
    }

    fn begin_question(&mut self, question: BlockingQuestion) {
        let (shared, control) = (self.shared.clone(), AnswerControl::new());
        let (job_control, message) = (control.clone(), question.message_id.clone());
        let answering = async move { answer_question(shared, job_control, question).await };
        let id = self.jobs.spawn(async { JobResult::Question(answering.await) }).id();
        let work = vec![WorkId::Call(message.clone())];
        self.running.push(RunnerJob { id, kind: JobKind::Question(message), work, control });
    }

    pub(super) fn settle_question(&mut self, message: MessageId, outcome: QuestionOutcome) {
        match outcome {
            QuestionOutcome::Later => return self.reread_open_work(REREAD_PAUSE),
            QuestionOutcome::Interrupted(importance) => {
                return self.add_question(BlockingQuestion { message_id: message, importance, is_begun: true });
            }
            _ => {}
        }
        self.questions.done.insert(message.clone());
        if outcome != QuestionOutcome::Settled {
            self.resume_paused_by(&message);
        }
        if let QuestionOutcome::Ordinary(call) = outcome {
            self.queue.forget(&WorkId::Call(message));
            self.add_call(*call);
        }
    }
}

fn blocking_question(message: &Message, is_begun: bool) -> BlockingQuestion {
    BlockingQuestion { message_id: message.id.clone(), importance: message.importance, is_begun }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_attempt_has_its_own_id_and_the_first_has_the_usual_answer_id() {
        let (agent, question) = (AgentId::from_bits(1), MessageId::from_bits(2));
        let ids: Vec<_> = attempt_ids(&agent, &question).collect();
        assert_eq!(ids[0], answer_id(&agent, &question));
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ATTEMPTS_MAX);
        assert!(attempt_ids(&AgentId::from_bits(3), &question).all(|id| !ids.contains(&id)));
    }
}
